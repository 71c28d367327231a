"""Is one metric's correlation with people higher than another's, or is it chance?"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from chronoscore.elements.ratios import Array
from chronoscore.statistics.correlation.coefficients import pearson
from chronoscore.statistics.drawing import RESAMPLES, all_signs, signs
from chronoscore.statistics.equality import rounding

MOST_ENUMERATED = 100_000
_SAME = 1e-12
"""Williams' denominator, which has no unit, of two metrics that are one but for their scale."""
_CELLS = 1 << 22
Batch = Callable[[Array, Array], Array]
"""A coefficient: human[n] and metrics[..., n] to values[...]."""


@dataclass(frozen=True)
class Williams:
    """The statistic, its degrees of freedom, and p; NaN and a reason where undefined."""

    t: float
    freedom: int
    p_one_sided: float
    """That the first correlates more."""
    p: float
    reason: str = ""


@dataclass(frozen=True)
class Swapped:
    """What a permutation test of two metrics found."""

    difference: float
    p_one_sided: float
    p: float
    smallest: float
    """No two-sided p is below it with so few items."""
    exact: bool
    reason: str = ""


def williams(human: Array, one: Array, two: Array) -> Williams:
    """Williams' test of two correlations that share a variable, for Pearson's r.

    t = (r₁ - r₂) sqrt((n-1)(1+r₃) / (2K (n-1)/(n-3) + (r₁+r₂)²/4 · (1-r₃)³)) with n - 3 degrees of
    freedom, K = 1 - r₁² - r₂² - r₃² + 2 r₁ r₂ r₃; r₃ is that of the two metrics. *Williams 1959,
    Regression Analysis; Steiger 1980; for metrics Graham and Baldwin 2014.*
    """
    from scipy.stats import t as student  # noqa: PLC0415  # slow to import

    n = len(human)
    if n < 4:
        return Williams(np.nan, n - 3, np.nan, np.nan, f"it needs 4 items, here are {n}")
    r1, r2, r3 = (float(pearson(*pair)) for pair in ((human, one), (human, two), (one, two)))
    if np.isnan([r1, r2, r3]).any():
        return Williams(np.nan, n - 3, np.nan, np.nan, "no variation in people or a metric")
    k = max(0.0, 1 - r1**2 - r2**2 - r3**2 + 2 * r1 * r2 * r3)
    bottom = 2 * k * (n - 1) / (n - 3) + (r1 + r2) ** 2 / 4 * (1 - r3) ** 3
    if bottom < _SAME:
        reason = "the two metrics are the same, but for their scale"
        return Williams(np.nan, n - 3, np.nan, np.nan, reason)
    t = (r1 - r2) * np.sqrt((n - 1) * (1 + r3) / bottom)
    return Williams(
        float(t),
        n - 3,
        float(student.sf(t, n - 3)),
        float(2 * student.sf(abs(t), n - 3)),
    )


def perm_both(
    human: Array,
    one: Array,
    two: Array,
    coefficient: Batch = pearson,
    *,
    names: tuple[str, ...] = (),
    seed: int = 0,
    draws: int = RESAMPLES,
) -> Swapped:
    """How often do two metrics differ as much if they change places item by item?

    Each metric is first standardised over all items, so that one can stand in for the other. All
    ways are enumerated while there are not more than 100,000; above, p = (count + 1) / (k + 1).
    Ties count. *Deutsch, Dror and Roth 2021, A Statistical Analysis of Summarization Evaluation
    Metrics Using Resampling Methods.*
    """
    n = len(human)
    a, b = _standard(one), _standard(two)
    apart = float(coefficient(human, one)) - float(coefficient(human, two))
    if np.isnan(apart):
        return Swapped(np.nan, np.nan, np.nan, np.nan, exact=False, reason="a metric has none")
    exact = 2**n <= MOST_ENUMERATED
    swap = all_signs(n) if exact else signs(names or tuple(map(str, range(n))), seed, draws)
    step = max(1, _CELLS // max(n * n, 1))
    ones, twos = [], []
    for row in range(0, len(swap), step):
        other = swap[row : row + step] > 0
        ones.append(coefficient(human, np.where(other, b, a)))
        twos.append(coefficient(human, np.where(other, a, b)))
    first, second = np.concatenate(ones), np.concatenate(twos)
    drawn, equal = first - second, float(rounding(first, second))
    # Of the standardised metrics, as all that is drawn: a large mean costs the others their digits.
    seen = float(coefficient(human, a)) - float(coefficient(human, b))
    defined = ~np.isnan(drawn)
    above = int((drawn[defined] >= seen - equal).sum())
    beyond = int((np.abs(drawn[defined]) >= abs(seen) - equal).sum())
    number = int(defined.sum())
    if exact:
        return Swapped(apart, above / number, beyond / number, min(1.0, 2 / 2**n), exact=True)
    k = number + 1
    return Swapped(apart, (above + 1) / k, (beyond + 1) / k, 1 / k, exact=False)


def _standard(values: Array) -> Array:
    centred: Array = values - float(values.mean())
    spread = float(values.std())
    return centred / spread if spread > 0 else centred
