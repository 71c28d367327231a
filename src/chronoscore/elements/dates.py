"""Days, and partial dates that are only a month or a year. What is missing is never invented."""

import re
from datetime import date

_ISO = re.compile(r"([0-9]{4})(?:-([0-9]{1,2})(?:-([0-9]{1,2}))?)?")
_MIDNIGHT = re.compile(r"[T ]00:00(:00(\.0+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?$")
_MOST_QUOTED = 40


def parse_day(text: str) -> date:
    """Read a calendar day, or raise ValueError that says what is wrong in words.

    A midnight time is dropped, as data sets write days so; any other time is refused.

    >>> parse_day("2011-1-5"), parse_day("2011-01-05T00:00:00")
    (datetime.date(2011, 1, 5), datetime.date(2011, 1, 5))
    """
    year, month, day = _parts(text, "YYYY-MM-DD")
    if not month or not day:
        only = "month" if month else "year"
        raise ValueError(f"{_quoted(text)} is only a {only}, expected YYYY-MM-DD")
    return date(int(year), int(month), int(day))


def parse_partial(text: str) -> str:
    """Read a year, a month or a day that exists, and write it the one ISO way.

    >>> [parse_partial(text) for text in ("2011", "2011-1", "2011-1-5", "2011-01-05T00:00:00")]
    ['2011', '2011-01', '2011-01-05', '2011-01-05']
    >>> parse_partial("2011-13")
    Traceback (most recent call last):
    ValueError: '2011-13' is not in the calendar
    """
    year, month, day = _parts(text, "YYYY-MM-DD, YYYY-MM or YYYY")
    return "-".join((year, *(part.zfill(2) for part in (month, day) if part)))


def _parts(text: str, expected: str) -> tuple[str, str, str]:
    """Take a date apart, what is missing is empty; what is there must exist."""
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
