"""Judgements: every save is a row, the last one counts, and no question is asked without a viewer.

An evaluator can only ever read their own rows, until the batch is adjudicated; the owner reads
those of others once all have submitted. That is said in one place, `_VISIBLE`, and every question
here is asked of it.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from chronoscore.rubric.judgement import Judgement
from chronoscore.workbench.store import audit
from chronoscore.workbench.store.batches import Batch
from chronoscore.workbench.store.database import Row, Store, now
from chronoscore.workbench.store.people import Person
from chronoscore.workbench.store.projects import Known, known

Values = tuple[int | None, ...]
"""In the order of the codebook; None where nothing was said yet."""

_VISIBLE = """(
  SELECT j.* FROM judgements j JOIN batches b ON b.id = j.batch
  WHERE j.person = :viewer
  OR (b.adjudicated <> '' AND (:owns OR EXISTS
      (SELECT 1 FROM submissions m WHERE m.batch = b.id AND m.person = :viewer)))
  OR (:owns AND b.id NOT IN (SELECT s.batch FROM submissions s WHERE s.at = ''))
)"""
_LAST = (
    "v.version = (SELECT max(w.version) FROM judgements w "
    "WHERE w.batch = v.batch AND w.person = v.person AND w.event = v.event)"
)


@dataclass(frozen=True, slots=True)
class Said:
    """What was said of one event at one time."""

    version: int
    values: Values
    comment: str
    flag: bool
    at: str

    @property
    def complete(self) -> bool:
        """Whether every criterion has a value."""
        return bool(self.values) and None not in self.values


@dataclass(frozen=True, slots=True)
class Answer:
    """What is to be saved, and on top of which version."""

    save: str
    version: int
    values: Values
    comment: str = ""
    flag: bool = False


class ConflictError(Exception):
    """Another tab or device saved first; holds what is there now."""

    def __init__(self, current: Said) -> None:
        super().__init__("saved meanwhile")
        self.current = current


class ClosedError(Exception):
    """The batch was handed in: nothing can be saved any more."""


@dataclass(frozen=True, slots=True)
class Task:
    """An event to judge, as its evaluator meets it."""

    place: int
    known: Known
    said: Said | None
    done: bool


def nothing(criteria: int) -> Said:
    """What stands there before the first save."""
    return Said(0, (None,) * criteria, "", False, "")


def _asked(viewer: Person, **more: object) -> dict[str, object]:
    return {"viewer": viewer.id, "owns": viewer.role == "owner", **more}


def _rows(store: Store, sql: str, asked: dict[str, object]) -> list[Row]:
    with store.reading() as connection:
        return connection.execute(sql, asked).fetchall()


def _said(row: Row) -> Said:
    values = tuple(msgspec.json.decode(row["said"], type=list[int | None]))
    return Said(row["version"], values, row["comment"], bool(row["flag"]), row["at"])


def task(store: Store, viewer: Person, batch: int, place: int) -> Task | None:
    """The viewer's own event at a place in a batch, with what they said last."""
    found = _rows(
        store,
        "SELECT e.number, e.system, e.record FROM tasks t JOIN events e ON e.number = t.event "
        "WHERE t.batch = :batch AND t.person = :viewer AND t.place = :place",
        _asked(viewer, batch=batch, place=place),
    )
    if not found:
        return None
    own = history(store, viewer, batch, found[0]["number"])
    said = own[-1] if own else None
    return Task(place, known(found[0]), said, bool(said and said.complete))


def answered(store: Store, viewer: Person, batch: int) -> list[Task]:
    """All of the viewer's own events that they said something of, by place."""
    found = _rows(
        store,
        f"SELECT t.place, e.number, e.system, e.record, v.* FROM tasks t "
        f"JOIN {_VISIBLE} v ON v.batch = t.batch AND v.person = t.person AND v.event = t.event "
        f"AND {_LAST} JOIN events e ON e.number = t.event "
        "WHERE t.batch = :batch AND t.person = :viewer ORDER BY t.place",
        _asked(viewer, batch=batch),
    )
    tasks = ((row["place"], known(row), _said(row)) for row in found)
    return [Task(place, about, said, said.complete) for place, about, said in tasks]


