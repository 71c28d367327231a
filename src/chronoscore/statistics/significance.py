"""Tests of two systems: paired permutation and bootstrap tests, McNemar's test, and power."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import comb, isnan, nan
from string import ascii_letters
from typing import Literal

import numpy as np

from chronoscore.statistics.drawing import RESAMPLES, coins, every_way, weighed
from chronoscore.statistics.exact import rounding
from chronoscore.statistics.ratios import Array
from chronoscore.statistics.resampling import Resampler, alike, poisson_resampled

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
    first: Resampler, second: Resampler, *, seed: int = 0, draws: int = RESAMPLES
) -> Verdict:
    """Two-sided paired test: how often is the difference as large if names are swapped by chance?

    Systems change places cluster by cluster. Up to 12 clusters every way is enumerated, so p is
    exact; above, p = (count + 1) / (draws + 1). With n clusters no p is below 2 / 2^n. *Noreen
    1989, Computer-intensive Methods for Testing Hypotheses.*
    """
    return permutation_tests([(first, second)], seed=seed, draws=draws)[0]


def permutation_tests(
    pairs: Sequence[Paired], *, seed: int = 0, draws: int = RESAMPLES
) -> list[Verdict]:
    """The permutation test of many pairs: swaps are drawn once for as many as memory allows."""
    clusters = _clusters(pairs)
    pairs = [alike(one, two) for one, two in pairs]
    exact = 2 ** len(clusters) <= MOST_ENUMERATED
    ways = 2 ** len(clusters) if exact else draws
    widths = [one.features.shape[0] * one.features.shape[2] for one, _ in pairs]
    verdicts: list[Verdict] = []
    while len(verdicts) < len(pairs):
        start, end = len(verdicts), len(verdicts) + 1
        while end < len(pairs) and sum(widths[start : end + 1]) <= MOST_SUMS // ways:
            end += 1
        batch = pairs[start:end]

        def gained(places: slice, batch: Sequence[Paired] = batch) -> Array:
            parts = [two.moved(places) - one.moved(places) for one, two in batch]
            return np.concatenate(parts, axis=1)

        moved = weighed(
            lambda names: every_way(len(names)) if exact else coins(names, seed, draws),
            clusters,
            gained,
        )
        parts = np.split(moved, np.cumsum(widths[start:end])[:-1].tolist(), axis=1)
        for (one, two), part in zip(batch, parts, strict=True):
            verdicts.append(_swapped(one, two, one.grouped(part), exact=exact))
    return verdicts


def _clusters(pairs: Sequence[Paired]) -> tuple[str, ...]:
    names = pairs[0][0].names if pairs else ()
    if any(sample.names != names for pair in pairs for sample in pair):
        raise ValueError("a paired test needs the same clusters on both sides")
    return names


def _swapped(one: Resampler, two: Resampler, moved: Array, *, exact: bool) -> Verdict:
    """Compare the difference with those after features[b, groups, q] are swapped."""
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
    first: Resampler, second: Resampler, *, seed: int = 0, draws: int = RESAMPLES
) -> Verdict:
    """Twice the smaller share of resampled differences that lies on one side of 0."""
    return paired_bootstraps([(first, second)], seed=seed, draws=draws)[0]


def paired_bootstraps(
    pairs: Sequence[Paired], *, seed: int = 0, draws: int = RESAMPLES
) -> list[Verdict]:
    """The bootstrap test of many pairs: resamples are drawn once for all."""
    _clusters(pairs)
    samples = {id(sample): sample for pair in pairs for sample in pair}
    scores = poisson_resampled([*samples.values()], seed, draws) if pairs else []
    scores_of = dict(zip(samples, scores, strict=True))
    verdicts = []
    for one, two in pairs:
        first, second = scores_of[id(one)], scores_of[id(two)]
        equal = rounding(one.alone(), two.alone(), first, second)
        difference = first - second
        below, above = (difference <= equal).sum(axis=0), (difference >= -equal).sum(axis=0)
        defined = (~np.isnan(difference)).sum(axis=0)
        p = np.minimum(1.0, 2 * (np.minimum(below, above) + 1) / (defined + 1))
        verdicts.append(Verdict(np.where(defined > 0, p, np.nan), 2 / (draws + 1), exact=False))
    return verdicts


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

    differences = differences[~np.isnan(differences)]  # where a score is undefined, none is known
    if len(differences) < 2 or abs(effect) <= equal:
        return None
    fewest = int(np.ceil(1 - np.log2(1 - level)))  # 2 / 2^n <= 1 - level
    spread = float(np.std(differences, ddof=1))
    if spread <= equal:
        return fewest
    z = float(ndtri((1 + level) / 2))
    needed = ((z + float(ndtri(power))) * spread / effect) ** 2 + z * z / 2
    return max(fewest, int(np.ceil(needed)))


# Many comparisons at once: corrected p-values, letters, and clusters of rank.


Pair = tuple[str, str]


def holm(p: Sequence[float]) -> list[float]:
    """Holm's step-down correction: the chance of any false alarm stays below the level.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(_defined(p), key=lambda place: p[place])
    corrected = [nan] * len(p)
    highest = 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(order) - rank) * p[place]))
        corrected[place] = highest
    return corrected


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's correction: the share of false alarms stays below the level.

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    order = sorted(_defined(p), key=lambda place: p[place], reverse=True)
    corrected = [nan] * len(p)
    lowest = 1.0
    for rank, place in enumerate(order):
        lowest = min(lowest, p[place] * len(order) / (len(order) - rank))
        corrected[place] = lowest
    return corrected


