"""The order in which evaluators meet events tells nothing of the systems, and is on record."""

import io
import json
import sqlite3
import zipfile
from collections import Counter
from itertools import combinations, groupby, pairwise
from pathlib import Path

import pytest
from workbench.bench import Bench, Files, judge_all, lines

from chronoscore.workbench.store import Store, batches, people, projects
from chronoscore.workbench.store.batches import BatchPlan
from chronoscore.workbench.store.schema import STEPS

SYSTEMS = ("first", "second", "third")
EACH = 4
ARTICLES = 3


def one_day(systems: tuple[str, ...] = SYSTEMS) -> Files:
    """Events of one day by every system in every article, uploaded system by system."""
    files = []
    for system in systems:
        events = [
            {"id": f"{system}-{n}", "article": f"a{n % ARTICLES}", "date": "2024-03-04",
             "text": f"Event {n} as {system[0]} puts it"}
            for n in range(EACH * ARTICLES)
        ]  # fmt: skip
        files.append(("events", (f"{system}.jsonl", lines(events))))
    articles = [{"id": f"a{n}", "published": "2024-03-07", "text": "x"} for n in range(ARTICLES)]
    return [*files, ("articles", ("articles.jsonl", lines(articles)))]


def sequences(store: Store, batch: int) -> dict[tuple[str, str], list[int]]:
    """The places of the systems in the order of upload, by evaluator and article."""
    rows = store.rows(
        "SELECT p.name, e.article, e.system FROM tasks t JOIN people p ON p.id = t.person "
        "JOIN events e ON e.number = t.event WHERE t.batch = :batch ORDER BY p.name, t.place",
        batch=batch,
    )
    found: dict[tuple[str, str], list[int]] = {}
    for key, group in groupby(rows, key=lambda row: (row["name"], row["article"])):
        assert key not in found, "an article's events come one after another"
        found[key] = [SYSTEMS.index(row["system"]) for row in group]
    return found


@pytest.fixture
def many(bench: Bench) -> tuple[int, int]:
    """A project and a batch that forty people judge in full."""
    project = bench.project(one_day())
    names = [f"person {n:02}" for n in range(40)]
    for name in names:
        projects.add_member(bench.store, bench.boss.id, project, name)
    return project, bench.batch(project, *names, overlap=40)


def test_systems_are_mixed_within_articles_as_if_drawn_at_random(
    bench: Bench, many: tuple[int, int]
) -> None:
    found = list(sequences(bench.store, many[1]).values())
    assert len(found) == 40 * ARTICLES
    size = EACH * len(SYSTEMS)
    alike = sum(a == b for one in found for a, b in pairwise(one)) / len(found) / (size - 1)
    assert alike == pytest.approx((EACH - 1) / (size - 1), abs=0.04), "grouped by system"
    pairs = [(a, b) for one in found for a, b in combinations(one, 2) if a != b]
    assert sum(a < b for a, b in pairs) / len(pairs) == pytest.approx(0.5, abs=0.04)
    begins = Counter(one[0] for one in found)
    assert all(begins[at] / len(found) == pytest.approx(1 / 3, abs=0.12) for at in range(3))


def test_no_two_articles_and_no_two_evaluators_have_the_same_sequence(
    bench: Bench, many: tuple[int, int]
) -> None:
    found = sequences(bench.store, many[1])
    alike = Counter(tuple(one) for one in found.values())
    assert max(alike.values()) <= 2, "34,650 sequences are possible, 120 were drawn"


def test_the_order_does_not_depend_on_the_order_of_upload(bench: Bench) -> None:
    """Who knows the seed could otherwise undo the shuffle, and find the systems side by side."""
    texts = []
    for systems in (SYSTEMS, SYSTEMS[::-1]):
        project = bench.project(one_day(systems))
        batch = batches.draw(bench.store, 1, project, BatchPlan("main", (1,), seed=3))
        rows = bench.store.rows(
            "SELECT json_extract(e.record, '$.text') AS text FROM tasks t JOIN events e "
            "ON e.number = t.event WHERE t.batch = :batch ORDER BY t.place",
            batch=batch,
        )
        texts.append([row["text"] for row in rows])
    assert sorted(texts[0]) == sorted(texts[1])
    assert len(texts[0]) == EACH * ARTICLES * len(SYSTEMS)
    start = [orders(texts[0], 3, 1), orders(texts[1], 3, 2)]
    assert start[0] == start[1]


def orders(shown: list[str], seed: int, batch: int) -> list[str]:
    """Undo the shuffle of the owner, as somebody could who knows the seed and this program."""
    import random

    size = EACH * len(SYSTEMS)
    dice = random.Random(f"chronoscore/{seed}/{batch}/1")
    places = list(range(ARTICLES))
    dice.shuffle(places)
    found: list[list[str]] = [[] for _ in places]
    for at, place in enumerate(places):
        group = shown[at * size : (at + 1) * size]
        drawn = dice.sample(range(size), size)
        found[place] = [text for _, text in sorted(zip(drawn, group, strict=True))]
    return [text for group in found for text in group]


