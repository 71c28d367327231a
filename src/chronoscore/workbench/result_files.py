"""Saved results from uploads or from a folder: read and verified as the command line does."""

import re
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from chronoscore.core.result import (
    CaseMatches,
    CaseTexts,
    ResultDocument,
    encode,
    load,
    load_matches,
    load_texts,
    matches_path,
    saved_files,
    texts_path,
)
from chronoscore.engines.verifying import verify
from chronoscore.errors import ChronoscoreError, DataError, UsageError
from chronoscore.families import family
from chronoscore.reports.html.report import report
from chronoscore.workbench.security import LARGE, Upload, log
from chronoscore.workbench.store import Store, results
from chronoscore.workbench.store.database import json_lines, json_text
from chronoscore.workbench.store.results import NewResult

Thing = TypeVar("Thing")
_SIDECARS = (".matches.jsonl", ".texts.jsonl")
_MOST_FILES = 1000


@dataclass(frozen=True)
class ExplainedResult:
    """A result with the matches and texts that explain it."""

    result: ResultDocument
    matches: Sequence[CaseMatches] = ()
    texts: Sequence[CaseTexts] = ()

    @property
    def cases(self) -> list[str]:
        """The cases of all systems, in the order in which the report has them."""
        rows = (row for system in self.result.systems for row in system.rows)
        return [*dict.fromkeys(row.case for row in rows)]

    def new(self, name: str, folder: str = "") -> NewResult:
        """What is stored; documents are encoded again, so that equal ones have equal bytes."""
        sidecars = {"matches": json_lines(self.matches), "texts": json_lines(self.texts)}
        parts = {"result": encode(self.result), **{k: v for k, v in sidecars.items() if v}}
        listed: dict[str, str | int] = {
            "family": self.result.family,
            "protocol": self.result.protocol,
            "systems": json_text([system.name for system in self.result.systems]),
            "cases": len(self.cases),
        }
        return NewResult(name, folder, listed, parts)


def read_saved(path: Path) -> ExplainedResult:
    """Read a saved result and its sidecars; all problems are one DataError."""
    result = load(path)
    matches = load_matches(path, result) if matches_path(path).exists() else []
    texts = load_texts(path, result)
    if not result.systems:
        raise DataError.of("the result contains no system", path)
    try:
        verify(family(result.family), result, path)
    except UsageError as error:
        raise DataError.of(str(error), path) from None
    return ExplainedResult(result, matches, texts)


_CONTRADICTIONS = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError),
    *(StopIteration, TypeError, ValueError),
)


def careful(compute: Callable[[], Thing], name: str = "") -> Thing:
    """Compute something from a document of unknown origin: a failure is the document's fault."""
    try:
        return compute()
    except ChronoscoreError:
        raise
    except _CONTRADICTIONS as error:  # a document that fits its schema may contradict itself
        *_, place = traceback.extract_tb(error.__traceback__)
        where = f"{Path(place.filename).name}:{place.lineno}"
        log.warning("a result can't be shown: %s at %s", type(error).__name__, where)
        message = "the numbers of this result contradict each other: score and save it again"
        raise DataError.of(message, name) from None


def check_report(saved: ExplainedResult, name: str) -> None:
    """Check that a result can be shown before it is stored."""
    of = family(saved.result.family)
    careful(lambda: report(of, saved.result, saved.matches, saved.texts), name)


def read_uploads(uploads: Sequence[Upload]) -> list[NewResult]:
    """Read uploaded files, sidecars by the names of their documents, or raise all problems."""
    new: list[NewResult] = []
    problems: list[str] = []
    with TemporaryDirectory(prefix="chronoscore-") as name:
        folder = Path(name)
        paths: list[Path] = []
        for _, upload_name, content in uploads:
            path = folder / _plain_name(upload_name)
            if path.exists():
                problems.append(f"{path.name}: two files have this name")
            else:
                path.write_bytes(content)
                paths.append(path)
        documents = [path for path in paths if not path.name.endswith(_SIDECARS)]
        known = {of(path) for path in documents for of in (Path, matches_path, texts_path)}
        problems += [
            f"{path.name}: its document is not among the files"
            for path in paths
            if path not in known
        ]
        if not documents:
            problems.append("choose at least one result, as --save writes it")
        for path in documents:
            try:
                saved = read_saved(path)
                check_report(saved, path.name)
                new.append(saved.new(path.stem))
            except ChronoscoreError as error:
                problems += str(error).replace(f"{folder}/", "").splitlines()
    if problems:
        raise UsageError("\n".join(problems))
    return new


