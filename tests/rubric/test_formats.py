"""Judgements are read alike from every file, and come back as they were written."""

import json
import random
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from every import each
from hypothesis import given
from hypothesis import strategies as st
from vectors_home import free

from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.sources import source_of
from chronoscore.errors import DataError, UsageError
from chronoscore.rubric.codebook import event_quality
from chronoscore.rubric.formats import FORMATS, read_judgements, write_judgements
from chronoscore.rubric.formats import sheets as sheet_module
from chronoscore.rubric.judgements import Judgement

BOOK = event_quality()
FIELDS = [criterion.field for criterion in BOOK.criteria]
EQS = free("rubric/eqs.json")


def read(path: Path, **options: Any) -> tuple[list[Judgement], Problems]:
    problems = Problems(ReadingOptions(lenient=options.pop("lenient", False)))
    return [*read_judgements([source_of(path)], BOOK, problems, **options)], problems


def told(problems: Problems) -> list[tuple[str, str]]:
    return [(problem.code, problem.field) for problem in problems.problems]


def csv_file(row: dict[str, Any], folder: Path) -> Path:
    path = folder / "sheet.csv"
    cells = {name: f'"{value}"' for name, value in row.items()}
    path.write_text(f"{','.join(cells)}\n{','.join(cells.values())}\n", encoding="utf-8")
    return path


def workbook(rows: list[list[Any]], path: Path, title: str = "Sheet") -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = title
    for row in rows:
        sheet.append(row)
    book.save(path)
    return path


def xlsx_file(row: dict[str, Any], folder: Path) -> Path:
    return workbook([list(row), list(row.values())], folder / "sheet.xlsx")


def jsonl_file(row: dict[str, Any], folder: Path) -> Path:
    path = folder / "rows.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    return path


def json_file(row: dict[str, Any], folder: Path) -> Path:
    path = folder / "rows.json"
    path.write_text(json.dumps([row]), encoding="utf-8")
    return path


def label_studio_file(row: dict[str, Any], folder: Path) -> Path:
    """Numbers as ratings, the comment as text: the kinds of control that keep JSON's types."""
    row = dict(row)
    data = {"event_id": row.pop("event_id")}
    who = row.pop("evaluator")
    result: list[dict[str, Any]] = []
    for name, value in row.items():
        inner = {"text": [value]} if name == "Comment" else {"rating": value}
        result.append({"from_name": name, "to_name": "event", "type": "rating", "value": inner})
    annotation = {"completed_by": who, "result": result, "was_cancelled": False}
    path = folder / "export.json"
    path.write_text(json.dumps([{"id": 1, "data": data, "annotations": [annotation]}]))
    return path


def argilla_file(row: dict[str, Any], folder: Path) -> Path:
    row = dict(row)
    identity, who = row.pop("event_id"), row.pop("evaluator")
    responses = {name: [{"value": value, "user_id": who}] for name, value in row.items()}
    path = folder / "records.json"
    path.write_text(json.dumps([{"id": identity, "fields": {}, "responses": responses}]))
    return path


WRITERS: dict[str, Callable[[dict[str, Any], Path], Path]] = {
    "csv": csv_file,
    "xlsx": xlsx_file,
    "jsonl": jsonl_file,
    "json": json_file,
    "label studio": label_studio_file,
    "argilla": argilla_file,
}
SHEETS = ("csv", "xlsx")
# A label of Argilla is text by nature: "1" names the level 1 there.
NOT_IN = {("argilla", "date-str-json")}


def cases(vectors: list[dict[str, Any]]) -> list[Any]:
    return [
        pytest.param(vector, form, id=f"{vector['id']}-{form}")
        for vector in vectors
        for form in WRITERS
        if (vector["source"] == "csv") == (form in SHEETS) and (form, vector["id"]) not in NOT_IN
    ]


@each(("vector", "form"), cases(EQS["bad_inputs"]))
def test_bad_input_has_its_code_and_field_in_every_file(
    vector: dict[str, Any], form: str, tmp_path: Path
) -> None:
    row = {"event_id": "e1", "evaluator": "ana", **vector["input"]}
    judgements, problems = read(WRITERS[form](row, tmp_path))
    assert told(problems) == [(vector["error"]["code"], vector["error"]["field"])]
    assert not judgements


