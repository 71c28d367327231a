"""Batches: who judges which events in which order, who has submitted, which stage it is in."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from chronoscore.errors import ChronoscoreError, UsageError
from chronoscore.rubric.templates import Group, article_groups, assign_groups, shuffled_events
from chronoscore.workbench.store import people, projects
from chronoscore.workbench.store.database import Store, now
from chronoscore.workbench.store.people import Person
from chronoscore.workbench.store.projects import EVENT, StoredEvent

BatchKind = Literal["calibration", "main", "retest", "imported"]
Stage = Literal["judging", "review", "adjudicated"]
Ordering = Literal["shuffled", "by date", "imported"]
"""How a share is ordered: by date in batches from before orders were shuffled."""
SubmittedBy = Literal["", "self", "owner", "removed", "imported"]
"""How a share was submitted: by its evaluator, by the owner for them, or because they were removed
from the project; imported ones are submitted from the start. Empty while it is being judged.
"""
_NOTHING_LEFT = "nothing is left for such a batch: choose another kind"


@dataclass(frozen=True, slots=True)
class JudgingBatch:
    """Some events for some evaluators."""

    id: int
    project: int
    kind: BatchKind
    name: str
    round: str
    overlap: int
    seed: int
    stage: Stage


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """How to draw a new batch."""

    kind: BatchKind
    people: tuple[int, ...]
    overlap: int = 1
    seed: int = 0
    size: int = 0
    """About how many events; 0 for all that are left."""
    articles: frozenset[str] = frozenset()
    """The ids of the articles to draw from; empty for all."""


@dataclass(frozen=True, slots=True)
class Share:
    """One evaluator's share of a batch."""

    person: Person
    events: int
    submitted: bool
    ordering: Ordering
    how: SubmittedBy
    member: bool
    """Whether the evaluator belongs to the project now."""

    @property
    def can_give_back(self) -> bool:
        """Whether its evaluator could go on with it."""
        return self.submitted and self.member and self.how != "imported"


class StageError(ChronoscoreError):
    """The batch is not, or no longer, in the stage in which this can be done."""

    status = 409


def draw(store: Store, by: int, project: int, plan: BatchPlan) -> int:
    """Draw a batch: an article's events stay together, loads are even, the seed repeats it.

    A calibration batch goes to everyone; a main batch takes the events that no person has yet; in
    a retest each evaluator meets some of their own events again, as another round.
    """
    evaluators = tuple(dict.fromkeys(plan.people))
    _check(store, project, plan, evaluators)
    number = 1
    with store.writing():  # from the start, so that no event is drawn by two requests
        shares = _draw_shares(store, project, plan, evaluators)
        if not any(shares.values()):
            raise UsageError(_NOTHING_LEFT)
        if plan.kind == "retest":
            rounds = store.rows("SELECT round FROM batches WHERE project = :id", id=project)
            number += max((int(r["round"]) for r in rounds if r["round"].isdecimal()), default=1)
        batch = add(store, project, plan.kind, str(number), plan.overlap, plan.seed)
        for person, groups in shares.items():
            order = shuffled_events(groups, f"{plan.seed}/{batch}/{person}")
            add_share(store, batch, int(person), [int(event.id) for event in order])
        drawn = {"kind": plan.kind, "overlap": plan.overlap, "seed": plan.seed}
        events = {person: sum(map(len, groups)) for person, groups in shares.items()}
        store.note(by, "batch made", project, batch=batch, **drawn, events=events)
    return batch


def preview(store: Store, project: int, plan: BatchPlan) -> dict[int, int]:
    """How many events each evaluator would get if the batch were drawn now; stores nothing."""
    evaluators = tuple(dict.fromkeys(plan.people))
    _check(store, project, plan, evaluators)
    shares = _draw_shares(store, project, plan, evaluators)
    if not any(shares.values()):
        raise UsageError(_NOTHING_LEFT)
    return {int(person): sum(map(len, groups)) for person, groups in shares.items()}


def count_free(store: Store, project: int) -> int:
    """How many events of a project no person has in a batch."""
    return int(store.value(f"SELECT count(*) FROM ({_FREE})", project=project))


def free_articles(store: Store, project: int, seed: int) -> list[int]:
    """How many events each article has that no person has yet, in the order of drawing."""
    free = store.records(StoredEvent, _FREE, project=project)
    return [len(group) for group in _draw_groups(free, 0, random.Random(f"chronoscore/{seed}"))]


