"""Two columns of numbers set against each other: which pairs of items agree, tie or differ."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chronoscore.elements.ratios import Array
from chronoscore.statistics.equality import decimals

Signs = NDArray[np.int8]
FEWEST = 3
"""Two items are always on a line."""


@dataclass(frozen=True)
class PairCounts:
    """How many pairs of items are in the same order for people and metric, or tied."""

    concordant: int
    discordant: int
    ties_human_only: int
    ties_metric_only: int
    ties_both: int

    @property
    def pairs(self) -> int:
        """All pairs."""
        ties = self.ties_human_only + self.ties_metric_only + self.ties_both
        return self.concordant + self.discordant + ties


def gaps(values: Array) -> Array:
    """All differences between items: gaps[..., i, j] = x_i - x_j, rounded before they are told
    apart, since in binary 0.9 - 0.8, 0.8 - 0.7 and 0.7 - 0.6 are three numbers.
    """
    apart = values[..., :, np.newaxis] - values[..., np.newaxis, :]
    return np.asarray(np.round(apart, decimals(values)))


def signs(values: Array) -> Signs:
    """Whether item i is above (1), below (-1) or tied with (0) item j: the sign of each gap.

    In single bytes and without rounding each gap, since a permutation test makes billions of them.
    """
    apart = values[..., :, np.newaxis] - values[..., np.newaxis, :]
    half = 0.5 * 10.0 ** -decimals(values)
    return np.asarray((apart > half).astype(np.int8) - (apart < -half).astype(np.int8))


def pair_counts(human: Array, metric: Array) -> PairCounts:
    """Count the pairs of items by what people and the metric say of them.

    >>> pair_counts(np.array([1.0, 2, 3]), np.array([2.0, 2, 5]))
    PairCounts(concordant=2, discordant=0, ties_human_only=0, ties_metric_only=1, ties_both=0)
    """
    upper = np.triu_indices(len(human), 1)
    h, m = signs(human)[upper], signs(metric)[upper]
    return PairCounts(
        concordant=int((h * m > 0).sum()),
        discordant=int((h * m < 0).sum()),
        ties_human_only=int(((h == 0) & (m != 0)).sum()),
        ties_metric_only=int(((h != 0) & (m == 0)).sum()),
        ties_both=int(((h == 0) & (m == 0)).sum()),
    )


def constant(values: Array) -> bool:
    """Whether all values are the same, but for rounding."""
    return bool(np.round(np.ptp(values), decimals(values)) == 0) if values.size else True


def why_undefined(human: Array, metric: Array) -> str:
    """Say why two columns have no correlation, or nothing if they have one."""
    if len(human) < FEWEST:
        return f"a correlation needs {FEWEST} items, here are {len(human)}"
    for who, values in (("people", human), ("the metric", metric)):
        if constant(values):
            return f"no variation: {who} gave all items the same value"
    return ""
