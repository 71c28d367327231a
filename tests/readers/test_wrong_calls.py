"""Calls that ask for what does not exist: exit code 2, and a word on what there is."""

import subprocess
import sys
from pathlib import Path

import pytest
from every import each
from readers.command_line import BAD_DATA, FINE, USAGE, run
from readers.samples import DOCUMENTS, EVENTS, SHEET

from chronoscore.demo import home


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with good files, to be in."""
    for name, text in (("gold.jsonl", EVENTS), ("a.jsonl", EVENTS), ("b/a.jsonl", EVENTS)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "sheet.csv").write_text(SHEET, encoding="utf-8")
    (tmp_path / "documents.jsonl").write_text(DOCUMENTS, encoding="utf-8")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


SCORING = ("timelines", "ordering", "tlinks", "coreference", "annotations", "rubric")
EVERYWHERE = [
    (["--metric", "nope"], "unknown metric 'nope' in "),
    (["--metric", ""], "'' has no name before its parameters"),
    (["--protocol", "nope"], "unknown protocol 'nope' in "),
    (["--undefined", "nope"], "unknown policy 'nope' for undefined scores; there are: skip"),
    (["--average", "nope"], "'nope' in the averaging path is not level:rule"),
    (["--average", "nope:sum"], "the averaging path runs over nope, expected "),
    (["--by", "nope"], "no tag 'nope' to break down by; the cases have: case"),
    (["--explain", "nope"], "there is no case 'nope' to explain"),
    (["--fail-under", "x"], "--fail-under x: 'x' is not a number"),
    (["--fail-under", "nan"], "--fail-under nan: 'nan' is not a number"),
    (["--fail-under", "nope=1"], "unknown metric 'nope'"),
    (["--from-signature", "nope"], "'nope' is no part of a signature"),
    (["--encoding", "nope"], "unknown encoding 'nope'; try utf-8, latin-1 or cp1252"),
    (["--encoding", "hex"], "unknown encoding 'hex'; try utf-8, latin-1 or cp1252"),
    (["--encoding", "undefined"], "unknown encoding 'undefined'; try utf-8"),
    (["--max-line", "0"], "the longest line allowed must be at least 1, got 0"),
    (["--save", "folder"], "folder: can't be written: "),
    (["--save", "gold.jsonl/x.json"], "gold.jsonl/x.json: can't be written: "),
    (["--nope"], "No such option"),
    (["--format", "nope"], "'nope' is not one of 'text', "),
    (["--max-line", "nope"], "'nope' is not a valid integer"),
]


@pytest.mark.usefixtures("files")
@each("verb", SCORING)
@each(("options", "words"), EVERYWHERE)
def test_what_does_not_exist_is_told(verb: str, options: list[str], words: str) -> None:
    paths = ["sheet.csv"] if verb == "rubric" else ["gold.jsonl", "a.jsonl"]
    ran = run(verb, *paths, *options)
    if verb == "annotations" and options[0] == "--by":  # what is no tag there may be a feature
        assert (ran.code, "no target has the feature 'nope'" in ran.err) == (BAD_DATA, True)
        return
    assert ran.code == USAGE
    assert words in ran.err


CALLS = [
    ("timelines gold.jsonl a.jsonl -m align+m:1(rouge=x)", "parameter 'rouge' is 'x', expected"),
    ("timelines gold.jsonl a.jsonl -m align+m:1(rouge=0)", "parameter 'rouge' is "),
    ("timelines gold.jsonl a.jsonl -m align+m:1(rogue=1)", "no parameter 'rogue'; did you mean"),
    ("timelines gold.jsonl a.jsonl -m align+m:1(rouge=1", "has no closing bracket"),
    ("timelines gold.jsonl a.jsonl -m align+m:1(rouge=1,rouge=2)", "'rouge' is given twice"),
    ("timelines gold.jsonl a.jsonl -m AR1", "did you mean 'AR-1'?"),
    ("timelines gold.jsonl a.jsonl --golds nope", "'nope' is not one of 'each', 'pooled'"),
    ("timelines gold.jsonl a.jsonl --missing nope", "'nope' is not one of 'empty', 'skip'"),
    ("ordering gold.jsonl a.jsonl -m semeval2015(mode=x)", "parameter 'mode' is 'x', expected one"),
    ("annotations gold.jsonl a.jsonl -m spans(matching=x)", "parameter 'matching' is 'x', expect"),
    ("annotations gold.jsonl a.jsonl --thresholds x", "thresholds are 'x', expected all"),
    ("annotations gold.jsonl a.jsonl --thresholds all --average macro", "use --average micro"),
    (
        "rubric sheet.csv -m spans",
        "'spans' is a metric of annotations: chronoscore annotations GOLD PREDICTED... -m spans",
    ),
    (
        "timelines gold.jsonl a.jsonl -m date-accuracy",
        "'date-accuracy' is a metric of events: "
        "chronoscore events GOLD PREDICTED... -m date-accuracy",
    ),
    (
        "events gold.jsonl a.jsonl -m AR-1(rouge=2)",
        "'AR-1(rouge=2)' is a metric of timelines: "
        "chronoscore timelines GOLD PREDICTED... -m 'AR-1(rouge=2)'",
    ),
    ("timelines gold.jsonl", "Missing argument"),
    ("timelines gold.jsonl a.jsonl b/a.jsonl", "two systems are named 'a'; name them apart"),
    ("ordering gold.jsonl x=a.jsonl x=b/a.jsonl", "two systems are named 'x'; name them apart"),
    ("annotations gold.jsonl =a.jsonl", "'=a.jsonl' does not name a system and its file"),
    ("annotations gold.jsonl x=", "'x=' does not name a system and its file"),
    ("validate folder", "the folder 'folder' is empty"),
    ("validate --as nope gold.jsonl", "'nope' is not one of 'events', "),
    ("validate gold.jsonl --encoding nope", "unknown encoding 'nope'"),
    ("metrics nope", "unknown metric 'nope'; `chronoscore metrics` lists them all"),
    ("nope", "No such command"),
    ("timeline a b", "No such command 'timeline'. Did you mean 'timelines'?"),
]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(("call", "words"), CALLS)
def test_a_wrong_call_is_told(call: str, words: str) -> None:
    ran = run(*call.split())
    assert ran.code == USAGE
    assert words in ran.err


@pytest.mark.usefixtures("files")
def test_two_files_of_one_name_are_two_systems_if_told_so() -> None:
    ran = run("timelines", "gold.jsonl", "one=a.jsonl", "two=b/a.jsonl")
    assert ran.code == FINE
    assert "\none " in ran.out
    assert "\ntwo " in ran.out


PLACES = [
    ("annotations gold.jsonl folder", "folder: no annotations in the folder"),
    ("annotations folder gold.jsonl", "folder: no annotations in the folder"),
    (
        "timelines gold.jsonl folder",
        "folder: no timelines in the folder (.txt, .json, .jsonl, .csv, .tsv)",
    ),
    ("ordering gold.jsonl folder", "folder: no timelines (.txt) in the folder"),
    ("rubric folder", "folder: is a folder, expected a file"),
    ("rubric sheet.csv --events folder", "folder: is a folder, expected a file"),
    ("rubric sheet.csv --events none.jsonl", "none.jsonl: there is no such file"),
    (
        "rubric sheet.csv --events documents.jsonl",
        "2 events are not among the events to be judged: 'e1'",
    ),
    ("show folder", "folder: is a folder, expected a file"),
    ("show none.json", "none.json: there is no such file"),
    (f"timelines gold.jsonl {'x' * 5000}", "File name too long"),
    ("timelines goldd.jsonl a.jsonl", "no such file or folder; did you mean gold.jsonl?"),
    ("ordering gold.jsonl b/zz", "b/zz: there is no such file or folder\n"),
    ("rubric sheets.csv", "sheets.csv: there is no such file; did you mean sheet.csv?"),
    ("events demo/gold.jsonl a.jsonl", "folder; `chronoscore demo --data demo` writes the files"),
]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(("call", "words"), PLACES)
def test_a_wrong_place_is_told(call: str, words: str) -> None:
    ran = run(*call.split())
    assert ran.code == BAD_DATA
    assert words in ran.err
    assert ran.out == ""


@pytest.mark.usefixtures("files")
def test_a_saved_result_is_recognised_where_data_are_expected() -> None:
    assert run("timelines", "gold.jsonl", "a.jsonl", "--save", "result.json").code == FINE
    for verb in ("timelines", "ordering"):
        for files in (("gold.jsonl", "result.json"), ("result.json", "a.jsonl")):
            ran = run(verb, *files)
            assert (ran.code, ran.notices) == (BAD_DATA, [])
            message = "result.json: this is a saved result; `chronoscore show` reads it"
            assert ran.problems == [message]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("first", ["folder", "gold.jsonl"])
def test_compare_asks_for_the_question_where_files_are_no_saved_results(first: str) -> None:
    ran = run("compare", first, "a.jsonl", "b/a.jsonl")
    assert ran.code == USAGE
    assert "name the question first: chronoscore compare timelines GOLD PRED PRED" in ran.err


@pytest.mark.usefixtures("files")
def test_a_case_of_a_similar_name_is_proposed_to_be_explained() -> None:
    files = home() / "gold.jsonl", home() / "quick.jsonl"
    ran = run("timelines", *files, "--explain", "tchernobyl")
    assert ran.code == USAGE
    assert "lists the cases; did you mean chernobyl?" in ran.err


@pytest.mark.usefixtures("files")
def test_validate_tells_of_a_folder_before_it_says_that_other_files_are_fine() -> None:
    ran = run("validate", "gold.jsonl", "folder")
    assert (ran.code, ran.out) == (USAGE, "")


@pytest.mark.usefixtures("files")
def test_nothing_is_left_behind_by_a_call_that_fails(files: Path) -> None:
    before = sorted(files.rglob("*"))
    run("timelines", "gold.jsonl", "none.jsonl", "--save", "result.json")
    run("timelines", "gold.jsonl", "a.jsonl", "--save", "result.json", "-m", "nope")
    assert sorted(files.rglob("*")) == before


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("call", "code"),
    [("timelines gold.jsonl a.jsonl", FINE), ("timelines gold.jsonl x", BAD_DATA), ("x", USAGE)],
)
def test_a_process_of_its_own_ends_with_the_same_code(call: str, code: int) -> None:
    command = [sys.executable, "-m", "chronoscore", *call.split()]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == code
    assert "Traceback" not in ended.stderr
    assert bool(ended.stdout) == (code == FINE)
