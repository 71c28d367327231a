"""Write a time in the shortest strict spelling that is read as an equal value.

Some times of TIMEX3 have no spelling outside it: weekends, halves, decades and centuries that are
one date, parts of a day. They are written as TIMEX3 has them, but decades as `1990s`.
"""

from dataclasses import replace
from decimal import Decimal
from functools import lru_cache

from chronoscore.elements.time.calendar import (
    DAY,
    GRAINS,
    MONTHS,
    SIGNS,
    TICKS,
    civil,
    iso_week,
    month_at,
    month_begin,
    week_begin,
)
from chronoscore.elements.time.value import RESOLUTIONS, UNBOUNDED, Time

_MOST_YEAR = 9999
_UNBOUNDED = {known: text for text, known in UNBOUNDED.items()}
_EXACT = ("year", "month", "day", "hour", "minute", "second", "ms", "us")
"""Resolutions of which an end of an interval may be, from the coarsest to the finest."""


def written(time: Time) -> str:
    """Write a time.

    >>> [written(Time.parse(text)) for text in ("2011-1-5", "2011-01-25T24:00", "1985/..", "199X")]
    ['2011-01-05', '2011-01-25T24:00', '1985/..', '199X']
    """
    if time.axis == "offset":
        text = _span(time) if time.shape == "span" else _offset(time.begin, time.unit)
        return f"~{text}" if time.qualifier else text
    if time.shape == "span" or None in (time.begin, time.end):
        return _span(time)
    assert time.begin is not None
    assert time.end is not None
    if time.shape == "one-of":
        text = _some_cell(time.begin, time.end, time.resolution)
        if not text:
            return _span(time)
    else:
        text = _cell(time.begin, time.resolution, time.zone)
    return text + (f"T{time.part}" if time.part else "") + time.qualifier


def _year(year: int) -> str:
    if abs(year) > _MOST_YEAR:
        return f"Y{year}"
    return f"{'-' if year < 0 else ''}{abs(year):04}"


@lru_cache(maxsize=1 << 14)
def _date(tick: int) -> str:
    year, month, day = civil(tick // DAY)
    return f"{_year(year)}-{month:02}-{day:02}"


def _cell(begin: int, resolution: str, zone: int | None) -> str:
    """Write the cell of a resolution that begins at a tick."""
    if resolution == "day":
        return _date(begin)
    number, month, _ = civil(begin // DAY)
    year = _year(number)
    if resolution in ("week", "weekend"):
        iso_year, week = iso_week(begin // DAY)
        return f"{_year(iso_year)}-W{week:02}{'-WE' * (resolution == 'weekend')}"
    spellings = {
        "month": f"{year}-{month:02}",
        "quarter": f"{year}-Q{month // 3 + 1}",
        "season": f"{year}-{20 + month // 3}",
        "half": f"{year}-H{month // 6 + 1}",
        "year": year,
        "decade": f"{year}s",
        "century": f"{number // 100:02}",
        "millennium": str(number // 1000),
    }
    return spellings.get(resolution) or _time_of_day(begin, resolution, zone)


def _time_of_day(begin: int, resolution: str, zone: int | None) -> str:
    days, of_day = divmod(begin, DAY)
    if of_day == 0 and resolution != "hour":  # midnight as 00:00 would be read as the whole day
        days, of_day = days - 1, DAY
    seconds, fraction = divmod(of_day, TICKS["second"])
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction:06}"
    length = {"hour": 2, "minute": 5, "second": 8, "ms": 12, "us": 15}[resolution]
    return f"{_date(days * DAY)}T{clock[:length]}{_zone(zone)}"


def _zone(zone: int | None) -> str:
    if not zone:
        return "" if zone is None else "Z"
    sign, minutes = "-" if zone < 0 else "+", abs(zone)
    return f"{sign}{minutes // 60:02}:{minutes % 60:02}"


def _some_cell(begin: int, end: int, resolution: str) -> str:
    """Write the unknown cell of an extent with X digits; empty if no such spelling fits."""
    first, last = (civil(tick // DAY).year for tick in (begin, end - 1))
    unknown = {"day": "-XX-XX", "month": "-XX", "quarter": "-QX", "half": "-XX"}.get(resolution, "")
    if _is_cell(begin, end, "month"):
        return f"{_cell(begin, 'month', None)}-XX"
    if begin == month_begin(first * 12) and end == month_begin(last * 12 + 12):
        low, high = sorted((abs(first), abs(last)))  # of years before 0, the last is the lowest
        for digits in range(4):
            if low % 10**digits == 0 and high - low == 10**digits - 1:
                years = f"{'-' * (first < 0)}{low:04}"
                return years[: len(years) - digits] + "X" * digits + unknown
    year, _ = iso_week(begin // DAY)
    is_year = [begin, end] == [week_begin(number, 1) * DAY for number in (year, year + 1)]
    return f"{_year(year)}-WXX" if is_year else ""


def _is_cell(begin: int, end: int, unit: str) -> bool:
    months = MONTHS[unit]
    first = month_at(begin) // months * months
    return begin == month_begin(first) and end == month_begin(first + months)


def _span(time: Time) -> str:
    """Write an interval: each end at the resolution if that is exact, else as exactly as needed."""
    texts = []
    for tick, unbounded, is_end in (
        (time.begin, time.open[0], False),
        (time.end, time.open[1], True),
    ):
        if tick is None:
            texts.append(_UNBOUNDED[unbounded])
        elif time.axis == "offset":
            texts.append(_offset(tick - is_end, time.unit))
        else:
            texts.append(_bound(tick, time, is_end=is_end) + time.qualifier)
    text = "/".join(texts)
    if time.zone is not None and "T" not in text:  # only a time of day has a zone
        return _span(replace(time, resolution="hour"))
    return text


def _bound(tick: int, time: Time, *, is_end: bool) -> str:
    for resolution in _EXACT:
        if RESOLUTIONS.index(resolution) > RESOLUTIONS.index(time.resolution):
            continue
        if resolution in MONTHS:
            grain = GRAINS[resolution]
            begin = grain.begin(grain.cell(tick - is_end))
            exact = tick == (grain.begin(grain.cell(begin) + 1) if is_end else begin)
        else:
            exact = tick % TICKS[resolution] == 0
            begin = tick - TICKS[resolution] * is_end
        if exact:
            break
    return _cell(begin, resolution, time.zone)


def _offset(tick: int | None, unit: str) -> str:
    """Write an offset as a number of its unit, or as an ISO duration if that has no end."""
    assert tick is not None
    number = Decimal(tick) / SIGNS[unit]
    if number * SIGNS[unit] == tick:
        return f"{number.normalize():f}"
    seconds, fraction = divmod(abs(tick), TICKS["second"])
    text = f"{seconds}.{fraction:06}".rstrip("0").rstrip(".")
    return f"{'-' * (tick < 0)}PT{text}S"
