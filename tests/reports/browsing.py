"""Reports in a real browser, which note every complaint and every request."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reports.made import write_report
from workbench.browsing import ARGUMENTS, CHROMIUM, playwright_or_skip

from chronoscore.engines.scoring import Scored

playwright = playwright_or_skip()


def chromium() -> Iterator[Any]:
    """A browser, for a fixture."""
    with playwright.sync_playwright() as engine:
        opened = engine.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield opened
        opened.close()


@contextmanager
def opened(browser: Any, scored: Scored, path: Path, **context: Any) -> Iterator[Any]:
    """Write the report of a result and open it; it must fetch nothing and complain of nothing."""
    write_report(scored.result, scored.matches, scored.texts, path)
    complaints: list[str] = []
    window = browser.new_context(**context)
    page = window.new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    page.on("request", lambda request: complaints.append(request.url))
    page.goto(path.as_uri())
    yield page
    assert complaints == [path.as_uri()], complaints
    window.close()


def read_all(page: Any, selector: str) -> list[str]:
    """What a reader sees of each element, with single spaces."""
    texts = page.locator(selector).all_inner_texts()
    return [" ".join(text.split()) for text in texts]
