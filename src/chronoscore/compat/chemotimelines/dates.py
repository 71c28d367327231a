"""Dates as the original reads them: what a timex leaves out comes from the day of the run."""

import re
from calendar import monthrange
from datetime import date, time, timedelta
from functools import lru_cache
from typing import Final, NamedTuple

Moment = tuple[int, int, int, int]
"""Year, month, day and second of the day."""

TODAY: Final = date(2024, 3, 15)
_EXPECTED: Final = "expected YYYY-MM-DD, YYYY-MM, YYYY, YYYY-Www or YYYY-MM-DDtHH:MM"
_DATE = re.compile(
    r"([0-9]{4})(?:-([0-9]{1,2})(?:-([0-9]{1,2})"
    r"(?:[Tt ]([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?)?)?)?"
)
_WEEK = re.compile(r"([0-9]{4})-[Ww](5[0-3]|[0-4][0-9]|[0-9])")
_DAY_OF_WEEK = re.compile(r"[0-9]{4}-[Ww][0-9]{1,2}-[0-9]+")
_LONGEST_TIMEX: Final = 60
_FIRST_YEAR: Final = 1000
_SHORTEST_MONTH: Final = 28


class PartialDate(NamedTuple):
    """A date as written: without its day, or without month and day, where a timex has none."""

    year: int
    month: int | None = None
    day: int | None = None
    second: int = 0

    def on(self, today: date) -> Moment:
        """Fill what is missing from today, the day cut to the length of the month.

        >>> PartialDate(2013, 2).on(date(2024, 1, 31))
        (2013, 2, 28, 0)
        """
        month = today.month if self.month is None else self.month
        day = self.day
        if day is None:
            day = today.day
            if day > _SHORTEST_MONTH:
                day = min(day, monthrange(self.year, month)[1])
        return self.year, month, day, self.second


@lru_cache(maxsize=1 << 16)
def read_timex(timex: str) -> PartialDate:
    """Read a timex as the original does, or refuse it with a `ValueError` that says why.

    Week 1 begins on the first Monday of the year, in most years a week later than in ISO 8601;
    week 0 begins on the Monday before it, or on 1 January where that is a Monday.

    >>> read_timex("2013-w05")[:3], read_timex("2020-W53")[:3], read_timex("2013-4")[:3]
    ((2013, 2, 4), (2021, 1, 4), (2013, 4, None))
    """
    week = _WEEK.fullmatch(timex)
    found = week or _DATE.fullmatch(timex)
    if found is None:
        if _DAY_OF_WEEK.fullmatch(timex):
            raise ValueError(f"'{timex}' is a day of a week, which the original can't read")
        raise ValueError(f"'{timex[:_LONGEST_TIMEX]}' is not a date that is read, {_EXPECTED}")
    try:
        read = _monday(*map(int, found.groups())) if week else _partial_date(found)
    except (ValueError, OverflowError):
        raise ValueError(f"'{timex}' is not in the calendar") from None
    # The original writes the month of an early date as 999-04, and may not read that again.
    if read.year < _FIRST_YEAR:
        raise ValueError(f"'{timex}' is before the year {_FIRST_YEAR}, expected a later date")
    return read


def _monday(year: int, week: int) -> PartialDate:
    first = date(year, 1, 1)
    weeks = week - 1 if first.weekday() == 0 and week else week
    monday = first + timedelta(weeks * 7 - first.weekday())
    return PartialDate(monday.year, monday.month, monday.day)


def _partial_date(found: re.Match[str]) -> PartialDate:
    parts = (None if part is None else int(part) for part in found.groups())
    year, month, day, hour, minute, second = parts
    assert year is not None
    date(year, 1 if month is None else month, 1 if day is None else day)
    moment = time(hour or 0, minute or 0, second or 0)
    return PartialDate(year, month, day, (moment.hour * 60 + moment.minute) * 60 + moment.second)


@lru_cache(maxsize=1 << 12)
def is_odd_week(timex: str, *, months: bool) -> bool:
    """Whether a week is another one in ISO 8601, or touches two months where `months` count.

    >>> [is_odd_week(text, months=True) for text in ("2013-W05", "2024-W05", "2024-W06", "2024")]
    [True, True, False, False]
    """
    found = _WEEK.fullmatch(timex)
    if not found:
        return False
    try:
        monday = date.fromisocalendar(int(found[1]), int(found[2]), 1)
        sunday = monday + timedelta(6)
    except (ValueError, OverflowError):
        return True
    if read_timex(timex)[:3] != (monday.year, monday.month, monday.day):
        return True
    return months and monday.month != sunday.month
