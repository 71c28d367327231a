"""A lead, with only what the pages say: from four names and a sheet to an agreed data set.

Every step that closes, removes or deletes something is undone once on the way. A campaign takes a
sheet of 301 events; otherwise 28 are enough: each article has one that is hard.
"""

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner
from reports.made import demo
from workbench.bench import BEST
from workbench.browsing import Site, Window, playwright_or_skip
from workbench.results_made import write

from chronoscore.cli.main import command
from chronoscore.workbench import serving

playwright = playwright_or_skip()
expect = playwright.expect
NAMES = ("Ana", "Ben", "Cleo", "Dan")
EACH = 7
"""Events of an article, one of them hard."""


def sheet(header: list[str], rows: list[list[str]]) -> bytes:
    """A CSV file as a spreadsheet program writes it."""
    out = io.StringIO()
    csv.writer(out, delimiter=";").writerows([header, *rows])
    return b"\xef\xbb\xbf" + out.getvalue().encode()


@pytest.fixture(params=[4, pytest.param(43, marks=pytest.mark.campaign)])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path]:
    """A sheet of events, whose texts have a column that can't be guessed, and one of articles."""
    events, articles = tmp_path / "extractor.csv", tmp_path / "articles.csv"
    number: int = request.param
    rows = [
        [f"e{n}", "2024-03-04", f"Bridge {n} falls", "collapse", f"a{n // EACH}"]
        for n in range(number * EACH)
    ]
    events.write_bytes(sheet(["Event ID", "Date", "Beobachtung", "Type", "Article"], rows))
    texts = [
        [f"a{n}", "2024-03-07", f"Story {n}", "Bridges fell on Monday."] for n in range(number)
    ]
    articles.write_bytes(sheet(["id", "published", "title", "text"], texts))
    return events, articles


@pytest.fixture
def site(browser: Any, tmp_path: Path) -> Iterator[Site]:
    with serving.running(tmp_path / "workbench.db") as (store, address):
        yield Site(store, address, browser)


class Evaluator:
    """Someone who judges by the addresses and tokens that their pages show."""

    def __init__(self, http: httpx.Client) -> None:
        self.http = http

    def judge(self, values: Callable[[str], dict[str, int]], most: int = 1000) -> None:
        """Judge what the first page offers, up to `most` events."""
        home = self.http.get("/").text
        (batch,) = re.findall(r'href="/judge/(\d+)">(?:Go on|Start judging)', home)
        token = re.findall(r'name="csrf" content="(\w+)"', home)[0]
        self.headers = {"x-csrf-token": token, "accept": "application/json"}
        self.batch = batch
        for place in range(1, most + 1):
            page = self.http.get(f"/judge/{batch}/{place}")
            if page.status_code == 404:
                break
            (text,) = re.findall(r"<h1[^>]*>(.*?)</h1>", page.text)
            body = {"save": f"save-{batch}-{place:06}", "version": 0, "values": values(text)}
            done = self.http.post(f"/judge/{batch}/{place}", json=body, headers=self.headers)
            assert done.status_code == 200, done.text

    def hand_in(self) -> None:
        """Submit, and confirm it."""
        form = {"csrf": self.headers["x-csrf-token"]}
        asked = self.http.post(f"/judge/{self.batch}/submit", data=form)
        assert "Submit?" in asked.text
        done = self.http.post(f"/judge/{self.batch}/submit", data={**form, "sure": "yes"})
        assert done.status_code == 303


@contextmanager
def come_in(site: Site, link: str) -> Iterator[Evaluator]:
    """An evaluator who comes in by their link."""
    with httpx.Client(base_url=site.address, headers={"origin": site.address}) as http:
        assert http.post(link).status_code == 303
        yield Evaluator(http)


def opinion(name: str) -> Callable[[str], dict[str, int]]:
    """How an evaluator judges an event by its text: some are hard for some."""

    def values(text: str) -> dict[str, int]:
        number = int(re.findall(r"\d+", text)[0])
        hard = number % EACH == 0 and name in ("Ana", "Cleo")
        return {**BEST, "Eval_RootEvent": 0} if hard else dict(BEST)

    return values


class Lead:
    """Presses what the pages show, by its words."""

    def __init__(self, window: Window) -> None:
        self.page = window.page

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).first.click()

    def field(self, label: str) -> Any:
        """A field by the word that its label begins with."""
        return self.page.get_by_label(re.compile(f"^{label}")).first

    def follow(self, name: str) -> None:
        self.page.get_by_role("link", name=name, exact=True).first.click()

    def new_link(self, name: str) -> str:
        self.press(f"New link for {name}")
        return str(self.page.get_by_label(f"Link for {name}").input_value())

    def sees(self, text: str) -> None:
        expect(self.page.locator("main")).to_contain_text(text)

    def undo(self) -> None:
        """Press Undo, and confirm it where that is asked."""
        with self.page.expect_navigation():
            self.page.locator(".undo").get_by_role("button", name="Undo").click()
        confirm = self.page.locator("form.buttons button.main")
        if confirm.count():
            confirm.click()

    def sure(self, button: str, *numbers: str) -> None:
        """Press a button that asks first, read the numbers, and press it."""
        self.press(button)
        for number in numbers:
            self.sees(number)
        self.page.locator("form.buttons button.main").click()

    def settle(self) -> int:
        """Settle all differences of a batch by keys, with 1 where there is no majority."""
        keys = 0
        self.page.get_by_role("rowheader").get_by_role("link").first.click()
        while "/events/" in self.page.url:
            self.page.wait_for_selector("html[data-ready]")
            here = self.page.url
            self.page.keyboard.press("1")
            keys += 1
            self.page.wait_for_url(lambda url, here=here: url != here)
        return keys


