"""A run over files that are not held: index, cut, measure somewhere, unite, summarise."""

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from chronoscore import __version__, families
from chronoscore.core.errors import DataError, Problem, UsageError
from chronoscore.core.folders import temporary_folder
from chronoscore.core.ledger import Ledger, unite
from chronoscore.core.ledger_bytes import unpack
from chronoscore.core.reading import Reading
from chronoscore.core.result import CaseMatches, CaseTexts, left_out_notice, unread_notice
from chronoscore.core.unpacking import is_packed
from chronoscore.engines import processes
from chronoscore.engines.chance import DAY
from chronoscore.engines.files import copy_notices
from chronoscore.engines.scoring import Scored, assemble
from chronoscore.engines.settings import Settings
from chronoscore.engines.stream.chunks import Bad, Chunk, Done, Task, measure_packed
from chronoscore.engines.stream.cutting import LEAST_BYTES, cut, named_alike, reconciled
from chronoscore.engines.stream.index import NAMELESS, Index, doubt_blank, index_of, strays
from chronoscore.engines.stream.inputs import Inputs, check, shards
from chronoscore.engines.stream.manifest import Manifest, Progress, most_memory, versions
from chronoscore.engines.stream.measuring import AUTO_BYTES, Plan, Run
from chronoscore.engines.stream.notices import shortened, told, united
from chronoscore.engines.stream.spool import Holder, Spooled, temporary
from chronoscore.engines.stream.work_folder import WorkFolder


@dataclass(frozen=True)
class Streamed:
    """A result, the cases that could not be measured, and what the run was."""

    scored: Scored
    bad: tuple[Bad, ...]
    manifest: Manifest
    counts: Mapping[str, int] = field(default_factory=dict)
    """What the family's reader counted in all parts."""
    unread: tuple[Problem, ...] = ()
    """Lines that can't be read, so that their cases are unknown and scored without them."""


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
    check(inputs, reading)
    if settings.family.sharding is None:
        raise UsageError(f"{settings.family.name} is not read in parts")
    clock = _Clock()
    before = len(reading.notices)
    with temporary_folder() as folder, _crew(inputs, plan) as crew:
        gold, systems = _indexed(settings, inputs, folder, reading, watch)
        every = [gold, *(index for own in systems.values() for index in own)]
        clock.stop("index")
        level = settings.family.levels[1]
        partners = reconciled(settings.options, gold, systems, level) if inputs.paired else []
        unread = tuple(strays(every))
        keys, bad = _keys(inputs, gold, every)
        if (bad or unread) and plan.strict:
            raise _strictly(bad, unread)
        caseless = _caseless(inputs, gold, keys)
        task = _task(settings, inputs, reading, explain, alike=len(gold.key.used()) == 1)
        chunks = list(cut(task, plan.chunk, gold, systems, keys, caseless)) if keys else []
        digests = _input_digests(every)
        kept, holder = _kept(plan, explain, digests, tell)
        clock.stop("cut")
        run = Run(plan, kept, tell, watch, bad, folder, crew, unread=unread, caseless=caseless)
        firsts = [chunk.keys[0] for chunk in chunks]
        done = run.done(chunks)
        if kept is not None:
            kept.remember_inputs()
        bad = sorted(run.bad, key=lambda one: one.case)
        size = _Size(
            len(keys) - len(caseless),
            len(chunks),
            sum(len(index.lines) for index in every),
            sum(int(index.lines.length.sum()) for index in every),
        )
        del gold, systems, every, keys, chunks  # room for the rows
    clock.stop("measure")
    if bad and plan.strict:
        raise _strictly(bad, unread)
    rows = {name: _united(name, done) for name in _systems(inputs, done)}
    clock.stop("unite")
    counts = sum((Counter(outcome.counts) for outcome in done), Counter[str]())
    notices = [*map(str, reading.notices[before:]), *_of_all_parts(done, partners)]
    notices += inputs.remarks(rows, counts) if inputs.remarks else ()
    notices += _doubted(settings, counts, reading)
    notices += copy_notices(settings, counts)
    notices += _lacking(bad, unread)
    result = assemble(settings, rows, notices=notices, left_out=len(bad))
    matches: Sequence[CaseMatches] = ()
    texts: Sequence[CaseTexts] = ()
    if explain and kept is not None:
        own = [*zip(firsts, (one.digest for one in done), strict=True)]
        matches = Spooled(kept, own, list(rows), lambda one: one.matches, holder)
        texts = Spooled(kept, own, list(rows), lambda one: one.texts, holder)
    clock.stop("summarise")
    manifest = _manifest(inputs, run, clock, size, digests)
    return Streamed(Scored(result, matches, texts), tuple(bad), manifest, counts, unread)


