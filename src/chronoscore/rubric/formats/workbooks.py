"""Workbooks: XLSX through openpyxl, looked over before they are opened.

No formula is ever read or written: a cell that holds one is a problem, and a text that looks like
one is written as text.
"""

import io
import re
import warnings
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chronoscore.core.columns import refuse_header_only
from chronoscore.core.errors import DataError, UsageError
from chronoscore.core.reading import Reading
from chronoscore.core.writing import replaced
from chronoscore.rubric.codebook import Codebook, folded
from chronoscore.rubric.formats.archives import refusal
from chronoscore.rubric.formats.rows import Row, header_names, known_columns

if TYPE_CHECKING:
    from openpyxl.workbook import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

MOST_COLUMNS = 256
MOST_CHARACTERS = 32_767
"""What a cell of Excel holds."""
# Characters that XML can't hold are written as _xHHHH_, and what looks like that as _x005F_xHHHH_
# (ECMA-376 part 1, 22.4.2.4).
_CANT = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_CODED = re.compile(r"_x([0-9A-Fa-f]{4})_")


def coded(text: str) -> str:
    """Write what XML can't hold in the way of workbooks.

    >>> coded("a\\rb _x0041_"), decoded(coded("a\\rb _x0041_"))
    ('a_x000D_b _x005F_x0041_', 'a\\rb _x0041_')
    """
    return _CANT.sub(lambda found: f"_x{ord(found[0]):04X}_", text)


def decoded(text: str) -> str:
    """Undo `coded`."""
    return _CODED.sub(lambda found: chr(int(found[1], 16)), text)


def library() -> Any:
    """Give openpyxl, or say in one line how to get it."""
    try:
        import openpyxl  # noqa: PLC0415  # an extra: sheets in CSV never need it
    except ImportError:
        raise UsageError("workbooks need a package: pip install 'chronoscore[xlsx]'") from None
    return openpyxl


def read_workbook(
    path: Path, codebook: Codebook, reading: Reading, evaluator: str | None
) -> Iterator[Row]:
    """Read the rows of every sheet that has columns of judgements; others are told."""
    openpyxl = library()
    if not path.exists() or path.is_dir():
        for _ in reading.lines(path):
            pass  # it says what is wrong
        return
    try:
        reason = refusal(path)
        if reason:
            reading.problem(reason, path, code="refused")
            return
        with warnings.catch_warnings(action="ignore"):  # of styles that are not ours to read
            book = openpyxl.load_workbook(path, read_only=True, data_only=False, keep_links=False)
    except OSError as error:
        reading.problem(f"can't be read: {error.strerror or error}", path)
        return
    except Exception as error:  # noqa: BLE001, RUF100  # openpyxl raises whatever broken XML makes it
        reading.problem(f"is not a workbook that can be read ({type(error).__name__})", path)
        return
    read = False
    try:
        for sheet in book.worksheets:
            before = len(reading.problems)
            for row in _sheet(sheet, path, codebook, reading, evaluator):
                read = True
                if isinstance(row, Row):
                    yield row
            read = read or len(reading.problems) > before
    except (KeyError, ValueError, TypeError, IndexError, SyntaxError, zipfile.BadZipFile) as error:
        reading.problem(f"a sheet can't be read ({type(error).__name__}); is it damaged?", path)
        read = True
    finally:
        book.close()
    if not read:
        reading.problem("there is no sheet with columns of judgements, such as event_id", path)


def _sheet(
    sheet: Any, path: Path, codebook: Codebook, reading: Reading, evaluator: str | None
) -> Iterator[Row | None]:
    """Give the rows of a sheet, and first None once its header was found."""
    sheet.reset_dimensions()  # they are only what the file claims
    lines = enumerate(_quietly(sheet.iter_rows()), 1)
    title = f"{sheet.title}: "
    known = known_columns(codebook)
    header: list[str] = []
    letters: list[str] = []
    found = False
    for number, cells in lines:
        if not cells:
            continue
        if len(cells) > MOST_COLUMNS:
            message = f"the row has {len(cells)} columns, at most {MOST_COLUMNS} are read"
            reading.problem(f"{sheet.title}!{number}: {message}", path, number)
            return
        texts = [_shown(cell) for cell in cells]
        while texts and not texts[-1].strip():
            texts.pop()
        if not texts:
            continue
        if not header:
            needed = {"event_id", *(criterion.field for criterion in codebook.criteria)}
            if not any(known.get(folded(text)) in needed for text in texts):
                reading.notice(f"sheet '{sheet.title}' is not read: it has no judgements", path)
                return
            names = header_names(texts, codebook, path, reading, evaluator, title)
            yield None
            if names is None:
                return
            header, letters = names, [_letters(at) for at in range(1, len(texts) + 1)]
            continue
        found = True
        at = Row({}, path, number, sheet.title)
        row = _row(cells, header, letters, at, known.values(), reading)
        if row is not None:
            yield row
    if header and not found:
        refuse_header_only("judgement", reading, path, title)


