"""Metrics against people as one HTML page: a picture of each metric, coefficients, tests, items."""

from chronoscore.reports.correlation import correlation_tables
from chronoscore.reports.html.markup import Html, joined, tag
from chronoscore.reports.html.page import banner, section_of, shell
from chronoscore.reports.html.scatter import legend, scatter
from chronoscore.reports.html.sections import Section
from chronoscore.reports.html.tables import html_table
from chronoscore.reports.html.words import plural
from chronoscore.reports.table import Cell, Column, Table
from chronoscore.rubric.correlation.document import Correlations

_MOST_LISTED = 500


def correlation_page(found: Correlations) -> str:
    """Make the page: a pure function of the document."""
    systems = sorted({point.system for one in found.metrics for point in one.points})
    sections = [
        Section("pictures", "Each metric against people", _pictures(found, systems)),
        Section("coefficients", "Coefficients", _tables(found)),
        Section("items", "Items", _items(found)),
    ]
    if found.notices:
        listed = tag("ul", [tag("li", notice) for notice in found.notices], class_="notices")
        sections.append(Section("notes", "Notices", listed))
    title = f"Do metrics follow people? {found.level.capitalize()} level"
    lead = (
        f"{plural(len(found.metrics), 'metric')} against {found.criterion}, "
        f"{plural(found.judged, 'event')} judged by {', '.join(found.people)}."
    )
    links = [tag("li", tag("a", section.title, href=f"#{section.id}")) for section in sections]
    content = joined(
        tag("a", "Skip to the pictures", href="#pictures", class_="skip"),
        banner(title, lead, [], links),
        tag("main", [section_of(section) for section in sections]),
        tag("footer", tag("p", "Made by Chronoscore from saved results and judgements.")),
    )
    return shell(title, content)


def _pictures(found: Correlations, systems: list[str]) -> Html:
    lines = "Lines are intervals, of people's means over articles" + (
        ", and of scores as they were saved. "
        if any(point.metric_interval for one in found.metrics for point in one.points)
        else ". "
    )
    shown = any(point.human_interval for one in found.metrics for point in one.points)
    return joined(
        tag(
            "p",
            "Each mark is one ",
            {"system": "system", "topic": "topic of a system", "event": "event"}[found.level],
            ". ",
            lines if shown else "",
            "A metric that follows people rises from left to right.",
            class_="lead",
        ),
        legend(systems),
        tag("div", [scatter(one, found.criterion, systems) for one in found.metrics]),
    )


def _tables(found: Correlations) -> Html:
    parts = []
    for table in correlation_tables(found):
        parts.append(html_table(table))
        parts.append(tag("ul", [tag("li", line) for line in table.remarks], class_="meanings"))
    return joined(*parts)


def _items(found: Correlations) -> Html:
    people: dict[tuple[str, str], float] = {}
    for one in found.metrics:
        people.update({(p.system, p.name): p.human for p in one.points})
    values = [{(p.system, p.name): p.metric for p in one.points} for one in found.metrics]
    names = ["system", *(["item"] if found.level != "system" else []), "people"]
    rows: list[tuple[Cell, ...]] = []
    for key in sorted(people)[:_MOST_LISTED]:
        place = key if found.level != "system" else key[:1]
        rows.append((*place, people[key], *(own.get(key) for own in values)))
    columns = (*names, *(one.label for one in found.metrics))
    table = html_table(Table("All items", tuple(map(Column, columns)), tuple(rows)))
    left = len(people) - len(rows)
    more = tag("p", f"and {left} more, which --format json lists") if left > 0 else ""
    shown = tag("summary", f"{plural(len(people), 'item')}, as drawn")
    return tag("details", shown, table, more, class_="more")