@pytest.mark.parametrize(("vector", "form"), cases(EQS["accepted_inputs"]))
def test_accepted_input_is_accepted_in_every_file(
    vector: dict[str, Any], form: str, tmp_path: Path
) -> None:
    row = {"event_id": "e1", "evaluator": "ana", **vector["input"]}
    judgements, problems = read(WRITERS[form](row, tmp_path))
    assert not problems.problems
    assert [float(BOOK.quality(judgement.values)) for judgement in judgements] == [vector["eqs"]]
    assert judgements[0].comment == vector["input"].get("Comment", "")


NUMBERS_IN_SHEETS = [v for v in EQS["bad_inputs"] if v["error"]["code"] in ("out_of_range",)]


@pytest.mark.parametrize("vector", NUMBERS_IN_SHEETS, ids=lambda vector: vector["id"])
@pytest.mark.parametrize("form", SHEETS)
def test_numbers_out_of_range_are_told_in_sheets_too(
    vector: dict[str, Any], form: str, tmp_path: Path
) -> None:
    row = {"event_id": "e1", "evaluator": "ana", **vector["input"]}
    _, problems = read(WRITERS[form](row, tmp_path))
    assert told(problems) == [(vector["error"]["code"], vector["error"]["field"])]


@pytest.mark.parametrize("form", WRITERS)
@pytest.mark.parametrize("vector", EQS["duplicates"], ids=lambda vector: vector["id"])
def test_doubled_and_unknown_judgements_in_every_file(
    vector: dict[str, Any], form: str, tmp_path: Path
) -> None:
    paths = []
    for number, row in enumerate(vector["rows"]):
        (tmp_path / str(number)).mkdir()
        if form in ("label studio", "argilla") and "round" in row:
            pytest.skip("rounds are data of the task there")
        paths.append(WRITERS[form](row, tmp_path / str(number)))
    problems = Problems()
    read_judgements([*map(source_of, paths)], BOOK, problems, events=["e1"])
    expected = [vector["error"]["code"]] if vector["error"] else []
    assert [problem.code for problem in problems.problems] == expected


texts = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30
)  # NUL is refused
formula = st.sampled_from(
    ["=1+1", "+1", "-1", "@SUM(A1)", "'=1", "''-", "\t=1", " =2", "=", "'", "＝1"]
)
comments = st.one_of(texts, st.builds(str.__add__, formula, texts))
plain = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=12)
values = st.tuples(*(st.sampled_from(criterion.allowed) for criterion in BOOK.criteria))
judgement = st.builds(
    Judgement,
    event=st.one_of(plain, st.builds("={}".format, plain)),
    evaluator=plain,
    values=values,
    round=st.sampled_from(["", "1", "2"]),
    system=st.sampled_from(["", "-a", "b"]),
    article=st.sampled_from(["", "a1"]),
    type=st.sampled_from(["", "=type"]),
    comment=comments,
    date=st.sampled_from(["", "2011-01-25", "2011"]),
    text=comments,
    kind=st.sampled_from(["person", "llm"]),
)
many = st.lists(judgement, min_size=1, max_size=4, unique_by=lambda made: made.key)


@pytest.mark.parametrize("form", FORMATS)
@given(judged=many)
def test_what_is_written_is_read_back(
    form: str, judged: list[Judgement], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("round") / f"judged.{form}"
    write_judgements(judged, path, BOOK)
    back, problems = read(path)
    assert not problems.problems
    assert back == sorted(judged, key=lambda one: one.key)


@pytest.mark.parametrize("comment", ["=1+1", "+1", "-1", "@SUM(A1)", '=HYPERLINK("x")', "#N/A"])
def test_no_comment_becomes_a_formula(comment: str, tmp_path: Path) -> None:
    judged = [Judgement("=e", "ana", (1, 1, 1, 3, 3), comment=comment, text=comment)]
    write_judgements(judged, tmp_path / "a.xlsx", BOOK)
    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx").active
    assert sheet is not None
    cells = [cell for row in sheet.iter_rows() for cell in row if cell.value is not None]
    assert {cell.data_type for cell in cells} == {"s", "n"}
    assert all(cell.quotePrefix for cell in cells if str(cell.value)[0] in "=+-@")
    with zipfile.ZipFile(tmp_path / "a.xlsx") as archive:
        assert b"<f>" not in archive.read("xl/worksheets/sheet1.xml")
    write_judgements(judged, tmp_path / "a.csv", BOOK)
    cells_of_sheet = (tmp_path / "a.csv").read_text().replace('"', "").splitlines()[1].split(",")
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells_of_sheet)


@given(texts)
def test_a_guarded_text_is_unguarded(text: str) -> None:
    assert sheet_module.unguard(sheet_module.guard(text)) == text


