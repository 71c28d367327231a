"""Days and periods: a date may be only a month or a year, and missing parts are never invented."""

import re
from calendar import monthrange
from datetime import date
from functools import lru_cache
from typing import NamedTuple

_ISO = re.compile(r"([0-9]{4})(?:-([0-9]{1,2})(?:-([0-9]{1,2}))?)?")
_MIDNIGHT = re.compile(r"[T ]00:00(:00(\.0+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?$")
_MOST_QUOTED = 40
_PARTIAL = "YYYY-MM-DD, YYYY-MM or YYYY"


def parse_day(text: str) -> date:
    """Read a calendar day, or raise a ValueError that explains the problem.

    A midnight time is dropped, since some data sets write days so; other times are refused.

    >>> parse_day("2011-1-5"), parse_day("2011-01-05T00:00:00")
    (datetime.date(2011, 1, 5), datetime.date(2011, 1, 5))
    """
    year, month, day = _parts(text, "YYYY-MM-DD")
    if not month or not day:
        only = "month" if month else "year"
        raise ValueError(f"{_quoted(text)} is only a {only}, expected YYYY-MM-DD")
    return date(int(year), int(month), int(day))


def parse_partial(text: str) -> str:
    """Read a year, a month or a day that exists, and write it in ISO form.

    >>> [parse_partial(text) for text in ("2011", "2011-1", "2011-1-5", "2011-01-05T00:00:00")]
    ['2011', '2011-01', '2011-01-05', '2011-01-05']
    >>> parse_partial("2011-13")
    Traceback (most recent call last):
    ValueError: '2011-13' is not in the calendar
    """
    year, month, day = _parts(text, _PARTIAL)
    return "-".join((year, *(part.zfill(2) for part in (month, day) if part)))


def _parts(text: str, expected: str) -> tuple[str, str, str]:
    """Split a date into year, month and day; missing parts are empty, others must exist."""
    match = _ISO.fullmatch(_MIDNIGHT.sub("", text.strip()))
    if match is None:
        raise ValueError(f"{_quoted(text)} is not a date, expected {expected}")
    year, month, day = match.groups(default="")
    try:
        date(int(year), int(month or 1), int(day or 1))
    except ValueError:
        raise ValueError(f"{_quoted(text)} is not in the calendar") from None
    return year, month, day


def _quoted(text: str) -> str:
    return f"'{text[:_MOST_QUOTED]}{'...' * (len(text) > _MOST_QUOTED)}'"


class Period(NamedTuple):
    """All days from the first to the last; most are a single day.

    A tuple, since days are hashed and ordered more often than anything else.
    """

    first: date
    last: date

    @classmethod
    def day(cls, day: date) -> "Period":
        """Make the period of a single day."""
        return cls(day, day)

    @classmethod
    def parse(cls, text: str) -> "Period":
        """Read a day, a month or a year; a ValueError explains the problem.

        >>> str(Period.parse("2011-1-5")), str(Period.parse("2011-02")), str(Period.parse("2011"))
        ('2011-01-05', '2011-02', '2011')
        >>> Period.parse("2011-02").last
        datetime.date(2011, 2, 28)
        """
        return _parsed(text)

    @property
    def is_day(self) -> bool:
        """Whether it is a single day."""
        return self.first == self.last

    def __str__(self) -> str:
        if self.is_day:
            return self.first.isoformat()
        return self.first.isoformat()[: 7 if self.first.month == self.last.month else 4]


@lru_cache(maxsize=1 << 16)
def _parsed(text: str) -> Period:
    """Read a period; cached, since data repeat the same few thousand days."""
    year, month, day = (int(part or 0) for part in _parts(text, _PARTIAL))
    if day:
        return Period.day(date(year, month, day))
    last = month or 12
    return Period(date(year, month or 1, 1), date(year, last, monthrange(year, last)[1]))
