"""The database file: one writer at a time, any number of readers, no acknowledged save is lost.

Queries name their parameters, and a record stands for its id; `viewer` also sets `owns`. Rows
become records: frozen dataclasses whose fields are named like the columns. Every change adds a row
to the audit, in the same transaction.
"""

import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, is_dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal, TypeVar, get_origin, get_type_hints

import msgspec
from msgspec import Raw

from chronoscore.core.sources import plain_ends
from chronoscore.core.writing import replaced
from chronoscore.errors import ChronoscoreError, DataError, UsageError
from chronoscore.workbench.store.schema import APPLICATION, STEPS

Row = sqlite3.Row
Record = TypeVar("Record")
_WAIT = 10.0
"""Seconds that a writer waits for other writers, in this process and in others."""
_SYNC = "FULL"
"""At each commit what is written is synced to the disk."""
_OTHER_FILE = "is not a database of the workbench: name another file"
_UNREADABLE = "The database can't be read."
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
"""Why the file can't be used, by SQLite's primary error code."""


class UnavailableError(ChronoscoreError):
    """The file can't be read or written at the moment; the message is a sentence for people."""

    exit_code = 3
    status = 503


def _reason(error: sqlite3.DatabaseError) -> str:
    return _REASONS.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, "")


@contextmanager
def _explained() -> Iterator[None]:
    """Turn SQLite's error for a full disk or a locked file into a sentence."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if reason := _reason(error):
            raise UnavailableError(reason) from error
        raise


_demo_time: ContextVar[datetime | None] = ContextVar("demo_time", default=None)


@contextmanager
def demo_time(moment: datetime) -> Iterator[None]:
    """Write the rows of a demo as if it were another time.

    The audit keeps the true time: each of its entries says that it is of a demo, and which time
    the other rows carry.
    """
    before = _demo_time.set(moment)
    try:
        yield
    finally:
        _demo_time.reset(before)


def now(days: float = 0) -> str:
    """The time now, or some days from now, in UTC, as it is written in every table."""
    return _written(_demo_time.get() or datetime.now(UTC), days)


def _written(moment: datetime, days: float = 0) -> str:
    return (moment + timedelta(days=days)).isoformat(timespec="milliseconds")


def json_text(value: object) -> str:
    """A value as JSON columns hold it."""
    return msgspec.json.encode(value).decode()


def json_lines(records: Iterable[object]) -> bytes:
    """Records as lines of JSON."""
    return msgspec.json.Encoder().encode_lines(records)


class TextError(ChronoscoreError):
    """A text can't be stored."""

    status = 400


def clean_text(text: str) -> str:
    """A typed text as it is stored: with one kind of line end, and without half characters.

    Text with a NUL character is refused: many programs take it for the end of the text.

    >>> clean_text("one\\r\\ntwo\\rthree")
    'one\\ntwo\\nthree'
    """
    if "\0" in text:
        raise TextError("A text contains the character NUL (U+0000): remove it.")
    return plain_ends(text).encode("utf-8", "replace").decode()


def printable_name(name: str, longest: int, what: str) -> str:
    """A name with single spaces, or UsageError if it is empty, too long or not printable."""
    single = " ".join(name.split())
    if not single or len(single) > longest or not single.isprintable():
        raise UsageError(f"{what} has 1 to {longest} characters that can be seen")
    return single


