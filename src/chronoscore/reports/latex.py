"""LaTeX with booktabs."""

from chronoscore.reports.table import Table, shown

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    ">": r"\textgreater{}",
    "<": r"\textless{}",
    "|": r"\textbar{}",
}


def escaped(text: str) -> str:
    r"""Write text so that LaTeX prints it as it is.

    >>> escaped("news_tls & 100%")
    'news\\_tls \\& 100\\%'
    """
    return "".join(_SPECIAL.get(character, character) for character in text)


def latex(table: Table) -> str:
    """Write a table; its first remark goes to the caption, the others are comments below it."""
    numeric = [
        any(isinstance(row[place], int | float) for row in table.rows)
        for place in range(len(table.columns))
    ]
    groups: list[tuple[str, int]] = []
    for column in table.columns:
        if groups and column.group and groups[-1][0] == column.group:
            groups[-1] = (column.group, groups[-1][1] + 1)
        else:
            groups.append((column.group, 1))
    above = " & ".join(
        rf"\multicolumn{{{width}}}{{c}}{{{escaped(name)}}}" if name else ""
        for name, width in groups
    )
    rules, start = [], 1
    for name, width in groups:
        if name:
            rules.append(rf"\cmidrule(lr){{{start}-{start + width - 1}}}")
        start += width
    names = " & ".join(escaped(column.name) for column in table.columns)
    body = [" & ".join(escaped(shown(cell)) for cell in row) + r" \\" for row in table.rows]
    caption = escaped(". ".join([table.caption, *table.remarks[:1]]))
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\begin{{tabular}}{{{''.join('r' if number else 'l' for number in numeric)}}}",
        r"\toprule",
        *([above + r" \\", " ".join(rules)] if rules else []),
        names + r" \\",
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
        rf"\caption{{{caption}.}}",
        r"\end{table}",
        *(f"% {remark}" for remark in table.remarks[1:]),
    ]
    return "\n".join(lines) + "\n"
