"""A corpus in columns: one array for each field, so that a million spans are a few arrays."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
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

Integers: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]


def marked(size: int, places: Integers) -> Flags:
    """Return flags that are set at these places."""
    flags = np.zeros(size, np.bool_)
    flags[places] = True
    return flags


class Label(NamedTuple):
    """The type, features and set of a span; equal spans share one label."""

    type: str
    features: Mapping[str, FeatureValue]
    set: str = ""


@dataclass(frozen=True, eq=False)
class Columns:
    """The annotations of many documents; each has one place, the same in every array.

    ``document`` and ``label`` point into the tables ``documents`` (ids) and ``labels``. A
    missing score is NaN.

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
        spans = [annotation for document in documents for annotation in document.annotations]
        n = len(spans)
        label, labels = label_codes(spans)
        sizes = [len(document.annotations) for document in documents]
        return cls(
            names or tuple(document.id for document in documents),
            np.repeat(np.arange(len(sizes), dtype=np.int64), sizes),
            np.fromiter((a.start for a in spans), np.int64, n),
            np.fromiter((a.end for a in spans), np.int64, n),
            label,
            np.array([np.nan if a.score is None else a.score for a in spans], np.float64),
            labels,
            [a.id for a in spans],
        )

    def __len__(self) -> int:
        return len(self.start)

    def take(self, places: Integers | Flags) -> "Columns":
        """Return the columns of the spans at these places."""
        if places.dtype == np.bool_:
            places = np.flatnonzero(places)
        return Columns(
            self.documents,
            self.document[places],
            self.start[places],
            self.end[places],
            self.label[places],
            self.score[places],
            self.labels,
            [self.ids[place] for place in places.tolist()],
        )

    def annotation(self, place: int) -> Annotation:
        """Return the span at a place as an annotation."""
        label, score = self.labels[self.label[place]], float(self.score[place])
        return Annotation(
            self.ids[place],
            label.type,
            int(self.start[place]),
            int(self.end[place]),
            label.features,
            None if np.isnan(score) else score,
            label.set,
        )

    def annotations(self) -> list[Annotation]:
        """Return all spans as annotations, in order."""
        return [self.annotation(place) for place in range(len(self))]

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
