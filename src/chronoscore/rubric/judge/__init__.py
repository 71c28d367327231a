"""Judge models: evaluators of kind llm, asked through any OpenAI-compatible endpoint."""

from chronoscore.rubric.judge.asking import Desk, Verdict, settle
from chronoscore.rubric.judge.client import Answer, connection, post
from chronoscore.rubric.judge.endpoint import Endpoint, key_from, make_endpoint
from chronoscore.rubric.judge.files import check_files, files_of, write_files
from chronoscore.rubric.judge.judge import (
    Judge,
    ask_all,
    check_articles,
    make_parameters,
)
from chronoscore.rubric.judge.manifest import Manifest, make_manifest
from chronoscore.rubric.judge.outcome import Failure, Outcome, outcome_of
from chronoscore.rubric.judge.prompt import PROMPT_VERSION, messages, new_marker
from chronoscore.rubric.judge.running import Run, distinct, run, with_kept
from chronoscore.rubric.judge.waiting import Patience

__all__ = [
    "PROMPT_VERSION",
    "Answer",
    "Desk",
    "Endpoint",
    "Failure",
    "Judge",
    "Manifest",
    "Outcome",
    "Patience",
    "Run",
    "Verdict",
    "ask_all",
    "check_articles",
    "check_files",
    "connection",
    "distinct",
    "files_of",
    "key_from",
    "make_endpoint",
    "make_manifest",
    "make_parameters",
    "messages",
    "new_marker",
    "outcome_of",
    "post",
    "run",
    "settle",
    "with_kept",
    "write_files",
]
