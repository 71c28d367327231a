"""The engine of a Dask cluster: an address, or one that is started here for the run."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from chronoscore.core.errors import UsageError
from chronoscore.engines.processes import TRIES, Lost

Job = TypeVar("Job")
Outcome = TypeVar("Outcome")


def run(
    work: Callable[[Job], Outcome],
    jobs: Iterable[Job],
    address: str,
    workers: int,
    show: Callable[[str], None],
    folder: Path,
) -> Iterator[Outcome | Lost[Job]]:
    """Do all jobs on a cluster; an empty address starts one on this machine.

    Workers of other machines must see the same files under the same paths. `show` gets the link
    of the dashboard, where there is one; `folder` is for what a cluster that is started here
    writes.
    """
    try:
        import dask  # noqa: PLC0415  # an extra
        from distributed import (  # noqa: PLC0415
            Client,
            KilledWorker,
            LocalCluster,
            as_completed,
        )
    except ImportError:
        raise UsageError("--engine dask needs: pip install 'chronoscore[dask]'") from None
    dask.config.set({"distributed.scheduler.allowed-failures": TRIES - 1})
    cluster = None
    try:
        if address:
            client = Client(address, timeout="10s")
        else:
            cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                dashboard_address=":0",
                local_directory=str(folder),
            )
            client = Client(cluster)
    except OSError as error:
        raise UsageError(f"there is no Dask scheduler at {address}: {error}") from None
    try:
        with suppress(KeyError):  # a scheduler that was started without one
            if client.dashboard_link:
                show(client.dashboard_link)
        known = {client.submit(work, job, pure=False): job for job in jobs}
        for future in as_completed(known):
            failed = future.exception()
            if isinstance(failed, KilledWorker):
                yield Lost(known[future], f"its worker died {TRIES} times")
            elif failed is not None:
                raise failed
            else:
                yield future.result()
    finally:
        client.close()
        if cluster is not None:
            cluster.close()
