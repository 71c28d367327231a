"""Laws that published metrics break, each with its smallest counterexample."""

from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from laws.cases import SINGLE_DAYS, needed

from chronoscore.core.case import Case
from chronoscore.core.metric import Law
from chronoscore.elements.dated.model import DatedEvent, Timeline
from chronoscore.elements.time import Time
from chronoscore.events.verdicts import verdict_file
from chronoscore.families import NAMES, family
from chronoscore.ordering.coreference.model import Clustering
from chronoscore.ordering.model import Link, TimelineRow
from chronoscore.ordering.model import TargetTimeline as Order
from chronoscore.ordering.tlinks.model import LinkDocument


def f1(home: str, name: str, gold: object, predicted: object) -> float:
    metric = family(home).metric(name)
    comparison = family(home).compare(Case("c", gold, predicted), metric.setting)
    scores = metric.link(np.array(metric.measure(comparison).statistics, dtype=float))
    return float(scores[metric.definition.scores.index("f1")])


def test_two_days_of_equal_text_keep_a_copy_from_one() -> None:
    gold = Timeline.of({date(2010, 12, 28): ["quake"], date(2010, 12, 29): ["quake"]})
    assert f1("timelines", "align+m:1", (gold,), gold) == pytest.approx(0.75)
    assert f1("timelines", "align+m:1(tie=nearest)", (gold,), gold) == 1


ROWS = (
    TimelineRow(1, "2001", ("a",)),
    TimelineRow(1, "2001", ("b", "a")),
    TimelineRow(1, "2001-05", ("a",)),
)


@pytest.mark.parametrize(("mode", "score"), [("full", 0.75), ("order", 0.8)])
def test_a_mention_three_times_apart_keeps_a_copy_from_one(mode: str, score: float) -> None:
    gold = Order(ROWS)
    assert f1("ordering", f"semeval2015(mode={mode})", gold, gold) == pytest.approx(score)
    twice = Order(ROWS[:2])
    assert f1("ordering", f"semeval2015(mode={mode})", twice, twice) == 1


def test_repeated_mentions_keep_sides_from_being_swapped() -> None:
    one = Order((TimelineRow(1, "2001", ("b",)), TimelineRow(1, "2001", ("b", "b"))))
    two = Order(
        (
            TimelineRow(1, "2001", ("b",)),
            TimelineRow(1, "2001", ("c", "b")),
            TimelineRow(1, "2001-05", ("b",)),
        )
    )
    assert f1("ordering", "semeval2015", one, two) != f1("ordering", "semeval2015", two, one)


def test_the_order_of_links_changes_awareness() -> None:
    links = [Link("a", "b", "BEFORE"), Link("b", "c", "BEFORE"), Link("a", "c", "BEFORE")]
    one, other = LinkDocument(tuple(links)), LinkDocument((links[2], *links[:2]))
    system = LinkDocument((links[0],))
    assert f1("tlinks", "awareness", one, system) == pytest.approx(2 / 3)  # 1 of 2
    assert f1("tlinks", "awareness", other, system) == pytest.approx(1 / 2)  # 1 of 3
    assert f1("tlinks", "pairwise", one, system) == f1("tlinks", "pairwise", other, system)


def test_small_letters_keep_a_copy_from_one_in_the_toolkit() -> None:
    gold = LinkDocument((Link("a", "b", "AFTER"), Link("a", "b", "before")))
    assert f1("tlinks", "awareness(closure=toolkit)", gold, gold) == pytest.approx(2 / 3)
    assert f1("tlinks", "awareness", gold, gold) == 1


def test_vague_pairs_that_are_left_out_keep_sides_from_being_swapped() -> None:
    clear, vague = (LinkDocument((Link("a", "b", name),)) for name in ("BEFORE", "VAGUE"))
    for gold, predicted, counts in ((vague, clear, (0, 0, 0)), (clear, vague, (0, 0, 1))):
        metric = family("tlinks").metric("matres(vague=skip)")
        comparison = family("tlinks").compare(Case("c", gold, predicted), metric.setting)
        assert metric.measure(comparison).statistics[:3] == counts


