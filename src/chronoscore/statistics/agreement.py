"""Agreement between raters: a long table in, coefficients with intervals out.

Input is a long table of (unit, rater, value), which can't be transposed by mistake. Every
coefficient is `link(W @ statistics)` of its units, so that intervals cost one product. Missing
ratings are treated as in *Gwet 2014, Handbook of Inter-Rater Reliability, 4th edition*.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from math import inf, isnan, nan
from typing import Literal, Unpack, get_args

import numpy as np

from chronoscore.errors import UsageError
from chronoscore.statistics.exact import decimals, rounding
from chronoscore.statistics.intervals import Bounds, Estimate, IntervalOptions, effective, intervals
from chronoscore.statistics.labels import Labels, grouped
from chronoscore.statistics.ratings import (
    Flags,
    Places,
    Ratings,
    Tally,
    Weighting,
    mean_of_sums,
    nearness,
    stacked,
)
from chronoscore.statistics.ratios import Array, ratio

# Agreement beyond chance: (pa - pe) / (1 - pe) with one pa and five definitions of pe. pa is the
# mean, over units with two ratings or more, of the share of pairs of ratings that agree, near
# misses weighted by a weighting.


def percent_agreement(ratings: Ratings, weighting: Weighting = "identity") -> Tally:
    """Share of pairs within a unit that agree, mean over units: pa.

    >>> table = [("a", "x", 1), ("a", "y", 1), ("b", "x", 2), ("b", "y", 1), ("c", "x", 1)]
    >>> float(percent_agreement(Ratings.of(table))())
    0.5
    """
    agreed = _agreed(ratings, nearness(weighting, ratings.values))
    return Tally.mean(ratings, agreed, ratings.paired, (0.0, 1.0))


def kappa(ratings: Ratings, weighting: Weighting = "identity") -> Tally:
    """Cohen's kappa: pe = mean over pairs of raters of Σ w_kl p_k q_l.

    p and q are the two raters' shares of the categories, in units with two ratings or more. With
    two raters that is *Cohen 1960, A Coefficient of Agreement for Nominal Scales* and, weighted,
    *Cohen 1968*; with more it is *Conger 1980, Integration and Generalization of Kappas*.
    """
    near, raters, categories = nearness(weighting, ratings.values), ratings.raters, ratings.values
    chosen = np.zeros((len(ratings.units), raters * len(categories)))
    chosen[ratings.unit_at, ratings.rater_at * len(categories) + ratings.value_at] = 1
    chosen[~ratings.paired] = 0

    def chance(sums: Array) -> Array:
        table = sums.reshape(*sums.shape[:-1], raters, len(categories))
        rated = table.sum(axis=-1, keepdims=True)
        shares = table / np.maximum(rated, np.finfo(float).tiny)
        number = (rated[..., 0] > 0).sum(axis=-1).astype(np.float64)
        # All ordered pairs of raters, less those of a rater with the same rater.
        pairs = _form(shares.sum(axis=-2), near) - _form(shares, near).sum(axis=-1)
        return ratio(pairs, number * (number - 1))

    return _beyond_chance(ratings, near, [chosen], chance)


def scott_pi(ratings: Ratings, weighting: Weighting = "identity") -> Tally:
    """Scott's pi of two raters: pe = Σ w_kl π_k π_l, π their mean shares in the units they share.

    *Scott 1955, Reliability of Content Analysis.*
    """
    near = nearness(weighting, ratings.values)
    if ratings.raters != 2:
        return Tally.undefined(ratings)
    shares = _shares(ratings) * ratings.paired[:, np.newaxis]
    return _beyond_chance(
        ratings, near, [ratings.paired, shares], lambda sums: _form(_pi(sums), near)
    )


def fleiss_kappa(ratings: Ratings, weighting: Weighting = "identity") -> Tally:
    """Fleiss' kappa: pe = Σ w_kl π_k π_l, π the mean over all rated units of their shares.

    *Fleiss 1971, Measuring Nominal Scale Agreement Among Many Raters.*
    """
    near = nearness(weighting, ratings.values)
    statistics = (ratings.sizes > 0, _shares(ratings))
    return _beyond_chance(ratings, near, statistics, lambda sums: _form(_pi(sums), near))


def gwet(ratings: Ratings, weighting: Weighting = "identity") -> Tally:
    """Gwet's AC1, and AC2 if weighted: pe = Σ w / (K (K - 1)) · Σ π_k (1 - π_k), π as in Fleiss.

    K counts the declared categories, used or not. *Gwet 2008, Computing Inter-Rater Reliability
    and Its Variance in the Presence of High Agreement.*

    >>> same = [("a", "x", 1), ("a", "y", 1)]
    >>> float(gwet(Ratings.of(same))()), float(gwet(Ratings.of(same, categories=[0, 1]))())
    (nan, 1.0)
    """
    near = nearness(weighting, ratings.values)
    spread, statistics = _spread(near), (ratings.sizes > 0, _shares(ratings))

    def chance(sums: Array) -> Array:
        pi = _pi(sums)
        return np.asarray(spread * (pi * (1 - pi)).sum(axis=-1))

    return _beyond_chance(ratings, near, statistics, chance, _even_range(near))


def brennan_prediger(ratings: Ratings, weighting: Weighting = "identity") -> Tally:
    """Brennan and Prediger's kappa: all categories are as likely, pe = Σ w / K².

    *Brennan and Prediger 1981, Coefficient Kappa: Some Uses, Misuses, and Alternatives.*
    """
    near = nearness(weighting, ratings.values)
    chance = np.asarray(near.sum() / max(len(near), 1) ** 2)
    return _beyond_chance(ratings, near, [], lambda _: chance, _even_range(near))


def gwet_error(ratings: Ratings, weighting: Weighting = "identity") -> float:
    """Gwet's analytic standard error of AC1 or AC2, units drawn at random and one by one.

    It ignores clusters, so it checks the resampled interval and doesn't replace it. *Gwet 2008;
    2014, section 5.3.*
    """
    rated, paired = ratings.sizes > 0, ratings.paired
    n, paired_units = int(rated.sum()), int(paired.sum())
    if n < 2 or not paired_units or len(ratings.values) < 2:
        return nan
    near = nearness(weighting, ratings.values)
    spread = _spread(near)
    shares = _shares(ratings)[rated]
    pi = shares.mean(axis=0)
    chance = spread * (pi * (1 - pi)).sum()
    value = float(gwet(ratings, weighting)())
    agreed = (_agreed(ratings, near) - chance * paired)[rated]
    of_unit = (n / paired_units) * agreed / (1 - chance)
    of_unit -= 2 * (1 - value) * (spread * (shares @ (1 - pi)) - chance) / (1 - chance)
    return float(np.sqrt(((of_unit - value) ** 2).sum() / (n * (n - 1))))


def _beyond_chance(
    ratings: Ratings,
    near: Array,
    statistics: Sequence[Array | Flags],
    chance: Callable[[Array], Array],
    ends: tuple[float, float] = (-1.0, 1.0),
) -> Tally:
    """(pa - pe) / (1 - pe), where pe follows from the sums of further statistics.

    Where chance is that of the raters' own shares, disagreement is at most twice that of chance,
    and -1 is the lowest value.
    """

    def link(sums: Array) -> Array:
        expected = chance(sums[..., 2:])
        return ratio(mean_of_sums(sums) - expected, np.asarray(1 - expected))

    columns = [_agreed(ratings, near), ratings.paired, *statistics]
    return Tally(ratings, stacked(columns), link, ratings.paired, ends)


def _even_range(near: Array) -> tuple[float, float]:
    """The range where chance is at most that of even shares of the categories, Σ w / K²."""
    chance = float(near.mean()) if near.size else 1.0
    return (-chance / (1 - chance) if chance < 1 else -1.0, 1.0)


def _spread(near: Array) -> float:
    """Σ w / (K (K - 1))."""
    categories = len(near)
    return float(near.sum() / (categories * (categories - 1))) if categories > 1 else nan


def _agreed(ratings: Ratings, near: Array) -> Array:
    """The share of each unit's pairs that agree; 0 where there are none."""
    counts, sizes = ratings.counts, ratings.sizes
    pairs = (counts * (counts @ near - 1)).sum(axis=1)
    return np.asarray(pairs * ratings.paired / np.maximum(sizes * (sizes - 1), 1))


