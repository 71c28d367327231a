"""Uploads that wait until somebody has seen how their columns are read.

The files of one import share a random name. They are deleted once they are imported or cancelled,
and after a day in any case.
"""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from chronoscore.errors import DataError
from chronoscore.workbench.security import Upload
from chronoscore.workbench.store.database import Store, now
from chronoscore.workbench.store.people import Person

_DAYS = 1
_PROJECT = "project"
"""The field of the row that holds the project's name instead of a file."""


@dataclass(frozen=True, slots=True)
class WaitingImport:
    """The files of an import, and the name that its project is to have."""

    id: str
    project: str
    files: Sequence[Upload]


def keep(store: Store, by: Person, project: str, files: Sequence[Upload]) -> str:
    """Keep files until they are imported; returns the name of the import."""
    name, moment = secrets.token_urlsafe(16), now()
    rows = [(_PROJECT, project, b""), *files]
    with store.writing():
        store.insert_all(
            "uploads",
            [
                {
                    "import": name,
                    "field": field,
                    "name": file,
                    "digest": hashlib.sha256(content).hexdigest(),
                    "content": content,
                    "made": moment,
                }
                for field, file, content in rows
            ],
        )
        size = sum(len(content) for _, _, content in files)
        store.note(by, "upload kept", files=len(files), bytes=size)
    return name


def find(store: Store, name: str) -> WaitingImport | None:
    """An import that waits, None if it was imported, cancelled, or is older than a day."""
    sql = """SELECT field, name, digest, content FROM uploads
        WHERE import = :name AND made > :oldest ORDER BY id"""
    rows = store.rows(sql, name=name, oldest=now(-_DAYS))
    for row in rows:
        if hashlib.sha256(row["content"]).hexdigest() != row["digest"]:
            raise DataError.of("is not what was uploaded: upload it again", row["name"])
    files = [(row["field"], row["name"], row["content"]) for row in rows]
    project = next((file for field, file, _ in files if field == _PROJECT), None)
    if project is None:
        return None
    return WaitingImport(name, project, [file for file in files if file[0] != _PROJECT])


def delete(store: Store, by: Person, name: str, why: str) -> None:
    """Delete the files of an import."""
    with store.writing():
        if store.execute("DELETE FROM uploads WHERE import = :name", name=name).rowcount:
            store.note(by, "upload deleted", why=why)


def purge(store: Store) -> None:
    """Delete uploads that are older than a day; writes nothing if there are none."""
    oldest = now(-_DAYS)
    if store.row("SELECT 1 FROM uploads WHERE made <= :oldest LIMIT 1", oldest=oldest) is None:
        return
    with store.writing():
        store.execute("DELETE FROM uploads WHERE made <= :oldest", oldest=oldest)
        store.note(None, "upload deleted", why="older than a day")
