"""A refused call leaves nothing behind: no file, and no folder for files that were not written."""

import shlex
from pathlib import Path

import pytest
from readers.command_line import BAD_DATA, USAGE, run

from chronoscore.core.writing import replaced, write_file
from chronoscore.errors import UsageError

REFUSED = {
    "template of bad events": "rubric template bad.jsonl --evaluator ana -o new/x",
    "template with too much overlap": "rubric template demo/quick.jsonl --evaluator ana "
    "--overlap 3 -o new/x",
    "template by a bad codebook": "rubric template demo/quick.jsonl --evaluator ana "
    "--codebook bad.jsonl -o new/x",
    "template with equal names": "rubric template demo/quick.jsonl --evaluator ana "
    "--evaluator Ana -o new/x",
    "convert a bad file": "convert bad.jsonl new/x --to tilse",
    "convert no order": "convert demo/articles.jsonl new/x --to semeval",
    "convert bad annotations": "convert bad.jsonl new/x --to brat",
    "convert bad judgements": "rubric convert bad.jsonl -o new/x.csv",
    "convert to nothing known": "rubric convert demo/judgements.csv -o new/x.foo",
    "convert bad links": "tlinks convert bad.jsonl new/x --to timeml",
    "demo data again": "demo --data demo --report new/r",
    "report of a bad file": "timelines demo/gold.jsonl bad.jsonl --report new/r.html",
    "report of an unknown metric": "timelines demo/gold.jsonl demo/quick.jsonl -m nope "
    "--report new/r.html",
    "save what can't be explained": "timelines demo/gold.jsonl demo/quick.jsonl --explain nope "
    "--save new/r.json",
    "leaderboard of a bad file": "leaderboard bad.jsonl -o new/site",
    "leaderboard of no results": "leaderboard demo -o new/site",
    "work folder of no gold": "timelines nope.jsonl demo/quick.jsonl --work new/w",
    "work folder of a bad gold": "timelines bad.jsonl demo/quick.jsonl --work new/w",
    "work folder of bad lines": "timelines demo/gold.jsonl bad.jsonl --strict --work new/w",
    "work folder of no engine": "timelines demo/gold.jsonl demo/quick.jsonl --engine nope "
    "--work new/w",
    "work folder of a wrong metric": "timelines demo/gold.jsonl demo/quick.jsonl -m nope "
    "--work new/w",
    "graphs of a bad file": "ordering demo/gold.jsonl bad.jsonl --write-graphs new/g",
    "graphs without a case to explain": "ordering demo/gold.jsonl demo/quick.jsonl --explain nope "
    "--write-graphs new/g",
    "differences of a bad file": "annotations demo/gold.jsonl bad.jsonl --write-differences new/d",
    "differences of labels": "annotations demo/gold.jsonl demo/quick.jsonl -m classification "
    "--write-differences new/d",
    "judge of bad events": "judge bad.jsonl --articles demo/articles.jsonl --model m "
    "--base-url http://127.0.0.1:1/v1 --cache new/c -o new/j.jsonl",
    "judge without articles": "judge demo/quick.jsonl --model m "
    "--base-url http://127.0.0.1:1/v1 --cache new/c -o new/j.jsonl",
    "workbench from no copy": "serve restore bad.jsonl --db new/x.db",
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    run("demo", "--data", "demo")
    (tmp_path / "bad.jsonl").write_text("{bad\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("what", REFUSED)
def test_a_refused_call_leaves_no_folder(place: Path, what: str) -> None:
    before = sorted(place.rglob("*"))
    ran = run(*shlex.split(REFUSED[what]))
    assert ran.code in (USAGE, BAD_DATA), ran
    assert sorted(place.rglob("*")) == before


def test_a_failed_gate_is_no_refusal(place: Path) -> None:
    ran = run(
        *("ordering", "demo/gold.jsonl", "demo/quick.jsonl"),
        *("--write-graphs", "new/g", "--fail-under", "0.99"),
    )
    assert ran.code == 1
    assert len(list((place / "new" / "g").iterdir())) == 14


def test_folders_that_were_made_for_a_file_go_with_it(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()

    def fail() -> None:
        with replaced(tmp_path / "old" / "a" / "b" / "x.txt"):
            raise UsageError("no")

    with pytest.raises(UsageError):
        fail()
    assert [*tmp_path.rglob("*")] == [tmp_path / "old"]


def test_folders_that_others_write_into_stay(tmp_path: Path) -> None:
    def fail() -> None:
        with replaced(tmp_path / "a" / "b" / "x.txt"):
            write_file(tmp_path / "a" / "other.txt", "x")
            raise UsageError("no")

    with pytest.raises(UsageError):
        fail()
    assert sorted(tmp_path.rglob("*")) == [tmp_path / "a", tmp_path / "a" / "other.txt"]
