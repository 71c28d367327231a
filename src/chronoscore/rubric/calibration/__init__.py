"""A judge model held against people, and its scores corrected by what they said."""

from chronoscore.rubric.calibration.calibrating import FEWEST_LABELS, Plan, calibrate
from chronoscore.rubric.calibration.document import Calibration, encode
from chronoscore.rubric.calibration.sides import Sides, both_sides, find_people, value_table

__all__ = [
    "FEWEST_LABELS",
    "Calibration",
    "Plan",
    "Sides",
    "both_sides",
    "calibrate",
    "encode",
    "find_people",
    "value_table",
]
