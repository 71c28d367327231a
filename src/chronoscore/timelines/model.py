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

    days: Days = ()

    @classmethod
    def of(cls, days: Mapping[date, Iterable[str]] | Mapping[Time, Iterable[str]]) -> "Timeline":
        """Make a timeline from a mapping of days to sentences."""
        times = {
            day if isinstance(day, Time) else Time.of(day): tuple(map(_plain, texts))
            for day, texts in days.items()
        }
        return cls(tuple(sorted(times.items(), key=itemgetter(0))))

    @property
    def content(self) -> dict[str, object]:
        """The days and their sentences as plain values."""
        return {"days": [(_plain_time(day), texts) for day, texts in self.days]}

    @property
    def dates(self) -> tuple[Time, ...]:
        """The days, ascending."""
        return tuple(day for day, _ in self.days)

    def merged(self, grain: str = "day", zone: int = 0) -> "tuple[Timeline, list[Extent]]":
        """Merge the entries that cover the same cells of a grain; return their extents as well.

        Entries are in order of their extents. A timeline of plain days has nothing to merge by the
        day, and is returned itself.

        >>> days = {Time.parse(f"2011-02-{day}"): [f"Day {day}."] for day in ("03", "11")}
        >>> timeline, extents = Timeline.of(days).merged("month")
        >>> [(str(day), texts) for day, texts in timeline.days], extents
        ([('2011-02', ('Day 03.', 'Day 11.'))], [(24133, 24133)])
        """
        extents = [day.cells(grain, zone) for day, _ in self.days]
        distinct = sorted(set(extents))
        if distinct == extents:
            return self, extents
        times: dict[Extent, list[Time]] = {extent: [] for extent in distinct}
        sentences: dict[Extent, list[str]] = {extent: [] for extent in distinct}
        for extent, (day, texts) in zip(extents, self.days, strict=True):
            times[extent].append(day)
            sentences[extent] += texts
        return Timeline(
            tuple((common(times[e], grain, zone), tuple(sentences[e])) for e in distinct)
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


def _plain_time(time: Time) -> object:
    """Return the first and the last day, or the text of a time that is not one date of days."""
    if time.is_moment or time.shape != "date" or time.axis == "offset":
        return str(time)
    first, last = time.first, time.last
    known = date.min < first and last < date.max
    return (first.isoformat(), last.isoformat()) if known else str(time)


def _plain(sentence: str) -> str:
    if odd := odd_character(sentence):
        raise DataError.of(f"the sentence {sentence[:40]!r} {odd}")
    return plain_ends(sentence).strip()


References = tuple[Timeline, ...]
"""The golds that a prediction is compared with at once; most protocols use one at a time."""
