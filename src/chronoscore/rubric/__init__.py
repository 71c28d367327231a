"""Judgements of events: what do people think of it?"""

from chronoscore.rubric.codebook import Codebook, event_quality, load_codebook
from chronoscore.rubric.family import FAMILY, read_cases, rubric_family
from chronoscore.rubric.formats import read_judgements, write_judgements
from chronoscore.rubric.judgement import Judgement
from chronoscore.rubric.parts import part_family, read_part

__all__ = [
    "FAMILY",
    "Codebook",
    "Judgement",
    "event_quality",
    "load_codebook",
    "part_family",
    "read_cases",
    "read_judgements",
    "read_part",
    "rubric_family",
    "write_judgements",
]
