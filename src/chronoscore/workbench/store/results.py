"""Saved results: named by their content, so that a link to one is a link to these numbers."""

import hashlib
import sqlite3
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import msgspec

from chronoscore.core.errors import UsageError
from chronoscore.core.result import without_checksum
from chronoscore.workbench.store import audit
from chronoscore.workbench.store.database import Row, Store, now

Kind = Literal["result", "matches", "texts"]
_DIGITS = 20
_LONGEST_NAME = 120


@dataclass(frozen=True, slots=True)
class Kept:
    """A result as it is listed; its numbers are in its parts."""

    id: str
    name: str
    folder: str
    """Names the data set; empty if there was no folder."""
    family: str
    protocol: str
    systems: tuple[str, ...]
    cases: int
    kinds: tuple[str, ...]
    added: str
    gone: bool
    state: int
    """The last change of its name, or its deletion: what can be undone."""


@dataclass(frozen=True, slots=True)
class New:
    """A result to be kept, and what is listed of it."""

    name: str
    folder: str
    family: str
    protocol: str
    systems: tuple[str, ...]
    cases: int
    parts: Mapping[Kind, bytes]

    @property
    def id(self) -> str:
        """Made from the document: the same result is kept once, however it is called."""
        return digest(without_checksum(self.parts["result"]))


def digest(content: bytes) -> str:
    """A short name of some content."""
    return hashlib.sha256(content).hexdigest()[:_DIGITS]


def check_name(name: str) -> str:
    """A name as it is kept, or UsageError."""
    kept = " ".join(name.split())
    if not kept or len(kept) > _LONGEST_NAME or not kept.isprintable():
        raise UsageError(f"a result's name has 1 to {_LONGEST_NAME} characters that can be seen")
    return kept


_SELECT = (
    "SELECT r.*, s.number, s.name, s.folder, s.gone, (SELECT group_concat(p.kind) FROM "
    "result_parts p WHERE p.result = r.id) AS kinds FROM results r JOIN result_states s "
    "ON s.number = (SELECT max(n.number) FROM result_states n WHERE n.result = r.id) "
)


def listed(store: Store, *, gone: bool = False) -> list[Kept]:
    """All results that are there, or those that were deleted, by name."""
    found = store.rows(f"{_SELECT} WHERE s.gone = ? ORDER BY s.folder, s.name, r.id", gone)
    return [_kept(row) for row in found]


def one(store: Store, result: str) -> Kept | None:
    """A result, also if it was deleted."""
    found = store.row(f"{_SELECT} WHERE r.id = ?", result)
    return _kept(found) if found else None


def part(store: Store, result: str, kind: str) -> bytes | None:
    """The document of a result, or what explains it."""
    found = store.row(
        "SELECT content FROM result_parts WHERE result = ? AND kind = ?", result, kind
    )
    return zlib.decompress(found["content"]) if found else None


def stamp(store: Store, result: str) -> str:
    """Changes when a part of a result is added or replaced."""
    found = store.rows(
        "SELECT kind, digest FROM result_parts WHERE result = ? ORDER BY kind", result
    )
    return " ".join(f"{row['kind']}={row['digest']}" for row in found)


def has(store: Store, new: New) -> bool:
    """Whether all of a result is here already."""
    parts = sorted(f"{kind}={digest(content)}" for kind, content in new.parts.items())
    return set(parts) <= set(stamp(store, new.id).split())


def keep(store: Store, by: int, new: New) -> bool:
    """Keep a result; False if it was there already.

    One that was deleted comes back. What explains it is taken along if it is new.
    """
    name = check_name(new.name)
    with store.writing() as connection:
        known = one(store, new.id)
        if known is None:
            connection.execute(
                "INSERT INTO results (id, family, protocol, systems, cases, added) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (
                    new.id,
                    new.family,
                    new.protocol,
                    msgspec.json.encode(new.systems).decode(),
                    new.cases,
                    now(),
                ),
            )
        changed = _put_parts(connection, new)
        if known is None or known.gone:
            _put_state(connection, by, new.id, name, new.folder, gone=False)
        if known is None or known.gone or changed:
            audit.note(connection, by, "result added", result=new.id, name=name, parts=changed)
    return known is None or known.gone


