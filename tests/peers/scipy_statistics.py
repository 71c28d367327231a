"""scipy: rank correlations, exact permutation tests, intervals, assignments and corrections."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from averaging_paths import row_a_topic
from numpy.typing import NDArray
from peers.comparing import Chance, Check, Comparison
from scipy import optimize, stats

from chronoscore.annotations.matching.assignment import heaviest
from chronoscore.elements.assignment import solve
from chronoscore.statistics.correlation import pearson, perm_both, spearman, tau_b, tau_c
from chronoscore.statistics.drawing import poisson_weights
from chronoscore.statistics.intervals import jackknife_t, percentile
from chronoscore.statistics.ratios import Array
from chronoscore.statistics.significance import benjamini_hochberg, mcnemar, permutation_test

# Correlations.


def draw_columns(chance: Chance) -> tuple[Array, Array, NDArray[np.int64]]:
    """Two columns with ties, or none, or all the same, and how often each item counts."""
    n = int(chance.integers(3, 30))
    columns = chance.normal(size=(2, n))
    columns[1] += chance.choice([0.0, -1.0, 3.0]) * columns[0]
    columns = np.round(columns, int(chance.choice([0, 0, 1, 12])))
    if chance.random() < 0.05:
        columns[0] = 0.5
    if chance.random() < 0.2:
        columns = columns / 10 + 0.7
    times = chance.integers(0, 4, size=n)
    times[:2] = 1
    return columns[0], columns[1], times


STATS: Any = stats
"""Without its types, which do not know a function of an axis."""
CORRELATIONS: Mapping[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "Pearson's r": (pearson, lambda x, y: STATS.pearsonr(x, y).statistic),
    "Spearman's rho": (spearman, lambda x, y: STATS.spearmanr(x, y).statistic),
    "Kendall's tau-b": (tau_b, lambda x, y: STATS.kendalltau(x, y, variant="b").statistic),
    "Kendall's tau-c": (tau_c, lambda x, y: STATS.kendalltau(x, y, variant="c").statistic),
}


def compare_columns(given: tuple[Array, Array, NDArray[np.int64]]) -> Iterator[Comparison]:
    x, y, times = given
    repeated = np.repeat(x, times), np.repeat(y, times)
    for name, (ours, theirs) in CORRELATIONS.items():
        yield Comparison(name, float(ours(x, y)), float(theirs(x, y)), 1e-12)
        weighed = float(ours(x, y, times.astype(np.float64)[np.newaxis])[0])
        yield Comparison(f"{name}, items repeated", weighed, float(theirs(*repeated)), 1e-12)


# Exact permutation tests.


class Systems(NamedTuple):
    """Rows (hits, predicted, hits, gold) of two systems by topic."""

    first: Array
    second: Array


def draw_systems(chance: Chance) -> Systems:
    topics = int(chance.integers(2, 9))

    def rows() -> Array:
        hits = chance.integers(0, 4, size=topics)
        wrong, missed = chance.integers(0, 4, size=(2, topics))
        return np.stack([hits, hits + wrong, hits, hits + missed], axis=1).astype(np.float64)

    first = rows()
    return Systems(first, first if chance.random() < 0.05 else rows())


def scores(rows: Array) -> Array:
    """Precision, recall and F1 of rows, 0 where undefined: scores[..., 3]."""
    hits, predicted, gold = rows[..., 0], rows[..., 1], rows[..., 3]
    shares = [hits / np.maximum(total, 1) for total in (predicted, gold)]
    return np.stack([*shares, 2 * hits / np.maximum(predicted + gold, 1)], axis=-1)


PATHS = {"macro": "gold:mean-f>topic:mean-f>trial:mean-f", "micro": "micro"}


def compare_systems(given: Systems) -> Iterator[Comparison]:
    table = np.concatenate(given)
    topics = len(given.first)
    at = np.arange(topics), np.arange(topics, 2 * topics)
    for path, written in PATHS.items():
        verdict = permutation_test(*(row_a_topic(rows, written) for rows in given))

        def averages(places: Any, path: str = path) -> Array:
            rows = table[np.asarray(places).astype(np.int64)]
            if path == "micro":
                return scores(rows.sum(axis=-2))
            return np.asarray(scores(rows).mean(axis=-2))

        for score, name in enumerate(("precision", "recall", "F1")):

            def difference(x: Any, y: Any, axis: int, score: int = score) -> Array:
                # Rounded, since scipy takes sums that differ in the last digit for different.
                moved = (np.moveaxis(one, axis, -1) for one in (x, y))
                one, two = (averages(places)[..., score] for places in moved)
                return np.round(one - two, 12)

            p = STATS.permutation_test(
                at, difference, permutation_type="samples", n_resamples=np.inf, vectorized=True
            ).pvalue
            ours = float(verdict.p[score])
            yield Comparison(f"permutation test, {path} {name}", ours, float(p), 1e-15)


class Metrics(NamedTuple):
    """Values of items by people and by two metrics."""

    human: Array
    one: Array
    two: Array


def draw_metrics(chance: Chance) -> Metrics:
    human, one, two = np.round(chance.normal(size=(3, int(chance.integers(4, 8)))), 1)
    return Metrics(human, one + chance.choice([0.0, 1.0]) * human, two)


def compare_metrics(given: Metrics) -> Iterator[Comparison]:
    human, one, two = given
    found = perm_both(human, one, two)
    standard = [(side - side.mean()) / side.std() for side in (one, two)]

    def difference(x: Any, y: Any, axis: int) -> Array:
        moved = (np.moveaxis(np.asarray(side), axis, -1) for side in (x, y))
        first, second = (correlations(human, side) for side in moved)
        return np.round(first - second, 12)

    for name, ours, alternative in (
        ("PERM-BOTH p", found.p, "two-sided"),
        ("PERM-BOTH p, one side", found.p_one_sided, "greater"),
    ):
        theirs = STATS.permutation_test(
            standard,
            difference,
            permutation_type="samples",
            n_resamples=np.inf,
            vectorized=True,
            alternative=alternative,
        ).pvalue
        yield Comparison(name, ours, float(theirs), 1e-15)


def correlations(human: Array, metrics: Array) -> Array:
    """Pearson's r by numpy of people with each metric[..., items]."""
    flat = metrics.reshape(-1, metrics.shape[-1])
    values = [np.corrcoef(human, row)[0, 1] for row in flat]
    return np.array(values).reshape(metrics.shape[:-1])


