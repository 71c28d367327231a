"""Reports that everyone can use: axe-core finds nothing, in light and in dark."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from axe_checks import findings
from reports.browsing import playwright
from reports.made import FAMILIES, demo
from reports.test_browser import Opened, browser  # noqa: F401 - a fixture

from chronoscore.core.problems import Problems
from chronoscore.demo import SYSTEMS, home
from chronoscore.evaluation.pages import evaluation_report
from chronoscore.evaluation.running import evaluate

MOST_NODES = 15_000


def _of_two_topics(path: Path, folder: Path) -> None:
    """Copy the head of a table and the lines that are about two of the topics."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    head = lines[:1] if path.suffix == ".csv" else []
    about = [one for one in lines if "apollo-11" in one or "chernobyl" in one]
    (folder / path.name).write_text("".join([*head, *about]), encoding="utf-8")


@pytest.mark.parametrize("name", FAMILIES)
def test_the_report_of_each_family_has_no_barrier(
    browser: Any,  # noqa: F811
    tmp_path: Path,
    name: str,
) -> None:
    found = Opened(browser, demo(name), tmp_path / "page.html")
    found.page.locator("tr[data-case] > th").nth(1).click()
    assert findings(found.page) == []
    found.close()


def test_the_page_of_an_evaluation_has_no_barrier_and_its_events_lead_to_their_cases(
    browser: Any,  # noqa: F811
    tmp_path: Path,
) -> None:
    path = tmp_path / "all.html"
    for name in ("gold", *SYSTEMS, "articles", "judgements"):
        _of_two_topics(home() / f"{name}.{'csv' if name == 'judgements' else 'jsonl'}", tmp_path)
    evaluated = evaluate(
        tmp_path / "gold.jsonl",
        {name: tmp_path / f"{name}.jsonl" for name in SYSTEMS},
        Problems(),
        articles=tmp_path / "articles.jsonl",
        judgements=[tmp_path / "judgements.csv"],
    )
    path.write_text(evaluation_report(evaluated), encoding="utf-8")
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text))
    page.goto(path.as_uri())
    assert page.evaluate("document.querySelectorAll('*').length") < MOST_NODES
    row = page.locator(".earned tbody tr", has=page.get_by_role("cell", name="lead", exact=True))
    event = row.first.locator("details")
    event.locator("summary").click()
    for family in ("timelines", "events", "ordering", "annotations"):
        link = event.get_by_role("link", name=family, exact=True)
        address = str(link.get_attribute("href"))
        link.click()
        board = page.locator(f"[data-board={family}-cases]")
        case = dict(parse_qsl(address.partition("?")[2]))["open"]
        for _ in range(2):  # and again, when the address is the same already
            playwright.expect(board.locator(".opened h3", has_text=case)).to_be_in_viewport()
            playwright.expect(board.locator(".case-score").first).to_contain_text("lead")
            event.scroll_into_view_if_needed()
            link.click()
    assert findings(page) == []
    assert errors == []
    page.close()
