"""krippendorff: alpha on four scales, with missing ratings."""

from collections.abc import Iterator
from functools import partial
from math import isnan

import krippendorff
from peers.comparing import Check, Comparison, Raised, outcome, ratings_matrix, ratings_rows

from chronoscore.statistics.agreement import SCALES, alpha
from chronoscore.statistics.ratings import Ratings
from chronoscore.statistics.ratios import Array

UNDEFINED = "raises an error where alpha is undefined: one value only, or no unit with two ratings"
NEGATIVE = "computes alpha of a ratio scale from values below 0, for which we leave it undefined"


def compare(matrix: Array) -> Iterator[Comparison]:
    ratings = Ratings.of(ratings_rows(matrix))
    for scale in SCALES:
        quantity, ours = f"alpha {scale}", float(alpha(ratings, scale)())
        theirs = outcome(partial(krippendorff.alpha, matrix, level_of_measurement=scale))
        if isinstance(theirs, Raised):
            known = theirs.says("more than one value in the domain", "by at least two coders")
            holds = known and isnan(ours)
            yield Comparison(quantity, ours, theirs, reason=UNDEFINED, holds=holds)
        elif scale == "ratio" and (matrix < 0).any():
            yield Comparison(quantity, ours, theirs, reason=NEGATIVE, holds=isnan(ours))
        else:
            yield Comparison(quantity, ours, float(theirs), 1e-12)


CHECKS = (Check("alpha", ratings_matrix, compare, 4000),)
