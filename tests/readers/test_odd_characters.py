"""Control characters and line ends within texts: refused, or read back as they were written."""

import csv
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from every import each
from readers.command_line import BAD_DATA, FINE, run
from workbench.bench import Bench, answer, lines

from chronoscore.annotations.formats.reading import read_documents
from chronoscore.annotations.formats.writing import WRITTEN, write_documents
from chronoscore.annotations.model import Document
from chronoscore.core.event import Event
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.elements.dated.reading import read_timelines
from chronoscore.elements.dated.values import Collection
from chronoscore.elements.dated.writing import FORMATS, write_timelines
from chronoscore.errors import DataError
from chronoscore.rubric import event_quality
from chronoscore.rubric.formats import read_judgements, write_judgements
from chronoscore.rubric.judgements import Judgement
from chronoscore.timelines import evaluate

ODD = {
    "CR": "\r",
    "CRLF": "\r\n",
    "LF": "\n",
    "vertical tab": "\x0b",
    "form feed": "\x0c",
    "FS": "\x1c",
    "GS": "\x1d",
    "RS": "\x1e",
    "NEL": "\x85",
    "line separator": "\u2028",
    "tab": "\t",
    "quote": '"',
    "escape": "\x1b",
}
VALUES = {
    "Eval_DateCorrect": 1,
    "Eval_RootEvent": 1,
    "Eval_EventType": 1,
    "Eval_EventAmbiguity": 3,
    "Eval_Relevance": 3,
}


def line(path: Path, *records: object) -> Path:
    path.write_text("".join(f"{json.dumps(one)}\n" for one in records), encoding="utf-8")
    return path


@each("form", FORMATS)
@each("odd", ODD.values(), ids=ODD)
def test_timelines_read_back(odd: str, form: str, tmp_path: Path) -> None:
    text = f"A ship{odd}runs aground."
    record = {"id": "e1", "topic": "suez", "date": "2021-03-23", "text": text}
    source = line(tmp_path / "events.jsonl", record)
    problems = Problems()
    found = read_timelines(source_of(source), problems)
    problems.check()
    endings = {"events": ".jsonl", "summaries": ".jsonl", "days": ".jsonl"}
    ending = endings.get(form, {"csv": ".csv", "tsv": ".tsv"}.get(form, ""))
    target = tmp_path / f"written{ending}"
    write_timelines(found, target, form)
    again = read_timelines(source_of(target), problems)
    problems.check()
    assert not problems.notices
    assert said(again, form) == said(found, form)


def said(collection: Collection, form: str) -> list[tuple[str, ...]]:
    """All sentences; tilse's format has one a line, in which blanks are alike."""
    texts = [t for named in collection.values() for one in named.values() for _, t in one.days]
    return [tuple(" ".join(s.split()) for s in t) if form == "tilse" else t for t in texts]


@each("form", ["csv", "tsv", "xlsx", "jsonl"])
@each("odd", ODD.values(), ids=ODD)
def test_judgements_read_back(odd: str, form: str, tmp_path: Path) -> None:
    if form == "xlsx":
        pytest.importorskip("openpyxl")
    book = event_quality()
    record = {
        "event_id": "e1",
        "evaluator": "ana",
        "event_text": f"A ship{odd}runs",
        **VALUES,
        "Comment": f"not{odd}clear",
    }
    source = line(tmp_path / "judged.jsonl", record)
    problems = Problems()
    found = [*read_judgements([source_of(source)], book, problems)]
    problems.check()
    target = tmp_path / f"written.{form}"
    write_judgements(found, target, book)
    again = [*read_judgements([source_of(target)], book, problems)]
    problems.check()
    assert not problems.notices
    assert [(one.text, one.comment) for one in again] == [(o.text, o.comment) for o in found]


