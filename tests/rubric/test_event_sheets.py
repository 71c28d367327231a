"""Events and articles in sheets: columns by any name, problems by line, never a traceback."""

import csv
import io
from datetime import date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronoscore.core.event import Event
from chronoscore.core.problems import Problems
from chronoscore.core.sources import FileSource
from chronoscore.rubric.formats.event_sheets import (
    FIELDS,
    TableReading,
    TextTable,
    guess_columns,
    guess_kind,
    read_article_table,
    read_event_table,
    read_tables,
)

openpyxl = pytest.importorskip("openpyxl")


def tables_of(folder: Path, content: bytes, name: str = "alpha.csv") -> tuple[Any, Problems]:
    path = folder / name
    path.write_bytes(content)
    source = FileSource(path)
    source.name = name
    problems = Problems()
    return read_tables(source, problems), problems


def events_of(
    folder: Path, text: str, name: str = "alpha.csv", date_order: str = ""
) -> tuple[list[Any], Problems]:
    """The events of a file with one sheet, by guessed columns."""
    (table,), problems = tables_of(folder, text.encode(), name)
    reading = TableReading(guess_columns(table.header, "events"), date_order)
    return read_event_table(table, reading, "alpha", problems), problems


def messages(problems: Problems) -> list[str]:
    return [str(problem) for problem in problems.problems]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_the_separator_and_a_byte_order_mark_do_not_matter(
    tmp_path: Path, separator: str, mark: str
) -> None:
    rows = [["Event ID", "event_date", "Summary"], ["e1", "2024-03-04", f"One{separator}two"]]
    out = io.StringIO()
    csv.writer(out, delimiter=separator).writerows(rows)
    events, problems = events_of(tmp_path, mark + out.getvalue())
    assert [one.event for one in events] == [
        Event(id="e1", date="2024-03-04", text=f"One{separator}two")
    ]
    assert messages(problems) == []


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        (["event_id", "Event Date", "EVENT-TEXT"], {"text": 2, "id": 0, "date": 1}),
        (["Headline", "Label", "when"], {"text": 0, "type": 1, "date": 2}),
        (["label"], {"text": 0}),
        (["title", "description"], {"text": 1}),
        (["", "nonsense"], {}),
        (["text", "text"], {"text": 0}),
    ],
)
def test_columns_are_guessed_by_folded_names(header: list[str], columns: dict[str, int]) -> None:
    assert guess_columns(header, "events") == columns


@given(st.lists(st.sampled_from([n for f in FIELDS["events"].values() for n in f]), max_size=12))
def test_no_column_is_guessed_for_two_fields(header: list[str]) -> None:
    columns = guess_columns(header, "events")
    assert len({*columns.values()}) == len(columns)


def test_a_sheet_of_articles_is_told_from_one_of_events(tmp_path: Path) -> None:
    kinds = {
        "id,published,title,text\na,b,c,d\n": "articles",
        "id,date,text\na,b,c\n": "events",
        "id,published,title\na,b,c\n": "events",
        "event_id,title,text,published\na,b,c,d\n": "events",
    }
    for text, kind in kinds.items():
        (table,), _ = tables_of(tmp_path, text.encode())
        assert guess_kind(table) == kind


def test_dates_are_read_in_words_and_by_the_order_that_was_chosen(tmp_path: Path) -> None:
    text = "id,date,text\na,25 January 2011,x\nb,01/02/2011,x\nc,,x\nd,2011-02,x\n"
    events, problems = events_of(tmp_path, text, date_order="dmy")
    assert [one.event.date for one in events] == ["2011-01-25", "2011-02-01", None, "2011-02"]
    assert messages(problems) == []


def test_a_date_that_may_be_two_days_is_a_problem_with_its_line(tmp_path: Path) -> None:
    events, problems = events_of(tmp_path, "id,date,text\na,2011-01-25,x\nb,01/02/2011,x\n")
    assert [one.event.id for one in events] == ["a"]
    (message,) = messages(problems)
    assert message.startswith("alpha.csv:3: ")
    assert "say whether the day or the month comes first" in message


