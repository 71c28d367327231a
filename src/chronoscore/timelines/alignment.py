"""Alignment of days: a cost for every pair, a kernel for distance, a way to assign.

Three published metrics are one function with these parameters (Martschat and Markert 2017).
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from chronoscore.elements.ratios import Array

Tie = Literal["first", "nearest"]


def closeness(distance: Array) -> Array:
    """Weigh a match by its distance in days: 1 / (d + 1)."""
    return np.asarray(1 / (distance + 1))


def date_text_cost(distance: Array, likeness: Array) -> Array:
    """(1 - closeness) (1 - likeness): 0 on the same day, and for equal text on any day."""
    return np.asarray((1 - closeness(distance)) * (1 - likeness))


def many_to_one(cost: Array, distance: Array, tie: Tie) -> NDArray[np.intp]:
    """Give each row the column of least cost; several rows may share one.

    Among equal costs tilse takes the first column. That separates a day from itself where two
    days have equal text, so `nearest` takes the one that is fewest days away.
    """
    if not cost.size:
        return np.empty(0, dtype=np.intp)
    if tie == "nearest":
        cheapest = cost == cost.min(axis=1, keepdims=True)
        cost = np.where(cheapest, distance, np.inf)
    return np.asarray(np.argmin(cost, axis=1), dtype=np.intp)
