"""Reading timelines: tilse text, JSON, news-tls `timelines.jsonl`, and `events.jsonl`.

A folder holds topics: a file is a topic's only timeline, a subfolder holds one file (or one line
of `timelines.jsonl`) for each of a topic's timelines, possibly in a subfolder `timelines`.
"""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from chronoscore.core.collection import ONLY, put
from chronoscore.core.event import Event, read_events
from chronoscore.core.reading import Reading
from chronoscore.elements.dates import parse_day
from chronoscore.timelines.model import Timeline

Collection = dict[str, dict[str, Timeline]]
"""Timelines by topic and, within a topic, by name."""

DAY_END = "-" * 32
_SUFFIXES = (".txt", ".json", ".jsonl")
_Days = dict[date, list[str]]


def read_timelines(path: Path, reading: Reading) -> Collection:
    """Read a file or a folder; everything wrong is noted in the reading."""
    found: Collection = {}
    if not path.exists():
        reading.problem("there is no such file or folder", path)
    elif path.is_dir():
        for topic, name, timeline in _folder(path, reading):
            put(found, topic, name, timeline, reading)
        if not found and not reading.problems:
            reading.problem(f"no timelines in the folder ({', '.join(_SUFFIXES)})", path)
    else:
        for topic, name, timeline in _file(path, path.stem, ONLY, reading):
            put(found, topic, name, timeline, reading)
    return found


def _folder(folder: Path, reading: Reading) -> Iterator[tuple[str, str, Timeline]]:
    for entry in _entries(folder):
        if entry.is_file():
            yield from _file(entry, entry.stem, ONLY, reading)
            continue
        inner = entry / "timelines"
        for file in _entries(inner if inner.is_dir() else entry):
            if file.is_file() and not file.name.startswith("articles"):
                yield from _file(file, entry.name, file.stem, reading)


def _entries(folder: Path) -> list[Path]:
    return sorted(
        entry
        for entry in folder.iterdir()
        if not entry.name.startswith(".") and (entry.is_dir() or entry.suffix in _SUFFIXES)
    )


def _file(
    path: Path, topic: str, name: str, reading: Reading
) -> Iterator[tuple[str, str, Timeline]]:
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
                yield topic, name, Timeline.of(days)
    else:
        yield topic, name, Timeline.of(_days_of_text(path, reading))


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
            elif text and day is not None:
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


def _from_lines(path: Path, topic: str, reading: Reading) -> Iterator[tuple[str, str, Timeline]]:
    """Read news-tls lines: each is one timeline, [[date, [sentence, ...]], ...]."""
    topic = path.parent.name if path.stem == "timelines" else topic
    name = 0
    for number, line in reading.lines(path):
        if line.strip() in ("", "[]"):
            continue
        name += 1
        days = _days_of_json(line, path, number, reading)
        if days is not None:
            yield topic, str(name), Timeline.of(days)


def _days_of_json(text: str, path: Path, line: int | None, reading: Reading) -> _Days | None:
    """Read {date: [sentence, ...]} or [[date, [sentence, ...]], ...]."""
    try:
        raw: Any = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        cut = "; is the file cut?" if "truncated" in str(error) else ""
        reading.problem(f"not JSON ({error}){cut}", path, line)
        return None
    pairs = list(raw.items()) if isinstance(raw, dict) else raw
    if not isinstance(pairs, list):
        reading.problem("expected {date: [sentence, ...]} or [[date, [sentence, ...]], ...]", path)
        return None
    days: _Days = {}
    for pair in pairs:
        match pair:
            case (str(written), [*sentences]) if all(isinstance(s, str) for s in sentences):
                day = _day(written, path, line, reading)
                if day in days:
                    reading.notice(f"{day} stands twice, the texts are joined", path, line)
                if day is not None:
                    days.setdefault(day, []).extend(sentences)
            case _:
                shown = msgspec.json.encode(pair).decode()[:60]
                reading.problem(f"expected a date and its list of sentences: {shown}", path, line)
    return days


def _from_events(path: Path, topic: str, reading: Reading) -> Iterator[tuple[str, str, Timeline]]:
    """Take the dates and texts of events, in file order within a day."""
    timelines: dict[tuple[str, str], _Days] = {}
    undated: list[Event] = []
    for event in read_events(path, reading):
        days = timelines.setdefault((event.topic or topic, event.timeline or ONLY), {})
        if event.date is None:
            undated.append(event)
            continue
        day = _day(event.date, path, None, reading, event)
        if day is not None:
            days.setdefault(day, []).append(event.text)
    if undated:
        reading.notice(
            f"{len(undated)} events have no date and are in no timeline, first '{undated[0].id}'",
            path,
        )
    for (name, timeline), days in timelines.items():
        yield name, timeline, Timeline.of(days)


def _holds_events(path: Path, reading: Reading) -> bool:
    """Tell events from timelines by the first line that is not blank, without noting anything."""
    trial = Reading(encoding=reading.encoding, max_line=reading.max_line)
    first = next((line for _, line in trial.lines(path) if line.strip()), "{")
    return first.lstrip().startswith("{")


def _day(
    text: str, path: Path, line: int | None, reading: Reading, event: Event | None = None
) -> date | None:
    try:
        return parse_day(text)
    except ValueError as error:
        whose = f"event '{event.id}': " if event else ""
        reading.problem(f"{whose}{error}", path, line)
        return None
