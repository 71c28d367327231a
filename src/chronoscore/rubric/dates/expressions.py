"""What dates an expression can mean in an article that came out on a given day.

People write "on Monday" and "last week" by habit, not by rule, so that most expressions have
more than one reading: all are kept, the likeliest first. The conventions, from a day P:

| expression | candidates |
|---|---|
| today, this morning, tonight | P |
| yesterday, tomorrow, the day before yesterday, the day after tomorrow | that day |
| last night | the day before P, and P (after midnight) |
| N days ago, in N days | that day |
| N weeks ago, in N weeks | that day, and its week from Monday to Sunday |
| N months ago, N years ago, and in N | that month or year |
| this, last, next week | from Monday to Sunday; from Sunday to Saturday; seven days from P |
| this, last, next month or year | of the calendar |
| on Monday, Monday | P itself if it is a Monday; the last one before P, the first one after P |
| last Monday | the last one before P; that of the week before (Monday to Sunday) |
| next Monday | the first one after P; that of the week after |
| this Monday, this coming Monday | the first one from P on; that of this week |
| March | this year's if P lies in it; else the last one before P and the first one after P |
| last March, next March | the nearest one before or after this month; that of last or next year |
| 20 May, May 20 | the last one up to P and the first one after P |
| dates and months with their year, 2011-01-25, 2011-01, 2011 | that day, month or year |
| 03/04/2011 | the day first, and the month first, where both exist |
"""

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta

