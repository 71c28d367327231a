"""JSON: Chronoscore's documents, the spans of `events.jsonl`, spaCy's and Prodigy's, and bdoc.

bdoc JSON (`.bdocjs`) is the format of python-gatenlp: a text and named annotation sets. All others
have a record in each line. A line of Chronoscore's format is a document with its annotations. A
file without problems is read fast; only if something is unusual is it read again, line by line, to
report the problems.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from operator import attrgetter, itemgetter
from typing import Any, cast

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from chronoscore.annotations.columns import Columns, ColumnsBuilder, SpanRange, other_fields
from chronoscore.annotations.formats.documents import DocumentBuilder, NamedDocument
from chronoscore.annotations.model import Annotation, Document, FeatureValue
from chronoscore.core.case import ONLY
from chronoscore.core.event import MOST_OFFSET, numbered_events
from chronoscore.core.problems import Problems, escaped
from chronoscore.core.records import (
    JsonError,
    Whole,
    json_lines,
    misfits,
    no_collector,
    parse_json,
    read_records,
    real_number,
    whole_number,
)
from chronoscore.core.sources import Source


class AnnotationRecord(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """An annotation in the line of its document."""

    type: str
    start: int
    end: int
    id: str | Whole | None = None
    features: dict[str, FeatureValue] = {}
    score: float | None = None
    set: str = ""


class DocumentRecord(msgspec.Struct, omit_defaults=True):
    """A line: a document with its annotations, and with its text if there is one."""

    id: str
    annotations: tuple[AnnotationRecord, ...]
    text: str | None = None
    features: dict[str, FeatureValue] = {}
    stored: str = ""
    timeline: str = ""
    """The name of the gold, where a document has several."""


class _Span(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """An annotation that is put into columns; its fields are in the order of the digest."""

    end: int
    features: dict[str, FeatureValue] = {}
    id: str | Whole | None = None
    score: float | None = None
    set: str = ""
    start: int
    type: str


class _Line(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A document that is put into columns; without its timeline it has the JSON of the digest."""

    annotations: tuple[_Span, ...]
    features: dict[str, FeatureValue] = {}
    id: str
    stored: str = ""
    text: str | None = None
    timeline: str | UnsetType = UNSET


_decode = msgspec.json.Decoder(_Line).decode
_encode = msgspec.json.Encoder(order="deterministic").encode


def read_jsonl(source: Source, _: str, problems: Problems) -> Iterable[NamedDocument]:
    """Read documents, the fast way if there is nothing to report about them."""
    documents = _read_fast(source, problems)
    return [*read_carefully(source, problems)] if documents is None else documents


_BLOCK = 1 << 18
"""Bytes of lines whose records are in memory at once."""


@no_collector()
def _read_fast(source: Source, problems: Problems) -> list[NamedDocument] | None:
    """Read the documents of a file into columns; None if there is anything to report.

    `read_carefully` is the specification: both return the same documents.
    """
    lines = source.byte_lines(problems)
    if lines is None or any(b"\\u0000" in line for line in lines):
        return None
    builder = ColumnsBuilder()
    golds, fields, digests, sizes = list[str](), list[Any](), list[str](), list[int]()
    keys = 0
    try:
        for block in _blocks(lines):
            records = [*map(_decode, block)]
            spans = [span for record in records for span in record.annotations]
            with_ids = len(spans) - [*map(_ids, spans)].count(None)
            keys += with_ids + sum(map(_keys_of, records))
            builder.add(spans, _fill_ids(records, spans, numbered=not with_ids))
            for record in records:
                golds.append(record.timeline or ONLY)
                record.timeline = UNSET
            fields += map(other_fields, records)
            # This is what `chronoscore.core.case.digest` returns for the documents.
            digests += [sha256(text).hexdigest()[:16] for text in map(_encode, records)]
            sizes += map(len, map(_annotations, records))
    except (msgspec.DecodeError, RecursionError, OverflowError, _DoubleIdError):
        return None
    columns = builder.columns(sizes)
    doubles = len({*zip(golds, map(itemgetter(0), fields), strict=True)}) < len(golds)
    if doubles or not _is_sound(columns, fields) or _has_doubles(lines, keys + _keys_in(columns)):
        return None
    ends = np.cumsum(sizes).tolist()
    return [
        (by, Document(id_, SpanRange(columns, end - size, end, (id_, *others, known)), *others))
        for by, size, end, (id_, *others), known in zip(
            golds, sizes, ends, fields, digests, strict=True
        )
    ]


