"""How all tests are run: a slow machine is no failure, and the same examples every time.

`make campaigns` draws other examples, and many more of them.
"""

import gc
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

# Messages are compared as sentences: on a terminal as wide as this none of them is broken.
os.environ["COLUMNS"] = "1000"
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("steady", PATIENT, derandomize=True, max_examples=15)
settings.register_profile("campaign", PATIENT, max_examples=1000)
settings.load_profile("steady")
# What is imported and collected stays: nobody looks through it for garbage, then or later.
gc.disable()


def pytest_collection_finish() -> None:
    """Look for the garbage of tests alone."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path,
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Import a file of the tests for its doctests only where it has some.

    Otherwise every helper is imported a second time, under another name, in each process.
    """
    collectors = yield
    if file_path.suffix != ".py" or ">>>" in file_path.read_text(encoding="utf-8"):
        return collectors
    return [one for one in collectors if not isinstance(one, DoctestModule)]


WAITING = ("browser.py", "test_access.py", "test_install.py", "test_going_on.py", "test_lead.py")
"""Files whose tests wait for browsers and environments."""
SPLIT = ("golden/test_runs.py", "test_examples.py")
"""Files whose tests share nothing but what has the same parameter."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with files that wait, so that the other processes have work meanwhile."""
    items.sort(key=lambda item: not item.path.name.endswith(WAITING))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep the tests of a file in one process, which then makes its shared fixtures once."""
    from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

    class ByFile(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            file, _, test = nodeid.partition("::")
            return file + (test.partition("[")[2] if file.endswith(SPLIT) else "")

    config.option.loadscopereorder = False
    return ByFile(config, log)
