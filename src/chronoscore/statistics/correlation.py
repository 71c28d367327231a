"""Correlations of two columns of numbers: which pairs of items agree, tie or differ."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from chronoscore.errors import UsageError
from chronoscore.statistics.drawing import (
    RESAMPLES,
    Numbers,
    affordable,
    coins,
    every_way,
    poisson_weights,
)
from chronoscore.statistics.exact import decimals, rounding
from chronoscore.statistics.intervals import Estimate, percentile
from chronoscore.statistics.labels import Labels
from chronoscore.statistics.ratios import Array, ratio

Signs = NDArray[np.int8]
Places = NDArray[np.int64]
Flags = NDArray[np.bool_]
Coefficient = Callable[..., Array]
"""Computes values[...] of human[n] and metrics[..., n], or of metric[n] and weights[..., n]."""
FEWEST = 3
"""Two items are always on a line."""


def gaps(values: Array) -> Array:
    """All differences between items: gaps[..., i, j] = x_i - x_j, rounded before they are
    compared, since in binary 0.9 - 0.8, 0.8 - 0.7 and 0.7 - 0.6 are three numbers.
    """
    differences = values[..., :, np.newaxis] - values[..., np.newaxis, :]
    return np.asarray(np.round(differences, decimals(values)))


def order_signs(values: Array) -> Signs:
    """Whether item i is above (1), below (-1) or tied with (0) item j: the sign of each gap.

    In single bytes and without rounding each gap, since a permutation test makes billions of them.
    """
    differences = values[..., :, np.newaxis] - values[..., np.newaxis, :]
    half = 0.5 * 10.0 ** -decimals(values)
    return np.asarray((differences > half).astype(np.int8) - (differences < -half).astype(np.int8))


def why_undefined(human: Array, metric: Array) -> str:
    """Say why two columns have no correlation, or nothing if they have one."""
    if len(human) < FEWEST:
        return f"a correlation needs {FEWEST} items, here are {len(human)}"
    for who, values in (("people", human), ("the metric", metric)):
        if not _varied(values, np.ones(len(values))):
            return f"no variation: {who} gave all items the same value"
    return ""


# Correlations of a metric with people: Pearson, Spearman, and Kendall's tau in three forms.


def pearson(human: Array, metric: Array, weights: Array | None = None) -> Array:
    """r = cov(x, y) / sqrt(var x var y). *Pearson 1895.*"""
    w = np.ones(human.shape[-1]) if weights is None else weights
    total = w.sum(axis=-1, keepdims=True)
    x, y = (v - ratio((w * v).sum(axis=-1, keepdims=True), total) for v in (human, metric))
    top = (w * x * y).sum(axis=-1)
    bottom = np.sqrt((w * x * x).sum(axis=-1) * (w * y * y).sum(axis=-1))
    varied = _varied(human, w) & _varied(metric, w)
    return np.asarray(np.clip(ratio(top, np.where(varied, bottom, 0.0)), -1.0, 1.0))


def _varied(values: Array, weights: Array) -> Flags:
    """Where weighted items differ; a spread of 1e-17 is rounding, not variation."""
    counted = weights > 0
    high = np.where(counted, values, -np.inf).max(axis=-1)
    low = np.where(counted, values, np.inf).min(axis=-1)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.round(high - low, decimals(values)) > 0)


def spearman(human: Array, metric: Array, weights: Array | None = None) -> Array:
    """Pearson's r of ranks, ties share the mean of theirs. *Spearman 1904.*"""
    return pearson(_ranks(human, weights), _ranks(metric, weights), weights)


def _ranks(values: Array, weights: Array | None) -> Array:
    below = (1 + order_signs(values)) / 2  # 1 where item j is below item i, 1/2 where they tie
    if weights is None:
        return np.asarray(below.sum(axis=-1) + 0.5)
    return np.asarray(weights @ below.T + 0.5)


def tau_a(human: Array, metric: Array, weights: Array | None = None) -> Array:
    """(concordant - discordant) / all pairs. *Kendall 1938.*"""
    surplus = summed(order_signs(human) * order_signs(metric), weights)
    return ratio(surplus, pairs_of(human, weights))


def tau_b(human: Array, metric: Array, weights: Array | None = None) -> Array:
    """(concordant - discordant) / sqrt(pairs untied for people x untied for the metric).

    *Kendall 1945.*
    """
    h, m = order_signs(human), order_signs(metric)
    untied = np.sqrt(summed(h * h, weights) * summed(m * m, weights))
    return np.asarray(np.clip(ratio(summed(h * m, weights), untied), -1.0, 1.0))


