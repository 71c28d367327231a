"""Find every expression of time in a text, and say what it can mean or that it is not understood.

People write "on Monday" and "last week" by habit, not by rule, so that most expressions have
more than one reading: all are kept, the likeliest first. A pattern of the language's lexicon finds
the core of an expression; the longest match wins, then the first in the table. Words before the
core change it ("early", "the end of", "since"); neighbours narrow each other ("Friday, Feb. 11")
or form a range ("Monday to Friday"). docs/judgements.md has the table of English expressions and
their readings.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta

from chronoscore.elements.time.expressions.lexicon import Core, Kind, Lexicon
from chronoscore.elements.time.expressions.meanings import (
    Candidate,
    Groups,
    around,
    distinct,
    fraction,
    shift,
)

_START = re.compile(r"(?<![^\W_])[^\W_]")
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W\d_]+)*")
_JOINTS = re.compile(r"[-'’]")
_BOUNDS = ("since", "until", "after", "from")


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
    weekday: int = 0
    """The weekday from Monday (1) to Sunday (7), if the expression says nothing else."""

    @property
    def places(self) -> range:
        """The places of its characters in the text."""
        return range(self.start, self.end)

    @property
    def is_dated(self) -> bool:
        """Whether it means days, or bounds them."""
        return self.kind in ("date", "bound")


def find(text: str, published: date, lexicon: Lexicon, *, alone: bool = False) -> list[Expression]:
    """Find the expressions and the time words of a text, in their order.

    `alone` says that the text is nothing but one expression: "March" is then the month.

    >>> from chronoscore.elements.time.expressions.lexicon import load_lexicon
    >>> text = "He may march on Friday, May 20, said Mr May in March, recently."
    >>> found = find(text, date(2011, 6, 1), load_lexicon("en"))
    >>> [one.text for one in found if one.kind == "date"]
    ['Friday, May 20', 'March']
    >>> [one.text for one in found if one.kind == "unknown"]
    ['May', 'recently']
    """
    expressions: list[Expression] = []
    for core in _scan(text, published, lexicon, alone=alone):
        before = expressions[-1] if expressions else None
        expression = _extend(text, core, before, published, lexicon)
        while expressions and expressions[-1].end > expression.start:
            expressions.pop()  # its words belong to this one: "the first seven days of February"
        expressions.append(expression)
    joined = _join(text, expressions, lexicon)
    covered = {place for expression in joined for place in expression.places}
    unknown = [
        Expression(*span, text[slice(*span)], "unknown")
        for span in _time_words(text, lexicon)
        if covered.isdisjoint(range(*span))
    ]
    return sorted((*joined, *unknown), key=lambda expression: expression.start)


def resolve(expression: str, published: date, lexicon: Lexicon) -> list[Candidate]:
    """Return all days or periods that an expression may mean; none if it is not understood.

    >>> from chronoscore.elements.time.expressions.lexicon import load_lexicon
    >>> english, text = load_lexicon("en"), "three days after the Jan. 25 rally"
    >>> [str(day) for day in resolve("last Tuesday", date(2024, 3, 7), english)]
    ['2024-03-05', '2024-02-27']
    >>> [str(day) for day in resolve(text, date(2011, 2, 14), english)]
    ['2011-01-28', '2012-01-28']
    """
    text = re.sub(r"\s+", " ", expression.strip()).rstrip(".,;")
    text = lexicon.patterns["lower_names"].sub(lambda match: match[0].capitalize(), text)
    match = lexicon.patterns["preposition"].match(text)
    start = match.end() if match else 0
    found = find(text, published, lexicon, alone=True)
    expressions = [item for item in found if item.end > start]
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


def _scan(text: str, published: date, lexicon: Lexicon, *, alone: bool) -> Iterator[Expression]:
    """Find the cores from left to right."""
    place = 0
    for word in _START.finditer(text):
        start = word.start()
        if start < place:
            continue
        preceding = text[max(0, start - 120) : start]
        longest: tuple[Core, re.Match[str]] | None = None
        for core in lexicon.cores:
            match = core.pattern.match(text, start)
            if match is None or match.end() <= place:
                continue
            is_whole_text = alone and not preceding and core.kind == "date"
            if not core.after or is_whole_text or core.after.search(preceding):
                place, longest = match.end(), (core, match)
        if longest:
            core, match = longest
            yield _expression(core, match, lexicon.groups(match), published)


def _expression(core: Core, match: re.Match[str], groups: Groups, published: date) -> Expression:
    expression = Expression(*match.span(), match[0], core.kind)
    if core.rule is None:
        return replace(expression, count=_count(groups))
    candidates = distinct(core.rule(groups, published))
    weekday = 0 if "step" in groups else groups.get("weekday", 0)
    kind: Kind = "date" if candidates else "unknown"
    return replace(expression, kind=kind, candidates=candidates, weekday=weekday)


def _count(groups: Groups) -> tuple[int, str]:
    """Read how far an offset reaches: three weeks before is (-3, week)."""
    way = groups.get("way", 0)
    unit = "week" if "weekday" in groups else groups.get("unit", "day")
    number = groups.get("number", abs(way))
    if "exact" in groups and unit in ("year", "month"):
        unit = f"exact {unit}"
    return (-number if way < 0 else number), unit


def _extend(
    text: str,
    expression: Expression,
    before: Expression | None,
    published: date,
    lexicon: Lexicon,
) -> Expression:
    """Extend a date by the words before it that change it."""
    limit = before.end if before and before.kind not in ("ignored", "duration") else 0
    gap = text[limit : expression.start]
    in_range = before and before.is_dated and lexicon.patterns["range"].fullmatch(gap)
    if expression.kind != "date" or in_range:
        return expression
    in_figures = lexicon.patterns["figures"]
    for _ in range(2):
        preceding = text[max(limit, expression.start - 60) : expression.start]
        for pattern, change in lexicon.modifiers:
            match = pattern.search(preceding)
            if match is None or (change == "from" and in_figures.search(expression.text)):
                continue  # no words of this kind, or a range: from 3 to 7 May
            start = expression.start - len(preceding) + match.start()
            groups, end = lexicon.groups(match), expression.end
            days = (_changed(change, groups, each, published) for each in expression.candidates)
            candidates = distinct(filter(None, days))
            kind: Kind = "bound" if change in _BOUNDS else expression.kind
            expression = Expression(start, end, text[start:end], kind, candidates)
            if not candidates:
                return replace(expression, kind="unknown")
            break
    return expression


def _changed(
    change: str, groups: Groups, candidate: Candidate, published: date
) -> Candidate | None:
    """Return the candidate with changed days; None if no day remains."""
    first, last, reading = candidate
    if change == "fraction":
        days = fraction(first, last, groups["part"], groups["number"], groups["unit"])
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


def _join(text: str, expressions: list[Expression], lexicon: Lexicon) -> list[Expression]:
    """Let neighbours narrow each other, or make a range."""
    joined: list[Expression] = []
    for expression in expressions:
        dated = joined and expression.kind == "date"
        days = _together(text, joined[-1], expression, lexicon) if dated else None
        if days is None:
            joined.append(expression)
        else:
            start, end = joined[-1].start, expression.end
            joined[-1] = Expression(
                start, end, text[start:end], "date" if days else "unknown", days
            )
    return joined


def _together(
    text: str, before: Expression, after: Expression, lexicon: Lexicon
) -> tuple[Candidate, ...] | None:
    """Return what an expression and the date after it mean together; None if they are separate."""
    gap, patterns = text[before.end : after.start], lexicon.patterns
    if before.kind == "duration" and patterns["on"].fullmatch(gap):
        return ()  # a week on Monday
    if not before.is_dated:
        return None
    between = patterns["between"].search(text[max(0, before.start - 60) : before.start])
    if patterns["range"].fullmatch(gap) or (between and patterns["and"].fullmatch(gap)):
        return _range(before, after)
    if not patterns["glue"].fullmatch(gap) or (before.weekday and after.weekday):
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
        number, period = (first.weekday, second) if first.weekday else (second.weekday, first)
        return distinct(
            (day, day, each.reading)
            for each in period.candidates
            if (each.last - each.first).days <= 8
            for step in range((each.last - each.first).days + 1)
            if (day := each.first + timedelta(days=step)).isoweekday() == number
        )
    return distinct(
        (max(a.first, b.first), min(a.last, b.last), a.reading)
        for a in first.candidates
        for b in second.candidates
        if a.overlaps(b.first, b.last)
    )


def _time_words(text: str, lexicon: Lexicon) -> Iterator[tuple[int, int]]:
    """Find the words that speak of time, whether a pattern knows them or not."""
    for word in _WORD.finditer(text):
        if not lexicon.words["time"].isdisjoint(_JOINTS.split(word[0].lower())):
            yield word.span()
    for name in ("names", "yearlike"):
        yield from (match.span() for match in lexicon.patterns[name].finditer(text))
