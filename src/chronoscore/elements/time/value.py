"""The one value for time: an extent on an axis, and what was known about it.

Times are compared by a grain, the size of the cells in which distances are counted; it belongs to
the metric and not to the values, since a distance that took its grain from one of them could grow
when that value becomes less exact.
"""

from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import lru_cache, total_ordering
from math import inf
from typing import Final, Literal, NamedTuple, get_args

from chronoscore.elements.time import calendar
from chronoscore.elements.time.calendar import (
    BELOW_DAY,
    DAY,
    GRAINS,
    MONTHS,
    TICKS,
    WEEKS_FROM_ZERO,
)
from chronoscore.errors import UsageError

Shape = Literal["date", "one-of", "span"]
Axis = Literal["calendar", "offset"]
Order = Literal["before", "after", "equal", "overlaps", "vague"]
Dialect = Literal["calendar", "timex3", "offset"]
DIALECTS: Final[tuple[str, ...]] = get_args(Dialect)
Cell = int | float
"""The number of a cell, or an infinity where the time has no bound."""
Extent = tuple[Cell, Cell]
"""The first and the last cell of a time, by the grain of a metric."""

UNBOUNDED: Final = {"": "unknown", "..": "open"}
"""How an end without a bound is written, and what is known of it."""
RESOLUTIONS = (
    *("us", "ms", "second", "minute", "hour", "day", "weekend", "week", "month", "quarter"),
    *("season", "quadrimester", "half", "year", "decade", "century", "millennium"),
)
"""How exactly a time may be written, from the finest to the coarsest."""
_DAY_RESOLUTION = RESOLUTIONS.index("day")


