"""The days that an expression of time can mean, counted from the day of publication.

A rule is named in the file of a language. It takes the values of the groups that its pattern
matched, which are the same in every language, and the day of publication, and yields every
reading, the likeliest first. A holiday has a fixed day or a day counted from Easter, in West and
East.
"""

from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import date, timedelta
from typing import Any, NamedTuple


class Candidate(NamedTuple):
    """Days that an expression may mean, from the first to the last, and by which reading."""

    first: date
    last: date
    reading: str

    def __str__(self) -> str:
        if self.first == self.last:
            return self.first.isoformat()
        first = "" if self.first == date.min else self.first.isoformat()
        last = "" if self.last == date.max else self.last.isoformat()
        return f"{first}..{last}"

    def overlaps(self, first: date, last: date) -> bool:
        """Whether it shares a day with the days from `first` to `last`."""
        return self.first <= last and first <= self.last


Days = tuple[date, date]
Readings = Iterator[tuple[date, date, str]]
Groups = Mapping[str, Any]
Rule = Callable[[Groups, date], Readings]
_MONTHS_IN = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}
_DAYS_IN = {"day": 1, "night": 1, "week": 7, "weekend": 7, "fortnight": 14}
_SLACK = {"hour": 2, "minute": 2, "week": 7, "weekend": 7, "fortnight": 14, "month": 31}
_SLACK |= {"quarter": 92, "year": 365, "decade": 3652, "century": 36524}

_STEPS = {"last": -1, "past": -1, "this past": -1, "this": 0, "next": 1, "coming": 1}
_NEAR = {"day": 0, "week": 14, "weekend": 14, "month": 50}


def distinct(readings: Iterable[tuple[date, date, str]]) -> tuple[Candidate, ...]:
    """Keep each reading once; one outside the calendar ends the list."""
    candidates: dict[Days, Candidate] = {}
    with suppress(ValueError, OverflowError):
        for reading in readings:
            candidates.setdefault(reading[:2], Candidate(*reading))
    return tuple(candidates.values())


def shift(day: date, number: int, unit: str = "day") -> date:
    """Move a day by a number of days, weeks, months or years; short months end earlier.

    >>> shift(date(2024, 3, 31), -1, "month"), shift(date(2024, 2, 29), 1, "year")
    (datetime.date(2024, 2, 29), datetime.date(2025, 2, 28))
    """
    if unit not in _MONTHS_IN:
        return day + timedelta(days=number * _DAYS_IN.get(unit, 0))
    last = month_of(day.year, day.month + number * _MONTHS_IN[unit])[1]
    return last.replace(day=min(day.day, last.day))


def around(first: date, last: date, number: int, unit: str) -> Days:
    """Widen days by what a count leaves open: half a unit if it is one, a unit if it is more.

    Days are exact, but for round numbers: ten days ago is nine or eleven as well.
    """
    slack = _SLACK.get(unit, 0) // (1 if abs(number) > 1 else 2)
    if unit == "day" and number and number % 10 == 0:
        slack = 1
    return widen(first, last, slack, slack)


def widen(first: date, last: date, before: int, after: int) -> Days:
    """Add days on both sides, within the calendar."""
    early = date.fromordinal(max(first.toordinal() - before, 1))
    return early, date.fromordinal(min(last.toordinal() + after, date.max.toordinal()))


