"""A page: head, landmarks, sections, data and script, under a policy that allows nothing else."""

from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from importlib.resources import files
from typing import NamedTuple, TypeVar

from chronoscore.reports.html.markup import Child, Html, fill, listed, tag

_SCRIPTS = ("picture.js", "panel.js", "report.js", "theme.js")
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
    data: str | None = None,
) -> str:
    """Write a page. Without a heading of its own, its title is its heading.

    `terms` are conditions and their meanings; a trail leads to the pages around it. A page with
    data has the script that draws from them.
    """
    links = [tag("a", section.title, href=f"#{section.id}") for section in sections]
    conditions = [tag("div", tag("dt", term), tag("dd", meaning)) for term, meaning in terms]
    first = f"#{sections[0].id}" if sections else "#"
    return fill(
        _asset("page.html"),
        policy=policy(has_data=data is not None),
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
        data=tag("script", Html(data), type="application/json", id="data") if data else "",
        script=_script(has_data=data is not None),
    )


def policy(*, has_data: bool) -> str:
    """What a page may do: use its own style, and its own script."""
    return (
        f"default-src 'none'; script-src '{_digest(_script(has_data=has_data))}'; "
        f"style-src '{_digest(_style())}'; img-src data:; base-uri 'none'; form-action 'none'"
    )


def _style() -> Html:
    return Html(_asset("report.css"))


def _script(*, has_data: bool) -> Html:
    """What a page runs; without data there is nothing to draw, only the choice of a theme."""
    return Html("".join(map(_asset, _SCRIPTS if has_data else _SCRIPTS[-1:])))


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8").replace("\r\n", "\n")


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
