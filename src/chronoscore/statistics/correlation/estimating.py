"""The coefficients by name, and their intervals by bootstrap over clusters of items."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from chronoscore.core.errors import UsageError
from chronoscore.elements.ratios import Array
from chronoscore.statistics.correlation import coefficients, pairwise
from chronoscore.statistics.correlation.values import FEWEST, why_undefined
from chronoscore.statistics.drawing import poisson_weights
from chronoscore.statistics.intervals import percentile

FEWEST_CLUSTERS = 5
"""Below, a bootstrap shows what was resampled, not what is unsure."""
_RESAMPLES, _FEWER, _MANY = 2000, 500, 400
"""Resamples, and those of more than 400 items, whose pairs are many."""


class Function(Protocol):
    """A coefficient over any leading axes."""

    def __call__(self, human: Array, metric: Array, weights: Array | None = None) -> Array:
        """Compute it; NaN where undefined."""
        ...


@dataclass(frozen=True)
class Coefficient:
    """A way to say how well a metric follows people."""

    name: str
    compute: Function
    meaning: str
    citation: str
    reason: Callable[[Array, Array], str] = why_undefined


def _some_pairs(human: Array, metric: Array) -> str:
    """Why there is no share of pairs."""
    return why_undefined(human, metric) if len(human) < FEWEST else ""


_ALL = [
    Coefficient(
        "pearson", coefficients.pearson, "how near items are to a straight line", "Pearson 1895"
    ),
    Coefficient(
        "spearman",
        coefficients.spearman,
        "the same of ranks, so of any rising line",
        "Spearman 1904",
    ),
    Coefficient(
        "tau-a",
        coefficients.tau_a,
        "pairs in the same order less those in the other, of all; ties count for neither",
        "Kendall 1938",
        _some_pairs,
    ),
    Coefficient("tau-b", coefficients.tau_b, "the same of pairs that don't tie", "Kendall 1945"),
    Coefficient(
        "tau-c", coefficients.tau_c, "the same for scales of different lengths", "Stuart 1953"
    ),
    Coefficient(
        "acc-eq",
        pairwise.accuracy,
        "share of pairs in the same order, or tied for both",
        "Deutsch, Foster and Freitag 2023",
        _some_pairs,
    ),
    Coefficient(
        "acc-eq*",
        pairwise.calibrated_accuracy,
        "the same where metric scores nearer than epsilon tie, with the best epsilon",
        "Deutsch, Foster and Freitag 2023",
        _some_pairs,
    ),
]
COEFFICIENTS: Mapping[str, Coefficient] = {one.name: one for one in _ALL}
DEFAULTS = ("pearson", "spearman", "tau-b", "acc-eq*")


def coefficient(name: str) -> Coefficient:
    """Look up a coefficient by its name."""
    if name not in COEFFICIENTS:
        raise UsageError(f"no coefficient '{name}'; there are: {', '.join(COEFFICIENTS)}")
    return COEFFICIENTS[name]


@dataclass(frozen=True)
class Correlation:
    """A coefficient and its interval; NaN and a reason where there is none."""

    name: str
    value: float
    low: float
    high: float
    items: int
    clusters: int
    reason: str = ""
    """Why there is no value, or no interval."""
    undefined: int = 0
    """Resamples without a value, which were left out."""


def correlate(
    human: Array,
    metric: Array,
    wanted: Sequence[Coefficient],
    clusters: Sequence[str] = (),
    *,
    level: float = 0.95,
    seed: int = 0,
) -> list[Correlation]:
    """Compute coefficients with percentile intervals; `clusters` of items are drawn as a whole.

    Weights are hashed from the seed and the name of a cluster, so all metrics see the same draws.
    A draw of fewer than 3 different items is left out: two are always on a line.
    """
    of_item = [*clusters] or [str(at) for at in range(len(human))]
    names = tuple(sorted(set(of_item)))
    weights = None
    if len(names) >= FEWEST_CLUSTERS:
        place = {name: at for at, name in enumerate(names)}
        columns = [place[name] for name in of_item]
        number = _RESAMPLES if len(human) <= _MANY else _FEWER
        weights = poisson_weights(names, seed, number)[:, columns]
        weights = weights[(weights > 0).sum(axis=1) >= FEWEST]
    return [_one(human, metric, one, weights, len(names), level) for one in wanted]


def _one(
    human: Array,
    metric: Array,
    one: Coefficient,
    weights: Array | None,
    clusters: int,
    level: float,
) -> Correlation:
    nothing = float("nan")
    reason = one.reason(human, metric)
    if reason:
        return Correlation(one.name, nothing, nothing, nothing, len(human), clusters, reason)
    value = float(one.compute(human, metric))
    if weights is None or not len(weights):
        reason = f"no interval: it takes {FEWEST_CLUSTERS} clusters to draw from"
        return Correlation(one.name, value, nothing, nothing, len(human), clusters, reason)
    drawn = one.compute(human, metric, weights)
    bounds = percentile(drawn[:, np.newaxis], level)
    return Correlation(
        one.name,
        value,
        float(bounds.low[0]),
        float(bounds.high[0]),
        len(human),
        clusters,
        undefined=int(np.isnan(drawn).sum()),
    )
