"""Sheets: CSV with commas, semicolons or tabs; and judgements written as a file of any kind.

A spreadsheet runs a cell that begins with `=`, `+`, `-` or `@`. Such a text is written with an
apostrophe before it, by which every spreadsheet recognises text, and read back without it.
"""

import csv
import io
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import msgspec
import numpy as np

from chronoscore.core.problems import Problems
from chronoscore.core.records import refuse_header_only, sheet_problem
from chronoscore.core.sources import NUL, Source
from chronoscore.core.writing import write_file
from chronoscore.errors import DataError, UsageError
from chronoscore.rubric.codebook import TEXT_FIELDS, Codebook
from chronoscore.rubric.formats.rows import JudgementRow, RowReader
from chronoscore.rubric.formats.workbooks import fill_sheet, new_workbook, save_workbook
from chronoscore.rubric.judgements import (
    ROW_FIELDS,
    WORDS,
    Judgement,
    Judgements,
    read_value,
    round_name,
)
from chronoscore.statistics.labels import Labels

_RUNS = r"'*\s*[=+\-@＝＋－＠]|'*[\t\r\n]"
_MAY_RUN = re.compile(_RUNS)
_GUARDED = re.compile(rf"'(?={_RUNS})")
SheetTable = tuple[list[str], list[list[str | int]]]
"""The header of a sheet to be written, and its rows."""
BLOCK = 1 << 16
"""The number of rows that are checked together."""
MOST_CHARACTERS = 131_072
"""The longest cell that Python's csv reads by default."""
FORMATS = ("csv", "tsv", "xlsx", "jsonl")
ENDINGS = ", ".join(f".{ending}" for ending in FORMATS)
"""The endings of names in words."""
_ALWAYS = ("event_id", "evaluator")
_KINDS = {"": "person", "person": "person", "llm": "llm"}


def guard(text: str) -> str:
    """Write a text so that no spreadsheet runs it.

    >>> guard("=1+1"), guard("- see above"), guard("fine")
    ("'=1+1", "'- see above", 'fine')
    """
    return f"'{text}" if _MAY_RUN.match(text) else text


def unguard(text: str) -> str:
    """Undo `guard`.

    >>> unguard("'=1+1"), unguard("'quoted'")
    ('=1+1', "'quoted'")
    """
    return _GUARDED.sub("", text, count=1) if text.startswith("'") else text


@dataclass(frozen=True, slots=True)
class RowBlock:
    """Some rows of a sheet, each with as many cells as the header, and their first lines."""

    source: Source
    header: Sequence[str]
    lines: Sequence[int]
    cells: Sequence[Sequence[str]]

    def row(self, at: int) -> JudgementRow:
        """Return one row by field."""
        cells = dict(zip(self.header, map(unguard, self.cells[at]), strict=True))
        return JudgementRow(cells, self.source, self.lines[at])

    def __iter__(self) -> Iterator[JudgementRow]:
        return map(self.row, range(len(self.lines)))

    def judgements(self, reader: RowReader) -> Judgements | None:
        """Make the judgements column by column, reading each distinct word once.

        Return None if any row has a problem: the caller then reads rows one by one, which reports
        problems and leaves out rows that are not judged yet.
        """
        count = len(self.lines)
        columns = dict(zip(self.header, zip(*self.cells, strict=True), strict=True))
        values = np.empty((count, len(reader.criteria)), np.int64)
        for place, criterion in enumerate(reader.codebook.criteria):
            column = columns[criterion.field]
            numbers: dict[str, int] = {}
            for word in set(column):
                numbers[word], problem = read_value(unguard(word), criterion, "csv")
                if problem:
                    return None
            values[:, place] = np.fromiter(map(numbers.__getitem__, column), np.int64, count)
        no_name = reader.evaluator or ""
        readers: dict[str, Callable[[str], str]] = {
            "comment": str,
            "text": str,
            "round": lambda word: round_name(word.strip()),
            "evaluator": lambda word: word.strip() or no_name,
            "kind": lambda word: _KINDS.get(word.strip(), ""),
        }
        words: dict[str, Labels] = {}
        for name in WORDS:
            column = columns.get(ROW_FIELDS.get(name, reader.codebook.comment), ("",))
            read_word = readers.get(name, str.strip)
            cleaned = {word: read_word(unguard(word)) for word in set(column)}
            if name in ("event", "evaluator", "kind") and "" in cleaned.values():
                return None
            labels = Labels.of(map(cleaned.__getitem__, column))
            words[name] = labels if len(labels) == count else labels.take(np.zeros(count, np.int64))
        return Judgements(words, values)


