"""All answers of a project without their authors, for numbers that are shown while people judge.

They are only ever summed up or counted: they contain neither names nor texts, and what is counted
for a person says how much they judged, never what.
"""

import random
from dataclasses import dataclass, replace

from chronoscore.rubric.judgements import Judgement
from chronoscore.workbench.store.adjudication import WITHDRAWN
from chronoscore.workbench.store.database import Store
from chronoscore.workbench.store.judgements import JUDGEMENT, LAST, WITH_NAMES, judgement_of


def last_change(store: Store, project: int) -> tuple[int | None, ...]:
    """A value that changes whenever a project's answers, batches or agreed values do."""
    sql = """SELECT (SELECT max(j.id) FROM judgements j JOIN batches b ON b.id = j.batch
        WHERE b.project = :project), (SELECT max(id) FROM audit WHERE project = :project
        AND action NOT IN ('judged', 'exported'))"""
    return tuple(store.rows(sql, project=project)[0])


def answers(store: Store, project: int) -> list[Judgement]:
    """All complete answers; people are letters, in an order that differs between projects."""
    sql = f"""SELECT {JUDGEMENT}, v.person FROM judgements {WITH_NAMES}
        WHERE b.project = :project AND v.complete AND {LAST} ORDER BY v.id"""
    rows = store.rows(sql, project=project)
    people = sorted({row["person"] for row in rows})
    random.Random(f"chronoscore/letters/{project}").shuffle(people)
    names = {person: letter(at) for at, person in enumerate(people)}
    return [
        replace(judgement_of(row, names[row["person"]]), comment="", text="", type="", date="")
        for row in rows
    ]


def letter(at: int) -> str:
    """A to Z, then AA, AB and so on.

    >>> letter(0), letter(25), letter(26)
    ('A', 'Z', 'AA')
    """
    rest, place = divmod(at, 26)
    return (letter(rest - 1) if rest else "") + chr(ord("A") + place)


def answers_by_person(store: Store, batch: int) -> dict[int, int]:
    """How many events of a batch each person has judged in full: a count and nothing else."""
    sql = f"""SELECT v.person, count(*) AS n FROM judgements v
        WHERE v.batch = :batch AND v.complete AND {LAST} GROUP BY v.person"""
    return {row["person"]: row["n"] for row in store.rows(sql, batch=batch)}


def answer_counts(store: Store, project: int) -> dict[int, int]:
    """How many complete answers each batch has: a count and nothing else."""
    sql = """SELECT v.batch, count(DISTINCT v.person || '/' || v.event) AS n FROM judgements v
        JOIN batches b ON b.id = v.batch WHERE b.project = :project AND v.complete
        GROUP BY v.batch"""
    return {row["batch"]: row["n"] for row in store.rows(sql, project=project)}


@dataclass(frozen=True, slots=True)
class ShareCounts:
    """How much of one evaluator's share of a batch is judged: counts and times, no answers."""

    batch: int
    person: int
    submitted: bool
    assigned: int
    judged: int
    """Events with a complete answer."""
    flags: int
    last: str
    """The time of the last save, empty if there is none."""
    pace: int
    """Median milliseconds between two saves of the person in the project; 0 if not known."""


LONGEST_GAP = 600
"""Seconds between two saves beyond which the person is taken to have had a break."""
_SHARES = f"""
WITH answers AS (
  SELECT v.batch, v.person, v.event, v.complete, v.flag, v.at FROM judgements v
  JOIN batches b ON b.id = v.batch WHERE b.project = :project AND {LAST}
), saves AS (
  SELECT j.person, j.id, 86400000 * julianday(j.at) AS moment FROM judgements j
  JOIN batches b ON b.id = j.batch WHERE b.project = :project AND b.kind <> 'imported'
), waits AS (
  SELECT person, moment - lag(moment) OVER (PARTITION BY person ORDER BY id) AS gap FROM saves
), gaps AS (
  SELECT person, gap, row_number() OVER (PARTITION BY person ORDER BY gap) AS place,
  count(*) OVER (PARTITION BY person) AS number FROM waits WHERE gap < 1000 * :longest
), paces AS (
  SELECT person, CAST(round(avg(gap)) AS INTEGER) AS pace FROM gaps
  WHERE place IN ((number + 1) / 2, (number + 2) / 2) GROUP BY person
)
SELECT s.batch, s.person, s.at <> '' AS submitted, count(t.event) AS assigned,
  coalesce(sum(a.complete), 0) AS judged, coalesce(sum(a.flag), 0) AS flags,
  coalesce(max(a.at), '') AS last, coalesce(max(p.pace), 0) AS pace
FROM submissions s JOIN batches b ON b.id = s.batch
JOIN tasks t ON t.batch = s.batch AND t.person = s.person
LEFT JOIN answers a ON a.batch = t.batch AND a.person = t.person AND a.event = t.event
LEFT JOIN paces p ON p.person = s.person
WHERE b.project = :project GROUP BY s.batch, s.person ORDER BY s.batch, s.person
"""


def share_counts(store: Store, project: int) -> list[ShareCounts]:
    """How far everyone is in every batch of a project."""
    return store.records(ShareCounts, _SHARES, project=project, longest=LONGEST_GAP)


def open_differences(store: Store, project: int) -> dict[int, int]:
    """How many events of each batch are judged differently and not settled.

    Only of batches that all have submitted and that are not closed: before, not even a count of
    differences may be seen.
    """
    sql = f"""SELECT batch, count(*) AS differences FROM (
        SELECT v.batch, v.event FROM judgements v JOIN batches b ON b.id = v.batch
        WHERE b.project = :project AND b.adjudicated = '' AND v.complete AND {LAST}
        AND v.batch NOT IN (SELECT s.batch FROM submissions s WHERE s.at = '')
        AND coalesce((SELECT a.reasons FROM agreed a WHERE a.batch = v.batch AND a.event = v.event
        ORDER BY a.version DESC LIMIT 1), :withdrawn) = :withdrawn
        GROUP BY v.batch, v.event HAVING count(DISTINCT v.said) > 1) GROUP BY batch"""
    rows = store.rows(sql, project=project, withdrawn=WITHDRAWN)
    return {row["batch"]: row["differences"] for row in rows}
