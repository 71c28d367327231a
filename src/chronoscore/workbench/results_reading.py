"""Saved results from uploads or from a folder: read as the command line does, then looked over."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from chronoscore.core.errors import ChronoscoreError, DataError, Problem, UsageError
from chronoscore.core.family import UNDEFINED_POLICIES
from chronoscore.core.result import (
    CaseMatches,
    CaseTexts,
    Result,
    SystemResult,
    encode,
    load,
    load_matches,
    load_texts,
    matches_path,
    texts_path,
)
from chronoscore.core.signature import Signature
from chronoscore.families import family
from chronoscore.statistics.averaging import Path as AveragingPath
from chronoscore.workbench.store.results import Kind, New

SIDECARS = (".matches.jsonl", ".texts.jsonl")
_MOST_SHOWN = 20


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
    matches = load_matches(path) if matches_path(path).exists() else []
    texts = load_texts(path) if texts_path(path).exists() else []
    problems = [*unfit(result), *_of_another(result, matches, texts)]
    if problems:
        raise DataError(Problem(problem, str(path)) for problem in problems)
    return Saved(result, matches, texts)


def unfit(result: Result) -> list[str]:
    """What keeps a document that fits its schema from being shown."""
    problems: list[str] = []
    try:
        AveragingPath.parse(result.path, family(result.family).levels)
    except UsageError as error:
        problems.append(str(error))
    if result.undefined not in UNDEFINED_POLICIES:
        problems.append(f"undefined is '{result.undefined}', expected one of {_policies()}")
    names = [system.name for system in result.systems]
    if not names:
        problems.append("there is no system in it")
    problems += [f"two systems are named '{name}'" for name in names if names.count(name) > 1]
    for system in result.systems:
        try:
            Signature.parse(system.signature)
        except UsageError as error:
            problems.append(f"{system.name}: {error}")
        problems += _unfit_rows(result, system)
    return [*dict.fromkeys(problems)][:_MOST_SHOWN]


def _policies() -> str:
    return ", ".join(UNDEFINED_POLICIES)


def _unfit_rows(result: Result, system: SystemResult) -> list[str]:
    wanted = {metric.name: len(metric.statistics) for metric in result.metrics}
    problems = []
    seen: set[str] = set()
    for row in system.rows:
        where = f"{system.name}, case '{row.case}'"
        if row.case in seen:
            problems.append(f"{where}: is there twice")
        seen.add(row.case)
        for metric, number in wanted.items():
            found = row.statistics.get(metric, ())
            if len(found) != number:
                problems.append(f"{where}: {len(found)} statistics of {metric}, expected {number}")
            elif not all(map(math.isfinite, found)):
                problems.append(f"{where}: a statistic of {metric} is not finite")
        if len(problems) > _MOST_SHOWN:
            break
    return problems


def _of_another(
    result: Result, matches: Sequence[CaseMatches], texts: Sequence[CaseTexts]
) -> list[str]:
    """Sidecars must speak of what is in the document."""
    cases = {(system.name, row.case) for system in result.systems for row in system.rows}
    metrics = {metric.name for metric in result.metrics}
    wrong = [
        f"matches of {m.system}, '{m.case}'" for m in matches if (m.system, m.case) not in cases
    ]
    wrong += [f"matches of the metric {m.metric}" for m in matches if m.metric not in metrics]
    wrong += [f"texts of {t.system}, '{t.case}'" for t in texts if (t.system, t.case) not in cases]
    return [f"{one}: are beside it, and of another result" for one in dict.fromkeys(wrong)][:5]


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
