"""People, the links by which they log in, and their sessions; tokens are stored as digests."""

import hashlib
import hmac
import secrets
import sqlite3
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from chronoscore.errors import UsageError
from chronoscore.workbench.store.database import Store, UnavailableError, now, printable_name

Role = Literal["owner", "evaluator"]
OWNER = "owner"
AGREED = "agreed"
"""The evaluator of agreed values in a sheet."""
LINK_DAYS = 14
SESSION_DAYS = 30
IDLE_DAYS = 7
"""A session ends after this many days without use, and after SESSION_DAYS in any case."""
_SEEN_DAYS = 1 / 24
"""How exactly the last use of a session is recorded: a write at every request would be slow."""
_LONGEST_NAME = 80
_LONGEST_TOKEN = 100
ENDED: Mapping[str, str] = {
    "owner": "The owner of the workbench ended your session.",
    "link": "Your session ended because a new link was made for you, or used elsewhere.",
    "removed": "The owner removed you from the project. What you judged is kept.",
    "left": "You left the workbench in this browser.",
    "idle": f"Your session ended after {IDLE_DAYS} days without use.",
    "old": f"Your session ended, as every session does after {SESSION_DAYS} days.",
    "unknown": "You are not logged in.",
}
"""Why a session ended, in a sentence for its person."""
_LIVE = "why = '' AND ends > :now AND seen > :idle"


@dataclass(frozen=True, slots=True)
class Person:
    """Someone who can have a session, or a model that judged."""

    id: int
    name: str
    role: Role
    kind: str = "person"


def digest(token: str) -> str:
    """What is stored of a token: it has 256 bits, so that nobody can guess it from its hash."""
    return hashlib.sha256(token.encode()).hexdigest()


def csrf(token: str) -> str:
    """The token in a session's forms: derived from the session's, and useless without it."""
    return hmac.new(token.encode(), b"chronoscore form", hashlib.sha256).hexdigest()


