"""Two columns of events: what moved is as little as explains the crossings."""

import re
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports.made import demo, report

from chronoscore.core.case import Case
from chronoscore.engines.scoring import Scored, score
from chronoscore.engines.settings import Settings
from chronoscore.ordering.family import FAMILY
from chronoscore.ordering.model import TargetTimeline, TimelineRow
from chronoscore.ordering.pages import MOST, ROW, OrderColumns, columns, picture


def side(**positions: int) -> dict[str, tuple[str, str]]:
    return {name: (str(position), "2001") for name, position in positions.items()}


def lines(drawn: OrderColumns) -> list[tuple[int, int, str]]:
    """The rows that each line joins, and how it is drawn."""
    found = re.findall(
        r'<line x1="0%" x2="100%" y1="(\d+)" y2="(\d+)" class="(\w+)">', picture(drawn, "s")
    )
    return [(int(a) // ROW, int(b) // ROW, kind) for a, b, kind in found]


def test_one_event_out_of_place_is_the_one_that_moved() -> None:
    drawn = columns(side(a=1, b=2, c=3, d=4), side(d=1, a=2, b=3, c=4))
    assert drawn.moved == {"d"}
    assert lines(drawn) == [(0, 1, "kept"), (1, 2, "kept"), (2, 3, "kept"), (3, 0, "moved")]


def test_events_of_one_position_are_no_error_in_any_order() -> None:
    drawn = columns(side(a=1, b=1, c=2), side(b=5, a=5, c=6))
    assert not drawn.moved


def test_a_tie_on_one_side_only_is_an_error() -> None:
    assert len(columns(side(a=1, b=1), side(a=1, b=2)).moved) == 1


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), max_size=9))
def test_what_did_not_move_is_in_one_order_and_crosses_nothing(
    places: list[tuple[int, int]],
) -> None:
    gold = side(**{f"e{n}": g for n, (g, _) in enumerate(places)})
    drawn = columns(gold, side(**{f"e{n}": s for n, (_, s) in enumerate(places)}))
    kept = [places[int(name[1:])] for name in gold if name not in drawn.moved]
    for one, two in ((a, b) for a in kept for b in kept):
        assert (one[0] < two[0]) == (one[1] < two[1])
    straight = sorted((a, b) for a, b, kind in lines(drawn) if kind == "kept")
    assert straight == sorted(straight, key=lambda pair: pair[1])


def test_missing_and_spurious_events_are_listed_in_their_columns() -> None:
    html = picture(columns(side(hit=1, run=2), side(run=1, fall=2)), "mine")
    gold, system = html.split("<svg")
    assert 'class="missing" title="1  hit  2001"' in gold
    assert 'class="spurious" title="2  fall  2001"' in system
    assert "1 matched, 0 of them out of order, 1 missing, 1 spurious" in html


def test_names_cannot_become_markup() -> None:
    html = picture(columns({"<b>&": ("1", '"><i>')}, {}), "<u>")
    assert "<b>" not in html.replace("<b>&lt;u&gt;</b>", "")
    assert "<i>" not in html
    assert "<u>" not in html


def test_a_long_timeline_is_cut_and_says_so() -> None:
    long = side(**{f"e{n}": n for n in range(1, MOST + 6)})
    html = picture(columns(long, long), "s")
    assert html.count("<line ") == MOST
    assert html.count("and 5 more") == 2


def scored() -> Scored:
    gold = TargetTimeline(
        (
            TimelineRow(1, "2001", ("hit",)),
            TimelineRow(2, "2002", ("run",)),
            TimelineRow(0, "", ("lost",)),
        )
    )
    system = TargetTimeline((TimelineRow(1, "2002", ("run",)), TimelineRow(2, "2001", ("hit",))))
    cases = [Case("c", gold, system, {"target": "c", "gold": "1"})]
    return score(Settings.make(FAMILY), {"mine": cases}, explain=True)


def test_the_report_draws_every_timeline_of_every_system() -> None:
    found = scored()
    html = report(found.result, found.matches, found.texts)
    assert 'id="orders"' in html
    assert html.count('<figure class="orders">') == 1
    assert "2 matched, 1 of them out of order, 0 missing, 0 spurious" in html
    assert '<details class="timeline" open>' in html
    of_demo = demo("ordering")
    page = report(of_demo.result, of_demo.matches, of_demo.texts)
    rows = sum(len(system.rows) for system in of_demo.result.systems)
    assert page.count('<figure class="orders">') == rows


def test_without_texts_there_is_no_such_section() -> None:
    found = scored()
    assert 'id="orders"' not in report(found.result, found.matches)


@pytest.mark.parametrize("word", ["http:", "https:", "style="])
def test_the_picture_asks_for_nothing(word: str) -> None:
    assert word not in picture(columns(side(a=1), side(a=1)), "s")


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), max_size=7))
def test_no_fewer_events_could_have_moved(places: list[tuple[int, int]]) -> None:
    gold = side(**{f"e{n}": g for n, (g, _) in enumerate(places)})
    drawn = columns(gold, side(**{f"e{n}": s for n, (_, s) in enumerate(places)}))

    def in_order(some: tuple[tuple[int, int], ...]) -> bool:
        return all((a < c) == (b < d) and (a == c) == (b == d) for a, b in some for c, d in some)

    most = max(
        size
        for size in range(len(places) + 1)
        if any(in_order(some) for some in combinations(places, size))
    )
    assert len(places) - len(drawn.moved) == most
