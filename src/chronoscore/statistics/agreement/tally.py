"""What a coefficient needs of each unit, and how it is computed from the sums.

As for metrics, everything is `link(W @ statistics)`: a point estimate, a jackknife, a bootstrap and
a series of blocks are the same line with other weights of the units.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal, TypeAlias

import numpy as np

from chronoscore.core.errors import UsageError
from chronoscore.elements.ratios import Array
from chronoscore.statistics.agreement.ratings import Flags

Weighting: TypeAlias = Literal["identity", "linear", "quadratic", "ordinal"] | Array
"""How near two categories are, 1 if the same: a name, or a symmetric matrix."""


@dataclass(frozen=True, eq=False)
class Tally:
    """One coefficient of one table of ratings, ready for any number of weightings of its units."""

    statistics: Array
    """Numbers that may be added up: statistics[u, q]."""
    link: Callable[[Array], Array]
    """From sums[..., q] to the coefficient, or to several in a last axis; NaN where undefined."""
    used: Flags
    """Which units have something that can be compared."""
    range: tuple[float, float] = (-inf, inf)
    """The least and the most that the number can be."""

    def __call__(self, weights: Array | None = None) -> Array:
        """Compute under `weights[..., u]`, by default all 1."""
        if weights is None:
            return self.link(self.statistics.sum(axis=0))
        return self.link(np.asarray(weights, dtype=np.float64) @ self.statistics)


def stacked(columns: Sequence[Array | Flags]) -> Array:
    """Lay statistics side by side, those of one number and of several; flags count as 1."""
    wide = [column[:, np.newaxis] if column.ndim == 1 else column for column in columns]
    return np.concatenate(wide, axis=1, dtype=np.float64)


def nearness(weighting: Weighting, values: Array) -> Array:
    """The matrix of a weighting over categories.

    linear 1 - |a - b| / range, quadratic 1 - (a - b)² / range², of the categories' values; ordinal
    1 - C(|i - j| + 1, 2) / C(K, 2), of their ranks (*Gwet 2014, Handbook of Inter-Rater
    Reliability, 4th edition, section 3.5*).

    >>> nearness("ordinal", np.array([1.0, 2.0, 3.0]))[0].round(3).tolist()
    [1.0, 0.667, 0.0]
    """
    number = len(values)
    if not isinstance(weighting, str):
        return _checked(np.asarray(weighting, dtype=np.float64), number)
    if weighting == "identity":
        return np.eye(number)
    if weighting not in ("linear", "quadratic", "ordinal"):
        raise UsageError(f"no weighting {weighting}: identity, linear, quadratic, ordinal")
    if number < 2:
        return np.ones((number, number))
    if weighting == "ordinal":
        ranks = np.arange(number)
        apart = np.abs(np.subtract.outer(ranks, ranks)).astype(np.float64)
        return np.asarray(1 - apart * (apart + 1) / (number * (number - 1)))
    far = np.abs(np.subtract.outer(values, values)) / (values[-1] - values[0])
    return np.asarray(1 - (far if weighting == "linear" else far**2))


def _checked(matrix: Array, number: int) -> Array:
    if matrix.shape != (number, number):
        raise UsageError(
            f"the weighting is {' x '.join(map(str, matrix.shape))}, but there are {number}"
            " categories: declare those that it speaks of"
        )
    if not (np.array_equal(matrix, matrix.T) and (np.diag(matrix) == 1).all()):
        raise UsageError("a weighting is symmetric with 1 on its diagonal (1 - cost / most cost)")
    return matrix
