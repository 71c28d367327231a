"""Judgements: every save is a row, the last one counts, and no query runs without a viewer.

Evaluators can only read their own rows until the batch is adjudicated; the owner reads those of
others once all have submitted. `_VISIBLE` is the one place that says so, and every query here
selects from it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

import msgspec

from chronoscore.core.sources import plain_ends
from chronoscore.errors import ChronoscoreError
from chronoscore.rubric.judgements import Judgement
from chronoscore.workbench.store.batches import JudgingBatch
from chronoscore.workbench.store.database import Row, Store, json_text, now, record
from chronoscore.workbench.store.people import Person
from chronoscore.workbench.store.projects import EVENT, StoredEvent

Values = tuple[int | None, ...]
"""In the order of the codebook; None where there is no answer yet."""
read_values = msgspec.json.Decoder(tuple[int, ...]).decode
"""The values of a complete answer, from its JSON column."""

_VISIBLE = """(
  SELECT j.* FROM judgements j JOIN batches b ON b.id = j.batch
  WHERE j.person = :viewer
  OR (b.adjudicated <> '' AND (:owns OR EXISTS
      (SELECT 1 FROM submissions m WHERE m.batch = b.id AND m.person = :viewer)))
  OR (:owns AND b.id NOT IN (SELECT s.batch FROM submissions s WHERE s.at = ''))
)"""
LAST = """v.version = (SELECT max(w.version) FROM judgements w
    WHERE w.batch = v.batch AND w.person = v.person AND w.event = v.event)"""
"""Whether a judgement is the last save of its answer."""
WITH_NAMES = """v JOIN people p ON p.id = v.person JOIN batches b ON b.id = v.batch
    JOIN events e ON e.number = v.event"""
"""Judgements with who gave them, in which batch, about which event."""
_TASKS_WITH_LAST = (
    f"tasks t LEFT JOIN {_VISIBLE} v "
    f"ON v.batch = t.batch AND v.person = t.person AND v.event = t.event AND {LAST}"
)
_ANSWER = 'v.version, v.said AS "values", v.comment, v.flag, v.at'
"""The columns of an EventAnswer."""
JUDGEMENT = f"v.said, v.comment, p.kind, b.round, {EVENT}"
"""The columns of a Judgement, without its evaluator."""


@dataclass(frozen=True, slots=True)
class EventAnswer:
    """An evaluator's answer about one event at one time."""

    version: int
    """Counts the saves; that of an answer to be saved names the one that it replaces."""
    values: Values
    comment: str = ""
    flag: bool = False
    at: str = ""

    @property
    def complete(self) -> bool:
        """Whether every criterion has a value."""
        return bool(self.values) and None not in self.values

    @property
    def content(self) -> tuple[Values, str, bool]:
        """What the evaluator entered."""
        return self.values, self.comment, self.flag


class ConflictError(ChronoscoreError):
    """Another tab or device saved first; holds the answer that is there now."""

    status = 409

    def __init__(self, current: EventAnswer) -> None:
        super().__init__("This was saved elsewhere meanwhile: reload.")
        self.current = current


class ClosedError(ChronoscoreError):
    """The share was submitted: nothing can be saved any more."""

    status = 423


@dataclass(frozen=True, slots=True)
class JudgingTask:
    """An event to judge, with what its evaluator has saved, the last save last."""

    place: int
    stored: StoredEvent
    history: Sequence[EventAnswer]


@dataclass(frozen=True, slots=True)
class JudgingProgress:
    """How far an evaluator is in a batch."""

    states: list[str]
    """Of each event by place: done, begun, flagged or open."""
    unfinished: int
    """How many events have no complete answer."""
    submitted: bool

    @property
    def done(self) -> int:
        """How many events have a complete answer."""
        return len(self.states) - self.unfinished


def no_answer(criteria: int) -> EventAnswer:
    """What stands there before the first save."""
    return EventAnswer(0, (None,) * criteria)


def _history(store: Store, viewer: Person, batch: int, event: int) -> list[EventAnswer]:
    sql = f"""SELECT {_ANSWER} FROM {_VISIBLE} v WHERE v.batch = :batch AND v.event = :event
        AND v.person = :viewer ORDER BY v.version"""
    return store.records(EventAnswer, sql, viewer=viewer, batch=batch, event=event)


