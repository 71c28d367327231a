"""Soft pairwise accuracy: is a metric as sure as people are that one system is better?"""

from itertools import combinations

import numpy as np

from chronoscore.elements.ratios import Array
from chronoscore.statistics.drawing import RESAMPLES, all_signs, signs
from chronoscore.statistics.equality import rounding

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
    places = names or tuple(map(str, range(items)))
    turned = 1 - 2 * (all_signs(items) if exact else signs(places, seed, draws))
    found = []
    for one, two in combinations(range(systems), 2):
        people, scored = (_p(values[one], values[two], turned, exact) for values in (human, metric))
        found.append(1 - abs(people - scored))
    return float(np.mean(found))


def _p(one: Array, two: Array, turned: Array, exact: bool) -> float:
    """How often is the sum of the differences as high by chance?"""
    apart = one - two
    drawn, seen = turned @ apart, float(apart.sum())
    equal = len(apart) * float(rounding(one, two))
    count = float((drawn > seen + equal).sum() + (drawn >= seen - equal).sum()) / 2
    return count / len(turned) if exact else (count + 0.5) / (len(turned) + 1)
