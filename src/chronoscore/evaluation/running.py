"""Score events in every family that they permit, and pass the credit of matches on to events."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import UNSET, structs

from chronoscore import families
from chronoscore.core.event import Event, read_events
from chronoscore.core.family import WHOLE_TEXT, Family
from chronoscore.core.problems import Findings, Problems
from chronoscore.core.result import CaseMatches, ResultDocument
from chronoscore.core.sources import Source, source_of, sources_of
from chronoscore.core.writing import write_file
from chronoscore.elements.articles import read_topics
from chronoscore.elements.dated.values import Policies
from chronoscore.elements.time import TimeError
from chronoscore.engines.plan import Inputs, Plan
from chronoscore.engines.scoring import Scored, copy_notices, score_sources
from chronoscore.engines.settings import IntervalPlan, Settings
from chronoscore.engines.verifying import verify
from chronoscore.errors import UsageError
from chronoscore.evaluation.document import (
    CRITERIA,
    Credit,
    EvaluationDocument,
    EventCredit,
    EventJudgement,
    EventSupport,
    Skipped,
    load,
    save,
    support_of,
)
from chronoscore.evaluation.support import UNASKED, Library, check_articles, support, time_of
from chronoscore.evaluation.verdicts import decide, read_verdicts, with_verdicts
from chronoscore.interface.frames import Exportable, ScoreTable
from chronoscore.interface.result import MatchedCases, Result
from chronoscore.ordering.metrics import names_of
from chronoscore.ordering.model import UNKNOWN_DATE, TimelineRow
from chronoscore.reports.table import Table
from chronoscore.reports.terminal import notice_lines
from chronoscore.rubric.codebook import Codebook, event_quality, read_codebook
from chronoscore.rubric.family import reader_words, rubric_family
from chronoscore.rubric.judgements import Judgement

_NOT_ASKED = "it was not asked for"

Owners = Mapping[tuple[str, str], Sequence[tuple[str, str]]]
"""The events behind each name in a match, by topic (or document) and name.

An event is given by its id and the timeline that it was written for, which may be empty.
"""


class Projection(NamedTuple):
    """How a family sees events: which of them it can score, and how its matches name them."""

    family: str
    tag: str
    """The tag of cases within which names are unique."""
    fits: Callable[[Event], bool]
    needs: str
    """What an event must have, in words."""
    owners: Callable[[Iterable[Event], str], Owners]
    """Maps names in matches to events; the text is the choice for dates that are no days."""
    metrics: tuple[str, ...] = ()
    """The metrics that are asked for; those of the family's first protocol if there are none."""
    options: Mapping[str, str] = MappingProxyType({})
    """The family's reading choices."""

    def refuses(self, gold: Iterable[Event], predicted: Iterable[Event]) -> str:
        """Say why the family can't score these events; empty if it can."""
        return " and ".join(
            f"no {side} event has {self.needs}"
            for side, events in (("gold", gold), ("prediction", predicted))
            if not any(map(self.fits, events))
        )


def _is_dated(event: Event) -> bool:
    """Whether an event has a date, right or wrong: the readers report the wrong ones."""
    try:
        return time_of(event) is not None
    except TimeError:
        return True


def _by_day(events: Iterable[Event], dates: str) -> Owners:
    """Map each day of a timeline to all events on it, which share its credit equally."""
    policies = Policies({"dates": dates}, "predicted")
    return _owners_by_name(
        (event.topic, str(policies.placed(time, str(time))), event)
        for event in events
        if (time := time_of(event))
    )


def _by_mention(events: Iterable[Event], _: str) -> Owners:
    """Map each mention to its event; the second mention of the same text has a number."""
    rows_by_timeline: dict[tuple[str, str], list[tuple[TimelineRow, Event]]] = {}
    for event in events:
        anchor = str(time_of(event) or UNKNOWN_DATE)
        row = TimelineRow(event.position or 0, anchor, event.mentions)
        rows_by_timeline.setdefault((event.topic, event.timeline), []).append((row, event))
    return _owners_by_name(
        (topic, name, event)
        for (topic, _), rows in rows_by_timeline.items()
        for name, event in names_of(rows)
    )


def _by_id(events: Iterable[Event], _: str) -> Owners:
    return _owners_by_name((event.article, event.id, event) for event in events)


