"""A corpus in columns: one number a span and field, so that a million spans are a few arrays."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

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


class Label(NamedTuple):
    """What a span says beside where it is: all spans that say the same share one label."""

    type: str
    features: Mapping[str, FeatureValue]
    set: str = ""


@dataclass(frozen=True, eq=False)
class Columns:
    """The annotations of many documents, a place in every array each.

    ``document`` and ``label`` point into the tables ``documents`` (ids) and ``labels``. A score
    that is not there is NaN. ``ids`` may be left out: annotations are then numbered from 1 in each
    document, in the order of the columns, which has its documents together then.

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
    ids: Sequence[str] | None = None

    def __post_init__(self) -> None:
        if np.any(self.end < self.start):
            place = int(np.argmax(self.end < self.start))
            raise ValueError(
                f"annotation {self.id_of(place)!r} ends at {self.end[place]}, before its start at "
                f"{self.start[place]}"
            )

    @classmethod
    def of(cls, documents: Iterable[Document]) -> "Columns":
        """Put documents into columns, in their order."""
        coder = LabelCoder()
        names: list[str] = []
        sizes: list[int] = []
        spans: list[Annotation] = []
        for document in documents:
            names.append(document.id)
            sizes.append(len(document.annotations))
            spans.extend(document.annotations)
        n = len(spans)
        return cls(
            tuple(names),
            np.repeat(np.arange(len(names), dtype=np.int64), sizes),
            np.fromiter((a.start for a in spans), np.int64, n),
            np.fromiter((a.end for a in spans), np.int64, n),
            np.fromiter((coder.code(a.type, a.features, a.set) for a in spans), np.int64, n),
            np.array([np.nan if a.score is None else a.score for a in spans], np.float64),
            coder.labels,
            [a.id for a in spans],
        )

    def __len__(self) -> int:
        return len(self.start)

    def take(self, places: Integers | Flags) -> "Columns":
        """The columns of some spans."""
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
            [self.id_of(place) for place in places.tolist()] if self.ids is not None else None,
        )

    def id_of(self, place: int) -> str:
        """The id of a span in its document."""
        if self.ids is not None:
            return self.ids[place]
        first = int(np.searchsorted(self.document, self.document[place]))
        return str(place - first + 1)

    def annotation(self, place: int) -> Annotation:
        """One span as a value of its own."""
        label, score = self.labels[self.label[place]], float(self.score[place])
        return Annotation(
            self.id_of(place),
            label.type,
            int(self.start[place]),
            int(self.end[place]),
            label.features,
            None if np.isnan(score) else score,
            label.set,
        )

    def id_ranks(self, places: Integers) -> Integers:
        """Numbers that order these spans by id, whole numbers by size: what ties are broken by."""
        if self.ids is None:
            return places
        names = [self.ids[place] for place in places.tolist()]
        order = {name: id_order(name) for name in set(names)}
        ranks = {name: rank for rank, name in enumerate(sorted(order, key=order.__getitem__))}
        return np.fromiter((ranks[name] for name in names), np.int64, len(names))

    def label_ranks(self, places: Integers) -> Integers:
        """Numbers that order these spans by type, then features."""
        codes, inverse = np.unique(self.label[places], return_inverse=True)
        met = [self.labels[code] for code in codes.tolist()]
        order = [(one.type, features_order(one.features), one.set) for one in met]
        ranks = np.empty(len(order), np.int64)
        ranks[sorted(range(len(order)), key=order.__getitem__)] = np.arange(len(order))
        return ranks[inverse]

    def ranks(self, places: Integers, *, by_label: bool = False) -> Integers:
        """The order of these spans: document, start, end, then id; ``by_label`` comes before it."""
        last = [self.label_ranks(places), self.id_ranks(places)]
        keys = last[::-1] if by_label else last
        keys += [self.end[places], self.start[places], self.document[places]]
        ranks = np.empty(len(places), np.int64)
        ranks[np.lexsort(keys)] = np.arange(len(places))
        return ranks


class LabelCoder:
    """Numbers labels in the order they are met."""

    def __init__(self) -> None:
        self._codes: dict[object, int] = {}
        self._labels: list[Label] = []

    def code(self, type_: str, features: Mapping[str, FeatureValue], set_: str = "") -> int:
        """The number of a label; kinds of values count, and so does the order of features not."""
        # 1, 1.0 and True are one key to a dictionary, but three values to us.
        key: tuple[object, ...] = (type_, set_)
        if features:
            key += tuple(sorted((k, type(v), _hashable(v)) for k, v in features.items()))
        found = self._codes.get(key)
        if found is None:
            found = self._codes[key] = len(self._labels)
            self._labels.append(Label(type_, features, set_))
        return found

    @property
    def labels(self) -> tuple[Label, ...]:
        """All labels met, by number."""
        return tuple(self._labels)


def _hashable(value: object) -> object:
    return tuple(map(_hashable, value)) if isinstance(value, list | tuple) else value
