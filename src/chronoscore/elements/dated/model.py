"""A timeline: days in order, each with the sentences that tell what happened."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from itertools import chain
from operator import itemgetter
from threading import Lock
from typing import Any

import msgspec

from chronoscore.core.sources import odd_character, plain_ends
from chronoscore.elements.time import Time
from chronoscore.elements.time.value import Extent
from chronoscore.errors import DataError

Days = tuple[tuple[Time, tuple[str, ...]], ...]


class DatedEvent(msgspec.Struct, frozen=True):
    """An event as a file of events has it: a time, or none, a text, and what else is said of it."""

    time: Time | None
    text: str
    id: str = ""
    facts: tuple[str, ...] = ()
    facts_by: str = ""
    weight: float | None = None
    labels: tuple[str, ...] = ()
    article: str = ""
    system: str = ""
    """Whose prediction it is, or that it is of the gold, where there are verdicts."""

    @property
    def content(self) -> list[object]:
        """Everything that a score may depend on, as plain values.

        The id is none of it, unless there are verdicts, which name events.
        """
        time = None if self.time is None else str(self.time)
        named = (self.id, self.system) if self.system else ()
        return [time, self.text, self.facts, self.facts_by, self.weight, self.labels, *named]


class Timeline(msgspec.Struct, frozen=True):
    """Days in ascending order, each once. A day without sentences is still a day.

    A day may be any time: a month where the source does not name the day, or an hour.

    >>> from datetime import date
    >>> timeline = Timeline.of({date(2011, 2, 11): ["Mubarak resigns."]})
    >>> [str(day) for day in timeline.dates]
    ['2011-02-11']
    """

    dates: tuple[Time, ...] = ()
    """The days, ascending."""
    texts: tuple[tuple[str, ...], ...] = ()
    """The sentences of each day."""
    events: tuple[DatedEvent, ...] = ()
    """The events behind it, dated or not, where the file has events and the reader keeps them."""
    undated: tuple[str, ...] = ()
    """Texts without a date that are no such events, where the reader keeps them."""

    @classmethod
    def of(cls, days: Mapping[date, Iterable[str]] | Mapping[Time, Iterable[str]]) -> "Timeline":
        """Make a timeline from a mapping of days to sentences."""
        times = [day if isinstance(day, Time) else Time.of(day) for day in days]
        by_day = dict(zip(times, plain_texts(days.values()), strict=True))
        return cls.in_order(sorted(by_day.items(), key=itemgetter(0)))

    @classmethod
    def in_order(cls, days: Iterable[tuple[Time, tuple[str, ...]]]) -> "Timeline":
        """Make a timeline from days in ascending order, each once."""
        dates, texts = tuple(zip(*days, strict=True)) or ((), ())
        return cls(dates, texts)

    @property
    def days(self) -> Days:
        """The days with their sentences."""
        return tuple(zip(self.dates, self.texts, strict=True))

    @property
    def content(self) -> dict[str, Any]:
        """The days and their sentences as plain values, and the events if they are kept."""
        days = {"days": [*zip(_PLAIN_TIMES.of(self.dates), self.texts)]}  # noqa: B905 - as long
        if not self.events and not self.undated:
            return days
        return {**days, "events": [one.content for one in self.events], "undated": self.undated}

    def merged(self, grain: str = "day", zone: int = 0) -> "tuple[Timeline, list[Extent]]":
        """Merge the entries that cover the same cells of a grain; return their extents as well.

        Entries are in order of their extents. A timeline of plain days has nothing to merge by the
        day, and is returned itself.

        >>> days = {Time.parse(f"2011-02-{day}"): [f"Day {day}."] for day in ("03", "11")}
        >>> timeline, extents = Timeline.of(days).merged("month")
        >>> [(str(day), texts) for day, texts in timeline.days], extents
        ([('2011-02', ('Day 03.', 'Day 11.'))], [(24133, 24133)])
        """
        extents = [day.cells(grain, zone) for day in self.dates]
        distinct = sorted(set(extents))
        if distinct == extents:
            return self, extents
        times: dict[Extent, list[Time]] = {extent: [] for extent in distinct}
        sentences: dict[Extent, list[str]] = {extent: [] for extent in distinct}
        for extent, (day, texts) in zip(extents, self.days, strict=True):
            times[extent].append(day)
            sentences[extent] += texts
        return Timeline(
            tuple(common(times[extent], grain, zone) for extent in distinct),
            tuple(tuple(sentences[extent]) for extent in distinct),
        ), distinct


def common(times: Sequence[Time], grain: str, zone: int) -> Time:
    """Return the time that stands for all times of one extent: if they differ, its cells.

    >>> str(common([Time.parse("2011-02-03"), Time.parse("2011-02-11")], "month", 0))
    '2011-02'
    """
    first = times[0]
    if len(times) == 1 or all(time == first for time in times):
        return first
    truncated = first.truncate(grain)
    # The cells of a grain below a day begin by UTC, which some zones don't share.
    return truncated if truncated.cells(grain, zone) == first.cells(grain, zone) else first


class _PlainTimes:
    """The plain values of times that were met, by identity: readers give equal dates one object."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._values: dict[int, object] = {}
        self._times: list[Time] = []  # as long as they are here, no other object has their identity

    def of(self, times: Sequence[Time]) -> list[object]:
        """Return the plain values of times."""
        values = [*map(self._values.get, map(id, times))]
        if all(values):
            return values
        with self._lock:
            if len(self._times) >= self._most:
                self._values, self._times = {}, []
            new = {id(time): time for time in times if id(time) not in self._values}
            self._times += new.values()
            self._values |= {identity: _plain_time(time) for identity, time in new.items()}
            return [self._values[id(time)] for time in times]


_PLAIN_TIMES = _PlainTimes(200_000)


def _plain_time(time: Time) -> object:
    """Return the first and the last day, or the text of a time that is not one date of days."""
    if time.is_moment or time.shape != "date" or time.axis == "offset":
        return str(time)
    first, last = time.first, time.last
    known = date.min < first and last < date.max
    return (first.isoformat(), last.isoformat()) if known else str(time)


def plain_texts(days: Iterable[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    """Return sentences without blanks around them and with plain line ends, or refuse them."""
    texts = tuple(map(tuple, days))
    sentences = [*chain.from_iterable(texts)]
    every = "".join(sentences)
    usual = "\r" not in every and not odd_character(every)
    if usual and [*map(str.strip, sentences)] == sentences:
        return texts
    return tuple(tuple(map(_plain, day)) for day in texts)


def _plain(sentence: str) -> str:
    if odd := odd_character(sentence):
        raise DataError.of(f"the sentence {sentence[:40]!r} {odd}")
    return plain_ends(sentence).strip()


References = tuple[Timeline, ...]
"""The golds that a prediction is compared with at once; most protocols use one at a time."""
