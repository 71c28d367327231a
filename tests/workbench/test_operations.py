"""Running it for others: health, logs that hold no secret, and a stop that loses no request."""

import io
import json
import logging
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner
from workbench.bench import ADDRESS, BEST, Bench, Visitor, answer, small
from workbench.results_made import files_of

from chronoscore.cli.main import command
from chronoscore.errors import UsageError
from chronoscore.workbench import logs, serving
from chronoscore.workbench.routes import ROUTES
from chronoscore.workbench.store import Store, people, reader_links
from chronoscore.workbench.store import results as store_results

PATIENCE = 30


@contextmanager
def started(*words: str) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """A server in a process of its own, with what it printed until it was ready."""
    arguments = [sys.executable, "-m", "chronoscore", "serve", "--port", "0", *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(arguments, text=True, **pipes)  # type: ignore[call-overload]
    try:
        lines = [""]
        while "Stop with" not in lines[-1]:
            lines.append(process.stdout.readline())
            assert lines[-1], process.stderr.read()
        yield process, lines
    finally:
        process.kill()
        process.communicate()


def address_in(lines: list[str]) -> str:
    (line,) = (line for line in lines if line.startswith("Workbench: "))
    return line.split()[1]


# The demo


def test_the_demo_is_served_from_a_file_that_is_removed_at_the_end(tmp_path: Path) -> None:
    with started("--demo") as (process, lines):
        assert any(re.match(r"Demo: ready after \d+\.\d s", line) for line in lines)
        assert "removed at the end" in lines[-1]
        open_files = Path(f"/proc/{process.pid}/fd")
        if not open_files.is_dir():
            pytest.skip("there is no /proc here, which names the files of a process")
        names = {str(one.resolve()) for one in open_files.iterdir()}
        (database,) = (Path(name) for name in names if name.endswith("demo.db"))
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
    assert not database.parent.exists()


def test_the_demo_is_kept_in_a_new_file_and_refuses_one_with_projects(tmp_path: Path) -> None:
    database = str(tmp_path / "kept.db")
    run = CliRunner()
    done = run.invoke(command, ["serve", "--demo", "--check", "--db", database])
    assert done.exit_code == 0, done.output
    before = Path(database).read_bytes()
    again = run.invoke(command, ["serve", "--demo", "--check", "--db", database])
    assert isinstance(again.exception, UsageError)
    assert "has projects already" in str(again.exception)
    assert Path(database).read_bytes() == before


# Health


def test_health_says_that_the_database_answers(bench: Bench) -> None:
    stranger = Visitor(bench.app)
    assert stranger.get("/health").json() == {"chronoscore": "ready"}
    assert stranger.http.head("/health").status_code == 200
    with serving.running(bench.store.path) as (_, address):
        http = HTTPConnection(urlsplit(address).netloc, timeout=PATIENCE)
        http.request("HEAD", "/health")
        told = http.getresponse()
        assert (told.status, told.read()) == (200, b"")
        http.close()


def _replaced(path: Path) -> None:
    path.write_bytes(b"no database " * 1000)


def _moved(path: Path) -> None:
    path.rename(path.with_name("elsewhere.db"))


def _emptied(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA foreign_keys=OFF")
        other.execute("DROP TABLE people")


@pytest.mark.parametrize("trouble", [_replaced, _moved, _emptied])
def test_health_says_when_the_database_does_not_answer(
    tmp_path: Path, trouble: Any, caplog: pytest.LogCaptureFixture
) -> None:
    bench = Bench(tmp_path)
    bench.store.close()
    trouble(bench.store.path)
    for method in ("GET", "HEAD"):
        told = Visitor(bench.app).http.request(method, "/health")
        assert told.status_code == 503
    told = Visitor(bench.app).get("/health")
    assert told.json()["chronoscore"] == "unavailable"
    assert told.json()["reason"].endswith(".")
    assert str(tmp_path) not in told.text
    assert "people" not in told.text
    bench.store.close()


# Logs


@pytest.fixture
def json_log() -> Iterator[io.StringIO]:
    """All that is logged, as `--log-format json` writes it, down to the least level."""
    stream, root = io.StringIO(), logging.getLogger()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logs.JsonFormatter())
    handler.addFilter(lambda record: not record.name.startswith("http"))  # the test's own client
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield stream
    root.setLevel(level)
    root.removeHandler(handler)


def lines_of(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_no_token_text_or_name_is_logged_on_a_walk_through_all_routes(
    bench: Bench, json_log: io.StringIO
) -> None:
    secret = "secret-words-of-somebody"
    bench.owner.post("/results", files=list(files_of()))
    (run,) = store_results.stored(bench.store)
    files = small(text=f"Monday {secret}", system=f"{secret}-system")
    project = bench.project(files, name=f"{secret}-project")
    ana = bench.visitor(f"{secret}-ana", project)
    bench.batch(project, "owner", f"{secret}-ana", overlap=2)
    tokens = {
        "link": people.invite(bench.store, bench.person(f"{secret}-ana").id, None),
        "reader": reader_links.add(bench.store, bench.boss.id, "result", run.id),
        "board": reader_links.add(bench.store, bench.boss.id, "leaderboard", "[]"),
    }
    stranger = Visitor(bench.app)
    sessions = [one.http.cookies["chronoscore-8765"] for one in (bench.owner, ana)]
    tokens |= {"session": sessions[0], "ana": sessions[1]}
    tokens |= {"csrf": bench.owner.csrf, "csrf of ana": ana.csrf}
    data = {"name": secret, "comment": secret, "note": secret, "find": secret, "said": secret}
    for route in sorted(ROUTES, key=lambda one: one.path == "/leave"):
        values = [*tokens.values(), "1", run.id] if route.who == "anyone" else ["1", run.id]
        for path in dict.fromkeys(re.sub(r"{\w+}", value, route.path) for value in values):
            for visitor in (stranger, ana, bench.owner):
                if route.method == "GET":
                    visitor.get(path, params={"find": secret, "action": tokens["link"]})
                elif not path.startswith("/enter/"):
                    visitor.post(path, data)
                    visitor.send(path, answer(BEST, comment=secret, save=secret))
    for odd in (tokens["link"].upper(), "GET"):
        stranger.http.request(odd, f"/{tokens['reader']}", headers={"host": "evil.example"})
    stranger.http.post(f"/enter/{tokens['link']}", headers={"origin": ADDRESS})
    told = json_log.getvalue()
    assert {line["event"] for line in lines_of(json_log)} >= {"request", "refused"}
    patterns = {line["route"] for line in lines_of(json_log) if line["event"] == "request"}
    assert patterns == {"", *(route.path for route in ROUTES)}
    for name, token in tokens.items():
        leaks = [line for line in told.splitlines() if token.lower() in line.lower()]
        assert leaks == [], name
    assert secret not in told


def test_a_request_is_one_object_with_its_status_and_route(
    bench: Bench, json_log: io.StringIO
) -> None:
    Visitor(bench.app).get("/health")
    (line,) = (one for one in lines_of(json_log) if one["event"] == "request")
    expected = {"level": "info", "status": 200, "method": "GET", "route": "/health"}
    assert expected.items() <= line.items()
    assert line["duration_ms"] >= 0
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00", line["time"])


def test_an_error_is_logged_with_its_traceback_and_without_its_words(
    tmp_path: Path, json_log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = "-".join(("secret", "words"))  # whole only when it runs: tracebacks show the source

    def fail(*_: object) -> str:
        try:
            raise KeyError(words)
        except KeyError as error:
            raise ValueError(words) from error

    monkeypatch.setattr(people, "why_ended", fail)
    with serving.running(tmp_path / "w.db") as (_, address):
        http = HTTPConnection(urlsplit(address).netloc, timeout=PATIENCE)
        http.request("GET", f"/enter?said={words}")
        assert http.getresponse().status == 500
        http.close()
    (line,) = (one for one in lines_of(json_log) if "traceback" in one)
    assert line["level"] == "error"
    assert line["traceback"].splitlines()[-1] == "ValueError"
    assert "KeyError" in line["traceback"]
    assert "in no_session" in line["traceback"]
    assert words not in json_log.getvalue()
    assert (
        logs.TextFormatter()
        .format(logging.LogRecord("x", logging.ERROR, "f", 1, "it failed", None, _caught()))
        .endswith("ZeroDivisionError")
    )


def _caught() -> Any:
    try:
        raise ZeroDivisionError("secret")
    except ZeroDivisionError:
        return sys.exc_info()


def test_the_command_logs_requests_as_json(tmp_path: Path) -> None:
    words = ("--db", str(tmp_path / "w.db"), "--log-format", "json", "--log-level", "info")
    with started(*words) as (process, lines):
        http = HTTPConnection(urlsplit(address_in(lines)).netloc, timeout=PATIENCE)
        http.request("GET", "/enter/secret-token")
        assert http.getresponse().status == 404
        http.close()
        process.send_signal(signal.SIGTERM)
        _, told = process.communicate(timeout=PATIENCE)
    logged = [json.loads(line) for line in told.splitlines()]
    (request,) = (one for one in logged if one["event"] == "request")
    assert (request["route"], request["status"]) == ("/enter/{token}", 404)
    assert "secret-token" not in told


# Stopping


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_a_request_that_has_begun_is_finished_before_the_server_stops(
    tmp_path: Path, stop: signal.Signals
) -> None:
    bench = Bench(tmp_path)
    batch = bench.batch(bench.project(), "owner")
    session = bench.owner.http.cookies["chronoscore-8765"]
    bench.store.close()
    body = json.dumps(answer(BEST, comment="sent while the server stops")).encode()
    with started("--db", str(bench.store.path)) as (process, lines):
        address = address_in(lines)
        port = urlsplit(address).port
        http = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        http.putrequest("POST", f"/judge/{batch}/1")
        ours = {"Origin": address, "Cookie": f"chronoscore-{port}={session}"}
        ours |= {"X-CSRF-Token": people.csrf(session), "Content-Type": "application/json"}
        for name, value in {**ours, "Content-Length": str(len(body))}.items():
            http.putheader(name, value)
        http.endheaders(body[:20])
        _wait_until_read(process)
        process.send_signal(stop)
        _wait_until_closed(port or 0)
        http.send(body[20:])
        told = http.getresponse()
        assert told.status == 200, told.read()
        assert json.loads(told.read())["comment"] == "sent while the server stops"
        assert process.wait(PATIENCE) == 0
        http.close()
    store = Store(bench.store.path)
    assert store.value("SELECT comment FROM judgements") == "sent while the server stops"
    store.close()


def _wait_until_read(process: subprocess.Popen[str]) -> None:
    """Wait until the server has read what was sent: then it has gone back to sleep."""
    time.sleep(1)
    assert process.poll() is None


def _wait_until_closed(port: int) -> None:
    """Wait until the server takes no more connections."""
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        with closing(HTTPConnection("127.0.0.1", port, timeout=1)) as probe:
            try:
                probe.connect()
            except OSError:
                return
        time.sleep(0.05)
    pytest.fail("the server goes on to take connections")
