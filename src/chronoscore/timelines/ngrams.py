"""What days of timelines share: n-grams are numbered, and those of many timelines met at once."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count, repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronoscore.elements.ratios import Array

Integers = NDArray[np.intp]
Days = Sequence[list[str]]
"""The n-grams of the days of a prediction."""

AT_ONCE = 2048
"""N-grams that are looked up at once: many enough for numpy, few enough for the cache."""


def ngrams(tokens: list[str], n: int) -> list[str]:
    """The n-grams of a document, in order."""
    grams = tokens
    for start in range(1, n):
        # No token holds a space, so the joined text stands for the tuple and hashes faster.
        grams = list(map(" ".join, zip(grams, tokens[start:], strict=False)))
    return grams


class GoldGrams(NamedTuple):
    """The n-grams of a gold, numbered: day after day of one reference after the other."""

    number: Mapping[str, int]
    grams: list[int]
    sizes: list[int]
    """How many each day has."""
    columns: list[int]
    """The column of each day: several references may have it."""
    totals: Array
    """How many n-grams a column has."""

    @classmethod
    def of(cls, days: Sequence[tuple[int, list[str]]], columns: int) -> "GoldGrams":
        """Number the n-grams of days, each with its column."""
        number: defaultdict[str, int] = defaultdict(count().__next__)
        grams = list(map(number.__getitem__, chain.from_iterable(grams for _, grams in days)))
        totals = [0] * columns
        for column, found in days:
            totals[column] += len(found)
        return cls(
            number,
            grams,
            [len(grams) for _, grams in days],
            [column for column, _ in days],
            np.array(totals, dtype=np.float64),
        )


class Index(NamedTuple):
    """In which days of some golds each n-gram stands, and how often: sorted by n-gram."""

    base: Mapping[int, int]
    """By the identity of a gold, the number of its first n-gram; its unknown one is the last."""
    start: Integers
    """Where the entries of an n-gram begin."""
    size: Integers
    """How many entries an n-gram has."""
    column: Integers
    times: Integers

    @classmethod
    def of(cls, golds: Sequence[GoldGrams]) -> "Index":
        """Lay the n-grams of all golds end to end."""
        base: dict[int, int] = {}
        following = 0
        for gold in golds:
            base[id(gold)] = following
            following += len(gold.number) + 1
        numbers = np.fromiter(chain.from_iterable(gold.grams for gold in golds), dtype=np.intp)
        numbers += np.repeat(list(base.values()), [len(gold.grams) for gold in golds])
        sizes = [size for gold in golds for size in gold.sizes]
        gram, day, times = _counted(numbers, np.repeat(np.arange(len(sizes)), sizes))
        size = np.bincount(gram, minlength=following)
        by_gram = np.argsort(gram, kind="stable")
        columns = np.array([column for gold in golds for column in gold.columns], dtype=np.intp)
        return cls(base, np.cumsum(size) - size, size, columns[day[by_gram]], times[by_gram])


def shared(golds: Sequence[GoldGrams], index: Index, predicted: Sequence[Days]) -> list[Array]:
    """Count what all pairs of days of each prediction and its gold share, predicted days in rows.

    The index is of all these golds, which may be repeated.
    """
    numbers = np.fromiter(_looked_up(golds, predicted), dtype=np.intp)
    lengths = [sum(map(len, days)) for days in predicted]
    numbers += np.repeat([index.base[id(gold)] for gold in golds], lengths)
    sizes = np.fromiter((len(grams) for days in predicted for grams in days), dtype=np.intp)
    widths = np.repeat([len(gold.totals) for gold in golds], list(map(len, predicted)))
    # All pairs of all predictions, end to end: where each predicted day has its own.
    ends = np.cumsum(widths)
    found = np.zeros(ends[-1] if len(ends) else 0)
    until = np.cumsum(sizes)
    for first, last in _passes(until):
        begin, end = until[first] - sizes[first], until[last - 1]
        row = np.repeat(np.arange(first, last), sizes[first:last])
        gram, row, times = _counted(numbers[begin:end], row)
        # Every n-gram of the prediction meets all entries of its own: ranges, end to end.
        size = index.size[gram]
        before = np.cumsum(size) - size
        entry = np.arange(size.sum()) + np.repeat(index.start[gram] - before, size)
        both = np.minimum(np.repeat(times, size), index.times[entry])
        start = ends[first] - widths[first]
        pair = np.repeat(ends[row] - widths[row] - start, size) + index.column[entry]
        found[start : ends[last - 1]] = np.bincount(pair, both, minlength=ends[last - 1] - start)
    tables = []
    start = 0
    for gold, days in zip(golds, predicted, strict=True):
        shape = len(days), len(gold.totals)
        tables.append(found[start : start + shape[0] * shape[1]].reshape(shape))
        start += shape[0] * shape[1]
    return tables


def _looked_up(golds: Sequence[GoldGrams], predicted: Sequence[Days]) -> Iterator[int]:
    return chain.from_iterable(
        map(gold.number.get, chain.from_iterable(days), repeat(len(gold.number)))
        for gold, days in zip(golds, predicted, strict=True)
    )


def _passes(until: Integers) -> Iterator[tuple[int, int]]:
    """Cut days into runs of about so many n-grams as are looked up at once."""
    first = done = 0
    while first < len(until):
        last = max(first + 1, int(np.searchsorted(until, done + AT_ONCE, side="right")))
        yield first, last
        first, done = last, int(until[last - 1])


def _counted(grams: Integers, day: Integers) -> tuple[Integers, Integers, Integers]:
    """Each n-gram that a day has, the day, and how often."""
    base = grams.max(initial=0) + 1
    pairs, times = np.unique(day * base + grams, return_counts=True)
    return pairs % base, pairs // base, times
