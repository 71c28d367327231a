"""The coefficients by name: what each is for, what it means, and who proposed it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import isnan

from chronoscore.core.errors import UsageError
from chronoscore.elements.ratios import Array
from chronoscore.statistics.agreement import chance, intraclass, krippendorff
from chronoscore.statistics.agreement.krippendorff import Scale
from chronoscore.statistics.agreement.ratings import Ratings
from chronoscore.statistics.agreement.tally import Tally


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of agreement: call it on ratings, and on weights of units if there are any."""

    name: str
    prepare: Callable[[Ratings], Tally]
    scales: tuple[Scale, ...]
    """The scales that it suits."""
    meaning: str
    citation: str
    reason: Callable[[Ratings], str]

    def __call__(self, ratings: Ratings, weights: Array | None = None) -> Array:
        """Compute under `weights[..., u]`, by default all 1; NaN where undefined."""
        return self.prepare(ratings)(weights)

    def why_undefined(self, ratings: Ratings) -> str:
        """Say in words why there is no value, or nothing if there is one."""
        return (self.reason(ratings) or _COMPLETE) if isnan(self(ratings)) else ""


_COMPLETE = "0/0: by chance alone agreement would be complete"


def coefficient(name: str) -> Coefficient:
    """Look up a coefficient by its name."""
    if name not in COEFFICIENTS:
        raise UsageError(f"no coefficient {name}: there are {'; '.join(COEFFICIENTS)}")
    return COEFFICIENTS[name]


def defaults(scale: Scale) -> tuple[Coefficient, ...]:
    """The coefficients to show for a scale, the plainest first.

    >>> [one.name for one in defaults("ordinal")]
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
    """Of coefficients whose marginals are those of all units."""
    if _unpaired(ratings) or len(set(ratings.value_at.tolist())) > 1:
        return _unpaired(ratings)
    return "no variation: all ratings are the same"


def _one_category(ratings: Ratings) -> str:
    if _unpaired(ratings) or len(ratings.values) > 1:
        return _unpaired(ratings)
    return "no variation: all ratings are the same, and no other category was declared"


def _not_two(ratings: Ratings) -> str:
    if ratings.raters != 2:
        return f"Scott's pi is of two raters, here are {ratings.raters}: use Fleiss' kappa"
    return ratings.why_undefined()


def _negative(ratings: Ratings) -> str:
    if (ratings.values < 0).any():
        return "a ratio scale has no values below 0"
    return ratings.why_undefined()


def _incomplete(ratings: Ratings) -> str:
    if not ratings.paired.any():
        return "no unit has two ratings"
    complete = int(ratings.complete.sum())
    if complete < 2:
        return f"ICC needs two units that all {ratings.raters} raters rated, here are {complete}"
    return "no variation between the units that every rater rated"


_COHEN = "Cohen 1960; for more than two raters Conger 1980"
_COHEN_WEIGHTED = "Cohen 1968; for more than two raters Conger 1980"
_SHROUT = "Shrout and Fleiss 1979"
_KRIPPENDORFF = "Krippendorff 2011"
_ORDERED: tuple[Scale, ...] = ("ordinal", "interval", "ratio")
_NUMBERS: tuple[Scale, ...] = ("interval", "ratio")


def _family(
    name: str,
    weighted: str,
    prepare: Callable[..., Tally],
    meaning: str,
    citations: tuple[str, str],
    reason: Callable[[Ratings], str],
) -> list[Coefficient]:
    """One coefficient, plain and under three weightings."""
    plain = Coefficient(
        name, partial(prepare, weighting="identity"), ("nominal",), meaning, citations[0], reason
    )
    return [plain] + [
        Coefficient(
            f"{weighted} {weighting}",
            partial(prepare, weighting=weighting),
            _ORDERED,
            f"{meaning}; near misses count in part ({weighting} weights)",
            citations[1],
            reason,
        )
        for weighting in ("linear", "quadratic", "ordinal")
    ]


def _alpha(scale: Scale, meaning: str, reason: Callable[[Ratings], str]) -> Coefficient:
    return Coefficient(
        f"alpha {scale}",
        partial(krippendorff.alpha_tally, scale=scale),
        (scale,),
        f"1 - observed / expected disagreement; {meaning}",
        _KRIPPENDORFF,
        reason,
    )


def _icc(model: intraclass.Model, meaning: str) -> Coefficient:
    return Coefficient(
        f"ICC({model})",
        partial(intraclass.icc_tally, model=model),
        _NUMBERS,
        meaning,
        _SHROUT,
        _incomplete,
    )


_ALL: list[Coefficient] = [
    Coefficient(
        "percent",
        chance.percent_tally,
        ("nominal", "ordinal"),
        "share of pairs of ratings of a unit that are equal, mean over units",
        "Gwet 2014",
        _unpaired,
    ),
    *_family(
        "kappa",
        "kappa",
        chance.kappa_tally,
        "agreement beyond that of raters who keep their own shares of categories",
        (_COHEN, _COHEN_WEIGHTED),
        Ratings.why_undefined,
    ),
    Coefficient(
        "pi",
        chance.scott_tally,
        ("nominal",),
        "agreement of two raters beyond that of raters who share one distribution",
        "Scott 1955",
        _not_two,
    ),
    *_family(
        "fleiss",
        "fleiss",
        chance.fleiss_tally,
        "agreement beyond that of raters who share one distribution",
        ("Fleiss 1971", "Gwet 2014"),
        _no_variation,
    ),
    *_family(
        "AC1",
        "AC2",
        chance.gwet_tally,
        "agreement beyond that of raters who guess in hard units only; firm where one category"
        " prevails",
        ("Gwet 2008", "Gwet 2014"),
        _one_category,
    ),
    *_family(
        "brennan-prediger",
        "brennan-prediger",
        chance.brennan_prediger_tally,
        "agreement beyond that of raters who draw from all categories alike",
        ("Brennan and Prediger 1981", "Gwet 2014"),
        _one_category,
    ),
    _alpha("nominal", "values are the same or not", Ratings.why_undefined),
    _alpha("ordinal", "values are as far apart as ratings lie between", Ratings.why_undefined),
    _alpha("interval", "values are as far apart as their difference", Ratings.why_undefined),
    _alpha("ratio", "values are as far apart as their difference to their sum", _negative),
    _icc("1,1", "one rating, where each unit has raters of its own"),
    _icc("2,1", "one rating of a rater like these, severity counted as error"),
    _icc("3,1", "one rating of these very raters, severity forgiven"),
    _icc("1,k", "the mean of the raters, where each unit has raters of its own"),
    _icc("2,k", "the mean of as many raters like these, severity counted as error"),
    _icc("3,k", "the mean of these very raters, severity forgiven"),
]
COEFFICIENTS: Mapping[str, Coefficient] = {one.name: one for one in _ALL}
