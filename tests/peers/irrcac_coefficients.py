"""irrCAC: coefficients of Gwet's handbook, plain and weighted, with Gwet's standard error."""

from collections.abc import Callable, Iterator, Mapping
from math import isnan
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from irrCAC.raw import CAC
from peers.comparing import (
    Chance,
    Check,
    Comparison,
    Raised,
    outcome,
    ratings_matrix,
    ratings_rows,
)

from chronoscore.statistics.agreement import (
    alpha,
    brennan_prediger,
    fleiss_kappa,
    gwet,
    gwet_error,
    kappa,
    pairs,
    scott_pi,
)
from chronoscore.statistics.ratings import Ratings, Tally
from chronoscore.statistics.ratios import Array

TOLERANCE = 1e-12
DIGITS = 16
"""Decimals that irrCAC rounds to."""

ONE_CATEGORY = (
    "with a single category, returns 1, divides rounding errors or raises an error, where we leave "
    "the coefficient undefined"
)
NO_VARIATION = (
    "raises an error or divides rounding errors where all ratings that can be compared are the "
    "same, and the coefficient is 0/0, which we leave undefined"
)
ONE_UNIT = "raises an error with a single unit, which has no standard error"
SINGLE_RATINGS = (
    "Conger: takes the raters' shares of categories also from units with a single rating; without "
    "those units its value is ours"
)
ABSENT_RATER = (
    "Conger: is undefined or different where a rater rated nothing; without that rater its value "
    "is ours"
)

WEIGHTINGS = ("identity", "linear", "quadratic", "ordinal")


class Given(NamedTuple):
    """Ratings[raters, units], the weighting, and categories that are declared, if any."""

    matrix: Array
    weighting: Any
    categories: list[float] | None


def draw(chance: Chance) -> Given:
    matrix = ratings_matrix(chance)
    used = np.unique(matrix[~np.isnan(matrix)]).tolist()
    declared = None
    if chance.random() < 0.3 and used:
        declared = sorted({*used, used[-1] + 1.0})
    return Given(matrix, chance.choice(WEIGHTINGS), declared)


def frame(matrix: Array) -> pd.DataFrame:
    """Return the units in rows and the raters in columns."""
    return pd.DataFrame(matrix.T, columns=[f"r{at:03}" for at in range(len(matrix))])


def theirs_of(given: Given, method: str) -> Any:
    """Return the value and the standard error of a coefficient, or an error."""

    def call() -> tuple[float, float]:
        cac = CAC(
            frame(given.matrix),
            weights=str(given.weighting),
            categories=given.categories,
            digits=DIGITS,
        )
        found = getattr(cac, method)()["est"]
        return float(found["coefficient_value"]), float(found["se"])

    return outcome(call)


OURS: Mapping[str, tuple[str, Callable[..., Tally]]] = {
    "fleiss": ("Fleiss' kappa", fleiss_kappa),
    "gwet": ("Gwet's AC1 and AC2", gwet),
    "bp": ("Brennan-Prediger", brennan_prediger),
    "conger": ("Conger's kappa (Cohen's for two)", kappa),
}


def compare(given: Given) -> Iterator[Comparison]:
    ratings = Ratings.of(ratings_rows(given.matrix), given.categories)
    weighting = given.weighting
    for method, (quantity, function) in OURS.items():
        theirs = theirs_of(given, method)
        yield from same(quantity, float(function(ratings, weighting)()), theirs, given, method)
        if method == "gwet" and not isinstance(theirs, Raised) and len(categories_of(given)) > 1:
            error = gwet_error(ratings, weighting)
            yield Comparison("standard error of AC1 and AC2", error, theirs[1], TOLERANCE)
    if weighting in ("identity", "quadratic"):
        ours = float(alpha(ratings, "nominal" if weighting == "identity" else "interval")())
        theirs = theirs_of(given, "krippendorff")
        yield from same("alpha nominal, interval", ours, theirs, given, "krippendorff")


def categories_of(given: Given) -> list[float]:
    return given.categories or np.unique(given.matrix[~np.isnan(given.matrix)]).tolist()


def same(quantity: str, ours: float, found: Any, given: Given, method: str) -> Iterator[Comparison]:
    """Compare a coefficient, or say which documented difference this is."""
    theirs = found if isinstance(found, Raised) else found[0]
    sizes = (~np.isnan(given.matrix)).sum(axis=0)
    units = int((sizes > (1 if method == "krippendorff" else 0)).sum())
    compared = given.matrix[:, sizes > 1]

    def difference(reason: str, holds: bool) -> Comparison:
        return Comparison(quantity, ours, theirs, reason=reason, holds=holds)

    if isnan(ours) and isinstance(theirs, float) and isnan(theirs):
        yield Comparison(quantity, ours, theirs)
    elif len(categories_of(given)) < 2:
        yield difference(ONE_CATEGORY, isnan(ours))
    elif isnan(ours):
        yield difference(NO_VARIATION, len(np.unique(compared[~np.isnan(compared)])) < 2)
    elif isinstance(theirs, Raised):
        yield difference(ONE_UNIT, theirs.says("ZeroDivisionError") and units == 1)
    elif method == "conger" and abs(ours - theirs) > TOLERANCE and (sizes == 1).any():
        yield difference(SINGLE_RATINGS, ours_without_single_ratings(ours, given))
    elif method == "conger" and isnan(theirs):
        yield difference(ABSENT_RATER, ours_without_single_ratings(ours, given))
    else:
        yield Comparison(quantity, ours, theirs, TOLERANCE)


def ours_without_single_ratings(ours: float, given: Given) -> bool:
    """Whether theirs is ours without units of one rating and raters of none."""
    rated = ~np.isnan(given.matrix)
    inner = given.matrix[:, rated.sum(axis=0) > 1]
    inner = inner[(~np.isnan(inner)).any(axis=1)]
    theirs = theirs_of(Given(inner, given.weighting, categories_of(given)), "conger")
    if isinstance(theirs, Raised):
        return theirs.says("ZeroDivisionError") and inner.shape[1] == 1
    return bool(abs(theirs[0] - ours) <= TOLERANCE)


def draw_two(chance: Chance) -> Given:
    given = draw(chance)
    return given._replace(matrix=given.matrix[:2])


def compare_two(given: Given) -> Iterator[Comparison]:
    """Cohen's kappa in the table of pairs, and Scott's pi, in the units that both rated."""
    categories = categories_of(given)
    ratings = Ratings.of(ratings_rows(given.matrix), categories)
    shared = given.matrix[:, ~np.isnan(given.matrix).any(axis=0)]
    if ratings.raters < 2 or not shared.size:
        return
    inner = Given(shared, given.weighting, categories)
    cohen = float(pairs(ratings, given.weighting).kappa[0, 1])
    theirs = theirs_of(inner, "conger")
    yield from same("Cohen's kappa of a pair", cohen, theirs, inner, "conger")
    pi = float(scott_pi(ratings, given.weighting)())
    yield from same("Scott's pi", pi, theirs_of(inner, "fleiss"), inner, "fleiss")


CHECKS = (
    Check("coefficients of many raters", draw, compare, 500),
    Check("coefficients of two raters", draw_two, compare_two, 300),
)