def _defined(p: Sequence[float]) -> list[int]:
    """Return the indices of the tests that have a p-value."""
    return [place for place, value in enumerate(p) if not isnan(value)]


CORRECTIONS: Mapping[str, Callable[[Sequence[float]], list[float]]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "none": list,
}


def letters(ranked: Sequence[str], differ: Mapping[Pair, bool]) -> dict[str, str]:
    """The compact letter display: systems that share a letter do not differ significantly.

    By insertion and absorption (Piepho 2004): each significant pair splits every group that holds
    both, and groups within others are dropped.

    >>> letters(["a", "b", "c"], {("a", "b"): False, ("b", "c"): False, ("a", "c"): True})
    {'a': 'a', 'b': 'ab', 'c': 'b'}
    """
    groups: list[set[str]] = [set(ranked)]
    for (first, second), significant in differ.items():
        if not significant:
            continue
        split: list[set[str]] = []
        for group in groups:
            split += [group - {first}, group - {second}] if {first, second} <= group else [group]
        unique = [g for place, g in enumerate(split) if g and g not in split[:place]]
        groups = [group for group in unique if not any(group < other for other in unique)]
    groups.sort(key=lambda group: sorted(ranked.index(name) for name in group))
    names = [_letter(number) for number in range(len(groups))]
    return {
        name: "".join(letter for letter, group in zip(names, groups, strict=True) if name in group)
        for name in ranked
    }


def _letter(number: int) -> str:
    return ascii_letters[number] if number < len(ascii_letters) else f"({number + 1})"


def rank_clusters(ranked: Sequence[str], differ: Mapping[Pair, bool]) -> dict[str, int]:
    """Clusters of rank, the best first: a new one begins where a system is below all above it.

    >>> rank_clusters(["a", "b", "c"], {("a", "b"): False, ("a", "c"): True, ("b", "c"): True})
    {'a': 1, 'b': 1, 'c': 2}
    """

    def differs(first: str, second: str) -> bool:
        return differ.get((first, second), differ.get((second, first), False))

    clusters: dict[str, int] = {}
    current = 1
    for place, name in enumerate(ranked):
        above, below = ranked[:place], ranked[place:]
        if above and all(differs(first, second) for first in above for second in below):
            current += 1
        clusters[name] = current
    return clusters
