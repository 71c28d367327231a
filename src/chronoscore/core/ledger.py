"""The ledger: the rows of a collection kept as columns, keyed by case id, in id order.

A row is an object for people; a million of them are columns. A ledger is both: it is a mapping
from case ids to rows, each made when it is looked at, and its columns are what sums, averages and
intervals are taken over.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.errors import DataError, Problem
from chronoscore.core.evidence import Parts, Row, Steps
from chronoscore.core.labels import Labels, labelled

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Ledger(Mapping[str, Row]):
    """Rows as columns. Make one with `of`, `unite` or `sorted_by_case`."""

    cases: Sequence[str]
    tags: Mapping[str, Labels]
    gold: NDArray[np.bytes_]
    predicted: NDArray[np.bytes_]
    """Digests of what was compared."""
    statistics: Mapping[str, Array]
    """By metric, a line a case."""
    whole: Mapping[str, tuple[bool, ...]]
    """By metric, which statistics are whole numbers."""
    steps: Mapping[str, Sequence[Steps]] = field(default_factory=dict)
    parts: Mapping[str, Sequence[Parts]] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Ledger:
        """Keep rows as columns; what is columns already stays as it is."""
        if isinstance(rows, LedgerRows):
            return rows.ledger
        kept = rows if isinstance(rows, Sequence) else list(rows)
        metrics = dict.fromkeys(name for row in kept for name in row.statistics)
        statistics: dict[str, Array] = {}
        whole: dict[str, tuple[bool, ...]] = {}
        for name in metrics:
            lines = [row.statistics[name] for row in kept]
            statistics[name] = np.array(lines, dtype=np.float64)
            whole[name] = tuple(all(type(v) is int for v in c) for c in zip(*lines, strict=True))
        return cls(
            [row.case for row in kept],
            labelled([row.tags for row in kept]),
            digests(row.gold for row in kept),
            digests(row.predicted for row in kept),
            statistics,
            whole,
            _given("steps", kept),
            _given("parts", kept),
        ).sorted_by_case()

    def sorted_by_case(self) -> Ledger:
        """The same rows in the order of their ids; the same id twice is an error."""
        if all(one < two for one, two in pairwise(self.cases)):
            return self
        order = sorted(range(len(self.cases)), key=self.cases.__getitem__)
        made = self.take(np.array(order, np.int64))
        doubled = sorted({one for one, two in pairwise(made.cases) if one == two})
        if doubled:
            raise DataError(Problem(f"case '{case}' is there twice") for case in doubled)
        return made

    def take(self, places: NDArray[np.int64]) -> Ledger:
        """Only some rows."""
        chosen = places.tolist()
        return Ledger(
            [self.cases[at] for at in chosen],
            {name: column.take(places) for name, column in self.tags.items()},
            self.gold[places],
            self.predicted[places],
            {name: lines[places] for name, lines in self.statistics.items()},
            self.whole,
            {name: [items[at] for at in chosen] for name, items in self.steps.items()},
            {name: [items[at] for at in chosen] for name, items in self.parts.items()},
        )

    @property
    def rows(self) -> LedgerRows:
        """The rows in id order."""
        return LedgerRows(self)

    def row(self, at: int) -> Row:
        """The row in some place."""
        return Row(
            case=self.cases[at],
            tags={name: word for name, c in self.tags.items() if (word := c[at]) is not None},
            gold=self.gold[at].decode(),
            predicted=self.predicted[at].decode(),
            statistics={
                name: tuple(
                    int(value) if is_whole else value
                    for value, is_whole in zip(lines[at].tolist(), self.whole[name], strict=True)
                )
                for name, lines in self.statistics.items()
            },
            steps={name: items[at] for name, items in self.steps.items() if items[at]},
            parts={name: items[at] for name, items in self.parts.items()},
        )

    def data_digests(self) -> tuple[str, str]:
        """Digests of all gold and all predicted sides, the same however the rows were come by."""
        found = []
        for column in (self.gold, self.predicted):
            lines = "".join(
                f"{case}\0{digest}\n"
                for case, digest in zip(self.cases, column.astype(str).tolist(), strict=True)
            )
            found.append(hashlib.sha256(lines.encode()).hexdigest()[:16])
        return found[0], found[1]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {case: at for at, case in enumerate(self.cases)}

    def __getitem__(self, case: str) -> Row:
        return self.row(self._places[case])

    def __iter__(self) -> Iterator[str]:
        return iter(self.cases)

    def __len__(self) -> int:
        return len(self.cases)


class LedgerRows(Sequence[Row]):
    """The rows of a ledger as a sequence, each made when it is looked at."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> list[Row]: ...
    def __getitem__(self, at: int | slice) -> Row | list[Row]:
        if isinstance(at, slice):
            return [self.ledger.row(place) for place in range(*at.indices(len(self)))]
        return self.ledger.row(range(len(self))[at])

    def __len__(self) -> int:
        return len(self.ledger)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(tuple(self.ledger.cases))


def unite(*parts: Ledger | Iterable[Row]) -> Ledger:
    """Unite rows from any number of parts, in id order; the same case twice is an error."""
    ledgers = [part if isinstance(part, Ledger) else Ledger.of(part) for part in parts]
    ledgers = [ledger for ledger in ledgers if len(ledger)]
    if len(ledgers) < 2:
        return ledgers[0] if ledgers else Ledger.of(())
    first = ledgers[0]
    tags = dict.fromkeys(name for ledger in ledgers for name in ledger.tags)
    return Ledger(
        [case for ledger in ledgers for case in ledger.cases],
        {tag: Labels.together([_column(ledger, tag) for ledger in ledgers]) for tag in tags},
        np.concatenate([ledger.gold for ledger in ledgers]),
        np.concatenate([ledger.predicted for ledger in ledgers]),
        {m: np.concatenate([ledger.statistics[m] for ledger in ledgers]) for m in first.statistics},
        {
            metric: tuple(map(all, zip(*(ledger.whole[metric] for ledger in ledgers), strict=True)))
            for metric in first.statistics
        },
        _joined("steps", ledgers),
        _joined("parts", ledgers),
    ).sorted_by_case()


def digests(words: Iterable[str]) -> NDArray[np.bytes_]:
    """A column of digests, sixteen bytes each."""
    return np.array([word.encode("ascii", "backslashreplace") for word in words], np.bytes_)


def _column(ledger: Ledger, tag: str) -> Labels:
    known = ledger.tags.get(tag)
    return known if known is not None else Labels((), np.full(len(ledger), -1, np.int32))


def _given(what: str, rows: Sequence[Row]) -> dict[str, Any]:
    """Steps or parts by metric, for the metrics that have them."""
    metrics = dict.fromkeys(name for row in rows for name in getattr(row, what))
    return {name: [getattr(row, what).get(name, ()) for row in rows] for name in metrics}


def _joined(what: str, ledgers: Sequence[Ledger]) -> dict[str, Any]:
    metrics = dict.fromkeys(name for ledger in ledgers for name in getattr(ledger, what))
    return {
        name: [
            item
            for ledger in ledgers
            for item in getattr(ledger, what).get(name) or [()] * len(ledger)
        ]
        for name in metrics
    }
