"""Ask every question that the events permit, and join the answers by event."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from chronoscore import families
from chronoscore.core.event import Event, read_events
from chronoscore.core.reading import Reading
from chronoscore.engines.chance import Chance
from chronoscore.engines.files import copy_notices
from chronoscore.engines.scoring import Scored, score
from chronoscore.engines.settings import Settings
from chronoscore.evaluation.document import Evaluation, Skipped
from chronoscore.evaluation.joining import Earned, credits_of, joined, judged_events
from chronoscore.evaluation.projections import PROJECTIONS, permitted
from chronoscore.rubric.codebook import Codebook, event_quality
from chronoscore.rubric.family import read_cases as read_judged
from chronoscore.rubric.family import rubric_family


@dataclass(frozen=True)
class Evaluated:
    """The document, and the matches and texts behind each of its results."""

    document: Evaluation
    scored: tuple[Scored, ...]


def evaluate(
    gold: Path,
    predictions: Mapping[str, Path],
    reading: Reading,
    *,
    judgements: Sequence[Path] = (),
    codebook: Codebook | None = None,
    chance: Chance | None = None,
    only: Sequence[str] = (),
) -> Evaluated:
    """Score events.jsonl files in every family that they permit; `judgements` are the sheets.

    Each family reads the files as its own verb does, so the numbers are the same.
    """
    quiet = Reading(encoding=reading.encoding, max_line=reading.max_line, lenient=reading.lenient)
    quiet.names = reading.names
    golds = read_events(gold, quiet)
    systems = {name: read_events(path, quiet) for name, path in predictions.items()}
    quiet.check()
    book = codebook or event_quality()
    scored: list[Scored] = []
    skipped: list[Skipped] = []
    earned: list[Earned] = []
    everything = [event for events in systems.values() for event in events]
    refused = dict(permitted(golds, everything))
    for projection in PROJECTIONS:
        name = projection.family
        if only and name not in only:
            refused[name] = "it was not asked for"
        if refused[name]:
            skipped.append(Skipped(name, refused[name]))
            continue
        settings = Settings.make(families.family(name), chance=chance)
        cases = families.reader(name)(gold, predictions, reading, settings.options)
        if settings.family.doubt is not None:
            settings.family.doubt(settings.metrics, cases, reading, ())
        reading.check()
        for text in copy_notices(settings, reading.counts):
            reading.notice(f"{name}: {text}")
        reading.counts.clear()  # the next family counts its own cases
        answer = score(settings, cases, explain=True)
        scored.append(answer)
        topics = {event.topic for event in golds}
        owners = {
            system: projection.owners(
                _placed(event, topics, predictions[system])
                for event in events
                if projection.fits(event)
            )
            for system, events in systems.items()
        }
        earned.append(credits_of(answer.result, answer.matches, projection, owners))
    judged = {}
    if judgements and not (only and "rubric" not in only):
        batches = read_judged(judgements, reading, codebook=book)
        reading.check()
        settings = Settings.make(rubric_family(book), chance=chance)
        scored.append(score(settings, batches, explain=True))
        said = [one for batch in batches.values() for one in batch.columns]
        judged = judged_events(said, book)
        _notice_strangers(judged, systems, reading)
    else:
        reason = "it was not asked for" if judgements else "no judgements were given"
        skipped.append(Skipped("rubric", reason))
    return Evaluated(
        Evaluation(
            results=tuple(answer.result for answer in scored),
            skipped=tuple(skipped),
            events=joined(systems, earned, judged),
            notices=tuple(dict.fromkeys(str(notice) for notice in reading.notices)),
        ),
        tuple(scored),
    )


def _placed(event: Event, topics: set[str], path: Path) -> Event:
    """The event under the topic that its case has: an only topic may have no name."""
    if event.topic in topics:
        return event
    only = next(iter(topics)) if len(topics) == 1 else event.topic
    return msgspec.structs.replace(event, topic=only or path.stem)


def _notice_strangers(
    judged: Mapping[tuple[str, str], object],
    systems: Mapping[str, Sequence[Event]],
    reading: Reading,
) -> None:
    """Say which judgements are of events that no system here has."""
    known = {(system, event.id) for system, events in systems.items() for event in events}
    known |= {("", event) for _, event in known}
    strange = sorted(
        f"{event} of {system or 'no system'}" for system, event in judged.keys() - known
    )
    if strange:
        reading.notice(
            f"{len(strange)} judged events are in none of the predictions, first {strange[0]}"
        )
