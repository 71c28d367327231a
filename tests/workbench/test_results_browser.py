"""Saved results in a real browser: uploaded by hand, looked at, taken back."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from reports.made import demo
from workbench.browsing import Site, Window, playwright_or_skip
from workbench.results_made import write

from chronoscore.workbench import serving
from chronoscore.workbench.store import results as store_results

playwright = playwright_or_skip()
expect = playwright.expect


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "results"
    for system in ("careful", "quick"):
        write(demo(), folder / "news" / f"{system}.json", system)
    return folder


@pytest.fixture
def site(browser: Any, tmp_path: Path, results: Path) -> Iterator[Site]:
    with serving.running(tmp_path / "workbench.db", results=results) as (store, address):
        yield Site(store, address, browser)


@pytest.fixture
def window(site: Site) -> Iterator[Window]:
    with site.window(site.owner_link, "/results") as opened:
        yield opened


def test_from_the_first_page_to_a_timelines_picture(window: Window, site: Site) -> None:
    page = window.page
    page.goto(site.address)
    page.get_by_role("link", name="Results", exact=True).click()
    page.get_by_role("navigation").get_by_role("link", name="Two runs").click()
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("heading", name="AR-1", exact=True)).to_be_visible()
    page.get_by_role("link", name="in the second").first.click()
    case = page.locator(".opened")
    expect(case.locator("svg .link").first).to_be_attached()
    assert "quick" in case.locator(".case-score").first.inner_text()
    page.get_by_role("link", name="Results").click()
    expect(page.get_by_role("heading", name="Results")).to_be_visible()


def test_a_link_to_one_case_opens_it(window: Window, site: Site) -> None:
    (run, *_) = store_results.stored(site.store)
    page = window.page
    page.goto(f"{site.address}/results/{run.id}#cases?open=titanic-sinking")
    expect(page.locator(".opened h3")).to_have_text("titanic-sinking")
    page.reload()
    expect(page.locator(".opened svg .link").first).to_be_attached()


def test_upload_rename_delete_and_take_it_back(window: Window, tmp_path: Path) -> None:
    page = window.page
    write(demo("ordering"), tmp_path / "order.json")
    files = [str(path) for path in sorted(tmp_path.glob("order*"))]
    page.get_by_label("Files").set_input_files(files)
    page.get_by_role("button", name="Upload").click()
    page.get_by_text("Change order").click()
    page.get_by_label("Name of order").fill("Second order")
    page.get_by_role("button", name="Rename").locator("visible=true").click()
    expect(page.get_by_role("status")).to_contain_text("order is now called Second order")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("link", name="order", exact=True)).to_be_visible()
    page.get_by_text("Change order").click()
    page.get_by_role("button", name="Delete order").click()
    expect(page.get_by_role("heading", name="Delete order?")).to_be_visible()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("status")).to_contain_text("order was deleted")
    expect(page.get_by_role("link", name="order", exact=True)).to_be_hidden()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("link", name="order", exact=True)).to_be_visible()


def test_the_leaderboard_leads_to_reports(window: Window) -> None:
    page = window.page
    page.get_by_role("navigation").get_by_role("link", name="Leaderboard").click()
    expect(page.get_by_role("heading", name="news: timelines, news-tls")).to_be_visible()
    page.get_by_role("link", name="careful").first.click()
    expect(page.locator("#scores")).to_be_visible()
    page.get_by_role("button", name="Dark").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_no_page_is_wider_than_the_screen_in_light_or_dark(site: Site) -> None:
    with site.window(site.owner_link, "/results") as window:
        page = window.page
        one, two = store_results.stored(site.store)
        for path in (
            "/results",
            f"/results?changed={one.id}",
            "/leaderboard",
            f"/compare?one={one.id}.0&two={two.id}.0",
            f"/results/{one.id}",
            f"/results/{one.id}/cases/0",
        ):
            for width in (390, 1200):
                page.set_viewport_size({"width": width, "height": 800})
                page.goto(f"{site.address}{path}")
                for scheme in ("light", "dark"):
                    page.emulate_media(color_scheme=scheme)
                    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                    assert wide <= 0, (path, width, scheme)


def test_the_pages_work_without_scripts(site: Site) -> None:
    with site.window(site.owner_link, java_script_enabled=False) as window:
        page = window.page
        page.goto(f"{site.address}/results")
        page.get_by_text("Change careful").click()
        page.get_by_role("button", name="Delete careful").click()
        page.get_by_role("button", name="Delete").click()
        page.get_by_role("button", name="Undo").click()
        expect(page.get_by_role("link", name="careful", exact=True)).to_be_visible()
        page.get_by_role("link", name="careful", exact=True).click()
        expect(page.locator("#scores")).to_be_visible()
