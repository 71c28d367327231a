"""Tables as text, Markdown, LaTeX, CSV and JSON."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from unicodedata import combining, east_asian_width

from chronoscore.reports.table import Cell, Table, shown, spread

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    ">": r"\textgreater{}",
    "<": r"\textless{}",
    "|": r"\textbar{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


def render_tables(tables: Sequence[Table], how: str) -> str:
    """Render tables one after the other."""
    return "\n".join(_TABLE_FORMATS[how](table) for table in tables)


def terminal(table: Table) -> str:
    """Write aligned columns, groups of columns under a common heading."""
    body = [[shown(cell) for cell in row] for row in table.rows]
    # Headings of several words are stacked, which keeps columns of numbers narrow.
    words = [column.name.split() for column in table.columns]
    height = max((len(parts) for parts in words), default=0)
    names = [[""] * (height - len(parts)) + parts for parts in words]
    widths = [
        max(text_width(cell) for cell in (*heading, *(row[place] for row in body)))
        for place, heading in enumerate(names)
    ]
    heads, last = [], -1
    for group, columns in table.groups:
        last += columns
        width = sum(widths[last - columns + 1 : last + 1]) + 2 * (columns - 1)
        # A heading that is wider than its columns widens the last of them.
        lack = max(text_width(group) - width, 0)
        widths[last] += lack
        heads.append(group.center(width + lack))
    flush_right = table.numeric

    def line(cells: Sequence[str]) -> str:
        padded = []
        for cell, width, right in zip(cells, widths, flush_right, strict=True):
            blank = " " * (width - text_width(cell))
            padded.append(blank + cell if right else cell + blank)
        return "  ".join(padded).rstrip()

    lines = [table.caption]
    if any(column.group for column in table.columns):
        lines.append("  ".join(heads).rstrip())
    lines += [line(level) for level in zip(*names, strict=True)]
    lines += ["  ".join("-" * width for width in widths), *map(line, body)]
    return "\n".join([*lines, *table.remarks]) + "\n"


def text_width(text: str) -> int:
    """Count the columns that a text takes on a terminal."""
    return len(text) if text.isascii() else sum(map(character_width, text))


def character_width(character: str) -> int:
    """How many columns of a terminal a character takes."""
    return 0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1


def markdown(table: Table) -> str:
    """Write a Markdown table with its caption and remarks."""

    def row(cells: Sequence[str]) -> str:
        escaped = (cell.replace("\\", "\\\\").replace("|", "\\|") for cell in cells)
        return f"| {' | '.join(escaped)} |"

    lines = [
        f"**{table.caption}**",
        "",
        row([column.full for column in table.columns]),
        f"|{'|'.join('---:' if number else '---' for number in table.numeric)}|",
        *(row([shown(cell) for cell in cells]) for cells in table.rows),
    ]
    remarks = [f"- `{remark}`" for remark in table.remarks]
    return "\n".join([*lines, *([""] if remarks else []), *remarks]) + "\n"


def latex(table: Table) -> str:
    """Write LaTeX with booktabs; the first remark goes to the caption, the others are comments."""
    above = " & ".join(
        rf"\multicolumn{{{width}}}{{c}}{{{escaped(name)}}}" if name else ""
        for name, width in table.groups
    )
    rules, start = [], 1
    for name, width in table.groups:
        if name:
            rules.append(rf"\cmidrule(lr){{{start}-{start + width - 1}}}")
        start += width
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\begin{{tabular}}{{{''.join('r' if number else 'l' for number in table.numeric)}}}",
        r"\toprule",
        *([above + r" \\", " ".join(rules)] if rules else []),
        latex_row([escaped(column.name) for column in table.columns]),
        r"\midrule",
        *(latex_row([escaped(shown(cell)) for cell in row]) for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        rf"\caption{{{escaped('. '.join([table.caption, *table.remarks[:1]]))}.}}",
        r"\end{table}",
        *(f"% {remark}" for remark in table.remarks[1:]),
    ]
    return "\n".join(lines) + "\n"


def latex_row(cells: Sequence[str]) -> str:
    r"""Write a row of LaTeX.

    A bracket or a star that begins it would be an argument of the line above.

    >>> latex_row(["[a]", "0.5"])
    '{}[a] & 0.5 \\\\'
    """
    row = " & ".join(cells)
    return ("{}" if row.startswith(("[", "*")) else "") + row + r" \\"


def escaped(text: str) -> str:
    r"""Write text so that LaTeX prints it as it is.

    >>> escaped("news_tls & 100%")
    'news\\_tls \\& 100\\%'
    """
    return "".join(_LATEX.get(character, character) for character in text)


def comma_separated(table: Table) -> str:
    """Write CSV with full precision, a number a cell; undefined is an empty cell."""
    table = spread(table)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([column.full for column in table.columns])
    writer.writerows([_csv_cell(cell) for cell in row] for row in table.rows)
    return out.getvalue()


def _csv_cell(cell: Cell) -> str:
    if cell is None or cell == "-":  # people see a dash where programs get nothing
        return ""
    text = repr(cell) if isinstance(cell, float) else str(cell)
    # A spreadsheet would run a text with such a first character as a formula.
    return f"'{text}" if isinstance(cell, str) and text[:1] in ("=", "+", "-", "@") else text


def tables_json(tables: Sequence[Table]) -> str:
    """Write tables as JSON: full numbers, each in its own column, null for what is undefined.

    >>> tables_json([Table.of("t", [("P", "strict")], [(None,)])]).replace("\\n", "")
    '[ {  "caption": "t",  "columns": [   "strict P"  ],  "rows": [   [    null   ]  ],\
  "remarks": [] }]'
    """
    plain = []
    for one in map(spread, tables):
        numeric = one.numeric  # among numbers, people see a dash where programs get null
        rows = [
            [None if n and cell == "-" else cell for n, cell in zip(numeric, row, strict=True)]
            for row in one.rows
        ]
        columns = [column.full for column in one.columns]
        plain.append(
            {"caption": one.caption, "columns": columns, "rows": rows, "remarks": one.remarks}
        )
    return json.dumps(plain, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


_TABLE_FORMATS: Mapping[str, Callable[[Table], str]] = {
    "text": terminal,
    "markdown": markdown,
    "latex": latex,
    "csv": comma_separated,
}
FORMATS = (*_TABLE_FORMATS, "json", "plain")
PAPER_FORMATS = ("latex", "markdown")
"""The formats in which a result is one table, as a paper has it."""
