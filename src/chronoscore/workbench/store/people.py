"""People, the links by which they come in, and their sessions; tokens are kept as digests."""

import hashlib
import hmac
import secrets
import sqlite3
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from chronoscore.core.errors import UsageError
from chronoscore.workbench.store import audit
from chronoscore.workbench.store.database import Row, Store, UnavailableError, now

Role = Literal["owner", "evaluator"]
OWNER = "owner"
AGREED = "agreed"
"""Whom the agreed values are ascribed to in a sheet."""
LINK_DAYS = 14
SESSION_DAYS = 30
IDLE_DAYS = 7
"""A session ends after so many days without use, and after SESSION_DAYS in any case."""
_NOTED = timedelta(hours=1)
"""How exactly the last use of a session is noted: a write for every request would be dear."""
_LONGEST_NAME = 80
ENDED: Mapping[str, str] = {
    "owner": "The owner of the workbench ended your session.",
    "link": "Your session ended because a new link was made for you, or used elsewhere.",
    "removed": "The owner removed you from the project. What you judged is kept.",
    "left": "You left the workbench in this browser.",
    "idle": f"Your session ended after {IDLE_DAYS} days without use.",
    "old": f"Your session ended, as every session does after {SESSION_DAYS} days.",
    "unknown": "You are not logged in.",
}
"""Why there is no session any more, in a sentence for its person."""
_LIVE = "why = '' AND ends > ? AND seen > ?"


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
    """Make a one-time link's token; older links of the person that were not used end.

    If somebody else makes it, the person's sessions end too. A link that is printed at the start
    of the server ends them only once it is used.
    """
    token = secrets.token_urlsafe(32)
    with store.writing() as connection:
        connection.execute("DELETE FROM links WHERE person = ? AND used = ''", (person,))
        connection.execute(
            "INSERT INTO links (digest, person, made, ends) VALUES (?, ?, ?, ?)",
            (digest(token), person, now(), _in_days(LINK_DAYS)),
        )
        if by not in (None, person):
            end_sessions(connection, person, "link")
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


def has_open_link(store: Store, person: int) -> bool:
    """Whether a person has a link that was not used yet, and so can come back."""
    return bool(
        store.row("SELECT 1 FROM links WHERE person = ? AND used = '' AND ends > ?", person, now())
    )


def enter(store: Store, token: str, former: str) -> tuple[Person, str] | None:
    """Use up a link: the person, and the token of a new session.

    The person's other sessions end, and so does the one that the browser had before.
    """
    with store.writing() as connection:
        person = invited(store, token)
        if person is None:
            return None
        fresh = secrets.token_urlsafe(32)
        moment = now()
        connection.execute("UPDATE links SET used = ? WHERE digest = ?", (moment, digest(token)))
        _end(connection, "left", "digest = ?", digest(former))
        end_sessions(connection, person.id, "link")
        connection.execute("DELETE FROM sessions WHERE ends < ?", (_in_days(-SESSION_DAYS),))
        connection.execute(
            "INSERT INTO sessions (digest, person, made, ends, seen) VALUES (?, ?, ?, ?, ?)",
            (digest(fresh), person.id, moment, _in_days(SESSION_DAYS), moment),
        )
        audit.note(connection, person.id, "came in")
    return person, fresh


def session(store: Store, token: str) -> Person | None:
    """Whose session this is, if it has not ended; notes that it is in use."""
    found = _session(store, token)
    if found is None or _why(found):
        return None
    if found["seen"] < _written(datetime.now(UTC) - _NOTED):
        with suppress(UnavailableError), store.writing(wait=0) as connection:
            connection.execute(
                "UPDATE sessions SET seen = ? WHERE digest = ?", (now(), found["session"])
            )
    return _person(found)


def why_ended(store: Store, token: str) -> str:
    """Why the session of this token ended: a key of ENDED."""
    found = _session(store, token)
    return (_why(found) if found else "") or "unknown"


def _session(store: Store, token: str) -> Row | None:
    found = store.row(
        "SELECT p.*, s.digest AS session, s.ends, s.seen, s.why FROM sessions s "
        "JOIN people p ON p.id = s.person WHERE s.digest = ?",
        digest(token),
    )
    return found if found and same(found["session"], digest(token)) else None


def _why(row: Row) -> str:
    if row["why"]:
        return str(row["why"])
    return "old" if row["ends"] <= now() else "idle" if row["seen"] <= _in_days(-IDLE_DAYS) else ""


def in_use(store: Store) -> dict[int, str]:
    """When each person who has a session used it last."""
    found = store.rows(
        f"SELECT person, max(seen) AS seen FROM sessions WHERE {_LIVE} GROUP BY person",
        now(),
        _in_days(-IDLE_DAYS),
    )
    return {row["person"]: row["seen"] for row in found}


def leave(store: Store, token: str, person: int) -> None:
    """End a session."""
    with store.writing() as connection:
        _end(connection, "left", "digest = ?", digest(token))
        audit.note(connection, person, "left")


def end_sessions(connection: sqlite3.Connection, person: int, why: str) -> int:
    """End all sessions of a person; returns how many there were."""
    return _end(connection, why, "person = ?", person)


def _end(connection: sqlite3.Connection, why: str, where: str, *values: object) -> int:
    """Note why sessions end; those that have ended keep the reason that they have."""
    return connection.execute(
        f"UPDATE sessions SET why = ?, ended = ? WHERE {_LIVE} AND {where}",
        (why, now(), now(), _in_days(-IDLE_DAYS), *values),
    ).rowcount


def _in_days(days: int) -> str:
    return _written(datetime.now(UTC) + timedelta(days=days))


def _written(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds")


def _person(row: Row) -> Person:
    return Person(row["id"], row["name"], row["role"], row["kind"])
