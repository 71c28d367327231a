"""The result: one versioned JSON document that every table, page and gate is made from."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from mmap import ACCESS_READ, mmap
from os import PathLike
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from chronoscore.core.case import some
from chronoscore.core.errors import DataError, Problem
from chronoscore.core.evidence import Match, Row, Statistic
from chronoscore.core.reading import Reading
from chronoscore.core.records import JsonError, misfits, parse_json, read_records
from chronoscore.core.rows_text import EMPTY, text_of, without_rows
from chronoscore.core.writing import replaced

VERSION = 1
FORMAT: Final = "chronoscore-result"


class MetricInfo(msgspec.Struct, frozen=True):
    """What a column of the table is."""

    name: str
    label: str
    meaning: str
    scores: tuple[str, ...]
    primary: str
    statistics: tuple[Statistic, ...]
    shown: tuple[str, ...]
    curve: str = ""
    better: str = "higher"


class CurvePoint(msgspec.Struct, frozen=True):
    """The summed statistics and the scores of what reaches a threshold."""

    threshold: float
    statistics: tuple[int | float, ...]
    scores: dict[str, float | None]


class Interval(msgspec.Struct, frozen=True, omit_defaults=True):
    """Between which values a score is thought to lie."""

    low: float
    high: float
    level: float
    method: str
    """jackknife-t, bootstrap or bayes."""
    clusters: int
    """How many independent units it rests on; 0 for bayes, which draws none."""
    unit: str = ""
    """What these units are, such as topics."""
    coverage: float | None = None
    """How often such an interval really covers, where simulation shows that it is not the level."""
    draws: int | None = None
    """How many resamples were drawn, where that is fewer than usual."""


class Summary(msgspec.Struct, frozen=True, omit_defaults=True):
    """One metric on one group of cases. A score that is None is undefined."""

    metric: str
    group: dict[str, str]
    cases: int
    scores: dict[str, float | None]
    statistics: tuple[int | float, ...] = ()
    """Sums over the group's rows; they explain the score where the average is micro."""
    undefined: dict[str, int] = {}
    """How many cases had no value for a component before the policy was applied."""
    curve: tuple[CurvePoint, ...] = ()
    units: dict[str, int] = {}
    """How many of each level were averaged, for example golds and topics."""
    intervals: dict[str, Interval] = {}
    """By score, where intervals were asked for and can be had."""
    kind: Literal["cases", "value", "mean"] = "cases"
    """Whether the group is of whole cases, of the items that have a value, or the mean over all
    values."""


class Agreement(msgspec.Struct, frozen=True, omit_defaults=True):
    """How far raters agree on one criterion."""

    criterion: str
    coefficient: str
    value: float | None
    units: int
    ratings: int
    raters: int
    reason: str = ""
    """Why there is no value."""
    interval: Interval | None = None
    """Over clusters, such as articles."""
    no_interval: str = ""
    """Why there is a value and no interval."""


class SystemResult(msgspec.Struct, frozen=True):
    """All that is known of one system: its summaries and the rows they came from."""

    name: str
    signature: str
    summaries: tuple[Summary, ...]
    rows: Sequence[Row]
    """In the order of their cases; columns that make each row when it is looked at, if many."""


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """The whole result document."""

    format: Literal["chronoscore-result"] = FORMAT
    version: int = VERSION
    family: str
    protocol: str
    path: str
    undefined: str
    options: dict[str, str]
    metrics: tuple[MetricInfo, ...]
    systems: tuple[SystemResult, ...]
    agreement: tuple[Agreement, ...] = ()
    """Between raters, over all systems; only where people judged."""
    notices: tuple[str, ...] = ()
    left_out: int = 0
    """Cases that could not be read or measured, and are in none of the scores."""


def left_out_notice(cases: int) -> str:
    """What is said of a result that only a part of the cases is in."""
    many = "1 case was" if cases == 1 else f"{cases} cases were"
    return f"only a part was scored: {many} bad and left out, so the scores are of the others"


def unread_notice(places: list[str]) -> str:
    """What is said of lines that can't be read, so that nobody knows what lacks them."""
    if len(places) == 1:
        told = "1 line can't be read, and nobody knows whose it is: its case is scored without it"
    else:
        told = (
            f"{len(places)} lines can't be read, and nobody knows whose they are: "
            "their cases are scored without them"
        )
    return f"{told} ({some(places)})"


class CaseMatches(msgspec.Struct, frozen=True):
    """The matches of one metric on one case: a line of the sidecar file."""

    system: str
    case: str
    metric: str
    matches: tuple[Match, ...]


class CaseTexts(msgspec.Struct, frozen=True):
    """What the matches of a case speak of: the texts of both sides by the names in the matches.

    For timelines these are days and their sentences. A line of the second sidecar file.
    """

    system: str
    case: str
    gold: dict[str, tuple[str, ...]]
    predicted: dict[str, tuple[str, ...]]


# From each older version, a function that brings the plain document one version up.
_UPGRADES: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}


def encode(result: Result) -> bytes:
    """Write the document; equal results give equal bytes."""
    return b"".join(_pieces(result))


def _pieces(result: Result) -> Iterator[bytes]:
    """The document piece by piece: many rows are never all text at once."""
    bare = [msgspec.structs.replace(system, rows=()) for system in result.systems]
    outline = msgspec.structs.replace(result, systems=tuple(bare))
    text = msgspec.json.format(msgspec.json.encode(outline), indent=1) + b"\n"
    head, *parts = text.split(EMPTY)
    yield head
    for system, part in zip(result.systems, parts, strict=True):
        yield from text_of(system.rows)
        yield part


