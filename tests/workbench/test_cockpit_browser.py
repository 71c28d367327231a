"""The lead's page in a real browser: it refreshes by itself, copies links, works out a batch."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_checks import findings
from workbench.bench import BEST, Bench, answer, small
from workbench.browsing import Site, Window, playwright_or_skip

from chronoscore.workbench import serving
from chronoscore.workbench.store import batches, judgements, people
from chronoscore.workbench.store.judgements import EventAnswer

playwright = playwright_or_skip()
expect = playwright.expect
VALUES = (*BEST.values(),)


@pytest.fixture
def site(browser: Any, tmp_path: Path) -> Iterator[Site]:
    """A project whose main batch ana judges, with one event judged."""
    bench = Bench(tmp_path)
    project = bench.project(small(6))
    ana = bench.visitor("ana", project)
    bench.batch(project, "ana")
    ana.send("/judge/1/1", answer())
    bench.store.close()
    with serving.running(tmp_path / "workbench.db") as (store, address):
        yield Site(store, address, browser)


@pytest.fixture
def window(site: Site) -> Iterator[Window]:
    with site.window(site.owner_link) as made:
        made.page.clock.install()
        made.page.goto(f"{site.address}/projects/1")
        made.page.wait_for_selector("html[data-cockpit]")
        yield made


def judge(site: Site, place: int) -> None:
    """Ana judges an event elsewhere."""
    ana = site.store.record(people.Person, "SELECT * FROM people WHERE name = 'ana'")
    assert ana is not None
    batch = batches.find(site.store, ana, 1)
    assert batch is not None
    entered = EventAnswer(0, VALUES, flag=place == 3)
    judgements.save(site.store, ana, batch, place, f"elsewhere-{place}", entered)


def asked(window: Window) -> int:
    return sum(url.endswith("/progress") for url in window.requests)


def test_progress_refreshes_every_ten_seconds_without_a_reload(site: Site, window: Window) -> None:
    page = window.page
    row = page.get_by_role("row", name="ana")
    expect(row).to_contain_text("1 of 6")
    expect(page.locator(".next")).to_contain_text("ana has 5 events left")
    judge(site, 2)
    judge(site, 3)
    page.clock.fast_forward(10_000)
    expect(row).to_contain_text("3 of 6")
    expect(row.locator("[data-word=Flags]")).to_have_text("1")
    expect(page.locator(".next")).to_contain_text("ana has 3 events left")
    expect(page.locator("[data-row=batch-1]")).to_contain_text("3 of 6 judgements")
    page.clock.fast_forward(10_000)
    expect(page.locator("#refreshed")).to_contain_text("Refreshed every 10 seconds")


def test_the_focus_and_what_is_typed_stay(site: Site, window: Window) -> None:
    page = window.page
    button = page.get_by_role("button", name="New link for ana")
    page.get_by_label("Invite").fill("somebody")
    button.focus()
    site.link("zoe", 1)
    judge(site, 2)
    page.clock.fast_forward(10_000)
    expect(page.get_by_role("row", name="ana")).to_contain_text("2 of 6")
    expect(button).to_be_focused()
    expect(page.get_by_label("Invite")).to_have_value("somebody")
    assert page.get_by_role("row", name="zoe").count() == 0, "rows wait until the table is free"
    page.get_by_label("Invite").focus()
    page.clock.fast_forward(10_000)
    expect(page.get_by_role("row", name="zoe")).to_be_visible()


def test_a_hidden_tab_asks_for_nothing(site: Site, window: Window) -> None:
    page = window.page
    hide = """hidden => {
        Object.defineProperty(document, "hidden", {value: hidden, configurable: true});
        document.dispatchEvent(new Event("visibilitychange"));
    }"""
    page.evaluate(hide, True)
    before = asked(window)
    page.clock.fast_forward(60_000)
    page.evaluate("() => new Promise(done => queueMicrotask(done))")
    assert asked(window) == before
    judge(site, 2)
    page.evaluate(hide, False)
    expect(page.get_by_role("row", name="ana")).to_contain_text("2 of 6")


def test_a_lost_connection_is_told_and_found_again(site: Site, window: Window) -> None:
    page, window.expected = window.page, ("ERR_INTERNET_DISCONNECTED",)
    window.context.set_offline(True)
    page.clock.fast_forward(10_000)
    expect(page.locator("#refreshed")).to_contain_text("The connection is lost")
    window.context.set_offline(False)
    judge(site, 2)
    page.clock.fast_forward(10_000)
    expect(page.get_by_role("row", name="ana")).to_contain_text("2 of 6")
    expect(page.locator("#refreshed")).to_contain_text("Refreshed every 10 seconds")


def test_an_ended_session_is_told(site: Site, window: Window) -> None:
    people.end_sessions(site.store, people.owner(site.store).id, "owner")
    window.expected = ("401",)
    window.page.clock.fast_forward(10_000)
    expect(window.page.locator("#refreshed")).to_contain_text("Your session has ended")


def test_the_lead_s_pages_are_for_everyone(site: Site) -> None:
    with site.window(site.owner_link) as window:
        page = window.page
        assert findings(page) == []
        page.goto(f"{site.address}/projects/1")
        page.get_by_text("Change it").click()
        page.get_by_text("Other kinds").click()
        assert findings(page) == []
        page.goto(f"{site.address}/projects/1/events")
        assert findings(page) == []


@pytest.mark.parametrize("allowed", [True, False])
def test_links_are_copied_with_and_without_permission(site: Site, allowed: bool) -> None:
    with site.window(site.owner_link, "/projects/1") as window:
        page = window.page
        if allowed:
            window.context.grant_permissions(["clipboard-read", "clipboard-write"])
        else:
            refuse = "navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))"
            page.add_init_script(refuse)
        page.get_by_label("Invite").fill("Ben\nCleo")
        page.get_by_role("button", name="Invite").click()
        link = page.get_by_label("Link for Ben")
        page.get_by_role("button", name="Copy the link for Ben").click()
        expect(page.locator("#copied")).to_have_text("Copied: Link for Ben")
        page.get_by_label("Invite").focus()
        page.keyboard.press("Control+V")
        expect(page.get_by_label("Invite")).to_have_value(link.input_value())
        page.get_by_role("button", name="Copy all").click()
        expect(page.locator("#copied")).to_have_text("Copied: All names and links")
        page.get_by_label("Invite").fill("")
        page.keyboard.press("Control+V")
        cleo = page.get_by_label("Link for Cleo").input_value()
        both = f"Ben\t{link.input_value()}\nCleo\t{cleo}\n"
        expect(page.get_by_label("Invite")).to_have_value(both)
        assert findings(page) == []


def test_a_changed_batch_is_worked_out_at_once_and_made_so(site: Site) -> None:
    with site.window(site.owner_link, "/projects/1") as window:
        page = window.page
        page.get_by_text("Change it").click()
        page.get_by_text("Other kinds").click()
        page.get_by_label("retest").check()
        expect(page.locator("#draft")).to_contain_text("say how large")
        page.locator("#plan input[name=size]").fill("2")
        page.locator("#plan input[name=seed]").fill("9")
        page.locator("#plan input[name=seed]").blur()
        expect(page.locator("#draft")).to_contain_text("ana judges 3 events, drawn with seed 9.")
        page.get_by_role("button", name="Make this batch").click()
        page.wait_for_url("**/projects/1#batches")
        expect(page.locator("[data-row=batch-2]")).to_contain_text("seed 9")
    assert [one.events for one in batches.shares(site.store, 2)] == [3]


def test_without_scripts_a_batch_is_worked_out_and_made(site: Site) -> None:
    with site.window(site.owner_link, "/projects/1", java_script_enabled=False) as window:
        page = window.page
        page.get_by_text("Change it").click()
        page.get_by_text("Other kinds").click()
        page.get_by_label("retest").check()
        page.locator("#plan input[name=size]").fill("2")
        page.get_by_role("button", name="Work it out").click()
        expect(page.locator("#draft")).to_contain_text("ana judges 3 events")
        assert "csrf" not in page.url
        page.get_by_role("button", name="Make this batch").click()
        expect(page.locator("[data-row=batch-2]")).to_be_visible()


def test_a_sheet_is_mapped_looked_at_again_and_imported(site: Site) -> None:
    content = b"nr;what;day\n1;A bridge fell;2024-03-04\n2;It rained;2024-03-05\n"
    with site.window(site.owner_link) as window:
        page = window.page
        sheet = {"name": "beta.csv", "mimeType": "text/csv", "buffer": content}
        page.locator("input[name=events]").set_input_files([sheet])
        page.get_by_role("button", name="Import and preview").click()
        expect(page.get_by_role("alert")).to_contain_text("choose the column of the text")
        assert findings(page) == []
        page.get_by_label("Text").select_option("what")
        page.get_by_label("Id", exact=False).first.select_option("nr")
        page.get_by_role("button", name="Look again").click()
        expect(page.get_by_role("cell", name="A bridge fell")).to_be_visible()
        page.get_by_role("button", name="Import").click()
        expect(page.get_by_text("2 events of 1 system")).to_be_visible()
