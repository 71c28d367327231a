"""Which of two is better: paired permutation and bootstrap tests, McNemar's test, and power."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Literal

import numpy as np

from chronoscore.elements.ratios import Array
from chronoscore.statistics.drawing import RESAMPLES, coins, counts, every_way, weighed
from chronoscore.statistics.equality import rounding
from chronoscore.statistics.resampling import Resampler, alike, drawn

Test = Literal["permutation", "bootstrap"]
MOST_ENUMERATED = 4096
MOST_SUMS = 1 << 23
"""Of swapped features that are held at once: 64 MB."""


@dataclass(frozen=True)
class Verdict:
    """A p-value for each score, and the smallest that the test could have given."""

    p: Array
    smallest: float
    exact: bool


Paired = tuple[Resampler, Resampler]


def permutation_test(
    one: Resampler, two: Resampler, *, seed: int = 0, draws: int = RESAMPLES
) -> Verdict:
    """Two-sided paired test: how often is the difference as large if names are swapped by chance?

    Systems change places cluster by cluster. Up to 12 clusters every way is enumerated, so p is
    exact; above, p = (count + 1) / (draws + 1). With n clusters no p is below 2 / 2^n. *Noreen
    1989, Computer-intensive Methods for Testing Hypotheses.*
    """
    return permutation_tests([(one, two)], seed=seed, draws=draws)[0]


def permutation_tests(
    pairs: Sequence[Paired], *, seed: int = 0, draws: int = RESAMPLES
) -> list[Verdict]:
    """The permutation test of many pairs: swaps are drawn once for as many as memory allows."""
    clusters = _clusters(pairs)
    pairs = [alike(one, two) for one, two in pairs]
    exact = 2 ** len(clusters) <= MOST_ENUMERATED
    ways = 2 ** len(clusters) if exact else draws
    verdicts: list[Verdict] = []
    while len(verdicts) < len(pairs):
        some: list[Paired] = []
        room = MOST_SUMS // ways
        for pair in pairs[len(verdicts) :]:
            room -= pair[0].features.shape[0] * pair[0].features.shape[2]
            if some and room < 0:
                break
            some.append(pair)

        def gained(places: slice, some: Sequence[Paired] = some) -> Array:
            parts = [two.columns(places) - one.columns(places) for one, two in some]
            return np.concatenate(parts, axis=1)

        moved = weighed(
            lambda names: every_way(len(names)) if exact else coins(names, seed, draws),
            clusters,
            gained,
        )
        start = 0
        for one, two in some:
            end = start + one.features.shape[0] * one.features.shape[2]
            verdicts.append(_swapped(one, two, one.grouped(moved[:, start:end]), exact=exact))
            start = end
    return verdicts


def _clusters(pairs: Sequence[Paired]) -> tuple[str, ...]:
    names = pairs[0][0].names if pairs else ()
    if any(sample.names != names for pair in pairs for sample in pair):
        raise ValueError("a paired test needs the same clusters on both sides")
    return names


def _swapped(one: Resampler, two: Resampler, moved: Array, *, exact: bool) -> Verdict:
    """Compare the difference with those after features[b, groups, q] have changed sides."""
    sums_one, sums_two = one.features.sum(axis=1), two.features.sum(axis=1)
    observed = np.abs(one.finished(sums_one) - two.finished(sums_two))
    first, second = one.finished(sums_one + moved), two.finished(sums_two - moved)
    equal = rounding(one.alone(), two.alone(), first, second)
    count = (np.abs(first - second) >= observed - equal).sum(axis=0)
    least, draws = 2.0 ** (1 - len(one.names)), len(moved)
    smallest = least if exact else max(1 / (draws + 1), least)
    p = count / draws if exact else np.maximum((count + 1) / (draws + 1), smallest)
    return Verdict(np.where(np.isnan(observed), np.nan, p), min(1.0, smallest), exact)


def paired_bootstrap(
    one: Resampler, two: Resampler, *, seed: int = 0, draws: int = RESAMPLES
) -> Verdict:
    """Twice the smaller share of resampled differences that lies on one side of 0."""
    return paired_bootstraps([(one, two)], seed=seed, draws=draws)[0]


def paired_bootstraps(
    pairs: Sequence[Paired], *, seed: int = 0, draws: int = RESAMPLES
) -> list[Verdict]:
    """The bootstrap test of many pairs: resamples are drawn once for all."""
    _clusters(pairs)
    samples = {id(sample): sample for pair in pairs for sample in pair}
    scores = drawn([*samples.values()], lambda names: counts(names, seed, draws)) if pairs else []
    of = dict(zip(samples, scores, strict=True))
    verdicts = []
    for one, two in pairs:
        first, second = of[id(one)], of[id(two)]
        equal = rounding(one.alone(), two.alone(), first, second)
        verdicts.append(_sides(first - second, equal, draws))
    return verdicts


def _sides(difference: Array, equal: Array, draws: int) -> Verdict:
    below, above = (difference <= equal).sum(axis=0), (difference >= -equal).sum(axis=0)
    sides = np.minimum(below, above)
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
    differences: Array,
    effect: float,
    *,
    equal: float = 0.0,
    level: float = 0.95,
    power: float = 0.8,
) -> int | None:
    """How many clusters it would take to see a difference of this size.

    The paired t-test's n for the spread of the clusters' differences: ((z + z') s / d)², and one
    or two more for Student's t. None if there is no difference to see or no spread known. An
    effect or a spread of at most `equal` is a rounding error, and counts as 0.
    """
    from scipy.special import ndtri  # noqa: PLC0415  # slow to import

    if len(differences) < 2 or abs(effect) <= equal:
        return None
    fewest = int(np.ceil(1 - np.log2(1 - level)))  # 2 / 2^n <= 1 - level
    spread = float(np.std(differences, ddof=1))
    if spread <= equal:
        return fewest
    z = float(ndtri((1 + level) / 2))
    needed = ((z + float(ndtri(power))) * spread / effect) ** 2 + z * z / 2
    return max(fewest, int(np.ceil(needed)))
