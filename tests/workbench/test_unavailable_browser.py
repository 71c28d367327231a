"""A database that can't be written, seen in a real browser: the answer stays in the page."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from workbench.browsing import Site, playwright_or_skip
from workbench.test_unavailable import locked

from chronoscore.workbench import serving
from chronoscore.workbench.store import Store

playwright = playwright_or_skip()
expect = playwright.expect


@pytest.fixture
def site(browser: Any, demo_database: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(serving, "Store", partial(Store, wait=0.05))
    with serving.running(demo_database) as (store, address):
        yield Site(store, address, browser)


def test_a_script_keeps_the_answer_and_sends_it_again(site: Site) -> None:
    with site.window(site.owner_link, "/judge/1/1") as window:
        window.expected = ("503",)
        page = window.ready()
        window.fetched(2)
        with locked(site.store.path):
            page.keyboard.type("11133s")
            status = page.locator("#status")
            expect(status).to_contain_text("The database is in use by another program.")
            expect(status).to_contain_text("kept in this browser and sent again by themselves")
            expect(page.locator("#unsent")).to_have_text("1 answer waits to be sent")
            page.keyboard.press("p")
            page.wait_for_url("**/judge/1/1")
            assert page.locator("fieldset.criterion input:checked").count() == 5
        expect(status).to_have_text("saved", timeout=15000)
    assert site.saved() == ["[1,1,1,3,3]"]


@pytest.mark.parametrize("scripts", [False, True])
def test_a_plain_form_comes_back_filled_in(site: Site, scripts: bool) -> None:
    """With scripts, the page that comes back knows that its answer is not saved."""
    with site.window(site.owner_link, "/judge/1/1", java_script_enabled=False) as window:
        window.expected = ("503",)
        page = window.page
        for criterion in page.locator("fieldset.criterion").all():
            criterion.locator("label.answer").last.click()
        page.locator("textarea").fill("typed by hand")
        with locked(site.store.path):
            page.get_by_role("button", name="Save and go on").click()
            expect(page.get_by_role("alert").first).to_contain_text("Your answer is not saved yet")
        expect(page.locator("textarea")).to_have_value("typed by hand")
        if scripts:
            body, address = page.content(), page.url
            _go_on_with_scripts(site, window, body, address)
        else:
            page.get_by_role("button", name="Save and go on").click()
            assert page.url.endswith("/judge/1/2")
    assert site.saved() == ["[1,1,1,3,3]"]


def _go_on_with_scripts(site: Site, window: Any, body: str, address: str) -> None:
    """Open the same page, as it came back, where scripts run."""
    cookies = window.context.cookies()
    with site.window() as other:
        other.context.add_cookies(cookies)
        page = other.page
        page.route(address, lambda route: _serve_once(route, body))
        page.goto(address)
        other.ready()
        expect(page.locator("#status")).to_contain_text("your unsaved answers are back")
        page.get_by_role("button", name="Save and go on").click()
        page.wait_for_url("**/judge/1/2")
        expect(page.locator("#status")).to_have_text("event 1 saved")


def _serve_once(route: Any, body: str) -> None:
    if route.request.method == "GET":
        route.fulfill(status=200, content_type="text/html", body=body)
    else:
        route.continue_()