def _crew(
    inputs: Inputs, plan: Plan
) -> AbstractContextManager[processes.Crew[Chunk, bytes] | None]:
    """Workers who start while the files are indexed, where it is plain that they are needed."""
    size = sum(file.stat().st_size for path in inputs.all() for file in shards(path))
    enough = AUTO_BYTES if plan.engine == "auto" else 2 * LEAST_BYTES
    if plan.engine not in ("auto", "processes") or size < enough or plan.most_workers < 2:
        return nullcontext()
    few = plan.chunk and plan.engine == "auto"
    if few or (plan.work and plan.work.exists()):  # most parts may be there from before
        return nullcontext()
    prepare = partial(families.part_family, inputs.family, dict(inputs.reader))
    return processes.crew(measure_packed, prepare, min(plan.most_workers, size // LEAST_BYTES))


def _kept(
    plan: Plan, explain: bool, digests: dict[str, str], tell: Callable[[str], None]
) -> tuple[WorkFolder | None, Holder | None]:
    """Where finished chunks are kept, if anywhere, and what holds the folder if it is to go."""
    if not plan.work:
        return temporary() if explain else (None, None)
    kept = WorkFolder.at(plan.work)
    for notice in kept.note_inputs(digests):
        tell(notice)
    return kept, None


def _lacking(bad: Sequence[Bad], unread: Sequence[Problem]) -> list[str]:
    """Say what the scores are without."""
    notices = []
    if unread:
        notices.append(unread_notice([f"{line.path}:{line.line}" for line in unread]))
    if bad:
        notices.append(left_out_notice(len(bad)))
    return notices


def _strictly(bad: Sequence[Bad], unread: Sequence[Problem]) -> DataError:
    told = ((one.case, reason) for one in bad for reason in one.reasons)
    cases = (Problem(f"{case}: {reason}" if case else reason) for case, reason in told)
    return DataError([*unread, *cases])


class _Size(NamedTuple):
    """How much was read, and how it was cut."""

    cases: int
    chunks: int
    lines: int
    bytes: int


def _manifest(
    inputs: Inputs, run: Run, clock: "_Clock", size: _Size, digests: dict[str, str]
) -> Manifest:
    seconds = clock.seconds()
    done = {"index": size.bytes, "measure": run.cases, "total": size.cases}
    rates = {name: n / seconds[name] if seconds[name] else 0.0 for name, n in done.items()}
    return Manifest(
        version=__version__,
        versions=versions(run.engine, (file for path in inputs.all() for file in shards(path))),
        engine=run.engine,
        workers=1 if run.engine == "here" else run.workers,
        dashboard=run.dashboard,
        cases=size.cases,
        chunks=size.chunks,
        reused=size.chunks - run.measured,
        bad=len(run.bad),
        unread=len(run.unread),
        lines=size.lines,
        bytes=size.bytes,
        seconds=seconds,
        rate=rates["measure"],
        rates=rates,
        memory=most_memory(),
        inputs=digests,
    )


class _Clock:
    """Seconds of one stage after the other."""

    def __init__(self) -> None:
        self._times = [("", time.monotonic())]

    def stop(self, stage: str) -> None:
        self._times.append((stage, time.monotonic()))

    def seconds(self) -> dict[str, float]:
        found = {stage: end - start for (_, start), (stage, end) in pairwise(self._times)}
        return {**found, "total": self._times[-1][1] - self._times[0][1]}


def _indexed(
    settings: Settings,
    inputs: Inputs,
    folder: Path,
    reading: Reading,
    watch: Callable[[Progress], None],
) -> tuple[Index, dict[str, list[Index]]]:
    sharding = settings.family.sharding
    assert sharding is not None  # checked by the caller
    started, read = time.monotonic(), 0
    files = [file for path in inputs.all() for file in shards(path)]
    # How long packed files are is known when they are unpacked.
    total = 0 if any(map(is_packed, files)) else sum(file.stat().st_size for file in files)

    def told(more: int) -> None:
        nonlocal read
        read += more
        watch(Progress("index", read, total, time.monotonic() - started))

    words: dict[str, str] = {}
    read_one = partial(
        index_of,
        sharding=sharding,
        folder=folder,
        words=words,
        encoding=reading.encoding,
        max_line=reading.max_line,
        watch=told,
    )
    gold = read_one(inputs.gold)
    systems = {name: [read_one(path) for path in paths] for name, paths in inputs.systems.items()}
    doubt_blank([gold, *(index for own in systems.values() for index in own)], reading)
    reading.check()
    if not inputs.paired:
        return gold, systems
    if not gold.key.used():
        raise DataError.of("no line names the case that it belongs to", inputs.gold)
    return gold, named_alike(gold, systems)


def _keys(inputs: Inputs, gold: Index, every: Sequence[Index]) -> tuple[list[str], list[Bad]]:
    """The cases there are, and those that there should not be."""
    if inputs.paired:
        # Lines that name no case are looked at, too, though nothing may be scored by them.
        nameless = {index.nameless for index in every if index.nameless is not None}
        twice: dict[str, list[str]] = {}
        for index in every:
            for key, reasons in index.twice.items():
                twice.setdefault(key, []).extend(reasons)
        known = {*gold.key.used(), *nameless}
        bad = [Bad(key, tuple(reasons)) for key, reasons in twice.items() if key in known]
        return sorted(known - twice.keys()), bad
    keys = sorted({key for index in every for key in index.key.used()})
    if inputs.known is None:
        return keys, []
    strange = [key for key in keys if key not in inputs.known]
    bad = []
    for key in strange:
        where = next(place for index in every if (place := index.first(key)))
        told = f"event '{key}' is not among the events to be judged"
        if not key:
            told = (
                "the line does not name its event, so nobody can tell whether it was to be judged"
            )
        bad.append(Bad(key, (f"{where}: {told}",)))
    return [key for key in keys if key in inputs.known], bad


def _caseless(inputs: Inputs, gold: Index, keys: Sequence[str]) -> frozenset[str]:
    """The keys that are no cases, but of lines that belong to none."""
    if not inputs.paired:
        return frozenset()
    known = set(gold.key.used())
    if known != {NAMELESS}:
        known.discard(NAMELESS)
    return frozenset(key for key in keys if key not in known)


def _of_all_parts(done: Sequence[Done], partners: Sequence[str]) -> list[str]:
    """The notices of all parts together, and of what has no partner."""
    notices = told(united(tally for outcome in done for tally in outcome.tallies))
    return [*notices, *partners, *shortened({n for outcome in done for n in outcome.notices})]


def _doubted(settings: Settings, counts: Mapping[str, int], reading: Reading) -> list[str]:
    """What metrics name and no part has: an error, or a notice if the reading is lenient."""
    before = len(reading.notices)
    families.doubt_parts(settings.family.name, settings.metrics, counts, reading, settings.values)
    reading.check()
    return [str(notice) for notice in reading.notices[before:]]


def _systems(inputs: Inputs, done: Sequence[Done]) -> list[str]:
    if inputs.paired:
        return list(inputs.systems)
    return sorted({name for outcome in done for name in outcome.ledgers})


def _task(
    settings: Settings, inputs: Inputs, reading: Reading, explain: bool, *, alike: bool
) -> Task:
    return Task(
        family=settings.family.name,
        metrics=tuple(str(metric) for metric in settings.metrics),
        functions=settings.allowed_functions(),
        options=dict(settings.options),
        reader=dict(inputs.reader),
        trials=inputs.trials,
        encoding=reading.encoding,
        max_line=reading.max_line,
        lenient=reading.lenient,
        explain=explain,
        days=settings.chance is not None and settings.chance.unit == DAY,
        by=settings.values,
        alike=alike,
    )


def _input_digests(every: Sequence[Index]) -> dict[str, str]:
    return {
        str(index.path): hashlib.sha256(index.lines.digest.tobytes()).hexdigest()[:16]
        for index in every
    }


def _united(system: str, done: Sequence[Done]) -> Ledger:
    """The rows of a system; what was packed goes as it is unpacked, so that it is held once."""
    return unite(*(unpack(one.ledgers.pop(system)) for one in done if system in one.ledgers))
