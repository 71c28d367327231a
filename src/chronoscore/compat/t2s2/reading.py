r"""Textual time series as readr reads them: rows of an event and a time, both text or NA.

A file has one event a line, with its time in the second column: ``fever,-24``. Commas separate
columns, in files named ``.bsv`` bars. The first line decides how many columns there are: what a
longer line has too much stays in the last column with its commas, what a shorter line lacks is NA.
Fields may be quoted, blanks around them don't count, blank lines are skipped. An empty field and
``NA`` are NA. `as_numeric` turns a time into a number by the rules of R.
"""

import math
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from chronoscore.core import budget
from chronoscore.errors import DataError

SUFFIXES = (".csv", ".bsv")
_BLANKS = " \t\r"
_NUMBER = re.compile(
    r"\s*([+-]?)(?:"
    r"(?P<whole>[0-9]*)(?:\.(?P<part>[0-9]*))?(?:[eE](?P<exponent>[+-]?[0-9]*))?"
    r"|(?P<hex>0[xX][0-9a-fA-F]+)"
    r"|(?P<infinite>inf(?:inity)?)"
    r")\s*",
    re.IGNORECASE | re.ASCII,
)
_EXACT_DIGITS, _EXACT_POWER = 19, 27
"""Whole numbers of so many digits, and powers of ten up to this one, fit into 64 bits."""


class SeriesRow(NamedTuple):
    """A row of a time series."""

    event: str | None
    time: str | None
    line: int


def is_header(row: SeriesRow) -> bool:
    """Say whether a row names the columns."""
    return ((row.event or "").lower(), (row.time or "").lower()) == ("event", "time")


class TableLine(NamedTuple):
    """The fields of a line, each stripped of its quotes and of blanks, and the line's number."""

    fields: list[str]
    number: int


def series_files(folder: Path) -> dict[str, Path]:
    """Return the files of a folder by document: the file's name without ``.csv`` or ``.bsv``."""
    files: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if path.suffix not in SUFFIXES or not path.is_file():
            continue
        if path.stem in files:
            raise DataError.of(
                f"'{files[path.stem].name}' has the same document name, expected one file for each "
                "document: remove one",
                path,
            )
        files[path.stem] = path
    return files


def read_text(path: Path) -> str:
    """Read a file as UTF-8, without its byte order mark."""
    budget.check(budget.HELD_TIMES * path.stat().st_size, "the file is read as a whole", path)
    data = path.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = data.count(b"\n", 0, error.start) + 1
        raise DataError.of("is not valid UTF-8, expected UTF-8", path, number) from None


def read_series(text: str, name: str, *, header: bool = False) -> list[SeriesRow]:
    r"""Read the rows of a time series; `header` says that the first line names the columns.

    >>> [row[:2] for row in read_series("event,time\nfever, -24\nNA,\n", "d1.csv")]
    [('event', 'time'), ('fever', '-24'), (None, None)]
    """
    delimiter = "|" if name.endswith(".bsv") else ","
    lines = list(table_lines(text, delimiter))
    if not lines:
        raise DataError.of("the file is empty, expected rows of an event and a time", name)
    width = len(lines[0].fields)
    if width < 2:
        raise DataError.of(
            f"the line has one column, expected an event and a time, separated by '{delimiter}'",
            name,
            lines[0].number,
        )
    rows = lines[1:] if header else lines
    if not rows:
        raise DataError.of("there are no rows under the header", name)
    return [_row(line, width, delimiter) for line in rows]


def _row(line: TableLine, width: int, delimiter: str) -> SeriesRow:
    fields = [*line.fields, "", ""]
    time = fields[1] if width > 2 else delimiter.join(line.fields[1:])
    return SeriesRow(na(fields[0]), na(time), line.number)


def na(field: str) -> str | None:
    """Return a field's text, or None if it is NA."""
    return None if field in ("", "NA") else field


