"""Judgements of events: what do people think of it?"""

from chronoscore.rubric.codebook import Codebook, event_quality, load_codebook
from chronoscore.rubric.family import FAMILY, read_cases, rubric_family
from chronoscore.rubric.formats import read_judgements, write_judgements
from chronoscore.rubric.judgements import Judgement

__all__ = [
    "FAMILY",
    "Codebook",
    "Judgement",
    "event_quality",
    "load_codebook",
    "read_cases",
    "read_judgements",
    "rubric_family",
    "write_judgements",
]
