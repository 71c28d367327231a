"""A period of the calendar: a day, a month or a year, as dates are written in timelines."""

from calendar import monthrange
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from chronoscore.elements.dates import parse_partial


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
        """Read a day, a month or a year; ValueError says in words what is wrong.

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
    """Read a period; the same few thousand days are written again and again."""
    parts = [int(part) for part in parse_partial(text).split("-")]
    if len(parts) == 3:
        return Period.day(date(parts[0], parts[1], parts[2]))
    if len(parts) == 2:
        days = monthrange(parts[0], parts[1])[1]
        return Period(date(parts[0], parts[1], 1), date(parts[0], parts[1], days))
    return Period(date(parts[0], 1, 1), date(parts[0], 12, 31))
