"""GATE bdoc JSON (`.bdocjs`), the format of python-gatenlp: a text and named annotation sets."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec

from chronoscore.annotations.formats.book import Book, Found, Utf16
from chronoscore.annotations.model import Annotation, Document, FeatureValue
from chronoscore.core.collection import ONLY
from chronoscore.core.numbers import whole_number
from chronoscore.core.reading import Reading
from chronoscore.core.records import JsonError, misfits, parse_json

SCORE, ID = "_score", "_id"
"""Features that hold what the format has no place for: a confidence, and an id with letters."""


class AnnotationRecord(msgspec.Struct, frozen=True):
    """An annotation in a set."""

    type: str
    start: int
    end: int
    id: int | str
    features: dict[str, Any] | None = None


class SetRecord(msgspec.Struct, frozen=True):
    """An annotation set."""

    annotations: tuple[AnnotationRecord, ...]
    name: str = ""
    next_annid: int = 0


class BdocRecord(msgspec.Struct, frozen=True):
    """A document."""

    annotation_sets: dict[str, SetRecord]
    text: str | None = None
    features: dict[str, Any] | None = None
    offset_type: str = "p"
    name: str | None = None


def read_bdoc(path: Path, name: str, reading: Reading) -> Iterable[Found]:
    """Read a document with all its sets; offsets of Java (`offset_type` j) become characters."""
    text = reading.text(path)
    if text is None or not text.strip():
        return []
    try:
        raw = parse_json(text)
    except JsonError as error:
        reading.problem(str(error), path, error.line)
        return []
    if not isinstance(raw, dict):
        reading.problem("expected an object with 'annotation_sets'", path)
        return []
    try:
        record = msgspec.convert(raw, BdocRecord)
    except msgspec.ValidationError:
        for misfit in misfits(raw, BdocRecord):
            reading.problem(misfit, path)
        return []
    return _found(record, path, name, reading)


def _found(record: BdocRecord, path: Path, name: str, reading: Reading) -> Iterable[Found]:
    if record.offset_type not in ("p", "j"):
        reading.problem(
            f"offset_type is '{record.offset_type}', expected p (characters) or j (UTF-16)", path
        )
        return []
    if record.offset_type == "j" and record.text is None:
        reading.problem("offset_type is j, but there is no text to count its characters in", path)
        return []
    characters = Utf16(record.text or "") if record.offset_type == "j" else None
    own = _features(record.features or {}, "the document", path, reading)
    book = Book(name or path.stem, path, reading, record.text, own, record.name or "")
    for group, named in record.annotation_sets.items():
        for item in named.annotations:
            start, end = item.start, item.end
            if characters is not None:
                places = characters(start), characters(end)
                if places[0] is None or places[1] is None:
                    reading.problem(
                        f"annotation '{item.id}' is [{start}, {end}), which is within a character "
                        "or outside of the text",
                        path,
                    )
                    continue
                start, end = places[0], places[1]
            features = _features(item.features or {}, f"annotation '{item.id}'", path, reading)
            score = features.pop(SCORE) if isinstance(features.get(SCORE), float) else None
            own_id = features.pop(ID) if isinstance(features.get(ID), str) else item.id
            book.enter(
                str(own_id),
                item.type,
                start,
                end,
                features=features,
                score=cast("float | None", score),
                group=group,
            )
    return [(ONLY, book.document())]


def _features(
    raw: Mapping[str, Any], whose: str, path: Path, reading: Reading
) -> dict[str, FeatureValue]:
    """Take scalars and lists of scalars; what is nested deeper is left out, and said."""
    taken: dict[str, FeatureValue] = {}
    for name, value in raw.items():
        if value is None or isinstance(value, str | int | float):
            taken[name] = value
            continue
        try:
            taken[name] = msgspec.convert(value, FeatureValue)
        except msgspec.ValidationError:
            reading.notice(f"{whose}: the feature '{name}' is nested and is not read", path)
    return taken


def written_bdoc(document: Document) -> str:
    """Write a document as bdoc JSON, offsets in characters."""
    sets: dict[str, list[Annotation]] = {}
    for item in document.annotations:
        sets.setdefault(item.set, []).append(item)
    return msgspec.json.encode(
        {
            "annotation_sets": {name: _written_set(name, items) for name, items in sets.items()},
            "text": document.text,
            "features": dict(document.features),
            "offset_type": "p",
            "name": document.stored or document.id,
        }
    ).decode()


def _written_set(name: str, items: Sequence[Annotation]) -> dict[str, object]:
    kept = [n for item in items if (n := whole_number(item.id)) is not None and str(n) == item.id]
    places: Sequence[int] = kept if len(kept) == len(items) else range(len(items))
    written = []
    for number, item in zip(places, items, strict=True):
        more: dict[str, object] = {} if item.score is None else {SCORE: item.score}
        if str(number) != item.id:
            more[ID] = item.id
        written.append(
            {
                "type": item.type,
                "start": item.start,
                "end": item.end,
                "id": number,
                "features": {**item.features, **more},
            }
        )
    return {"name": name, "annotations": written, "next_annid": max(places, default=-1) + 1}