def _blocks(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Yield the lines in blocks of about `_BLOCK` bytes."""
    block: list[bytes] = []
    size = 0
    for line in lines:
        block.append(line)
        size += len(line)
        if size > _BLOCK:
            yield block
            block, size = [], 0
    yield block


class _DoubleIdError(ValueError):
    """Two annotations of a set have the same id."""


_ids, _sets, _annotations = map(attrgetter, ("id", "set", "annotations"))


def _fill_ids(records: Sequence[_Line], spans: Sequence[_Span], *, numbered: bool) -> list[str]:
    """Make the ids of all spans texts and return them; `numbered`: no span of the block has one."""
    names: list[str] = []
    for items in map(_annotations, records):
        size = len(items)
        ids = _numbers(size)[:size] if numbered else _names(items)
        if not numbered and len({*zip(map(_sets, items), ids, strict=True)}) < size:
            raise _DoubleIdError
        names += ids
    for span, name in zip(spans, names, strict=True):
        span.id = name
    return names


_NUMBERS: list[str] = []


def _numbers(most: int) -> list[str]:
    """Return the numbers from 1 to `most` or further: one text each, which all documents share."""
    if most > len(_NUMBERS):
        _NUMBERS.extend(map(str, range(len(_NUMBERS) + 1, most + 1)))
    return _NUMBERS


# An unknown or repeated field gives a line more keys than its record has. So does a field with its
# default value, and a colon in a text may look like a key: then the lines are parsed once more.


def _keys_of(record: _Line) -> int:
    """Return how many keys the line of a document has, those of its annotations left out."""
    features = 1 + len(record.features) if record.features else 0
    others = (record.text is not None) + bool(record.stored) + (record.timeline is not UNSET)
    return 2 + features + others


def _keys_in(columns: Columns) -> int:
    """Return how many keys the annotations have, their ids left out."""
    further = [
        bool(label.set) + (1 + len(label.features) if label.features else 0)
        for label in columns.labels
    ]
    scores = np.count_nonzero(~np.isnan(columns.score))
    return 3 * len(columns) + int(scores) + int(np.array(further, np.int64)[columns.label].sum())


def _has_doubles(lines: Sequence[bytes], keys: int) -> bool:
    """Whether a key is there twice in an object, if the records of these lines have `keys` keys."""
    colons = sum(line.count(b":") for line in lines)
    if keys == colons or keys == sum(map(number_of_keys, lines)):  # the second is slow
        return False
    try:
        for line in lines:
            parse_json(line.decode())
    except JsonError:
        return True
    return False


def number_of_keys(line: bytes) -> int:
    """Return how many keys a line of JSON has, or more if its texts have colons after quotes.

    >>> number_of_keys(b'{"a": {"b" : 1}, "c":2}')
    3
    """
    if b'" ' in line or b'"\t' in line:
        return len(_KEY.findall(line))
    return line.count(b'":')


_KEY = re.compile(rb'"\s*:')


def _is_sound(columns: Columns, headers: Sequence[Any]) -> bool:
    """Whether no annotation and no document has a problem."""
    most = np.array([MOST_OFFSET if text is None else len(text) for _, text, *_ in headers])
    scores = columns.score[~np.isnan(columns.score)]
    values = [*(label.features for label in columns.labels), *(header[2] for header in headers)]
    return bool(
        all(map(str.strip, map(itemgetter(0), headers)))
        and np.all(columns.start >= 0)
        and np.all(columns.start <= columns.end)
        and np.all(columns.end <= most[columns.document])
        and np.all(np.abs(scores) < _BEYOND)
        and all(label.type.strip() for label in columns.labels)
        and all(map(_in_range, filter(None, values)))
    )


_BEYOND = 2.0**63
"""A whole number from here on is refused, but decoded as a float where a float is expected."""


def _in_range(features: Mapping[str, Any]) -> bool:
    values = (value if type(value) is tuple else (value,) for value in features.values())
    return all(type(one) is not float or abs(one) < _BEYOND for value in values for one in value)


def _names(items: Iterable[AnnotationRecord | _Span]) -> list[str]:
    """Return the ids of a document's annotations; those without an id get their place from 1."""
    return [str(place if item.id is None else item.id) for place, item in enumerate(items, 1)]


def read_carefully(source: Source, problems: Problems) -> Iterable[NamedDocument]:
    """Read documents one by one, and report the problems of each."""
    first: dict[tuple[str, str], int] = {}
    for line, record in read_records(source, DocumentRecord, problems):
        key = (record.id, record.timeline)
        if not record.id.strip():
            problems.problem("id is empty", source, line)
        elif key in first:
            problems.problem(
                f"document '{record.id}' is there twice, first in {source.refer(first[key], line)}",
                source,
                line,
            )
            continue
        first[key] = line
        builder = DocumentBuilder(
            record.id, source, problems, record.text, record.features, record.stored
        )
        for name, item in zip(_names(record.annotations), record.annotations, strict=True):
            span = item.start, item.end
            builder.enter(name, item.type, *span, item.features, item.score, item.set, line)
        yield record.timeline or ONLY, builder.document()


def written_line(document: Document, by: str = "") -> str:
    """Return a document as a line of JSON; `by` names the gold, where there are several."""
    items = tuple(
        AnnotationRecord(a.type, a.start, a.end, a.id, dict(a.features), a.score, a.set)
        for a in document.annotations
    )
    features = dict(document.features)
    record = DocumentRecord(document.id, items, document.text, features, document.stored, by)
    return msgspec.json.encode(record).decode() + "\n"


def read_event_spans(source: Source, _: str, problems: Problems) -> Iterable[NamedDocument]:
    """Read the spans and types of events, by article; report events without a span."""
    annotations: dict[tuple[str, str], list[Annotation]] = {}
    without_span: list[tuple[int, str]] = []
    for line, event in numbered_events(source, problems):
        if event.span is None:
            without_span.append((line, event.id))
            continue
        start, end = event.span
        if 0 <= start <= end <= MOST_OFFSET:  # else it was reported when the event was read
            annotations.setdefault((event.article, event.timeline or ONLY), []).append(
                Annotation(event.id, event.type or "event", start, end, event.features, event.score)
            )
    problems.count(
        "{count} events have no span and are in no text, first '{first}'", without_span, source
    )
    return [
        (name, Document(article, tuple(items))) for (article, name), items in annotations.items()
    ]


_PRODIGY_SPANS = ("spans", "ents", "entities")
PRODIGY_MARKS = (*_PRODIGY_SPANS, "_input_hash", "_task_hash")
"""Fields that only lines of Prodigy and spaCy have."""
_PRODIGY_FIELDS = frozenset(
    ("start", "end", "label", "id", "score", "token_start", "token_end", "text", "source")
)
_PRODIGY_ANNOTATORS = ("_annotator_id", "_session_id")


def read_prodigy(source: Source, name: str, problems: Problems) -> Iterable[NamedDocument]:
    """Read tasks, one on each line; tasks with one id are the golds of several annotators.

    `spans` (Prodigy), `ents` (spaCy's `Doc.to_json`) and `entities` (spaCy's old training data, as
    `[start, end, label]`) are read; a `spans` that is an object has a group of spans a name, and
    each is an annotation set. A task that was not accepted is left out.
    """
    documents: dict[tuple[str, str], Document] = {}
    unused: Counter[str] = Counter()
    for place, (number, raw) in enumerate(json_lines(source, problems), 1):
        if not isinstance(raw, dict) or not isinstance(raw.get("text"), str):
            problems.problem("expected an object with a 'text' and 'spans'", source, number)
            continue
        answer = raw.get("answer", "accept")
        if not isinstance(answer, str):
            message = 'the answer is not a text; expected "accept", "reject" or "ignore"'
            problems.problem(message, source, number)
            continue
        if answer != "accept":
            unused[answer] += 1
            continue
        key = _prodigy_id(raw) or (f"{name}/{place}" if name else str(place))
        annotators = (raw.get(field) for field in _PRODIGY_ANNOTATORS)
        by = next((str(rater) for rater in annotators if isinstance(rater, str | int)), "") or ONLY
        if (key, by) in documents:
            problems.problem(f"document '{key}' is there twice", source, number)
            continue
        builder = DocumentBuilder(key, source, problems, raw["text"])
        for group, item in _prodigy_items(raw, builder, number):
            _enter_prodigy(builder, group, item, number)
        documents[key, by] = builder.document()
    for answer, count in unused.items():
        message = f"{{count}} tasks with the answer '{escaped(answer)}' are left out"
        problems.count(message, (), source, count=count)
    return [(by, document) for (_, by), document in documents.items()]


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _prodigy_id(raw: dict[str, Any]) -> str:
    meta = raw.get("meta")
    inner = meta.get("id") if isinstance(meta, dict) else None
    ids = (str(id_) for id_ in (raw.get("id"), inner, raw.get("_input_hash")) if _is_id(id_))
    return next((id_ for id_ in ids if id_.strip()), "")


def _prodigy_items(
    raw: dict[str, Any], builder: DocumentBuilder, number: int
) -> Iterator[tuple[str, Any]]:
    for name in _PRODIGY_SPANS:
        value = raw.get(name)
        groups = value if isinstance(value, dict) and name == "spans" else {"": value}
        for group, items in groups.items():
            if isinstance(items, list):
                yield from ((group, item) for item in items)
            elif items is not None:
                builder.problem(f"{name} is not a list", number)


def _enter_prodigy(builder: DocumentBuilder, group: str, item: Any, number: int) -> None:
    """Enter the annotation of a span, or report what is wrong with it."""
    if isinstance(item, list) and len(item) == 3:
        item = dict(zip(("start", "end", "label"), item, strict=True))
    if not isinstance(item, dict):
        return builder.problem("a span is not an object with start, end, label", number)
    start, end, label = item.get("start"), item.get("end"), item.get("label")
    if type(start) is not int or type(end) is not int or not isinstance(label, str):
        message = "a span has no start and end (whole numbers) and label (text)"
        return builder.problem(message, number)
    score = item.get("score")
    if score is not None and (isinstance(score, str) or real_number(score) is None):
        return builder.problem("the score of a span is not a number", number)
    features: dict[str, FeatureValue] = {
        name: value
        for name, value in item.items()
        if name not in _PRODIGY_FIELDS and isinstance(value, str | int | float) and value != ""
    }
    name = item.get("id")
    name = name if _is_id(name) and name != "" else None
    return builder.enter(name, label, start, end, features, score, group, number)


BDOC_SCORE, BDOC_ID = "_score", "_id"
"""Features that hold what bdoc has no field for: a confidence, and an id with letters."""


class BdocAnnotation(msgspec.Struct, frozen=True):
    """An annotation in a set."""

    type: str
    start: int
    end: int
    id: int | str
    features: dict[str, Any] | None = None


class BdocSet(msgspec.Struct, frozen=True, kw_only=True):
    """An annotation set."""

    name: str = ""
    annotations: tuple[BdocAnnotation, ...]
    next_annid: int = 0


class BdocDocument(msgspec.Struct, frozen=True):
    """A document."""

    annotation_sets: dict[str, BdocSet]
    text: str | None = None
    features: dict[str, Any] | None = None
    offset_type: str = "p"
    name: str | None = None


def read_bdoc(source: Source, name: str, problems: Problems) -> Iterable[NamedDocument]:
    """Read a document with all its sets; offsets of Java (`offset_type` j) become characters."""
    record = _bdoc_record(source, problems)
    if record is None:
        return []
    if record.offset_type not in ("p", "j"):
        problems.problem(
            f"offset_type is '{record.offset_type}', expected p (characters) or j (UTF-16)", source
        )
        return []
    if record.offset_type == "j" and record.text is None:
        problems.problem(
            "offset_type is j, but there is no text to count its characters in", source
        )
        return []
    character = utf16_offsets(record.text or "") if record.offset_type == "j" else _same
    builder = DocumentBuilder(name or source.stem, source, problems, record.text)
    builder.features = _bdoc_features(record.features, "the document", builder)
    builder.stored = record.name or ""
    for group, annotation_set in record.annotation_sets.items():
        for item in annotation_set.annotations:
            start, end = character(item.start), character(item.end)
            if start is None or end is None:
                builder.problem(
                    f"annotation '{item.id}' is [{item.start}, {item.end}), which is within a "
                    "character or outside of the text"
                )
                continue
            features = _bdoc_features(item.features, f"annotation '{item.id}'", builder)
            stored_score, stored_id = (features.get(feature) for feature in (BDOC_SCORE, BDOC_ID))
            score = features.pop(BDOC_SCORE) if isinstance(stored_score, float) else None
            id_ = features.pop(BDOC_ID) if isinstance(stored_id, str) else item.id
            place = cast("str", id_), item.type, start, end
            builder.enter(*place, features, cast("float | None", score), group)
    return [(ONLY, builder.document())]


def _bdoc_record(source: Source, problems: Problems) -> BdocDocument | None:
    text = source.text(problems)
    if text is None or not text.strip():
        return None
    try:
        raw = parse_json(text)
    except JsonError as error:
        problems.problem(str(error), source, error.line)
        return None
    if not isinstance(raw, dict):
        problems.problem("expected an object with 'annotation_sets'", source)
        return None
    try:
        return msgspec.convert(raw, BdocDocument)
    except msgspec.ValidationError:
        for misfit in misfits(raw, BdocDocument):
            problems.problem(misfit, source)
        return None


def _bdoc_features(
    raw: Mapping[str, Any] | None, whose: str, builder: DocumentBuilder
) -> dict[str, FeatureValue]:
    """Return features that are scalars or lists of scalars; report features that nest deeper."""
    features: dict[str, FeatureValue] = {}
    for name, value in (raw or {}).items():
        if value is None or isinstance(value, str | int | float):
            features[name] = value
            continue
        try:
            features[name] = msgspec.convert(value, FeatureValue)
        except msgspec.ValidationError:
            message = f"{whose}: the feature '{name}' is nested and is not read"
            builder.problems.notice(message, builder.source)
    return features


def _same(place: int) -> int | None:
    return place


def utf16_offsets(text: str) -> Callable[[int], int | None]:
    """Return a function from offsets in UTF-16 units, as Java counts, to offsets in characters.

    It returns None for an offset within a character, or outside of the text.

    >>> offset = utf16_offsets("a😀b")
    >>> [offset(place) for place in (0, 1, 2, 3, 4, 5)]
    [0, 1, None, 2, 3, None]
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    units = np.append(0, np.cumsum(1 + (codes > 0xFFFF)))

    def offset(place: int) -> int | None:
        at = int(np.searchsorted(units, place))
        return at if at < len(units) and units[at] == place else None

    return offset


def written_bdoc(document: Document) -> str:
    """Return a document as bdoc JSON, with offsets in characters."""
    sets: dict[str, list[Annotation]] = {}
    for item in document.annotations:
        sets.setdefault(item.set, []).append(item)
    record = BdocDocument(
        {name: _bdoc_set(name, items) for name, items in sets.items()},
        document.text,
        dict(document.features),
        name=document.stored or document.id,
    )
    return msgspec.json.encode(record).decode()


def _bdoc_set(name: str, items: Sequence[Annotation]) -> BdocSet:
    """Return the record of a set; ids that are not whole numbers, and scores, become features."""
    ids = [n for item in items if (n := whole_number(item.id)) is not None and str(n) == item.id]
    if len(ids) < len(items):
        ids = [*range(len(items))]
    annotations = []
    for number, item in zip(ids, items, strict=True):
        features: dict[str, Any] = dict(item.features)
        if item.score is not None:
            features[BDOC_SCORE] = item.score
        if str(number) != item.id:
            features[BDOC_ID] = item.id
        annotations.append(BdocAnnotation(item.type, item.start, item.end, number, features))
    next_id = max(ids, default=-1) + 1
    return BdocSet(name=name, annotations=tuple(annotations), next_annid=next_id)
