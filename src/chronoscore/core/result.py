"""The result: one versioned JSON document that every table, page and gate is made from.

A saved document carries a checksum of its content. Neither white space nor the order of keys
changes it; documents of earlier versions have none and are read all the same.
"""

import re
import sys
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from hashlib import blake2b
from mmap import ACCESS_READ, mmap
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from chronoscore.core.errors import DataError, Problem
from chronoscore.core.reading import Reading
from chronoscore.core.records import JsonError, as_json, misfits, parse_json, read_records
from chronoscore.core.result_checks import inconsistencies, strangers
from chronoscore.core.result_model import (
    FORMAT,
    VERSION,
    Agreement,
    CaseMatches,
    CaseTexts,
    CurvePoint,
    Interval,
    MetricInfo,
    Result,
    Summary,
    SystemResult,
    left_out_notice,
    unread_notice,
)
from chronoscore.core.rows_text import EMPTY, canonical_rows, text_of, without_rows
from chronoscore.core.sealing import FIELD, canonical, checksum
from chronoscore.core.writing import replaced

__all__ = [
    "FORMAT",
    "VERSION",
    "WRONG_CHECKSUM",
    "Agreement",
    "CaseMatches",
    "CaseTexts",
    "CurvePoint",
    "Interval",
    "MetricInfo",
    "Result",
    "Summary",
    "SystemResult",
    "decode",
    "encode",
    "format_of",
    "left_out_notice",
    "load",
    "load_matches",
    "load_texts",
    "matches_path",
    "save",
    "schema",
    "texts_path",
    "unread_notice",
    "without_checksum",
]

Tell = Callable[[str], None]
Item = TypeVar("Item", CaseMatches, CaseTexts)

# From each older version, a function that brings the plain document one version up.
_UPGRADES: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}


def encode(result: Result) -> bytes:
    """Write the document with its checksum; equal results give equal bytes."""
    return b"".join(_pieces(result))


def _pieces(result: Result) -> Iterator[bytes]:
    """The document piece by piece: many rows are never all text at once."""
    bare = [msgspec.structs.replace(system, rows=()) for system in result.systems]
    outline = msgspec.structs.replace(result, systems=tuple(bare))
    text = msgspec.json.format(msgspec.json.encode(outline), indent=1)
    head, *parts = text.removesuffix(b"\n}").split(EMPTY)
    found = blake2b()
    yield head
    for system, part in zip(result.systems, parts, strict=True):
        yield from text_of(system.rows, found.update)
        yield part
    sealed = _checksum(msgspec.to_builtins(outline), found.digest())
    yield f',\n "{FIELD}": "{sealed}"\n}}\n'.encode()


def without_checksum(document: bytes) -> bytes:
    """The bytes that `encode` gave, as they are for the same result without a checksum."""
    return _SEAL.sub(b"\n}\n", document)


_SEAL = re.compile(rf',\n "{FIELD}": "\w*"\n}}\n\Z'.encode())


def _checksum(outline: dict[str, Any], rows: bytes) -> str:
    """The checksum of a document: of its rows, and of all the rest without the rows."""
    systems = [{**system, "rows": []} for system in outline["systems"]]
    rest = {name: value for name, value in outline.items() if name != FIELD}
    return checksum([rows, canonical({**rest, "systems": systems})])


def decode(data: bytes | str, path: object = "", doubt: Tell | None = None) -> Result:
    """Read a document of this or any earlier version; a problem is an error that names it.

    A wrong checksum is an error, or is passed to `doubt` where that is given.
    """
    quick = _in_pieces(data, path, doubt) if isinstance(data, bytes) else None
    return quick if quick is not None else _decode(data, path, doubt)


def _in_pieces(data: bytes | mmap, path: object, doubt: Tell | None) -> Result | None:
    """Read many rows piece by piece, and the rest as ever; None if that can't be.

    It takes a third of the time and memory. Whoever wrote the rows otherwise, or has something
    wrong, is read as a whole.
    """
    found = blake2b()
    parts = without_rows(data, found.update)
    if parts is None or f'\n "version": {VERSION},'.encode() not in parts[0]:
        return None
    try:
        document = _document(parts[0])
        outline = _typed(document)
    except DataError:
        return None
    if len(outline.systems) != len(parts[1]):
        return None
    both = zip(outline.systems, parts[1], strict=True)
    systems = tuple(msgspec.structs.replace(system, rows=rows) for system, rows in both)
    return _checked(
        msgspec.structs.replace(outline, systems=systems), document, found.digest(), path, doubt
    )