def _owners_by_name(named_events: Iterable[tuple[str, str, Event]]) -> Owners:
    """Collect events by their group (topic or document) and their name in it."""
    owners: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for group, name, event in named_events:
        owners.setdefault((group, name), []).append((event.id, event.timeline))
    return owners


PROJECTIONS = (
    Projection(
        "timelines",
        "topic",
        lambda event: _is_dated(event) and bool(event.text.strip()),
        "a date and a text",
        _by_day,
    ),
    Projection(
        "events",
        "topic",
        lambda event: bool(event.text.strip()),
        "a text",
        lambda events, _: _owners_by_name((event.topic, event.id, event) for event in events),
        ("event-timed", "event-f1", "text-quality", "event-soft"),
        {"other_golds": "hide"},  # they are no system of this evaluation
    ),
    Projection(
        "ordering",
        "target",
        lambda event: event.position is not None and bool(event.mentions),
        "a position and mentions",
        _by_mention,
    ),
    Projection(
        "annotations",
        "document",
        lambda event: event.span is not None,
        "a span in an article",
        _by_id,
    ),
)
"""Families whose matches are about events, in the order in which they are scored."""
RUBRIC = "rubric"
QUESTIONS = (*(projection.family for projection in PROJECTIONS), RUBRIC)


@dataclass
class _Earned:
    credit: float = 0.0
    possible: float = 0.0
    gold: dict[str, None] = field(default_factory=dict)


Earned = dict[tuple[str, str], dict[tuple[str, str], _Earned]]
"""By (system, event) and by (family, metric)."""


def add_credits(
    earned: Earned,
    result: ResultDocument,
    matches: Iterable[CaseMatches],
    projection: Projection,
    owners: Mapping[str, Owners],
) -> None:
    """Pass the credit of precision on to events; events that share a match share it equally.

    Over all events of a system the credit adds up to the numerator of precision, since every
    match of that side is passed on as a whole.
    """
    tags = {(system.name, row.case): row.tags for system in result.systems for row in system.rows}
    for item in matches:
        case_tags, system_owners = tags[item.system, item.case], owners[item.system]
        group, timeline = case_tags[projection.tag], case_tags.get("gold", "")
        for match in item.matches:
            if match.side == "recall":
                continue
            names = match.about or (match.predicted,)
            named = [event for name in names for event in system_owners.get((group, name), ())]
            # As cases are paired: events written for this gold come first, else all are used.
            events = [event for event, of in named if of == timeline] or [e for e, _ in named]
            for event in events:
                by_metric = earned.setdefault((item.system, event), {})
                sums = by_metric.setdefault((projection.family, item.metric), _Earned())
                sums.credit += match.credit / len(events)
                sums.possible += match.possible / len(events)
                if match.gold and match.credit and not match.about:
                    sums.gold[match.gold] = None


def judged_events(
    judgements: Iterable[Judgement], codebook: Codebook
) -> dict[tuple[str, str], list[EventJudgement]]:
    """Return the judgements of each event, by system and event id."""
    judged: dict[tuple[str, str], list[EventJudgement]] = {}
    names = [criterion.name for criterion in codebook.criteria]
    for judgement in judgements:
        values = dict(zip(names, judgement.values, strict=True))
        quality = float(codebook.quality(judgement.values))
        judged.setdefault((judgement.system, judgement.event), []).append(
            EventJudgement(judgement.evaluator, quality, values)
        )
    return judged


def joined(
    systems: Mapping[str, Sequence[Event]],
    earned: Earned,
    judged: Mapping[tuple[str, str], Sequence[EventJudgement]],
    supported: Mapping[tuple[str, str], EventSupport],
) -> tuple[EventCredit, ...]:
    """Return every predicted event with its credits, its judgements and its support."""
    return tuple(
        EventCredit(
            system=system,
            event=event.id,
            topic=event.topic,
            date=event.date or "",
            text=event.text,
            credits=tuple(
                Credit(family, metric, sums.credit, sums.possible, tuple(sums.gold))
                for (family, metric), sums in earned.get((system, event.id), {}).items()
            ),
            judgements=tuple(judged.get((system, event.id), judged.get(("", event.id), ()))),
            support=supported.get((system, event.id)),
        )
        for system, events in systems.items()
        for event in events
    )


