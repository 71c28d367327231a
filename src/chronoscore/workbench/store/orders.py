"""The order in which an evaluator meets events, for databases from before orders were shuffled."""

import hashlib
import random
import sqlite3
from itertools import groupby
from operator import itemgetter

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
