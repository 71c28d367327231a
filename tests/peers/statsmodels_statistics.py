"""statsmodels: corrections, intervals of shares, errors over clusters, McNemar, and kappas."""

from collections.abc import Iterator
from functools import partial
from math import isnan
from typing import NamedTuple

import numpy as np
import statsmodels.api as sm
from numpy.typing import NDArray
from peers.comparing import Chance, Check, Comparison, Raised, outcome, ratings_rows
from peers.corrections import compare_p, draw_p
from statsmodels.stats.contingency_tables import mcnemar as sm_mcnemar
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as sm_fleiss
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from chronoscore.statistics.agreement import brennan_prediger, fleiss_kappa, kappa
from chronoscore.statistics.calibration import mean
from chronoscore.statistics.intervals import bayes_share
from chronoscore.statistics.ratings import Ratings
from chronoscore.statistics.ratios import Array
from chronoscore.statistics.significance import mcnemar
from chronoscore.statistics.strata import JudgedStratum, estimate_share

# Corrected p-values.


def corrected(p: list[float], method: str) -> list[float]:
    return list(multipletests(p, method=method)[1].tolist())


# Intervals of shares, and McNemar's test.


class Share(NamedTuple):
    """Hits of a total, and the level of the interval."""

    hits: int
    total: int
    level: float


HUGE = 10**15
"""Units of a stratum that is as good as infinite."""


def draw_share(chance: Chance) -> Share:
    total = int(chance.choice([1, 2, 5, 20, 300, 5000]))
    hits = [0, total, int(chance.integers(0, total + 1))][min(2, int(chance.integers(4)))]
    return Share(hits, total, float(chance.choice([0.8, 0.9, 0.95, 0.99])))


def compare_share(given: Share) -> Iterator[Comparison]:
    hits, total, level = given
    bounds = proportion_confint(hits, total, alpha=1 - level, method="jeffreys")
    credible = bayes_share(hits, total, level).tolist()
    for ours, other in zip(credible, map(float, bounds), strict=True):
        yield Comparison("Jeffreys interval", ours, other, 1e-12)
    estimate = estimate_share([JudgedStratum(HUGE, total, float(hits))], level)
    assert estimate is not None
    wilson = proportion_confint(hits, total, alpha=1 - level, method="wilson")
    for ours, other in zip(estimate[1:], map(float, wilson), strict=True):
        yield Comparison("Wilson interval", ours, other, 1e-11)


def draw_outcomes(chance: Chance) -> tuple[int, int]:
    most = int(chance.choice([3, 12, 100, 700]))
    first, second = chance.integers(0, most, size=2).tolist()
    return first, second


def compare_outcomes(given: tuple[int, int]) -> Iterator[Comparison]:
    first, second = given
    theirs = sm_mcnemar([[7, first], [second, 5]], exact=True).pvalue
    yield Comparison("McNemar exact p", mcnemar(first, second), float(theirs), 1e-12)


# Errors of means: of independent items, and over clusters.


class Items(NamedTuple):
    """Values of labelled items, of the judge, and the cluster of each."""

    values: Array
    judge: Array
    clusters: list[str]
    level: float


def draw_items(chance: Chance) -> Items:
    n = int(chance.integers(2, 60))
    clusters = chance.integers(0, int(chance.choice([2, 5, 30])), size=n)
    values = chance.normal(size=n) + chance.choice([0.0, 1.0]) * clusters
    if chance.random() < 0.3:
        values = (values > 0) * 1.0
    names = [f"c{one:02}" for one in clusters.tolist()]
    judge = np.asarray(values + chance.normal(size=n))
    return Items(np.asarray(values), judge, names, float(chance.choice([0.9, 0.95])))


ONE_CLUSTER = "raises an error where all items are in one cluster; we give no interval"