# Written out, since those of the module calendar change with the locale.
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_SHORT = {name[:3]: number for number, name in enumerate(MONTHS, 1)} | {"sept": 9}
_WORDS = (
    *("one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_NUMBERS = {word: number for number, word in enumerate(_WORDS, 1)} | {
    "a": 1,
    "an": 1,
    "a couple of": 2,
}

_DAY = f"(?P<day>{'|'.join(DAYS)})"
_MONTH = (
    f"(?P<month>{'|'.join(MONTHS)}|(?:{'|'.join(name for name in _SHORT if name != 'may')})"
    r"(?:\.|\b))"
)
_YEAR = r"(?P<year>1[0-9]{3}|20[0-9]{2})"
_NUMBER = rf"(?P<number>[0-9]{{1,4}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_DATE = r"(?P<date>[0-3]?[0-9])(?:st|nd|rd|th)?"


_PREPOSITION = re.compile(r"^(?:(?:early|late) )?(?:on|in|during|since|by|until|from|of) ")


@dataclass(frozen=True, order=True, slots=True)
class Candidate:
    """Days that an expression may mean, from the first to the last, and by which reading."""

    first: date
    last: date
    reading: str

    def __str__(self) -> str:
        if self.first == self.last:
            return self.first.isoformat()
        return f"{self.first}..{self.last}"


Found = Iterator[tuple[date, date, str]]


def resolve(expression: str, published: date) -> list[Candidate]:
    """Give all days or periods that an expression may mean; none if it is not understood.

    >>> [str(day) for day in resolve("yesterday", date(2024, 3, 1))]
    ['2024-02-29']
    >>> [str(day) for day in resolve("last Friday", date(2024, 3, 7))]
    ['2024-03-01']
    >>> [str(day) for day in resolve("last Tuesday", date(2024, 3, 7))]
    ['2024-03-05', '2024-02-27']
    """
    text = re.sub(r"\s+", " ", expression.strip().lower()).rstrip(".,;")
    for wording in (text, _PREPOSITION.sub("", text, count=1)):
        for pattern, rule in _RULES:
            if match := pattern.fullmatch(wording):
                return _distinct(rule(match, published))
    return []


def _distinct(readings: Found) -> list[Candidate]:
    found: dict[tuple[date, date], Candidate] = {}
    # What is not in the calendar, or before or after all of it, is no candidate.
    with suppress(ValueError, OverflowError):
        for first, last, reading in readings:
            found.setdefault((first, last), Candidate(first, last, reading))
    return list(found.values())


def _on(day: date, reading: str) -> tuple[date, date, str]:
    return day, day, reading


def _shift(published: date, days: int) -> date:
    return published + timedelta(days=days)


_RELATIVE = {
    "today": 0,
    "tonight": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "earlier today": 0,
    "yesterday": -1,
    "yesterday morning": -1,
    "yesterday afternoon": -1,
    "yesterday evening": -1,
    "tomorrow": 1,
    "the day before yesterday": -2,
    "the day after tomorrow": 2,
}


def _relative(match: re.Match[str], published: date) -> Found:
    days = _RELATIVE[match[0]]
    yield _on(_shift(published, days), "counted from the day of publication")


def _last_night(_: re.Match[str], published: date) -> Found:
    yield _on(_shift(published, -1), "the evening before publication")
    yield _on(published, "after midnight on the day of publication")


def _distance(match: re.Match[str], published: date) -> Found:
    """N days, weeks, months or years ago, or from now."""
    number = _NUMBERS.get(match["number"]) or int(match["number"])
    number *= -1 if match["ago"] else 1
    unit = match["unit"]
    if unit == "day":
        yield _on(_shift(published, number), "counted in days")
    elif unit == "week":
        day = _shift(published, 7 * number)
        yield _on(day, "counted in weeks to the day")
        monday = _shift(day, -day.weekday())
        yield monday, _shift(monday, 6), "the week of that day"
    elif unit == "month":
        yield *_month(published.year, published.month + number), "the month counted in months"
    else:
        yield *_year(published.year + number), "the year counted in years"


def _month(year: int, month: int) -> tuple[date, date]:
    """A month, whose number may run over into other years."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    first = date(year, month, 1)
    return first, first.replace(day=monthrange(year, month)[1])


def _year(year: int) -> tuple[date, date]:
    return date(year, 1, 1), date(year, 12, 31)


_STEPS = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1, "coming": 1}


def _calendar(match: re.Match[str], published: date) -> Found:
    """This, last or next week, month or year."""
    step, unit = _STEPS[match["step"]], match["unit"]
    if unit == "month":
        yield *_month(published.year, published.month + step), "the calendar's month"
    elif unit == "year":
        yield *_year(published.year + step), "the calendar's year"
    else:
        monday = _shift(published, 7 * step - published.weekday())
        yield monday, _shift(monday, 6), "the week from Monday to Sunday"
        sunday = _shift(published, 7 * step - (published.weekday() + 1) % 7)
        yield sunday, _shift(sunday, 6), "the week from Sunday to Saturday"
        if step:
            near, far = sorted((_shift(published, step), _shift(published, 7 * step)))
            yield near, far, "the seven days before or after publication"


def _weekday(match: re.Match[str], published: date) -> Found:
    ahead = (DAYS.index(match["day"]) - published.weekday()) % 7
    back = ahead - 7
    step = match["step"] or ""
    if not step:
        if not ahead:
            yield _on(published, "the day of publication itself")
        yield _on(_shift(published, back), "the last one before publication")
        yield _on(_shift(published, ahead or 7), "the first one after publication")
        return
    this_week = DAYS.index(match["day"]) - published.weekday()
    if step in ("last", "past", "previous"):
        yield _on(_shift(published, back), "the last one before publication")
        yield _on(_shift(published, this_week - 7), "that of the week before")
    elif step == "this":
        yield _on(_shift(published, ahead), "the first one from the day of publication on")
        yield _on(_shift(published, this_week), "that of the same week")
    else:
        yield _on(_shift(published, ahead or 7), "the first one after publication")
        if step == "next":
            yield _on(_shift(published, this_week + 7), "that of the week after")


def _of_month(match: re.Match[str], published: date) -> Found:
    month, step = _number_of(match["month"]), match["step"] or ""
    if match["year"]:
        yield *_month(int(match["year"]), month), "as written"
        return
    this = published.year
    before = this if month < published.month else this - 1
    after = this if month > published.month else this + 1
    if step == "last":
        yield *_month(before, month), "the nearest one before this month"
        yield *_month(this - 1, month), "that of last year"
    elif step == "next":
        yield *_month(after, month), "the nearest one after this month"
        yield *_month(this + 1, month), "that of next year"
    elif step == "this" or month == published.month:
        yield *_month(this, month), "that of this year"
    else:
        yield *_month(before, month), "the last one before publication"
        yield *_month(after, month), "the first one after publication"


def _number_of(month: str) -> int:
    return _SHORT.get(month.rstrip("."), 0) or MONTHS.index(month) + 1


def _of_day(match: re.Match[str], published: date) -> Found:
    day, month = int(match["date"]), _number_of(match["month"])
    if match["year"]:
        yield _on(date(int(match["year"]), month, day), "as written")
        return
    # A leap day may be eight years away, as in 1896 to 1904.
    nearby = [made for y in range(-8, 9) if (made := _made(published.year + y, month, day))]
    before = [made for made in nearby if made <= published]
    after = [made for made in nearby if made > published]
    if before:
        yield _on(before[-1], "the last one up to publication")
    if after:
        yield _on(after[0], "the first one after publication")


def _made(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _iso(match: re.Match[str], _: date) -> Found:
    year, month, day = match["year"], match["mm"], match["dd"]
    if day:
        yield _on(date(int(year), int(month), int(day)), "as written")
    elif month:
        if int(month) in range(1, 13):
            yield *_month(int(year), int(month)), "as written"
    else:
        yield *_year(int(year)), "as written"


def _slashes(match: re.Match[str], _: date) -> Found:
    one, two, year = int(match["one"]), int(match["two"]), int(match["year"])
    for day, month, reading in ((one, two, "the day first"), (two, one, "the month first")):
        made = _made(year, month, day)
        if made:
            yield _on(made, reading)


Rule = Callable[[re.Match[str], date], Found]
_STEP = "(?:(?P<step>last|past|previous|this|next) )?"
_UNIT = "(?P<unit>day|week|month|year)"
_PATTERNS: tuple[tuple[str, Rule], ...] = (
    ("|".join(sorted(_RELATIVE, key=len, reverse=True)), _relative),
    ("last night|overnight", _last_night),
    (f"{_NUMBER} {_UNIT}s? (?P<ago>ago|earlier)", _distance),
    (f"in {_NUMBER} {_UNIT}s?(?: time| from now)?(?P<ago>)", _distance),
    ("(?:the )?(?P<step>last|past|previous|this|next|coming) (?P<unit>week|month|year)", _calendar),
    (
        rf"(?:(?:this )?(?P<step>last|past|previous|this|next|coming) )?{_DAY}"
        "(?: morning| afternoon| evening| night)?",
        _weekday,
    ),
    (rf"{_DATE} (?:of )?{_MONTH}(?:,? {_YEAR})?", _of_day),
    (rf"{_MONTH} {_DATE}(?:,? {_YEAR})?", _of_day),
    (rf"{_STEP}(?:early |mid-?|late )?{_MONTH}(?:,? {_YEAR})?", _of_month),
    (rf"{_YEAR}(?:-(?P<mm>[0-9]{{2}})(?:-(?P<dd>[0-9]{{2}}))?)?", _iso),
    (rf"(?P<one>[0-9]{{1,2}})[/.](?P<two>[0-9]{{1,2}})[/.]{_YEAR}", _slashes),
)
_RULES = [(re.compile(pattern), rule) for pattern, rule in _PATTERNS]


def _plain(pattern: str) -> str:
    return re.sub(r"\(\?P<\w+>", "(?:", pattern)


# In a text, words that are also names of months or mean nothing by themselves need company.
_CAPITAL_DAY = "|".join(name.title() for name in DAYS)
_CAPITAL_MONTH = (
    f"(?:{'|'.join(name.title() for name in MONTHS)}"
    rf"|(?:{'|'.join(name.title() for name in _SHORT if name != 'may')})(?:\.|\b))"
)
_IN_TEXT = re.compile(
    "|".join(
        rf"\b(?:{part})"
        for part in (
            r"[0-9]{4}-[0-9]{2}(?:-[0-9]{2})?\b",
            rf"[0-9]{{1,2}}[/.][0-9]{{1,2}}[/.]{_plain(_YEAR)}\b",
            rf"{_plain(_DATE)} (?:of )?{_CAPITAL_MONTH}(?:,? {_plain(_YEAR)}\b)?",
            rf"{_CAPITAL_MONTH} {_plain(_DATE)}(?![0-9])(?:,? {_plain(_YEAR)}\b)?",
            rf"{_CAPITAL_MONTH},? {_plain(_YEAR)}\b",
            rf"(?i:in|since|during|last|next|this|by|until) (?:early |late |mid-)?{_CAPITAL_MONTH}"
            rf"(?:,? {_plain(_YEAR)}\b|(?! [0-9]))",
            rf"(?:(?i:this coming|last|past|next|this|coming) )?(?:{_CAPITAL_DAY})\b",
            rf"(?i:{'|'.join(sorted(_RELATIVE, key=len, reverse=True))})\b",
            r"(?i:last night|overnight)\b",
            rf"(?i:{_plain(_NUMBER)} {_plain(_UNIT)}s? (?:ago)\b)",
            rf"(?i:in {_plain(_NUMBER)} {_plain(_UNIT)}s?\b(?: time)?)",
            r"(?i:(?:last|past|previous|this|next|coming) (?:week|month|year))\b",
            rf"(?i:in) {_plain(_YEAR)}\b",
        )
    )
)


def expressions(text: str) -> list[str]:
    """Find the expressions of dates in a text that `resolve` understands, in their order.

    >>> expressions("He may march on Monday, two days ago said the mayor of May in March 2011.")
    ['Monday', 'two days ago', 'in March 2011']
    """
    return [text[first:last] for first, last in places(text)]


def places(text: str) -> list[tuple[int, int]]:
    """Find where those expressions begin and end."""
    return [match.span() for match in _IN_TEXT.finditer(text)]