def _shares(ratings: Ratings) -> Array:
    """The share of each category among a unit's ratings."""
    return ratings.counts / np.maximum(ratings.sizes, 1)[:, np.newaxis]


def _pi(sums: Array) -> Array:
    return ratio(sums[..., 1:], sums[..., :1])


def _form(shares: Array, near: Array) -> Array:
    """Σ w_kl π_k π_l."""
    return np.asarray(((shares @ near) * shares).sum(axis=-1))


# Krippendorff's alpha, for any number of raters, missing ratings and four scales.


Scale = Literal["nominal", "ordinal", "interval", "ratio"]
SCALES: tuple[Scale, ...] = get_args(Scale)
_ROUNDING = 1e-13
"""A sum of squares that is smaller than this share of what it was taken from is 0."""


def alpha(ratings: Ratings, scale: Scale) -> Tally:
    """Krippendorff's alpha: 1 - observed / expected disagreement; NaN where undefined.

    alpha = 1 - (n - 1) sum o_ck d²_ck / sum n_c n_k d²_ck over pairs of values c, k, where o are
    coincidences within units and n_c their marginals. Units with a single rating drop out.
    Disagreement within units is less than twice that of all ratings, on each of the scales.

    >>> table = [("a", "x", 1), ("a", "y", 1), ("b", "x", 2), ("b", "y", 2), ("c", "x", 1),
    ...          ("c", "y", 2)]
    >>> float(alpha(Ratings.of(table), "nominal")().round(4))
    0.4444
    """
    values = ratings.values
    if scale == "ordinal":
        return _ordinal(ratings)
    if scale == "interval":
        return _interval(ratings)
    if scale == "nominal":
        return _with_distances(ratings, 1 - np.eye(len(values)))
    if (values < 0).any():
        return Tally.undefined(ratings)
    # d = (c - k) / (c + k), for values that are not negative.
    distances = ratio(np.subtract.outer(values, values), np.add.outer(values, values))
    return _with_distances(ratings, np.asarray(np.nan_to_num(distances) ** 2))


