"""Agreement, and agreement beyond chance: (pa - pe) / (1 - pe) with one pa and five ideas of pe.

pa is the mean, over units with two ratings or more, of the share of pairs of ratings that agree,
near misses weighed by a weighting. Missing ratings are treated as in *Gwet 2014, Handbook of
Inter-Rater Reliability, 4th edition*.
"""

import numpy as np

from chronoscore.elements.ratios import Array, ratio
from chronoscore.statistics.agreement.ratings import Ratings
from chronoscore.statistics.agreement.tally import Tally, Weighting, nearness, stacked


def percent_agreement(
    ratings: Ratings, weighting: Weighting = "identity", weights: Array | None = None
) -> Array:
    """Share of pairs within a unit that agree, mean over units: pa.

    >>> table = [("a", "x", 1), ("a", "y", 1), ("b", "x", 2), ("b", "y", 1), ("c", "x", 1)]
    >>> float(percent_agreement(Ratings.of(table)))
    0.5
    """
    return percent_tally(ratings, weighting)(weights)


def kappa(
    ratings: Ratings, weighting: Weighting = "identity", weights: Array | None = None
) -> Array:
    """Cohen's kappa: pe = mean over pairs of raters of Σ w_kl p_k q_l.

    p and q are the two raters' shares of the categories, in units with two ratings or more. With
    two raters that is *Cohen 1960, A Coefficient of Agreement for Nominal Scales* and, weighted,
    *Cohen 1968*; with more it is *Conger 1980, Integration and Generalization of Kappas*.
    """
    return kappa_tally(ratings, weighting)(weights)


def scott_pi(
    ratings: Ratings, weighting: Weighting = "identity", weights: Array | None = None
) -> Array:
    """Scott's pi of two raters: pe = Σ w_kl π_k π_l, π their mean shares in the units they share.

    *Scott 1955, Reliability of Content Analysis.*
    """
    return scott_tally(ratings, weighting)(weights)


def fleiss_kappa(
    ratings: Ratings, weighting: Weighting = "identity", weights: Array | None = None
) -> Array:
    """Fleiss' kappa: pe = Σ w_kl π_k π_l, π the mean over all rated units of their shares.

    *Fleiss 1971, Measuring Nominal Scale Agreement Among Many Raters.*
    """
    return fleiss_tally(ratings, weighting)(weights)


def gwet(
    ratings: Ratings, weighting: Weighting = "identity", weights: Array | None = None
) -> Array:
    """Gwet's AC1, and AC2 if weighted: pe = Σ w / (K (K - 1)) · Σ π_k (1 - π_k), π as in Fleiss.

    K counts the declared categories, used or not. *Gwet 2008, Computing Inter-Rater Reliability
    and Its Variance in the Presence of High Agreement.*

    >>> same = [("a", "x", 1), ("a", "y", 1)]
    >>> float(gwet(Ratings.of(same))), float(gwet(Ratings.of(same, categories=[0, 1])))
    (nan, 1.0)
    """
    return gwet_tally(ratings, weighting)(weights)


def brennan_prediger(
    ratings: Ratings, weighting: Weighting = "identity", weights: Array | None = None
) -> Array:
    """Brennan and Prediger's kappa: all categories are as likely, pe = Σ w / K².

    *Brennan and Prediger 1981, Coefficient Kappa: Some Uses, Misuses, and Alternatives.*
    """
    return brennan_prediger_tally(ratings, weighting)(weights)


def gwet_error(ratings: Ratings, weighting: Weighting = "identity") -> float:
    """Gwet's analytic standard error of AC1 or AC2, units drawn at random and one by one.

    It knows no clusters, so it checks the resampled interval and doesn't replace it. *Gwet 2008;
    2014, section 5.3.*
    """
    rated, paired = ratings.sizes > 0, ratings.paired
    n, several, categories = int(rated.sum()), int(paired.sum()), len(ratings.values)
    if n < 2 or not several or categories < 2:
        return float("nan")
    near = nearness(weighting, ratings.values)
    spread = near.sum() / (categories * (categories - 1))
    shares = _shares(ratings)[rated]
    pi = shares.mean(axis=0)
    chance = spread * (pi * (1 - pi)).sum()
    value = float(gwet(ratings, weighting))
    agreed = (_agreed(ratings, near) - chance * paired)[rated]
    of_unit = (n / several) * agreed / (1 - chance)
    of_unit -= 2 * (1 - value) * (spread * (shares @ (1 - pi)) - chance) / (1 - chance)
    return float(np.sqrt(((of_unit - value) ** 2).sum() / (n * (n - 1))))


def percent_tally(ratings: Ratings, weighting: Weighting = "identity") -> Tally:
    """Prepare percent agreement."""
    near = nearness(weighting, ratings.values)
    return Tally(_agreement(ratings, near), _percent, ratings.paired, (0.0, 1.0))