def test_from_four_names_and_a_sheet_to_an_agreed_data_set(
    site: Site, files: tuple[Path, Path], tmp_path: Path
) -> None:
    with ExitStack() as clients, site.window(site.owner_link) as window:
        lead = Lead(window)
        import_events(lead, files)
        team = invite(lead, site, clients)
        calibrate(lead, team)
        remove_and_bring_back(lead)
        team["Dan"] = clients.enter_context(come_in(site, lead.new_link("Dan")))
        judge_the_rest(lead, team)
        lead.follow("Bridges")
        lead.sure("Archive the project")
        lead.undo()
        lead.sees("The project is in use again")
        export(lead, tmp_path)
        delete_a_result(lead, tmp_path)
    check_files(tmp_path, files[0])


def import_events(lead: Lead, files: tuple[Path, Path]) -> None:
    lead.field("Events").set_input_files(files[0])
    lead.field("Articles").set_input_files(files[1])
    lead.field("Name").fill("Bridges")
    lead.press("Import and preview")
    lead.field("Text").select_option("Beobachtung")
    lead.press("Look again")
    lead.sees("Bridge 0 falls")
    lead.press("Import")
    events, articles = (len(one.read_text("utf-8").splitlines()) - 1 for one in files)
    lead.sees(f"{events} events of 1 system, {articles} articles")


def invite(lead: Lead, site: Site, clients: ExitStack) -> dict[str, Evaluator]:
    lead.field("Invite").fill("\n".join(NAMES))
    lead.press("Invite")
    links = {name: lead.page.get_by_label(f"Link for {name}").input_value() for name in NAMES}
    return {name: clients.enter_context(come_in(site, link)) for name, link in links.items()}


def calibrate(lead: Lead, team: dict[str, Evaluator]) -> None:
    """All judge the same articles; Dan stops early, which is taken as submitted."""
    lead.press("Make this batch")
    for name, evaluator in team.items():
        evaluator.judge(opinion(name), 3 if name == "Dan" else 1000)
        if name != "Dan":
            evaluator.hand_in()
    lead.follow("calibration 1")
    lead.sure("Take as submitted for Dan", "Dan has judged 3 of")
    lead.undo()
    lead.sees("still judging")
    lead.sure("Take as submitted for Dan")
    assert lead.settle() >= 1
    lead.sure("Close the batch")
    lead.undo()
    lead.sees("in review again")
    lead.sure("Close the batch")
    lead.follow("Bridges")


def remove_and_bring_back(lead: Lead) -> None:
    lead.sure("Remove Dan")
    lead.undo()
    lead.sees("Dan is back")


def judge_the_rest(lead: Lead, team: dict[str, Evaluator]) -> None:
    """Two judge each article; Ben gets his share back once."""
    lead.press("Make this batch")
    lead.sees("main 1")
    for name, evaluator in team.items():
        evaluator.judge(opinion(name))
        evaluator.hand_in()
    lead.follow("main 1")
    lead.sure("Give back to Ben", "Ben can then change")
    lead.sees("still judging")
    team["Ben"].hand_in()
    lead.page.reload()
    lead.settle()
    lead.sure("Close the batch")


def export(lead: Lead, folder: Path) -> None:
    lead.follow("Export")
    with lead.page.expect_download() as waiting:
        lead.follow("ZIP of everything")
    waiting.value.save_as(folder / "all.zip")


def delete_a_result(lead: Lead, folder: Path) -> None:
    run = demo()
    write(run, folder / "careful.json", "careful")
    lead.follow("Results")
    lead.field("Files").set_input_files(folder / "careful.json")
    lead.press("Upload")
    lead.page.locator("summary", has_text="Change careful").click()
    lead.sure("Delete careful", f"{len(run.result.systems[0].rows)} cases of 1 system")
    lead.undo()
    lead.sees("careful is back")


def check_files(folder: Path, sheet: Path) -> None:
    """Every event has agreed values, and the command line reads all of it."""
    with zipfile.ZipFile(folder / "all.zip") as archive:
        archive.extractall(folder)
    agreed = [*map(json.loads, (folder / "agreed.jsonl").read_text("utf-8").splitlines())]
    events = [line.partition(";")[0] for line in sheet.read_text("utf-8").splitlines()[1:]]
    assert {one["event_id"] for one in agreed} == {*events}
    names = ("judgements.jsonl", "codebook.json", "agreed.jsonl")
    rows, book, values = (str(folder / name) for name in names)
    call = ["agreement", rows, "--codebook", book, "--adjudicated", values]
    done = CliRunner().invoke(command, call)
    assert done.exit_code == 0, done.output
    assert "each evaluator beside the agreed values" in done.output