@total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Time:
    """A time as written: a moment, a day, a year, an interval, or an offset from a zero.

    `begin` and `end` are ticks of a microsecond, the end not included: on the calendar since
    1970-01-01T00:00, by the clock as written; on an axis of offsets since its zero. None is an
    end without a bound. Two times are equal if begin, end, zone, shape and axis are.

    >>> month = Time.parse("2011-02")
    >>> month.resolution, month.contains(Time.parse("2011-02-11")), month.gap(Time.parse("2011-03"))
    ('month', True, 1)
    """

    begin: int | None
    end: int | None
    resolution: str
    """Of what was written, one of `RESOLUTIONS`; of an interval that of its coarser end."""
    shape: Shape = "date"
    """A cell of its resolution, one unknown cell within the extent, or something that lasted."""
    zone: int | None = None
    """Minutes east of UTC; None if the text names no zone."""
    qualifier: str = ""
    """`?` uncertain, `~` approximate, `%` both; it never moves an end."""
    open: tuple[str, str] = ("", "")
    """For each end that has no bound: `open` (`..`) or `unknown` (nothing)."""
    part: str = ""
    """The part of the day as TIMEX3 names it (MO, AF, ...): a label, the extent is the day."""
    axis: Axis = "calendar"
    unit: str = ""
    """The unit in which an offset was written; it only matters for writing it again."""

    @classmethod
    def parse(
        cls,
        text: str,
        lenient: bool = False,
        dialect: Dialect = "calendar",
        unit: str | None = None,
        date_order: str | None = None,
    ) -> "Time":
        """Read a time, or refuse it with the reason (`TimeError.kind`).

        `lenient` adds spellings that can be read in one way only. The dialect `timex3` adds those
        of TimeML; `offset` reads numbers of a `unit` (hour, minute, second, millisecond, day,
        week) and nothing of the calendar. `date_order` is dmy or mdy for 25/01/2011.

        >>> str(Time.parse("25 January 2011", lenient=True))
        '2011-01-25'
        >>> Time.parse("72", dialect="offset", unit="hour").begin
        259200000000
        """
        if not isinstance(text, str):
            raise UsageError(f"the time is {text!r:.40}, expected a string")
        if lenient or unit or date_order or dialect != "calendar":
            return _parsed(text, lenient, dialect, unit, date_order)
        return _parsed(text)

    @classmethod
    def of(cls, moment: date) -> "Time":
        """Return the day of a `date`, or the second or microsecond of a `datetime`.

        >>> str(Time.of(date(2011, 1, 25)))
        '2011-01-25'
        """
        begin = (moment.toordinal() - _ORDINAL_1970) * DAY
        if not isinstance(moment, datetime):
            return cls(begin, begin + DAY, "day")
        seconds = (moment.hour * 60 + moment.minute) * 60 + moment.second
        begin += seconds * TICKS["second"] + moment.microsecond
        offset = moment.utcoffset()
        zone = None if offset is None else int(offset.total_seconds()) // 60
        resolution = "us" if moment.microsecond else "second"
        return cls(begin, begin + TICKS[resolution], resolution, zone=zone)

    @property
    def is_day(self) -> bool:
        """Whether it is one known day.

        >>> [Time.parse(text).is_day for text in ("2011-01-25", "2011-01", "2011-01-XX")]
        [True, False, False]
        """
        return self.resolution == "day" and self.shape == "date"

    @property
    def is_moment(self) -> bool:
        """Whether it was written with a time of day.

        >>> Time.parse("2011-01-25T13").is_moment, Time.parse("2011-01-25").is_moment
        (True, False)
        """
        return RESOLUTIONS.index(self.resolution) < _DAY_RESOLUTION

    @property
    def first(self) -> date:
        """The first day as Python knows it; the earliest that it knows if this is before it.

        >>> Time.parse("2011-02").first
        datetime.date(2011, 2, 1)
        """
        return date.min if self.begin is None else _python_date(self.begin)

    @property
    def last(self) -> date:
        """The last day as Python knows it; the latest that it knows if this is after it.

        >>> Time.parse("2011-02").last
        datetime.date(2011, 2, 28)
        """
        return date.max if self.end is None else _python_date(self.end - 1)

    def cells(self, grain: str = "day", zone: int = 0) -> tuple[Cell, Cell]:
        """Return the numbers of the first and the last cell; below a day they are those of UTC.

        `zone` is the zone of times that have none.

        >>> Time.parse("2011-02").cells("month"), Time.parse("1970-01-02/..").cells()
        ((24133, 24133), (1, inf))
        """
        if grain == "day" and self.begin is not None and self.end is not None:  # nearly always
            return self.begin // DAY, (self.end - 1) // DAY
        cell_of = self._grain(grain).cell
        moved = 0
        if grain in BELOW_DAY and self.axis == "calendar":
            moved = (zone if self.zone is None else self.zone) * TICKS["minute"]
        return (
            -inf if self.begin is None else cell_of(self.begin - moved),
            inf if self.end is None else cell_of(self.end - 1 - moved),
        )

    def _grain(self, grain: str) -> calendar.Grain:
        check_grain(grain)
        if self.axis == "offset":
            if grain in MONTHS:
                raise UsageError(f"grain={grain} needs a calendar, and these times are offsets")
            if grain == "week":
                return WEEKS_FROM_ZERO
        return GRAINS[grain]

    def _both(self, other: "Time", grain: str, zone: int) -> tuple[Cell, Cell, Cell, Cell]:
        if self.axis != other.axis:
            raise UsageError(f"{self} and {other} are not on one axis: one is an offset")
        return *self.cells(grain, zone), *other.cells(grain, zone)

    def _apart(self, other: "Time", grain: str, zone: int) -> tuple[int | None, int | None]:
        first, last, other_first, other_last = self._both(other, grain, zone)
        return _distance(first, other_first), _distance(last, other_last)

    def gap(self, other: "Time", grain: str = "day", zone: int = 0) -> int:
        """Count the cells from the end of one to the begin of the other; 0 if they share one.

        >>> Time.parse("2011-01-25").gap(Time.parse("2011-01-26"))
        1
        """
        first, last, other_first, other_last = self._both(other, grain, zone)
        return int(max(0, other_first - last, first - other_last))

    def begin_distance(self, other: "Time", grain: str = "day", zone: int = 0) -> int | None:
        """Count the cells between the begins; None if only one of them has a bound.

        >>> Time.parse("2011-02").begin_distance(Time.parse("2011-02-11"))
        10
        """
        return self._apart(other, grain, zone)[0]

    def end_distance(self, other: "Time", grain: str = "day", zone: int = 0) -> int | None:
        """Count the cells between the ends; None if only one of them has a bound.

        >>> Time.parse("2011-02").end_distance(Time.parse("2011-02-11"))
        17
        """
        return self._apart(other, grain, zone)[1]

    def hausdorff(self, other: "Time", grain: str = "day", zone: int = 0) -> int | None:
        """Return the larger of two distances, of beginnings and of ends: width earns nothing.

        >>> Time.parse("2011-01-25").hausdorff(Time.parse("1900/2100"))
        40566
        """
        begins, ends = self._apart(other, grain, zone)
        return None if begins is None or ends is None else max(begins, ends)

    def ends(self, other: "Time", grain: str = "day", zone: int = 0) -> float | None:
        """Return the mean of the distances of beginnings and ends.

        >>> Time.parse("2011-02").ends(Time.parse("2011-02-11"))
        13.5
        """
        begins, ends = self._apart(other, grain, zone)
        return None if begins is None or ends is None else (begins + ends) / 2

    def overlap(self, other: "Time", grain: str = "day", zone: int = 0) -> float | None:
        """Return the share of common cells in those from the first to the last of both.

        None if an end has no bound, unless the extents are equal.

        >>> Time.parse("2011-01").overlap(Time.parse("2011"))
        0.08493150684931507
        """
        first, last, other_first, other_last = self._both(other, grain, zone)
        if (first, last) == (other_first, other_last):
            return 1.0
        covered = max(last, other_last) - min(first, other_first) + 1
        if covered == inf:
            return None
        return max(0, min(last, other_last) - max(first, other_first) + 1) / covered

    def contains(self, other: "Time", grain: str = "day", zone: int = 0) -> bool:
        """Whether every cell of the other time is one of this.

        >>> Time.parse("2011").contains(Time.parse("2011-02"))
        True
        """
        first, last, other_first, other_last = self._both(other, grain, zone)
        return first <= other_first and other_last <= last

    def equal(self, other: "Time", grain: str = "day", zone: int = 0) -> bool:
        """Whether both have the same cells.

        >>> Time.parse("2013-03-12").equal(Time.parse("2013-03"), "month")
        True
        """
        first, last, other_first, other_last = self._both(other, grain, zone)
        return (first, last) == (other_first, other_last)

    def order(self, other: "Time", grain: str = "day", zone: int = 0) -> Order:
        """Say whether this is before or after the other, equal to it, or overlaps.

        It is vague where a time happened somewhere in several cells, or has an unknown end.

        >>> Time.parse("2011-01-25").order(Time.parse("2011"))
        'vague'
        """
        first, last, other_first, other_last = self._both(other, grain, zone)
        if last < other_first:
            return "before"
        if first > other_last:
            return "after"
        if (first, last) == (other_first, other_last):
            return "equal"
        for time, several in ((self, first != last), (other, other_first != other_last)):
            if "unknown" in time.open or (several and time.shape != "span"):
                return "vague"
        return "overlaps"

    def truncate(self, grain: str = "day") -> "Time":
        """Return the time from the begin of its first cell to the end of its last.

        >>> str(Time.parse("2011-02-11").truncate("month"))
        '2011-02'
        """
        cell, begin = self._grain(grain)
        if grain == "tick":
            return self
        first = None if self.begin is None else cell(self.begin)
        last = None if self.end is None else cell(self.end - 1)
        wide = replace(
            self,
            begin=None if first is None else begin(first),
            end=None if last is None else begin(last + 1),
            resolution=max(grain, self.resolution, key=RESOLUTIONS.index),
            zone=self.zone if grain in BELOW_DAY else None,
        )
        if self.shape == "one-of" and first == last:  # it is known which cell
            return replace(wide, shape="date")
        if self.shape == "date" and first != last and wide._place != self._place:
            return replace(wide, shape="span", resolution=grain)  # as a week in two months
        return wide

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Time) and (
            self is other
            or (self.begin, self.end, self.zone, self.shape, self.axis)
            == (other.begin, other.end, other.zone, other.shape, other.axis)
        )

    def __hash__(self) -> int:
        return hash((self.begin, self.end, self.shape))

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Time):
            return NotImplemented
        place, others = self._place, other._place
        return place < others if place != others else str(self) < str(other)

    @property
    def _place(self) -> tuple[Cell, Cell]:
        """The place in a list of times; of times with the same place, the text decides."""
        return (
            -inf if self.begin is None else self.begin,
            inf if self.end is None else self.end,
        )

    def __str__(self) -> str:
        from chronoscore.elements.time.writing import written  # noqa: PLC0415 - a cycle

        return written(self)


