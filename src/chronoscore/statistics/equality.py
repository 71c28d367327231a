"""Which computed numbers are equal but for rounding, whatever unit they are measured in.

A test counts ties, and a tie is seldom exact in binary: 0.1 + 0.2 is not 0.3. Rounding errors grow
with the numbers that are added, so that what counts as equal is a share of the largest of them. A
fixed distance would split ties of large numbers and join different small ones.
"""

from math import floor, log10

import numpy as np

from chronoscore.elements.ratios import Array

DIGITS = 12
"""Numbers that agree in so many digits are equal."""


def rounding(*values: Array) -> Array:
    """How far apart equal numbers may be, for each column of the arrays that they come from.

    The arrays have the same columns and any number of rows; NaN is ignored.

    >>> rounding(np.array([[1.0, 2e6], [-3.0, np.nan]]), np.array([[2.0, 1e6]])).tolist()
    [3e-12, 2e-06]
    """
    largest = [np.fmax.reduce(np.abs(rows), axis=0, initial=0.0) for rows in values]
    return np.asarray(10.0**-DIGITS * np.maximum.reduce(largest))


def decimals(values: Array) -> int:
    """To how many decimal places numbers of this size are rounded, so that equal ones are equal.

    >>> decimals(np.array([0.3, 0.1])), decimals(np.array([-2e6, 5.0]))
    (12, 5)
    """
    finite = np.abs(values[np.isfinite(values)])
    largest = float(finite.max(initial=0.0))
    return DIGITS - (floor(log10(largest)) + 1 if largest else 0)
