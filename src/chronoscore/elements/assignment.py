"""The assignment problem: which pairs to take when everything may be taken once."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Weights: TypeAlias = Sequence[Sequence[int]]

EXACT_IN_FLOAT = 2**53
"""Whole numbers up to here are exact in float64."""


def maximum_assignment(weights: Weights) -> list[tuple[int, int]]:
    """The pairs (row, column) of greatest total weight, each row and column at most once.

    ``max Σ weights[i][j]`` over all one-to-one pairings. Weights are whole numbers of any size and
    not negative; 0 means that the two are no pair, and such pairs are not returned. Small numbers
    go to scipy's solver (Crouse 2016). Its floats would round large ones, which in a lexicographic
    weight are exactly the digits that decide, and so these are solved here in whole numbers.
    The same matrix gives the same answer where several are best.

    >>> maximum_assignment([[2, 3], [0, 2]])
    [(0, 0), (1, 1)]
    >>> maximum_assignment([[10**30, 10**30 + 1], [0, 2]])
    [(0, 0), (1, 1)]
    """
    columns = len(weights[0]) if weights else 0
    if any(len(row) != columns for row in weights):
        raise ValueError("the rows of a weight matrix must be of one length")
    if columns == 0:
        return []
    if min(map(min, weights)) < 0:
        raise ValueError("the weights of an assignment must not be negative")
    solve = _with_scipy if _largest(weights) < EXACT_IN_FLOAT else _with_integers
    return [(i, j) for i, j in solve(weights) if weights[i][j]]


def _largest(weights: Weights) -> int:
    """A bound on all path lengths and potentials that a solver can meet on its way."""
    return 4 * max(map(max, weights)) * min(len(weights), len(weights[0]))


def _with_scipy(weights: Weights) -> list[tuple[int, int]]:
    """A perfect assignment of the shorter side, in float64."""
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - slow to import

    rows, columns = linear_sum_assignment(np.array(weights, dtype=np.float64), maximize=True)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def _with_integers(weights: Weights) -> list[tuple[int, int]]:
    """A perfect assignment of the shorter side, in whole numbers: int64, or Python's own beyond it.

    Successive shortest augmenting paths (Jonker and Volgenant 1987) with costs ``-weight``: row
    after row, the cheapest alternating path to a free column is found as by Dijkstra, on costs
    made non-negative by potentials. O(rows² · columns). Of equally near columns a free one ends
    the search, and otherwise the first is taken.
    """
    if len(weights) > len(weights[0]):
        transposed = list(zip(*weights, strict=True))
        return sorted((i, j) for j, i in _with_integers(transposed))
    dtype: Any = np.int64 if _largest(weights) < 2**63 else object
    cost: NDArray[Any] = -np.array(weights, dtype=dtype)
    row_potential: NDArray[Any] = np.zeros(cost.shape[0], dtype)
    column_potential: NDArray[Any] = np.zeros(cost.shape[1], dtype)
    row_of = np.full(cost.shape[1], -1)
    for start in range(len(cost)):
        distance = cost[start] - column_potential
        previous = np.full(len(row_of), -1)  # the column before on the path; -1 is the start row
        ahead = np.ones(len(row_of), dtype=bool)
        while True:
            columns = np.flatnonzero(ahead)
            length = distance[columns].min()
            nearest = columns[distance[columns] == length]
            free = nearest[row_of[nearest] < 0]
            if free.size:
                break
            ahead[nearest[0]] = False
            row = row_of[nearest[0]]
            via = length + cost[row] - row_potential[row] - column_potential
            shorter = ahead & (via < distance)
            distance[shorter] = via[shorter]
            previous[shorter] = nearest[0]
        passed = ~ahead
        row_potential[start] = length
        row_potential[row_of[passed]] += length - distance[passed]
        column_potential[passed] -= length - distance[passed]
        column = int(free[0])
        while previous[column] >= 0:
            row_of[column] = row_of[previous[column]]
            column = int(previous[column])
        row_of[column] = start
    return sorted((int(i), j) for j, i in enumerate(row_of) if i >= 0)
