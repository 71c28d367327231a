"""How alike two partitions are: the scores of coreference resolution."""

from chronoscore.elements.clusters.overlap import Overlap, overlap_of
from chronoscore.elements.clusters.scores import (
    Counts,
    Links,
    Shares,
    b_cubed,
    ceaf_e,
    ceaf_m,
    lea,
    links,
    mention_detection,
    muc,
    pairs,
    totals,
)

__all__ = [
    "Counts",
    "Links",
    "Overlap",
    "Shares",
    "b_cubed",
    "ceaf_e",
    "ceaf_m",
    "lea",
    "links",
    "mention_detection",
    "muc",
    "overlap_of",
    "pairs",
    "totals",
]
