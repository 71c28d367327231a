"""pingouin: intraclass correlations with their intervals, corrections of p, and correlations."""

from collections.abc import Iterator
from functools import partial
from math import inf, isnan

import numpy as np
import pandas as pd
import pingouin
from peers.comparing import Chance, Check, Comparison, Raised, outcome, ratings_rows
from peers.corrections import compare_p, draw_p

from chronoscore.statistics.agreement import MODELS, icc, icc_interval
from chronoscore.statistics.correlation import pearson, spearman, tau_b
from chronoscore.statistics.ratings import Ratings
from chronoscore.statistics.ratios import Array

TOLERANCE = 1e-9
"""pingouin gets the sum of squares of the error by subtraction."""
FEW = "raises an error where fewer than two units are complete; we leave ICC undefined"
FIVE = "raises an error where there are fewer than five ratings"
NO_SPREAD = (
    "divides rounding errors where ratings of a unit do not differ beyond the raters' severity, or "
    "units do not differ; we take a sum of squares within rounding for 0"
)
NO_UNITS = (
    "is minus infinity where the means of all units are equal, a division by 0; we leave ICC of "
    "the mean of raters undefined"
)
POLE = (
    "a bound of ICC(A,k) beyond 1e6 comes from a division by rounding errors on both sides: the "
    "formula has a pole"
)
THEIRS = dict(
    zip(
        MODELS,
        ("ICC(1,1)", "ICC(A,1)", "ICC(C,1)", "ICC(1,k)", "ICC(A,k)", "ICC(C,k)"),
        strict=True,
    )
)


def draw(chance: Chance) -> Array:
    """Ratings[raters, units] with severe raters, of whole or real numbers, some missing."""
    raters, units = int(chance.integers(2, 6)), int(chance.integers(1, 16))
    spread = chance.choice([0.0, 0.5, 2.0], p=[0.05, 0.45, 0.5])
    error = chance.choice([0.0, 0.3, 1.0], p=[0.05, 0.45, 0.5])
    matrix = 3 + spread * chance.normal(size=units) + error * chance.normal(size=(raters, units))
    matrix += chance.choice([0.0, 1.0]) * chance.normal(size=(raters, 1))
    if chance.random() < 0.5:
        matrix = np.round(matrix)
    matrix[chance.random((raters, units)) < chance.choice([0.0, 0.0, 0.1])] = np.nan
    return np.asarray(matrix)


def spreads(matrix: Array) -> tuple[float, float, float]:
    """Return the sums of squares of units, of raters and of the error, from the definitions."""
    whole = matrix.mean()
    units, raters = matrix.mean(axis=0), matrix.mean(axis=1, keepdims=True)
    rest = matrix - units - raters + whole
    between, severity = ((units - whole) ** 2).sum(), ((raters - whole) ** 2).sum()
    return float(between), float(severity), float((rest**2).sum())


def compare(matrix: Array) -> Iterator[Comparison]:
    ratings = Ratings.of(ratings_rows(matrix))
    complete = matrix[:, ~np.isnan(matrix).any(axis=0)]
    rows = ratings_rows(matrix)
    frame = pd.DataFrame(rows, columns=["unit", "rater", "value"]).astype({"value": float})
    found = outcome(
        lambda: pingouin.intraclass_corr(
            frame, targets="unit", raters="rater", ratings="value", nan_policy="omit"
        ).set_index("Type")
    )
    for model in MODELS:
        ours, bounds = float(icc(ratings, model)()), icc_interval(ratings, model)
        named = (("ICC", ours), ("ICC, lower bound", bounds[0]), ("ICC, upper bound", bounds[1]))
        if isinstance(found, Raised):
            few = complete.shape[1] < 2 or ratings.raters < 2
            for quantity, number in named:
                holds = isnan(number) if few else found.says("at least 5 non-missing values")
                yield Comparison(quantity, number, found, reason=FEW if few else FIVE, holds=holds)
            continue
        row = found.loc[THEIRS[model]]
        theirs = (float(row["ICC"]), *map(float, row["CI95"]))
        between, _, rest = spreads(complete)
        least = 1e-20 * max(1.0, float((complete**2).sum()))
        for (quantity, number), other in zip(named, theirs, strict=True):
            same = Comparison(quantity, number, other, TOLERANCE)
            if isnan(number) and other == -inf and model[2] == "k":
                same = Comparison(quantity, number, other, reason=NO_UNITS, holds=between <= least)
            elif same.unexplained and min(between, rest) <= least:
                same = Comparison(
                    quantity, number, other, reason=NO_SPREAD, holds=not isnan(number)
                )
            elif same.unexplained and model == "2,k":
                beyond = min(abs(number), abs(other)) > 1e6
                same = Comparison(quantity, number, other, reason=POLE, holds=beyond)
            yield same


def corrected(p: list[float], method: str) -> list[float]:
    return list(pingouin.multicomp(np.array(p), method=method)[1].tolist())


def draw_items(chance: Chance) -> tuple[Array, Array]:
    """Two columns of items that vary, with ties or without."""
    n = int(chance.integers(4, 25))
    columns = chance.normal(size=(2, n))
    columns[1] += chance.choice([0.0, 2.0]) * columns[0]
    if chance.random() < 0.6:
        columns = np.round(columns)
    columns[:, :2] += np.array([[0.0, 7.0], [0.0, -7.0]])
    return columns[0], columns[1]


def compare_items(items: tuple[Array, Array]) -> Iterator[Comparison]:
    for method, function in (("pearson", pearson), ("spearman", spearman), ("kendall", tau_b)):
        theirs = float(pingouin.corr(*items, method=method)["r"].iloc[0])
        yield Comparison(f"correlation {method}", float(function(*items)), theirs, 1e-12)


pingouin.options["round.column.CI95"] = None
CHECKS = (
    Check("intraclass correlations", draw, compare, 600),
    Check(
        "corrected p-values",
        partial(draw_p, undefined=True),
        partial(compare_p, theirs=corrected),
        2000,
    ),
    Check("correlations of two columns", draw_items, compare_items, 400),
)
