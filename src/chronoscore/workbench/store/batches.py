"""Batches: who judges which events in which order, who has submitted, what is agreed on."""

import random
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from chronoscore.core.errors import UsageError
from chronoscore.rubric.assignment import Group, article_groups, assigned, own_order
from chronoscore.workbench.store import audit, projects
from chronoscore.workbench.store.database import Row, Store, now
from chronoscore.workbench.store.people import Person, end_sessions

Kind = Literal["calibration", "main", "retest", "imported"]
Stage = Literal["judging", "review", "adjudicated"]
Ordering = Literal["shuffled", "by date", "imported"]
"""How a share's order came about: by date in batches from before orders were shuffled."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Some events for some evaluators."""

    id: int
    project: int
    kind: Kind
    name: str
    round: str
    overlap: int
    seed: int
    stage: Stage


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a new batch is to be."""

    kind: Kind
    people: tuple[int, ...]
    overlap: int = 1
    seed: int = 0
    size: int = 0
    """About how many events; 0 for all that are left."""


@dataclass(frozen=True, slots=True)
class Share:
    """One evaluator's part in a batch."""

    person: Person
    events: int
    submitted: bool
    ordering: Ordering


def make(store: Store, by: int, project: int, wanted: Wanted) -> int:
    """Draw a batch: an article's events stay together, loads are even, the seed repeats it.

    A calibration batch goes to all; a main batch takes what no person has yet; in a retest each
    evaluator meets some of their own events again, as another round.
    """
    people = tuple(dict.fromkeys(wanted.people))
    _check(store, project, wanted, people)
    held = _drawn(store, project, wanted, people)
    if not any(held.values()):
        raise UsageError("there are no events left for such a batch")
    rounds = store.rows("SELECT round FROM batches WHERE project = ?", project)
    number = 1
    if wanted.kind == "retest":
        number += max((int(r["round"]) for r in rounds if r["round"].isdecimal()), default=1)
    with store.writing() as connection:
        batch = add(connection, project, wanted.kind, str(number), wanted.overlap, wanted.seed)
        for person, groups in held.items():
            order = own_order(groups, f"{wanted.seed}/{batch}/{person}")
            put(connection, batch, int(person), [int(event.id) for event in order])
        share = {person: sum(map(len, groups)) for person, groups in held.items()}
        audit.note(
            connection,
            by,
            "batch made",
            project,
            batch=batch,
            kind=wanted.kind,
            overlap=wanted.overlap,
            seed=wanted.seed,
            events=share,
        )
    return batch


def _check(store: Store, project: int, wanted: Wanted, people: Sequence[int]) -> None:
    known = {person.id for person in projects.members(store, project) if person.kind == "person"}
    if not people or not set(people) <= known:
        raise UsageError("choose at least one evaluator, all of this project")
    if not 1 <= wanted.overlap <= len(people):
        raise UsageError(
            f"the overlap is {wanted.overlap}, expected 1 to {len(people)}, as many as evaluators"
        )
    if wanted.size < 0 or (wanted.kind != "main" and not wanted.size):
        raise UsageError(f"say how many events the {wanted.kind} batch is to have")


def _drawn(
    store: Store, project: int, wanted: Wanted, people: Sequence[int]
) -> dict[str, list[Group]]:
    names = sorted(str(person) for person in people)
    if wanted.kind == "retest":
        return {name: _again(store, project, int(name), wanted) for name in names}
    free = store.rows(
        "SELECT number, system, record FROM events WHERE project = ? AND number NOT IN "
        "(SELECT t.event FROM tasks t JOIN batches b ON b.id = t.batch "
        "JOIN people p ON p.id = t.person WHERE b.project = ? AND p.kind = 'person')",
        project,
        project,
    )
    dice = random.Random(f"chronoscore/{wanted.seed}")
    chosen = _some(_groups(free), wanted.size, dice)
    overlap = len(names) if wanted.kind == "calibration" else wanted.overlap
    return assigned(chosen, names, overlap, dice)


