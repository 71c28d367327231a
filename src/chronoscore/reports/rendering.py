"""Tables as text, Markdown, LaTeX, CSV and JSON."""

import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from chronoscore.errors import one_line
from chronoscore.reports.table import Cell, Table, shown, spread
from chronoscore.reports.terminal import terminal

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    ">": r"\textgreater{}",
    "<": r"\textless{}",
    "|": r"\textbar{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


def render_tables(
    tables: Sequence[Table],
    how: str,
    *,
    width: int | None = None,
    styled: bool = False,
    full: bool = False,
    full_option: str = "",
) -> str:
    """Render tables one after the other; what is named after `how` is for text."""
    draw = _TABLE_FORMATS[how]
    if how == "text":
        draw = partial(terminal, width=width, styled=styled, full=full, full_option=full_option)
    return "\n".join(map(draw, tables))


def markdown(table: Table) -> str:
    """Write a Markdown table with its caption and remarks."""

    lines = [
        f"**{markdown_text(table.caption)}**",
        "",
        markdown_row(markdown_text(column.full) for column in table.columns),
        f"|{'|'.join('---:' if number else '---' for number in table.numeric)}|",
        *(markdown_row(markdown_text(shown(cell)) for cell in row) for row in table.rows),
    ]
    remarks = [f"- {markdown_code(remark)}" for remark in table.remarks]
    return "\n".join([*lines, *([""] if remarks else []), *remarks]) + "\n"


def markdown_row(cells: Iterable[str]) -> str:
    """Write a row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def markdown_text(text: str) -> str:
    r"""Write a text so that Markdown prints it as it is; a `<` alone begins no tag.

    >>> markdown_text("a|b*"), markdown_text("p < 0.05, <b>")
    ('a\\|b\\*', 'p < 0.05, \\<b>')
    """
    return re.sub(r"([\\|*`\[]|<(?=[^\W\d]|[/!?]))", r"\\\1", one_line(text))


def markdown_code(text: str) -> str:
    """Write a text as code, between more backticks than it has in a row.

    >>> markdown_code("a=1"), markdown_code("see `show`")
    ('`a=1`', '`` see `show` ``')
    """
    text = one_line(text)
    if "`" not in text:
        return f"`{text}`"
    ticks = "`" * (1 + max(map(len, re.findall("`+", text))))
    return f"{ticks} {text} {ticks}"


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
        *(f"% {one_line(remark)}" for remark in table.remarks[1:]),
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
    return "".join(_LATEX.get(character, character) for character in one_line(text))


def comma_separated(table: Table) -> str:
    """Write CSV with full precision, a number a cell; undefined is an empty cell."""
    import csv  # noqa: PLC0415 - most runs print a table for people

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
    return (
        f"'{text}"
        if isinstance(cell, str) and text[:1] in ("=", "+", "-", "@", "\t", "\r")
        else text
    )


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
    import json  # noqa: PLC0415 - most runs print a table for people

    return json.dumps(plain, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


_TABLE_FORMATS: Mapping[str, Callable[[Table], str]] = {
    "text": terminal,
    "markdown": markdown,
    "latex": latex,
    "csv": comma_separated,
}
PAPER_FORMATS = ("latex", "markdown")
"""The formats in which a result is one table, as a paper has it."""
