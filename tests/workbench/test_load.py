"""A short turn of the load benchmark: many save at once, the server is killed, nothing is lost."""

import sys
from pathlib import Path

import pytest

pytest.importorskip(
    "uvicorn", reason="the workbench is not installed: pip install chronoscore[web]"
)
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.workbench_load import (
    Evaluator,
    lost,
    page_times,
    prepare,
    save_for,
    save_until_killed,
    serving,
    start,
)

PEOPLE, EVENTS, SECONDS = 12, 120, 0.4


def test_many_save_at_once_and_after_a_crash_nothing_is_lost(tmp_path: Path) -> None:
    database = tmp_path / "load.db"
    owner, evaluators = prepare(database, PEOPLE, EVENTS)
    with serving(database) as server:
        save_for(evaluators, server, SECONDS)
        for path in ("/", "/projects/1", "/projects/1/agreement", "/batches/1"):
            assert page_times(server, owner, path, 1)[0] == 200
    assert all(one.told and not one.errors for one in evaluators)
    assert lost(database, evaluators) == []
    server = start(database)
    save_until_killed(evaluators, server, SECONDS)
    server.kill()
    assert all(one.waiting for one in evaluators), "all were waiting for an answer"
    with serving(database, server.port) as again:
        assert lost(database, evaluators) == []
        save_for(evaluators, again, SECONDS)
    assert not any(one.errors or one.waiting for one in evaluators)
    assert lost(database, evaluators) == []


def test_an_answer_that_is_not_there_is_found_out(tmp_path: Path) -> None:
    database = tmp_path / "load.db"
    _, evaluators = prepare(database, 2, 20)
    assert lost(database, evaluators) == []
    one: Evaluator = evaluators[0]
    one.told["0001-00000001"] = (1, "answer 1")
    assert [line.split(":")[0] for line in lost(database, evaluators)] == [str(one.id)]
