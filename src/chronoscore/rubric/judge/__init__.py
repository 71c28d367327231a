"""Judge models: evaluators of kind llm, asked through any OpenAI-compatible endpoint."""

from chronoscore.rubric.judge.asking import JudgeSession, ask, run_questions
from chronoscore.rubric.judge.client import Completion
from chronoscore.rubric.judge.judge import Judge, plan_judgements
from chronoscore.rubric.judge.outcome import outcome_of

__all__ = [
    "Completion",
    "Judge",
    "JudgeSession",
    "ask",
    "outcome_of",
    "plan_judgements",
    "run_questions",
]