class Evaluation(Exportable):
    """The scores of all families that events permit, joined by event.

    `evaluation["timelines"]` is the `Result` of a family, and iterating yields all of them. `print`
    shows the tables of the command line.

    >>> from chronoscore import evaluate
    >>> from chronoscore.demo import home
    >>> answers = evaluate(home() / "gold.jsonl", home() / "quick.jsonl")
    >>> answers.families, round(answers["timelines"]["AR-1"], 3)
    (('timelines', 'events', 'ordering', 'annotations'), 0.276)
    """

    def __init__(
        self,
        document: EvaluationDocument,
        scored: Sequence[Scored],
        codebook: Codebook,
        library: Library | None = None,
    ) -> None:
        """Hold a document, what is behind each of its results, and the codebook of judgements.

        `library` has the articles that events were looked for in, where they are at hand.
        """
        self.document = document
        self.scored = tuple(scored)
        self.library = library
        self._codebook = codebook

    @classmethod
    def load(
        cls, path: str | PathLike[str], *, codebook: Codebook | str | PathLike[str] | None = None
    ) -> "Evaluation":
        """Read what `save` wrote; it has no matches, so nothing can be explained.

        - `path`: the file.
        - `codebook`: the codebook of the judgements, if it is not the built-in one.
        """
        document = load(Path(path))
        scored = [Scored(result) for result in document.results]
        evaluation = cls(document, scored, read_codebook(codebook, Problems()))
        for result in document.results:
            verify(evaluation.home(result.family), result, path)
        return evaluation

    @property
    def families(self) -> tuple[str, ...]:
        """The families that were scored."""
        return tuple(result.family for result in self.document.results)

    @property
    def skipped(self) -> dict[str, str]:
        """The families that were not scored, and why."""
        return {question.family: question.reason for question in self.document.skipped}

    @property
    def notices(self) -> tuple[str, ...]:
        """What you should know about the data, in sentences."""
        return self.document.notices

    def __getitem__(self, family: str) -> Result:
        """Return the result of a family."""
        for place, result in enumerate(self.document.results):
            if result.family == family:
                scored = self.scored[place]
                evidence = partial(MatchedCases, scored.matches, scored.texts)
                return Result(self.home(family), result, evidence)
        reason = self.skipped.get(family)
        why = f": {reason}" if reason else f"; there are: {', '.join(self.families)}"
        raise KeyError(f"there is no result of {family}{why}")

    def home(self, family: str) -> Family:
        """Return a family by name, that of judgements with its codebook."""
        return rubric_family(self._codebook) if family == RUBRIC else families.family(family)

    def __iter__(self) -> Iterator[Result]:
        """Yield the results."""
        return map(self.__getitem__, self.families)

    def table(self) -> ScoreTable:
        """Return a row for each predicted event: what it earned, and how people judged it."""
        labels = {
            (result.family, metric.name): metric.label
            for result in self.document.results
            for metric in result.metrics
        }
        rows = []
        for event in self.document.events:
            fields = ("system", "event", "topic", "date", "text")
            row: dict[str, Any] = {name: getattr(event, name) for name in fields}
            for credit in event.credits:
                label = labels.get((credit.family, credit.metric), credit.metric)
                row[f"{label} credit"] = credit.credit
                row[f"{label} possible"] = credit.possible
            if event.judgements:
                row["judged"] = event.mean_judgement
            rows.append(row)
        return ScoreTable.of(rows)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the document, and the matches and texts; the data are left behind."""
        scored = [Scored(one.result, one.matches, one.texts) for one in self.scored]
        return Evaluation, (self.document, scored, self._codebook)

    def __str__(self) -> str:
        return super().__str__() + notice_lines(self.notices)

    def __repr__(self) -> str:
        return f"<Evaluation by {', '.join(self.families)}: print it to read it>"

    def _tables(self) -> list[Table]:
        from chronoscore.evaluation.tables import evaluation_tables  # noqa: PLC0415 - where shown

        return evaluation_tables(self.document)

    def save(self, path: str | PathLike[str]) -> Path:
        """Save the document; return its path."""
        save(self.document, Path(path))
        return Path(path)

    def report(self, path: str | PathLike[str]) -> Path:
        """Write the HTML report with a panel for each question; return its path."""
        from chronoscore.evaluation.pages import evaluation_report  # noqa: PLC0415 - where shown

        write_file(Path(path), evaluation_report(self))
        return Path(path)


def evaluate(
    gold: Source | PathLike[str] | str,
    predictions: Mapping[str, Source | PathLike[str] | str],
    problems: Problems,
    *,
    judgements: Sequence[Source | PathLike[str] | str] = (),
    codebook: Codebook | None = None,
    chance: IntervalPlan | None = None,
    only: Sequence[str] = (),
    dates: str = "error",
    articles: Source | PathLike[str] | str | None = None,
    verdicts: Sequence[Source | PathLike[str] | str] = (),
    scope: str = "article",
    texts: bool = True,
) -> Evaluation:
    """Score events.jsonl files in every family that they permit.

    `judgements` are the sheets that the rubric family reads; `dates` says what timelines make of
    a date that is no day. Each family reads the files as its own verb does, so the numbers are the
    same. With `articles` each predicted event is looked for in its article, `verdicts` say whether
    the article supports it, and `scope` is that of the weights of words. The articles are also the
    texts of annotations; if `texts` is false, nothing but the sentences that were found is kept of
    them. It is an error if the events permit no question.
    """
    if verdicts and articles is None:
        raise UsageError("verdicts are on events and their articles: give the articles too")
    for name in only:
        if name not in QUESTIONS:
            raise UsageError(f"there is no question '{name}'; there are: {', '.join(QUESTIONS)}")
    event_problems = Problems(problems.options)
    gold_source, sources = source_of(gold), sources_of(predictions)
    golds = read_events(gold_source, event_problems)
    systems = {name: read_events(source, event_problems) for name, source in sources.items()}
    event_problems.check()
    book = codebook or event_quality()
    inputs = Inputs(gold_source, {system: [source] for system, source in sources.items()})
    topics = {event.topic or gold_source.stem for event in golds}
    scored: list[Scored] = []
    skipped: list[Skipped] = []
    earned: Earned = {}
    for projection in PROJECTIONS:
        reason = projection.refuses(
            golds, [event for events in systems.values() for event in events]
        )
        if only and projection.family not in only:
            reason = _NOT_ASKED
        if reason:
            skipped.append(Skipped(projection.family, reason))
            continue
        reads_dates = projection.family in ("timelines", "events") and dates != "error"
        settings = Settings.make(
            families.family(projection.family),
            metrics=projection.metrics,
            chance=chance,
            options={**projection.options, **({"dates": dates} if reads_dates else {})},
        )
        outcome = _score_family(settings, inputs, problems)
        scored.append(outcome)
        owners = {
            system: projection.owners(
                [
                    _with_case_topic(event, topics, sources[system])
                    for event in events
                    if projection.fits(event)
                ],
                dates,
            )
            for system, events in systems.items()
        }
        add_credits(earned, outcome.result, outcome.matches, projection, owners)
    judged = {}
    if judgements and (not only or RUBRIC in only):
        settings = Settings.make(rubric_family(book), chance=chance)
        sheets = Inputs(None, {"": [*map(source_of, judgements)]}, reader_words(book))
        scored.append(_score_family(settings, sheets, problems))
        rows = [case.predicted for cases in scored[-1].cases.values() for case in cases]
        judged = judged_events(rows, book)
        _report_unknown(judged, systems, problems)
    else:
        reason = _NOT_ASKED if judgements else "no judgements were given"
        skipped.append(Skipped(RUBRIC, reason))
    library = None if articles is None else _library(source_of(articles), scope, problems)
    supported = {}
    if library is not None and texts:
        scored = [_with_articles(one, library) for one in scored]
    if library is not None:
        of_topics = {
            name: [_with_case_topic(event, topics, sources[name]) for event in events]
            for name, events in systems.items()
        }
        supported = _supported(of_topics, sources, library, [*map(source_of, verdicts)], problems)
    if not scored and library is None:
        reasons = "; ".join(f"{question.family}: {question.reason}" for question in skipped)
        raise UsageError(f"there is no question that these events permit: {reasons}")
    events = joined(systems, earned, judged, supported)
    return Evaluation(
        EvaluationDocument(
            results=tuple(outcome.result for outcome in scored),
            skipped=tuple(skipped),
            events=events,
            notices=tuple(dict.fromkeys(str(notice) for notice in problems.notices)),
            support=UNSET
            if library is None
            else support_of(events, library.scope, len(library.articles)),
        ),
        scored,
        book,
        library if texts else None,
    )


def _library(source: Source, scope: str, problems: Problems) -> Library:
    """Read the articles; a file, or the folders of a collection."""
    article_problems = Problems(problems.options)
    topics = read_topics(source, article_problems)
    if not topics and not article_problems.problems:
        article_problems.problem("there are no articles", source)
    article_problems.check()
    problems.add(Findings(notices=article_problems.findings.notices))
    return Library.of(topics, scope)


def _with_articles(scored: Scored, library: Library) -> Scored:
    """Add the articles to the texts of annotations; other families have no documents.

    Some collections use an id for several articles: then nobody knows which one spans point into.
    """
    if scored.result.family != "annotations":
        return scored
    texts: dict[str, set[str]] = {}
    for one in library.articles:
        texts.setdefault(one.article.id, set()).add(one.article.text)
    articles = {name: several.pop() for name, several in texts.items() if len(several) == 1}
    documents = {
        row.case: articles[row.tags["document"]]
        for system in scored.result.systems
        for row in system.rows
        if row.tags["document"] in articles
    }
    items = [
        structs.replace(item, gold={WHOLE_TEXT: (documents[item.case],), **item.gold})
        if item.case in documents
        else item
        for item in scored.texts
    ]
    return structs.replace(scored, texts=items)


def _supported(
    systems: Mapping[str, Sequence[Event]],
    sources: Mapping[str, Source],
    library: Library,
    verdicts: Sequence[Source],
    problems: Problems,
) -> dict[tuple[str, str], EventSupport]:
    """Look for every predicted event in its article, and add what people and models say of it."""
    votes = read_verdicts(verdicts, problems)
    for system, events in systems.items():
        check_articles(events, library, problems, sources[system])
    decided = decide(votes, systems, library, problems) if not problems.problems else {}
    problems.check()
    supported = {}
    for system, events in systems.items():
        for event in events:
            found = support(event, library)
            supported[system, event.id] = with_verdicts(found, system, event.id, decided)
        _report_unasked(system, events, supported, sources[system], problems)
    return supported


def _report_unasked(
    system: str,
    events: Sequence[Event],
    supported: Mapping[tuple[str, str], EventSupport],
    source: Source,
    problems: Problems,
) -> None:
    """Report how many events count as not found, or unsure, for want of something."""
    reasons: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for event in events:
        found = supported[system, event.id]
        for name in CRITERIA:
            one = found.criterion(name)
            if one.reason in UNASKED:
                reasons.setdefault((one.outcome, one.reason), []).append((0, event.id))
    for (outcome, reason), named in reasons.items():
        message = f"support: {{count}} outcome{{s}} '{outcome}', since {reason}, first {{first}}"
        problems.count(message, named, source)


def _score_family(settings: Settings, inputs: Inputs, problems: Problems) -> Scored:
    """Score the inputs in one family, and add its notices to those of the evaluation."""
    family_problems = Problems(problems.options)
    try:
        outcome = score_sources(settings, inputs, family_problems, Plan(whole=True), explain=True)
    finally:
        copies = copy_notices(settings, family_problems.facts)
        for notice in family_problems.findings.notices:
            prefix = f"{settings.family.name}: " if notice.message in copies else ""
            named = structs.replace(notice, message=f"{prefix}{notice.message}")
            problems.add(Findings(notices=(named,)))
    return structs.replace(outcome, result=structs.replace(outcome.result, notices=()))


def _with_case_topic(event: Event, topics: set[str], source: Source) -> Event:
    """Return the event with the topic of its case, since a single topic may have no name.

    Then the topic is named after the file of the golds, whatever a system's file is called.
    """
    topic = event.topic or source.stem
    if topic not in topics and len(topics) == 1:
        (topic,) = topics
    return structs.replace(event, topic=topic)


def _report_unknown(
    judged: Mapping[tuple[str, str], object],
    systems: Mapping[str, Sequence[Event]],
    problems: Problems,
) -> None:
    """Report judgements of events that are in no prediction."""
    known = {(system, event.id) for system, events in systems.items() for event in events}
    known |= {("", event) for _, event in known}
    unknown = sorted(
        f"{event} of {system or 'no system'}" for system, event in judged.keys() - known
    )
    if unknown:
        problems.notice(
            f"{len(unknown)} judged events are in none of the predictions, first {unknown[0]}"
        )
