"""Checks before any route: hosts, origins, sizes, headers, and a limit on invalid links."""

import ipaddress
import logging
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chronoscore.errors import ChronoscoreError

log = logging.getLogger("chronoscore.workbench")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),  # with none, browsers send no origin with forms
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
]
SHARED = "/shared/"
"""Addresses below it are secrets of readers, who are not logged in."""
_OF_SECRET_ADDRESSES = [(b"referrer-policy", b"no-referrer"), (b"x-robots-tag", b"noindex")]
SAFE = ("GET", "HEAD")
_METHODS = (*SAFE, "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT")
SMALL = 256 * 1024
LARGE = 64 * 1024 * 1024
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
Upload = tuple[str, str, bytes]
"""Field of the form, name of the file, content."""


class TooLargeError(ChronoscoreError):
    """The request is larger than the workbench accepts."""

    status = 413

    def __init__(self) -> None:
        super().__init__("The request is too large. Send less at once.")


@dataclass(frozen=True)
class PublicAddress:
    """Where people reach the workbench."""

    url: str

    @cached_property
    def origins(self) -> tuple[str, ...]:
        """The origins of our own pages; on this machine localhost is as good as 127.0.0.1."""
        parts = urlsplit(self.url)
        host, port = parts.netloc.rpartition(":")[::2] if parts.port else (parts.netloc, "")
        names = LOOPBACK if host in LOOPBACK else (host,)
        ending = f":{port}" if port else ""
        return tuple(f"{parts.scheme}://{name}{ending}".lower() for name in names)

    @property
    def secure(self) -> bool:
        """Whether people use https."""
        return self.origins[0].startswith("https:")

    @cached_property
    def hosts(self) -> tuple[str, ...]:
        """The hosts that a request may name."""
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
    """Counts the recent invalid links of each address. Valid links never wait."""

    most: int = 10
    seconds: float = 60.0
    clock: Callable[[], float] = time.monotonic
    _times: OrderedDict[str, list[float]] = field(default_factory=OrderedDict)
    _known: int = 10_000
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def failed(self, address: str) -> int:
        """Count an invalid link; the seconds to wait if there were too many already, else 0."""
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
    """The address of the client: that of the peer, or the one that a trusted proxy reports.

    A proxy appends the address that connects to it to X-Forwarded-For. So the list is read from
    its end, as long as trusted proxies follow one another; anybody can make up the rest.

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
    """An IP address in its canonical spelling; None if the text is none."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return str(mapped or address)


def logged_method(scope: Scope) -> str:
    """The method of a request for the log: one that somebody makes up could be any text."""
    return str(scope["method"]) if scope["method"] in _METHODS else "other"


class SecurityMiddleware:
    """Stands before the application: a request that is refused here has touched nothing."""

    def __init__(self, app: ASGIApp, address: PublicAddress, large: Callable[[str], bool]) -> None:
        self.app = app
        self.address = address
        self.large = large
        """Whether files are uploaded to a path."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        refusal = self._check(scope, headers)
        most = LARGE if self.large(scope["path"]) else SMALL
        length = headers.get(b"content-length", "0")
        if refusal is None and (not length.isdecimal() or int(length) > most):
            refusal = 413, "too large", f"more than {most} bytes"
        if refusal is None:
            await self.app(scope, _limited(receive, most), _with_headers(send, scope["path"]))
            return
        status, reason, message = refusal
        details = {"status": status, "reason": reason, "method": logged_method(scope)}
        log.warning("refused %s: %s (%s)", *details.values(), extra={"event": "refused", **details})
        kind = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
        start = {"type": "http.response.start", "status": status, "headers": [*_HEADERS, *kind]}
        await send(start)
        await send({"type": "http.response.body", "body": f"{message}\n".encode()})

    def _check(self, scope: Scope, headers: dict[bytes, str]) -> tuple[int, str, str] | None:
        """Refuse a request that names another host, or comes from another site's page."""
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or headers[b"host"].lower() not in self.address.hosts:
            return 421, "foreign host", "this is not the address of the workbench"
        if scope["method"] in SAFE:
            return None
        origin = headers.get(b"origin")
        if origin is not None:
            if origin.lower() not in self.address.origins:
                return 403, "foreign origin", "the form is from another site"
        elif headers.get(b"sec-fetch-site", "same-origin") != "same-origin":
            return 403, "foreign site", "the form is from another site"
        return None


def _with_headers(send: Send, path: str) -> Send:
    """Add the security headers that an answer does not set itself."""
    secret = _OF_SECRET_ADDRESSES if path.startswith(SHARED) else ()

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name for name, _ in message["headers"]}
            ours = [*secret, (b"cache-control", b"no-store")]
            ours += [pair for pair in _HEADERS if pair[0] not in {name for name, _ in secret}]
            message["headers"] += [pair for pair in ours if pair[0] not in present]
        await send(message)

    return sent


def _limited(receive: Receive, most: int) -> Receive:
    """Count the bytes of a body, whatever length its header promised."""
    read = 0

    async def received() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > most:
            raise TooLargeError
        return message

    return received
