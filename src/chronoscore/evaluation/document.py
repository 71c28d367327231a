"""The evaluation: the results of all families in one document, and the credit of each event."""

from pathlib import Path
from typing import Final, Literal

import msgspec

from chronoscore.core.records import (
    Warn,
    check_checksum,
    convert_document,
    format_of,
    parse_document,
    read_text,
)
from chronoscore.core.result import ResultDocument
from chronoscore.core.result.checks import inconsistencies
from chronoscore.core.writing import FIELD, json_text, sealed_document, write_file
from chronoscore.errors import DataError, Problem

VERSION = 1
FORMAT: Final = "chronoscore-evaluation"


class Skipped(msgspec.Struct, frozen=True):
    """A family that the evaluation leaves out, and why."""

    family: str
    reason: str


class Credit(msgspec.Struct, frozen=True, omit_defaults=True):
    """The credit that one metric gives an event."""

    family: str
    metric: str
    credit: float
    """The event's part of the numerator of precision, or of the score."""
    possible: float
    """The most that the event could earn."""
    gold: tuple[str, ...] = ()
    """The gold items that the event was matched with."""


class EventJudgement(msgspec.Struct, frozen=True):
    """One evaluator's judgement of an event."""

    evaluator: str
    score: float
    """The codebook's score, from 0 to 1."""
    values: dict[str, int]
    """The value of each criterion, by its name."""


class EventCredit(msgspec.Struct, frozen=True, omit_defaults=True):
    """One predicted event with its credits and its judgements."""

    system: str
    event: str
    topic: str = ""
    date: str = ""
    text: str = ""
    credits: tuple[Credit, ...] = ()
    judgements: tuple[EventJudgement, ...] = ()

    @property
    def mean_judgement(self) -> float | None:
        """The mean score that evaluators gave the event; None if nobody judged it."""
        scores = [judgement.score for judgement in self.judgements]
        return sum(scores) / len(scores) if scores else None


class EvaluationDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The whole document."""

    format: Literal["chronoscore-evaluation"] = FORMAT
    version: int = VERSION
    results: tuple[ResultDocument, ...]
    skipped: tuple[Skipped, ...] = ()
    events: tuple[EventCredit, ...] = ()
    notices: tuple[str, ...] = ()


def encode(evaluation: EvaluationDocument) -> bytes:
    """Write the document with its checksum; equal evaluations give equal bytes."""
    return json_text(sealed_document(msgspec.to_builtins(evaluation, enc_hook=list))).encode()


def save(evaluation: EvaluationDocument, path: Path) -> None:
    """Write the document into a file."""
    write_file(path, encode(evaluation))


def is_evaluation(path: Path) -> bool:
    """Whether a file is a saved evaluation."""
    return format_of(path) == FORMAT


def load(path: Path, warn: Warn | None = None) -> EvaluationDocument:
    """Read a saved evaluation; a problem is an error that names it.

    A wrong checksum is an error, or is passed to `warn` where that is given.
    """
    advice = "an evaluation is saved by chronoscore evaluate"
    document = parse_document(read_text(path), FORMAT, VERSION, path, advice)
    evaluation = convert_document(document, EvaluationDocument, path)
    names = [result.family for result in evaluation.results]
    wrong = [
        f"{result.family}: {problem}"
        for result in evaluation.results
        for problem in inconsistencies(result)
    ]
    wrong += [f"there are two results of {name}" for name in {*names} if names.count(name) > 1]
    if wrong:
        raise DataError(Problem(problem, str(path)) for problem in wrong)
    check_checksum(document, lambda: str(sealed_document(document)[FIELD]), path, warn)
    return evaluation
