"""Judgements in chunks: the document of reading them whole, byte for byte."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from chronoscore.core.problems import Problems
from chronoscore.core.result import encode
from chronoscore.core.sources import source_of
from chronoscore.demo import home
from chronoscore.engines.plan import Inputs, Plan
from chronoscore.engines.scoring import Scored, score_sources
from chronoscore.engines.settings import IntervalPlan, Settings
from chronoscore.errors import DataError
from chronoscore.rubric import Codebook, event_quality
from chronoscore.rubric.family import comment_counts, read_cases, reader_words, rubric_family
from chronoscore.rubric.formats import read_judgements, write_judgements
from chronoscore.rubric.judgements import chip_counts

STRICT = msgspec.structs.replace(event_quality(), name="ours", version="7", score="OQS")


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> str:
    """People's and a judge model's judgements, with earlier rounds and frequent comments.

    Of every second event, which are enough to be cut in all ways.
    """
    paths = [home() / "judgements.csv", home() / "judge.csv"]
    found = list(read_judgements([*map(source_of, paths)], event_quality(), Problems()))
    path = tmp_path_factory.mktemp("judged") / "sheet.jsonl"
    write_judgements(found, path, event_quality())
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    events = set(sorted({line["event_id"] for line in lines})[::2])
    lines = [line for line in lines if line["event_id"] in events]
    chip = event_quality().chips[0].text
    again = [{**line, "round": "0", event_quality().comment: chip} for line in lines[::7]]
    lines[3][event_quality().comment] = f"{chip}; see there"
    return "".join(json.dumps(line) + "\n" for line in (*again, *lines))


@pytest.fixture
def sheet(judged: str, tmp_path: Path) -> Path:
    path = tmp_path / "sheet.jsonl"
    path.write_text(judged)
    return path


def settings(book: Codebook | None = None) -> Settings:
    return Settings.make(rubric_family(book or event_quality()), chance=IntervalPlan())


def in_chunks(
    sheets: Sequence[Path],
    plan: Plan | None = None,
    *,
    book: Codebook | None = None,
    evaluator: str | None = None,
    known: frozenset[str] | None = None,
) -> Scored:
    words: dict[str, Any] = {**reader_words(book or event_quality(), evaluator)}
    words |= {} if known is None else {"events": known}
    inputs = Inputs(None, {"": [*map(source_of, sheets)]}, words)
    chosen = plan or Plan("here", chunk=3)
    return score_sources(settings(book), inputs, Problems(), chosen, explain=True)


def whole(sheets: Sequence[Path], **more: Any) -> bytes:
    return document(in_chunks(sheets, Plan(), **more))


def document(made: Scored) -> bytes:
    return encode(made.result)


def test_engines_and_cuts_give_the_document_of_reading_all(sheet: Path) -> None:
    wanted = whole([sheet])
    assert b"earlier rounds" in wanted
    assert b"judge models" in wanted
    assert b"root event" in wanted
    for chunk in (1, 5, 0):
        assert document(in_chunks([sheet], Plan("here", chunk=chunk))) == wanted
    for engine, workers in (("processes", 2), ("dask", 1)):
        plan = Plan(engine, workers=workers, chunk=20)
        assert document(in_chunks([sheet], plan)) == wanted


def test_the_order_of_named_rounds_is_told_of_all_parts(sheet: Path) -> None:
    lines = [json.loads(line) for line in sheet.read_text().splitlines()]
    events = sorted({line["event_id"] for line in lines})
    for line in lines:
        if events.index(line["event_id"]) % 2:  # the others keep their numbers
            line["round"] = "pilot" if line["round"] == "0" else "final"
    sheet.write_text("".join(json.dumps(line) + "\n" for line in lines))
    wanted = whole([sheet])
    assert (
        b"some rounds have names, which are in the order of the alphabet: 0, 1, final, pilot;"
        in wanted
    )
    for chunk in (1, 4, 0):
        assert document(in_chunks([sheet], Plan("here", chunk=chunk))) == wanted


def test_order_of_lines_and_sheets_change_nothing(sheet: Path, tmp_path: Path) -> None:
    wanted = whole([sheet])
    lines = sheet.read_text().splitlines(keepends=True)
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    one.write_text("".join(reversed(lines[::2])))
    two.write_text("".join(lines[1::2]))
    assert document(in_chunks([one, two])) == document(in_chunks([two, one])) == wanted


@pytest.mark.parametrize("packing", ["gz", "zst", "parquet"])
def test_packed_judgements_are_read_as_plain_ones(
    packing: str, sheet: Path, tmp_path: Path
) -> None:
    data = sheet.read_bytes()
    path = tmp_path / f"packed.jsonl.{packing}"
    if packing == "gz":
        path.write_bytes(gzip.compress(data))
    elif packing == "zst":
        path.write_bytes(pytest.importorskip("zstandard").compress(data))
    else:
        path = tmp_path / "packed.parquet"
        rows = [json.loads(line) for line in data.splitlines()]
        names = dict.fromkeys(name for row in rows for name in row)
        columns = {name: [row.get(name) for row in rows] for name in names}
        arrow = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(arrow.table(columns), path)
    assert document(in_chunks([path])) == whole([sheet])


def test_workers_know_ones_own_codebook_and_who_judged(sheet: Path, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in sheet.read_text().splitlines()]
    own = [line for line in lines if line["evaluator"] == "ana"]
    path = tmp_path / "ana.jsonl"
    path.write_text("".join(json.dumps({**x, "evaluator": ""}) + "\n" for x in own))
    made = in_chunks([path], Plan("processes", workers=2, chunk=9), book=STRICT, evaluator="ana")
    assert document(made) == whole([path], book=STRICT, evaluator="ana")
    assert b'"oqs"' in document(made)


def test_frequent_comments_add_up_over_parts(sheet: Path) -> None:
    """Only comments of judgements that count do; those of earlier rounds are gone with them."""
    made = in_chunks([sheet], Plan("here", chunk=1))
    cases = read_cases([source_of(sheet)], Problems())
    wanted = {system: chip_counts(own.columns, event_quality()) for system, own in cases.items()}
    assert sum(sum(own.values()) for own in wanted.values()) > 0
    assert comment_counts(list(wanted), event_quality(), made.facts) == wanted


def test_no_system_is_the_system_of_all(tmp_path: Path, sheet: Path) -> None:
    """A system that bears this name is the same one: nothing is lost, in parts or as a whole."""
    lines = [json.loads(line) for line in sheet.read_text().splitlines()][-60:]
    for at, line in enumerate(lines):
        line["system"] = "all" if at % 2 else ""
        line["event_id"] = f"e{at}"
    path = tmp_path / "all.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    made = in_chunks([path])
    (system,) = made.result.systems
    assert (system.name, len(system.rows)) == ("all", 60)
    assert document(made) == whole([path])


def test_a_bad_judgement_leaves_its_event_out(sheet: Path) -> None:
    lines = sheet.read_text().splitlines()
    spoilt = json.loads(lines[20]) | {"Eval_Relevance": 9}
    lines[20] = json.dumps(spoilt)
    sheet.write_text("\n".join(lines) + "\n")
    made = in_chunks([sheet], Plan("here", chunk=3, most_bad=1))
    assert [bad.case for bad in made.bad] == [spoilt["event_id"]]
    assert f"{sheet}:21" in made.bad[0].reasons[0]
    rows = [row for system in made.result.systems for row in system.rows]
    assert rows
    assert not any(row.tags["event"] == spoilt["event_id"] for row in rows)
    with pytest.raises(DataError, match="Eval_Relevance must be"):
        in_chunks([sheet])


def test_the_same_judgement_twice_is_told_with_the_lines_that_people_know(
    sheet: Path, tmp_path: Path
) -> None:
    lines = sheet.read_text().splitlines(keepends=True)
    sheet.write_text("".join(lines) + lines[-1])
    (bad,) = in_chunks([sheet], Plan("here", chunk=1, most_bad=1)).bad
    assert f"{sheet}:{len(lines) + 1}: " in bad.reasons[0]
    assert f"already in line {len(lines)};" in bad.reasons[0]
    sheet.write_text("".join(lines))
    other = tmp_path / "other.jsonl"
    other.write_text(lines[-1])
    (bad,) = in_chunks([sheet, other], Plan("here", chunk=1, most_bad=1)).bad
    assert f"{other}:1: " in bad.reasons[0]
    assert f"already in {sheet}:{len(lines)};" in bad.reasons[0]


def test_judgements_of_other_events_are_left_out_and_named(sheet: Path) -> None:
    events = {json.loads(line)["event_id"] for line in sheet.read_text().splitlines()}
    strange = min(events)
    plan = Plan("here", chunk=3, most_bad=1)
    made = in_chunks([sheet], plan, known=frozenset(events - {strange}))
    assert [bad.case for bad in made.bad] == [strange]
    assert f"{sheet}:1: event '{strange}' is not among" in made.bad[0].reasons[0]
    with pytest.raises(DataError, match="more than 0 cases are bad"):
        in_chunks([sheet], Plan("here", most_bad=0), known=frozenset(events - {strange}))


def test_lines_that_name_no_event_are_read_together(sheet: Path) -> None:
    """An event_id that is no text is told as what it is, and costs no other event its place."""
    lines = sheet.read_text().splitlines()
    wrong = json.loads(lines[0]) | {"event_id": 17}
    sheet.write_text("\n".join([json.dumps(wrong), *lines[1:]]) + "\n")
    (bad,) = in_chunks([sheet], Plan("here", chunk=3, most_bad=1)).bad
    assert bad.case == ""
    assert "event_id must be text, got 17" in bad.reasons[0]
    made = in_chunks([sheet], Plan("here", chunk=3, most_bad=999), known=frozenset())
    assert "event_id must be text, got 17" in made.bad[0].reasons[0]
    assert made.result.systems == ()


def test_a_sheet_that_is_given_twice_is_told_as_that(sheet: Path) -> None:
    with pytest.raises(DataError, match="the file is given twice"):
        in_chunks([sheet, sheet])
