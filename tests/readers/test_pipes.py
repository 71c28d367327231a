"""Pipes and standard input: one clear message, whoever reads, and nothing waits for ever."""

import os
import sys
from pathlib import Path

import pytest
from readers.command_line import USAGE, run

from chronoscore.core.errors import DataError
from chronoscore.core.reading import Reading
from chronoscore.core.result import load
from chronoscore.demo import home

GOLD = home() / "gold.jsonl"


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    if sys.platform == "win32":
        pytest.skip("there are no named pipes in folders")
    path = tmp_path / "pipe.jsonl"
    os.mkfifo(path)  # nobody ever writes into it: to open it would wait for ever
    return path


VERBS = ["timelines", "ordering", "tlinks", "coreference", "annotations", "evaluate", "annotators"]


@pytest.mark.parametrize("verb", VERBS)
def test_a_pipe_is_refused_with_a_way_out(verb: str, pipe: Path) -> None:
    for files in ([GOLD, pipe], [pipe, GOLD], [GOLD, f"ours={pipe}"]):
        ran = run(verb, *files)
        assert (ran.code, ran.out) == (USAGE, "")
        assert f"{pipe} can't be read here: a pipe is read once only" in ran.err


@pytest.mark.parametrize("verb", [*VERBS, "validate", "rubric", "agreement"])
def test_a_dash_is_no_file(verb: str) -> None:
    ran = run(verb, "-", *([GOLD] if verb in VERBS else []))
    assert ran.code == USAGE
    assert "standard input can't be read here" in ran.err


def test_readers_refuse_pipes_themselves(pipe: Path) -> None:
    reading = Reading()
    assert reading.text(pipe) is None
    assert "a pipe is read once only" in reading.problems[0].message
    with pytest.raises(DataError, match="a pipe is read once only"):
        load(pipe)
