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
