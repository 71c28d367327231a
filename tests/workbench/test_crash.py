"""The server is killed while people save: whatever it acknowledged is there afterwards."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import pytest
from workbench.bench import BEST, Bench, answer, small

from chronoscore.workbench.store import Store, people

ROUNDS, EVALUATORS, EVENTS = 3, 4, 400


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


class Evaluator(threading.Thread):
    """Saves as fast as the server answers, and remembers what was acknowledged."""

    def __init__(self, port: int, token: str, batch: int, turn: int) -> None:
        super().__init__(daemon=True)
        self.port, self.token, self.batch, self.turn = port, token, batch, turn
        self.kept: dict[int, str] = {}

    def run(self) -> None:
        http = HTTPConnection("127.0.0.1", self.port, timeout=20)
        with closing(http), suppress(OSError, HTTPException):  # until the server is gone
            self._save_on(http)

    def _save_on(self, http: HTTPConnection) -> None:
        ours = {"Origin": f"http://127.0.0.1:{self.port}"}
        http.request("POST", f"/enter/{self.token}", headers=ours)
        come_in = http.getresponse()
        come_in.read()
        cookie = (come_in.getheader("set-cookie") or "").split(";")[0]
        session = cookie.partition("=")[2]
        ours |= {
            "Cookie": cookie,
            "X-CSRF-Token": people.csrf(session),
            "Content-Type": "application/json",
        }
        for place in range(1, EVENTS + 1):
            comment = f"round {self.turn}, place {place}"
            version = 0 if self.turn == 0 else None
            if version is None:
                http.request("GET", f"/judge/{self.batch}/{place}", headers=ours)
                page = http.getresponse().read().decode()
                version = int(re.findall(r'data-version="(\d+)"', page)[0])
            body = answer(BEST, version, save=f"save-{self.turn}-{place}", comment=comment)
            http.request("POST", f"/judge/{self.batch}/{place}", json.dumps(body), ours)
            got = http.getresponse()
            said = json.loads(got.read())
            assert got.status == 200, said
            self.kept[place] = comment


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    project = bench.project(small(EVENTS))
    names = [f"person {n}" for n in range(EVALUATORS)]
    for name in names:
        bench.visitor(name, project)
    batch = bench.batch(project, *names, overlap=EVALUATORS)
    acknowledged = 0
    for turn in range(ROUNDS):
        tokens = [people.invite(bench.store, bench.person(n).id, None) for n in names]
        bench.store.close()
        port = free_port()
        command = [sys.executable, "-m", "chronoscore", "serve", "--port", str(port)]
        command += ["--db", str(tmp_path / "workbench.db")]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            while "Stop with" not in (line := server.stdout.readline()):
                assert line, "the server did not start"
            team = [Evaluator(port, token, batch, turn) for token in tokens]
            for one in team:
                one.start()
            while sum(len(one.kept) for one in team) < 40 and any(one.is_alive() for one in team):
                team[0].join(0.02)
        finally:
            os.kill(server.pid, signal.SIGKILL)
            server.wait()
            if server.stdout:
                server.stdout.close()
        for one in team:
            one.join(30)
        bench.store = Store(tmp_path / "workbench.db")
        for name, one in zip(names, team, strict=True):
            rows = bench.store.rows(
                "SELECT t.place, j.comment FROM judgements j JOIN tasks t ON t.batch = j.batch "
                "AND t.person = j.person AND t.event = j.event WHERE j.person = :person",
                person=bench.person(name),
            )
            found = {(row["place"], row["comment"]) for row in rows}
            assert set(one.kept.items()) <= found
            acknowledged += len(one.kept)
    assert acknowledged >= ROUNDS * 40
    check = bench.store.row("PRAGMA integrity_check")
    assert check is not None
    assert check[0] == "ok"
    bench.store.close()


if sys.platform == "win32":  # there is no SIGKILL to send
    pytest.skip("no kill -9 here", allow_module_level=True)
