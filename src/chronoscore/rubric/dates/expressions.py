"""Find every expression of time in a text, and say what it can mean or that it is not understood.

People write "on Monday" and "last week" by habit, not by rule, so that most expressions have
more than one reading: all are kept, the likeliest first. A pattern of `english.toml` finds the
core of an expression: names of days and months need their capital there; the longest match wins,
then the first in the table. Words before the core change it ("early", "the end of", "since");
neighbours narrow each other ("Friday, Feb. 11") or form a range ("Monday to Friday").
docs/judgements.md has the table of expressions and readings.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, Literal, NamedTuple

from chronoscore.rubric.dates import lexicon, meanings
from chronoscore.rubric.dates.lexicon import DAYS, PATTERNS, WORDS
from chronoscore.rubric.dates.meanings import Candidate, around, distinct, number_of, shift

Kind = Literal["date", "bound", "offset", "duration", "started", "ignored", "unknown"]
_START = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]")
_WORD = re.compile(r"[A-Za-z0-9]+(?:[-'’][A-Za-z]+)*")
_JOINTS = re.compile(r"[-'’]")
_BOUNDS = ("since", "until", "after", "from")


class Core(NamedTuple):
    """A pattern, what it finds, the rule that reads it, and what must stand before it."""

    pattern: re.Pattern[str]
    kind: Kind
    rule: meanings.Rule | None
    after: re.Pattern[str] | None


def _core(pattern: str, kind: Any = "date", rule: str = "", after: str = "") -> Core:
    read = getattr(meanings, rule) if rule else None
    return Core(lexicon.compiled(pattern), kind, read, PATTERNS.get(after))


_CORES = [_core(**row) for row in lexicon.CORES]
_MODIFIERS = [(lexicon.compiled(row["pattern"]), row["change"]) for row in lexicon.MODIFIERS]


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

    @property
    def places(self) -> range:
        """The places of its characters in the text."""
        return range(self.start, self.end)

    @property
    def is_dated(self) -> bool:
        """Whether it means days, or bounds them."""
        return self.kind in ("date", "bound")


def find(text: str, published: date, *, alone: bool = False) -> list[Expression]:
    """Find the expressions and the time words of a text, in their order.

    `alone` says that the text is nothing but one expression: "March" is then the month.

    >>> text = "He may march on Friday, May 20, said Mr May in March, recently."
    >>> [one.text for one in find(text, date(2011, 6, 1)) if one.kind == "date"]
    ['Friday, May 20', 'March']
    >>> [one.text for one in find(text, date(2011, 6, 1)) if one.kind == "unknown"]
    ['May', 'recently']
    """
    expressions: list[Expression] = []
    for core in _scan(text, published, alone=alone):
        expression = _extend(text, core, expressions[-1] if expressions else None, published)
        while expressions and expressions[-1].end > expression.start:
            expressions.pop()  # its words belong to this one: "the first seven days of February"
        expressions.append(expression)
    joined = _join(text, expressions)
    covered = {place for expression in joined for place in expression.places}
    unknown = [
        Expression(*span, text[slice(*span)], "unknown")
        for span in _time_words(text)
        if covered.isdisjoint(range(*span))
    ]
    return sorted((*joined, *unknown), key=lambda expression: expression.start)


def resolve(expression: str, published: date) -> list[Candidate]:
    """Return all days or periods that an expression may mean; none if it is not understood.

    >>> [str(day) for day in resolve("yesterday", date(2024, 3, 1))]
    ['2024-02-29']
    >>> [str(day) for day in resolve("last Tuesday", date(2024, 3, 7))]
    ['2024-03-05', '2024-02-27']
    >>> [str(day) for day in resolve("three days after the Jan. 25 rally", date(2011, 2, 14))]
    ['2011-01-28', '2012-01-28']
    """
    text = re.sub(r"\s+", " ", expression.strip()).rstrip(".,;")
    text = PATTERNS["lower_names"].sub(lambda match: match[0].capitalize(), text)
    match = PATTERNS["preposition"].match(text)
    start = match.end() if match else 0
    expressions = [item for item in find(text, published, alone=True) if item.end > start]
    if not expressions or expressions[0].start > start or not expressions[-1].is_dated:
        return []
    *before, dated = expressions
    if [item.kind for item in before] == ["offset"]:
        return list(distinct(count_from(dated.candidates, *before[0].count)))
    return list(dated.candidates) if not before and dated.end == len(text) else []


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
        start = word.start()
        if start < place:
            continue
        preceding = text[max(0, start - 120) : start]
        longest: tuple[Core, re.Match[str]] | None = None
        for core in _CORES:
            match = core.pattern.match(text, start)
            if match is None or match.end() <= place:
                continue
            is_whole_text = alone and not preceding and core.kind == "date"
            if not core.after or is_whole_text or core.after.search(preceding):
                place, longest = match.end(), (core, match)
        if longest:
            yield _expression(*longest, published)


def _groups(match: re.Match[str]) -> dict[str, str]:
    return {name: value.lower() for name, value in match.groupdict().items() if value}


def _expression(core: Core, match: re.Match[str], published: date) -> Expression:
    groups = _groups(match)
    expression = Expression(*match.span(), match[0], core.kind)
    if core.rule is None:
        return replace(expression, count=_count(groups))
    candidates = distinct(core.rule(groups, published))
    weekday = "" if "step" in groups else groups.get("weekday", "")
    kind: Kind = "date" if candidates else "unknown"
    return replace(expression, kind=kind, candidates=candidates, weekday=weekday)


def _count(groups: dict[str, str]) -> tuple[int, str]:
    """Read how far an offset reaches: three weeks before is (-3, week)."""
    way = groups.get("way", "same")
    unit = "week" if "weekday" in groups else groups.get("unit", "day")
    number = number_of(groups["number"]) if "number" in groups else int(way != "same")
    if "exact" in groups and unit in ("year", "month"):
        unit = f"exact {unit}"
    return (-number if way in ("earlier", "before", "prior", "previous", "eve") else number), unit


def _extend(
    text: str, expression: Expression, before: Expression | None, published: date
) -> Expression:
    """Extend a date by the words before it that change it."""
    limit = before.end if before and before.kind not in ("ignored", "duration") else 0
    gap = text[limit : expression.start]
    in_range = before and before.is_dated and PATTERNS["range"].fullmatch(gap)
    if expression.kind != "date" or in_range:
        return expression
    for _ in range(2):
        preceding = text[max(limit, expression.start - 60) : expression.start]
        for pattern, change in _MODIFIERS:
            match = pattern.search(preceding)
            if match is None or (change == "from" and PATTERNS["figures"].search(expression.text)):
                continue  # no words of this kind, or a range: from 3 to 7 May
            start = expression.start - len(preceding) + match.start()
            groups, end = _groups(match), expression.end
            days = (_changed(change, groups, each, published) for each in expression.candidates)
            candidates = distinct(filter(None, days))
            kind: Kind = "bound" if change in _BOUNDS else expression.kind
            expression = Expression(start, end, text[start:end], kind, candidates)
            if not candidates:
                return replace(expression, kind="unknown")
            break
    return expression


def _changed(
    change: str, groups: dict[str, str], candidate: Candidate, published: date
) -> Candidate | None:
    """Return the candidate with changed days; None if no day remains."""
    first, last, reading = candidate
    if change == "fraction":
        number = number_of(groups["number"])
        days = meanings.fraction(first, last, groups["part"], number, groups["unit"])
        return Candidate(*days, reading)
    if change == "since" and first > published:
        return Candidate(first, date.max, f"from {candidate} on")
    half = timedelta(days=(last - first).days // 2)
    first, last = {
        "earlier": (first, min(last, published)),
        "later": (max(first, published), last),
        "early": (first, first + half),
        "late": (last - half, last),
        "mid": (first + half / 2, last - half / 2),
        "since": (first, published),
        "until": (date.min, last),
        "after": (first, date.max),
        "from": (first, date.max),
    }[change]
    return Candidate(first, last, reading) if first <= last else None


def _join(text: str, expressions: list[Expression]) -> list[Expression]:
    """Let neighbours narrow each other, or make a range."""
    joined: list[Expression] = []
    for expression in expressions:
        dated = joined and expression.kind == "date"
        days = _together(text, joined[-1], expression) if dated else None
        if days is None:
            joined.append(expression)
        else:
            start, end = joined[-1].start, expression.end
            joined[-1] = Expression(
                start, end, text[start:end], "date" if days else "unknown", days
            )
    return joined


def _together(text: str, before: Expression, after: Expression) -> tuple[Candidate, ...] | None:
    """Return what an expression and the date after it mean together; None if they are separate."""
    gap = text[before.end : after.start]
    if before.kind == "duration" and PATTERNS["on"].fullmatch(gap):
        return ()  # a week on Monday
    if not before.is_dated:
        return None
    between = text[max(0, before.start - 8) : before.start].lower() == "between "
    if PATTERNS["range"].fullmatch(gap) or (between and PATTERNS["and"].fullmatch(gap)):
        return _range(before, after)
    if not PATTERNS["glue"].fullmatch(gap) or (before.weekday and after.weekday):
        return None
    days = _narrow(before, after)
    in_list = not (before.weekday or after.weekday) and gap.strip() in ("", ",")
    return None if in_list and not days else days


def _range(begin: Expression, end: Expression) -> tuple[Candidate, ...]:
    """Return ranges from each meaning of the first to the nearest later one of the second."""
    pairs = [
        (a.first, min(lasts), "from the first to the last day")
        for a in begin.candidates
        if (lasts := [b.last for b in end.candidates if b.last >= a.first])
    ]
    return distinct(pair for pair in pairs if (pair[1] - pair[0]).days <= 3660)


def _narrow(first: Expression, second: Expression) -> tuple[Candidate, ...]:
    """Keep the days that both can mean; a bare weekday picks its days from the other."""
    if first.weekday or second.weekday:
        name, period = (first.weekday, second) if first.weekday else (second.weekday, first)
        return distinct(
            (day, day, each.reading)
            for each in period.candidates
            if (each.last - each.first).days <= 8
            for step in range((each.last - each.first).days + 1)
            if (day := each.first + timedelta(days=step)).weekday() == DAYS.index(name)
        )
    return distinct(
        (max(a.first, b.first), min(a.last, b.last), a.reading)
        for a in first.candidates
        for b in second.candidates
        if a.overlaps(b.first, b.last)
    )


def _time_words(text: str) -> Iterator[tuple[int, int]]:
    """Find the words that speak of time, whether a pattern knows them or not."""
    for word in _WORD.finditer(text):
        if not WORDS["time"].isdisjoint(_JOINTS.split(word[0].lower())):
            yield word.span()
    for name in ("names", "yearlike"):
        yield from (match.span() for match in PATTERNS[name].finditer(text))