@each("form", WRITTEN)
@each("odd", ODD.values(), ids=ODD)
def test_annotations_read_back_at_the_same_offsets(odd: str, form: str, tmp_path: Path) -> None:
    text = f"A ship{odd}runs aground."
    place = len("A ship") + len(odd)
    mark = {"type": "EVENT", "start": place, "end": place + 4, "features": {"said": f"a{odd}b"}}
    source = line(tmp_path / "documents.jsonl", {"id": "d", "annotations": [mark], "text": text})
    problems = Problems()
    found = read_documents(source_of(source), problems)
    problems.check()
    (document,) = found["d"].values()
    assert document.text == text
    write_documents(found, tmp_path / "written", form)
    again = read_documents(source_of(tmp_path / "written"), problems)
    problems.check()
    (same,) = (one for named in again.values() for one in named.values())
    assert same.text == text
    (first,), (second,) = document.annotations, same.annotations
    assert (second.start, second.end) == (first.start, first.end)
    assert second.features == first.features


NUL_FILES: dict[str, tuple[str, str]] = {
    "timelines": (
        "events.jsonl",
        r'{"id": "e", "topic": "t", "date": "2011-01-01", "text": "a\u0000b"}',
    ),
    "timelines ": ("days.json", '{"2011-01-01": ["a\\u0000b"]}'),
    "ordering": (
        "events.jsonl",
        r'{"id": "e", "topic": "t", "position": 1, "mentions": ["a\u0000b"]}',
    ),
    "annotations": (
        "documents.jsonl",
        r'{"id":"d","annotations":[{"type":"T","start":0,"end":1,"id":"1"}],"text":"a\u0000b"}',
    ),
    "annotations ": (
        "features.jsonl",
        r'{"id":"d","annotations":[{"type":"T","start":0,"end":1,"features":{"\u0000":"b"}}]}',
    ),
    "annotations  ": (
        "prodigy.jsonl",
        r'{"text": "a\u0000b", "_input_hash": 1, "spans": [{"start": 0, "end": 1, "label": "T"}]}',
    ),
    "coreference": ("clusters.jsonl", r'{"id": "d", "clusters": [["a\u0000b", "c"]]}'),
    "tlinks": (
        "links.jsonl",
        r'{"document": "d", "source": "a\u0000b", "target": "c", "relation": "BEFORE"}',
    ),
    "rubric": ("judged.jsonl", r'{"event_id": "a\u0000b", "evaluator": "ana"}'),
}


@pytest.mark.parametrize("verb", NUL_FILES)
def test_a_nul_of_json_is_refused_with_its_line(verb: str, tmp_path: Path) -> None:
    name, record = NUL_FILES[verb]
    path = tmp_path / name
    path.write_text(f"{record}\n", encoding="utf-8")
    files = (path,) if verb == "rubric" else (path, f"p={path}")
    ran = run(verb.strip(), *files)
    assert ran.code == BAD_DATA
    assert f"{path}:1: a text contains the character NUL" in ran.err
    assert run("validate", path).code == BAD_DATA


