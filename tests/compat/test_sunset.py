"""The evaluation of the SUnSET notes, by hand and against our metrics of the same meaning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import StatisticsError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.compat.sunset import (
    EvalResult,
    compute_alignment_rouge,
    compute_date_f1,
    evaluate,
    evaluate_all,
    evaluate_multi_gold,
    evaluate_with_tilse,
    rouge_n,
)
from chronoscore.compat.tilse.data.timelines import GroundTruth, Timeline
from chronoscore.compat.tilse.evaluation.rouge import TimelineRougeEvaluator
from chronoscore.core.case import Case
from chronoscore.elements.dated import model
from chronoscore.errors import DataError
from chronoscore.timelines.comparison import compare
from chronoscore.timelines.family import FAMILY

Golds = dict[str, list[str]]


@dataclass
class TimelineEntry:
    date: str
    summary: str


@dataclass
class PredictedTimeline:
    entries: list[TimelineEntry]


def predicted(*entries: tuple[str, str]) -> PredictedTimeline:
    return PredictedTimeline([TimelineEntry(day, text) for day, text in entries])


# The notes print the scores of two timelines of these dates, and not their texts. These have the
# counts that those scores allow: 13 and 14 words that count, 5 of them shared, none side by side.
TESTED = predicted(
    ("2011-01-25", "Protests erupt, Egypt stunned."),
    ("2011-01-26", "Cairo police disperse crowds."),
    ("2011-01-28", "Army tanks enter capital streets."),
)
TESTED_GOLD = {
    "2011-01-25": ["Egypt sees mass protests and Cairo rallies."],
    "2011-01-26": ["Riot police arrest activists; streets emptied."],
    "2011-01-27": ["Opposition returns."],
}


def test_the_tested_output_of_the_notes() -> None:
    own = {date.fromisoformat(entry.date): [entry.summary] for entry in TESTED.entries}
    gold = {date.fromisoformat(day): texts for day, texts in TESTED_GOLD.items()}
    evaluator = TimelineRougeEvaluator(measures=["rouge_1", "rouge_2"])
    scores = evaluator.evaluate_concat(Timeline(own), GroundTruth([Timeline(gold)]))
    shown = {
        measure: [f"{score[key]:.4f}" for key in ("precision", "recall", "f_score")]
        for measure, score in scores.items()
    }
    assert shown == {
        "rouge_1": ["0.3846", "0.3571", "0.3704"],
        "rouge_2": ["0.0000", "0.0000", "0.0000"],
    }
    ar1, ar2 = evaluate_with_tilse(TESTED.entries, TESTED_GOLD)
    assert (ar1, ar2) == (scores["rouge_1"]["f_score"], 0)


@pytest.mark.parametrize(
    ("candidate", "reference", "n", "score"),
    [
        ("Mubarak resigns", "mubarak RESIGNS!", 1, 1.0),
        ("a b c", "a b d", 1, 2 / 3),
        ("a b c", "a b d", 2, 1 / 2),
        ("a a a b", "a a c", 1, 4 / 7),  # 2 of 4, 2 of 3
        ("café-owner", "café owner", 2, 1.0),
        ("the protests", "protest", 1, 0.0),  # no stemming
        ("a", "a", 2, 0.0),  # no bigrams
        ("", "a", 1, 0.0),
        ("a", "...", 1, 0.0),
    ],
)
def test_rouge_n(candidate: str, reference: str, n: int, score: float) -> None:
    assert rouge_n(candidate, reference, n) == pytest.approx(score, abs=1e-15)


GOLD = {"2011-01-25": ["a b c", "a d"], "2011-02-11": ["e f"], "2011-02-12": ["a b"]}


def test_every_gold_summary_counts_and_a_missing_date_is_zero() -> None:
    timeline = predicted(("2011-01-25", "a b"), ("2011-02-11", "e f"), ("2011-03-01", "a b"))
    # F of (2/2, 2/3), (1/2, 1/2), (1, 1), and 0 for the date that is not there
    assert compute_alignment_rouge(timeline, GOLD) == pytest.approx((0.8 + 0.5 + 1 + 0) / 4)
    assert compute_alignment_rouge(timeline, GOLD, n=2) == pytest.approx((2 / 3 + 0 + 1 + 0) / 4)
    assert compute_date_f1(timeline, GOLD) == pytest.approx(2 / 3)
    result = evaluate(timeline, GOLD)
    assert (result.ar1, result.ar2) == pytest.approx((2.3 / 4, 5 / 12))
    assert result.date_f1 == pytest.approx(2 / 3)


def test_of_a_repeated_date_the_first_counts_and_the_last_in_tilse() -> None:
    timeline = predicted(("2011-02-11", "e f"), ("2011-02-11", "g h"))
    gold = {"2011-02-11": ["e f"]}
    assert evaluate(timeline, gold) == EvalResult(ar1=1.0, ar2=1.0, date_f1=1.0)
    words = predicted(("2011-02-11", "Mubarak resigns"), ("2011-02-11", "Cairo celebrates"))
    assert evaluate_with_tilse(words.entries, {"2011-02-11": ["Mubarak resigns"]}) == (0, 0)
    assert evaluate_with_tilse(words.entries, {"2011-02-11": ["Cairo celebrates"]}) == (1, 1)


def test_an_empty_first_entry_hides_a_later_one() -> None:
    timeline = predicted(("2011-02-11", ""), ("2011-02-11", "e f"))
    assert compute_alignment_rouge(timeline, {"2011-02-11": ["e f"]}) == 0.0


@pytest.mark.parametrize(
    ("timeline", "gold"),
    [(predicted(), GOLD), (predicted(("2011-01-25", "a")), {}), (predicted(), {})],
)
def test_nothing_is_zero(timeline: PredictedTimeline, gold: Golds) -> None:
    assert evaluate(timeline, gold) == EvalResult(ar1=0.0, ar2=0.0, date_f1=0.0)


def test_golds_are_averaged_within_a_topic_and_topics_after_that() -> None:
    class Copier:
        def run(self, topic_data: Mapping[str, Mapping[str, Golds]]) -> PredictedTimeline:
            first = topic_data["gold_timelines"]["first"]
            return predicted(*((day, texts[0]) for day, texts in first.items()))

    one = {"2011-02-11": ["e f"]}
    other = {"2011-02-12": ["e f"]}
    dataset = {
        "two golds": {"gold_timelines": {"first": one, "second": other}},
        "one gold": {"gold_timelines": {"first": one}},
    }
    results = evaluate_all(Copier(), dataset)
    assert results == {
        "two golds": EvalResult(0.5, 0.5, 0.5),
        "one gold": EvalResult(1.0, 1.0, 1.0),
        "AVERAGE": EvalResult(0.75, 0.75, 0.75),
    }


def test_a_topic_without_golds_is_an_error() -> None:
    with pytest.raises(StatisticsError):
        evaluate_multi_gold(predicted(), {})


ENTRIES = predicted(("2011-01-25", "a b c"), ("2011-02-11", "e f"))


@pytest.mark.parametrize(
    "gold",
    [
        ENTRIES,
        ENTRIES.entries,
        {"2011-01-25": ["a b c"], "2011-02-11": ["e f"]},
        {"2011-01-25": "a b c", "2011-02-11": "e f"},
        {date(2011, 1, 25): ["a b c"], date(2011, 2, 11): ["e f"]},
        [{"date": "2011-01-25", "summary": "a b c"}, {"date": "2011-02-11", "summary": "e f"}],
        [("2011-01-25", ["a b c"]), ("2011-02-11", ["e f"])],
    ],
)
def test_a_gold_is_any_timeline_that_a_prediction_may_be(gold: object) -> None:
    expected = EvalResult(ar1=1.0, ar2=1.0, date_f1=1.0)
    assert evaluate(ENTRIES, gold) == expected
    assert evaluate_multi_gold(ENTRIES, [gold]) == expected
    assert evaluate_multi_gold(ENTRIES, {"one": gold}) == expected
    words = predicted(("2011-01-25", "Protests erupt"))
    assert evaluate_with_tilse(words, words) == (1, 1)


@pytest.mark.parametrize("gold", [5, None, "2011-01-25", {"2011-01-25": 5}, [1, 2]])
def test_a_gold_that_is_no_timeline_is_refused(gold: object) -> None:
    with pytest.raises(DataError, match="gold: expected"):
        evaluate(ENTRIES, gold)


def score(name: str, own: model.Timeline, gold: model.Timeline) -> float:
    metric = FAMILY.metric(name)
    comparison = compare(Case("case", (gold,), own), metric.setting)
    linked = metric.link(np.array(metric.measure(comparison).statistics, dtype=float))
    return float(np.nan_to_num(linked[-1]))


DAYS = st.dates(date(2011, 1, 1), date(2011, 1, 6)).map(date.isoformat)
TEXTS = st.lists(st.sampled_from(["a", "b", "B", "c-d", "été", "Москва", ",", "ß"])).map(" ".join)


@given(
    st.lists(st.tuples(DAYS, TEXTS), max_size=6),
    st.dictionaries(DAYS, st.lists(TEXTS, max_size=3), max_size=5),
)
def test_these_are_our_exact_date_and_date_f1(
    entries: Sequence[tuple[str, str]], gold: Golds
) -> None:
    first: dict[date, list[str]] = {}
    for day, text in entries:
        first.setdefault(date.fromisoformat(day), [text])
    own = model.Timeline.of(first)
    days = model.Timeline.of({date.fromisoformat(day): texts for day, texts in gold.items()})
    found = evaluate(predicted(*entries), gold)
    assert found.ar1 == pytest.approx(score("exact-date", own, days), abs=1e-12)
    assert found.ar2 == pytest.approx(score("exact-date(rouge=2)", own, days), abs=1e-12)
    assert found.date_f1 == pytest.approx(score("date-f1", own, days), abs=1e-12)