# Intervals.


NO_SPREAD = "Student's t: no bounds where all numbers are the same; ours are that number"


class Sample(NamedTuple):
    """Numbers, a level, and a seed."""

    values: Array
    level: float
    seed: int


def draw_sample(chance: Chance) -> Sample:
    values = chance.normal(size=int(chance.integers(2, 40)))
    values = np.round(values, int(chance.choice([0, 1, 12])))
    return Sample(values, float(chance.choice([0.8, 0.9, 0.95, 0.99])), int(chance.integers(1000)))


def compare_sample(given: Sample) -> Iterator[Comparison]:
    values, level, seed = given
    mean = float(values.mean())
    left_out = (values.sum() - values) / (len(values) - 1)
    ours = jackknife_t(left_out[:, np.newaxis], np.array([mean]), level)
    theirs = stats.ttest_1samp(values, 0).confidence_interval(level)
    for name, number, other in (("low", ours.low, theirs.low), ("high", ours.high, theirs.high)):
        same = Comparison(f"jackknife of a mean, {name}", float(number[0]), float(other), 1e-12)
        if same.unexplained and np.ptp(values) == 0:
            holds = abs(same.ours - mean) <= 1e-12 and np.isnan(same.theirs)
            same = replace(same, reason=NO_SPREAD, holds=bool(holds))
        yield same
    names = tuple(f"t{at:02}" for at in range(len(values)))
    weights = poisson_weights(names, seed, 199)
    resampled = (weights @ values) / weights.sum(axis=1)
    bounds = percentile(resampled[:, np.newaxis], level)
    # scipy computes the interval of resamples that it is given.
    drawn = stats.bootstrap((values,), np.mean, n_resamples=2, method="percentile", rng=seed)
    drawn.bootstrap_distribution = resampled
    interval = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=0,
        bootstrap_result=drawn,
        method="percentile",
        confidence_level=level,
    ).confidence_interval
    for name, number, other in (
        ("low", bounds.low, interval.low),
        ("high", bounds.high, interval.high),
    ):
        yield Comparison(
            f"percentile bootstrap, same resamples, {name}", float(number[0]), float(other), 1e-12
        )