def _check(store: Store, project: int, plan: BatchPlan, evaluators: Sequence[int]) -> None:
    known = {person.id for person in projects.members(store, project) if person.kind == "person"}
    if not evaluators or not set(evaluators) <= known:
        raise UsageError("choose at least one evaluator, all of this project")
    if not 1 <= plan.overlap <= len(evaluators):
        raise UsageError(
            f"the overlap is {plan.overlap}, expected 1 to {len(evaluators)}, as many as evaluators"
        )
    if plan.size < 0 or (plan.kind != "main" and not plan.size):
        raise UsageError(f"say how large the {plan.kind} batch is to be")


_FREE = f"""SELECT {EVENT} FROM events e WHERE e.project = :project AND e.number NOT IN
    (SELECT t.event FROM tasks t JOIN batches b ON b.id = t.batch
    JOIN people p ON p.id = t.person WHERE b.project = :project AND p.kind = 'person')"""
_DONE = f"""SELECT DISTINCT {EVENT} FROM tasks t JOIN batches b ON b.id = t.batch
    JOIN events e ON e.number = t.event WHERE b.project = :project AND t.person = :person
    AND b.kind IN ('calibration', 'main')"""


def _draw_shares(
    store: Store, project: int, plan: BatchPlan, evaluators: Sequence[int]
) -> dict[str, list[Group]]:
    seed, names = f"chronoscore/{plan.seed}", sorted(str(person) for person in evaluators)
    if plan.kind == "retest":
        drawn = {}
        for name in names:
            done = store.records(StoredEvent, _DONE, project=project, person=int(name))
            drawn[name] = _draw_groups(done, plan.size, random.Random(f"{seed}/{name}"))
        return drawn
    free = store.records(StoredEvent, _FREE, project=project)
    if plan.articles:
        free = [one for one in free if one.event.article in plan.articles]
    dice = random.Random(seed)
    overlap = len(names) if plan.kind == "calibration" else plan.overlap
    return assign_groups(_draw_groups(free, plan.size, dice), names, overlap, dice)


def _draw_groups(events: Sequence[StoredEvent], size: int, dice: random.Random) -> list[Group]:
    """Draw articles until they have `size` events.

    Ids are replaced by numbers, since two systems may use the same ids.
    """
    numbered = [msgspec.structs.replace(one.event, id=f"{one.number:012}") for one in events]
    groups = article_groups(numbered)
    dice.shuffle(groups)
    drawn: list[Group] = []
    while groups and (not size or sum(map(len, drawn)) < size):
        drawn.append(groups.pop())
    return drawn


def add(store: Store, project: int, kind: BatchKind, round_: str, overlap: int, seed: int) -> int:
    """Add an empty batch."""
    drawn = {"project": project, "kind": kind, "round": round_, "overlap": overlap, "seed": seed}
    with store.writing():
        sql = "SELECT count(*) FROM batches WHERE project = :project AND kind = :kind"
        before = store.value(sql, project=project, kind=kind)
        return store.insert("batches", **drawn, name=f"{kind} {before + 1}", made=now())


def add_share(
    store: Store,
    batch: int,
    person: int,
    events: Sequence[int],
    ordering: Ordering = "shuffled",
    submitted: str = "",
) -> None:
    """Give an evaluator events to judge, in this order."""
    if not events:
        return
    with store.writing():
        tasks = [
            {"batch": batch, "person": person, "place": place, "event": event}
            for place, event in enumerate(events, 1)
        ]
        store.insert_all("tasks", tasks)
        state = {"at": submitted, "how": "imported" if submitted else ""}
        store.insert("submissions", batch=batch, person=person, ordering=ordering, **state)


_BATCHES = """SELECT b.*, CASE WHEN b.adjudicated <> '' THEN 'adjudicated' WHEN EXISTS
    (SELECT 1 FROM submissions s WHERE s.batch = b.id AND s.at = '') THEN 'judging'
    ELSE 'review' END AS stage FROM batches b"""
_TAKES_PART = """EXISTS (SELECT 1 FROM submissions m JOIN members w ON w.project = b.project
    AND w.person = m.person WHERE m.batch = b.id AND m.person = :viewer)"""


def find(store: Store, viewer: Person, batch: int) -> JudgingBatch | None:
    """A batch, if the viewer is the owner or has a share of it."""
    sql = f"{_BATCHES} WHERE b.id = :batch AND (:owns OR {_TAKES_PART})"
    return store.record(JudgingBatch, sql, batch=batch, viewer=viewer)


def visible(store: Store, viewer: Person, project: int | None = None) -> list[JudgingBatch]:
    """The batches that a viewer has a share of; of one project, the owner sees all."""
    sql = f"""{_BATCHES} WHERE (:project IS NULL OR b.project = :project)
        AND ((:owns AND :project IS NOT NULL) OR {_TAKES_PART}) ORDER BY b.id"""
    return store.records(JudgingBatch, sql, project=project, viewer=viewer)


