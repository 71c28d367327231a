"""All answers of a project without their authors, for numbers that are shown while people judge.

What comes from here is only ever summed up: who said what is not in it, nor is any text.
"""

import random
from collections.abc import Mapping
from dataclasses import replace

from chronoscore.rubric.judgement import Judgement
from chronoscore.workbench.store.database import Store
from chronoscore.workbench.store.judgements import judgement_of


def last_change(store: Store, project: int) -> tuple[int, ...]:
    """What changes whenever a project's answers, batches or agreed values do."""
    found = store.row(
        "SELECT (SELECT max(j.id) FROM judgements j JOIN batches b ON b.id = j.batch "
        "WHERE b.project = :p) AS said, (SELECT max(id) FROM audit WHERE project = :p "
        "AND action NOT IN ('judged', 'exported')) AS done".replace(":p", "?"),
        project,
        project,
    )
    assert found is not None
    return found["said"] or 0, found["done"] or 0


def answers(store: Store, project: int) -> list[Judgement]:
    """All complete answers; people are letters, in an order that changes with each project."""
    found = store.rows(
        "SELECT v.*, p.kind, b.round, e.number, e.system, e.record FROM judgements v "
        "JOIN people p ON p.id = v.person JOIN batches b ON b.id = v.batch "
        "JOIN events e ON e.number = v.event WHERE b.project = ? AND v.complete "
        "AND v.version = (SELECT max(w.version) FROM judgements w WHERE w.batch = v.batch "
        "AND w.person = v.person AND w.event = v.event) ORDER BY v.id",
        project,
    )
    people = sorted({row["person"] for row in found})
    random.Random(f"chronoscore/letters/{project}").shuffle(people)
    names = {person: letter(at) for at, person in enumerate(people)}
    return [_without_texts(judgement_of(row, names[row["person"]])) for row in found]


def letter(at: int) -> str:
    """A to Z, then AA, AB and so on.

    >>> letter(0), letter(25), letter(26)
    ('A', 'Z', 'AA')
    """
    rest, place = divmod(at, 26)
    return (letter(rest - 1) if rest else "") + chr(ord("A") + place)


def _without_texts(judgement: Judgement) -> Judgement:
    return replace(judgement, comment="", text="", type="", date="")


def how_far(store: Store, project: int) -> Mapping[int, int]:
    """How many answers each person has given in full, by batch and all together: a count only."""
    found = store.rows(
        "SELECT v.batch, count(DISTINCT v.person || '/' || v.event) AS n FROM judgements v "
        "JOIN batches b ON b.id = v.batch WHERE b.project = ? AND v.complete GROUP BY v.batch",
        project,
    )
    return {row["batch"]: row["n"] for row in found}
