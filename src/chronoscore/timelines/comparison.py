"""Everything that timeline metrics need of one case, computed once: tokens, overlaps, distances."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from chronoscore.core.case import Case
from chronoscore.elements.periods import Period
from chronoscore.elements.ratios import Array
from chronoscore.elements.text import Tokeniser, tokeniser, words
from chronoscore.elements.text.subsequence import longest_common, places
from chronoscore.timelines.model import References, Timeline

Index = dict[str, list[tuple[int, int]]]
"""From an n-gram to the gold days that have it, and how often."""


class Overlap(NamedTuple):
    """What all pairs of days share, and what each side has.

    With N references, what is shared is added up over them, and what was predicted counts N
    times: a reference that lacks the day is an empty document, as in ROUGE-1.5.5.
    """

    shared: Array
    """As precision sees it, predicted days in rows and gold days in columns."""
    found: Array
    """As recall sees it; the same, except for overlaps of meaning."""
    predicted: Array
    gold: Array


class GoldSide:
    """The references of a case, prepared once and compared with any number of predictions."""

    def __init__(self, references: References, text: str) -> None:
        self.references = references
        self.text = text
        self.dates = tuple(sorted({day for gold in references for day in gold.dates}))
        self.bounds = _bounds(self.dates)
        self.column = {day: place for place, day in enumerate(self.dates)}
        self._kept: dict[Hashable, Any] = {}

    def keep(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Compute something about the golds once."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]

    def tokens(self, tokenise: Tokeniser) -> list[tuple[int, list[str]]]:
        """Column and tokens of every day of every reference."""
        return [
            (self.column[day], tokenise(texts))
            for reference in self.references
            for day, texts in reference.days
        ]

    def index(self, n: int, tokens: Sequence[tuple[int, list[str]]]) -> tuple[Index, Array]:
        """Where each n-gram stands and how often, and how many each day has."""
        index: Index = {}
        totals = np.zeros(len(self.dates))
        for column, words_of_day in tokens:
            for gram, count in Counter(ngrams(words_of_day, n)).items():
                index.setdefault(gram, []).append((column, count))
                totals[column] += count
        return index, totals


class Comparison:
    """One predicted timeline against its references, under one kind of text processing."""

    def __init__(self, predicted: Timeline, gold: GoldSide) -> None:
        self.predicted = predicted
        self.gold = gold
        self.predicted_dates = predicted.dates
        self.gold_dates = gold.dates
        self.tokenise = tokeniser(gold.text)
        self._kept: dict[Hashable, Any] = {}

    def keep(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Compute something about this pair once, for all metrics that need it."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]

    @cached_property
    def distance(self) -> Array:
        """Days between each predicted (row) and each gold (column) period; 0 if they meet."""
        first, last = _bounds(self.predicted_dates)
        gold_first, gold_last = self.gold.bounds
        after = np.subtract.outer(first, gold_last)
        before = np.subtract.outer(last, gold_first)
        return np.asarray(np.maximum(np.maximum(after, -before), 0.0))

    @cached_property
    def likeness(self) -> Array:
        """How alike the texts of two days are, for choosing what to align: F1 of raw tokens.

        tilse aligns by this quick measure, whatever the final score counts.
        """
        index, gold = self.gold.keep("raw", lambda: self.gold.index(1, self.gold.tokens(words.raw)))
        found = [words.raw(texts) for _, texts in self.predicted.days]
        shared = _shared(found, index, len(self.gold_dates))
        size = np.array([len(tokens) for tokens in found], dtype=np.float64)
        size *= len(self.gold.references)
        # 2PR/(P+R) with P = h/p and R = h/m, in tilse's order of operations; 0 where h is 0.
        hit = shared > 0
        p = np.divide(shared, size[:, np.newaxis], out=np.zeros_like(shared), where=hit)
        r = np.divide(shared, gold[np.newaxis, :], out=np.zeros_like(shared), where=hit)
        return np.asarray(np.divide(2 * p * r, p + r, out=np.zeros_like(shared), where=hit))

    @cached_property
    def tokens(self) -> list[list[str]]:
        """The tokens of each predicted day."""
        tokenise = self.tokenise
        return [tokenise(texts) for _, texts in self.predicted.days]

    @property
    def gold_tokens(self) -> list[tuple[int, list[str]]]:
        """Column and tokens of every day of every reference."""
        kept: list[tuple[int, list[str]]] = self.gold.keep(
            "tokens", lambda: self.gold.tokens(self.tokenise)
        )
        return kept

    def overlap(self, rouge: str) -> Overlap:
        """N-grams, or for L the longest common subsequence, that pairs of days share."""
        made: Overlap = self.keep(
            rouge, lambda: self._sequences() if rouge == "L" else self._ngrams(int(rouge))
        )
        return made

    def _ngrams(self, n: int) -> Overlap:
        index, gold = self.gold.keep(n, lambda: self.gold.index(n, self.gold_tokens))
        found = [ngrams(tokens, n) for tokens in self.tokens]
        shared = _shared(found, index, len(self.gold_dates))
        return self._overlap(shared, [len(grams) for grams in found], gold)

    def _sequences(self) -> Overlap:
        shared = np.zeros((len(self.tokens), len(self.gold_dates)))
        gold = np.zeros(len(self.gold_dates))
        for column, tokens in self.gold_tokens:
            gold[column] += len(tokens)
            where = places(tokens)
            for row, own in enumerate(self.tokens):
                shared[row, column] += longest_common(where, len(tokens), own)
        return self._overlap(shared, [len(tokens) for tokens in self.tokens], gold)

    def _overlap(self, shared: Array, sizes: Sequence[int], gold: Array) -> Overlap:
        predicted = np.array(sizes, dtype=np.float64) * len(self.gold.references)
        return Overlap(shared, shared, predicted, gold)

    def whole(self, rouge: str) -> tuple[int, int, int]:
        """What the two timelines share as one document each, and what each side has.

        N-grams run across days: the texts are simply laid end to end.
        """
        own = [token for tokens in self.tokens for token in tokens]
        shared = gold = predicted = 0
        for reference in self.gold.references:
            other = self.tokenise([text for _, texts in reference.days for text in texts])
            if rouge == "L":
                shared += longest_common(places(other), len(other), own)
                predicted += len(own)
                gold += len(other)
            else:
                mine, theirs = ngrams(own, int(rouge)), ngrams(other, int(rouge))
                shared += (Counter(mine) & Counter(theirs)).total()
                predicted += len(mine)
                gold += len(theirs)
        return shared, predicted, gold


@lru_cache(maxsize=256)
def gold_side(references: References, text: str) -> GoldSide:
    """Prepare references, or take them as they were prepared for an earlier prediction."""
    return GoldSide(references, text)


def compare(case: Case[References, Timeline], setting: Hashable) -> Comparison:
    """Compare a case under a kind of text processing."""
    return Comparison(case.predicted, gold_side(case.gold, str(setting)))


def ngrams(tokens: list[str], n: int) -> list[str]:
    """The n-grams of a document, in order."""
    if n == 1:
        return tokens
    # No token holds a space, so the joined text stands for the tuple and hashes faster.
    return list(map(" ".join, zip(*(tokens[start:] for start in range(n)), strict=False)))


def _shared(predicted: Iterable[list[str]], index: Index, columns: int) -> Array:
    """Count what all pairs of days share, through the index of the golds."""
    rows = []
    for grams in predicted:
        found = [0] * columns
        if len(set(grams)) == len(grams):  # most days: each n-gram once, so it is shared once
            for gram in grams:
                for column, _ in index.get(gram, ()):
                    found[column] += 1
        else:
            for gram, count in Counter(grams).items():
                for column, other in index.get(gram, ()):
                    found[column] += count if count < other else other
        rows.append(found)
    return np.array(rows, dtype=np.float64).reshape(len(rows), columns)


def _bounds(days: Sequence[Period]) -> tuple[Array, Array]:
    first = np.array([day.first.toordinal() for day in days], dtype=np.float64)
    return first, np.array([day.last.toordinal() for day in days], dtype=np.float64)
