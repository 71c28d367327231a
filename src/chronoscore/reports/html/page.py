"""A page: head, landmarks, sections, data and script, under a policy that allows nothing else."""

import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from typing import Any, NamedTuple, TypeVar

from chronoscore.reports.html.markup import Child, Html, fill, listed, tag

_STYLES = (
    "report.css",
    "agreement.css",
    "cases.css",
    "leaderboard.css",
    "earned.css",
    "head.css",
    "contrast.css",
    "reactions.css",
    "order.css",
    "pairs.css",
    "text.css",
)
"""All that any page needs; each file is about one kind of thing that pages show."""
_ALWAYS = ("theme.js",)
"""The scripts of every page."""
_SECTION = """<section id="{id}" aria-labelledby="{id}-title"><h2 id="{id}-title">{title}</h2>
{content}</section>"""
Subject = TypeVar("Subject")
Declared = tuple[str, str, Callable[[Subject], Html]]
"""A section as lists declare it: its id, its title, and the function that draws its content."""


class Section(NamedTuple):
    """A part of a page under its own heading."""

    id: str
    title: str
    content: Html


def drawn(declared: Iterable[Declared[Subject]], subject: Subject) -> list[Section]:
    """The sections that have something to show of a subject."""
    sections = (Section(name, title, draw(subject)) for name, title, draw in declared)
    return [section for section in sections if section.content]


def page(
    title: str,
    lead: str,
    sections: Sequence[Section],
    footer: str,
    *,
    heading: str = "",
    terms: Iterable[tuple[str, str]] = (),
    trail: Child = "",
    scripts: Sequence[str] = (),
    data: Mapping[str, Any] | None = None,
) -> str:
    """Write a page. Without a heading of its own, its title is its heading.

    `terms` are conditions and their meanings; a trail leads to the pages around it. `scripts` are
    names of assets, in the order in which they need each other; they draw from `data`.
    """
    links = [tag("a", section.title, href=f"#{section.id}") for section in sections]
    conditions = [tag("div", tag("dt", term), tag("dd", meaning)) for term, meaning in terms]
    first = f"#{sections[0].id}" if sections else "#"
    return fill(
        _asset("page.html"),
        policy=policy(scripts),
        title=title,
        style=_style(),
        skip=tag("a", "Skip to the content", href=first, class_="skip"),
        trail=trail,
        heading=heading or title,
        lead=lead,
        terms=tag("dl", conditions, class_="conditions") if conditions else "",
        links=listed(links),
        sections=[fill(_SECTION, **section._asdict()) for section in sections],
        footer=footer,
        data=_data_block(data) if data else "",
        script=_script(scripts),
    )


def _data_block(data: Mapping[str, Any]) -> Html:
    return tag("script", Html(encoded(data)), type="application/json", id="data")


def encoded(data: Mapping[str, Any]) -> str:
    """Write JSON that nothing in a script element can break out of.

    >>> encoded({"a": "</script>&\\u2028"})
    '{"a":"\\\\u003c/script\\\\u003e\\\\u0026\\\\u2028"}'
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def policy(scripts: Sequence[str]) -> str:
    """What a page may do: use its own style, and its own scripts."""
    return (
        f"default-src 'none'; script-src '{_digest(_script(scripts))}'; "
        f"style-src '{_digest(_style())}'; img-src data:; base-uri 'none'; form-action 'none'"
    )


def _style() -> Html:
    return Html("".join(map(_asset, _STYLES)))


def _script(names: Sequence[str]) -> Html:
    """One script from several assets: they are strict, and share their names."""
    return Html("\n".join(('"use strict";', *map(_asset, (*names, *_ALWAYS)))))


def _asset(name: str) -> str:
    path = files(__package__).joinpath("assets", name)
    return path.read_text(encoding="utf-8").replace("\r\n", "\n")


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