def test_a_gold_without_links_keeps_blanc_from_swapping_sides() -> None:
    gold, predicted = Clustering.of(["a", "b", "c"]), Clustering.of(["ab", "c"])
    for name, swapped in (("blanc", (1, 1 / 2)), ("blanc(edges=luo2014)", (1 / 2, 1 / 2))):
        metric = family("coreference").metric(name)
        found = []
        for sides in ((gold, predicted), (predicted, gold)):
            comparison = family("coreference").compare(Case("c", *sides), metric.setting)
            statistics = np.array(metric.measure(comparison).statistics, dtype=float)
            found.append(dict(zip(metric.scores, metric.link(statistics), strict=True)))
        assert (found[0]["precision"], found[1]["recall"]) == swapped


@pytest.mark.parametrize("name", NAMES)
def test_a_broken_law_is_not_declared_where_it_is_broken(name: str) -> None:
    for definition in family(name).definitions:
        metrics = [definition(), *(definition(**preset) for preset in definition.presets.values())]
        metrics += [
            definition(**{parameter.name: choice, **needed(definition, parameter)})
            for parameter in definition.parameters
            for choice in (*parameter.choices, *(["x"] if parameter.name == "verdicts" else ()))
        ]
        for broken in definition.broken:
            assert isinstance(broken.law, Law)
            assert any(broken.law not in metric.laws for metric in metrics)
            assert broken.counterexample


def test_two_summaries_of_a_day_keep_a_copy_from_one() -> None:
    gold = Timeline.of({date(2010, 12, 28): ["quake hits", "rescue begins"]})
    assert f1("timelines", "exact-date", (gold,), gold) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("name", "of_a_month"),
    [
        ("date-f1", 0),
        ("align", 1 / 28),
        ("align(extent=overlap)", 1 / 31),
        ("align(extent=gap)", 1),
    ],
)
def test_a_month_keeps_sides_from_being_swapped(name: str, of_a_month: float) -> None:
    month, day = (Timeline.of({Time.parse(text): ["quake"]}) for text in ("2010-12", "2010-12-28"))
    assert f1("timelines", name, (month,), day) == 1
    assert f1("timelines", name, (day,), month) == pytest.approx(of_a_month)


@given(SINGLE_DAYS, SINGLE_DAYS)
def test_times_of_one_cell_swap_sides(gold: Timeline, predicted: Timeline) -> None:
    for definition in family("timelines").definitions:
        for metric in (definition(), *(definition(**p) for p in definition.presets.values())):
            if "precision" in metric.scores:
                one, other = (
                    family("timelines").compare(Case("c", (a,), b), metric.setting)
                    for a, b in ((gold, predicted), (predicted, gold))
                )
                credit, total, recalled, gold_total = metric.measure(one).statistics[:4]
                swapped = metric.measure(other).statistics[:4]
                assert swapped == pytest.approx((recalled, gold_total, credit, total)), metric


def test_a_month_beside_its_day_is_a_date_too_many() -> None:
    month = Timeline.of({Time.parse("2010-12"): ()})
    both = Timeline.of({Time.parse("2010-12"): (), Time.parse("2010-12-28"): ()})
    assert f1("timelines", "date-f1", (month,), both) == pytest.approx(2 / 3)


def events(*items: tuple[str, str]) -> Timeline:
    """Events of a time, or none, and a text each."""
    return Timeline(
        events=tuple(
            DatedEvent(Time.parse(time) if time else None, text, id=f"e{at}")
            for at, (time, text) in enumerate(items)
        )
    )


