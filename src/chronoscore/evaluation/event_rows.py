"""Event by event: a row for each predicted event, with what it earned from each question."""

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import NamedTuple

from chronoscore.core.result import MetricInfo
from chronoscore.evaluation.document import Credit, EvaluationDocument, EventCredit, EventSupport
from chronoscore.evaluation.running import PROJECTIONS, RUBRIC, Evaluation
from chronoscore.evaluation.support import SearchedArticle
from chronoscore.evaluation.tables import credit_keys, event_table
from chronoscore.reports.html.explained import case_address
from chronoscore.reports.html.markup import Html, joined, tag, wide
from chronoscore.reports.table import spaced, trimmed
from chronoscore.timelines.pages import credit_unit

MOST_EVENTS = 200
"""Events that the page lists; the saved document has all of them."""
MOST_ARTICLES = 200
"""Articles that the page has in full."""
_STEPS = 20
"""Lengths of a bar, which are classes since a page has no inline style."""
_UNITS = {"events": "events", "ordering": "links", "annotations": "annotations"}
"""What the credits of a family count, in the plural."""
_OTHER_UNITS = {"text-quality": "pairs", "pairwise": "pairs"}
"""What those of a metric count, if it is something else."""
_CAPTION = "What each event earned"


def board_of(family: str) -> str:
    """Return the name of the board in the panel of a family."""
    return f"{family}-cases"


class _Question(NamedTuple):
    """A family that credits events, by the first of its metrics that does."""

    family: str
    metric: MetricInfo


Boards = Mapping[str, Sequence[str]]
"""The cases that the board of each family shows."""


def events_part(evaluated: Evaluation, boards: Boards | None = None) -> Html:
    """List the events: the lowest judged first, and among equals those that earned least.

    Events lead to their cases on `boards`, which have all cases unless they are given.
    """
    document = evaluated.document
    questions = _questions(document)
    is_judged = any(event.judgements for event in document.events)
    if not questions and not is_judged:
        return Html("")
    rows = _Rows(evaluated, questions, is_judged, boards)
    listed = sorted(document.events, key=_rank)[:MOST_EVENTS]
    heads = [_head("system"), _head("date"), _head("event")]
    heads += [_head(one.family, one.metric.label) for one in questions]
    heads += [_head("judged", "mean of 0 to 1")] if is_judged else []
    table = tag(
        "table",
        tag("caption", _CAPTION),
        tag("thead", tag("tr", heads)),
        tag("tbody", [rows.row(event) for event in listed]),
        class_="earned sortable",
    )
    unlisted = len(document.events) - len(listed)
    remark = "".join(event_table(document).remarks)
    return joined(
        tag(
            "p",
            "The lowest judged come first, then what earned least. Open an event to read what it "
            f"earned: {remark}.",
        ),
        _search(),
        wide(table, _CAPTION),
        tag("p", f"{unlisted} more events are in the saved document.") if unlisted else "",
        rows.articles(),
    )


def _search() -> Html:
    """A box that hides what it does not find; the script shows it."""
    box = tag("input", type="search", data_table="earned")
    found = tag("span", role="status")
    return tag("p", tag("label", "Find events ", box), " ", found, class_="search", hidden=True)


def _questions(document: EvaluationDocument) -> list[_Question]:
    first: dict[str, str] = {}
    for family, metric in credit_keys(document):
        first.setdefault(family, metric)
    infos = {(one.family, info.name): info for one in document.results for info in one.metrics}
    return [_Question(family, infos[family, metric]) for family, metric in first.items()]


def _rank(event: EventCredit) -> tuple[float, float]:
    """Return the mean judgement and the mean share; unjudged and unmeasured events come last."""
    mean = event.mean_judgement
    shares = [c.credit / c.possible for c in event.credits if c.possible]
    return (inf if mean is None else mean), (sum(shares) / len(shares) if shares else inf)