def _alpha(number: Array, observed: Array, expected: Array) -> Array:
    return 1 - ratio(np.asarray((number - 1) * observed), np.asarray(expected))


def _paired_counts(ratings: Ratings) -> tuple[Array, Array]:
    """Return the counts of units with two ratings or more, and the divisors of their pairs."""
    counts = ratings.counts * ratings.paired[:, np.newaxis]
    return counts, np.maximum(ratings.sizes - 1, 1)


def _with_distances(ratings: Ratings, distances: Array) -> Tally:
    """Alpha where the distances of categories are known beforehand."""
    counts, divisors = _paired_counts(ratings)
    observed = ((counts @ distances) * counts).sum(axis=1) / divisors

    def link(sums: Array) -> Array:
        marginals = sums[..., 1:]
        expected = ((marginals @ distances) * marginals).sum(axis=-1)
        return _alpha(marginals.sum(axis=-1), sums[..., 0], expected)

    return Tally(ratings, stacked([observed, counts]), link, ratings.paired)


def _ordinal(ratings: Ratings) -> Tally:
    """d is the number of ratings between two ranks, those of the two ranks counted half."""
    counts, divisors = _paired_counts(ratings)
    lower, upper = np.triu_indices(len(ratings.values), 1)
    coincidences = counts[:, lower] * counts[:, upper] / divisors[:, np.newaxis]
    pairs = len(lower)

    def link(sums: Array) -> Array:
        marginals = sums[..., pairs:]
        number = marginals.sum(axis=-1)
        # The middle of each rank's ratings, were all ratings laid in a row by value; the mean of
        # these middles is n / 2.
        middle = np.cumsum(marginals, axis=-1) - marginals / 2
        distances = (middle[..., lower] - middle[..., upper]) ** 2
        observed = 2 * (sums[..., :pairs] * distances).sum(axis=-1)
        spread = (middle - number[..., np.newaxis] / 2) ** 2
        expected = 2 * number * (marginals * spread).sum(axis=-1)
        return _alpha(number, observed, expected)

    return Tally(ratings, stacked([coincidences, counts]), link, ratings.paired)


def _interval(ratings: Ratings) -> Tally:
    """d = c - k: sums of squares are enough, however many values there are."""
    paired, sizes = ratings.paired, ratings.sizes
    within = ratings.sums(ratings.deviations**2) * paired
    observed = 2 * sizes * within / np.maximum(sizes - 1, 1)
    moments = [sizes * paired] + [ratings.sums(ratings.centred**power) * paired for power in (1, 2)]

    def link(sums: Array) -> Array:
        number, first, second = sums[..., 1], sums[..., 2], sums[..., 3]
        spread = number * second - first**2
        expected = 2 * np.where(spread > _ROUNDING * number * second, spread, 0)
        return _alpha(number, sums[..., 0], expected)

    return Tally(ratings, stacked([observed, *moments]), link, paired)


# Intraclass correlations: which part of the variance of ratings is that between units.


Model = Literal["1,1", "2,1", "3,1", "1,k", "2,k", "3,k"]
MODELS: tuple[Model, ...] = get_args(Model)


