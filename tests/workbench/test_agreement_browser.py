"""The page of agreement and the events behind it, in a real browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_checks import findings
from workbench.bench import Bench, demo_files
from workbench.browsing import Site, playwright_or_skip

from chronoscore.demo import home
from chronoscore.workbench import serving

playwright = playwright_or_skip()
expect = playwright.expect
PAGES = (
    "/projects/1/agreement",
    "/projects/1/agreement?criterion=type",
    "/projects/1/differences?criterion=type",
)


@pytest.fixture
def site(browser: Any, tmp_path: Path) -> Iterator[Site]:
    """The bundled judgements of people and of a judge model."""
    bench = Bench(tmp_path)
    project = bench.project(demo_files())
    sheets = [("sheets", (n, (home() / n).read_bytes())) for n in ("judgements.csv", "judge.csv")]
    bench.owner.post(f"/projects/{project}/judgements", files=sheets)
    bench.store.close()
    with serving.running(tmp_path / "workbench.db") as (store, address):
        yield Site(store, address, browser)


def test_axe_finds_nothing_folded_or_unfolded(site: Site) -> None:
    with site.window(site.owner_link, bypass_csp=True) as window:
        page = window.page
        for path in PAGES:
            page.goto(f"{site.address}{path}")
            page.locator("h2").first.wait_for()
            assert findings(page) == [], path
        page.goto(f"{site.address}{PAGES[0]}")
        page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        assert findings(page) == []


def test_a_phone_needs_no_sideways_scrolling(site: Site) -> None:
    with site.window(site.owner_link, viewport={"width": 375, "height": 800}) as window:
        for path in PAGES:
            window.page.goto(f"{site.address}{path}")
            assert window.page.evaluate("document.documentElement.scrollWidth") <= 375, path


def test_from_a_verdict_by_its_link_to_settling_an_event(site: Site) -> None:
    with site.window(site.owner_link, PAGES[0]) as window:
        page = window.page
        people = page.get_by_role("region", name="Do people agree?")
        line = people.locator("li.verdict", has=page.get_by_role("heading", name="type"))
        expect(line).to_contain_text("talk about it")
        line.get_by_role("link", name="differ on type").click()
        expect(page.get_by_role("heading", name="What people differ on: type")).to_be_visible()
        page.locator(".differences h3 a").first.click()
        window.ready()
        expect(page.locator(".criterion.differs", has_text="The type")).to_be_visible()
