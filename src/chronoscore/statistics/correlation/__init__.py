"""Metrics against people: correlations, pairwise accuracy, and tests of their differences."""

from chronoscore.statistics.correlation.coefficients import (
    gamma,
    pearson,
    spearman,
    tau_a,
    tau_b,
    tau_c,
)
from chronoscore.statistics.correlation.differences import Swapped, Williams, perm_both, williams
from chronoscore.statistics.correlation.estimating import (
    COEFFICIENTS,
    DEFAULTS,
    Coefficient,
    Correlation,
    coefficient,
    correlate,
)
from chronoscore.statistics.correlation.pairwise import (
    Calibrated,
    accuracy,
    calibrated_accuracy,
    tie_calibration,
)
from chronoscore.statistics.correlation.soft import soft_pairwise_accuracy
from chronoscore.statistics.correlation.values import (
    FEWEST,
    PairCounts,
    pair_counts,
    why_undefined,
)

__all__ = [
    "COEFFICIENTS",
    "DEFAULTS",
    "FEWEST",
    "Calibrated",
    "Coefficient",
    "Correlation",
    "PairCounts",
    "Swapped",
    "Williams",
    "accuracy",
    "calibrated_accuracy",
    "coefficient",
    "correlate",
    "gamma",
    "pair_counts",
    "pearson",
    "perm_both",
    "soft_pairwise_accuracy",
    "spearman",
    "tau_a",
    "tau_b",
    "tau_c",
    "tie_calibration",
    "why_undefined",
    "williams",
]
