"""Events and articles in sheets: CSV, TSV and XLSX whose columns have any names.

A sheet is read in two steps. `read_tables` gives the cells as texts, without knowing what they
mean; `guess_columns` proposes which column holds which field, by the names in the header. With
these columns, or others that somebody chose, `read_event_table` and `read_article_table` make the
records, and report what is wrong with them by line. A formula is text here and is never computed.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from chronoscore.core.event import Event, event_problems
from chronoscore.core.problems import Problems
from chronoscore.core.sources import Source, odd_character, plain_ends
from chronoscore.elements.articles import Article
from chronoscore.elements.text import language_code
from chronoscore.elements.time import TimeError
from chronoscore.elements.time.calendar import DATE_ORDERS
from chronoscore.elements.time.files import FileTimes
from chronoscore.elements.time.reading import Rules, read_day, read_time
from chronoscore.errors import UsageError
from chronoscore.rubric.codebook import folded
from chronoscore.rubric.formats.rows import as_text
from chronoscore.rubric.formats.sheets import sheet_rows, unguard
from chronoscore.rubric.formats.workbooks import ENDINGS as WORKBOOKS
from chronoscore.rubric.formats.workbooks import (
    MOST_COLUMNS,
    cell_rows,
    damage_reported,
    decoded,
    is_workbook,
    open_workbook,
    too_large,
)

TableKind = Literal["events", "articles"]
Columns = Mapping[str, int]
"""The place of the column that holds each field."""
SHEET_ENDINGS = (".csv", ".tsv", ".tab", *WORKBOOKS)
MOST_TABLES = 30
"""The most sheets that are read at once."""
FIELDS: Mapping[TableKind, Mapping[str, tuple[str, ...]]] = {
    "events": {
        "text": (
            *("text", "eventtext", "eventdescription", "description", "summary", "event"),
            *("headline", "sentence", "content", "title", "label"),
        ),
        "id": ("id", "eventid", "key", "identifier", "eventno", "number", "no"),
        "date": ("date", "eventdate", "day", "when", "time", "eventtime", "datetime", "timestamp"),
        "type": ("type", "eventtype", "category", "class", "kind", "label"),
        "article": (
            *("article", "articleid", "document", "documentid", "doc", "docid", "story"),
            *("storyid", "source", "sourceid"),
        ),
        "topic": ("topic", "eventtopic", "timeline", "theme", "subject", "query"),
        "system": ("system", "systemname", "systemid", "model", "method", "run", "runid"),
        "span": ("span", "eventspan", "offsets", "offset", "evidence"),
    },
    "articles": {
        "id": ("id", "articleid", "article", "documentid", "document", "docid", "doc", "key"),
        "published": (
            *("published", "publicationdate", "publisheddate", "publishedat", "pubdate", "date"),
            *("day", "time", "dct"),
        ),
        "title": ("title", "headline", "name"),
        "text": ("text", "articletext", "body", "content", "fulltext", "description"),
        "topic": ("topic", "timeline", "theme", "subject"),
        "language": ("language", "lang", "locale"),
    },
}
"""The fields of each kind of table, with the folded names of columns that hold them, best first."""
NEEDED: Mapping[TableKind, tuple[str, ...]] = {"events": ("text",), "articles": ("id", "text")}
_SPAN = re.compile(r"[\[(]?\s*([0-9]{1,9})\s*(?:[,;:–-]|\.\.)\s*([0-9]{1,9})\s*[\])]?")
_ERROR = "e"
_LONGEST_SYSTEM = 80


@dataclass(frozen=True, slots=True)
class TextTable:
    """The cells of one sheet as texts, each row with the number of its line."""

    source: Source
    title: str
    """The name of the sheet within a workbook; empty in other files."""
    header: tuple[str, ...]
    rows: Sequence[tuple[int, Sequence[str]]]
    errors: Mapping[tuple[int, int], str]
    """Cells that hold an error of Excel, by line and column."""

    def place(self) -> str:
        """Return the beginning of a message: the sheet, if the file has several."""
        return f"{self.title}: " if self.title else ""


@dataclass(frozen=True, slots=True)
class TableReading:
    """How a table is read."""

    columns: Columns
    date_order: str = ""
    """dmy or mdy, where 01/02/2011 is to be read."""


@dataclass(frozen=True, slots=True)
class SheetEvent:
    """An event with the line it is from and the system that made it."""

    line: int
    system: str
    event: Event


def is_sheet(name: str) -> bool:
    """Whether a file is a sheet or a workbook, by the ending of its name.

    >>> is_sheet("Events.CSV"), is_sheet("events.jsonl")
    (True, False)
    """
    return name.lower().endswith(SHEET_ENDINGS)


def read_tables(source: Source, problems: Problems) -> list[TextTable]:
    """Read the cells of every sheet of a file; empty sheets are left out."""
    if is_workbook(source):
        return list(_workbook_tables(source, problems))
    lines: list[int] = []
    before = len(problems.problems)
    rows = sheet_rows(source, problems, lines, lambda cells: cells)
    header = [_plain(unguard(cell), source, 1, problems).strip() for cell in next(rows, [])]
    if len(header) > MOST_COLUMNS:
        message = f"the header has {len(header)} columns, at most {MOST_COLUMNS} are read"
        problems.problem(message, source, 1)
        return []
    cells = [[unguard(cell) for cell in row] for row in rows]
    table = [
        (line, [_plain(cell, source, line, problems) for cell in row])
        for line, row in zip(lines, cells, strict=True)
    ]
    if not table and len(problems.problems) == before:
        problems.problem("there is no row below the header; is the file cut?", source)
    return [TextTable(source, "", tuple(header), table, {})] if table else []


def _plain(text: str, source: Source, line: int, problems: Problems) -> str:
    """Report a character that no file can hold, and replace it so that the page can show it."""
    if reason := odd_character(text):
        problems.problem(f"a cell {reason}", source, line)
        text = text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
    return text


def _workbook_tables(source: Source, problems: Problems) -> Iterator[TextTable]:
    before = len(problems.problems)
    count = 0
    with open_workbook(source, problems) as book:
        if book is None:
            return
        with damage_reported(source, problems):
            for sheet in book.worksheets:
                table = _sheet_table(sheet, source, problems)
                if table is None:
                    continue
                count += 1
                if count > MOST_TABLES:
                    message = f"there are more than {MOST_TABLES} sheets: split the workbook"
                    problems.problem(message, source)
                    return
                yield table
    if not count and len(problems.problems) == before:
        problems.problem("there is no sheet with a header and rows below it", source)


def _sheet_table(sheet: Any, source: Source, problems: Problems) -> TextTable | None:
    header: tuple[str, ...] = ()
    rows: list[tuple[int, Sequence[str]]] = []
    errors: dict[tuple[int, int], str] = {}
    for number, cells in enumerate(cell_rows(sheet), 1):
        if too_large(cells, sheet, number, source, problems):
            return None
        texts = [_plain(_cell_text(cell.value), source, number, problems) for cell in cells]
        if not "".join(texts).strip():
            continue
        if not header:
            while not texts[-1].strip():
                texts.pop()
            header = tuple(text.strip() for text in texts)
            continue
        errors |= {
            (number, at): str(cell.value)
            for at, cell in enumerate(cells)
            if cell.data_type == _ERROR
        }
        texts += [""] * (len(header) - len(texts))
        rows.append((number, texts[: len(header)]))
        if beyond := [text for text in texts[len(header) :] if text.strip()]:
            message = f"{sheet.title}!{number}: '{beyond[0][:40]}' has no heading above it"
            problems.problem(message, source, number)
    return TextTable(source, sheet.title, header, rows, errors) if rows else None


def _cell_text(value: Any) -> str:
    """Return the text of a cell: a day for a date, and a formula as it is written."""
    if value is None:
        return ""
    formula = getattr(value, "text", None)  # of an array, which openpyxl gives as an object
    return decoded(str(formula if isinstance(formula, str) else as_text(value)))


def guess_columns(header: Sequence[str], kind: TableKind) -> dict[str, int]:
    """Guess which column holds which field, by the names in the header.

    Case, blanks, `_` and `-` do not count. No column is taken for two fields.

    >>> guess_columns(["Event ID", "event_date", "Summary", "Label"], "events")
    {'text': 2, 'id': 0, 'date': 1, 'type': 3}
    """
    names = [folded(name) for name in header]
    columns: dict[str, int] = {}
    for field, synonyms in FIELDS[kind].items():
        places = [names.index(name) for name in synonyms if name in names]
        free = [place for place in places if place not in columns.values()]
        if free:
            columns[field] = free[0]
    return columns


def guess_kind(table: TextTable) -> TableKind:
    """Guess whether the rows of a table are events or articles.

    Articles are published, and have a title beside their text; or their sheet is called so.
    """
    if folded(table.title) in ("article", "articles"):
        return "articles"
    names = {folded(name) for name in table.header}
    published = names & {"published", "publicationdate", "publisheddate", "publishedat", "pubdate"}
    titled = "title" in names and names & {"text", "body", "content", "fulltext"}
    is_event = names & {"eventid", "eventtext", "eventdate", "type", "eventtype", "span"}
    return "articles" if published and titled and not is_event else "events"


def read_event_table(
    table: TextTable, reading: TableReading, system: str, problems: Problems
) -> list[SheetEvent]:
    """Read the events of a table; problems are reported by line.

    `system` made those events whose table has no column of systems. An event without an id is
    called by its line.
    """
    if not _check_columns(table, reading.columns, "events", problems):
        return []
    times = _times(table, reading, problems)
    events: list[SheetEvent] = []
    first_line: dict[tuple[str, str], int] = {}
    nameless: list[tuple[int, str]] = []
    for line, cells in _rows(table, reading.columns, problems):
        values = _one_lines(cells, table, line, problems, ("text",))
        if not values["id"]:
            values["id"] = f"row-{line}"
            nameless.append((line, values["id"]))
        maker = values.pop("system", "") or ("" if "system" in reading.columns else system)
        event = _event(values, table, line, times, problems)
        if not maker or len(maker) > _LONGEST_SYSTEM:
            wrong = f"has more than {_LONGEST_SYSTEM} characters" if maker else "is empty"
            _report(problems, table, line, f"system {wrong}")
        if event is None:
            continue
        first = first_line.setdefault((maker, event.id), line)
        if first != line:
            _report(problems, table, line, f"event id '{event.id}' is used twice, first in {first}")
            continue
        events.append(SheetEvent(line, maker, event))
    times.report()
    message = "{count} row{s} without an id: called by the number of the row, first {first}"
    problems.count(message, nameless, table.source)
    return events


def _event(
    values: dict[str, str], table: TextTable, line: int, times: FileTimes, problems: Problems
) -> Event | None:
    before = len(problems.problems)
    written, span = values.pop("date", "").strip(), values.pop("span", "")
    time = times.read(written, line) if written else None
    ends = _SPAN.fullmatch(span)
    if span and not ends:
        _report(problems, table, line, f"span is '{span[:40]}', expected two numbers: 0-13")
    if not values["text"].strip():
        _report(problems, table, line, "there is no text")
    if len(problems.problems) > before:
        return None
    event = Event(
        **values,  # type: ignore[arg-type]
        date=str(time) if time is not None else None,
        span=(int(ends[1]), int(ends[2])) if ends else None,
    )
    for message in event_problems(event):
        _report(problems, table, line, message)
    return event


def read_article_table(
    table: TextTable, reading: TableReading, problems: Problems
) -> list[tuple[int, Article]]:
    """Read the articles of a table with their lines; problems are reported by line."""
    if not _check_columns(table, reading.columns, "articles", problems):
        return []
    times = _times(table, reading, problems)
    articles: list[tuple[int, Article]] = []
    first_line: dict[str, int] = {}
    for line, cells in _rows(table, reading.columns, problems):
        before = len(problems.problems)
        values = _one_lines(cells, table, line, problems, ("text", "title"))
        if not values["id"]:
            _report(problems, table, line, "id is empty")
        elif (first := first_line.setdefault(values["id"], line)) != line:
            message = f"article id '{values['id']}' is used twice, first in {first}"
            _report(problems, table, line, message)
        if values.get("published"):
            values["published"] = _day(values["published"], table, line, times, problems)
        if values.get("language"):
            try:
                language_code(values["language"])
            except UsageError as error:
                _report(problems, table, line, str(error))
        if len(problems.problems) == before:
            articles.append((line, Article(**values)))
    times.report()
    return articles


def _day(text: str, table: TextTable, line: int, times: FileTimes, problems: Problems) -> str:
    time = times.read(text, line)
    if time is None:
        return ""
    try:
        return read_day(str(time)).isoformat()
    except TimeError as error:
        _report(problems, table, line, f"published: {error}")
        return ""


def _check_columns(table: TextTable, columns: Columns, kind: TableKind, problems: Problems) -> bool:
    """Report fields that no column holds and columns that hold two; False if rows can't be read."""
    readable = True
    for field in NEEDED[kind]:
        if field not in columns:
            named = ", ".join(name or "(no name)" for name in table.header)
            message = f"{table.place()}choose the column of the {field}; there are: {named}"
            problems.problem(message, table.source, code="missing", field=field)
            readable = False
    for place in sorted({*columns.values()}):
        fields = [field for field, at in columns.items() if at == place]
        if not 0 <= place < len(table.header):
            message = f"{table.place()}there is no column {place + 1} for {fields[0]}"
            problems.problem(message, table.source)
            readable = False
        elif len(fields) > 1:
            name = f"the column '{table.header[place]}' is chosen for {' and '.join(fields)}"
            problems.problem(f"{table.place()}{name}: choose one", table.source)
            readable = False
    return readable


