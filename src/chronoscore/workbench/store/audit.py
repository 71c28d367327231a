"""What was done, when and by whom: rows are added and never changed."""

import sqlite3
from dataclasses import dataclass

import msgspec

from chronoscore.workbench.store.database import Store, now


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that was done."""

    id: int
    at: str
    person: str
    action: str
    detail: str


def note(
    connection: sqlite3.Connection,
    by: int | None,
    action: str,
    project: int | None = None,
    /,
    **detail: object,
) -> None:
    """Write down what was done, in the same transaction; no texts and no tokens."""
    connection.execute(
        "INSERT INTO audit (at, person, project, action, detail) VALUES (?, ?, ?, ?, ?)",
        (now(), by, project, action, msgspec.json.encode(detail).decode()),
    )


def entries(
    store: Store, project: int, *, action: str = "", before: int = 0, most: int = 200
) -> list[Entry]:
    """The last entries of a project, the newest first; `before` is where the last page ended."""
    found = store.rows(
        "SELECT a.id, a.at, coalesce(p.name, '') AS name, a.action, a.detail FROM audit a "
        "LEFT JOIN people p ON p.id = a.person WHERE a.project = ? AND (? = '' OR a.action = ?) "
        "AND (? = 0 OR a.id < ?) ORDER BY a.id DESC LIMIT ?",
        project,
        action,
        action,
        before,
        before,
        most,
    )
    return [Entry(r["id"], r["at"], r["name"], r["action"], r["detail"]) for r in found]


def actions(store: Store, project: int) -> list[str]:
    """The kinds of things that were done in a project."""
    found = store.rows(
        "SELECT DISTINCT action FROM audit WHERE project = ? ORDER BY action", project
    )
    return [row["action"] for row in found]


def all_entries(store: Store, project: int) -> list[dict[str, object]]:
    """All that was done in a project, the first first."""
    found = store.rows(
        "SELECT a.at, coalesce(p.name, '') AS person, a.action, a.detail FROM audit a "
        "LEFT JOIN people p ON p.id = a.person WHERE a.project = ? ORDER BY a.id",
        project,
    )
    return [{**dict(row), "detail": msgspec.json.decode(row["detail"])} for row in found]