def same(one: str, other: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(one.encode(), other.encode())


def owner(store: Store) -> Person:
    """The owner, added when a workbench starts for the first time."""
    with store.writing():
        known = store.record(Person, "SELECT * FROM people WHERE role = 'owner'")
        return known or _add(store, OWNER, "owner")


def _add(store: Store, name: str, role: Role, kind: str = "person") -> Person:
    id_ = store.insert("people", name=name, role=role, kind=kind, made=now())
    return Person(id_, name, role, kind)


def check_name(name: str) -> str:
    """An evaluator's name as it is stored, or UsageError."""
    checked = printable_name(name, _LONGEST_NAME, "a name")
    if checked == AGREED:
        raise UsageError(f"'{AGREED}' is the name of what all agreed on, take another")
    return checked


def find_or_add(store: Store, name: str, kind: str = "person") -> Person:
    """The evaluator of this name, who may be new."""
    name = check_name(name)
    with store.writing():
        known = store.record(Person, "SELECT * FROM people WHERE name = :name", name=name)
        return known or _add(store, name, "evaluator", kind)


def find(store: Store, person: int) -> Person | None:
    """Someone by their number."""
    return store.record(Person, "SELECT * FROM people WHERE id = :person", person=person)


def models(store: Store) -> list[Person]:
    """The models that judged."""
    return store.records(Person, "SELECT * FROM people WHERE kind = 'llm'")


def invite(store: Store, person: int, by: int | None, project: int | None = None) -> str:
    """Create a one-time link's token; unused links of the person end.

    If somebody else creates it, the person's sessions end too. The link that the server prints at
    its start ends them only once it is used.
    """
    token = secrets.token_urlsafe(32)
    with store.writing():
        delete_links(store, person)
        ends = now(LINK_DAYS)
        store.insert("links", digest=digest(token), person=person, made=now(), ends=ends)
        if by not in (None, person):
            end_sessions(store, person, "link")
        store.note(by, "link made", project, person=person)
    return token


def delete_links(store: Store, person: int) -> None:
    """Delete the links that a person has not used."""
    store.execute("DELETE FROM links WHERE person = :person AND used = ''", person=person)


def invited(store: Store, token: str) -> Person | None:
    """Whose link this is, if it is still valid."""
    if len(token) > _LONGEST_TOKEN:
        return None
    sql = """SELECT p.* FROM links l JOIN people p ON p.id = l.person
        WHERE l.digest = :digest AND l.used = '' AND l.ends > :now"""
    return store.record(Person, sql, digest=digest(token), now=now())


def open_links(store: Store) -> dict[int, str]:
    """When the unused link of each person who has one ends."""
    sql = "SELECT person, max(ends) AS ends FROM links WHERE used = '' AND ends > :now GROUP BY 1"
    return {row["person"]: row["ends"] for row in store.rows(sql, now=now())}


def came_in(store: Store) -> set[int]:
    """The people who have used a link."""
    rows = store.rows("SELECT DISTINCT person FROM links WHERE used <> ''")
    return {row["person"] for row in rows}


def has_open_link(store: Store, person: int) -> bool:
    """Whether a person has an unused link, and so can come back."""
    sql = "SELECT 1 FROM links WHERE person = :person AND used = '' AND ends > :now"
    return store.row(sql, person=person, now=now()) is not None


def enter(store: Store, token: str, former: str) -> str | None:
    """Use up a link; returns the token of a new session, None if the link is not valid.

    The person's other sessions end, and so does the one that the browser had before.
    """
    if invited(store, token) is None:  # only a valid link may make other writers wait
        return None
    with store.writing():
        person = invited(store, token)
        if person is None:
            return None
        fresh, moment = secrets.token_urlsafe(32), now()
        used = "UPDATE links SET used = :now WHERE digest = :digest"
        store.execute(used, now=moment, digest=digest(token))
        _end(store, "left", "digest = :digest", digest=digest(former))
        end_sessions(store, person.id, "link")
        store.execute("DELETE FROM sessions WHERE ends < :ago", ago=now(-SESSION_DAYS))
        times = {"made": moment, "seen": moment, "ends": now(SESSION_DAYS)}
        store.insert("sessions", digest=digest(fresh), person=person, **times)
        store.note(person, "came in")
    return fresh


def session(store: Store, token: str) -> Person | None:
    """Whose session this is, if it has not ended; records that it is in use."""
    row = _session(store, token)
    if row is None or _why_ended(row):
        return None
    if row["seen"] < now(-_SEEN_DAYS):
        with suppress(UnavailableError), store.writing(wait=0):
            used = "UPDATE sessions SET seen = :now WHERE digest = :digest"
            store.execute(used, now=now(), digest=digest(token))
    return Person(row["id"], row["name"], row["role"], row["kind"])


def why_ended(store: Store, token: str) -> str:
    """Why the session of this token ended: a key of ENDED."""
    row = _session(store, token)
    return (_why_ended(row) if row else "") or "unknown"


def _session(store: Store, token: str) -> sqlite3.Row | None:
    sql = """SELECT p.*, s.ends, s.seen, s.why FROM sessions s JOIN people p ON p.id = s.person
        WHERE s.digest = :digest"""
    return store.row(sql, digest=digest(token))


def _why_ended(row: sqlite3.Row) -> str:
    if row["why"]:
        return str(row["why"])
    return "old" if row["ends"] <= now() else "idle" if row["seen"] <= now(-IDLE_DAYS) else ""


def in_use(store: Store) -> dict[int, str]:
    """When each person who has a session used it last."""
    sql = f"SELECT person, max(seen) AS seen FROM sessions WHERE {_LIVE} GROUP BY person"
    rows = store.rows(sql, now=now(), idle=now(-IDLE_DAYS))
    return {row["person"]: row["seen"] for row in rows}


def leave(store: Store, token: str, person: int) -> None:
    """End a session."""
    with store.writing():
        _end(store, "left", "digest = :digest", digest=digest(token))
        store.note(person, "left")


def end_sessions(store: Store, person: int, why: str) -> int:
    """End all sessions of a person; returns how many there were."""
    return _end(store, why, "person = :person", person=person)


def _end(store: Store, why: str, where: str, **values: object) -> int:
    """Record why sessions end; those that have ended keep their reason."""
    sql = f"UPDATE sessions SET why = :why, ended = :now WHERE {_LIVE} AND {where}"
    return store.execute(sql, why=why, now=now(), idle=now(-IDLE_DAYS), **values).rowcount
