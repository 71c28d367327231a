"""Saved results: named by their content, so that a link to one is a link to these numbers."""

import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from chronoscore.core.result import without_checksum
from chronoscore.workbench.store.database import Store, now, printable_name

_DIGITS = 20
_LONGEST_NAME = 120


@dataclass(frozen=True, slots=True)
class StoredResult:
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
    """The number of its last change, which can be undone."""
    purged: str
    """When its files were deleted for good; empty if they are there."""


@dataclass(frozen=True, slots=True)
class NewResult:
    """A result to store, and what is listed of it."""

    name: str
    folder: str
    listed: Mapping[str, str | int]
    """Family, protocol, systems (JSON) and cases."""
    parts: Mapping[str, bytes]
    """The document as `result`, and the `matches` and `texts` that explain it."""

    @property
    def id(self) -> str:
        """Derived from the document: the same result is stored once, whatever its name."""
        return _digest(without_checksum(self.parts["result"]))

    @property
    def stamps(self) -> set[str]:
        """Identify the content of its parts, as `stamp` does for stored ones."""
        return {f"{kind}={_digest(content)}" for kind, content in self.parts.items()}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:_DIGITS]


_RESULTS = """SELECT r.*, s.number AS state, s.name, s.folder, s.gone,
    (SELECT json_group_array(p.kind) FROM result_parts p WHERE p.result = r.id) AS kinds
    FROM results r JOIN result_states s ON s.number = (SELECT n.number FROM result_states n
    WHERE n.result = r.id ORDER BY n.number DESC LIMIT 1 OFFSET :changes)"""


def stored(store: Store, *, gone: bool = False) -> list[StoredResult]:
    """All results by name: the present ones, or the deleted ones; purged ones are in neither."""
    sql = f"{_RESULTS} WHERE s.gone = :gone AND r.purged = '' ORDER BY s.folder, s.name, r.id"
    return store.records(StoredResult, sql, changes=0, gone=gone)


def find(store: Store, result: str, changes: int = 0) -> StoredResult | None:
    """A result, also if it was deleted, as it was some changes ago; None if there is none."""
    sql = f"{_RESULTS} WHERE r.id = :result"
    return store.record(StoredResult, sql, result=result, changes=changes)


def part(store: Store, result: str, kind: str) -> bytes | None:
    """The document of a result, its matches or its texts."""
    sql = "SELECT content FROM result_parts WHERE result = :result AND kind = :kind"
    content = store.value(sql, result=result, kind=kind)
    return zlib.decompress(content) if content else None


def stamp(store: Store, result: str) -> str:
    """A text that changes when a part of a result is added or replaced."""
    sql = "SELECT kind, digest FROM result_parts WHERE result = :result ORDER BY kind"
    return " ".join(f"{row['kind']}={row['digest']}" for row in store.rows(sql, result=result))


def has(store: Store, new: NewResult) -> bool:
    """Whether all parts of a result are stored already."""
    return new.stamps <= set(stamp(store, new.id).split())


def add(store: Store, by: int, new: NewResult) -> bool:
    """Store a result; False if it was there already.

    A deleted or purged one comes back. Parts that are new, or differ, are stored in any case.
    """
    name = _check_name(new.name)
    with store.writing():
        known = find(store, new.id)
        if known is None:
            store.insert("results", id=new.id, added=now(), **new.listed)
        changed = _add_parts(store, new)
        fresh = known is None or known.gone
        if fresh:
            _add_state(store, by, new.id, name, new.folder, gone=False)
            store.execute("UPDATE results SET purged = '' WHERE id = :id", id=new.id)
        if fresh or changed:
            store.note(by, "result added", result=new.id, name=name, parts=changed)
    return fresh


def _add_parts(store: Store, new: NewResult) -> list[str]:
    """Write the parts that are missing or differ; returns their kinds."""
    missing = new.stamps - set(stamp(store, new.id).split())
    changed = [kind for kind in new.parts if any(s.startswith(f"{kind}=") for s in missing)]
    for kind in changed:
        part_of, content = {"result": new.id, "kind": kind}, new.parts[kind]
        store.execute("DELETE FROM result_parts WHERE result = :result AND kind = :kind", **part_of)
        packed = {"digest": _digest(content), "content": zlib.compress(content, 3)}
        store.insert("result_parts", **part_of, **packed)
    return changed


def _check_name(name: str) -> str:
    return printable_name(name, _LONGEST_NAME, "a result's name")


def _add_state(store: Store, by: int, result: str, name: str, folder: str, *, gone: bool) -> None:
    state = {"name": name, "folder": folder, "gone": gone}
    store.insert("result_states", result=result, **state, person=by, at=now())


def _change(store: Store, by: int, action: str, to: StoredResult, **details: object) -> None:
    with store.writing():
        _add_state(store, by, to.id, to.name, to.folder, gone=to.gone)
        store.note(by, action, result=to.id, name=to.name, **details)


def rename(store: Store, by: int, result: StoredResult, name: str) -> None:
    """Give a result another name; its links stay as they are."""
    name = _check_name(name)
    if name != result.name:
        _change(store, by, "result renamed", replace(result, name=name), before=result.name)


def delete(store: Store, by: int, result: StoredResult) -> None:
    """Mark a result as deleted; nothing of it is lost."""
    if not result.gone:
        _change(store, by, "result deleted", replace(result, gone=True))


def size(store: Store, result: StoredResult) -> int:
    """How many bytes of the database the files of a result take."""
    sql = "SELECT coalesce(sum(length(content)), 0) FROM result_parts WHERE result = :id"
    return int(store.value(sql, id=result))


def purge(store: Store, by: int, result: StoredResult) -> bool:
    """Delete the files of a deleted result for good; what was listed of it and the audit stay.

    The database overwrites what it deletes, so that the bytes leave the file. False if the
    result is not a deleted one (any more).
    """
    with store.writing():
        last = find(store, result.id)
        if last is None or not last.gone or last.purged:
            return False
        bytes_ = size(store, last)
        store.execute("DELETE FROM result_parts WHERE result = :id", id=last)
        store.execute("UPDATE results SET purged = :now WHERE id = :id", now=now(), id=last)
        store.note(by, "result purged", result=last, name=last.name, bytes=bytes_)
    return True


def undo(store: Store, by: int, result: StoredResult, state: int) -> bool:
    """Undo the last change if it is still the last; that can be undone too."""
    with store.writing():
        last, previous = find(store, result.id), find(store, result.id, changes=1)
        if last is None or previous is None or last.state != state or last.purged:
            return False
        _change(store, by, "result undone", previous, deleted=previous.gone)
    return True
