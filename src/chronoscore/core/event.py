"""The event: the one record that all four questions can be asked of, and its file `events.jsonl`.

Each family reads the part it needs: dates and texts make timelines; positions, dates and mentions
make an order; articles and spans make annotations; ids are what people judge.
"""

from pathlib import Path

import msgspec

from chronoscore.core.reading import Reading, odd_character, plain_ends
from chronoscore.core.records import read_records

FeatureValue = str | int | float | bool | None


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that happened, as one system or one gold wrote it down."""

    id: str
    topic: str = ""
    timeline: str = ""
    """Which of a topic's timelines it belongs to, where a topic has more than one gold."""
    date: str | None = None
    """A day, month or year: 2011-01-25, 2011-01 or 2011."""
    text: str = ""
    type: str = ""
    article: str = ""
    span: tuple[int, int] | None = None
    """Where in the article, in characters from 0, the end not included."""
    mentions: tuple[str, ...] = ()
    position: int | None = None
    """Place in the order of the topic from 1; 0 if it is not known."""
    score: float | None = None
    """The system's confidence."""
    features: dict[str, FeatureValue] = {}

    def __post_init__(self) -> None:
        """Keep one kind of line end in the text, which no offset points into."""
        if odd := odd_character(self.text):
            raise ValueError(f"the text of event '{self.id}' {odd}")
        if "\r" in self.text:
            msgspec.structs.force_setattr(self, "text", plain_ends(self.text))


def read_events(path: Path, reading: Reading) -> list[Event]:
    """Read `events.jsonl`; problems and unknown fields are noted in the reading."""
    return [event for _, event in numbered_events(path, reading)]


def numbered_events(path: Path, reading: Reading) -> list[tuple[int, Event]]:
    """Read `events.jsonl` with the line of each event, for those who check it further."""
    events: list[tuple[int, Event]] = []
    first_line: dict[str, int] = {}
    for line, event in read_records(path, Event, reading):
        if not event.id.strip():
            reading.problem("id is empty", path, line)
        elif event.id in first_line:
            reading.problem(
                f"event id '{event.id}' is used twice, first in line {first_line[event.id]}",
                path,
                line,
            )
            continue
        first_line[event.id] = line
        if event.span is not None and not 0 <= event.span[0] <= event.span[1]:
            reading.problem(
                f"span {list(event.span)} is not [start, end) with 0 <= start <= end", path, line
            )
        if event.span is not None and not event.article:
            reading.problem("there is a span but no article that it points into", path, line)
        if event.position is not None and event.position < 0:
            reading.problem(
                f"position is {event.position}, expected 1, 2, ... or 0 for unknown", path, line
            )
        events.append((line, event))
    return events
