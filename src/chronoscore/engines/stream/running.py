"""A run over files that are not held: index, cut, measure somewhere, unite, summarise."""

import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from chronoscore import __version__
from chronoscore.core.errors import DataError, Problem, UsageError
from chronoscore.core.ledger import Ledger, unite
from chronoscore.core.ledger_bytes import unpack
from chronoscore.core.reading import Reading
from chronoscore.core.result import CaseMatches, CaseTexts
from chronoscore.engines import cluster, processes
from chronoscore.engines.chance import DAY
from chronoscore.engines.scoring import Scored, assemble
from chronoscore.engines.settings import Settings
from chronoscore.engines.stream.chunks import Bad, Chunk, Done, Task, measure_chunk, measure_packed
from chronoscore.engines.stream.cutting import cut, reconciled
from chronoscore.engines.stream.index import Index, index_of, strays
from chronoscore.engines.stream.inputs import Inputs, check
from chronoscore.engines.stream.spool import Spooled, temporary
from chronoscore.engines.stream.work_folder import WorkFolder


@dataclass(frozen=True)
class Plan:
    """Where and how the work is done."""

    engine: str = "auto"
    """here, processes, dask, dask://address, or auto."""
    workers: int = 0
    """0 for one a core."""
    work: Path | None = None
    chunk: int = 0
    """Cases a chunk; 0 to cut by size."""
    strict: bool = False
    most_bad: int | None = None
    """Bad cases after which the run is stopped; None for any number."""


class Progress(msgspec.Struct, frozen=True):
    """How far a run is."""

    cases: int
    of: int
    seconds: float

    @property
    def rate(self) -> float:
        """Cases a second."""
        return self.cases / self.seconds if self.seconds > 0 else 0.0


class Manifest(msgspec.Struct, frozen=True):
    """What a run was: versions, counts, times and rates."""

    version: str
    engine: str
    workers: int
    cases: int
    chunks: int
    reused: int
    """Chunks that were there from a run before."""
    bad: int
    seconds: dict[str, float]
    rate: float
    """Cases a second while measuring."""
    inputs: dict[str, str]


@dataclass(frozen=True)
class Streamed:
    """A result, the cases that could not be measured, and what the run was."""

    scored: Scored
    bad: tuple[Bad, ...]
    manifest: Manifest


def stream(
    settings: Settings,
    inputs: Inputs,
    reading: Reading,
    plan: Plan,
    *,
    explain: bool = False,
    tell: Callable[[str], None] = lambda _: None,
    watch: Callable[[Progress], None] = lambda _: None,
) -> Streamed:
    """Score files in parts. The result is the same whatever the engine, the cut or the order."""
    check(inputs)
    if settings.family.sharding is None:
        raise UsageError(f"{settings.family.name} is not read in parts")
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="chronoscore-") as folder:
        gold, systems = _indexed(settings, inputs, Path(folder))
        indexed = time.monotonic()
        stray = strays([gold, *(index for own in systems.values() for index in own)])
        if stray and plan.strict:
            raise DataError(stray)
        notices = reconciled(settings.options, gold, systems)
        keys = gold.key.used()
        chunks = list(
            cut(_task(settings, inputs, reading, explain), plan.chunk, gold, systems, keys)
        )
        kept = WorkFolder.at(plan.work) if plan.work else None
        holder = None
        if kept is None and explain:
            kept, holder = temporary()
        digests = _input_digests(gold, systems)
        if plan.work and kept is not None:
            for name in kept.note_inputs(digests):
                tell(f"{name} has changed since the last run with {kept.home}")
        workers = plan.workers or os.cpu_count() or 1
        done, reused = _done(chunks, plan, workers, kept, tell, watch)
    measured = time.monotonic()
    bad = [one for outcome in done for one in outcome.bad]
    bad += [Bad(f"{p.path}:{p.line}", (p.message,)) for p in stray]
    bad.sort(key=lambda one: one.case)
    if bad and plan.strict:
        raise DataError(Problem(f"{one.case}: {reason}") for one in bad for reason in one.reasons)
    result = assemble(
        settings,
        {name: _united(name, done) for name in systems},
        notices=[*notices, *sorted({n for outcome in done for n in outcome.notices})],
    )
    matches: Sequence[CaseMatches] = ()
    texts: Sequence[CaseTexts] = ()
    if explain and kept is not None:
        parts, names = [one.digest for one in done], list(systems)
        matches = Spooled(kept, parts, names, lambda one: one.matches, holder)
        texts = Spooled(kept, parts, names, lambda one: one.texts, holder)
    seconds = {
        "index": indexed - started,
        "measure": measured - indexed,
        "summarise": time.monotonic() - measured,
    }
    engine = _engine(plan, workers, len(chunks))
    return Streamed(
        Scored(result, matches, texts),
        tuple(bad),
        Manifest(
            version=__version__,
            engine=engine,
            workers=1 if engine == "here" else workers,
            cases=len(keys),
            chunks=len(chunks),
            reused=reused,
            bad=len(bad),
            seconds=seconds,
            rate=len(keys) / seconds["measure"] if seconds["measure"] > 0 else 0.0,
            inputs=digests,
        ),
    )


