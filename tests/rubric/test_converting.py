"""Judgements through the command into every format, and back as they were."""

import json
import tempfile
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from rubric.judging import BEST, BOOK, row, sheet
from rubric.test_formats import many

from chronoscore.cli.main import command
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.demo import home
from chronoscore.elements.articles import Article
from chronoscore.errors import ChronoscoreError
from chronoscore.rubric.formats import FORMATS, read_judgements
from chronoscore.rubric.formats.label_studio import judged_tasks, write_judged_project
from chronoscore.rubric.judgements import Judgement

DEMO = home() / "judgements.csv"


def convert(*words: object) -> Result:
    return CliRunner().invoke(command, ["rubric", "convert", *map(str, words)])


def read(path: Path) -> list[Judgement]:
    problems = Problems()
    found = read_judgements([source_of(path)], BOOK, problems)
    problems.check()
    return list(found)


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_holds_the_same_judgements(form: str, tmp_path: Path) -> None:
    done = convert(DEMO, "-o", tmp_path / f"new.{form}")
    assert done.exit_code == 0, done.output
    assert read(tmp_path / f"new.{form}") == read(DEMO)


def test_a_label_studio_project_holds_the_same_judgements(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    done = convert(
        DEMO, "--to", "label-studio", "-o", folder, "--articles", home() / "articles.jsonl"
    )
    assert done.exit_code == 0, done.output
    assert read(folder / "tasks.json") == read(DEMO)
    names = {control.get("name") for control in ET.parse(folder / "config.xml").iter("Choices")}
    assert names >= {criterion.field for criterion in BOOK.criteria}
    tasks = json.loads((folder / "tasks.json").read_text(encoding="utf-8"))
    assert all(task["data"]["article_text"] for task in tasks)
    assert len(tasks) == len({one.event for one in read(DEMO)})


@given(judged=many)
def test_any_judgements_of_people_come_back_from_a_project(judged: list[Judgement]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _, tasks = write_judged_project(Path(folder), judged, BOOK)
        found = {one.key: one for one in read_judgements([source_of(tasks)], BOOK, Problems())}
    people = {one.key: one for one in judged if one.kind == "person"}
    assert found.keys() == people.keys()
    for key, one in people.items():
        assert (found[key].values, found[key].comment) == (one.values, one.comment)


def test_models_are_predictions_and_rounds_are_tasks() -> None:
    judged = [
        Judgement("e1", "ana", BEST, round="1", article="a1"),
        Judgement("e1", "ana", BEST, round="2", article="a1"),
        Judgement("e1", "gpt", BEST, round="1", kind="llm"),
    ]
    first, second = judged_tasks(judged, BOOK, [Article(id="a1", title="News")])
    assert [made["model_version"] for made in first["predictions"]] == ["gpt"]
    assert [made["completed_by"] for made in first["annotations"]] == [{"email": "ana"}]
    assert first["data"]["article_title"] == "News"
    assert (second["data"]["round"], second["predictions"]) == ("2", [])


def test_all_rounds_and_files_are_kept(tmp_path: Path) -> None:
    one = sheet(tmp_path / "one.csv", [row("e1", "ana", round="1"), row("e1", "ana", round="2")])
    values = {name: value for name, value in row("e1", "").items() if name != "evaluator"}
    two = sheet(tmp_path / "two.csv", [values])
    done = convert(one, two, "--evaluator", "ben", "-o", tmp_path / "all.jsonl")
    assert "3 judgements" in done.output
    assert [one.evaluator for one in read(tmp_path / "all.jsonl")] == ["ana", "ana", "ben"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["-o", "new.txt"], "give --to"),
        (["-o", "new.csv", "--to", "xlsx"], "ends in .xlsx"),
        (["-o", "new.csv", "--articles", "x.jsonl"], "--articles is for --to label-studio"),
        (["-o", "there.csv"], "already exists"),
    ],
)
def test_wrong_calls_are_told(
    words: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.csv").write_text("mine", encoding="utf-8")
    done = convert(DEMO, *words)
    assert isinstance(done.exception, ChronoscoreError)
    assert told in str(done.exception)
    assert done.exception.exit_code == 2
    assert (tmp_path / "there.csv").read_text(encoding="utf-8") == "mine"


def test_bad_judgements_are_not_written(tmp_path: Path) -> None:
    bad = sheet(tmp_path / "bad.csv", [row("e1", "ana", (2, 0, 0, 1, 1))])
    done = convert(bad, "-o", tmp_path / "new.csv")
    assert isinstance(done.exception, ChronoscoreError)
    assert done.exception.exit_code == 3
    assert not (tmp_path / "new.csv").exists()
