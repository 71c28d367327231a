"""Measuring chunks: on which engine, what is kept, and what came of each."""

import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from chronoscore.core.errors import DataError, Problem, UsageError
from chronoscore.engines import cluster, processes
from chronoscore.engines.stream.chunks import Bad, Chunk, Done, measure_chunk, measure_packed
from chronoscore.engines.stream.manifest import Progress
from chronoscore.engines.stream.work_folder import WorkFolder

_ADDRESSES = ("dask://", "tcp://", "tls://")
AUTO_BYTES = 6 * 1024 * 1024
"""Less than that is done here before other processes have started."""


@dataclass(frozen=True)
class Plan:
    """Where and how the work is done."""

    engine: str = "auto"
    """here, processes, dask, dask://address, or auto."""
    workers: int = 0
    """0 for one a core."""
    dashboard: str = cluster.ANY_PORT
    """The host and port of the dashboard, where the engine is dask."""
    work: Path | None = None
    chunk: int = 0
    """Cases a chunk; 0 to cut by size."""
    strict: bool = False
    most_bad: int | None = None
    """Bad cases, and lines that can't be read, after which the run is stopped; None for any
    number."""

    @property
    def most_workers(self) -> int:
        """As many as were asked for, or as there are cores."""
        return self.workers or os.cpu_count() or 1

    def __post_init__(self) -> None:
        """Refuse an engine that there is not, and numbers that mean nothing."""
        named = self.engine in ("auto", "here", "processes", "dask")
        if not named and not self.engine.startswith(_ADDRESSES):
            known = "here, processes, dask, dask://HOST:PORT"
            raise UsageError(f"unknown engine '{self.engine}'; there are: {known}")
        for name, number in (("workers", self.workers), ("chunk", self.chunk)):
            if number < 0:
                raise UsageError(f"{name} is {number}, expected 1, 2, ... or 0 for the default")
        host, _, port = self.dashboard.rpartition(":")
        if not host or not (port.isascii() and port.isdecimal()):
            raise UsageError(f"dashboard is '{self.dashboard}', expected HOST:PORT")
        if self.most_bad is not None and self.most_bad < 0:
            raise UsageError(f"most_bad is {self.most_bad}, expected 0, 1, 2, ...")


class Run:
    """The measuring of all chunks: where it is done, and what is known of it afterwards."""

    def __init__(
        self,
        plan: Plan,
        kept: WorkFolder | None,
        tell: Callable[[str], None],
        watch: Callable[[Progress], None],
        bad: Sequence[Bad],
        folder: Path,
        crew: processes.Crew[Chunk, bytes] | None = None,
        *,
        unread: Sequence[Problem] = (),
        caseless: frozenset[str] = frozenset(),
    ) -> None:
        self.plan, self.kept, self.tell, self.watch = plan, kept, tell, watch
        self.folder = folder
        self.crew = crew
        """Workers that are there already, for the engine of several processes."""
        self.bad = list(bad)
        self.unread = unread
        """Lines of nobody knows which case."""
        self.caseless = caseless
        """Keys of chunks that are no case."""
        self.workers = plan.most_workers
        self.engine = ""
        self.dashboard = ""
        self.measured = self.cases = 0
        """Chunks, and cases, that were not there from a run before."""

    def done(self, chunks: Sequence[Chunk]) -> list[Done]:
        """What came of all chunks, in their order."""
        found: dict[str, Done] = {}
        left: dict[str, Chunk] = {}
        digests = [chunk.digest for chunk in chunks]
        for digest, chunk in zip(digests, chunks, strict=True):
            before = self.kept.kept(digest) if self.kept is not None else None
            if before is not None:
                found[digest] = _light(before)
                self.bad += before.bad
            else:
                left[digest] = chunk
        if self.kept is not None and self.kept.damaged:
            number = len(self.kept.damaged)
            were = "1 finished part was" if number == 1 else f"{number} finished parts were"
            self.tell(
                f"{were} damaged, or of an older version, and measured again "
                f"(first {self.kept.damaged[0]})"
            )
        self.measured, started = len(left), time.monotonic()
        total = sum(self._cases(chunk) for chunk in left.values())
        self._check_bad()
        for sent in self._outcomes(list(left.values())):
            outcome = msgspec.msgpack.decode(sent, type=Done) if isinstance(sent, bytes) else sent
            if isinstance(outcome, processes.Lost):
                given_up: Chunk = outcome.job
                lost = tuple(Bad(key, (outcome.reason,)) for key in given_up.keys)
                outcome = Done(given_up.digest, {}, lost)
            elif outcome.wrong_call:  # not kept: the next call may be another
                raise UsageError(outcome.wrong_call)
            elif self.kept is not None:
                self.kept.keep(outcome)
            found[outcome.digest] = _light(outcome)
            self.cases += self._cases(left[outcome.digest])
            self.bad += outcome.bad
            self._check_bad()
            self.watch(Progress("measure", self.cases, total, time.monotonic() - started))
        return [found[digest] for digest in digests]

    def _cases(self, chunk: Chunk) -> int:
        return sum(key not in self.caseless for key in chunk.keys)

    def _check_bad(self) -> None:
        most = self.plan.most_bad
        if most is None or len(self.bad) + len(self.unread) <= most:
            return
        if self.unread:
            what, first = "cases or lines", str(self.unread[0])
        else:
            what, first = "cases", f"{self.bad[0].case}: {self.bad[0].reasons[0]}"
        raise DataError.of(f"more than {most} {what} are bad, first {first}")

    def _outcomes(self, chunks: Sequence[Chunk]) -> Iterable[Any]:
        engine = self.plan.engine
        if engine == "auto":
            size = sum(chunk.size for chunk in chunks)
            several = self.workers > 1 and len(chunks) > 2 and size >= AUTO_BYTES
            engine = "processes" if several else "here"
        self.engine = engine
        if engine == "here":
            return map(measure_chunk, chunks)
        if engine == "processes":
            self.workers = min(self.workers, max(len(chunks), 1))
            if self.crew is not None:
                return processes.run_with(self.crew, chunks, self.workers)
            return processes.run(measure_packed, chunks, self.workers)
        address = "" if engine == "dask" else engine.replace("dask://", "tcp://")
        place = cluster.Place(address, self.workers, self.folder, self.plan.dashboard)
        return cluster.run(measure_packed, chunks, place, self._show, self.tell)

    def _show(self, link: str) -> None:
        self.dashboard = link
        self.tell(f"the Dask dashboard is {link}")


def _light(done: Done) -> Done:
    """Without the matches and texts, which stay on disk."""
    return msgspec.structs.replace(done, matches=(), texts=())
