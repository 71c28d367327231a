"""The engine of a Dask cluster: an address, or one that is started here for the run."""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from chronoscore.core.errors import DataError, UsageError
from chronoscore.engines.processes import TRIES, Lost

LOOPBACK = "127.0.0.1"
"""Where only this machine can connect: a scheduler runs what anyone sends to it."""
ANY_PORT = f"{LOOPBACK}:0"
Job = TypeVar("Job")
Outcome = TypeVar("Outcome")


@dataclass(frozen=True)
class Place:
    """Where a cluster is, or is to be started."""

    address: str
    """Empty for one that is started on this machine and lasts as long as the run."""
    workers: int
    folder: Path
    """For what a cluster that is started here writes."""
    dashboard: str = ANY_PORT
    """The host and port of the dashboard of a cluster that is started here."""


def run(
    work: Callable[[Job], Outcome],
    jobs: Iterable[Job],
    place: Place,
    show: Callable[[str], None] = lambda _: None,
    tell: Callable[[str], None] = lambda _: None,
) -> Iterator[Outcome | Lost[Job]]:
    """Do all jobs on a cluster.

    Workers of other machines must see the same files under the same paths. `show` gets the link
    of the dashboard, where there is one; `tell` what else a person should know.
    """
    try:
        from distributed import KilledWorker, as_completed  # noqa: PLC0415  # an extra
    except ImportError:
        raise UsageError("--engine dask needs: pip install 'chronoscore[dask]'") from None
    with _client(place) as client:
        with suppress(KeyError):  # a scheduler that was started without one
            if client.dashboard_link:
                show(client.dashboard_link)
        if not client.scheduler_info()["workers"]:  # some clusters grow once there is work
            tell("the Dask scheduler has no workers yet; waiting for one")
        waiting = {client.submit(work, job, pure=False): job for job in jobs}
        for future in as_completed(list(waiting)):
            job = waiting.pop(future)
            failed = future.exception()
            if isinstance(failed, KilledWorker):
                yield Lost(job, f"its worker died {failed.allowed_failures + 1} times")
            elif failed is not None:
                reason = f"{type(failed).__name__}: {failed}".splitlines()[0]
                raise UsageError(
                    f"the Dask cluster can't do the work: {reason}; do its scheduler and its "
                    "workers have this version of chronoscore?"
                )
            else:
                yield future.result()
            future.release()  # else the cluster keeps every outcome to the end


@contextmanager
def _client(place: Place) -> Iterator[Any]:
    import dask  # noqa: PLC0415  # an extra
    from distributed import Client, LocalCluster  # noqa: PLC0415

    if place.address:
        try:
            client = Client(place.address, timeout="10s")
        except OSError as error:
            raise UsageError(f"there is no Dask scheduler at {place.address}: {error}") from None
        with client:
            yield client
        return
    # A scheduler that is there already has its own number.
    dask.config.set({"distributed.scheduler.allowed-failures": TRIES - 1})
    with ExitStack() as stack:
        try:
            cluster = LocalCluster(
                host=LOOPBACK,
                n_workers=place.workers,
                threads_per_worker=1,
                dashboard_address=place.dashboard,
                local_directory=str(place.folder),
                silence_logs=logging.CRITICAL,  # the errors below say it
            )
            client = stack.enter_context(Client(stack.enter_context(cluster)))
        except Exception as error:  # whatever a worker that dies, or a port that is taken, raises
            causes = [error, *filter(None, (error.__cause__, error.__context__))]
            reason = next((str(one) for one in reversed(causes) if str(one)), type(error).__name__)
            raise DataError.of(
                f"the Dask cluster can't be started on this machine: {reason.splitlines()[0]}; try "
                "fewer --workers, or --engine processes"
            ) from None
        yield client
