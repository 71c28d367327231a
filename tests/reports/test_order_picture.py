"""Columns of events: what moved is as little as explains the crossings, and the page draws it."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reports.browsing import chromium, opened, read_all
from reports.made import demo, orders, orders_of

from chronoscore.engines.scoring import Scored
from chronoscore.ordering.family import FAMILY
from chronoscore.ordering.pages import PAGES, moved
from chronoscore.reports.html.cases import board_data
from chronoscore.reports.html.explained import Explained

ROW = 26
LINES = """all => all.map((svg) => [...svg.querySelectorAll('line')].map((line) =>
    [line.y1.baseVal.value, line.y2.baseVal.value, line.getAttribute('class')]))"""
Line = tuple[int, int, str]
Order = Mapping[str, int]
browser = pytest.fixture(scope="module")(chromium)


def side(**positions: int) -> dict[str, tuple[str, str]]:
    return {name: (str(position), "2001") for name, position in positions.items()}


def test_one_event_out_of_place_is_the_one_that_moved() -> None:
    assert moved(side(a=1, b=2, c=3, d=4), side(d=1, a=2, b=3, c=4)) == {"d"}


def test_events_of_one_position_are_no_error_in_any_order() -> None:
    assert not moved(side(a=1, b=1, c=2), side(b=5, a=5, c=6))


def test_a_tie_on_one_side_only_is_an_error() -> None:
    assert len(moved(side(a=1, b=1), side(a=1, b=2))) == 1


def test_items_without_a_position_are_no_events() -> None:
    links: dict[str, tuple[str, ...]] = {"a BEFORE b": (), "c": ("no number", "2001")}
    assert moved({**side(a=2, b=1), **links}, {**side(a=1, b=2), **links}) <= {"a", "b"}


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), max_size=7))
def test_no_fewer_events_could_have_moved(places: list[tuple[int, int]]) -> None:
    gold = side(**{f"e{n}": g for n, (g, _) in enumerate(places)})
    found = moved(gold, side(**{f"e{n}": s for n, (_, s) in enumerate(places)}))

    def in_order(some: Sequence[tuple[int, int]]) -> bool:
        return all((a < c) == (b < d) and (a == c) == (b == d) for a, b in some for c, d in some)

    assert in_order([places[int(name[1:])] for name in gold if name not in found])
    most = max(
        size
        for size in range(len(places) + 1)
        if any(in_order(some) for some in combinations(places, size))
    )
    assert len(places) - len(found) == most


def drawn(page: Any) -> list[list[Line]]:
    """For each drawing between two columns, the rows that each line joins, and its kind."""
    return [
        [(int(left) // ROW, int(right) // ROW, kind) for left, right, kind in lines]
        for lines in page.locator(".order > svg").evaluate_all(LINES)
    ]


def one_system(gold: Order, system: Order, **anchors: str) -> Scored:
    return orders_of({"s": {"t": (gold, system)}}, anchors)


def test_lines_join_the_places_of_an_event_and_those_that_moved_lie_on_top(
    browser: Any, tmp_path: Path
) -> None:
    found = one_system({"a": 1, "b": 2, "c": 3, "d": 4}, {"d": 1, "a": 2, "b": 3, "c": 4})
    with opened(browser, found, tmp_path / "page.html") as page:
        assert drawn(page) == [
            [(0, 1, "kept"), (1, 2, "kept"), (2, 3, "kept"), (3, 0, "moved")],
        ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.integers(1, 4), st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=8
    )
)
def test_lines_of_events_in_order_cross_none_but_those_that_moved(
    browser: Any, tmp_path: Path, places: list[tuple[int, int, int]]
) -> None:
    gold = {f"e{n}": position for n, (position, _, _) in enumerate(places)}
    systems = {
        name: {"t": (gold, {f"e{n}": of[at] for n, of in enumerate(places) if of[at]})}
        for at, name in ((1, "one"), (2, "two"))
    }
    with opened(browser, orders_of(systems), tmp_path / "page.html") as page:
        page.get_by_label("against").select_option("none")
        for name in systems:
            page.get_by_label("System").select_option(name)
            ((*lines,),) = drawn(page)
            straight = [(left, right) for left, right, kind in lines if kind == "kept"]
            assert sorted(straight) == sorted(straight, key=lambda pair: pair[1])
            assert len(lines) == sum(event in gold for event in systems[name]["t"][1])


def test_two_systems_stand_left_and_right_of_the_gold(browser: Any, tmp_path: Path) -> None:
    gold = {"hit": 1, "run": 2, "fall": 3}
    found = orders_of(
        {"worse": {"t": (gold, {"run": 1, "hit": 2})}, "better": {"t": (gold, {**gold, "sit": 4})}}
    )
    with opened(browser, found, tmp_path / "page.html") as page:
        assert read_all(page, ".column-name") == ["worse", "gold", "better"]
        left, right = drawn(page)
        assert sorted(kind for _, _, kind in left) == ["kept", "moved"]
        assert right == [(0, 0, "kept"), (1, 1, "kept"), (2, 2, "kept")]
        rows = read_all(page, ".column li")
        assert rows[-1] == "4 sit 2001 spurious"
        assert rows[4] == "missing in worse 3 fall 2001"
        assert read_all(page, ".orders figcaption p") == [
            "worse: 2 matched, 1 of them out of order, 1 missing, 0 spurious",
            "better: 3 matched, 0 of them out of order, 0 missing, 1 spurious",
        ]


def test_a_narrow_page_draws_two_systems_one_below_the_other(browser: Any, tmp_path: Path) -> None:
    phone = {"width": 375, "height": 800}
    with opened(browser, demo("ordering"), tmp_path / "page.html", viewport=phone) as page:
        assert len(drawn(page)) == page.locator("figure.orders").count() == 2
        assert page.evaluate("document.documentElement.scrollWidth") <= 375


def test_missing_and_spurious_events_are_marked_in_their_columns(
    browser: Any, tmp_path: Path
) -> None:
    found = one_system({"hit": 1, "run": 2}, {"run": 1, "fall": 2})
    with opened(browser, found, tmp_path / "page.html") as page:
        assert read_all(page, ".column li") == [
            "1 hit 2001 missing",
            "2 run 2001",
            "1 run 2001",
            "2 fall 2001 spurious",
        ]
        assert read_all(page, ".orders figcaption") == [
            "s: 1 matched, 0 of them out of order, 1 missing, 1 spurious"
        ]


def test_undated_events_are_marked_and_counted(browser: Any, tmp_path: Path) -> None:
    found = one_system({"a": 1, "b": 2}, {"a": 1}, a="XXXX-XX-XX")
    with opened(browser, found, tmp_path / "page.html") as page:
        assert read_all(page, ".column li")[0] == "1 a undated"
        assert read_all(page, ".orders figcaption")[0].endswith("; undated: 1 gold, 1 predicted")


def test_a_beginning_that_all_names_share_is_left_out(browser: Any, tmp_path: Path) -> None:
    gold = {"harbour-2019-hit": 1, "harbour-2019-run": 2}
    with opened(browser, one_system(gold, gold), tmp_path / "page.html") as page:
        assert read_all(page, ".mention") == 2 * ["…hit", "…run"]
        titles = page.locator(".column li").evaluate_all("all => all.map((row) => row.title)")
        assert titles[0] == "1  harbour-2019-hit  2001", "a reader can still see the whole name"


def test_names_cannot_become_markup(browser: Any, tmp_path: Path) -> None:
    name = "<img src=x onerror=alert(1)>"
    found = orders_of({name: {name: ({name: 1, "b": 2}, {name: 2, "b": 1})}})
    with opened(browser, found, tmp_path / "page.html") as page:
        assert page.locator("img").count() == 0
        assert name in read_all(page, ".mention")


def test_a_long_timeline_is_cut_and_shown_whole_on_request(browser: Any, tmp_path: Path) -> None:
    long = {f"e{n}": n for n in range(1, 306)}
    with opened(browser, one_system(long, long), tmp_path / "page.html") as page:
        assert page.locator(".order line").count() == 300
        assert read_all(page, ".column .more") == ["and 5 more", "and 5 more"]
        page.get_by_role("button", name="Show all 305 rows").click()
        assert page.locator(".order line").count() == 305
        assert page.locator(".column .more").count() == 0


def test_the_page_has_the_moved_events_of_every_system_and_case() -> None:
    found = demo("ordering")
    explained = Explained.of(FAMILY, found.result, found.matches, found.texts)
    data = board_data(explained, PAGES.view)
    assert len(found.texts) == len(data["systems"]) * len(data["cases"])
    for item in found.texts:
        system, case = data["systems"].index(item.system), data["cases"].index(item.case)
        predicted = data["predicted"][system][case]
        names = {predicted[place][0] for place in data["moved"][system][case]}
        assert names == moved(item.gold, item.predicted)


def test_without_texts_a_case_shows_its_matches(browser: Any, tmp_path: Path) -> None:
    found = one_system({"a": 1, "b": 2}, {"a": 1, "b": 2})
    bare = Scored(found.result, found.matches, ())
    with opened(browser, bare, tmp_path / "page.html") as page:
        assert page.locator(".orders").count() == 0
        assert page.locator(".inside table caption").first.inner_text() == "s: outcomes"


def test_a_big_collection_opens_with_few_nodes(browser: Any, tmp_path: Path) -> None:
    found = orders(targets=25, events=10, systems=5)
    with opened(browser, found, tmp_path / "page.html") as page:
        assert page.locator("tr[data-case]").count() == 25
        assert page.locator("*").count() < 4_000  # so less than 15,000 with 100