def read_sheet(source: Source, reader: RowReader) -> Iterator[RowBlock]:
    """Read the rows of a sheet; the header shows the separator."""
    lines: list[int] = []
    rows = sheet_rows(
        source, reader.problems, lines, lambda cells: reader.header(cells, source), "judgement"
    )
    header = next(rows, [])
    while cells := list(islice(rows, BLOCK)):
        yield RowBlock(source, header, lines[:], cells)
        lines.clear()


def sheet_rows(
    source: Source,
    problems: Problems,
    begins: list[int],
    name_columns: Callable[[list[str]], list[str] | None],
    what: str = "",
) -> Iterator[list[str]]:
    """Yield the header, then every row, and note in `begins` the line where it begins.

    `name_columns` gives the names of the columns by the header, None if rows can't be read; `what`
    is a row in a word, for the problem that there is none.
    """
    before = len(problems.problems)
    lines = source.lines(problems)
    number, head = next(((number, line) for number, line in lines if line.strip()), (0, ""))
    if not head or len(problems.problems) > before:  # no header to read rows by
        deque(lines, maxlen=0)  # reports the other lines that can't be read
        return
    pending = [number]
    """The line numbers of the row that is read next: a cell may span several lines."""

    def csv_lines() -> Iterator[str]:
        yield f"{head}\n"
        for number, line in lines:
            pending.append(number)
            yield f"{line}\n"

    table = csv.reader(csv_lines(), delimiter=max(",;\t", key=head.count), strict=True)
    header_only = True
    try:
        header = name_columns(next(table))
        if header is None:
            return
        yield header
        pending.clear()
        for cells in table:
            line = pending[0]
            pending.clear()
            if not "".join(cells).strip():
                continue
            header_only = False
            if len(cells) == len(header):
                begins.append(line)
                yield cells
            else:
                message = f"the row has {len(cells)} cells, the header {len(header)}"
                problems.problem(f"{message}; is the file cut?", source, line)
        if header_only and what:
            refuse_header_only(what, problems, source)
    except csv.Error as error:
        problems.problem(sheet_problem(error), source, pending[0])


def write_sheet(
    path: Path,
    header: Sequence[str],
    rows: Sequence[Sequence[str | int]],
    *,
    mark: bool = False,
) -> None:
    """Write a CSV, or tabs if the name ends in .tsv; `mark` lets Excel recognise UTF-8."""
    stream = io.StringIO()
    separator = "\t" if path.suffix.lower() == ".tsv" else ","
    writer = csv.writer(stream, delimiter=separator, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        for name, cell in zip(header, row, strict=True):
            if isinstance(cell, str) and "\0" in cell:
                raise DataError.of(f"{name} of '{row[0]}' {NUL}", path)
            if isinstance(cell, str) and len(cell) >= MOST_CHARACTERS:
                size = f"more than {MOST_CHARACTERS} characters"
                message = f"{name} of '{row[0]}' has {size}, which a sheet can't hold; write JSONL"
                raise DataError.of(message, path)
        writer.writerow([guard(cell) if isinstance(cell, str) else cell for cell in row])
    write_file(path, "\ufeff" * mark + stream.getvalue())


def write_judgements(judgements: Iterable[Judgement], path: Path, codebook: Codebook) -> None:
    """Write judgements, sorted by system, event, evaluator and round.

    The ending of the file's name selects the format. Empty columns are left out.
    """
    form = path.suffix.lower().removeprefix(".")
    if form not in FORMATS:
        wrong = f"judgements are not written as '{path.name}'"
        raise UsageError(f"{wrong}; end the name with one of: {ENDINGS}")
    header, rows = _table(sorted(judgements, key=lambda judgement: judgement.key), codebook)
    if form == "xlsx":
        book, sheet = new_workbook("Judgements")
        fill_sheet(sheet, header, rows)
        save_workbook(book, path)
    elif form == "jsonl":
        records = (zip(header, row, strict=True) for row in rows)
        filled = [{name: value for name, value in record if value != ""} for record in records]
        write_file(path, msgspec.json.Encoder().encode_lines(filled))
    else:
        write_sheet(path, header, rows)


def _table(judgements: Sequence[Judgement], codebook: Codebook) -> SheetTable:
    texts = [
        {field: str(getattr(judgement, name)) for name, field in ROW_FIELDS.items()}
        | {"evaluator_kind": "llm" if judgement.kind == "llm" else ""}
        for judgement in judgements
    ]
    columns = [n for n in TEXT_FIELDS if n in _ALWAYS or any(row.get(n) for row in texts)]
    header = [*columns, *(criterion.field for criterion in codebook.criteria), codebook.comment]
    rows: list[list[str | int]] = [
        [*(text[name] for name in columns), *judgement.values, judgement.comment]
        for text, judgement in zip(texts, judgements, strict=True)
    ]
    return header, rows
