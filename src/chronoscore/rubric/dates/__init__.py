"""Dates in articles: what an expression can mean, and which judgements that contradicts."""

from chronoscore.rubric.dates.contradictions import Contradiction, contradictions
from chronoscore.rubric.dates.expressions import Candidate, expressions, places, resolve

__all__ = ["Candidate", "Contradiction", "contradictions", "expressions", "places", "resolve"]
