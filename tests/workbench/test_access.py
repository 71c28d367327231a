"""Pages that everyone can use: axe-core finds nothing serious, in light, dark and narrow."""

import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from typing import Any

import pytest
from workbench.bench import BEST, WORST, Bench, demo_files, judge_all
from workbench.browsing import ARGUMENTS, CHROMIUM, Site, playwright_or_skip
from workbench.results_made import files_of

from chronoscore.demo import home
from chronoscore.workbench import serving
from chronoscore.workbench.store import results as store_results

playwright = playwright_or_skip()
AXE = "axe-core@4"
ALL: list[str] = []
LOOKS: dict[str, tuple[Any, Any, list[str]]] = {
    "dark and narrow": (
        "dark",
        {"width": 390, "height": 844},
        ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"],
    ),
    "light and wide": ("light", {"width": 1280, "height": 860}, ALL),
}
"""Color scheme and size of the window, and the rules that depend on them: what is in a page does
not. A page is left as the last look has it.
"""


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The checker's own file, fetched for the tests only."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("there is no npm to fetch axe-core with")
    folder = tmp_path_factory.mktemp("axe")
    done = subprocess.run(
        [npm, "pack", AXE, "--silent"], cwd=folder, capture_output=True, text=True, check=False
    )
    packed = list(folder.glob("*.tgz"))
    if done.returncode or not packed:
        pytest.skip(f"axe-core can't be fetched: {done.stderr.strip()[:200]}")
    with tarfile.open(packed[0]) as archive:
        found = archive.extractfile("package/axe.min.js")
        assert found is not None
        return found.read().decode()


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
    bench.owner.post("/batches/2/finish")
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


RUN = """async (options) =>
    (await axe.run({exclude: [["[data-repeated]"]]}, options)).violations"""
REPEATED = """() => {
    for (const parent of document.querySelectorAll("body, body *")) {
        const seen = {};
        for (const child of parent.children) {
            const bare = child.outerHTML.replace(/>[^<]+/g, ">");
            const shape = bare.replace(/ (?!class|style)([\\w-]+)="[^"]*"/g, " $1");
            seen[shape] = (seen[shape] || 0) + 1;
            if (seen[shape] > 3) child.dataset.repeated = "";
        }
    }
}"""
"""Marks the rows and items that have the same elements, attributes and classes as three before."""


def findings(page: Any, axe: str) -> list[str]:
    """What is wrong with a page in each look; it is opened once, since looks are style alone."""
    page.evaluate(axe)
    page.evaluate(REPEATED)
    wrong = []
    for look, (scheme, size, rules) in LOOKS.items():
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size(size)
        options = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
        found = page.evaluate(RUN, options)
        wrong += [
            f"{look}: {one['id']}: {one['help']}: {node['html'][:120]}"
            for one in found
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"]
        ]
    return wrong


def test_nothing_serious_is_found(site: Site, axe: str) -> None:
    row = site.store.row("SELECT event FROM tasks WHERE batch = 1 LIMIT 1")
    assert row is not None
    model = site.store.row("SELECT id FROM people WHERE kind = 'llm'")
    assert model is not None
    paths = [
        *("/", "/projects/1", "/projects/1/events", "/projects/1/agreement", "/projects/1/export"),
        *("/projects/1/judges", "/projects/2/judges", "/projects/2/agreement"),
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
            wrong[path] = findings(window.page, axe)
        done = site.store.row("SELECT count(*) AS n FROM judgements WHERE batch = 3")
        place = f"/judge/3/{done['n'] + 2 if done else 2}"
        page = window.ready(place)
        page.keyboard.press("?")
        wrong["help"] = findings(page, axe)
        second = window.ready(place, window.tab())
        for key in "00011s":
            second.keyboard.press(key)
        second.wait_for_url(lambda url: not url.endswith(place))
        page.keyboard.press("?")
        for key in "11133s":
            page.keyboard.press(key)
        page.wait_for_selector("#clash:not([hidden])")
        wrong["clash"] = findings(page, axe)
        page.get_by_role("button", name="Take the other").click()
        second.close()
        window.page.goto(f"{site.address}/projects/1")
        for name in ("Remove for ana", "Leave"):
            window.page.get_by_role("button", name=name).click()
            window.page.get_by_role("link", name="Cancel").wait_for()
            wrong[name] = findings(window.page, axe)
            window.page.get_by_role("link", name="Cancel").click()
        window.page.goto(site.owner_link)
        wrong["link"] = findings(window.page, axe)
        assert {path: found for path, found in wrong.items() if found} == {}
