"""The assignment of greatest total weight where few pairs are possible."""

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Any, TypeAlias

import numpy as np

Weight: TypeAlias = int | float


def assigned(cells: Sequence[tuple[Any, Any, Weight]], *, in_floats: bool = False) -> list[int]:
    """Return the places of cells (row, column, weight) that have the greatest total weight.

    Each row and each column is used at most once. Where several choices are best, earlier rows
    and lower columns come first.

    >>> assigned([("a", "x", 2), ("a", "y", 3), ("b", "y", 2)])
    [0, 2]
    """
    row_of = {row: n for n, row in enumerate(dict.fromkeys(cell[0] for cell in cells))}
    column_of = {column: n for n, column in enumerate(sorted({cell[1] for cell in cells}))}
    rows: list[list[tuple[int, Weight]]] = [[] for _ in row_of]
    at: dict[tuple[int, int], int] = {}
    for place, (row, column, weight) in enumerate(cells):
        i, j = row_of[row], column_of[column]
        rows[i].append((j, weight))
        at[i, j] = place
    answer = (heaviest_in_floats if in_floats else heaviest)(rows, len(column_of))
    return [at[row, column] for row, column in enumerate(answer) if column >= 0]


def heaviest(rows: Sequence[Sequence[tuple[int, Weight]]], columns: int) -> list[int]:
    """Assign each row a column, or -1, so that the total weight is the greatest possible.

    A row lists its possible (column, weight), weights above 0. The weights are made whole
    numbers: with rounding, a path could seem shorter than a part of it, and the search could loop.
    Rows enter one after the other by the cheapest alternating path (Jonker and Volgenant), along
    possible pairs only: ``row_price[i] + column_price[j] >= weight`` holds for all pairs, with
    equality for assigned ones. A path may end at a free column, or by leaving a row without one.
    Where several assignments are best, the same lists always give the same one.

    >>> heaviest([[(0, 2), (1, 3)], [(1, 2)]], 2)
    [0, 1]
    >>> heaviest([[(0, 10**30)], [(0, 10**30 + 1)]], 1)
    [-1, 0]
    """
    integral = _whole(rows)
    row_price = [max((weight for _, weight in row), default=0) for row in integral]
    column_price = [0] * columns
    column_of = [-1] * len(rows)
    row_of = [-1] * columns
    for start in range(len(rows)):
        _enter(start, integral, row_price, column_price, column_of, row_of)
    return column_of


def _whole(rows: Sequence[Sequence[tuple[int, Weight]]]) -> list[list[tuple[int, int]]]:
    """Multiply the weights by the power of two that makes all of them whole numbers.

    >>> _whole([[(0, 0.5), (1, 3)], [(1, 0.75)]])
    [[(0, 2), (1, 12)], [(1, 3)]]
    """
    fractions = [[(column, *weight.as_integer_ratio()) for column, weight in row] for row in rows]
    common = max((denominator for row in fractions for _, _, denominator in row), default=1)
    return [
        [(column, numerator * (common // denominator)) for column, numerator, denominator in row]
        for row in fractions
    ]


def _enter(
    start: int,
    rows: Sequence[Sequence[tuple[int, int]]],
    row_price: list[int],
    column_price: list[int],
    column_of: list[int],
    row_of: list[int],
) -> None:
    """Assign a row, and reassign others along the cheapest path."""
    reached: dict[int, int] = {}
    """The length of the path to each column that the search has passed."""
    tentative: dict[int, int] = {}
    came_from: dict[int, int] = {}
    passed: list[tuple[int, int]] = []
    """The rows that the search has passed, and the length of the path to each."""
    heap: list[tuple[int, bool, int]] = []
    """Columns by length; among equals, free ones come first, since they end the search."""
    row = start
    length = 0
    cheapest, dropped_row = row_price[start], start  # the cheapest row to leave without a column
    while True:
        passed.append((row, length))
        if length + row_price[row] < cheapest:
            cheapest, dropped_row = length + row_price[row], row
        for column, weight in rows[row]:
            distance = length + row_price[row] + column_price[column] - weight
            if distance < cheapest and (column not in tentative or distance < tentative[column]):
                tentative[column] = distance
                came_from[column] = row
                heappush(heap, (distance, row_of[column] >= 0, column))
        while heap and heap[0][2] in reached:
            heappop(heap)
        if not heap or heap[0][0] >= cheapest:
            total, column = cheapest, column_of[dropped_row]
            column_of[dropped_row] = -1
            end = column if dropped_row != start else -1
            break
        distance, _, column = heappop(heap)
        if row_of[column] < 0:
            total, end = distance, column
            break
        reached[column] = distance
        row, length = row_of[column], distance
    for passed_row, distance in passed:
        row_price[passed_row] -= total - distance
    for reached_column, distance in reached.items():
        column_price[reached_column] += total - distance
    while end >= 0:
        row = came_from[end]
        before = column_of[row]
        column_of[row], row_of[end] = end, row
        if row == start:
            break
        end = before


def heaviest_in_floats(rows: Sequence[Sequence[tuple[int, Weight]]], columns: int) -> list[int]:
    """Do the same as `heaviest` by scipy's sparse solver, which rounds weights to floats.

    The solver gives every row a column, so each row gets an extra column that stands for none.

    >>> heaviest_in_floats([[(0, 2), (1, 3)], [(1, 2)], []], 2)
    [0, 1, -1]
    """
    from scipy.sparse import coo_array  # noqa: PLC0415 - slow to import
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching  # noqa: PLC0415

    cells = [
        (row, column, weight + 1) for row, pairs in enumerate(rows) for column, weight in pairs
    ]
    cells += [(row, columns + row, 1) for row in range(len(rows))]  # 0 would be no pair
    at, to = (np.array([cell[side] for cell in cells], np.int64) for side in (0, 1))
    weights = np.array([cell[2] for cell in cells], np.float64)
    matrix = coo_array((weights, (at, to)), (len(rows), columns + len(rows)))
    assigned = min_weight_full_bipartite_matching(matrix, maximize=True)[1].tolist()
    return [column if column < columns else -1 for column in assigned]