def task(store: Store, viewer: Person, batch: int, place: int) -> JudgingTask | None:
    """The viewer's own event at a place in a batch."""
    sql = f"""SELECT {EVENT} FROM tasks t JOIN events e ON e.number = t.event
        WHERE t.batch = :batch AND t.person = :viewer AND t.place = :place"""
    event = store.record(StoredEvent, sql, viewer=viewer, batch=batch, place=place)
    if event is None:
        return None
    return JudgingTask(place, event, _history(store, viewer, batch, event.number))


def answered(store: Store, viewer: Person, batch: int) -> list[JudgingTask]:
    """All of the viewer's own events that have an answer, by place, with the last answer."""
    sql = f"""SELECT t.place, {EVENT}, {_ANSWER} FROM {_TASKS_WITH_LAST}
        JOIN events e ON e.number = t.event WHERE t.batch = :batch AND t.person = :viewer
        AND v.version NOT NULL ORDER BY t.place"""
    return [
        JudgingTask(row["place"], record(StoredEvent, row), [record(EventAnswer, row)])
        for row in store.rows(sql, viewer=viewer, batch=batch)
    ]


def progress(store: Store, viewer: Person, batch: int) -> JudgingProgress:
    """How far the viewer is in a batch."""
    sql = f"""SELECT s.at, coalesce(v.complete, 0) AS complete,
        CASE WHEN v.complete IS NULL THEN 'open' WHEN v.flag THEN 'flagged'
        WHEN v.complete THEN 'done' ELSE 'begun' END AS state
        FROM {_TASKS_WITH_LAST}
        JOIN submissions s ON s.batch = t.batch AND s.person = t.person
        WHERE t.batch = :batch AND t.person = :viewer ORDER BY t.place"""
    rows = store.rows(sql, viewer=viewer, batch=batch)
    unfinished = sum(not row["complete"] for row in rows)
    submitted = any(row["at"] for row in rows)
    return JudgingProgress([row["state"] for row in rows], unfinished, submitted)


def save(
    store: Store,
    viewer: Person,
    batch: JudgingBatch,
    place: int,
    token: str,
    answer: EventAnswer,
    after: str = "",
) -> EventAnswer | None:
    """Save the viewer's answer; None if they have no such event.

    The same token twice is one save. An answer that replaces another version than the last one is
    a ConflictError, unless it equals the last one or the last one is the save `after`.
    """
    with store.writing():
        sql = """SELECT t.event, s.at, b.adjudicated FROM tasks t
            JOIN submissions s ON s.batch = t.batch AND s.person = t.person
            JOIN batches b ON b.id = t.batch WHERE t.batch = :batch AND t.person = :viewer
            AND t.place = :place"""
        task_row = store.row(sql, viewer=viewer, batch=batch, place=place)
        if task_row is None:
            return None
        event = task_row["event"]
        sql = f"""SELECT {_ANSWER} FROM {_VISIBLE} v WHERE v.save = :save AND v.person = :viewer
            AND v.batch = :batch AND v.event = :event"""
        where = {"viewer": viewer, "batch": batch, "event": event}
        again = store.record(EventAnswer, sql, save=token, **where)
        if again is not None:
            return again
        if task_row["at"] or task_row["adjudicated"]:
            closed = "This batch was submitted: nothing more can be saved."
            raise ClosedError(f"{closed} The owner can give your share back to you.")
        history = _history(store, viewer, batch.id, event)
        current = history[-1] if history else no_answer(len(answer.values))
        if answer.content == current.content:
            return current
        replaced = store.record(EventAnswer, sql, save=after, **where) if after else None
        if current.version not in (answer.version, replaced.version if replaced else None):
            raise ConflictError(current)
        saved = EventAnswer(current.version + 1, *answer.content, now())
        _insert(store, batch.id, viewer.id, event, saved, token)
        which = {"batch": batch, "event": event, "version": saved.version}
        store.note(viewer, "judged", batch.project, **which)
    return saved