def compare_items(given: Items) -> Iterator[Comparison]:
    values, judge, clusters, level = given
    constant = np.ones(len(values))
    plain = sm.OLS(values, constant).fit(cov_type="HC0", use_t=False)
    alone = mean(values, level=level)
    low, high = plain.conf_int(alpha=1 - level)[0].tolist()
    yield Comparison("mean", alone.value, float(plain.params[0]), 1e-12)
    yield Comparison("error of a mean (HC0)", alone.error, float(plain.bse[0]), 1e-12)
    yield Comparison("interval of a mean (normal)", alone.low, low, 1e-12)
    yield Comparison("interval of a mean (normal)", alone.high, high, 1e-12)
    groups = np.unique(clusters, return_inverse=True)[1]
    for quantity, column in (("mean", values), ("bias of a judge", judge - values)):
        ours = mean(column, clusters, level=level)
        found = outcome(partial(over_clusters, column, groups, level))
        named = (
            f"error of a {quantity} over clusters",
            *[f"interval of a {quantity} over clusters (t)"] * 2,
        )
        numbers = (ours.error, ours.low, ours.high)
        if isinstance(found, Raised):
            divides = found.says("ZeroDivisionError") and groups.max() == 0
            for name, number in zip(named, numbers, strict=True):
                holds = divides and isnan(number)
                yield Comparison(name, number, found, reason=ONE_CLUSTER, holds=holds)
        else:
            for name, number, other in zip(named, numbers, found, strict=True):
                yield Comparison(name, number, other, 1e-11)


def over_clusters(column: Array, groups: NDArray[np.int64], level: float) -> tuple[float, ...]:
    """Return the cluster-robust error of a mean, and its interval."""
    fitted = sm.OLS(column, np.ones(len(column))).fit(
        cov_type="cluster", cov_kwds={"groups": groups}, use_t=True
    )
    return (float(fitted.bse[0]), *fitted.conf_int(alpha=1 - level)[0].tolist())


# Kappas of complete tables.


def draw_table(chance: Chance) -> Array:
    """Complete ratings[raters, units] of values 0 to 4, of which some may not occur."""
    raters, units = int(chance.integers(2, 6)), int(chance.integers(2, 25))
    most = int(chance.integers(1, 6))
    truth = chance.integers(0, most, size=units)
    noise = chance.integers(0, most, size=(raters, units))
    wrong = chance.random((raters, units)) < chance.choice([0.0, 0.2, 0.6, 1.0])
    return np.asarray(np.where(wrong, noise, truth), np.float64)


def compare_table(matrix: Array) -> Iterator[Comparison]:
    categories = list(range(5))
    ratings = Ratings.of(ratings_rows(matrix), categories)
    counts = np.stack([(matrix == k).sum(axis=0) for k in categories], axis=1)
    ours = float(fleiss_kappa(ratings)())
    yield same_kappa("Fleiss' kappa", ours, float(sm_fleiss(counts)), matrix)
    free = float(sm_fleiss(counts, method="randolph"))
    yield Comparison("Brennan-Prediger", float(brennan_prediger(ratings)()), free, 1e-12)
    two = Ratings.of(ratings_rows(matrix[:2]), categories)
    table = np.zeros((5, 5))
    np.add.at(table, (matrix[0].astype(int), matrix[1].astype(int)), 1)
    for weights, named in (("identity", None), ("linear", "linear"), ("quadratic", "quadratic")):
        other = cohens_kappa(table, wt=named, return_results=False)
        one = float(kappa(two, weights)())  # type: ignore[arg-type]
        yield same_kappa(f"Cohen's kappa {weights}", one, float(other), matrix[:2])


ROUNDED = "divides rounding errors where all ratings are the same; kappa is 0/0, and ours undefined"


def same_kappa(quantity: str, ours: float, theirs: float, matrix: Array) -> Comparison:
    same = Comparison(quantity, ours, theirs, 1e-12)
    if same.unexplained and len(np.unique(matrix)) == 1:
        return Comparison(quantity, ours, theirs, reason=ROUNDED, holds=isnan(ours))
    return same


CHECKS = (
    Check(
        "corrected p-values",
        partial(draw_p, undefined=False),
        partial(compare_p, theirs=corrected),
        200,
    ),
    Check("intervals of shares", draw_share, compare_share, 1000),
    Check("paired outcomes", draw_outcomes, compare_outcomes, 1500),
    Check("errors of means", draw_items, compare_items, 250),
    Check("kappas of complete tables", draw_table, compare_table, 500),
)
