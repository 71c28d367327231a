"""Correlations of a metric with people: Pearson, Spearman, and Kendall's tau in three forms.

Each takes human[..., n] and metric[..., n] with any leading axes and, for resampling, weights
[..., n] of the items, and gives NaN where it is undefined. Under weights an item counts as often as
its weight says, and is never paired with itself.
"""

import numpy as np

from chronoscore.elements.ratios import Array, ratio
from chronoscore.statistics.correlation.values import Signs, signs
from chronoscore.statistics.equality import decimals


def pearson(human: Array, metric: Array, weights: Array | None = None) -> Array:
    """r = cov(x, y) / sqrt(var x var y). *Pearson 1895.*"""
    w = np.ones(human.shape[-1]) if weights is None else weights
    total = w.sum(axis=-1, keepdims=True)
    x, y = (v - ratio((w * v).sum(axis=-1, keepdims=True), total) for v in (human, metric))
    top = (w * x * y).sum(axis=-1)
    bottom = np.sqrt((w * x * x).sum(axis=-1) * (w * y * y).sum(axis=-1))
    varied = _varied(human, w) & _varied(metric, w)
    found = ratio(top, np.where(varied, bottom, 0.0))
    return np.asarray(np.clip(found, -1.0, 1.0))


def _varied(values: Array, weights: Array) -> np.typing.NDArray[np.bool_]:
    """Where items that count differ; a spread of 1e-17 is rounding, not variation."""
    counted = weights > 0
    high = np.where(counted, values, -np.inf).max(axis=-1)
    low = np.where(counted, values, np.inf).min(axis=-1)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.round(high - low, decimals(values)) > 0)


def spearman(human: Array, metric: Array, weights: Array | None = None) -> Array:
    """Pearson's r of ranks, ties share the mean of theirs. *Spearman 1904.*"""
    return pearson(_ranks(human, weights), _ranks(metric, weights), weights)


def _ranks(values: Array, weights: Array | None) -> Array:
    below = (1 + signs(values)) / 2  # 1 where item j is below item i, 1/2 where they tie
    if weights is None:
        return np.asarray(below.sum(axis=-1) + 0.5)
    if below.ndim == 2:
        return np.asarray(weights @ below.T + 0.5)
    return np.asarray(np.einsum("...ij,...j->...i", below, weights) + 0.5)


def tau_a(human: Array, metric: Array, weights: Array | None = None) -> Array:
    """(concordant - discordant) / all pairs. *Kendall 1938.*"""
    apart = summed(signs(human) * signs(metric), weights)
    return ratio(apart, pairs_of(human, weights))


def tau_b(human: Array, metric: Array, weights: Array | None = None) -> Array:
    """(concordant - discordant) / sqrt(pairs untied for people x untied for the metric).

    *Kendall 1945.*
    """
    h, m = signs(human), signs(metric)
    untied = np.sqrt(summed(h * h, weights) * summed(m * m, weights))
    return np.asarray(np.clip(ratio(summed(h * m, weights), untied), -1.0, 1.0))


def tau_c(human: Array, metric: Array, weights: Array | None = None) -> Array:
    """2 (concordant - discordant) / (n² (m - 1) / m), m the smaller number of distinct values.

    *Stuart 1953.*
    """
    apart = summed(signs(human) * signs(metric), weights)
    counted = np.ones(human.shape[-1]) if weights is None else weights
    smaller = np.minimum(_distinct(human, counted), _distinct(metric, counted))
    items = counted.sum(axis=-1)
    return ratio(2 * apart * smaller, items**2 * np.maximum(smaller - 1, 0))


def _distinct(values: Array, weights: Array) -> Array:
    """How many different values items that count have: each item by 1 over those that tie."""
    tied = (signs(values) == 0).astype(np.float64)
    counted = (weights > 0).astype(np.float64)
    if tied.ndim == 2:
        alike = counted @ tied
    else:
        alike = np.einsum("...ij,...j->...i", tied, np.broadcast_to(counted, values.shape))
    return np.asarray(np.round((counted / np.maximum(alike, 1.0)).sum(axis=-1)))


def gamma(human: Array, metric: Array, weights: Array | None = None) -> Array:
    """(concordant - discordant) / (concordant + discordant). *Goodman and Kruskal 1954.*"""
    product = signs(human) * signs(metric)
    return ratio(summed(product, weights), summed(np.abs(product), weights))


def summed(of_pairs: Array | Signs, weights: Array | None) -> Array:
    """Add up what each pair has, each pair once: w' S w / 2, and S is 0 on its diagonal."""
    if weights is None:
        return np.asarray(of_pairs.sum(axis=(-2, -1)) / 2)
    of_pairs = of_pairs.astype(np.float64)
    if of_pairs.ndim == 2:
        return np.asarray(((weights @ of_pairs) * weights).sum(axis=-1) / 2)
    return np.asarray(np.einsum("...i,...ij,...j->...", weights, of_pairs, weights) / 2)


def pairs_of(values: Array, weights: Array | None) -> Array:
    """How many pairs of items there are."""
    if weights is None:
        n = values.shape[-1]
        return np.asarray(n * (n - 1) / 2)
    return np.asarray((weights.sum(axis=-1) ** 2 - (weights**2).sum(axis=-1)) / 2)