def _insert(
    store: Store, batch: int, person: int, event: int, answer: EventAnswer, token: str
) -> None:
    entered = {**asdict(answer), "said": json_text(answer.values), "complete": answer.complete}
    del entered["values"]  # the column is called `said`
    store.insert("judgements", batch=batch, person=person, event=event, save=token, **entered)


def add_imported(
    store: Store, batch: int, person: int, answers: Iterable[tuple[int, EventAnswer]]
) -> None:
    """Add answers that were given elsewhere, such as by a model."""
    with store.writing():
        for event, answer in answers:
            _insert(store, batch, person, event, answer, f"import-{batch}-{event}")


def of_event(
    store: Store, viewer: Person, batch: int, event: int
) -> list[tuple[Person, EventAnswer]]:
    """Everyone's complete answers about an event, as far as the viewer may know, by name."""
    sql = f"""SELECT {_ANSWER}, p.id, p.name, p.role, p.kind FROM {_VISIBLE} v
        JOIN people p ON p.id = v.person WHERE v.batch = :batch AND v.event = :event
        AND v.complete AND {LAST} ORDER BY p.name"""
    rows = store.rows(sql, viewer=viewer, batch=batch, event=event)
    return [(record(Person, row), record(EventAnswer, row)) for row in rows]


def values_in(store: Store, viewer: Person, batch: int) -> dict[int, list[Values]]:
    """The values of the complete answers to each event of a batch, without who gave them."""
    sql = f"""SELECT v.event, '[' || group_concat(v.said) || ']' AS answers FROM {_VISIBLE} v
        WHERE v.batch = :batch AND v.complete AND {LAST} GROUP BY v.event"""
    decode = msgspec.json.Decoder(list[tuple[int, ...]]).decode
    rows = store.rows(sql, viewer=viewer, batch=batch)
    return {row["event"]: [*sorted(decode(row["answers"]))] for row in rows}


@dataclass(frozen=True, slots=True)
class PlacedJudgement:
    """A judgement with its batch and the number of its event."""

    batch: int
    event: int
    judgement: Judgement


def placed(store: Store, viewer: Person, project: int) -> list[PlacedJudgement]:
    """All complete judgements of a project that the viewer may read, in the order of saving.

    They are only of batches that all have submitted.
    """
    sql = f"""SELECT {JUDGEMENT}, p.name, v.batch FROM {_VISIBLE} {WITH_NAMES}
        WHERE b.project = :project AND v.complete AND {LAST} AND NOT EXISTS
        (SELECT 1 FROM submissions s WHERE s.batch = b.id AND s.at = '') ORDER BY v.id"""
    rows = store.rows(sql, viewer=viewer, project=project)
    return [
        PlacedJudgement(row["batch"], row["number"], judgement_of(row, row["name"])) for row in rows
    ]


def readable(store: Store, viewer: Person, project: int) -> list[Judgement]:
    """What `placed` returns, as the command line reads it."""
    return [one.judgement for one in placed(store, viewer, project)]


def judgement_of(row: Row, evaluator: str) -> Judgement:
    """A judgement as the command line knows it."""
    stored = record(StoredEvent, row)
    event = stored.event
    return Judgement(
        event.id,
        evaluator,
        read_values(row["said"]),
        round=row["round"],
        system=stored.system,
        article=event.article,
        type=_sheet_text(event.type),
        comment=_sheet_text(row["comment"]),
        date=event.date or "",
        text=_sheet_text(event.text),
        kind=row["kind"],
    )


def _sheet_text(text: str) -> str:
    """A text as sheets can hold it; only old databases contain NUL."""
    return plain_ends(text).replace("\0", "\N{REPLACEMENT CHARACTER}")


def all_saves(store: Store, viewer: Person, project: int) -> list[dict[str, object]]:
    """Every save of a project that the viewer may read, with its time and flag."""
    sql = f"""SELECT v.at, b.name AS batch, b.round, p.name AS evaluator, e.system,
        e.id AS event_id, v.version, v.said AS "values", v.comment, v.flag
        FROM {_VISIBLE} {WITH_NAMES} WHERE b.project = :project ORDER BY v.id"""
    return [
        {**dict(row), "values": msgspec.json.decode(row["values"]), "flag": bool(row["flag"])}
        for row in store.rows(sql, viewer=viewer, project=project)
    ]
