"""Pairs of events to judge: each is an event of its project, with both sides and its chance."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chronoscore.core.event import Event
from chronoscore.rubric.codebook import builtin_codebook
from chronoscore.workbench.store import projects
from chronoscore.workbench.store.database import Store, json_text

if TYPE_CHECKING:  # it takes numpy and the family of events, which most pages don't need
    from chronoscore.elements.dated.model import DatedEvent
    from chronoscore.events.pair_sample import CandidateStratum, DrawnPair, PairSample

_PAIR = """e.number, e.id, e.system, p.gold, p.predicted, p.topic, p.stratum, p.chance, p.gold_first
    FROM pairs p JOIN events e ON e.number = p.event"""


@dataclass(frozen=True, slots=True)
class StoredPair:
    """A pair of a project. Evaluators only ever see its two sides."""

    number: int
    id: str
    system: str
    gold: Event
    predicted: Event
    topic: str
    stratum: str
    """Matched, similar or other."""
    chance: float
    gold_first: bool

    @property
    def sides(self) -> tuple[Event, Event]:
        """Both events in the order in which people see them."""
        return (self.gold, self.predicted) if self.gold_first else (self.predicted, self.gold)


def add(store: Store, by: int, name: str, sample: "PairSample", seed: int) -> int:
    """Add a project whose events are the pairs of a sample."""
    systems: dict[str, list[Event]] = {}
    rows = {}
    for drawn in sample.pairs:
        gold, predicted = _side(drawn.gold, drawn.topic), _side(drawn.predicted, drawn.topic)
        sides = (gold, predicted) if drawn.gold_first else (predicted, gold)
        event = Event(
            id=_pair_id(drawn),
            topic=drawn.topic,
            # Intervals are over articles: pairs with the same gold event are not independent.
            article=f"{drawn.topic}: {gold.id}" if drawn.topic else gold.id,
            text="\n".join(f"{side.date or 'no date'}: {side.text}" for side in sides),
        )
        systems.setdefault(drawn.system, []).append(event)
        rows[drawn.system, event.id] = {
            "gold": json_text(gold),
            "predicted": json_text(predicted),
            "topic": drawn.topic,
            "stratum": drawn.kind,
            "chance": drawn.chance,
            "gold_first": drawn.gold_first,
        }
    with store.writing():
        project = projects.add(store, by, name, builtin_codebook("pairs"), systems, [])
        store.execute("UPDATE projects SET task = 'pairs' WHERE id = :id", id=project)
        numbered = store.rows(
            "SELECT number, system, id FROM events WHERE project = :id", id=project
        )
        store.insert_all(
            "pairs",
            [{"event": one["number"], **rows[one["system"], one["id"]]} for one in numbered],
        )
        strata = [one._asdict() for one in sample.strata]
        store.note(by, "pairs drawn", project, pairs=len(rows), seed=seed, strata=strata)
    return project


def _side(event: "DatedEvent", topic: str) -> Event:
    date = None if event.time is None else str(event.time)
    return Event(id=event.id, topic=topic, date=date, text=event.text)


def _pair_id(drawn: "DrawnPair") -> str:
    """Name a pair by its events, so that a larger draw names it alike."""
    names = "\0".join((drawn.system, drawn.topic, drawn.gold.id, drawn.predicted.id))
    return f"pair-{hashlib.sha256(names.encode()).hexdigest()[:16]}"


def of_event(store: Store, event: int) -> StoredPair | None:
    """The pair behind an event, if it is one."""
    return store.record(StoredPair, f"SELECT {_PAIR} WHERE p.event = :event", event=event)


def of_project(store: Store, project: int) -> list[StoredPair]:
    """All pairs of a project."""
    sql = f"SELECT {_PAIR} WHERE e.project = :project ORDER BY e.number"
    return store.records(StoredPair, sql, project=project)


def strata(pairs: Iterable[StoredPair]) -> "list[CandidateStratum]":
    """The strata that pairs were drawn from: the chance says how many candidates each had."""
    from chronoscore.events.pair_sample import KINDS, CandidateStratum  # noqa: PLC0415 - see above

    rows: Sequence[StoredPair] = [*pairs]
    chances = {(one.system, one.stratum): one.chance for one in rows}
    drawn = Counter((one.system, one.stratum) for one in rows)
    return [
        CandidateStratum(
            system, kind, round(drawn[system, kind] / chances[system, kind]), drawn[system, kind]
        )
        for system in sorted({one.system for one in rows})
        for kind in KINDS
        if drawn[system, kind]
    ]
