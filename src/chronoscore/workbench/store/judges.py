"""What runs of judge models took: the manifests that were imported with their judgements."""

from collections.abc import Sequence

import msgspec

from chronoscore.rubric.judge.manifest import Manifest
from chronoscore.workbench.store import audit
from chronoscore.workbench.store.database import Store, now
from chronoscore.workbench.store.people import Person


def add(store: Store, by: Person, project: int, manifests: Sequence[Manifest]) -> None:
    """Keep manifests."""
    if not manifests:
        return
    with store.writing() as connection:
        for one in manifests:
            connection.execute(
                "INSERT INTO judge_runs (project, judge, manifest, at) VALUES (?, ?, ?, ?)",
                (project, one.judge, msgspec.json.encode(one).decode(), now()),
            )
            audit.note(connection, by.id, "run of a judge imported", project, judge=one.judge)


def runs(store: Store, project: int) -> dict[str, list[Manifest]]:
    """The runs of each judge, in the order of import; the same run counts once."""
    found: dict[str, list[Manifest]] = {}
    for row in store.rows(
        "SELECT judge, manifest FROM judge_runs WHERE project = ? GROUP BY judge, manifest "
        "ORDER BY min(id)",
        project,
    ):
        one = msgspec.json.decode(row["manifest"], type=Manifest)
        found.setdefault(row["judge"], []).append(one)
    return found
