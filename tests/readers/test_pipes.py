"""Pipes and standard input: one clear message, whoever reads, and nothing waits for ever."""

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from threading import Thread

import msgspec
import pytest
from readers.command_line import BAD_DATA, FINE, USAGE, Ran, run

from chronoscore.core.problems import Problems
from chronoscore.core.result import load
from chronoscore.core.sources import source_of
from chronoscore.demo import home
from chronoscore.errors import DataError

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


SCORING = {
    "timelines": (GOLD, home() / "quick.jsonl", "events"),
    "ordering": (GOLD, home() / "quick.jsonl", "events"),
    "tlinks": (GOLD, home() / "quick.jsonl", "events"),
    "coreference": (GOLD, home() / "quick.jsonl", "events"),
    "annotations": (GOLD, home() / "quick.jsonl", "events"),
    "candidates": (home() / "places.jsonl", home() / "linked.jsonl", "jsonl"),
}


def piped(data: bytes, *words: object) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "chronoscore", *map(str, words)]
    return subprocess.run(command, input=data, capture_output=True, check=False)


def piped_here(data: bytes, *words: object) -> Ran:
    """The same without a process of its own."""
    end, start = os.pipe()
    with ExitStack() as stack:
        stack.callback(os.close, kept := os.dup(0))
        stack.callback(os.dup2, kept, 0)
        os.dup2(end, 0)
        os.close(end)
        writing = Thread(target=written, args=(start, data))
        writing.start()
        ran = run(*words)
        writing.join()
    return ran


def written(start: int, data: bytes) -> None:
    with os.fdopen(start, "wb") as file:
        file.write(data)


@pytest.mark.parametrize("verb", SCORING)
def test_standard_input_is_read_where_its_format_is_named(verb: str) -> None:
    gold, quick, form = SCORING[verb]
    wanted = run(verb, gold, f"ours={quick}", "-f", "json").out
    named = ("--input-format", form, "-f", "json")
    for files, data in ((("-", f"ours={quick}"), gold), ((gold, "ours=-"), quick)):
        ran = piped_here(data.read_bytes(), verb, *files, *named)
        assert ran.code == FINE, ran.err
        made, expected = (msgspec.json.decode(text) for text in (ran.out, wanted))
        assert made["systems"] == expected["systems"]


def test_judgements_come_from_standard_input() -> None:
    data = (home() / "judgements.csv").read_bytes()
    ran = piped(data, "rubric", "-", "--input-format", "csv")
    assert (ran.returncode, ran.stdout.decode()) == (
        FINE,
        run("rubric", home() / "judgements.csv").out,
    )


def test_standard_input_is_cut_into_chunks_as_files_are(tmp_path: Path) -> None:
    data, quick = GOLD.read_bytes(), home() / "quick.jsonl"
    cut = ("--engine", "processes", "--workers", 1, "--chunk", 2, "--progress", "none")
    ran = piped(data, "timelines", "-", quick, "--input-format", "jsonl", *cut)
    assert (ran.returncode, ran.stdout.decode()) == (FINE, run("timelines", GOLD, quick).out)


def test_problems_of_standard_input_name_it() -> None:
    ran = piped(b"{", "timelines", GOLD, "-", "--input-format", "jsonl")
    assert ran.returncode == BAD_DATA
    assert b"standard input:1: the JSON ends too early" in ran.stderr


def test_only_one_input_is_a_pipe() -> None:
    ran = run("timelines", "-", "-", "--input-format", "jsonl")
    assert ran.code == USAGE
    assert "only one input may be a pipe" in ran.err


def test_the_message_on_pipes_names_the_way_out() -> None:
    ran = run("timelines", GOLD, "-")
    assert ran.err.rstrip().endswith("such as x.jsonl, or name its format with --input-format")


def test_a_named_format_overrides_the_ending(tmp_path: Path) -> None:
    odd = tmp_path / "quick.data"
    odd.write_bytes((home() / "quick.jsonl").read_bytes())
    assert run("timelines", GOLD, odd).code == BAD_DATA
    wanted = run("timelines", GOLD, home() / "quick.jsonl").out
    assert run("timelines", GOLD, odd, "--input-format", "events").out == wanted


def test_an_unknown_format_names_the_known_ones() -> None:
    ran = run("ordering", GOLD, GOLD, "--input-format", "nosuch")
    assert ran.code == USAGE
    assert "semeval" in ran.err


def test_readers_refuse_pipes_themselves(pipe: Path) -> None:
    problems = Problems()
    assert source_of(pipe).text(problems) is None
    assert "a pipe is read once only" in problems.problems[0].message
    with pytest.raises(DataError, match="a pipe is read once only"):
        load(pipe)
