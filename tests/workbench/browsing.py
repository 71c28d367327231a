"""Real browsers on a real server: pages that note every complaint and every request."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from chronoscore.workbench import serving
from chronoscore.workbench.store import Store, people, projects

_BROWSERS = (Path("/usr/bin/chromium-headless-shell"), Path("/usr/bin/chromium"))
CHROMIUM = Path(os.environ.get("CHROMIUM") or next(filter(Path.exists, _BROWSERS), _BROWSERS[-1]))
"""Debian's Chromium; its headless shell needs a third less time than the whole browser."""
ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage"]


def playwright_or_skip() -> Any:
    """The module that drives browsers; without it or a browser, tests are skipped aloud."""
    found = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: pip install playwright"
    )
    if not CHROMIUM.exists():
        pytest.skip(f"there is no {CHROMIUM}: apt-get install chromium", allow_module_level=True)
    return found


class Window:
    """A browser window of one person, what it asked for, and what it complained of."""

    def __init__(self, browser: Any, address: str, **context: Any) -> None:
        self.address = address
        self.context = browser.new_context(
            **{"viewport": {"width": 1280, "height": 860}, **context}
        )
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.expected: tuple[str, ...] = ()
        """What the browser may complain of, since the test brings it about."""
        self.page = self.tab()

    def tab(self) -> Any:
        """Another tab with the same session."""
        page = self.context.new_page()
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda said: self.errors.append(said.text))
        page.on("dialog", lambda dialog: self.errors.append(dialog.message))
        return page

    def enter(self, link: str) -> Any:
        """Come in by a link."""
        self.page.goto(link)
        self.page.get_by_role("button", name="Come in").click()
        return self.page

    def let_in(self, link: str) -> None:
        """Come in by a link without its page, for tests of other pages."""
        ours = {"origin": self.address}
        done = self.context.request.post(link, headers=ours, max_redirects=0)
        assert done.status == 303, done.text()

    def ready(self, path: str = "", page: Any = None) -> Any:
        """Open a judge page, and wait until its script runs."""
        page = page or self.page
        if path:
            page.goto(f"{self.address}{path}")
        page.wait_for_selector("html[data-ready]")
        return page

    def judge(self, keys: str, page: Any = None) -> None:
        """Press keys that save an event, and wait until the next one is there and it is saved."""
        page = page or self.page
        place = page.url.rpartition("/")[2]
        self.press(keys, page)
        page.wait_for_url(lambda url: not url.endswith(f"/{place}"))
        playwright_or_skip().expect(page.locator("#status")).to_have_text(f"event {place} saved")

    def press(self, keys: str, page: Any = None) -> None:
        for key in keys:
            (page or self.page).keyboard.press(key)

    def fetched(self, *places: int, page: Any = None) -> None:
        """Wait until the pages of these events are in the browser."""
        for place in places:
            (page or self.page).wait_for_selector(f"html[data-pages~='{place}']", state="attached")

    def close(self) -> None:
        self.context.close()
        wrong = [e for e in self.errors if not any(text in e for text in self.expected)]
        assert wrong == []
        assert [url for url in self.requests if not url.startswith((self.address, "data:"))] == []


class Site:
    """A server, its store and its browser."""

    def __init__(self, store: Store, address: str, browser: Any) -> None:
        self.store, self.address, self.browser = store, address, browser

    @property
    def owner_link(self) -> str:
        return serving.owner_link(self.store, self.address)

    def saved(self, place: int = 0) -> list[str]:
        """The values of all saves, or of those of one event, in their order."""
        sql = """SELECT j.said FROM judgements j JOIN tasks t
            ON t.batch = j.batch AND t.person = j.person AND t.event = j.event
            WHERE :place IN (0, t.place) ORDER BY j.id"""
        return [row["said"] for row in self.store.rows(sql, place=place)]

    def link(self, name: str, project: int) -> str:
        """A link for an evaluator of a project."""
        boss = people.owner(self.store)
        person = projects.add_member(self.store, boss.id, project, name)
        return f"{self.address}/enter/{people.invite(self.store, person.id, None)}"

    @contextmanager
    def window(self, link: str = "", path: str = "/", **context: Any) -> Iterator[Window]:
        """A window that must have nothing to complain of; by a link, it is let in to a page."""
        made = Window(self.browser, self.address, **context)
        if link:
            made.let_in(link)
            made.page.goto(f"{self.address}{path}")
        yield made
        made.close()
