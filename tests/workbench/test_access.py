"""Pages that everyone can use: axe-core finds nothing serious, in light, dark and narrow."""

from collections.abc import Iterator

import pytest
from axe_checks import findings
from workbench.bench import BEST, WORST, Bench, demo_files, judge_all
from workbench.browsing import ARGUMENTS, CHROMIUM, Site, playwright_or_skip
from workbench.results_made import files_of

from chronoscore.demo import home
from chronoscore.workbench import serving
from chronoscore.workbench.store import results as store_results

playwright = playwright_or_skip()
SERIOUS = ("serious", "critical")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A project at every stage."""
    folder = tmp_path_factory.mktemp("site")
    bench = Bench(folder)
    project = bench.project(demo_files())
    ana = bench.visitor("ana", project)
    for size in (6, 5):
        batch = bench.batch(project, "owner", "ana", kind="calibration", size=size)
        judge_all(ana, batch)
        judge_all(bench.owner, batch, WORST if size == 6 else BEST)
    bench.owner.post("/batches/2/finish", {"sure": "yes"})
    bench.batch(project, "owner", "ana", overlap=2)
    other = bench.project(demo_files())
    sheets = [("sheets", (n, (home() / n).read_bytes())) for n in ("judgements.csv", "judge.csv")]
    bench.owner.post(f"/projects/{other}/judgements", files=sheets)
    bench.owner.post("/results", files=list(files_of()))
    bench.store.close()
    with (
        playwright.sync_playwright() as engine,
        serving.running(folder / "workbench.db") as (store, address),
    ):
        browser = engine.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield Site(store, address, browser)
        browser.close()


def test_nothing_serious_is_found(site: Site) -> None:
    row = site.store.row("SELECT event FROM tasks WHERE batch = 1 LIMIT 1")
    assert row is not None
    model = site.store.row("SELECT id FROM people WHERE kind = 'llm'")
    assert model is not None
    paths = [
        *("/", "/projects/1", "/projects/1/events", "/projects/1/agreement", "/projects/1/export"),
        *("/projects/1/judges", "/projects/2/judges", "/projects/2/agreement"),
        *("/projects/1/differences", "/projects/2/differences?criterion=type"),
        "/projects/2/agreement?criterion=type",
        f"/projects/2/judges/{model['id']}",
        *("/projects/1/audit", "/batches/1", "/batches/2", "/batches/3"),
        *(f"/batches/1/events/{row['event']}", "/judge/3/all", "/judge/3/1", "/judge/1/1"),
        *("/judge/2/compare", "/enter", "/nowhere"),
    ]
    (run,) = store_results.stored(site.store)
    paths += ["/results", "/leaderboard", f"/compare?one={run.id}.0&two={run.id}.1"]
    paths += [f"/results/{run.id}", f"/results/{run.id}/cases/0"]
    with site.window(site.owner_link, bypass_csp=True) as window:
        window.expected = ("404", "401", "409")
        wrong = {}
        for path in paths:
            window.page.goto(f"{site.address}{path}")
            wrong[path] = findings(window.page, SERIOUS)
        done = site.store.row("SELECT count(*) AS n FROM judgements WHERE batch = 3")
        place = f"/judge/3/{done['n'] + 2 if done else 2}"
        page = window.ready(place)
        page.keyboard.press("?")
        wrong["help"] = findings(page, SERIOUS)
        second = window.ready(place, window.tab())
        for key in "00011s":
            second.keyboard.press(key)
        second.wait_for_url(lambda url: not url.endswith(place))
        page.keyboard.press("?")
        for key in "11133s":
            page.keyboard.press(key)
        page.wait_for_selector("#clash:not([hidden])")
        wrong["clash"] = findings(page, SERIOUS)
        page.get_by_role("button", name="Take the other").click()
        second.close()
        window.page.goto(f"{site.address}/projects/1")
        for name in ("Remove for ana", "Leave"):
            window.page.get_by_role("button", name=name).click()
            window.page.get_by_role("link", name="Cancel").wait_for()
            wrong[name] = findings(window.page, SERIOUS)
            window.page.get_by_role("link", name="Cancel").click()
        window.page.goto(f"{site.address}/projects/1")
        window.page.get_by_text("Change it").click()
        window.page.get_by_label("Invite").fill("ben\ncleo")
        window.page.get_by_role("button", name="Invite").click()
        wrong["invited"] = findings(window.page, SERIOUS)
        window.page.goto(site.address)
        sheet = {"name": "alpha.csv", "mimeType": "text/csv", "buffer": b"id,text\na,b\nc,\n"}
        window.page.locator("input[name=events]").set_input_files([sheet])
        window.page.get_by_role("button", name="Import and preview").click()
        window.page.get_by_role("button", name="Look again").wait_for()
        wrong["mapping"] = findings(window.page, SERIOUS)
        window.page.goto(site.owner_link)
        wrong["link"] = findings(window.page, SERIOUS)
        assert {path: found for path, found in wrong.items() if found} == {}


def test_nothing_serious_is_found_in_questions_and_in_what_is_shown_once_they_are_answered(
    site: Site,
) -> None:
    wrong = {}
    with site.window(site.owner_link, bypass_csp=True) as window:
        page = window.page
        for path, button, sure in (
            ("/batches/3", "Take as submitted for ana", "Take as submitted"),
            ("/batches/1", "Close the batch", "Close the batch"),
            ("/batches/2", "Reopen the batch", "Reopen the batch"),
            ("/projects/1", "Remove for ana", "Remove"),
            ("/projects/2", "Archive the project", "Archive"),
        ):
            page.goto(f"{site.address}{path}")
            page.get_by_role("button", name=button).click()
            page.get_by_role("link", name="Cancel").wait_for()
            wrong[f"question: {button}"] = findings(page, SERIOUS)
            page.get_by_role("button", name=sure).click()
            page.get_by_role("button", name="Undo").wait_for()
            for folded in page.locator("summary").all():
                folded.click()
            wrong[f"done: {button}"] = findings(page, SERIOUS)
        page.goto(f"{site.address}/")
        page.get_by_text("1 archived project").click()
        wrong["archived"] = findings(page, SERIOUS)
        page.goto(f"{site.address}/projects/2")
        wrong["archived project"] = findings(page, SERIOUS)
        assert {path: found for path, found in wrong.items() if found} == {}
