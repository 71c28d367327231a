"""A corpus in columns: one array for each field, so that a million spans are a few arrays."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from chronoscore.annotations.model import (
    Annotation,
    Document,
    FeatureValue,
    features_order,
    id_order,
)
from chronoscore.core.case import digest
from chronoscore.core.evidence_table import LazySequence

Integers: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]


def marked(size: int, places: Integers) -> Flags:
    """Return flags that are set at these places."""
    flags = np.zeros(size, np.bool_)
    flags[places] = True
    return flags


def ranges(begin: Integers, count: Integers) -> tuple[Integers, Integers]:
    """Return (number of the range, place) for each place of the ranges ``begin`` + ``count``."""
    if int(count.max(initial=0)) <= 1:
        which = np.flatnonzero(count)
        return which, begin[which]
    which = np.repeat(np.arange(len(begin), dtype=np.int64), count)
    ahead = np.cumsum(count)
    ahead -= count
    place = np.repeat(np.subtract(begin, ahead, out=ahead), count)
    place += np.arange(len(place), dtype=np.int64)
    return which, place


class Label(NamedTuple):
    """The type, features and set of a span; equal spans share one label."""

    type: str
    features: Mapping[str, FeatureValue]
    set: str = ""


@dataclass(frozen=True, eq=False)
class Columns:
    """The annotations of many documents; each has one place, the same in every array.

    Documents are in order: the spans of the first come before those of the second. ``document``
    and ``label`` point into the tables ``documents`` (ids) and ``labels``. A missing score is NaN.

    >>> two = Columns.of([Document("d", (Annotation("a", "T", 0, 4), Annotation("b", "T", 2, 3)))])
    >>> two.end.tolist(), two.label.tolist(), two.labels
    ([4, 3], [0, 0], (Label(type='T', features={}, set=''),))
    """

    documents: tuple[str, ...]
    document: Integers
    start: Integers
    end: Integers
    label: Integers
    score: NDArray[np.float64]
    labels: tuple[Label, ...]
    ids: Sequence[str]

    @classmethod
    def of(cls, documents: Iterable[Document], names: tuple[str, ...] | None = None) -> "Columns":
        """Put documents into columns, in their order; `names` replace their ids."""
        documents = [*documents]
        spans = [document.annotations for document in documents]
        read = [one for one in spans if isinstance(one, SpanRange)]
        others = len(read) < len(spans) and any(
            one for one in spans if not isinstance(one, SpanRange)
        )
        if not others and len({*map(id, map(_columns, read))}) == 1:
            columns = read[0].columns._of_ranges(spans)
        else:
            builder = ColumnsBuilder()
            flat = [span for one in spans for span in one]
            builder.add(flat, map(_ids, flat))
            columns = builder.columns([len(one) for one in spans])
        label, labels = _merged(columns.label, columns.labels)
        names = names or tuple(document.id for document in documents)
        return replace(columns, documents=names, label=label, labels=labels)

    def _of_ranges(self, spans: Sequence[Sequence[Annotation]]) -> "Columns":
        """Return the spans of these ranges, each of which is a document."""
        bounds = [(one.first, one.last) if isinstance(one, SpanRange) else (0, 0) for one in spans]
        begins, ends = np.array(bounds, np.int64).T
        document, places = ranges(begins, ends - begins)
        if bool(np.all(places[1:] == places[:-1] + 1)):  # as in most files, and without a copy
            first = int(places[0]) if len(places) else 0
            return replace(self.take(slice(first, first + len(places))), document=document)
        return replace(self.take(places), document=document)

    def __len__(self) -> int:
        return len(self.start)

    def take(self, places: Integers | Flags | slice) -> "Columns":
        """Return the columns of the spans at these places."""
        if isinstance(places, slice):
            ids = self.ids[places]
        else:
            places = np.flatnonzero(places) if places.dtype == np.bool_ else places
            ids = [self.ids[place] for place in places.tolist()]
        return Columns(
            self.documents,
            self.document[places],
            self.start[places],
            self.end[places],
            self.label[places],
            self.score[places],
            self.labels,
            ids,
        )

    def of_documents(self, first: int, last: int) -> "Columns":
        """Return the spans of the documents from one place to before another."""
        places = slice(*np.searchsorted(self.document, (first, last)).tolist())
        part = self.take(places)
        return replace(part, documents=self.documents[first:last], document=part.document - first)

    def annotation(self, place: int) -> Annotation:
        """Return the span at a place as an annotation."""
        return self.take(slice(place, place + 1)).annotations()[0]

    def annotations(self) -> list[Annotation]:
        """Return all spans as annotations, in order."""
        starts, ends, scores = (column.tolist() for column in (self.start, self.end, self.score))
        labels = [self.labels[code] for code in self.label.tolist()]
        return [
            Annotation(
                id_,
                label.type,
                start,
                end,
                label.features,
                None if score != score else score,  # noqa: PLR0124  # it is NaN
                label.set,
            )
            for id_, label, start, end, score in zip(
                self.ids, labels, starts, ends, scores, strict=True
            )
        ]

    def id_ranks(self, places: Integers) -> Integers:
        """Return ranks of these spans by id, whole numbers by size; ranks break ties."""
        return _ranks([self.ids[place] for place in places.tolist()], id_order)

    def label_ranks(self, places: Integers) -> Integers:
        """Return ranks of these spans by type, then features."""

        def key(code: int) -> tuple[object, ...]:
            label = self.labels[code]
            return label.type, features_order(label.features), label.set

        return _ranks(self.label[places].tolist(), key)

    def ranks(self, places: Integers, *, by_label: bool = False) -> Integers:
        """Return ranks by document, start, end, id and label; ``by_label``: label before id."""
        last = [self.label_ranks(places), self.id_ranks(places)]
        keys = last[::-1] if by_label else last
        keys += [self.end[places], self.start[places], self.document[places]]
        return np.argsort(np.lexsort(keys))


class SpanRange(LazySequence[Annotation]):
    """The annotations of a document that was read into columns, made when they are accessed."""

    __slots__ = ("_read_as", "columns", "first", "last")

    def __init__(
        self, columns: Columns, first: int, last: int, read_as: tuple[object, ...] = ()
    ) -> None:
        self.columns, self.first, self.last = columns, first, last
        self._read_as = read_as
        """The other fields of the document as it was read, and then the document's digest."""

    def __len__(self) -> int:
        return self.last - self.first

    def between(self, first: int, last: int) -> list[Annotation]:
        """The annotations from one place to before another."""
        return self.columns.take(slice(self.first + first, self.first + last)).annotations()

    def digest_in(self, document: Document) -> str:
        """Return the digest of the document that these are the annotations of."""
        if self._read_as[:-1] == other_fields(document):
            return str(self._read_as[-1])
        return digest(plain(document))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, SpanRange) and (
            self.last - self.first != other.last - other.first or self._spans() != other._spans()
        ):
            return False
        return isinstance(other, SpanRange | tuple) and tuple(self) == tuple(other)

    def _spans(self) -> tuple[bytes, bytes]:
        here = slice(self.first, self.last)
        return self.columns.start[here].tobytes(), self.columns.end[here].tobytes()

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


