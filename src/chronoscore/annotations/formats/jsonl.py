"""Our own JSON lines: a document a line, with its annotations.

A file without any fault is read at once; only where something is unusual is it read again, line by
line, to say what.
"""

import re
from collections.abc import Iterable
from operator import attrgetter, le
from pathlib import Path

import msgspec
from msgspec import UNSET, UnsetType

from chronoscore.annotations.formats.book import Book, Found
from chronoscore.annotations.model import MOST_OFFSET, Annotation, Document, FeatureValue
from chronoscore.core.collection import ONLY
from chronoscore.core.collector import no_collector
from chronoscore.core.numbers import Whole
from chronoscore.core.reading import Reading
from chronoscore.core.records import JsonError, parse_json, read_records


class AnnotationRecord(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False
):
    """An annotation as it is written in a document's line."""

    type: str
    start: int
    end: int
    id: str | int | None = None
    features: dict[str, FeatureValue] = {}
    score: float | None = None
    set: str = ""


class DocumentRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line: a document with its annotations, and its text if that is to be checked."""

    id: str
    annotations: tuple[AnnotationRecord, ...]
    text: str | None = None
    features: dict[str, FeatureValue] = {}
    stored: str = ""
    timeline: str = ""
    """Whose annotations they are, where a document has several golds."""


class PlainAnnotation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """An annotation of which is known which fields it has."""

    type: str
    start: int
    end: int
    id: str | Whole | UnsetType | None = UNSET
    features: dict[str, FeatureValue] | UnsetType = UNSET
    score: float | UnsetType | None = UNSET
    set: str | UnsetType = UNSET


class PlainDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A document's line of which is known which fields it has."""

    id: str
    annotations: list[PlainAnnotation]
    text: str | UnsetType | None = UNSET
    features: dict[str, FeatureValue] | UnsetType = UNSET
    stored: str | UnsetType = UNSET
    timeline: str | UnsetType = UNSET


def read_jsonl(path: Path, _: str, reading: Reading) -> Iterable[Found]:
    """Read documents; the fast way if there is nothing to be said about them."""
    with no_collector():
        found = _plain(path, reading)
    return [*read_carefully(path, reading)] if found is None else found


def _plain(path: Path, reading: Reading) -> list[Found] | None:
    """All documents of a file in which nothing is wrong or unusual, else None and nothing noted.

    Most files can be decoded to documents as they stand. As soon as one can't, since ids are left
    out, say, all others are taken through records that know which fields were given.
    """
    trial = Reading(encoding=reading.encoding, max_line=reading.max_line)
    found: list[Found] = []
    seen: set[tuple[str, str]] = set()
    straight = True
    try:
        for _, line in trial.lines(path):
            if not line.strip():
                continue
            document = _straight(line) if straight else None
            by = ONLY
            if document is None:
                straight = False
                by, document = _checked(line)
            if (document.id, by) in seen:
                return None
            seen.add((document.id, by))
            found.append((by, document))
    except (msgspec.DecodeError, RecursionError, UnusualError):
        return None
    return None if trial.problems or trial.notices else found


class UnusualError(Exception):
    """There is something that the slow way has to look at."""


_KEY = re.compile(r'"\s*:')
_starts, _ends = attrgetter("start"), attrgetter("end")
_ids, _sets = attrgetter("id"), attrgetter("set")
_scores, _features = attrgetter("score"), attrgetter("features")
_document_of = msgspec.json.Decoder(Document).decode
_plain_of = msgspec.json.Decoder(PlainDocument).decode