def history(store: Store, viewer: Person, batch: int, event: int) -> list[Said]:
    """All that the viewer has saved of an event, the first save first."""
    found = _rows(
        store,
        f"SELECT * FROM {_VISIBLE} v WHERE v.batch = :batch AND v.event = :event "
        "AND v.person = :viewer ORDER BY v.version",
        _asked(viewer, batch=batch, event=event),
    )
    return [_said(row) for row in found]


def progress(store: Store, viewer: Person, batch: int) -> list[str]:
    """The state of each of the viewer's events by place: done, begun, flagged or open."""
    found = _rows(
        store,
        f"SELECT t.place, v.complete, v.flag FROM tasks t LEFT JOIN {_VISIBLE} v "
        f"ON v.batch = t.batch AND v.person = t.person AND v.event = t.event AND {_LAST} "
        "WHERE t.batch = :batch AND t.person = :viewer ORDER BY t.place",
        _asked(viewer, batch=batch),
    )
    return [_state(row) for row in found]


def _state(row: Row) -> str:
    if row["complete"] is None:
        return "open"
    if row["flag"]:
        return "flagged"
    return "done" if row["complete"] else "begun"


def unfinished(store: Store, viewer: Person, batch: int) -> int:
    """How many of the viewer's events are not judged in full."""
    found = _rows(
        store,
        f"SELECT count(*) AS n FROM tasks t LEFT JOIN {_VISIBLE} v "
        f"ON v.batch = t.batch AND v.person = t.person AND v.event = t.event AND {_LAST} "
        "WHERE t.batch = :batch AND t.person = :viewer AND coalesce(v.complete, 0) = 0",
        _asked(viewer, batch=batch),
    )
    return int(found[0]["n"])


def save(store: Store, viewer: Person, batch: Batch, place: int, answer: Answer) -> Said | None:
    """Save the viewer's answer; None if they have no such event.

    The same save twice is one row. An answer on top of a version that is not the last one is a
    ConflictError, unless it says the same.
    """
    asked = _asked(viewer, batch=batch.id, place=place, save=answer.save)
    with store.writing() as connection:
        found = connection.execute(
            "SELECT t.event, s.at, b.adjudicated FROM tasks t "
            "JOIN submissions s ON s.batch = t.batch AND s.person = t.person "
            "JOIN batches b ON b.id = t.batch "
            "WHERE t.batch = :batch AND t.person = :viewer AND t.place = :place",
            asked,
        ).fetchone()
        if found is None:
            return None
        own = history(store, viewer, batch.id, found["event"])
        again = connection.execute(
            f"SELECT * FROM {_VISIBLE} v WHERE v.save = :save AND v.person = :viewer "
            "AND v.batch = :batch AND v.event = :event",
            {**asked, "event": found["event"]},
        ).fetchone()
        if again is not None:
            return _said(again)
        if found["at"] or found["adjudicated"]:
            raise ClosedError
        current = own[-1] if own else nothing(len(answer.values))
        new = (answer.values, answer.comment, answer.flag)
        if new == (current.values, current.comment, current.flag):
            return current
        if answer.version != current.version:
            raise ConflictError(current)
        made = Said(current.version + 1, *new, now())
        _insert(connection, batch, viewer.id, found["event"], made, answer.save)
        audit.note(
            connection,
            viewer.id,
            "judged",
            batch.project,
            batch=batch.id,
            event=found["event"],
            version=made.version,
        )
    return made


def _insert(
    connection: sqlite3.Connection, batch: Batch, person: int, event: int, said: Said, save: str
) -> None:
    connection.execute(
        "INSERT INTO judgements (batch, person, event, version, said, complete, comment, flag, "
        "save, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            batch.id,
            person,
            event,
            said.version,
            msgspec.json.encode(said.values).decode(),
            said.complete,
            said.comment,
            said.flag,
            save,
            said.at,
        ),
    )


