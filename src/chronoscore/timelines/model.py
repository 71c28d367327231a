"""A timeline: days in order, each with the sentences that tell what happened."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from operator import itemgetter

from chronoscore.core.sources import odd_character, plain_ends
from chronoscore.elements.time import Time
from chronoscore.elements.time.value import Cell
from chronoscore.errors import DataError

Days = tuple[tuple[Time, tuple[str, ...]], ...]
Extent = tuple[Cell, Cell]
"""The first and the last cell of a time, by the grain of a metric."""


@dataclass(frozen=True, slots=True)
class Timeline:
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

    @classmethod
    def of(cls, days: Mapping[date, Iterable[str]] | Mapping[Time, Iterable[str]]) -> "Timeline":
        """Make a timeline from a mapping of days to sentences."""
        times = {
            day if isinstance(day, Time) else Time.of(day): plain_texts(texts)
            for day, texts in days.items()
        }
        return cls.in_order(sorted(times.items(), key=itemgetter(0)))

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
    def content(self) -> dict[str, object]:
        """The days and their sentences as plain values."""
        return {"days": [*zip(map(_PLAIN_TIMES.get, self.dates), self.texts, strict=True)]}

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
        self._known: dict[int, tuple[object, Time]] = {}

    def get(self, time: Time) -> object:
        """Return the plain value of a time."""
        known = self._known.get(id(time))
        if known is None:
            if len(self._known) >= self._most:
                self._known = {}
            # With the time itself, so that no other object gets its identity.
            known = self._known[id(time)] = _plain_time(time), time
        return known[0]


_PLAIN_TIMES = _PlainTimes(100_000)


def _plain_time(time: Time) -> object:
    """Return the first and the last day, or the text of a time that is not one date of days."""
    if time.is_moment or time.shape != "date" or time.axis == "offset":
        return str(time)
    first, last = time.first, time.last
    known = date.min < first and last < date.max
    return (first.isoformat(), last.isoformat()) if known else str(time)


def plain_texts(sentences: Iterable[str]) -> tuple[str, ...]:
    """Return sentences without blanks around them and with plain line ends, or refuse them."""
    return tuple(
        [_plain(s) if "\r" in s or "\0" in s or not s.isascii() else s.strip() for s in sentences]
    )


def _plain(sentence: str) -> str:
    if odd := odd_character(sentence):
        raise DataError.of(f"the sentence {sentence[:40]!r} {odd}")
    return plain_ends(sentence).strip()


References = tuple[Timeline, ...]
"""The golds that a prediction is compared with at once; most protocols use one at a time."""
