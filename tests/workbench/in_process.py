"""Asks an application within this process, by an event loop that all clients share.

The loop and its threads stay, as those of a server do; a client that starts and ends them for each
request needs twice the time.
"""

import asyncio
import contextvars
import os
import threading
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any

import httpx2

Message = dict[str, Any]


class Transport(httpx2.BaseTransport):
    """Hands requests to an application, and raises its errors."""

    def __init__(self, app: Any, client: str) -> None:
        self.app, self.client = app, client

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The whole answer to a request."""
        asked = [request.read()]
        start: Message = {}
        parts: list[bytes] = []

        async def receive() -> Message:
            if asked:
                return {"type": "http.request", "body": asked.pop()}
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
            else:
                parts.append(message.get("body", b""))

        _run(self.app, self._scope(request), receive, send)
        body = b"" if request.method == "HEAD" else b"".join(parts)
        return httpx2.Response(
            start["status"],
            headers=[(name.decode(), value.decode()) for name, value in start["headers"]],
            content=body,
            request=request,
        )

    def _scope(self, request: httpx2.Request) -> Message:
        url = request.url
        headers = [(name.lower(), value) for name, value in request.headers.raw]
        return {
            "type": "http",
            "http_version": "1.1",
            "method": request.method,
            "path": url.path,
            "raw_path": url.raw_path.split(b"?", 1)[0],
            "root_path": "",
            "scheme": url.scheme,
            "query_string": url.query,
            "headers": headers,
            "client": (self.client, 50000),
            "server": (url.host, url.port or 80),
            "state": {},
        }


def _run(app: Callable[..., Awaitable[None]], *arguments: Any) -> None:
    loop = _loop(os.getpid())
    asyncio.run_coroutine_threadsafe(_called(app, *arguments), loop).result()


async def _called(app: Callable[..., Awaitable[None]], *arguments: Any) -> None:
    await app(*arguments)


@cache
def _loop(_: int) -> asyncio.AbstractEventLoop:
    """The loop of a process; a fork has none of its threads, and begins another."""
    made: list[asyncio.AbstractEventLoop] = []
    ready = threading.Event()

    async def stay() -> None:
        made.append(asyncio.get_running_loop())
        ready.set()
        await asyncio.Event().wait()

    begin = contextvars.Context().run
    threading.Thread(target=begin, args=(asyncio.run, stay()), daemon=True).start()
    ready.wait()
    return made[0]
