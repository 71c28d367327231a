"""Columns of words: each word is held once, and every row has its place among them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Labels:
    """One column: the words in ascending order, and of each row the place of its word.

    A row without a word has the place -1.
    """

    names: tuple[str, ...]
    at: NDArray[np.int32]

    @classmethod
    def of(cls, words: Iterable[str | None]) -> Labels:
        """Make a column of words; None is no word.

        >>> column = Labels.of(["b", "a", None, "b"])
        >>> column.names, column.at.tolist()
        (('a', 'b'), [1, 0, -1, 1])
        """
        seen: dict[str | None, int] = {}
        met = np.fromiter((seen.setdefault(word, len(seen)) for word in words), np.int32)
        names = sorted(word for word in seen if word is not None)
        place = {word: at for at, word in enumerate(names)}
        moved = np.array([-1 if word is None else place[word] for word in seen], np.int32)
        return cls(tuple(names), moved[met] if len(met) else met)

    @classmethod
    def together(cls, columns: Sequence[Labels]) -> Labels:
        """Put columns one under the other."""
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
        """Only some rows, by place or by flag."""
        return Labels(self.names, self.at[rows])

    def words(self) -> list[str | None]:
        """The word of every row."""
        known = np.array([*self.names, None], dtype=object)
        return list(known[self.at]) if len(self.at) else []

    def used(self) -> list[str]:
        """The words that some row has."""
        return [self.names[at] for at in np.unique(self.at).tolist() if at >= 0]


def labelled(tags: Sequence[Mapping[str, str]]) -> dict[str, Labels]:
    """Turn the tags of rows into columns, in the order in which the tags are first met."""
    names = dict.fromkeys(name for row in tags for name in row)
    return {name: Labels.of(row.get(name) for row in tags) for name in names}


@dataclass(frozen=True, eq=False)
class Groups:
    """Rows that share their labels: `order` puts them together, `starts` says where each begins."""

    order: Places
    starts: Places

    @property
    def firsts(self) -> Places:
        """The first row of each group, which has the labels of all."""
        return self.order[self.starts]

    def at(self) -> Places:
        """Of each row, the place of its group."""
        found = np.empty(len(self.order), np.int64)
        found[self.order] = np.repeat(np.arange(len(self.starts)), self.sizes())
        return found

    def sizes(self) -> Places:
        """How many rows each group has."""
        return np.diff(self.starts, append=len(self.order))


def grouped(columns: Sequence[NDArray[np.integer]], rows: int) -> Groups:
    """Group rows by the places they have in some columns, in ascending order of these.

    >>> found = grouped([np.array([1, 0, 1])], 3)
    >>> found.order.tolist(), found.starts.tolist()
    ([1, 0, 2], [0, 1])
    """
    key = np.zeros(rows, np.int64)
    for column in columns:
        wide = int(column.max(initial=-1)) + 2
        if key.max(initial=0) > np.iinfo(np.int64).max // max(wide, 1) - 1:
            key = np.unique(key, return_inverse=True)[1]
        key = key * wide + column + 1
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    return Groups(order, starts if rows else np.empty(0, np.int64))
