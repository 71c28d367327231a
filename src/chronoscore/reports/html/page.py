"""The page: head, landmarks, sections, data and script, under a policy that allows nothing else."""

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from chronoscore.core.family import Family
from chronoscore.core.result import CaseMatches, CaseTexts, Result, left_out_notice
from chronoscore.core.writing import write_file
from chronoscore.families import family
from chronoscore.reports.html import words
from chronoscore.reports.html.choosing import chosen
from chronoscore.reports.html.data import Explained, encoded, payload
from chronoscore.reports.html.loss_tables import patterns
from chronoscore.reports.html.markup import Child, Html, joined, tag
from chronoscore.reports.html.scores import scores_section
from chronoscore.reports.html.sections import Section, sections_of

_STYLES = ("report.css", "order.css", "scatter.css", "annotations.css")
_SCRIPTS = ("picture.js", "panel.js", "report.js", "theme.js")
_PLAIN_SCRIPTS = ("theme.js",)


def write_report(
    result: Result, matches: Sequence[CaseMatches], texts: Sequence[CaseTexts], path: Path
) -> None:
    """Write the report of a result into one HTML file."""
    write_file(path, report(result, matches, texts))


def report(
    result: Result,
    matches: Sequence[CaseMatches] = (),
    texts: Sequence[CaseTexts] = (),
    trail: Html | None = None,
) -> str:
    """Make the report of a result: a pure function, equal results give equal pages.

    A trail leads to the pages around it, where there are any.
    """
    of = family(result.family)
    result, matches, texts = chosen(result, matches, texts, of)
    explained = Explained.of(result, matches, texts)
    sections = [
        Section("scores", "Scores", scores_section(result, of)),
        *sections_of(explained, of),
        Section("notes", "Notes", _notes(result)),
    ]
    return shell(
        f"{of.question} {', '.join(system.name for system in result.systems)}",
        joined(
            tag("a", "Skip to the scores", href="#scores", class_="skip"),
            trail or "",
            patterns(),
            _header(result, of, sections),
            tag("main", [section_of(section) for section in sections]),
            tag("footer", tag("p", "Made by Chronoscore from one result document.")),
        ),
        encoded(payload(explained)),
    )


def shell(title: str, content: Html, data: str | None = None) -> str:
    """A whole page around its content: styles, data and script under a policy that names them.

    A page without data draws nothing, and needs only what every page needs.
    """
    drawn = data is not None
    style, script = _style(), _script(drawn=drawn)
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy(drawn=drawn)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="generator", content="Chronoscore"),
        tag("title", f"{title} · Chronoscore"),
        tag("style", Html(style)),
    )
    body = tag(
        "body",
        content,
        "" if data is None else tag("script", Html(data), type="application/json", id="data"),
        tag("script", Html(script)),
    )
    return f'<!DOCTYPE html>\n<html lang="en">{head}\n{body}</html>\n'


def policy(*, drawn: bool) -> str:
    """What a page may do: draw with its own script and style, if it has data to draw."""
    return (
        f"default-src 'none'; script-src '{_digest(_script(drawn=drawn))}'; "
        f"style-src '{_digest(_style())}'; img-src data:; base-uri 'none'; form-action 'none'"
    )


def _style() -> str:
    return "".join(_asset(name) for name in _STYLES)


def _script(*, drawn: bool) -> str:
    return "".join(_asset(name) for name in (_SCRIPTS if drawn else _PLAIN_SCRIPTS))


def _header(result: Result, of: Family, sections: Sequence[Section]) -> Html:
    found = [summary.units for summary in words.wholes(result)]
    units = max(found, key=lambda unit: sum(unit.values()), default={})
    if result.agreement:  # people judged each system's own events: there are as many as all have
        per_system = found[:: len(result.metrics)]
        units = {level: sum(unit[level] for unit in per_system) for level in units}
    counts = [words.plural(n, level) for level, n in units.items() if n > 1]
    systems = words.plural(len(result.systems), "system")
    described = f"{of.name.capitalize()}: {systems}{' on ' if counts else ''}{', '.join(counts)}."
    conditions = list(words.conditions(result, of))
    if result.left_out:  # what is not in the scores is told before them
        conditions.insert(0, ("Left out", left_out_notice(result.left_out)))
    terms = [tag("div", tag("dt", term), tag("dd", meaning)) for term, meaning in conditions]
    links = [tag("li", tag("a", section.title, href=f"#{section.id}")) for section in sections]
    return banner(of.question, described, terms, links)


def banner(title: str, lead: str, terms: Sequence[Html], links: Sequence[Html]) -> Html:
    """The head of a page: what it is, under which conditions, and where its parts are."""
    return tag(
        "header",
        tag(
            "div",
            tag("p", "Chronoscore", class_="brand"),
            tag("button", "Dark", type="button", id="theme", aria_pressed="false"),
            class_="top",
        ),
        tag("h1", title),
        tag("p", lead, class_="lead"),
        tag("dl", terms, class_="conditions") if terms else "",
        tag("nav", tag("ul", links), aria_label="Sections"),
    )


def section_of(section: Section) -> Html:
    """A part of a page under its heading."""
    name = f"{section.id}-title"
    return tag(
        "section",
        tag("h2", section.title, id=name),
        section.content,
        id=section.id,
        aria_labelledby=name,
    )


def _notes(result: Result) -> Html:
    undefined = words.undefined_lines(result)
    names = [metric.name for metric in result.metrics]
    blocks: list[Child] = []
    if result.notices:
        listed = [tag("li", notice) for notice in result.notices]
        blocks += [tag("h3", "Notices"), tag("ul", listed, class_="notices")]
    blocks += [
        tag("h3", "Undefined scores"),
        tag("ul", [tag("li", line) for line in undefined])
        if undefined
        else tag("p", "None: every score has a value."),
        tag("h3", "Signatures"),
        tag(
            "p",
            "A signature names all that a number depends on. Give it to ",
            tag("code", "--from-signature"),
            " and the run is repeated.",
        ),
        [_signature(system.name, system.signature) for system in result.systems],
        tag("h3", "How to cite"),
        tag(
            "p",
            "Cite the paper that each metric comes from, and give the signature. ",
            "The source and the formula of a metric are told by:",
        ),
        tag("pre", tag("code", "\n".join(f"chronoscore metrics '{name}'" for name in names))),
    ]
    return joined(*blocks)


def _signature(system: str, signature: str) -> Html:
    return tag(
        "figure",
        tag(
            "figcaption",
            tag("span", system),
            tag(
                "button",
                "Copy",
                type="button",
                class_="copy",
                aria_label=f"Copy the signature of {system}",
            ),
        ),
        tag("pre", tag("code", signature), tabindex=0, aria_label=f"Signature of {system}"),
        class_="signature",
    )


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8").replace("\r\n", "\n")


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
