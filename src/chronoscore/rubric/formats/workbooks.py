"""Workbooks: XLSX through openpyxl, inspected before they are opened.

A workbook is a zip of XML, and may come from anywhere. The reader refuses archives that unpack to
a multiple of their size, macros, links to other files, and XML that defines entities. No formula is
ever read or written: a cell that holds a formula is a problem, and a text that looks like a formula
is written as text.
"""

import io
import re
import warnings
import zipfile
import zlib
from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import chain, islice, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chronoscore.core.problems import Problems
from chronoscore.core.records import refuse_header_only
from chronoscore.core.sources import Source, pointer_message
from chronoscore.core.writing import replaced
from chronoscore.errors import DataError, UsageError
from chronoscore.rubric.formats.rows import JudgementRow, RowReader

if TYPE_CHECKING:
    from openpyxl.workbook import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

ENDINGS = (".xlsx", ".xlsm", ".xltx", ".xltm", ".xls", ".xlsb")
MOST_BYTES = 256 * 1024 * 1024
MOST_TIMES = 150
SMALL = 4 * 1024 * 1024
MOST_MEMBERS = 2000
_ENTITIES = tuple(
    mark.encode(code)
    for mark in ("<!DOCTYPE", "<!ENTITY")
    for code in ("utf-8", "utf-16-le", "utf-16-be")
)
_MACROS = re.compile(r"vbaproject|macrosheets/|activex/|embeddings/|vbadata", re.IGNORECASE)
_LINKS = re.compile(r"externallinks/|(^|/)connections\.xml$|querytables/", re.IGNORECASE)
_RELATION = re.compile(rb"<[^>]*TargetMode\s*=\s*[\"']External[^>]*>")
MOST_COLUMNS = 256
MOST_ROWS = 1_048_576
"""The rows of a sheet of Excel; openpyxl fills the gap before a row that claims a higher number."""
MOST_CHARACTERS = 32_767
"""The longest text that a cell of Excel holds."""
# Characters that XML can't hold are written as _xHHHH_, and what looks like that as _x005F_xHHHH_
# (ECMA-376 part 1, 22.4.2.4).
_UNWRITABLE = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_WRONG_CELLS = {"f": "{} is a formula; paste its value", "e": "{} is an error"}
_CODED = re.compile(r"_x([0-9A-Fa-f]{4})_")


def is_workbook(source: Source) -> bool:
    """Whether a source is a workbook, by its name or by its content."""
    if source.suffix.lower() in ENDINGS or not source.is_file:
        return source.suffix.lower() in ENDINGS
    try:
        with source.open_anywhere() as file:
            return zipfile.is_zipfile(file)
    except OSError:
        return False


def refusal(source: Source) -> str:
    """Return why a workbook must not be opened; empty if it may."""
    ending = source.suffix.lower()
    if ending in ENDINGS[1:]:
        return f"{ending} files may hold macros or are of an old format; save it as .xlsx"
    try:
        with source.open_anywhere() as file, zipfile.ZipFile(file) as archive:
            return next(_refusals(archive), "")
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError):
        with source.open_anywhere() as file:
            pointer = pointer_message(file.read(1024))
        damaged = "is not a workbook that can be read: the file is damaged or of another format"
        return pointer or damaged


def _refusals(archive: zipfile.ZipFile) -> Iterator[str]:
    """Yield the reasons not to open an archive; the slowest checks come last."""
    members = archive.infolist()
    if len(members) > MOST_MEMBERS:
        yield f"has {len(members)} parts, more than the {MOST_MEMBERS} that a workbook may need"
    # These are the declared sizes; unpacking never yields more.
    total = sum(member.file_size for member in members)
    packed = sum(member.compress_size for member in members)
    if total > MOST_BYTES or any(
        member.file_size > max(SMALL, MOST_TIMES * member.compress_size) for member in members
    ):
        yield f"unpacks from {packed} to {total} bytes: it looks like a zip bomb and is not opened"
    if any(member.flag_bits & 1 for member in members):
        yield "is encrypted; save it without a password"
    names = [member.filename.replace("\\", "/") for member in members]
    if "xl/workbook.xml" not in names:
        yield "is a zip, but not a workbook of Excel (.xlsx)"
    for name in filter(_MACROS.search, names):
        yield f"has macros or other programs ({name}) and is not opened; save it without"
    for name in filter(_LINKS.search, names):
        yield f"has links to other files ({name}) and is not opened; save it without"
    for name in archive.namelist():
        data = archive.read(name) if name.lower().endswith((".xml", ".rels")) else b""
        if any(mark in data for mark in _ENTITIES):
            yield f"has a document type or entities in {name} and is not opened"
        if any(b"/hyperlink" not in relation for relation in _RELATION.findall(data)):
            yield f"has links to other files ({name}) and is not opened; save it without"
        if name == "[Content_Types].xml" and b"macroEnabled" in data:
            yield "has macros and is not opened; save it without"


