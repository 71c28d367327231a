"""The assignment problem: the best one-to-one pairs of rows and columns."""

import numpy as np
from numpy.typing import NDArray

EXACT_IN_FLOAT = 2**53
"""Whole numbers up to here are exact in float64, and so are the sums that the solver forms of
weights up to `EXACT_IN_FLOAT / (4 n)`, where n is the length of the shorter side."""


def maximum_assignment(weights: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return the pairs (row, column) of greatest total weight, each row and column at most once.

    ``max Σ weights[i, j]`` over all one-to-one pairings (Crouse 2016). Weights are not negative; 0
    means that the two are no pair, and such pairs are not returned. The same matrix gives the same
    answer where several are best.

    >>> maximum_assignment(np.array([[2, 3], [0, 2]]))
    [(0, 0), (1, 1)]
    """
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - slow to import

    pairs = zip(*linear_sum_assignment(weights, maximize=True), strict=True)
    return [(int(i), int(j)) for i, j in pairs if weights[i, j]]


def minimum_assignment(cost: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Placeholder until merge."""
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - slow to import

    rows, columns = linear_sum_assignment(cost)
    return rows, columns
