"""Tables as text that fits a terminal.

A table that is too wide first loses its optional columns, then wraps its longest texts, and is at
last broken into blocks, one below the other, which all begin with the columns of names.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING
from unicodedata import combining, east_asian_width

import msgspec
from msgspec.structs import replace

from chronoscore.errors import one_line
from chronoscore.reports.table import Cell, Column, Several, Table, shown

if TYPE_CHECKING:
    from chronoscore.core.result import Interval  # which loads numpy

PIPE_WIDTH = 100
"""Columns where there is no terminal, as in a pipe."""
NARROWEST = 32
"""Columns below which nothing is made narrower still."""
_GAP = "  "
_WRAPPED = 16
"""The least width of a text that is wrapped to make room."""
_LONGEST_GROUP = 32
"""The widest heading of a group that may widen its columns."""
_MOST_NAMED = 4
"""Columns that are named of those that are left out."""
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"
_NUMBER = re.compile(r"(?P<whole>[<>+-]?\d+)(?P<fraction>\.\d+)?(?P<rest>.*)")
_WRITTEN_NUMBER = re.compile(r"[<>+-]?\d+(\.\d+)?\*?")
_SHELL_WORD = re.compile(r"(?:-\S+ (?=[^-]))?(?:'[^']*'|\S)+")
"""A word of a command, or an option with the word behind it."""
_PIECES = re.compile(r"[^\W_]+[\W_]?|[\W_]")
"""Where a word may be broken: after a mark such as a hyphen or a bracket."""


def terminal_width() -> int:
    """The width of the terminal, as far as there is one; COLUMNS sets another."""
    stated = os.environ.get("COLUMNS", "")
    width = int(stated) if stated.isdecimal() else 0
    if not width and sys.__stdout__ is not None:
        with suppress(ValueError, OSError):  # closed, or no terminal
            width = os.get_terminal_size(sys.__stdout__.fileno()).columns
    return max(width or PIPE_WIDTH, NARROWEST)


def terminal(
    table: Table,
    width: int | None = None,
    *,
    styled: bool = False,
    full: bool = False,
    full_option: str = "",
) -> str:
    """Write aligned columns, groups of columns under a common heading, in lines that fit.

    Only if `styled`, what is marked as the best is bold. If `full`, no column is left out; else a
    line below names the columns that are, and `full_option` as what one types to see them.

    >>> print(terminal(Table.of("days", ("name", "mean"), [("a", 9.5), ("b", 10.25)]), 40), end="")
    days
    name    mean
    ----  ------
    a      9.500
    b     10.250
    """
    width = max(width or terminal_width(), NARROWEST)
    table = _intervals_beside_scores(table)
    longest = min(_LONGEST_GROUP, width - width * 3 // 5 - len(_GAP))
    columns = [_text_column(table, place, longest) for place in range(len(table.columns))]
    lines = [bold(line, styled) for line in wrapped_lines(table.caption, width)]
    kept = columns if full else _without_optional(columns, width)
    for number, block in enumerate(_fitting(kept, width)):
        lines += [""] * (number > 0) + _block_lines(block, styled)
    dropped = [one.column.name for one in columns if one not in kept] if full_option else []
    for remark in (*_dropped_line(dropped, full_option), *table.remarks):
        lines += wrapped_lines(remark, width)
    return "\n".join(lines) + "\n"


def bold(text: str, styled: bool) -> str:
    """Write a text in bold, if it is to be styled."""
    return f"{_BOLD}{text}{_PLAIN}" if styled and text else text


def text_width(text: str) -> int:
    """Count the columns that a text takes on a terminal."""
    return len(text) if text.isascii() else sum(map(character_width, text))


def character_width(character: str) -> int:
    """How many columns of a terminal a character takes."""
    return 0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1


def notice_lines(notices: Iterable[str], width: int | None = None) -> str:
    """Write notices as the command line does, each on lines of its own.

    >>> print(notice_lines(["ours: no prediction for 1 topic"], 30), end="")
    notice: ours: no prediction
      for 1 topic
    """
    columns = width or terminal_width()
    lines = (line for text in notices for line in wrapped_lines(text, columns, first="notice: "))
    return "".join(f"{line}\n" for line in lines)


def wrapped_lines(text: str, width: int, indent: str = "  ", first: str = "") -> list[str]:
    """Break a sentence into lines of at most `width` columns; all but the first are indented.

    The first line begins with `first`. A word that is longer, such as a path, is not broken, so
    that it can be copied.

    >>> wrapped_lines("one two three", 8)
    ['one two', '  three']
    """
    lines, line, empty = [], first, True
    for word in one_line(text).split():
        pieces = [word] if word.isascii() else _pieces(word, width - len(indent))
        for number, piece in enumerate(pieces):
            gap = "" if empty or number else " "
            if not empty and text_width(line + gap + piece) > width:
                lines.append(line)
                line, gap = indent, ""
            line, empty = line + gap + piece, False
    return [*lines, line]


def command_lines(command: str, width: int, first: str = "") -> list[str]:
    """Break a command into lines that a shell reads as one; options stay with their values.

    >>> command_lines("chronoscore show a.json --by 'my tag'", 26)
    ['chronoscore show a.json \\\\', "    --by 'my tag'"]
    """
    lines, line = [], first
    for word in _SHELL_WORD.findall(command):
        if line != first and text_width(f"{line} {word}") > width - 2:
            lines.append(f"{line} \\")
            line = " " * (len(first) + 3)
        line += word if line == first else f" {word}"
    return [*lines, line]


def _pieces(word: str, width: int) -> Iterator[str]:
    """Break a word into pieces of at most `width` columns, after a mark where there is one."""
    piece = ""
    for part in _PIECES.findall(word):
        if piece and text_width(piece + part) > width:
            yield piece
            piece = ""
        for character in part:
            if piece and text_width(piece + character) > width:
                yield piece
                piece = ""
            piece += character
    if piece:
        yield piece


def wrapped_cell(text: str, width: int) -> list[str]:
    """Break the text of a cell into lines of at most `width` columns, words too if need be.

    >>> wrapped_cell("suez-canal-blockage was here", 11)
    ['suez-canal-', 'blockage', 'was here']
    """
    lines, line = [], ""
    for word in text.split():
        pieces = [word] if text_width(word) <= width else list(_pieces(word, width))
        for number, piece in enumerate(pieces):
            gap = " " if line and not number else ""
            if line and (number or text_width(line + gap + piece) > width):
                lines.append(line)
                line, gap = "", ""
            line += gap + piece
    return [*lines, line]


# Scores and their intervals


def score_text(
    value: float | None, interval: "Interval | None" = None, marks: str = "", digits: int = 3
) -> str:
    """Write a score, its marks, and its interval: one number if symmetric, else its bounds.

    >>> from chronoscore.core.result import Interval
    >>> score_text(0.617, Interval(0.482, 0.752, 0.95, "bootstrap", 7), "ab")
    '0.617 ab ±.135'
    >>> score_text(0.045, Interval(0.0, 0.118, 0.95, "bootstrap", 7))
    '0.045 [0, .118]'
    """
    text = "undef." if value is None else f"{value:.{digits}f}"
    marked = f"{text} {marks}" if marks else text
    if value is not None and interval is not None:
        marked += _interval_text(value, interval.low, interval.high, digits)
    return marked.rstrip()


def _interval_text(value: float, low: float, high: float, digits: int) -> str:
    if abs((low + high) / 2 - value) < 0.5 * 10**-digits:
        return f" ±{_brief((high - low) / 2, digits)}"
    return f" [{_brief(low, digits)}, {_brief(high, digits)}]"


def _brief(value: float, digits: int) -> str:
    """Write a number without the zero before its point."""
    text = f"{value:.{digits}f}"
    if float(text) in (0, 1):
        return str(int(float(text)))
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def _intervals_beside_scores(table: Table) -> Table:
    """Write each interval in the column of its score."""
    columns, cells = list(table.columns), [list(row) for row in table.rows]
    for place in range(len(columns) - 1, 0, -1):
        if not columns[place].name.endswith("interval"):
            continue
        bounds = [_bounds(row[place]) for row in cells]
        if None in bounds or not cells:
            continue
        for row, bound in zip(cells, bounds, strict=True):
            row[place - 1] = _joined(row[place - 1], *(bound or (None, None)))
            del row[place]
        del columns[place]
    return replace(table, columns=tuple(columns), rows=tuple(map(tuple, cells)))


def _bounds(cell: Cell) -> tuple[float | None, float | None] | None:
    """The bounds of an interval, which a blank cell has not; None if it is something else."""
    if cell == "":
        return None, None
    parts = dict(cell.parts) if isinstance(cell, Several) else {}
    return (parts["low"], parts["high"]) if {"low", "high"} <= parts.keys() else None


def _joined(cell: Cell, low: float | None, high: float | None) -> Cell:
    text = shown(cell)
    if low is None or high is None or not _WRITTEN_NUMBER.fullmatch(text):
        return cell
    value = cell if isinstance(cell, float) else float(text.lstrip("<>").rstrip("*"))
    return Several(text + _interval_text(value, low, high, 3), ())


# Columns of text, and how they fit


class _TextColumn(msgspec.Struct, frozen=True, dict=True):
    """A column whose cells are text, each of one line or more."""

    column: Column
    heading: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    strong: tuple[bool, ...]
    longest_group: int
    """The widest heading of its group that may widen it."""
    is_number: bool
    number_width: int = 0
    """The columns up to the end of the numbers, without the intervals behind them."""

    @cached_property
    def has_intervals(self) -> bool:
        return self.number_width < self.cell_width

    @cached_property
    def cell_width(self) -> int:
        return max((text_width(line) for cell in self.cells for line in cell), default=0)

    @cached_property
    def width(self) -> int:
        return max(self.cell_width, *map(text_width, self.heading), 0)

    def narrowed(self, width: int) -> "_TextColumn":
        """The same column with a wrapped heading, and wrapped texts."""
        heading = [line for word in self.heading for line in wrapped_cell(word, width)]
        if self.is_number:
            return replace(self, heading=tuple(heading))
        cells = tuple(
            tuple(line for text in cell for line in wrapped_cell(text, width))
            for cell in self.cells
        )
        return replace(self, heading=tuple(heading), cells=cells)


def _text_column(table: Table, place: int, longest_group: int) -> _TextColumn:
    column = table.columns[place]
    cells = [row[place] for row in table.rows]
    texts = [one_line(shown(cell)) for cell in cells]
    strong = tuple(isinstance(cell, Several) and cell.strong for cell in cells)
    # Headings of several words are stacked, which keeps columns of numbers narrow.
    heading = tuple(one_line(column.name).split())
    some = [text for text in texts if text not in ("", "-")]
    written = place > 0 and bool(some) and all(map(_is_number, cells))
    is_number = written or any(isinstance(cell, int | float) for cell in cells)
    number_width = 0
    if is_number:
        texts, number_width = _aligned(texts)
    return _TextColumn(
        column,
        heading,
        tuple((text,) for text in texts),
        strong,
        longest_group,
        is_number,
        number_width,
    )


def _is_number(cell: Cell) -> bool:
    if isinstance(cell, Several):
        return cell.text == "undef." or bool(_NUMBER.fullmatch(cell.text))
    if isinstance(cell, str):
        return cell in ("", "-") or bool(_WRITTEN_NUMBER.fullmatch(cell))
    return True


def _aligned(texts: Sequence[str]) -> tuple[list[str], int]:
    """Pad numbers so that their points are below each other; words end where numbers end."""
    found = [_NUMBER.fullmatch(text) for text in texts]
    before = max((len(number["whole"]) for number in found if number), default=0)
    after = max((len(number["fraction"] or "") for number in found if number), default=0)
    lines = []
    for text, number in zip(texts, found, strict=True):
        if number is None:
            lines.append(" " * (before + after - text_width(text)) + text)
        else:
            fraction = (number["fraction"] or "").ljust(after)
            lines.append(number["whole"].rjust(before) + fraction + number["rest"])
    widest = max(map(text_width, lines), default=0)
    return [line + " " * (widest - text_width(line)) for line in lines], before + after


def _total(columns: Sequence[_TextColumn]) -> int:
    return sum(_widths(columns)) + len(_GAP) * (len(columns) - 1)


def _without_optional(columns: Sequence[_TextColumn], width: int) -> Sequence[_TextColumn]:
    """Leave out optional columns, until the others fit or none is left."""
    optional = sorted({one.column.optional for one in columns if one.column.optional}, reverse=True)
    for step in optional:
        if _total(columns) > width:
            columns = [one for one in columns if one.column.optional != step]
    return columns


def _dropped_line(names: Sequence[str], full_option: str) -> list[str]:
    """Name the columns that are left out, and what one types to see them."""
    several = [*dict.fromkeys(names)]
    if not several:
        return []
    if len(several) > _MOST_NAMED:
        several[_MOST_NAMED - 1 :] = [f"{len(several) - _MOST_NAMED + 1} more"]
    return [f"left out to fit the width: {', '.join(several)}; {full_option} shows all scores"]


def _fitting(columns: Sequence[_TextColumn], width: int) -> Iterator[Sequence[_TextColumn]]:
    """Yield the columns, in blocks that are not wider than `width`."""
    columns = _with_wrapped_texts(columns, width, _WRAPPED)
    if _total(columns) <= width:
        yield columns
        return
    names, rest = _names(columns, width)
    block = list(names)
    for group in _indivisible(rest, width - _total(names) - len(_GAP)):
        if len(block) > len(names) and _total([*block, *group]) > width:
            yield block
            block = list(names)
        block += group
    yield block


def _with_wrapped_texts(
    columns: Sequence[_TextColumn], width: int, least: int
) -> Sequence[_TextColumn]:
    """Wrap the widest texts until all columns fit; unchanged if they do, or if it is not enough."""
    widths = {place: one.width for place, one in enumerate(columns) if not one.is_number}
    needed = _total(columns) - width
    if needed <= 0 or sum(max(one - least, 0) for one in widths.values()) < needed:
        return columns
    for _ in range(needed):
        widest = max(widths, key=lambda place: widths[place])
        widths[widest] -= 1
    return [
        one.narrowed(widths[place]) if widths.get(place, one.width) < one.width else one
        for place, one in enumerate(columns)
    ]


def _names(
    columns: Sequence[_TextColumn], width: int
) -> tuple[list[_TextColumn], list[_TextColumn]]:
    """Part the leading columns of names, which every block repeats, from all others."""
    count = next((at for at, one in enumerate(columns) if one.is_number), 1) or 1
    widest = max((one.cell_width for one in columns[count:] if one.is_number), default=0)
    room = min(width * 3 // 5, width - widest - len(_GAP))
    names = list(_with_wrapped_texts(columns[:count], room, _WRAPPED // 2))
    while len(names) > 1 and _total(names) > room:
        names.pop()
    if _total(names) > room:
        names = [names[0].narrowed(max(room, 1))]
    return names, list(columns[len(names) :])


def _indivisible(columns: Sequence[_TextColumn], room: int) -> Iterator[list[_TextColumn]]:
    """Yield columns that stay together: those of a group, if they fit into one block."""
    groups: list[list[_TextColumn]] = []
    for one in columns:
        if groups and one.column.group and groups[-1][0].column.group == one.column.group:
            groups[-1].append(one)
        else:
            groups.append([one])
    for group in groups:
        if _total(group) <= room:
            yield group
            continue
        for one in group:
            yield [one.narrowed(max(room, 1)) if one.width > room else one]


# Lines of a block


def _groups(columns: Sequence[_TextColumn]) -> list[tuple[str, int]]:
    return Table("", tuple(one.column for one in columns), ()).groups


def _widths(columns: Sequence[_TextColumn]) -> list[int]:
    """The widths of columns; a heading that is wider than its group widens the last of them."""
    widths = [one.width for one in columns]
    last = -1
    for heading, spanned in _groups(columns):
        last += spanned
        room = sum(widths[last - spanned + 1 : last + 1]) + len(_GAP) * (spanned - 1)
        lines = _group_heading(heading, room, columns[last])
        widths[last] += max(max(map(text_width, lines), default=0) - room, 0)
    return widths


def _group_heading(heading: str, room: int, column: _TextColumn) -> list[str]:
    """A group's heading in lines: a long one is broken where its columns are narrow."""
    return wrapped_cell(one_line(heading), max(room, column.longest_group))


