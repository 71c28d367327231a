"""People, the links by which they come in, and their sessions; tokens are kept as digests."""

import hashlib
import hmac
import secrets
import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from chronoscore.core.errors import UsageError
from chronoscore.workbench.store import audit
from chronoscore.workbench.store.database import Row, Store, now

Role = Literal["owner", "evaluator"]
OWNER = "owner"
AGREED = "agreed"
"""Whom the agreed values are ascribed to in a sheet."""
_LINK_DAYS = 14
_SESSION_DAYS = 30
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Person:
    """Someone who has a session, or a model that judged."""

    id: int
    name: str
    role: Role
    kind: str = "person"


def digest(token: str) -> str:
    """What is kept of a token; it has 256 bits, so that a plain hash can't be guessed back."""
    return hashlib.sha256(token.encode()).hexdigest()


def csrf(token: str) -> str:
    """What the forms of a session carry: made from its token, and of no use without it."""
    return hmac.new(token.encode(), b"chronoscore form", hashlib.sha256).hexdigest()


def same(one: str, other: str) -> bool:
    """Compare in a time that tells nothing of where they differ."""
    return hmac.compare_digest(one.encode(), other.encode())


def owner(store: Store) -> Person:
    """The owner, made at the first start."""
    with store.writing() as connection:
        found = connection.execute("SELECT * FROM people WHERE role = 'owner'").fetchone()
        if found is None:
            connection.execute(
                "INSERT INTO people (name, role, made) VALUES (?, 'owner', ?)", (OWNER, now())
            )
            found = connection.execute("SELECT * FROM people WHERE role = 'owner'").fetchone()
        return _person(found)


def check_name(name: str) -> str:
    """A name as it is kept, or UsageError."""
    kept = " ".join(name.split())
    if not kept or len(kept) > _LONGEST_NAME or not kept.isprintable():
        raise UsageError(f"a name has 1 to {_LONGEST_NAME} characters that can be seen")
    if kept == AGREED:
        raise UsageError(f"'{AGREED}' is the name of what all agreed on, take another")
    return kept


def find_or_make(connection: sqlite3.Connection, name: str, kind: str = "person") -> Person:
    """The evaluator of this name, who may be new."""
    kept = check_name(name)
    found = connection.execute("SELECT * FROM people WHERE name = ?", (kept,)).fetchone()
    if found is None:
        connection.execute(
            "INSERT INTO people (name, role, kind, made) VALUES (?, 'evaluator', ?, ?)",
            (kept, kind, now()),
        )
        found = connection.execute("SELECT * FROM people WHERE name = ?", (kept,)).fetchone()
    return _person(found)


def by_id(store: Store, person: int) -> Person | None:
    """A person, if there is one."""
    found = store.row("SELECT * FROM people WHERE id = ?", person)
    return _person(found) if found else None


def invite(store: Store, person: int, by: int | None, project: int | None = None) -> str:
    """Make a one-time link's token; older links of the person that were not used end."""
    token = secrets.token_urlsafe(32)
    with store.writing() as connection:
        connection.execute("DELETE FROM links WHERE person = ? AND used = ''", (person,))
        connection.execute(
            "INSERT INTO links (digest, person, made, ends) VALUES (?, ?, ?, ?)",
            (digest(token), person, now(), _later(_LINK_DAYS)),
        )
        audit.note(connection, by, "link made", project, person=person)
    return token


def invited(store: Store, token: str) -> Person | None:
    """Whose link this is, if it still opens."""
    found = store.row(
        "SELECT p.*, l.digest FROM links l JOIN people p ON p.id = l.person "
        "WHERE l.digest = ? AND l.used = '' AND l.ends > ?",
        digest(token),
        now(),
    )
    return _person(found) if found and same(found["digest"], digest(token)) else None


def enter(store: Store, token: str, former: str) -> tuple[Person, str] | None:
    """Use up a link: the person, and the token of a new session. A former session ends."""
    with store.writing() as connection:
        person = invited(store, token)
        if person is None:
            return None
        fresh = secrets.token_urlsafe(32)
        moment = now()
        connection.execute("UPDATE links SET used = ? WHERE digest = ?", (moment, digest(token)))
        connection.execute(
            "DELETE FROM sessions WHERE digest = ? OR ends < ?", (digest(former), moment)
        )
        connection.execute(
            "INSERT INTO sessions (digest, person, made, ends) VALUES (?, ?, ?, ?)",
            (digest(fresh), person.id, moment, _later(_SESSION_DAYS)),
        )
        audit.note(connection, person.id, "came in")
    return person, fresh


def session(store: Store, token: str) -> Person | None:
    """Whose session this is, if it has not ended."""
    if not token:
        return None
    found = store.row(
        "SELECT p.*, s.digest FROM sessions s JOIN people p ON p.id = s.person "
        "WHERE s.digest = ? AND s.ends > ?",
        digest(token),
        now(),
    )
    return _person(found) if found and same(found["digest"], digest(token)) else None


def leave(store: Store, token: str, person: int) -> None:
    """End a session."""
    with store.writing() as connection:
        connection.execute("DELETE FROM sessions WHERE digest = ?", (digest(token),))
        audit.note(connection, person, "left")


def _later(days: int) -> str:
    return (datetime.now(UTC) + timedelta(days=days)).isoformat(timespec="milliseconds")


def _person(row: Row) -> Person:
    return Person(row["id"], row["name"], row["role"], row["kind"])
