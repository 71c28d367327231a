"""Which of two is better: paired permutation and bootstrap tests, McNemar's test, and power."""

from dataclasses import dataclass
from math import comb
from typing import Literal

import numpy as np

from chronoscore.elements.ratios import Array
from chronoscore.statistics.resampling import (
    RESAMPLES,
    Resampler,
    all_signs,
    poisson_weights,
    signs,
    weighed,
)

Test = Literal["permutation", "bootstrap"]
MOST_ENUMERATED = 4096
_EQUAL = 1e-12
"""Differences that are as large but for rounding count as as large."""


@dataclass(frozen=True)
class Verdict:
    """A p-value for each score, and the smallest that the test could have given."""

    p: Array
    smallest: float
    exact: bool


def permutation_test(
    one: Resampler, two: Resampler, *, seed: int = 0, draws: int = RESAMPLES
) -> Verdict:
    """Two-sided paired test: how often is the difference as large if names are swapped by chance?

    Systems change places cluster by cluster. Up to 12 clusters every way is enumerated, so p is
    exact; above, p = (count + 1) / (draws + 1). With n clusters no p is below 2 / 2^n. *Noreen
    1989, Computer-intensive Methods for Testing Hypotheses.*
    """
    if one.names != two.names:
        raise ValueError("a paired test needs the same clusters on both sides")
    clusters = len(one.names)
    exact = 2**clusters <= MOST_ENUMERATED
    gained = two.features - one.features
    if exact:
        moved = np.stack([all_signs(clusters) @ group for group in gained], axis=-2)
    else:
        moved = weighed(lambda names: signs(names, seed, draws), one.names, gained)
    sums_one, sums_two = one.features.sum(axis=1), two.features.sum(axis=1)
    observed = np.abs(one.finished(sums_one) - two.finished(sums_two))
    swapped = np.abs(one.finished(sums_one + moved) - two.finished(sums_two - moved))
    count = (swapped >= observed - _EQUAL).sum(axis=0)
    least = 2 / 2**clusters
    smallest = least if exact else max(1 / (draws + 1), least)
    p = count / len(moved) if exact else np.maximum((count + 1) / (draws + 1), smallest)
    return Verdict(np.where(np.isnan(observed), np.nan, p), min(1.0, smallest), exact)


def paired_bootstrap(
    one: Resampler, two: Resampler, *, seed: int = 0, draws: int = RESAMPLES
) -> Verdict:
    """Twice the smaller share of resampled differences that lies on one side of 0."""

    def draw(names: tuple[str, ...]) -> Array:
        return poisson_weights(names, seed, draws)

    difference = one.drawn(draw) - two.drawn(draw)
    sides = np.minimum((difference <= 0).sum(axis=0), (difference >= 0).sum(axis=0))
    defined = (~np.isnan(difference)).sum(axis=0)
    p = np.where(defined > 0, np.minimum(1.0, 2 * (sides + 1) / (defined + 1)), np.nan)
    return Verdict(p, 2 / (draws + 1), exact=False)


def mcnemar(only_first: int, only_second: int, *, mid: bool = False) -> float:
    """Exact two-sided test of 0/1 outcomes: was one right alone more often than the other?

    p = 2 · P(X <= min(b, c)), X ~ Binomial(b + c, 1/2); mid-p counts the observed value half.

    >>> mcnemar(1, 6), round(mcnemar(1, 6, mid=True), 4)
    (0.125, 0.0703)
    """
    total, smaller = only_first + only_second, min(only_first, only_second)
    if total == 0:
        return 1.0
    tail = sum(comb(total, k) for k in range(smaller + 1))
    if mid:
        return float(min(1.0, (2 * tail - comb(total, smaller)) / 2**total))
    return float(min(1.0, 2 * tail / 2**total))


def clusters_needed(
    differences: Array, effect: float, *, level: float = 0.95, power: float = 0.8
) -> int | None:
    """How many clusters it would take to see a difference of this size.

    The paired t-test's n for the spread of the clusters' differences: ((z + z') s / d)², and one
    or two more for Student's t. None if there is no difference to see or no spread known.
    """
    from scipy.special import ndtri  # noqa: PLC0415  # slow to import

    if len(differences) < 2 or abs(effect) < _EQUAL:
        return None
    fewest = int(np.ceil(1 - np.log2(1 - level)))  # 2 / 2^n <= 1 - level
    spread = float(np.std(differences, ddof=1))
    if spread < _EQUAL:
        return fewest
    z = float(ndtri((1 + level) / 2))
    needed = ((z + float(ndtri(power))) * spread / effect) ** 2 + z * z / 2
    return max(fewest, int(np.ceil(needed)))
