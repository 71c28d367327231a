"""What was understood of a file or folder of timelines, as a person would describe it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from chronoscore.core.case import some
from chronoscore.core.problems import Fact
from chronoscore.elements.dated.model import Timeline
from chronoscore.elements.dated.values import LANGUAGE, Collection
from chronoscore.elements.text import mostly_foreign, not_english
from chronoscore.elements.time import Time
from chronoscore.reports.table import plural

Lines = list[tuple[str, str]]
"""What each line of a description is about, and the line."""
_FAR = 20
"""Years by which a date is far from its neighbours."""
_MOST = 3 / 4
"""The share of another timeline's sentences that is hardly chance."""
_MOST_COMPARED = 50
"""The most timelines of a topic that are compared with each other."""
_LONG = 2000
"""Characters of a sentence that is probably several."""


def describe(timelines: Collection, facts: Mapping[Fact, int]) -> Lines:
    """Describe topics, timelines, dates, sentences and languages, and list what is questionable.

    >>> days = {Time.parse("2011-02-11"): ["Mubarak resigns."]}
    >>> for about, text in describe({"egypt": {"1": Timeline.of(days)}}, {}):
    ...     print(about, "-", text)
    topics - 1: egypt
    timelines - 1
    dates - 1, from 2011-02-11 to 2011-02-11
    sentences - 1
    language - looks English
    """
    every = [timeline for named in timelines.values() for timeline in named.values()]
    dates = sorted({day for timeline in every for day in timeline.dates})
    entries = [texts for timeline in every for _, texts in timeline.days]
    number = sum(map(len, entries))
    lines = [
        ("topics", f"{len(timelines)}: {some([*timelines])}"),
        ("timelines", _with_range(len(every), map(len, timelines.values()), "a topic")),
    ]
    if dates:
        each = _range((len(timeline.days) for timeline in every), "a timeline")
        lines.append(
            ("dates", ", ".join(filter(None, (f"{len(entries)}", each, _span(dates))))),
        )
    if number:
        lines.append(("sentences", _with_range(number, map(len, entries), "a date")))
        lines.append(("language", _languages(timelines, facts)))
    else:
        lines.append(("sentences", "none: only dates can be scored"))
    return [*lines, *(("check", text) for text in _questions(timelines, number > 0))]


def _with_range(number: int, each: Iterable[int], of: str) -> str:
    return ", ".join(filter(None, (f"{number}", _range(each, of))))


def _range(numbers: Iterable[int], of: str) -> str:
    """Return the least and the greatest number, unless they are equal to 1."""
    least, most = _ends([*numbers] or [1])
    if least == most:
        return f"{least} {of}" if most != 1 else ""
    return f"{least} to {most} {of}"


def _ends(numbers: Sequence[int]) -> tuple[int, int]:
    return min(numbers), max(numbers)


def _span(dates: Sequence[Time]) -> str:
    return f"from {dates[0]} to {dates[-1]}"


def _languages(timelines: Collection, facts: Mapping[Fact, int]) -> str:
    """Return the languages that the data name, or whether the text looks English."""
    named = sorted({fact[3] for fact in facts if fact[0] == LANGUAGE})
    if named:
        return ", ".join(named)
    foreign, other = [], []
    for topic, by_name in timelines.items():
        texts = [text for one in by_name.values() for _, day in one.days for text in day]
        if mostly_foreign(texts):
            foreign.append(topic)
        elif not_english(texts):
            other.append(topic)
    found = [
        f"{what}: {some(topics)}"
        for what, topics in (("not in Latin script", foreign), ("not English", other))
        if topics
    ]
    return "; ".join(found) or "looks English"


def _questions(timelines: Collection, texts_expected: bool) -> Iterator[str]:
    """Yield what may be a mistake of the collection, though it can be read."""
    for topic, named in timelines.items():
        others = [*named.items()]
        if len(named) > _MOST_COMPARED:
            others.clear()
            yield f"{topic}: its {len(named)} timelines were not compared with each other"
        for name, timeline in named.items():
            label = topic if len(named) == 1 else f"{topic}/{name}"
            for other, second in others:
                if relation := _relation(timeline, second, later=other > name):
                    yield f"{label}: {relation} '{other}'"
            bare = sum(not texts for _, texts in timeline.days)
            if bare and texts_expected:
                yield f"{label}: {plural(bare, 'date')} without text"
            if far := _far_dates(timeline):
                yield f"{label}: more than {_FAR} years from the dates around: {some(far)}"
            long = [str(day) for day, texts in timeline.days if any(len(t) > _LONG for t in texts)]
            if long:
                yield f"{label}: a sentence of more than {_LONG} characters: {some(long)}"


def _relation(timeline: Timeline, other: Timeline, *, later: bool) -> str:
    """Say whether a timeline equals another one of its topic (once a pair), or contains it."""
    if timeline is other or not other.days:
        return ""
    if timeline == other:
        return "the same timeline as" if later else ""
    if len(other.days) > len(timeline.days) or not {*other.dates} <= {*timeline.dates}:
        return ""
    texts = {text for _, day in timeline.days for text in day}
    sentences = [text for _, day in other.days for text in day]
    repeated = sum(text in texts for text in sentences)
    contained = repeated > len(sentences) * _MOST
    return f"repeats {repeated} of {len(sentences)} sentences of" if contained else ""


def _far_dates(timeline: Timeline) -> list[str]:
    """Return the dates that are many years from the ones before and after them."""
    dates = [day for day in timeline.dates if day.axis == "calendar" and day.begin is not None]
    if len(dates) < 3:
        return []
    years = [day.cells("year")[0] for day in dates]
    gaps = [later - earlier for earlier, later in pairwise(years)]
    around = zip([_FAR + 1, *gaps], [*gaps, _FAR + 1], strict=True)
    return [str(day) for day, both in zip(dates, around, strict=True) if min(both) > _FAR]
