"""The heaviest choice among few possible pairs, each side used once."""

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import TypeAlias

import numpy as np

Weight: TypeAlias = int | float


def heaviest(rows: Sequence[Sequence[tuple[int, Weight]]], columns: int) -> list[int]:
    """The column of each row, or -1, so that the total weight is the greatest possible.

    A row lists its possible (column, weight), weights above 0. All is computed in whole numbers:
    with rounding, a way could seem shorter than the one it is a part of, and lead round in circles.
    Rows enter one after the other by the cheapest alternating path, as of Jonker and Volgenant,
    but only along pairs that there are: ``above[i] + beside[j] >= weight`` holds for all pairs and
    is equal for taken ones. A path may end at a free column, or by leaving a row without one.
    The same lists give the same answer where several are best.

    >>> heaviest([[(0, 2), (1, 3)], [(1, 2)]], 2)
    [0, 1]
    >>> heaviest([[(0, 10**30)], [(0, 10**30 + 1)]], 1)
    [-1, 0]
    """
    whole = _whole(rows)
    above = [max((weight for _, weight in row), default=0) for row in whole]
    beside = [0] * columns
    column_of = [-1] * len(rows)
    row_of = [-1] * columns
    for start in range(len(rows)):
        _enter(start, whole, above, beside, column_of, row_of)
    return column_of


def _whole(rows: Sequence[Sequence[tuple[int, Weight]]]) -> list[list[tuple[int, int]]]:
    """The same weights times a power of two that makes all of them whole: floats are fractions.

    >>> _whole([[(0, 0.5), (1, 3)], [(1, 0.75)]])
    [[(0, 2), (1, 12)], [(1, 3)]]
    """
    parts = [[(column, *weight.as_integer_ratio()) for column, weight in row] for row in rows]
    common = max((below for row in parts for _, _, below in row), default=1)
    return [[(column, over * (common // below)) for column, over, below in row] for row in parts]


def _enter(
    start: int,
    rows: Sequence[Sequence[tuple[int, int]]],
    above: list[int],
    beside: list[int],
    column_of: list[int],
    row_of: list[int],
) -> None:
    """Give a row its place, moving others on the cheapest path."""
    reached: dict[int, int] = {}
    """The length of the way to each column that was passed."""
    tentative: dict[int, int] = {}
    came_from: dict[int, int] = {}
    passed: list[tuple[int, int]] = []
    """Rows on the way, and how far they are."""
    heap: list[tuple[int, bool, int]] = []
    """Columns by length; of equally near ones the free come first, which ends the search."""
    row = start
    length = 0
    out, out_row = above[start], start  # the cheapest row to leave without a column
    while True:
        passed.append((row, length))
        if length + above[row] < out:
            out, out_row = length + above[row], row
        for column, weight in rows[row]:
            way = length + above[row] + beside[column] - weight
            if way < out and (column not in tentative or way < tentative[column]):
                tentative[column] = way
                came_from[column] = row
                heappush(heap, (way, row_of[column] >= 0, column))
        while heap and heap[0][2] in reached:
            heappop(heap)
        if not heap or heap[0][0] >= out:
            total, column = out, column_of[out_row]
            column_of[out_row] = -1
            end = column if out_row != start else -1
            break
        way, _, column = heappop(heap)
        if row_of[column] < 0:
            total, end = way, column
            break
        reached[column] = way
        row, length = row_of[column], way
    for one, way in passed:
        above[one] -= total - way
    for one, way in reached.items():
        beside[one] += total - way
    while end >= 0:
        row = came_from[end]
        before = column_of[row]
        column_of[row], row_of[end] = end, row
        if row == start:
            break
        end = before


def heaviest_in_floats(rows: Sequence[Sequence[tuple[int, Weight]]], columns: int) -> list[int]:
    """The same by scipy's solver for sparse problems, which rounds weights to floats.

    It gives every row a column, so that each row has one of its own for having none.

    >>> heaviest_in_floats([[(0, 2), (1, 3)], [(1, 2)], []], 2)
    [0, 1, -1]
    """
    from scipy.sparse import coo_array  # noqa: PLC0415 - slow to import
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching  # noqa: PLC0415

    cells = [(row, column, weight + 1) for row, own in enumerate(rows) for column, weight in own]
    cells += [(row, columns + row, 1) for row in range(len(rows))]  # 0 would be no pair
    at, to = (np.array([cell[side] for cell in cells], np.int64) for side in (0, 1))
    weights = np.array([cell[2] for cell in cells], np.float64)
    matrix = coo_array((weights, (at, to)), (len(rows), columns + len(rows)))
    found = min_weight_full_bipartite_matching(matrix, maximize=True)[1].tolist()
    return [column if column < columns else -1 for column in found]
