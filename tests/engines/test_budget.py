"""Small files that ask for much memory are refused before they get it, and told how to go on."""

import gzip
import json
from collections.abc import Hashable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from readers.command_line import BAD_DATA, FINE, USAGE, run

from chronoscore.core import budget
from chronoscore.core.case import Case
from chronoscore.demo import home
from chronoscore.engines.chunks import measured
from chronoscore.timelines import Timeline
from chronoscore.timelines.family import FAMILY

GOLD, QUICK = home() / "gold.jsonl", home() / "quick.jsonl"
PARTS = ("--engine", "here", "--progress", "none")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(budget.VARIABLE, "1M")


def spans(path: Path, number: int, documents: int = 1) -> Path:
    """Documents in which each span lies in the one before it."""
    marks = [{"type": "T", "start": i, "end": 1000 - i} for i in range(number)]
    lines = [json.dumps({"id": f"d{n}", "annotations": marks}) for n in range(documents)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def days(path: Path, number: int) -> Path:
    first = date(1990, 1, 1)
    made = {str(first + timedelta(days=n)): [f"word {n}"] for n in range(number)}
    path.write_text(json.dumps(made), encoding="utf-8")
    return path


def refused(*call: object) -> str:
    """The message of a call that is refused, which names the way out."""
    ran = run(*call)
    assert (ran.code, ran.out) == (BAD_DATA, ""), ran.err
    assert f"{budget.VARIABLE}=" in ran.err
    return ran.err


def test_spans_that_all_overlap_are_refused_by_their_pairs(tmp_path: Path) -> None:
    many, few = spans(tmp_path / "many.jsonl", 80), spans(tmp_path / "few.jsonl", 40)
    assert "pairs of spans are to be compared, most of them in document 'd0'" in refused(
        "annotations", many, f"p={many}"
    )
    assert run("annotations", few, f"p={few}").code == FINE


def test_empty_spans_at_one_place_are_refused_by_their_pairs(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    marks = [{"type": "T", "start": 5, "end": 5} for _ in range(100)]
    path.write_text(json.dumps({"id": "d", "annotations": marks}) + "\n", encoding="utf-8")
    assert "10,000 pairs of spans" in refused("annotations", path, f"p={path}")


def test_all_pairs_of_a_document_are_refused_by_their_number(tmp_path: Path) -> None:
    path = tmp_path / "apart.jsonl"
    marks = [{"type": "T", "start": 9 * n, "end": 9 * n + 1} for n in range(100)]
    path.write_text(json.dumps({"id": "d", "annotations": marks}) + "\n", encoding="utf-8")
    how = ("--matching", "scored", "--candidates", "all")
    assert "10,000 pairs of spans" in refused("annotations", path, f"p={path}", *how)
    assert run("annotations", path, f"p={path}").code == FINE


def test_documents_that_are_too_many_at_once_are_read_in_parts(tmp_path: Path) -> None:
    path = spans(tmp_path / "several.jsonl", 40, documents=9)
    assert "--engine here --chunk 1" in refused("annotations", path, f"p={path}")
    ran = run("annotations", path, f"p={path}", "--chunk", 1, *PARTS)
    assert ran.code == FINE, ran.err


def test_timelines_of_many_days_are_refused_by_their_cells(tmp_path: Path) -> None:
    many, few = days(tmp_path / "many.json", 120), days(tmp_path / "few.json", 90)
    assert "case 'many' makes tables of 14,400 cells" in refused("timelines", many, f"p={many}")
    assert run("timelines", few, f"p={few}").code == FINE


def raters(path: Path, number: int) -> Path:
    """A sheet on which everyone judges the same event."""
    head, first = (home() / "judgements.csv").read_text(encoding="utf-8").splitlines()[:2]
    lines = [first.replace(",ana,", f",ana {n},") for n in range(number)]
    path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    return path


def test_evaluators_are_refused_by_their_pairs(tmp_path: Path) -> None:
    sheet = raters(tmp_path / "sheet.csv", 100)
    assert "100 evaluators make 24,750 rows of pairs" in refused("agreement", sheet)


def test_raters_are_refused_by_the_table_of_their_values(tmp_path: Path) -> None:
    sheet, codebook = tmp_path / "sheet.csv", tmp_path / "codebook.json"
    lines = [f"e1,rater {n},{n}" for n in range(20)]
    sheet.write_text("\n".join(["event_id,evaluator,Good", *lines]) + "\n", encoding="utf-8")
    criterion = {"field": "Good", "name": "good", "weight": "1", "scale": "ordinal"}
    values = [{"value": n, "label": f"level {n}"} for n in range(50)]
    head = {
        "name": "own",
        "version": "1",
        "title": "Own",
        "source": "",
        "score": "Q",
        "comment": "C",
    }
    asked = {**criterion, "question": "Is it good?", "values": values}
    codebook.write_text(json.dumps({**head, "criteria": [asked]}), encoding="utf-8")
    message = refused("agreement", sheet, "--codebook", codebook)
    assert "20 evaluators are compared in pairs: 23 MB" in message


def test_the_variable_raises_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many = days(tmp_path / "many.json", 120)
    advice = refused("timelines", many, f"p={many}").rpartition(f"{budget.VARIABLE}=")[2]
    monkeypatch.setenv(budget.VARIABLE, advice.strip())
    assert run("timelines", many, f"p={many}").code == FINE


@pytest.mark.parametrize("size", ["much", "-1", "0", "1.5G", "G"])
def test_a_limit_that_is_no_size_is_wrong_usage(size: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(budget.VARIABLE, size)
    ran = run("timelines", GOLD, QUICK)
    assert ran.code == USAGE
    assert "expected a size such as 500M or 4G" in ran.err


@pytest.mark.parametrize("more", [(), PARTS])
@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_a_file_that_unpacks_to_far_more_than_its_size_is_not_unpacked(
    kind: str, more: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / f"bomb.jsonl.{kind}"
    data = b" \n" * 2_000_000
    if kind == "gz":
        path.write_bytes(gzip.compress(data))
    else:
        path.write_bytes(pytest.importorskip("zstandard").compress(data))
    message = refused("timelines", GOLD, f"p={path}", *more)
    assert f"{path}: unpacks to more than 100 times its size" in message
    assert refused("validate", path)


@pytest.mark.parametrize("more", [(), PARTS])
@pytest.mark.parametrize("packed", [False, True])
def test_a_line_that_is_too_long_is_refused_even_if_it_is_blank(
    packed: bool, more: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(budget.VARIABLE, "1G")
    path = tmp_path / ("blank.jsonl.gz" if packed else "blank.jsonl")
    data = QUICK.read_bytes() + b" " * 100_000
    path.write_bytes(gzip.compress(data) if packed else data)
    ran = run("timelines", GOLD, f"p={path}", "--max-line", 90_000, *more)
    line = data.count(b"\n") + 1
    assert ran.code == BAD_DATA
    assert f"{path}:{line}: the line is longer than 90000 bytes" in ran.err
    assert run("timelines", GOLD, f"p={path}", "--max-line", 100_000, *more).code == FINE


def test_a_file_of_utf16_that_is_read_as_a_whole_must_fit(tmp_path: Path) -> None:
    path = tmp_path / "wide.jsonl"
    path.write_text("\n" * 100_000, encoding="utf-16")
    assert "utf-16 is read as a whole" in refused("validate", path)


def test_cases_with_large_tables_are_not_compared_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(budget.VARIABLE, "1G")
    sizes: list[int] = []

    def compare_many(cases: Sequence[Case[Any, Any]], setting: Hashable) -> Sequence[Any]:
        sizes.append(len(cases))
        assert FAMILY.compare_many is not None
        return FAMILY.compare_many(cases, setting)

    days = {date(1990, 1, 1) + timedelta(days=n): ["x"] for n in range(400)}
    large, small = Timeline.of(days), Timeline.of({date(1990, 1, 1): ["x"]})
    cases = [Case(str(n), (one,), one) for n, one in enumerate([large, large, small, small])]
    measured(replace(FAMILY, compare_many=compare_many), cases, [FAMILY.metric("date-f1")])
    assert sizes == [1, 3]


def test_a_parquet_text_that_is_stored_once_and_stands_in_all_rows_is_counted(
    tmp_path: Path,
) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = 100
    text = pa.DictionaryArray.from_arrays(
        pa.array([0] * rows, pa.int32()), pa.array(["x" * 100_000])
    )
    names = [str(n) for n in range(rows)]
    days = ["2011-01-01"] * rows
    table = pa.table({"id": names, "topic": names, "date": days, "text": text})
    path = tmp_path / "bomb.parquet"
    parquet.write_table(table, path)
    assert "unpacks to more than 100 times its size" in refused("timelines", GOLD, f"p={path}")
