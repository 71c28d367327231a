"""Intervals of scores: jackknife with Student's t, plain or of log odds, bootstrap, and Bayes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import nan
from typing import TypedDict, Unpack

import numpy as np

from chronoscore.statistics import IntervalMethod
from chronoscore.statistics.drawing import RESAMPLES, affordable
from chronoscore.statistics.ratios import Array, ratio
from chronoscore.statistics.resampling import Sample, resampled


@dataclass(frozen=True)
class Bounds:
    """Lower and upper bounds for each score, NaN where there are none."""

    low: Array
    high: Array
    method: str
    resampled: Array = field(default_factory=lambda: np.empty((0, 0)))
    """The scores[b, m] of the resamples that the bounds rest on."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A number with its interval; NaN and a reason where there is none."""

    value: float = nan
    low: float = nan
    high: float = nan
    method: str = ""
    clusters: int = 0
    """How many independent units the interval rests on."""
    reason: str = ""
    """Why there is no value, or no interval."""
    name: str = ""
    """Of the coefficient or the rater."""


class IntervalOptions(TypedDict, total=False):
    """How intervals are computed: see `intervals` for the defaults."""

    method: IntervalMethod
    level: float
    seed: int
    resamples: int


def interval(sample: Sample, estimate: Array, **options: Unpack[IntervalOptions]) -> Bounds:
    """Compute bounds of all scores of one sample; see `intervals`."""
    return intervals([sample], [estimate], **options)[0]