def _bound(values: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a query; `owns` tells whether the viewer is the owner."""
    bound = {name: getattr(value, "id", value) for name, value in values.items()}
    if "viewer" in values:
        bound["owns"] = values["viewer"].role == "owner"
    return bound


def record(kind: Callable[..., Record], row: Row) -> Record:
    """Build a record from a row, each field from the column of its name.

    Numbers and texts are taken as they are and 0 or 1 becomes a bool; a field that is itself a
    record is built from the same row; all other types are decoded from JSON.
    """
    return kind(**{name: read(row) for name, read in _readers(kind).items()})


@cache
def _readers(kind: Callable[..., Any]) -> dict[str, Callable[[Row], Any]]:
    return {name: _reader(name, hint) for name, hint in get_type_hints(kind).items()}


def _reader(column: str, hint: Any) -> Callable[[Row], Any]:
    if is_dataclass(hint):
        return lambda row: record(hint, row)  # type: ignore[arg-type]
    if hint in (int, float, str) or get_origin(hint) is Literal:
        return itemgetter(column)
    if hint is bool:
        return lambda row: bool(row[column])
    decoder = msgspec.json.Decoder(hint)
    return lambda row: decoder.decode(row[column])


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
            path.touch(mode=0o600)
            self._prepare()
        except sqlite3.DatabaseError as error:
            self.close()
            reason = _reason(error) or f"{_OTHER_FILE} ({error})"
            raise DataError.of(reason, path) from None
        except DataError:
            self.close()
            raise

    def _prepare(self) -> None:
        connection = self._connection()
        # A first start that was killed leaves a database without tables.
        empty = connection.execute("SELECT 1 FROM sqlite_master").fetchone() is None
        if _number(connection, "application_id") != (0 if empty else APPLICATION):
            raise DataError.of(_OTHER_FILE, self.path)
        version = _number(connection, "user_version")
        if version > len(STEPS):
            known = f"this program reads up to {len(STEPS)}: update chronoscore"
            message = f"the database has version {version}, {known}"
            raise DataError.of(message, self.path)
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
        connection = sqlite3.connect(
            self.path, timeout=self._wait, isolation_level=None, check_same_thread=False
        )
        try:
            connection.row_factory = sqlite3.Row
            connection.execute(f"PRAGMA synchronous={_SYNC}")
            connection.execute("PRAGMA foreign_keys=ON")
            connection.execute("PRAGMA trusted_schema=OFF")
            connection.execute("PRAGMA secure_delete=ON")  # what is deleted leaves the file
        except sqlite3.Error:
            connection.close()
            raise
        self._own.connection = connection
        with self._lists:
            for thread, other in self._all:
                if not thread.is_alive():  # a server's threads come and go
                    other.close()
            self._all = [one for one in self._all if one[0].is_alive()]
            self._all.append((threading.current_thread(), connection))
        return connection

    @contextmanager
    def writing(self, wait: float | None = None) -> Iterator[sqlite3.Connection]:
        """Write everything or nothing; what is committed is on the disk.

        Within another `writing` of the same thread, this is a part of it. UnavailableError if the
        write can't be done within `wait` seconds, or at all: then nothing is written.
        """
        if getattr(self._own, "writing", False):
            yield self._own.connection
            return
        if not self._writer.acquire(timeout=self._wait if wait is None else wait):
            raise UnavailableError(_BUSY)
        try:
            with _explained(), self._waiting(wait) as connection:
                connection.execute("BEGIN IMMEDIATE")
                self._own.writing = True
                try:
                    yield connection
                    connection.execute("COMMIT")
                except BaseException:
                    self._roll_back(connection)
                    raise
                finally:
                    self._own.writing = False
        finally:
            self._writer.release()

    @contextmanager
    def _waiting(self, seconds: float | None) -> Iterator[sqlite3.Connection]:
        """The connection of this thread, which waits so long for other programs, if not None."""
        connection = self._connection()
        if seconds is None:
            yield connection
            return
        connection.execute(f"PRAGMA busy_timeout={int(1000 * seconds)}")
        try:
            yield connection
        finally:
            connection.execute(f"PRAGMA busy_timeout={int(1000 * self._wait)}")

    def _roll_back(self, connection: sqlite3.Connection) -> None:
        """End a transaction that failed; a connection that can't do that is closed, which does."""
        try:
            if connection.in_transaction:  # SQLite itself rolls back after some errors
                connection.execute("ROLLBACK")
        except sqlite3.Error:
            del self._own.connection
            connection.close()

    def rows(self, sql: str, **values: Any) -> list[Row]:
        """All rows of a query, of one state of the file whatever is written meanwhile."""
        with _explained():
            return self._connection().execute(sql, _bound(values)).fetchall()

    def row(self, sql: str, **values: Any) -> Row | None:
        """The first row of a query, if there is one."""
        return next(iter(self.rows(sql, **values)), None)

    def value(self, sql: str, **values: Any) -> Any:
        """The first column of the first row, None if there is no row."""
        row = self.row(sql, **values)
        return row[0] if row else None

    def records(self, kind: Callable[..., Record], sql: str, **values: Any) -> list[Record]:
        """All rows of a query as records."""
        return [record(kind, row) for row in self.rows(sql, **values)]

    def record(self, kind: Callable[..., Record], sql: str, **values: Any) -> Record | None:
        """The first row of a query as a record, if there is one."""
        return next(iter(self.records(kind, sql, **values)), None)

    def execute(self, sql: str, **values: Any) -> sqlite3.Cursor:
        """Run a statement that writes."""
        with self.writing() as connection:
            return connection.execute(sql, _bound(values))

    def insert(self, table: str, **columns: Any) -> int:
        """Add a row; returns its number."""
        return self.execute(_insertion(table, columns), **columns).lastrowid or 0

    def insert_all(self, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add rows that have the same columns."""
        if rows:
            with self.writing() as connection:
                connection.executemany(_insertion(table, rows[0]), rows)

    def note(self, by: Any, action: str, project: int | None = None, /, **details: Any) -> int:
        """Add an entry to the audit and return its number; details hold no texts and no tokens.

        `by` is a person or their id, None for the workbench itself.
        """
        if _demo_time.get():
            details["demo"] = now()
        entry = {"person": by, "project": project, "action": action}
        at = _written(datetime.now(UTC))
        return self.insert("audit", at=at, **entry, detail=json_text(_bound(details)))

    def empty_journal(self) -> bool:
        """Move the journal into the file and empty it, so that neither has what was deleted.

        False if another program reads the file for longer than a writer waits. Then it is done
        when the last connection is closed.
        """
        if not self._writer.acquire(timeout=self._wait):
            return False
        try:
            with _explained():
                return (
                    not self._connection().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
                )
        finally:
            self._writer.release()

    def trouble(self) -> str:
        """Why the file can't be read at the moment, as a sentence; empty if it can."""
        if not self.path.is_file():  # what is written to a file without a name is lost
            return "The file of the database is gone."
        try:
            self.value("SELECT count(*) FROM people")
        except (sqlite3.Error, UnavailableError) as error:
            return str(error) if isinstance(error, UnavailableError) else _UNREADABLE
        return ""

    def close(self) -> None:
        """Close all connections."""
        with self._lists:
            for _, connection in self._all:
                connection.close()
            self._all.clear()
        self._own = threading.local()


def _insertion(table: str, columns: Iterable[str]) -> str:
    places = ", ".join(f":{column}" for column in columns)
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})"


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """An action, who did it and when."""

    id: int
    at: str
    person: str
    action: str
    detail: str


