"""Score events in every family that they permit, and join the results by event."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike

from msgspec import structs

from chronoscore import families
from chronoscore.core.event import Event, read_events
from chronoscore.core.problems import Findings, Problems
from chronoscore.core.sources import Source, source_of, sources_of
from chronoscore.engines.plan import Inputs, Plan
from chronoscore.engines.scoring import Scored, copy_notices, score_sources
from chronoscore.engines.settings import IntervalPlan, Settings
from chronoscore.evaluation.document import Evaluation, Skipped
from chronoscore.evaluation.joining import PROJECTIONS, credits_of, joined, judged_events
from chronoscore.rubric.codebook import Codebook, event_quality
from chronoscore.rubric.family import reader_words, rubric_family

_NOT_ASKED = "it was not asked for"


@dataclass(frozen=True)
class Evaluated:
    """The document, and the matches and texts behind each of its results."""

    document: Evaluation
    scored: tuple[Scored, ...]


def evaluate(
    gold: Source | PathLike[str] | str,
    predictions: Mapping[str, Source | PathLike[str] | str],
    problems: Problems,
    *,
    judgements: Sequence[Source | PathLike[str] | str] = (),
    codebook: Codebook | None = None,
    chance: IntervalPlan | None = None,
    only: Sequence[str] = (),
) -> Evaluated:
    """Score events.jsonl files in every family that they permit.

    `judgements` are the sheets that the rubric family reads. Each family reads the files as its
    own verb does, so the numbers are the same.
    """
    event_problems = Problems(problems.options)
    gold_source, sources = source_of(gold), sources_of(predictions)
    golds = read_events(gold_source, event_problems)
    systems = {name: read_events(source, event_problems) for name, source in sources.items()}
    event_problems.check()
    book = codebook or event_quality()
    inputs = Inputs(gold_source, {system: [source] for system, source in sources.items()})
    topics = {event.topic for event in golds}
    scored: list[Scored] = []
    skipped: list[Skipped] = []
    earned = []
    for projection in PROJECTIONS:
        reason = projection.refuses(
            golds, [event for events in systems.values() for event in events]
        )
        if only and projection.family not in only:
            reason = _NOT_ASKED
        if reason:
            skipped.append(Skipped(projection.family, reason))
            continue
        settings = Settings.make(families.family(projection.family), chance=chance)
        outcome = _score_family(settings, inputs, problems)
        scored.append(outcome)
        owners = {
            system: projection.owners(
                _with_case_topic(event, topics, sources[system])
                for event in events
                if projection.fits(event)
            )
            for system, events in systems.items()
        }
        earned.append(credits_of(outcome.result, outcome.matches, projection, owners))
    judged = {}
    if judgements and (not only or "rubric" in only):
        settings = Settings.make(rubric_family(book), chance=chance)
        sheets = Inputs(None, {"": [*map(source_of, judgements)]}, reader_words(book))
        scored.append(_score_family(settings, sheets, problems))
        rows = [case.predicted for cases in scored[-1].cases.values() for case in cases]
        judged = judged_events(rows, book)
        _report_unknown(judged, systems, problems)
    else:
        reason = _NOT_ASKED if judgements else "no judgements were given"
        skipped.append(Skipped("rubric", reason))
    return Evaluated(
        Evaluation(
            results=tuple(outcome.result for outcome in scored),
            skipped=tuple(skipped),
            events=joined(systems, earned, judged),
            notices=tuple(dict.fromkeys(str(notice) for notice in problems.notices)),
        ),
        tuple(scored),
    )


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
    return replace(outcome, result=structs.replace(outcome.result, notices=()))


def _with_case_topic(event: Event, topics: set[str], source: Source) -> Event:
    """Return the event with the topic of its case, since a single topic may have no name."""
    if event.topic in topics:
        return event
    topic = next(iter(topics)) if len(topics) == 1 else event.topic
    return structs.replace(event, topic=topic or source.stem)


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