def _block_lines(columns: Sequence[_TextColumn], styled: bool) -> list[str]:
    widths = _widths(columns)
    lines = _group_lines(columns, widths)
    height = max((len(one.heading) for one in columns), default=0)
    for level in range(height):
        cells = []
        for one, width in zip(columns, widths, strict=True):
            missing = height - len(one.heading)
            word = one.heading[level - missing] if level >= missing else ""
            cells.append(_heading(word, one, width))
        lines.append(_GAP.join(cells).rstrip())
    lines.append(_GAP.join("-" * width for width in widths))
    for row in range(len(columns[0].cells) if columns else 0):
        depth = max(len(one.cells[row]) for one in columns)
        for level in range(depth):
            cells = []
            for one, width in zip(columns, widths, strict=True):
                text = one.cells[row][level] if level < len(one.cells[row]) else ""
                cells.append(_padded(text, one, width, styled and one.strong[row]))
            lines.append(_GAP.join(cells).rstrip())
    return lines


def _group_lines(columns: Sequence[_TextColumn], widths: Sequence[int]) -> list[str]:
    if not any(one.column.group for one in columns):
        return []
    headings, last = [], -1
    for heading, spanned in _groups(columns):
        last += spanned
        room = sum(widths[last - spanned + 1 : last + 1]) + len(_GAP) * (spanned - 1)
        headings.append((_group_heading(heading, room, columns[last]), room))
    height = max(len(lines) for lines, _ in headings)
    return [
        _GAP.join(
            _centred(lines[level - height + len(lines)] if level >= height - len(lines) else "", r)
            for lines, r in headings
        ).rstrip()
        for level in range(height)
    ]


def _centred(text: str, width: int) -> str:
    blank = width - text_width(text)
    return " " * (blank // 2) + text + " " * (blank - blank // 2)


def _heading(word: str, column: _TextColumn, width: int) -> str:
    """A heading ends where the numbers below it end, or begins where the texts begin."""
    blank = width - text_width(word)
    if not column.is_number:
        return word + " " * blank
    # A heading stands above the numbers, not above the intervals behind them.
    behind = width - column.number_width if column.has_intervals else 0
    behind = min(behind, blank)
    return " " * (blank - behind) + word + " " * behind


def _padded(text: str, column: _TextColumn, width: int, strong: bool) -> str:
    blank = " " * (width - text_width(text))
    cell = text.replace(text.strip(), bold(text.strip(), strong)) if strong else text
    flush_right = column.is_number and not column.has_intervals
    return blank + cell if flush_right else cell + blank
