"""Text, Markdown and CSV of tables; JSON of the result itself."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from unicodedata import combining, east_asian_width

from chronoscore.core.result import Result, encode
from chronoscore.reports.breakdown import breakdown_tables
from chronoscore.reports.latex import latex
from chronoscore.reports.plain import plain
from chronoscore.reports.table import Cell, Table, shown, spread
from chronoscore.reports.tables import tables_of


def terminal(table: Table) -> str:
    """Write aligned columns, groups of columns under a common heading."""
    body = [[shown(cell) for cell in row] for row in table.rows]
    # Headings of several words are stacked, which keeps columns of numbers narrow.
    words = [column.name.split() for column in table.columns]
    height = max((len(parts) for parts in words), default=0)
    names = [[""] * (height - len(parts)) + parts for parts in words]
    widths = [
        max(_width(cell) for cell in (*heading, *(row[place] for row in body)))
        for place, heading in enumerate(names)
    ]
    right = [
        any(isinstance(row[place], int | float) for row in table.rows)
        for place in range(len(names))
    ]
    heads: list[tuple[str, int]] = []
    for place, column in enumerate(table.columns):
        if heads and column.group and column.group == table.columns[place - 1].group:
            heads[-1] = (column.group, heads[-1][1] + 2 + widths[place])
        else:
            heads.append((column.group, widths[place]))
        # A heading that is wider than its columns widens the last of them.
        ends = place + 1 == len(names) or table.columns[place + 1].group != column.group
        lack = _width(heads[-1][0]) - heads[-1][1]
        if ends and lack > 0:
            widths[place] += lack
            heads[-1] = (column.group, heads[-1][1] + lack)

    def line(cells: Sequence[str]) -> str:
        padded = [
            " " * (width - _width(cell)) + cell if flush else cell + " " * (width - _width(cell))
            for cell, width, flush in zip(cells, widths, right, strict=True)
        ]
        return "  ".join(padded).rstrip()

    lines = [table.caption]
    if any(column.group for column in table.columns):
        lines.append("  ".join(head.center(width) for head, width in heads).rstrip())
    lines += [line(level) for level in zip(*names, strict=True)]
    lines += ["  ".join("-" * width for width in widths), *map(line, body)]
    return "\n".join([*lines, *table.remarks]) + "\n"


def markdown(table: Table) -> str:
    """Write a Markdown table with its caption and remarks."""

    def row(cells: Sequence[str]) -> str:
        escaped = (cell.replace("\\", "\\\\").replace("|", "\\|") for cell in cells)
        return f"| {' | '.join(escaped)} |"

    numeric = [
        any(isinstance(cells[place], int | float) for cells in table.rows)
        for place in range(len(table.columns))
    ]
    lines = [
        f"**{table.caption}**",
        "",
        row([column.full for column in table.columns]),
        f"|{'|'.join('---:' if number else '---' for number in numeric)}|",
        *(row([shown(cell) for cell in cells]) for cells in table.rows),
    ]
    remarks = [f"- `{remark}`" for remark in table.remarks]
    return "\n".join([*lines, *([""] if remarks else []), *remarks]) + "\n"


def comma_separated(table: Table) -> str:
    """Write CSV with full precision, a number a cell; undefined is an empty cell."""
    table = spread(table)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([column.full for column in table.columns])
    for row in table.rows:
        writer.writerow([_plain(cell) for cell in row])
    return out.getvalue()


_TABLE_FORMATS: Mapping[str, Callable[[Table], str]] = {
    "text": terminal,
    "markdown": markdown,
    "latex": latex,
    "csv": comma_separated,
}
FORMATS = (*_TABLE_FORMATS, "json", "plain")


def render(result: Result, how: str) -> str:
    """Render a result in one of the formats. CSV holds the scores alone, and those by value."""
    if how == "json":
        return encode(result).decode()
    if how == "plain":
        return plain(result)
    tables = tables_of(result)
    return render_tables([*tables[: 1 if how == "csv" else None], *breakdown_tables(result)], how)


def render_tables(tables: Sequence[Table], how: str) -> str:
    """Render tables one after the other."""
    return "\n".join(_TABLE_FORMATS[how](table) for table in tables)


def _plain(cell: Cell) -> str:
    if cell is None or cell == "-":  # what people see as a dash is nothing to programs
        return ""
    # A leading sign that a spreadsheet would run as a formula is made text.
    text = repr(cell) if isinstance(cell, float) else str(cell)
    return f"'{text}" if isinstance(cell, str) and text[:1] in ("=", "+", "-", "@") else text


def _width(text: str) -> int:
    """Count the columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(
        0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1
        for character in text
    )
