"""The assignment problem: the best one-to-one pairs of rows and columns.

`scipy.optimize` solves it fast but takes half a second to import, which is more than most runs
need in all. So matrices are solved here, with the same answer to the last tie, until solving
them has taken about as long as the import would have; from then on scipy solves them.
"""

import math
import sys
from collections.abc import Hashable, Iterable
from operator import sub
from typing import Any

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.intp]

EXACT_IN_FLOAT = 2**53
"""Whole numbers up to here are exact in float64, and so are the sums that the solver forms of
weights up to `EXACT_IN_FLOAT / (4 n)`, where n is the length of the shorter side."""

_WORTH_THE_IMPORT = 4_000_000
"""So many cells are looked at here in the time that the import of `scipy.optimize` takes."""
_LARGEST = 60_000
"""The cells of a matrix that is left to scipy at once: solving it may look at each 100 times."""
_looked_at = [0]
"""How many cells this process has looked at."""


def maximum_assignment(weights: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return the pairs (row, column) of greatest total weight, each row and column at most once.

    ``max Σ weights[i, j]`` over all one-to-one pairings (Crouse 2016). Weights are not negative; 0
    means that the two are no pair, and such pairs are not returned. The same matrix gives the same
    answer where several are best.

    >>> maximum_assignment(np.array([[2, 3], [0, 2]]))
    [(0, 0), (1, 1)]
    """
    rows, columns = minimum_assignment(-weights.astype(np.float64))
    pairs = zip(rows.tolist(), columns.tolist(), strict=True)
    return [(i, j) for i, j in pairs if weights[i, j]]


def most_pairs(pairs: Iterable[tuple[Hashable, Hashable]]) -> int:
    """Return how many of these pairs a one-to-one matching can have at most.

    >>> most_pairs([("g1", "p1"), ("g1", "p2"), ("g2", "p1"), ("g3", "p1")])
    2
    """
    listed = [*pairs]
    rows = {one: at for at, one in enumerate(dict.fromkeys(one for one, _ in listed))}
    columns = {one: at for at, one in enumerate(dict.fromkeys(one for _, one in listed))}
    weights: NDArray[np.int64] = np.zeros((len(rows), len(columns)), np.int64)
    for one, other in listed:
        weights[rows[one], columns[other]] = 1
    return len(maximum_assignment(weights))


def minimum_assignment(cost: NDArray[Any]) -> tuple[Indices, Indices]:
    """Return the rows and columns of least total cost, as many pairs as the shorter side has.

    ``min Σ cost[i, j]`` over all one-to-one pairings (Crouse 2016). Rows come in ascending order.
    An infinite cost means that the two are no pair. Where several pairings are best, the answer is
    that of `scipy.optimize.linear_sum_assignment`.

    >>> rows, columns = minimum_assignment(np.array([[4.0, 1.0, 3.0], [2.0, 0.0, 5.0]]))
    >>> rows.tolist(), columns.tolist()
    ([0, 1], [1, 0])
    """
    if cost.size > _LARGEST or _looked_at[0] > _WORTH_THE_IMPORT or "scipy.optimize" in sys.modules:
        from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - slow to import

        return linear_sum_assignment(cost)
    return solve(np.asarray(cost, dtype=np.float64))


def solve(cost: NDArray[np.float64]) -> tuple[Indices, Indices]:
    """Do what `minimum_assignment` does, without scipy; meant for small matrices."""
    if not cost.min(initial=math.inf) > -math.inf:
        raise ValueError("the cost matrix contains NaN or -inf")
    height, width = cost.shape
    if height > width:
        columns, rows = solve(cost.T)
        order = np.argsort(rows)
        return rows[order], columns[order]
    chosen = _columns(cost.tolist(), width)
    return np.arange(height), np.array(chosen, dtype=np.intp)


def _columns(rows: list[list[float]], width: int) -> list[int]:
    """Give each row a column by shortest augmenting paths; there are at least as many columns.

    Rows enter one after the other. ``rows[i][j] - row_price[i] - column_price[j]`` is at least 0,
    and 0 for assigned pairs; with these lengths, the shortest path from the new row to a free
    column leads through assigned pairs, which then change along it. Equal paths are decided by
    the order in which columns are looked at, and sums are formed in the same order as in scipy, so
    that rounding makes the same paths equal.
    """
    row_price, column_price = [0.0] * len(rows), [0.0] * width
    column_of, row_of = [-1] * len(rows), [-1] * width
    infinite, looked_at = math.inf, len(rows) * width
    for start, new_row in enumerate(rows):
        reach = list(map(sub, new_row, column_price))
        """The length of the shortest path to each column that was found so far."""
        length = min(reach)
        column = reach.index(length)
        if row_of[column] >= 0 and reach.count(length) > 1:
            tied = [column for column, distance in enumerate(reach) if distance == length]
            column = next((tie for tie in tied if row_of[tie] < 0), tied[-1])
        came_from = [start] * width
        open_columns = list(range(width - 1, -1, -1))
        place = width - 1 - column
        passed = []
        while length < infinite and row_of[column] >= 0:
            passed.append(column)
            last = open_columns.pop()
            if place < len(open_columns):
                open_columns[place] = last
            looked_at += len(open_columns)
            row, so_far, length = row_of[column], length, infinite
            costs, price = rows[row], row_price[row]
            for at, candidate in enumerate(open_columns):
                distance = so_far + costs[candidate] - price - column_price[candidate]
                if distance < reach[candidate]:
                    reach[candidate], came_from[candidate] = distance, row
                else:
                    distance = reach[candidate]
                if distance < length or (distance == length and row_of[candidate] < 0):
                    length, place = distance, at
            column = open_columns[place]
        if length == infinite:
            raise ValueError("the cost matrix is infeasible: too many costs are infinite")
        row_price[start] = length
        for between in passed:
            row_price[row_of[between]] += length - reach[between]
            column_price[between] -= length - reach[between]
        row = -1
        while row != start:
            row = row_of[column] = came_from[column]
            column_of[row], column = column, column_of[row]
    _looked_at[0] += looked_at
    return column_of
