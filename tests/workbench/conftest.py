import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from workbench.bench import Bench, demo_files
from workbench.browsing import ARGUMENTS, CHROMIUM, Site, playwright_or_skip

from chronoscore.workbench import serving
from chronoscore.workbench.store import database

SYNC = database._SYNC


@pytest.fixture(scope="session", autouse=True)
def _unsynced() -> Iterator[None]:
    """Write to the disk when the system likes to: no test of this process lets the system crash.

    Servers in processes of their own sync, as they do for everyone.
    """
    database._SYNC = "OFF"
    yield
    database._SYNC = SYNC


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sync at each commit, as a workbench does."""
    monkeypatch.setattr(database, "_SYNC", SYNC)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.store.close()


@pytest.fixture(scope="session")
def demo_made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the bundled events: tests work on copies."""
    made = Bench(tmp_path_factory.mktemp("demo"))
    made.batch(made.project(demo_files()), "owner")
    made.store.close()
    return made.store.path


@pytest.fixture
def demo_database(tmp_path: Path, demo_made_once: Path) -> Path:
    """A database with the bundled events in a batch for the owner: nothing is judged."""
    return Path(shutil.copy(demo_made_once, tmp_path / "workbench.db"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright_or_skip().sync_playwright() as engine:
        opened = engine.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture
def site(browser: Any, demo_database: Path) -> Iterator[Site]:
    """A server with the demo, of which nothing is judged."""
    with serving.running(demo_database) as (store, address):
        yield Site(store, address, browser)
