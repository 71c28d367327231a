"""Projects: a codebook, articles, the events of some systems, and who belongs to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from chronoscore.core.event import Event
from chronoscore.errors import UsageError
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.formats import Article
from chronoscore.rubric.judge.outcome import JudgeManifest
from chronoscore.workbench.store import people
from chronoscore.workbench.store.database import Store, json_text, now, printable_name
from chronoscore.workbench.store.people import Person

LONGEST_NAME = 120
Systems = Mapping[str, Sequence[Event]]
"""The events of each system."""
Task = Literal["events", "pairs"]
"""What is judged: events beside their articles, or pairs of events."""
EVENT = "e.number, e.system, e.record AS event"
"""The columns of a StoredEvent."""


@dataclass(frozen=True, slots=True)
class Project:
    """Events to judge, and by which rules."""

    id: int
    name: str
    codebook: Codebook
    show_score: bool
    archived: str
    """When it was archived; empty if it is in use."""
    show_votes: bool
    """Whether the page that settles an event names who gave which answer."""
    task: Task
    """What is judged: events beside their articles, or pairs of events."""

    @property
    def unit(self) -> str:
        """What is judged, in a word."""
        return self.task.removesuffix("s")

    @property
    def cluster(self) -> str:
        """What those that stay together have in common; intervals are drawn over these."""
        return "gold event" if self.task == "pairs" else "article"


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event of a project. Numbers run system by system, so evaluators never see them."""

    number: int
    system: str
    event: Event


def add(
    store: Store,
    by: int,
    name: str,
    codebook: Codebook,
    systems: Systems,
    articles: Sequence[Article],
) -> int:
    """Add a project; the owner belongs to it. Without a name, it is called by its number."""
    name = _check_name(name) if name.strip() else ""
    with store.writing():
        project = store.insert("projects", name=name, codebook=json_text(codebook), made=now())
        if not name:
            store.execute("UPDATE projects SET name = 'Project ' || id WHERE id = :id", id=project)
        counts = _insert_content(store, project, systems, articles)
        store.insert("members", project=project, person=by)
        store.note(by, "project made", project, **counts)
    return project


def _insert_content(
    store: Store, project: int, systems: Systems, articles: Sequence[Article]
) -> dict[str, int]:
    """Add events and articles; returns how many."""
    store.insert_all(
        "articles", [{"project": project, **msgspec.structs.asdict(one)} for one in articles]
    )
    for system, events in systems.items():
        home = {"project": project, "system": system}
        rows = [
            {**home, "id": one.id, "article": one.article, "record": json_text(one)}
            for one in events
        ]
        store.insert_all("events", rows)
    return {"events": sum(map(len, systems.values())), "articles": len(articles)}


@dataclass(frozen=True, slots=True)
class ProjectContent:
    """What a project has already, as far as new events and articles may clash with it."""

    events: frozenset[tuple[str, str]] = frozenset()
    """Systems and ids of its events."""
    articles: Mapping[str, int] = field(default_factory=dict)
    """The length of each article's text, by the article's id."""
    missing: Mapping[str, int] = field(default_factory=dict)
    """Articles that events name and that are not there, with the end of the last span in them."""
    judged_without: frozenset[str] = frozenset()
    """Those of the missing articles whose events are in a batch."""


def content(store: Store, project: int) -> ProjectContent:
    """What a project has already."""
    events = store.rows("SELECT system, id FROM events WHERE project = :id", id=project)
    lengths = store.rows("SELECT id, length(text) FROM articles WHERE project = :id", id=project)
    sql = """SELECT e.article, max(coalesce(json_extract(e.record, '$.span[1]'), 0)),
        max(EXISTS (SELECT 1 FROM tasks t WHERE t.event = e.number)) AS judged
        FROM events e WHERE e.project = :id AND e.article <> '' AND NOT EXISTS
        (SELECT 1 FROM articles a WHERE a.project = :id AND a.id = e.article) GROUP BY e.article"""
    missing = store.rows(sql, id=project)
    return ProjectContent(
        frozenset((row["system"], row["id"]) for row in events),
        {row[0]: row[1] for row in lengths},
        {row[0]: row[1] for row in missing},
        frozenset(row[0] for row in missing if row["judged"]),
    )


def add_events(
    store: Store, by: Person, project: int, systems: Systems, articles: Sequence[Article]
) -> dict[str, int]:
    """Add events and articles to a project; what it has already stays. Returns how many."""
    with store.writing():
        if store.value("SELECT task FROM projects WHERE id = :id", id=project) != "events":
            raise UsageError("this project is not about single events: none can be added to it")
        present = content(store, project)
        ids = {(system, one.id) for system, events in systems.items() for one in events}
        if ids & present.events or {one.id for one in articles} & present.articles.keys():
            raise UsageError("these were added meanwhile: look at the project's events")
        counts = _insert_content(store, project, systems, articles)
        store.note(by, "events added", project, **counts)
    return counts


def archive(store: Store, by: Person, project: int) -> int:
    """Put a project away: nothing is saved in it any more, and evaluators don't see it.

    Returns the number of the entry in the audit, 0 if it was archived already.
    """
    with store.writing():
        sql = "UPDATE projects SET archived = :now WHERE id = :id AND archived = ''"
        if not store.execute(sql, now=now(), id=project).rowcount:
            return 0
        return store.note(by, "project archived", project)


def unarchive(store: Store, by: Person, project: int) -> int:
    """Bring an archived project back as it was; returns as `archive` does."""
    with store.writing():
        sql = "UPDATE projects SET archived = '' WHERE id = :id AND archived <> ''"
        if not store.execute(sql, id=project).rowcount:
            return 0
        return store.note(by, "project unarchived", project)