def icc(ratings: Ratings, model: Model = "2,1") -> Tally:
    """ICC of Shrout and Fleiss, from mean squares: of units R, raters C, error E, within units W.

    - (1,1): (R - W) / (R + (k-1) W), each unit has raters of its own
    - (2,1): (R - E) / (R + (k-1) E + k (C - E) / n), raters are a sample of all raters
    - (3,1): (R - E) / (R + (k-1) E), these raters and no others; severity is forgiven
    - (1,k), (2,k), (3,k): the same for the mean of k raters

    Only units that all k raters rated count; where there are few, use alpha. One rating correlates
    by -1 / (k - 1) at least; the mean of k raters has no lowest value. In few units the estimates
    (2,1) and (2,k) can leave that range, if raters differ less than error alone explains (C < E).

    >>> table = [("a", "x", 3.9), ("a", "y", 3.3), ("b", "x", 3.7), ("b", "y", 4.2)]
    >>> [float(icc(Ratings.of(table), model)().round(2)) for model in ("2,1", "2,k")]
    [-1.44, 6.55]
    """
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
        return _icc_value(_mean_squares(sums, raters), sums[..., 0], raters, model)

    lowest = -1 / (raters - 1) if raters > 1 and model[2] == "1" else -inf
    return Tally(ratings, stacked(statistics), link, complete, (lowest, 1.0))


def icc_interval(
    ratings: Ratings, model: Model = "2,1", level: float = 0.95
) -> tuple[float, float]:
    """Bounds from F distributions, for units drawn one by one and normal errors; NaN if undefined.

    Those of (2,1) and (2,k) are Satterthwaite's approximation.
    """
    from scipy.stats import f  # noqa: PLC0415  # slow to import

    sums = icc(ratings, model).statistics.sum(axis=0)
    n, k = float(sums[0]), ratings.raters
    if n < 2 or k < 2:
        return nan, nan
    of_units, of_raters, error, within = _mean_squares(sums, k)
    freedom = (n if model[0] == "1" else n - 1) * (k - 1)
    if model[0] == "2":
        single = float(_icc_value((of_units, of_raters, error, within), sums[0], k, "2,1"))
        if isnan(single):
            return nan, nan
        # The freedom of k C / n + (k n - k - n) E / n, with C/E multiplied out.
        by_raters = k * single * of_raters
        by_error = (n * (1 + (k - 1) * single) - k * single) * error
        spread = by_raters**2 / (k - 1) + by_error**2 / ((n - 1) * (k - 1))
        if not spread:  # no variance but that between units
            return 1.0, 1.0
        freedom = float((by_raters + by_error) ** 2 / spread)
    upper = (1 + level) / 2
    # The bounds are the coefficients of units that vary less, or more, by a quantile of F.
    low, high = (
        float(_icc_value((of_units * factor, of_raters, error, within), sums[0], k, model))
        for factor in (1 / f.ppf(upper, n - 1, freedom), f.ppf(upper, freedom, n - 1))
    )
    return low, high


def _mean_squares(sums: Array, k: int) -> tuple[Array, Array, Array, Array]:
    """Mean squares of units, of raters, of error, and within units."""
    n, first, second, within = (sums[..., place] for place in range(4))
    between = n * second - first**2
    between = k * ratio(np.where(between > _ROUNDING * n * second, between, 0), n)
    of_raters = ratio((sums[..., 4:] ** 2).sum(axis=-1), n)
    # A rest within rounding is 0, also where all ratings of a unit are the same.
    error = within - of_raters
    error = np.where(error > _ROUNDING * within, error, 0)
    other_raters = np.asarray(max(k - 1, 1), dtype=np.float64)
    return (
        ratio(between, np.maximum(n - 1, 0)),
        of_raters / other_raters,
        ratio(error, np.maximum(n - 1, 0) * other_raters),
        ratio(within, n * other_raters),
    )


def _icc_value(squares: tuple[Array, Array, Array, Array], n: Array, k: int, model: Model) -> Array:
    of_units, of_raters, error, within = squares
    mean = model[2] == "k"
    residual = within if model[0] == "1" else error
    denominator = of_units if mean else of_units + (k - 1) * residual
    if model[0] == "2":
        denominator = denominator + ratio(of_raters - error, n) * (1 if mean else k)
    return ratio(np.asarray(of_units - residual), np.asarray(denominator))


# The coefficients by name: what each is for, what it means, and who proposed it.


@dataclass(frozen=True)
class AgreementCoefficient:
    """A coefficient of agreement: call it on ratings, and on weights of units if there are any."""

    name: str
    prepare: Callable[[Ratings], Tally]
    scales: tuple[Scale, ...]
    """The scales that it suits."""
    meaning: str
    citation: str
    reason: Callable[[Ratings], str] = Ratings.why_undefined

    def __call__(self, ratings: Ratings, weights: Array | None = None) -> Array:
        """Compute under `weights[..., u]`, by default all 1; NaN where undefined."""
        return self.prepare(ratings)(weights)

    def why_undefined(self, ratings: Ratings) -> str:
        """Say in words why there is no value, or nothing if there is one."""
        if not isnan(self(ratings)):
            return ""
        return self.reason(ratings) or "0/0: by chance alone agreement would be complete"


