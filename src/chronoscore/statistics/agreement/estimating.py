"""Coefficients with intervals: resampled over clusters of units, all from one product."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from chronoscore.core.errors import UsageError
from chronoscore.elements.ratios import Array
from chronoscore.statistics.agreement.catalogue import Coefficient
from chronoscore.statistics.agreement.ratings import Flags, Ratings
from chronoscore.statistics.agreement.tally import Tally
from chronoscore.statistics.drawing import RESAMPLES, poisson_weights
from chronoscore.statistics.equality import rounding
from chronoscore.statistics.intervals import Bounds, effective, jackknife_t, percentile

Method = Literal["auto", "jackknife", "bootstrap"]
Missing = Literal["", "one", "undefined", "alike"]
"""Why there are no bounds: see `why_missing`."""
_CHUNK = 1024
"""Clusters whose weights are held at once; so many never have weight 0 all together."""


@dataclass(frozen=True)
class Estimate:
    """A coefficient, its interval, and of how much it speaks; NaN and a reason where undefined."""

    name: str
    value: float
    low: float
    high: float
    method: str
    units: int
    """Units that can be compared."""
    ratings: int
    """Ratings of these units."""
    raters: int
    clusters: int
    """Clusters that have such units."""
    reason: str = ""
    """Why there is no value, or no interval."""
    undefined: int = 0
    """Resamples in which the coefficient was undefined, which were left out."""
    n_eff: float = np.nan
    """How many clusters of equal size it rests on as firmly."""
    missing: Missing = ""


@dataclass(frozen=True)
class Resampled:
    """Bounds of all numbers of one tally, NaN where there are none."""

    low: Array
    high: Array
    method: str
    clusters: int
    undefined: Array
    n_eff: float
    """How many clusters of equal size the tally rests on as firmly."""
    missing: Missing


def estimates(
    ratings: Ratings,
    coefficients: Sequence[Coefficient],
    clusters: Mapping[str, str] | None = None,
    *,
    method: Method = "auto",
    level: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> list[Estimate]:
    """Compute coefficients with intervals over clusters, `clusters[unit]`, say, its article.

    As for scores, `auto` is the jackknife with Student's t, which covers more than the percentile
    bootstrap where clusters are few. All coefficients see the same resamples. No interval leaves
    the range of its coefficient.
    """
    tallies = [one.prepare(ratings) for one in coefficients]
    sampled = resampled(
        ratings, tallies, clusters, method=method, level=level, seed=seed, resamples=resamples
    )
    found = []
    for one, tally, bounds in zip(coefficients, tallies, sampled, strict=True):
        value = float(tally())
        reason = one.why_undefined(ratings) if np.isnan(value) else ""
        if not reason and bounds.missing:
            reason = f"no interval: {why_missing(bounds.missing, bounds.clusters)}"
        found.append(
            Estimate(
                name=one.name,
                value=value,
                low=np.nan if np.isnan(value) else float(bounds.low[0]),
                high=np.nan if np.isnan(value) else float(bounds.high[0]),
                method=bounds.method,
                units=int(tally.used.sum()),
                ratings=int(ratings.sizes[tally.used].sum()),
                raters=ratings.raters,
                clusters=bounds.clusters,
                reason=reason,
                undefined=int(bounds.undefined[0]),
                n_eff=bounds.n_eff,
                missing=bounds.missing,
            )
        )
    return found


def resampled(
    ratings: Ratings,
    tallies: Sequence[Tally],
    clusters: Mapping[str, str] | None = None,
    *,
    method: Method = "auto",
    level: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> list[Resampled]:
    """Bounds of tallies: statistics are added up by cluster once, then weighed all together."""
    names, cluster_at = _clusters(ratings, clusters)
    summed = [_by_cluster(tally.statistics, cluster_at, len(names)) for tally in tallies]
    compared = [np.bincount(cluster_at[tally.used], minlength=len(names)) for tally in tallies]
    jackknife = method != "bootstrap"
    sums_drawn = iter(() if jackknife else _drawn(summed, names, seed, resamples))
    found = []
    for tally, sums, sizes in zip(tallies, summed, compared, strict=True):
        own = sizes > 0
        values = tally.link(_left_out(sums, own) if jackknife else next(sums_drawn))
        columns, value = (values[:, np.newaxis] if values.ndim == 1 else values), tally()
        if jackknife:
            bounds = jackknife_t(columns, np.atleast_1d(value), level)
        else:
            bounds = percentile(columns, level)
        missing = _missing(columns, int(own.sum()), bounds, tally.range)
        # A table with gaps may have a value beyond the range of complete ones.
        low, high = (
            np.full_like(end, np.nan)
            if missing
            else np.clip(end, np.minimum(tally.range[0], value), np.maximum(tally.range[1], value))
            for end in (bounds.low, bounds.high)
        )
        found.append(
            Resampled(
                low,
                high,
                bounds.method,
                int(own.sum()),
                np.isnan(columns).sum(axis=0),
                float(effective(sizes.astype(np.float64))),
                missing,
            )
        )
    return found


def why_missing(missing: Missing, clusters: int, noun: str = "cluster") -> str:
    """Say why so many clusters, called by a noun, give no interval."""
    if missing == "one":
        return f"there is one {noun} only"
    if missing == "undefined":
        return f"without some {noun} the coefficient is undefined"
    return f"it is the same whichever of the {clusters} {noun}s are taken, so its spread is unknown"


def _missing(columns: Array, clusters: int, bounds: Bounds, ends: tuple[float, float]) -> Missing:
    """Why bounds say nothing of other clusters, if so."""
    if clusters < 2:
        return "one"
    if np.isnan(bounds.low).any():
        return "undefined"
    # A coefficient near 0 is the difference of larger numbers, and has their rounding error.
    equal = rounding(columns, np.array([[end] for end in ends if np.isfinite(end)]))
    return "alike" if (bounds.high - bounds.low <= equal).all() else ""


def _clusters(
    ratings: Ratings, clusters: Mapping[str, str] | None
) -> tuple[tuple[str, ...], np.typing.NDArray[np.int64]]:
    if clusters is None:
        return ratings.units, np.arange(len(ratings.units))
    if missing := [unit for unit in ratings.units if unit not in clusters]:
        raise UsageError(f"no cluster is given for {len(missing)} units, such as {missing[0]}")
    names = tuple(sorted({clusters[unit] for unit in ratings.units}))
    place = {name: at for at, name in enumerate(names)}
    return names, np.array([place[clusters[unit]] for unit in ratings.units], dtype=np.int64)


def _by_cluster(statistics: Array, cluster_at: np.typing.NDArray[np.int64], number: int) -> Array:
    if number == len(statistics):  # every unit is its own cluster, in whatever order
        sums = np.empty_like(statistics)
        sums[cluster_at] = statistics
        return sums
    order = np.argsort(cluster_at, kind="stable")
    starts = np.searchsorted(cluster_at[order], np.arange(number))
    return np.asarray(np.add.reduceat(statistics[order], starts, axis=0))


def _left_out(sums: Array, own: Flags) -> Array:
    """Sums without each cluster in turn that has something to compare; the others stay."""
    # Weights are 0 and 1, the rest is not raised for what is gone: alpha and ICC know sample sizes.
    # What is before and what is behind are added: taking away from the total would leave crumbs.
    kept, nothing = sums[own], np.zeros((1, sums.shape[1]))
    before = np.cumsum(np.concatenate([nothing, kept[:-1]]), axis=0)
    behind = np.cumsum(np.concatenate([nothing, kept[:0:-1]]), axis=0)[::-1]
    return np.asarray(before + behind + sums[~own].sum(axis=0))


def _drawn(
    parts: Sequence[Array], names: tuple[str, ...], seed: int, resamples: int
) -> list[Array]:
    """Weigh all statistics of all tallies in one product, chunk by chunk of clusters."""
    if not parts:
        return []
    together = np.concatenate(parts, axis=1)
    total = np.zeros((resamples, together.shape[1]))
    for chunk in np.array_split(np.arange(len(names)), max(1, len(names) // _CHUNK)):
        own = tuple(names[place] for place in chunk.tolist())
        total += poisson_weights(own, seed, resamples) @ together[chunk]
    ends = np.cumsum([part.shape[1] for part in parts])[:-1]
    return np.split(total, ends, axis=1)
