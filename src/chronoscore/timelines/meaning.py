"""Overlap of meaning: days and sentences that say the same in other words."""

import numpy as np

from chronoscore.elements.embedding import Embed, load
from chronoscore.elements.ratios import Array
from chronoscore.timelines.comparison import Comparison, Overlap


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
    """Count the words of a sentence as shared as far as the other day has one that says the same.

    A sentence of n words is worth n times its highest cosine with a sentence of the other day, on
    either side; the totals are the words. Sentences are compared, not words, since they tell the
    same event in other words from another event of the day far better.
    """

    def make() -> Overlap:
        embed = load(model)
        own = [_sentences(texts, comparison, embed) for _, texts in comparison.predicted.days]
        columns = len(comparison.gold_dates)
        shared, found = np.zeros((len(own), columns)), np.zeros((len(own), columns))
        gold = np.zeros(columns)
        for reference in comparison.gold.references:
            for day, texts in reference.days:
                column = comparison.gold.column[day]
                sizes, vectors = _sentences(texts, comparison, embed)
                gold[column] += sizes.sum()
                for row, (own_sizes, own_vectors) in enumerate(own):
                    if len(own_sizes) and len(sizes):
                        alike = np.clip(own_vectors @ vectors.T, 0.0, 1.0)
                        shared[row, column] += own_sizes @ alike.max(axis=1)
                        found[row, column] += sizes @ alike.max(axis=0)
        totals = np.array([sizes.sum() for sizes, _ in own], dtype=np.float64)
        return Overlap(shared, found, totals * len(comparison.gold.references), gold)

    made: Overlap = comparison.keep(("soft", model), make)
    return made


def _sentences(texts: tuple[str, ...], comparison: Comparison, embed: Embed) -> tuple[Array, Array]:
    """The number of words of each sentence of a day, and its vector."""
    sizes = [len(comparison.tokenise([text])) for text in texts]
    return np.array(sizes, dtype=np.float64), np.asarray(embed(list(texts)), dtype=np.float64)
