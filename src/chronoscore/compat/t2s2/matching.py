"""How the scorer matches gold rows with predicted rows: greedily, or as an assignment problem.

Both take the distances between all gold rows and all predicted rows of a document, the header line
included if it was read as a row. Matches name rows from 1 on. No threshold takes part here: which
matches are kept is decided afterwards (`chronoscore.compat.t2s2.measures`).
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronoscore.elements.assignment import minimum_assignment

UNMATCHED_COST = 0.6
"""What a row without a match costs in `lap`; the configured threshold never gets there."""
Distances = Sequence[Sequence[float]]


class RowMatch(NamedTuple):
    """A gold row with its predicted row: None, at an infinite distance, if it has none."""

    gold: int
    predicted: int | None
    distance: float


def greedy(distances: Distances) -> list[RowMatch]:
    """Match the closest rows first, then the closest of those that are left, and so on.

    In each round, every gold row whose smallest distance is the smallest of all takes the first
    predicted row at that distance; of several that take the same, the first gold row gets it.
    Matches are listed by round, and within a round by predicted row.

    The first row takes the closer of two, and leaves the second with a bad match:

    >>> [match[:2] for match in greedy([[0.02, 0.05], [0.03, 0.3]])]
    [(1, 1), (2, 2)]
    """
    matrix = _matrix(distances)
    rows, columns = (np.arange(size) for size in matrix.shape)
    matches: list[RowMatch] = []
    while rows.size and columns.size:
        left = matrix[np.ix_(rows, columns)]
        lowest = left.min(axis=1)
        smallest = lowest.min()
        winners: dict[int, int] = {}
        for row in np.flatnonzero(lowest == smallest).tolist():
            winners.setdefault(int(left[row].argmin()), row)
        for column, row in sorted(winners.items()):
            gold, predicted = int(rows[row]), int(columns[column])
            matches.append(RowMatch(gold + 1, predicted + 1, float(smallest)))
        rows, columns = np.delete(rows, [*winners.values()]), np.delete(columns, [*winners])
    return [*matches, *(RowMatch(row + 1, None, math.inf) for row in rows.tolist())]


def lap(distances: Distances) -> list[RowMatch]:
    """Match rows so that the sum of distances is smallest, a row without a match costing 0.6.

    Distances are compared with 8 significant digits. Where several assignments are best, R may
    choose another one.

    >>> [match[:2] for match in lap([[0.02, 0.05], [0.03, 0.3]])]
    [(1, 2), (2, 1)]
    """
    matrix = _matrix(distances)
    rounded = np.array([[float(f"{x:.7e}") for x in row] for row in matrix.tolist()])
    # To leave both rows of a pair unmatched costs as much as a pair at 0.6.
    capped = np.minimum(rounded.reshape(matrix.shape), UNMATCHED_COST)
    rows, columns = minimum_assignment(capped)
    pairs = zip(rows.tolist(), columns.tolist(), strict=True)
    taken = {i: j for i, j in pairs if capped[i, j] < UNMATCHED_COST}
    matches = [RowMatch(i + 1, j + 1, float(matrix[i, j])) for i, j in taken.items()]
    unmatched = (row for row in range(len(matrix)) if row not in taken)
    return [*matches, *(RowMatch(row + 1, None, math.inf) for row in unmatched)]


def _matrix(distances: Distances) -> NDArray[np.float64]:
    matrix = np.array(distances, dtype=np.float64)
    if matrix.ndim != 2 or not np.isfinite(matrix).all():
        raise ValueError("distances must be a matrix of finite numbers")
    return matrix
