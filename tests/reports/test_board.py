"""The board of cases in a real browser: sorted, searched, opened by mouse and keys, and linked."""

import re
from collections.abc import Iterator
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reports.browsing import playwright
from reports.made import collection, demo, timelines_of
from reports.test_browser import Opened, browser  # noqa: F401 - a fixture

from chronoscore.elements.dated.model import Timeline
from chronoscore.engines.scoring import Scored
from chronoscore.families import family

expect = playwright.expect


@cache
def hundred() -> Scored:
    return collection(topics=100, days=6, words=8, systems=5)


@cache
def f1_of(system: int) -> dict[str, float]:
    """The F1 of AR-1 of each topic, from the rows of the result."""
    result = hundred().result
    metric = family("timelines").metric(result.metrics[0].name)
    at = metric.scores.index("f1")
    return {
        row.case: float(metric.link(np.array(row.statistics[result.metrics[0].name]))[at])
        for row in result.systems[system].rows
    }


def worst(system: int, against: int) -> str:
    """The topic in which a system is worst against another; the first of equals."""
    one, two = f1_of(system), f1_of(against)
    return min(one, key=lambda topic: round(one[topic], 6) - round(two[topic], 6))


@pytest.fixture
def board(browser: Any, tmp_path: Path) -> Iterator[Opened]:  # noqa: F811
    found = Opened(browser, hundred(), tmp_path / "page.html")
    yield found
    found.close()


def first_rows(opened: Opened, number: int = 5) -> list[str]:
    names: list[str] = opened.page.locator("tr[data-case] > th").all_inner_texts()
    return names[:number]


def test_three_clicks_show_where_one_system_is_worst_against_another(board: Opened) -> None:
    page = board.page
    clicks = [
        page.get_by_role("button", name="system-4", exact=True),
        page.get_by_role("button", name="vs system-1", exact=True),
        page.locator("tr[data-case] > th").first,
    ]
    for one in clicks:
        one.click()
    case = worst(4, 1)
    opened = page.locator(".opened")
    expect(opened.locator("h3")).to_have_text(case)
    expect(opened.locator("svg.picture")).to_be_in_viewport(ratio=0.2)
    scores = opened.locator(".case-score").all_inner_texts()
    assert [text.split()[-1] for text in scores] == [
        f"{f1_of(system)[case]:.3f}" for system in (4, 1)
    ]
    assert opened.locator(".lane text").all_text_contents() == ["system-4", "gold", "system-1"]


def press_until(page: Any, key: str, isthere: str) -> None:
    """Press a key until a condition on the element with the focus holds."""
    for _ in range(60):
        page.keyboard.press(key)
        if page.evaluate(f"() => ((here) => {isthere})(document.activeElement)"):
            return
    pytest.fail(f"{key} never reaches it: {isthere}")


def test_keys_alone_show_the_same(board: Opened) -> None:
    page = board.page
    press_until(page, "Tab", "here.className === 'pick' && here.textContent === 'system-4'")
    page.keyboard.press("Enter")
    page.keyboard.press("Shift+Tab")
    press_until(page, "Shift+Tab", "here.getAttribute('aria-label') === 'vs system-1'")
    page.keyboard.press("Space")
    press_until(page, "Tab", "here.matches('tr[data-case] > th')")
    page.keyboard.press("Control+Home")
    page.keyboard.press("Enter")
    heading = page.locator(".opened h3")
    here = page.evaluate("document.activeElement.textContent")
    expect(heading).to_have_text(here)
    assert here == worst(4, 1)
    assert page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "true"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.tagName") == "TD"
    page.keyboard.press(" ")
    expect(heading).to_have_count(2)
    page.keyboard.press(" ")
    expect(heading).to_have_count(1)


def test_a_link_reopens_what_was_shown(board: Opened) -> None:
    page = board.page
    page.get_by_role("button", name="system-3", exact=True).click()
    board.choose("Metric", "Date-F1")
    board.choose("Sort by", "score")
    page.get_by_role("button", name="Turn the order round").click()
    page.get_by_role("searchbox").fill("topic-02")
    page.locator("tr[data-case]").nth(2).locator("td").nth(1).click()
    state = "() => JSON.stringify([boards[0].state, [...boards[0].opened.keys()]])"
    shown = [page.evaluate(state), first_rows(board), page.locator(".opened").inner_text()]
    other = page.context.new_page()
    other.goto(page.url)
    assert "find=topic-02" in page.url
    assert [
        other.evaluate(state),
        other.locator("tr[data-case] > th").all_inner_texts()[:5],
        other.locator(".opened").inner_text(),
    ] == shown
    other.close()


def test_a_link_holds_both_systems_of_every_open_case(board: Opened) -> None:
    page = board.page
    heads = "() => [...document.querySelectorAll('.case-scores')].map((one) => one.innerText)"
    page.locator("tr[data-case]").nth(3).locator("td").nth(4).click()
    page.locator("tr[data-case]").nth(0).locator("td").nth(3).click()
    page.locator(".opened").first.get_by_label("against").select_option(label="none")
    shown = page.evaluate(heads)
    assert sorted(text.count("system-") for text in shown) == [1, 2]
    other = page.context.new_page()
    other.goto(page.url)
    assert other.evaluate(heads) == shown
    other.close()


