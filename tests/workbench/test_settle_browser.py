"""Differences are settled by keys alone, and nothing that was chosen is lost on the way."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from axe_checks import findings
from workbench.bench import BEST, Bench, judge_all, small
from workbench.browsing import Site, Window, playwright_or_skip

from chronoscore.workbench import serving

playwright = playwright_or_skip()
expect = playwright.expect
NO_DATE = {**BEST, "Eval_DateCorrect": 0}
NO_TYPE = {**BEST, "Eval_EventType": 0}
Answers = Mapping[str, int]


@pytest.fixture
def start(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Site]]:
    """Start a server on a project in which these people gave these answers to all events."""
    opened: list[Any] = []

    def started(events: int = 5, **people: Answers) -> Site:
        bench = Bench(tmp_path)
        project = bench.project(small(events))
        visitors = {name: bench.visitor(name, project) for name in people}
        batch = bench.batch(project, *people, overlap=len(people))
        for name, values in people.items():
            judge_all(visitors[name], batch, values)
        bench.store.close()
        running = serving.running(tmp_path / "workbench.db")
        store, address = running.__enter__()
        opened.append(running)
        return Site(store, address, browser)

    yield started
    for running in opened:
        running.__exit__(None, None, None)


def agreed(site: Site) -> list[list[int]]:
    rows = site.store.rows("SELECT said FROM agreed ORDER BY id")
    return [json.loads(row["said"]) for row in rows]


def first(site: Site) -> str:
    rows = site.store.rows("SELECT min(event) AS event FROM tasks")
    return f"/batches/1/events/{rows[0]['event']}"


def settled(page: Any, number: int) -> None:
    """Wait until the page says that so many are settled."""
    expect(page.locator(".trail progress")).to_have_attribute("value", str(number))


def at_first(window: Window, site: Site) -> Any:
    return window.ready(first(site))


def test_five_differences_take_five_keys_and_no_page_load(start: Callable[..., Site]) -> None:
    site = start(5, ana=BEST, ben=NO_DATE)
    with site.window(site.owner_link) as window:
        page, keys = at_first(window, site), 0
        page.evaluate("document.documentElement.dataset.samePage = 'yes'")
        window.requests.clear()
        for number, digit in enumerate("01101"):
            settled(page, number)
            page.keyboard.press(digit)
            keys += 1
            if number < 4:
                settled(page, number + 1)
                assert page.locator("html").get_attribute("data-same-page") == "yes"
        page.wait_for_url("**/batches/1")
        expect(page.get_by_text("0 not settled yet")).to_be_visible()
        settling = [url for url in window.requests if "/events/" in url]
        assert keys == 5
        assert len(settling) <= 2 * keys, "a save and the page that it leads to"
    assert [values[0] for values in agreed(site)] == [0, 1, 1, 0, 1]
    assert [values[1:] for values in agreed(site)] == [[1, 1, 3, 3]] * 5


def test_the_majority_is_offered_and_one_key_takes_it(start: Callable[..., Site]) -> None:
    site = start(3, ana=BEST, ben=BEST, cleo=NO_DATE)
    with site.window(site.owner_link) as window:
        page = at_first(window, site)
        for number, key in enumerate(["s", "Enter"]):
            settled(page, number)
            assert page.locator(".differs input:checked").input_value() == "1"
            page.keyboard.press(key)
        settled(page, 2)
    assert agreed(site) == [[1, 1, 1, 3, 3]] * 2


def test_a_tie_stays_open_and_is_asked_for(start: Callable[..., Site]) -> None:
    site = start(2, ana=BEST, ben={**NO_DATE, "Eval_EventType": 0})
    with site.window(site.owner_link) as window:
        page = at_first(window, site)
        assert page.locator(".differs input:checked").count() == 0
        expect(page.locator(".differs")).to_have_count(2)
        expect(page.locator(".alike .criterion")).to_have_count(3)
        expect(page.locator(".alike .criterion").first).to_be_hidden()
        page.keyboard.press("s")
        expect(page.locator("#status")).to_have_text("Choose a value for The date.")
        page.keyboard.press("1")
        expect(page.locator(".criterion.current legend")).to_have_text("The type")
        expect(page.locator("#guidance h2")).to_have_text("The type")
        page.keyboard.press("0")
        settled(page, 1)
    assert agreed(site) == [[1, 1, 0, 3, 3]]


def test_a_digit_that_is_not_on_the_scale_is_told_and_changes_nothing(
    start: Callable[..., Site],
) -> None:
    site = start(2, ana=BEST, ben=NO_DATE)
    with site.window(site.owner_link) as window:
        page = at_first(window, site)
        page.keyboard.press("7")
        expect(page.locator("#status")).to_have_text("7 is not on the scale of The date: 0 or 1.")
        expect(page.locator(".differs.flash")).to_have_count(1)
        assert page.locator(".differs input:checked").count() == 0
    assert agreed(site) == []


def test_names_are_hidden_by_a_key_stay_hidden_and_can_be_the_default(
    start: Callable[..., Site],
) -> None:
    site = start(3, ana=BEST, ben=NO_DATE, cleo=NO_DATE)
    with site.window(site.owner_link) as window:
        page = at_first(window, site)
        votes = page.locator(".differs .votes")
        expect(votes).to_contain_text("ana 1")
        page.keyboard.press("w")
        assert "ana" not in page.locator("main").inner_text()
        expect(votes).to_contain_text("0, 0, 1")
        page.keyboard.press("n")
        page.wait_for_url(lambda url: not url.endswith(first(site)))
        assert "ana" not in page.locator("main").inner_text()
        page.keyboard.press("s")
        settled(page, 1)
        assert "ana" not in page.locator("main").inner_text()
        page.get_by_role("button", name="Make this the project’s default").click()
        page.wait_for_load_state()
        window.ready()
        assert "ana" not in page.locator("main").inner_text()
        page.keyboard.press("w")
        expect(page.locator(".differs .votes")).to_contain_text("ana 1")
    rows = site.store.rows("SELECT detail FROM audit WHERE action = 'project changed'")
    assert [json.loads(row["detail"]) for row in rows] == [{"show_votes": False}]


def test_reasons_and_the_note_are_reached_by_key(start: Callable[..., Site]) -> None:
    site = start(2, ana=BEST, ben=NO_DATE)
    with site.window(site.owner_link) as window:
        page = at_first(window, site)
        for key in ["r", "1", "5", "5", "Escape", "c"]:
            page.keyboard.press(key)
        page.keyboard.type("a slip in line 1")
        page.keyboard.press("Escape")
        page.keyboard.press("1")
        settled(page, 1)
    (row,) = site.store.rows("SELECT reasons, note FROM agreed")
    assert (row["reasons"], row["note"]) == ("slip", "a slip in line 1")


def test_next_and_previous_save_nothing_and_lose_nothing(start: Callable[..., Site]) -> None:
    site = start(3, ana=BEST, ben=NO_DATE)
    with site.window(site.owner_link) as window:
        page = at_first(window, site)
        page.keyboard.press("c")
        page.keyboard.type("typed and not saved")
        page.keyboard.press("Escape")
        page.keyboard.press("n")
        page.wait_for_url(lambda url: not url.endswith(first(site)))
        expect(page.locator("textarea")).to_have_value("")
        page.keyboard.press("p")
        page.wait_for_url(f"**{first(site)}")
        expect(page.locator("textarea")).to_have_value("typed and not saved")
        window.ready(first(site))
        expect(page.locator("textarea")).to_have_value("typed and not saved")
        page.go_back()
    assert agreed(site) == []


def test_what_another_tab_settled_is_told_and_what_was_typed_stays(
    start: Callable[..., Site],
) -> None:
    site = start(2, ana=BEST, ben=NO_DATE)
    with site.window(site.owner_link) as window:
        window.expected = ("409",)
        page, other = at_first(window, site), window.tab()
        page.keyboard.press("c")
        page.keyboard.type("mine")
        page.keyboard.press("Escape")
        window.ready(first(site), other)
        other.keyboard.press("1")
        settled(other, 1)
        page.keyboard.press("0")
        expect(page.get_by_role("alert")).to_contain_text("Another tab has settled this event")
        expect(page.get_by_role("alert")).to_contain_text("The date 1")
        expect(page.locator("textarea")).to_have_value("mine")
        assert agreed(site) == [[1, 1, 1, 3, 3]]
        page.keyboard.press("s")
        page.wait_for_url(lambda url: not url.endswith(first(site)))
    assert agreed(site) == [[1, 1, 1, 3, 3], [0, 1, 1, 3, 3]]


def test_a_save_that_did_not_arrive_is_sent_again_once(start: Callable[..., Site]) -> None:
    site = start(2, ana=BEST, ben=NO_DATE)
    with site.window(site.owner_link) as window:
        window.expected = ("ERR_FAILED", "ERR_INTERNET_DISCONNECTED")
        page = at_first(window, site)
        arrived: list[str] = []

        def cut(route: Any) -> None:
            """Deliver the save, and lose the answer."""
            if route.request.method == "POST":
                route.fetch(max_redirects=0)
                arrived.append(route.request.url)
            route.abort()

        page.route("**/batches/1/events/*", cut)
        page.keyboard.press("1")
        expect(page.locator("#status")).to_contain_text("No connection")
        assert page.locator(".differs input:checked").input_value() == "1"
        page.unroute("**/batches/1/events/*")
        page.keyboard.press("s")
        settled(page, 1)
        assert len(arrived) == 1
    assert agreed(site) == [[1, 1, 1, 3, 3]]


def test_a_key_that_is_held_down_settles_one_event(start: Callable[..., Site]) -> None:
    site = start(4, ana=BEST, ben=NO_DATE)
    with site.window(site.owner_link) as window:
        page = at_first(window, site)
        for _ in range(4):
            page.keyboard.down("1")
        settled(page, 1)
        page.keyboard.down("1")
        page.keyboard.up("1")
        expect(page.locator(".differs input:checked")).to_have_count(0)
    assert len(agreed(site)) == 1


def test_without_scripts_the_form_settles_and_hides_names(start: Callable[..., Site]) -> None:
    site = start(2, ana=BEST, ben=NO_DATE)
    with site.window(site.owner_link, first(site), java_script_enabled=False) as window:
        page = window.page
        page.get_by_role("link", name="Hide names").click()
        assert "ana" not in page.locator("main").inner_text()
        page.locator(".differs label.answer").first.click()
        page.get_by_role("button", name="Settle and go on").click()
        assert page.url.endswith("?names=no")
        assert "ana" not in page.locator("main").inner_text()
    assert agreed(site) == [[0, 1, 1, 3, 3]]


def test_axe_finds_nothing_on_the_page_its_help_and_its_messages(
    start: Callable[..., Site],
) -> None:
    site = start(2, ana=BEST, ben={**NO_DATE, "Eval_Relevance": 1}, cleo=NO_TYPE)
    with site.window(site.owner_link, bypass_csp=True) as window:
        page = at_first(window, site)
        assert findings(page) == []
        page.keyboard.press("9")
        page.keyboard.press("w")
        assert findings(page) == []
        page.keyboard.press("?")
        assert findings(page) == []