@pytest.mark.parametrize("ending", ["jsonl", "csv", "tsv", "txt", "xml", "ann", "conll", "tml"])
def test_a_nul_of_any_file_is_refused(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"file.{ending}"
    path.write_bytes(b"first line\nsecond \0 line\n")
    assert run("validate", path).code == BAD_DATA


def test_a_nul_of_a_workbook_is_refused(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["event_id", "evaluator", *VALUES, "Comment"])
    book.active.append(["e1", "ana", *VALUES.values(), "not_x0000_clear"])
    book.save(tmp_path / "judged.xlsx")
    ran = run("rubric", tmp_path / "judged.xlsx")
    assert ran.code == BAD_DATA
    assert "Comment contains the character NUL" in ran.err


def test_a_nul_that_an_encoding_hides_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "days.txt"
    path.write_bytes(b"2011-01-01\na +AAA- b\n" + b"-" * 32 + b"\n")
    ran = run("timelines", path, f"p={path}", "--encoding", "utf-7")
    assert ran.code == BAD_DATA
    assert f"{path}:2: the line contains the character NUL" in ran.err


def test_a_nul_of_a_python_value_is_refused() -> None:
    with pytest.raises(DataError, match="contains the character NUL"):
        evaluate({"2011-01-01": ["a\0b"]}, {})
    with pytest.raises(DataError, match="contains the character NUL"):
        Judgement("e", "ana", (1,), comment="a\0b")
    with pytest.raises(ValueError, match="contains the character NUL"):
        Document("d", (), "a\0b")
    with pytest.raises(ValueError, match="contains the character NUL"):
        Event(id="e", text="a\0b")


def test_line_ends_of_texts_are_of_one_kind() -> None:
    assert Event(id="e", text="a\r\nb\rc").text == "a\nb\nc"
    judged = Judgement("e", "ana", (1,), comment="a\r\nb", text="c\rd")
    assert (judged.comment, judged.text) == ("a\nb", "c\nd")


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_sheets_to_judge_read_back(odd: str, tmp_path: Path) -> None:
    """The template of a sheet, judged, has the event's own text."""
    event = {"id": "e1", "topic": "t", "date": "2011-01-01", "text": f"A ship{odd}runs"}
    source = line(tmp_path / "events.jsonl", event)
    sheets = tmp_path / "sheets"
    ran = run("rubric", "template", source, "--evaluator", "ana", "--to", "csv", "-o", sheets)
    assert ran.code == FINE, ran.err
    (sheet,) = sheets.glob("*.csv")
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        header, row = csv.reader(file)
    cells = dict(zip(header, row, strict=True)) | {n: str(v) for n, v in VALUES.items()}
    with sheet.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([cells.keys(), cells.values()])
    problems = Problems()
    (judged,) = read_judgements([source_of(sheet)], event_quality(), problems)
    problems.check()
    assert judged.text == msgspec.convert(event, Event).text


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "xlsx"])
def test_what_the_workbench_exports_reads_back(form: str, tmp_path: Path) -> None:
    """Uploaded texts, and comments as they are typed, with every odd character at once."""
    if form == "xlsx":
        pytest.importorskip("openpyxl")
    odd = "x".join(ODD.values())
    bench = Bench(tmp_path / "bench")
    try:
        record = {"id": "e1", "article": "a1", "date": "2024-03-04", "text": f"It{odd}falls"}
        article = {"id": "a1", "published": "2024-03-07", "title": "t", "text": f"One{odd}two"}
        files = [("events", ("alpha.jsonl", lines([record])))]
        project = bench.project([*files, ("articles", ("articles.jsonl", lines([article])))])
        ana = bench.visitor("ana", project)
        batch = bench.batch(project, "ana")
        ana.get(f"/judge/{batch}/1")
        refused = ana.send(f"/judge/{batch}/1", answer(save="save-with-nul", comment="a\0b"))
        assert refused.status_code == 400
        saved = ana.send(f"/judge/{batch}/1", answer(save="save-the-odd", comment=f"so{odd}so"))
        assert saved.status_code == 200, saved.text
        assert ana.post(f"/judge/{batch}/submit", {"sure": "yes"}).status_code == 303
        exported = bench.owner.get(f"/projects/{project}/export/{form}").content
    finally:
        bench.store.close()
    path = tmp_path / f"judgements.{form}"
    path.write_bytes(exported)
    problems = Problems()
    (judged,) = read_judgements([source_of(path)], event_quality(), problems)
    problems.check()
    plain = odd.replace("\r\n", "\n").replace("\r", "\n")
    assert (judged.comment, judged.text) == (f"so{plain}so", f"It{plain}falls")


HALF = "half \ud83d"


@pytest.mark.parametrize(
    "value",
    [
        {"2021-03-04": [HALF]},
        {HALF: {"2021-03-04": ["A ship."]}},
        [{"topic": HALF, "date": "2021-03-04", "text": "A ship."}],
        [{"timeline": HALF, "date": "2021-03-04", "text": "A ship."}],
    ],
    ids=["text", "topic as a key", "topic", "timeline"],
)
def test_half_a_character_in_memory_is_refused(value: Any) -> None:
    with pytest.raises(DataError, match=r"half a character \(U\+D83D\)"):
        evaluate(value, {"2021-03-04": ["A ship."]})