def _plain_name(upload_name: str) -> str:
    """A file's name without a path or odd characters, whatever the browser sends."""
    name = re.sub(r"[^\w. ()+=,-]", "_", Path(upload_name.replace("\\", "/")).name).strip(". ")
    stem, dot, ending = name.partition(".")
    return f"{stem[:80]}{dot}{ending[-60:]}" if stem else "file"


Stamp = tuple[tuple[int, int], ...]
"""Size and time of a file and of its sidecars."""
_UNSEEN: tuple[Stamp, list[str]] = ((), [])


class ResultsFolder:
    """A folder of saved results; a file is read again only when it, or a sidecar, changed."""

    def __init__(self, path: Path, patience: float = 3.0) -> None:
        self.path = path
        self.patience = patience
        """Seconds after which a page is shown with what was read by then."""
        self._seen: dict[Path, tuple[Stamp, list[str]]] = {}
        """What was read, and its problems."""
        self._lock = threading.Lock()

    def update(self, store: Store, by: int) -> list[str]:
        """Store what is new; returns the problems of files that can't be read.

        A result that was deleted in the workbench stays so, although its file is still there.
        """
        with self._lock:
            files, problems = self._files()
            self._seen = {file: self._seen[file] for file in files if file in self._seen}
            ends = time.monotonic() + self.patience
            stamps = {file: _stamp(file) for file in files}
            changed = [file for file in files if self._seen.get(file, _UNSEEN)[0] != stamps[file]]
            for place, file in enumerate(changed):
                if place and time.monotonic() > ends:
                    left = len(changed) - place
                    problems.append(f"{left} more files are new: open the page again")
                    break
                self._seen[file] = stamps[file], self._read(store, by, file)
            return problems + [line for file in files for line in self._seen.get(file, _UNSEEN)[1]]

    def _files(self) -> tuple[list[Path], list[str]]:
        if not self.path.is_dir():
            return [], [f"there is no folder {self.path}"]
        files = [file for file in saved_files(self.path) if not file.is_symlink()]
        problems = []
        if len(files) > _MOST_FILES:
            problems = [f"{self.path}: the first {_MOST_FILES} of {len(files)} files were read"]
        return files[:_MOST_FILES], problems

    def _read(self, store: Store, by: int, file: Path) -> list[str]:
        inside = file.relative_to(self.path)
        if sum(size for size, _ in _stamp(file)) > LARGE:
            return [f"{inside}: is left out, since it is larger than {LARGE // 2**20} MB"]
        printable = "".join(c if c.isprintable() else " " for c in file.stem).strip()
        try:
            saved = read_saved(file)
            new = saved.new(printable[:120] or "result", "/".join(inside.parent.parts))
            known = results.find(store, new.id)
            if known is None or not (known.gone or results.has(store, new)):
                check_report(saved, str(file))
                results.add(store, by, new)
        except DataError as error:
            if "not a Chronoscore result" in str(error):
                return []  # other files may lie here too
            return str(error).replace(f"{self.path}/", "").splitlines()
        return []


def _stamp(file: Path) -> Stamp:
    stamps = []
    for path in (file, *(file.with_suffix(ending) for ending in _SIDECARS)):
        try:
            stat = path.stat()
            stamps.append((stat.st_size, stat.st_mtime_ns))
        except OSError:
            stamps.append((-1, 0))
    return tuple(stamps)
