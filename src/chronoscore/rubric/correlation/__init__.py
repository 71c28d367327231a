"""Metrics against people: how well do scores of any family follow what people say?"""

from chronoscore.rubric.correlation.correlating import correlations
from chronoscore.rubric.correlation.document import Correlations, encode
from chronoscore.rubric.correlation.people import Judged, Places, judged_by_people
from chronoscore.rubric.correlation.plan import LEVELS, Plan
from chronoscore.rubric.correlation.scores import Saved

__all__ = [
    "LEVELS",
    "Correlations",
    "Judged",
    "Places",
    "Plan",
    "Saved",
    "correlations",
    "encode",
    "judged_by_people",
]