class Reading(NamedTuple):
    """A time, and what is odd about its spelling, if anything."""

    time: Time
    note: str = ""


def iso_day(text: str) -> Time | None:
    """Read YYYY-MM-DD, the spelling of nearly all data; None if it is anything else.

    >>> str(iso_day("2011-01-25")), iso_day("2011-02-30"), iso_day("2011-01-25T13:45")
    ('2011-01-25', None, None)
    """
    if len(text) != len("YYYY-MM-DD") or text[7] != "-":  # fromisoformat knows weeks as well
        return None
    try:
        begin = (date.fromisoformat(text).toordinal() - _ORDINAL_1970) * DAY
    except ValueError:
        return None
    return Time(begin, begin + DAY, "day")


@lru_cache(maxsize=1 << 16)
def _parsed(
    text: str,
    lenient: bool = False,
    dialect: Dialect = "calendar",
    unit: str | None = None,
    date_order: str | None = None,
) -> Time:
    """Read a time; cached, since data repeat the same few thousand days."""
    if dialect == "calendar" and not unit and (day := iso_day(text)):
        return day
    from chronoscore.elements.time.reading import Rules, read_time  # noqa: PLC0415 - a cycle

    return read_time(text, Rules(lenient, dialect, unit or "", date_order or "")).time


def check_grain(grain: str) -> None:
    """Refuse a grain that there is not."""
    if grain not in GRAINS:
        raise UsageError(f"no grain '{grain}'; there are: {', '.join(GRAINS)}")


_ORDINAL_1970 = date(1970, 1, 1).toordinal()


def _python_date(tick: int) -> date:
    ordinal = tick // DAY + _ORDINAL_1970
    return date.fromordinal(min(max(ordinal, date.min.toordinal()), date.max.toordinal()))


def _distance(one: Cell, other: Cell) -> int | None:
    """Return the distance of two cells; 0 if neither has a bound, None if one has none."""
    if one == other:
        return 0
    distance = abs(one - other)
    return None if distance == inf else int(distance)
