"""Checks before any page: hosts, origins, sizes, headers, and a limit on links that fail."""

import ipaddress
import logging
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger("chronoscore.workbench")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with none, browsers send no origin with forms
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
SAFE = ("GET", "HEAD")
SMALL = 256 * 1024
LARGE = 64 * 1024 * 1024
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class TooLargeError(Exception):
    """The request is larger than the workbench accepts."""


@dataclass(frozen=True)
class Place:
    """Where the workbench is reached: one address, and for this machine its other names."""

    origins: tuple[str, ...]

    @classmethod
    def of(cls, address: str) -> "Place":
        """The place of an address; on this machine localhost is as good as 127.0.0.1."""
        parts = urlsplit(address)
        host, port = parts.netloc.rpartition(":")[::2] if parts.port else (parts.netloc, "")
        names = LOOPBACK if host in LOOPBACK else (host,)
        ending = f":{port}" if port else ""
        return cls(tuple(f"{parts.scheme}://{name}{ending}".lower() for name in names))

    @property
    def secure(self) -> bool:
        """Whether people come by https."""
        return self.origins[0].startswith("https:")

    @property
    def hosts(self) -> tuple[str, ...]:
        """What a request may say it is for."""
        return tuple(origin.split("//")[1] for origin in self.origins)

    @property
    def cookie(self) -> str:
        """The session cookie's name: two workbenches on one machine don't share it."""
        port = self.origins[0].rpartition(":")[2]
        if self.secure:
            return "__Host-chronoscore"
        return f"chronoscore-{port}" if port.isdecimal() else "chronoscore"


@dataclass
class RateLimit:
    """Counts the links of each address that did not open of late. Links that open never wait."""

    most: int = 10
    seconds: float = 60.0
    clock: Callable[[], float] = time.monotonic
    _times: OrderedDict[str, list[float]] = field(default_factory=OrderedDict)
    _known: int = 10_000
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def failed(self, address: str) -> int:
        """Count a failure; the seconds to wait if there were too many already, else 0."""
        with self._lock:
            present = self.clock()
            recent = [t for t in self._times.get(address, ()) if present - t < self.seconds]
            if len(recent) >= self.most:
                return max(1, math.ceil(recent[0] + self.seconds - present))
            self._times[address] = [*recent, present]
            self._times.move_to_end(address)
            while len(self._times) > self._known:  # never more memory than this
                self._times.popitem(last=False)
            return 0


def client_address(peer: str, forwarded: str, proxies: Collection[str]) -> str:
    """The address of whoever asks: of the peer, or as a trusted proxy says.

    A proxy appends the address it was reached from to X-Forwarded-For. So the list is read from
    its end, as long as trusted proxies follow one another; the rest anybody can make up.

    >>> client_address("127.0.0.1", "made up, 10.0.0.7", ("127.0.0.1",))
    '10.0.0.7'
    >>> client_address("10.0.0.7", "10.0.0.1", ("127.0.0.1",))
    '10.0.0.7'
    """
    known = plain_address(peer) or peer
    for entry in reversed(forwarded.split(",")):
        address = plain_address(entry.strip())
        if known not in proxies or address is None:
            break
        known = address
    return known


def plain_address(text: str) -> str | None:
    """An IP address in its one plain spelling; None if the text is none."""
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return str(mapped or found)


class Guard:
    """Stands before the application: whatever is refused here has touched nothing."""

    def __init__(self, app: ASGIApp, place: Place, large: Callable[[str], bool]) -> None:
        self.app = app
        self.place = place
        self.large = large

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        wrong = self._wrong(scope, headers)
        most = LARGE if self.large(scope["path"]) else SMALL
        length = headers.get(b"content-length", "0")
        if wrong is None and (not length.isdecimal() or int(length) > most):
            wrong = 413, "too large", f"more than {most} bytes"
        if wrong is not None:
            status, why, told = wrong
            log.warning("refused %s: %s (%s)", status, why, scope["method"])
            await _answer(send, status, told)
            return
        await self._pass(scope, _counted(receive, most), send)

    def _wrong(self, scope: Scope, headers: dict[bytes, str]) -> tuple[int, str, str] | None:
        """Refuse what names another host, or comes from another site's page."""
        names = [value for name, value in scope["headers"] if name == b"host"]
        if len(names) != 1 or headers[b"host"].lower() not in self.place.hosts:
            return 421, "foreign host", "this is not the address of the workbench"
        if scope["method"] in SAFE:
            return None
        origin = headers.get(b"origin")
        if origin is not None:
            if origin.lower() not in self.place.origins:
                return 403, "foreign origin", "the form is from another site"
        elif headers.get(b"sec-fetch-site", "same-origin") != "same-origin":
            return 403, "foreign site", "the form is from another site"
        return None

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name for name, _ in message["headers"]}
                message["headers"] += [
                    (name.encode(), value.encode())
                    for name, value in HEADERS.items()
                    if name.encode() not in present
                ]
                if b"cache-control" not in present:
                    message["headers"].append((b"cache-control", b"no-store"))
            await send(message)

        await self.app(scope, receive, dressed)


def _counted(receive: Receive, most: int) -> Receive:
    """Count what comes in, whatever length was promised."""
    read = 0

    async def counted() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > most:
            raise TooLargeError
        return message

    return counted


async def _answer(send: Send, status: int, told: str) -> None:
    headers = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
    headers += [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": f"{told}\n".encode()})
