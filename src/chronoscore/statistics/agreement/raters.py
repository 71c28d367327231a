"""Who agrees with whom, who is severe, on what people differ, and whether they drift apart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from chronoscore.core import budget
from chronoscore.core.errors import UsageError
from chronoscore.elements.ratios import Array, ratio
from chronoscore.statistics.agreement.catalogue import Coefficient
from chronoscore.statistics.agreement.estimating import Method, resampled
from chronoscore.statistics.agreement.ratings import Ratings
from chronoscore.statistics.agreement.tally import Tally, Weighting, nearness, stacked
from chronoscore.statistics.drawing import RESAMPLES
from chronoscore.statistics.equality import decimals

_CHUNK = 4096
_TABLES = 3
"""Tables of all pairs that are in memory at one time."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Agreement of each pair of raters: matrices over raters, NaN where undefined."""

    raters: tuple[str, ...]
    shared: Array
    """How many units both rated; on the diagonal, how many a rater rated."""
    percent: Array
    kappa: Array

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {rater: place for place, rater in enumerate(self.raters)}

    def why_undefined(self, one: str, two: str) -> str:
        """Say why a pair has no kappa, or nothing if it has."""
        at = self._places[one], self._places[two]
        if at[0] == at[1]:
            return "one rater is no pair"
        if self.shared[at] == 0:
            return "no unit was rated by both"
        if np.isnan(self.kappa[at]):
            return "no variation: all ratings that can be compared are the same"
        return ""


@dataclass(frozen=True)
class Severity:
    """How far a rater's values are above the units' means, on average."""

    rater: str
    mean: float
    low: float
    high: float
    units: int
    method: str
    reason: str = ""


@dataclass(frozen=True)
class Disagreement:
    """How much the ratings of a unit differ."""

    unit: str
    variance: float
    mean: float
    ratings: int


@dataclass(frozen=True)
class Block:
    """Agreement in consecutive units."""

    first: str
    last: str
    units: int
    """Units that can be compared."""
    value: float
    reason: str = ""


def pairs(ratings: Ratings, weighting: Weighting = "identity") -> Pairs:
    """Percent agreement and Cohen's kappa of each pair of raters in the units that both rated.

    A table of all pairs that does not fit into the budget of memory is refused.
    """
    near = nearness(weighting, ratings.values)
    raters, categories = ratings.raters, len(ratings.values)
    budget.check(
        _TABLES * 8 * (raters * categories) ** 2, f"{raters:,} evaluators are compared in pairs"
    )
    joint = np.zeros((raters * categories, raters * categories))
    ends = np.searchsorted(ratings.unit_at, np.arange(0, len(ratings.units) + _CHUNK, _CHUNK))
    for chunk, (start, end) in enumerate(pairwise(ends.tolist())):
        said = np.zeros((min(_CHUNK, len(ratings.units) - chunk * _CHUNK), len(joint)))
        column = ratings.rater_at[start:end] * categories + ratings.value_at[start:end]
        said[ratings.unit_at[start:end] - chunk * _CHUNK, column] = 1
        joint += said.T @ said
    # table[r, s, k, l]: how often rater r said k where rater s said l.
    table = joint.reshape(raters, categories, raters, categories).transpose(0, 2, 1, 3)
    shared = table.sum(axis=(-2, -1))
    agreed = ratio((table * near).sum(axis=(-2, -1)), shared)
    one, two = (ratio(table.sum(axis=axis), shared[..., np.newaxis]) for axis in (-1, -2))
    chance = ((one @ near) * two).sum(axis=-1)
    beyond = ratio(agreed - chance, np.asarray(1 - chance))
    for matrix in (agreed, beyond):
        np.fill_diagonal(matrix, np.nan)
    return Pairs(ratings.rater_names, shared, agreed, beyond)


def severities(
    ratings: Ratings,
    clusters: Mapping[str, str] | None = None,
    *,
    method: Method = "auto",
    level: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> list[Severity]:
    """Each rater's mean deviation from the means of units with two ratings or more.

    The own rating is part of a unit's mean. Above 0 is generous, below 0 severe, where higher
    values are better.
    """
    tallies = severity_tallies(ratings)
    bounds = resampled(
        ratings, tallies, clusters, method=method, level=level, seed=seed, resamples=resamples
    )
    return [
        Severity(
            rater=rater,
            mean=float(tally()),
            low=float(own.low[0]),
            high=float(own.high[0]),
            units=int(tally.used.sum()),
            method=own.method,
            reason="" if tally.used.any() else "no unit that another rated too",
        )
        for rater, tally, own in zip(ratings.rater_names, tallies, bounds, strict=True)
    ]


def severity_tallies(ratings: Ratings) -> list[Tally]:
    """Prepare the severity of each rater, over the clusters that the rater has to do with."""
    units, raters = len(ratings.units), ratings.raters
    deviation, flag = np.zeros((units, raters)), np.zeros((units, raters))
    deviation[ratings.unit_at, ratings.rater_at] = ratings.deviations
    flag[ratings.unit_at, ratings.rater_at] = 1
    flag[~ratings.paired] = deviation[~ratings.paired] = 0
    width = ratings.width
    return [
        Tally(
            stacked([deviation[:, place], flag[:, place]]),
            _mean,
            flag[:, place] > 0,
            (-width, width),
        )
        for place in range(raters)
    ]


def _mean(sums: Array) -> Array:
    return ratio(sums[..., 0], sums[..., 1])


def disagreements(ratings: Ratings) -> list[Disagreement]:
    """Units with two ratings or more by the variance within them (of n - 1), the highest first."""
    sizes = ratings.sizes
    variance = ratings.sums(ratings.deviations**2) / np.maximum(sizes - 1, 1)
    means = ratings.sums(ratings.values[ratings.value_at]) / np.maximum(sizes, 1)
    order = np.argsort(
        -variance.round(decimals(variance)), kind="stable"
    )  # then by name, as units are
    return [
        Disagreement(ratings.units[at], float(variance[at]), float(means[at]), int(sizes[at]))
        for at in order.tolist()
        if ratings.paired[at]
    ]


def drift(
    ratings: Ratings, coefficient: Coefficient, order: Sequence[str], blocks: int = 5
) -> list[Block]:
    """Agreement in consecutive blocks of units, as even as can be, of an order such as time.

    Categories are those of all ratings. Units that the order leaves out are an error.
    """
    if sorted(order) != list(ratings.units):
        raise UsageError("the order of units must name every unit once, and no others")
    if not 1 <= blocks <= len(order):
        raise UsageError(f"{len(order)} units can't be cut into {blocks} blocks")
    place = {unit: at for at, unit in enumerate(ratings.units)}
    cut = np.array_split(np.array([place[unit] for unit in order]), blocks)
    weights = np.zeros((blocks, len(order)))
    for number, units in enumerate(cut):
        weights[number, units] = 1
    tally = coefficient.prepare(ratings)
    found = []
    for value, units in zip(tally(weights).tolist(), cut, strict=True):
        reason = coefficient.why_undefined(ratings.within(units)) if np.isnan(value) else ""
        first, last = ratings.units[units[0]], ratings.units[units[-1]]
        found.append(Block(first, last, int(tally.used[units].sum()), value, reason))
    return found
