"""Krippendorff's alpha, for any number of raters, missing ratings and four scales.

*Krippendorff 2011, Computing Krippendorff's Alpha-Reliability.*
"""

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np

from chronoscore.elements.ratios import Array, ratio
from chronoscore.statistics.agreement.ratings import Ratings
from chronoscore.statistics.agreement.tally import Tally, stacked

Scale = Literal["nominal", "ordinal", "interval", "ratio"]
_ROUNDING = 1e-13
"""A sum of squares that is smaller than this share of what it was taken from is 0."""
_RANGE = (-1.0, 1.0)
"""Disagreement within units is less than twice that of all ratings, on each of the scales."""


def alpha(ratings: Ratings, scale: Scale, weights: Array | None = None) -> Array:
    """Krippendorff's alpha: 1 - observed / expected disagreement; NaN where undefined.

    alpha = 1 - (n - 1) sum o_ck d²_ck / sum n_c n_k d²_ck over pairs of values c, k, where o are
    coincidences within units and n_c their marginals. Units with a single rating say nothing and
    drop out. `weights[..., u]` weighs the units: resamples cost one product.

    >>> table = [("a", "x", 1), ("a", "y", 1), ("b", "x", 2), ("b", "y", 2), ("c", "x", 1),
    ...          ("c", "y", 2)]
    >>> float(alpha(Ratings.of(table), "nominal").round(4))
    0.4444
    """
    return alpha_tally(ratings, scale)(weights)


def alpha_tally(ratings: Ratings, scale: Scale) -> Tally:
    """Prepare alpha."""
    return _TALLIES[scale](ratings)


def _alpha(number: Array, observed: Array, expected: Array) -> Array:
    return 1 - ratio(np.asarray((number - 1) * observed), np.asarray(expected))


def _paired_counts(ratings: Ratings) -> tuple[Array, Array]:
    """Counts of the units with two ratings or more, and by what their pairs are divided."""
    counts = ratings.counts * ratings.paired[:, np.newaxis]
    return counts, np.maximum(ratings.sizes - 1, 1)


def _with_distances(ratings: Ratings, distances: Array) -> Tally:
    """Alpha where the distances of categories are known beforehand."""
    counts, others = _paired_counts(ratings)
    observed = ((counts @ distances) * counts).sum(axis=1) / others

    def link(sums: Array) -> Array:
        marginals = sums[..., 1:]
        expected = ((marginals @ distances) * marginals).sum(axis=-1)
        return _alpha(marginals.sum(axis=-1), sums[..., 0], expected)

    return Tally(stacked([observed, counts]), link, ratings.paired, _RANGE)


def _nominal(ratings: Ratings) -> Tally:
    return _with_distances(ratings, 1 - np.eye(len(ratings.values)))


def _ratio(ratings: Ratings) -> Tally:
    """d = (c - k) / (c + k), for values that are not negative."""
    values = ratings.values
    if (values < 0).any():
        nothing = np.zeros((len(ratings.units), 1))
        return Tally(nothing, lambda sums: np.full(sums.shape[:-1], np.nan), ratings.paired)
    apart = ratio(np.subtract.outer(values, values), np.add.outer(values, values))
    return _with_distances(ratings, np.asarray(np.nan_to_num(apart) ** 2))


def _ordinal(ratings: Ratings) -> Tally:
    """d is the number of ratings between two ranks, their own counted half."""
    counts, others = _paired_counts(ratings)
    lower, upper = np.triu_indices(len(ratings.values), 1)
    coincidences = counts[:, lower] * counts[:, upper] / others[:, np.newaxis]
    pairs = len(lower)

    def link(sums: Array) -> Array:
        marginals = sums[..., pairs:]
        number = marginals.sum(axis=-1)
        # The middle of each rank's ratings, were all ratings laid in a row by value; the mean of
        # these middles is n / 2.
        middle = np.cumsum(marginals, axis=-1) - marginals / 2
        apart = (middle[..., lower] - middle[..., upper]) ** 2
        observed = 2 * (sums[..., :pairs] * apart).sum(axis=-1)
        spread = (middle - number[..., np.newaxis] / 2) ** 2
        expected = 2 * number * (marginals * spread).sum(axis=-1)
        return _alpha(number, observed, expected)

    return Tally(stacked([coincidences, counts]), link, ratings.paired, _RANGE)


def _interval(ratings: Ratings) -> Tally:
    """d = c - k: sums of squares do, however many values there are."""
    paired, sizes = ratings.paired, ratings.sizes
    within = ratings.sums(ratings.deviations**2) * paired
    observed = 2 * sizes * within / np.maximum(sizes - 1, 1)
    moments = [sizes * paired] + [ratings.sums(ratings.centred**power) * paired for power in (1, 2)]

    def link(sums: Array) -> Array:
        number, first, second = sums[..., 1], sums[..., 2], sums[..., 3]
        spread = number * second - first**2
        expected = 2 * np.where(spread > _ROUNDING * number * second, spread, 0)
        return _alpha(number, sums[..., 0], expected)

    return Tally(stacked([observed, *moments]), link, paired, _RANGE)


_TALLIES: Mapping[Scale, Callable[[Ratings], Tally]] = {
    "nominal": _nominal,
    "ordinal": _ordinal,
    "interval": _interval,
    "ratio": _ratio,
}
SCALES = tuple(_TALLIES)
