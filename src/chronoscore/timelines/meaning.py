"""Overlap of meaning: days and words that say the same in other words."""

import numpy as np

from chronoscore.elements.embedding import load
from chronoscore.elements.ratios import Array
from chronoscore.timelines.comparison import Comparison, Overlap

FLOOR = 0.5
"""Likeness of two words up to which they share nothing: unrelated words are not at 0 either."""


def day_similarity(comparison: Comparison, model: str) -> Array:
    """Cosine of the texts of each pair of days, 0 where it is negative."""

    def make() -> Array:
        embed = load(model)
        own = embed([" ".join(texts) for _, texts in comparison.predicted.days])
        similarity = np.zeros((len(own), len(comparison.gold_dates)))
        for reference in comparison.gold.references:
            days = embed([" ".join(texts) for _, texts in reference.days])
            columns = [comparison.gold.column[day] for day in reference.dates]
            cosine = np.asarray(own @ days.T, dtype=np.float64)
            similarity[:, columns] = np.maximum(similarity[:, columns], cosine)
        return np.clip(similarity, 0.0, 1.0)

    made: Array = comparison.keep(("meaning", model), make)
    return made


def meaning_overlap(comparison: Comparison, model: str) -> Overlap:
    """Count words as shared as far as the other day has a word of like meaning.

    Each word of a day is worth max(0, (c - floor) / (1 - floor)), c being the highest cosine with
    a word of the other day; a word that the other day has is worth 1. The totals are the words.
    """

    def make() -> Overlap:
        embed = load(model)
        references = comparison.gold_tokens
        n, m = len(comparison.tokens), len(comparison.gold_dates)
        shared, found, gold = np.zeros((n, m)), np.zeros((n, m)), np.zeros(m)
        own = [np.asarray(embed(tokens), dtype=np.float64) for tokens in comparison.tokens]
        for column, tokens in references:
            gold[column] += len(tokens)
            theirs = np.asarray(embed(tokens), dtype=np.float64)
            for row, words in enumerate(own):
                if len(words) and len(theirs):
                    alike = np.clip((words @ theirs.T - FLOOR) / (1 - FLOOR), 0.0, 1.0)
                    shared[row, column] += alike.max(axis=1).sum()
                    found[row, column] += alike.max(axis=0).sum()
        sizes = np.array([len(tokens) for tokens in comparison.tokens], dtype=np.float64)
        return Overlap(shared, found, sizes * len(comparison.gold.references), gold)

    made: Overlap = comparison.keep(("soft", model), make)
    return made
