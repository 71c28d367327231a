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
_NAME, _PROJECT = "name", "project"
"""The fields of the row that holds, instead of a file, the name of a new project or the number of
the one that the files are added to.
"""


@dataclass(frozen=True, slots=True)
class WaitingImport:
    """The files of an import, and the project that they are for."""

    id: str
    name: str
    """Of a new project."""
    project: int | None
    """The project that the files are added to, None for a new one."""
    files: Sequence[Upload]


def keep(store: Store, by: Person, project: str | int, files: Sequence[Upload]) -> str:
    """Keep files until they are imported; returns the name of the import.

    `project` is the name of a new project, or the number of the one that they are added to.
    """
    name, moment = secrets.token_urlsafe(16), now()
    rows = [(_NAME if isinstance(project, str) else _PROJECT, str(project), b""), *files]
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
        number = project if isinstance(project, int) else None
        store.note(by, "upload kept", number, files=len(files), bytes=size)
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
    if not files:
        return None
    (field, target, _), *uploaded = files
    if field == _PROJECT:
        return WaitingImport(name, "", int(target), uploaded)
    return WaitingImport(name, target, None, uploaded)


def delete(store: Store, by: Person, waiting: WaitingImport, why: str) -> bool:
    """Delete the files of an import; False if they were imported or cancelled meanwhile."""
    with store.writing():
        sql = "DELETE FROM uploads WHERE import = :name"
        if not store.execute(sql, name=waiting.id).rowcount:
            return False
        store.note(by, "upload deleted", waiting.project, why=why)
    return True


def purge(store: Store) -> None:
    """Delete uploads that are older than a day; writes nothing if there are none."""
    oldest = now(-_DAYS)
    if store.row("SELECT 1 FROM uploads WHERE made <= :oldest LIMIT 1", oldest=oldest) is None:
        return
    with store.writing():
        store.execute("DELETE FROM uploads WHERE made <= :oldest", oldest=oldest)
        store.note(None, "upload deleted", why="older than a day")