def _indexed(
    settings: Settings, inputs: Inputs, folder: Path
) -> tuple[Index, dict[str, list[Index]]]:
    sharding = settings.family.sharding
    assert sharding is not None  # checked by the caller
    gold = index_of(inputs.gold, sharding, folder)
    systems = {
        name: [index_of(path, sharding, folder) for path in paths]
        for name, paths in inputs.systems.items()
    }
    if not gold.key.used():
        raise DataError.of("no line names the case that it belongs to", inputs.gold)
    return gold, systems


def _task(settings: Settings, inputs: Inputs, reading: Reading, explain: bool) -> Task:
    return Task(
        family=settings.family.name,
        metrics=tuple(str(metric) for metric in settings.metrics),
        options=dict(settings.options),
        reader=dict(inputs.reader),
        trials=inputs.trials,
        encoding=reading.encoding,
        max_line=reading.max_line,
        lenient=reading.lenient,
        explain=explain,
        parts=settings.chance is not None and settings.chance.unit == DAY,
    )


def _input_digests(gold: Index, systems: Mapping[str, Sequence[Index]]) -> dict[str, str]:
    every = [gold, *(index for own in systems.values() for index in own)]
    return {
        str(index.path): hashlib.sha256(index.lines.digest.tobytes()).hexdigest()[:16]
        for index in every
    }


def _engine(plan: Plan, workers: int, chunks: int) -> str:
    if plan.engine == "auto":
        return "processes" if workers > 1 and chunks > 2 else "here"
    return plan.engine


def _outcomes(
    chunks: Sequence[Chunk], plan: Plan, workers: int, tell: Callable[[str], None]
) -> Iterable[Any]:
    engine = _engine(plan, workers, len(chunks))
    if engine == "here":
        return map(measure_chunk, chunks)
    if engine == "processes":
        return processes.run(measure_packed, chunks, min(workers, max(len(chunks), 1)))
    if engine == "dask" or engine.startswith(("dask://", "tcp://", "tls://")):
        address = "" if engine == "dask" else engine.replace("dask://", "tcp://")
        return cluster.run(measure_packed, chunks, address, workers, tell)
    raise UsageError(f"no engine '{engine}': here, processes, dask or dask://HOST:PORT")


def _done(
    chunks: Sequence[Chunk],
    plan: Plan,
    workers: int,
    kept: WorkFolder | None,
    tell: Callable[[str], None],
    watch: Callable[[Progress], None],
) -> tuple[list[Done], int]:
    """What came of all chunks, in their order, and how many were there before."""
    found: dict[str, Done] = {}
    left = []
    digests = [chunk.digest for chunk in chunks]
    if kept is not None:
        for digest, chunk in zip(digests, chunks, strict=True):
            before = kept.kept(digest)
            if before is not None:
                found[digest] = _light(before)
            else:
                left.append(chunk)
    else:
        left = list(chunks)
    reused = len(found)
    cases = {digest: len(chunk.keys) for digest, chunk in zip(digests, chunks, strict=True)}
    total, started = sum(len(chunk.keys) for chunk in left), time.monotonic()
    ready = bad = 0
    for sent in _outcomes(left, plan, workers, tell):
        outcome = msgspec.msgpack.decode(sent, type=Done) if isinstance(sent, bytes) else sent
        if isinstance(outcome, processes.Lost):
            given_up: Chunk = outcome.job
            lost = tuple(Bad(key, (outcome.reason,)) for key in given_up.keys)
            outcome = Done(given_up.digest, {}, lost)
        elif kept is not None:
            kept.keep(outcome)
        found[outcome.digest] = _light(outcome)
        ready += cases[outcome.digest]
        bad += len(outcome.bad)
        if plan.most_bad is not None and bad > plan.most_bad:
            first = next(one for done in found.values() for one in done.bad)
            raise DataError.of(
                f"more than {plan.most_bad} cases are bad, first {first.case}: {first.reasons[0]}"
            )
        watch(Progress(ready, total, time.monotonic() - started))
    return [found[digest] for digest in digests], reused


def _light(done: Done) -> Done:
    """Without the matches and texts, which stay on disk."""
    return msgspec.structs.replace(done, matches=(), texts=())


def _united(system: str, done: Sequence[Done]) -> Ledger:
    return unite(*(unpack(one.ledgers[system]) for one in done if system in one.ledgers))