def coefficient(name: str) -> AgreementCoefficient:
    """Look up a coefficient by its name."""
    if name not in COEFFICIENTS:
        raise UsageError(f"no coefficient {name}: there are {'; '.join(COEFFICIENTS)}")
    return COEFFICIENTS[name]


def defaults(scale: Scale) -> tuple[AgreementCoefficient, ...]:
    """Return the coefficients to show for a scale, the plainest first.

    >>> [coefficient.name for coefficient in defaults("ordinal")]
    ['percent', 'kappa quadratic', 'AC2 quadratic', 'alpha ordinal']
    """
    return tuple(COEFFICIENTS[name] for name in _DEFAULTS[scale])


_DEFAULTS: Mapping[Scale, tuple[str, ...]] = {
    "nominal": ("percent", "AC1", "alpha nominal", "kappa"),
    "ordinal": ("percent", "kappa quadratic", "AC2 quadratic", "alpha ordinal"),
    "interval": ("ICC(2,1)", "alpha interval"),
    "ratio": ("ICC(2,1)", "alpha ratio"),
}


def _unpaired(ratings: Ratings) -> str:
    return "" if ratings.paired.any() else "no unit has two ratings"


def _no_variation(ratings: Ratings) -> str:
    """Say why a coefficient is undefined if its marginals are those of all units."""
    varied = len(np.unique(ratings.value_at)) > 1
    return _unpaired(ratings) or ("" if varied else "no variation: all ratings are the same")


def _one_category(ratings: Ratings) -> str:
    reason = "no variation: all ratings are the same, and no other category was declared"
    return _unpaired(ratings) or ("" if len(ratings.values) > 1 else reason)


def _not_two(ratings: Ratings) -> str:
    if ratings.raters != 2:
        return f"Scott's pi is of two raters, here are {ratings.raters}: use Fleiss' kappa"
    return ratings.why_undefined()


def _negative(ratings: Ratings) -> str:
    negative = (ratings.values < 0).any()
    return "a ratio scale has no values below 0" if negative else ratings.why_undefined()


def _incomplete(ratings: Ratings) -> str:
    complete = int(ratings.complete.sum())
    reason = "no variation between the units that every rater rated"
    if complete < 2:
        reason = f"ICC needs two units that all {ratings.raters} raters rated, here are {complete}"
    return _unpaired(ratings) or reason


def _plain_and_weighted(
    name: str,
    prepare: Callable[..., Tally],
    meaning: str,
    citations: tuple[str, str],
    reason: Callable[[Ratings], str] = Ratings.why_undefined,
    *,
    weighted: str = "",
) -> list[AgreementCoefficient]:
    """One coefficient, plain and under three weightings, where it may have another name."""
    plain = AgreementCoefficient(name, prepare, ("nominal",), meaning, citations[0], reason)
    return [plain] + [
        AgreementCoefficient(
            f"{weighted or name} {weighting}",
            partial(prepare, weighting=weighting),
            ("ordinal", "interval", "ratio"),
            f"{meaning}; near misses count in part ({weighting} weights)",
            citations[1],
            reason,
        )
        for weighting in ("linear", "quadratic", "ordinal")
    ]


def _alpha_of(
    scale: Scale, meaning: str, reason: Callable[[Ratings], str] = Ratings.why_undefined
) -> AgreementCoefficient:
    meaning = f"1 - observed / expected disagreement; values are {meaning}"
    prepare = partial(alpha, scale=scale)
    return AgreementCoefficient(
        f"alpha {scale}", prepare, (scale,), meaning, "Krippendorff 2011", reason
    )


def _icc_of(model: Model, meaning: str) -> AgreementCoefficient:
    name, prepare, citation = f"ICC({model})", partial(icc, model=model), "Shrout and Fleiss 1979"
    return AgreementCoefficient(
        name, prepare, ("interval", "ratio"), meaning, citation, _incomplete
    )


