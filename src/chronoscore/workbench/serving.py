"""The server: one process, on this machine unless told otherwise, with a link for its owner."""

import logging
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from urllib.parse import urlsplit

import uvicorn

from chronoscore.core.errors import UsageError
from chronoscore.workbench.app import make_app
from chronoscore.workbench.security import plain_address
from chronoscore.workbench.store import Store
from chronoscore.workbench.store.people import invite, owner

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_ANYWHERE = ("0.0.0.0", "::", "")  # noqa: S104, RUF100  # asked for, never the default
_PATIENCE = 20.0
_LATE = ("workbench.results_folder", "workbench.results_boards", "workbench.results_comparing")


def bound(host: str, port: int) -> socket.socket:
    """Take a port, or say in words why it can't be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
        made.listen(256)  # who comes before the server is ready waits
    except (OSError, OverflowError) as error:
        made.close()
        raise UsageError(
            f"{host} port {port} can't be had ({error}); choose another with --port"
        ) from None
    return made


def address_of(host: str, port: int, public: str | None) -> str:
    """The address that people use: as told, else that of the host."""
    if public is None:
        if host in _ANYWHERE:
            raise UsageError(
                f"--host {host} is no address that people can open: name it with --address, "
                "such as --address https://judge.example.org"
            )
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    parts = urlsplit(public)
    try:
        good = parts.scheme in ("http", "https") and parts.hostname and parts.port is not False
    except ValueError:
        good = False
    if not good or parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc:
        raise UsageError(f"--address is '{public}', expected http(s)://HOST[:PORT] and no more")
    return f"{parts.scheme}://{parts.netloc.lower()}"


def owner_link(store: Store, address: str) -> str:
    """A new one-time link for the owner."""
    return f"{address}/enter/{invite(store, owner(store).id, None)}"


def proxy_addresses(given: Sequence[str]) -> tuple[str, ...]:
    """The addresses of trusted proxies in their plain spelling, or UsageError."""
    found = [(text, plain_address(text)) for text in given]
    for text, address in found:
        if address is None:
            raise UsageError(
                f"--trusted-proxy is '{text}', expected the IP address from which the proxy "
                "connects, such as 127.0.0.1"
            )
    return tuple(address for _, address in found if address)


def server(
    store: Store, address: str, results: Path | None = None, proxies: tuple[str, ...] = ()
) -> uvicorn.Server:
    """A server that logs refusals and errors, but neither addresses nor texts."""
    logging.getLogger("uvicorn.access").disabled = True
    folder = None
    if results is not None:
        folder = import_module("chronoscore.workbench.results_folder").Folder(results)
    config = uvicorn.Config(
        make_app(store, address, folder=folder, proxies=proxies),
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
        timeout_graceful_shutdown=5,
    )
    return uvicorn.Server(config)


def load_the_rest() -> None:
    """Load what only some pages need, once the first page can be there."""

    def load() -> None:
        for name in _LATE:
            import_module(f"chronoscore.{name}")

    later = threading.Timer(1.0, load)
    later.daemon = True
    later.start()


@contextmanager
def running(
    database: Path, host: str = "127.0.0.1", port: int = 0, results: Path | None = None
) -> Iterator[tuple[Store, str]]:
    """Serve in the background, for a check or a test: the store and the address."""
    held = bound(host, port)
    address = address_of(host, held.getsockname()[1], None)
    store = Store(database)
    made = server(store, address, results)
    thread = threading.Thread(target=made.run, kwargs={"sockets": [held]}, daemon=True)
    thread.start()
    try:
        ends = time.monotonic() + _PATIENCE
        while not made.started and thread.is_alive() and time.monotonic() < ends:
            time.sleep(0.01)
        yield store, address
    finally:
        made.should_exit = True
        thread.join(_PATIENCE)
        held.close()
        store.close()
