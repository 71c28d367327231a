"""Evaluators that save as fast as they can, against a real server on this machine."""

import asyncio
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from chronoscore.core.event import Event
from chronoscore.rubric.codebook import event_quality
from chronoscore.rubric.formats import Article
from chronoscore.workbench.store import Store, batches, people, projects

PATIENCE = 30.0
SYSTEMS = 5
_WORDS = (
    "The council met on Monday and spoke for two hours about the old bridge over the river, "
    "which had been closed in March after a storm. Repairs are to begin next week. "
)


@dataclass
class Evaluator:
    """Someone with a session, what they have been told is saved, and what they wait for."""

    id: int
    token: str
    batch: int
    events: int
    versions: dict[int, int] = field(default_factory=dict)
    told: dict[str, tuple[int, str]] = field(default_factory=dict)
    """By the name of the save: the version and the comment that the server acknowledged."""
    waiting: tuple[int, bytes, str, str] | None = None
    """Sent, but not acknowledged: place, request, save, comment."""
    times: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    sent: int = 0


def prepare(database: Path, people_: int, events: int) -> tuple[str, list[Evaluator]]:
    """Make a project of this size with a batch for all: the owner's session, and the evaluators."""
    store = Store(database)
    owner = people.owner(store)
    articles = [
        Article(id=f"a{n}", published="2024-03-07", title=f"Story {n}", text=_WORDS * 12)
        for n in range(events // 10)
    ]
    each = events // SYSTEMS
    systems = {
        f"system-{s}": [
            Event(
                id=f"e{n}",
                article=f"a{(s * each + n) // 10}",
                date="2024-03-04",
                text=f"The council speaks about bridge {n}",
                type="meeting",
                span=(0, 28),
            )
            for n in range(each)
        ]
        for s in range(SYSTEMS)
    }
    project = projects.add(store, owner.id, "Load", event_quality(), systems, articles)
    members = [
        projects.add_member(store, owner.id, project, f"evaluator {n:02}") for n in range(people_)
    ]
    wanted = batches.BatchPlan("main", tuple(one.id for one in members))
    batch = batches.draw(store, owner.id, project, wanted)
    shares = {share.person.id: share.events for share in batches.shares(store, batch)}
    found = [Evaluator(one.id, _session(store, one.id), batch, shares[one.id]) for one in members]
    token = _session(store, owner.id)
    store.close()
    return token, found


def _session(store: Store, person: int) -> str:
    token = people.enter(store, people.invite(store, person, None), "")
    assert token is not None
    return token


@dataclass(frozen=True)
class Server:
    """A workbench in a process of its own."""

    process: subprocess.Popen[str]
    host: str
    port: int
    seconds: float
    """From the start of the process to its first answer."""

    def stop(self) -> None:
        """End it as Ctrl-C does."""
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGINT)
        self._wait()

    def kill(self) -> None:
        """End it at once, as a crash does."""
        self.process.kill()
        self._wait()

    def _wait(self) -> None:
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(PATIENCE)
        if self.process.stdout:
            self.process.stdout.close()


def start(database: Path, port: int = 0) -> Server:
    """Start `chronoscore serve` on this machine, and wait until it answers."""
    command = [
        *(sys.executable, "-m", "chronoscore", "serve"),
        *("--db", str(database), "--host", "127.0.0.1", "--port", str(port)),
    ]
    log = database.with_suffix(".log").open("a")
    begun = time.perf_counter()
    environ = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=environ)
    log.close()
    assert process.stdout
    line = process.stdout.readline()
    found = re.search(r"http://\S+", line)
    if not found:
        process.kill()
        raise RuntimeError(f"the server did not start: {line or database.with_suffix('.log')}")
    parts = urlsplit(found[0])
    host, at = parts.hostname or "", parts.port or 0
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        try:
            asyncio.run(_ask(host, at, request_bytes("GET", "/health", host, at, "")))
            break
        except OSError:
            time.sleep(0.005)
    return Server(process, host, at, time.perf_counter() - begun)


@contextmanager
def serving(database: Path, port: int = 0) -> Iterator[Server]:
    """A server for as long as it is needed."""
    server = start(database, port)
    try:
        yield server
    finally:
        server.stop()


def request_bytes(
    method: str,
    path: str,
    host: str,
    port: int,
    token: str,
    body: bytes = b"",
    kind: str = "application/json",
) -> bytes:
    """A request of someone with a session; one with a body also carries the form token."""
    lines = [
        f"{method} {path} HTTP/1.1",
        f"Host: {host}:{port}",
        f"Cookie: chronoscore-{port}={token}",
        f"Content-Length: {len(body)}",
    ]
    if body:
        lines += [
            f"Content-Type: {kind}",
            "Accept: application/json",
            f"Origin: http://{host}:{port}",
            f"X-CSRF-Token: {people.csrf(token)}",
        ]
    return "\r\n".join([*lines, "", ""]).encode() + body


