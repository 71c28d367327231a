"""The proleptic Gregorian calendar in whole numbers, for any year, in ticks since 1970.

A tick is a microsecond. `datetime` ends at the years 1 and 9999, so that the arithmetic is here:
days are counted by 400-year cycles, and years are astronomical (0 is 1 BC).
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

TICKS: Final[Mapping[str, int]] = {
    "us": 1,
    "ms": 1_000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
    "day": 86_400_000_000,
    "week": 7 * 86_400_000_000,
}
"""The units of fixed length, in ticks."""
MONTHS: Final[Mapping[str, int]] = {
    "month": 1,
    "quarter": 3,
    "half": 6,
    "year": 12,
    "decade": 120,
    "century": 1200,
    "millennium": 12000,
}
"""The units of the calendar, in months."""
DATE_ORDERS: Final = ("dmy", "mdy")
"""The orders in which days and months are written before a year."""
UNITS: Final[Mapping[str, str]] = {
    **{"hour": "h", "minute": "min", "second": "s", "millisecond": "ms", "day": "d", "week": "w"},
}
"""The units of offsets by name, and their signs."""
SIGNS: Final[Mapping[str, int]] = {
    sign: TICKS[name.replace("millisecond", "ms")] for name, sign in UNITS.items()
}
"""The signs of units, and their length in ticks."""
DASHES: Final = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d", "-")
)
"""The dashes that are written for a hyphen or a minus."""
DAY: Final = TICKS["day"]
_MONDAY: Final = 4
"""The first Monday of the axis, 5 January 1970, in days."""
_CYCLE_YEARS, _CYCLE_DAYS = 400, 146_097
_EPOCH: Final = 719_468
"""The days from 1 March of the year 0 to 1 January 1970."""


MONTH_NAMES: Final = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
"""Written out, since those of Python change with the locale."""


class Civil(NamedTuple):
    """A day as year, month and day of the month."""

    year: int
    month: int
    day: int


def day_number(year: int, month: int, day: int) -> int:
    """Count the days since 1970; the day may lie outside its month.

    >>> day_number(1970, 1, 1), day_number(2000, 3, 1), day_number(0, 1, 1)
    (0, 11017, -719528)
    """
    if month <= 2:  # the year begins in March, so that leap days end it
        year -= 1
    cycle, of_cycle = divmod(year, _CYCLE_YEARS)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    days = of_cycle * 365 + of_cycle // 4 - of_cycle // 100 + of_year
    return cycle * _CYCLE_DAYS + days - _EPOCH


def civil(days: int) -> Civil:
    """Return the date of a number of days since 1970.

    >>> civil(11016), civil(-719529)
    (Civil(year=2000, month=2, day=29), Civil(year=-1, month=12, day=31))
    """
    cycle, of_cycle = divmod(days + _EPOCH, _CYCLE_DAYS)
    years = (of_cycle - of_cycle // 1460 + of_cycle // 36_524 - of_cycle // 146_096) // 365
    of_year = of_cycle - (365 * years + years // 4 - years // 100)
    march_month = (5 * of_year + 2) // 153
    day = of_year - (153 * march_month + 2) // 5 + 1
    month = march_month + 3 if march_month < 10 else march_month - 9
    return Civil(cycle * _CYCLE_YEARS + years + (month <= 2), month, day)


def month_begin(month: int) -> int:
    """Return the tick at which a month begins, counted from January of the year 0.

    >>> month_begin(1970 * 12) == 0, month_begin(1970 * 12 + 1) == 31 * DAY
    (True, True)
    """
    return day_number(month // 12, month % 12 + 1, 1) * DAY


def month_at(tick: int) -> int:
    """Return the month that holds a tick, counted from January of the year 0."""
    year, month, _ = civil(tick // DAY)
    return year * 12 + month - 1


def days_in_month(year: int, month: int) -> int:
    """Return the length of a month.

    >>> days_in_month(1900, 2), days_in_month(2000, 2), days_in_month(-4, 2)
    (28, 29, 29)
    """
    index = year * 12 + month
    return (month_begin(index) - month_begin(index - 1)) // DAY


def week_begin(year: int, week: int) -> int:
    """Return the day on which an ISO week begins: week 1 is the one that holds 4 January.

    >>> civil(week_begin(2009, 1))
    Civil(year=2008, month=12, day=29)
    """
    fourth = day_number(year, 1, 4)
    return fourth - (fourth - _MONDAY) % 7 + 7 * (week - 1)


def weeks_in_year(year: int) -> int:
    """Return the number of ISO weeks of a year, 52 or 53.

    >>> weeks_in_year(2008), weeks_in_year(2009)
    (52, 53)
    """
    return (week_begin(year + 1, 1) - week_begin(year, 1)) // 7


def iso_week(days: int) -> tuple[int, int]:
    """Return the ISO year and week that hold a day.

    >>> iso_week(day_number(2008, 12, 29))
    (2009, 1)
    """
    year = civil(days).year + 1
    while days < week_begin(year, 1):
        year -= 1
    return year, (days - week_begin(year, 1)) // 7 + 1


class Grain(NamedTuple):
    """Cells of one size: which cell holds a tick, and where a cell begins."""

    cell: Callable[[int], int]
    begin: Callable[[int], int]


def _fixed(ticks: int) -> Grain:
    return Grain(lambda tick: tick // ticks, lambda cell: cell * ticks)


def _calendar(months: int) -> Grain:
    return Grain(lambda tick: month_at(tick) // months, lambda cell: month_begin(cell * months))


_BEFORE_MONDAY: Final = (7 - _MONDAY) * DAY
GRAINS: Final[Mapping[str, Grain]] = {
    "tick": _fixed(1),
    **{name: _fixed(TICKS[name]) for name in ("second", "minute", "hour", "day")},
    "week": Grain(
        lambda tick: (tick + _BEFORE_MONDAY) // TICKS["week"],
        lambda cell: cell * TICKS["week"] - _BEFORE_MONDAY,
    ),
    **{name: _calendar(months) for name, months in MONTHS.items() if name != "millennium"},
}
"""The grains by which times are compared, from the finest to the coarsest; weeks begin on Monday.
"""
WEEKS_FROM_ZERO: Final = _fixed(TICKS["week"])
"""The weeks of offsets, which have no Mondays."""
BELOW_DAY: Final = frozenset(("tick", "second", "minute", "hour"))
"""The grains for which both sides are moved to UTC."""
