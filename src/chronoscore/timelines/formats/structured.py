"""Timelines in JSON: by date, as lists of days, as records, with or without their topics."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from chronoscore.core.collection import ONLY
from chronoscore.core.event import Event, numbered_events
from chronoscore.core.reading import Reading
from chronoscore.core.records import JsonError, parse_json, read_records
from chronoscore.timelines.formats.days import DayBook, Policies, said
from chronoscore.timelines.formats.values import UNDATED, Values
from chronoscore.timelines.model import Timeline

Found = tuple[str, str, Timeline, Path]
"""A topic, a timeline's name, the timeline, and its file."""

_KINDS = {"summaries": "summary", "days": "days"}
"""What lines that are no events are told by."""


class SummaryRecord(msgspec.Struct, frozen=True):
    """A line of `{topic, date, summary}`: a day, or a part of it."""

    topic: str
    date: str
    summary: str | tuple[str, ...]
    timeline: str = ""


class TimelineRecord(msgspec.Struct, frozen=True):
    """A line with a whole timeline of a topic, which is the quickest to read."""

    topic: str
    days: dict[str, str | tuple[str, ...]]
    timeline: str = ""


RECORD_FIELDS = frozenset().union(
    *(record.__struct_fields__ for record in (Event, SummaryRecord, TimelineRecord))
)
"""The fields that a line of any kind may have."""


def read_json(
    path: Path, topic: str, name: str, reading: Reading, policies: Policies
) -> Iterator[Found]:
    """Read a JSON file: one timeline, a CHRONOS result, timelines by topic, or records."""
    text = reading.text(path)
    if text is None or not text.strip():
        return
    try:
        raw = parse_json(text)
    except JsonError as error:
        reading.problem(str(error), path, error.line)
        return
    values = Values(reading, policies, lambda written: _line_of(written, text))
    for key, named in values.collection(raw, path, topic, name).items():
        for own, timeline in named.items():
            yield key, own, timeline, path


def read_lines(path: Path, topic: str, reading: Reading, policies: Policies) -> Iterator[Found]:
    """Read a JSONL file: events, summaries of days, or a timeline a line (ours, or news-tls)."""
    kind = _kind(path, reading)
    if kind == "events":
        yield from _events(path, topic, reading, policies)
    elif kind == "summaries":
        yield from _summaries(path, reading, policies)
    elif kind == "days":
        yield from _whole_timelines(path, reading, policies)
    else:
        topic = path.parent.name if path.stem == "timelines" else topic
        values = Values(reading, policies)
        number_of_timelines = 0
        for number, line in reading.lines(path):
            if not line.strip():
                continue
            if line.strip() == "[]":
                reading.notice("an empty timeline is left out", path, number)
                continue
            number_of_timelines += 1
            try:
                raw = parse_json(line)
            except JsonError as error:
                reading.problem(str(error), path, number)
                continue
            made = values.one(raw, path, number)
            yield topic, str(number_of_timelines), made, path


def _kind(path: Path, reading: Reading) -> str:
    """Tell what the lines are by the first that is not blank, without noting anything."""
    trial = Reading(encoding=reading.encoding, max_line=reading.max_line)
    return kind_of_lines(next((line for _, line in trial.lines(path) if line.strip()), "{"))


def kind_of_lines(first: str) -> str:
    """Tell by the first line: events, summaries, days, or timelines without their topics."""
    if not first.lstrip().startswith("{"):
        return "timelines"
    if '"id"' in first:
        return "events"
    return next((k for k, word in _KINDS.items() if f'"{word}"' in first), "events")


def _line_of(written: str, text: str) -> int | None:
    place = text.find(f'"{written}"')
    return None if place < 0 else text.count("\n", 0, place) + 1


def _events(path: Path, topic: str, reading: Reading, policies: Policies) -> Iterator[Found]:
    """Take the dates and texts of events, in file order within a day."""
    books: dict[tuple[str, str], DayBook] = {}
    undated: list[tuple[int, str]] = []
    for line, event in numbered_events(path, reading):
        key = (event.topic or topic, event.timeline or ONLY)
        book = books.setdefault(key, DayBook(path, reading, policies))
        if event.date is None:
            undated.append((line, event.id))
            continue
        day = book.period(event.date, line)
        if day is not None:
            book.enter(day, said(event.text))
    reading.tally(UNDATED, undated, path)
    yield from _finished(books, path)


def _summaries(path: Path, reading: Reading, policies: Policies) -> Iterator[Found]:
    books: dict[tuple[str, str], DayBook] = {}
    for line, record in read_records(path, SummaryRecord, reading):
        key = (record.topic, record.timeline or ONLY)
        book = books.setdefault(key, DayBook(path, reading, policies))
        day = book.period(record.date, line)
        if day is not None:
            book.enter(day, said(record.summary))
    yield from _finished(books, path)


def _whole_timelines(path: Path, reading: Reading, policies: Policies) -> Iterator[Found]:
    for line, record in read_records(path, TimelineRecord, reading):
        book = DayBook(path, reading, policies)
        for written, texts in record.days.items():
            day = book.period(written, line)
            if day is not None:
                book.enter(day, said(texts))
        book.tell_repeats()
        yield record.topic, record.timeline or ONLY, book.timeline(), path


def _finished(books: dict[tuple[str, str], DayBook], path: Path) -> Iterator[Found]:
    for (topic, name), book in books.items():
        book.tell_repeats()
        yield topic, name, book.timeline(), path
