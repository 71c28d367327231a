"""What readers report: problems, notices, counts and facts that add up over chunks."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.core.problems import Findings, Problems, ReadingOptions, escaped, united
from chronoscore.core.sources import ValueSource
from chronoscore.errors import DataError, UsageError

SOURCES = [ValueSource(None, "gold.jsonl"), ValueSource(None, "quick.jsonl")]
for number, source in enumerate(SOURCES):
    source.order = number
REPORTS = st.lists(
    st.tuples(
        st.sampled_from(["problem", "notice", "count", "fact"]),
        st.integers(0, 1),
        st.integers(1, 9),
        st.sampled_from("abc"),
    ),
    max_size=12,
)


def findings_of(reports: list[tuple[str, int, int, str]]) -> Findings:
    problems = Problems(partial=True)
    for kind, source, line, name in reports:
        if kind == "problem":
            problems.problem(name, SOURCES[source], line)
        elif kind == "notice":
            problems.notice(name, SOURCES[source], line)
        elif kind == "count":
            problems.count("{count} like {some}", [(line, name)], SOURCES[source])
        else:
            problems.facts["type", name] += 1
    return problems.findings


def in_order(findings: Findings) -> tuple[list[str], list[str], dict[tuple[str, ...], int]]:
    messages = sorted(map(str, findings.problems)), sorted(map(str, findings.notices))
    return *messages, findings.facts


@given(REPORTS, st.integers(0, 12))
def test_where_the_work_is_cut_changes_no_finding(
    reports: list[tuple[str, int, int, str]], cut: int
) -> None:
    whole = united([findings_of(reports)])
    parts = findings_of(reports[:cut]), findings_of(reports[cut:])
    assert in_order(parts[0] + parts[1]) == in_order(whole)
    assert in_order(parts[1] + parts[0]) == in_order(whole)


def test_a_count_names_the_earliest_places_of_all_chunks() -> None:
    late, early = Problems(), Problems()
    late.count("{count} events have no date, first in {place}", [(7, "x"), (9, "y")], SOURCES[0])
    early.count("{count} events have no date, first in {place}", [(3, "z")], SOURCES[0])
    (notice,) = (late.findings + early.findings).notices
    assert str(notice) == "gold.jsonl: 3 events have no date, first in line 3"


def test_a_count_of_none_is_no_notice() -> None:
    problems = Problems()
    problems.count("{count} events have no date", [])
    assert not problems.notices


def test_braces_of_the_data_stay_in_the_message() -> None:
    problems = Problems()
    problems.count(f"{escaped('{x}')}: {{count}}", [(1, "a")])
    assert problems.notices[0].message == "{x}: 1"


def test_findings_can_be_sent_as_bytes() -> None:
    findings = findings_of([("problem", 0, 1, "a"), ("count", 1, 2, "b"), ("fact", 0, 1, "c")])
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(findings), type=Findings) == findings


def test_lenient_reading_accepts_what_is_a_problem_else() -> None:
    strict, lenient = Problems(), Problems(ReadingOptions(lenient=True))
    for problems in (strict, lenient):
        problems.accept_or_report("a date is only a month", "gold.jsonl", 3)
    assert str(strict.problems[0]) == (
        "gold.jsonl:3: a date is only a month (--lenient accepts it)"
    )
    assert str(lenient.notices[0]) == "gold.jsonl:3: a date is only a month"
    with pytest.raises(DataError):
        strict.check()
    lenient.check()


@pytest.mark.parametrize("wrong", [{"encoding": "no-such"}, {"encoding": "hex"}, {"max_line": 0}])
def test_options_that_mean_nothing_are_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        ReadingOptions(**wrong)  # type: ignore[arg-type]


def test_a_count_is_added_to_that_of_its_source_but_not_of_another_value() -> None:
    problems, file = Problems(), ValueSource([], "a.txt")
    for source in (file, file, "predicted", "predicted"):
        problems.count("{count} odd", [(1, "x")], source)
    assert [notice.message for notice in problems.notices] == ["2 odd", "1 odd", "1 odd"]