def _head(name: str, note: str = "") -> Html:
    button = tag("button", name, type="button")
    return tag("th", button, tag("small", note) if note else "", scope="col", aria_sort="none")


class _Rows:
    """The rows of a page, and the articles that they lead to."""

    def __init__(
        self,
        evaluated: Evaluation,
        questions: Sequence[_Question],
        is_judged: bool,
        boards: Boards | None,
    ) -> None:
        self.questions, self.is_judged = questions, is_judged
        self.library = evaluated.library
        self.names = {
            (result.family, info.name): f"{info.label}{_side(info)}"
            for result in evaluated.document.results
            for info in result.metrics
        }
        self.units = {key: _unit(evaluated, *key) for key in self.names}
        self.cases = _cases(evaluated, boards)
        self.numbers: dict[SearchedArticle, int] = {}
        """The articles that events lead to, with their numbers on the page."""

    def row(self, event: EventCredit) -> Html:
        """Write the row of an event; what is known of it is there for those who open it."""
        earned = {(credit.family, credit.metric): credit for credit in event.credits}
        text = " ".join(event.text.split()) or f"(no text, {event.event})"
        inside = tag("details", tag("summary", text, dir="auto"), self._inside(event))
        cells = [
            tag("td", event.system, dir="auto", data_value=event.system),
            tag("td", event.date or "–", data_value=event.date or None),
            tag("td", inside, data_value=text),
        ]
        for question in self.questions:
            credit = earned.get((question.family, question.metric.name))
            share = credit.credit / credit.possible if credit and credit.possible else None
            text = "" if share is None else f"{100 * share:.0f}\u00a0%"
            cells.append(_bar(share, text, question.family))
        if self.is_judged:
            mean = event.mean_judgement
            cells.append(_bar(mean, "" if mean is None else f"{mean:.2f}", "judged"))
        return tag("tr", cells)

    def _inside(self, event: EventCredit) -> Html:
        """The evidence of an event, its credits and its judgements, in few elements."""
        lines: list[Html] = []
        for family in dict.fromkeys(credit.family for credit in event.credits):
            credits = [credit for credit in event.credits if credit.family == family]
            words = "; ".join(map(self._credit_in_words, credits))
            lines.append(joined(self._link(family, event, event.topic), f": {words}"))
        if event.judgements:
            link = self._link(RUBRIC, event, event.event)
            lines.append(joined(link, ": ", *_judgements_in_words(event)))
        parts = [part for line in lines for part in ("\n", line)][1:]
        evidence = self._evidence(event, event.support) if event.support else ""
        return joined(evidence, tag("p", f"{event.event}\n", parts, class_="credits"))

    def _credit_in_words(self, credit: Credit) -> str:
        """Write a credit: AR-1 precision: 3.5 of 14 words."""
        key = credit.family, credit.metric
        name, unit = self.names.get(key, credit.metric), self.units.get(key, "points")
        possible = trimmed(credit.possible)
        if possible == "1":
            unit = {"summaries": "summary"}.get(unit, unit.removesuffix("s"))
        return f"{name}: {trimmed(credit.credit)} of {possible} {unit}"

    def _link(self, family: str, event: EventCredit, place: str) -> Html:
        """The name of a family, as a link to the event's case if there is one to look at."""
        cases = self.cases.get(family, {})
        case = cases.get((event.system, event.event)) or cases.get((event.system, place))
        if case is None:
            return joined(family)
        return tag("a", family, href=case_address(board_of(family), case, event.system))

    def _evidence(self, event: EventCredit, found: EventSupport) -> Html:
        outcomes = "; ".join(
            f"{name}: {one.verdict or one.outcome}{f', {one.reason}' if one.reason else ''}"
            for name, one in (("what", found.what), ("when", found.when))
        )
        if not found.place:
            return tag("p", f"In the article: {outcomes}", class_="evidence")
        article = f"{found.article}, sentence {found.place}"
        number = self._number(event, found)
        place = tag("a", article, href=f"#article-{number}") if number else article
        return tag(
            "p", f"“{found.sentence}” ", place, f"; {outcomes}", class_="evidence", dir="auto"
        )

    def _number(self, event: EventCredit, found: EventSupport) -> int | None:
        """The number of an event's article on the page; None if the page does not have it."""
        article = self.library.article_of(found, event.topic) if self.library else None
        if article is None:
            return None
        if article not in self.numbers and len(self.numbers) < MOST_ARTICLES:
            self.numbers[article] = len(self.numbers) + 1
        return self.numbers.get(article)

    def articles(self) -> Html:
        """The articles that the rows lead to; a link opens the one that it names."""
        if not self.numbers:
            return Html("")
        opened = [
            tag(
                "details",
                tag("summary", ": ".join(filter(None, (one.article.id, one.article.title)))),
                tag("p", one.text, id=f"article-{number}", dir="auto", class_="quote"),
                class_="more",
                dir="auto",
            )
            for one, number in self.numbers.items()
        ]
        return joined(tag("h3", "Articles of these events"), opened)


