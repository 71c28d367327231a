"""A page of a large run shows the worst, the best and a sample, and says so."""

import msgspec
import pytest
from reports.made import demo, report

from chronoscore.core.evidence import Row
from chronoscore.core.result import ResultDocument
from chronoscore.reports.html import explained
from chronoscore.reports.html.explained import EACH, MOST, chosen
from chronoscore.timelines.family import FAMILY


def large(number: int) -> ResultDocument:
    """The demo's result with so many cases that differ in their score."""
    result = demo("timelines").result
    first = result.systems[0]
    template = first.rows[0]
    rows = [
        Row(
            case=f"t{at:05}",
            tags={**template.tags, "topic": f"t{at:05}"},
            gold=template.gold,
            predicted=template.predicted,
            statistics={
                name: (at, number, at, number, *values[4:])
                for name, values in template.statistics.items()
            },
        )
        for at in range(number)
    ]
    return msgspec.structs.replace(result, systems=(msgspec.structs.replace(first, rows=rows),))


def test_small_results_are_shown_whole() -> None:
    scored = demo("timelines")
    shown, matches, texts = chosen(FAMILY, scored.result, scored.matches, scored.texts)
    assert shown is scored.result
    assert matches == list(scored.matches)
    assert texts == list(scored.texts)


def test_the_worst_and_the_best_and_some_others_are_shown() -> None:
    result = large(5 * MOST)
    shown, _, _ = chosen(FAMILY, result, (), ())
    cases = [row.case for row in shown.systems[0].rows]
    assert 2 * EACH < len(cases) <= 3 * EACH
    assert cases[:EACH] == [f"t{at:05}" for at in range(EACH)]
    assert cases[-EACH:] == [f"t{at:05}" for at in range(5 * MOST - EACH, 5 * MOST)]
    assert shown.systems[0].summaries == result.systems[0].summaries
    assert f"shows {len(cases)} of {5 * MOST} cases" in shown.notices[0]


@pytest.mark.parametrize("most", [1, 3])
def test_the_page_of_a_large_result_says_what_it_shows(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explained, "MOST", most)
    monkeypatch.setattr(explained, "EACH", 1)
    scored = demo("timelines")
    page = report(scored.result, scored.matches, scored.texts)
    assert "the 1 worst, the 1 best and 1 drawn by chance" in page


def renamed(result: ResultDocument, number: int) -> ResultDocument:
    """The same result with a name of no metric for the first so many of its metrics."""
    new = {info.name: f"future-{at}" for at, info in enumerate(result.metrics[:number])}
    (system,) = result.systems
    rows = [
        msgspec.structs.replace(
            row,
            statistics={new.get(name, name): values for name, values in row.statistics.items()},
        )
        for row in system.rows
    ]
    metrics = tuple(
        msgspec.structs.replace(info, name=new.get(info.name, info.name)) for info in result.metrics
    )
    systems = (msgspec.structs.replace(system, rows=rows),)
    return msgspec.structs.replace(result, metrics=metrics, systems=systems)


def test_the_first_metric_that_is_known_ranks_the_cases() -> None:
    result = renamed(large(5 * MOST), 1)
    shown, _, _ = chosen(FAMILY, result, (), ())
    cases = [row.case for row in shown.systems[0].rows]
    assert cases[:EACH] == [f"t{at:05}" for at in range(EACH)]
    assert cases[-EACH:] == [f"t{at:05}" for at in range(5 * MOST - EACH, 5 * MOST)]


def test_cases_are_drawn_by_chance_if_no_metric_is_known() -> None:
    result = large(5 * MOST)
    shown, _, _ = chosen(FAMILY, renamed(result, len(result.metrics)), (), ())
    assert len(shown.systems[0].rows) == EACH
    assert shown.notices[0].startswith(
        f"the page shows {EACH} of {5 * MOST} cases: of each system {EACH} drawn by chance;"
    )


@pytest.mark.parametrize(("systems", "each"), [(2, 100), (5, 40), (60, 3), (90, 3)])
def test_many_systems_share_the_cases_of_a_page(systems: int, each: int) -> None:
    result = large(2 * MOST)
    (first,) = result.systems
    size = 2 * MOST // systems
    many = tuple(
        msgspec.structs.replace(
            first, name=f"s{at}", rows=[*first.rows][at * size : (at + 1) * size]
        )
        for at in range(systems)
    )
    shown, _, _ = chosen(FAMILY, msgspec.structs.replace(result, systems=many), (), ())
    cases = {row.case for system in shown.systems for row in system.rows}
    assert 2 * each * systems <= len(cases) <= max(MOST, 10 * systems)
    assert (
        f"the page shows {len(cases)} of {size * systems} cases: of each system the {each} "
        in (shown.notices[0])
    )
    assert f"the {each} worst, the {each} best and {each} drawn by chance" in shown.notices[0]
