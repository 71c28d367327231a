"""Dates in articles: what an expression can mean, and which judgements that contradicts."""

from chronoscore.rubric.dates.contradictions import (
    CheckedEvent,
    Contradiction,
    check_events,
    contradictions,
)
from chronoscore.rubric.dates.expressions import Expression, find, resolve
from chronoscore.rubric.dates.readings import Candidate
from chronoscore.rubric.dates.sentences import Assessment, assess

__all__ = [
    "Assessment",
    "Candidate",
    "CheckedEvent",
    "Contradiction",
    "Expression",
    "assess",
    "check_events",
    "contradictions",
    "find",
    "resolve",
]
