"""A chunk: some cases with the places of their lines, measured anywhere with one outcome."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from chronoscore import __version__, families
from chronoscore.core.case import digest
from chronoscore.core.collector import no_collector
from chronoscore.core.errors import DataError, Problem, UsageError
from chronoscore.core.folders import temporary_folder
from chronoscore.core.ledger import Ledger, unite
from chronoscore.core.ledger_bytes import pack
from chronoscore.core.reading import Reading
from chronoscore.core.result import CaseMatches, CaseTexts
from chronoscore.engines.here import measure, measured
from chronoscore.engines.stream.index import Lines
from chronoscore.engines.stream.notices import FileTally, placed_tallies, united


@dataclass(frozen=True)
class Task:
    """What is to be done with every chunk: only names and words, so that it can be sent."""

    family: str
    metrics: tuple[str, ...]
    functions: tuple[str, ...]
    """The user's functions that the metrics may call."""
    options: Mapping[str, str]
    reader: Mapping[str, str]
    trials: bool
    encoding: str
    max_line: int
    lenient: bool
    explain: bool
    days: bool
    by: tuple[str, ...] = ()
    """Names of the values that items are broken down by."""
    alike: bool = False
    """Whether the gold has one case only, so that a file may be taken as its prediction."""


Part: TypeAlias = tuple[str, Lines, NDArray[np.int32]]
"""A file's name, some of its lines, and of each line the place of its key."""


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some cases: of gold and of every file of every system, the lines that are theirs."""

    task: Task
    keys: tuple[str, ...]
    gold: Part
    systems: Mapping[str, Sequence[Part]]

    @property
    def digest(self) -> str:
        """Stands for all that the outcome depends on."""
        sides = [self.gold, *(part for parts in self.systems.values() for part in parts)]
        content = [(name, lines.digest.tolist(), at.tolist()) for name, lines, at in sides]
        task = msgspec.to_builtins(self.task)
        return digest([__version__, task, list(self.systems), self.keys, content])

    @property
    def size(self) -> int:
        """The bytes of all its lines."""
        sides = [self.gold, *(part for parts in self.systems.values() for part in parts)]
        return sum(int(lines.length.sum()) for _, lines, _ in sides)

    def part(self, begin: int, end: int) -> "Chunk":
        """The chunk of some of the cases."""
        return Chunk(
            self.task,
            self.keys[begin:end],
            _some(self.gold, begin, end),
            {name: [_some(p, begin, end) for p in parts] for name, parts in self.systems.items()},
        )


def _some(part: Part, begin: int, end: int) -> Part:
    name, lines, at = part
    own = np.flatnonzero((at >= begin) & (at < end))
    return name, lines.take(own), at[own] - np.int32(begin)


class Bad(msgspec.Struct, frozen=True):
    """A case that could not be measured, and why."""

    case: str
    reasons: tuple[str, ...]


class Done(msgspec.Struct, frozen=True):
    """What came of a chunk."""

    digest: str
    ledgers: dict[str, bytes]
    """By system, packed."""
    bad: tuple[Bad, ...] = ()
    notices: tuple[str, ...] = ()
    """Each of one case."""
    tallies: tuple[FileTally, ...] = ()
    matches: tuple[CaseMatches, ...] = ()
    texts: tuple[CaseTexts, ...] = ()
    counts: dict[str, int] = {}
    """What adds up over all parts."""
    wrong_call: str = ""
    """Why the whole run can't go on, as where a function of one's own failed; else empty."""


@dataclass
class _Found:
    ledgers: dict[str, list[Ledger]] = field(default_factory=dict)
    bad: list[Bad] = field(default_factory=list)
    notices: set[str] = field(default_factory=set)
    tallies: list[FileTally] = field(default_factory=list)
    matches: list[CaseMatches] = field(default_factory=list)
    texts: list[CaseTexts] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, other: "_Found") -> None:
        for system, parts in other.ledgers.items():
            self.ledgers.setdefault(system, []).extend(parts)
        self.notices |= other.notices
        self.tallies += other.tallies
        self.matches += other.matches
        self.texts += other.texts
        self.counts += other.counts


def measure_chunk(chunk: Chunk) -> Done:
    """Measure all cases together; where one of them is bad, the others without it.

    A wrong call is no case's fault: it is sent as words, since it must reach the parent from
    wherever this runs, and stops the run there.
    """
    found = _Found()
    try:
        with no_collector():
            _halved(chunk, found)
    except UsageError as error:
        return Done(chunk.digest, {}, wrong_call=str(error))
    return Done(
        chunk.digest,
        {system: pack(unite(*parts)) for system, parts in found.ledgers.items()},
        tuple(found.bad),
        tuple(sorted(found.notices)),
        united(found.tallies),
        tuple(found.matches),
        tuple(found.texts),
        dict(found.counts),
    )


def _halved(chunk: Chunk, found: _Found) -> None:
    """Halve what can't be measured, until what is bad stands alone."""
    tried = _Found()
    try:
        _measure(chunk, tried)
    except UsageError:
        raise
    except Exception as error:  # whatever it is, it must not take other cases with it
        if len(chunk.keys) == 1:
            found.bad.append(Bad(chunk.keys[0], _reasons(error)))
            return
        middle = len(chunk.keys) // 2
        _halved(chunk.part(0, middle), found)
        _halved(chunk.part(middle, len(chunk.keys)), found)
        return
    found.add(tried)


