"""Every statement of every request that changes something fails, or is the last before a kill."""

import html
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import pytest
from kills.victims import old_database
from workbench.faults import (
    EXIT,
    FAULTS,
    Copies,
    Dump,
    FailingAt,
    Fault,
    Hook,
    MortalProcess,
    dump,
    watched,
)
from workbench.scenarios import SCENARIOS, Prepared, Scenario, World

from chronoscore.errors import DataError
from chronoscore.workbench.routes import ROUTES
from chronoscore.workbench.store import Store, UnavailableError, people

MOST, MOST_IN_CAMPAIGN = 4, 100
"""About how many statements of a request fail in a run of the tests, and in a campaign."""
LONG = 500
"""So many statements make a request long."""
TYPED = "typed words"


def test_every_route_that_changes_something_has_a_scenario() -> None:
    known = {one.route for one in SCENARIOS if one.method == "POST"}
    assert known == {route.path for route in ROUTES if route.method == "POST"}


@dataclass
class Course:
    """How the request of a scenario goes when nothing fails."""

    prepared: Prepared
    status: int
    texts: list[str]
    """Its statements."""
    left: dict[int, Dump]
    """What a kill before a statement leaves; the last entry, what one after the request does."""

    @property
    def before(self) -> Dump:
        """The content before the request."""
        return self.left[0]

    @property
    def after(self) -> Dump:
        """The content after the request."""
        return self.left[len(self.texts)]

    @cached_property
    def commit(self) -> int:
        """The number of the statement that stores the change."""
        return next(number for number, left in self.left.items() if left == self.after) - 1

    def chosen(self, most: int) -> list[int]:
        """Some of the statements, evenly over the request, and those around the commit."""
        every = range(len(self.texts))
        around = {n for n in every if abs(n - self.commit) < 2}
        return sorted(around | {*every[:: max(1, -(-len(every) // most))]})

    def faults(self, number: int) -> tuple[Fault, ...]:
        """All faults for the commit of a request that is not long, else one in turn."""
        everything = number == self.commit and len(self.texts) < LONG
        return FAULTS if everything else (FAULTS[number % len(FAULTS)],)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("world"))


@pytest.fixture(scope="module", params=SCENARIOS, ids=lambda one: one.name)
def course(
    request: pytest.FixtureRequest, world: World, tmp_path_factory: pytest.TempPathFactory
) -> Course:
    scenario: Scenario = request.param
    folder = tmp_path_factory.mktemp("scenario")
    prepared = Prepared(scenario, world, folder)
    path = prepared.copy("clean")
    copies = Copies(path, folder)
    answer = prepared.send(path, copies)
    copies.take()
    assert answer.status_code < 400, answer.text
    known = Course(prepared, answer.status_code, copies.texts, copies.dumps())
    assert dump(prepared.path) == known.before != known.after, "the request changes something"
    return known


def test_a_kill_leaves_all_or_nothing(course: Course) -> None:
    assert course.texts[course.commit] == "COMMIT"
    for number, content in course.left.items():
        done = number > course.commit
        assert content == (course.after if done else course.before), course.texts[:number][-1:]


@pytest.fixture(scope="module")
def mortal() -> Iterator[MortalProcess]:
    process = MortalProcess()
    yield process
    process.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes can't be forked here")
def test_a_killed_process_leaves_what_the_next_one_needs(
    course: Course, mortal: MortalProcess
) -> None:
    """The process ends right before the commit, then right after it, if anything follows."""
    for number in (course.commit, course.commit + 1):
        path = course.prepared.copy("killed")
        code = mortal.run(partial(course.prepared.send, path), number)
        assert code == (EXIT if number < len(course.texts) else 0)
        done = number > course.commit
        assert dump(path) == (course.after if done else course.before)
        again = course.prepared.send(path, again=done)
        if done:
            assert again.status_code < 500
        else:
            assert again.status_code == course.status
            assert dump(path) == course.after


def attempt(course: Course, number: int, fault: Fault, *, again: bool = True) -> None:
    """Let one statement fail: the answer explains it, nothing is half done, and it works again."""
    path = course.prepared.copy("faulty")
    failing = FailingAt(number, fault)
    answer = course.prepared.send(path, failing)
    case = f"{number}: {failing.failed or course.texts[number]}: {fault.name}"
    assert failing.failed, case
    content = dump(path)
    if answer.status_code == course.status:
        assert "sessions SET seen" in "".join(course.texts), case
        assert number < course.commit, case
        assert content == course.after, case
        return
    text = html.unescape(answer.text)
    assert answer.status_code == 503, (case, text)
    assert fault.sentence in text, case
    assert "Traceback" not in text, case
    typed = TYPED in course.prepared.scenario.data.values()
    assert int(answer.headers.get("retry-after", 0)) > 0 or (typed and TYPED in text), case
    assert content == (course.before if number <= course.commit else course.after), case
    if not again:
        return
    repeated = course.prepared.send(path, again=number > course.commit)
    if number <= course.commit:
        assert repeated.status_code == course.status, (case, repeated.text)
        assert dump(path) == course.after, case
    else:
        assert repeated.status_code < 500, (case, repeated.text)


def test_a_statement_that_fails_is_explained_and_nothing_is_half_done(course: Course) -> None:
    for number in course.chosen(MOST):
        for fault in course.faults(number):
            attempt(course, number, fault, again=number + 1 >= course.commit)


@pytest.mark.campaign
def test_statements_fail_in_every_way(course: Course) -> None:
    for number in course.chosen(MOST_IN_CAMPAIGN):
        for fault in FAULTS:
            attempt(course, number, fault)


# The store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with watched(None):
        opened = Store(tmp_path / "w.db", wait=0.05)
        yield opened
        opened.close()


def people_after(store: Store) -> list[str]:
    """The names that another connection sees, once a write has worked again."""
    people.find_or_add(store, "after")
    with closing(sqlite3.connect(store.path)) as other:
        return [name for (name,) in other.execute("SELECT name FROM people ORDER BY id")]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda one: one.name)
def test_a_commit_that_fails_is_rolled_back_and_the_connection_stays_usable(
    store: Store, fault: Fault
) -> None:
    def fail(_: int, sql: str, connection: sqlite3.Connection) -> None:
        if sql == "COMMIT":
            FailingAt(0, fault)(0, sql, connection)

    with watched(fail), pytest.raises(UnavailableError, match=fault.sentence):
        people.find_or_add(store, "before")
    assert people_after(store) == ["after"]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda one: one.name)
def test_a_rollback_that_fails_does_not_spoil_the_thread(store: Store, fault: Fault) -> None:
    """The connection is closed, which rolls back, and the next write opens another."""

    def fail(_: int, sql: str, __: sqlite3.Connection) -> None:
        if sql in ("COMMIT", "ROLLBACK"):
            raise fault.error()

    with watched(fail), pytest.raises(UnavailableError, match=fault.sentence):
        people.find_or_add(store, "before")
    assert people_after(store) == ["after"]


def test_who_did_not_wait_for_a_writer_waits_again_afterwards(store: Store) -> None:
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(UnavailableError), store.writing(wait=0):
            pass
        other.execute("ROLLBACK")
    assert store.value("PRAGMA busy_timeout") == 50


# The start: a new database, and one of the version before


def old(path: Path) -> None:
    old_database(path, events=3)


def empty(path: Path) -> None:
    path.touch()


@pytest.fixture(params=[empty, old], ids=lambda one: one.__name__)
def start(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "start.db"
    request.param(path)
    return path


def some(texts: list[str]) -> list[int]:
    """The first statements and each tenth of the others, and those around every commit."""
    commits = [n for n, text in enumerate(texts) if text == "COMMIT"]
    around = {n + step for n in commits for step in (-1, 0, 1)}
    return [n for n in range(len(texts)) if n < 12 or n % 10 == 0 or n in around]


def opened(path: Path, hook: Hook | None = None) -> None:
    with watched(hook):
        Store(path, wait=0.05).close()


def test_a_start_that_is_killed_is_finished_by_the_next(start: Path, tmp_path: Path) -> None:
    unused = Path(shutil.copy(start, tmp_path / "unused.db"))
    copies = Copies(start, tmp_path)
    opened(start, copies)
    finished = dump(start)
    assert len(copies.texts) > 10
    opened(unused)
    assert dump(unused) == finished
    versions = []
    for number in copies.taken:
        if number in copies.same:
            continue
        path = copies.copy(number)
        versions.append(dump(path)["version"][0][0])
        opened(path)
        assert dump(path) == finished, copies.texts[number]
    assert versions == sorted(versions)


def test_a_start_that_fails_is_explained_and_works_later(start: Path, tmp_path: Path) -> None:
    unused = Path(shutil.copy(start, tmp_path / "unused.db"))
    copies = Copies(start, tmp_path)
    opened(start, copies)
    finished = dump(start)
    for number in some(copies.texts):
        fault = FAULTS[number % len(FAULTS)]
        path = Path(shutil.copy(unused, tmp_path / f"failed-{number}.db"))
        with pytest.raises(DataError, match=fault.sentence):
            opened(path, FailingAt(number, fault))
        opened(path)
        assert dump(path) == finished, copies.texts[number]
