"""Processes to be killed: the server, a start with an old database, a backup."""

import contextlib
import multiprocessing
import os
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from chronoscore.workbench.store.schema import APPLICATION, STEPS

HOST = "127.0.0.1"
PATIENCE = 60.0
_READY = multiprocessing.get_context("forkserver") if hasattr(os, "fork") else None
"""Starts processes that have imported the program already: a start takes 0.1 s instead of 1 s."""
if _READY is not None:
    _READY.set_forkserver_preload(["chronoscore.cli.main", "chronoscore.workbench.serving"])


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as held:
        held.bind((HOST, 0))
        return int(held.getsockname()[1])


def _run(words: list[str], log: Path) -> None:
    """Be the program, with its output in a file."""
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(output, 1)
    os.dup2(output, 2)
    from chronoscore.cli.main import main

    sys.argv = ["chronoscore", *words]
    main()


class Victim:
    """The program in a process of its own, which is killed as by `kill -9`."""

    def __init__(self, words: list[str], log: Path, cold: bool = False) -> None:
        self._process: BaseProcess | subprocess.Popen[bytes]
        if cold or _READY is None:
            with log.open("ab") as output:
                command = [sys.executable, "-m", "chronoscore", *words]
                self._process = subprocess.Popen(command, stdout=output, stderr=output)
        else:
            self._process = _READY.Process(target=_run, args=(words, log), daemon=True)
            self._process.start()

    @property
    def ended(self) -> bool:
        """Whether it has ended by itself."""
        if isinstance(self._process, subprocess.Popen):
            return self._process.poll() is not None
        return not self._process.is_alive()

    def kill(self) -> None:
        """Kill it, and wait until it is gone."""
        if self._process.pid is not None and not self.ended:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGKILL)
        if isinstance(self._process, subprocess.Popen):
            self._process.wait(PATIENCE)
        else:
            self._process.join(PATIENCE)
            self._process.close()


def serve(database: Path, port: int, cold: bool = False) -> Victim:
    """Start `chronoscore serve`; cold: with a new interpreter, as a person does."""
    words = ["serve", "--db", str(database), "--host", HOST, "--port", str(port)]
    return Victim(words, database.with_suffix(".log"), cold)


def check_start(database: Path) -> Victim:
    """Start `chronoscore serve --check`, which brings an old database up to date, and ends."""
    words = ["serve", "--check", "--db", str(database)]
    return Victim(words, database.with_suffix(".log"))


def back_up(database: Path, target: Path) -> Victim:
    """Start `chronoscore serve backup`."""
    words = ["serve", "backup", str(target), "--db", str(database)]
    return Victim(words, database.with_suffix(".log"))


def old_database(path: Path, events: int = 500) -> None:
    """Write a database of the version before the last, with answers in it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("BEGIN")
        for step in STEPS[:-1]:
            for statement in statements(step.statements):
                connection.execute(statement)
            if step.fill:
                step.fill(connection)
        connection.execute(f"PRAGMA application_id={APPLICATION}")
        connection.execute(f"PRAGMA user_version={len(STEPS) - 1}")
        fill: Callable[..., object] = connection.execute
        fill("INSERT INTO people (id, name, role, made) VALUES (1, 'owner', 'owner', '')")
        fill("INSERT INTO projects (id, name, codebook, made) VALUES (1, 'Old', '{}', '')")
        fill("""INSERT INTO batches (id, project, kind, name, round, overlap, seed, made)
            VALUES (1, 1, 'main', 'main 1', '1', 1, 0, '')""")
        fill("INSERT INTO submissions (batch, person) VALUES (1, 1)")
        for n in range(1, events + 1):
            fill("INSERT INTO events VALUES (?, 1, 'alpha', ?, '', '{}')", (n, f"e{n}"))
            fill("INSERT INTO tasks VALUES (1, 1, ?, ?)", (n, n))
            fill("INSERT INTO judgements VALUES (?, 1, 1, ?, 1, '[1]', 1, '', 0, ?, '')", (n, n, n))
        connection.execute("COMMIT")


def statements(script: str) -> list[str]:
    """The statements of a script, one by one."""
    found, begun = [], ""
    for line in script.splitlines(keepends=True):
        begun += line
        if sqlite3.complete_statement(begun):
            found.append(begun)
            begun = ""
    return found


@dataclass(frozen=True)
class Shape:
    """What is in a database file."""

    version: int
    tables: tuple[str, ...]
    answers: tuple[tuple[object, ...], ...]
    damages: tuple[str, ...]


def shape(path: Path) -> Shape:
    """Read a database file; one that can't be read is damaged."""
    try:
        with closing(sqlite3.connect(path)) as connection:

            def ask(sql: str) -> list[tuple[Any, ...]]:
                return connection.execute(sql).fetchall()

            checks = ask("PRAGMA integrity_check") + ask("PRAGMA foreign_key_check")
            return Shape(
                ask("PRAGMA user_version")[0][0],
                tuple(str(sql) for (sql,) in ask("SELECT sql FROM sqlite_master ORDER BY name")),
                tuple(ask("SELECT * FROM judgements ORDER BY id")),
                tuple(str(row) for row in checks if row != ("ok",)),
            )
    except sqlite3.DatabaseError as error:
        return Shape(0, (), (), (str(error),))
