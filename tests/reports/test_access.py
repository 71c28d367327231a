"""Reports that everyone can use: axe-core finds nothing, in light and in dark."""

from pathlib import Path
from typing import Any

import pytest
from axe_checks import findings
from reports.made import FAMILIES, demo
from reports.test_browser import Opened, browser, playwright  # noqa: F401 - a fixture


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
