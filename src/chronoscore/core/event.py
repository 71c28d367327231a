"""The event: the record that all families read, and its file `events.jsonl`.

Each family reads the fields it needs: dates and texts make timelines; texts, dates and facts are
what matched events are compared by; positions, dates and mentions make an order; articles and spans
make annotations; ids are what people judge.
"""

from collections.abc import Iterator

import msgspec

from chronoscore.core.problems import Problems
from chronoscore.core.records import read_records
from chronoscore.core.sources import Source, odd_character, plain_ends

FeatureValue = str | int | float | bool | None


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that happened, as one system or one gold wrote it down.

    >>> from chronoscore import score
    >>> event = Event(id="e1", topic="egypt", date="2011-02-11", text="Mubarak resigns.")
    >>> float(score("timelines", [event], [event])["Date-F1"])
    1.0
    """

    id: str
    topic: str = ""
    timeline: str = ""
    """Which of a topic's timelines it belongs to, where a topic has more than one gold."""
    date: str | None = None
    """A time: 2011-01-25, 2011-01, 2011, 2011-01-25T13:45, 2011-W04, 2011-01/2011-03."""
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
    facts: tuple[str, ...] = ()
    """Sentences that each state one thing of what the text says, and that stand alone."""
    facts_by: str = ""
    """Who made the facts: MODEL@DIGEST; empty if they came with the data."""
    weight: float | None = None
    """How much a gold event matters; above 0."""
    labels: tuple[str, ...] = ()
    """What else is said of it, such as the relation to its time: begins-on, ends-on, contains-1."""
    language: str = ""
    """The language of its topic, as a code such as es or zh-Hant."""
    features: dict[str, FeatureValue] = {}

    def __post_init__(self) -> None:
        """Normalise the line ends of texts, which no offset points into."""
        for words in (self.text, *self.facts):
            if reason := odd_character(words):
                raise ValueError(f"the text of event '{self.id}' {reason}")
        if "\r" in self.text:
            msgspec.structs.force_setattr(self, "text", plain_ends(self.text))
        if any("\r" in fact for fact in self.facts):
            msgspec.structs.force_setattr(self, "facts", tuple(map(plain_ends, self.facts)))


def read_events(source: Source, problems: Problems) -> list[Event]:
    """Read `events.jsonl`; problems and unknown fields are reported."""
    return [event for _, event in numbered_events(source, problems)]


def numbered_events(source: Source, problems: Problems) -> list[tuple[int, Event]]:
    """Read `events.jsonl` with the line number of each event, for further checks."""
    events: list[tuple[int, Event]] = []
    first_line: dict[str, int] = {}
    for line, event in read_records(source, Event, problems):
        if not event.id.strip():
            problems.problem("id is empty", source, line)
        elif event.id in first_line:
            problems.problem(
                f"event id '{event.id}' is used twice, first in "
                f"{source.refer(first_line[event.id], line)}",
                source,
                line,
            )
            continue
        first_line[event.id] = line
        for problem in event_problems(event):
            problems.problem(problem, source, line)
        events.append((line, event))
    return events


MOST_OFFSET = 10**12
"""The highest end of a span: a million documents laid end to end must fit into 64 bits."""
MOST_WEIGHT = 1e9
"""The largest weight of an event: sums of weights stay far below what a number can hold."""


def event_problems(event: Event) -> Iterator[str]:
    """Yield what is wrong with the fields of an event, each by itself or with another."""
    if event.span is not None and not 0 <= event.span[0] <= event.span[1]:
        yield f"span {list(event.span)} is not [start, end) with 0 <= start <= end"
    elif event.span is not None and event.span[1] > MOST_OFFSET:
        yield f"span {list(event.span)} ends too far, expected at most at {MOST_OFFSET}"
    if event.span is not None and not event.article:
        yield "there is a span but no article that it points into"
    if event.position is not None and event.position < 0:
        yield f"position is {event.position}, expected 1, 2, ... or 0 for unknown"
    if event.weight is not None and not 0 < event.weight <= MOST_WEIGHT:
        yield f"weight is {event.weight:g}, expected a number above 0, up to {MOST_WEIGHT:g}"
    if blank := [fact for fact in event.facts if not fact.strip()]:
        yield f"{len(blank)} of {len(event.facts)} facts are blank: remove them"
