"""The days that an expression of time can mean, counted from the day of publication.

Each rule takes the groups that a pattern of `expressions` matched, in lower case, and the day of
publication, and yields every reading, the likeliest first.
"""

from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta

from chronoscore.rubric.dates.lexicon import (
    DAYS,
    MONTHS,
    NUMBERS,
    ORDINALS,
    RELATIVE_DAYS,
    SHORT_MONTHS,
    STEPS,
)


@dataclass(frozen=True, order=True, slots=True)
class Candidate:
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
Groups = Mapping[str, str]
Rule = Callable[[Groups, date], Readings]


def distinct(readings: Iterable[tuple[date, date, str]]) -> tuple[Candidate, ...]:
    """Keep each reading once; one outside the calendar ends the list."""
    candidates: dict[Days, Candidate] = {}
    with suppress(ValueError, OverflowError):
        for first, last, reading in readings:
            candidates.setdefault((first, last), Candidate(first, last, reading))
    return tuple(candidates.values())


def shift(day: date, number: int, unit: str = "day") -> date:
    """Move a day by a number of days, weeks, months or years; short months end earlier.

    >>> shift(date(2024, 3, 31), -1, "month"), shift(date(2024, 2, 29), 1, "year")
    (datetime.date(2024, 2, 29), datetime.date(2025, 2, 28))
    """
    months = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}.get(unit)
    if months is None:
        days = {"day": 1, "night": 1, "week": 7, "weekend": 7, "fortnight": 14}.get(unit, 0)
        return day + timedelta(days=number * days)
    last = month_of(day.year, day.month + number * months)[1]
    return last.replace(day=min(day.day, last.day))


def around(first: date, last: date, number: int, unit: str) -> Days:
    """Widen days by what a count leaves open: half a unit if it is one, a unit if it is more.

    Days are exact, but for round numbers: ten days ago is nine or eleven as well.
    """
    days = {"hour": 2, "minute": 2, "week": 7, "weekend": 7, "fortnight": 14, "month": 31}
    days |= {"quarter": 92, "year": 365, "decade": 3652, "century": 36524}
    slack = days.get(unit, 0) if abs(number) > 1 else days.get(unit, 0) // 2
    if unit == "day" and number and number % 10 == 0:
        slack = 1
    return widen(first, last, slack, slack)


def widen(first: date, last: date, before: int, after: int) -> Days:
    """Add days on both sides, within the calendar."""
    early = date.fromordinal(max(first.toordinal() - before, 1))
    return early, date.fromordinal(min(last.toordinal() + after, date.max.toordinal()))


def number_of(word: str) -> int:
    """Read a number in digits or words."""
    return NUMBERS.get(word) or int(word)


