"""Timeline summaries: what does it say, on which dates?"""

from chronoscore.timelines.family import FAMILY, read_cases
from chronoscore.timelines.formats import read_timelines, write_timelines
from chronoscore.timelines.library import evaluate, evaluate_all, score_many, timeline
from chronoscore.timelines.model import Timeline
from chronoscore.timelines.parts import doubt_parts

__all__ = [
    "FAMILY",
    "Timeline",
    "doubt_parts",
    "evaluate",
    "evaluate_all",
    "read_cases",
    "read_timelines",
    "score_many",
    "timeline",
    "write_timelines",
]