_ALL: list[AgreementCoefficient] = [
    AgreementCoefficient(
        "percent",
        percent_agreement,
        ("nominal", "ordinal"),
        "share of pairs of ratings of a unit that are equal, mean over units",
        "Gwet 2014",
        _unpaired,
    ),
    *_plain_and_weighted(
        "kappa",
        kappa,
        "agreement beyond that of raters who keep their own shares of categories",
        (
            "Cohen 1960; for more than two raters Conger 1980",
            "Cohen 1968; for more than two raters Conger 1980",
        ),
    ),
    AgreementCoefficient(
        "pi",
        scott_pi,
        ("nominal",),
        "agreement of two raters beyond that of raters who share one distribution",
        "Scott 1955",
        _not_two,
    ),
    *_plain_and_weighted(
        "fleiss",
        fleiss_kappa,
        "agreement beyond that of raters who share one distribution",
        ("Fleiss 1971", "Gwet 2014"),
        _no_variation,
    ),
    *_plain_and_weighted(
        "AC1",
        gwet,
        "agreement beyond that of raters who guess in hard units only; firm where one category"
        " prevails",
        ("Gwet 2008", "Gwet 2014"),
        _one_category,
        weighted="AC2",
    ),
    *_plain_and_weighted(
        "brennan-prediger",
        brennan_prediger,
        "agreement beyond that of raters who draw from all categories alike",
        ("Brennan and Prediger 1981", "Gwet 2014"),
        _one_category,
    ),
    _alpha_of("nominal", "the same or not"),
    _alpha_of("ordinal", "as far apart as ratings lie between"),
    _alpha_of("interval", "as far apart as their difference"),
    _alpha_of("ratio", "as far apart as their difference to their sum", _negative),
    _icc_of("1,1", "one rating, where each unit has raters of its own"),
    _icc_of("2,1", "one rating of a rater like these, severity counted as error"),
    _icc_of("3,1", "one rating of exactly these raters, differences in severity not counted"),
    _icc_of("1,k", "the mean of the raters, where each unit has raters of its own"),
    _icc_of("2,k", "the mean of as many raters like these, severity counted as error"),
    _icc_of("3,k", "the mean of exactly these raters, differences in severity not counted"),
]
COEFFICIENTS: Mapping[str, AgreementCoefficient] = {entry.name: entry for entry in _ALL}


# Coefficients with intervals: resampled over clusters of units, all from one product.


@dataclass(frozen=True, kw_only=True)
class AgreementEstimate(Estimate):
    """An estimate, and how much data it is based on; its clusters have units to compare."""

    units: int
    """Units that can be compared."""
    ratings: int
    """Ratings of these units."""
    raters: int
    undefined: int
    """Resamples in which the number was undefined, which were left out."""
    n_eff: float
    """How many clusters of equal size it rests on as firmly."""
    missing: str
    """Why it has no interval; `{unit}` stands for what the user calls a cluster."""


def estimates(
    ratings: Ratings,
    coefficients: Sequence[AgreementCoefficient],
    clusters: Mapping[str, str] | None = None,
    **options: Unpack[IntervalOptions],
) -> list[AgreementEstimate]:
    """Compute coefficients with intervals over clusters, `clusters[unit]`, say, its article.

    As for scores, `auto` is the jackknife with Student's t, which covers more than the percentile
    bootstrap where clusters are few. All coefficients see the same resamples. No interval leaves
    the range of its coefficient.
    """
    return estimates_of(
        [(ratings, coefficient) for coefficient in coefficients], clusters, **options
    )


def estimates_of(
    requests: Sequence[tuple[Ratings, AgreementCoefficient]],
    clusters: Mapping[str, str] | None = None,
    **options: Unpack[IntervalOptions],
) -> list[AgreementEstimate]:
    """Compute coefficients of several tables of the same units, from the same resamples."""
    estimates = resampled(
        [coefficient.prepare(ratings) for ratings, coefficient in requests], clusters, **options
    )
    return [
        replace(
            estimate,
            name=coefficient.name,
            reason=coefficient.why_undefined(ratings) if isnan(estimate.value) else estimate.reason,
        )
        for (ratings, coefficient), estimate in zip(requests, estimates, strict=True)
    ]


def resampled(
    tallies: Sequence[Tally],
    clusters: Mapping[str, str] | None = None,
    **options: Unpack[IntervalOptions],
) -> list[AgreementEstimate]:
    """Estimate tallies of the same units: statistics are added up by cluster, then weighted."""
    if not tallies:
        return []
    units = tallies[0].ratings.units
    if missing := [unit for unit in units if clusters is not None and unit not in clusters]:
        raise UsageError(f"no cluster is given for {len(missing)} units, such as {missing[0]}")
    cluster = Labels.of(units if clusters is None else (clusters[unit] for unit in units))
    groups = grouped([cluster.at], len(units))
    samples = []
    for tally in tallies:
        sums = tally.statistics[groups.order]
        if len(groups.starts) < len(units):
            sums = np.add.reduceat(sums, groups.starts, axis=0)
        compared = np.bincount(cluster.at[tally.used], minlength=len(cluster.names))
        samples.append(_ClusterSums(tally, cluster.names, sums, compared))
    bounds = intervals(samples, [np.atleast_1d(tally()) for tally in tallies], **options)
    return [_estimate(*pair) for pair in zip(samples, bounds, strict=True)]


