"""Dates in articles: what an expression can mean, and which judgements that contradicts."""

from chronoscore.rubric.dates.contradictions import Contradiction, checkable, contradictions
from chronoscore.rubric.dates.expressions import Candidate, expressions, places, resolve

__all__ = [
    "Candidate",
    "Contradiction",
    "checkable",
    "contradictions",
    "expressions",
    "places",
    "resolve",
]
