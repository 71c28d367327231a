"""Agreement between raters: units x categories in, coefficients out, over any weights of units.

Input is a long table of (unit, rater, value), which can't be given the wrong way round. The
formulas are from Krippendorff 2011, Computing Krippendorff's Alpha-Reliability.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from chronoscore.elements.ratios import Array, ratio

Scale = Literal["nominal", "ordinal", "interval", "ratio"]


@dataclass(frozen=True)
class Ratings:
    """How often each unit got each value."""

    units: tuple[str, ...]
    values: Array
    counts: Array
    raters: int

    @classmethod
    def of(cls, table: Iterable[tuple[str, str, float]]) -> "Ratings":
        """Count a long table of (unit, rater, value)."""
        rows = list(table)
        units = sorted({unit for unit, _, _ in rows})
        values = sorted({value for _, _, value in rows})
        unit_at = {unit: place for place, unit in enumerate(units)}
        value_at = {value: place for place, value in enumerate(values)}
        counts = np.zeros((len(units), len(values)))
        for unit, _, value in rows:
            counts[unit_at[unit], value_at[value]] += 1
        raters = len({rater for _, rater, _ in rows})
        return cls(tuple(units), np.array(values, dtype=np.float64), counts, raters)

    def why_undefined(self) -> str:
        """Say why a coefficient that corrects for chance has no value, or nothing if it has."""
        paired = self.counts[self.counts.sum(axis=1) >= 2]
        if not len(paired):
            return "no unit has two ratings"
        if (paired.sum(axis=0) > 0).sum() < 2:
            return "no variation: all ratings that can be compared are the same"
        return ""


def alpha(ratings: Ratings, scale: Scale, weights: Array | None = None) -> Array:
    """Krippendorff's alpha: 1 - observed / expected disagreement; NaN where undefined.

    alpha = 1 - (n - 1) sum o_ck d²_ck / sum n_c n_k d²_ck over pairs of values c, k, where o are
    coincidences within units and n_c their marginals. Units with a single rating say nothing and
    drop out. `weights[..., u]` weighs the units: resamples cost one product.

    >>> table = [("a", "x", 1), ("a", "y", 1), ("b", "x", 2), ("b", "y", 2), ("c", "x", 1),
    ...          ("c", "y", 2)]
    >>> float(alpha(Ratings.of(table), "nominal").round(4))
    0.4444
    """
    counts, values = ratings.counts, ratings.values
    size = counts.sum(axis=1)
    pairs = counts[:, :, np.newaxis] * counts[:, np.newaxis, :]
    pairs -= counts[:, :, np.newaxis] * np.eye(len(values))
    within = np.where(
        (size >= 2)[:, np.newaxis, np.newaxis],
        pairs / np.maximum(size - 1, 1)[:, np.newaxis, np.newaxis],
        0.0,
    )
    units = np.ones(len(counts)) if weights is None else weights
    coincidences = np.tensordot(units, within, axes=1)
    marginals = coincidences.sum(axis=-1)
    total = marginals.sum(axis=-1)
    distance = _DISTANCES[scale](values, marginals)
    observed = (coincidences * distance).sum(axis=(-2, -1))
    products = marginals[..., :, np.newaxis] * marginals[..., np.newaxis, :]
    expected = (products * distance).sum(axis=(-2, -1))
    return 1 - ratio(np.asarray((total - 1) * observed), np.asarray(expected))


def _nominal(values: Array, _: Array) -> Array:
    return 1 - np.eye(len(values))


def _ordinal(_: Array, marginals: Array) -> Array:
    """Square the number of ratings between two ranks, their own counted half."""
    # The middle of each rank's ratings, were all ratings laid in a row by value.
    middle = np.cumsum(marginals, axis=-1) - marginals / 2
    return np.asarray((middle[..., :, np.newaxis] - middle[..., np.newaxis, :]) ** 2)


def _interval(values: Array, _: Array) -> Array:
    return np.asarray(np.subtract.outer(values, values) ** 2)


def _ratio(values: Array, _: Array) -> Array:
    apart = ratio(np.subtract.outer(values, values), np.add.outer(values, values))
    return np.asarray(np.nan_to_num(apart) ** 2)


_DISTANCES: Mapping[Scale, Callable[[Array, Array], Array]] = {
    "nominal": _nominal,
    "ordinal": _ordinal,
    "interval": _interval,
    "ratio": _ratio,
}
SCALES = tuple(_DISTANCES)
