"""A judge model compared with people: its errors, and its means corrected by their judgements.

A judge is cheap, so it judges all items; people judge a random sample of them. The judge's own mean
is wrong by its bias, however many items it judges. People's values of the sample correct it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from math import nan

import numpy as np

from chronoscore.statistics.intervals import Estimate
from chronoscore.statistics.ratios import Array, ratio


@dataclass(frozen=True, kw_only=True)
class Corrected(Estimate):
    """An estimate by people and a judge; it rests on labelled items, or on clusters of them."""

    error: float = nan
    """The standard error."""
    weight: float = 0.0
    """How much the judge counts: lambda, 0 for people alone."""


@dataclass(frozen=True)
class Rates:
    """The sensitivity and specificity of a judge, and the items that they are based on."""

    sensitivity: float
    specificity: float
    positives: float
    negatives: float


@dataclass(frozen=True)
class LabelledSample:
    """The values of labelled items by people and the judge, and of all others by the judge alone.

    Values of an item are means over people, and over samples of the judge. Clusters, say articles,
    are of labelled and of other items; without them items are independent.
    """

    people: Array
    judge: Array
    others: Array
    clusters: tuple[Sequence[str], Sequence[str]] = ((), ())


def confusion(people: Array, judge: Array) -> Array:
    """Count how often the judge gives c where people give r, from shares[items, values] of each.

    An item on which people, or samples of the judge, differ is split between values. Rows add up to
    how often people gave a value.
    """
    return np.asarray(people.T @ judge)


def rates(people: Array, judge: Array) -> Rates:
    """Sensitivity P(judge 1 | people 1) and specificity P(judge 0 | people 0) of values in [0, 1].

    >>> rates(np.array([1.0, 1, 0]), np.array([1.0, 0, 0]))
    Rates(sensitivity=0.5, specificity=1.0, positives=2.0, negatives=1.0)
    """
    positives, negatives = people.sum(), (1 - people).sum()
    sensitivity = ratio(np.asarray((people * judge).sum()), np.asarray(positives))
    specificity = ratio(np.asarray(((1 - people) * (1 - judge)).sum()), np.asarray(negatives))
    return Rates(float(sensitivity), float(specificity), float(positives), float(negatives))


def mean(values: Array, clusters: Sequence[str] = (), *, level: float = 0.95) -> Corrected:
    """Compute the mean with its interval, from people without a judge."""
    sample = LabelledSample(values, np.zeros(len(values)), np.empty(0), (clusters, ()))
    return ppi_mean(sample, weight=0.0, level=level)


def bias(
    people: Array, judge: Array, clusters: Sequence[str] = (), *, level: float = 0.95
) -> Corrected:
    """The mean of judge less people: above 0, the judge is more generous."""
    return mean(judge - people, clusters, level=level)


def tuned(sample: LabelledSample) -> float:
    """The weight of the judge that makes the error smallest: cov(Y, f) / ((1 + n/N) var f).

    0 uses people alone, where the judge is uninformative; 1 is plain prediction-powered inference.
    The weight is clipped to 0 and 1. *Angelopoulos, Duchi and Zrnic 2023, PPI++.*
    """
    n, unlabelled = len(sample.people), len(sample.others)
    if n < 2 or not unlabelled:
        return 0.0
    all_judged = np.concatenate([sample.judge, sample.others])
    spread = float(all_judged.var(ddof=1))
    if np.ptp(all_judged) == 0:
        return 0.0
    people, judge = (side - side.mean() for side in (sample.people, sample.judge))
    shared = float((people * judge).mean())
    return float(np.clip(shared / ((1 + n / unlabelled) * spread), 0.0, 1.0))


def ppi_mean(
    sample: LabelledSample, *, weight: float | None = None, level: float = 0.95
) -> Corrected:
    """Prediction-powered mean: λ mean(f of others) + mean(Y - λ f of labelled).

    The labelled items must be a random sample of all. The error is
    sqrt(λ² var(f of others)/N + var(Y - λ f)/n); over clusters, items of one are added up first
    (and Student's t for as many clusters as have labels stands for the normal). λ is tuned unless
    given.
    *Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023, Prediction-powered inference;
    Angelopoulos, Duchi and Zrnic 2023, PPI++: Efficient Prediction-Powered Inference.*
    """
    return _with_interval([_estimated(sample, weight)], [1.0], level)


def ppi_difference(
    first: LabelledSample, second: LabelledSample, *, level: float = 0.95
) -> Corrected:
    """The first mean less the second; clusters that both have, say articles, are paired."""
    return _with_interval([_estimated(first), _estimated(second)], [1.0, -1.0], level)


@dataclass(frozen=True)
class _Part:
    """The mean of one sample, and what each item adds to its error."""

    sample: LabelledSample
    value: float
    weight: float
    influence: Array


def _estimated(sample: LabelledSample, weight: float | None = None) -> _Part:
    n, unlabelled = len(sample.people), len(sample.others)
    used = tuned(sample) if weight is None else weight
    if not unlabelled:
        used = 0.0
    if not n:
        return _Part(sample, nan, used, np.zeros(unlabelled))
    residuals = sample.people - used * sample.judge
    mean_of_others = float(sample.others.mean()) if unlabelled else 0.0
    influence = [
        (residuals - residuals.mean()) / n,
        used * (sample.others - mean_of_others) / max(unlabelled, 1),
    ]
    value = float(residuals.mean()) + used * mean_of_others
    return _Part(sample, value, used, np.concatenate(influence))


def _with_interval(parts: Sequence[_Part], factors: Sequence[float], level: float) -> Corrected:
    from scipy.stats import norm, t  # noqa: PLC0415  # slow to import

    value = sum(f * part.value for part, f in zip(parts, factors, strict=True))
    fewest = min(len(part.sample.people) for part in parts)
    influence = np.concatenate([f * p.influence for p, f in zip(parts, factors, strict=True)])
    clustered = any(len(names) for part in parts for names in part.sample.clusters)
    reach, clusters, reason = float(norm.ppf((1 + level) / 2)), 0, ""
    if clustered:
        names = list(chain.from_iterable(chain(*part.sample.clusters) for part in parts))
        cluster_names, at = np.unique(np.array(names), return_inverse=True)
        # Labels are scarce: clusters without any add little to the error.
        clusters = len(set(chain.from_iterable(part.sample.clusters[0] for part in parts)))
        sums = np.bincount(at, influence, len(cluster_names))
        error = float(np.sqrt(clusters / max(clusters - 1, 1) * (sums**2).sum()))
        reach = float(t.ppf((1 + level) / 2, max(clusters - 1, 1)))
    else:
        error = float(np.sqrt((influence**2).sum()))
    if fewest == 0:
        reason = "nothing is labelled"
    elif fewest == 1:
        reason = "no interval: there is one labelled item"
    elif clusters == 1:
        reason = "no interval: one cluster"
    if reason:
        error = nan
    return Corrected(
        value=float(value),
        low=value - reach * error,
        high=value + reach * error,
        error=error,
        weight=parts[0].weight if len(parts) == 1 else nan,
        method="t" if clustered else "normal",
        clusters=clusters if clustered else sum(len(part.sample.people) for part in parts),
        reason=reason,
    )


def rogan_gladen(sample: LabelledSample, *, level: float = 0.95) -> Corrected:
    """Correct the share of 1 for a judge's errors: (p + sp - 1) / (se + sp - 1), cut to 0 and 1.

    p is the judge's share of 1 among others; sensitivity and specificity are those of labelled
    items. The interval is that of Lang and Reiczigel, which allows for all three being estimates;
    items are taken as independent. Undefined where the judge does no better than chance.
    *Rogan and Gladen 1978; Lang and Reiczigel 2014, Confidence limits for prevalence of disease
    adjusted for estimated sensitivity and specificity.*
    """
    n, unlabelled = len(sample.people), len(sample.others)
    error_rates = rates(sample.people, sample.judge)
    youden = error_rates.sensitivity + error_rates.specificity - 1
    reason = ""
    if not unlabelled:
        reason = "the judge judged nothing that people did not"
    elif error_rates.positives == 0 or error_rates.negatives == 0:
        which = "1" if error_rates.positives == 0 else "0"
        reason = f"no labelled item is {which}, so the judge's errors there are unknown"
    elif youden <= 1e-12:
        reason = "sensitivity + specificity is not above 1: the judge tells nothing"
    if reason:
        return Corrected(reason=reason)
    p = float(sample.others.mean())
    raw = (p + error_rates.specificity - 1) / youden
    low, high, error = _lang_reiczigel(p, error_rates, unlabelled, level)
    cut = float(np.clip(raw, 0.0, 1.0))
    reason = f"cut to {cut:g} from {raw:.3f}" if raw != cut else ""
    return Corrected(
        value=cut,
        low=low,
        high=high,
        method="normal",
        clusters=n,
        reason=reason,
        error=error,
        weight=1.0,
    )


def _lang_reiczigel(
    p: float, error_rates: Rates, unlabelled: int, level: float
) -> tuple[float, float, float]:
    from scipy.stats import norm  # noqa: PLC0415  # slow to import

    z = float(norm.ppf((1 + level) / 2))
    share = (unlabelled * p + z * z / 2) / (unlabelled + z * z)
    se = (error_rates.positives * error_rates.sensitivity + 1) / (error_rates.positives + 2)
    sp = (error_rates.negatives * error_rates.specificity + 1) / (error_rates.negatives + 2)
    youden = se + sp - 1
    if youden <= 1e-12:
        return nan, nan, nan
    middle = (share + sp - 1) / youden
    of_se, of_sp = (
        se * (1 - se) / (error_rates.positives + 2),
        sp * (1 - sp) / (error_rates.negatives + 2),
    )
    shift = 2 * z * z * (middle * of_se - (1 - middle) * of_sp)
    spread = (
        share * (1 - share) / (unlabelled + z * z) + middle**2 * of_se + (1 - middle) ** 2 * of_sp
    )
    error = float(np.sqrt(spread)) / youden
    low, high = (float(np.clip(middle + shift + side * z * error, 0.0, 1.0)) for side in (-1, 1))
    return low, high, error