def test_order_of_files_rows_and_columns_changes_nothing(tmp_path: Path) -> None:
    dice = random.Random(0)
    judged = [
        Judgement(f"e{event}", who, (event % 2, 0, 1, 1 + event % 3, 3), comment=f"c{event}")
        for event in range(6)
        for who in ("ana", "ben")
    ]
    for number, who in enumerate(("ana", "ben")):
        mine = [one for one in judged if one.evaluator == who]
        write_judgements(mine, tmp_path / f"{number}.csv", BOOK)
    paths = [tmp_path / "0.csv", tmp_path / "1.csv"]
    first = read_judgements([*map(source_of, paths)], BOOK, Problems())
    for path in paths:
        lines = [line.split(",") for line in path.read_text().splitlines()]
        order = dice.sample(range(len(lines[0])), len(lines[0]))
        head, *rows = [[line[at] for at in order] for line in lines]
        dice.shuffle(rows)
        path.write_text("\n".join(",".join(row) for row in [head, *rows]) + "\n")
    assert (
        read_judgements([*map(source_of, paths[::-1])], BOOK, Problems())
        == first
        == sorted(judged, key=lambda one: one.key)
    )


GOOD: dict[str, Any] = {"event_id": "e1", "evaluator": "ana"} | dict(
    zip(FIELDS, (1, 1, 1, 3, 3), strict=True)
)


def test_a_cell_is_named_in_a_workbook(tmp_path: Path) -> None:
    rows = [list(GOOD), [*[*GOOD.values()][:-1], 7], [*GOOD.values()]]
    rows[2][0] = None
    _, problems = read(workbook(rows, tmp_path / "a.xlsx", "Mine"))
    assert [problem.message for problem in problems.problems] == [
        "Mine!G2: Eval_Relevance must be 1, 2 or 3, got 7",
        "Mine!A3: event_id is empty",
    ]
    assert [problem.line for problem in problems.problems] == [2, 3]


def test_headings_may_vary_and_what_was_read_is_told(tmp_path: Path) -> None:
    head = ["Event ID", "EVALUATOR", *(name.replace("_", " ").lower() for name in FIELDS), "Mood"]
    rows = [[], head, [*GOOD.values(), "good"]]
    judged, problems = read(workbook(rows, tmp_path / "a.xlsx", "Mine"))
    assert len(judged) == 1
    assert not problems.problems
    assert "'Event ID' as event_id" in problems.notices[0].message
    assert problems.notices[1].message == "Mine: columns not read: Mood"


def test_cells_of_other_kinds_are_read_as_they_show(tmp_path: Path) -> None:
    row = GOOD | {"event_id": 17, "round": 2.0, "event_date": date(2011, 1, 25), "Comment": 5}
    judged, problems = read(xlsx_file(row, tmp_path))
    assert not problems.problems
    one = judged[0]
    assert (one.event, one.round, one.date, one.comment) == ("17", "2", "2011-01-25", "5")


@pytest.mark.parametrize("value", [True, "=1", "=A1+1", "#N/A"])
def test_truth_values_formulas_and_errors_are_refused_in_cells(value: Any, tmp_path: Path) -> None:
    judged, problems = read(xlsx_file(GOOD | {"Eval_Relevance": value}, tmp_path))
    assert told(problems) == [("wrong_type", "Eval_Relevance")]
    assert not judged


def test_a_cell_without_a_heading_is_told(tmp_path: Path) -> None:
    path = workbook([list(GOOD), [*GOOD.values(), None, "lost"]], tmp_path / "a.xlsx")
    _, problems = read(path)
    assert [p.message for p in problems.problems] == [
        "Sheet!I2: there is no heading above this cell"
    ]


def test_cells_far_away_are_told_at_once(tmp_path: Path) -> None:
    book = openpyxl.load_workbook(xlsx_file(GOOD, tmp_path))
    sheet = book.active
    assert sheet is not None
    sheet["A1048576"] = "e9"
    book.save(tmp_path / "down.xlsx")
    judged, problems = read(tmp_path / "down.xlsx")
    assert len(judged) == 1
    assert [problem.line for problem in problems.problems] == [1048576]
    sheet["XFD2"] = "far"
    book.save(tmp_path / "right.xlsx")
    _, problems = read(tmp_path / "right.xlsx")
    assert "Sheet!2: the row has 16384 columns" in problems.problems[0].message


