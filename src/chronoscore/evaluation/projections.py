"""Which events stand behind the names that each family's matches use."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from chronoscore.core.event import Event
from chronoscore.elements.dates import parse_partial
from chronoscore.ordering.events import names_of
from chronoscore.ordering.model import UNKNOWN_DATE, Row

Name = tuple[str, str]
"""The tag that tells a family's cases apart (a topic, a document), and the name in a match."""
Owners = Mapping[Name, tuple[tuple[str, str], ...]]
"""The ids of events, each with the timeline that it was written for, if it was for one."""


class Projection(NamedTuple):
    """What a family sees of events: which can be asked its question, and their names there."""

    family: str
    tag: str
    """The tag of cases that the names are unique within; empty if they are so everywhere."""
    fits: Callable[[Event], bool]
    needs: str
    """What an event must have, in words."""
    owners: Callable[[Iterable[Event]], Owners]


def _by_day(events: Iterable[Event]) -> Owners:
    """A day of a timeline belongs to all events that are told on it, in equal parts."""
    return _gathered((event.topic, parse_partial(event.date or ""), event) for event in events)


def _by_mention(events: Iterable[Event]) -> Owners:
    """A mention belongs to its event; the second of the same text has a number."""
    placed: dict[tuple[str, str], list[tuple[Row, Event]]] = {}
    for event in events:
        anchor = parse_partial(event.date) if event.date else UNKNOWN_DATE
        row = Row(event.position or 0, anchor, event.mentions)
        placed.setdefault((event.topic, event.timeline), []).append((row, event))
    return _gathered(
        (topic, name, event)
        for (topic, _), rows in placed.items()
        for name, event in names_of(rows)
    )


def _by_id(events: Iterable[Event]) -> Owners:
    return _gathered((event.article, event.id, event) for event in events)


def _gathered(named: Iterable[tuple[str, str, Event]]) -> Owners:
    found: dict[Name, tuple[tuple[str, str], ...]] = {}
    for group, name, event in named:
        found[group, name] = (*found.get((group, name), ()), (event.id, event.timeline))
    return found


PROJECTIONS = (
    Projection(
        "timelines",
        "topic",
        lambda event: event.date is not None and bool(event.text.strip()),
        "a date and a text",
        _by_day,
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
"""Families whose matches speak of events, in the order in which they are asked."""


def permitted(golds: Iterable[Event], predicted: Iterable[Event]) -> Iterator[tuple[str, str]]:
    """For each family, why it can't be asked; empty if it can."""
    sides = {"gold": list(golds), "prediction": list(predicted)}
    for projection in PROJECTIONS:
        fitting = {side: sum(map(projection.fits, events)) for side, events in sides.items()}
        lacking = [
            f"no {side} event has {projection.needs}" for side, n in fitting.items() if not n
        ]
        yield projection.family, " and ".join(lacking)
