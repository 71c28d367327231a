"""A short campaign: the server is killed while people judge, and nothing acknowledged is lost."""

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip(
    "uvicorn", reason="the workbench is not installed: pip install chronoscore[web]"
)
if sys.platform == "win32":  # there is no SIGKILL to send
    pytest.skip("no kill -9 here", allow_module_level=True)

from kills.campaign import Campaign, campaign
from kills.checks import check_all, check_fresh

KILLS, EVALUATORS = 5, 6


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return campaign(tmp_path_factory.mktemp("kills"), KILLS, EVALUATORS, 23, lambda _: None)


def test_what_was_acknowledged_survives_every_kill(state: Campaign) -> None:
    findings = state.findings
    assert not findings.lost
    assert not findings.doubled
    assert not findings.broken
    assert state.kills == KILLS
    assert state.migrations
    assert state.backups
    assert sum(one.done["save"] for one in state.clients) > 10 * KILLS
    assert sum(one.done["undo"] for one in state.clients)
    assert sum(one.resent for one in state.clients), "something was on its way"


@pytest.fixture
def changed(state: Campaign, tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A copy of the database that may be changed."""
    with closing(sqlite3.connect(state.database)) as source:
        connection = sqlite3.connect(tmp_path / "changed.db", isolation_level=None)
        source.backup(connection)
    for name in ("judgements_stays", "judgements_is_kept", "audit_is_kept"):
        connection.execute(f"DROP TRIGGER {name}")
    yield connection
    connection.close()


LAST = """(SELECT max(j.id) FROM judgements j WHERE j.save LIKE printf('%04d-%%', j.person)
    AND j.version = (SELECT max(w.version) FROM judgements w WHERE w.event = j.event))"""
"""The last row that is no undo, and the last about its event."""
CHANGES = {
    "lost": f"DELETE FROM judgements WHERE id = {LAST}",
    "another comment": f"UPDATE judgements SET comment = 'x' WHERE id = {LAST}",
    "another value": f"UPDATE judgements SET said = '[0,0,0,0,0]' WHERE id = {LAST}",
    "another version": f"UPDATE judgements SET version = version + 1 WHERE id = {LAST}",
    "another token": f"UPDATE judgements SET save = 'x' WHERE id = {LAST}",
    "stored twice": f"""INSERT INTO judgements (batch, person, event, version, said, complete,
        comment, flag, save, at) SELECT batch, person, event, version + 1, said, complete, comment,
        flag, 'another', at FROM judgements WHERE id = {LAST}""",
    "no entry": "DELETE FROM audit WHERE id = (SELECT max(id) FROM audit WHERE action = 'judged')",
    "another's entry": """INSERT INTO audit (at, person, project, action, detail)
        SELECT at, person, project, action, detail FROM audit WHERE action = 'judged' LIMIT 1""",
    "submitted": "UPDATE submissions SET at = 'x' WHERE person = (SELECT min(person) FROM tasks)",
    "an event of nobody": "PRAGMA foreign_keys=OFF; DELETE FROM events WHERE number = 1",
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_check_sees_every_kind_of_loss(
    state: Campaign, changed: sqlite3.Connection, tmp_path: Path, change: str
) -> None:
    assert not check_all(tmp_path / "changed.db", state.clients)
    changed.executescript(CHANGES[change])
    assert check_all(tmp_path / "changed.db", state.clients)


@pytest.mark.parametrize("change", ["lost", "another comment", "no entry"])
def test_the_check_after_each_kill_sees_what_is_new(
    state: Campaign, changed: sqlite3.Connection, tmp_path: Path, change: str
) -> None:
    sql = f"""SELECT j.person, t.place, j.version FROM judgements j JOIN tasks t
        ON t.person = j.person AND t.event = j.event WHERE j.id = {LAST}"""
    person, place, version = changed.execute(sql).fetchone()
    client = next(one for one in state.clients if one.person == person)
    changed.executescript(CHANGES[change])
    client.fresh.append((place, version))
    assert check_fresh(tmp_path / "changed.db", state.clients)
