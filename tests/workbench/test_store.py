"""The file: append-only where it must be, one writer at a time, refused if it is not ours."""

import sqlite3
import threading
from pathlib import Path

import pytest
from workbench.bench import Bench, answer

from chronoscore.errors import DataError, UsageError
from chronoscore.workbench.store import Store, people
from chronoscore.workbench.store.database import backup, now
from chronoscore.workbench.store.schema import STEPS


@pytest.mark.parametrize("table", ["audit", "judgements", "agreed"])
def test_what_was_noted_can_not_be_changed_or_deleted(bench: Bench, table: str) -> None:
    batch = bench.batch(bench.project(), "owner")
    bench.owner.send(f"/judge/{batch}/1", answer())
    with bench.store.writing() as connection:
        connection.execute(
            "INSERT INTO agreed (batch, event, version, said, reasons, note, person, save, at) "
            "SELECT 1, number, 1, '[]', '', '', 1, 's', ? FROM events LIMIT 1",
            (now(),),
        )
    for change in (f"UPDATE {table} SET at = 'never'", f"DELETE FROM {table}"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):  # noqa: SIM117
            with bench.store.writing() as connection:
                connection.execute(change)


@pytest.mark.usefixtures("synced")
def test_answers_are_synced_to_the_disk(tmp_path: Path) -> None:
    store = Store(tmp_path / "workbench.db")
    assert store.value("PRAGMA journal_mode") == "wal"
    assert store.value("PRAGMA synchronous") == 2
    store.close()


def test_a_failed_write_leaves_nothing(bench: Bench) -> None:
    before = bench.count("people")
    with pytest.raises(RuntimeError), bench.store.writing():  # noqa: PT012
        people.find_or_add(bench.store, "ana")
        raise RuntimeError
    assert bench.count("people") == before


def test_a_write_within_a_write_is_part_of_it(bench: Bench) -> None:
    before = bench.count("people")
    with pytest.raises(RuntimeError), bench.store.writing():  # noqa: PT012
        with bench.store.writing():
            people.find_or_add(bench.store, "ana")
        assert bench.count("people") == before + 1, "the outer write sees it"
        raise RuntimeError
    assert bench.count("people") == before, "and takes it back"
    assert people.find_or_add(bench.store, "ben").id == bench.person("ben").id


def test_writers_of_many_threads_wait_for_each_other(bench: Bench) -> None:
    def write(number: int) -> None:
        for turn in range(5):
            with bench.store.writing():
                people.find_or_add(bench.store, f"person {number} {turn}")

    threads = [threading.Thread(target=write, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bench.count("people") == 41


def test_connections_of_threads_that_ended_are_closed(bench: Bench) -> None:
    for _ in range(20):
        thread = threading.Thread(target=bench.store.row, args=("SELECT 1",))
        thread.start()
        thread.join()
    assert len(bench.store._all) <= 3


def test_a_store_is_opened_again_with_all_that_it_had(tmp_path: Path) -> None:
    first = Store(tmp_path / "w.db")
    person = people.owner(first)
    first.close()
    again = Store(tmp_path / "w.db")
    assert people.owner(again) == person
    row = again.row("PRAGMA user_version")
    assert row is not None
    assert row[0] == len(STEPS)
    again.close()


def test_another_program_s_database_is_refused(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE people (name)")
    other.commit()
    other.close()
    with pytest.raises(DataError, match="not a database of the workbench"):
        Store(tmp_path / "other.db")
    (tmp_path / "text.db").write_text("not a database at all, only some text\n" * 50)
    with pytest.raises(DataError, match="not a database of the workbench"):
        Store(tmp_path / "text.db")


def test_a_newer_version_is_refused(tmp_path: Path) -> None:
    made = Store(tmp_path / "w.db")
    made.execute("PRAGMA user_version=99")
    made.close()
    with pytest.raises(DataError, match="version 99"):
        Store(tmp_path / "w.db")


def test_a_backup_has_all_that_was_saved_and_writes_over_nothing(
    bench: Bench, tmp_path: Path
) -> None:
    batch = bench.batch(bench.project(), "owner")
    bench.owner.send(f"/judge/{batch}/1", answer())
    copy = tmp_path / "copies" / "one.db"
    backup(bench.store.path, copy)
    again = Store(copy)
    assert len(again.rows("SELECT * FROM judgements")) == 1
    again.close()
    with pytest.raises(UsageError, match="already exists"):
        backup(bench.store.path, copy)
    with pytest.raises(DataError, match="no such"):
        backup(tmp_path / "absent.db", tmp_path / "x.db")
    (tmp_path / "bad.db").write_bytes(b"garbage" * 1000)
    with pytest.raises(DataError):
        backup(tmp_path / "bad.db", tmp_path / "y.db")
    assert not list(tmp_path.glob("[xy].db*"))


def test_the_file_is_for_its_owner_only(bench: Bench) -> None:
    assert bench.store.path.stat().st_mode & 0o077 == 0
