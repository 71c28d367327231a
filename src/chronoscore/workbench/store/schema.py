"""The steps that bring a database file from one version to the next; tables are in `migrations`."""

import hashlib
import random
import sqlite3
from collections.abc import Callable
from importlib.resources import files
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

APPLICATION = 0x43687253
"""Marks the file as a workbench's, so that another program's database is refused."""
_UNOPENED = """
SELECT s.batch, s.person, b.seed, b.project FROM submissions s JOIN batches b ON b.id = s.batch
WHERE b.kind <> 'imported' AND s.at = '' AND NOT EXISTS (
  SELECT 1 FROM audit a WHERE a.person = s.person AND a.action = 'came in'
  AND julianday(a.at) > julianday(b.made) - 30)
"""
"""Shares whose evaluator had no session since the batch was drawn; a session lasted 30 days."""


def shuffle_unopened_shares(connection: sqlite3.Connection) -> None:
    """Shuffle the events within each article, in every share that nobody can have opened yet.

    Whoever has seen an order keeps it: a browser may hold answers that are filed by place.
    """
    for share in connection.execute(_UNOPENED).fetchall():
        batch, person = share["batch"], share["person"]
        tasks = connection.execute(
            "SELECT t.event, e.record, coalesce(nullif(e.article, ''), e.number) AS article "
            "FROM tasks t JOIN events e ON e.number = t.event "
            "WHERE t.batch = ? AND t.person = ? ORDER BY t.place",
            (batch, person),
        ).fetchall()
        dice = random.Random(f"chronoscore/{share['seed']}/{batch}/{person}")
        order: list[int] = []
        for _, group in groupby(tasks, key=itemgetter("article")):
            events = [task["event"] for task in sorted(group, key=_digest)]
            order += dice.sample(events, len(events))
        connection.execute("DELETE FROM tasks WHERE batch = ? AND person = ?", (batch, person))
        connection.executemany(
            "INSERT INTO tasks (batch, person, place, event) VALUES (?, ?, ?, ?)",
            [(batch, person, place, event) for place, event in enumerate(order, 1)],
        )
        connection.execute(
            "UPDATE submissions SET ordering = 'shuffled' WHERE batch = ? AND person = ?",
            (batch, person),
        )
        connection.execute(
            "INSERT INTO audit (at, project, action, detail) VALUES "
            "(strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now'), ?, 'order shuffled', "
            "json_object('batch', ?, 'person', ?, 'events', ?))",
            (share["project"], batch, person, len(order)),
        )


def _digest(task: sqlite3.Row) -> str:
    return hashlib.sha256(task["record"].encode()).hexdigest()


class MigrationStep(NamedTuple):
    """Statements that lead to the next version, then a function for the rest."""

    statements: str
    fill: Callable[[sqlite3.Connection], None] | None = None


def _step(name: str, fill: Callable[[sqlite3.Connection], None] | None = None) -> MigrationStep:
    file = files("chronoscore.workbench.store").joinpath("migrations", f"{name}.sql")
    return MigrationStep(file.read_text("utf-8"), fill)


STEPS = (
    _step("1-judging"),
    _step("2-results"),
    _step("3-orders", shuffle_unopened_shares),
    _step("4-sessions"),
    _step("5-languages"),
    _step("6-teams"),
)
"""The step at place n leads to version n + 1."""
