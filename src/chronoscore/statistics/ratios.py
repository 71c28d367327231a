"""Ratios and F over any leading axes; 0/0 is undefined and is NaN, never silently 0."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]


def ratio(numerator: Array, denominator: Array) -> Array:
    """Divide, NaN where the denominator is 0.

    >>> ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0])).tolist()
    [0.5, nan]
    """
    out = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), np.nan)
    np.divide(numerator, denominator, out=out, where=denominator != 0)
    return out


_MOST_SQUARE = 1e300
"""A greater weight of recall gives the same F, the recall, and would overflow."""


def f_measure(precision: Array, recall: Array, beta: float = 1.0) -> Array:
    """Van Rijsbergen's F: (1 + b²) P R / (b² P + R).

    It is 0 where both are 0, and where only one is undefined, since then that side is empty and the
    other is not. It is undefined only where both are.

    >>> f_measure(np.array([0.5, 0.0, np.nan]), np.array([1.0, np.nan, np.nan])).round(3).tolist()
    [0.667, 0.0, nan]
    """
    square = min(beta * beta, _MOST_SQUARE)
    nothing = np.isnan(precision) & np.isnan(recall)
    p, r = np.nan_to_num(precision), np.nan_to_num(recall)
    bottom = square * p + r
    f = np.divide((1 + square) * p * r, bottom, out=np.zeros_like(bottom), where=bottom != 0)
    return np.where(nothing, np.nan, f)


def with_f(components: Array, beta: float = 1.0) -> Array:
    """Insert F behind precision and recall, the first two components of the last axis."""
    f = f_measure(components[..., 0], components[..., 1], beta)[..., np.newaxis]
    return np.concatenate([components[..., :2], f, components[..., 2:]], axis=-1)


def add_f(components: Array, values: Mapping[str, Any]) -> Array:
    """Insert F behind precision and recall, with the `beta` of a metric that has one."""
    return with_f(components, float(values.get("beta", 1.0)))


def precision_recall(statistics: Array, _: object = None) -> Array:
    """Two ratios of four sums: numerator and denominator of precision, then of recall.

    Parameters of a metric, which come second, change nothing.

    >>> precision_recall(np.array([1.0, 2.0, 3.0, 4.0])).tolist()
    [0.5, 0.75]
    """
    precision = ratio(statistics[..., 0], statistics[..., 1])
    return np.stack([precision, ratio(statistics[..., 2], statistics[..., 3])], axis=-1)


def weighted_ratios(
    names: Sequence[str], table: Collection[tuple[Mapping[str, float], str]]
) -> Callable[[Array, object], Array]:
    """Make the function of ratios, each of a weighted sum of the named statistics to one of them.

    >>> halves = weighted_ratios(["right", "half", "all"], [({"right": 1, "half": 0.5}, "all")])
    >>> halves(np.array([1.0, 1.0, 2.0]), None).tolist()
    [0.75]
    """
    place = {name: at for at, name in enumerate(names)}

    def ratios(rows: Array, _: object) -> Array:
        parts = []
        for numerator, denominator in table:
            total = sum(weight * rows[..., place[name]] for name, weight in numerator.items())
            parts.append(ratio(np.asarray(total), rows[..., place[denominator]]))
        return np.stack(parts, axis=-1)

    return ratios
