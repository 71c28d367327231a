"""Events of a timeline: records of a file of events, or sentences, entries or days of other files.

Both sides are sorted before anything is compared, so that the order of a file changes nothing.
"""

from collections.abc import Iterable, Sequence
from math import inf

from msgspec import structs

from chronoscore.elements.dated.model import DatedEvent, Timeline
from chronoscore.elements.text.sentences import sentences_of_day
from chronoscore.elements.time import Time

UNITS = ("sentence", "day", "entry")
"""What an event is in a file that has days, the default first."""


def events_of(timeline: Timeline, unit: str) -> tuple[DatedEvent, ...]:
    """Return the events of a timeline, sorted; those without a date come last.

    A record of a file of events is an event. In other files the entries of a day are joined and
    cut into sentences (`sentences.1`), so that it does not matter how the file divides a day;
    `unit="entry"` takes entries as they are, and `unit="day"` takes all texts of a day for one
    event, also those of records.

    >>> days = {Time.parse("2011-02-11"): ["Mubarak resigns. Crowds cheer.", "Tanks leave."]}
    >>> [event.text for event in events_of(Timeline.of(days), "sentence")]
    ['Crowds cheer.', 'Mubarak resigns.', 'Tanks leave.']
    """
    if unit == "day":
        events = [*_joined(timeline)]
    elif timeline.events:
        events = [*timeline.events]
    else:
        cut = sentences_of_day if unit == "sentence" else _told
        events = [DatedEvent(day, text) for day, texts in timeline.days for text in cut(texts)]
    events += (DatedEvent(None, text) for text in timeline.undated if text)
    return tuple(sorted(events, key=order))


def order(event: DatedEvent) -> tuple[bool, float, float, str, tuple[str, ...]]:
    """Return the place of an event among others: by time, then by text and facts."""
    time = event.time
    begin = -inf if time is None or time.begin is None else time.begin
    end = inf if time is None or time.end is None else time.end
    return time is None, begin, end, event.text, event.facts


def _told(texts: Iterable[str]) -> list[str]:
    return [text for text in texts if text]


def _joined(timeline: Timeline) -> Iterable[DatedEvent]:
    """Yield one event for each day, and events without a date as they are."""
    if not timeline.events:
        for day, texts in timeline.days:
            if told := _told(texts):
                yield DatedEvent(day, " ".join(told))
        return
    by_day: dict[Time, list[DatedEvent]] = {}
    for event in sorted(timeline.events, key=order):
        if event.time is None:
            yield event
        else:
            by_day.setdefault(event.time, []).append(event)
    for several in by_day.values():
        yield several[0] if len(several) == 1 else _united(several)


def _united(events: Sequence[DatedEvent]) -> DatedEvent:
    """Join the events of a day; their ids are joined as well, since people judge by id."""
    weights = [event.weight for event in events if event.weight is not None]
    return structs.replace(
        events[0],
        text=" ".join(_told(event.text for event in events)),
        id="+".join(event.id for event in events if event.id),
        facts=tuple(fact for event in events for fact in event.facts),
        weight=sum(weights) if weights else None,
        labels=tuple(sorted({label for event in events for label in event.labels})),
    )


def names_of(events: Sequence[DatedEvent]) -> list[str]:
    """Name each event by its id, or by its date and, if that is taken, a number.

    >>> names_of([DatedEvent(Time.parse("2011-02-11"), text) for text in ("One.", "Two.")])
    ['2011-02-11', '2011-02-11 (2)']
    """
    names: list[str] = []
    used: dict[str, int] = {}
    for event in events:
        name = event.id or ("undated" if event.time is None else str(event.time))
        used[name] = used.get(name, 0) + 1
        names.append(name if used[name] == 1 else f"{name} ({used[name]})")
    return names
