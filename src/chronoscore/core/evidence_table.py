"""The evidence table: the rows of a collection kept as columns, keyed by case id, in id order.

A row is an object for people; a million of them are columns. A table is both: it is a mapping
from case ids to rows, each built when it is accessed, and sums, averages and intervals are
computed from its columns.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice, pairwise
from operator import lt
from typing import Any, TypeVar, overload

import msgspec
import numpy as np
from numpy.typing import NDArray

from chronoscore.core.case import Case
from chronoscore.core.evidence import Number, Parts, Row, Steps
from chronoscore.errors import DataError, Problem
from chronoscore.statistics.labels import Labels, grouped, keys_of, labelled

Array = NDArray[np.float64]
Digests = NDArray[np.bytes_]
_MOST = sys.float_info.max
Item = TypeVar("Item")
AT_ONCE = 10_000
"""Rows that are made together: much faster than one by one, and few enough to hold."""


@dataclass(frozen=True, eq=False)
class EvidenceTable(Mapping[str, Row]):
    """Rows as columns. Build a table with `of`, `unite` or `sorted_by_case`."""

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
    def of(cls, rows: Iterable[Row]) -> EvidenceTable:
        """Build the table of some rows; the rows of a table give that table."""
        if isinstance(rows, LedgerRows):
            return rows.table
        row_list = rows if isinstance(rows, Sequence) else list(rows)
        statistics: dict[str, Array] = {}
        whole: dict[str, tuple[bool, ...]] = {}
        for name in keys_of(row.statistics for row in row_list):
            try:
                lines = [row.statistics[name] for row in row_list]
                (width,) = {*map(len, lines)}
                values = np.fromiter(chain.from_iterable(lines), np.float64)
                statistics[name] = values.reshape(len(lines), width)
            except (KeyError, ValueError, OverflowError):
                raise DataError(map(Problem, _misfits(name, row_list))) from None
            whole[name] = tuple(
                {*map(type, column)} <= {int} for column in zip(*lines, strict=True)
            )
        return cls(
            [row.case for row in row_list],
            labelled([row.tags for row in row_list]),
            digests(row.gold for row in row_list),
            digests(row.predicted for row in row_list),
            statistics,
            whole,
            _by_metric("steps", row_list),
            _by_metric("parts", row_list),
        ).sorted_by_case()

    def sorted_by_case(self) -> EvidenceTable:
        """Return the rows in the order of their ids; a duplicate id is an error."""
        if is_ascending(self.cases):
            return self
        order = sorted(range(len(self.cases)), key=self.cases.__getitem__)
        table = self.take(np.array(order, np.int64))
        duplicates = sorted({first for first, second in pairwise(table.cases) if first == second})
        if duplicates:
            raise DataError(Problem(f"case '{case}' is there twice") for case in duplicates)
        return table

    def take(self, places: NDArray[np.int64]) -> EvidenceTable:
        """Return the table of the rows at these places."""
        chosen = places.tolist()
        return EvidenceTable(
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

    def distinct(self, tag: str) -> set[str]:
        """Return the values that a tag has; one of them is empty if rows lack the tag."""
        column = self.tags.get(tag)
        if column is None:
            return {""} if len(self) else set()
        words = ((*column.names, "")[at] for at in np.unique(column.at).tolist())
        return set(words)

    def joined(self, tags: Sequence[str]) -> Labels:
        """Join tags into one column: cases that agree in all these tags have the same word."""
        if len(tags) == 1:
            return self.tags[tags[0]]
        column = self._columns.get(tuple(tags))
        if column is None:
            groups = grouped([self.tags[tag].at for tag in tags], len(self))
            words = zip(*(self.tags[tag].take(groups.firsts).words() for tag in tags), strict=True)
            column = Labels.of("\0".join(word or "" for word in row) for row in words)
            column = self._columns[tuple(tags)] = column.take(groups.at())
        return column

    @cached_property
    def _columns(self) -> dict[tuple[str, ...], Labels]:
        return {}

    def data_digests(self) -> tuple[str, str]:
        """Return digests of all golds and predictions, whichever way the rows were produced."""
        hexdigests = []
        for column in (self.gold, self.predicted):
            digest = hashlib.sha256()
            for first in range(0, len(self), AT_ONCE):
                block = slice(first, first + AT_ONCE)
                pairs = zip(self.cases[block], _words(column[block]), strict=True)
                digest.update(("\n".join(map("\0".join, pairs)) + "\n").encode())
            hexdigests.append(digest.hexdigest()[:16])
        return hexdigests[0], hexdigests[1]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {case: at for at, case in enumerate(self.cases)}

    def __getitem__(self, case: str) -> Row:
        return self.rows[self._places[case]]

    def __iter__(self) -> Iterator[str]:
        return iter(self.cases)

    def __len__(self) -> int:
        return len(self.cases)


class LazySequence(Sequence[Item]):
    """Items that are built when they are accessed; a subclass builds those of a range."""

    def between(self, first: int, last: int) -> list[Item]:
        """The items from one place to before another."""
        raise NotImplementedError

    @overload
    def __getitem__(self, at: int) -> Item: ...
    @overload
    def __getitem__(self, at: slice) -> list[Item]: ...
    def __getitem__(self, at: int | slice) -> Item | list[Item]:
        places = range(len(self))[at]
        if isinstance(places, int):
            return self.between(places, places + 1)[0]
        if places.step == 1:
            return self.between(places.start, max(places.start, places.stop))
        return [self.between(place, place + 1)[0] for place in places]

    def __iter__(self) -> Iterator[Item]:
        for first in range(0, len(self), AT_ONCE):
            yield from self.between(first, min(first + AT_ONCE, len(self)))


class LedgerRows(LazySequence[Row]):
    """The rows of a table as a sequence, each built when it is accessed."""

    def __init__(self, table: EvidenceTable) -> None:
        self.table = table

    def between(self, first: int, last: int) -> list[Row]:
        """The rows from one place to before another."""
        table, number = self.table, last - first
        columns = [column.take(np.arange(first, last)) for column in table.tags.values()]
        tags = _by_row(table.tags, [column.words() for column in columns], number)
        if any((column.at < 0).any() for column in columns):
            tags = [{tag: word for tag, word in row.items() if word is not None} for row in tags]
        lines = [_lines(array[first:last], table.whole[m]) for m, array in table.statistics.items()]
        steps = _by_row(table.steps, [items[first:last] for items in table.steps.values()], number)
        steps = [{name: curve for name, curve in row.items() if curve} for row in steps]
        return [
            *map(
                Row,
                table.cases[first:last],
                tags,
                _words(table.gold[first:last]),
                _words(table.predicted[first:last]),
                _by_row(table.statistics, lines, number),
                steps,
                _by_row(table.parts, [items[first:last] for items in table.parts.values()], number),
            )
        ]

    def __len__(self) -> int:
        return len(self.table)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(tuple(self.table.cases))


def unite(*parts: EvidenceTable | Iterable[Row]) -> EvidenceTable:
    """Unite any number of tables or rows, in id order; the same case twice is an error."""
    tables = [part if isinstance(part, EvidenceTable) else EvidenceTable.of(part) for part in parts]
    tables = [table for table in tables if len(table)]
    if len(tables) < 2:
        return tables[0] if tables else EvidenceTable.of(())
    first = tables[0]
    tags = dict.fromkeys(name for table in tables for name in table.tags)
    return EvidenceTable(
        [case for table in tables for case in table.cases],
        {tag: Labels.together([_column(table, tag) for table in tables]) for tag in tags},
        np.concatenate([table.gold for table in tables]),
        np.concatenate([table.predicted for table in tables]),
        {m: np.concatenate([table.statistics[m] for table in tables]) for m in first.statistics},
        {
            metric: tuple(map(all, zip(*(table.whole[metric] for table in tables), strict=True)))
            for metric in first.statistics
        },
        _joined("steps", tables),
        _joined("parts", tables),
    ).sorted_by_case()


def digests(words: Iterable[str]) -> NDArray[np.bytes_]:
    """Return a column of digests, sixteen bytes each."""
    listed = [*words]
    try:
        return np.array(listed, np.bytes_)
    except UnicodeEncodeError:
        return np.array([word.encode("ascii", "backslashreplace") for word in listed], np.bytes_)


def _words(column: NDArray[np.bytes_]) -> list[str]:
    """Return a column of digests as texts."""
    return [*map(bytes.decode, column.tolist())]  # much faster than a column of text


def is_ascending(words: Sequence[str]) -> bool:
    """Whether each word is greater than the one before.

    >>> is_ascending(["a", "b"]), is_ascending(["a", "a"]), is_ascending([])
    (True, False, True)
    """
    return all(map(lt, words, islice(words, 1, None)))


def _by_row(names: Iterable[str], columns: Sequence[Sequence[Any]], rows: int) -> list[Any]:
    """Turn columns into a mapping for each row."""
    keys = [*names]
    if not keys:
        return [{} for _ in range(rows)]
    return [dict(zip(keys, values, strict=True)) for values in zip(*columns, strict=True)]


def _lines(values: Array, whole: Sequence[bool]) -> list[tuple[Number, ...]]:
    """Return rows of statistics as tuples, with integers where the column is `whole`."""
    columns: list[list[Any]] = [
        [*map(int, column)] if is_whole else column
        for column, is_whole in zip(values.T.tolist(), whole, strict=True)
    ]
    return [*zip(*columns, strict=True)] if columns else [()] * len(values)


def _column(table: EvidenceTable, tag: str) -> Labels:
    column = table.tags.get(tag)
    return column if column is not None else Labels((), np.full(len(table), -1, np.int32))


def _misfits(name: str, rows: Sequence[Row]) -> Iterator[str]:
    """Yield messages on rows with other statistics of a metric than the rest, or no numbers."""
    number = next(len(row.statistics[name]) for row in rows if name in row.statistics)
    for row in rows:
        line = row.statistics.get(name)
        if line is None:
            yield f"case '{row.case}' has no statistics of {name}, and others have"
        elif len(line) != number:
            yield f"case '{row.case}' has {len(line)} statistics of {name}, others have {number}"
        elif any(abs(value) > _MOST for value in line):
            yield f"case '{row.case}' has a statistic of {name} that is too large to count with"


def _by_metric(field: str, rows: Sequence[Row]) -> dict[str, Any]:
    """Steps or parts by metric, for the metrics that have them."""
    mappings = [getattr(row, field) for row in rows]
    return {name: [values.get(name, ()) for values in mappings] for name in keys_of(mappings)}


def _joined(field: str, tables: Sequence[EvidenceTable]) -> dict[str, Any]:
    metrics = dict.fromkeys(name for table in tables for name in getattr(table, field))
    return {
        name: [
            item
            for table in tables
            for item in getattr(table, field).get(name) or [()] * len(table)
        ]
        for name in metrics
    }


# Tables as bytes: what workers send back and work folders keep. Columns stay columns.


def pack(value: object) -> bytes:
    """Write a table, or a record that has tables; equal values give equal bytes."""
    return msgspec.msgpack.encode(value, enc_hook=_packed)


def unpack(data: bytes, kind: type[Item]) -> Item:
    """Read what `pack` wrote of this type; anything else is a ValueError."""
    return msgspec.msgpack.decode(data, type=kind, dec_hook=_array)


def _packed(value: object) -> object:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    assert isinstance(value, CaseItems)
    return list(value)


def _array(_: type, packed: Any) -> NDArray[Any]:
    kind, shape, data = packed
    return np.frombuffer(data, kind).reshape(shape)


# The steps and parts of many cases as columns: those of a case are built when they are accessed.


class CaseItems(LazySequence[tuple[tuple[Any, tuple[Number, ...]], ...]]):
    """Items of cases, each with a key and numbers, in the order of their cases."""

    def __init__(self, case: NDArray[np.int64], change: NDArray[Any], cases: int) -> None:
        self.case, self.change, self.cases = case, change, cases

    def keys(self, first: int, last: int) -> list[Any]:
        """The keys of the items from one place to before another."""
        raise NotImplementedError

    def between(self, first: int, last: int) -> list[Any]:
        """The items of the cases from one place to before another."""
        ends = np.searchsorted(self.case, np.arange(first, last + 1)).tolist()
        start, end = ends[0], ends[-1]
        changes = map(tuple, self.change[start:end].tolist())
        items = [*zip(self.keys(start, end), changes, strict=True)]
        return [tuple(items[one - start : two - start]) for one, two in pairwise(ends)]

    def __len__(self) -> int:
        return self.cases


class StepColumns(CaseItems):
    """Steps in the order of their cases, in each the highest threshold first."""

    def __init__(
        self,
        case: NDArray[np.int64],
        threshold: NDArray[np.float64],
        change: NDArray[Any],
        cases: int,
    ) -> None:
        super().__init__(case, change, cases)
        self.threshold = threshold

    @classmethod
    def of(cls, steps: Sequence[Steps]) -> StepColumns:
        """Turn the steps of cases into columns; a ValueError if that would change a number."""
        if isinstance(steps, cls):
            return steps
        case, thresholds, change = _flat_items(steps)
        return cls(case, np.array(thresholds, np.float64), change, len(steps))

    @classmethod
    def joined(cls, blocks: Sequence[StepColumns]) -> StepColumns:
        """Join the steps of blocks of cases."""
        first = np.cumsum([0, *(block.cases for block in blocks)])
        return cls(
            np.concatenate([block.case + at for block, at in zip(blocks, first, strict=False)]),
            np.concatenate([block.threshold for block in blocks]),
            np.concatenate([block.change for block in blocks]),
            int(first[-1]),
        )

    def keys(self, first: int, last: int) -> list[float]:
        """The thresholds of the steps from one place to before another."""
        return [*self.threshold[first:last].tolist()]


class PartColumns(CaseItems):
    """Parts in the order of their cases."""

    def __init__(
        self, case: NDArray[np.int64], name: Labels, change: NDArray[Any], cases: int
    ) -> None:
        super().__init__(case, change, cases)
        self.name = name

    @classmethod
    def of(cls, parts: Sequence[Parts]) -> PartColumns:
        """Turn the parts of cases into columns; a ValueError if that would change a number."""
        if isinstance(parts, cls):
            return parts
        case, names, change = _flat_items(parts)
        return cls(case, Labels.of(names), change, len(parts))

    def keys(self, first: int, last: int) -> list[str | None]:
        """The names of the parts from one place to before another."""
        return self.name.take(np.arange(first, last)).words()


def _flat_items(
    items: Sequence[Sequence[tuple[Any, tuple[Number, ...]]]],
) -> tuple[NDArray[np.int64], list[Any], NDArray[Any]]:
    """Return the cases, the keys and the changes[n, k] of all items."""
    case = np.repeat(np.arange(len(items)), np.fromiter(map(len, items), np.int64, len(items)))
    every = [*chain.from_iterable(items)]
    changes = [change for _, change in every]
    kinds = {*map(type, chain.from_iterable(changes))}
    if len(kinds) > 1 or len({*map(len, changes)}) > 1:
        raise ValueError("numbers of different kinds")
    kind = np.float64 if kinds == {float} else np.int64
    change = np.array(changes, kind).reshape(len(every), len(changes[0]) if changes else 0)
    return case, [key for key, _ in every], change


def flat(steps: Sequence[Steps], width: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Concatenate all steps: return their thresholds and their changes[n, width]."""
    if isinstance(steps, StepColumns):
        return steps.threshold, steps.change.astype(np.float64)
    all_steps = [step for case_steps in steps for step in case_steps]
    changes = np.array([step[1] for step in all_steps], np.float64).reshape(len(all_steps), width)
    return np.array([step[0] for step in all_steps], np.float64), changes


# Many cases as columns that the family defines; each case is built when it is accessed.


@dataclass(frozen=True, eq=False)
class Measured:
    """What a metric found in all cases of a batch: statistics[cases, k], and steps of a curve."""

    statistics: NDArray[np.float64]
    steps: Sequence[Steps] = ()


@dataclass(frozen=True, eq=False)
class Batch(LazySequence[Case[Any, Any]]):
    """Cases as columns, for families that can measure many at once.

    All other code can use it as a sequence of cases.
    """

    ids: Sequence[str]
    tags: Mapping[str, Labels]
    columns: Any
    """What the family measures from."""
    case: Callable[[int], Case[Any, Any]]
    """Makes the case in some place, for those who look at it."""
    digests: Callable[[], tuple[NDArray[np.bytes_], NDArray[np.bytes_]]]
    """Those of gold and prediction, as `digest` gives them for each case."""

    def between(self, first: int, last: int) -> list[Case[Any, Any]]:
        """The cases from one place to before another."""
        return [*map(self.case, range(first, last))]

    def __iter__(self) -> Iterator[Case[Any, Any]]:
        return map(self.case, range(len(self)))  # one by one: a case may be a long document

    def __len__(self) -> int:
        return len(self.ids)
