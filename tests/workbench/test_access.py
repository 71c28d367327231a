"""Pages that everyone can use: axe-core finds nothing in any page, in light, dark and narrow."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from axe_checks import findings
from workbench.bench import Bench
from workbench.browsing import ARGUMENTS, CHROMIUM, Site, playwright_or_skip

from chronoscore.workbench import serving
from chronoscore.workbench.routes import ROUTES

playwright = playwright_or_skip()
NOT_PAGES = {
    *("/health", "/static/{name}", "/dates"),
    *("/projects/{project}/export/{form}", "/results/{result}/files/{kind}"),
    *("/projects/{project}/progress", "/projects/{project}/draft"),
    "/judge/{batch}",
}
"""Texts, JSON, downloads, parts of the page /projects/{project}, and a redirect."""
SHEET = b"id,text\na,b\nc,\n"


class Study(Site):
    """The demo's projects, a sheet that waits for its columns, and links."""

    examples: dict[str, list[str]]
    """Addresses to open, by the pattern of their route."""


def _address(pattern: str, text: str) -> str:
    matched = re.search(pattern, text)
    assert matched is not None, pattern
    return matched[0]


def _examples(bench: Bench) -> dict[str, list[str]]:
    owner = bench.owner
    assert owner.post("/projects/demo").status_code == 303
    sheet = owner.post("/projects", {}, files=[("events", ("alpha.csv", SHEET))])
    run = _address("/results/[0-9a-f]{20}", owner.get("/results").text)
    chosen = re.findall(r'option value="([^"]+)"', owner.get("/compare").text)
    model = _address(r"/projects/1/judges/\d+", owner.get("/projects/1/judges").text)
    shared = _address(r"/shared/[\w-]+", owner.post(f"{run}/share").text)
    return {
        "/": ["/"],
        "/enter": ["/enter"],
        "/enter/{token}": ["/enter/wrong"],
        "/shared/{token}": [shared, "/shared/wrong"],
        "/imports/{token}": [sheet.headers["location"]],
        "/projects/pairs": ["/projects/pairs"],
        "/projects/{project}": ["/projects/1", "/projects/2", "/projects/3"],
        "/projects/{project}/pairs": ["/projects/3/pairs"],
        "/projects/{project}/events": ["/projects/1/events"],
        "/projects/{project}/agreement": ["/projects/1/agreement", "/projects/2/agreement"],
        "/projects/{project}/differences": ["/projects/1/differences?criterion=type"],
        "/projects/{project}/export": ["/projects/1/export", "/projects/3/export"],
        "/projects/{project}/judges": ["/projects/1/judges", "/projects/3/judges"],
        "/projects/{project}/judges/{person}": [model],
        "/projects/{project}/audit": ["/projects/1/audit"],
        "/batches/{batch}": ["/batches/1", "/batches/2", "/batches/3", "/batches/4"],
        "/batches/{batch}/events/{event}": [
            _address(rf"/batches/{batch}/events/\d+", owner.get(f"/batches/{batch}").text)
            for batch in (1, 2)
        ],
        "/judge/{batch}/all": ["/judge/4/all"],
        "/judge/{batch}/compare": ["/judge/1/compare"],
        "/judge/{batch}/{place}": ["/judge/4/1"],
        "/results": ["/results"],
        "/results/{result}": [run],
        "/results/{result}/cases/{case}": [f"{run}/cases/0"],
        "/leaderboard": ["/leaderboard"],
        "/compare": [f"/compare?one={chosen[0]}&two={chosen[1]}"],
    }


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Study]:
    bench = Bench(tmp_path_factory.mktemp("site"))
    examples = _examples(bench)
    bench.store.close()
    with (
        playwright.sync_playwright() as engine,
        serving.running(bench.store.path) as (store, address),
    ):
        browser = engine.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        study = Study(store, address, browser)
        study.examples = examples
        yield study
        browser.close()


def _wrong(page: Any, address: str, paths: list[str]) -> dict[str, list[str]]:
    """What is found in each page, opened once."""
    wrong = {}
    for path in paths:
        page.goto(f"{address}{path}")
        wrong[path] = findings(page)
    return {path: found for path, found in wrong.items() if found}


