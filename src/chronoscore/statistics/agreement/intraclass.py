"""Intraclass correlations: which part of the variance of ratings is that between units.

*Shrout and Fleiss 1979, Intraclass Correlations: Uses in Assessing Rater Reliability; McGraw and
Wong 1996, Forming Inferences About Some Intraclass Correlation Coefficients.*
"""

from math import inf
from typing import Literal, get_args

import numpy as np

from chronoscore.core.errors import UsageError
from chronoscore.elements.ratios import Array, ratio
from chronoscore.statistics.agreement.ratings import Ratings
from chronoscore.statistics.agreement.tally import Tally, stacked

Model = Literal["1,1", "2,1", "3,1", "1,k", "2,k", "3,k"]
MODELS: tuple[Model, ...] = get_args(Model)
_ROUNDING = 1e-13


def icc(ratings: Ratings, model: Model = "2,1", weights: Array | None = None) -> Array:
    """ICC of Shrout and Fleiss, from mean squares: of units R, raters C, error E, within units W.

    - (1,1): (R - W) / (R + (k-1) W), each unit has raters of its own
    - (2,1): (R - E) / (R + (k-1) E + k (C - E) / n), raters are a sample of all raters
    - (3,1): (R - E) / (R + (k-1) E), these raters and no others; severity is forgiven
    - (1,k), (2,k), (3,k): the same for the mean of k raters

    Only units that all k raters rated count; where there are few, use alpha.
    """
    return icc_tally(ratings, model)(weights)


def icc_tally(ratings: Ratings, model: Model = "2,1") -> Tally:
    """Prepare an intraclass correlation."""
    if model not in MODELS:
        raise UsageError(f"no ICC({model}): {', '.join(MODELS)}")
    complete = ratings.complete & (ratings.raters > 1)
    raters = max(ratings.raters, 1)
    means = ratings.sums(ratings.centred) / raters * complete
    deviations = np.zeros((len(ratings.units), raters))
    deviations[ratings.unit_at, ratings.rater_at] = ratings.deviations
    deviations[~complete] = 0
    statistics = [complete, means, means**2, (deviations**2).sum(axis=1), deviations]

    def link(sums: Array) -> Array:
        return _value(_mean_squares(sums, raters), sums[..., 0], raters, model)

    return Tally(stacked(statistics), link, complete, (_lowest(ratings.raters, model), 1.0))


def _lowest(raters: int, model: Model) -> float:
    """The least a correlation of so many raters can be; that of their mean has no least."""
    return -1 / (raters - 1) if raters > 1 and model[2] == "1" else -inf


def icc_interval(
    ratings: Ratings, model: Model = "2,1", level: float = 0.95
) -> tuple[float, float]:
    """Bounds from F distributions, for units drawn one by one and normal errors; NaN if undefined.

    Those of (2,1) and (2,k) are Satterthwaite's approximation.
    """
    from scipy.stats import f  # noqa: PLC0415  # slow to import

    sums = icc_tally(ratings, model).statistics.sum(axis=0)
    n, k = float(sums[0]), ratings.raters
    if n < 2 or k < 2:
        return float("nan"), float("nan")
    squares = _mean_squares(sums, k)
    of_units, of_raters, error, within = (float(square) for square in squares)
    one = float(_value(squares, sums[0], k, "2,1"))
    upper = (1 + level) / 2
    if model[0] == "2":
        if np.isnan(one):
            return one, one
        # The freedom of k C / n + (k n - k - n) E / n, with C/E multiplied out.
        a, b = k * one, n * (1 + (k - 1) * one) - k * one
        freedom = (a * of_raters + b * error) ** 2 / (
            (a * of_raters) ** 2 / (k - 1) + (b * error) ** 2 / ((n - 1) * (k - 1)) or np.nan
        )
        rest = k * of_raters + (k * n - k - n) * error
        if np.isnan(freedom):  # no variance but that between units
            return 1.0, 1.0
        down, up = f.ppf(upper, n - 1, freedom), f.ppf(upper, freedom, n - 1)
        low = n * (of_units - down * error) / (down * rest + n * of_units)
        high = n * (up * of_units - error) / (rest + n * up * of_units)
        if model == "2,k":
            return _of_mean(float(low), k), _of_mean(float(high), k)
        return float(low), float(high)
    other = within if model[0] == "1" else error
    freedom = n * (k - 1) if model[0] == "1" else (n - 1) * (k - 1)
    down, up = f.ppf(upper, n - 1, freedom), f.ppf(upper, freedom, n - 1)
    low_high = []
    for top, bottom in ((of_units, down * other), (up * of_units, other)):
        below = top if model[2] == "k" else top + (k - 1) * bottom
        low_high.append(float(ratio(np.asarray(top - bottom), np.asarray(below))))
    return low_high[0], low_high[1]


def _of_mean(single: float, k: int) -> float:
    """Spearman and Brown: the reliability of a mean of k."""
    return k * single / (1 + (k - 1) * single)


def _mean_squares(sums: Array, k: int) -> tuple[Array, Array, Array, Array]:
    """Mean squares of units, of raters, of error, and within units."""
    n, first, second, within = (sums[..., place] for place in range(4))
    between = n * second - first**2
    between = k * ratio(np.where(between > _ROUNDING * n * second, between, 0), n)
    of_raters = ratio((sums[..., 4:] ** 2).sum(axis=-1), n)
    # What is left but for rounding is nothing, also where all ratings of a unit are the same.
    error = within - of_raters
    error = np.where(error > _ROUNDING * within, error, 0)
    others = np.asarray(max(k - 1, 1), dtype=np.float64)
    return (
        ratio(between, np.maximum(n - 1, 0)),
        of_raters / others,
        ratio(error, np.maximum(n - 1, 0) * others),
        ratio(within, n * others),
    )


def _value(squares: tuple[Array, Array, Array, Array], n: Array, k: int, model: Model) -> Array:
    of_units, of_raters, error, within = squares
    mean = model[2] == "k"
    other = within if model[0] == "1" else error
    below = of_units if mean else of_units + (k - 1) * other
    if model[0] == "2":
        below = below + ratio(of_raters - error, n) * (1 if mean else k)
    return ratio(np.asarray(of_units - other), np.asarray(below))
