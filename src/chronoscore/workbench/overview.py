"""What the lead sees of a project: its people and their progress, its steps, the next batch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from chronoscore.errors import UsageError
from chronoscore.workbench.pages import plural
from chronoscore.workbench.steps import (
    BatchFacts,
    OpenShare,
    ProjectFacts,
    StudyStep,
    next_step,
    steps,
)
from chronoscore.workbench.store import Store, batches, people, pooled, projects
from chronoscore.workbench.store.batches import BatchPlan, JudgingBatch
from chronoscore.workbench.store.database import is_exported, now
from chronoscore.workbench.store.people import Person
from chronoscore.workbench.store.pooled import ShareCounts
from chronoscore.workbench.store.projects import Project

CALIBRATION_EVENTS = 20
"""About how many events a calibration batch has."""
_CALIBRATION_SHARE = 5
"""At most one event of this many is for calibration, if the articles allow it."""
_OVERLAP = 2
_HOUR = 3_600_000


@dataclass(frozen=True, slots=True)
class PersonRow:
    """A row of the table of people."""

    person: Person
    assigned: int
    judged: int
    flags: int
    pace: int
    """Median milliseconds between two saves; 0 if not known."""
    last: str
    """The last save or visit, empty if there was none."""
    logged_in: bool
    link_ends: str
    """When the link ends that was not used yet, empty if there is none."""
    came_in: bool
    """Whether the person ever used a link."""

    @property
    def an_hour(self) -> int:
        """Events an hour at this pace."""
        return round(_HOUR / self.pace) if self.pace else 0

    @property
    def login(self) -> str:
        """The state of the login in words."""
        if self.person.role == "owner":
            return "you"
        if self.person.kind == "llm":
            return "a model"
        if self.logged_in:
            return "logged in"
        if self.link_ends:
            return f"link not used yet, ends {self.link_ends[:10]}"
        return "logged out: needs a new link" if self.came_in else "has no link"


@dataclass(frozen=True, slots=True)
class BatchRow:
    """A batch with its counts."""

    batch: JudgingBatch
    people: int
    submitted: int
    assigned: int
    judged: int


@dataclass(frozen=True, slots=True)
class BatchProposal:
    """A batch that could be made now, and what it would be."""

    plan: BatchPlan
    sentence: str
    problem: str = ""
    """Why it can't be made."""


@dataclass(frozen=True, slots=True)
class ProjectOverview:
    """All that a project's page refreshes."""

    people: Sequence[PersonRow]
    batches: Sequence[BatchRow]
    steps: Sequence[StudyStep]
    next: StudyStep | None
    judged: int
    assigned: int


def project_overview(store: Store, viewer: Person, project: Project) -> ProjectOverview:
    """How far a project is, in counts."""
    counts = pooled.share_counts(store, project.id)
    members = projects.members(store, project.id)
    drawn = batches.visible(store, viewer, project.id)
    table = _people(store, members, counts)
    rows = [_batch(batch, [one for one in counts if one.batch == batch.id]) for batch in drawn]
    line = steps(_facts(store, project, table, drawn, counts))
    judged, assigned = sum(row.judged for row in rows), sum(row.assigned for row in rows)
    return ProjectOverview(table, rows, line, next_step(line), judged, assigned)


def _people(
    store: Store, members: Sequence[Person], counts: Sequence[ShareCounts]
) -> list[PersonRow]:
    seen, links, used = people.in_use(store), people.open_links(store), people.came_in(store)
    table = []
    for person in members:
        shares = [one for one in counts if one.person == person.id]
        row = PersonRow(
            person,
            sum(one.assigned for one in shares),
            sum(one.judged for one in shares),
            sum(one.flags for one in shares),
            max((one.pace for one in shares), default=0),
            max([one.last for one in shares] + [seen.get(person.id, "")], default=""),
            person.id in seen,
            links.get(person.id, ""),
            person.id in used,
        )
        table.append(row)
    return sorted(table, key=lambda row: (row.person.role == "owner", row.person.kind == "llm"))


def _batch(batch: JudgingBatch, shares: Sequence[ShareCounts]) -> BatchRow:
    return BatchRow(
        batch,
        len(shares),
        sum(one.submitted for one in shares),
        sum(one.assigned for one in shares),
        sum(one.judged for one in shares),
    )


