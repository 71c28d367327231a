"""Everything that timeline metrics need of one case, computed once: tokens, overlaps, distances."""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from chronoscore.core.case import Case
from chronoscore.elements.periods import Period
from chronoscore.elements.ratios import Array
from chronoscore.elements.text import Tokeniser, tokeniser, words
from chronoscore.elements.text.subsequence import longest_common, places
from chronoscore.timelines.model import References, Timeline
from chronoscore.timelines.ngrams import Index, index_of, ngrams


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

    def index(self, n: int, tokens: Sequence[tuple[int, list[str]]]) -> Index:
        """Find out where each n-gram stands, and how often."""
        found = [(column, ngrams(words_of_day, n)) for column, words_of_day in tokens]
        return index_of(found, len(self.dates))


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
        index: Index = self.gold.keep(
            "raw", lambda: self.gold.index(1, self.gold.tokens(words.raw))
        )
        found = [words.raw(texts) for _, texts in self.predicted.days]
        shared = index.shared(found)
        size = np.array([len(tokens) for tokens in found], dtype=np.float64)
        size *= len(self.gold.references)
        # 2PR/(P+R) with P = h/p and R = h/m, in tilse's order of operations; 0 where h is 0.
        hit = shared > 0
        p = np.divide(shared, size[:, np.newaxis], out=np.zeros_like(shared), where=hit)
        r = np.divide(shared, index.totals, out=np.zeros_like(shared), where=hit)
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

    @property
    def _gold_documents(self) -> list[list[str]]:
        """The tokens of each reference, its days laid end to end."""
        references = self.gold.references
        kept: list[list[str]] = self.gold.keep(
            "documents",
            lambda: [self.tokenise([t for _, texts in r.days for t in texts]) for r in references],
        )
        return kept

    def overlap(self, rouge: str) -> Overlap:
        """N-grams, or for L the longest common subsequence, that pairs of days share."""
        made: Overlap = self.keep(
            rouge, lambda: self._sequences() if rouge == "L" else self._ngrams(int(rouge))
        )
        return made

    def _ngrams(self, n: int) -> Overlap:
        index: Index = self.gold.keep(n, lambda: self.gold.index(n, self.gold_tokens))
        found = [ngrams(tokens, n) for tokens in self.tokens]
        return self._overlap(index.shared(found), [len(grams) for grams in found], index.totals)

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
        own = list(chain.from_iterable(self.tokens))
        shared = gold = predicted = 0
        for other in self._gold_documents:
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


def _bounds(days: Sequence[Period]) -> tuple[Array, Array]:
    first = np.array([day.first.toordinal() for day in days], dtype=np.float64)
    return first, np.array([day.last.toordinal() for day in days], dtype=np.float64)