def test_every_wrong_row_is_reported_by_its_line(tmp_path: Path) -> None:
    text = (
        "id,date,text,span,article\n"
        "a,2011-13-01,x,,\n"
        "a2,,,,\n"
        "b,,x,5 to 9,doc\n"
        "c,,x,0-9,\n"
        'd,,"two\nlines",3-1,doc\n'
        "e,,x,,\n"
        "e,,y,,\n"
    )
    _, problems = events_of(tmp_path, text)
    assert [message.split(": ")[0] for message in messages(problems)] == [
        *("alpha.csv:2", "alpha.csv:3", "alpha.csv:4", "alpha.csv:5", "alpha.csv:6", "alpha.csv:9")
    ]


def test_rows_without_an_id_are_called_by_their_number_with_a_notice(tmp_path: Path) -> None:
    events, problems = events_of(tmp_path, "id,text\n,x\nb,y\n,z\n")
    assert [one.event.id for one in events] == ["row-2", "b", "row-4"]
    assert "2 rows without an id" in str(problems.notices[0])


def test_a_column_of_systems_splits_the_sheet(tmp_path: Path) -> None:
    events, problems = events_of(tmp_path, "system,id,text\none,a,x\ntwo,a,y\n,b,z\n")
    assert [(one.system, one.event.text) for one in events[:2]] == [("one", "x"), ("two", "y")]
    assert messages(problems) == ["alpha.csv:4: system is empty"]


def test_a_span_may_be_written_in_several_ways(tmp_path: Path) -> None:
    spans = ["0-13", '"[0, 13]"', "0:13", '"(0;13)"', "0..13", "0–13"]
    rows = "".join(f"e{n},x,doc,{span}\n" for n, span in enumerate(spans))
    events, problems = events_of(tmp_path, f"id,text,article,span\n{rows}")
    assert messages(problems) == []
    assert {one.event.span for one in events} == {(0, 13)}


def test_wrong_columns_are_a_problem_before_any_row(tmp_path: Path) -> None:
    (table,), problems = tables_of(tmp_path, b"id,text\na,b\n")
    for columns in ({}, {"text": 7}, {"text": 1, "type": 1}, {"text": -1}):
        assert read_event_table(table, TableReading(columns), "alpha", problems) == []
    assert messages(problems) == [
        "alpha.csv: choose the column of the text; there are: id, text",
        "alpha.csv: there is no column 8 for text",
        "alpha.csv: the column 'text' is chosen for text and type: choose one",
        "alpha.csv: there is no column 0 for text",
    ]


