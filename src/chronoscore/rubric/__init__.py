"""Judgements of events: what do people think of it?"""

from chronoscore.rubric.codebook import Codebook, event_quality
from chronoscore.rubric.family import FAMILY, read_cases
from chronoscore.rubric.judgement import Judgement

__all__ = ["FAMILY", "Codebook", "Judgement", "event_quality", "read_cases"]
