"""What must hold in the database after a kill, beside what the clients were told."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from kills.evaluators import NOTHING, Client, Content

Row = tuple[str, Content]
"""Token and content of a stored answer."""


@dataclass
class Findings:
    """What is wrong: acknowledged answers that are lost, doubled ones, and anything else."""

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.lost or self.doubled or self.broken)

    def add(self, other: "Findings") -> None:
        """Add what another check found."""
        self.lost += other.lost
        self.doubled += other.doubled
        self.broken += other.broken


@contextmanager
def reading(database: Path) -> Iterator[sqlite3.Connection]:
    """One state of the database, whatever is written meanwhile."""
    with closing(sqlite3.connect(database, isolation_level=None, timeout=30)) as connection:
        connection.execute("PRAGMA query_only=ON")
        connection.execute("BEGIN")
        yield connection


def check_fresh(database: Path, clients: Sequence[Client]) -> Findings:
    """Check what was acknowledged since the last check, and that the audit has all saves."""
    findings = Findings()
    fresh = [(client, client.fresh[:]) for client in clients]
    with reading(database) as connection:
        for client, places in fresh:
            for place, version in places:
                sql = """SELECT j.save, j.said, j.comment, j.flag FROM judgements j JOIN tasks t
                    ON t.batch = j.batch AND t.person = j.person AND t.event = j.event
                    WHERE t.batch = ? AND t.person = ? AND t.place = ? AND j.version = ?"""
                which = (client.batch, client.person, place, version)
                row = connection.execute(sql, which).fetchone()
                _compare(client, place, version, _row(*row) if row else None, findings)
        sql = """SELECT (SELECT count(*) FROM judgements),
            (SELECT count(*) FROM audit WHERE action = 'judged')"""
        answers, entries = connection.execute(sql).fetchone()
        if answers != entries:
            findings.broken.append(f"{answers} answers, but {entries} of them in the audit")
    for client, places in fresh:
        del client.fresh[: len(places)]
        findings.broken += [f"{client.person}: {one}" for one in client.problems]
        client.problems.clear()
    return findings


def check_all(database: Path, clients: Sequence[Client]) -> Findings:
    """Check every row that is there against what was sent and acknowledged, and the whole file."""
    findings = Findings()
    sql = """SELECT t.person, t.place, j.version, j.save, j.said, j.comment, j.flag
        FROM judgements j JOIN tasks t ON t.batch = j.batch AND t.person = j.person
        AND t.event = j.event ORDER BY t.person, t.place, j.version"""
    stored: dict[tuple[int, int], list[tuple[int, Row]]] = {}
    with reading(database) as connection:
        for person, place, version, *row in connection.execute(sql):
            stored.setdefault((person, place), []).append((version, _row(*row)))
        _check_audit(connection, findings)
        _check_submissions(connection, clients, findings)
        for pragma in ("integrity_check", "foreign_key_check"):
            rows = connection.execute(f"PRAGMA {pragma}").fetchall()
            findings.broken += [f"{pragma}: {row}" for row in rows if row != ("ok",)]
    for client in clients:
        for place in range(1, client.evaluator.events + 1):
            _check_place(client, place, stored.pop((client.person, place), []), findings)
    findings.broken += [f"answers that nobody gave: {place}" for place in stored]
    return findings


def _row(save: str, said: str, comment: str, flag: int) -> Row:
    return save, Content(tuple(json.loads(said)), comment, bool(flag))


def _compare(client: Client, place: int, version: int, row: Row | None, findings: Findings) -> None:
    """An acknowledged version is there as it was acknowledged; the token of an undo is unknown."""
    expected = client.versions[place][version - 1]
    if row is None or row[1] != expected.content or expected.token not in ("", row[0]):
        where = f"{client.person}, place {place}, version {version}"
        findings.lost.append(f"{where}: {expected} was acknowledged, there is {row}")


def _check_place(
    client: Client, place: int, rows: Sequence[tuple[int, Row]], findings: Findings
) -> None:
    where = f"{client.person}, place {place}"
    by_version = dict(rows)
    if [version for version, _ in rows] != [*range(1, len(rows) + 1)]:
        findings.broken.append(f"{where}: the versions are {[version for version, _ in rows]}")
    for version in range(1, len(client.versions.get(place, [])) + 1):
        _compare(client, place, version, by_version.get(version), findings)
    undone = 0
    for version, (token, content) in rows:
        if token not in client.sent:
            undone += 1
            _, before = by_version.get(version - 2, ("", NOTHING))
            if content != before:
                findings.broken.append(f"{where}, version {version}: nobody sent {content}")
        elif client.sent[token] != (place, content):
            findings.broken.append(f"{where}: {client.sent[token]} was sent, there is {content}")
    if undone > client.undos[place]:
        findings.doubled.append(f"{where}: {undone} undos, {client.undos[place]} were sent")
    findings.doubled += [f"{where}: {one} twice" for one in _twice(t for _, (t, _) in rows)]


def _twice(names: Iterable[str]) -> list[str]:
    return [name for name, times in Counter(names).items() if times > 1]


def _check_audit(connection: sqlite3.Connection, findings: Findings) -> None:
    """Every save has one entry in the audit, and no entry is without its save."""
    sql = """SELECT count(*), count(DISTINCT a.person || ' ' || a.detail), count(j.id),
        (SELECT count(*) FROM judgements) FROM audit a LEFT JOIN judgements j
        ON j.person = a.person AND j.batch = a.detail ->> 'batch'
        AND j.event = a.detail ->> 'event' AND j.version = a.detail ->> 'version'
        WHERE a.action = 'judged'"""
    counts = connection.execute(sql).fetchone()
    if len({*counts}) > 1:
        findings.broken.append(f"entries, distinct ones, those with an answer, answers: {counts}")


def _check_submissions(
    connection: sqlite3.Connection, clients: Sequence[Client], findings: Findings
) -> None:
    """A share is submitted if the audit's last entry about it says so."""
    sql = """SELECT s.at <> '', coalesce((SELECT a.action = 'submitted' FROM audit a
        WHERE a.person = s.person AND a.action IN ('submitted', 'submission taken back')
        ORDER BY a.id DESC LIMIT 1), 0) FROM submissions s WHERE s.person = ?"""
    count = "SELECT count(*) FROM audit WHERE person = ? AND action = ?"
    actions = {"submit": "submitted", "reopen": "submission taken back"}
    for client in clients:
        for submitted, noted in connection.execute(sql, (client.person,)):
            if submitted != noted:
                findings.broken.append(f"{client.person}: a submission without its entry")
            sure = client.waiting is None or client.waiting.action == "save"
            if sure and bool(submitted) != client.submitted:
                findings.lost.append(f"{client.person}: submitted {submitted}, not as acknowledged")
        for action, words in actions.items():
            entries = connection.execute(count, (client.person, words)).fetchone()[0]
            least, most = client.done[action], client.requests[action]  # type: ignore[index]
            if not least <= entries <= most:
                between = f"{least} were acknowledged, {most} sent"
                findings.broken.append(f"{client.person}: {entries} times {words}, {between}")
