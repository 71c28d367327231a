"""The file: one writer at a time, any number of readers, and nothing acknowledged is lost."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from chronoscore.core.errors import ChronoscoreError, DataError
from chronoscore.workbench.store.schema import APPLICATION, STEPS

Row = sqlite3.Row
_WAIT = 10.0
"""Seconds that a writer waits for others, in this process and in another."""
_BUSY = "The database is in use by another program."
_REASONS = {
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_FULL: "The disk of the workbench is full.",
    sqlite3.SQLITE_READONLY: "The database can't be written: it is read-only.",
    sqlite3.SQLITE_CANTOPEN: "The database can't be opened.",
    sqlite3.SQLITE_IOERR: "The disk of the workbench fails to read or write.",
    sqlite3.SQLITE_CORRUPT: "The database is damaged: the owner should restore a backup.",
}
"""What keeps the file from being used, by the primary code that SQLite gives."""


class UnavailableError(ChronoscoreError):
    """The file can't be read or written at the moment; the message is a sentence for people."""

    exit_code = 3


@contextmanager
def _explained() -> Iterator[None]:
    """Turn what SQLite says of a full disk or a locked file into a sentence."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        reason = _REASONS.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
        if reason is None:
            raise
        raise UnavailableError(reason) from error


def now() -> str:
    """The time, in UTC, as it is written in every table."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Store:
    """Connections to one file: each thread has its own, and a lock makes writers queue up.

    The journal is written ahead (WAL) and synced at each commit (FULL): what was acknowledged is
    there after a crash of the process or of the machine.
    """

    def __init__(self, path: Path, wait: float = _WAIT) -> None:
        self.path = path
        self._wait = wait
        self._own = threading.local()
        self._all: list[tuple[threading.Thread, sqlite3.Connection]] = []
        self._writer = threading.Lock()
        self._lists = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            fresh = not path.exists() or not path.stat().st_size
            if fresh:
                path.touch(mode=0o600)
            with _explained():
                self._prepare(fresh)
        except UnavailableError as error:
            self.close()
            raise DataError.of(str(error), path) from None
        except sqlite3.DatabaseError as error:
            self.close()
            raise DataError.of(f"is no workbench's database: {error}", path) from None

    def _prepare(self, fresh: bool) -> None:
        connection = self._connection()
        if not fresh and _number(connection, "application_id") != APPLICATION:
            raise DataError.of("is no workbench's database", self.path)
        version = _number(connection, "user_version")
        if version > len(STEPS):
            raise DataError.of(
                f"is of version {version}, and this program knows {len(STEPS)}: update it",
                self.path,
            )
        connection.execute("PRAGMA journal_mode=WAL")
        for number, step in enumerate(STEPS[version:], version + 1):
            connection.executescript(f"BEGIN IMMEDIATE;\n{step.statements}")
            if step.fill:
                step.fill(connection)
            connection.execute(f"PRAGMA application_id={APPLICATION}")
            connection.execute(f"PRAGMA user_version={number}")
            connection.execute("COMMIT")

    def _connection(self) -> sqlite3.Connection:
        known: sqlite3.Connection | None = getattr(self._own, "connection", None)
        if known is not None:
            return known
        made = sqlite3.connect(
            self.path, timeout=self._wait, isolation_level=None, check_same_thread=False
        )
        made.row_factory = sqlite3.Row
        made.execute("PRAGMA synchronous=FULL")
        made.execute("PRAGMA foreign_keys=ON")
        made.execute("PRAGMA trusted_schema=OFF")
        self._own.connection = made
        with self._lists:
            for thread, connection in self._all:
                if not thread.is_alive():  # a server's threads come and go
                    connection.close()
            self._all = [one for one in self._all if one[0].is_alive()]
            self._all.append((threading.current_thread(), made))
        return made

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Read one state of the file, whatever is written meanwhile."""
        with _explained():
            connection = self._connection()
            inside = connection.in_transaction  # within a read or a write of the same thread
            if inside:
                yield connection
                return
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                if connection.in_transaction:  # SQLite ends it by itself after some errors
                    connection.execute("ROLLBACK")

    @contextmanager
    def writing(self, wait: float | None = None) -> Iterator[sqlite3.Connection]:
        """Write all or nothing; what was committed is on the disk.

        UnavailableError if it can't be done within `wait` seconds, or at all: nothing is written.
        """
        patience = self._wait if wait is None else wait
        if not self._writer.acquire(timeout=patience):
            raise UnavailableError(_BUSY)
        try:
            with _explained():
                connection = self._connection()
                connection.execute(f"PRAGMA busy_timeout={int(1000 * patience)}")
                connection.execute("BEGIN IMMEDIATE")
                try:
                    yield connection
                    connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
                finally:
                    connection.execute(f"PRAGMA busy_timeout={int(1000 * self._wait)}")
        finally:
            self._writer.release()

    def rows(self, sql: str, *values: Any) -> list[Row]:
        """All rows of a question."""
        with self.reading() as connection:
            return connection.execute(sql, values).fetchall()

    def row(self, sql: str, *values: Any) -> Row | None:
        """The first row of a question, if there is one."""
        with self.reading() as connection:
            found: Row | None = connection.execute(sql, values).fetchone()
            return found

    def close(self) -> None:
        """Close all connections."""
        with self._lists:
            for _, connection in self._all:
                connection.close()
            self._all.clear()
        self._own = threading.local()


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])