def tau_c(human: Array, metric: Array, weights: Array | None = None) -> Array:
    """2 (concordant - discordant) / (n² (m - 1) / m), m the smaller number of distinct values.

    *Stuart 1953.*
    """
    surplus = summed(order_signs(human) * order_signs(metric), weights)
    counted = np.ones(human.shape[-1]) if weights is None else weights
    smaller = np.minimum(_distinct(human, counted), _distinct(metric, counted))
    items = counted.sum(axis=-1)
    return ratio(2 * surplus * smaller, items**2 * np.maximum(smaller - 1, 0))


def _distinct(values: Array, weights: Array) -> Array:
    """Count the distinct values of weighted items: each item adds 1 over the number that tie."""
    tied = (order_signs(values) == 0).astype(np.float64)
    counted = (weights > 0).astype(np.float64)
    if tied.ndim == 2:
        alike = counted @ tied
    else:
        alike = np.einsum("...ij,...j->...i", tied, np.broadcast_to(counted, values.shape))
    return np.asarray(np.round((counted / np.maximum(alike, 1.0)).sum(axis=-1)))


def summed(of_pairs: Array | Signs, weights: Array | None) -> Array:
    """Add up the values of pairs, each pair once: w' S w / 2, where S is 0 on its diagonal."""
    if weights is None:
        return np.asarray(of_pairs.sum(axis=(-2, -1)) / 2)
    return np.asarray(((weights @ of_pairs.astype(np.float64)) * weights).sum(axis=-1) / 2)


def pairs_of(values: Array, weights: Array | None) -> Array:
    """How many pairs of items there are."""
    if weights is None:
        n = values.shape[-1]
        return np.asarray(n * (n - 1) / 2)
    return np.asarray((weights.sum(axis=-1) ** 2 - (weights**2).sum(axis=-1)) / 2)


# Pairwise accuracy: how often does a metric order two items as people do?


@dataclass(frozen=True)
class Calibrated:
    """The best accuracy, and the smallest epsilon that reaches it."""

    accuracy: float
    epsilon: float


def accuracy(human: Array, metric: Array, weights: Array | None = None) -> Array:
    """(concordant + tied for both) / all pairs: epsilon is 0."""
    h, m = order_signs(human), order_signs(metric)
    right = (h == m) & ~np.eye(human.shape[-1], dtype=np.bool_)
    return ratio(summed(right.astype(np.float64), weights), pairs_of(human, weights))


def calibrated_accuracy(human: Array, metric: Array, weights: Array | None = None) -> Array:
    """The accuracy at the best epsilon, which is chosen again under every weighting."""
    if weights is None:
        return np.asarray(_curve(human, metric)[0].max(axis=-1))
    first, second = np.triu_indices(len(human), 1)
    order, alike, tied, epsilons = _by_gap(human, metric)
    first, second, last = first[order], second[order], _last(epsilons)
    right = alike.astype(np.float64)
    gain = tied - right  # of treating a pair as tied
    thresholds = np.flatnonzero(last[1:])  # the last pairs of equal gaps
    untied = 0.0 if last[0] else -np.inf  # whether "no pair is tied" is a threshold too
    accuracies = []
    for row in weights.reshape(-1, weights.shape[-1]):
        pair_weights = row[first]
        pair_weights *= row[second]
        total = float(pair_weights.sum())
        start = float(
            np.einsum("p,p", right, pair_weights)
        )  # no threads, which cost more than they save
        pair_weights *= gain
        np.cumsum(pair_weights, out=pair_weights)
        reached = pair_weights if len(thresholds) == len(pair_weights) else pair_weights[thresholds]
        most = float(reached.max(initial=untied))
        accuracies.append((start + most) / total if total else np.nan)
    return np.array(accuracies).reshape(weights.shape[:-1])


def tie_calibration(human: Array, metric: Array) -> Calibrated:
    """Find the smallest epsilon with the highest accuracy.

    >>> tie_calibration(np.array([1.0, 1, 1, 4]), np.array([0.0, 2, 6, 8]))
    Calibrated(accuracy=0.6666666666666666, epsilon=4.0)
    """
    accuracies, epsilons = _curve(human, metric)
    if np.isnan(accuracies).any():
        return Calibrated(np.nan, np.nan)
    best = int(
        np.argmax(accuracies)
    )  # counts over one number of pairs: equal shares are equal floats
    return Calibrated(float(accuracies[best]), float(epsilons[best]))


