"""A real server on this machine that speaks chat completions, and can misbehave in every way."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from chronoscore.rubric.codebook import event_quality

FIELDS = [criterion.field for criterion in event_quality().criteria]
BEST = (1, 1, 1, 3, 3)


@dataclass(frozen=True)
class Reaction:
    """What the server does with one request."""

    status: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    delay: float = 0
    """Seconds before the first byte."""
    drip: float = 0
    """Seconds between the bytes."""
    claimed: int | None = None
    """A Content-Length that is not the body's."""


Behaviour = Callable[[int, dict[str, Any]], Reaction]
"""Given the number of the request from 1 and its body."""


@dataclass
class Stub:
    """The server: what it was sent, and how it reacts."""

    behaviour: Behaviour
    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def asked(self) -> int:
        """How many requests there were."""
        return len(self.bodies)


def completion(content: str | None, **more: Any) -> Reaction:
    """A chat completion with this text."""
    message = {"role": "assistant", "content": content, **more.pop("message", {})}
    document = {
        "model": "stub-1",
        "choices": [{"index": 0, "message": message, "finish_reason": more.pop("finish", "stop")}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 50},
        **more,
    }
    return Reaction(body=json.dumps(document).encode())


def said(values: tuple[int, ...] = BEST, **more: Any) -> str:
    """The text of a good reply."""
    given = dict(zip(FIELDS, values, strict=True))
    return json.dumps({"reasoning": "Because it says so.", **given, "Comment": "", **more})


def good(_number: int, body: dict[str, Any]) -> Reaction:
    """Answer well, with values that depend on the data alone, and only what was asked for."""
    if "- `facts`: a list" in body["messages"][0]["content"]:
        return completion(json.dumps({"facts": stated(body["messages"][1]["content"])}))
    wanted = [name for name in FIELDS if f"- `{name}`: a number" in body["messages"][0]["content"]]
    values = dict(zip(FIELDS, opinion(body["messages"][1]["content"]), strict=True))
    given = {name: values[name] for name in wanted}
    return completion(json.dumps({"reasoning": "It says so.", **given, "Comment": "fine"}))


def opinion(prompt: str) -> tuple[int, ...]:
    """What the stub thinks of an event: of its description, so that the marker plays no part."""
    told = prompt.rpartition("Description: ")[2].split("\n")[0]
    return (len(told) % 2, len(told) // 2 % 2, len(told) // 4 % 2, len(told) % 3 + 1, 2)


def stated(prompt: str) -> list[str]:
    """The facts that the stub finds in a text: its sentences."""
    text = prompt.partition(" text begins]\n")[2].rpartition("\n[")[0]
    return [f"{sentence.strip(' .')}." for sentence in text.split(". ")]


def in_turn(*reactions: Reaction | Behaviour) -> Behaviour:
    """React in one way after the other, then well."""

    def behave(number: int, body: dict[str, Any]) -> Reaction:
        if number > len(reactions):
            return good(number, body)
        chosen = reactions[number - 1]
        return chosen if isinstance(chosen, Reaction) else chosen(number, body)

    return behave


def always(reaction: Reaction) -> Behaviour:
    """React in the same way to everything."""
    return lambda _number, _body: reaction


@contextmanager
def serving(behaviour: Behaviour = good) -> Iterator[Stub]:
    """Run the server while the block lasts."""
    stub = Stub(behaviour)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 1 << 20  # heads and bodies in one packet, else each waits for the other

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with stub.lock:
                stub.bodies.append(body)
                stub.headers.append({k.lower(): v for k, v in self.headers.items()})
                number = len(stub.bodies)
            reaction = stub.behaviour(number, body)
            stub.closing.wait(reaction.delay)
            length = len(reaction.body) if reaction.claimed is None else reaction.claimed
            self.send_response(reaction.status)
            self.send_header("Content-Length", str(length))
            for name, value in reaction.headers:
                self.send_header(name, value)
            self.end_headers()
            if reaction.drip:
                for byte in reaction.body:
                    if stub.closing.wait(reaction.drip):
                        break
                    self.wfile.write(bytes([byte]))
                    self.wfile.flush()
            else:
                self.wfile.write(reaction.body)
            self.close_connection = self.close_connection or length != len(reaction.body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            """Clients that hang up are part of the tests."""

    server = Server(("127.0.0.1", 0), Handler)
    stub.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield stub
    finally:
        stub.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()