def _again(store: Store, project: int, person: int, wanted: Wanted) -> list[Group]:
    done = store.rows(
        "SELECT DISTINCT e.number, e.system, e.record FROM tasks t "
        "JOIN batches b ON b.id = t.batch JOIN events e ON e.number = t.event "
        "WHERE b.project = ? AND t.person = ? AND b.kind IN ('calibration', 'main')",
        project,
        person,
    )
    return _some(_groups(done), wanted.size, random.Random(f"chronoscore/{wanted.seed}/{person}"))


def _groups(rows: Sequence[Row]) -> list[Group]:
    """The events of each article; ids are replaced by numbers, which two systems can't share."""
    known = map(projects.known, rows)
    return article_groups(
        [msgspec.structs.replace(one.event, id=f"{one.number:012}") for one in known]
    )


def _some(groups: list[Group], size: int, dice: random.Random) -> list[Group]:
    dice.shuffle(groups)
    chosen: list[Group] = []
    while groups and (not size or sum(map(len, chosen)) < size):
        chosen.append(groups.pop())
    return chosen


def add(
    connection: sqlite3.Connection, project: int, kind: Kind, round_: str, overlap: int, seed: int
) -> int:
    """Add an empty batch."""
    before = connection.execute(
        "SELECT count(*) FROM batches WHERE project = ? AND kind = ?", (project, kind)
    ).fetchone()[0]
    made = connection.execute(
        "INSERT INTO batches (project, kind, name, round, overlap, seed, made) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (project, kind, f"{kind} {before + 1}", round_, overlap, seed, now()),
    ).lastrowid
    assert made is not None
    return made


def put(
    connection: sqlite3.Connection,
    batch: int,
    person: int,
    events: Sequence[int],
    ordering: Ordering = "shuffled",
) -> None:
    """Give an evaluator events to judge, in this order."""
    if events:
        connection.executemany(
            "INSERT INTO tasks (batch, person, place, event) VALUES (?, ?, ?, ?)",
            [(batch, person, place, event) for place, event in enumerate(events, 1)],
        )
        connection.execute(
            "INSERT INTO submissions (batch, person, ordering) VALUES (?, ?, ?)",
            (batch, person, ordering),
        )


_TAKES_PART = (
    "EXISTS (SELECT 1 FROM submissions m JOIN members w ON w.project = b.project "
    "AND w.person = m.person WHERE m.batch = b.id AND m.person = ?)"
)
_BATCH = (
    "SELECT b.*, EXISTS (SELECT 1 FROM submissions s WHERE s.batch = b.id AND s.at = '') AS waits "
    "FROM batches b "
)


def one(store: Store, viewer: Person, batch: int) -> Batch | None:
    """A batch, if the viewer owns it or has a part in it."""
    found = store.row(
        f"{_BATCH} WHERE b.id = ? AND (? OR {_TAKES_PART})",
        batch,
        viewer.role == "owner",
        viewer.id,
    )
    return _batch(found) if found else None


def listed(store: Store, viewer: Person, project: int | None = None) -> list[Batch]:
    """The batches that a viewer has a part in; with a project, all of it if they own it."""
    found = store.rows(
        f"{_BATCH} WHERE (? IS NULL OR b.project = ?) AND ((? AND ? IS NOT NULL) "
        f"OR {_TAKES_PART}) ORDER BY b.id",
        project,
        project,
        viewer.role == "owner",
        project,
        viewer.id,
    )
    return [_batch(row) for row in found]


def _batch(row: Row) -> Batch:
    stage: Stage = "adjudicated" if row["adjudicated"] else "judging" if row["waits"] else "review"
    words = ("id", "project", "kind", "name", "round", "overlap", "seed")
    return Batch(**{word: row[word] for word in words}, stage=stage)


