"""Laws of matched events beyond those that metrics declare."""

from collections.abc import Sequence
from datetime import date
from itertools import permutations
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from laws.cases import CASES, DAYS, EVENT_TEXTS, OFFSETS, RECORDS, TREATMENTS, fits
from msgspec import structs
from numpy.typing import NDArray

from chronoscore.core.case import Case
from chronoscore.core.metric import Metric
from chronoscore.elements.dated.model import DatedEvent, References, Timeline
from chronoscore.elements.similarity import Cells
from chronoscore.elements.text.sentences import END_SIGNS
from chronoscore.elements.time import Time
from chronoscore.elements.time.calendar import DAY, TICKS
from chronoscore.events.comparison import EventComparison, compare, compare_many
from chronoscore.events.family import FAMILY
from chronoscore.events.matching import match

EXAMPLES = settings().max_examples
FEW = settings(max_examples=EXAMPLES if EXAMPLES > 100 else EXAMPLES // 3)
"""For laws that try each example with many metrics."""
Array = NDArray[np.float64]
EventCase = Case[References, Timeline]
MATCHING = [
    definition
    for definition in FAMILY.definitions
    if definition.name not in ("event-strict", "treatment-span")  # verdicts; nothing is matched
]
ALL = [
    FAMILY.metric("treatment-span"),
    *(
        FAMILY.metric(name)
        for definition in MATCHING
        for name in (
            definition.name,
            f"{definition.name}(closeness=log(unit=hour,horizon=1y),time_weight=0)",
            f"{definition.name}(similarity=rouge-1L,tokens=words,labels=compatible)",
        )
    ),
]
COUNTED = ("event-f1", "event-timed", "event-soft", "event-date", "event-rouge", "event-order")


def case_of(gold: Timeline, predicted: Timeline, name: str = "c") -> EventCase:
    return Case(name, (gold,), predicted, {"topic": name, "gold": "g", "trial": ""})


def numbers(metric: Metric, comparison: EventComparison) -> tuple[object, ...]:
    evidence = metric.measure(comparison)
    return (*evidence.statistics, *evidence.steps)


def scores(name: str, gold: Timeline, predicted: Timeline) -> dict[str, float]:
    metric = FAMILY.metric(name)
    comparison = compare(case_of(gold, predicted), metric.setting)
    statistics = np.array(metric.measure(comparison).statistics, dtype=float)
    return dict(zip(metric.scores, metric.link(statistics).tolist(), strict=True))


# Nothing outside a case changes it


@FEW
@given(
    st.lists(CASES["events"], min_size=2, max_size=5),
    st.lists(st.text(max_size=30), max_size=4),
    st.randoms(use_true_random=False),
)
def test_no_bit_of_a_case_depends_on_others_or_on_what_was_read_before(
    cases: list[EventCase], before: list[str], random: object
) -> None:
    """Token numbers, blocks and the order of cases are an accident of the run."""
    cases = [structs.replace(case, id=f"c{at}") for at, case in enumerate(cases)]
    order = sorted(range(len(cases)), key=lambda _: random.random())  # type: ignore[attr-defined]
    for metric in ALL:
        if not all(fits(metric, case) for case in cases):
            continue
        strange = Timeline(events=tuple(DatedEvent(None, text) for text in before if text.strip()))
        compare(case_of(strange, strange), metric.setting)
        alone = [numbers(metric, compare(case, metric.setting)) for case in cases]
        block = compare_many(cases, metric.setting)
        mixed = compare_many([cases[at] for at in order], metric.setting)
        assert [numbers(metric, one) for one in block] == alone, metric
        assert [numbers(metric, one) for one in mixed] == [alone[at] for at in order], metric


def test_no_bit_depends_on_others_where_words_are_many_and_crowded() -> None:
    """Words that half of 200 events share are added up in another way than rare ones."""
    rng = np.random.default_rng(5)
    weights = 1 / np.arange(1, 400)
    words = [
        [
            " ".join(map("w{}".format, rng.choice(399, 12, p=weights / weights.sum())))
            for _ in range(90)
        ]
        for _ in range(4)
    ]
    sides = [
        Timeline(
            events=tuple(
                DatedEvent(Time.of(date(2011, 1, 1 + at % 28)), text)
                for at, text in enumerate(texts)
            )
        )
        for texts in words
    ]
    cases = [case_of(sides[0], sides[1], "a"), case_of(sides[2], sides[3], "b")]
    for metric in ALL:
        alone = [numbers(metric, compare(case, metric.setting)) for case in cases]
        together = compare_many(cases[::-1], metric.setting)
        assert [numbers(metric, one) for one in together] == alone[::-1], metric


def test_times_of_day_count_as_days_beside_a_case_of_offsets() -> None:
    late, day = (
        Timeline(events=(DatedEvent(Time.parse(time), "storm"),))
        for time in ("2010-12-31T23:30", "2010-12-31")
    )
    dated, offsets = case_of(late, day, "a"), case_of(series(("storm", 0)), series(("storm", 30)))
    metric = FAMILY.metric("event-timed")
    alone = [numbers(metric, compare(case, metric.setting)) for case in (dated, offsets)]
    assert alone == [(1.0, 1, 1), (pytest.approx(1 / (1 + 30 / 24)), 1, 1)]
    together = compare_many([dated, offsets], metric.setting)
    assert [numbers(metric, one) for one in together] == alone


def test_a_weight_that_is_written_counts_beside_the_share_of_golds_that_tell_an_event() -> None:
    """Both golds tell of the storm, so that it weighs 1; one tells of the flood."""
    day = Time.parse("2011-02-11")
    storm, flood = DatedEvent(day, "storm"), DatedEvent(day, "flood")
    gold = Timeline(events=(storm, flood, DatedEvent(day, "fire", weight=0.25)))
    found = Timeline(events=(storm,))
    metric = FAMILY.metric("salient-recall(similarity=exact)")
    comparison = compare(Case("a", (gold, found), found), metric.setting)
    matched, _, weight = numbers(metric, comparison)
    assert (matched, weight) == (1, 1 + 0.5 + 0.25)


@FEW
@given(RECORDS | TREATMENTS, RECORDS | TREATMENTS, st.permutations(range(5)))
def test_the_names_of_ids_change_nothing(
    gold: Timeline, predicted: Timeline, names: Sequence[int]
) -> None:
    def renamed(side: Timeline) -> Timeline:
        events = [
            structs.replace(event, id=f"x{names[at]}" if names[at] else "")
            for at, event in enumerate(side.events)
        ]
        return Timeline(events=tuple(events))

    one, other = case_of(gold, predicted), case_of(renamed(gold), renamed(predicted))
    for metric in ALL:
        if fits(metric, one):
            before, after = (
                numbers(metric, compare(case, metric.setting)) for case in (one, other)
            )
            assert before == after, metric


# Times

PLAIN = [
    FAMILY.metric(f"{definition.name}(closeness={closeness})")
    for definition in MATCHING
    for closeness in ("near", "linear(3)", "overlap", "within(36h)")
]


def moved(side: Timeline, ticks: int) -> Timeline:
    def later(time: Time | None) -> Time | None:
        if time is None:
            return None
        begin, end = (None if at is None else at + ticks for at in (time.begin, time.end))
        return Time(begin, end, time.resolution, time.shape, axis=time.axis, unit=time.unit)

    return Timeline(events=tuple(structs.replace(e, time=later(e.time)) for e in side.events))


DATED = st.lists(st.builds(DatedEvent, st.none() | DAYS, EVENT_TEXTS), max_size=5).map(
    lambda events: Timeline(events=tuple(events))
)
HOURS = st.lists(st.builds(DatedEvent, st.none() | OFFSETS, EVENT_TEXTS), max_size=5).map(
    lambda events: Timeline(events=tuple(events))
)


@FEW
@given(st.tuples(DATED, DATED) | st.tuples(HOURS, HOURS), st.integers(-400, 400))
def test_moving_all_times_of_both_sides_changes_nothing(
    sides: tuple[Timeline, Timeline], days: int
) -> None:
    one = case_of(*sides)
    gold, predicted = (moved(side, days * DAY) for side in sides)
    other = case_of(gold, predicted)
    for metric in PLAIN:
        if fits(metric, one):
            before, after = (
                numbers(metric, compare(case, metric.setting)) for case in (one, other)
            )
            assert before == after, metric


@given(HOURS, HOURS, st.sampled_from(((1, "hour", "second", 3600), (1, "minute", "ms", 60_000))))
def test_a_unit_changes_nothing_if_tolerance_and_horizon_change_with_it(
    gold: Timeline, predicted: Timeline, units: tuple[int, str, str, int]
) -> None:
    """Times are the same; what is written in hours is written in seconds."""
    _, coarse, fine, times = units
    case = case_of(gold, predicted)
    ticks = TICKS[coarse]
    assert ticks == times * TICKS[fine]
    for rule, length in (("within", 30), ("overlap", 0)):
        names = [
            f"{rule}({length},unit={coarse})" if length else f"{rule}(unit={coarse})",
            f"{rule}({length * times},unit={fine})" if length else f"{rule}(unit={fine})",
        ]
        for name in COUNTED:
            one, two = (FAMILY.metric(f"{name}(closeness={closeness})") for closeness in names)
            before, after = (numbers(m, compare(case, m.setting)) for m in (one, two))
            assert before == after, (name, rule)
    one, two = (
        FAMILY.metric(
            f"event-date(closeness=near(unit={unit}),time_weight=0,tolerance={tolerance})"
        )
        for unit, tolerance in ((coarse, 2), (fine, 2 * times))
    )
    assert numbers(one, compare(case, one.setting)) == numbers(two, compare(case, two.setting))
    far = {
        unit: scores(
            f"time-off(time_weight=0,similarity=exact,closeness=exact(unit={unit}))",
            gold,
            predicted,
        )
        for unit in (coarse, fine)
    }
    assert far[fine]["mean"] == pytest.approx(times * far[coarse]["mean"], nan_ok=True)


# Texts

TEXT_SIGNS = ("Storm", "hits", "Dr.", "U.S.", "3.5", "“No”", "left", "Übel", "总统辞职", "буря")
ENDS = (".", "!", "?", "...", ".”", "。", "…", ".)", "؟")


@st.composite
def _days(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """A day as sentences that end in end signs, and the same text cut elsewhere at end signs."""
    sentences = [
        " ".join(draw(st.lists(st.sampled_from(TEXT_SIGNS), min_size=1, max_size=4)))
        + draw(st.sampled_from(ENDS))
        for _ in range(draw(st.integers(1, 5)))
    ]
    cuts = [draw(st.booleans()) for _ in sentences[1:]]
    entries = [sentences[0]]
    for sentence, is_cut in zip(sentences[1:], cuts, strict=True):
        if is_cut:
            entries.append(sentence)
        else:
            entries[-1] += f" {sentence}"
    return sentences, entries


@settings(max_examples=4 * EXAMPLES)
@given(_days(), _days(), _days())
def test_regrouping_the_texts_of_a_day_at_end_signs_changes_no_score(
    first: tuple[list[str], list[str]],
    second: tuple[list[str], list[str]],
    told: tuple[list[str], list[str]],
) -> None:
    days = date(2011, 2, 10), date(2011, 2, 11)
    gold, regrouped = (Timeline.of({days[0]: first[at], days[1]: second[at]}) for at in (0, 1))
    predicted, other = (Timeline.of({days[1]: told[at]}) for at in (0, 1))
    assert scores("event-f1", gold, regrouped) == {"precision": 1, "recall": 1, "f1": 1}
    for name in COUNTED:
        metric = FAMILY.metric(name)
        before, after = (
            numbers(metric, compare(case_of(*sides), metric.setting))
            for sides in ((gold, predicted), (regrouped, other))
        )
        assert before == after, name


@given(_days())
def test_a_cut_at_an_end_sign_is_one(day: tuple[list[str], list[str]]) -> None:
    """What is drawn above is cut where the rule says so."""
    assert all(set(sentence) & set(END_SIGNS) for sentence in day[0])


@settings(max_examples=4 * EXAMPLES)
@given(RECORDS, RECORDS)
def test_recall_is_below_one_while_a_gold_event_is_unmatched(
    gold: Timeline, predicted: Timeline
) -> None:
    for name in ("event-f1", "event-timed", "event-soft"):
        metric = FAMILY.metric(name)
        comparison = compare(case_of(gold, predicted), metric.setting)
        matched = comparison.pairs.stop - comparison.pairs.start
        assume(gold.events)
        recall = scores(name, gold, predicted)["recall"]
        assert (recall < 1) if matched < len(gold.events) else (name != "event-f1" or recall == 1)


@settings(max_examples=4 * EXAMPLES)
@given(RECORDS)
def test_decomposed_text_is_the_same_text(gold: Timeline) -> None:
    apart = [structs.replace(e, text=f" {normalize('NFD', e.text)} ") for e in gold.events]
    for name in COUNTED:
        whole = scores(name, gold, gold)
        assert scores(name, gold, Timeline(events=tuple(apart))) == pytest.approx(
            whole, nan_ok=True
        )


# Matching

CREDITS = st.sampled_from((0.0, 0.0, 0.0, 0.25, 0.5, 0.5, 0.500001, 0.75, 1.0, 1 / 3))
CLOSE = st.sampled_from((0.0, 0.25, 0.5, 1.0, 1 / 3))


@st.composite
def _tables(draw: st.DrawFn) -> tuple[Array, Array]:
    rows, columns = draw(st.integers(0, 4)), draw(st.integers(0, 4))
    credit, close = (
        np.array([[draw(kind) for _ in range(columns)] for _ in range(rows)], float).reshape(
            rows, columns
        )
        for kind in (CREDITS, CLOSE)
    )
    return credit, close


def matched_cells(
    credit: Array,
    close: Array,
    gold_first: bool = False,
) -> set[tuple[int, int]]:
    rows, columns = (np.zeros(size, np.int64) for size in credit.shape)
    cells = Cells(rows, columns, 1)
    chosen = match(cells, credit.ravel(), close.ravel(), lambda _: gold_first)
    return {(int(cells.row[at]), int(cells.column[at])) for at in chosen}


def worth(
    pairs: Sequence[tuple[int, int]],
    credit: Array,
    close: Array,
) -> tuple[int, int, int]:
    """What the best matching maximises, in whole numbers: first credit, then pairs, then time."""
    return (
        sum(round(credit[pair] * 10**6) for pair in pairs),
        len(pairs),
        sum(round(close[pair] * 10**4) for pair in pairs),
    )


@settings(max_examples=20 * EXAMPLES)
@given(_tables())
def test_the_matching_is_the_best_of_all_matchings(
    tables: tuple[Array, Array],
) -> None:
    credit, close = tables
    rows, columns = credit.shape
    if rows <= columns:
        tried = (
            list(zip(range(rows), some, strict=True)) for some in permutations(range(columns), rows)
        )
    else:
        tried = (
            list(zip(some, range(columns), strict=True))
            for some in permutations(range(rows), columns)
        )
    every = [[pair for pair in pairs if credit[pair] > 0] for pairs in tried]
    found = matched_cells(credit, close)
    assert worth([*found], credit, close) == max(worth(pairs, credit, close) for pairs in every)


@settings(max_examples=20 * EXAMPLES)
@given(_tables(), st.booleans())
def test_the_matching_is_the_same_when_sides_are_swapped(
    tables: tuple[Array, Array],
    gold_first: bool,
) -> None:
    credit, close = tables
    found = matched_cells(credit, close, gold_first)
    swapped = matched_cells(credit.T, close.T, not gold_first)
    assert {(row, column) for column, row in swapped} == found


@settings(max_examples=4 * EXAMPLES)
@given(RECORDS | TREATMENTS, RECORDS | TREATMENTS)
def test_the_same_events_are_paired_when_sides_are_swapped(
    gold: Timeline, predicted: Timeline
) -> None:
    setting = FAMILY.metric("event-f1").setting
    one, other = (
        compare(case_of(*sides), setting) for sides in ((gold, predicted), (predicted, gold))
    )
    pairs = one.block.matched
    swapped = other.block.matched
    assert {*zip(pairs.row.tolist(), pairs.column.tolist(), strict=True)} == {
        *zip(swapped.column.tolist(), swapped.row.tolist(), strict=True)
    }


def test_a_thousand_equal_texts_are_matched_by_their_times() -> None:
    """In so large a component only few steps are left for times."""
    gold = Timeline(
        events=tuple(
            DatedEvent(Time.parse(str(hour), dialect="offset", unit="hour"), "fever")
            for hour in range(600)
        )
    )
    name = "event-timed(closeness=log(unit=hour,horizon=1y),time_weight=0)"
    assert scores(name, gold, gold)["f1"] == pytest.approx(1)


# A worked table


def series(*items: tuple[str, float]) -> Timeline:
    return Timeline(
        events=tuple(
            DatedEvent(Time.parse(f"{hours:g}", dialect="offset", unit="hour"), text)
            for text, hours in items
        )
    )


TWO = (("fever", -24.0), ("cough", 0.0))
FOUR = (*TWO, ("shock", 48.0), ("rash", 50.0))
FEVERS = (("fever", 0.0), ("fever", 48.0), ("rash", 5.0))
INVENTED = tuple((f"thing {letter}", float(at)) for at, letter in enumerate("abcdefgh"))
WORKED = [
    (FEVERS, FEVERS[::-1], (1, 1), (1, 1), (1, 1)),
    (FOUR, FOUR[:2], (1, 0.5), (1, 0.5), (1, 1 / 6)),
    (TWO, (*TWO, *INVENTED), (0.2, 1), (0.2, 1), (1 / 44, 1)),
    (TWO, (("fever", 0.0), ("cough", 24.0)), (1, 1), (0.6454, 0.6454), (1, 1)),
    (FOUR[:3], tuple((t, -h) for t, h in FOUR[:3]), (1, 1), (0.6891, 0.6891), (0, 0)),
]


@pytest.mark.parametrize(("gold", "told", "events", "credit", "order"), WORKED)
def test_clinical_events_have_the_worked_scores(
    gold: Sequence[tuple[str, float]],
    told: Sequence[tuple[str, float]],
    events: tuple[float, float],
    credit: tuple[float, float],
    order: tuple[float, float],
) -> None:
    setting = "similarity=exact,time_weight=0,closeness=log(unit=hour,horizon=1y)"
    for name, wanted in (("event-f1", events), ("event-timed", credit), ("event-order", order)):
        found = scores(f"{name}({setting})", series(*gold), series(*told))
        assert (found["precision"], found["recall"]) == pytest.approx(wanted, abs=5e-5), name
