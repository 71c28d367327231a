"""What days of two timelines share, through an index of the n-grams of one of them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, count, repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronoscore.elements.ratios import Array

Integers = NDArray[np.intp]
Days = Sequence[tuple[int, list[str]]]
"""The n-grams of gold days, each with the column of its day."""

BLOCK = 32
"""Days that are looked up at once: many enough for numpy, few enough for the cache."""
SMALL = 300
"""N-grams up to which a dictionary is faster than arrays, whose calls then cost more than work."""


def ngrams(tokens: list[str], n: int) -> list[str]:
    """The n-grams of a document, in order."""
    grams = tokens
    for start in range(1, n):
        # No token holds a space, so the joined text stands for the tuple and hashes faster.
        grams = list(map(" ".join, zip(grams, tokens[start:], strict=False)))
    return grams


class SmallIndex(NamedTuple):
    """For each n-gram, the days that have it; its second time in a day is an n-gram of its own."""

    entries: Mapping[str, list[int]]
    totals: Array
    """How many n-grams each day has."""

    def shared(self, predicted: Sequence[list[str]]) -> Array:
        """Count what all pairs of days share, predicted days in rows."""
        width = len(self.totals)
        columns: list[int] = []
        sizes = []
        find, nowhere = self.entries.get, repeat(())
        for grams in predicted:
            before = len(columns)
            columns += chain.from_iterable(map(find, _told_apart(grams), nowhere))
            sizes.append(len(columns) - before)
        pair = np.array(columns, dtype=np.intp)
        pair += np.repeat(np.arange(len(predicted)) * width, sizes)
        found = np.bincount(pair, minlength=len(predicted) * width)
        return found.reshape(len(predicted), width).astype(np.float64)


class LargeIndex(NamedTuple):
    """In which gold days each n-gram stands, and how often: one entry a day, sorted by n-gram."""

    number: Mapping[str, int]
    """The number of each n-gram; the next is that of all that the golds don't have."""
    start: Integers
    """Where the entries of an n-gram begin."""
    size: Integers
    """How many entries an n-gram has."""
    column: Integers
    times: Integers
    totals: Array

    def shared(self, predicted: Sequence[list[str]]) -> Array:
        """Count what all pairs of days share, predicted days in rows."""
        columns = len(self.totals)
        shared = np.zeros((len(predicted), columns))
        for first in range(0, len(predicted), BLOCK):
            days = predicted[first : first + BLOCK]
            grams, unknown = chain.from_iterable(days), repeat(len(self.number))
            numbers = map(self.number.get, grams, unknown)
            gram, row, times = _counted(numbers, [len(grams) for grams in days])
            # Every n-gram of the prediction meets all entries of its own: ranges, end to end.
            size = self.size[gram]
            before = np.cumsum(size) - size
            entry = np.arange(size.sum()) + np.repeat(self.start[gram] - before, size)
            both = np.minimum(np.repeat(times, size), self.times[entry])
            pair = np.repeat(row * columns, size) + self.column[entry]
            found = np.bincount(pair, both, minlength=len(days) * columns)
            shared[first : first + BLOCK] = found.reshape(len(days), columns)
        return shared


Index = SmallIndex | LargeIndex


def index_of(days: Days, columns: int) -> Index:
    """Find out where each n-gram stands, and how often."""
    if sum(len(grams) for _, grams in days) <= SMALL:
        return _small(days, columns)
    return _large(days, columns)


def _small(days: Days, columns: int) -> SmallIndex:
    entries: defaultdict[str, list[int]] = defaultdict(list)
    totals = [0] * columns
    for column, grams in days:
        totals[column] += len(grams)
        for gram in _told_apart(grams):
            entries[gram].append(column)
    return SmallIndex(entries, np.array(totals, dtype=np.float64))


def _told_apart(grams: list[str]) -> list[str]:
    """The same with a number before those that were there: so what is shared is a plain count."""
    if len(set(grams)) == len(grams):
        return grams
    seen: dict[str, int] = {}
    told = []
    for gram in grams:
        times = seen[gram] = seen.get(gram, 0) + 1
        told.append(gram if times == 1 else f"{times} {gram}")
    return told


def _large(days: Days, columns: int) -> LargeIndex:
    number: defaultdict[str, int] = defaultdict(count().__next__)
    numbers = map(number.__getitem__, chain.from_iterable(grams for _, grams in days))
    gram, day, times = _counted(numbers, [len(grams) for _, grams in days])
    column = np.array([column for column, _ in days], dtype=np.intp)[day]
    size = np.bincount(gram, minlength=len(number) + 1)
    by_gram = np.argsort(gram, kind="stable")
    return LargeIndex(
        number=dict(number),
        start=np.cumsum(size) - size,
        size=size,
        column=column[by_gram],
        times=times[by_gram],
        totals=np.bincount(column, times, columns).astype(np.float64),
    )


def _counted(numbers: Iterable[int], sizes: Sequence[int]) -> tuple[Integers, Integers, Integers]:
    """Of days of these sizes: each n-gram that a day has, the day, and how often."""
    grams = np.fromiter(numbers, dtype=np.intp)
    day = np.repeat(np.arange(len(sizes)), sizes)
    base = grams.max(initial=0) + 1
    pairs, times = np.unique(day * base + grams, return_counts=True)
    return pairs % base, pairs // base, times