def _put_parts(connection: sqlite3.Connection, new: New) -> list[str]:
    """Write the parts that are not there as they are; returns their kinds."""
    changed: list[str] = []
    for kind, content in new.parts.items():
        known = connection.execute(
            "SELECT digest FROM result_parts WHERE result = ? AND kind = ?", (new.id, kind)
        ).fetchone()
        if known is None or known["digest"] != digest(content):
            connection.execute(
                "INSERT OR REPLACE INTO result_parts (result, kind, digest, content) "
                "VALUES (?, ?, ?, ?)",
                (new.id, kind, digest(content), zlib.compress(content, 3)),
            )
            changed.append(kind)
    return changed


def rename(store: Store, by: int, result: Kept, name: str) -> None:
    """Give a result another name; its links stay as they are."""
    kept = check_name(name)
    if kept == result.name:
        return
    with store.writing() as connection:
        _put_state(connection, by, result.id, kept, result.folder, gone=result.gone)
        audit.note(
            connection, by, "result renamed", result=result.id, name=kept, before=result.name
        )


def delete(store: Store, by: int, result: Kept) -> None:
    """Put a result aside; nothing of it is lost."""
    if result.gone:
        return
    with store.writing() as connection:
        _put_state(connection, by, result.id, result.name, result.folder, gone=True)
        audit.note(connection, by, "result deleted", result=result.id, name=result.name)


def undo(store: Store, by: int, result: Kept, state: int) -> bool:
    """Take back the last change, if it is still the last; that can be undone too."""
    with store.writing() as connection:
        found = connection.execute(
            "SELECT * FROM result_states WHERE result = ? ORDER BY number DESC LIMIT 2",
            (result.id,),
        ).fetchall()
        if len(found) < 2 or found[0]["number"] != state:
            return False
        before = found[1]
        _put_state(
            connection, by, result.id, before["name"], before["folder"], gone=bool(before["gone"])
        )
        audit.note(
            connection,
            by,
            "result undone",
            result=result.id,
            name=before["name"],
            deleted=bool(before["gone"]),
        )
    return True


def before(store: Store, result: Kept) -> Kept | None:
    """A result as it was before its last change; None if there was none."""
    found = store.rows(
        "SELECT name, folder, gone, number FROM result_states WHERE result = ? "
        "ORDER BY number DESC LIMIT 2",
        result.id,
    )
    if len(found) < 2:
        return None
    row = found[1]
    return Kept(
        result.id,
        row["name"],
        row["folder"],
        result.family,
        result.protocol,
        result.systems,
        result.cases,
        result.kinds,
        result.added,
        bool(row["gone"]),
        row["number"],
    )


def history(store: Store, most: int = 50) -> list[audit.Entry]:
    """What was done to results, the newest first."""
    found = store.rows(
        "SELECT a.id, a.at, coalesce(p.name, '') AS name, a.action, a.detail FROM audit a "
        "LEFT JOIN people p ON p.id = a.person WHERE a.project IS NULL "
        "AND a.action LIKE 'result %' ORDER BY a.id DESC LIMIT ?",
        most,
    )
    return [audit.Entry(r["id"], r["at"], r["name"], r["action"], r["detail"]) for r in found]


def _put_state(
    connection: sqlite3.Connection, by: int, result: str, name: str, folder: str, *, gone: bool
) -> None:
    connection.execute(
        "INSERT INTO result_states (result, name, folder, gone, person, at) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (result, name, folder, gone, by, now()),
    )


def _kept(row: Row) -> Kept:
    return Kept(
        row["id"],
        row["name"],
        row["folder"],
        row["family"],
        row["protocol"],
        msgspec.json.decode(row["systems"], type=tuple[str, ...]),
        row["cases"],
        tuple((row["kinds"] or "").split(",")),
        row["added"],
        bool(row["gone"]),
        row["number"],
    )