def still_judges(store: Store, viewer: Person, project: int) -> bool:
    """Whether a batch of a project that the viewer has a part in is still being judged."""
    mine = visible(store, viewer)
    return any(one.project == project and one.stage == "judging" for one in mine)


def unfinished(store: Store, viewer: Person, project: int) -> list[JudgingBatch]:
    """The batches of a project that some still judge: neither shown with names nor exported."""
    return [batch for batch in visible(store, viewer, project) if batch.stage == "judging"]


def shares(store: Store, batch: int) -> list[Share]:
    """Who has which share of a batch, and whether they have submitted; contains no answers."""
    sql = """SELECT p.*, s.at <> '' AS submitted, s.ordering, s.how, (SELECT count(*) FROM tasks t
        WHERE t.batch = s.batch AND t.person = s.person) AS events, EXISTS (SELECT 1
        FROM members m JOIN batches b ON b.project = m.project
        WHERE b.id = s.batch AND m.person = s.person) AS member
        FROM submissions s JOIN people p ON p.id = s.person
        WHERE s.batch = :batch ORDER BY p.name"""
    return store.records(Share, sql, batch=batch)


def assignments(store: Store, project: int) -> set[tuple[str, int, str]]:
    """The evaluator, event and round of every task in a project."""
    sql = """SELECT p.name, t.event, b.round FROM tasks t JOIN batches b ON b.id = t.batch
        JOIN people p ON p.id = t.person WHERE b.project = :project"""
    return {tuple(row) for row in store.rows(sql, project=project)}


def orders(store: Store, project: int) -> list[dict[str, object]]:
    """The order in which each evaluator met the events, of batches that all have submitted."""
    sql = """SELECT b.name AS batch, b.round, b.seed, p.name AS evaluator, s.ordering, t.place,
        e.system, e.id AS event_id, e.article
        FROM tasks t JOIN batches b ON b.id = t.batch
        JOIN submissions s ON s.batch = t.batch AND s.person = t.person
        JOIN people p ON p.id = t.person JOIN events e ON e.number = t.event
        WHERE b.project = :project
        AND b.id NOT IN (SELECT w.batch FROM submissions w WHERE w.at = '')
        ORDER BY b.id, p.name, t.place"""
    return [dict(row) for row in store.rows(sql, project=project)]


def check_stage(store: Store, batch: JudgingBatch, stage: Stage, message: str) -> None:
    """Refuse with the message if a batch is not in a stage; within a write, it stays in it."""
    if store.value(f"SELECT stage FROM ({_BATCHES}) WHERE id = :batch", batch=batch) != stage:
        raise StageError(message)


def submit(store: Store, by: Person, batch: JudgingBatch, person: Person) -> int:
    """Record that a share is done; the owner may do it for someone who does not continue.

    Returns the number of the entry in the audit, 0 if the share was submitted already.
    """
    how: SubmittedBy = "self" if by.id == person.id else "owner"
    share = {"batch": batch, "person": person}
    with store.writing():
        sql = """UPDATE submissions SET at = :now, how = :how
            WHERE batch = :batch AND person = :person AND at = ''"""
        if not store.execute(sql, now=now(), how=how, **share).rowcount:
            return 0
        return store.note(by, "submitted", batch.project, **share, how=how)


def take_back(store: Store, by: Person, batch: JudgingBatch) -> None:
    """Let someone continue judging while others have not submitted: answers are hidden."""
    with store.writing():
        message = (
            "All have submitted: the answers may have been seen. Ask the owner to give it back."
        )
        check_stage(store, batch, "judging", message)
        seen = _seen_before(store, batch)
        if _reopen_share(store, batch, by):
            store.note(by, "submission taken back", batch.project, batch=batch, seen=seen)


def give_back(store: Store, by: Person, batch: JudgingBatch, person: Person) -> int:
    """Let an evaluator continue with a submitted share; all answers are hidden again.

    The audit tells whether they may have been seen. Returns the number of its entry, 0 if the
    share is being judged already.
    """
    with store.writing():
        share = next((one for one in shares(store, batch.id) if one.person.id == person.id), None)
        if share is None or not share.submitted:
            return 0
        if share.how == "imported":
            raise StageError("This share was judged elsewhere: it can't be judged here.")
        if not share.member:
            raise StageError(f"{person.name} is not in the project: bring them back first.")
        return _give_back(store, by, batch, person)


