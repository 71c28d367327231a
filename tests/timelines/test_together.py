"""Timelines that are compared together are compared as if each were alone."""

from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from sys import getswitchinterval, setswitchinterval
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from chronoscore.core.case import Case
from chronoscore.elements.dated.model import References, Timeline
from chronoscore.elements.text.columns import shared_ngrams
from chronoscore.elements.time import Time
from chronoscore.elements.time.columns import CellTable
from chronoscore.families import family
from chronoscore.timelines import metrics
from chronoscore.timelines.comparison import Setting, compare, compare_many

TIMELINES = family("timelines")
METRICS = [
    TIMELINES.metric(name)
    for name in (
        *("AR-1", "AR-2", "agreement", "align", "align+", "align+m:1(tie=nearest)", "concat"),
        *("align+m:1(rouge=L)", "concat(rouge=L)", "concat(rouge=3)", "exact-date", "Date-F1"),
        *("date-f1(tolerance=1)", "date-period", "date-distance", "date-distance-median"),
    )
]
SENTENCES = st.lists(st.sampled_from(["storm", "rain", "flood", "<", "the"]), max_size=5)
DAYS = st.dictionaries(st.integers(0, 6), SENTENCES, max_size=4)
CASES = st.lists(st.tuples(st.lists(DAYS, min_size=1, max_size=2), DAYS), min_size=1, max_size=5)


def _timeline(days: dict[int, list[str]]) -> Timeline:
    first = date(2020, 1, 1)
    return Timeline.of({first + timedelta(day): [" ".join(words)] for day, words in days.items()})


def _cases(
    drawn: list[tuple[list[dict[int, list[str]]], dict[int, list[str]]]],
) -> list[Case[References, Timeline]]:
    return [
        Case(str(place), tuple(map(_timeline, golds)), _timeline(predicted))
        for place, (golds, predicted) in enumerate(drawn)
    ]


@given(CASES)
def test_a_case_has_the_same_statistics_together_and_alone(
    drawn: list[tuple[list[dict[int, list[str]]], dict[int, list[str]]]],
) -> None:
    cases = _cases(drawn)
    together = compare_many(cases, Setting("rouge155"))
    for case, compared in zip(cases, together, strict=True):
        alone = compare(case, Setting("rouge155"))
        for metric in METRICS:
            assert metric.measure(compared) == metric.measure(alone)


def test_a_month_in_one_case_changes_no_alignment_of_another() -> None:
    flood = ["The flood begins."]
    days = Timeline.of({date(2020, 1, 1): flood, date(2020, 1, 2): flood})
    month = Timeline.of({Time.parse("2020-01"): flood})
    cases: list[Case[References, Timeline]] = [
        Case("days", (days,), days),
        Case("month", (month,), month),
    ]
    metric, setting = TIMELINES.metric("align+m:1"), Setting("rouge155")
    alone = metric.explain(compare(cases[0], setting))
    assert metric.explain(compare_many(cases, setting)[0]) == alone


def test_summaries_are_scored_once_for_all_cases_that_are_explained() -> None:
    timeline = _timeline({0: ["storm"], 1: ["rain"]})
    block = compare_many([Case(str(n), (timeline,), timeline) for n in range(9)], Setting("plain"))
    metric = TIMELINES.metric("exact-date")
    with patch.object(metrics, "shared_ngrams", wraps=shared_ngrams) as counted:
        assert [len(metric.explain(one)) for one in block] == [2] * 9
    assert counted.call_count == 1


@given(CASES)
def test_a_case_has_the_same_matches_together_and_alone(
    drawn: list[tuple[list[dict[int, list[str]]], dict[int, list[str]]]],
) -> None:
    cases = _cases(drawn)
    for case, compared in zip(cases, compare_many(cases, Setting("rouge155")), strict=True):
        alone = compare(case, Setting("rouge155"))
        for metric in METRICS:
            assert metric.explain(compared) == metric.explain(alone)


@given(CASES)
def test_cases_of_several_languages_are_read_each_in_its_own(
    drawn: list[tuple[list[dict[int, list[str]]], dict[int, list[str]]]],
) -> None:
    languages = ("en", "de", "")
    cases = [
        structs.replace(case, tags={"language": languages[place % len(languages)]})
        for place, case in enumerate(_cases(drawn))
    ]
    setting = Setting("icu")
    for case, compared in zip(cases, compare_many(cases, setting), strict=True):
        assert METRICS[0].measure(compared) == METRICS[0].measure(compare(case, setting))


def test_threads_find_the_cells_of_their_own_days() -> None:
    table = CellTable("day", 0)
    days = [date(2000, 1, 1) + timedelta(day) for day in range(3000)]

    def are_right(first: int) -> bool:
        blocks = [[Time.of(day) for day in days[at::100]] for at in range(first, 100, 4)]
        return all(
            table.look_up(times)[0].tolist() == [time.cells("day")[0] for time in times]
            for times in blocks
        )

    interval = getswitchinterval()
    setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(are_right, [0, 1, 2, 3] * 4))
    finally:
        setswitchinterval(interval)