def decode(data: bytes | str, path: object = "") -> Result:
    """Read a document of this or any earlier version; what is wrong is said in words."""
    quick = _in_pieces(data) if isinstance(data, bytes) else None
    return quick if quick is not None else _decode(data, path)


def _in_pieces(data: bytes | mmap) -> Result | None:
    """Read many rows piece by piece, and the rest as ever; None if that can't be.

    It takes a third of the time and memory. Whoever wrote the rows otherwise, or has something
    wrong, is read as a whole.
    """
    parts = without_rows(data)
    if parts is None or f'\n "version": {VERSION},'.encode() not in parts[0]:
        return None
    try:
        outline = _decode(parts[0])
    except DataError:
        return None
    if len(outline.systems) != len(parts[1]):
        return None
    both = zip(outline.systems, parts[1], strict=True)
    systems = tuple(msgspec.structs.replace(system, rows=rows) for system, rows in both)
    return msgspec.structs.replace(outline, systems=systems)


def _decode(data: bytes | str, path: object = "") -> Result:
    try:
        document = parse_json(data if isinstance(data, str) else data.decode())
    except JsonError as error:
        raise DataError.of(str(error), path, error.line) from None
    except UnicodeDecodeError as error:
        raise DataError.of(f"byte {error.start + 1} is not UTF-8", path) from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        given = document.get("format") if isinstance(document, dict) else None
        known = isinstance(given, str) and given.startswith("chronoscore-")
        hint = f" but a {given}; a result is saved by the verb of one family" if known else ""
        raise DataError.of(f"this is not a Chronoscore result document{hint}", path)
    version = document.get("version")
    if not isinstance(version, int) or isinstance(version, bool):
        raise DataError.of(f"the version is {version!r}, expected a whole number", path)
    if version > VERSION:
        raise DataError.of(
            f"the result has version {version}, this program reads up to {VERSION}: "
            "update chronoscore",
            path,
        )
    while version < VERSION:
        if version not in _UPGRADES:
            raise DataError.of(f"there never was a result version {version}", path)
        document = _UPGRADES[version](document)
        version += 1
    try:
        result = msgspec.convert(document, Result)
    except msgspec.ValidationError:
        wrong = [Problem(text, str(path)) for text in misfits(document, Result)]
        raise DataError(wrong) from None
    _check_whole(result, path)
    return result


def _check_whole(result: Result, path: object) -> None:
    """Refuse a document that fits the schema but lacks what its own metrics promise."""
    known = {metric.name: metric for metric in result.metrics}
    problems = []
    for system in result.systems:
        for summary in system.summaries:
            metric = known.get(summary.metric)
            if metric is None:
                problems.append(f"{system.name}: a summary of the unknown '{summary.metric}'")
            elif not set(metric.scores) <= summary.scores.keys():
                lacking = ", ".join(sorted(set(metric.scores) - summary.scores.keys()))
                problems.append(f"{system.name}: the summary of {metric.name} lacks {lacking}")
    if problems:
        raise DataError(Problem(problem, str(path)) for problem in problems)


def schema() -> dict[str, Any]:
    """Give the JSON schema of the document."""
    document = msgspec.json.decode(msgspec.json.encode(msgspec.json.schema(Result)))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Chronoscore result, version 1",
        **document,
    }


def matches_path(path: Path) -> Path:
    """Where the matches of a saved result are: beside it."""
    return path.with_suffix(".matches.jsonl")


def texts_path(path: Path) -> Path:
    """Where the texts of a saved result are: beside it."""
    return path.with_suffix(".texts.jsonl")


def save(
    result: Result,
    matches: Sequence[CaseMatches],
    path: Path,
    texts: Sequence[CaseTexts] = (),
) -> None:
    """Write the document, and its matches and texts into sidecars beside it."""
    files: list[tuple[Path, Iterator[bytes]]] = [(path, _pieces(result))]
    files += [(matches_path(path), _lines(matches))] if matches else []
    files += [(texts_path(path), _lines(texts))] if texts else []
    with ExitStack() as stack:  # all take their places together, once all are written
        for place, pieces in files:
            draft = stack.enter_context(replaced(place))
            with draft.open("wb") as file:
                file.writelines(pieces)
            if draft == path:  # a stream, such as /dev/stdout: nothing can be beside it
                break


def _lines(items: Sequence[msgspec.Struct]) -> Iterator[bytes]:
    """One by one: they may be on disk themselves."""
    for item in items:
        yield msgspec.json.encode(item) + b"\n"


def load(path: str | PathLike[str]) -> Result:
    """Read a saved result."""
    path = Path(path)
    if path.is_file() and path.stat().st_size:
        with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
            quick = _in_pieces(data)
        if quick is not None:
            return quick
    reading = Reading(max_line=sys.maxsize - 2, lenient=True)  # blank is told below, as no JSON
    text = reading.text(path)
    reading.check()
    return decode(text or "", path)


def load_matches(path: Path) -> list[CaseMatches]:
    """Read the matches that were saved beside a result."""
    sidecar = matches_path(path)
    if not sidecar.exists():
        raise DataError.of(f"there is no {sidecar.name} beside it to explain the scores", path)
    reading = Reading(max_line=sys.maxsize - 2, lenient=True)
    found = [item for _, item in read_records(sidecar, CaseMatches, reading)]
    reading.check()
    if not found:
        raise DataError.of("there are no matches in the file", sidecar)
    return found


def load_texts(path: Path) -> list[CaseTexts]:
    """Read the texts that were saved beside a result; none if there are none."""
    sidecar = texts_path(path)
    if not sidecar.exists():
        return []
    reading = Reading(max_line=sys.maxsize - 2, lenient=True)
    found = [item for _, item in read_records(sidecar, CaseTexts, reading)]
    reading.check()
    return found