def test_all_sheets_with_judgements_are_read_and_others_told(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for name, who in (("One", "ana"), ("Two", "ben")):
        sheet = book.create_sheet(name)
        sheet.append(list(GOOD))
        sheet.append([*(GOOD | {"evaluator": who}).values()])
    book.create_sheet("Notes").append(["How to judge"])
    book.save(tmp_path / "a.xlsx")
    judged, problems = read(tmp_path / "a.xlsx")
    assert [one.evaluator for one in judged] == ["ana", "ben"]
    assert [n.message for n in problems.notices] == [
        "sheet 'Notes' is not read: it has no judgements"
    ]


def test_a_workbook_without_judgements_is_a_problem(tmp_path: Path) -> None:
    _, problems = read(workbook([["a", "b"], [1, 2]], tmp_path / "a.xlsx"))
    assert "there is no sheet with columns of judgements" in problems.problems[0].message
    _, problems = read(workbook([list(GOOD)], tmp_path / "b.xlsx"))
    assert "a header but no judgement below it" in problems.problems[0].message


@pytest.mark.parametrize("form", SHEETS)
def test_a_row_that_is_not_judged_yet_is_refused_or_left_out(form: str, tmp_path: Path) -> None:
    row = GOOD | dict.fromkeys(FIELDS, "")
    path = WRITERS[form](row, tmp_path)
    _, problems = read(path)
    assert len(problems.problems) == 1
    assert "event 'e1' is not judged yet (--lenient accepts it)" in problems.problems[0].message
    judged, problems = read(path, lenient=True)
    assert not judged
    assert not problems.problems
    assert len(problems.notices) == 1


def change(path: Path, target: Path, parts: dict[str, bytes], **kind: Any) -> Path:
    """Copy a workbook with further or other parts."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w", **kind) as new:
        for name in old.namelist():
            if name not in parts:
                new.writestr(name, old.read(name))
        for name, data in parts.items():
            new.writestr(name, data)
    return target


EXTERNAL = (
    b'<Relationships><Relationship Id="r1" Type="http://x/externalLinkPath" '
    b'Target="file:///etc/passwd" TargetMode="External"/></Relationships>'
)
ENTITY = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "cccc">]><a>&b;</a>'
HOSTILE: dict[str, tuple[dict[str, bytes], str]] = {
    "bomb": ({"xl/media/a.xml": b" " * 30_000_000}, "zip bomb"),
    "many parts": ({f"xl/{n}.xml": b"" for n in range(2100)}, "parts, more than"),
    "macro": ({"xl/vbaProject.bin": b"macro"}, "macros"),
    "old macro": ({"xl/macrosheets/sheet1.xml": b"<a/>"}, "macros"),
    "program": ({"xl/embeddings/oleObject1.bin": b"x"}, "macros or other programs"),
    "link": ({"xl/externalLinks/externalLink1.xml": b"<a/>"}, "links to other files"),
    "hidden link": ({"xl/_rels/x.rels": EXTERNAL}, "links to other files"),
    "connection": ({"xl/connections.xml": b"<a/>"}, "links to other files"),
    "entities": ({"xl/sharedStrings.xml": ENTITY}, "entities"),
    "wide entities": ({"xl/x.xml": ENTITY.decode().encode("utf-16")}, "entities"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_workbooks_are_refused_before_they_are_opened(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts, expected = HOSTILE[case]
    good = xlsx_file(GOOD, tmp_path)
    bad = change(good, tmp_path / "bad.xlsx", parts, compression=zipfile.ZIP_DEFLATED)
    monkeypatch.setattr(openpyxl, "load_workbook", lambda *_, **__: pytest.fail("was opened"))
    judged, problems = read(bad)
    assert not judged
    assert [problem.code for problem in problems.problems] == ["refused"]
    assert expected in problems.problems[0].message


@pytest.mark.parametrize("ending", [".xlsm", ".xls", ".xlsb", ".xltm"])
def test_other_workbooks_are_refused_by_name(ending: str, tmp_path: Path) -> None:
    path = xlsx_file(GOOD, tmp_path).rename(tmp_path / f"a{ending}")
    _, problems = read(path)
    assert "save it as .xlsx" in problems.problems[0].message


@pytest.mark.parametrize("data", [b"", b"not a zip", b"PK\x03\x04rest"])
def test_damaged_workbooks_are_told(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_bytes(data)
    _, problems = read(tmp_path / "a.xlsx")
    assert [problem.code for problem in problems.problems] == ["refused"]


@given(place=st.integers(0, 10_000), byte=st.binary(min_size=1, max_size=4))
def test_a_workbook_with_a_byte_changed_and_no_problem_says_the_same(
    place: int, byte: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("fuzz")
    path = xlsx_file(GOOD, folder)
    whole, _ = read(path)
    data = path.read_bytes()
    place %= len(data)
    path.write_bytes(data[:place] + byte + data[place + len(byte) :])
    judged, problems = read(path)
    assert problems.problems or judged == whole


def test_parts_with_broken_xml_are_told(tmp_path: Path) -> None:
    good = xlsx_file(GOOD, tmp_path)
    for name in ("xl/workbook.xml", "xl/worksheets/sheet1.xml", "xl/styles.xml"):
        for data in (b"", b"<a", b"<a/>", b"\xff"):
            _, problems = read(change(good, tmp_path / "bad.xlsx", {name: data}))
            assert problems.problems or name.endswith("styles.xml")


def test_a_missing_folder_or_extra_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "no such file" in read(tmp_path / "none.xlsx")[1].problems[0].message
    (tmp_path / "folder.xlsx").mkdir()
    assert "is a folder" in read(tmp_path / "folder.xlsx")[1].problems[0].message
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(UsageError, match=r"pip install 'chronoscore\[xlsx\]'"):
        read(tmp_path / "a.xlsx")
    with pytest.raises(UsageError, match=r"pip install 'chronoscore\[xlsx\]'"):
        write_judgements([], tmp_path / "a.xlsx", BOOK)


def test_what_a_file_cannot_hold_is_refused_when_written(tmp_path: Path) -> None:
    for comment, name in (("a" * 40_000, "a.xlsx"), ("a" * 200_000, "a.csv")):
        judged = [Judgement("e", "ana", (1, 1, 1, 3, 3), comment=comment)]
        with pytest.raises(DataError, match="JSONL"):
            write_judgements(judged, tmp_path / name, BOOK)
    with pytest.raises(UsageError, match=r"\.csv, \.tsv, \.xlsx, \.jsonl"):
        write_judgements([], tmp_path / "a.pdf", BOOK)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (GOOD | {"evaluator": 5}, ("wrong_type", "evaluator")),
        (GOOD | {"round": 1}, ("wrong_type", "round")),
        (GOOD | {"evaluator_kind": "dog"}, ("out_of_range", "evaluator_kind")),
        ({k: v for k, v in GOOD.items() if k != "event_id"}, ("missing", "event_id")),
        (GOOD | {"evaluator": " "}, ("missing", "evaluator")),
    ],
)
def test_records_are_strict(row: dict[str, Any], expected: tuple[str, str], tmp_path: Path) -> None:
    assert told(read(jsonl_file(row, tmp_path))[1]) == [expected]


@pytest.mark.parametrize("text", ["5\n", "[]\n", '{"a"\n', '{"a":1,"a":2}\n', "null\n"])
def test_lines_that_are_no_records_are_told(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(text)
    _, problems = read(path)
    assert len(problems.problems) == 1
    assert problems.problems[0].line == 1


@pytest.mark.parametrize("form", ["csv", "jsonl", "json"])
def test_a_file_of_something_else_is_one_problem(form: str, tmp_path: Path) -> None:
    _, problems = read(WRITERS[form]({"id": "e1", "text": "x"}, tmp_path))
    (problem,) = problems.problems
    assert "these are not judgements: there is no evaluator and no value" in str(problem)


def test_rows_before_the_first_judgement_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"event_id": "e1"}}\n{json.dumps(GOOD)}\n', encoding="utf-8")
    judged, problems = read(path)
    assert len(judged) == 1
    assert {problem.line for problem in problems.problems} == {1}


def test_one_evaluator_may_be_named_for_all(tmp_path: Path) -> None:
    row = {name: value for name, value in GOOD.items() if name != "evaluator"}
    for form in ("csv", "xlsx", "jsonl", "json"):
        judged, _ = read(WRITERS[form](row, tmp_path), evaluator="zoe")
        assert [one.evaluator for one in judged] == ["zoe"]


def test_a_file_that_is_given_twice_is_told_once(tmp_path: Path) -> None:
    header = ",".join(["event_id", "evaluator", *(c.field for c in BOOK.criteria)])
    rows = [f"e{number},ana,1,1,1,3,3" for number in range(5)]
    path = tmp_path / "s.csv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    other = tmp_path / "x" / ".." / "s.csv"
    (tmp_path / "x").mkdir()
    problems = Problems()
    assert len(
        read_judgements([source_of(path), source_of(path), source_of(other)], BOOK, problems)
    ) == len(rows)
    assert [str(problem) for problem in problems.problems] == [
        f"{path}: the file is given twice",
        f"{other}: the file is given twice, first as {path}",
    ]
