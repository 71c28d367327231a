"""What is wrong in a chunk stops the run, as it does in whole files, or is left out on request."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from engines.runs import manifest_of, scored
from readers.command_line import BAD_DATA, FINE, USAGE, run

import chronoscore
from chronoscore.core.result import load, unread_notice
from chronoscore.demo import home
from chronoscore.engines.plan import Plan, Progress
from chronoscore.engines.scoring import Scored
from chronoscore.errors import DataError, UsageError

GOLD, QUICK = home() / "gold.jsonl", home() / "quick.jsonl"
PARTLY = 4
OWN = "./kernels_that_fail.py"
KERNELS = """
class Odd(Exception):
    pass


def some(distance):
    if len(distance) % 2 == 0:
        raise Odd("not of these")
    return distance * 0.0 + 1.0


def leaves(distance):
    raise SystemExit(0)
"""


@pytest.fixture
def kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with kernels that fail, where people keep such files: where they are."""
    (tmp_path / OWN).write_text(KERNELS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def chunked(name: str, quick: Path = QUICK, plan: Plan | None = None, **more: Any) -> Scored:
    return scored(name, GOLD, {"quick": quick}, plan or Plan("here"), **more)


@pytest.mark.parametrize("engine", ["here", "processes", "dask"])
def test_an_own_function_that_fails_on_some_cases_stops_every_engine(
    engine: str, kernels: Path
) -> None:
    work = kernels / "work"
    plan = Plan(engine, workers=1, chunk=2, work=work)
    with pytest.raises(UsageError, match="some failed: Odd: not of these"):
        chunked("timelines", plan=plan, settings={"metrics": (f"align(kernel={OWN}:some)",)})
    kept = list((work / "chunks").glob("*"))  # none is there if the first failed
    assert not any(b"not of these" in path.read_bytes() for path in kept)


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("how", [(), ("--engine", "here", "--chunk", 2)])
@pytest.mark.parametrize("kernel", ["some", "leaves"])
def test_an_own_function_that_fails_or_leaves_is_wrong_usage(
    how: tuple[object, ...], kernel: str
) -> None:
    ran = run("timelines", GOLD, QUICK, "-m", f"align(kernel={OWN}:{kernel})", *how)
    assert (ran.code, ran.out) == (USAGE, "")
    assert f"{OWN}:{kernel} failed" in ran.err


@pytest.mark.parametrize("verb", ["timelines", "events", "annotations"])
@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", b"\n \n"])
def test_a_file_with_nothing_in_it_is_doubtful_in_parts_too(
    verb: str, content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "nothing.jsonl"
    path.write_bytes(content)
    here = ("--engine", "here", "--progress", "none")
    whole, partly = run(verb, GOLD, path), run(verb, GOLD, path, *here)
    assert whole.code == partly.code == BAD_DATA
    assert partly.problems == whole.problems
    whole, partly = (run(verb, GOLD, path, "--lenient", *more) for more in ((), here))
    assert whole.code == partly.code == FINE
    assert partly.out == whole.out
    assert sorted(partly.notices) == sorted(whole.notices)


def test_an_empty_packed_file_and_an_empty_shard_are_doubtful(tmp_path: Path) -> None:
    packed = tmp_path / "packed.jsonl.gz"
    packed.write_bytes(gzip.compress(b""))
    with pytest.raises(DataError, match=r"packed\.jsonl\.gz: the file is empty \(--lenient"):
        chunked("annotations", packed)
    folder = tmp_path / "shards"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(QUICK.read_bytes())
    chunked("annotations", folder)
    (folder / "b.jsonl").touch()
    with pytest.raises(DataError, match=r"b\.jsonl: the file is empty"):
        chunked("annotations", folder)


@pytest.fixture
def unread(tmp_path: Path) -> Path:
    """A prediction whose fourth line is cut off."""
    lines = QUICK.read_text().splitlines()
    lines[3] = '{"id": "x", "topic":'
    path = tmp_path / "unread.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_line_that_cannot_be_read_is_no_case_that_is_left_out(
    unread: Path, tmp_path: Path
) -> None:
    saved, work = tmp_path / "saved.json", tmp_path / "work"
    ran = run("annotations", GOLD, unread, "--max-bad", 1, "--save", saved, "--work", work)
    told = "1 line can't be read, so its case is unknown and is scored without it"
    assert ran.code == PARTLY
    assert f"not read: {unread}:4: " in ran.err
    assert "left out" not in ran.err
    result = load(saved)
    assert result.left_out == 0
    assert f"{told} ({unread}:4)" in result.notices
    assert len(result.systems[0].rows) == len(chunked("annotations").result.systems[0].rows)
    manifest = json.loads((work / "manifest.json").read_text())
    assert (manifest["bad"], manifest["unread"]) == (0, 1)


def test_a_line_that_cannot_be_read_counts_as_bad(unread: Path) -> None:
    here = ("annotations", GOLD, unread, "--engine", "here")
    stopped = run(*here)
    assert (stopped.code, len(stopped.problems)) == (BAD_DATA, 1)
    assert stopped.problems == run(*here[:3]).problems
    assert run(*here, "--max-bad", 1).code == PARTLY
    most = run(*here, "--max-bad", 0)
    assert most.code == BAD_DATA
    assert f"more than 0 cases or lines are bad, first {unread}:4: " in most.err
    events = [
        json.loads(line)
        for line in run(*here, "--max-bad", 1, "--progress", "json").err.splitlines()
        if line.startswith("{")
    ]
    (event,) = [event for event in events if event["event"] == "unread"]
    assert (event["file"], event["line"]) == (str(unread), 4)
    assert not [event for event in events if event["event"] == "bad"]


def test_lines_that_cannot_be_read_are_reported_with_the_words_of_the_reader(
    tmp_path: Path,
) -> None:
    lines = QUICK.read_bytes().splitlines()
    lines[2], lines[4], lines[6], lines[8] = b"[1]", b'{"topic": 5}', b"\xff\xfe", b'{"a": 1, "a":'
    path = tmp_path / "quick.jsonl"
    path.write_bytes(b"\n".join(lines) + b"\n")
    whole = run("ordering", GOLD, path)
    cut = run("ordering", GOLD, path, "--chunk", 3)
    assert whole.code == cut.code == BAD_DATA
    assert len(cut.problems) >= 4
    assert {*cut.problems} <= {*whole.problems}


def test_a_format_without_lines_refuses_to_leave_out_cases(tmp_path: Path) -> None:
    path = tmp_path / "gold.txt"
    path.write_text("1986-04-26\nA reactor explodes.\n")
    ran = run("timelines", path, path, "--max-bad", 1)
    assert ran.code == USAGE
    assert f"--max-bad reads files in chunks, and {path} is no JSONL" in ran.err


def test_many_lines_that_cannot_be_read_are_told_by_the_first() -> None:
    told = unread_notice([f"a.jsonl:{line}" for line in range(1, 8)])
    assert told.startswith("7 lines can't be read, so their cases are unknown ")
    assert told.endswith("a.jsonl:5 and 2 more)")


@pytest.mark.parametrize("chunk", [1, 2, 5])
def test_parts_and_progress_are_of_cases_alone(chunk: int) -> None:
    seen: list[Progress] = []
    made = chunked("annotations", plan=Plan("here", chunk=chunk), watch=seen.append)
    cases = len(made.result.systems[0].rows)
    assert manifest_of(made).cases == cases
    assert manifest_of(made).chunks == -(-cases // chunk)
    assert (seen[-1].stage, seen[-1].done, seen[-1].of) == ("measure", cases, cases)


def test_a_file_is_no_work_folder(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("mine")
    for work in (path, path / "inside"):
        ran = run("annotations", GOLD, QUICK, "--work", work)
        assert ran.code == USAGE
        assert f"{work} can't be made: there is a file" in ran.err
    assert path.read_text() == "mine"


def test_an_error_in_a_file_that_is_read_whole_reaches_the_caller(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(*_: object) -> None:
        raise MemoryError("all of it is used")

    monkeypatch.setattr("chronoscore.engines.chunks._read_and_measure", fails)
    with pytest.raises(MemoryError, match="all of it is used"):
        chronoscore.score("timelines", gold=GOLD, predicted=QUICK)
