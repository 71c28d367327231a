"""Document by document: the text with the gold's annotations above and each system's below."""

from collections import Counter
from collections.abc import Sequence

from chronoscore.annotations.texts import text_of
from chronoscore.core.evidence import Match
from chronoscore.reports.html.data import Explained
from chronoscore.reports.html.markup import Html, joined, tag
from chronoscore.reports.html.tables import wide
from chronoscore.reports.marked_text import CODES, Row, marked_text

FEW = 2
"""Documents up to which all texts are open at once."""
MOST = 60
"""Documents whose texts are shown: those with the most errors."""
LONG = 40_000
"""Characters of a text beyond which it is left out."""
WIDTHS = (("broad", 100), ("narrow", 40))
"""Columns on a wide page, and on a small one."""


def texts_section(explained: Explained) -> Html:
    """The texts of documents; empty where no text is kept with the result."""
    found = _documents(explained)
    if not found:
        return Html("")
    worst = sorted(found, key=lambda case: (-max(map(_wrong, found[case].values())), case))[:MOST]
    blocks = [
        _document(explained, case, found[case], is_open=len(found) <= FEW)
        for case in explained.cases
        if case in worst
    ]
    left = len(found) - len(blocks)
    note = f"Of {left} more documents, with fewer errors, the texts are not shown." if left else ""
    return joined(_legend(), blocks, tag("p", note) if note else "")


def _documents(explained: Explained) -> dict[str, dict[str, tuple[Match, ...]]]:
    """The matches of the first metric of spans, by case and system, where there is a text."""
    first = next(
        (m.name for m in explained.result.metrics if m.name.partition("(")[0] == "spans"), None
    )
    found: dict[str, dict[str, tuple[Match, ...]]] = {}
    for case in explained.cases:
        text = text_of(explained.gold.get(case, {}))
        if text is None or len(text) > LONG:
            continue
        for system in explained.result.systems:
            matches = explained.matches.get((system.name, case, first or ""))
            if matches is not None:
                found.setdefault(case, {})[system.name] = matches
    return found


def _wrong(matches: Sequence[Match]) -> int:
    return sum(match.outcome != "correct strict" for match in matches)


def _document(
    explained: Explained, case: str, systems: dict[str, tuple[Match, ...]], *, is_open: bool
) -> Html:
    text = text_of(explained.gold[case]) or ""
    wrong = max(map(_wrong, systems.values()))
    most = "at most " if len(systems) > 1 and wrong else ""
    told = f"{most}{wrong} not strictly correct" if wrong else "all strictly correct"
    return tag(
        "details",
        tag("summary", tag("span", case, class_="name"), tag("span", told, class_="value")),
        [_figure(system, text, matches) for system, matches in systems.items()],
        class_="timeline document",
        open=is_open,
    )


def _figure(system: str, text: str, matches: Sequence[Match]) -> Html:
    counted = Counter(match.outcome for match in matches)
    told = ", ".join(f"{counted[outcome]} {outcome}" for outcome in CODES if counted[outcome])
    drawn = [
        wide(
            tag("pre", _text(marked_text(text, matches, columns)), class_="spans"),
            f"{system}: the text with its annotations",
        ).replace('class="wide"', f'class="wide {name}"', 1)
        for name, columns in WIDTHS
    ]
    return tag(
        "figure",
        tag("figcaption", tag("b", system), f": {told or 'no annotations'}"),
        [Html(one) for one in drawn],
        class_="orders",
    )


def _text(rows: Sequence[Row]) -> Html:
    lines = [
        joined(tag("b", one.text, class_=one.code.lower()) if one.code else one.text for one in row)
        for row in rows
    ]
    return Html("\n".join(lines))


def _legend() -> Html:
    keys = [
        tag("li", tag("b", code, class_=code.lower()), f" {outcome}")
        for outcome, code in CODES.items()
    ]
    return tag(
        "ul",
        keys,
        tag("li", "the same number: a pair"),
        class_="legend spans",
        aria_label="How to read the texts",
    )
