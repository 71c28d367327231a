"""Saved results from uploads or from a folder: read as the command line does, then looked over."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from chronoscore.core.errors import ChronoscoreError, DataError, UsageError
from chronoscore.core.result import (
    CaseMatches,
    CaseTexts,
    Result,
    encode,
    load,
    load_matches,
    load_texts,
    matches_path,
    texts_path,
)
from chronoscore.engines.verifying import verify
from chronoscore.families import family
from chronoscore.workbench.store.results import Kind, New

SIDECARS = (".matches.jsonl", ".texts.jsonl")


@dataclass(frozen=True)
class Saved:
    """A result with what explains it."""

    result: Result
    matches: Sequence[CaseMatches] = ()
    texts: Sequence[CaseTexts] = ()

    def new(self, name: str, folder: str = "") -> New:
        """What is kept of it: documents are written anew, so that equal ones have equal bytes."""
        parts: dict[Kind, bytes] = {"result": encode(self.result)}
        if self.matches:
            parts["matches"] = _lines(self.matches)
        if self.texts:
            parts["texts"] = _lines(self.texts)
        cases = {row.case for system in self.result.systems for row in system.rows}
        return New(
            name,
            folder,
            self.result.family,
            self.result.protocol,
            tuple(system.name for system in self.result.systems),
            len(cases),
            parts,
        )


def _lines(items: Sequence[msgspec.Struct]) -> bytes:
    return b"".join(msgspec.json.encode(item) + b"\n" for item in items)


def read_saved(path: Path) -> Saved:
    """Read a saved result and its sidecars; all that is wrong is one DataError."""
    result = load(path)
    matches = load_matches(path, result) if matches_path(path).exists() else []
    texts = load_texts(path, result)
    if not result.systems:
        raise DataError.of("the result contains no system", path)
    try:
        verify(family(result.family), result, path)
    except UsageError as error:
        raise DataError.of(str(error), path) from None
    return Saved(result, matches, texts)


def read_uploads(
    uploads: Sequence[tuple[str, str, bytes]], check: Callable[[Saved, str], None]
) -> tuple[list[New], list[str]]:
    """Read uploaded files, sidecars by the names of their documents; all problems are listed.

    `check` raises what else keeps a result from being shown.
    """
    found: list[New] = []
    problems: list[str] = []
    with TemporaryDirectory(prefix="chronoscore-") as name:
        folder = Path(name)
        written: list[Path] = []
        for _, given, content in uploads:
            path = folder / _plain_name(given)
            if path.exists():
                problems.append(f"{path.name}: two files have this name")
                continue
            path.write_bytes(content)
            written.append(path)
        documents = [path for path in written if not path.name.endswith(SIDECARS)]
        beside = {made(path) for path in documents for made in (matches_path, texts_path)}
        for path in written:
            if path.name.endswith(SIDECARS) and path not in beside:
                problems.append(f"{path.name}: its document is not among the files")
        if not documents:
            problems.append("choose at least one result, as --save writes it")
        for path in documents:
            try:
                one = read_saved(path)
                check(one, path.name)
                found.append(one.new(path.stem))
            except ChronoscoreError as error:
                problems += str(error).replace(f"{folder}/", "").splitlines()
    return found, problems


def _plain_name(given: str) -> str:
    """A name that is only a name, whatever the browser said."""
    name = re.sub(r"[^\w. ()+=,-]", "_", Path(given.replace("\\", "/")).name).strip(". ")
    stem, dot, ending = name.partition(".")
    return f"{stem[:80]}{dot}{ending[-60:]}" if stem else "file"
