"""Sums that are rounded once, at the end: order and grouping of rows change no digit."""

import math
from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from chronoscore.statistics.labels import Groups
from chronoscore.statistics.ratios import Array

Starts = NDArray[np.int64]
_EXACT = 2.0**53
"""Below it every whole number has its own float."""
_SMALLEST, _LARGEST = 2.0**-500, 2.0**500
"""Between these, what is taken from numbers neither vanishes nor overflows."""
_MOST_PARTS = 6
"""Numbers of very different size are added one by one instead."""


def exact_sum(features: Array) -> Array:
    """Add up rows without rounding on the way."""
    return cast("Array", _sums(features, np.zeros(1, np.int64))[0])


def exact_sums(features: Array, groups: Groups) -> Array:
    """Add up the rows of each group without rounding on the way: sums[groups, q]."""
    ordered = features[groups.order]
    return ordered if len(groups.starts) == len(features) else _sums(ordered, groups.starts)


def _sums(ordered: Array, starts: Starts) -> Array:
    sums = np.zeros((len(starts), ordered.shape[-1]))
    if not len(ordered):
        return sums
    for place in range(ordered.shape[-1]):
        column = np.ascontiguousarray(ordered[:, place])
        if np.abs(column).sum() < _EXACT and np.array_equal(column, np.rint(column)):
            # Whole numbers of that size are added without rounding in any order.
            sums[:, place] = np.add.reduceat(column, starts)
        else:
            sums[:, place] = _rounded_once(column, starts)
    return sums


def _rounded_once(values: Array, starts: Starts) -> Sequence[float] | Array:
    """Add up numbers that are not whole, and round each sum once.

    Numbers are cut into a few parts, each a multiple of one power of 2 and so small that it is
    added without rounding; the sums of the parts are added in the end. *Rump, Ogita and Oishi 2008,
    Accurate Floating-Point Summation, ExtractVector.*
    """
    most = int(np.diff(starts, append=len(values)).max())
    parts: list[Array] = []
    remainder = values
    while (top := float(np.abs(remainder).max())) != 0:  # it may be NaN
        if not _SMALLEST < top < _LARGEST or len(parts) == _MOST_PARTS:
            return _one_by_one(values, starts)
        high = 2.0 ** ((most + 2 - 1).bit_length() + math.frexp(top)[1])
        part = (high + remainder) - high
        parts.append(np.add.reduceat(part, starts))
        remainder = remainder - part
    if len(parts) > 2:
        return [math.fsum(each) for each in zip(*(part.tolist() for part in parts), strict=True)]
    return np.sum(parts, axis=0) if parts else np.zeros(len(starts))  # two are rounded once


def _one_by_one(values: Array, starts: Starts) -> list[float]:
    ends = [*starts[1:].tolist(), len(values)]
    spans = zip(starts.tolist(), ends, strict=True)
    listed = values.tolist()
    return [math.fsum(listed[start:end]) for start, end in spans]


# Tolerances: which computed numbers are equal but for rounding, whatever their scale.


DIGITS = 12
"""Numbers that agree in this many digits are equal."""


def rounding(*values: Array) -> Array:
    """Return how far apart equal numbers may be, for each column of the arrays.

    The arrays have the same columns and any number of rows; NaN is ignored.

    >>> rounding(np.array([[1.0, 2e6], [-3.0, np.nan]]), np.array([[2.0, 1e6]])).tolist()
    [3e-12, 2e-06]
    """
    largest = [np.fmax.reduce(np.abs(rows), axis=0, initial=0.0) for rows in values]
    return np.asarray(10.0**-DIGITS * np.maximum.reduce(largest))


def decimals(values: Array) -> int:
    """Return to how many decimal places numbers of this size are rounded before comparison.

    >>> decimals(np.array([0.3, 0.1])), decimals(np.array([-2e6, 5.0]))
    (12, 5)
    """
    finite = np.abs(values[np.isfinite(values)])
    largest = float(finite.max(initial=0.0))
    return DIGITS - (math.floor(math.log10(largest)) + 1 if largest else 0)
