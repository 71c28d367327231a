"""A Dask scheduler that is there already, with a worker of its own: real processes."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from engines.runs import manifest_of, scored

from chronoscore.core.result import encode
from chronoscore.demo import home
from chronoscore.engines.plan import Plan
from chronoscore.engines.scoring import Scored
from chronoscore.engines.workers import Cluster, run_on_cluster
from chronoscore.errors import UsageError

PATIENCE = 60


class Started:
    """A scheduler without workers, and a way to give it one."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.file, self.folder, self.stack = folder / "scheduler.json", folder, stack
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--dashboard-address", ":0")
        until = time.monotonic() + PATIENCE
        while not self.file.exists() or not self.file.read_text():
            assert time.monotonic() < until, "the scheduler did not start"
            time.sleep(0.05)
        self.address = json.loads(self.file.read_text())["address"].replace("tcp://", "dask://")

    def _start(self, *words: str) -> None:
        command = [sys.executable, "-m", "dask", *words, "--scheduler-file", str(self.file)]
        process = subprocess.Popen(
            command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)

    def add_worker(self) -> None:
        own = ("--nthreads", "1", "--no-nanny", "--no-dashboard")
        self._start("worker", *own, "--local-directory", str(self.folder))


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[Started]:
    with ExitStack() as stack:
        yield Started(tmp_path, stack)


def chunked(plan: Plan, told: list[str] | None = None, started: Started | None = None) -> Scored:
    def notify(text: str) -> None:
        if told is not None:
            told.append(text)
        if started is not None and "no workers" in text:
            started.add_worker()

    systems = {"careful": home() / "careful.jsonl"}
    return scored("timelines", home() / "gold.jsonl", systems, plan, notify=notify)


def test_a_cluster_that_is_there_gives_the_same_document(scheduler: Started) -> None:
    """It has no worker at first, which is told, and the run waits for one."""
    told: list[str] = []
    found = chunked(Plan(scheduler.address, chunk=2), told, scheduler)
    assert told[-1] == "the Dask scheduler has no workers yet; waiting for one"
    assert manifest_of(found).dashboard in told[0]
    assert manifest_of(found).engine == scheduler.address
    here = chunked(Plan("here", chunk=3))
    assert encode(found.result) == encode(here.result)


def only_here(_: int) -> int:
    """The cluster's processes can't import this file, as if they had another version of ours."""
    return 0


def test_a_cluster_of_another_version_is_told(scheduler: Started, tmp_path: Path) -> None:
    scheduler.add_worker()
    place = Cluster(scheduler.address.replace("dask://", "tcp://"), 1, tmp_path)
    with pytest.raises(
        UsageError, match=r"the Dask cluster can't do the work: .*this version of chronoscore"
    ):
        list(run_on_cluster(only_here, [1], place))
