"""A file in which nothing has a date is no timeline, and is not scored as if it were one."""

import json
from pathlib import Path
from typing import Any

import pytest
from readers.command_line import BAD_DATA, FINE, run

from chronoscore import timelines
from chronoscore.demo import home
from chronoscore.errors import DataError

DATED = {"id": "1", "topic": "t", "date": "2011-01-25", "text": "Protests began."}
UNDATED = {"id": "2", "topic": "t", "text": "They went on."}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, events in (("dated", [DATED]), ("undated", [UNDATED]), ("some", [DATED, UNDATED])):
        lines = "".join(json.dumps(event) + "\n" for event in events)
        Path(f"{name}.jsonl").write_text(lines, encoding="utf-8")


@pytest.mark.parametrize("name", ["articles", "places"])
def test_files_of_other_kinds_are_no_gold(name: str) -> None:
    path = home() / f"{name}.jsonl"
    ran = run("timelines", path, path, "--lenient")
    assert ran.code == BAD_DATA
    assert any("no entry has a date, so there is no timeline" in p for p in ran.problems)


def test_a_prediction_without_dates_is_doubted() -> None:
    ran = run("timelines", "dated.jsonl", "undated.jsonl")
    assert ran.code == BAD_DATA
    assert "all its timelines are empty" in ran.err
    assert run("timelines", "dated.jsonl", "undated.jsonl", "--lenient").code == FINE


def test_a_file_of_other_keys_in_a_folder_of_timelines_is_one_problem() -> None:
    folder = Path("run")
    folder.mkdir()
    day = json.dumps({"2011-01-25": ["Protests began."]})
    (folder / "t.json").write_text(day, encoding="utf-8")
    assert run("timelines", folder, folder).code == FINE
    config = folder / "config.json"
    config.write_text('{"model": "gpt", "seed": 1, "lr": 0.1, "note": "x"}', encoding="utf-8")
    ran = run("timelines", "dated.jsonl", folder)
    assert ran.code == BAD_DATA
    (problem,) = ran.problems
    assert problem.startswith(
        f'{config}: holds no timeline: none of its 4 keys is a date ("model", "seed", "lr", '
        '"note"); move it out of the folder if it is something else; expected {date: '
    )


def test_of_keys_with_a_date_among_them_each_wrong_one_is_reported() -> None:
    days = {"2011-01-25": ["Protests began."], "soon": ["x"], "later": ["y"]}
    Path("days.json").write_text(json.dumps(days), encoding="utf-8")
    ran = run("timelines", "dated.jsonl", "days.json")
    assert [problem.partition("'")[2].partition("'")[0] for problem in ran.problems] == [
        "soon",
        "later",
    ]


def test_one_date_makes_a_timeline() -> None:
    assert run("timelines", "some.jsonl", "some.jsonl").code == FINE


def test_what_holds_no_timeline_is_not_converted_to_one() -> None:
    assert run("convert", "undated.jsonl", "new.csv", "--to", "csv").code == BAD_DATA
    assert not Path("new.csv").exists()


def test_parts_are_doubted_as_the_whole_is() -> None:
    for gold, predicted, code in (
        ("undated", "undated", BAD_DATA),
        ("dated", "undated", BAD_DATA),
        ("dated", "dated", FINE),
        ("some", "some", FINE),
    ):
        paths = (f"{gold}.jsonl", f"{predicted}.jsonl")
        whole, parts = run("timelines", *paths), run("timelines", *paths, "--engine", "here")
        assert (whole.code, parts.code) == (code, code), parts.err
        assert parts.out == whole.out
    lenient = run("timelines", "dated.jsonl", "undated.jsonl", "--engine", "here", "--lenient")
    assert lenient.code == FINE
    assert any("all its timelines are empty" in notice for notice in lenient.notices)


def test_a_gold_without_a_day_is_refused_from_python_too() -> None:
    golds: tuple[Any, ...] = ({}, [], {"a": {}, "b": {}})
    for gold in golds:
        with pytest.raises(DataError, match="no day to score against"):
            timelines.evaluate(gold, {"2020-01-01": ["Rain."]})
        with pytest.raises(DataError, match="no day to score against"):
            timelines.score_many(gold, [{"2020-01-01": ["Rain."]}])