def _estimate(sample: "_ClusterSums", bounds: Bounds) -> AgreementEstimate:
    """Turn bounds into an estimate; without an interval where the clusters show no spread."""
    tally, value, low, high = sample.tally, float(sample.tally()), nan, nan
    clusters = int((sample.compared > 0).sum())
    missing = _missing(clusters, bounds, tally.range)
    if not missing and not isnan(value):
        # A table with gaps may have a value beyond the range of complete ones.
        ends = min(tally.range[0], value), max(tally.range[1], value)
        low, high = (float(np.clip(end[0], *ends)) for end in (bounds.low, bounds.high))
    return AgreementEstimate(
        value=value,
        low=low,
        high=high,
        method=bounds.method,
        units=int(tally.used.sum()),
        ratings=int(tally.ratings.sizes[tally.used].sum()),
        raters=tally.ratings.raters,
        clusters=clusters,
        undefined=int(np.isnan(bounds.resampled).sum()),
        n_eff=float(effective(sample.compared.astype(np.float64))),
        missing=missing,
        reason=f"no interval: {missing.format(unit='cluster')}" if missing else "",
    )


@dataclass(frozen=True, eq=False)
class _ClusterSums:
    """The statistics of a tally added up by cluster: a sample."""

    tally: Tally
    names: tuple[str, ...]
    sums: Array
    compared: Places
    """How many units of each cluster can be compared."""
    strata: tuple[str, ...] = ()
    sizes: None = None

    @property
    def ranges(self) -> tuple[Array, Array]:
        """The lowest and the highest possible value."""
        return np.array([self.tally.range[0]]), np.array([self.tally.range[1]])

    def left_out(self) -> Array:
        """Compute the number without each cluster in turn, of those that have pairs to compare."""
        # Weights are 0 and 1, and the rest is not scaled up: alpha and ICC depend on the size of
        # the sample. The sums before and after a cluster are added, since subtracting it from the
        # total would leave rounding errors.
        chosen = self.compared > 0
        sums, nothing = self.sums[chosen], np.zeros((1, self.sums.shape[1]))
        sums_before = np.cumsum(np.concatenate([nothing, sums[:-1]]), axis=0)
        sums_after = np.cumsum(np.concatenate([nothing, sums[:0:-1]]), axis=0)[::-1]
        return self.scored(np.asarray(sums_before + sums_after + self.sums[~chosen].sum(axis=0)))

    def columns(self, clusters: slice) -> Array:
        """Return the sums of some clusters."""
        return self.sums[clusters]

    def scored(self, sums: Array) -> Array:
        """Compute the number for each of sums[b, q], in a last axis of length 1."""
        return self.tally.link(sums)[:, np.newaxis]


def _missing(clusters: int, bounds: Bounds, ends: tuple[float, float]) -> str:
    """Say why bounds are no interval, if so."""
    if clusters < 2:
        return "there is one {unit} only"
    if np.isnan(bounds.low).any():
        return "without some {unit} the coefficient is undefined"
    # A coefficient near 0 is the difference of larger numbers, and has their rounding error.
    equal = rounding(bounds.resampled, np.array([[end] for end in ends if np.isfinite(end)]))
    if (bounds.high - bounds.low > equal).any():
        return ""
    same = f"it is the same whichever of the {clusters} {{unit}}s are taken"
    return f"{same}, so its spread is unknown"


# Agreement of pairs of raters, severity of raters, units of disagreement, and drift over time.


_CHUNK = 4096
_TABLES = 3
"""Tables of all pairs that are in memory at one time."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Agreement of each pair of raters: matrices over raters, NaN where undefined."""

    raters: tuple[str, ...]
    shared: Array
    """How many units both rated; on the diagonal, how many a rater rated."""
    percent: Array
    kappa: Array

    def why_undefined(self, first: int, second: int) -> str:
        """Say why the pair in these places has no kappa, or nothing if it has."""
        if first == second:
            return "one rater is no pair"
        if self.shared[first, second] == 0:
            return "no unit was rated by both"
        if np.isnan(self.kappa[first, second]):
            return "no variation: all ratings that can be compared are the same"
        return ""


@dataclass(frozen=True)
class Disagreement:
    """How much the ratings of a unit differ."""

    unit: str
    variance: float
    mean: float
    ratings: int


@dataclass(frozen=True)
class Block:
    """Agreement in consecutive units."""

    first: str
    last: str
    units: int
    """Units that can be compared."""
    value: float
    reason: str = ""


def pairs_memory(ratings: Ratings) -> int:
    """Estimate the bytes that `pairs` needs for the tables of all pairs of raters."""
    return _TABLES * 8 * (ratings.raters * len(ratings.values)) ** 2


