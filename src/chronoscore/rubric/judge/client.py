"""Asking a server: one request, tried again while that may help, and one answer."""

import re
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from time import monotonic
from typing import TYPE_CHECKING, Any

import msgspec

from chronoscore import __version__
from chronoscore.core.errors import UsageError
from chronoscore.rubric.judge.endpoint import Endpoint
from chronoscore.rubric.judge.waiting import Patience

if TYPE_CHECKING:
    import httpx

Pause = Callable[[float], bool]
"""Waits some seconds; true if the run is to stop instead."""
_HEADERS = {"Content-Type": "application/json", "User-Agent": f"chronoscore/{__version__}"}
LARGEST_BODY = 16 * 1024 * 1024
_SHOWN = 300
_NOT_NOW = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS}
_NEVER: dict[int, str] = {
    HTTPStatus.UNAUTHORIZED: "is the key right?",
    HTTPStatus.PAYMENT_REQUIRED: "is there credit?",
    HTTPStatus.NOT_FOUND: "are --base-url and --model right?",
    HTTPStatus.METHOD_NOT_ALLOWED: "is --base-url right?",
}
_NO_CREDIT = "insufficient_quota"
_NO_SUCH_HOST = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}
_NUMBER = re.compile(r"\[Errno -?\d+\] ?")


@dataclass(frozen=True)
class Answer:
    """What a model said, and what it took."""

    content: str
    finish: str
    refusal: str
    model: str
    tokens_in: int | None
    tokens_out: int | None
    latency: float


class UnansweredError(Exception):
    """There is no answer to this request; its text says why."""


class RejectedError(UnansweredError):
    """The server does not take this request."""

    def __init__(self, status: int, said: str, text: str) -> None:
        super().__init__(f"the server answered {status}: {said}")
        self.status = status
        self.text = text


class HopelessError(UnansweredError):
    """The server will not take any request: asking on is of no use."""


class StoppedError(Exception):
    """The run was stopped while a request waited for its next try."""


class _FaultError(Exception):
    """A try failed in a way that may pass."""

    def __init__(self, why: str, told: str | None = None) -> None:
        super().__init__(why)
        self.told = told


def library() -> Any:
    """Give httpx, or say in one line how to get it."""
    try:
        import httpx  # noqa: PLC0415  # an extra: replays never need it
    except ImportError:
        raise UsageError("judge models need a package: pip install 'chronoscore[judge]'") from None
    return httpx


@contextmanager
def connection(patience: Patience, jobs: int) -> Iterator["httpx.Client"]:
    """Open a client that any number of threads may use; it follows no redirects with the key."""
    httpx = library()
    limits = httpx.Limits(max_connections=jobs, max_keepalive_connections=jobs)
    try:
        client = httpx.Client(timeout=patience.timeout, limits=limits, follow_redirects=False)
    except (ImportError, ValueError, httpx.InvalidURL):  # not quoted: it may hold a password
        raise UsageError("the proxy that the environment names can't be used") from None
    with client:
        yield client


def post(
    client: "httpx.Client",
    endpoint: Endpoint,
    body: Mapping[str, object],
    patience: Patience,
    *,
    salt: str,
    pause: Pause,
) -> Answer:
    """Send a request until there is an answer, or raise UnansweredError.

    It is tried again after 429, 5xx, a time-out, a lost connection and a body that is cut or no
    answer; not if the server says that the request itself is wrong.
    """
    for tries in range(1, patience.retries + 2):
        try:
            return _once(client, endpoint, body, patience.timeout)
        except _FaultError as fault:
            if tries > patience.retries:
                times = f"{tries} tries" if tries > 1 else "1 try"
                raise UnansweredError(f"{fault} ({times})") from None
            if pause(patience.wait(tries, salt, fault.told)):
                raise StoppedError from None
    raise AssertionError  # not reached: the last try returns or raises


def _once(
    client: "httpx.Client", endpoint: Endpoint, body: Mapping[str, object], timeout: float
) -> Answer:
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
                # The client's own time-out is for each piece, and pieces may drip for ever.
                if monotonic() - began > timeout:
                    raise _FaultError(f"the answer took longer than {timeout:g} s")
                if len(raw) > LARGEST_BODY:
                    raise _FaultError(f"the answer is larger than {LARGEST_BODY} bytes")
    except httpx.TimeoutException:
        raise _FaultError(f"no answer within {timeout:g} s") from None
    except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError):
        raise HopelessError("the address can't be used (is --base-url right?)") from None
    except (httpx.ConnectError, httpx.ProxyError) as error:
        why = _NUMBER.sub("", endpoint.clean(str(error)))
        if _no_such_host(error):
            raise HopelessError(f"no connection: {why} (is --base-url right?)") from None
        raise _FaultError(f"no connection: {why}") from None
    except (httpx.TransportError, httpx.DecodingError):
        raise _FaultError("the answer broke off") from None
    text = endpoint.clean(raw.decode(errors="replace"))
    _check(response.status_code, text, response.headers.get("retry-after"))
    return _answer(text, monotonic() - began)


def _no_such_host(error: BaseException | None) -> bool:
    """Whether the address names no host at all; a resolver that is only busy says otherwise."""
    while error is not None:
        if isinstance(error, socket.gaierror):
            return error.errno in _NO_SUCH_HOST
        error = error.__cause__ or error.__context__
    return False


def _check(status: int, text: str, told: str | None) -> None:
    """Sort what is not an answer: worth another try, no use for this request, or for any."""
    if status == HTTPStatus.OK:
        return
    said = _said(text)
    if status in _NEVER or _NO_CREDIT in text:
        hint = _NEVER.get(status, "is there credit?")
        raise HopelessError(f"the server answered {status}: {said} ({hint})")
    if status in _NOT_NOW or status >= 500:
        if status == HTTPStatus.NOT_IMPLEMENTED:
            raise RejectedError(status, said, text)
        raise _FaultError(f"the server answered {status}: {said}", told)
    if status < 400:
        raise HopelessError(
            f"the server answered {status} and sends elsewhere (is --base-url right?)"
        )
    raise RejectedError(status, said, text)


def _said(text: str) -> str:
    """The message of an error, as servers wrap it in several ways."""
    try:
        document = msgspec.json.decode(text)
    except (ValueError, RecursionError):
        document = None
    told: object = document
    for name in ("error", "message", "detail"):
        if isinstance(told, dict) and told.get(name):
            told = told[name]
    words = told if isinstance(told, str) else text
    short = " ".join(words.split())
    return (short[:_SHOWN] + "..." if len(short) > _SHOWN else short) or "(nothing)"


def _answer(text: str, latency: float) -> Answer:
    try:
        document = msgspec.json.decode(text)
        message = document["choices"][0]["message"]
        content, refusal = _text(message.get("content")), _text(message.get("refusal"))
        finish = document["choices"][0].get("finish_reason")
        usage = document.get("usage")
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        raise _FaultError(f"the answer is no chat completion: {_said(text)}") from None
    usage = usage if isinstance(usage, dict) else {}
    return Answer(
        content=content,
        finish=finish if isinstance(finish, str) else "",
        refusal=refusal,
        model=document["model"] if isinstance(document.get("model"), str) else "",
        tokens_in=_count(usage.get("prompt_tokens")),
        tokens_out=_count(usage.get("completion_tokens")),
        latency=round(latency, 3),
    )


def _text(content: object) -> str:
    """The text of a message; some servers give it in parts."""
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
