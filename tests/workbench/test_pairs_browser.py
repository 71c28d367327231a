"""Pairs to judge in a real browser: one key an answer, and pages that everyone can use."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_checks import findings
from workbench.bench import lines
from workbench.browsing import Site, playwright_or_skip
from workbench.test_pairs import CANDIDATES, CAREFUL, GOLD, QUICK

from chronoscore.workbench import serving
from chronoscore.workbench.store import batches, people

playwright = playwright_or_skip()
expect = playwright.expect


@pytest.fixture
def site(browser: Any, tmp_path: Path) -> Iterator[Site]:
    """A workbench with nothing in it."""
    with serving.running(tmp_path / "workbench.db") as (store, address):
        yield Site(store, address, browser)


@pytest.fixture
def project(site: Site, tmp_path: Path) -> int:
    """Pairs that the owner draws by the form."""
    for name, rows in (("gold", GOLD), ("quick", QUICK), ("careful", CAREFUL)):
        (tmp_path / f"{name}.jsonl").write_bytes(lines(rows))
    with site.window(site.owner_link) as window:
        page = window.page
        page.get_by_role("link", name="pairs to judge").click()
        page.get_by_label("Gold events").set_input_files([tmp_path / "gold.jsonl"])
        systems = [tmp_path / "quick.jsonl", tmp_path / "careful.jsonl"]
        page.get_by_label("Predicted events").set_input_files(systems)
        page.locator("input[name=number]").fill(str(CANDIDATES))
        page.get_by_role("button", name="Draw the pairs").click()
        expect(page.get_by_role("heading", name="How sure it will be")).to_be_visible()
        return int(page.url.split("/")[-2])


def batch(site: Site, project: int, *names: str) -> int:
    """A batch of all pairs for some evaluators."""
    boss = people.owner(site.store)
    chosen = tuple(people.find_or_add(site.store, name).id for name in names)
    plan = batches.BatchPlan("main", chosen, overlap=len(chosen))
    return batches.draw(site.store, boss.id, project, plan)


def test_one_key_answers_saves_and_goes_on(site: Site, project: int) -> None:
    link = site.link("ana", project)
    number = batch(site, project, "ana")
    with site.window(link, f"/judge/{number}/1") as window:
        page = window.ready()
        for place, key in enumerate("134123412"[:CANDIDATES], 1):
            expect(page.locator(".trail")).to_contain_text(f"{place} of {CANDIDATES}")
            window.ready()
            page.keyboard.press(key)
            ends = f"**/judge/{number}/{place + 1 if place < CANDIDATES else 'all'}"
            page.wait_for_url(ends)
        expect(page.get_by_role("button", name="Submit")).to_be_visible()
    assert site.saved() == [f"[{key}]" for key in "134123412"]


def test_a_click_goes_on_and_arrow_keys_stay(site: Site, project: int) -> None:
    link = site.link("ana", project)
    number = batch(site, project, "ana")
    with site.window(link, f"/judge/{number}/1") as window:
        page = window.ready()
        page.get_by_label("1 same").focus()
        page.keyboard.press("ArrowDown")
        expect(page.get_by_label("2 part of it")).to_be_checked()
        assert page.url.endswith(f"/judge/{number}/1")
        page.get_by_label("3 different").click()
        page.wait_for_url(f"**/judge/{number}/2")
        expect(page.locator("body")).to_contain_text("pair 1 saved")
    assert site.saved() == ["[3]"]


def test_every_page_of_pairs_has_no_finding_of_axe(site: Site, project: int) -> None:
    links = {name: site.link(name, project) for name in ("ana", "ben")}
    number = batch(site, project, "ana", "ben")
    for name, key in (("ana", "1"), ("ben", "3")):
        with site.window(links[name], f"/judge/{number}/1") as window:
            page = window.ready()
            if name == "ana":
                assert findings(page) == []
            for place in range(1, CANDIDATES + 1):
                window.ready()
                page.keyboard.press(key)
                page.wait_for_url(f"**/judge/{number}/{place + 1 if place < CANDIDATES else 'all'}")
            page.get_by_role("button", name="Submit").click()
            page.wait_for_load_state()
            page.get_by_role("button", name="Submit").click()
            expect(page.get_by_text("Submitted. Thank you.")).to_be_visible()
    event = site.store.value("SELECT min(event) FROM pairs")
    paths = ("/projects/pairs", f"/projects/{project}/pairs", f"/projects/{project}/export")
    with site.window(site.owner_link) as window:
        for path in (*paths, f"/batches/{number}/events/{event}"):
            window.page.goto(f"{site.address}{path}")
            assert findings(window.page) == [], path


def test_a_phone_needs_no_sideways_scrolling(site: Site, project: int) -> None:
    link = site.link("ana", project)
    number = batch(site, project, "ana")
    phone = {"viewport": {"width": 375, "height": 700}}
    with site.window(link, f"/judge/{number}/1", **phone) as window:
        page = window.ready()
        wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        assert not page.evaluate(wide)