def _judgements_in_words(event: EventCredit) -> Iterator[str]:
    for number, one in enumerate(event.judgements):
        values = ", ".join(f"{name} {value}" for name, value in one.values.items())
        yield f"{'; ' * (number > 0)}{trimmed(one.score)} of 1 by "
        yield tag("bdi", one.evaluator or "an evaluator")
        yield f" ({values})"


def _bar(share: float | None, text: str, label: str) -> Html:
    """A cell with a number, and a bar of its share that also has a mark.

    A narrow page shows the label below it, where there are no columns.
    """
    if share is None:
        return tag("td", "–", class_="none", data_label=label)
    within = min(max(share, 0.0), 1.0)
    level = min(int(3 * within), 2)
    kind = f"share-{level} length-{round(_STEPS * within)}"
    return tag("td", text, class_=kind, data_value=round(share, 6), data_label=label)


def _side(metric: MetricInfo) -> str:
    """The score that credits add up to, where the metric has more than one."""
    sides = ("precision", "lenient_precision")
    return next((f" {spaced(side)}" for side in sides if side in metric.scores), "")


def _unit(evaluated: Evaluation, family: str, name: str) -> str:
    """What the credits of a metric count, in the plural."""
    if family == "timelines":
        return credit_unit(evaluated.home(family).metric(name))
    return _OTHER_UNITS.get(name.partition("(")[0], _UNITS.get(family, "points"))


def _cases(
    evaluated: Evaluation, boards: Boards | None
) -> Mapping[str, Mapping[tuple[str, str], str]]:
    """The case of each family by system and topic, by system and event id if cases are smaller.

    Only families whose matches are at hand have cases to look at, and a board may lack some.
    """
    tags = {projection.family: projection.tag for projection in PROJECTIONS} | {RUBRIC: "event"}
    by_family: dict[str, dict[tuple[str, str], str]] = {}
    for result, scored in zip(evaluated.document.results, evaluated.scored, strict=True):
        cases = by_family.setdefault(result.family, {})
        if not scored.matches:
            continue
        shown = None if boards is None else {*boards[result.family]}
        for system in result.systems:
            rows = [row for row in system.rows if shown is None or row.case in shown]
            for row in rows:
                cases.setdefault((system.name, row.tags[tags[result.family]]), row.case)
            if rows and len({row.tags[tags[result.family]] for row in system.rows}) == 1:
                # A single topic is named after the gold's file, and has no name in events.
                cases.setdefault((system.name, ""), rows[0].case)
        if tags[result.family] == "document":
            for item in scored.matches:
                if shown is not None and item.case not in shown:
                    continue
                for name in (name for match in item.matches for name in match.about):
                    cases.setdefault((item.system, name), item.case)
    return by_family