def _check_name(name: str) -> str:
    return printable_name(name, LONGEST_NAME, "a project's name")


def find(store: Store, project: int) -> Project | None:
    """A project, if there is one."""
    return store.record(Project, "SELECT * FROM projects WHERE id = :id", id=project)


def visible(store: Store, viewer: Person) -> list[Project]:
    """The projects in use that someone belongs to, the newest first; the owner sees all."""
    sql = """SELECT * FROM projects WHERE archived = '' AND (:owns
        OR id IN (SELECT project FROM members WHERE person = :viewer)) ORDER BY id DESC"""
    return store.records(Project, sql, viewer=viewer)


def archived(store: Store, viewer: Person) -> list[Project]:
    """The archived projects, for their owner, the last archived first."""
    sql = "SELECT * FROM projects WHERE archived <> '' AND :owns ORDER BY archived DESC, id DESC"
    return store.records(Project, sql, viewer=viewer)


def change(
    store: Store, by: int, project: int, name: str, show_score: bool, show_votes: bool
) -> None:
    """Rename a project, or change what is shown while people judge and while they settle."""
    name = _check_name(name)
    changes = {"name": name, "show_score": show_score, "show_votes": show_votes}
    with store.writing():
        columns = ", ".join(f"{column} = :{column}" for column in changes)
        store.execute(f"UPDATE projects SET {columns} WHERE id = :id", id=project, **changes)
        store.note(by, "project changed", project, **changes)


def show_votes(store: Store, by: Person, project: int, show: bool) -> None:
    """Set whether the pages that settle events name who gave which answer."""
    with store.writing():
        sql = "UPDATE projects SET show_votes = :show WHERE id = :id"
        store.execute(sql, id=project, show=show)
        store.note(by, "project changed", project, show_votes=show)


def add_member(store: Store, by: int, project: int, name: str) -> Person:
    """Add an evaluator, who may be new, to a project."""
    with store.writing():
        person = people.find_or_add(store, name)
        if person.kind != "person":
            raise UsageError(f"{person.name} is a model: it can't be invited")
        join(store, by, project, person)
    return person


def join(store: Store, by: int, project: int, person: Person) -> None:
    """Record that someone belongs to a project."""
    with store.writing():
        member = "INSERT OR IGNORE INTO members (project, person) VALUES (:project, :person)"
        if store.execute(member, project=project, person=person).rowcount:
            store.note(by, "evaluator added", project, person=person)


def members(store: Store, project: int) -> list[Person]:
    """Who belongs to a project, by name."""
    sql = """SELECT p.* FROM members m JOIN people p ON p.id = m.person
        WHERE m.project = :project ORDER BY p.name"""
    return store.records(Person, sql, project=project)


def counts(store: Store, project: int) -> dict[str, int]:
    """How many events, articles and systems a project has."""
    sql = """SELECT (SELECT count(*) FROM events WHERE project = :project) AS events,
        (SELECT count(*) FROM articles WHERE project = :project) AS articles,
        (SELECT count(DISTINCT system) FROM events WHERE project = :project) AS systems"""
    return dict(store.rows(sql, project=project)[0])


def systems(store: Store, project: int) -> list[str]:
    """The names of a project's systems, which evaluators never see."""
    sql = "SELECT DISTINCT system FROM events WHERE project = :project"
    return sorted(row["system"] for row in store.rows(sql, project=project))


def events(
    store: Store, project: int, *, find: str = "", skip: int = 0, most: int = -1
) -> list[StoredEvent]:
    """Events of a project in the order of import; `find` is searched in their texts and ids."""
    wanted = "%" + find.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_") + "%"
    sql = f"""SELECT {EVENT} FROM events e WHERE e.project = :project
        AND (:find = '' OR e.record LIKE :wanted ESCAPE '\\')
        ORDER BY e.number LIMIT :most OFFSET :skip"""
    return store.records(
        StoredEvent, sql, project=project, find=find, wanted=wanted, most=most, skip=skip
    )


def event(store: Store, project: int, number: int) -> StoredEvent | None:
    """One event of a project."""
    sql = f"SELECT {EVENT} FROM events e WHERE e.project = :project AND e.number = :number"
    return store.record(StoredEvent, sql, project=project, number=number)


_ARTICLES = (
    "SELECT id, published, title, topic, text, language FROM articles WHERE project = :project"
)


def article(store: Store, project: int, name: str) -> Article | None:
    """An article of a project, if there is one of this id."""
    return store.record(Article, f"{_ARTICLES} AND id = :id", project=project, id=name)


def articles(store: Store, project: int) -> list[Article]:
    """All articles of a project."""
    return store.records(Article, f"{_ARTICLES} ORDER BY id", project=project)


def add_judge_runs(
    store: Store, by: Person, project: int, manifests: Sequence[JudgeManifest]
) -> None:
    """Store the manifests of runs of judge models, which say what the runs cost."""
    with store.writing():
        for one in manifests:
            run = {"project": project, "judge": one.judge, "manifest": json_text(one)}
            store.insert("judge_runs", **run, at=now())
            store.note(by, "run of a judge imported", project, judge=one.judge)


def judge_runs(store: Store, project: int) -> dict[str, list[JudgeManifest]]:
    """The runs of each judge, in the order of import; the same run counts once."""
    sql = """SELECT judge, manifest FROM judge_runs WHERE project = :project
        GROUP BY judge, manifest ORDER BY min(id)"""
    runs: dict[str, list[JudgeManifest]] = {}
    for row in store.rows(sql, project=project):
        manifest = msgspec.json.decode(row["manifest"], type=JudgeManifest)
        runs.setdefault(row["judge"], []).append(manifest)
    return runs
