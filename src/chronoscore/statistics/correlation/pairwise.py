"""Pairwise accuracy: how often does a metric order two items as people do?

Where people tie, a metric that is a real number hardly ever does. Tie calibration takes metric
scores that are not more than epsilon apart as tied, with the epsilon that suits the metric best, so
that metrics on different scales are treated alike. *Deutsch, Foster and Freitag 2023, Ties Matter:
Meta-Evaluating Modern Metrics with Pairwise Accuracy and Tie Calibration.*
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chronoscore.elements.ratios import Array, ratio
from chronoscore.statistics.correlation.coefficients import pairs_of, summed
from chronoscore.statistics.correlation.values import gaps, signs

Places = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Calibrated:
    """The best accuracy, and the smallest epsilon that reaches it."""

    accuracy: float
    epsilon: float


def accuracy(human: Array, metric: Array, weights: Array | None = None) -> Array:
    """(concordant + tied for both) / all pairs: epsilon is 0."""
    h, m = signs(human), signs(metric)
    right = (h == m) & ~np.eye(human.shape[-1], dtype=np.bool_)
    return ratio(summed(right.astype(np.float64), weights), pairs_of(human, weights))


def calibrated_accuracy(human: Array, metric: Array, weights: Array | None = None) -> Array:
    """The accuracy at the best epsilon, which is chosen again under every weighting."""
    if weights is None:
        return np.asarray(_curve(human, metric)[0].max(axis=-1))
    pairs = _Pairs.of(human, metric)
    found = [pairs.best(row) for row in weights.reshape(-1, weights.shape[-1])]
    return np.array(found).reshape(weights.shape[:-1])


@dataclass(frozen=True, eq=False)
class _Pairs:
    """All pairs of items in the order of their gaps, ready to be weighed."""

    one: Places
    two: Places
    alike: Array
    gained: Array
    """What taking a pair as tied gains."""
    thresholds: Places
    """The last pairs of equal gaps, after which a threshold may be."""
    untied: bool
    """Whether no gap is 0, so that taking no pair as tied is a threshold too."""

    @classmethod
    def of(cls, human: Array, metric: Array) -> "_Pairs":
        """Sort them once."""
        one, two = np.triu_indices(len(human), 1)
        order, alike, tied, epsilons = _by_gap(human, metric)
        last = _last(epsilons)
        right = alike.astype(np.float64)
        gained = np.subtract(tied.astype(np.float64), right)
        ends = np.flatnonzero(last[1:])
        return cls(one[order], two[order], right, gained, ends, bool(last[0]))

    def best(self, weights: Array) -> float:
        """The highest accuracy under one weighting."""
        each = weights[self.one]
        each *= weights[self.two]
        total = float(each.sum())
        if not total:
            return float("nan")
        start = float(
            np.einsum("p,p", self.alike, each)
        )  # no threads, which cost more than they save
        each *= self.gained
        np.cumsum(each, out=each)
        gained = each if len(self.thresholds) == len(each) else each[self.thresholds]
        most = float(gained.max(initial=0.0 if self.untied else -np.inf))
        return (start + most) / total


def tie_calibration(human: Array, metric: Array) -> Calibrated:
    """Find the smallest epsilon with the highest accuracy.

    >>> tie_calibration(np.array([1.0, 1, 1, 4]), np.array([0.0, 2, 6, 8]))
    Calibrated(accuracy=0.6666666666666666, epsilon=4.0)
    """
    found, epsilons = _curve(human, metric)
    if np.isnan(found).any():
        return Calibrated(np.nan, np.nan)
    best = int(np.argmax(found))  # counts over one number of pairs: equal shares are equal floats
    return Calibrated(float(found[best]), float(epsilons[best]))


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
    """The order of pairs by gap; which are ordered alike, and tied for people; 0 and the gaps."""
    one, two = np.triu_indices(human.shape[-1], 1)
    apart, people = gaps(metric)[..., one, two], gaps(human)[one, two]
    alike = (np.sign(apart) == np.sign(people)) & (people != 0)
    order = np.argsort(np.abs(apart), axis=-1, kind="stable")
    distance = np.take_along_axis(np.abs(apart), order, axis=-1)
    epsilons = np.concatenate([np.zeros((*distance.shape[:-1], 1)), distance], axis=-1)
    return order, np.take_along_axis(alike, order, axis=-1), (people == 0)[order], epsilons


def _last(epsilons: Array) -> Flags:
    """Which of the ascending epsilons is the last of its equals."""
    ends = np.ones((*epsilons.shape[:-1], 1), np.bool_)
    return np.concatenate([epsilons[..., 1:] > epsilons[..., :-1], ends], axis=-1)
