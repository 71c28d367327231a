"""Reading timelines: tilse text, JSON, news-tls `timelines.jsonl`, and `events.jsonl`.

A folder holds topics: a file is a topic's only timeline, a subfolder holds one file (or one line
of `timelines.jsonl`) for each of a topic's timelines, possibly in a subfolder `timelines`.
"""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import msgspec

from chronoscore.core.collection import ONLY, put
from chronoscore.core.event import JsonError, numbered_events, parse_json
from chronoscore.core.reading import Reading
from chronoscore.elements.dates import parse_day
from chronoscore.timelines.model import Timeline

Collection = dict[str, dict[str, Timeline]]
"""Timelines by topic and, within a topic, by name."""

DAY_END = "-" * 32
_SUFFIXES = (".txt", ".json", ".jsonl")
_Days = dict[date, list[str]]
_Found = tuple[str, str, Timeline, Path]
"""A topic, a timeline's name, the timeline, and its file."""


def read_timelines(path: Path, reading: Reading) -> Collection:
    """Read a file or a folder; everything wrong is noted in the reading."""
    found: Collection = {}
    if not path.exists():
        reading.problem("there is no such file or folder", path)
    elif path.is_dir():
        before = len(reading.problems)
        for topic, name, timeline, file in _folder(path, reading):
            put(found, topic, name, timeline, reading, file)
        if not found and len(reading.problems) == before:
            reading.problem(f"no timelines in the folder ({', '.join(_SUFFIXES)})", path)
    else:
        for topic, name, timeline, _ in _file(path, path.stem, ONLY, reading):
            put(found, topic, name, timeline, reading, path)
    return found


def _folder(folder: Path, reading: Reading) -> Iterator[_Found]:
    for entry in _entries(folder):
        if entry.is_file():
            yield from _file(entry, entry.stem, ONLY, reading)
            continue
        inner = entry / "timelines"
        files = [
            file
            for file in _entries(inner if inner.is_dir() else entry)
            if file.is_file() and not file.name.startswith("articles")
        ]
        if not files:
            reading.notice("no timelines in this folder, it is not a topic", entry)
        for file in files:
            yield from _file(file, entry.name, file.stem, reading)


def _entries(folder: Path) -> list[Path]:
    return sorted(
        entry
        for entry in folder.iterdir()
        if not entry.name.startswith(".") and (entry.is_dir() or entry.suffix in _SUFFIXES)
    )


def _file(path: Path, topic: str, name: str, reading: Reading) -> Iterator[_Found]:
    if path.suffix == ".jsonl":
        if _holds_events(path, reading):
            yield from _from_events(path, topic, reading)
        else:
            yield from _from_lines(path, topic, reading)
    elif path.suffix == ".json":
        text = reading.text(path)
        if text is not None:
            days = _days_of_json(text, path, None, reading)
            if days is not None:
                yield topic, name, Timeline.of(days), path
    else:
        yield topic, name, Timeline.of(_days_of_text(path, reading)), path


def _days_of_text(path: Path, reading: Reading) -> _Days:
    """Read tilse text: a date, a sentence a line, and a line of 32 dashes after each day.

    tilse drops a last day without dashes, lets a second date replace the first, and keeps the
    latter of two equal days, all in silence. Here each is a problem with its line.
    """
    days: _Days = {}
    day: date | None = None
    open_since: int | None = None
    for number, line in reading.lines(path):
        text = line.strip()
        if text == DAY_END:
            if open_since is None:
                reading.problem("a line of dashes with no date before it", path, number)
            day, open_since = None, None
        elif open_since is not None:
            if text and set(text) == {"-"}:
                reading.problem(
                    f"a line of {len(text)} dashes, expected {len(DAY_END)} to end a day",
                    path,
                    number,
                )
                day, open_since = None, None  # it was meant to
            elif text.startswith(DAY_END):
                reading.problem("text after the dashes that end a day", path, number)
                day, open_since = None, None
            elif text and day is not None:
                if _is_day(text):
                    reading.doubt(
                        f"a date within {day}; are the dashes before it missing?", path, number
                    )
                days[day].append(text)
        elif text:
            open_since = number
            day = _day(text, path, number, reading)
            if day in days:
                reading.doubt(f"{day} stands twice, the texts are joined", path, number)
            elif day is not None:
                days[day] = []
    if open_since is not None:
        reading.doubt(
            f"the last day is not closed by {len(DAY_END)} dashes; is the file cut?",
            path,
            open_since,
        )
    return days


