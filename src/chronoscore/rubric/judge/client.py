"""The server of a judge model: its address and secrets, retries, and answers.

Only the address is ever shown; keys and headers appear in no representation and no message.
"""

import hashlib
import json
import os
import re
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from http import HTTPStatus
from math import isfinite
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

import msgspec

from chronoscore import __version__
from chronoscore.errors import UsageError

if TYPE_CHECKING:
    import httpx

PATH = "/chat/completions"
HIDDEN = "[hidden]"
FIRST_WAIT = 1.0
LARGEST_BODY = 16 * 1024 * 1024
Pause = Callable[[float], bool]
"""Waits some seconds; true if the run is to stop instead."""
# Keys of local servers, such as "none" or "x", are no secrets, and may be words of any text.
_SHORTEST_SECRET = 8
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_HEADERS = {"Content-Type": "application/json", "User-Agent": f"chronoscore/{__version__}"}
_LONGEST_MESSAGE = 300
_TRY_AGAIN = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS}
_HOPELESS: dict[int, str] = {
    HTTPStatus.UNAUTHORIZED: "is the key right?",
    HTTPStatus.PAYMENT_REQUIRED: "is there credit?",
    HTTPStatus.NOT_FOUND: "are --base-url and --model right?",
    HTTPStatus.METHOD_NOT_ALLOWED: "is --base-url right?",
}
_NO_CREDIT = "insufficient_quota"
_NO_SUCH_HOST = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}
_ERROR_NUMBER = re.compile(r"\[Errno -?\d+\] ?")


@dataclass(frozen=True)
class Endpoint:
    """An OpenAI-compatible server; its representation leaves out what is secret."""

    address: str = field(repr=False)
    """The full address of chat completions, with user, password and query."""
    shown: str
    """The address without user, password and query."""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @property
    def header_names(self) -> list[str]:
        """The names of the headers that are sent; their values may be secret."""
        return sorted(name for name, _ in self.headers)

    def clean(self, text: str) -> str:
        """Hide secrets in a server's message: some servers quote the key that they refuse."""
        for secret in self.secrets:
            text = text.replace(secret, HIDDEN)
        return text


def make_endpoint(base_url: str, *, key: str = "", headers: Sequence[str] = ()) -> Endpoint:
    """Make an endpoint from a base URL, a key and headers of the form NAME=VALUE.

    >>> make_endpoint("http://user:word@127.0.0.1:8000/v1/?a=b").shown
    'http://127.0.0.1:8000/v1/chat/completions'
    """
    try:
        url = urlsplit(base_url.strip())
        port = f":{url.port}" if url.port is not None else ""
    except ValueError:
        url, port = urlsplit(""), ""
    if url.scheme not in ("http", "https") or not url.hostname:
        raise UsageError("--base-url must be an address such as https://host/v1")
    path = url.path.rstrip("/")
    path = path if path.endswith(PATH) else path + PATH
    host = f"[{url.hostname}]" if ":" in url.hostname else url.hostname
    pairs = [_header(text) for text in headers]
    if key.strip() and "authorization" not in {name.lower() for name, _ in pairs}:
        pairs.append(("Authorization", f"Bearer {_sendable(key.strip(), 'the key')}"))
    secrets = [key.strip(), url.password or "", *(value for _, value in pairs)]
    secrets += [value.removeprefix("Bearer ") for _, value in pairs]
    secrets += [piece.partition("=")[2] for piece in url.query.split("&")]
    hidden = {secret for secret in secrets if len(secret) >= _SHORTEST_SECRET}
    hidden |= {json.dumps(text)[1:-1].replace("/", "\\/") for text in hidden}  # as JSON writes it
    return Endpoint(
        address=urlunsplit((url.scheme, url.netloc, path, url.query, "")),
        shown=urlunsplit((url.scheme, f"{host}{port}", path, "", "")),
        headers=tuple(pairs),
        # The longest first: a secret may contain another one, and must be replaced whole.
        secrets=tuple(sorted(hidden, key=len, reverse=True)),
    )


def key_from(variable: str) -> str:
    """Read the key from the environment; empty if there is none."""
    return os.environ.get(variable, "").strip()


