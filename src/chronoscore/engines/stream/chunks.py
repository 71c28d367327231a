"""A chunk: some cases with the places of their lines, measured anywhere with one outcome."""

import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec
import numpy as np

from chronoscore import families
from chronoscore.core.case import digest
from chronoscore.core.collector import no_collector
from chronoscore.core.errors import DataError, Problem
from chronoscore.core.ledger import Ledger, unite
from chronoscore.core.ledger_bytes import pack
from chronoscore.core.reading import Reading
from chronoscore.core.result import CaseMatches, CaseTexts
from chronoscore.engines.here import measure, measured
from chronoscore.engines.stream.index import Lines


@dataclass(frozen=True)
class Task:
    """What is to be done with every chunk: only names and words, so that it can be sent."""

    family: str
    metrics: tuple[str, ...]
    options: Mapping[str, str]
    reader: Mapping[str, str]
    trials: bool
    encoding: str
    max_line: int
    lenient: bool
    explain: bool
    parts: bool


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some cases: of gold and of every file of every system, the lines that are theirs."""

    task: Task
    keys: tuple[str, ...]
    gold: tuple[str, Lines, tuple[int, ...]]
    """The file's name, its lines, and of each line the place of its key."""
    systems: Mapping[str, Sequence[tuple[str, Lines, tuple[int, ...]]]]

    @property
    def digest(self) -> str:
        """Stands for all that the outcome depends on."""
        sides = [self.gold, *(part for parts in self.systems.values() for part in parts)]
        content = [(name, lines.digest.tolist(), at) for name, lines, at in sides]
        return digest([msgspec.to_builtins(self.task), list(self.systems), self.keys, content])

    def only(self, place: int) -> "Chunk":
        """The chunk of a single case."""
        return Chunk(
            self.task,
            (self.keys[place],),
            _only(self.gold, place),
            {name: [_only(part, place) for part in parts] for name, parts in self.systems.items()},
        )


def _only(
    part: tuple[str, Lines, tuple[int, ...]], place: int
) -> tuple[str, Lines, tuple[int, ...]]:
    name, lines, at = part
    own = np.flatnonzero(np.array(at) == place)
    return name, lines.take(own), (0,) * len(own)


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
    matches: tuple[CaseMatches, ...] = ()
    texts: tuple[CaseTexts, ...] = ()


@dataclass
class _Found:
    ledgers: dict[str, list[Ledger]] = field(default_factory=dict)
    bad: list[Bad] = field(default_factory=list)
    notices: set[str] = field(default_factory=set)
    matches: list[CaseMatches] = field(default_factory=list)
    texts: list[CaseTexts] = field(default_factory=list)


def measure_chunk(chunk: Chunk) -> Done:
    """Measure all cases together; where one of them is bad, each alone, so that it stands alone."""
    with no_collector():
        return _measured(chunk)


def _measured(chunk: Chunk) -> Done:
    found = _Found()
    try:
        _measure(chunk, found)
    except Exception as error:  # whatever it is, it must not take other cases with it
        if len(chunk.keys) == 1:
            found = _Found(bad=[Bad(chunk.keys[0], _reasons(error))])
        else:
            found = _Found()
            for place in range(len(chunk.keys)):
                try:
                    _measure(chunk.only(place), found)
                except Exception as alone:
                    found.bad.append(Bad(chunk.keys[place], _reasons(alone)))
    return Done(
        chunk.digest,
        {system: pack(unite(*parts)) for system, parts in found.ledgers.items()},
        tuple(found.bad),
        tuple(sorted(found.notices)),
        tuple(found.matches),
        tuple(found.texts),
    )


def measure_packed(chunk: Chunk) -> bytes:
    """The same as bytes, as workers send it: so a result is written alike wherever it was made."""
    return msgspec.msgpack.encode(measure_chunk(chunk))


def _reasons(error: Exception) -> tuple[str, ...]:
    if isinstance(error, DataError):
        return tuple(str(problem) for problem in error.problems)
    return (f"{type(error).__name__}: {error}",)


def _measure(chunk: Chunk, found: _Found) -> None:
    task = chunk.task
    family = families.family(task.family)
    metrics = [family.metric(name) for name in task.metrics]
    reading = Reading(
        encoding=task.encoding, max_line=task.max_line, lenient=task.lenient, partial=True
    )
    with tempfile.TemporaryDirectory(prefix="chronoscore-") as folder:
        home = Path(folder)
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
            cases = families.reader(task.family)(gold, paths, reading, task.options, **task.reader)
            reading.check()
        except DataError as error:
            raise DataError(_placed(error.problems, lines)) from None
        measured_now: dict[str, Ledger] = {}
        for name, own in cases.items():
            if not task.explain and not task.parts:
                measured_now[name] = measured(family, own, metrics)
                continue
            rows = []
            kept = list(own)
            for row, matches in measure(
                family, kept, metrics, explain=task.explain, parts=task.parts
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
        found.notices |= {template(notice, lines) for notice in reading.notices}


def _written(folder: Path, part: tuple[str, Lines, tuple[int, ...]]) -> Path:
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
        path, line = own.names[0], None
        if problem.line and problem.line <= len(own):
            at = problem.line - 1
            path, line = own.names[own.file_at[at]], int(own.number[at])
        placed.append(replace(problem, path=path, line=line))
    return placed


def template(notice: Problem, lines: Mapping[Path, Lines]) -> str:
    """A notice without its numbers and names, which depend on how the work was cut."""
    own = lines.get(Path(notice.path)) if notice.path else None
    where = f"{own.names[0] if len(own.names) == 1 else 'shards'}: " if own is not None else ""
    words = re.sub(r"'[^']*'", "'…'", notice.message)
    return f"in parts of the input: {where}{re.sub(r'[0-9]+', 'some', words)}"
