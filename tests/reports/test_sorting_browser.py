"""Tables that sort, in a real browser: by click and by key, kept in the address."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from reports.browsing import chromium

from chronoscore.cli.main import command
from chronoscore.demo import home
from chronoscore.reports.html.markup import Html, tag
from chronoscore.reports.html.page import Section, page


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    yield from chromium()


ROWS = [("b", 2), ("a", None), ("ä", 10), ("c", 2), ("z", -1)]
AS_WRITTEN = [name for name, _ in ROWS]


def table() -> Html:
    heads = [
        tag("th", tag("button", name, type="button"), aria_sort="none", data_first=first)
        for name, first in (("name", None), ("score", "descending"))
    ]
    rows = [
        tag("tr", tag("td", name, data_value=name), tag("td", str(score), data_value=score))
        for name, score in ROWS
    ]
    return tag(
        "table",
        tag("thead", tag("tr", heads, tag("th", "note"))),
        tag("tbody", rows),
        class_="sortable",
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    sections = [Section(name, name, table()) for name in ("one", "two")]
    file = tmp_path / "page.html"
    file.write_text(page("t", "l", sections, "f", scripts=("sorting.js",)), encoding="utf-8")
    return file


@pytest.fixture
def opened(browser: Any, path: Path) -> Iterator[Any]:
    errors: list[str] = []
    context = browser.new_context()
    opened = context.new_page()
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("console", lambda said: errors.append(said.text))
    opened.goto(path.as_uri())
    yield opened
    assert errors == []
    context.close()


def names(page: Any, section: str = "one") -> list[str]:
    read = "all => all.map((row) => row.cells[0].textContent)"
    found: list[str] = page.locator(f"#{section} tbody tr").evaluate_all(read)
    return found


def press(page: Any, name: str, section: str = "one") -> str | None:
    button = page.locator(f"#{section} th button", has_text=name)
    button.click()
    state: str | None = button.locator("..").get_attribute("aria-sort")
    return state


def test_undefined_is_last_in_both_directions_and_equal_rows_keep_their_order(opened: Any) -> None:
    assert press(opened, "score") == "descending"
    assert names(opened) == ["ä", "b", "c", "z", "a"]
    assert press(opened, "score") == "ascending"
    assert names(opened) == ["z", "b", "c", "ä", "a"]


def test_names_sort_as_words_and_one_column_is_sorted_at_a_time(opened: Any) -> None:
    press(opened, "score")
    assert press(opened, "name") == "ascending"
    assert names(opened) == ["a", "ä", "b", "c", "z"]
    states = opened.locator("#one th[aria-sort]").evaluate_all("all => all.map((h) => h.ariaSort)")
    assert states == ["ascending", "none"]


def test_the_enter_key_sorts(opened: Any) -> None:
    opened.locator("#one th button").last.focus()
    opened.keyboard.press("Enter")
    assert names(opened)[0] == "ä"


def test_a_link_shows_a_colleague_the_same_orders(browser: Any, opened: Any) -> None:
    press(opened, "score")
    press(opened, "name", "two")
    press(opened, "name", "two")
    assert opened.url.endswith("#two?order=one.1d&order=two.0d")
    colleague = browser.new_context().new_page()
    colleague.goto(opened.url)
    for section in ("one", "two"):
        assert names(colleague, section) == names(opened, section) != AS_WRITTEN
    head = colleague.locator("#two th").first
    assert head.get_attribute("aria-sort") == "descending"
    colleague.context.close()


def test_a_link_to_another_place_leaves_the_order(opened: Any) -> None:
    press(opened, "score")
    sorted_names = names(opened)
    assert sorted_names != AS_WRITTEN
    opened.evaluate("location.hash = '#one'")
    opened.wait_for_url(lambda url: "order=" in url)
    assert names(opened) == sorted_names


@pytest.mark.parametrize("order", ["one.9d", "one.2a", "one.1x", "nowhere.1d", "%E0%A4.1d", "one"])
def test_an_order_that_the_table_does_not_have_is_ignored(
    browser: Any, path: Path, order: str
) -> None:
    tab = browser.new_context().new_page()
    errors: list[str] = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.goto(f"{path.as_uri()}#one?order={order}")
    assert (names(tab), errors) == (AS_WRITTEN, [])
    tab.context.close()


def test_what_else_the_address_says_stays_in_it(opened: Any) -> None:
    opened.evaluate("history.replaceState(null, '', '#place?open=a%2Fb')")
    press(opened, "name")
    assert opened.url.endswith("#place?open=a%2Fb&order=one.0a")


def test_without_script_the_table_stands_as_it_is_written(browser: Any, path: Path) -> None:
    tab = browser.new_context(java_script_enabled=False).new_page()
    tab.goto(f"{path.as_uri()}#one?order=one.1d")
    assert tab.locator("#one tbody td:first-child").all_inner_texts() == AS_WRITTEN
    tab.context.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("boards")
    systems = [f"{name * 12}={home() / 'quick.jsonl'}" for name in ("very-long-name-", "نظام")]
    files = [home() / "gold.jsonl", home() / "careful.jsonl"]
    saved = folder / "saved.json"
    words = ["timelines", *map(str, files), *systems, "--save", str(saved)]
    assert CliRunner().invoke(command, words).exit_code == 0
    words = ["leaderboard", str(saved), "-o", str(folder / "site")]
    assert CliRunner().invoke(command, words).exit_code == 0
    return folder / "site" / "index.html"


@pytest.mark.parametrize("width", [375, 1280])
def test_a_board_of_systems_with_long_names_needs_no_sideways_scrolling(
    browser: Any, site: Path, width: int
) -> None:
    tab = browser.new_context(viewport={"width": width, "height": 800}).new_page()
    tab.goto(site.as_uri())
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.locator(".standings tbody tr").count() == 3
    tab.goto((site.parent / "reports" / "saved.html").as_uri())
    assert tab.evaluate("document.querySelector('header').scrollWidth") <= width
    assert tab.locator(".conditions bdi").count() == 3
    tab.context.close()


def test_a_board_sorts_by_any_metric_and_leads_to_the_report_of_a_system(
    browser: Any, site: Path
) -> None:
    tab = browser.new_context().new_page()
    tab.goto(site.as_uri())
    system = "() => document.querySelector('.standings tbody th').textContent"
    assert tab.evaluate(system) == "careful"
    date_f1 = tab.get_by_role("button", name="Date-F1")
    date_f1.click()
    assert tab.evaluate(system) == "careful"
    date_f1.click()
    assert tab.evaluate(system) != "careful"
    tab.get_by_role("link", name="careful").click()
    assert tab.url.endswith("/reports/saved.html")
    tab.context.close()