def workbook(folder: Path, sheets: dict[str, list[list[object]]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    path = folder / "made.xlsx"
    book.save(path)
    return path.read_bytes()


def test_cells_of_a_workbook_become_days_and_plain_numbers(tmp_path: Path) -> None:
    rows: list[list[object]] = [
        ["No", "Event date", "Event text"],
        [17.0, date(2024, 3, 4), "A bridge fell"],
        [18, datetime.fromisoformat("2024-03-04T13:45"), "Another"],
        [None, None, None],
        ["x", 1969, "A year"],
    ]
    content = workbook(tmp_path, {"Events": rows})
    (table,), problems = tables_of(tmp_path, content, "alpha.xlsx")
    reading = TableReading(guess_columns(table.header, "events"))
    events = read_event_table(table, reading, "alpha", problems)
    assert messages(problems) == []
    assert [(one.event.id, one.event.date) for one in events] == [
        *(("17", "2024-03-04"), ("18", "2024-03-04T13:45:00"), ("x", "1969"))
    ]
    assert [one.line for one in events] == [2, 3, 5]


def test_a_formula_is_text_and_an_error_is_a_problem(tmp_path: Path) -> None:
    rows: list[list[object]] = [["id", "text"], ["a", "=1+1"], ["b", "#REF!"], ["c", "fine"]]
    content = workbook(tmp_path, {"Events": rows})
    (table,), problems = tables_of(tmp_path, content, "alpha.xlsx")
    reading = TableReading({"id": 0, "text": 1})
    events = read_event_table(table, reading, "alpha", problems)
    assert [one.event.text for one in events] == ["=1+1", "fine"]
    assert messages(problems) == ["alpha.xlsx:3: Events: text is an error of Excel: #REF!"]


def test_every_sheet_with_rows_is_a_table(tmp_path: Path) -> None:
    sheets: dict[str, list[list[object]]] = {
        "One": [["id", "text"], ["a", "x"]],
        "Empty": [],
        "Header": [["id", "text"]],
        "Two": [[None], ["id", "text"], ["b", "y", "beyond"]],
    }
    tables, problems = tables_of(tmp_path, workbook(tmp_path, sheets), "alpha.xlsx")
    assert [(table.title, len(table.rows)) for table in tables] == [("One", 1), ("Two", 1)]
    assert messages(problems) == ["alpha.xlsx:3: Two!3: 'beyond' has no heading above it"]


def test_a_row_beyond_the_last_of_a_sheet_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chronoscore.rubric.formats.workbooks.MOST_ROWS", 3)
    rows: list[list[object]] = [["id", "text"]]
    rows += [[f"e{number}", "A text."] for number in range(5)]
    tables, problems = tables_of(tmp_path, workbook(tmp_path, {"events": rows}), "alpha.xlsx")
    assert tables == []
    assert messages(problems) == [
        "alpha.xlsx:4: events!4: at most 3 rows are read: split the sheet"
    ]


def test_articles_are_read_with_their_days(tmp_path: Path) -> None:
    text = (
        "Article ID,Pub date,Title,Body,Lang\n"
        "a,4 March 2024,T,Long text,en\n"
        "b,2024-03,T,x,en\n"
        "a,2024-03-04,T,x,en\n"
        ",2024-03-04,T,x,en\n"
        "c,2024-03-04,T,x,not a language\n"
    )
    (table,), problems = tables_of(tmp_path, text.encode())
    reading = TableReading(guess_columns(table.header, "articles"))
    articles = read_article_table(table, reading, problems)
    assert [(line, one.id, one.published) for line, one in articles] == [(2, "a", "2024-03-04")]
    assert [message.split(": ")[0] for message in messages(problems)] == [
        *("alpha.csv:3", "alpha.csv:4", "alpha.csv:5", "alpha.csv:6")
    ]


CELLS = st.text(max_size=12) | st.sampled_from(
    ["2024-03-04", "01/02/2011", "0-5", "=1+1", "a\nb", "\0", "'", '"', "1e999", "²", "x" * 300]
)


@given(
    st.sampled_from(["csv", "tsv", "xlsx", "xls"]),
    st.binary(max_size=300) | st.lists(st.lists(CELLS, max_size=6), max_size=6),
    st.dictionaries(st.sampled_from([*FIELDS["events"]]), st.integers(-2, 8)),
    st.sampled_from(["", "dmy", "mdy"]),
)
@settings(max_examples=200)
def test_no_bytes_and_no_columns_are_answered_by_a_traceback(
    ending: str, content: bytes | list[list[str]], columns: dict[str, int], order: str
) -> None:
    if not isinstance(content, bytes):
        out = io.StringIO()
        csv.writer(out).writerows(content)
        content = out.getvalue().encode("utf-8", "replace")
    with TemporaryDirectory() as folder:
        tables, problems = tables_of(Path(folder), content, f"alpha.{ending}")
        assert tables or problems.problems
        for table in tables:
            _read_all(table, columns, order)
            _read_all(table, guess_columns(table.header, "events"), order)


@given(st.lists(st.lists(CELLS | st.integers() | st.floats() | st.dates(), max_size=5), max_size=5))
@settings(max_examples=60)
def test_no_cells_of_a_workbook_are_answered_by_a_traceback(rows: list[list[Any]]) -> None:
    with TemporaryDirectory() as folder:
        try:
            content = workbook(Path(folder), {"Events": [["id", "text", "date", "span"], *rows]})
        except (
            ValueError,
            TypeError,
            OverflowError,
            openpyxl.utils.exceptions.IllegalCharacterError,
        ):
            return
        tables, problems = tables_of(Path(folder), content, "alpha.xlsx")
        assert tables or problems.problems
        for table in tables:
            _read_all(table, {"id": 0, "text": 1, "date": 2, "span": 3}, "")


def _read_all(table: TextTable, columns: dict[str, int], order: str) -> None:
    """Events or problems, and every row is one of the two."""
    problems = Problems()
    events = read_event_table(table, TableReading(columns, order), "alpha", problems)
    assert len(events) <= len(table.rows)
    if len(events) < len(table.rows):
        assert problems.problems
    for text in map(str, (*problems.problems, *problems.notices)):
        text.encode()
    article_columns = {name: at for name, at in columns.items() if name in FIELDS["articles"]}
    articles = read_article_table(table, TableReading(article_columns, order), Problems())
    assert len(articles) <= len(table.rows)
