"""Days, and partial dates that are only a month or a year. What is missing is never invented."""

import re
from datetime import date

_ISO = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_MIDNIGHT = re.compile(r"[T ]00:00(:00(\.0+)?)?(Z|[+-]\d\d:?\d\d)?$")


def parse_day(text: str) -> date:
    """Read a calendar day, or raise ValueError that says what is wrong in words.

    A midnight time is dropped, as data sets write days so; any other time is refused.

    >>> parse_day("2011-1-5"), parse_day("2011-01-05T00:00:00")
    (datetime.date(2011, 1, 5), datetime.date(2011, 1, 5))
    """
    match = _ISO.fullmatch(_MIDNIGHT.sub("", text.strip()))
    if match is None:
        raise ValueError(f"'{text}' is not a date, expected YYYY-MM-DD")
    year, month, day = match.groups()
    if month is None or day is None:
        raise ValueError(f"'{text}' is only a {'month' if month else 'year'}, expected YYYY-MM-DD")
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        raise ValueError(f"'{text}' is not a day of the calendar") from None


def is_partial_date(text: str) -> bool:
    """Whether this is a year, a month or a day that exists.

    >>> [is_partial_date(text) for text in ("2011", "2011-13", "2011-02-30")]
    [True, False, False]
    """
    match = _ISO.fullmatch(text)
    if match is None:
        return False
    year, month, day = (int(part) if part else 1 for part in match.groups())
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True