def month_of(year: int, month: int) -> Days:
    """A month, whose number may run over into other years."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    first = date(year, month, 1)
    return first, first.replace(day=monthrange(year, month)[1])


def whole(unit: str, day: date, step: int = 0) -> Days:
    """The week, month, quarter or year of a day, or the one `step` units later.

    >>> whole("quarter", date(2024, 2, 29), -1)
    (datetime.date(2023, 10, 1), datetime.date(2023, 12, 31))
    """
    if unit == "week":
        monday = shift(day, 7 * step - day.weekday())
        return monday, shift(monday, 6)
    size = _MONTHS_IN[unit]
    first = ((day.month - 1) // size + step) * size + 1
    return month_of(day.year, first)[0], month_of(day.year, first + size - 1)[1]


def _years(first: int, last: int) -> Days:
    return date(first, 1, 1), date(last, 12, 31)


def _on(day: date, reading: str) -> tuple[date, date, str]:
    return day, day, reading


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def relative_day(groups: Groups, published: date) -> Readings:
    """Today, yesterday, tomorrow."""
    yield _on(shift(published, groups["days"]), "counted from publication")


def last_night(_: Groups, published: date) -> Readings:
    """Last night, overnight."""
    yield _on(shift(published, -1), "the evening before publication")
    yield _on(published, "after midnight on the day of publication")


def distance(groups: Groups, published: date) -> Readings:
    """N days, weeks, months or years ago, or from now."""
    number, unit = groups["number"] * (-1 if "ago" in groups else 1), groups["unit"]
    day = shift(published, number, unit)
    if near := groups.get("near"):
        slack = _NEAR[near]
        yield *widen(day, day, slack, slack), f"around this {near}" if slack else "to the day"
        return
    if unit in ("day", "week", "fortnight"):
        yield _on(day, f"counted in {unit}s to the day")
    calendar_unit = "week" if unit == "fortnight" else unit
    if calendar_unit in ("week", "month", "year"):
        yield *whole(calendar_unit, day), f"the {calendar_unit} of that day"
    yield *around(day, day, number, unit), "around that day"


def past_span(groups: Groups, published: date) -> Readings:
    """The past, last or next N days, weeks, months or years."""
    number, unit = groups["number"], groups["unit"]
    if unit in ("hour", "minute"):
        number, unit = (number + 23) // 24 if unit == "hour" else 1, "day"
    if _STEPS[groups["step"]] < 0:
        yield shift(shift(published, -number, unit), -1), published, "up to publication"
    else:
        yield published, shift(shift(published, number, unit), 1), "from publication on"


def period(groups: Groups, published: date) -> Readings:
    """This, last or next week, weekend, month, quarter or year."""
    step, unit = _STEPS[groups.get("step", "this")], groups["unit"]
    if groups.get("step") in ("past", "coming") or (step and "the" in groups):
        yield from past_span({**groups, "number": 1}, published)
    if unit != "week":
        yield *whole(unit, published, step), f"the calendar's {unit}"
    else:
        yield *whole(unit, published, step), "the week from Monday to Sunday"
        sunday = shift(published, 7 * step - (published.weekday() + 1) % 7)
        yield sunday, shift(sunday, 6), "the week from Sunday to Saturday"
        if step:
            near, far = sorted((shift(published, step), shift(published, 7 * step)))
            yield near, far, "the seven days before or after publication"


def weekend(groups: Groups, published: date) -> Readings:
    """The weekend, this, last or next weekend: Saturday and Sunday."""
    this_saturday = shift(published, 5 - published.weekday())  # of the week from Monday
    step = _STEPS[groups["step"]] if "step" in groups else None
    # On a weekend "last weekend" is the one before; on a weekday, the nearest or the one before it.
    nearest = 0 if published >= this_saturday else -1
    weeks = {
        None: (nearest, nearest + 1),
        0: (nearest, nearest + 1) if published.weekday() < 2 or nearest == 0 else (0,),
        -1: (-1, -2) if nearest else (-1,),
        1: (0, 1) if nearest else (1,),
    }[step]
    for week in weeks:
        saturday, sunday = shift(this_saturday, 7 * week), shift(this_saturday, 7 * week + 1)
        side = "after" if saturday > published else "before" if sunday < published else "at"
        yield saturday, sunday, f"a weekend {side} publication"


def weekday(groups: Groups, published: date) -> Readings:
    """Monday; this, last or next Monday."""
    this_week = groups["weekday"] - published.isoweekday()
    ahead, back = this_week % 7, this_week % 7 - 7
    before = (back, "the last one before publication")
    after = (ahead or 7, "the first one after publication")
    coming = (ahead, "the first one from the day of publication on")
    readings = {
        "": [*([(0, "the day of publication itself")] if not ahead else []), before, after],
        "this past": [before],
        "this": [coming, (this_week, "that of the same week")],
        "next": [after, (this_week + 7, "that of the week after")],
        "coming": [after],
    }
    last = [before, (this_week - 7, "that of the week before")]
    for days, reading in readings.get(groups.get("step", ""), last):
        yield _on(shift(published, days), reading)


def month(groups: Groups, published: date) -> Readings:
    """March; this, last or next March; March 2011."""
    number, step, this = groups["month"], groups.get("step", ""), published.year
    before = this if number < published.month else this - 1
    after = this if number > published.month else this + 1
    if "year" in groups:
        yield *month_of(groups["year"], number), "as written"
        return
    readings = {
        "last": [(before, "the nearest one before this month"), (this - 1, "that of last year")],
        "next": [(after, "the nearest one after this month"), (this + 1, "that of next year")],
        "this": [(this, "that of this year")],
        "": [
            (before, "the last one before publication"),
            (after, "the first one after publication"),
        ],
    }
    for year, reading in readings["this" if not step and number == published.month else step]:
        yield *month_of(year, number), reading


def _days(year: int, number: int, groups: Groups) -> list[Days]:
    """The written day of a month, or the range of days; nothing if the month has no such day."""
    begin = groups["date"]
    first, last = _day(year, number, begin), _day(year, number, groups.get("to", begin))
    return [(first, last)] if first and last and first <= last else []


def day_of_month(groups: Groups, published: date) -> Readings:
    """20 May, May 20, 20 May 2011, and ranges: 13-17 May, May 13 to 17."""
    number = groups["month"]
    if "year" in groups:
        for days in _days(groups["year"], number, groups):
            yield *days, "as written"
    else:  # a leap day may be eight years away, as in 1896 to 1904
        years = range(published.year - 8, published.year + 9)
        yield from nearest([d for year in years for d in _days(year, number, groups)], published)


def nearest(nearby: Iterable[Days], published: date) -> Readings:
    """The last days that begin up to publication, and the first after it."""
    before = [days for days in nearby if days[0] <= published]
    after = [days for days in nearby if days[0] > published]
    if before:
        yield *max(before), "the last one up to publication"
    if after:
        yield *min(after), "the first one after publication"


def day_number(groups: Groups, published: date) -> Readings:
    """On the 11th; on the 11th and 12th."""
    this_month = published.year * 12 + published.month - 1
    months = [divmod(this_month + step, 12) for step in range(-3, 4)]
    nearby = [days for year, at in months for days in _days(year, at + 1, groups)]
    yield from nearest(nearby, published)


def iso(groups: Groups, _: date) -> Readings:
    """2011-02-11, 2011/02/11, 2011-02 and 2011."""
    first = date(groups["year"], groups.get("mm", 1), groups.get("dd", 1))
    last = first if "dd" in groups else whole("month" if "mm" in groups else "year", first)[1]
    yield first, last, "as written"


def slashes(groups: Groups, published: date) -> Readings:
    """03/04/2011 and 03/04/11: the day first, and the month first, where both exist."""
    first, second, year = groups["one"], groups["two"], groups["year"]
    if year < 100:
        year += published.year // 100 * 100
        year -= 100 if year > published.year + 20 else 0
    if by_day := _day(year, second, first):
        yield _on(by_day, "the day first")
    if by_month := _day(year, first, second):
        yield _on(by_month, "the month first")


def quarter(groups: Groups, published: date) -> Readings:
    """The first, second, third, fourth or last quarter: of this year, and of the last."""
    for year in (published.year, published.year - 1):
        yield *fraction(*_years(year, year), groups["part"], 1, "quarter"), f"the quarter of {year}"


def decade(groups: Groups, _: date) -> Readings:
    """The 1990s."""
    first = groups["year"]
    yield *_years(first, first + (99 if first % 100 == 0 else 9)), "as written"


def century(groups: Groups, _: date) -> Readings:
    """The 19th century."""
    last = groups["date"] * 100
    yield *_years(last - 99, last), "as written"


def fraction(first: date, last: date, part: int, number: int, unit: str) -> Days:
    """The first (1) or last (-1) N units of a period, or the Nth or last quarter of a year."""
    if unit == "quarter":
        return whole(unit, first, 3 if part < 0 else part - 1)
    if part > 0:
        return first, min(shift(shift(first, number, unit), -1), last)
    return max(shift(shift(last, -number, unit), 1), first), last


def holiday(groups: Groups, published: date) -> Readings:
    """Christmas Day, Good Friday: the last one and the next one by each calendar."""
    counted = groups["holiday"]
    years = range(max(published.year - 1, 1), published.year + 2)
    if isinstance(counted, int):
        for rule in (_easter, _julian_easter):
            days = [shift(rule(year), counted) for year in years]
            yield from nearest([(day, day) for day in days], published)
        return
    for number, day, length in counted:
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
