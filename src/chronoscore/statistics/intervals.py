"""How sure a score is: jackknife with Student's t, plain or of log odds, bootstrap, and Bayes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from chronoscore.core.signature import IntervalMethod
from chronoscore.elements.ratios import Array, ratio
from chronoscore.statistics.drawing import affordable, counts, multinomial_weights
from chronoscore.statistics.resampling import Resampler, drawn

Draw = Literal["poisson", "multinomial"]


@dataclass(frozen=True)
class Bounds:
    """Lower and upper bounds for each score, NaN where there are none."""

    low: Array
    high: Array
    method: str


def interval(
    sample: Resampler,
    estimate: Array,
    *,
    method: IntervalMethod = "auto",
    level: float = 0.95,
    seed: int = 0,
    draw: Draw = "poisson",
) -> Bounds:
    """Bounds of all scores of a metric from its rows alone.

    `auto` is the delete-one jackknife with Student's t, which needs no seed and in simulation
    covers better than the percentile bootstrap at every number of clusters (see the docs).
    """
    if method in ("auto", "jackknife", "logit"):
        bounds = jackknife_t(sample.left_out(), estimate, level, sample.strata, sample.sizes)
        return logit(bounds, estimate, *sample.ranges) if method == "logit" else bounds
    if method != "bootstrap":
        raise ValueError(f"no resampling makes {method} intervals")
    strata, draws = sample.strata, affordable(len(sample.names))
    if len(sample.names) < 2:  # whatever is drawn, it is always the same
        nothing = np.full_like(estimate, np.nan)
        return Bounds(nothing, nothing, "bootstrap")
    if draw == "poisson" and len(set(strata)) < 2:
        scores = drawn([sample], lambda own: counts(own, seed, draws))[0]
    else:  # within strata the numbers drawn are fixed
        blocks = multinomial_weights(strata or ("",) * len(sample.names), seed, draws)
        scores = np.concatenate([sample.scores(weights) for weights in blocks])
    return percentile(scores, level)


def jackknife_t(
    left_out: Array,
    estimate: Array,
    level: float,
    strata: Sequence[str] = (),
    sizes: Array | None = None,
) -> Bounds:
    """estimate ± t · sqrt((n-1)/n · Σ (θ_i − mean θ)²), θ_i without cluster i.

    *Tukey 1958; Efron and Stein 1981.* Student's t has n - 1 degrees of freedom if clusters weigh
    alike (n - H in H strata). Where some weigh more than others they decide the score, and fewer
    are left: (n - H)/n · (Σ w²)² / Σ w⁴ with their sizes w, at least 1 (*after Satterthwaite
    1946*). Undefined where no stratum has two clusters.
    """
    from scipy.special import stdtrit  # noqa: PLC0415  # slow to import

    of_row = np.array(strata)
    several = sorted(set(strata)) if len(set(strata)) > 1 else ()
    spread, freedom = np.zeros_like(estimate), 0.0
    for part in (left_out[of_row == name] for name in several) if several else (left_out,):
        n = len(part)
        spread += ((part - part.mean(axis=0)) ** 2).sum(axis=0) * (n - 1) / n
        freedom += n - 1
    if freedom < 1:
        nothing = np.full_like(estimate, np.nan)
        return Bounds(nothing, nothing, "jackknife-t")
    degrees = np.asarray(freedom)
    if sizes is not None and sizes.any():
        alike = (sizes**2).sum(axis=0) ** 2 / (sizes**4).sum(axis=0)
        degrees = np.maximum(1.0, freedom / len(left_out) * alike)
    reach = np.asarray(stdtrit(degrees, (1 + level) / 2)) * np.sqrt(spread)
    return Bounds(estimate - reach, estimate + reach, "jackknife-t")


def logit(bounds: Bounds, estimate: Array, least: Array, most: Array) -> Bounds:
    """Carry a symmetric interval over to the scale of log odds, where scores have no end.

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
    return Bounds(low, high, "jackknife-logit")


def effective(sizes: Array) -> Array:
    """How many units of equal size an average rests on as firmly: (Σ w)² / Σ w².

    The first axis is that of the units; NaN where nothing weighs anything. *Kish 1965, Survey
    Sampling.*

    >>> float(effective(np.array([1.0, 1.0, 1.0]))), float(effective(np.array([8.0, 1.0, 1.0])))
    (3.0, 1.5151515151515151)
    """
    return ratio(np.asarray(sizes.sum(axis=0) ** 2), np.asarray((sizes**2).sum(axis=0)))


def percentile(resampled: Array, level: float) -> Bounds:
    """The middle `level` of the resampled scores; those that are undefined are left out."""
    tail = (1 - level) / 2
    with np.errstate(all="ignore"):
        defined = ~np.isnan(resampled)
        low = np.full(resampled.shape[-1], np.nan)
        high = low.copy()
        for column in range(resampled.shape[-1]):
            values = resampled[defined[:, column], column]
            if len(values):
                low[column], high[column] = np.quantile(values, [tail, 1 - tail])
    return Bounds(low, high, "bootstrap")


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


def probability_better(
    one: tuple[float, float, float],
    two: tuple[float, float, float],
    *,
    seed: int = 0,
    draws: int = 100_000,
    prior: float = 0.5,
) -> float:
    """The posterior probability that the first F1 is higher: counts are (hits, predicted, gold)."""
    generator = np.random.Generator(np.random.Philox(key=seed))
    drawn = []
    for hits, predicted, gold in (one, two):
        x = generator.beta(hits + prior, predicted + gold - 2 * hits + 2 * prior, size=draws)
        drawn.append(2 * x / (1 + x))
    return float((drawn[0] > drawn[1]).mean() + (drawn[0] == drawn[1]).mean() / 2)
