"""The engine of several processes: a killed worker's task is run again, three times at most.

Workers are started afresh (spawn), get one task at a time through a pipe of their own, and hold
nothing between tasks; so it is always known which task a dead worker was at. Starting takes as long
as some hundred tasks, mostly for imports: so they import only what the work needs, and may be
started while the work is still being found.
"""

import multiprocessing
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from types import ModuleType
from typing import Any, Generic, TypeVar

Job = TypeVar("Job")
Outcome = TypeVar("Outcome")
TRIES = 3


@dataclass(frozen=True)
class Lost(Generic[Job]):
    """A task that was given up: every worker that took it died."""

    job: Job
    reason: str


@dataclass
class _Worker(Generic[Job]):
    process: SpawnProcess
    pipe: Connection
    job: Job | None = None


@dataclass
class Crew(Generic[Job, Outcome]):
    """Workers of one kind of work, who go when their time is over."""

    work: Callable[[Job], Outcome]
    """Must be importable by name."""
    prepare: Callable[[], object] = object
    """What a worker does before its first job."""
    workers: "list[_Worker[Job]]" = field(default_factory=list)

    def start(self) -> None:
        """Start one more."""
        self.workers.append(_started(self.work, self.prepare))


@contextmanager
def crew(
    work: Callable[[Job], Outcome], prepare: Callable[[], object], early: int
) -> Iterator[Crew[Job, Outcome]]:
    """Workers of whom some are started at once, before there is a job."""
    made = Crew(work, prepare)
    try:
        for _ in range(early):
            made.start()
        yield made
    finally:
        for worker in made.workers:
            worker.process.terminate()
        for worker in made.workers:
            worker.pipe.close()
            worker.process.join()


def run(
    work: Callable[[Job], Outcome], jobs: Iterable[Job], workers: int
) -> Iterator[Outcome | Lost[Job]]:
    """Do all jobs; outcomes come as they are ready. `work` must be importable by name."""
    with crew(work, object, 0) as made:
        yield from run_with(made, jobs, workers)


def run_with(
    made: Crew[Job, Outcome], jobs: Iterable[Job], workers: int
) -> Iterator[Outcome | Lost[Job]]:
    """Do all jobs with so many workers, of whom some may be there already."""
    waiting = deque(jobs)
    tries: dict[int, int] = {}
    running = made.workers
    while waiting or any(worker.job is not None for worker in running):
        while len(running) < min(workers, len(waiting) + len(running)):
            made.start()
        for worker in running:
            if worker.job is None and waiting:
                worker.job = waiting.popleft()
                _send(worker)
        ready = wait([w.pipe for w in running] + [w.process.sentinel for w in running])
        for worker in [w for w in running if w.pipe in ready or w.process.sentinel in ready]:
            outcome, alive = _received(worker)
            job, worker.job = worker.job, None
            if not alive:
                running.remove(worker)
                worker.pipe.close()
                worker.process.join()
            if outcome is not None:
                yield outcome[0]
            elif job is not None:
                tries[id(job)] = tries.get(id(job), 0) + 1
                if tries[id(job)] < TRIES:
                    waiting.appendleft(job)
                else:
                    code = worker.process.exitcode
                    yield Lost(job, f"its worker died {TRIES} times (exit code {code})")


def _started(work: Callable[[Job], Outcome], prepare: Callable[[], object]) -> _Worker[Job]:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(work, prepare, theirs), daemon=True)
    with _without_main():
        process.start()
    theirs.close()
    return _Worker(process, ours)


@contextmanager
def _without_main() -> Iterator[None]:
    """Hide the program that runs: a new process would import it, a command with all it needs."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _send(worker: _Worker[Job]) -> None:
    # A worker that is dead already is noticed when it is waited for.
    with suppress(BrokenPipeError, ConnectionResetError):
        worker.pipe.send(worker.job)


def _received(worker: _Worker[Job]) -> tuple[tuple[Any] | None, bool]:
    """What a worker sent, if anything, and whether it lives.

    One that has nothing to say was woken up for because it is ending, though the system may not
    have taken note of that yet.
    """
    with suppress(EOFError, ConnectionResetError, BrokenPipeError):
        if worker.pipe.poll():
            return (worker.pipe.recv(),), True
    return None, False


def _serve(work: Callable[[Job], Outcome], prepare: Callable[[], object], pipe: Connection) -> None:
    """What a worker does: one job after the other, until nobody asks any more."""
    with suppress(Exception):  # the first job will say what is wrong
        prepare()
    while True:
        try:
            job = pipe.recv()
        except (EOFError, KeyboardInterrupt):
            return
        try:
            pipe.send(work(job))
        except (BrokenPipeError, KeyboardInterrupt):
            return