def bring_in(
    connection: sqlite3.Connection, batch: Batch, person: int, said: Sequence[tuple[int, Said]]
) -> None:
    """Put in what was judged elsewhere, such as by a model."""
    for event, one in said:
        _insert(connection, batch, person, event, one, f"import-{batch.id}-{event}")


def of_event(store: Store, viewer: Person, batch: int, event: int) -> list[tuple[Person, Said]]:
    """What everyone said last of an event, as far as the viewer may know, by name."""
    found = _rows(
        store,
        f"SELECT v.*, p.name, p.role, p.kind FROM {_VISIBLE} v JOIN people p ON p.id = v.person "
        f"WHERE v.batch = :batch AND v.event = :event AND {_LAST} ORDER BY p.name",
        _asked(viewer, batch=batch, event=event),
    )
    return [(Person(r["person"], r["name"], r["role"], r["kind"]), _said(r)) for r in found]


def values_in(store: Store, viewer: Person, batch: int) -> dict[int, list[Values]]:
    """The values that were given in full to each event of a batch, without who gave them."""
    found = _rows(
        store,
        f"SELECT v.event, group_concat(v.said, ' ') AS said FROM {_VISIBLE} v "
        f"WHERE v.batch = :batch AND v.complete AND {_LAST} GROUP BY v.event",
        _asked(viewer, batch=batch),
    )
    known: dict[str, Values] = {}
    by_event = {}
    for row in found:
        texts = sorted(row["said"].split(" "))
        for text in texts:
            if text not in known:
                known[text] = tuple(msgspec.json.decode(text, type=list[int | None]))
        by_event[row["event"]] = [known[text] for text in texts]
    return by_event


def readable(store: Store, viewer: Person, project: int) -> list[tuple[Judgement, str]]:
    """All complete judgements of a project that the viewer may read, with the time of each.

    They are what the command line reads: in the order in which they were made, and only of
    batches that all have submitted.
    """
    found = _rows(
        store,
        f"SELECT v.*, p.name, p.kind, b.round, e.number, e.system, e.record FROM {_VISIBLE} v "
        "JOIN people p ON p.id = v.person JOIN batches b ON b.id = v.batch "
        "JOIN events e ON e.number = v.event "
        f"WHERE b.project = :project AND v.complete AND {_LAST} AND NOT EXISTS "
        "(SELECT 1 FROM submissions s WHERE s.batch = b.id AND s.at = '') ORDER BY v.id",
        _asked(viewer, project=project),
    )
    return [(judgement_of(row, row["name"]), row["at"]) for row in found]


def _plain(text: str) -> str:
    """A text as sheets can hold it; NUL is in old databases only."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return plain.replace("\0", "\N{REPLACEMENT CHARACTER}")


def judgement_of(row: Row, evaluator: str) -> Judgement:
    """A judgement in the words of the command line."""
    about = known(row)
    values = msgspec.json.decode(row["said"], type=tuple[int, ...])
    return Judgement(
        about.event.id,
        evaluator,
        values,
        round=row["round"],
        system=about.system,
        article=about.event.article,
        type=_plain(about.event.type),
        comment=_plain(row["comment"]),
        date=about.event.date or "",
        text=_plain(about.event.text),
        kind=row["kind"],
    )


def all_saves(store: Store, viewer: Person, project: int) -> list[dict[str, object]]:
    """Every save of a project that the viewer may read, with its time and flag."""
    found = _rows(
        store,
        f"SELECT v.*, p.name, b.name AS batch_name, b.round, e.system, e.id AS event_id "
        f"FROM {_VISIBLE} v JOIN people p ON p.id = v.person JOIN batches b ON b.id = v.batch "
        "JOIN events e ON e.number = v.event WHERE b.project = :project ORDER BY v.id",
        _asked(viewer, project=project),
    )
    return [
        {
            "at": row["at"],
            "batch": row["batch_name"],
            "round": row["round"],
            "evaluator": row["name"],
            "system": row["system"],
            "event_id": row["event_id"],
            "version": row["version"],
            "values": msgspec.json.decode(row["said"]),
            "comment": row["comment"],
            "flag": bool(row["flag"]),
        }
        for row in found
    ]