def test_the_order_stays_the_same_on_each_visit(bench: Bench) -> None:
    project = bench.project(one_day())
    ana = bench.visitor("ana", project)
    batch = bench.batch(project, "ana")
    paths = [f"/judge/{batch}/{place}" for place in range(1, 6)]
    first = [ana.get(path).text.split("</h1>")[0].rpartition(">")[2] for path in paths]
    bench.owner.post(f"/projects/{project}", {"name": "Another name"})
    token = people.invite(bench.store, bench.person("ana").id, None)
    ana.enter(token)
    assert [ana.get(path).text.split("</h1>")[0].rpartition(">")[2] for path in paths] == first


def test_the_archive_has_the_order_of_every_evaluator(bench: Bench) -> None:
    project = bench.project(one_day())
    ana = bench.visitor("ana", project)
    batch = bench.batch(project, "ana", "owner", overlap=2, seed=8)
    judge_all(ana, batch)
    assert exported(bench, project) == [], "some still judge"
    judge_all(bench.owner, batch)
    rows = exported(bench, project)
    size = EACH * ARTICLES * len(SYSTEMS)
    assert len(rows) == 2 * size
    assert {(row["seed"], row["ordering"], row["batch"]) for row in rows} == {
        (8, "shuffled", "main 1")
    }
    own = [row for row in rows if row["evaluator"] == "ana"]
    assert [row["place"] for row in own] == list(range(1, size + 1))
    for place in (1, 7):
        shown = ana.get(f"/judge/{batch}/{place}").text
        system, _, number = str(own[place - 1]["event_id"]).partition("-")
        assert f">Event {number} as {system[0]} puts it</h1>" in shown


def exported(bench: Bench, project: int) -> list[dict[str, object]]:
    content = bench.owner.get(f"/projects/{project}/export/zip").content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return [json.loads(line) for line in archive.read("order.jsonl").splitlines()]


def old_database(path: Path) -> None:
    """A database as it was before orders were shuffled, with two projects and three shares."""
    made = sqlite3.connect(path)
    for step in STEPS[:2]:
        made.executescript(step.statements)
    made.execute("PRAGMA user_version=2")
    made.execute("PRAGMA application_id=0x43687253")
    people_ = [(1, "owner", "owner"), (2, "ana", "evaluator"), (3, "ben", "evaluator")]
    made.executemany("INSERT INTO people (id, name, role, made) VALUES (?, ?, ?, '')", people_)
    names = [(1, ", ".join(SYSTEMS)), (2, "News")]
    made.executemany(
        "INSERT INTO projects (id, name, codebook, made) VALUES (?, ?, '{}', '')", names
    )
    events = [
        (1, system, f"{system}-{n}", f"a{n % ARTICLES}")
        for system in SYSTEMS
        for n in range(EACH * ARTICLES)
    ]
    made.executemany(
        "INSERT INTO events (project, system, id, article, record) VALUES (?, ?, ?, ?, "
        "json_object('id', ?, 'text', ?))",
        [(*event, event[2], event[2]) for event in events],
    )
    made.execute(
        "INSERT INTO batches (id, project, kind, name, round, overlap, seed, made) "
        "VALUES (1, 1, 'main', 'main 1', '1', 2, 0, '2026-01-31T10:00:00.000+00:00')"
    )
    for person in (2, 3):
        made.execute("INSERT INTO submissions (batch, person) VALUES (1, ?)", (person,))
        made.execute(
            "INSERT INTO tasks (batch, person, place, event) "
            "SELECT 1, ?, row_number() OVER (ORDER BY article, number), number FROM events",
            (person,),
        )
    made.executemany(
        "INSERT INTO audit (at, person, action, detail) VALUES (?, ?, 'came in', '{}')",
        [("2025-12-01T00:00:00.000+00:00", 2), ("2026-01-20T00:00:00.000+00:00", 3)],
    )
    made.commit()
    made.close()


def test_an_old_database_keeps_the_orders_that_people_may_have_seen(tmp_path: Path) -> None:
    old_database(tmp_path / "old.db")
    store = Store(tmp_path / "old.db")
    ordering = {share.person.name: share.ordering for share in batches.shares(store, 1)}
    assert ordering == {"ana": "shuffled", "ben": "by date"}
    found = sequences(store, 1)
    seen = [at for at in range(len(SYSTEMS)) for _ in range(EACH)]
    for article in range(ARTICLES):
        assert found["ben", f"a{article}"] == seen
        assert found["ana", f"a{article}"] != seen
        assert sorted(found["ana", f"a{article}"]) == seen
    (noted,) = store.rows("SELECT * FROM audit WHERE action = 'order shuffled'")
    assert json.loads(noted["detail"]) == {"batch": 1, "person": 2, "events": 36}
    store.close()
    again = Store(tmp_path / "old.db")
    assert sequences(again, 1) == found
    again.close()


def test_an_old_project_named_after_its_systems_gets_a_neutral_name(tmp_path: Path) -> None:
    old_database(tmp_path / "old.db")
    store = Store(tmp_path / "old.db")
    names = [row["name"] for row in store.rows("SELECT name FROM projects ORDER BY id")]
    assert names == ["Project 1", "News"]
    store.close()
