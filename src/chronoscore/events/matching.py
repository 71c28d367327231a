"""Match events one to one: the best sum of credits, then the most pairs, then the closest times.

Events that share no possible pair don't influence each other, so each connected component is solved
by itself. Most components are a single pair.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chronoscore.elements.assignment import EXACT_IN_FLOAT, maximum_assignment
from chronoscore.elements.similarity import Cells
from chronoscore.elements.text.columns import Integers

Array = NDArray[np.float64]
METHODS = ("best", "greedy")
"""How events are matched; greedily only to compare with published numbers."""
_CREDITS, _CLOSENESS = 10**6, 10**4
"""The steps in which credits and closeness are compared."""


def match(
    cells: Cells,
    credit: Array,
    closeness: Array,
    gold_first: Callable[[int], bool],
    method: str = "best",
) -> Integers:
    """Return the cells that are matched, ascending.

    A pair is possible where its credit is above 0. `gold_first` says of a case whether the sorted
    list of its gold events is the smaller one, which decides on the rows where both sides have
    equally many, so that swapping the sides gives the same pairs.
    """
    possible = np.flatnonzero(credit > 0)
    if method == "greedy":
        return _greedy(cells, possible, credit)
    row, column = cells.row[possible], cells.column[possible]
    partners = np.bincount(row, minlength=len(cells.predicted_cases))[row]
    others = np.bincount(column, minlength=len(cells.gold_cases))[column]
    is_alone = (partners == 1) & (others == 1)
    chosen = [possible[is_alone]]
    contested = possible[~is_alone]
    for component in _components(cells, contested):
        chosen.append(_solve(cells, component, credit, closeness, gold_first))
    matched: Integers = np.sort(np.concatenate(chosen))
    return matched


def _components(cells: Cells, possible: Integers) -> Iterator[Integers]:
    """Yield the cells of each connected component, those of the first event first."""
    if not len(possible):
        return
    row, column = cells.row[possible], cells.column[possible] + len(cells.predicted_cases)
    label = np.arange(len(cells.predicted_cases) + len(cells.gold_cases))
    while True:
        lowest = np.minimum(label[row], label[column])
        new = label.copy()
        np.minimum.at(new, row, lowest)
        np.minimum.at(new, column, lowest)
        new = new[new]
        if (new == label).all():
            break
        label = new
    order = np.argsort(label[row], kind="stable")
    ordered = label[row][order]
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    for begin, end in pairwise([*begins.tolist(), len(order)]):
        yield possible[order[begin:end]]


def _solve(
    cells: Cells,
    component: Integers,
    credit: Array,
    closeness: Array,
    gold_first: Callable[[int], bool],
) -> Integers:
    rows, row = np.unique(cells.row[component], return_inverse=True)
    columns, column = np.unique(cells.column[component], return_inverse=True)
    weights = np.zeros((len(rows), len(columns)), np.int64)
    weights[row, column] = _weights(credit[component], closeness[component], min(weights.shape))
    at = np.zeros(weights.shape, np.int64)
    at[row, column] = component
    case = int(cells.predicted_cases[rows[0]])
    if len(columns) < len(rows) or (len(columns) == len(rows) and gold_first(case)):
        weights, at = weights.T, at.T
    return np.array([at[pair] for pair in maximum_assignment(weights)], np.int64)


def _weights(credit: Array, closeness: Array, shorter: int) -> Integers:
    """Return whole numbers whose sums compare credits, then pairs, then closeness.

    Sums of many events would not be exact; there closeness is compared in larger steps.
    """
    n = shorter + 1
    credits = np.rint(credit * _CREDITS).astype(np.int64)
    most = EXACT_IN_FLOAT // (4 * n * (_CREDITS + 1))
    steps = min(_CLOSENESS, max(0, most // (n * n) - 1))
    if steps == 0:
        return credits * n + 1
    near = np.rint(closeness * steps).astype(np.int64)
    return credits * (n * n * steps) + n * steps + near


def _greedy(cells: Cells, possible: Integers, credit: Array) -> Integers:
    """Take the best pair that is left, again and again; of equals the first."""
    order = possible[np.argsort(-credit[possible], kind="stable")]
    rows, columns = set[int](), set[int]()
    chosen = []
    for cell, row, column in zip(
        order.tolist(), cells.row[order].tolist(), cells.column[order].tolist(), strict=True
    ):
        if row not in rows and column not in columns:
            rows.add(row)
            columns.add(column)
            chosen.append(cell)
    return np.array(sorted(chosen), np.int64)