def shares(store: Store, batch: int) -> list[Share]:
    """Who has which part in a batch, and whether they have submitted; says nothing of answers."""
    found = store.rows(
        "SELECT p.*, s.at, s.ordering, (SELECT count(*) FROM tasks t WHERE t.batch = s.batch "
        "AND t.person = s.person) AS events FROM submissions s JOIN people p ON p.id = s.person "
        "WHERE s.batch = ? ORDER BY p.name",
        batch,
    )
    return [
        Share(
            Person(r["id"], r["name"], r["role"], r["kind"]),
            r["events"],
            bool(r["at"]),
            r["ordering"],
        )
        for r in found
    ]


def orders(store: Store, project: int) -> list[dict[str, object]]:
    """The order in which each evaluator met the events, of batches that all have submitted."""
    found = store.rows(
        "SELECT b.name AS batch, b.round, b.seed, p.name AS evaluator, s.ordering, t.place, "
        "e.system, e.id AS event_id, e.article FROM tasks t JOIN batches b ON b.id = t.batch "
        "JOIN submissions s ON s.batch = t.batch AND s.person = t.person "
        "JOIN people p ON p.id = t.person JOIN events e ON e.number = t.event "
        "WHERE b.project = ? AND b.id NOT IN (SELECT w.batch FROM submissions w WHERE w.at = '') "
        "ORDER BY b.id, p.name, t.place",
        project,
    )
    return [dict(row) for row in found]


def submitted(store: Store, batch: int, person: int) -> bool:
    """Whether someone has handed in a batch."""
    found = store.row("SELECT at FROM submissions WHERE batch = ? AND person = ?", batch, person)
    return bool(found and found["at"])


def hand_in(store: Store, by: Person, batch: Batch, person: int) -> None:
    """Note that a part is done; the owner may do it for someone who won't go on."""
    with store.writing() as connection:
        connection.execute(
            "UPDATE submissions SET at = ? WHERE batch = ? AND person = ? AND at = ''",
            (now(), batch.id, person),
        )
        audit.note(connection, by.id, "submitted", batch.project, batch=batch.id, person=person)


def take_back(store: Store, by: Person, batch: Batch) -> bool:
    """Let someone go on judging, as long as others have not handed in: nothing was seen yet."""
    with store.writing() as connection:
        waits = connection.execute(
            "SELECT 1 FROM submissions WHERE batch = ? AND at = ''", (batch.id,)
        ).fetchone()
        if waits is None:
            return False
        connection.execute(
            "UPDATE submissions SET at = '' WHERE batch = ? AND person = ?", (batch.id, by.id)
        )
        audit.note(connection, by.id, "submission taken back", batch.project, batch=batch.id)
    return True


def remove_member(store: Store, by: Person, project: int, person: Person) -> None:
    """Take someone out of a project; what they judged stays, under their name.

    Their open parts count as submitted, so that the others' batch goes on. Who belongs to no other
    project can't come in any more: sessions and links end.
    """
    with store.writing() as connection:
        parts = connection.execute(
            "UPDATE submissions SET at = ? WHERE person = ? AND at = '' "
            "AND batch IN (SELECT id FROM batches WHERE project = ?) RETURNING batch",
            (now(), person.id, project),
        ).fetchall()
        connection.execute(
            "DELETE FROM members WHERE project = ? AND person = ?", (project, person.id)
        )
        if not connection.execute(
            "SELECT 1 FROM members WHERE person = ?", (person.id,)
        ).fetchone():
            end_sessions(connection, person.id, "removed")
            connection.execute("DELETE FROM links WHERE person = ? AND used = ''", (person.id,))
        audit.note(
            connection,
            by.id,
            "evaluator removed",
            project,
            person=person.id,
            submitted=[row["batch"] for row in parts],
        )


def finish(
    connection: sqlite3.Connection, by: Person, batch: Batch, agreed: Mapping[str, int]
) -> None:
    """Close a batch: from now on evaluators see how they compare with what was agreed on."""
    connection.execute("UPDATE batches SET adjudicated = ? WHERE id = ?", (now(), batch.id))
    audit.note(connection, by.id, "adjudicated", batch.project, batch=batch.id, **agreed)
