"""Everything that timeline metrics need of one case, computed once: tokens, overlaps, distances."""

import string
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from datetime import date
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from chronoscore.core.case import Case
from chronoscore.elements.ratios import Array, f_measure, ratio
from chronoscore.elements.text import rouge155
from chronoscore.timelines.model import References, Timeline

Tokeniser = Callable[[Iterable[str]], list[str]]
TEXTS: Mapping[str, Tokeniser] = {"rouge155": rouge155.tokens}


class Overlap(NamedTuple):
    """N-gram counts of all pairs of days: what is shared, and what each side has.

    With N references, what is shared is added up over them, and what was predicted counts N
    times: a reference that lacks the day is an empty document, as in ROUGE-1.5.5.
    """

    shared: Array
    predicted: Array
    gold: Array


class Comparison:
    """One predicted timeline against its references, under one kind of text processing."""

    def __init__(self, case: Case[References, Timeline], tokenise: Tokeniser) -> None:
        self.references = case.gold
        self.predicted = case.predicted
        self.predicted_dates = case.predicted.dates
        self.gold_dates = tuple(sorted({day for gold in case.gold for day in gold.dates}))
        self._tokenise = tokenise
        self.overlap = cache(self._overlap)

    @cached_property
    def distance(self) -> Array:
        """Days between each predicted (row) and each gold (column) date."""
        return np.abs(
            np.subtract.outer(_ordinals(self.predicted_dates), _ordinals(self.gold_dates))
        )

    @cached_property
    def likeness(self) -> Array:
        """How alike the texts of two days are, for choosing what to align: F1 of raw tokens.

        tilse aligns by this quick measure, whatever the final score counts: white-space tokens
        as they stand, without tokens that are a part of the string of punctuation marks.
        """
        overlap = self._count(_raw_tokens, 1)
        precision = ratio(overlap.shared, overlap.predicted[:, np.newaxis])
        recall = ratio(overlap.shared, overlap.gold[np.newaxis, :])
        return np.nan_to_num(f_measure(precision, recall))

    def _overlap(self, n: int) -> Overlap:
        return self._count(self._tokenise, n)

    def _count(self, tokenise: Tokeniser, n: int) -> Overlap:
        column = {day: place for place, day in enumerate(self.gold_dates)}
        predicted = [_ngrams(tokenise(texts), n) for _, texts in self.predicted.days]
        gold = [
            (column[day], _ngrams(tokenise(texts), n))
            for reference in self.references
            for day, texts in reference.days
        ]
        totals = np.zeros(len(column))
        for place, grams in gold:
            totals[place] += grams.total()
        return Overlap(
            shared=_shared(predicted, gold, len(column)),
            predicted=np.array(
                [len(self.references) * grams.total() for grams in predicted], float
            ),
            gold=totals,
        )


def compare(case: Case[References, Timeline], setting: Hashable) -> Comparison:
    """Compare a case under a kind of text processing."""
    return Comparison(case, TEXTS[str(setting)])


def _shared(
    predicted: Sequence[Counter[str]], gold: Sequence[tuple[int, Counter[str]]], columns: int
) -> Array:
    """Count shared n-grams of all pairs of days through an index from n-gram to gold days."""
    index: dict[str, list[tuple[int, int]]] = {}
    for place, grams in gold:
        for gram, count in grams.items():
            index.setdefault(gram, []).append((place, count))
    shared = np.zeros((len(predicted), columns))
    for row, grams in zip(shared, predicted, strict=True):
        found = [0] * columns
        for gram, count in grams.items():
            for place, other in index.get(gram, ()):
                found[place] += min(count, other)
        row[:] = found
    return shared


def _ngrams(tokens: list[str], n: int) -> Counter[str]:
    if n == 1:
        return Counter(tokens)
    # No token holds a space, so the joined text stands for the tuple and hashes faster.
    return Counter(map(" ".join, zip(*(tokens[start:] for start in range(n)), strict=False)))


def _raw_tokens(texts: Iterable[str]) -> list[str]:
    return [token for text in texts for token in text.split() if token not in string.punctuation]


def _ordinals(dates: Sequence[date]) -> Array:
    return np.array([day.toordinal() for day in dates], dtype=np.float64)
