"""The files that a project of pairs is drawn from: golds and predictions."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from msgspec.structs import replace

from chronoscore.core.event import Event, numbered_events
from chronoscore.core.problems import Problems
from chronoscore.core.sources import Source
from chronoscore.elements.dated.values import dated_event
from chronoscore.elements.text import language_code
from chronoscore.elements.time import Time, TimeError
from chronoscore.errors import UsageError
from chronoscore.workbench.project_files import check_ids, upload_sources
from chronoscore.workbench.security import Upload

if TYPE_CHECKING:
    from chronoscore.elements.dated.model import DatedEvent
    from chronoscore.events.pair_sample import CandidateTable

ByTopic = dict[str, dict[str, "list[DatedEvent]"]]
"""Events by topic and then by the name of a timeline."""


def read_tables(uploads: Sequence[Upload]) -> "list[CandidateTable]":
    """Read golds and predictions, and set every gold beside every system, or raise all problems."""
    from chronoscore.events.pair_sample import CandidateTable  # noqa: PLC0415 - large, and seldom used

    problems = Problems()
    golds: ByTopic = {}
    systems: dict[str, ByTopic] = {}
    languages: dict[str, str] = {}
    places: dict[tuple[str, str], tuple[int, str]] = {}
    with TemporaryDirectory(prefix="chronoscore-") as folder:
        sources = upload_sources(Path(folder), uploads)
        for number, ((kind, _, _), source) in enumerate(zip(uploads, sources, strict=True)):
            if kind not in ("gold", "events"):
                continue
            is_gold, name = kind == "gold", source.path.stem
            if not is_gold and name in systems:
                problems.problem(f"two files of events are named '{name}': rename one of them")
            by_topic = golds if is_gold else systems.setdefault(name, {})
            for line, event in numbered_events(source, problems):
                dated = _read(event, source, line, problems)
                timeline = f"{name} {number} {event.timeline}" if is_gold else ""
                by_topic.setdefault(event.topic, {}).setdefault(timeline, []).append(dated)
                if not is_gold:
                    continue
                if event.language:
                    languages[event.topic] = _language(event, source, line, problems)
                first = places.setdefault((event.topic, event.id), (number, source.name))
                if first[0] != number:
                    problems.problem(
                        f"the id '{event.id}' is also in another gold, {first[1]}, for the same "
                        "topic: a verdict could not say which of the two is meant; rename one",
                        source,
                        line,
                    )
    if not golds:
        problems.problem("choose at least one file of gold events")
    if not systems:
        problems.problem("choose at least one file of predicted events")
    problems.check()
    return [
        CandidateTable(
            system,
            topic,
            gold_name,
            tuple(predicted[topic][""]),
            tuple(gold),
            languages.get(topic, ""),
        )
        for system, predicted in systems.items()
        for topic, named in golds.items()
        if topic in predicted
        for gold_name, gold in named.items()
    ]


def _read(event: Event, source: Source, line: int, problems: Problems) -> "DatedEvent":
    """Read what is compared of an event, and report what people could not judge."""
    check_ids(event, source, problems, line)
    if not event.text.strip():
        problems.problem("text is empty: there is nothing to judge", source, line)
    time = None
    try:
        time = Time.parse(event.date) if event.date else None
    except TimeError as error:
        problems.problem(f"date '{event.date}': {error}", source, line)
    return replace(dated_event(event), time=time)


def _language(event: Event, source: Source, line: int, problems: Problems) -> str:
    try:
        return language_code(event.language)
    except UsageError as error:
        problems.problem(str(error), source, line)
        return ""
