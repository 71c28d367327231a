"""The evaluation: the results of all families in one document, and what each event earned."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from chronoscore.core.errors import DataError, Problem
from chronoscore.core.reading import Reading
from chronoscore.core.records import JsonError, as_json, misfits, parse_json
from chronoscore.core.result import WRONG_CHECKSUM, Result, format_of
from chronoscore.core.result_checks import inconsistencies
from chronoscore.core.sealing import FIELD, sealed_document
from chronoscore.core.writing import write_file

VERSION = 1
FORMAT: Final = "chronoscore-evaluation"


class Skipped(msgspec.Struct, frozen=True):
    """A family that was not asked, and why."""

    family: str
    reason: str


class Credit(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one metric gave an event."""

    family: str
    metric: str
    credit: float
    """Its part of the numerator of precision, or of the score."""
    possible: float
    """What it could have earned."""
    gold: tuple[str, ...] = ()
    """What it was matched with."""


class Judged(msgspec.Struct, frozen=True):
    """What one evaluator said of an event."""

    evaluator: str
    score: float
    """The codebook's score, from 0 to 1."""
    values: dict[str, int]
    """By criterion."""


class EventCredit(msgspec.Struct, frozen=True, omit_defaults=True):
    """One predicted event beside all that is known of it."""

    system: str
    event: str
    topic: str = ""
    date: str = ""
    text: str = ""
    credits: tuple[Credit, ...] = ()
    judgements: tuple[Judged, ...] = ()


class Evaluation(msgspec.Struct, frozen=True, kw_only=True):
    """The whole document."""

    format: Literal["chronoscore-evaluation"] = FORMAT
    version: int = VERSION
    results: tuple[Result, ...]
    skipped: tuple[Skipped, ...] = ()
    events: tuple[EventCredit, ...] = ()
    notices: tuple[str, ...] = ()


def encode(evaluation: Evaluation) -> bytes:
    """Write the document with its checksum; equal evaluations give equal bytes."""
    document = sealed_document(msgspec.to_builtins(evaluation, enc_hook=list))
    return msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n"


def save(evaluation: Evaluation, path: Path) -> None:
    """Write the document into a file."""
    write_file(path, encode(evaluation))


def is_evaluation(path: Path) -> bool:
    """Whether a file is a saved evaluation."""
    return format_of(path) == FORMAT


def load(path: Path, doubt: Callable[[str], None] | None = None) -> Evaluation:
    """Read a saved evaluation; a problem is an error that names it.

    A wrong checksum is an error, or is passed to `doubt` where that is given.
    """
    reading = Reading(max_line=sys.maxsize - 2, lenient=True)
    text = reading.text(path)
    reading.check()
    try:
        document: Any = parse_json(text or "")
    except JsonError as error:
        raise DataError.of(str(error), path, error.line) from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise DataError.of("this is not a Chronoscore evaluation", path)
    if document.get("version") != VERSION:
        version = as_json(document.get("version"))
        raise DataError.of(
            f"the evaluation has version {version}, this program reads {VERSION}", path
        )
    try:
        found = msgspec.convert(document, Evaluation)
    except msgspec.ValidationError:
        raise DataError(Problem(p, str(path)) for p in misfits(document, Evaluation)) from None
    problems = [
        f"{result.family}: {problem}"
        for result in found.results
        for problem in inconsistencies(result)
    ]
    names = [result.family for result in found.results]
    problems += [f"there are two results of {name}" for name in {*names} if names.count(name) > 1]
    if problems:
        raise DataError(Problem(problem, str(path)) for problem in problems)
    if FIELD in document and sealed_document(document) != document:
        if doubt is None:
            raise DataError.of(WRONG_CHECKSUM, path)
        doubt(f"{path}: {WRONG_CHECKSUM}")
    return found
