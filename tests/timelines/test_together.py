"""Timelines that are compared together are compared as if each were alone."""

from collections import Counter
from datetime import date, timedelta

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.core.case import Case
from chronoscore.families import family
from chronoscore.timelines import ngrams
from chronoscore.timelines.comparison import Setting, compare, compare_many
from chronoscore.timelines.model import References, Timeline

TIMELINES = family("timelines")
METRICS = [
    TIMELINES.metric(name)
    for name in ("AR-1", "AR-2", "agreement", "align+", "concat", "align+m:1(rouge=L)", "Date-F1")
]
SENTENCES = st.lists(st.sampled_from(["storm", "rain", "flood", "<", "the"]), max_size=5)
DAYS = st.dictionaries(st.integers(0, 6), SENTENCES, max_size=4)
CASES = st.lists(st.tuples(st.lists(DAYS, min_size=1, max_size=2), DAYS), min_size=1, max_size=5)


def _timeline(days: dict[int, list[str]]) -> Timeline:
    first = date(2020, 1, 1)
    return Timeline.of({first + timedelta(day): [" ".join(words)] for day, words in days.items()})


@given(CASES)
def test_a_case_has_the_same_statistics_together_and_alone(
    drawn: list[tuple[list[dict[int, list[str]]], dict[int, list[str]]]],
) -> None:
    cases: list[Case[References, Timeline]] = [
        Case(str(place), tuple(map(_timeline, golds)), _timeline(predicted))
        for place, (golds, predicted) in enumerate(drawn)
    ]
    together = compare_many(cases, Setting("rouge155"))
    for case, compared in zip(cases, together, strict=True):
        for metric in METRICS:
            assert metric.measure(compared) == metric.measure(compare(case, Setting("rouge155")))


@given(CASES, st.integers(1, 4))
def test_what_days_share_is_the_overlap_of_their_counts(
    drawn: list[tuple[list[dict[int, list[str]]], dict[int, list[str]]]], at_once: int
) -> None:
    golds = [list(enumerate(golds[0].values())) for golds, _ in drawn]
    predicted = [list(days.values()) for _, days in drawn]
    numbered = [ngrams.GoldGrams.of(days, len(days)) for days in golds]
    before, ngrams.AT_ONCE = ngrams.AT_ONCE, at_once
    try:
        tables = ngrams.shared(numbered, ngrams.GramIndex.of(numbered), predicted)
    finally:
        ngrams.AT_ONCE = before
    for table, days, own in zip(tables, golds, predicted, strict=True):
        expected = [[(Counter(mine) & Counter(day)).total() for _, day in days] for mine in own]
        assert table.tolist() == np.array(expected, dtype=float).reshape(table.shape).tolist()
