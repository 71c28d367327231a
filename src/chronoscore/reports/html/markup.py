"""HTML from Python: what is not markup already is escaped, so that no text can become code."""

from collections.abc import Iterable
from html import escape

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


def _flat(child: Child) -> str:
    if isinstance(child, str):
        return child if isinstance(child, Html) else escape(child)
    return "".join(_flat(part) for part in child)


def _named(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def percent(share: float) -> str:
    """A length in SVG as a share of the width: no inline style is needed, which the CSP forbids."""
    return f"{100 * min(max(share, 0.0), 1.0):.3f}".rstrip("0").rstrip(".") + "%"