def _straight(line: str) -> Document | None:
    """A line as a document, if all its annotations have ids that are texts."""
    try:
        document = _document_of(line)
    except msgspec.DecodeError:
        return None
    items = document.annotations
    features = [*filter(None, map(_features, items)), *filter(None, (document.features,))]
    keys = 2 + (document.text is not None) + bool(document.stored)
    keys += (
        5 * len(items)
        - [*map(_scores, items)].count(None)
        + len([*filter(None, map(_sets, items))])
    )
    keys += len(features) + sum(map(len, features))
    # What is not a field of documents makes more keys, and so does a key that is there twice.
    odd = number_of_keys(line) != keys or "\\u0000" in line
    if odd or not _sound(document, [*map(_ids, items)], document.text):
        return None
    return document


def _checked(line: str) -> Found:
    """A line as whose it is and the document, if nothing is wrong with it."""
    record = _plain_of(line)
    items = record.annotations
    features = [*map(_features, items), record.features]
    optional = [*map(_ids, items), *map(_scores, items), *map(_sets, items), *features]
    optional += [record.text, record.stored, record.timeline]
    keys = 2 + 3 * len(items) + len(optional) - optional.count(UNSET)
    keys += sum(map(len, filter(None, features)))
    check_doubles(line, keys)
    if not _sound(record, names_of(items), record.text or None):
        raise UnusualError
    return record.timeline or ONLY, _document(record)


def _sound(record: Document | PlainDocument, names: list[str], text: str | None) -> bool:
    """Whether nothing is wrong in a document; looks at all its annotations at once."""
    items = record.annotations
    starts, ends = [*map(_starts, items)], [*map(_ends, items)]
    return bool(
        record.id.strip()
        and min(starts, default=0) >= 0
        and all(map(le, starts, ends))
        and max(ends, default=0) <= (MOST_OFFSET if text is None else len(text))
        and len(set(names)) == len(names)
        and all(item.type.strip() for item in items)
    )


def check_doubles(line: str, keys: int) -> None:
    """Raise if a line has a key twice, or a NUL, given how many keys its values have.

    Counting finds too many where texts have colons after quotes: only then it is looked at closely.
    """
    if number_of_keys(line) != keys or "\\u0000" in line:
        try:
            parse_json(line)
        except JsonError:
            raise UnusualError from None


def number_of_keys(line: str) -> int:
    """How many keys a line of JSON may have: never too few, and too many only if texts have colons.

    >>> number_of_keys('{"a": {"b" : 1}, "c":2}')
    3
    """
    if '" ' in line or '"\t' in line:
        return len(_KEY.findall(line))
    return line.count('":')


def names_of(items: Iterable[AnnotationRecord | PlainAnnotation]) -> list[str]:
    """The ids of a document's annotations: their own, or their places from 1."""
    return [
        str(place if item.id is None or item.id is UNSET else item.id)
        for place, item in enumerate(items, 1)
    ]


def _document(record: PlainDocument) -> Document:
    annotations = tuple(
        Annotation(
            name,
            item.type,
            item.start,
            item.end,
            item.features or {},
            None if item.score is UNSET else item.score,
            item.set or "",
        )
        for name, item in zip(names_of(record.annotations), record.annotations, strict=True)
    )
    return Document(
        record.id,
        annotations,
        None if record.text is UNSET else record.text,
        record.features or {},
        record.stored or "",
    )


def read_carefully(path: Path, reading: Reading) -> Iterable[Found]:
    """Read documents one by one, and say of each what is wrong with it."""
    first: dict[tuple[str, str], int] = {}
    for line, record in read_records(path, DocumentRecord, reading):
        key = (record.id, record.timeline)
        if not record.id.strip():
            reading.problem("id is empty", path, line)
        elif key in first:
            reading.problem(
                f"document '{record.id}' is there twice, first in line {first[key]}", path, line
            )
            continue
        first[key] = line
        book = Book(record.id, path, reading, record.text, record.features, record.stored)
        for name, item in zip(names_of(record.annotations), record.annotations, strict=True):
            book.enter(
                name,
                item.type,
                item.start,
                item.end,
                features=item.features,
                score=item.score,
                group=item.set,
                line=line,
            )
        yield record.timeline or ONLY, book.document()
