"""Timelines as values, out of a JSON file or straight from Python, under the same policies."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any

import msgspec

from chronoscore.core.reading import Reading
from chronoscore.elements.periods import Period
from chronoscore.timelines.formats.days import DayBook, Policies, said
from chronoscore.timelines.model import Timeline

EXPECTED = (
    "expected {date: [sentence, ...]}, [[date, [sentence, ...]], ...] or "
    '[{"date": ..., "summary": ...}, ...]'
)
_DATE_FIELDS = ("date", "start", "time")
_TEXT_FIELDS = ("summary", "events", "sentences", "text")
_NOTHING = (None, None)


def timeline_of(
    value: Any,
    place: object,
    reading: Reading,
    policies: Policies,
    *,
    line: int | None = None,
    line_of: Callable[[str], int | None] = lambda _: None,
) -> Timeline:
    """Make a timeline of a value; what is wrong is noted, with the place and line it came from."""
    if isinstance(value, Timeline):
        if all(day.is_day for day, _ in value.days):
            return value
        pairs: Iterable[Any] = value.days
    elif isinstance(value, Mapping):
        pairs = value.items()
    elif isinstance(value, Iterable) and not isinstance(value, str | bytes):
        pairs = value
    else:
        reading.problem(f"{EXPECTED}; got {_shown(value)}", place, line)
        return Timeline()
    book = DayBook(place, reading, policies)
    empty = True
    for item in pairs:
        empty = False
        when, sentences = _entry(item)
        if when is None or sentences is None:
            reading.problem(
                f"expected a date and its list of sentences: {_shown(item)}", place, line
            )
            continue
        if isinstance(when, str):
            day = book.period(when, line, line_of)
        else:
            day = book.settled(when, str(when), line)
        if day is None:
            continue
        if day in book.days:
            reading.notice(f"{day} stands twice, {book.told()}", place, line)
        book.enter(day, sentences)
    if empty:
        reading.notice("the timeline is empty", place, line)
    return book.timeline()


def is_date(key: Any) -> bool:
    """Whether it is meant as a date, right or wrong."""
    if isinstance(key, date | Period):
        return True
    text = str(key)
    try:
        Period.parse(text)
    except ValueError:
        return text[:4].isdecimal() and "-" in text
    return True


def _entry(item: Any) -> tuple[str | Period | None, list[str] | None]:
    """Take a date and its sentences out of a pair or a record, None for what is not there."""
    if isinstance(item, tuple | list):
        if len(item) != 2:
            return _NOTHING
        when, texts = item
    elif isinstance(item, Mapping):
        when = next((item[name] for name in _DATE_FIELDS if name in item), None)
        texts = next((item[name] for name in _TEXT_FIELDS if name in item), None)
    else:
        return _NOTHING
    if isinstance(when, str):
        pass
    elif isinstance(when, date):
        # A datetime is a date too, but equals none: only its day counts here.
        when = Period.day(date(when.year, when.month, when.day))
    elif not isinstance(when, Period):
        when = None
    if isinstance(texts, str):
        return when, list(said(texts))
    if not isinstance(texts, list):  # the most common first: this is called for every day
        if isinstance(texts, Mapping | bytes) or not isinstance(texts, Iterable):
            return when, None
        texts = list(texts)
    for text in texts:
        if not isinstance(text, str):
            return when, None
    return when, texts


def _shown(value: Any) -> str:
    """The beginning of a value, as JSON where it can be written so."""
    try:
        text = msgspec.json.encode(value).decode()
    except (TypeError, ValueError):
        text = repr(value)
    return text[:60]
