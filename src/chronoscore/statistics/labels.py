"""Columns of words: each word is stored once, and every row has the index of its word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import compress, pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]


class Labels(msgspec.Struct, frozen=True, eq=False, dict=True):
    """One column: the words in ascending order, and for each row the index of its word.

    A row without a word has the index -1.
    """

    names: tuple[str, ...]
    at: NDArray[np.int32]

    @classmethod
    def of(cls, words: Iterable[str | None]) -> Labels:
        """Make a column of words; None is a row without a word.

        >>> column = Labels.of(["b", "a", None, "b"])
        >>> column.names, column.at.tolist()
        (('a', 'b'), [1, 0, -1, 1])
        """
        listed = [*words]
        names = tuple(sorted({word for word in set(listed) if word is not None}))
        place: dict[str | None, int] = {None: -1, **{word: at for at, word in enumerate(names)}}
        return cls(names, np.fromiter(map(place.__getitem__, listed), np.int32, len(listed)))

    @classmethod
    def together(cls, columns: Sequence[Labels]) -> Labels:
        """Concatenate columns."""
        names = tuple(sorted({name for column in columns for name in column.names}))
        place = {name: at for at, name in enumerate(names)}
        parts = []
        for column in columns:
            moved = np.array([*(place[name] for name in column.names), -1], np.int32)
            parts.append(moved[column.at])
        return cls(names, np.concatenate(parts) if parts else np.empty(0, np.int32))

    def __len__(self) -> int:
        return len(self.at)

    def __getitem__(self, row: int) -> str | None:
        at = int(self.at[row])
        return self.names[at] if at >= 0 else None

    def take(self, rows: NDArray[np.generic]) -> Labels:
        """Return some rows, by index or by flag."""
        return Labels(self.names, self.at[rows])

    def words(self) -> list[str | None]:
        """The word of every row."""
        if len(self.at) < len(self.names):
            return [self.names[at] if at >= 0 else None for at in self.at.tolist()]
        words = np.array([*self.names, None], dtype=object)
        return list(words[self.at]) if len(self.at) else []

    def used(self) -> list[str]:
        """The words that some row has."""
        return list(self.compact.names)

    @cached_property
    def compact(self) -> Labels:
        """The same column with only the words that some row has."""
        occurs = np.zeros(len(self.names) + 1, np.bool_)
        occurs[self.at] = True  # the index of no word, -1, is the last
        occurs = occurs[:-1]
        if occurs.all():
            return self
        moved = np.append(np.cumsum(occurs, dtype=np.int32) - 1, np.int32(-1))
        return Labels(tuple(compress(self.names, occurs.tolist())), moved[self.at])

    def among(self, words: Iterable[str]) -> Labels:
        """Return the same column with more words, which no row need have."""
        further = tuple(words)
        if further == self.names or not further:
            return self
        names = tuple(sorted({*self.names, *further}))
        if len(names) == len(self.names):
            return self
        place = {name: at for at, name in enumerate(names)}
        moved = np.array([*(place[name] for name in self.names), -1], np.int32)
        return Labels(names, moved[self.at])


def labelled(tags: Sequence[Mapping[str, str]]) -> dict[str, Labels]:
    """Turn the tags of rows into columns, in the order in which the tags first occur."""
    return {name: Labels.of([row.get(name) for row in tags]) for name in keys_of(tags)}


def keys_of(mappings: Iterable[Mapping[str, object]]) -> list[str]:
    """Return all keys, in the order that all mappings have them in, if there is one.

    >>> keys_of([{"b": 1}, {"a": 1, "b": 1}, {"c": 1}])
    ['a', 'b', 'c']
    """
    alike = dict.fromkeys(map(tuple, mappings))
    left = dict.fromkeys(name for names in alike for name in names)
    before: dict[str, set[str]] = {name: set() for name in left}
    for names in alike:
        for first, second in pairwise(names):
            before[second].add(first)
    keys = []
    while left:
        keys.append(next((n for n in left if not before[n] & left.keys()), next(iter(left))))
        del left[keys[-1]]
    return keys


class Groups(msgspec.Struct, frozen=True, eq=False):
    """Rows that share their labels: `order` puts them together, `starts` says where each begins."""

    order: Places
    starts: Places

    @property
    def firsts(self) -> Places:
        """The first row of each group, whose labels are those of the group."""
        return self.order[self.starts]

    def at(self) -> Places:
        """Return the index of the group of each row."""
        group_at = np.empty(len(self.order), np.int64)
        group_at[self.order] = np.repeat(np.arange(len(self.starts)), self.sizes())
        return group_at

    def sizes(self) -> Places:
        """How many rows each group has."""
        return np.diff(self.starts, append=len(self.order))


def grouped(columns: Sequence[NDArray[np.integer]], rows: int) -> Groups:
    """Group rows by their indices in some columns, in ascending order of these.

    >>> groups = grouped([np.array([1, 0, 1])], 3)
    >>> groups.order.tolist(), groups.starts.tolist()
    ([1, 0, 2], [0, 1])
    """
    key = np.zeros(rows, np.int64)
    for column in columns:
        wide = int(column.max(initial=-1)) + 2
        if key.max(initial=0) > np.iinfo(np.int64).max // max(wide, 1) - 1:
            key = np.unique(key, return_inverse=True)[1]
        key = key * wide + column + 1
    if (key[1:] >= key[:-1]).all():  # often true, since cases come in the order of their ids
        order, ordered = np.arange(rows), key
    else:
        order = np.argsort(key, kind="stable")
        ordered = key[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    return Groups(order, starts if rows else np.empty(0, np.int64))
