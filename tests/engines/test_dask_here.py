"""A Dask cluster that a run starts itself: who can reach it, and what happens if it can't start."""

import os
from importlib import import_module
from pathlib import Path

import pytest
from readers.command_line import BAD_DATA, USAGE, run

from chronoscore.demo import home
from chronoscore.engines.plan import LOOPBACK
from chronoscore.engines.workers import Cluster, run_on_cluster

GOLD, QUICK = home() / "gold.jsonl", home() / "quick.jsonl"
DIES = """
import os, signal, sys
if any("spawn_main" in word for word in sys.orig_argv):
    os.kill(os.getpid(), signal.SIGKILL)
"""


def hosts_listening(parent: int) -> list[str]:
    """The addresses on which a process and all those below it accept connections."""
    run_itself = import_module("psutil").Process(parent)
    found: list[str] = []
    for process in (run_itself, *run_itself.children(recursive=True)):
        found += [one.laddr.ip for one in process.net_connections("tcp") if one.status == "LISTEN"]
    return found


def test_no_other_machine_can_reach_a_cluster_that_a_run_starts(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    (found,) = run_on_cluster(hosts_listening, [os.getpid()], Cluster("", 1, tmp_path))
    assert isinstance(found, list)
    assert len(found) >= 4  # scheduler, dashboard, nanny, worker
    assert set(found) == {LOOPBACK}


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_workers_that_are_killed_while_they_start_end_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    (tmp_path / "sitecustomize.py").write_text(DIES, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    ran = run("timelines", GOLD, QUICK, "--engine", "dask", "--workers", 1, "--chunk", 2)
    assert (ran.code, ran.out) == (BAD_DATA, "")
    assert "the Dask cluster can't be started on this machine" in ran.err
    assert "--engine processes" in ran.err


@pytest.mark.parametrize("dashboard", ["", "8787", "here:", "here:port"])
def test_a_dashboard_is_a_host_and_a_port(dashboard: str) -> None:
    ran = run("timelines", GOLD, QUICK, "--engine", "dask", "--dashboard", dashboard)
    assert ran.code == USAGE
    assert "expected HOST:PORT" in ran.err


def test_a_dashboard_is_for_dask() -> None:
    ran = run("timelines", GOLD, QUICK, "--engine", "here", "--dashboard", "127.0.0.1:0")
    assert ran.code == USAGE
    assert "--dashboard is for --engine dask" in ran.err