def _times(table: TextTable, reading: TableReading, problems: Problems) -> FileTimes:
    """Read dates in any spelling that can mean one day only.

    A sheet is checked by a person before it is imported, so that words are read as well.
    """
    rules = Rules(lenient=True, date_order=reading.date_order)
    ordered = "; say whether the day or the month comes first"
    return FileTimes(
        table.source,
        problems,
        lambda text, _: read_time(text, rules),
        ways=[(rules._replace(date_order=order), ordered) for order in DATE_ORDERS],
        owner=table.title,
    )


def _rows(
    table: TextTable, columns: Columns, problems: Problems
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the text of each field, row by row; a row with an error of Excel is reported."""
    for line, cells in table.rows:
        wrong = [name for name, at in columns.items() if (line, at) in table.errors]
        for name in wrong:
            error = table.errors[line, columns[name]]
            _report(problems, table, line, f"{name} is an error of Excel: {error}")
        if not wrong:
            yield line, {"id": "", **{name: cells[at] for name, at in columns.items()}}


def _one_lines(
    cells: dict[str, str], table: TextTable, line: int, problems: Problems, long: Sequence[str]
) -> dict[str, str]:
    """Trim all fields but the long ones, which may have several lines."""
    values = {}
    for name, text in cells.items():
        values[name] = plain_ends(text) if name in long else text.strip()
        if name not in long and len(values[name].splitlines()) > 1:
            _report(problems, table, line, f"{name} contains a line break: write it in one line")
    return values


def _report(problems: Problems, table: TextTable, line: int, message: str) -> None:
    problems.problem(f"{table.place()}{message}", table.source, line)
