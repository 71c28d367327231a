"""Reading annotations: JSON lines with one document each, and `events.jsonl`."""

from pathlib import Path

import msgspec

from chronoscore.annotations.model import Annotation, Document
from chronoscore.core.collection import ONLY, put
from chronoscore.core.event import FeatureValue, read_events
from chronoscore.core.reading import Reading
from chronoscore.core.records import JsonError, parse_json, read_records

Collection = dict[str, dict[str, Document]]
"""Documents by id and, where there are several golds, by the gold's name."""

DEFAULT_TYPE = "event"


class AnnotationRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An annotation as it is written in a document's line."""

    type: str
    start: int
    end: int
    id: str | int | None = None
    features: dict[str, FeatureValue] = {}
    score: float | None = None


class DocumentRecord(msgspec.Struct, frozen=True):
    """A line: a document with its annotations, and its text if that is to be checked."""

    id: str
    annotations: tuple[AnnotationRecord, ...]
    text: str | None = None


def read_documents(path: Path, reading: Reading) -> Collection:
    """Read documents, or the articles that events point into; problems are noted."""
    if not path.exists() or path.is_dir():
        what = "is a folder, expected a .jsonl file" if path.is_dir() else "there is no such file"
        reading.problem(what, path)
        return {}
    return (
        _from_documents(path, reading)
        if _holds_documents(path, reading)
        else _from_events(path, reading)
    )


def _holds_documents(path: Path, reading: Reading) -> bool:
    """Tell documents from events by the first line, without noting anything."""
    trial = Reading(encoding=reading.encoding, max_line=reading.max_line)
    first = next((line for _, line in trial.lines(path) if line.strip()), "")
    try:
        raw = parse_json(first)
    except JsonError:
        return '"annotations"' in first
    return isinstance(raw, dict) and "annotations" in raw


def _from_documents(path: Path, reading: Reading) -> Collection:
    found: Collection = {}
    first: dict[str, int] = {}
    for line, record in read_records(path, DocumentRecord, reading):
        if not record.id.strip():
            reading.problem("id is empty", path, line)
        elif record.id in first:
            reading.problem(
                f"document '{record.id}' is there twice, first in line {first[record.id]}",
                path,
                line,
            )
            continue
        first[record.id] = line
        annotations = []
        ids: set[str] = set()
        for place, item in enumerate(record.annotations, 1):
            name = str(place if item.id is None else item.id)
            problem = _problem(name, item, record.text, ids)
            if problem:
                reading.problem(f"document '{record.id}': {problem}", path, line)
                continue
            ids.add(name)
            annotations.append(
                Annotation(name, item.type, item.start, item.end, item.features, item.score)
            )
        found[record.id] = {ONLY: Document(record.id, tuple(annotations))}
    return found


def _problem(name: str, item: AnnotationRecord, text: str | None, ids: set[str]) -> str:
    if name in ids:
        return f"annotation id '{name}' is used twice"
    if not 0 <= item.start <= item.end:
        return f"annotation '{name}' is [{item.start}, {item.end}), expected 0 <= start <= end"
    if text is not None and item.end > len(text):
        return f"annotation '{name}' ends at {item.end}, the text has {len(text)} characters"
    return ""


def _from_events(path: Path, reading: Reading) -> Collection:
    """Take the spans and types of events, by article; events without a span are not in a text."""
    annotations: dict[tuple[str, str], list[Annotation]] = {}
    elsewhere: list[str] = []
    for event in read_events(path, reading):
        if event.span is None:
            elsewhere.append(event.id)
            continue
        start, end = event.span
        if 0 <= start <= end:  # else it was noted when the event was read
            annotations.setdefault((event.article, event.timeline or ONLY), []).append(
                Annotation(
                    event.id, event.type or DEFAULT_TYPE, start, end, event.features, event.score
                )
            )
    if elsewhere:
        reading.notice(
            f"{len(elsewhere)} events have no span and are in no text, first '{elsewhere[0]}'", path
        )
    found: Collection = {}
    for (article, name), items in annotations.items():
        put(found, article, name, Document(article, tuple(items)), reading, path)
    return found