def coded(text: str) -> str:
    """Encode characters that XML can't hold, as workbooks do.

    >>> coded("a\\rb _x0041_"), decoded(coded("a\\rb _x0041_"))
    ('a_x000D_b _x005F_x0041_', 'a\\rb _x0041_')
    """
    return _UNWRITABLE.sub(lambda match: f"_x{ord(match[0]):04X}_", text)


def decoded(text: str) -> str:
    """Undo `coded`."""
    return _CODED.sub(lambda match: chr(int(match[1], 16)), text)


def library() -> Any:
    """Return openpyxl, or name the command that installs it."""
    try:
        import openpyxl  # noqa: PLC0415  # an extra: sheets in CSV never need it
    except ImportError:
        raise UsageError("workbooks need a package: pip install 'chronoscore[xlsx]'") from None
    return openpyxl


@contextmanager
def open_workbook(source: Source, problems: Problems) -> Iterator[Any]:
    """Open a workbook that may be opened; None if it may not or can't be, which is reported."""
    openpyxl = library()
    with ExitStack() as opened:  # the file stays open while rows are read
        book = None
        try:
            if not source.exists or source.is_folder:
                deque(source.lines(problems), maxlen=0)  # reports why it can't be read
            elif reason := refusal(source):
                problems.problem(reason, source, code="refused")
            else:
                file = opened.enter_context(source.open_anywhere())
                with warnings.catch_warnings(action="ignore"):  # about styles, which are not read
                    book = openpyxl.load_workbook(file, read_only=True, keep_links=False)
                opened.callback(book.close)
        except OSError as error:
            problems.problem(f"can't be read: {error.strerror or error}", source)
        except Exception as error:  # noqa: BLE001, RUF100  # openpyxl raises whatever broken XML makes it
            problems.problem(f"is not a workbook that can be read ({type(error).__name__})", source)
        yield book


def read_workbook(source: Source, reader: RowReader) -> Iterator[JudgementRow]:
    """Read the rows of every sheet that has columns of judgements; other sheets are reported."""
    with open_workbook(source, reader.problems) as book:
        if book is not None:
            yield from _workbook(book, source, reader)


@contextmanager
def damage_reported(source: Source, problems: Problems) -> Iterator[None]:
    """Report a sheet that openpyxl fails to read, as it does in many ways."""
    try:
        yield
    except (KeyError, ValueError, TypeError, IndexError, SyntaxError, zipfile.BadZipFile) as error:
        problems.problem(f"a sheet can't be read ({type(error).__name__}); is it damaged?", source)


def _workbook(book: Any, source: Source, reader: RowReader) -> Iterator[JudgementRow]:
    problems, has_judgements = reader.problems, False
    before = len(problems.problems)
    with damage_reported(source, problems):
        for sheet in book.worksheets:
            has_judgements |= yield from _sheet(sheet, source, reader)
    if not has_judgements and len(problems.problems) == before:
        problems.problem("there is no sheet with columns of judgements, such as event_id", source)


def _sheet(sheet: Any, source: Source, reader: RowReader) -> Generator[JudgementRow, None, bool]:
    """Yield the rows of a sheet, and return whether it has columns of judgements."""
    problems, title = reader.problems, f"{sheet.title}: "
    header: list[str] = []
    columns: dict[str, str] = {}
    header_only = True
    for number, cells in enumerate(cell_rows(sheet), 1):
        if too_large(cells, sheet, number, source, problems):
            return True
        texts = ["" if cell.value is None else decoded(str(cell.value)) for cell in cells]
        while texts and not texts[-1].strip():
            texts.pop()
        if header and texts:
            header_only = False
            at = JudgementRow({}, source, number, sheet.title, columns)
            if row := _row(cells, header, at, reader):
                yield row
        elif texts:
            if not {"event_id", *reader.criteria} & set(map(reader.proper, texts)):
                problems.notice(f"sheet '{sheet.title}' is not read: it has no judgements", source)
                return False
            header = reader.header(texts, source, title) or []
            if not header:
                return True
            headings = zip(header, cells, strict=False)
            columns = {name: cell.column_letter for name, cell in headings if name}
    if header and header_only:
        refuse_header_only("judgement", problems, source, title)
    return bool(header)


