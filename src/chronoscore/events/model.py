"""Events of a timeline: records of a file of events, or sentences, entries or days of other files.

Both sides are sorted before anything is compared, so that the order of a file changes nothing.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from math import inf

from chronoscore.elements.dated.model import DatedEvent, Timeline
from chronoscore.elements.text.sentences import END_SIGNS, sentences_of_day
from chronoscore.elements.time import Time

UNITS = ("sentence", "day", "entry")
"""What an event is in a file that has days, the default first."""
_MAY_END = re.compile(rf"[{END_SIGNS}\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")


def events_of(timeline: Timeline, unit: str) -> tuple[DatedEvent, ...]:
    """Return the events of a timeline, sorted; those without a date come last.

    A record of a file of events is an event. In other files the entries of a day are joined and
    cut into sentences (`sentences.1`), so that it does not matter how the file divides a day;
    `unit="entry"` takes entries as they are, and `unit="day"` takes all texts of a day for one
    event.

    >>> from chronoscore.elements.time import Time
    >>> days = {Time.parse("2011-02-11"): ["Mubarak resigns. Crowds cheer.", "Tanks leave."]}
    >>> [event.text for event in events_of(Timeline.of(days), "sentence")]
    ['Crowds cheer.', 'Mubarak resigns.', 'Tanks leave.']
    """
    if timeline.events:
        events = [*timeline.events]
    else:
        cut = _CUTS[unit]
        events = [DatedEvent(day, text) for day, texts in timeline.days for text in cut(texts)]
    events += (DatedEvent(None, text) for text in timeline.undated if text)
    return tuple(sorted(events, key=order))


def size_of(timeline: Timeline, *, exactly: bool = False) -> int:
    """Return how many events a timeline has by the unit that makes the most of it.

    Unless it is asked for exactly, no text is cut, and every sign that may end a sentence counts.
    """
    entries = len(timeline.events) or sum(map(len, timeline.texts))
    if timeline.events:
        sentences = 0
    elif exactly:
        sentences = sum(len(sentences_of_day(texts)) for texts in timeline.texts)
    else:
        texts = chain.from_iterable(timeline.texts)
        sentences = entries + sum(len(_MAY_END.findall(text)) for text in texts)
    return max(entries, sentences) + len(timeline.undated)


def order(event: DatedEvent) -> tuple[object, ...]:
    """Return the place of an event among others: by time, then by text and facts.

    What else a score may depend on comes last, so that no two events that differ in any of it
    change places with the lines of a file.
    """
    time = event.time
    begin = -inf if time is None or time.begin is None else time.begin
    end = inf if time is None or time.end is None else time.end
    written = (time.resolution, _zone(time)) if time is not None else ("", 0)
    weight = -1.0 if event.weight is None else event.weight
    return (
        *(time is None, begin, end, event.text, event.facts),
        *(written, event.labels, weight, event.id),
    )


def _zone(time: Time) -> float:
    return -inf if time.zone is None else time.zone


def _not_blank(texts: Iterable[str]) -> list[str]:
    return [text for text in texts if text]


def _joined(texts: Iterable[str]) -> list[str]:
    sentences = _not_blank(texts)
    return [" ".join(sentences)] if sentences else []


_CUTS = {"sentence": sentences_of_day, "day": _joined, "entry": _not_blank}


def names_of(events: Sequence[DatedEvent], timeline: Timeline, unit: str) -> list[str]:
    """Name each event by its id, or by its date and, if that is taken, a number.

    Days and entries are named as such, since one result may have events of several units.

    >>> from chronoscore.elements.time import Time
    >>> timeline = Timeline.of({Time.parse("2011-02-11"): ["One. Two."]})
    >>> [names_of(events_of(timeline, unit), timeline, unit) for unit in ("sentence", "day")]
    [['2011-02-11', '2011-02-11 (2)'], ['2011-02-11 day']]
    """
    names: list[str] = []
    used: dict[str, int] = {}
    suffix = "" if timeline.events or unit == "sentence" else f" {unit}"
    for event in events:
        name = event.id or ("undated" if event.time is None else f"{event.time}{suffix}")
        used[name] = used.get(name, 0) + 1
        names.append(name if used[name] == 1 else f"{name} ({used[name]})")
    return names