def pairs(ratings: Ratings, weighting: Weighting = "identity") -> Pairs:
    """Percent agreement and Cohen's kappa of each pair of raters in the units that both rated.

    The tables of all pairs take `pairs_memory` bytes.
    """
    near = nearness(weighting, ratings.values)
    raters, categories = ratings.raters, len(ratings.values)
    joint = np.zeros((raters * categories, raters * categories))
    ends = np.searchsorted(ratings.unit_at, np.arange(0, len(ratings.units) + _CHUNK, _CHUNK))
    for chunk, (start, end) in enumerate(pairwise(ends.tolist())):
        chosen = np.zeros((min(_CHUNK, len(ratings.units) - chunk * _CHUNK), len(joint)))
        column = ratings.rater_at[start:end] * categories + ratings.value_at[start:end]
        chosen[ratings.unit_at[start:end] - chunk * _CHUNK, column] = 1
        joint += chosen.T @ chosen
    # table[r, s, k, l]: how often rater r chose k where rater s chose l.
    table = joint.reshape(raters, categories, raters, categories).transpose(0, 2, 1, 3)
    shared = table.sum(axis=(-2, -1))
    agreed = ratio((table * near).sum(axis=(-2, -1)), shared)
    first, second = (ratio(table.sum(axis=axis), shared[..., np.newaxis]) for axis in (-1, -2))
    chance = ((first @ near) * second).sum(axis=-1)
    beyond = ratio(agreed - chance, np.asarray(1 - chance))
    for matrix in (agreed, beyond):
        np.fill_diagonal(matrix, np.nan)
    return Pairs(ratings.rater_names, shared, agreed, beyond)


def severities(
    ratings: Ratings,
    clusters: Mapping[str, str] | None = None,
    **options: Unpack[IntervalOptions],
) -> list[AgreementEstimate]:
    """Each rater's mean deviation from the means of units with two ratings or more.

    The rater's own rating is part of a unit's mean. Above 0 is generous, below 0 severe, where
    higher values are better.
    """
    estimates = resampled(severity_tallies(ratings), clusters, **options)
    alone = "no unit that another rated too"
    return [
        replace(estimate, name=rater, reason=estimate.reason if estimate.units else alone)
        for rater, estimate in zip(ratings.rater_names, estimates, strict=True)
    ]


def severity_tallies(ratings: Ratings) -> list[Tally]:
    """Prepare the severity of each rater, over the clusters that have units of the rater."""
    deviation = np.zeros((len(ratings.units), ratings.raters))
    deviation[ratings.unit_at, ratings.rater_at] = ratings.deviations
    rated = np.zeros(deviation.shape, np.bool_)
    rated[ratings.unit_at, ratings.rater_at] = True
    rated[~ratings.paired] = deviation[~ratings.paired] = 0
    ends = (-ratings.width, ratings.width)
    return [
        Tally.mean(ratings, deviation[:, place], rated[:, place], ends)
        for place in range(ratings.raters)
    ]


def disagreements(ratings: Ratings) -> list[Disagreement]:
    """Units with two ratings or more by the variance within them (of n - 1), the highest first."""
    sizes = ratings.sizes
    variance = ratings.sums(ratings.deviations**2) / np.maximum(sizes - 1, 1)
    means = ratings.sums(ratings.values[ratings.value_at]) / np.maximum(sizes, 1)
    # Units of equal variance stay in the order of their names.
    order = np.argsort(-variance.round(decimals(variance)), kind="stable")
    return [
        Disagreement(ratings.units[at], float(variance[at]), float(means[at]), int(sizes[at]))
        for at in order.tolist()
        if ratings.paired[at]
    ]


def drift(
    ratings: Ratings, coefficient: AgreementCoefficient, order: Sequence[str], blocks: int = 5
) -> list[Block]:
    """Agreement in consecutive blocks of units, as even as can be, of an order such as time.

    Categories are those of all ratings. Units that the order leaves out are an error.
    """
    if sorted(order) != list(ratings.units):
        raise UsageError("the order of units must name every unit once, and no others")
    if not 1 <= blocks <= len(order):
        raise UsageError(f"{len(order)} units can't be cut into {blocks} blocks")
    place = {unit: at for at, unit in enumerate(ratings.units)}
    results = []
    for units in np.array_split(np.array([place[unit] for unit in order]), blocks):
        inside = ratings.within(units)
        tally, (first, last) = coefficient.prepare(inside), units[[0, -1]].tolist()
        results.append(
            Block(
                first=ratings.units[first],
                last=ratings.units[last],
                units=int(tally.used.sum()),
                value=float(tally()),
                reason=coefficient.why_undefined(inside),
            )
        )
    return results