def measure_packed(chunk: Chunk) -> bytes:
    """The same as bytes, as workers send it: so a result is written alike wherever it was made."""
    return msgspec.msgpack.encode(measure_chunk(chunk))


def _reasons(error: Exception) -> tuple[str, ...]:
    if isinstance(error, DataError):
        return tuple(str(problem) for problem in error.problems)
    return (f"{type(error).__name__}: {error}",)


def _measure(chunk: Chunk, found: _Found) -> None:
    task = chunk.task
    family = families.part_family(task.family, task.reader)
    metrics = [family.metric(name).allowing(task.functions) for name in task.metrics]
    reading = Reading(
        encoding=task.encoding, max_line=task.max_line, lenient=task.lenient, partial=True
    )
    reading.alike = task.alike
    with temporary_folder() as home:
        gold = _written(home / "gold", chunk.gold)
        systems: dict[str, list[Path]] = {}
        lines = {gold: chunk.gold[1]}
        for number, (name, parts) in enumerate(chunk.systems.items()):
            systems[name] = []
            for trial, part in enumerate(parts):
                path = _written(home / f"{number}-{trial}", part)
                systems[name].append(path)
                lines[path] = part[1]
        paths = systems if task.trials else {name: own[0] for name, own in systems.items()}
        try:
            read = families.part_reader(task.family)
            cases = read(gold, paths, reading, task.options, **task.reader)
            reading.check()
        except DataError as error:
            raise DataError(_placed(error.problems, lines)) from None
        measured_now: dict[str, Ledger] = {}
        for name, own in cases.items():
            if not task.explain and not task.days:
                measured_now[name] = measured(family, own, metrics, task.by)
                continue
            rows = []
            kept = list(own)
            for row, matches in measure(
                family, kept, metrics, explain=task.explain, days=task.days, by=task.by
            ):
                rows.append(row)
                found.matches += [CaseMatches(name, row.case, m, got) for m, got in matches.items()]
            measured_now[name] = unite(rows)
            if task.explain and family.texts:
                for case in kept:
                    ours, theirs = family.texts(case)
                    found.texts.append(CaseTexts(name, case.id, dict(ours), dict(theirs)))
        for name, ledger in measured_now.items():
            found.ledgers.setdefault(name, []).append(ledger)
        found.notices |= {str(notice) for notice in _placed(reading.notices, lines)}
        found.tallies += placed_tallies(reading.tallies, lines)
        found.counts += reading.counts


def _written(folder: Path, part: Part) -> Path:
    """Lay the lines of a chunk out as a file of the same name, which readers may look at."""
    name, lines, _ = part
    folder.mkdir()
    path = folder / name
    with path.open("wb") as file:
        for line in lines.bytes():
            file.write(line if line.endswith(b"\n") else line + b"\n")
    return path


def _placed(problems: Iterable[Problem], lines: Mapping[Path, Lines]) -> list[Problem]:
    """Problems with the places that people know: the file and line that were given."""
    placed = []
    for problem in problems:
        own = lines.get(Path(problem.path)) if problem.path else None
        if own is None:
            placed.append(problem)
            continue
        path, line = own.called, None
        if problem.line and problem.line <= len(own):
            path, line = own.place(problem.line)
        message = _IN_LINE.sub(partial(_known, own, path), problem.message)
        for other, where in lines.items():
            named = rf"{re.escape(str(other))}:([0-9]+)"
            message = re.sub(named, partial(_known, where, ""), message)
        placed.append(replace(problem, message=message, path=path, line=line))
    return placed


_IN_LINE = re.compile(r"\bin line ([0-9]+)\b")


def _known(lines: Lines, path: str, found: re.Match[str]) -> str:
    """Another line that a message names, as people know it; `path` is where they are already."""
    number = int(found[1])
    if not 0 < number <= len(lines):
        return found[0]
    name, line = lines.place(number)
    if name == path:
        return f"in line {line}"
    return f"in {name}:{line}" if path else f"{name}:{line}"
