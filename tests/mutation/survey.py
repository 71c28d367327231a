"""A plugin of pytest that notes which lines of the package each test runs, and for how long.

Loaded by `-p mutation.survey` in the processes that run tests. What a fixture does for several
tests is put down to the file of the test that asked first, since any test of it may notice.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FOLDER = "MUTATION_SURVEY"
"""The environment variable with the folder that the notes are written to."""


class Survey:
    """The lines and seconds of one process."""

    def __init__(self, folder: Path, source: str) -> None:
        import coverage  # only this plugin needs it

        self.folder = folder
        self.coverage = coverage.Coverage(
            data_file=str(folder / f"lines.{os.getpid()}"), source_pkgs=[source], config_file=False
        )
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()
        self.coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.coverage.switch_context(item.nodeid)
        try:
            return (yield)
        finally:
            self.coverage.switch_context("")

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
    ) -> Iterator[None]:
        if fixturedef.scope == "function":
            return (yield)
        test = os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0]
        self.coverage.switch_context(test.partition("::")[0])
        try:
            return (yield)
        finally:
            self.coverage.switch_context(test)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        if report.failed:
            self.failed.add(report.nodeid)

    def pytest_unconfigure(self) -> None:
        self.coverage.stop()
        self.coverage.save()
        notes = {"seconds": self.seconds, "failed": sorted(self.failed)}
        path = self.folder / f"seconds.{os.getpid()}.json"
        path.write_text(json.dumps(notes), encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    """Begin to note, unless other processes run the tests."""
    folder = os.environ.get(FOLDER)
    if folder and not config.getoption("numprocesses", None):
        config.pluginmanager.register(Survey(Path(folder), "chronoscore"))
