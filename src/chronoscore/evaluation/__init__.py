"""One file, four questions: every family that the events permit, joined by event."""

from chronoscore.evaluation.document import EvaluationDocument, EventCredit, Skipped, load, save
from chronoscore.evaluation.running import Evaluation, evaluate

__all__ = ["Evaluation", "EvaluationDocument", "EventCredit", "Skipped", "evaluate", "load", "save"]
