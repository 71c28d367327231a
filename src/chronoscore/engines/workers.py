"""Workers: processes of this machine, or those of a Dask cluster.

The job of a worker that is killed is run again, `TRIES` times at most.
"""

import logging
import multiprocessing
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, Generic, Self, TypeVar

from chronoscore.engines.plan import ANY_PORT, LOOPBACK
from chronoscore.errors import DataError, UsageError

Job = TypeVar("Job")
Outcome = TypeVar("Outcome")
TRIES = 3
CONNECTING = "10s"
"""How long a Dask scheduler is looked for."""


@dataclass(frozen=True)
class LostJob(Generic[Job]):
    """A job that was given up, since every worker that ran it died."""

    job: Job
    reason: str


@dataclass
class _Worker(Generic[Job]):
    process: SpawnProcess
    pipe: Connection
    job: Job | None = None


@dataclass
class WorkerPool(Generic[Job, Outcome]):
    """Processes that do one kind of work; they end with the `with` block.

    Each process is spawned, gets one job at a time through its own pipe, and keeps no state between
    jobs; so it is always known which job a dead worker had. Starting a process takes as long as
    some hundred jobs, mostly for imports: so workers import only what the work needs, and may be
    started while the jobs are still being prepared.
    """

    work: Callable[[Job], Outcome]
    """Must be importable by name."""
    prepare: Callable[[], object] = object
    """What a worker does before its first job."""
    early: int = 0
    """How many workers start at once, before there is a job."""
    workers: "list[_Worker[Job]]" = field(default_factory=list)

    def __enter__(self) -> Self:
        for _ in range(self.early):
            self._start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in self.workers:
            worker.process.terminate()
        for worker in self.workers:
            worker.pipe.close()
            worker.process.join()

    def map(self, jobs: Iterable[Job], workers: int) -> Iterator[Outcome | LostJob[Job]]:
        """Run all jobs with at most `workers` processes; yield outcomes as they are ready."""
        waiting = deque(jobs)
        tries: dict[int, int] = {}
        running = self.workers
        while waiting or any(worker.job is not None for worker in running):
            while len(running) < min(workers, len(waiting) + len(running)):
                self._start()
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
                        yield LostJob(job, f"its worker died {TRIES} times (exit code {code})")

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        parent_end, worker_end = context.Pipe()
        target = (self.work, self.prepare, worker_end)
        process = context.Process(target=_serve, args=target, daemon=True)
        with _without_main():
            process.start()
        worker_end.close()
        self.workers.append(_Worker(process, parent_end))


@contextmanager
def _without_main() -> Iterator[None]:
    """Hide the main module, which a new process would import with everything it needs."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _send(worker: _Worker[Job]) -> None:
    # A dead worker is noticed when its outcome is awaited.
    with suppress(BrokenPipeError, ConnectionResetError):
        worker.pipe.send(worker.job)


def _received(worker: _Worker[Job]) -> tuple[tuple[Any] | None, bool]:
    """Return what a worker sent, if anything, and whether it is alive.

    A worker that is ready but has sent nothing is ending, though the system may not show that yet.
    """
    with suppress(EOFError, ConnectionResetError, BrokenPipeError):
        if worker.pipe.poll():
            return (worker.pipe.recv(),), True
    return None, False


def _serve(work: Callable[[Job], Outcome], prepare: Callable[[], object], pipe: Connection) -> None:
    """Run one job after the other, until the parent closes the pipe."""
    with suppress(Exception):  # the first job reports the error
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


@dataclass(frozen=True)
class Cluster:
    """Where a cluster is, or how one is started."""

    address: str
    """Empty for a cluster that is started on this machine and lasts as long as the run."""
    workers: int
    folder: Path
    """Where a cluster that is started here writes its files."""
    dashboard: str = ANY_PORT
    """The host and port of the dashboard of a cluster that is started here."""


def run_on_cluster(
    work: Callable[[Job], Outcome],
    jobs: Iterable[Job],
    cluster: Cluster,
    show: Callable[[str], None] = lambda _: None,
    notify: Callable[[str], None] = lambda _: None,
) -> Iterator[Outcome | LostJob[Job]]:
    """Run all jobs on a cluster.

    Workers on other machines must see the same files under the same paths. `show` gets the link
    of the dashboard, where there is one; `notify` gets other messages for the user.
    """
    try:
        from distributed import KilledWorker, as_completed  # noqa: PLC0415  # an extra
    except ImportError:
        raise UsageError("--engine dask needs: pip install 'chronoscore[dask]'") from None
    with _client(cluster) as client:
        with suppress(KeyError):  # a scheduler without a dashboard
            if client.dashboard_link:
                show(client.dashboard_link)
        if not client.scheduler_info()["workers"]:  # some clusters start workers once there is work
            notify("the Dask scheduler has no workers yet; waiting for one")
        waiting = {client.submit(work, job, pure=False): job for job in jobs}
        for future in as_completed(list(waiting)):
            job = waiting.pop(future)
            failed = future.exception()
            if isinstance(failed, KilledWorker):
                yield LostJob(job, f"its worker died {failed.allowed_failures + 1} times")
            elif failed is not None:
                reason = f"{type(failed).__name__}: {failed}".splitlines()[0]
                raise UsageError(
                    f"the Dask cluster can't do the work: {reason}; do its scheduler and its "
                    "workers have this version of chronoscore?"
                )
            else:
                yield future.result()
            future.release()  # else the cluster stores every outcome to the end


@contextmanager
def _client(cluster: Cluster) -> Iterator[Any]:
    import dask  # noqa: PLC0415  # an extra
    from distributed import Client, LocalCluster  # noqa: PLC0415

    if cluster.address:
        try:
            client = Client(cluster.address, timeout=CONNECTING)
        except OSError as error:
            raise UsageError(f"there is no Dask scheduler at {cluster.address}: {error}") from None
        with client:
            yield client
        return
    # A scheduler that runs already has its own setting.
    dask.config.set({"distributed.scheduler.allowed-failures": TRIES - 1})
    with ExitStack() as stack:
        try:
            local = LocalCluster(
                host=LOOPBACK,
                n_workers=cluster.workers,
                threads_per_worker=1,
                dashboard_address=cluster.dashboard,
                local_directory=str(cluster.folder),
                silence_logs=logging.CRITICAL,  # the errors below are reported
            )
            client = stack.enter_context(Client(stack.enter_context(local)))
        except Exception as error:  # a dying worker or a used port may raise anything
            causes = [error, *filter(None, (error.__cause__, error.__context__))]
            reason = next(
                (str(cause) for cause in reversed(causes) if str(cause)), type(error).__name__
            )
            raise DataError.of(
                f"the Dask cluster can't be started on this machine: {reason.splitlines()[0]}; try "
                "fewer --workers, or --engine processes"
            ) from None
        yield client