def too_large(
    cells: Sequence[Any], sheet: Any, number: int, source: Source, problems: Problems
) -> bool:
    """Report a row with more columns than are read, or beyond the rows that are read."""
    if number > MOST_ROWS:
        message = f"at most {MOST_ROWS} rows are read: split the sheet"
    elif len(cells) > MOST_COLUMNS:
        message = f"the row has {len(cells)} columns, at most {MOST_COLUMNS} are read"
    else:
        return False
    problems.problem(f"{sheet.title}!{number}: {message}", source, number)
    return True


def cell_rows(sheet: Any) -> Iterator[Any]:
    """Yield the cells of each row, without openpyxl's warnings about parts that are not read."""
    sheet.reset_dimensions()  # they are only what the file claims
    rows = sheet.iter_rows()
    while True:
        with warnings.catch_warnings(action="ignore"):
            block = list(islice(rows, 500))
        if not block:
            return
        yield from block


def _row(
    cells: Sequence[Any], header: Sequence[str], at: JudgementRow, reader: RowReader
) -> JudgementRow | None:
    """Return the values of a row by field; report cells that can't be read and return None."""
    values: dict[str, object] = {}
    refused = False
    for name, cell in zip(chain(header, repeat("")), cells, strict=False):
        if cell.value is None or (not name and not str(cell.value).strip()):
            continue
        if name and name not in reader.columns.values():
            continue
        message, code = _WRONG_CELLS.get(cell.data_type, ""), "wrong_type"
        if not name:
            message, code = "there is no heading above this cell", ""
        if message:
            refused = True
            text = f"{at.where}!{cell.column_letter}{at.line}: {message.format(name)}"
            reader.problems.problem(text, at.source, at.line, code=code, field=name)
        else:
            values[name] = decoded(cell.value) if isinstance(cell.value, str) else cell.value
    return None if refused else replace(at, values=values)


def put_text(sheet: "Worksheet", row: int, column: int, text: str) -> None:
    """Write a text into a cell so that it stays text, whatever it begins with."""
    encoded = coded(text)
    if len(encoded) > MOST_CHARACTERS:
        raise DataError.of(
            f"a text of {len(text)} characters does not fit into a cell, which holds "
            f"{MOST_CHARACTERS}: '{text[:40]}...'; write CSV or JSONL"
        )
    cell = sheet.cell(row, column)
    cell.value = encoded
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
    from openpyxl.utils import get_column_letter  # noqa: PLC0415

    for number, row in enumerate([header, *rows], 1):
        for column, value in enumerate(row, 1):
            if isinstance(value, int):
                sheet.cell(number, column).value = value
            elif value:
                put_text(sheet, number, column, value)
            if widths and number > 1:
                sheet.cell(number, column).alignment = Alignment(wrap_text=True, vertical="top")
    for column, name in enumerate(header, 1):
        sheet.cell(1, column).font = Font(bold=True)
        if widths and name in widths:
            sheet.column_dimensions[get_column_letter(column)].width = widths[name]
    sheet.freeze_panes = "A2"


def new_workbook(title: str) -> "tuple[Workbook, Worksheet]":
    """Make a workbook with one empty sheet of that name."""
    book = library().Workbook()
    sheet = book.active
    sheet.title = title
    return book, sheet


class _Buffer(io.BytesIO):
    """Bytes that stay readable until nothing refers to them.

    If the disk is full, openpyxl leaves an archive open on them, which ends itself only later.
    """

    def close(self) -> None:
        """Do nothing."""


def save_workbook(book: "Workbook", path: Path) -> None:
    """Write a workbook into a file."""
    content = _Buffer()
    with replaced(path) as draft:  # openpyxl writes temporary files, too
        book.save(content)
        draft.write_bytes(content.getvalue())
