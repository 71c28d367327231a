"""Agreement between raters: a long table in, coefficients out, over any weights of units.

Input is a long table of (unit, rater, value), which can't be given the wrong way round. Every
coefficient is `link(W @ statistics)` of its units, so that intervals cost one product.
"""

from chronoscore.statistics.agreement.catalogue import (
    COEFFICIENTS,
    Coefficient,
    coefficient,
    defaults,
)
from chronoscore.statistics.agreement.chance import (
    brennan_prediger,
    fleiss_kappa,
    gwet,
    gwet_error,
    kappa,
    percent_agreement,
    scott_pi,
)
from chronoscore.statistics.agreement.estimating import Estimate, estimates
from chronoscore.statistics.agreement.intraclass import MODELS, Model, icc, icc_interval
from chronoscore.statistics.agreement.krippendorff import SCALES, Scale, alpha
from chronoscore.statistics.agreement.raters import (
    Block,
    Disagreement,
    Pairs,
    Severity,
    disagreements,
    drift,
    pairs,
    severities,
)
from chronoscore.statistics.agreement.ratings import Ratings
from chronoscore.statistics.agreement.tally import Tally, Weighting, nearness

__all__ = [
    "COEFFICIENTS",
    "MODELS",
    "SCALES",
    "Block",
    "Coefficient",
    "Disagreement",
    "Estimate",
    "Model",
    "Pairs",
    "Ratings",
    "Scale",
    "Severity",
    "Tally",
    "Weighting",
    "alpha",
    "brennan_prediger",
    "coefficient",
    "defaults",
    "disagreements",
    "drift",
    "estimates",
    "fleiss_kappa",
    "gwet",
    "gwet_error",
    "icc",
    "icc_interval",
    "kappa",
    "nearness",
    "pairs",
    "percent_agreement",
    "scott_pi",
    "severities",
]