def _is_day(text: str) -> bool:
    try:
        parse_day(text)
    except ValueError:
        return False
    return True


def _from_lines(path: Path, topic: str, reading: Reading) -> Iterator[_Found]:
    """Read news-tls lines: each is one timeline, [[date, [sentence, ...]], ...]."""
    topic = path.parent.name if path.stem == "timelines" else topic
    name = 0
    for number, line in reading.lines(path):
        if not line.strip():
            continue
        if line.strip() == "[]":
            reading.notice("an empty timeline is left out", path, number)
            continue
        name += 1
        days = _days_of_json(line, path, number, reading)
        if days is not None:
            yield topic, str(name), Timeline.of(days), path


def _days_of_json(text: str, path: Path, line: int | None, reading: Reading) -> _Days | None:
    """Read {date: [sentence, ...]} or [[date, [sentence, ...]], ...]."""
    try:
        raw = parse_json(text)
    except JsonError as error:
        reading.problem(str(error), path, line or error.line)
        return None
    pairs = list(raw.items()) if isinstance(raw, dict) else raw
    if not isinstance(pairs, list):
        reading.problem(
            "expected {date: [sentence, ...]} or [[date, [sentence, ...]], ...]", path, line
        )
        return None
    if not pairs:
        reading.notice("the timeline is empty", path, line)
    days: _Days = {}
    for pair in pairs:
        match pair:
            case (str(written), [*sentences]) if all(isinstance(s, str) for s in sentences):
                day = _day(written, path, line or _line_of(written, text), reading)
                if day in days:
                    reading.notice(f"{day} stands twice, the texts are joined", path, line)
                if day is not None:
                    days.setdefault(day, []).extend(sentences)
            case _:
                shown = msgspec.json.encode(pair).decode()[:60]
                reading.problem(f"expected a date and its list of sentences: {shown}", path, line)
    return days


def _line_of(written: str, text: str) -> int | None:
    place = text.find(f'"{written}"')
    return None if place < 0 else text.count("\n", 0, place) + 1


def _from_events(path: Path, topic: str, reading: Reading) -> Iterator[_Found]:
    """Take the dates and texts of events, in file order within a day."""
    timelines: dict[tuple[str, str], _Days] = {}
    undated: list[str] = []
    for line, event in numbered_events(path, reading):
        days = timelines.setdefault((event.topic or topic, event.timeline or ONLY), {})
        if event.date is None:
            undated.append(event.id)
            continue
        day = _day(event.date, path, line, reading)
        if day is not None:
            days.setdefault(day, []).append(event.text)
    if undated:
        reading.notice(
            f"{len(undated)} events have no date and are in no timeline, first '{undated[0]}'",
            path,
        )
    for (name, timeline), days in timelines.items():
        yield name, timeline, Timeline.of(days), path


def _holds_events(path: Path, reading: Reading) -> bool:
    """Tell events from timelines by the first line that is not blank, without noting anything."""
    trial = Reading(encoding=reading.encoding, max_line=reading.max_line)
    first = next((line for _, line in trial.lines(path) if line.strip()), "{")
    return first.lstrip().startswith("{")


def _day(text: str, path: Path, line: int | None, reading: Reading) -> date | None:
    try:
        return parse_day(text)
    except ValueError as error:
        reading.problem(str(error), path, line)
        return None
