"""A table of the reports as HTML."""

from chronoscore.reports.html.markup import Html, joined, tag
from chronoscore.reports.table import Table, shown


def html_table(table: Table, *, caption: str = "") -> Html:
    """Write a table with its caption; wide ones scroll by themselves."""
    numeric = [
        any(isinstance(row[place], int | float) or row[place] is None for row in table.rows)
        for place in range(len(table.columns))
    ]
    head = tag(
        "tr",
        [
            tag("th", column.full, scope="col", class_="number" if right else None)
            for column, right in zip(table.columns, numeric, strict=True)
        ],
    )
    body = [
        tag(
            "tr",
            [
                tag("th", shown(cell), scope="row")
                if place == 0
                else tag("td", shown(cell), class_="number" if numeric[place] else None)
                for place, cell in enumerate(row)
            ],
        )
        for row in table.rows
    ]
    inner = tag(
        "table",
        tag("caption", caption or table.caption),
        tag("thead", head),
        tag("tbody", body),
    )
    return wide(inner, caption or table.caption)


def wide(inner: Html, label: str) -> Html:
    """Let something wide scroll within the page, by keyboard too."""
    return joined(tag("div", inner, class_="wide", role="region", aria_label=label, tabindex=0))