other_fields = attrgetter("id", "text", "features", "stored")
"""Returns what a document, or its record, has besides annotations."""


def plain(document: Document) -> Document:
    """Return the document with its annotations made, as they are written to JSON."""
    return replace(document, annotations=tuple(document.annotations))


def document_digest(document: Document) -> str:
    """Return the digest of a document, which was computed when it was read into columns."""
    spans = document.annotations
    return spans.digest_in(document) if isinstance(spans, SpanRange) else digest(document)


_columns = attrgetter("columns")
_ids, _types, _starts, _ends = map(attrgetter, ("id", "type", "start", "end"))
_features, _scores, _sets = map(attrgetter, ("features", "score", "set"))


class ColumnsBuilder:
    """Puts spans into columns block by block, so that only the columns are kept.

    Labels are numbered by the order in which they occur; those that differ in the order of their
    features are kept apart, so that files can be written as they were read.
    """

    def __init__(self) -> None:
        self._places: list[Integers] = []
        self._scores: list[NDArray[np.float64]] = []
        self._codes: dict[Any, int] = {}
        self._labels: list[Label] = []
        self._ids: list[str] = []

    def add(self, spans: Sequence[Any], ids: Iterable[str]) -> None:
        """Add spans: annotations, or records with the same fields, and their ids."""
        n = len(spans)
        keys: list[Any] = [*map(_types, spans)]
        if any(map(_features, spans)):
            values = map(repr, map(_features, spans))
            keys = [*zip(keys, map(_sets, spans), values, strict=True)]
        elif any(map(_sets, spans)):
            keys = [*zip(keys, map(_sets, spans), strict=True)]
        new = {*keys} - self._codes.keys()
        for key, span in zip(keys, spans, strict=True) if new else ():
            if key in new:
                new.remove(key)
                self._codes[key] = len(self._labels)
                self._labels.append(Label(span.type, span.features, span.set))
            if not new:
                break
        columns = (map(_starts, spans), map(_ends, spans), map(self._codes.__getitem__, keys))
        self._places.append(np.stack([np.fromiter(column, np.int64, n) for column in columns]))
        scores = [*map(_scores, spans)]
        known = scores.count(None) < n
        self._scores.append(np.array(scores, np.float64) if known else np.full(n, np.nan))
        self._ids += ids

    def columns(self, sizes: Sequence[int], names: tuple[str, ...] = ()) -> Columns:
        """Return the columns of documents, with the number of spans of each."""
        start, end, label = np.concatenate([np.empty((3, 0), np.int64), *self._places], axis=1)
        document = np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)
        score = np.concatenate([np.empty(0), *self._scores])
        return Columns(names, document, start, end, label, score, (*self._labels,), self._ids)


