"""What changed from the first system to each other one: a table whose numbers lead to examples."""

from collections.abc import Sequence
from itertools import count

from chronoscore.core.changes import Change, outcome_names
from chronoscore.core.evidence import Match
from chronoscore.core.result import CaseMatches, MetricInfo
from chronoscore.reports.changes import changes_between, contingency_table, is_all_or_nothing
from chronoscore.reports.html.data import Explained
from chronoscore.reports.html.markup import Html, joined, tag
from chronoscore.reports.html.tables import html_table, wide

MOST = 20
"""Examples of one change that are listed."""


def changes_section(explained: Explained) -> Html:
    """All changes; nothing where there is only one system, or no matches to tell from."""
    result = explained.result
    names = [system.name for system in result.systems if not system.name.startswith("(")]
    if len(names) < 2 or not explained.matches:
        return Html("")
    matches = [CaseMatches(*key, found) for key, found in explained.matches.items()]
    places = {case: place for place, case in enumerate(explained.cases)}
    old, *others = names
    numbers = count(1)
    parts: list[Html] = []
    for metric in result.metrics:
        for new in others:
            found = changes_between(matches, metric.name, old, new)
            if found and not metric.curve:
                parts.append(_changes(found, metric, old, new, places, numbers))
    return joined(parts)


def _changes(
    found: Sequence[Change],
    metric: MetricInfo,
    old: str,
    new: str,
    places: dict[str, int],
    numbers: "count[int]",
) -> Html:
    """The table of one pair of systems, who is right alone, and the examples."""
    by_change: dict[tuple[str, str], list[Change]] = {}
    for change in found:
        by_change.setdefault(change.outcomes, []).append(change)
    anchors = {
        change: f"change-{next(numbers)}" for change in sorted(by_change) if change[0] != change[1]
    }
    title = f"{metric.label}, from {old} to {new}"
    parts = [_table(found, by_change, anchors, title)]
    if is_all_or_nothing(found):
        parts.append(html_table(contingency_table(found, title)))
    order = sorted(anchors, key=lambda change: (-len(by_change[change]), change))
    parts += [
        _examples(change, by_change[change], anchors[change], (old, new), places)
        for change in order
    ]
    return joined(parts)


def _table(
    found: Sequence[Change],
    by_change: dict[tuple[str, str], list[Change]],
    anchors: dict[tuple[str, str], str],
    title: str,
) -> Html:
    names = outcome_names(found)
    moved = sum(len(several) for change, several in by_change.items() if change in anchors)
    caption = tag(
        "caption",
        f"{title}: {moved} of {len(found)} targets changed ",
        tag("span", "rows: what it was, columns: what it is now; press a number for examples"),
    )
    head = [tag("th", "was", scope="col")]
    head += [tag("th", name, scope="col", class_="number") for name in names]

    def cell(before: str, after: str) -> Html:
        several = by_change.get((before, after), ())
        anchor = anchors.get((before, after))
        inner: str = str(len(several)) if several else "–"
        if anchor:
            label = f"{len(several)} from {before} to {after}"
            inner = tag("a", inner, href=f"#{anchor}", aria_label=label)
        return tag("td", inner, class_="number")

    rows = [
        tag("tr", tag("th", before, scope="row"), [cell(before, after) for after in names])
        for before in names
        if any((before, after) in by_change for after in names)
    ]
    inner = tag("table", caption, tag("thead", tag("tr", head)), tag("tbody", rows))
    return wide(inner, title)


def _examples(
    change: tuple[str, str],
    several: Sequence[Change],
    anchor: str,
    systems: tuple[str, str],
    places: dict[str, int],
) -> Html:
    """The targets of one change, each with a link to its case."""
    sense = {"better": ", better", "worse": ", worse", "other": ""}[several[0].sense]
    rows = [
        tag(
            "tr",
            tag("th", tag("a", one.case, href=f"#case-{places[one.case]}"), scope="row"),
            tag("td", one.target),
            tag("td", _said(one.old)),
            tag("td", _said(one.new)),
        )
        for one in several[:MOST]
    ]
    head = [tag("th", name, scope="col") for name in ("case", "target", *systems)]
    table = tag("table", tag("thead", tag("tr", head)), tag("tbody", rows))
    left = len(several) - len(rows)
    more = tag("p", f"and {left} more") if left else ""
    targets = "1 target" if len(several) == 1 else f"{len(several)} targets"
    name = f"{change[0]} → {change[1]}: {targets}{sense}"
    # The place to jump to is inside, so that a browser opens what is around it.
    return tag(
        "details",
        tag("summary", name),
        tag("div", wide(table, name), more, id=anchor),
        class_="more",
    )


def _said(match: Match) -> str:
    return match.predicted or "–"