def intervals(
    samples: Sequence[Sample],
    estimates: Sequence[Array],
    *,
    method: IntervalMethod = "auto",
    level: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> list[Bounds]:
    """Compute bounds of samples of the same clusters: of metrics, or of agreement.

    `auto` is the delete-one jackknife with Student's t, which needs no seed and in simulation
    covers better than the percentile bootstrap at every number of clusters (see the docs).
    """
    if method in ("auto", "jackknife", "logit"):
        all_bounds = []
        for sample, estimate in zip(samples, estimates, strict=True):
            bounds = jackknife_t(sample.left_out(), estimate, level, sample.strata, sample.sizes)
            all_bounds.append(
                logit(bounds, estimate, *sample.ranges) if method == "logit" else bounds
            )
        return all_bounds
    if method != "bootstrap":
        raise ValueError(f"no resampling makes {method} intervals")
    clusters = len(samples[0].names) if samples else 0
    if clusters < 2:  # every resample would be the same
        nothing = [np.full_like(estimate, np.nan) for estimate in estimates]
        return [Bounds(none, none, "bootstrap", none[np.newaxis]) for none in nothing]
    drawn = resampled(samples, seed, affordable(clusters, resamples))
    return [percentile(scores, level) for scores in drawn]


def jackknife_t(
    left_out: Array,
    estimate: Array,
    level: float,
    strata: Sequence[str] = (),
    sizes: Array | None = None,
) -> Bounds:
    """estimate ± t · sqrt((n-1)/n · Σ (θ_i − mean θ)²), θ_i without cluster i.

    *Tukey 1958; Efron and Stein 1981.* Student's t has n - 1 degrees of freedom if clusters weigh
    alike (n - H in H strata). Where some weigh more than others they decide the score, and the
    degrees are fewer: (n - H)/n · (Σ w²)² / Σ w⁴ with their sizes w, at least 1 (*after
    Satterthwaite 1946*). Undefined where no stratum has two clusters.
    """
    from scipy.special import stdtrit  # noqa: PLC0415  # slow to import

    of_row = np.array(strata)
    stratum_names = sorted(set(strata)) if len(set(strata)) > 1 else ()
    spread, freedom = np.zeros_like(estimate), 0.0
    for part in (
        (left_out[of_row == name] for name in stratum_names) if stratum_names else (left_out,)
    ):
        n = len(part)
        spread += ((part - part.mean(axis=0)) ** 2).sum(axis=0) * (n - 1) / n
        freedom += n - 1
    if freedom < 1:
        nothing = np.full_like(estimate, np.nan)
        return Bounds(nothing, nothing, "jackknife-t", left_out)
    degrees = np.asarray(freedom)
    if sizes is not None and sizes.any():
        effective_units = (sizes**2).sum(axis=0) ** 2 / (sizes**4).sum(axis=0)
        degrees = np.maximum(1.0, freedom / len(left_out) * effective_units)
    reach = np.asarray(stdtrit(degrees, (1 + level) / 2)) * np.sqrt(spread)
    return Bounds(estimate - reach, estimate + reach, "jackknife-t", left_out)


def logit(bounds: Bounds, estimate: Array, least: Array, most: Array) -> Bounds:
    """Transform a symmetric interval to the scale of log odds, where scores have no bounds.

    With θ the score as a share of its range and r the reach of the interval:
    logit θ ± r / (θ (1 - θ)), by the delta method. The bounds stay within the range, and are
    farther from the score on the side where there is more room. Undefined where the score is at an
    end of its range, or the range has no end.
    """
    with np.errstate(all="ignore"):
        share = (estimate - least) / (most - least)
        middle = np.log(share) - np.log1p(-share)
        reach = (bounds.high - bounds.low) / 2 / (most - least) / (share * (1 - share))
        low, high = (
            least + (most - least) / (1 + np.exp(-middle - side * reach)) for side in (-1, 1)
        )
    defined = np.isfinite(middle)
    low, high = (np.where(defined, end, np.nan) for end in (low, high))
    return Bounds(low, high, "jackknife-logit", bounds.resampled)


def effective(sizes: Array) -> Array:
    """Compute how many units of equal size would be as informative: (Σ w)² / Σ w².

    The first axis is that of the units; NaN where nothing weighs anything. *Kish 1965, Survey
    Sampling.*

    >>> float(effective(np.array([1.0, 1.0, 1.0]))), float(effective(np.array([8.0, 1.0, 1.0])))
    (3.0, 1.5151515151515151)
    >>> round(float(effective(np.array([8e200, 1e200, 1e200]))), 9)
    1.515151515
    """
    # Squares of huge sizes overflow; division by a power of two changes no digit.
    _, exponent = np.frexp(np.abs(sizes).max(axis=0, initial=0.0))
    scaled = np.ldexp(sizes, -exponent)
    return ratio(np.asarray(scaled.sum(axis=0) ** 2), np.asarray((scaled**2).sum(axis=0)))


def percentile(resampled: Array, level: float) -> Bounds:
    """The middle `level` of the resampled scores; those that are undefined are left out."""
    tail = (1 - level) / 2
    low, high = np.full((2, resampled.shape[-1]), np.nan)
    for column, values in enumerate(resampled.T):
        defined = values[~np.isnan(values)]
        if len(defined):
            with np.errstate(all="ignore"):
                low[column], high[column] = np.quantile(defined, [tail, 1 - tail])
    return Bounds(low, high, "bootstrap", resampled)


def bayes_share(hits: float, total: float, level: float, prior: float = 0.5) -> Array:
    """Credible bounds [low, high] of a share of whole counts, such as precision or recall.

    The posterior is Beta(hits + λ, total - hits + λ), λ = 1/2 (Goutte and Gaussier 2005).

    >>> bayes_share(8, 10, 0.95).round(3).tolist()
    [0.497, 0.956]
    """
    from scipy.stats import beta  # noqa: PLC0415  # slow to import

    tails = [(1 - level) / 2, (1 + level) / 2]
    return np.array(beta.ppf(tails, hits + prior, total - hits + prior))


def bayes(hits: float, predicted: float, gold: float, level: float, prior: float = 0.5) -> Array:
    """Credible bounds [low, high] of precision, recall and F1 from counts (3 x 2).

    P ~ Beta(TP + λ, FP + λ), R ~ Beta(TP + λ, FN + λ), and F1 = U/(U + V) with U ~ Γ(TP + λ, 2h)
    and V ~ Γ(FP + FN + 2λ, h), so that F1 = 2x/(1 + x) with x ~ Beta(TP + λ, FP + FN + 2λ). λ is
    1/2, Jeffreys' prior. *Goutte and Gaussier 2005, A Probabilistic Interpretation of Precision,
    Recall and F-Score.*

    >>> bayes(8, 10, 12, 0.95).round(3).tolist()
    [[0.497, 0.956], [0.388, 0.875], [0.469, 0.876]]
    """
    from scipy.stats import beta  # noqa: PLC0415  # slow to import

    false_positive, false_negative = predicted - hits, gold - hits
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    precision, recall = (bayes_share(hits, total, level, prior) for total in (predicted, gold))
    x = beta.ppf(tails, hits + prior, false_positive + false_negative + 2 * prior)
    return np.array([precision, recall, 2 * x / (1 + x)])
