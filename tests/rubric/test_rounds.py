"""Which round a judgement is of, and which of several is the last."""

import json
from pathlib import Path

import pytest

from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.sources import source_of
from chronoscore.rubric import event_quality
from chronoscore.rubric.family import read_cases
from chronoscore.rubric.formats import read_judgements
from chronoscore.rubric.judgements import round_order

FIELDS = [criterion.field for criterion in event_quality().criteria]
GOOD, BAD = "1,1,1,3,3", "0,0,0,1,1"


def sheet(path: Path, *rounds: tuple[str, str], kind: str = "person") -> Path:
    header = ",".join(["event_id", "evaluator", "evaluator_kind", "round", *FIELDS])
    rows = [f"e1,ana,{kind},{name},{values}" for name, values in rounds]
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def test_one_round_written_in_two_ways_is_one_round(tmp_path: Path) -> None:
    problems = Problems()
    path = sheet(tmp_path / "s.csv", ("1", GOOD), ("1.0", BAD))
    read_judgements([source_of(path)], event_quality(), problems)
    assert [problem.code for problem in problems.problems] == ["duplicate_judgement"]


@pytest.mark.parametrize("lenient", [False, True])
def test_numbers_of_rounds_are_read_the_same_row_by_row(tmp_path: Path, lenient: bool) -> None:
    whole = sheet(tmp_path / "whole.csv", ("01", GOOD), ("2.0", BAD))
    text = whole.read_text(encoding="utf-8")
    # A row that was not judged yet makes the sheet be read row by row.
    rows = tmp_path / "rows.csv"
    rows.write_text(text + ("e2,ana,person,1,,,,,\n" if lenient else ""), encoding="utf-8")
    problems = Problems(ReadingOptions(lenient=lenient))
    found = read_judgements([source_of(rows)], event_quality(), problems)
    assert [judgement.round for judgement in found] == ["1", "2"]
    assert not problems.problems


def test_json_names_rounds_alike(tmp_path: Path) -> None:
    values = dict(zip(FIELDS, (1, 1, 1, 3, 3), strict=True))
    path = tmp_path / "j.jsonl"
    record = {"event_id": "e1", "evaluator": "ana", **values}
    lines = [json.dumps({**record, "round": name}) for name in ("1", "1.0")]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    problems = Problems()
    read_judgements([source_of(path)], event_quality(), problems)
    assert [problem.code for problem in problems.problems] == ["duplicate_judgement"]


def test_no_round_comes_before_numbers_and_numbers_before_names() -> None:
    names = ["pilot", "10", "", "2", "final", "9" * 5000]
    assert sorted(names, key=round_order) == ["", "2", "10", "9" * 5000, "final", "pilot"]


def test_a_second_round_comes_after_one_that_is_not_named(tmp_path: Path) -> None:
    path = sheet(tmp_path / "s.csv", ("", BAD), ("2", GOOD))
    (batch,) = read_cases([source_of(path)], Problems()).values()
    assert [case.predicted.round for case in batch] == ["2"]


def test_the_order_of_named_rounds_is_told(tmp_path: Path) -> None:
    problems = Problems()
    path = sheet(tmp_path / "s.csv", ("1", GOOD), ("pilot", GOOD), ("final", BAD))
    read_judgements([source_of(path)], event_quality(), problems)
    (notice,) = problems.notices
    assert "in the order of the alphabet: 1, final, pilot;" in notice.message


def test_the_order_is_not_told_where_it_decides_nothing(tmp_path: Path) -> None:
    for name, path in (
        ("numbers", sheet(tmp_path / "a.csv", ("1", GOOD), ("2", BAD))),
        ("one name", sheet(tmp_path / "b.csv", ("pilot", GOOD))),
        ("samples", sheet(tmp_path / "c.csv", ("x", GOOD), ("y", BAD), kind="llm")),
    ):
        problems = Problems()
        read_judgements([source_of(path)], event_quality(), problems)
        assert not problems.notices, name
