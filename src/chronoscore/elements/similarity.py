"""How alike texts are: every pair of a predicted and a gold text of many cases, in a few passes.

The texts of all cases are end to end as columns of token numbers. A cell is a pair of a predicted
and a gold text of one case; all similarities are arrays over cells, symmetric, and between 0 and 1.

Nothing outside a case changes the similarity of its texts, to the last bit: sums are formed in an
order that depends on the case alone, since the numbers of tokens depend on what was read before.
"""

import math
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chronoscore.elements.text.columns import (
    Integers,
    TokenColumns,
    add_up,
    ends_from_zero,
    is_new,
    ngram_totals,
    ranges,
    shared_ngrams,
    summed,
)
from chronoscore.elements.text.sequences import common_lengths

Array = NDArray[np.float64]
BY_TOKENS = ("rarity", "rouge-1", "rouge-2", "rouge-L", "rouge-1L")
"""The similarities that need tokens and nothing else, the default first."""
_PAIRS_TOGETHER = 2_000_000
"""Pairs of entries that are looked at at once."""
_CROWDED = 4096
"""The pairs of texts that share a word from which on they are added up as a table."""


class Cells:
    """All pairs of a predicted and a gold text of one case, end to end, by predicted texts."""

    def __init__(self, predicted_cases: Integers, gold_cases: Integers, number: int) -> None:
        """Take the case of each predicted and of each gold text, ascending, and how many there are.

        >>> cells = Cells(np.array([0, 0, 1]), np.array([0, 1, 1]), 2)
        >>> cells.row.tolist(), cells.column.tolist()
        ([0, 1, 2, 2], [0, 0, 1, 2])
        """
        self.predicted_cases, self.gold_cases, self.number = predicted_cases, gold_cases, number
        every = np.arange(number + 1)
        self.predicted_starts: Integers = np.searchsorted(predicted_cases, every).astype(np.int64)
        self.gold_starts: Integers = np.searchsorted(gold_cases, every).astype(np.int64)
        self.widths = np.diff(self.gold_starts)[predicted_cases]
        """How many cells each predicted text has."""
        self.row_starts = ends_from_zero(self.widths)

    def __len__(self) -> int:
        return int(self.row_starts[-1])

    @cached_property
    def row(self) -> Integers:
        """The predicted text of each cell."""
        return np.repeat(np.arange(len(self.predicted_cases)), self.widths)

    @cached_property
    def column(self) -> Integers:
        """The gold text of each cell."""
        return ranges(self.gold_starts[self.predicted_cases], self.widths)

    @cached_property
    def starts(self) -> Integers:
        """Where the cells of each case begin, and where the last ones end."""
        return self.row_starts[self.predicted_starts]

    def at(self, predicted: Integers, gold: Integers) -> Integers:
        """Return the cells of pairs of texts."""
        first = self.gold_starts[self.predicted_cases[predicted]]
        return self.row_starts[predicted] + gold - first

    def tables(self, values: Array) -> Iterator[tuple[slice, slice, Array]]:
        """Yield the predicted texts, the gold texts and the table of each case."""
        sides = zip(pairwise(self.predicted_starts), pairwise(self.gold_starts), strict=True)
        for case, (rows, columns) in enumerate(sides):
            table = values[self.starts[case] : self.starts[case + 1]]
            shape = int(rows[1] - rows[0]), int(columns[1] - columns[0])
            yield slice(*rows), slice(*columns), table.reshape(shape)


def similarity(name: str, predicted: TokenColumns, gold: TokenColumns, cells: Cells) -> Array:
    """Return the similarity of this name, one of `BY_TOKENS`."""
    if name == "rarity":
        return rarity(predicted, gold, cells)
    if not name.endswith("L"):
        return ngram_f1(predicted, gold, cells, int(name.removeprefix("rouge-")))
    in_order = sequence_f1(predicted, gold, cells)
    return in_order if name == "rouge-L" else (ngram_f1(predicted, gold, cells, 1) + in_order) / 2


