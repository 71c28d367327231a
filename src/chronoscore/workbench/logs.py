"""Logs, as text or as a JSON object a line: no tokens, no addresses that hold one, no texts.

A request is logged by the pattern of its route, never by its path. Of an exception, the traceback
and the type are logged, but not its message, which may quote what somebody typed.
"""

import logging
import sqlite3
import time
import traceback
from datetime import UTC, datetime

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chronoscore.workbench.security import log, logged_method

ROUTE = "chronoscore.route"
"""Where a request holds the pattern of its route."""
_FIELDS = ("status", "method", "route", "duration_ms", "reason")


class RequestLog:
    """Logs each request with its status and duration; stands before everything else."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and log how it was answered."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        status, begun = 0, time.perf_counter()

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, sent)
        finally:
            duration = round(1000 * (time.perf_counter() - begun), 1)
            route, method = scope.get(ROUTE, ""), logged_method(scope)
            details = {"status": status, "method": method, "route": route, "duration_ms": duration}
            words = (method, route or "no route", status, duration)
            log.info("%s %s %s in %s ms", *words, extra={"event": "request", **details})


def frames(error: BaseException) -> str:
    """The traceback of an exception and of its causes, with types in place of messages."""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    before = f"{frames(cause)}\n" if cause else ""
    name = type(error).__name__
    if isinstance(error, sqlite3.Error) and hasattr(error, "sqlite_errorname"):
        name += f" {error.sqlite_errorname}"
    return f"{before}{''.join(traceback.format_tb(error.__traceback__))}{name}"


class TextFormatter(logging.Formatter):
    """Time, level and message; then the traceback of an error."""

    def format(self, record: logging.LogRecord) -> str:
        """Write a record."""
        line = f"{_time(record)} {record.levelname.lower()} {record.getMessage().strip()}"
        return f"{line}\n{frames(error)}" if (error := _error(record)) else line


class JsonFormatter(logging.Formatter):
    """A JSON object a line: time, level, event, message, and what is known of the request."""

    def format(self, record: logging.LogRecord) -> str:
        """Write a record."""
        line: dict[str, object] = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "event": getattr(record, "event", record.name),
            "message": record.getMessage().strip(),
        }
        line |= {name: getattr(record, name) for name in _FIELDS if hasattr(record, name)}
        if error := _error(record):
            line["traceback"] = frames(error)
        return msgspec.json.encode(line).decode()


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")


def _error(record: logging.LogRecord) -> BaseException | None:
    return record.exc_info[1] if record.exc_info else None


def set_up(form: str = "text", level: str = "warning") -> None:
    """Log to standard error from now on."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter() if form == "json" else TextFormatter())
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
