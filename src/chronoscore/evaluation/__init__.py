"""One file, four questions: every family that the events permit, joined by event."""

from chronoscore.evaluation.document import Evaluation, EventCredit, Skipped, load, save
from chronoscore.evaluation.running import Evaluated, evaluate

__all__ = ["Evaluated", "Evaluation", "EventCredit", "Skipped", "evaluate", "load", "save"]