def test_the_link_to_copy_is_that_of_the_board(board: Opened) -> None:
    page = board.page
    page.get_by_role("searchbox").fill("topic-07")
    page.get_by_role("navigation", name="Sections").get_by_role("link", name="Scores").click()
    assert page.url.endswith("#scores")
    page.get_by_role("button", name="Copy").first.click()
    assert page.url.endswith("#cases?find=topic-07")


def test_open_cases_follow_the_choice_of_systems(board: Opened) -> None:
    page = board.page
    page.locator("tr[data-case] > th").first.click()
    page.get_by_role("button", name="system-3", exact=True).click()
    page.get_by_role("button", name="vs system-4", exact=True).click()
    scores = page.locator(".case-score").all_inner_texts()
    assert [text.partition(":")[0] for text in scores] == ["system-3", "system-4"]


def test_one_cell_can_be_reached_by_tab_whatever_is_hidden(board: Opened) -> None:
    page = board.page
    page.locator("tr[data-case] > td").nth(8).click()
    for text in ("topic-09", "", "nothing", "topic-0"):
        page.get_by_role("searchbox").fill(text)
        reached = page.locator("tr[data-case] > [tabindex='0']").count()
        assert reached == (text != "nothing")


def test_an_address_of_another_report_is_harmless(browser: Any, tmp_path: Path) -> None:  # noqa: F811
    found = Opened(browser, demo(), tmp_path / "page.html")
    words = "metric=gone&system=gone&open=gone&sort=gone&shows=gone&tag.gone=1&side=gone"
    for address in (f"cases?{words}", "%", "cases?open=%E0%A4%A", "%3F?open=1"):
        found.page.goto(f"{found.own}#{address}")
        found.page.reload()
        assert found.page.locator("tr[data-case]").count() == 10
    found.close()


def test_rows_are_sorted_by_each_of_the_orders(board: Opened) -> None:
    names = sorted(f1_of(1))
    board.page.get_by_role("button", name="system-1", exact=True).click()
    board.choose("Sort by", "name")
    assert first_rows(board, 100) == names
    board.choose("Sort by", "score")
    scores = [round(f1_of(1)[name], 4) for name in first_rows(board, 100)]
    assert scores == sorted(scores)
    board.page.get_by_role("button", name="Turn the order round").click()
    scores = [round(f1_of(1)[name], 4) for name in first_rows(board, 100)]
    assert scores == sorted(scores, reverse=True)
    board.choose("Sort by", "largest loss")
    lost: dict[tuple[str, str], float] = {}
    for item in hundred().matches:
        if (item.system, item.metric) == ("system-1", hundred().result.metrics[0].name):
            for side in ("precision", "recall"):
                of_side = [match for match in item.matches if match.side == side]
                lost[side, item.case] = sum(match.possible - match.credit for match in of_side)
    for side in ("precision", "recall"):
        board.page.locator(".tools .switch").get_by_text(side).click()
        losses = [lost[side, name] for name in first_rows(board, 100)]
        assert losses == pytest.approx(sorted(losses, reverse=True), abs=0.1)


def test_search_and_filters_leave_what_fits(browser: Any, tmp_path: Path) -> None:  # noqa: F811
    found = Opened(browser, demo(), tmp_path / "page.html")
    found.choose("gold", "desk")
    assert 0 < len(first_rows(found, 10)) < 10
    assert not [name for name in first_rows(found, 10) if name.endswith("/agency")]
    found.page.get_by_role("searchbox").fill("CHERN")
    assert first_rows(found) == ["chernobyl/desk"]
    expect(found.page.locator(".count")).to_have_text("1 of 10 golds")
    found.page.get_by_role("searchbox").fill("nothing has this name")
    assert first_rows(found) == []
    found.close()


def test_every_cell_says_its_score(board: Opened) -> None:
    row = board.page.locator("tr[data-case]").first
    case = row.locator("th").inner_text()
    cells = row.locator("td").evaluate_all("all => all.map((cell) => cell.title)")
    heads = board.page.locator("thead .pick").all_inner_texts()
    for name, title in zip(heads, cells[:-1], strict=True):
        score = f1_of(int(name[-1]))[case]
        assert title == f"{case}, {name}: AR-1 F1 {score:.3f}"
    assert re.search(r"system-\d (worse|better) by 0\.\d{3} than system-\d$", cells[-1])


def test_long_names_break_and_many_systems_scroll_in_the_table(
    browser: Any,  # noqa: F811
    tmp_path: Path,
) -> None:
    long = "Gesellschaft" * 11
    gold = Timeline.of({date(2001, 1, 1): ["a day"]})
    scored = timelines_of(
        {
            f"{long}-{number}": {long: (gold, Timeline.of({date(2001, 1, 1 + number): ["a day"]}))}
            for number in range(14)
        }
    )
    for width in (375, 1280):
        size = {"width": width, "height": 800}
        found = Opened(browser, scored, tmp_path / "page.html", viewport=size)
        assert found.page.evaluate("document.documentElement.scrollWidth") <= width
        assert found.page.locator(".opened svg.picture").count() == 1
        found.close()