def month_of(year: int, month: int) -> Days:
    """A month, whose number may run over into other years."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    first = date(year, month, 1)
    return first, first.replace(day=monthrange(year, month)[1])


def _year(year: int) -> Days:
    return date(year, 1, 1), date(year, 12, 31)


def _on(day: date, reading: str) -> tuple[date, date, str]:
    return day, day, reading


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def relative_day(groups: Groups, published: date) -> Readings:
    """Today, yesterday, tomorrow."""
    yield _on(shift(published, RELATIVE_DAYS[groups["word"]]), "counted from publication")


def last_night(_: Groups, published: date) -> Readings:
    """Last night, overnight."""
    yield _on(shift(published, -1), "the evening before publication")
    yield _on(published, "after midnight on the day of publication")


def distance(groups: Groups, published: date) -> Readings:
    """N days, weeks, months or years ago, or from now."""
    number, unit = number_of(groups["number"]), groups["unit"]
    number *= -1 if groups.get("ago") else 1
    near = groups.get("near", "")
    day = shift(published, number, unit)
    if near in ("to the day", "today"):
        yield _on(day, "to the day")
        return
    if near:
        slack = 14 if "week" in near else 50
        yield *widen(day, day, slack, slack), f"around {near}"
        return
    if unit in ("day", "week", "fortnight"):
        yield _on(day, f"counted in {unit}s to the day")
    if unit in ("week", "fortnight"):
        monday = shift(day, -day.weekday())
        yield monday, shift(monday, 6), "the week of that day"
    elif unit in ("month", "year"):
        whole = month_of(day.year, day.month) if unit == "month" else _year(day.year)
        yield *whole, f"the {unit} of that day"
    yield *around(day, day, number, unit), "around that day"


def past_span(groups: Groups, published: date) -> Readings:
    """The past, last or next N days, weeks, months or years."""
    number, unit = number_of(groups["number"]), groups["unit"]
    if unit in ("hour", "minute"):
        number, unit = (number + 23) // 24 if unit == "hour" else 1, "day"
    if STEPS[groups["step"]] < 0:
        yield shift(shift(published, -number, unit), -1), published, "up to publication"
    else:
        yield published, shift(shift(published, number, unit), 1), "from publication on"


def period(groups: Groups, published: date) -> Readings:
    """This, last or next week, weekend, month, quarter or year."""
    step, unit = STEPS[groups.get("step") or "this"], groups["unit"]
    if groups.get("step") in ("past", "coming") or (step and groups.get("the")):
        yield from past_span({**groups, "number": "a"}, published)
    if unit == "month":
        yield *month_of(published.year, published.month + step), "the calendar's month"
    elif unit == "year":
        yield *_year(published.year + step), "the calendar's year"
    elif unit == "quarter":
        first = 3 * ((published.month - 1) // 3 + step) + 1
        start = month_of(published.year, first)[0]
        yield start, month_of(published.year, first + 2)[1], "the calendar's quarter"
    else:
        monday = shift(published, 7 * step - published.weekday())
        yield monday, shift(monday, 6), "the week from Monday to Sunday"
        sunday = shift(published, 7 * step - (published.weekday() + 1) % 7)
        yield sunday, shift(sunday, 6), "the week from Sunday to Saturday"
        if step:
            near, far = sorted((shift(published, step), shift(published, 7 * step)))
            yield near, far, "the seven days before or after publication"


def weekend(groups: Groups, published: date) -> Readings:
    """The weekend, this, last or next weekend: Saturday and Sunday."""
    here = shift(published, 5 - published.weekday())  # the Saturday of the week from Monday
    step = STEPS[groups["step"]] if groups.get("step") else None
    # On a weekend "last weekend" is the one before; on a weekday, the nearest or the one before it.
    nearest = 0 if published >= here else -1
    weeks = {
        None: (nearest, nearest + 1),
        0: (nearest, nearest + 1) if published.weekday() < 2 or nearest == 0 else (0,),
        -1: (-1, -2) if nearest else (-1,),
        1: (0, 1) if nearest else (1,),
    }[step]
    for week in weeks:
        saturday, sunday = shift(here, 7 * week), shift(here, 7 * week + 1)
        side = "after" if saturday > published else "before" if sunday < published else "at"
        yield saturday, sunday, f"a weekend {side} publication"


def weekday(groups: Groups, published: date) -> Readings:
    """Monday; this, last or next Monday."""
    ahead = (DAYS.index(groups["weekday"]) - published.weekday()) % 7
    back, this_week = ahead - 7, DAYS.index(groups["weekday"]) - published.weekday()
    step = groups.get("step", "")
    if not step:
        if not ahead:
            yield _on(published, "the day of publication itself")
        yield _on(shift(published, back), "the last one before publication")
        yield _on(shift(published, ahead or 7), "the first one after publication")
    elif step == "this past":
        yield _on(shift(published, back), "the last one before publication")
    elif STEPS[step] < 0:
        yield _on(shift(published, back), "the last one before publication")
        yield _on(shift(published, this_week - 7), "that of the week before")
    elif step == "this":
        yield _on(shift(published, ahead), "the first one from the day of publication on")
        yield _on(shift(published, this_week), "that of the same week")
    else:
        yield _on(shift(published, ahead or 7), "the first one after publication")
        if step == "next":
            yield _on(shift(published, this_week + 7), "that of the week after")


def month(groups: Groups, published: date) -> Readings:
    """March; this, last or next March; March 2011."""
    number, step, this = _month_number(groups["month"]), groups.get("step", ""), published.year
    before = this if number < published.month else this - 1
    after = this if number > published.month else this + 1
    if groups.get("year"):
        yield *month_of(int(groups["year"]), number), "as written"
    elif step == "last":
        yield *month_of(before, number), "the nearest one before this month"
        yield *month_of(this - 1, number), "that of last year"
    elif step == "next":
        yield *month_of(after, number), "the nearest one after this month"
        yield *month_of(this + 1, number), "that of next year"
    elif step == "this" or number == published.month:
        yield *month_of(this, number), "that of this year"
    else:
        yield *month_of(before, number), "the last one before publication"
        yield *month_of(after, number), "the first one after publication"


def _month_number(name: str) -> int:
    return SHORT_MONTHS.get(name.rstrip("."), 0) or MONTHS.index(name) + 1


def day_of_month(groups: Groups, published: date) -> Readings:
    """20 May, May 20, 20 May 2011, and ranges: 13-17 May, May 13 to 17."""
    number = _month_number(groups["month"])
    begin = int(groups["date"])
    end = int(groups.get("to") or begin)
    reading = "as written"

    def days(year: int) -> Days | None:
        first, last = _day(year, number, begin), _day(year, number, end)
        return (first, last) if first and last and first <= last else None

    if groups.get("year"):
        made = days(int(groups["year"]))
        if made:
            yield *made, reading
        return
    # A leap day may be eight years away, as in 1896 to 1904.
    nearby = [made for y in range(-8, 9) if (made := days(published.year + y))]
    yield from nearest(nearby, published)


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
    begin, end = int(groups["date"]), int(groups.get("to") or groups["date"])
    months = [published.year * 12 + published.month - 1 + step for step in range(-3, 4)]
    pairs = [(_day(m // 12, m % 12 + 1, begin), _day(m // 12, m % 12 + 1, end)) for m in months]
    yield from nearest([(a, b) for a, b in pairs if a and b and a <= b], published)


def iso(groups: Groups, _: date) -> Readings:
    """2011-02-11, 2011/02/11, 2011-02 and 2011."""
    year, month_number, day = int(groups["year"]), groups.get("mm"), groups.get("dd")
    if month_number and day:
        yield _on(date(year, int(month_number), int(day)), "as written")
    elif not month_number:
        yield *_year(year), "as written"
    elif int(month_number) in range(1, 13):
        yield *month_of(year, int(month_number)), "as written"


def slashes(groups: Groups, published: date) -> Readings:
    """03/04/2011 and 03/04/11: the day first, and the month first, where both exist."""
    one, two, year = int(groups["one"]), int(groups["two"]), int(groups["year"])
    if year < 100:
        year += published.year // 100 * 100
        year -= 100 if year > published.year + 20 else 0
    for day, number, reading in ((one, two, "the day first"), (two, one, "the month first")):
        made = _day(year, number, day)
        if made:
            yield _on(made, reading)


def quarter(groups: Groups, published: date) -> Readings:
    """The first, second, third, fourth or last quarter: of this year, and of the last."""
    for year in (published.year, published.year - 1):
        whole = _year(year)
        yield *fraction(*whole, groups["part"], 1, "quarter"), f"the quarter of {year}"


def decade(groups: Groups, _: date) -> Readings:
    """The 1990s."""
    first = int(groups["year"])
    yield date(first, 1, 1), date(first + (99 if first % 100 == 0 else 9), 12, 31), "as written"


def century(groups: Groups, _: date) -> Readings:
    """The 19th century."""
    last = int(groups["date"]) * 100
    yield date(last - 99, 1, 1), date(last, 12, 31), "as written"


def fraction(first: date, last: date, part: str, number: int, unit: str) -> Days:
    """The first or last N units of a period, or its Nth quarter or half."""
    if unit in ("quarter", "half"):
        months = 3 if unit == "quarter" else 6
        place = ORDINALS.get(part, 12 // months) - 1
        return (
            month_of(first.year, first.month + months * place)[0],
            month_of(first.year, first.month + months * (place + 1) - 1)[1],
        )
    if part == "first":
        return first, min(shift(shift(first, number, unit), -1), last)
    return max(shift(shift(last, -number, unit), 1), first), last
