"""The event: the one record that all four questions can be asked of, and its file `events.jsonl`.

Each family reads the part it needs: dates and texts make timelines; positions, dates and mentions
make an order; articles and spans make annotations; ids are what people judge.
"""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from chronoscore.core.reading import Reading

FeatureValue = str | int | float | bool | None
Record = TypeVar("Record", bound=msgspec.Struct)


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that happened, as one system or one gold wrote it down."""

    id: str
    topic: str = ""
    timeline: str = ""
    """Which of a topic's timelines it belongs to, where a topic has more than one gold."""
    date: str | None = None
    """A day, month or year: 2011-01-25, 2011-01 or 2011."""
    text: str = ""
    type: str = ""
    article: str = ""
    span: tuple[int, int] | None = None
    """Where in the article, in characters from 0, the end not included."""
    mentions: tuple[str, ...] = ()
    position: int | None = None
    """Place in the order of the topic from 1; 0 if it is not known."""
    score: float | None = None
    """The system's confidence."""
    features: dict[str, FeatureValue] = {}


def read_events(path: Path, reading: Reading) -> list[Event]:
    """Read `events.jsonl`; problems and unknown fields are noted in the reading."""
    events: list[Event] = []
    first_line: dict[str, int] = {}
    for line, event in read_records(path, Event, reading):
        if event.id in first_line:
            reading.problem(
                f"event id '{event.id}' is used twice, first in line {first_line[event.id]}",
                path,
                line,
            )
            continue
        first_line[event.id] = line
        if event.span is not None and not 0 <= event.span[0] <= event.span[1]:
            reading.problem(
                f"span {list(event.span)} is not [start, end) with 0 <= start <= end", path, line
            )
        if event.span is not None and not event.article:
            reading.problem("there is a span but no article that it points into", path, line)
        if event.position is not None and event.position < 0:
            reading.problem(
                f"position is {event.position}, expected 1, 2, ... or 0 for unknown", path, line
            )
        events.append(event)
    return events


def read_records(
    path: Path, record: type[Record], reading: Reading
) -> Iterable[tuple[int, Record]]:
    """Read one record a line; what does not fit is noted, unknown fields are told once."""
    known = set(record.__struct_fields__)
    unknown: dict[str, list[int]] = {}
    found = False
    for number, line in reading.lines(path):
        if not line.strip():
            continue
        found = True
        try:
            raw: Any = msgspec.json.decode(line)
            if not isinstance(raw, Mapping):
                raise msgspec.ValidationError(f"Expected `object`, got `{_json_name(raw)}`")
            for name in raw.keys() - known:
                unknown.setdefault(str(name), []).append(number)
            yield number, msgspec.convert(raw, record)
        except msgspec.DecodeError as error:  # includes ValidationError
            reading.problem(_plain(error, line), path, number)
    if not found and not any(problem.path == str(path) for problem in reading.problems):
        reading.problem("there is no record in the file, only blank lines", path)
    for name, lines in sorted(unknown.items()):
        close = get_close_matches(name, known, n=1)
        hint = f"; did you mean '{close[0]}'?" if close else ""
        times = f"{len(lines)} records, first in line {lines[0]}"
        reading.notice(f"unknown field '{name}' is ignored ({times}){hint}", path)


def _plain(error: msgspec.DecodeError, line: str) -> str:
    """Say what msgspec found in words that need no knowledge of it."""
    if isinstance(error, msgspec.ValidationError):
        text = str(error).replace("`", "'").replace("Object missing", "there is no")
        return text.replace(" - at '$.", ", at '").replace(" - at '$'", "")
    if "truncated" in str(error):
        return f"the JSON ends too early; is the file cut? Last characters: {line[-20:]!r}"
    return f"not JSON ({error}); the line begins {line[:30]!r}"


def _json_name(value: object) -> str:
    names = {list: "array", str: "str", int: "int", float: "float", bool: "bool"}
    return names.get(type(value), "null")
