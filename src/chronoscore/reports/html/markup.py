"""HTML from Python: text is escaped unless it is markup already, so that no text becomes code."""

from collections.abc import Iterable, Sequence
from html import escape

from chronoscore.reports.table import Table, shown

_VOID = frozenset({"meta", "input", "br"})

Attribute = str | float | bool | None


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


Child = str | Iterable[str]


def tag(name: str, /, *children: Child, **attributes: Attribute) -> Html:
    """Write an element; children that are plain text, and all attributes, are escaped.

    An underscore stands for a hyphen, one at the end for nothing (`class_`). An attribute that is
    None or False is left out, True is written bare.

    >>> tag("p", "1 < 2", tag("b", "!"), class_="sum", data_n=3, hidden=True)
    '<p class="sum" data-n="3" hidden>1 &lt; 2<b>!</b></p>'
    """
    written = "".join(
        f" {_named(key)}" if value is True else f' {_named(key)}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    start = f"<{name}{written}>"
    return Html(start if name in _VOID else f"{start}{joined(*children)}</{name}>")


def joined(*children: Child) -> Html:
    """Write children one after the other, escaped unless they are markup."""
    return Html("".join(_flat(child) for child in children))


def fill(template: str, **fields: Child) -> Html:
    """Fill the fields of a template; what is not markup already is escaped.

    >>> fill("<p>{text} <b>{mark}</b></p>", text="1 < 2", mark=tag("i", "!"))
    '<p>1 &lt; 2 <b><i>!</i></b></p>'
    """
    return Html(template.format(**{name: _flat(child) for name, child in fields.items()}))


def _flat(child: Child) -> str:
    if isinstance(child, str):
        return child if isinstance(child, Html) else escape(child)
    return "".join(_flat(part) for part in child)


def _named(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def unseen(text: str) -> Html:
    """Text for those who hear the page."""
    return tag("span", text, class_="unseen")


def from_data(text: str) -> Html:
    """Text from the data, such as the name of a system: its own direction harms no other text."""
    return tag("bdi", text, dir="auto")


def lead(*children: Child) -> Html:
    """The paragraph that opens a section."""
    return tag("p", *children, class_="lead")


def listed(items: Iterable[str], kind: str | None = None) -> Html:
    """A list of items; nothing if there are none."""
    rows = [tag("li", item) for item in items]
    return tag("ul", rows, class_=kind) if rows else Html("")


def folded(summary: str, *children: Child) -> Html:
    """Content that is there for those who open it."""
    return tag("details", tag("summary", summary), *children, class_="more")


def wide(inner: Html, label: str) -> Html:
    """Let something wide scroll within the page, by keyboard too."""
    return tag("div", inner, class_="wide", role="region", aria_label=label, tabindex=0)


def html_table(
    table: Table,
    *,
    caption: Html | None = None,
    classes: Sequence[str | None] | None = None,
    kind: str | None = None,
    by_first: bool = False,
) -> Html:
    """Write a table; names and cells may be markup. Wide tables scroll by themselves.

    `classes` are those of the columns, by default of numbers or none. The first cell names
    the row; `by_first` shows a first cell once where neighbouring rows have the same.
    """
    if classes is None:
        classes = [
            "number" if any(isinstance(row[at], int | float | None) for row in table.rows) else None
            for at in range(len(table.columns))
        ]
    head = [
        tag(
            "th",
            (column.full if column.group else column.name) or unseen("name"),
            scope="col",
            class_=name,
        )
        for column, name in zip(table.columns, classes, strict=True)
    ]
    body: list[Html] = []
    for number, row in enumerate(table.rows):
        again = by_first and number > 0 and row[0] == table.rows[number - 1][0]
        cells = [
            tag("td", shown(cell), class_=name) for cell, name in zip(row, classes, strict=True)
        ]
        name = shown(row[0])
        cells[0] = tag("th", unseen(name) if again else name, scope="row")
        body.append(tag("tr", cells, class_="next" if again else None))
    title = tag("caption", caption or table.caption)
    inner = tag("table", title, tag("thead", tag("tr", head)), tag("tbody", body), class_=kind)
    return wide(inner, table.caption)


def percent(share: float) -> str:
    """A length in SVG as a share of the width: no inline style is needed, which the CSP forbids."""
    return f"{100 * min(max(share, 0.0), 1.0):.3f}".rstrip("0").rstrip(".") + "%"
