"""The files that a project of pairs is drawn from: golds and predictions."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from msgspec.structs import replace

from chronoscore.core.event import Event, numbered_events
from chronoscore.core.problems import Problems
from chronoscore.core.sources import FileSource, Source
from chronoscore.elements.dated.values import dated_event
from chronoscore.elements.text import language_code
from chronoscore.elements.time import Time, TimeError
from chronoscore.errors import UsageError
from chronoscore.workbench.project_files import check_ids, upload_sources
from chronoscore.workbench.security import Upload

if TYPE_CHECKING:
    from chronoscore.elements.dated.model import DatedEvent
    from chronoscore.events.pair_sample import CandidateTable


@dataclass(eq=False)
class PairContent:
    """Collects the events of golds and of systems, and reports what can't be judged."""

    problems: Problems = field(default_factory=Problems)
    golds: "dict[str, dict[str, list[DatedEvent]]]" = field(default_factory=dict)
    """Events by topic and then by the name of a timeline."""
    systems: "dict[str, dict[str, list[DatedEvent]]]" = field(default_factory=dict)
    """Events by system and then by topic."""
    languages: dict[str, str] = field(default_factory=dict)
    """The language of each topic, as its golds name it."""
    places: dict[tuple[str, str], FileSource] = field(default_factory=dict)
    """The first file that has a gold event, by topic and id."""

    def add_gold(self, source: FileSource, number: int) -> None:
        """Read a file of gold events; `number` tells it from other files of the same name."""
        for line, event in numbered_events(source, self.problems):
            timeline = f"{source.path.stem} {number} {event.timeline}"
            dated = _read(event, source, line, self.problems)
            self.golds.setdefault(event.topic, {}).setdefault(timeline, []).append(dated)
            if event.language:
                self.languages[event.topic] = _language(event, source, line, self.problems)
            first = self.places.setdefault((event.topic, event.id), source)
            if first is not source:
                self.problems.problem(
                    f"the id '{event.id}' is also in another gold, {first.name}, for the same "
                    "topic: a verdict could not say which of the two is meant; rename one",
                    source,
                    line,
                )

    def add_system(self, source: FileSource) -> None:
        """Read a file of predicted events, whose name is that of its system."""
        system = source.path.stem
        if system in self.systems:
            self.problems.problem(f"two files of events are named '{system}': rename one of them")
        by_topic = self.systems.setdefault(system, {})
        for line, event in numbered_events(source, self.problems):
            dated = _read(event, source, line, self.problems)
            by_topic.setdefault(event.topic, []).append(dated)


def read_candidates(uploads: Sequence[Upload]) -> "list[CandidateTable]":
    """Read golds and predictions, and set every gold beside every system, or raise all problems."""
    from chronoscore.events.pair_sample import CandidateTable  # noqa: PLC0415 - large, and seldom used

    content = PairContent()
    with TemporaryDirectory(prefix="chronoscore-") as folder:
        sources = upload_sources(Path(folder), uploads)
        for number, ((kind, _, _), source) in enumerate(zip(uploads, sources, strict=True)):
            if kind == "gold":
                content.add_gold(source, number)
            elif kind == "events":
                content.add_system(source)
    if not content.golds:
        content.problems.problem("choose at least one file of gold events")
    if not content.systems:
        content.problems.problem("choose at least one file of predicted events")
    content.problems.check()
    return [
        CandidateTable(
            system,
            topic,
            gold_name,
            tuple(predicted[topic]),
            tuple(gold),
            content.languages.get(topic, ""),
        )
        for system, predicted in content.systems.items()
        for topic, by_name in content.golds.items()
        if topic in predicted
        for gold_name, gold in by_name.items()
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
