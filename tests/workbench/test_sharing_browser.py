"""Sharing in a browser: a link is copied from the page, and its pages are for everyone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_checks import findings
from workbench.bench import Bench
from workbench.browsing import Site

from chronoscore.workbench import serving


@pytest.fixture
def site(browser: Any, tmp_path: Path) -> Iterator[Site]:
    bench = Bench(tmp_path)
    assert bench.owner.post("/projects/demo").status_code == 303
    bench.store.close()
    with serving.running(bench.store.path) as (store, address):
        yield Site(store, address, browser)


def test_a_run_and_a_board_are_shared_read_and_ended(site: Site) -> None:
    links = []
    with site.window(site.owner_link, "/results", bypass_csp=True) as owner:
        for path, name in (("/results", "Share week 1, two baselines"), ("/leaderboard", "Share")):
            owner.page.goto(f"{site.address}{path}")
            owner.page.get_by_role("button", name=name).click()
            links.append(owner.page.locator("input.copy").input_value())
            assert findings(owner.page) == []
            owner.page.get_by_role("button", name="Copy the link for readers").click()
            owner.page.get_by_role("button", name="Copied").wait_for()
    with site.window(bypass_csp=True) as reader:
        reader.expected = ("404",)
        for link in (*links, f"{site.address}/shared/wrong"):
            reader.page.goto(link)
            assert findings(reader.page) == [], link
            assert reader.page.locator("a[href^='/']").count() == 0
        assert reader.context.cookies() == []
    with site.window(site.owner_link, "/results") as owner:
        owner.page.get_by_role("button", name="End the link to week 1").click()
        assert owner.page.locator("#readers").count() == 0
    with site.window() as reader:
        reader.expected = ("404",)
        reader.page.goto(links[0])
        assert "does not open" in reader.page.inner_text("main")


def test_a_shared_report_runs_its_scripts_under_its_policy(site: Site) -> None:
    """No complaint of the browser: the window's own check."""
    with site.window(site.owner_link, "/results") as owner:
        owner.page.get_by_role("button", name="Share week 2, careful").click()
        link = owner.page.locator("input.copy").input_value()
    for width in (1280, 375):
        with site.window(viewport={"width": width, "height": 800}) as reader:
            reader.page.goto(link)
            assert reader.page.evaluate("document.documentElement.scrollWidth") <= width
