"""The page of an evaluation: a panel for each question, and the events behind all of them."""

from collections.abc import Sequence

from chronoscore.evaluation.document import (
    CriterionSupport,
    EvaluationDocument,
    EventCredit,
    EventSupport,
)
from chronoscore.evaluation.event_rows import MOST_EVENTS, board_of, events_part
from chronoscore.evaluation.running import Evaluation
from chronoscore.evaluation.tables import overview, support_tables
from chronoscore.reports.html.cases import board, board_data, board_scripts
from chronoscore.reports.html.explained import Explained, chosen
from chronoscore.reports.html.head import UNKNOWN_RUN, RunHead, systems_in_words
from chronoscore.reports.html.markup import Html, folded, html_table, joined, listed, tag
from chronoscore.reports.html.page import Section, page
from chronoscore.reports.html.report import Pages, scores_section, sections_of
from chronoscore.reports.table import Table, plural

_SCRIPTS = ("sorting.js", "searching.js")
SHOWN = 25
"""Events that the page shows unfolded."""


def evaluation_report(evaluated: Evaluation, head: RunHead = UNKNOWN_RUN) -> str:
    """Write the page of an evaluation; equal evaluations give equal pages.

    `head` says which run it is.
    """
    document = evaluated.document
    panels = [_explained(evaluated, index) for index in range(len(document.results))]
    boards = {panel.family.name: panel.cases for panel in panels}
    views = {panel.board: Pages.of(panel.family).view for panel in panels}
    sections = [
        Section("scores", "Scores of all questions", html_table(overview(document))),
        *map(_panel, panels),
        Section("support", "Are the events in their articles?", _support(document)),
        Section("every-event", "Event by event", events_part(evaluated, boards)),
        Section("notes", "Notes", _notes(document, panels)),
    ]
    names = dict.fromkeys(s.name for result in document.results for s in result.systems)
    questions = plural(len(document.results), "question")
    ranked = [systems_in_words(result) for result in document.results[:1]]
    return page(
        f"All questions: {', '.join(names)}",
        f"{questions} asked of {plural(len(names), 'system')}: {', '.join(names)}.",
        [section for section in sections if section.content],
        "Made by Chronoscore from one evaluation document.",
        heading="One file, all questions",
        terms=[*head.terms, *(("Systems", systems) for systems in ranked)],
        scripts=(*board_scripts([*views.values()]), *_SCRIPTS),
        data={panel.board: board_data(panel, views[panel.board]) for panel in panels},
    )


def _explained(evaluated: Evaluation, index: int) -> Explained:
    result, scored = evaluated.document.results[index], evaluated.scored[index]
    home = evaluated.home(result.family)
    result, matches, texts = chosen(home, result, scored.matches, scored.texts)
    return Explained.of(home, result, matches, texts, board_of(home.name))


def _panel(explained: Explained) -> Section:
    """Return what the report of a single result has, under the question of its family."""
    view = Pages.of(explained.family).view
    cases = Section(explained.board, view.title, board(explained, view))
    subsections = [
        joined(tag("h3", section.title), section.content)
        for section in (cases, *sections_of(explained))
    ]
    return Section(
        explained.family.name,
        explained.family.question,
        joined(scores_section(explained), subsections),
    )


def _support(document: EvaluationDocument) -> Html:
    """Show the counts, and each event beside its evidence: the least supported first."""
    if not document.support:
        return Html("")
    supported = [(event, event.support) for event in document.events if event.support]
    order = sorted(range(len(supported)), key=lambda at: (_doubt(supported[at][1]), at))
    rows = [_evidence_row(*supported[at]) for at in order[:MOST_EVENTS]]
    columns = ("system", "event", "what", "when", "evidence")

    def table(caption: str, some: list[list[Html]]) -> Html:
        return html_table(Table.of(caption, columns, some), classes=[None] * len(columns))

    unlisted = len(supported) - len(rows)
    return joined(
        tag(
            "p",
            "The sentence of the article that has most of an event's words, and whether it "
            "gives the event's date. No model read anything: an article that denies an event "
            "mentions it, and only verdicts say that it supports it.",
            class_="lead",
        ),
        [html_table(one) for one in support_tables(document)],
        table("the most doubtful first", rows[:SHOWN]),
        folded(f"{len(rows) - SHOWN} more events", table("all others", rows[SHOWN:]))
        if len(rows) > SHOWN
        else "",
        tag("p", f"{unlisted} more events are in the saved document.") if unlisted else "",
    )


def _doubt(support: EventSupport) -> tuple[int, float]:
    """How far an event is supported: verdicts and outcomes of both criteria, then its coverage."""
    worst = ("contradicted", "not found", "unsure", "mentioned", "supported")
    words = [one.verdict or one.outcome for one in (support.what, support.when)]
    return sum(map(worst.index, words)), support.coverage


def _evidence_row(event: EventCredit, support: EventSupport) -> list[Html]:
    place = f"{support.article}, sentence {support.place}, coverage {support.coverage:.2f}"
    sentence = joined(support.sentence, tag("p", place, class_="note")) if support.place else "-"
    text = joined(
        event.text or "(no text)", tag("p", f"{event.event}, {event.date}", class_="note")
    )
    cells = [_criterion(one) for one in (support.what, support.when)]
    return [joined(event.system), text, *cells, joined(sentence)]


def _criterion(support: CriterionSupport) -> Html:
    parts: list[str] = [support.outcome]
    if support.reason:
        parts.append(tag("p", support.reason, class_="note"))
    if support.verdict:
        quoted = f": “{support.quotation}”" if support.quotation else ""
        parts.append(
            tag("p", tag("b", support.verdict), f" by {support.by}{quoted}", class_="note")
        )
    return joined(*parts)


def _notes(document: EvaluationDocument, panels: Sequence[Explained]) -> Html:
    skipped = listed(f"{skip.family}: {skip.reason}" for skip in document.skipped)
    # The notices of results are among those of the document; a panel adds which cases it shows.
    of_panels = (f"{one.family.name}: {notice}" for one in panels for notice in one.result.notices)
    notices = listed([*document.notices, *of_panels], "notices")
    signatures = (
        tag("code", f"{system.name}: {system.signature}")
        for result in document.results
        for system in result.systems
    )
    return joined(
        [tag("h3", "Not asked"), skipped] if skipped else "",
        [tag("h3", "Notices"), notices] if notices else "",
        [tag("h3", "Signatures"), listed(signatures)],
    )
