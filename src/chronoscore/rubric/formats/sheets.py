"""Sheets: CSV with commas, semicolons or tabs.

A spreadsheet runs a cell that begins with `=`, `+`, `-` or `@`. Such a text is written with an
apostrophe before it, which every spreadsheet takes for "this is text", and read back without.
"""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from chronoscore.core.columns import refuse_header_only
from chronoscore.core.errors import DataError
from chronoscore.core.reading import NUL, Reading
from chronoscore.core.writing import write_file
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.formats.rows import Row, header_names

_RUNS = r"'*\s*[=+\-@＝＋－＠]|'*[\t\r\n]"
_MAY_RUN = re.compile(_RUNS)
_GUARDED = re.compile(rf"'(?={_RUNS})")
BLOCK = 1 << 16
"""Rows that are checked together."""
MOST_CHARACTERS = 131_072
"""The longest cell that Python's csv reads, unless told otherwise."""


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


class Block(NamedTuple):
    """Some rows of a sheet, as long as its header, and the lines where they begin."""

    path: Path
    header: Sequence[str]
    cells: list[list[str]]
    lines: list[int]

    def row(self, at: int) -> Row:
        """One row by field."""
        cells = dict(zip(self.header, map(unguard, self.cells[at]), strict=True))
        return Row(cells, self.path, self.lines[at])


def read_sheet(
    path: Path, codebook: Codebook, reading: Reading, evaluator: str | None
) -> Iterator[Block]:
    """Read the rows of a sheet; the separator is told by the header."""
    before = len(reading.problems)
    lines = reading.lines(path)
    number, head = next(((number, line) for number, line in lines if line.strip()), (0, ""))
    if not head or len(reading.problems) > before:  # no header: what follows would be taken for it
        for _ in lines:
            pass  # so that what can't be read there is noted too
        return
    taken = [number]
    """The lines of the row that is read next: a cell may go over several."""

    def fed() -> Iterator[str]:
        yield f"{head}\n"
        for number, line in lines:
            taken.append(number)
            yield f"{line}\n"

    cells = csv.reader(fed(), delimiter=max(",;\t", key=head.count), strict=True)
    block = Block(path, (), [], [])
    try:
        header = header_names(next(cells), codebook, path, reading, evaluator)
        if header is None:
            return
        taken.clear()
        found = False
        block = Block(path, header, [], [])
        for row in cells:
            line = taken[0]
            taken.clear()
            if not "".join(row).strip():
                continue
            found = True
            if len(row) != len(header):
                reading.problem(
                    f"the row has {len(row)} cells, the header {len(header)}; is the file cut?",
                    path,
                    line,
                )
                continue
            block.cells.append(row)
            block.lines.append(line)
            if len(block.lines) == BLOCK:
                yield block
                block = Block(path, header, [], [])
        yield block
        if not found:
            refuse_header_only("judgement", reading, path)
    except csv.Error as error:
        yield block
        reading.problem(f"not a readable sheet: {_in_words(error)}", path, taken[0])


def _in_words(error: csv.Error) -> str:
    if "end of data" in str(error):
        return "a quote is opened here and not closed; is the file cut?"
    if "field limit" in str(error):
        return f"a cell is longer than {csv.field_size_limit()} characters; is a quote not closed?"
    return "a quote ends within a cell; within quotes, write it twice"


def write_sheet(
    path: Path,
    header: Sequence[str],
    rows: Sequence[Sequence[str | int]],
    *,
    mark: bool = False,
) -> None:
    """Write a CSV, or with tabs where the name ends so; `mark` tells Excel that it is UTF-8."""
    stream = io.StringIO()
    separator = "\t" if path.suffix.lower() == ".tsv" else ","
    writer = csv.writer(stream, delimiter=separator, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        for name, cell in zip(header, row, strict=True):
            if isinstance(cell, str) and "\0" in cell:
                raise DataError.of(f"{name} of '{row[0]}' {NUL}", path)
            if isinstance(cell, str) and len(cell) >= MOST_CHARACTERS:
                what = f"more than {MOST_CHARACTERS} characters"
                message = f"{name} of '{row[0]}' has {what}, which a sheet can't hold; write JSONL"
                raise DataError.of(message, path)
        writer.writerow([guard(cell) if isinstance(cell, str) else cell for cell in row])
    write_file(path, "\ufeff" * mark + stream.getvalue())