# Assignments.


def draw_costs(chance: Chance) -> Array:
    """Costs with many ties, rounding, impossible pairs and both shapes."""
    shape = tuple(chance.integers(1, 9, size=2).tolist())
    kind = chance.integers(4)
    if kind == 0:
        return chance.integers(0, 4, size=shape).astype(np.float64)
    if kind == 1:
        return np.asarray(chance.choice([0.1, 0.2, 0.3, 0.7, -0.1], size=shape))
    if kind == 2:
        first, second = (chance.integers(0, 20, size=size) for size in shape)
        return np.asarray(1 - 1 / (np.abs(np.subtract.outer(first, second)) + 1.0))
    costs = chance.normal(size=shape)
    costs[chance.random(shape) < 0.2] = np.inf
    return costs


def compare_costs(costs: Array) -> Iterator[Comparison]:
    def pairs(solver: Any) -> Any:
        try:
            return [side.tolist() for side in solver(costs)]
        except ValueError:
            return "infeasible"

    theirs = pairs(optimize.linear_sum_assignment)
    yield Comparison("least cost, every pair", pairs(solve), theirs)
    weights = np.round(np.where(np.isfinite(costs), np.abs(costs), 0.0) * 10).astype(np.int64)
    rows, columns = optimize.linear_sum_assignment(weights, maximize=True)
    most = int(weights[rows, columns].sum())
    listed = [[(j, w) for j, w in enumerate(row) if w > 0] for row in weights.tolist()]
    chosen = heaviest(listed, weights.shape[1])
    total = sum(int(weights[i, j]) for i, j in enumerate(chosen) if j >= 0)
    yield Comparison("greatest weight of possible pairs", total, most)


# Corrections and paired outcomes.


def draw_tests(chance: Chance) -> tuple[list[float], int, int]:
    p = np.round(chance.random(int(chance.integers(1, 15))) ** 2, int(chance.choice([2, 16])))
    first, second = chance.integers(0, int(chance.choice([4, 30, 400])), size=2).tolist()
    return p.tolist(), first, second


def compare_tests(given: tuple[list[float], int, int]) -> Iterator[Comparison]:
    p, first, second = given
    theirs = stats.false_discovery_control(p, method="bh").tolist()
    for ours, other in zip(benjamini_hochberg(p), theirs, strict=True):
        yield Comparison("Benjamini-Hochberg", ours, other, 1e-14)
    total, smaller = first + second, min(first, second)
    exact = stats.binomtest(smaller, total, 0.5).pvalue if total else 1.0
    yield Comparison("McNemar exact p", mcnemar(first, second), float(exact), 1e-12)
    tail, point = stats.binom.cdf(smaller, total, 0.5), stats.binom.pmf(smaller, total, 0.5)
    middle = min(1.0, float(2 * tail - point))
    yield Comparison("McNemar mid-p", mcnemar(first, second, mid=True), middle, 1e-12)


CHECKS = (
    Check("correlations", draw_columns, compare_columns, 1500),
    Check("permutation tests of two systems", draw_systems, compare_systems, 400),
    Check("permutation tests of two metrics", draw_metrics, compare_metrics, 150),
    Check("intervals of means", draw_sample, compare_sample, 1000),
    Check("assignments", draw_costs, compare_costs, 4000),
    Check("tests", draw_tests, compare_tests, 2000),
)
