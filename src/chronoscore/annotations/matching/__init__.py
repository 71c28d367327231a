"""Match responses with targets, and count the pairs.

    compare (which annotations take part, which of them overlap, which pairs are equal)
      -> match (choose pairs, so that each target and each response is used at most once)
      -> count (a row of counters for each document)

One call compares, matches or counts all documents of a corpus, in columns.
"""

from chronoscore.annotations.matching.comparing import (
    SpanComparison,
    SpanPairs,
    SpanSides,
    compare,
    compare_columns,
)
from chronoscore.annotations.matching.counting import count, count_by, unmatched_nearby
from chronoscore.annotations.matching.strategies import match, match_by

__all__ = [
    "SpanComparison",
    "SpanPairs",
    "SpanSides",
    "compare",
    "compare_columns",
    "count",
    "count_by",
    "match",
    "match_by",
    "unmatched_nearby",
]
