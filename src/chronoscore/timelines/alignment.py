"""Alignment of days: a cost for every pair, a kernel for distance, a way to assign.

All published alignments are one function with these three as parameters (Martschat and Markert
2017), and each may be the user's own, named `module:function` or `./file.py:function`:

- a kernel weighs a match by its distance: `kernel(distance[p, g]) -> weight[p, g]`, from
  0 to 1;
- a cost says what a match costs: `cost(comparison, weight[p, g]) -> cost[p, g]`;
- an assignment gives each row a column: `assign(cost[r, c], distance[r, c]) -> column[r]`, -1 for
  none. It is called for both sides, predicted days in rows and then gold days in rows.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.metric import Values, text_of
from chronoscore.elements.ratios import Array
from chronoscore.timelines.comparison import Comparison
from chronoscore.timelines.meaning import day_similarity
from chronoscore.timelines.own import own_assignment, own_cost, own_kernel

Columns = NDArray[np.intp]
Kernel = Callable[[Array], Array]
Cost = Callable[[Comparison, Array], Array]
Assign = Callable[[Array, Array], Columns]


class Alignment(NamedTuple):
    """Which gold day each predicted day was given, the reverse, and the weights of all pairs."""

    to_gold: Columns
    to_predicted: Columns
    weight: Array
    cells: tuple[Columns, Columns]
    """Of each side's aligned days in order, the place of the pair in a flat table like `weight`."""

    @classmethod
    def of(cls, to_gold: Columns, to_predicted: Columns, weight: Array) -> "Alignment":
        """Find the places of the pairs, which every metric of this alignment looks up."""
        width = weight.shape[1]
        predicted, gold = np.flatnonzero(to_gold >= 0), np.flatnonzero(to_predicted >= 0)
        cells = (
            predicted * width + to_gold[predicted],
            to_predicted[gold] * width + gold,
        )
        return cls(to_gold, to_predicted, weight, cells)


def reciprocal(distance: Array) -> Array:
    """Weigh a match d days apart by 1 / (d + 1)."""
    return np.asarray(1 / (distance + 1))


def flat(distance: Array) -> Array:
    """Weigh all matches alike, whatever their distance."""
    return np.ones_like(distance)


def date_cost(_: Comparison, weight: Array) -> Array:
    """1 - weight."""
    return 1 - weight


def date_text_cost(comparison: Comparison, weight: Array) -> Array:
    """(1 - weight) (1 - likeness): 0 on the same day, and for equal text on any day."""
    return np.asarray((1 - weight) * (1 - comparison.likeness))


def one_to_one(cost: Array, _: Array) -> Columns:
    """Match as many as there are on the shorter side, at the least total cost."""
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415  # slow to import

    columns = np.full(len(cost), -1, dtype=np.intp)
    rows, chosen = linear_sum_assignment(cost)
    columns[rows] = chosen
    return columns


def many_to_one(cost: Array, _: Array) -> Columns:
    """Give each row its cheapest column, the first of equals; several rows may share one."""
    return np.asarray(np.argmin(cost, axis=1), dtype=np.intp)


def many_to_nearest(cost: Array, distance: Array) -> Columns:
    """Give each row its cheapest column, of equals the nearest in time.

    The first of equals separates a day from itself where two days have equal text.
    """
    cheapest = cost == cost.min(axis=1, keepdims=True)
    return many_to_one(np.where(cheapest, distance, np.inf), distance)


def same_day(cost: Array, distance: Array) -> Columns:
    """Give each row the column of its own date, if there is one; of several the cheapest."""
    found = distance == 0
    cheapest = many_to_one(np.where(found, cost, np.inf), distance)
    return np.where(found.any(axis=1), cheapest, -1).astype(np.intp)


KERNELS: Mapping[str, Kernel] = {"reciprocal": reciprocal, "flat": flat}
COSTS: Mapping[str, Cost] = {"date": date_cost, "date+text": date_text_cost}
ASSIGNMENTS: Mapping[str, Assign] = {
    "one-to-one": one_to_one,
    "many-to-one": many_to_one,
    "same-day": same_day,
}
MEANING_COST = "date+meaning"
_OTHER_PERIOD = 1e-9
"""What another period costs beside the same one; it only decides between equal costs."""


def align(comparison: Comparison, values: Values) -> Alignment:
    """Align both ways. The two are solved apart, as in tilse: with ties they may differ."""
    names = [text_of(values, name) for name in ("kernel", "cost", "assign", "tie", "model")]
    made: Alignment = comparison.keep(("alignment", *names), lambda: _align(comparison, *names))
    return made


def _align(
    comparison: Comparison, kernel: str, cost: str, assign: str, tie: str, model: str
) -> Alignment:
    distance = comparison.distance
    if not distance.size:  # a day of one side only: no function needs to know of that
        none = np.full(max(distance.shape), -1, dtype=np.intp)
        empty = np.zeros(distance.shape)
        return Alignment.of(none[: distance.shape[0]], none[: distance.shape[1]], empty)
    weight = (KERNELS.get(kernel) or own_kernel(kernel))(distance)
    if cost == MEANING_COST:
        costs = (1 - weight) * (1 - day_similarity(comparison, model))
    else:
        costs = (COSTS.get(cost) or own_cost(cost))(comparison, weight)
    if not comparison.has_days_only:  # a month meets its days, but above all itself
        costs = costs + _OTHER_PERIOD * comparison.unequal
    give = ASSIGNMENTS.get(assign) or own_assignment(assign)
    if tie == "nearest" and give is many_to_one:
        give = many_to_nearest
    return Alignment.of(give(costs, distance), give(costs.T, distance.T), weight)