def _give_back(store: Store, by: Person, batch: JudgingBatch, person: Person) -> int:
    seen = may_have_been_seen(store, batch)
    if store.value("SELECT adjudicated FROM batches WHERE id = :batch", batch=batch):
        raise StageError("This batch is closed: reopen it first.")
    _reopen_share(store, batch, person)
    return store.note(by, "share given back", batch.project, batch=batch, person=person, seen=seen)


def _reopen_share(store: Store, batch: JudgingBatch, person: Person) -> bool:
    sql = """UPDATE submissions SET at = '', how = ''
        WHERE batch = :batch AND person = :person AND at <> ''"""
    return bool(store.execute(sql, batch=batch, person=person).rowcount)


def may_have_been_seen(store: Store, batch: JudgingBatch) -> bool:
    """Whether the owner could see the answers of a batch, now or at some time before."""
    sql = "SELECT 1 FROM submissions WHERE batch = :batch AND at = ''"
    return store.row(sql, batch=batch) is None or _seen_before(store, batch)


def _seen_before(store: Store, batch: JudgingBatch) -> bool:
    sql = """SELECT 1 FROM audit WHERE project = :project AND (action = 'adjudicated'
        OR (action = 'share given back' AND json_extract(detail, '$.seen')))
        AND json_extract(detail, '$.batch') = :batch"""
    return store.row(sql, project=batch.project, batch=batch) is not None


def remove_member(store: Store, by: Person, project: int, person: Person) -> int:
    """Remove someone from a project; their judgements stay, under their name.

    Their open shares count as submitted, so that the batch goes on without them. Someone who
    belongs to no other project can't log in any more: sessions and links end. Returns the number
    of the entry in the audit.
    """
    with store.writing():
        sql = """UPDATE submissions SET at = :now, how = 'removed'
            WHERE person = :person AND at = '' AND batch IN
            (SELECT id FROM batches WHERE project = :project) RETURNING batch"""
        closed = store.execute(sql, now=now(), person=person, project=project).fetchall()
        gone = "DELETE FROM members WHERE project = :project AND person = :person"
        store.execute(gone, project=project, person=person)
        if not store.row("SELECT 1 FROM members WHERE person = :person", person=person):
            people.end_sessions(store, person.id, "removed")
            people.delete_links(store, person.id)
        submitted = [row["batch"] for row in closed]
        return store.note(by, "evaluator removed", project, person=person, submitted=submitted)


def shares_of_removed(
    store: Store, viewer: Person, project: int, person: Person
) -> list[JudgingBatch]:
    """The batches, not closed since, in which the removal of someone counted as submitting."""
    sql = f"""{_BATCHES} WHERE b.project = :project AND b.adjudicated = '' AND :owns AND EXISTS
        (SELECT 1 FROM submissions s WHERE s.batch = b.id AND s.person = :person
        AND s.how = 'removed') ORDER BY b.id"""
    return store.records(JudgingBatch, sql, viewer=viewer, project=project, person=person)


def bring_back(store: Store, by: Person, project: int, person: Person) -> int:
    """Undo a removal: the person belongs to the project, and goes on with the open shares.

    Shares in batches that were closed meanwhile stay as they are. Returns the number of the entry
    in the audit.
    """
    with store.writing():
        member = "INSERT OR IGNORE INTO members (project, person) VALUES (:project, :person)"
        if not store.execute(member, project=project, person=person).rowcount:
            return 0
        reopened = shares_of_removed(store, by, project, person)
        for batch in reopened:
            _give_back(store, by, batch, person)
        numbers = [batch.id for batch in reopened]
        return store.note(by, "evaluator brought back", project, person=person, reopened=numbers)


def removed_people(store: Store, project: int) -> list[Person]:
    """People who were removed from a project and have a share of one of its batches, by name."""
    sql = """SELECT DISTINCT p.* FROM submissions s JOIN batches b ON b.id = s.batch
        JOIN people p ON p.id = s.person WHERE b.project = :project AND p.kind = 'person'
        AND p.id NOT IN (SELECT m.person FROM members m WHERE m.project = :project)
        ORDER BY p.name"""
    return store.records(Person, sql, project=project)


def was_removed(store: Store, project: int, person: int) -> Person | None:
    """Someone who was removed from a project and is not back, whether they had a share or not."""
    sql = """SELECT p.* FROM people p WHERE p.id = :person AND p.id NOT IN
        (SELECT m.person FROM members m WHERE m.project = :project) AND EXISTS
        (SELECT 1 FROM audit a WHERE a.project = :project AND a.action = 'evaluator removed'
        AND json_extract(a.detail, '$.person') = p.id)"""
    return store.record(Person, sql, project=project, person=person)