def rarity(predicted: TokenColumns, gold: TokenColumns, cells: Cells) -> Array:
    """Return the shared tokens of two texts, each weighted by how rare it is in the case.

    ``T = shared / sqrt(a b)``, where a and b add up the weights of the tokens of each text, and
    shared those that both have. The weight of a token is ``ln((N + 1) / df)``: N counts the
    distinct texts of the case, gold and predicted together, and df those that have the token. So
    a copy of a text changes no weight, and no table from elsewhere is needed.
    """
    both = TokenColumns.together([predicted, gold])
    bags = _Bags(both, np.concatenate([cells.predicted_cases, cells.gold_cases]), cells.number)
    shared = np.zeros(len(cells))
    bags.add_shared(shared, cells)
    lengths = bags.lengths
    middle = len(cells.predicted_cases)
    norm = lengths[:middle][cells.row]
    norm *= lengths[middle:][cells.column]
    np.sqrt(norm, out=norm)
    np.divide(shared, norm, out=shared, where=norm > 0)
    return np.minimum(shared, 1.0, out=shared)  # the two sums are rounded apart


class _Bags:
    """The distinct tokens of each text, with how often it has each and what each weighs.

    An entry is a token of a text. Entries are in order of their case, token and text, so that the
    entries of a token within a case, a term, are next to each other.
    """

    def __init__(self, texts: TokenColumns, cases: Integers, number: int) -> None:
        count = len(cases)
        tokens, known = texts.numbers, max(texts.known, 1)
        if number * known * max(count, 1) >= 2**62:
            distinct, tokens = np.unique(tokens, return_inverse=True)
            known = len(distinct)
        text = np.repeat(np.arange(count), texts.sizes)
        keys = (cases[text] * known + tokens) * count + text
        keys.sort()
        begins = np.flatnonzero(is_new(keys))
        entries = keys[begins]
        self.times: Integers = np.diff(begins, append=len(keys))
        self.text = entries % max(count, 1)
        self._count = count
        self._term_starts = np.flatnonzero(is_new(entries // max(count, 1)))
        self._term_sizes = np.diff(self._term_starts, append=len(entries))
        is_distinct = _distinct(texts, cases)
        spread = (
            np.add.reduceat(is_distinct[self.text].astype(np.int64), self._term_starts)
            if (len(entries))
            else np.empty(0, np.int64)
        )
        self._spread: Integers = spread
        """In how many distinct texts of its case each term is."""
        numbers = np.bincount(cases[is_distinct], minlength=number)
        of_case = cases[self.text[self._term_starts]] if len(entries) else spread
        self._weights = _logarithms(numbers[of_case] + 1, spread)

    @property
    def lengths(self) -> Array:
        """What the tokens of each text weigh, repeats included."""
        spread = np.repeat(self._spread, self._term_sizes)
        order = np.lexsort((self.times, spread))
        weights = np.repeat(self._weights, self._term_sizes) * self.times
        return summed(self.text[order], weights[order], self._count)

    def add_shared(self, shared: Array, cells: Cells) -> None:
        """Add the weight of every token that two texts share to their cell, once a repeat.

        Terms that are in equally many texts weigh the same, and are next to each other in the
        order of sums; so the order of two of them makes no difference.
        """
        middle = len(cells.predicted_cases)
        terms = len(self._term_starts)
        chosen = np.arange(len(self.times))
        for least in range(1, int(self.times.max(initial=0)) + 1):
            chosen = chosen[self.times[chosen] >= least]
            term = np.searchsorted(self._term_starts, chosen, side="right") - 1
            is_gold = (self.text[chosen] >= middle).astype(np.int64)
            golds = np.bincount(term, is_gold, terms).astype(np.int64)
            others = np.bincount(term, minlength=terms) - golds
            has_both = (golds > 0) & (others > 0)
            both = np.flatnonzero(has_both)
            if not len(both):
                return
            chosen, term = chosen[has_both[term]], term[has_both[term]]
            starts = np.searchsorted(term, np.arange(terms))
            both = both[np.argsort(self._spread[both], kind="stable")]
            text = self.text[chosen]
            is_crowded = golds[both] * others[both] >= _CROWDED
            few = both[~is_crowded]
            for part in _parts(golds[few] * others[few]):
                some = few[part]
                left = ranges(starts[some], others[some])
                partners = np.repeat(golds[some], others[some])
                right = ranges(np.repeat(starts[some] + others[some], others[some]), partners)
                cell = cells.at(np.repeat(text[left], partners), text[right] - middle)
                weights = np.repeat(self._weights[some], golds[some] * others[some])
                np.add.at(shared, cell, weights)
            for one in both[is_crowded].tolist():
                first, between = starts[one], starts[one] + others[one]
                rows, columns = text[first:between], text[between : between + golds[one]] - middle
                shared[cells.at(rows[:, None], columns)] += self._weights[one]


def _parts(sizes: Integers) -> Iterator[slice]:
    """Cut items of these sizes into runs that are not too large."""
    ends = np.cumsum(sizes)
    first = 0
    while first < len(sizes):
        done = ends[first] - sizes[first]
        last = max(first + 1, int(np.searchsorted(ends, done + _PAIRS_TOGETHER, side="right")))
        yield slice(first, last)
        first = last


def _distinct(texts: TokenColumns, cases: Integers) -> NDArray[np.bool_]:
    """Whether each text is the first of its case with its tokens, and has any."""
    tokens = np.ascontiguousarray(texts.numbers).tobytes()
    ends = (texts.starts * texts.numbers.itemsize).tolist()
    seen: set[tuple[int, bytes]] = set()
    is_first = np.zeros(len(cases), np.bool_)
    for at, (case, begin, end) in enumerate(zip(cases.tolist(), ends, ends[1:], strict=False)):
        key = (case, tokens[begin:end])
        if begin < end and key not in seen:
            seen.add(key)
            is_first[at] = True
    return is_first


def _logarithms(above: Integers, below: Integers) -> Array:
    """Return ln(above / below), each pair of numbers computed once and alone.

    Arrays of logarithms may differ in the last bit by their length, and those of `math` may not.
    """
    if not len(above):
        return np.empty(0)
    width = int(below.max()) + 1
    pairs, places = np.unique(above * width + below, return_inverse=True)
    values = [math.log((pair // width) / (pair % width)) for pair in pairs.tolist()]
    return np.array(values)[places]


def ngram_f1(predicted: TokenColumns, gold: TokenColumns, cells: Cells, n: int) -> Array:
    """Return F1 of the n-grams of two texts: ``2 shared / (a + b)``, 0 if a side has none."""
    shared = shared_counts(predicted, gold, cells, n)
    return _f1(shared, ngram_totals(predicted, n), ngram_totals(gold, n), cells)


def shared_counts(predicted: TokenColumns, gold: TokenColumns, cells: Cells, n: int = 1) -> Array:
    """Count the n-grams that two texts share."""
    shared = np.zeros(len(cells))
    pairs = shared_ngrams(predicted, gold, n, cells.predicted_cases, cells.gold_cases)
    for found in pairs:
        add_up(shared, cells.at(found.predicted, found.gold), found.times)
    return shared


def sequence_f1(predicted: TokenColumns, gold: TokenColumns, cells: Cells) -> Array:
    """Return F1 of the longest common subsequence of two texts, each as one sequence."""
    common = common_lengths(predicted, cells.row, gold, cells.column)
    return _f1(common.astype(np.float64), predicted.sizes, gold.sizes, cells)


def _f1(shared: Array, predicted: Integers, gold: Integers, cells: Cells) -> Array:
    total = (predicted[cells.row] + gold[cells.column]).astype(np.float64)
    is_known = (predicted[cells.row] > 0) & (gold[cells.column] > 0)
    return np.divide(2 * shared, total, out=np.zeros(len(total)), where=is_known)