def _curve(human: Array, metric: Array) -> tuple[Array, Array]:
    """The accuracy at epsilon 0 and at each gap between metric scores, and these epsilons.

    A pair that is not farther apart than epsilon is right where people tie, any other where people
    order it alike. Of equal gaps only the last is a threshold; the others have minus infinity.
    """
    _, alike, tied, epsilons = _by_gap(human, metric)
    start = alike.sum(axis=-1, keepdims=True)
    gained = np.cumsum(tied.astype(np.int64) - alike, axis=-1)
    reached = np.concatenate([start, start + gained], axis=-1).astype(np.float64)
    shares = ratio(reached, pairs_of(human, None))
    return np.where(_last(epsilons) | np.isnan(shares), shares, -np.inf), epsilons


def _by_gap(human: Array, metric: Array) -> tuple[Places, Flags, Flags, Array]:
    """Sort pairs by gap: their order, which are ordered alike, which people tie, 0 and the gaps."""
    first, second = np.triu_indices(human.shape[-1], 1)
    metric_gaps, human_gaps = gaps(metric)[..., first, second], gaps(human)[first, second]
    alike = (np.sign(metric_gaps) == np.sign(human_gaps)) & (human_gaps != 0)
    order = np.argsort(np.abs(metric_gaps), axis=-1, kind="stable")
    distance = np.take_along_axis(np.abs(metric_gaps), order, axis=-1)
    epsilons = np.concatenate([np.zeros((*distance.shape[:-1], 1)), distance], axis=-1)
    return order, np.take_along_axis(alike, order, axis=-1), (human_gaps == 0)[order], epsilons


def _last(epsilons: Array) -> Flags:
    """Which of the ascending epsilons is the last of its equals."""
    ends = np.ones((*epsilons.shape[:-1], 1), np.bool_)
    return np.concatenate([epsilons[..., 1:] > epsilons[..., :-1], ends], axis=-1)


# Is one metric's correlation with people higher than another's, or is it chance?


MOST_ENUMERATED = 100_000
_SAME = 1e-12
"""Williams' denominator, which has no unit, of two metrics that are one but for their scale."""
_CELLS = 1 << 22


@dataclass(frozen=True)
class Williams:
    """The statistic and p; NaN and a reason where undefined."""

    t: float = np.nan
    p_one_sided: float = np.nan
    """That the first correlates more."""
    p: float = np.nan
    reason: str = ""


@dataclass(frozen=True)
class Swapped:
    """The outcome of a permutation test of two metrics; NaN where a metric has no correlation."""

    difference: float = np.nan
    p_one_sided: float = np.nan
    p: float = np.nan
    smallest: float = np.nan
    """No two-sided p is below it with this many items."""
    exact: bool = False


def williams(human: Array, first: Array, second: Array) -> Williams:
    """Williams' test of two correlations that share a variable, for Pearson's r.

    t = (r₁ - r₂) sqrt((n-1)(1+r₃) / (2K (n-1)/(n-3) + (r₁+r₂)²/4 · (1-r₃)³)) with n - 3 degrees of
    freedom, K = 1 - r₁² - r₂² - r₃² + 2 r₁ r₂ r₃; r₃ is that of the two metrics. *Williams 1959,
    Regression Analysis; Steiger 1980; for metrics Graham and Baldwin 2014.*
    """
    from scipy.stats import t as student  # noqa: PLC0415  # slow to import

    n = len(human)
    if n < 4:
        return Williams(reason=f"it needs 4 items, here are {n}")
    r1, r2, r3 = (
        float(pearson(*pair)) for pair in ((human, first), (human, second), (first, second))
    )
    if np.isnan([r1, r2, r3]).any():
        return Williams(reason="no variation in people or a metric")
    k = max(0.0, 1 - r1**2 - r2**2 - r3**2 + 2 * r1 * r2 * r3)
    bottom = 2 * k * (n - 1) / (n - 3) + (r1 + r2) ** 2 / 4 * (1 - r3) ** 3
    if bottom < _SAME:
        return Williams(reason="the two metrics are the same, but for their scale")
    t = (r1 - r2) * np.sqrt((n - 1) * (1 + r3) / bottom)
    p_one_sided, p = student.sf(t, n - 3), 2 * student.sf(abs(t), n - 3)
    return Williams(float(t), float(p_one_sided), float(p))


