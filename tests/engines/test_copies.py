"""A prediction that equals the gold in every case is reported: it is mostly the gold itself."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import chronoscore
from chronoscore import timelines
from chronoscore.cli.main import command
from chronoscore.demo import home

COPY = "is it a copy of the gold?"
TILSE = f"1986-04-26\nA reactor explodes.\n{'-' * 32}\n"
TLINKS = "doc1\te1\te2\tBEFORE\n"
CONLL = "Ann B-PER\nleft O\nParis B-LOC\n"


def run(*words: object) -> Any:
    return CliRunner().invoke(command, [*map(str, words)])


def document(name: str, *spans: tuple[str, int, int], group: str = "") -> dict[str, Any]:
    made = [{"type": k, "start": s, "end": e, "set": group} for k, s, e in spans]
    return {"id": name, "annotations": made}


def lines(path: Path, *records: object) -> Path:
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return path


@pytest.fixture
def copied(tmp_path: Path) -> Callable[[str, str], tuple[Path, Path]]:
    """Write a gold and a copy of it under another name."""

    def make(name: str, content: str) -> tuple[Path, Path]:
        gold = tmp_path / name
        gold.write_text(content, encoding="utf-8")
        copy = gold.with_name(f"pred{gold.suffix}")
        shutil.copy(gold, copy)
        return gold, copy

    return make


@pytest.mark.parametrize(
    ("family", "cases"), [("timelines", 10), ("ordering", 7), ("coreference", 7)]
)
@pytest.mark.parametrize("engine", [(), ("--engine", "here", "--chunk", "1")])
def test_a_copy_is_reported_whole_or_in_parts(
    tmp_path: Path, family: str, cases: int, engine: tuple[str, ...]
) -> None:
    copy = shutil.copy(home() / "gold.jsonl", tmp_path / "mine.jsonl")
    if family == "coreference":
        engine = ()  # it is not read in parts
    done = run(family, home() / "gold.jsonl", copy, *engine, "-f", "json")
    assert done.exit_code == 0, done.output
    told = f"mine: the prediction equals the gold in all {cases} cases: {COPY}"
    assert told in done.stderr
    assert told in json.loads(done.stdout)["notices"]


@pytest.mark.parametrize(
    ("family", "name", "content"),
    [
        ("tlinks", "gold.tsv", TLINKS),
        ("annotations", "gold.conll", CONLL),
        (
            "timelines",
            "gold.txt",
            "1986-04-26\nA reactor explodes.\n--------------------------------\n",
        ),
    ],
)
def test_a_single_case_counts(
    copied: Callable[[str, str], tuple[Path, Path]], family: str, name: str, content: str
) -> None:
    done = run(family, *copied(name, content))
    assert done.exit_code == 0, done.output
    assert f"pred: the prediction equals the gold in the only case: {COPY}" in done.stderr


def test_what_differs_in_one_case_is_no_copy(tmp_path: Path) -> None:
    first = document("d1", ("A", 0, 4))
    gold = lines(tmp_path / "gold.jsonl", first, document("d2", ("A", 0, 4)))
    other = lines(tmp_path / "tool.jsonl", first, document("d2", ("A", 0, 5)))
    assert COPY not in run("annotations", gold, other).stderr


@pytest.mark.parametrize("engine", [(), ("--engine", "here", "--chunk", "1")])
def test_nothing_against_nothing_is_no_copy(tmp_path: Path, engine: tuple[str, ...]) -> None:
    gold = lines(tmp_path / "gold.jsonl", document("d1"), document("d2"))
    done = run("annotations", gold, gold, "--lenient", *engine)
    assert done.exit_code == 0, done.output
    assert COPY not in done.stderr
    # With one case that is not empty it is, and the empty ones are counted with it.
    gold = lines(tmp_path / "gold.jsonl", document("d1"), document("d2", ("A", 0, 4)))
    done = run("annotations", gold, gold, *engine)
    assert f"gold: the prediction equals the gold in all 2 cases: {COPY}" in done.stderr


def test_a_missing_prediction_of_an_empty_gold_is_no_copy(tmp_path: Path) -> None:
    gold = lines(tmp_path / "gold.jsonl", document("d1"), document("d2"))
    tool = lines(tmp_path / "tool.jsonl", document("d1"))
    assert COPY not in run("annotations", gold, tool, "--lenient").stderr


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        ((), True),
        (("--gold-set", "Key", "--predicted-set", "Key"), True),
        (("--gold-set", "Key", "--predicted-set", "Tool"), False),
        (("--type", "A=B"), False),
        (("--feature", "sex=gender", "--lenient"), False),
        (("-m", "spans(gold_set=Key,predicted_set=Tool)", "-m", "spans"), True),
    ],
)
@pytest.mark.parametrize("engine", [(), ("--engine", "here", "--chunk", "1")])
def test_a_document_is_scored_against_itself_only_where_nothing_tells_its_sides_apart(
    tmp_path: Path, words: tuple[str, ...], reported: bool, engine: tuple[str, ...]
) -> None:
    key, tool = (document("d", (k, 0, 4), group=s) for k, s in (("A", "Key"), ("B", "Tool")))
    both = {"id": "d", "annotations": key["annotations"] + tool["annotations"]}
    path = lines(tmp_path / "both.jsonl", both)
    done = run("annotations", path, path, *words, *engine)
    assert done.exit_code == 0, done.output
    assert (COPY in done.stderr) is reported
    if reported:
        assert "--gold-set and --predicted-set compare two annotation sets" in done.stderr


def test_each_family_of_an_evaluation_is_named(tmp_path: Path) -> None:
    done = run("evaluate", home() / "gold.jsonl", f"mine={home() / 'gold.jsonl'}", "-f", "json")
    assert done.exit_code == 0, done.output
    notices = json.loads(done.stdout)["notices"]
    found = [notice.partition(":")[0] for notice in notices if COPY in notice]
    assert found[:3] == ["timelines", "events", "ordering"]


def test_python_calls_report_a_copy_too() -> None:
    gold = home() / "gold.jsonl"
    result = chronoscore.score("timelines", gold, {"mine": gold, "quick": home() / "quick.jsonl"})
    assert [notice for notice in result.notices if COPY in notice] == [
        f"mine: the prediction equals the gold in all 10 cases: {COPY}"
    ]
    day = {"1986-04-26": ["A reactor explodes."]}
    assert COPY in timelines.evaluate(day, day).notices[-1]
