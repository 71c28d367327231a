"""Find every expression of time in a text, and say what it can mean or that it is not understood.

People write "on Monday" and "last week" by habit, not by rule, so that most expressions have
more than one reading: all are kept, the likeliest first. Words before the core of an expression
change it ("early", "the end of", "since"); neighbours narrow each other ("Friday, Feb. 11") or
make a range ("Monday to Friday"). docs/judgements.md has the table of expressions and readings.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta

from chronoscore.rubric.dates.lexicon import DAYS, MONTHS, SHORT_MONTHS, TIME_WORDS
from chronoscore.rubric.dates.patterns import CORES, LEFT, Core, Kind
from chronoscore.rubric.dates.readings import (
    Candidate,
    around,
    distinct,
    fraction,
    number_of,
    shift,
)


@dataclass(frozen=True, slots=True)
class Expression:
    """A stretch of text that speaks of time."""

    start: int
    end: int
    text: str
    kind: Kind
    candidates: tuple[Candidate, ...] = ()
    """What a date or a bound may mean."""
    count: tuple[int, str] = (0, "day")
    """How far an offset or a duration reaches: a signed number and its unit."""
    weekday: str = ""
    """The weekday, if the expression says nothing else."""


_WORD = re.compile(r"[A-Za-z0-9]+(?:[-'’][A-Za-z]+)*")
_START = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]")
_PARTS = re.compile(r"[-'’]")
_GLUE = re.compile(r"[,(]?\s*(?:(?:of|in|on|at|the)\s+)*", re.IGNORECASE)
_RANGE = re.compile(r"\s*(?:[-–—]|\b(?:to|through|into|until|till)\b)\s*(?:the\s+)?")
_ON = re.compile(r"\s+(?:on\s+|to\s+)?")
_AND = re.compile(r"\s+and\s+(?:on\s+)?")
_BOUNDS = ("since", "until", "after", "from")
_FIGURES = re.compile(r"[0-9](?:st|nd|rd|th)?\W*(?:[-–—]|to|through|until|till|and)\W*[0-9]")
_PREPOSITION = re.compile(
    r"(?:(?:on|in|at|during|over|for|from|between|the(?: (?:night|evening|morning|afternoon|small"
    r" hours|early hours) of)?|of)\s+)*",
    re.IGNORECASE,
)
_YEARLIKE = re.compile(r"\b(?:19|20)[0-9]{2}\b|\b[0-9]{1,2}/[0-9]{1,2}\b|['’][0-9]0s\b")
_NAMES = re.compile(
    rf"\b(?:{'|'.join(name.title() for name in (*DAYS, *MONTHS))})s?\b"
    r"|\b(?:Mon|Tues?|Wed|Thurs?|Fri|Sat|Sun)\."
    rf"|\b(?:{'|'.join(name.title() for name in SHORT_MONTHS)})\b"
)


def find(text: str, published: date, *, alone: bool = False) -> list[Expression]:
    """Find the expressions and the time words of a text, in their order.

    `alone` says that the text is nothing but one expression: "March" is then the month.

    >>> text = "He may march on Friday, May 20, said Mr May in March, recently."
    >>> [one.text for one in find(text, date(2011, 6, 1)) if one.kind == "date"]
    ['Friday, May 20', 'March']
    >>> [one.text for one in find(text, date(2011, 6, 1)) if one.kind == "unknown"]
    ['May', 'recently']
    """
    kept: list[Expression] = []
    for core in _scan(text, published, alone=alone):
        one = _extend(text, core, kept[-1] if kept else None, published)
        while kept and kept[-1].end > one.start:
            kept.pop()  # its words belong to this one: "the first seven days of February"
        kept.append(one)
    joined = _join(text, kept)
    covered = {place for one in joined for place in range(one.start, one.end)}
    unknown = [
        Expression(*span, text[slice(*span)], "unknown")
        for span in _time_words(text)
        if covered.isdisjoint(range(*span))
    ]
    return sorted((*joined, *unknown), key=lambda one: one.start)


def resolve(expression: str, published: date) -> list[Candidate]:
    """Give all days or periods that an expression may mean; none if it is not understood.

    >>> [str(day) for day in resolve("yesterday", date(2024, 3, 1))]
    ['2024-02-29']
    >>> [str(day) for day in resolve("last Tuesday", date(2024, 3, 7))]
    ['2024-03-05', '2024-02-27']
    >>> [str(day) for day in resolve("three days after the Jan. 25 rally", date(2011, 2, 14))]
    ['2011-01-28', '2012-01-28']
    """
    text = re.sub(r"\s+", " ", expression.strip()).rstrip(".,;")
    names = "|".join((*DAYS, *MONTHS, r"(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b"))
    text = re.sub(rf"\b(?:{names})", lambda match: match[0].capitalize(), text, flags=re.I)
    match = _PREPOSITION.match(text)
    start = match.end() if match else 0
    found = [one for one in find(text, published, alone=True) if one.end > start]
    if not found or found[0].start > start:
        return []
    if any(one.kind not in ("date", "bound", "offset") for one in found):
        return []
    dates = [one for one in found if one.kind in ("date", "bound")]
    offsets = [one for one in found if one.kind == "offset"]
    if offsets and (len(dates), len(offsets)) == (1, 1) and found[0] is offsets[0]:
        return list(distinct(count_from(dates[0].candidates, *offsets[0].count)))
    if offsets or len(dates) != 1 or dates[0].end != len(text):
        return []
    return list(dates[0].candidates)


def count_from(
    anchors: tuple[Candidate, ...], number: int, unit: str
) -> Iterator[tuple[date, date, str]]:
    """Count from what an anchor may mean: three days after the Jan. 25 rally."""
    exact, _, unit = unit.rpartition(" ")
    for anchor in anchors:
        first, last = shift(anchor.first, number, unit), shift(anchor.last, number, unit)
        days = (first, last) if exact else around(first, last, number, unit)
        yield *days, f"counted from {anchor}"


def _scan(text: str, published: date, *, alone: bool) -> Iterator[Expression]:
    """Find the cores from left to right."""
    place = 0
    for word in _START.finditer(text):
        if word.start() < place:
            continue
        best: tuple[int, Core, re.Match[str]] | None = None
        start = word.start()
        left = text[max(0, start - 120) : start]
        for core in CORES:
            match = core.pattern.match(text, start)
            if match is None or (best and match.end() <= best[0]):
                continue
            whole = alone and not left and core.kind == "date"
            if core.before and not whole and not core.before.search(left):
                continue
            best = match.end(), core, match
        if best:
            place = best[0]
            yield _expression(text, best[1], best[2], published)


def _expression(text: str, core: Core, match: re.Match[str], published: date) -> Expression:
    groups = {name: value.lower() for name, value in match.groupdict().items() if value}
    made = Expression(match.start(), match.end(), match[0], core.kind)
    if core.rule:
        candidates = distinct(core.rule(groups, published))
        only = groups.get("weekday", "") if not groups.get("step") else ""
        kind: Kind = "date" if candidates else "unknown"
        return replace(made, kind=kind, candidates=candidates, weekday=only)
    if core.kind in ("offset", "duration"):
        return replace(made, count=_count(groups))
    return made


def _count(groups: dict[str, str]) -> tuple[int, str]:
    """Read how far an offset reaches: three weeks before is (-3, week)."""
    way, unit = groups.get("way", "same"), groups.get("unit", "day")
    if "weekday" in groups:
        unit = "week"
    number = number_of(groups["number"]) if "number" in groups else int(way != "same")
    if "exact" in groups and unit in ("year", "month"):
        unit = f"exact {unit}"
    return (-number if way in ("earlier", "before", "prior", "previous", "eve") else number), unit


def _extend(text: str, one: Expression, before: Expression | None, published: date) -> Expression:
    """Take in the words before a date that change it."""
    limit = before.end if before and before.kind not in ("ignored", "duration") else 0
    in_range = before and before.kind in ("date", "bound")
    if one.kind != "date" or (in_range and _RANGE.fullmatch(text[limit : one.start])):
        return one
    for _ in range(2):
        left = text[max(limit, one.start - 60) : one.start]
        for pattern, operation in LEFT:
            match = pattern.search(left)
            if match is None:
                continue
            start = one.start - len(left) + match.start()
            groups = {name: value.lower() for name, value in match.groupdict().items() if value}
            if operation == "from" and _FIGURES.search(one.text):
                continue  # from 3 to 7 May
            kind: Kind = "bound" if operation in _BOUNDS else one.kind
            candidates = distinct(
                (made.first, made.last, made.reading)
                for each in one.candidates
                if (made := _operate(operation, groups, each, published))
            )
            one = Expression(start, one.end, text[start : one.end], kind, candidates)
            if not candidates:
                return replace(one, kind="unknown")
            break
    return one


def _operate(
    operation: str, groups: dict[str, str], one: Candidate, published: date
) -> Candidate | None:
    """Change the days of a candidate; None where nothing is left of them."""
    first, last, reading = one.first, one.last, one.reading
    half = timedelta(days=(last - first).days // 2)
    if operation == "earlier" and first <= published:
        last = min(last, published)
    elif operation == "later" and last >= published:
        first = max(first, published)
    elif operation in ("earlier", "later"):
        return None
    elif operation == "early":
        last = first + half
    elif operation == "late":
        first = last - half
    elif operation == "mid":
        first, last = first + half / 2, last - half / 2
    elif operation == "fraction":
        number = number_of(groups["number"])
        first, last = fraction(first, last, groups["part"], number, groups["unit"])
    elif operation == "since":
        if first > published and last > published:
            return Candidate(first, date.max, f"from {one} on")
        last = published
    elif operation == "until":
        first = date.min
    else:
        last = date.max
    return Candidate(first, last, reading)


def _join(text: str, found: list[Expression]) -> list[Expression]:
    """Let neighbours narrow each other, or make a range."""
    joined: list[Expression] = []
    for one in found:
        before = joined[-1] if joined else None
        gap = text[before.end : one.start] if before else ""
        if before and before.kind == "duration" and one.kind == "date" and _ON.fullmatch(gap):
            whole = text[before.start : one.end]  # a week on Monday
            joined[-1] = Expression(before.start, one.end, whole, "unknown")
            continue
        if before and before.kind in ("date", "bound") and one.kind == "date":
            between = text[max(0, before.start - 8) : before.start].lower() == "between "
            made = None
            if _RANGE.fullmatch(gap) or (between and _AND.fullmatch(gap)):
                made = _range(before, one)
            elif _GLUE.fullmatch(gap) and not (before.weekday and one.weekday):
                made = _narrow(before, one)
                if not (made or before.weekday or one.weekday or gap.strip() not in ("", ",")):
                    made = None  # two dates in a list
            if made is not None:
                kind: Kind = "date" if made else "unknown"
                joined[-1] = Expression(
                    before.start, one.end, text[before.start : one.end], kind, made
                )
                continue
        joined.append(one)
    return joined


def _range(begin: Expression, end: Expression) -> tuple[Candidate, ...]:
    """From each meaning of the first to the nearest meaning of the second after it."""
    pairs = [
        (a.first, min(lasts), "from the first to the last day")
        for a in begin.candidates
        if (lasts := [b.last for b in end.candidates if b.last >= max(a.first, date.min)])
    ]
    return distinct(pair for pair in pairs if (pair[1] - pair[0]).days <= 3660)


def _narrow(one: Expression, other: Expression) -> tuple[Candidate, ...]:
    """Keep the days that both can mean; a bare weekday picks its days from the other."""
    if one.weekday or other.weekday:
        name, period = (one.weekday, other) if one.weekday else (other.weekday, one)
        number = DAYS.index(name)
        days = [
            (day, day, each.reading)
            for each in period.candidates
            if (each.last - each.first).days <= 8
            for step in range((each.last - each.first).days + 1)
            if (day := each.first + timedelta(days=step)).weekday() == number
        ]
        return distinct(days)
    return distinct(
        (max(a.first, b.first), min(a.last, b.last), a.reading)
        for a in one.candidates
        for b in other.candidates
        if a.overlaps(b.first, b.last)
    )


def _time_words(text: str) -> Iterator[tuple[int, int]]:
    """Find the words that speak of time, whether a pattern knows them or not."""
    for word in _WORD.finditer(text):
        if not TIME_WORDS.isdisjoint(_PARTS.split(word[0].lower())):
            yield word.span()
    for pattern in (_NAMES, _YEARLIKE):
        for match in pattern.finditer(text):
            yield match.span()