_ENTRIES = """SELECT a.id, a.at, coalesce(p.name, '') AS person, a.action, a.detail FROM audit a
    LEFT JOIN people p ON p.id = a.person"""


def audit_entries(
    store: Store, project: int | None, *, action: str = "", before: int = 0, most: int = 200
) -> list[AuditEntry]:
    """The last entries of a project, or about saved results if it is None, the newest first.

    `before` is where the last page ended.
    """
    sql = f"""{_ENTRIES} WHERE a.project IS :project AND (:action = '' OR a.action = :action)
        AND (:project NOT NULL OR a.action LIKE 'result %') AND (:before = 0 OR a.id < :before)
        ORDER BY a.id DESC LIMIT :most"""
    return store.records(AuditEntry, sql, project=project, action=action, before=before, most=most)


def audit_entry(store: Store, project: int | None, number: int) -> AuditEntry | None:
    """One entry of a project."""
    sql = f"{_ENTRIES} WHERE a.project IS :project AND a.id = :number"
    return store.record(AuditEntry, sql, project=project, number=number)


def audited_since(store: Store, project: int | None, number: int, actions: Iterable[str]) -> bool:
    """Whether one of these actions was done in a project after an entry."""
    sql = """SELECT 1 FROM audit WHERE project IS :project AND id > :number
        AND action IN (SELECT value FROM json_each(:actions)) LIMIT 1"""
    wanted = json_text(list(actions))
    return store.row(sql, project=project, number=number, actions=wanted) is not None


def audit_actions(store: Store, project: int) -> list[str]:
    """The kinds of actions in a project."""
    sql = "SELECT DISTINCT action FROM audit WHERE project = :project ORDER BY action"
    return [row["action"] for row in store.rows(sql, project=project)]


_NO_CHANGE = ("exported", "link made", "sessions ended", "evaluator added", "project changed")
"""Actions in a project after which an export has the same judgements as before."""


def is_exported(store: Store, project: int) -> bool:
    """Whether a project was exported after the last change of what is exported."""
    same = ", ".join(f"'{action}'" for action in _NO_CHANGE)
    sql = f"""SELECT coalesce(max(id) FILTER (WHERE action = 'exported'), 0) >
        coalesce(max(id) FILTER (WHERE action NOT IN ({same})), 0)
        FROM audit WHERE project = :project"""
    return bool(store.value(sql, project=project))


def full_audit(store: Store, project: int) -> list[dict[str, object]]:
    """All entries of a project for its export, the oldest first."""
    sql = f"{_ENTRIES} WHERE a.project = :project ORDER BY a.id"
    return [
        {"at": one.at, "person": one.person, "action": one.action, "detail": Raw(one.detail)}
        for one in store.records(AuditEntry, sql, project=project)
    ]


def backup(source: Path, target: Path) -> None:
    """Copy a database, which may be in use, as of one moment."""
    if not source.is_file():
        raise DataError.of("there is no such database", source)
    if target.exists():
        raise UsageError(f"{target} already exists, and backups are kept: name another file")
    try:
        address = f"{source.resolve().as_uri()}?mode=ro"
        with (
            replaced(target, mode=0o600) as draft,
            closing(sqlite3.connect(address, uri=True, timeout=15)) as read,
            closing(sqlite3.connect(draft)) as written,
        ):
            if _number(read, "application_id") != APPLICATION:
                raise DataError.of(_OTHER_FILE, source)
            read.backup(written)
            written.execute("PRAGMA journal_mode=DELETE")  # one file, which can be moved
            integrity = written.execute("PRAGMA integrity_check").fetchone()[0]
            if integrity != "ok":
                raise DataError.of(f"is damaged: {integrity}", source)
    except sqlite3.DatabaseError as error:
        raise DataError.of(f"can't be copied: {error}", source) from None