async def _ask(host: str, port: int, request: bytes) -> tuple[int, bytes]:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        return await exchange(reader, writer, request)
    finally:
        writer.close()


async def exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes
) -> tuple[int, bytes]:
    """Send a request and read the whole answer: its status and its body."""
    writer.write(request)
    await writer.drain()
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head, re.I)
    body = await reader.readexactly(int(length[1])) if length else b""
    return int(head.split(b" ", 2)[1]), body


def page_times(server: Server, token: str, path: str, times: int) -> tuple[int, list[float]]:
    """Ask for a page some times, one after the other: its status, and the seconds of each."""

    async def asked() -> tuple[int, list[float]]:
        found = []
        request = request_bytes("GET", path, server.host, server.port, token)
        status = 0
        for _ in range(times):
            begun = time.perf_counter()
            status, _ = await _ask(server.host, server.port, request)
            found.append(time.perf_counter() - begun)
        return status, found

    return asyncio.run(asked())


def seconds_until(server: Server, token: str, path: str, without: bytes) -> float:
    """Ask for a page again and again until something is no longer in it."""
    request = request_bytes("GET", path, server.host, server.port, token)
    begun = time.perf_counter()
    while time.perf_counter() - begun < PATIENCE:
        _, body = asyncio.run(_ask(server.host, server.port, request))
        if without not in body:
            break
        time.sleep(0.05)
    return time.perf_counter() - begun


def save_for(evaluators: Sequence[Evaluator], server: Server, seconds: float) -> None:
    """Let all evaluators save at once, each answer right after the one before."""
    asyncio.run(_all(evaluators, server, seconds, None))


def save_until_killed(evaluators: Sequence[Evaluator], server: Server, seconds: float) -> None:
    """The same, and then the server is killed while all of them are waiting for it."""
    asyncio.run(_all(evaluators, server, seconds + PATIENCE, seconds))


async def _all(
    evaluators: Sequence[Evaluator], server: Server, seconds: float, kill_after: float | None
) -> None:
    ends = time.monotonic() + seconds
    work = [asyncio.create_task(_saves(one, server, ends)) for one in evaluators]
    if kill_after is not None:
        await asyncio.sleep(kill_after)
        server.process.kill()
    await asyncio.gather(*work)


async def _saves(one: Evaluator, server: Server, ends: float) -> None:
    """Save until the end, or until the server is gone."""
    try:
        reader, writer = await asyncio.open_connection(server.host, server.port)
    except OSError:
        return
    try:
        while time.monotonic() < ends:
            if one.waiting is None:
                one.waiting = _next(one)
            place, body, save, comment = one.waiting
            path = f"/judge/{one.batch}/{place}"
            request = request_bytes("POST", path, server.host, server.port, one.token, body)
            begun = time.perf_counter()
            status, answer = await exchange(reader, writer, request)
            one.times.append(time.perf_counter() - begun)
            one.waiting = None
            if status != 200:
                one.errors.append(f"{status} {answer[:200]!r}")
                continue
            version = int(json.loads(answer)["version"])
            one.versions[place] = version
            one.told[save] = (version, comment)
    except (OSError, asyncio.IncompleteReadError):
        return  # killed; what was sent is sent again, under the same name
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


def _next(one: Evaluator) -> tuple[int, bytes, str, str]:
    one.sent += 1
    place = one.sent % one.events + 1
    save, comment = f"{one.id:04}-{one.sent:08}", f"answer {one.sent}"
    values = {c.field: c.allowed[one.sent % len(c.allowed)] for c in event_quality().criteria}
    made = {
        "save": save,
        "version": one.versions.get(place, 0),
        "values": values,
        "comment": comment,
    }
    return place, json.dumps(made).encode(), save, comment


def lost(database: Path, evaluators: Sequence[Evaluator]) -> list[str]:
    """What was acknowledged and is not there, or not as it was; and whether the file is whole."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        rows = connection.execute("SELECT person, save, version, comment FROM judgements")
        found = {(person, save): (version, comment) for person, save, version, comment in rows}
        noted = connection.execute("SELECT count(*) FROM audit WHERE action = 'judged'").fetchone()
        whole = connection.execute("PRAGMA integrity_check").fetchone()[0]
    finally:
        connection.close()
    missing = [
        f"{one.id}: {save} was acknowledged as {said}, there is {found.get((one.id, save))}"
        for one in evaluators
        for save, said in one.told.items()
        if found.get((one.id, save)) != said
    ]
    if noted[0] != len(found):
        missing.append(f"{len(found)} answers, but {noted[0]} of them in the audit")
    if whole != "ok":
        missing.append(f"the file is not whole: {whole}")
    return missing