def table_lines(text: str, delimiter: str) -> Iterator[TableLine]:
    r"""Yield the lines of a table that are not blank; a quoted field may contain ends of lines.

    >>> for line in table_lines('"fever, high" , 3\r\n\nthe "flu",NA', ","):
    ...     print(line.number, line.fields)
    1 ['fever, high', '3']
    3 ['the "flu"', 'NA']
    """
    end = re.escape(delimiter)
    field = re.compile(rf'(?:"([^"]*(?:""[^"]*)*)(?:"|\Z))?([^{end}\n]*)({end}|\n|\Z)')
    text, place, number = text.removeprefix("\ufeff"), 0, 1
    fields: list[str] = []
    first = number
    while place < len(text) or fields:
        match = field.match(text, place)
        assert match is not None  # each of its parts may be empty
        quoted, rest, stop = match.groups()
        inner = "" if quoted is None else quoted.replace('""', '"')
        fields.append((inner + rest).strip(_BLANKS))
        number += match[0].count("\n")
        place = match.end()
        if stop == delimiter:
            continue
        if any(fields) or len(fields) > 1 or quoted is not None:
            yield TableLine(fields, first)
        fields, first = [], number


def is_number(time: str) -> bool:
    """Say whether readr takes a time for a number when it guesses the type of a column."""
    return as_numeric(time) is not None or time == "NaN"


def as_numeric(text: str | None) -> float | None:
    """Return a number as R's ``as.numeric`` does, or None for NA and NaN.

    >>> as_numeric(" .5 "), as_numeric("1e"), as_numeric("0x10"), as_numeric("-inf")
    (0.5, 1.0, 16.0, -inf)
    >>> as_numeric("1,032"), as_numeric("2-3"), as_numeric("12h"), as_numeric("NaN")
    (None, None, None, None)
    """
    match = None if text is None else _NUMBER.fullmatch(text)
    if match is None or not any(match.group("whole", "part", "hex", "infinite")):
        return None
    if match["infinite"]:
        value = math.inf
    elif match["hex"]:
        value = float.fromhex(match["hex"]) if len(match["hex"]) < 200 else math.inf
    else:
        value = _decimal(match["whole"], match["part"] or "", match["exponent"] or "")
    return -value if match[1] == "-" else value


def _decimal(whole: str, part: str, exponent: str) -> float:
    """Return a decimal number; an exponent without digits is 0.

    R computes it in 64 bits and rounds it to 53 then, which may give another last bit than to round
    once.
    """
    exponent = exponent if exponent.strip("+-") else "0"
    digits = (whole + part).lstrip("0") or "0"
    power = int(exponent) - len(part) if len(exponent) < 5 else math.inf
    if len(digits) > _EXACT_DIGITS or abs(power) > _EXACT_POWER or digits == "0":
        return float(f"{whole or 0}.{part or 0}e{exponent}")
    exact = Fraction(int(digits)) * Fraction(10) ** int(power)
    shift = 64 - exact.numerator.bit_length() + exact.denominator.bit_length()
    scale = Fraction(2) ** shift
    if exact * scale >= 2**64:
        scale /= 2
    return float(round(exact * scale) / scale)


def check_times_of_gold(gold: Sequence[tuple[str, Sequence[SeriesRow]]]) -> None:
    """Refuse gold files of which some have only numbers as times and others have not.

    The original can't put the two kinds of columns into one table, and stops. A column of NA alone
    goes with either.
    """
    numbers = ""
    other: tuple[str, SeriesRow] | None = None
    for name, rows in gold:
        words = (row for row in rows if row.time is not None and not is_number(row.time))
        if (row := next(words, None)) is not None:
            other = other or (name, row)
        elif any(row.time is not None for row in rows):
            numbers = numbers or name
    if numbers and other:
        name, row = other
        raise DataError.of(
            f"the time is '{row.time}', but {numbers} has only numbers as times: the original "
            "can't combine the two and stops; expected numbers in all gold files, or a header "
            "line in each",
            name,
            row.line,
        )
