"""Ranked lists of candidates: is the right answer among them, and how far down?"""

from chronoscore.annotations.candidates.lists import (
    Candidates,
    FirstMatch,
    compare_candidates,
    first_matches,
    indicators,
    max_recall,
    rank_histogram,
)
from chronoscore.annotations.candidates.metrics import DEFINITIONS
from chronoscore.annotations.parameters import Selection

__all__ = [
    "DEFINITIONS",
    "Candidates",
    "FirstMatch",
    "Selection",
    "compare_candidates",
    "first_matches",
    "indicators",
    "max_recall",
    "rank_histogram",
]
