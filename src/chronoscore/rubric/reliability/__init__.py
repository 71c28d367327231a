"""How far evaluators agree, on what they differ, and whether they drift: one document."""

from chronoscore.rubric.reliability.adjudication import against, agreed_values
from chronoscore.rubric.reliability.document import Reliability
from chronoscore.rubric.reliability.order import row_order
from chronoscore.rubric.reliability.over_time import over_time
from chronoscore.rubric.reliability.plan import GROUPS, Plan
from chronoscore.rubric.reliability.study import study

__all__ = [
    "GROUPS",
    "Plan",
    "Reliability",
    "against",
    "agreed_values",
    "over_time",
    "row_order",
    "study",
]