def scores_of(name: str, gold: Timeline, predicted: Timeline) -> list[float]:
    metric = family("events").metric(name)
    comparison = family("events").compare(Case("c", (gold,), predicted), metric.setting)
    scores: list[float] = metric.link(
        np.array(metric.measure(comparison).statistics, dtype=float)
    ).tolist()
    return scores


def test_an_undated_gold_event_forgives_what_an_undated_prediction_is_not_forgiven() -> None:
    dated, undated = events(("2011-02-11", "storm")), events(("", "storm"))
    assert scores_of("event-timed", undated, dated) == [1, 1, 1]
    assert scores_of("event-timed", dated, undated) == [0, 0, 0]


def test_predictions_without_a_gold_that_are_left_out_keep_sides_from_being_swapped() -> None:
    nothing, storm = events(), events(("2011-02-11", "storm"))
    left_out, scored = (
        scores_of("event-f1(empty=skip)", *sides) for sides in ((nothing, storm), (storm, nothing))
    )
    assert np.isnan(left_out).all()
    assert scored[1:] == [0, 0]


def test_a_verdict_keeps_a_copy_from_one(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.jsonl"
    path.write_text('{"gold": "e0", "predicted": "e0", "verdict": "different", "by": "ana"}\n')
    gold = events(("2011-02-11", "storm"))
    assert scores_of("event-f1", gold, gold) == [1, 1, 1]
    name = f"event-f1(verdicts={verdict_file(str(path))})"
    assert scores_of(name, gold, gold) == [0, 0, 0]


def test_one_more_right_event_is_in_an_order_with_a_spurious_one() -> None:
    gold = events(("2011-02-01", "storm"), ("2011-02-02", "quake"), ("2011-02-03", "flood"))
    told = (*(("2011-02-01", "storm"), ("2011-02-02", "quake")), ("2011-02-01/2011-02-02", "vote"))
    assert scores_of("event-order", gold, events(*told))[:2] == pytest.approx([1, 1 / 3])
    after = scores_of("event-order", gold, events(*told, ("2011-02-03", "flood")))
    assert after[:2] == pytest.approx([3 / 4, 1])


def test_a_part_of_one_event_becomes_a_repeat_of_one_more_right_event() -> None:
    long = "a b " + " ".join(f"w{number}" for number in range(60))
    gold = events(("2011-02-11", "a b x y z"), ("2011-02-10", long))
    told = (("2011-02-11", "x y z"), ("2011-02-11", "a b"))
    name = "event-grouped(similarity=rouge-1,tokens=words,time_weight=0)"
    assert scores_of(name, gold, events(*told))[0] == 1
    assert scores_of(name, gold, events(*told, ("2011-02-10", long)))[0] == pytest.approx(2 / 3)


def test_a_foreign_event_can_take_a_pair_across_the_threshold() -> None:
    gold, told = events(("2011-02-11", "storm quake vote")), ("2011-02-11", "storm rescue flood")
    setting = "event-f1(tokens=words,threshold={})"
    limit = scores_of("event-similarity(tokens=words,threshold=0)", gold, events(told))[0]
    foreign = ("2011-02-11", "storm 1 2 3 4 5 6 7")
    moved = scores_of("event-similarity(tokens=words,threshold=0)", gold, events(told, foreign))[0]
    assert moved != limit
    between = setting.format((moved + limit) / 2)
    recalls = {scores_of(between, gold, events(*some))[1] for some in ((told,), (told, foreign))}
    assert recalls == {0, 1}


def test_a_repeated_event_can_earn_for_a_second_gold_event() -> None:
    gold = events(("2011-02-11", "storm hits coast"), ("2011-02-12", "storm hits town"))
    once, twice = (("2011-02-11", "storm hits coast"),), ("2011-02-12", "storm hits coast")
    assert scores_of("event-f1", gold, events(*once))[1] == 1 / 2
    assert scores_of("event-f1", gold, events(*once, twice))[1] == 1
    assert scores_of("event-rates", gold, events(*once, twice))[2] == 1  # reused
