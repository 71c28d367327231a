"""What was agreed on after all have submitted: values, the reasons of the difference, a note."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from chronoscore.rubric.judgement import Judgement
from chronoscore.workbench.store import audit
from chronoscore.workbench.store.batches import Batch
from chronoscore.workbench.store.database import Row, Store, now
from chronoscore.workbench.store.judgements import judgement_of
from chronoscore.workbench.store.people import AGREED, Person

REASONS: Mapping[str, str] = {
    "slip": "a slip of the hand",
    "missed": "something in the article was overlooked",
    "date-rule": "the rule for dates was read differently",
    "unclear-rule": "the codebook leaves it open",
    "unclear-text": "the article leaves it open",
    "knowledge": "knowledge from elsewhere was used",
    "other": "another reason, see the note",
}
UNANIMOUS = "unanimous"


@dataclass(frozen=True, slots=True)
class Agreed:
    """The values that an event has for good."""

    version: int
    values: tuple[int, ...]
    reasons: tuple[str, ...]
    note: str
    at: str


class StaleError(Exception):
    """Someone else agreed on this event meanwhile."""


def save(
    connection: sqlite3.Connection,
    by: Person,
    batch: Batch,
    event: int,
    token: str,
    agreed: Agreed,
) -> None:
    """Save agreed values on top of the version that they name; the same save twice is one row."""
    if connection.execute("SELECT 1 FROM agreed WHERE save = ?", (token,)).fetchone():
        return
    last = connection.execute(
        "SELECT coalesce(max(version), 0) FROM agreed WHERE batch = ? AND event = ?",
        (batch.id, event),
    ).fetchone()[0]
    if last != agreed.version:
        raise StaleError
    connection.execute(
        "INSERT INTO agreed (batch, event, version, said, reasons, note, person, save, at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            batch.id,
            event,
            last + 1,
            msgspec.json.encode(agreed.values).decode(),
            " ".join(agreed.reasons),
            agreed.note,
            by.id,
            token,
            now(),
        ),
    )
    audit.note(
        connection,
        by.id,
        "agreed",
        batch.project,
        batch=batch.id,
        event=event,
        version=last + 1,
        reasons=agreed.reasons,
    )


def in_batch(store: Store, viewer: Person, batch: int) -> dict[int, Agreed]:
    """What was agreed on, by event; evaluators see it only once the batch is adjudicated."""
    found = store.rows(
        "SELECT a.* FROM agreed a JOIN batches b ON b.id = a.batch WHERE a.batch = ? "
        "AND (? OR (b.adjudicated <> '' AND EXISTS (SELECT 1 FROM submissions m "
        "WHERE m.batch = b.id AND m.person = ?))) ORDER BY a.version",
        batch,
        viewer.role == "owner",
        viewer.id,
    )
    return {row["event"]: _agreed(row) for row in found}


def of_project(store: Store, viewer: Person, project: int) -> list[Judgement]:
    """The agreed values of a project's adjudicated batches as rows of a sheet, for its owner."""
    if viewer.role != "owner":
        return []
    found = store.rows(
        "SELECT a.said, a.note AS comment, 'person' AS kind, b.round, e.number, e.system, e.record "
        "FROM agreed a JOIN batches b ON b.id = a.batch JOIN events e ON e.number = a.event "
        "WHERE b.project = ? AND b.adjudicated <> '' AND a.version = (SELECT max(w.version) "
        "FROM agreed w WHERE w.batch = a.batch AND w.event = a.event) ORDER BY a.id",
        project,
    )
    return [judgement_of(row, AGREED) for row in found]


def _agreed(row: Row) -> Agreed:
    values = msgspec.json.decode(row["said"], type=tuple[int, ...])
    return Agreed(row["version"], values, tuple(row["reasons"].split()), row["note"], row["at"])
