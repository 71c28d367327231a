"""The server: one process, on this machine unless --host differs, with a link for its owner."""

import logging
import signal
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import uvicorn

from chronoscore.errors import UsageError
from chronoscore.workbench.result_files import ResultsFolder
from chronoscore.workbench.routes import make_app
from chronoscore.workbench.routing import Workbench
from chronoscore.workbench.security import PublicAddress, plain_address
from chronoscore.workbench.store import Store
from chronoscore.workbench.store.people import invite, owner

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_ANYWHERE = ("0.0.0.0", "::", "")  # noqa: S104, RUF100  # asked for, never the default
_PATIENCE = 20.0
_STOP_SECONDS = 20
"""How long running requests may take to finish when the server is stopped."""


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens on a port, or UsageError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(256)  # requests wait until the server is ready
    except (OSError, OverflowError) as error:
        listening.close()
        raise UsageError(
            f"{host} port {port} can't be used ({error}); choose another with --port"
        ) from None
    return listening


def address_of(host: str, port: int, public: str | None) -> str:
    """The address that people use: the public one if there is one, else that of the host."""
    if public is None:
        if host in _ANYWHERE:
            raise UsageError(
                f"--host {host} is no address that people can open: name it with --address, "
                "such as --address https://judge.example.org"
            )
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    parts = urlsplit(public)
    with suppress(ValueError):  # the port may be none
        whole = parts.scheme in ("http", "https") and parts.hostname and parts.port is not False
        more = parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc
        if whole and not more:
            return f"{parts.scheme}://{parts.netloc.lower()}"
    raise UsageError(f"--address is '{public}', expected http(s)://HOST[:PORT] and no more")


def owner_link(store: Store, address: str) -> str:
    """A new one-time link for the owner."""
    return f"{address}/enter/{invite(store, owner(store).id, None)}"


def proxy_addresses(texts: Sequence[str]) -> tuple[str, ...]:
    """The addresses of trusted proxies in their canonical spelling, or UsageError."""
    addresses = []
    for text in texts:
        if (address := plain_address(text)) is None:
            expected = "the IP address from which the proxy connects, such as 127.0.0.1"
            raise UsageError(f"--trusted-proxy is '{text}', expected {expected}")
        addresses.append(address)
    return tuple(addresses)


def server(
    store: Store, address: str, results: Path | None = None, proxies: tuple[str, ...] = ()
) -> uvicorn.Server:
    """A server that logs refusals and errors, but neither addresses nor texts."""
    logging.getLogger("uvicorn.access").disabled = True
    folder = ResultsFolder(results) if results else None
    workbench = Workbench(store, PublicAddress(address), folder=folder, proxies=proxies)
    config = uvicorn.Config(
        make_app(workbench),
        http="h11",
        ws="none",
        loop="asyncio",
        lifespan="off",
        access_log=False,
        log_config=None,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_STOP_SECONDS,
    )
    return uvicorn.Server(config)


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """End the block as Ctrl-C does when the process receives SIGTERM.

    The server lets running requests finish first; what follows the block is done in any case.
    """
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def running(
    database: Path, host: str = "127.0.0.1", results: Path | None = None
) -> Iterator[tuple[Store, str]]:
    """Serve in the background, for a check or a test: the store and the address."""
    listening = bound(host, 0)
    address = address_of(host, listening.getsockname()[1], None)
    store = Store(database)
    background = server(store, address, results)
    thread = threading.Thread(target=background.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        ends = time.monotonic() + _PATIENCE
        while not background.started and thread.is_alive() and time.monotonic() < ends:
            time.sleep(0.01)
        yield store, address
    finally:
        background.should_exit = True
        thread.join(_PATIENCE)
        listening.close()
        store.close()
