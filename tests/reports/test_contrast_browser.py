"""Pages of comparisons, calibrations and metric tests in a real browser, wide and narrow."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_checks import findings
from evaluation.test_metric_tests_page import report as metric_tests
from reports.browsing import chromium
from reports.test_contrast_page import made
from reports.test_html import NASTY
from rubric.test_calibration_page import demo as calibration

from chronoscore.evaluation.metric_tests_page import metric_tests_page
from chronoscore.reports.html.contrast import contrast_page
from chronoscore.rubric.pages.calibration import calibration_page

LONG = [f"{n}-{'very-long-name' * 20}" for n in range(12)]
PAGES = {
    "comparison": lambda: contrast_page(made([NASTY, "נחשון", *LONG])),
    "calibration": lambda: calibration_page(calibration()),
    "damage of days": lambda: metric_tests_page(metric_tests("days")),
    "damage of entries": lambda: metric_tests_page(metric_tests("entries")),
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    yield from chromium()


@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_fetched_nothing_fails_and_nothing_pushes_the_page_sideways(
    browser: Any, tmp_path: Path, name: str, width: int
) -> None:
    path = tmp_path / "page.html"
    path.write_text(PAGES[name](), encoding="utf-8")
    page = browser.new_context(viewport={"width": width, "height": 800}).new_page()
    complaints: list[str] = []
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    page.goto(path.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert (complaints, requests) == ([], [path.as_uri()])
    page.context.close()


@pytest.mark.parametrize("name", PAGES)
def test_the_pages_have_no_barrier(browser: Any, tmp_path: Path, name: str) -> None:
    path = tmp_path / "page.html"
    path.write_text(PAGES[name](), encoding="utf-8")
    page = browser.new_context().new_page()
    page.goto(path.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert findings(page) == []
    page.context.close()
