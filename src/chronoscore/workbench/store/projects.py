"""Projects: a codebook, articles, the events of some systems, and who belongs to it."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from chronoscore.core.errors import UsageError
from chronoscore.core.event import Event
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.formats import Article
from chronoscore.workbench.store import audit
from chronoscore.workbench.store.database import Row, Store, now
from chronoscore.workbench.store.people import Person, find_or_make

_LONGEST_NAME = 120


@dataclass(frozen=True, slots=True)
class Project:
    """What is judged, and by which rules."""

    id: int
    name: str
    codebook: Codebook
    show_score: bool
    made: str


@dataclass(frozen=True, slots=True)
class Known:
    """An event of a project. Numbers run system by system, so evaluators never see them."""

    number: int
    system: str
    event: Event


def make(
    store: Store,
    by: int,
    name: str,
    codebook: Codebook,
    systems: Mapping[str, Sequence[Event]],
    articles: Sequence[Article],
) -> int:
    """Keep a project; the owner belongs to it. Without a name, it is called by its number."""
    kept = _name(name) if name.strip() else ""
    with store.writing() as connection:
        project = connection.execute(
            "INSERT INTO projects (name, codebook, made) VALUES (?, ?, ?)",
            (kept, msgspec.json.encode(codebook).decode(), now()),
        ).lastrowid
        assert project is not None
        if not kept:
            neutral = (f"Project {project}", project)
            connection.execute("UPDATE projects SET name = ? WHERE id = ?", neutral)
        connection.executemany(
            "INSERT INTO articles (project, id, published, title, topic, text) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            [(project, a.id, a.published, a.title, a.topic, a.text) for a in articles],
        )
        connection.executemany(
            "INSERT INTO events (project, system, id, article, record) VALUES (?, ?, ?, ?, ?)",
            [
                (project, system, event.id, event.article, msgspec.json.encode(event).decode())
                for system, events in systems.items()
                for event in events
            ],
        )
        connection.execute("INSERT INTO members (project, person) VALUES (?, ?)", (project, by))
        counts = {"events": sum(map(len, systems.values())), "articles": len(articles)}
        audit.note(connection, by, "project made", project, **counts)
    return project


def _name(name: str) -> str:
    kept = " ".join(name.split())
    if not kept or len(kept) > _LONGEST_NAME or not kept.isprintable():
        raise UsageError(f"a project's name has 1 to {_LONGEST_NAME} characters")
    return kept


def one(store: Store, project: int) -> Project | None:
    """A project, if there is one."""
    found = store.row("SELECT * FROM projects WHERE id = ?", project)
    return _project(found) if found else None


def listed(store: Store, viewer: Person) -> list[Project]:
    """The projects that someone belongs to, the newest first; the owner sees all."""
    found = store.rows(
        "SELECT * FROM projects WHERE ? OR id IN (SELECT project FROM members WHERE person = ?) "
        "ORDER BY id DESC",
        viewer.role == "owner",
        viewer.id,
    )
    return [_project(row) for row in found]


def change(store: Store, by: int, project: int, name: str, show_score: bool) -> None:
    """Rename a project, or let evaluators see the score while they judge."""
    kept = _name(name)
    with store.writing() as connection:
        connection.execute(
            "UPDATE projects SET name = ?, show_score = ? WHERE id = ?",
            (kept, show_score, project),
        )
        audit.note(connection, by, "project changed", project, name=kept, show_score=show_score)


def add_member(store: Store, by: int, project: int, name: str) -> Person:
    """Let an evaluator, who may be new, belong to a project."""
    with store.writing() as connection:
        person = find_or_make(connection, name)
        if person.kind != "person":
            raise UsageError(f"{person.name} is a model: it can't be invited")
        join(connection, by, project, person)
    return person


def join(connection: sqlite3.Connection, by: int, project: int, person: Person) -> None:
    """Note that someone belongs to a project."""
    done = connection.execute(
        "INSERT OR IGNORE INTO members (project, person) VALUES (?, ?)", (project, person.id)
    )
    if done.rowcount:
        audit.note(connection, by, "evaluator added", project, person=person.id)


def members(store: Store, project: int) -> list[Person]:
    """Who belongs to a project, by name."""
    found = store.rows(
        "SELECT p.* FROM members m JOIN people p ON p.id = m.person WHERE m.project = ? "
        "ORDER BY p.name",
        project,
    )
    return [Person(r["id"], r["name"], r["role"], r["kind"]) for r in found]


def counts(store: Store, project: int) -> dict[str, int]:
    """How many events, articles and systems there are."""
    found = store.row(
        "SELECT (SELECT count(*) FROM events WHERE project = ?) AS events, "
        "(SELECT count(*) FROM articles WHERE project = ?) AS articles, "
        "(SELECT count(DISTINCT system) FROM events WHERE project = ?) AS systems",
        project,
        project,
        project,
    )
    assert found is not None
    return {"events": found["events"], "articles": found["articles"], "systems": found["systems"]}


def systems(store: Store, project: int) -> list[str]:
    """The names of a project's systems, which evaluators never see."""
    found = store.rows("SELECT DISTINCT system FROM events WHERE project = ?", project)
    return sorted(row["system"] for row in found)


def events(
    store: Store, project: int, *, find: str = "", skip: int = 0, most: int = -1
) -> list[Known]:
    """Events of a project in the order of import; `find` is looked for in their texts and ids."""
    wanted = "%" + find.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_") + "%"
    found = store.rows(
        "SELECT number, system, record FROM events WHERE project = ? AND "
        "(? = '' OR record LIKE ? ESCAPE '\\') ORDER BY number LIMIT ? OFFSET ?",
        project,
        find,
        wanted,
        most,
        skip,
    )
    return [known(row) for row in found]


def event(store: Store, project: int, number: int) -> Known | None:
    """One event of a project."""
    found = store.row(
        "SELECT number, system, record FROM events WHERE project = ? AND number = ?",
        project,
        number,
    )
    return known(found) if found else None


def known(row: Row) -> Known:
    """An event from its row."""
    return Known(row["number"], row["system"], msgspec.json.decode(row["record"], type=Event))


def article(store: Store, project: int, name: str) -> Article | None:
    """An article of a project."""
    found = store.row("SELECT * FROM articles WHERE project = ? AND id = ?", project, name)
    return _article(found) if found else None


def articles(store: Store, project: int) -> list[Article]:
    """All articles of a project."""
    found = store.rows("SELECT * FROM articles WHERE project = ? ORDER BY id", project)
    return [_article(row) for row in found]


def _article(row: Row) -> Article:
    names = ("id", "published", "title", "topic", "text")
    return Article(**{name: row[name] for name in names})


def _project(row: Row) -> Project:
    book = msgspec.json.decode(row["codebook"], type=Codebook)
    return Project(row["id"], row["name"], book, bool(row["show_score"]), row["made"])
