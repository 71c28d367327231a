"""Count the n-grams and subsequences that days share, for many timelines at once."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count, repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronoscore.statistics.ratios import Array

Integers = NDArray[np.intp]
Days = Sequence[list[str]]
"""The n-grams of the days of a prediction."""

AT_ONCE = 2048
"""N-grams looked up in one pass: many enough for numpy, few enough for the cache."""


def ngrams(tokens: list[str], n: int) -> list[str]:
    """Return the n-grams of a document, in order."""
    grams = tokens
    for start in range(1, n):
        # No token holds a space, so the joined text stands for the tuple and hashes faster.
        grams = list(map(" ".join, zip(grams, tokens[start:], strict=False)))
    return grams


class GoldGrams(NamedTuple):
    """The n-grams of a gold as numbers, reference by reference and day by day."""

    number: Mapping[str, int]
    grams: list[int]
    sizes: list[int]
    """How many n-grams each day has."""
    columns: list[int]
    """The column of each day; several references may have the same day."""
    totals: Array
    """How many n-grams a column has."""

    @classmethod
    def of(cls, days: Sequence[tuple[int, list[str]]], columns: int) -> "GoldGrams":
        """Number the n-grams of days, each with its column."""
        number: defaultdict[str, int] = defaultdict(count().__next__)
        grams = list(map(number.__getitem__, chain.from_iterable(grams for _, grams in days)))
        totals = [0] * columns
        for column, day_grams in days:
            totals[column] += len(day_grams)
        return cls(
            number,
            grams,
            [len(grams) for _, grams in days],
            [column for column, _ in days],
            np.array(totals, dtype=np.float64),
        )


class GramIndex(NamedTuple):
    """The days of some golds in which each n-gram occurs, and how often, sorted by n-gram."""

    base: Mapping[int, int]
    """The number of each gold's first n-gram, by `id(gold)`; its last number means unknown."""
    start: Integers
    """Where the entries of an n-gram begin."""
    size: Integers
    """How many entries an n-gram has."""
    column: Integers
    times: Integers

    @classmethod
    def of(cls, golds: Sequence[GoldGrams]) -> "GramIndex":
        """Index the n-grams of all golds, one gold after the other."""
        base: dict[int, int] = {}
        next_number = 0
        for gold in golds:
            base[id(gold)] = next_number
            next_number += len(gold.number) + 1
        numbers = np.fromiter(chain.from_iterable(gold.grams for gold in golds), dtype=np.intp)
        numbers += np.repeat(list(base.values()), [len(gold.grams) for gold in golds])
        sizes = [size for gold in golds for size in gold.sizes]
        gram, day, times = _gram_counts(numbers, np.repeat(np.arange(len(sizes)), sizes))
        size = np.bincount(gram, minlength=next_number)
        by_gram = np.argsort(gram, kind="stable")
        columns = np.array([column for gold in golds for column in gold.columns], dtype=np.intp)
        return cls(base, np.cumsum(size) - size, size, columns[day[by_gram]], times[by_gram])


def shared(golds: Sequence[GoldGrams], index: GramIndex, predicted: Sequence[Days]) -> list[Array]:
    """Count the n-grams that each predicted day (row) shares with each gold day (column).

    There is one table for each prediction and its gold. The index covers all golds, and a gold may
    occur more than once.
    """
    numbers = np.fromiter(_looked_up(golds, predicted), dtype=np.intp)
    lengths = [sum(map(len, days)) for days in predicted]
    numbers += np.repeat([index.base[id(gold)] for gold in golds], lengths)
    sizes = np.fromiter((len(grams) for days in predicted for grams in days), dtype=np.intp)
    widths = np.repeat([len(gold.totals) for gold in golds], list(map(len, predicted)))
    # All pairs of all predictions, end to end: where the pairs of each predicted day end.
    ends = np.cumsum(widths)
    counts = np.zeros(ends[-1] if len(ends) else 0)
    until = np.cumsum(sizes)
    for first, last in _passes(until):
        begin, end = until[first] - sizes[first], until[last - 1]
        row = np.repeat(np.arange(first, last), sizes[first:last])
        gram, row, times = _gram_counts(numbers[begin:end], row)
        # Every n-gram of the prediction meets all its entries in the index: ranges, end to end.
        size = index.size[gram]
        before = np.cumsum(size) - size
        entry = np.arange(size.sum()) + np.repeat(index.start[gram] - before, size)
        both = np.minimum(np.repeat(times, size), index.times[entry])
        start = ends[first] - widths[first]
        pair = np.repeat(ends[row] - widths[row] - start, size) + index.column[entry]
        counts[start : ends[last - 1]] = np.bincount(pair, both, minlength=ends[last - 1] - start)
    tables = []
    start = 0
    for gold, days in zip(golds, predicted, strict=True):
        shape = len(days), len(gold.totals)
        tables.append(counts[start : start + shape[0] * shape[1]].reshape(shape))
        start += shape[0] * shape[1]
    return tables


def _looked_up(golds: Sequence[GoldGrams], predicted: Sequence[Days]) -> Iterator[int]:
    return chain.from_iterable(
        map(gold.number.get, chain.from_iterable(days), repeat(len(gold.number)))
        for gold, days in zip(golds, predicted, strict=True)
    )


def _passes(until: Integers) -> Iterator[tuple[int, int]]:
    """Cut days into runs of about `AT_ONCE` n-grams."""
    first = done = 0
    while first < len(until):
        last = max(first + 1, int(np.searchsorted(until, done + AT_ONCE, side="right")))
        yield first, last
        first, done = last, int(until[last - 1])


def _gram_counts(grams: Integers, day: Integers) -> tuple[Integers, Integers, Integers]:
    """Return each n-gram of a day, the day, and how often it occurs there."""
    base = grams.max(initial=0) + 1
    pairs, times = np.unique(day * base + grams, return_counts=True)
    return pairs % base, pairs // base, times


def places(tokens: Sequence[str]) -> Mapping[str, int]:
    """Return the places of each token, as the bits of an integer."""
    token_places: dict[str, int] = {}
    for place, token in enumerate(tokens):
        token_places[token] = token_places.get(token, 0) | 1 << place
    return token_places


def longest_common(token_places: Mapping[str, int], length: int, other: Sequence[str]) -> int:
    """Count the tokens of the longest common subsequence of two texts.

    The first text is given by the places of its tokens (see `places`) and its length.

    All columns of the usual table are advanced at once as the bits of one integer (Hyyrö 2004,
    Bit-parallel LCS-length computation revisited).

    >>> tokens = "police kill the gunman".split()
    >>> longest_common(places(tokens), len(tokens), "the gunman kill police".split())
    2
    """
    every = (1 << length) - 1
    row = every
    for token in other:
        hits = row & token_places.get(token, 0)
        row = ((row + hits) | (row - hits)) & every
    return length - row.bit_count()
