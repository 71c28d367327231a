"""Spellings that no standard has and that can be read in one way only: 25 January 2011, 44 BC."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace

from chronoscore.elements.time import refusal
from chronoscore.elements.time.calendar import DASHES, MONTH_NAMES
from chronoscore.elements.time.iso import months
from chronoscore.elements.time.refusal import TimeError
from chronoscore.elements.time.value import Reading, Time

WEEKDAY = "{count} date{s} with a weekday, which is not checked, first '{first}'"
ANOTHER = "{count} date{s} in another spelling than ISO 8601, first '{first}'"
_MONTHS = tuple(map(str.lower, MONTH_NAMES))
_SPELLINGS = "|".join(
    f"{name[:3]}(?:{name[3:]})?" if name != "september" else "sept?(?:ember)?" for name in _MONTHS
)
_MONTH = rf"(?P<month>{_SPELLINGS})\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})"
_DATES = [
    re.compile(pattern)
    for pattern in (
        rf"{_DAY}(?: of)?[ -]{_MONTH},?[ -]{_YEAR}",
        rf"{_MONTH} {_DAY},? {_YEAR}",
        rf"{_YEAR}-{_MONTH}-{_DAY}",
        rf"{_MONTH},? {_YEAR}",
        r"(?P<year>\d{4})(?P<mark>[/.])(?P<number>\d{1,2})(?P=mark)(?P<day>\d{1,2})",
        r"(?P<year>\d{4})年(?:(?P<number>\d{1,2})月(?:(?P<day>\d{1,2})日)?)?",
    )
]
_WEEKDAY = re.compile(
    r"(?:mon|tue|tues|wed|wednes|thu|thurs?|fri|sat|satur|sun)(?:day)?\.?,? (?=\w)"
)
_CLOCK = re.compile(
    r"(?P<date>.+?),? (?:at )?(?P<hour>\d{1,2}):(?P<rest>\d{2}(?::\d{2})?)"
    r"(?: ?(?P<half>[ap])\.?m\.?)?(?: ?(?P<utc>utc|z))?"
)
_ABOUT = re.compile(r"(?:c\.|ca\.?|circa|about) ?(?=\w)")
_BC = re.compile(r"(\d{1,4}) ?(?:bc|bce|b\.c\.|b\.c\.e\.)")
_AD = re.compile(r"(\d{1,4}) ?(?:ad|ce|a\.d\.|c\.e\.)|(?:ad|a\.d\.) ?(\d{1,4})")
_DECADE = re.compile(r"(\d{3}0)['’]?s")
_DAY_MONTH_YEAR = re.compile(r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})")
_UNDATED = re.compile(r"x{3,4}(?:-xx){0,2}")
_REFERENCES = frozenset(("today", "yesterday", "tomorrow", "now"))
_NOON = 12


StrictRead = Callable[[str], Reading]
"""Reads a text strictly, except that a week or an hour may have one digit."""


def read_lenient(text: str, strict: StrictRead) -> Reading:
    """Read a text that the strict reading refused, or refuse it as well.

    >>> from chronoscore.elements.time.reading import STRICT
    >>> strict = STRICT.strict
    >>> str(read_lenient("Tuesday, January 25, 2011 at 3:45 pm", strict).time)
    '2011-01-25T15:45'
    """
    bare = " ".join(unicodedata.normalize("NFKC", text).translate(DASHES).split())
    try:
        return Reading(_strict_or_words(bare, strict), _note(bare.lower()))
    except TimeError as refused:
        raise TimeError.because(refused.kind, text) from None


def _note(bare: str) -> str:
    return WEEKDAY if _WEEKDAY.match(bare) else ANOTHER


def _strict_or_words(bare: str, strict: StrictRead) -> Time:
    try:
        return strict(bare).time
    except TimeError as refused:
        if refused.kind != refusal.NOT_A_DATE:
            raise
        time = _in_words(bare.lower(), strict)
        if time is None:
            raise
        return time


def _in_words(bare: str, strict: StrictRead) -> Time | None:
    """Read what only the lenient reading knows; None if the text is nothing of it."""
    bare = _WEEKDAY.sub("", bare, count=1)
    if about := _ABOUT.match(bare):
        return replace(_strict_or_words(bare[about.end() :], strict), qualifier="~")
    if time := _date(bare, strict):
        return time
    if match := _CLOCK.fullmatch(bare):
        day = _strict_or_words(match["date"], strict)
        hour = int(match["hour"])
        if match["half"]:
            if not 1 <= hour <= _NOON:
                raise TimeError.because(refusal.NOT_A_TIME, bare)
            hour = hour % _NOON + _NOON * (match["half"] == "p")
        return strict(f"{day}T{hour:02}:{match['rest']}{'Z' * bool(match['utc'])}").time
    for is_kind, kind in (
        (bare in _REFERENCES, refusal.REFERENCE),
        (_UNDATED.fullmatch(bare), refusal.UNDATED),
        (_DAY_MONTH_YEAR.fullmatch(bare), refusal.NO_DATE_ORDER),
    ):
        if is_kind:
            raise TimeError.because(kind, bare)
    return None


def _date(bare: str, strict: StrictRead) -> Time | None:
    for pattern in _DATES:
        if match := pattern.fullmatch(bare):
            found = match.groupdict()
            number = found.get("number") or _month_number(found.get("month"))
            parts = [found["year"], number, found.get("day")]
            return strict("-".join(part for part in parts if part)).time
    if match := _BC.fullmatch(bare):
        if not int(match[1]):
            raise TimeError.because(refusal.NO_YEAR_0, bare)
        return months((1 - int(match[1])) * 12, "year")
    if match := _AD.fullmatch(bare):
        if not int(match[1] or match[2]):
            raise TimeError.because(refusal.NOT_IN_CALENDAR, bare)
        return strict((match[1] or match[2]).zfill(4)).time
    if match := _DECADE.fullmatch(bare):
        return months(int(match[1]) * 12, "decade")
    return None


def _month_number(name: str | None) -> str:
    if not name:
        return ""
    return str(next(n for n, month in enumerate(_MONTHS, 1) if month.startswith(name[:3])))


def read_ordered(text: str, date_order: str, strict: StrictRead) -> Reading | None:
    """Read 25/01/2011 in the order of day and month that the user gave; None if it is not that.

    >>> from chronoscore.elements.time.reading import STRICT
    >>> strict = STRICT.strict
    >>> str(read_ordered("1/2/2011", "mdy", strict).time)
    '2011-01-02'
    """
    match = _DAY_MONTH_YEAR.fullmatch(text.strip())
    if match is None:
        return None
    first, _, second, year = match.groups()
    if len(year) < 4:
        raise TimeError.because("a year of two digits", text)
    month, day = (second, first) if date_order == "dmy" else (first, second)
    try:
        return Reading(strict(f"{year}-{month}-{day}").time)
    except TimeError as refused:
        raise TimeError.because(refused.kind, text) from None