def _facts(
    store: Store,
    project: Project,
    table: Sequence[PersonRow],
    drawn: Sequence[JudgingBatch],
    counts: Sequence[ShareCounts],
) -> ProjectFacts:
    names = {row.person.id: row.person.name for row in table}
    differences = pooled.open_differences(store, project.id)
    facts = []
    for batch in drawn:
        shares = [one for one in counts if one.batch == batch.id and not one.submitted]
        left = [
            OpenShare(names.get(one.person, "someone"), one.assigned - one.judged) for one in shares
        ]
        to_settle = differences.get(batch.id, 0)
        facts.append(
            BatchFacts(batch.id, batch.name, batch.kind, batch.stage, tuple(left), to_settle)
        )
    evaluators = _evaluators(table)
    return ProjectFacts(
        project.id,
        projects.counts(store, project.id)["events"],
        len(evaluators),
        tuple(facts),
        batches.count_free(store, project.id),
        0 if _began(drawn) else calibration_size(batches.free_articles(store, project.id, 0)),
        is_exported(store, project.id),
        project.unit,
    )


def _began(drawn: Sequence[JudgingBatch]) -> bool:
    return any(one.kind in ("calibration", "main") for one in drawn)


def _evaluators(table: Sequence[PersonRow]) -> list[PersonRow]:
    """The people who were invited or judged here, not those whose judgements were imported."""
    return [
        row
        for row in table
        if row.person.kind == "person"
        and row.person.role != "owner"
        and (row.link_ends or row.came_in or row.logged_in or row.pace)
    ]


def calibration_size(sizes: Sequence[int]) -> int:
    """How many events to draw for calibration: whole articles, about 20, at most a fifth.

    The articles come in the order in which they are drawn. If the first of them has more than a
    fifth, it is taken alone; if it has more than half, there is no calibration.

    >>> calibration_size([6] * 50), calibration_size([1] * 30), calibration_size([9, 1])
    (18, 6, 0)
    """
    most, total = sum(sizes) // _CALIBRATION_SHARE, 0
    best = sizes[0] if sizes else 0
    for size in sizes:
        total += size
        if total <= most and abs(total - CALIBRATION_EVENTS) < abs(best - CALIBRATION_EVENTS):
            best = total
    return best if 2 * best <= sum(sizes) else 0


def propose(
    store: Store, project: Project, table: Sequence[PersonRow], drawn: Sequence[JudgingBatch]
) -> BatchPlan:
    """The batch that a study needs next: calibration by all, then main with overlap 2.

    The owner does not judge, unless there is nobody else.
    """
    chosen = tuple(row.person.id for row in _evaluators(table))
    chosen = chosen or tuple(row.person.id for row in table if row.person.role == "owner")
    if not _began(drawn) and len(chosen) >= _OVERLAP:
        size = calibration_size(batches.free_articles(store, project.id, 0))
        if size:
            return BatchPlan("calibration", chosen, 1, 0, size)
    return BatchPlan("main", chosen, min(_OVERLAP, len(chosen)))


def describe(
    store: Store, project: Project, plan: BatchPlan, names: Mapping[int, str]
) -> BatchProposal:
    """Say what a batch would be, by drawing it without storing it."""
    try:
        loads = batches.preview(store, project.id, plan)
    except UsageError as error:
        return BatchProposal(plan, "", str(error))
    unit = project.unit
    listed = [names.get(person, "someone") for person in loads]
    least, most = min(loads.values()), max(loads.values())
    each = plural(most, unit) if least == most else f"{least} to {plural(most, unit)}"
    seed = f"drawn with seed {plan.seed}"
    if len(loads) == 1:
        return BatchProposal(plan, f"{listed[0]} judges {each}, {seed}.")
    who = f"{len(loads)} people ({', '.join(sorted(listed))})"
    if plan.kind == "calibration":
        goes = "goes" if most == 1 else "go"
        sentence = f"The same {each if most > 1 else unit} {goes} to {who}, {seed}."
    elif plan.kind == "retest":
        sentence = f"{who} each judge {each} of their own again, {seed}."
    else:
        total = sum(loads.values()) // plan.overlap
        by = f"each by {plan.overlap} of {who}" if plan.overlap > 1 else f"each by one of {who}"
        sentence = f"{plural(total, unit)}, {by}: {each} for each person, {seed}."
    return BatchProposal(plan, sentence)


def ago(moment: str) -> str:
    """How long ago a time was, in words.

    >>> ago(now()), ago(now(-1)), ago(now(-0.125))
    ('just now', '1 day ago', '3 hours ago')
    """
    passed = datetime.fromisoformat(now()) - datetime.fromisoformat(moment)
    minutes = int(passed.total_seconds() // 60)
    for size, unit in ((24 * 60, "day"), (60, "hour"), (1, "minute")):
        if minutes >= size:
            return f"{plural(minutes // size, unit)} ago"
    return "just now"
