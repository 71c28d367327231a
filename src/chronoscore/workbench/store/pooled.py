"""All answers of a project without their authors, for numbers that are shown while people judge.

They are only ever summed up: they contain neither names nor texts.
"""

import random
from dataclasses import replace

from chronoscore.rubric.judgements import Judgement
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
