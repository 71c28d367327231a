"""Faults at every statement: errors of the disk, kills, and what a database holds afterwards."""

import multiprocessing
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from unittest.mock import patch

import time_machine
from kills.victims import statements

from chronoscore.workbench import pages

ENDINGS = ("", "-wal")
"""The files of a database that hold content."""
FIRST, STEP = 50, 100
"""Files are copied before so many statements, then before each so manieth."""
MOMENT, LATER = "2030-01-01T12:00:00+00:00", "2030-01-01T15:00:00+00:00"
"""When a world is made, and when requests are sent: the use of a session is recorded again."""


@dataclass(frozen=True)
class Fault:
    """An error of SQLite; after some of them it has rolled the transaction back by itself."""

    name: str
    code: int
    sentence: str
    rolls_back: bool = False

    def error(self) -> sqlite3.DatabaseError:
        """The error as SQLite raises it."""
        damaged = self.code == sqlite3.SQLITE_CORRUPT
        error = (sqlite3.DatabaseError if damaged else sqlite3.OperationalError)(self.name)
        error.sqlite_errorcode, error.sqlite_errorname = self.code, self.name
        return error


FAULTS = (
    Fault("full", sqlite3.SQLITE_FULL, "is full", rolls_back=True),
    Fault("busy", sqlite3.SQLITE_BUSY, "in use by another program"),
    Fault("ioerr", sqlite3.SQLITE_IOERR_FSYNC, "fails to read or write", rolls_back=True),
    Fault("readonly", sqlite3.SQLITE_READONLY, "read-only"),
    Fault("corrupt", sqlite3.SQLITE_CORRUPT, "is damaged"),
    Fault("full, transaction open", sqlite3.SQLITE_FULL, "is full"),
)
Hook = Callable[[int, str, sqlite3.Connection], None]
"""Called before each statement with its number, its text and the connection that is to run it."""


class WatchedConnection(sqlite3.Connection):
    """A connection whose statements can be counted and made to fail, scripts one by one.

    Its cache is as small as can be, so that a transaction writes to its files before its end.
    They are not flushed: processes are killed here, while the system goes on.
    """

    hook: Hook | None = None
    numbers = count()

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        super().execute("PRAGMA cache_size=1")

    def _watch(self, sql: str) -> None:
        hook = WatchedConnection.hook
        if hook is not None:
            hook(next(WatchedConnection.numbers), sql, self)

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        """Run a statement."""
        self._watch(sql)
        return super().execute(sql.replace("synchronous=FULL", "synchronous=OFF"), *values)

    def executemany(self, sql: str, *values: Any) -> sqlite3.Cursor:
        """Run a statement for many rows."""
        self._watch(sql)
        return super().executemany(sql, *values)

    def executescript(self, sql: str) -> sqlite3.Cursor:
        """Run the statements of a script."""
        for statement in statements(sql):
            self.execute(statement)
        return self.cursor()

    def undo(self) -> None:
        """Roll back, as SQLite does by itself after some errors."""
        if self.in_transaction:
            super().execute("ROLLBACK")


@contextmanager
def watched(hook: Hook | None, token: str = "token") -> Iterator[None]:
    """Call a hook before every statement; the clock stands still, tokens are the same each time."""
    tokens = count()
    connect = partial(sqlite3.connect, factory=WatchedConnection)
    WatchedConnection.numbers = count()
    with (
        patch("chronoscore.workbench.store.database.sqlite3.connect", connect),
        patch("secrets.token_urlsafe", lambda size=32: f"{token}-{next(tokens):0{size}}"),
        time_machine.travel(LATER, tick=False),
    ):
        WatchedConnection.hook = hook
        try:
            yield
        finally:
            WatchedConnection.hook = None


@dataclass
class FailingAt:
    """Makes the statement of a number fail, once; what rolls back never fails here."""

    number: int
    fault: Fault
    failed: str = ""

    def __call__(self, number: int, sql: str, connection: sqlite3.Connection) -> None:
        if number == self.number:
            self.failed = sql
            if self.fault.rolls_back and isinstance(connection, WatchedConnection):
                connection.undo()
            raise self.fault.error()


@dataclass
class Copies:
    """Copies the files before statements: what a process leaves that is killed just then.

    Of a long request not before every statement, but before and after each commit.
    """

    path: Path
    folder: Path
    texts: list[str] = field(default_factory=list)
    taken: list[int] = field(default_factory=list)
    """The numbers of the statements before which the files were copied."""
    same: set[int] = field(default_factory=set)
    """Those whose files are as the copy before, to the last byte."""
    _last: tuple[bytes | None, ...] = ()

    def dumps(self) -> dict[int, "Dump"]:
        """What each copy holds; those of the same bytes are read once."""
        read: dict[int, Dump] = {}
        for number in self.taken:
            last = next(reversed(read.values()), None)
            read[number] = last if last and number in self.same else dump(self.copy(number))
        return read

    def copy(self, number: int) -> Path:
        """Where the database of a number is."""
        return self.folder / f"{number}.db"

    def __call__(self, number: int, sql: str, _: sqlite3.Connection) -> None:
        if number < FIRST or number % STEP == 0 or "COMMIT" in (sql, *self.texts[-1:]):
            self.take()
        self.texts.append(sql)

    def take(self) -> None:
        """Copy the files now."""
        number = len(self.texts)
        sources = [Path(f"{self.path}{ending}") for ending in ENDINGS]
        files = tuple(one.read_bytes() if one.exists() else None for one in sources)
        if files == self._last:
            self.same.add(number)
        self._last = files
        self.taken.append(number)
        for ending, content in zip(ENDINGS, files, strict=True):
            if content is not None:
                Path(f"{self.copy(number)}{ending}").write_bytes(content)


EXIT = 9
"""The exit code of a process that ended before a statement."""


class MortalProcess:
    """Does things in a process that ends at a statement; each in a fork of one that is ready."""

    def __init__(self) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._pipe, there = spawn.Pipe()
        self._process = spawn.Process(target=_fork_each, args=(there,), daemon=True)
        self._process.start()
        there.close()

    def run(self, action: Callable[[Hook], object], number: int) -> int:
        """Call an action with a hook that ends its process: the exit code, 0 if nothing did."""
        self._pipe.send((action, number))
        return int(self._pipe.recv())

    def close(self) -> None:
        """End it."""
        self._pipe.send(None)
        self._process.join()
        self._process.close()
        self._pipe.close()


def _fork_each(pipe: Connection) -> None:
    for name in pages._environment().list_templates(["html"]):
        pages._environment().get_template(name)  # else each fork compiles its own
    while (asked := pipe.recv()) is not None:
        child = os.fork()
        if child == 0:
            action, number = asked
            try:
                action(partial(_exit_at, number))
                os._exit(0)
            finally:
                os._exit(1)
        pipe.send(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def _exit_at(wanted: int, number: int, *_: object) -> None:
    if number == wanted:
        os._exit(EXIT)


Dump = dict[str, list[tuple[Any, ...]]]


def dump(path: Path) -> Dump:
    """All rows of all tables but when sessions were last used, which may be recorded or not."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA synchronous=OFF")
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert not connection.execute("PRAGMA foreign_key_check").fetchall()
        names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        tables: Dump = {"version": connection.execute("PRAGMA user_version").fetchall()}
        for (name,) in connection.execute(names).fetchall():
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
            shown = ", ".join(c for c in columns if (name, c) != ("sessions", "seen"))
            tables[name] = connection.execute(
                f"SELECT {shown} FROM {name} ORDER BY 1, 2"
            ).fetchall()
        return tables