def kappa_tally(ratings: Ratings, weighting: Weighting = "identity") -> Tally:
    """Prepare Cohen's kappa."""
    near, raters, categories = nearness(weighting, ratings.values), ratings.raters, ratings.values
    said = np.zeros((len(ratings.units), raters * len(categories)))
    said[ratings.unit_at, ratings.rater_at * len(categories) + ratings.value_at] = 1
    said[~ratings.paired] = 0

    def link(sums: Array) -> Array:
        table = sums[..., 2:].reshape(*sums.shape[:-1], raters, len(categories))
        spoke = table.sum(axis=-1, keepdims=True)
        shares = table / np.maximum(spoke, np.finfo(float).tiny)
        number = (spoke[..., 0] > 0).sum(axis=-1).astype(np.float64)
        everyone = shares.sum(axis=-2)
        # All ordered pairs of raters, less those of a rater with the same rater.
        pairs = _form(everyone, near) - _form(shares, near).sum(axis=-1)
        return _corrected(_percent(sums), ratio(pairs, number * (number - 1)))

    return Tally(stacked([_agreement(ratings, near), said]), link, ratings.paired, _KAPPA)


def scott_tally(ratings: Ratings, weighting: Weighting = "identity") -> Tally:
    """Prepare Scott's pi."""
    near = nearness(weighting, ratings.values)
    if ratings.raters != 2:
        nothing = np.zeros((len(ratings.units), 1))
        return Tally(nothing, lambda sums: np.full(sums.shape[:-1], np.nan), ratings.paired)
    shares = _shares(ratings) * ratings.paired[:, np.newaxis]
    statistics = stacked([_agreement(ratings, near), ratings.paired, shares])
    return Tally(
        statistics,
        lambda sums: _corrected(_percent(sums), _form(_pi(sums), near)),
        ratings.paired,
        _KAPPA,
    )


def fleiss_tally(ratings: Ratings, weighting: Weighting = "identity") -> Tally:
    """Prepare Fleiss' kappa."""
    near = nearness(weighting, ratings.values)
    return Tally(
        _with_shares(ratings, near),
        lambda sums: _corrected(_percent(sums), _form(_pi(sums), near)),
        ratings.paired,
        _KAPPA,
    )


def gwet_tally(ratings: Ratings, weighting: Weighting = "identity") -> Tally:
    """Prepare Gwet's AC1 or AC2."""
    near, categories = nearness(weighting, ratings.values), len(ratings.values)
    spread = near.sum() / (categories * (categories - 1)) if categories > 1 else np.nan

    def link(sums: Array) -> Array:
        pi = _pi(sums)
        return _corrected(_percent(sums), spread * (pi * (1 - pi)).sum(axis=-1))

    return Tally(_with_shares(ratings, near), link, ratings.paired, _even_range(near))


def brennan_prediger_tally(ratings: Ratings, weighting: Weighting = "identity") -> Tally:
    """Prepare Brennan and Prediger's kappa."""
    near, categories = nearness(weighting, ratings.values), len(ratings.values)
    chance = near.sum() / max(categories, 1) ** 2
    return Tally(
        _agreement(ratings, near),
        lambda sums: _corrected(_percent(sums), np.asarray(chance)),
        ratings.paired,
        _even_range(near),
    )


_KAPPA = (-1.0, 1.0)
"""Where chance is that of the raters' own shares, disagreement is at most twice that of chance."""


def _even_range(near: Array) -> tuple[float, float]:
    """The range where chance is at most that of even shares of the categories, Σ w / K²."""
    chance = float(near.mean()) if near.size else 1.0
    return (-chance / (1 - chance) if chance < 1 else -1.0, 1.0)


def _agreed(ratings: Ratings, near: Array) -> Array:
    """The share of each unit's pairs that agree; 0 where there are none."""
    counts, sizes = ratings.counts, ratings.sizes
    pairs = (counts * (counts @ near - 1)).sum(axis=1)
    return np.asarray(pairs * ratings.paired / np.maximum(sizes * (sizes - 1), 1))


def _agreement(ratings: Ratings, near: Array) -> Array:
    return stacked([_agreed(ratings, near), ratings.paired])


def _shares(ratings: Ratings) -> Array:
    """The share of each category among a unit's ratings."""
    return ratings.counts / np.maximum(ratings.sizes, 1)[:, np.newaxis]


def _with_shares(ratings: Ratings, near: Array) -> Array:
    return stacked([_agreement(ratings, near), ratings.sizes > 0, _shares(ratings)])


def _percent(sums: Array) -> Array:
    return ratio(sums[..., 0], sums[..., 1])


def _pi(sums: Array) -> Array:
    return ratio(sums[..., 3:], sums[..., 2:3])


def _form(shares: Array, near: Array) -> Array:
    """Σ w_kl π_k π_l."""
    return np.asarray(((shares @ near) * shares).sum(axis=-1))


def _corrected(agreed: Array, chance: Array) -> Array:
    return ratio(agreed - chance, np.asarray(1 - chance))
