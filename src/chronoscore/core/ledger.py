"""The ledger: the rows of a collection kept as columns, keyed by case id, in id order.

A row is an object for people; a million of them are columns. A ledger is both: it is a mapping
from case ids to rows, each made when it is looked at, and its columns are what sums, averages and
intervals are taken over.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.errors import DataError, Problem
from chronoscore.core.evidence import Number, Parts, Row, Steps
from chronoscore.core.labels import Labels, grouped, keys_of, labelled

Array = NDArray[np.float64]
_MOST = sys.float_info.max
AT_ONCE = 10_000
"""Rows that are made together: much faster than one by one, and few enough to hold."""


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
        statistics: dict[str, Array] = {}
        whole: dict[str, tuple[bool, ...]] = {}
        for name in keys_of(row.statistics for row in kept):
            try:
                lines = [row.statistics[name] for row in kept]
                statistics[name] = np.array(lines, dtype=np.float64)
            except (KeyError, ValueError, OverflowError):
                raise DataError(map(Problem, _misfits(name, kept))) from None
            whole[name] = tuple(
                {*map(type, column)} <= {int} for column in zip(*lines, strict=True)
            )
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
        return self.between(at, at + 1)[0]

    def between(self, first: int, last: int) -> list[Row]:
        """The rows from one place to before another."""
        number = last - first
        columns = [column.take(np.arange(first, last)) for column in self.tags.values()]
        tags = _by_row(self.tags, [column.words() for column in columns], number)
        if any((column.at < 0).any() for column in columns):
            tags = [{tag: word for tag, word in own.items() if word is not None} for own in tags]
        lines = [_lines(each[first:last], self.whole[m]) for m, each in self.statistics.items()]
        steps = _by_row(self.steps, [items[first:last] for items in self.steps.values()], number)
        given = [{name: own for name, own in each.items() if own} for each in steps]
        return [
            *map(
                Row,
                self.cases[first:last],
                tags,
                self.gold[first:last].astype(str).tolist(),
                self.predicted[first:last].astype(str).tolist(),
                _by_row(self.statistics, lines, number),
                given,
                _by_row(self.parts, [items[first:last] for items in self.parts.values()], number),
            )
        ]

    def joined(self, tags: Sequence[str]) -> Labels:
        """Some tags as one column, whose words tell apart what any of them tells apart."""
        if len(tags) == 1:
            return self.tags[tags[0]]
        made = self._columns.get(tuple(tags))
        if made is None:
            groups = grouped([self.tags[tag].at for tag in tags], len(self))
            words = zip(*(self.tags[tag].take(groups.firsts).words() for tag in tags), strict=True)
            made = Labels.of("\0".join(word or "" for word in row) for row in words)
            made = self._columns[tuple(tags)] = made.take(groups.at())
        return made

    @cached_property
    def _columns(self) -> dict[tuple[str, ...], Labels]:
        return {}

    def data_digests(self) -> tuple[str, str]:
        """Digests of all gold and all predicted sides, the same however the rows were come by."""
        found = []
        for column in (self.gold, self.predicted):
            digest = hashlib.sha256()
            for first in range(0, len(self), AT_ONCE):
                some = slice(first, first + AT_ONCE)
                pairs = zip(self.cases[some], column[some].astype(str).tolist(), strict=True)
                digest.update(("\n".join(map("\0".join, pairs)) + "\n").encode())
            found.append(digest.hexdigest()[:16])
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
            first, last, step = at.indices(len(self))
            if step == 1:
                return self.ledger.between(first, max(first, last))
            return [self.ledger.row(place) for place in range(first, last, step)]
        return self.ledger.row(range(len(self))[at])

    def __iter__(self) -> Iterator[Row]:
        for first in range(0, len(self), AT_ONCE):
            yield from self.ledger.between(first, min(first + AT_ONCE, len(self)))

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
    listed = [*words]
    try:
        return np.array(listed, np.bytes_)
    except UnicodeEncodeError:
        return np.array([word.encode("ascii", "backslashreplace") for word in listed], np.bytes_)


def _by_row(names: Iterable[str], columns: Sequence[Sequence[Any]], rows: int) -> list[Any]:
    """Columns as a mapping for each row."""
    keys = [*names]
    if not keys:
        return [{} for _ in range(rows)]
    return [dict(zip(keys, values, strict=True)) for values in zip(*columns, strict=True)]


def _lines(values: Array, whole: Sequence[bool]) -> list[tuple[Number, ...]]:
    """Lines of statistics as tuples, in which whole numbers are whole."""
    columns: list[list[Any]] = [
        [*map(int, column)] if is_whole else column
        for column, is_whole in zip(values.T.tolist(), whole, strict=True)
    ]
    return [*zip(*columns, strict=True)] if columns else [()] * len(values)


def _column(ledger: Ledger, tag: str) -> Labels:
    known = ledger.tags.get(tag)
    return known if known is not None else Labels((), np.full(len(ledger), -1, np.int32))


def _misfits(name: str, rows: Sequence[Row]) -> Iterator[str]:
    """Which rows have not as many statistics of a metric as the others, or no numbers."""
    number = next(len(row.statistics[name]) for row in rows if name in row.statistics)
    for row in rows:
        line = row.statistics.get(name)
        if line is None:
            yield f"case '{row.case}' has no statistics of {name}, and others have"
        elif len(line) != number:
            yield f"case '{row.case}' has {len(line)} statistics of {name}, others have {number}"
        elif any(abs(value) > _MOST for value in line):
            yield f"case '{row.case}' has a statistic of {name} that is too large to count with"


def _given(what: str, rows: Sequence[Row]) -> dict[str, Any]:
    """Steps or parts by metric, for the metrics that have them."""
    every = [getattr(row, what) for row in rows]
    return {name: [own.get(name, ()) for own in every] for name in keys_of(every)}


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