def _decode(data: bytes | str, path: object, doubt: Tell | None) -> Result:
    document = _document(data, path)
    result = _typed(document, path)
    found = blake2b()
    for system in result.systems:
        found.update(canonical_rows(system.rows) + EMPTY)
    return _checked(result, document, found.digest(), path, doubt)


def _document(data: bytes | str, path: object = "") -> dict[str, Any]:
    """The plain document, brought up to this version."""
    document: Any
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
        raise DataError.of(f"the version is {as_json(version)}, expected a whole number", path)
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
    return dict(document)


def _typed(document: dict[str, Any], path: object = "") -> Result:
    try:
        return msgspec.convert(document, Result)
    except msgspec.ValidationError:
        wrong = [Problem(text, str(path)) for text in misfits(document, Result)]
        raise DataError(wrong) from None


WRONG_CHECKSUM = (
    "the checksum is wrong: the document was damaged or edited after it was saved; save it again "
    f"by the command that made it, or delete its '{FIELD}' to have it read as it is"
)


def _checked(
    result: Result, document: dict[str, Any], rows: bytes, path: object, doubt: Tell | None
) -> Result:
    """Refuse a document that fits the schema but contradicts itself, or is not what was saved."""
    problems = inconsistencies(result)
    if problems:
        raise DataError(Problem(problem, str(path)) for problem in problems)
    if FIELD in document and document[FIELD] != _checksum(document, rows):
        if doubt is None:
            raise DataError.of(WRONG_CHECKSUM, path)
        doubt(f"{path}: {WRONG_CHECKSUM}")
    return result


def schema() -> dict[str, Any]:
    """Give the JSON schema of the document."""
    document = msgspec.json.decode(msgspec.json.encode(msgspec.json.schema(Result)))
    document["$defs"]["Result"]["properties"][FIELD] = {"type": "string"}
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


def load(path: str | PathLike[str], doubt: Tell | None = None) -> Result:
    """Read a saved result; a wrong checksum is an error, or is passed to `doubt`."""
    path = Path(path)
    if path.is_file() and path.stat().st_size:
        with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
            quick = _in_pieces(data, path, doubt)
        if quick is not None:
            return quick
    reading = Reading(max_line=sys.maxsize - 2, lenient=True)  # blank is told below, as no JSON
    text = reading.text(path)
    reading.check()
    return decode(text or "", path, doubt)


def load_matches(path: Path, result: Result | None = None) -> list[CaseMatches]:
    """Read the matches that were saved beside a result; they must be of that result."""
    sidecar = matches_path(path)
    if not sidecar.exists():
        raise DataError.of(f"there is no {sidecar.name} beside it to explain the scores", path)
    found = _sidecar(sidecar, CaseMatches, result)
    if not found:
        raise DataError.of("there are no matches in the file", sidecar)
    return found


def load_texts(path: Path, result: Result | None = None) -> list[CaseTexts]:
    """Read the texts that were saved beside a result; none if there are none."""
    sidecar = texts_path(path)
    return _sidecar(sidecar, CaseTexts, result) if sidecar.exists() else []


def _sidecar(path: Path, kind: type[Item], result: Result | None) -> list[Item]:
    reading = Reading(max_line=sys.maxsize - 2, lenient=True)
    found = [item for _, item in read_records(path, kind, reading)]
    reading.check()
    if result is not None and (wrong := strangers(result, found)):
        messages = (f"belongs to another result: {text}; move it away" for text in wrong)
        raise DataError(Problem(message, str(path)) for message in messages)
    return found


def format_of(path: Path) -> str:
    """What a JSON file says its format is, such as chronoscore-result; else empty."""
    try:
        with path.open("rb") as file:
            head = file.read(200).removeprefix(BOM_UTF8)
            if found := _FORMAT.search(head):
                return found[1].decode()
            if not head.lstrip().startswith(b"{"):
                return ""
            return msgspec.json.decode(head + file.read(), type=_Named).format
    except (OSError, ValueError, RecursionError):
        return ""


class _Named(msgspec.Struct):
    format: str = ""


_FORMAT = re.compile(rb'^\s*\{\s*"format"\s*:\s*"([a-z-]*)"')