def _quietly(rows: Iterator[Any]) -> Iterator[Any]:
    """Some rows at a time, without the library's warnings of what is not ours to read."""
    while True:
        with warnings.catch_warnings(action="ignore"):
            some = list(islice(rows, 500))
        if not some:
            return
        yield from some


def _row(
    cells: Sequence[Any],
    header: Sequence[str],
    letters: Sequence[str],
    at: Row,
    ours: Collection[str],
    reading: Reading,
) -> Row | None:
    columns = {name: letter for name, letter in zip(header, letters, strict=True) if name}
    values: dict[str, object] = {}
    wrong = False
    for column, cell in enumerate(cells):
        name = header[column] if column < len(header) else ""
        if cell.value is None or (not name and not str(cell.value).strip()):
            continue
        where = f"{at.where}!{_letters(column + 1)}{at.line}"
        if not name:
            reading.problem(f"{where}: there is no heading above this cell", at.path, at.line)
            wrong = True
        elif name in ours and cell.data_type in ("f", "e"):
            what = "a formula; paste its value" if cell.data_type == "f" else "an error"
            message = f"{where}: {name} is {what}"
            reading.problem(message, at.path, at.line, code="wrong_type", field=name)
            wrong = True
        elif name in ours:
            values[name] = decoded(cell.value) if isinstance(cell.value, str) else cell.value
    return None if wrong else Row(values, at.path, at.line, at.where, columns)


def _shown(cell: Any) -> str:
    return "" if cell.value is None else decoded(str(cell.value))


def _letters(column: int) -> str:
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def put_text(sheet: "Worksheet", row: int, column: int, text: str) -> None:
    """Write a text that stays text, whatever it begins with."""
    written = coded(text)
    if len(written) > MOST_CHARACTERS:
        raise DataError.of(
            f"a text of {len(text)} characters does not fit into a cell, which holds "
            f"{MOST_CHARACTERS}: '{text[:40]}...'; write CSV or JSONL"
        )
    cell = sheet.cell(row, column)
    cell.value = written
    cell.data_type = "s"  # openpyxl takes what begins with = for a formula
    if text[:1] in "=+-@'":
        cell.quotePrefix = True  # Excel keeps it text when edited


def fill_sheet(
    sheet: "Worksheet",
    header: Sequence[str],
    rows: Sequence[Sequence[str | int]],
    widths: Mapping[str, float] | None = None,
) -> None:
    """Write a header that stays in sight, and rows below it."""
    from openpyxl.styles import Alignment, Font  # noqa: PLC0415

    for column, name in enumerate(header, 1):
        put_text(sheet, 1, column, name)
        sheet.cell(1, column).font = Font(bold=True)
        if widths and name in widths:
            sheet.column_dimensions[_letters(column)].width = widths[name]
    for number, row in enumerate(rows, 2):
        for column, value in enumerate(row, 1):
            if isinstance(value, int):
                sheet.cell(number, column).value = value
            elif value:
                put_text(sheet, number, column, value)
            if widths:
                sheet.cell(number, column).alignment = Alignment(wrap_text=True, vertical="top")
    sheet.freeze_panes = "A2"


def new_workbook(title: str) -> "tuple[Workbook, Worksheet]":
    """Make a workbook with one empty sheet of that name."""
    book = library().Workbook()
    sheet = book.active
    sheet.title = title
    return book, sheet


def save_workbook(book: "Workbook", path: Path) -> None:
    """Write a workbook into a file."""
    content = io.BytesIO()
    with replaced(path) as draft:  # openpyxl needs room for files of its own, too
        book.save(content)
        draft.write_bytes(content.getvalue())