def perm_both(
    human: Array,
    one: Array,
    two: Array,
    coefficient: Coefficient = pearson,
    *,
    names: tuple[str, ...] = (),
    seed: int = 0,
    draws: int = RESAMPLES,
) -> Swapped:
    """Test how often two metrics differ as much if their scores are swapped item by item.

    Each metric is first standardised over all items, so that one can stand in for the other. All
    ways are enumerated while there are not more than 100,000; above, p = (count + 1) / (k + 1).
    Ties count. *Deutsch, Dror and Roth 2021, A Statistical Analysis of Summarization Evaluation
    Metrics Using Resampling Methods.*
    """
    n = len(human)
    a, b = _standard(one), _standard(two)
    apart = float(coefficient(human, one)) - float(coefficient(human, two))
    if np.isnan(apart):
        return Swapped()
    exact = 2**n <= MOST_ENUMERATED
    swap = _swaps(n, names, seed, draws, exact=exact)
    step = max(1, _CELLS // max(n * n, 1))
    ones, twos = [], []
    for row in range(0, len(swap), step):
        other = swap[row : row + step] > 0
        ones.append(coefficient(human, np.where(other, b, a)))
        twos.append(coefficient(human, np.where(other, a, b)))
    first, second = np.concatenate(ones), np.concatenate(twos)
    drawn, equal = first - second, float(rounding(first, second))
    # Of the standardised metrics, like all draws: a large mean would cost digits.
    seen = float(coefficient(human, a)) - float(coefficient(human, b))
    defined = ~np.isnan(drawn)
    above = int((drawn[defined] >= seen - equal).sum())
    beyond = int((np.abs(drawn[defined]) >= abs(seen) - equal).sum())
    number = int(defined.sum())
    if exact:
        return Swapped(apart, above / number, beyond / number, min(1.0, 2 / 2**n), exact=True)
    k = number + 1
    return Swapped(apart, (above + 1) / k, (beyond + 1) / k, 1 / k, exact=False)


def _swaps(items: int, names: tuple[str, ...], seed: int, draws: int, *, exact: bool) -> Numbers:
    """Return ways to swap items, a row each: all of them, or some that are drawn by name."""
    if exact:
        return np.ascontiguousarray(every_way(items).T)
    return np.ascontiguousarray(coins(names or tuple(map(str, range(items))), seed, draws).T)


def _standard(values: Array) -> Array:
    centred: Array = values - float(values.mean())
    spread = float(values.std())
    return centred / spread if spread > 0 else centred


# Soft pairwise accuracy: is a metric as sure as people are that one system is better?


_ENUMERATED = 12


def soft_pairwise_accuracy(
    human: Array,
    metric: Array,
    *,
    names: tuple[str, ...] = (),
    seed: int = 0,
    draws: int = RESAMPLES,
) -> float:
    """1 - |p of people - p of the metric|, mean over pairs of systems.

    Both are values[systems, items] of the same items; p is that of a one-sided paired permutation
    test that the first system is better. A metric that is as unsure as people are is right, one
    that is sure where they are not is wrong in part. *Thompson, Mathur, Deutsch and Khayrallah
    2024, Improving Statistical Significance in Human Evaluation of Automatic Metrics via Soft
    Pairwise Accuracy.*

    Up to 12 items every way to swap is enumerated; above, ways are drawn by the `names` of items.
    Ways that are as good as what was seen count half, so that the order of systems changes nothing.

    >>> values = np.array([[3.0, 2.0], [1.0, 1.0]])
    >>> soft_pairwise_accuracy(values, 10 * values), soft_pairwise_accuracy(values, -values)
    (1.0, 0.25)
    """
    systems, items = human.shape
    if systems < 2 or items < 1 or np.isnan(human).any() or np.isnan(metric).any():
        return float("nan")
    exact = items <= _ENUMERATED
    turned = 1 - 2 * _swaps(items, names, seed, draws, exact=exact).astype(np.float64)
    agreements = []
    for first, second in combinations(range(systems), 2):
        people, scored = (
            _p(values[first], values[second], turned, exact) for values in (human, metric)
        )
        agreements.append(1 - abs(people - scored))
    return float(np.mean(agreements))


def _p(first: Array, second: Array, turned: Array, exact: bool) -> float:
    """Return how often the sum of the differences is as high by chance."""
    differences = first - second
    drawn, seen = turned @ differences, float(differences.sum())
    equal = len(differences) * float(rounding(first, second))
    count = float((drawn > seen + equal).sum() + (drawn >= seen - equal).sum()) / 2
    return count / len(turned) if exact else (count + 0.5) / (len(turned) + 1)


# The coefficients by name, and their intervals by bootstrap over clusters of items.


FEWEST_CLUSTERS = 5
"""Below, a bootstrap shows what was resampled, not what is unsure."""
_RESAMPLES, _FEWER, _MANY = 2000, 500, 400
"""Resamples, and those of more than 400 items, whose pairs are many."""


@dataclass(frozen=True)
class CorrelationCoefficient:
    """A coefficient of how well a metric follows people."""

    name: str
    compute: Coefficient
    meaning: str
    citation: str
    reason: Callable[[Array, Array], str] = why_undefined


def _few_items(human: Array, metric: Array) -> str:
    """Say why there is no share of pairs; unlike a correlation, it needs no variation."""
    return why_undefined(human, metric) if len(human) < FEWEST else ""


_TIES = "Deutsch, Foster and Freitag 2023"
_ALL = [
    CorrelationCoefficient(
        "pearson", pearson, "how near items are to a straight line", "Pearson 1895"
    ),
    CorrelationCoefficient(
        "spearman", spearman, "the same of ranks, so of any rising line", "Spearman 1904"
    ),
    CorrelationCoefficient(
        "tau-a",
        tau_a,
        "pairs in the same order less those in the other, of all; ties count for neither",
        "Kendall 1938",
        _few_items,
    ),
    CorrelationCoefficient("tau-b", tau_b, "the same of pairs that don't tie", "Kendall 1945"),
    CorrelationCoefficient(
        "tau-c", tau_c, "the same for scales of different lengths", "Stuart 1953"
    ),
    CorrelationCoefficient(
        "acc-eq", accuracy, "share of pairs in the same order, or tied for both", _TIES, _few_items
    ),
    CorrelationCoefficient(
        "acc-eq*",
        calibrated_accuracy,
        "the same where metric scores nearer than epsilon tie, with the best epsilon",
        _TIES,
        _few_items,
    ),
]
COEFFICIENTS: Mapping[str, CorrelationCoefficient] = {entry.name: entry for entry in _ALL}
DEFAULTS = ("pearson", "spearman", "tau-b", "acc-eq*")


def coefficient(name: str) -> CorrelationCoefficient:
    """Look up a coefficient by its name."""
    if name not in COEFFICIENTS:
        raise UsageError(f"no coefficient '{name}'; there are: {', '.join(COEFFICIENTS)}")
    return COEFFICIENTS[name]


def correlate(
    human: Array,
    metric: Array,
    coefficients: Sequence[CorrelationCoefficient],
    clusters: Sequence[str] = (),
    *,
    level: float = 0.95,
    seed: int = 0,
    resamples: int | None = None,
) -> list[Estimate]:
    """Compute coefficients with percentile intervals; `clusters` of items are drawn as a whole.

    Weights are hashed from the seed and the name of a cluster, so all metrics see the same draws.
    A draw of fewer than 3 different items is left out: two are always on a line.
    """
    of_item = Labels.of([*clusters] or [str(at) for at in range(len(human))])
    number = len(of_item.names)
    draws = affordable(number, resamples or (_RESAMPLES if len(human) <= _MANY else _FEWER))
    weights = np.empty((0, len(human)))
    if number >= FEWEST_CLUSTERS:
        weights = poisson_weights(of_item.names, seed, draws)[:, of_item.at]
        weights = weights[(weights > 0).sum(axis=1) >= FEWEST]
    correlations = []
    for coefficient in coefficients:
        reason, value, bounds = coefficient.reason(human, metric), np.nan, (np.nan, np.nan)
        if not reason:
            value = float(coefficient.compute(human, metric))
            if number < FEWEST_CLUSTERS:
                reason = f"no interval: it needs at least {FEWEST_CLUSTERS} clusters to draw from"
            else:
                drawn = coefficient.compute(human, metric, weights)[:, np.newaxis]
                ends = percentile(drawn, level)
                bounds = float(ends.low[0]), float(ends.high[0])
        correlations.append(
            Estimate(
                name=coefficient.name,
                value=value,
                low=bounds[0],
                high=bounds[1],
                method="bootstrap",
                clusters=number,
                reason=reason,
            )
        )
    return correlations
