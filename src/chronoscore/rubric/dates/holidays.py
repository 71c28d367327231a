"""Holidays with a fixed day or a day counted from Easter, in West and East."""

from datetime import date

from chronoscore.rubric.dates.lexicon import EASTER_HOLIDAYS, FIXED_HOLIDAYS
from chronoscore.rubric.dates.readings import Groups, Readings, nearest, shift


def holiday(groups: Groups, published: date) -> Readings:
    """Christmas Day, Good Friday: the last one and the next one by each calendar."""
    name = groups["word"].replace("’", "'")
    years = range(max(published.year - 1, 1), published.year + 2)
    if name in EASTER_HOLIDAYS:
        for rule in (_easter, _julian_easter):
            days = [shift(rule(year), EASTER_HOLIDAYS[name]) for year in years]
            yield from nearest([(day, day) for day in days], published)
    for number, day, length in FIXED_HOLIDAYS.get(name, ()):
        firsts = [date(year, number, day) for year in years]
        yield from nearest([(first, shift(first, length - 1)) for first in firsts], published)


def _easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar, by the anonymous algorithm (Nature, 1876)."""
    a, (b, c) = year % 19, divmod(year, 100)
    (d, e), g = divmod(b, 4), (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    (i, k), m = divmod(c, 4), (a + 11 * h) // 319
    r = (2 * e + 2 * i - k - h + m + 32) % 7
    n = (h - m + r + 90) // 25
    return date(year, n, (h - m + r + n + 19) % 32)


def _julian_easter(year: int) -> date:
    """Easter Sunday of the Julian calendar as a Gregorian date (Meeus, 1991)."""
    d = (19 * (year % 19) + 15) % 30
    e = (2 * (year % 4) + 4 * (year % 7) - d + 34) % 7
    number, day = divmod(d + e + 114, 31)
    return shift(date(year, number, day + 1), year // 100 - year // 400 - 2)