def test_every_page_has_an_example(site: Study) -> None:
    assert {*site.examples} | NOT_PAGES == {one.path for one in ROUTES if one.method == "GET"}


OF_A_KIND = {"/projects/{project}": 3, "/batches/{batch}": 2, "/batches/{batch}/events/{event}": 2}
"""How many pages of a route are looked at, where one is not enough."""


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.campaign)])
def test_nothing_is_found_in_the_owner_s_pages(site: Study, every: bool) -> None:
    """Each route once, those with many states more often; a campaign opens every example.

    The agreement of a whole study is looked at with its own tests.
    """
    paths = []
    for pattern, examples in site.examples.items():
        paths += examples if every else examples[-OF_A_KIND.get(pattern, 1) :]
    paths.remove("/judge/1/compare")  # the owner did not judge there
    pairs = site.store.row("SELECT max(batch) AS batch FROM tasks")
    assert pairs is not None
    paths += [f"/judge/{pairs['batch']}/1", "/nowhere", site.owner_link.removeprefix(site.address)]
    with site.window(site.owner_link, bypass_csp=True) as window:
        window.expected = ("404", "401")
        assert _wrong(window.page, site.address, paths) == {}


def test_nothing_is_found_in_an_evaluator_s_pages(site: Study) -> None:
    members = {one.path for one in ROUTES if one.who == "member"} & site.examples.keys()
    paths = [path for pattern in sorted(members) for path in site.examples[pattern]]
    with site.window(site.link("ben (demo)", 2), bypass_csp=True) as window:
        window.expected = ("403",)
        assert _wrong(window.page, site.address, [*paths, "/projects/1"]) == {}


def test_nothing_is_found_in_what_opens_within_a_page(site: Study) -> None:
    wrong = {}
    with site.window(site.owner_link, bypass_csp=True) as window:
        window.expected = ("409",)
        page = window.ready("/judge/4/2")
        page.keyboard.press("?")
        wrong["help"] = findings(page)
        page.keyboard.press("?")
        second = window.ready("/judge/4/2", window.tab())
        window.judge("00011s", second)
        window.press("11133s", page)
        page.get_by_role("link", name="event 2", exact=True).click()
        page.wait_for_selector("#clash:not([hidden])")
        wrong["clash"] = findings(page)
        page.get_by_role("button", name="Take the other").click()
        second.close()
        page.get_by_role("button", name="Leave").click()
        page.get_by_role("link", name="Cancel").wait_for()
        wrong["Leave"] = findings(page)
        page.goto(f"{site.address}/projects/1")
        page.get_by_text("Change it").click()
        page.get_by_label("Invite").fill("ben\ncleo")
        page.get_by_role("button", name="Invite").click()
        page.get_by_label("Link for cleo").wait_for()
        wrong["invited"] = findings(page)
    assert {path: found for path, found in wrong.items() if found} == {}


def test_nothing_is_found_in_questions_and_in_what_is_shown_once_they_are_answered(
    site: Study,
) -> None:
    wrong = {}
    with site.window(site.owner_link, bypass_csp=True) as window:
        page = window.page
        for path, button, sure in (
            ("/batches/4", "Take as submitted for ben", "Take as submitted"),
            ("/batches/2", "Close the batch", "Close the batch"),
            ("/batches/1", "Reopen the batch", "Reopen the batch"),
            ("/projects/2", "Remove ana", "Remove"),
            ("/projects/1", "Archive the project", "Archive"),
        ):
            page.goto(f"{site.address}{path}")
            page.get_by_role("button", name=button).click()
            page.get_by_role("link", name="Cancel").wait_for()
            wrong[f"question: {button}"] = findings(page)
            page.get_by_role("button", name=sure).click()
            page.get_by_role("button", name="Undo").wait_for()
            for folded in page.locator("summary").all():
                folded.click()
            wrong[f"done: {button}"] = findings(page)
        page.goto(f"{site.address}/")
        page.get_by_text("1 archived project").click()
        wrong["archived"] = findings(page)
        wrong |= _wrong(page, site.address, ["/projects/1", "/batches/2"])
        assert {path: found for path, found in wrong.items() if found} == {}