def _merged(label: Integers, labels: Sequence[Label]) -> tuple[Integers, tuple[Label, ...]]:
    """Number the labels that occur by their first places, without regard to the order of features.

    Return the new number of each span, and the labels.
    """
    most = np.maximum.accumulate(label)
    in_order = len(label) and label[0] == 0 and bool(np.all(np.diff(most) <= 1))
    if in_order and most[-1] == len(labels) - 1:  # as in a file that is taken as a whole
        codes, distinct = label_codes(labels)
        return (label if len(distinct) == len(labels) else codes[label]), distinct
    occurring, first, inverse = np.unique(label, return_index=True, return_inverse=True)
    order = np.argsort(first)
    codes, distinct = label_codes(labels[code] for code in occurring[order].tolist())
    return codes[np.argsort(order)][inverse], distinct


def _ranks(values: Sequence[Any], key: Callable[[Any], Any]) -> Integers:
    """Return the rank of each value by its sort key; equal values have the same."""
    ranks = {value: rank for rank, value in enumerate(sorted(set(values), key=key))}
    return np.fromiter((ranks[value] for value in values), np.int64, len(values))


def label_codes(items: Iterable[Label | Annotation]) -> tuple[Integers, tuple[Label, ...]]:
    """Return the number of each item's label, and the labels in the order of their numbers.

    Kinds of values matter, the order of features does not.
    """
    codes: dict[object, int] = {}
    labels: list[Label] = []
    numbers: list[int] = []
    for item in items:
        # 1, 1.0 and True are one key to a dictionary, but three values to us.
        key: tuple[object, ...] = (item.type, item.set)
        if item.features:
            key += tuple(sorted((k, type(v), _hashable(v)) for k, v in item.features.items()))
        code = codes.setdefault(key, len(labels))
        if code == len(labels):
            labels.append(Label(item.type, item.features, item.set))
        numbers.append(code)
    return np.array(numbers, np.int64), tuple(labels)


def _hashable(value: object) -> object:
    return tuple(map(_hashable, value)) if isinstance(value, list | tuple) else value