def _header(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not _HEADER_NAME.fullmatch(name.strip()):
        # Not quoted: without a name it may be the secret itself.
        raise UsageError("--header: write NAME=VALUE, with a name of letters, digits and hyphens")
    return name.strip(), _sendable(value.strip(), f"the value of --header {name.strip()}")


def _sendable(value: str, name: str) -> str:
    if not value.isascii() or not value.isprintable():
        raise UsageError(f"{name} has characters that can't be sent in a header")
    return value


@dataclass(frozen=True)
class RetryPolicy:
    """The time limit of an answer, the number of retries, and the longest wait between tries."""

    timeout: float = 120.0
    retries: int = 5
    max_wait: float = 60.0

    def check(self) -> None:
        """Raise UsageError for settings that make no sense."""
        if not (isfinite(self.timeout) and self.timeout > 0):
            raise UsageError(f"--timeout is {self.timeout}, expected seconds above 0")
        if self.retries < 0:
            raise UsageError(f"--retries is {self.retries}, expected 0 or more")
        if not (isfinite(self.max_wait) and self.max_wait >= 0):
            raise UsageError(f"--max-wait is {self.max_wait}, expected 0 seconds or more")

    def wait(self, tries: int, salt: str, header: str | None, now: datetime | None = None) -> float:
        """Return the seconds to wait after that many tries; `header` is the server's Retry-After.

        >>> policy = RetryPolicy(max_wait=10)
        >>> policy.wait(1, "", "3"), policy.wait(1, "", "3600")
        (3.0, 10)
        """
        requested = retry_after(header, now or datetime.now(UTC))
        return min(self.max_wait, back_off(tries, salt) if requested is None else requested)


def retry_after(header: str | None, now: datetime) -> float | None:
    """Read Retry-After as seconds, from a number or a date; None if it is neither."""
    text = (header or "").strip()
    try:
        seconds = float(text)
    except ValueError:
        try:
            then = parsedate_to_datetime(text)
        except (ValueError, IndexError, TypeError):
            return None
        then = then if then.tzinfo else then.replace(tzinfo=UTC)
        return max(0.0, (then - now).total_seconds())
    return max(0.0, seconds) if isfinite(seconds) else None


def back_off(tries: int, salt: str) -> float:
    """Return the seconds to wait: doubled with each try, times a factor from 0.5 to 1.5.

    The factor is hashed from the request, so that requests that failed together are not repeated
    together, and a repeated run waits as long.

    >>> back_off(1, "a") == back_off(1, "a") != back_off(1, "b")
    True
    """
    fraction = int.from_bytes(hashlib.sha256(f"{salt}/{tries}".encode()).digest()[:4]) / 2**32
    return FIRST_WAIT * 2.0 ** min(tries - 1, 20) * (0.5 + fraction)


class Completion(msgspec.Struct, frozen=True):
    """A model's answer to one request, and its cost in tokens and seconds."""

    content: str
    """The raw reply."""
    finish: str = ""
    refusal: str = ""
    served_by: str = ""
    """The model's name as the server reports it."""
    tokens_in: int | None = None
    tokens_out: int | None = None
    latency: float = 0.0


class UnansweredError(Exception):
    """A request got no answer; the text says why."""


class RejectedError(UnansweredError):
    """The server does not accept this request."""

    def __init__(self, status: int, message: str, text: str) -> None:
        super().__init__(f"the server answered {status}: {message}")
        self.status = status
        self.text = text


class HopelessError(UnansweredError):
    """The server will accept no request at all, so that the run ends."""


class StoppedError(Exception):
    """The run was stopped while a request waited for its next try."""


class _FaultError(Exception):
    """A try failed in a way that may pass; `retry_after` is the server's header."""

    def __init__(self, reason: str, retry_after: str | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


def library() -> Any:
    """Return httpx, or name the command that installs it."""
    try:
        import httpx  # noqa: PLC0415  # an extra: replays never need it
    except ImportError:
        raise UsageError("judge models need a package: pip install 'chronoscore[judge]'") from None
    return httpx


@cache
def _certificates() -> Any:
    """The TLS context of all clients: reading the certificates takes longer than a request."""
    return library().create_ssl_context()


@contextmanager
def connection(policy: RetryPolicy, jobs: int) -> Iterator["httpx.Client"]:
    """Open a client for any number of threads; it follows no redirects, which would see the key."""
    httpx = library()
    limits = httpx.Limits(max_connections=jobs, max_keepalive_connections=jobs)
    try:
        client = httpx.Client(
            verify=_certificates(), timeout=policy.timeout, limits=limits, follow_redirects=False
        )
    except (ImportError, ValueError, httpx.InvalidURL):  # not quoted: it may hold a password
        raise UsageError("the proxy that the environment names can't be used") from None
    with client:
        yield client


def post(
    client: "httpx.Client",
    endpoint: Endpoint,
    body: Mapping[str, object],
    policy: RetryPolicy,
    *,
    salt: str,
    pause: Pause,
) -> Completion:
    """Send a request until there is an answer, or raise UnansweredError.

    A request is sent again after 429, 5xx, a time-out, a lost connection and a body that is cut or
    not a chat completion, but not if the server says that the request itself is wrong.
    """
    for tries in range(1, policy.retries + 2):
        try:
            return _try_once(client, endpoint, body, policy.timeout)
        except _FaultError as fault:
            if tries > policy.retries:
                times = f"{tries} tries" if tries > 1 else "1 try"
                raise UnansweredError(f"{fault} ({times})") from None
            if pause(policy.wait(tries, salt, fault.retry_after)):
                raise StoppedError from None
    raise AssertionError  # not reached: the last try returns or raises


def _try_once(
    client: "httpx.Client", endpoint: Endpoint, body: Mapping[str, object], timeout: float
) -> Completion:
    httpx = library()
    began = monotonic()
    try:
        with client.stream(
            "POST",
            endpoint.address,
            content=msgspec.json.encode(body),
            headers={**_HEADERS, **dict(endpoint.headers)},
        ) as response:
            raw = bytearray()
            for chunk in response.iter_bytes():
                raw += chunk
                # httpx's time-out is for each chunk, and chunks may drip for ever.
                if monotonic() - began > timeout:
                    raise _FaultError(f"the answer took longer than {timeout:g} s")
                if len(raw) > LARGEST_BODY:
                    raise _FaultError(f"the answer is larger than {LARGEST_BODY} bytes")
    except httpx.TimeoutException:
        raise _FaultError(f"no answer within {timeout:g} s") from None
    except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError):
        raise HopelessError("the address can't be used (is --base-url right?)") from None
    except (httpx.ConnectError, httpx.ProxyError) as error:
        reason = _ERROR_NUMBER.sub("", endpoint.clean(str(error)))
        if _no_such_host(error):
            raise HopelessError(f"no connection: {reason} (is --base-url right?)") from None
        raise _FaultError(f"no connection: {reason}") from None
    except (httpx.TransportError, httpx.DecodingError):
        raise _FaultError("the answer broke off") from None
    text = endpoint.clean(raw.decode(errors="replace"))
    _check_status(response.status_code, text, response.headers.get("retry-after"))
    return _answer(text, monotonic() - began)


def _no_such_host(error: BaseException | None) -> bool:
    """Whether the address names no host at all; a busy resolver has another error number."""
    while error is not None:
        if isinstance(error, socket.gaierror):
            return error.errno in _NO_SUCH_HOST
        error = error.__cause__ or error.__context__
    return False


def _check_status(status: int, text: str, header: str | None) -> None:
    """Raise the error of a status: try again, give up the request, or give up the run."""
    if status == HTTPStatus.OK:
        return
    message = _error_message(text)
    if status in _HOPELESS or _NO_CREDIT in text:
        hint = _HOPELESS.get(status, "is there credit?")
        raise HopelessError(f"the server answered {status}: {message} ({hint})")
    if status in _TRY_AGAIN or (status >= 500 and status != HTTPStatus.NOT_IMPLEMENTED):
        raise _FaultError(f"the server answered {status}: {message}", header)
    if status < 400:
        raise HopelessError(
            f"the server answered {status} and sends elsewhere (is --base-url right?)"
        )
    raise RejectedError(status, message, text)


def _error_message(text: str) -> str:
    """Return the message of an error, which servers wrap in several ways."""
    content: object = None
    with suppress(ValueError, RecursionError):
        content = msgspec.json.decode(text)
    for name in ("error", "message", "detail"):
        if isinstance(content, dict) and content.get(name):
            content = content[name]
    short = " ".join((content if isinstance(content, str) else text).split())
    cut = short[:_LONGEST_MESSAGE] + "..." if len(short) > _LONGEST_MESSAGE else short
    return cut or "(nothing)"


def _answer(text: str, latency: float) -> Completion:
    try:
        document = msgspec.json.decode(text)
        message = document["choices"][0]["message"]
        content, refusal = _text(message.get("content")), _text(message.get("refusal"))
        finish = document["choices"][0].get("finish_reason")
        usage = document.get("usage")
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        raise _FaultError(f"the answer is no chat completion: {_error_message(text)}") from None
    usage = usage if isinstance(usage, dict) else {}
    return Completion(
        content=content,
        finish=finish if isinstance(finish, str) else "",
        refusal=refusal,
        served_by=document["model"] if isinstance(document.get("model"), str) else "",
        tokens_in=_count(usage.get("prompt_tokens")),
        tokens_out=_count(usage.get("completion_tokens")),
        latency=round(latency, 3),
    )


def _text(content: object) -> str:
    """Return the text of a message; some servers send it in pieces."""
    if isinstance(content, list):
        pieces = (piece.get("text") for piece in content if isinstance(piece, dict))
        return "".join(piece for piece in pieces if isinstance(piece, str))
    return content if isinstance(content, str) else ""


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
