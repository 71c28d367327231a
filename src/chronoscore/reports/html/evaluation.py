"""The report of an evaluation: a panel for each question, and the events behind all of them."""

from pathlib import Path

from chronoscore.core.family import Family
from chronoscore.core.writing import write_file
from chronoscore.evaluation.document import Evaluation
from chronoscore.evaluation.running import Evaluated
from chronoscore.families import family
from chronoscore.reports.evaluation import (
    credit_keys,
    event_table,
    overview,
    people_mean,
)
from chronoscore.reports.html import words
from chronoscore.reports.html.data import Explained
from chronoscore.reports.html.loss_tables import patterns
from chronoscore.reports.html.markup import Html, joined, tag
from chronoscore.reports.html.page import banner, section_of, shell
from chronoscore.reports.html.scores import scores_section
from chronoscore.reports.html.sections import Section, sections_of
from chronoscore.reports.html.tables import html_table
from chronoscore.reports.table import Table

MOST_EVENTS = 500
"""Events that the page lists; the saved document has all of them."""
SHOWN = 25
"""Events that are shown without being asked for."""
_ALONE = ("cases",)
"""Sections that draw from data of one result and so are in its own report only."""


def write_evaluation(evaluated: Evaluated, path: Path) -> None:
    """Write the report of an evaluation into one HTML file."""
    write_file(path, evaluation_report(evaluated))


def evaluation_report(evaluated: Evaluated) -> str:
    """Make the page: equal evaluations give equal pages."""
    document = evaluated.document
    panels = [_panel(evaluated, place) for place in range(len(document.results))]
    sections = [
        Section("scores", "All questions", html_table(overview(document))),
        *panels,
        Section("events", "Event by event", _events(document)),
        Section("notes", "Notes", _notes(document)),
    ]
    sections = [section for section in sections if section.content]
    names = dict.fromkeys(s.name for result in document.results for s in result.systems)
    asked = words.plural(len(document.results), "question")
    lead = f"{asked} asked of {words.plural(len(names), 'system')}: {', '.join(names)}."
    links = [tag("li", tag("a", section.title, href=f"#{section.id}")) for section in sections]
    content = joined(
        tag("a", "Skip to the scores", href="#scores", class_="skip"),
        patterns(),
        banner("One file, all questions", lead, [], links),
        tag("main", [section_of(section) for section in sections]),
        tag("footer", tag("p", "Made by Chronoscore from one evaluation document.")),
    )
    return shell(f"All questions: {', '.join(names)}", content)


def _panel(evaluated: Evaluated, place: int) -> Section:
    result, scored = evaluated.document.results[place], evaluated.scored[place]
    of: Family = family(result.family)
    explained = Explained.of(result, scored.matches, scored.texts)
    parts = [
        joined(tag("h3", section.title), section.content)
        for section in sections_of(explained, of)
        if section.id not in _ALONE
    ]
    return Section(of.name, of.question, joined(scores_section(result, of), parts))


def _events(document: Evaluation) -> Html:
    """The events that people liked least first, then those that earned least."""
    keys = credit_keys(document)
    if not keys and not any(event.judgements for event in document.events):
        return Html("")

    def rank(at: int) -> tuple[float, float, int]:
        event = document.events[at]
        mean = people_mean(event)
        shares = [one.credit / one.possible for one in event.credits if one.possible]
        share = sum(shares) / len(shares) if shares else 0.0
        return (2.0 if mean is None else mean), share, at

    table = event_table(document)
    order = sorted(range(len(document.events)), key=rank)[:MOST_EVENTS]
    rows = tuple(table.rows[at] for at in order)
    first = Table("the lowest first", table.columns, rows[:SHOWN], table.remarks)
    rest = Table("all others", table.columns, rows[SHOWN:])
    left = len(document.events) - len(order)
    folded = tag("summary", f"{len(rest.rows)} more events")
    return joined(
        tag("p", *table.remarks),
        html_table(first),
        tag("details", folded, html_table(rest), class_="more") if rest.rows else "",
        tag("p", f"{left} more events are in the saved document.") if left else "",
    )


def _notes(document: Evaluation) -> Html:
    skipped = [tag("li", f"{one.family}: {one.reason}") for one in document.skipped]
    notices = [tag("li", notice) for notice in document.notices]
    signatures = [
        tag("li", tag("code", f"{system.name}: {system.signature}"))
        for result in document.results
        for system in result.systems
    ]
    return joined(
        joined(tag("h3", "Not asked"), tag("ul", skipped)) if skipped else "",
        joined(tag("h3", "Notices"), tag("ul", notices, class_="notices")) if notices else "",
        tag("h3", "Signatures"),
        tag("ul", signatures),
    )
