"""Projects: imports that tell every wrong row, and batches that are fair and can be repeated."""

import io
import re
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from workbench.bench import Bench, Files, Visitor, demo_files, small

from chronoscore.errors import DataError, UsageError
from chronoscore.workbench.project_files import read_project
from chronoscore.workbench.store import batches, people, projects
from chronoscore.workbench.store.batches import BatchPlan


def test_a_project_is_previewed(bench: Bench) -> None:
    page = bench.owner.get(f"/projects/{bench.project()}").text
    assert "4 events of 1 system, 2 articles" in page
    assert "Bridge 0 falls" in page


def test_every_wrong_row_is_told_and_nothing_is_kept(bench: Bench) -> None:
    wrong: Files = [
        ("events", ("one.jsonl", b'{"id": 1}\n{"id": "a"}\n{"id": "a"}\nnonsense\n')),
        ("articles", ("articles.jsonl", b'{"id": "a1", "published": "yesterday"}\n')),
        ("codebook", ("book.json", b'{"name": "x"}')),
    ]
    page = bench.owner.post("/projects", {"name": "Kept name"}, files=wrong)
    assert page.status_code == 422
    for told in (
        *("one.jsonl:1", "one.jsonl:3", "one.jsonl:4", "articles.jsonl:1", "book.json:"),
        "Kept name",
    ):
        assert told in page.text
    assert "/tmp" not in page.text
    assert bench.count("projects") == bench.count("events") == 0


def test_a_span_beyond_the_article_is_told(bench: Bench) -> None:
    page = bench.owner.post("/projects", files=small(text="Short."))
    assert "alpha.jsonl:1: the span [0, 13] ends after the article" in page.text.replace(
        "&#39;", "'"
    )


def test_no_files_are_told(bench: Bench) -> None:
    assert "choose at least one file" in bench.owner.post("/projects").text


def test_two_systems_may_use_the_same_ids(bench: Bench) -> None:
    project = bench.project([*small(), small(system="beta")[0]])
    assert projects.counts(bench.store, project) == {"events": 8, "articles": 2, "systems": 2}


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["events", "articles", "codebook", "x"]),
            st.text(max_size=20),
            st.binary(max_size=200),
        ),
        max_size=4,
    )
)
def test_bytes_that_are_no_records_are_a_problem_and_never_events(
    uploads: list[tuple[str, str, bytes]],
) -> None:
    with pytest.raises(DataError):
        read_project(uploads)


def shares(bench: Bench, batch: int) -> dict[str, list[int]]:
    rows = bench.store.rows(
        "SELECT p.name, t.event FROM tasks t JOIN people p ON p.id = t.person "
        "WHERE t.batch = :batch ORDER BY p.name, t.place",
        batch=batch,
    )
    found: dict[str, list[int]] = {}
    for row in rows:
        found.setdefault(row["name"], []).append(row["event"])
    return found


@pytest.mark.parametrize("overlap", [1, 2, 3])
def test_a_main_batch_is_balanced_and_articles_stay_whole(bench: Bench, overlap: int) -> None:
    project = bench.project(demo_files())
    names = ["ana", "ben", "cleo"]
    for name in names:
        bench.visitor(name, project)
    batch = bench.batch(project, *names, overlap=overlap, seed=5)
    held = shares(bench, batch)
    article = {one.number: one.event.article for one in projects.events(bench.store, project)}
    sizes: dict[str, int] = {}
    for of in article.values():
        sizes[of] = sizes.get(of, 0) + 1
    assert sum(map(len, held.values())) == overlap * len(article)
    loads = [len(own) for own in held.values()]
    assert max(loads) - min(loads) <= max(sizes.values())
    for own in held.values():
        inside: dict[str, int] = {}
        for event in own:
            inside[article[event]] = inside.get(article[event], 0) + 1
        assert all(inside[of] == sizes[of] for of in inside)
        runs = [
            of
            for at, of in enumerate(map(article.get, own))
            if not at or of != article[own[at - 1]]
        ]
        assert len(runs) == len(set(runs)), "an article's events come one after another"


def test_the_seed_repeats_the_draw(bench: Bench) -> None:
    drawn = []
    for _ in range(2):
        project = bench.project(demo_files())
        for name in ("ana", "ben"):
            projects.add_member(bench.store, bench.boss.id, project, name)
        batch = bench.batch(project, "ana", "ben", kind="calibration", size=10, seed=7)
        first = min(one.number for one in projects.events(bench.store, project))
        held = shares(bench, batch)
        assert sorted(held["ana"]) == sorted(held["ben"])
        drawn.append({event - first for event in held["ana"]})
    assert drawn[0] == drawn[1]


def test_a_main_batch_takes_what_calibration_left(bench: Bench) -> None:
    project = bench.project(demo_files())
    first = bench.batch(project, "owner", kind="calibration", size=10)
    second = bench.batch(project, "owner")
    one, two = (set(shares(bench, batch)["owner"]) for batch in (first, second))
    assert not one & two
    assert len(one | two) == projects.counts(bench.store, project)["events"]
    page = bench.owner.post(f"/projects/{project}/batches", {"kind": "main", "person": "1"})
    assert "nothing is left" in page.text


def test_a_retest_is_another_round_of_one_s_own_events(bench: Bench) -> None:
    project = bench.project(demo_files())
    bench.visitor("ana", project)
    main = bench.batch(project, "ana", "owner")
    again = bench.batch(project, "ana", "owner", kind="retest", size=5)
    before, after = shares(bench, main), shares(bench, again)
    for name in ("ana", "owner"):
        assert set(after[name]) <= set(before[name])
        assert len(after[name]) >= 5
    rounds = [batch.round for batch in batches.visible(bench.store, bench.boss, project)]
    assert rounds == ["1", "2"]


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        (BatchPlan("main", ()), "at least one evaluator"),
        (BatchPlan("main", (99,)), "at least one evaluator"),
        (BatchPlan("main", (1,), overlap=2), "the overlap is 2"),
        (BatchPlan("main", (1,), overlap=0), "the overlap is 0"),
        (BatchPlan("calibration", (1,)), "how large"),
        (BatchPlan("retest", (1,), size=3), "nothing is left"),
    ],
)
def test_a_batch_that_can_not_be_is_told(bench: Bench, wanted: BatchPlan, told: str) -> None:
    project = bench.project()
    with pytest.raises(UsageError, match=told):
        batches.draw(bench.store, bench.boss.id, project, wanted)


LETTERS = st.characters(categories=["L", "N", "P", "S"])  # what can be seen
WORDS = st.lists(st.text(LETTERS, min_size=1, max_size=12), min_size=1, max_size=6)
SPACES = st.sampled_from([" ", "  ", "\t", "\n", "\u2003 "])


@given(WORDS, SPACES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_name_is_stored_with_single_spaces_and_found_again(
    bench: Bench, words: list[str], space: str
) -> None:
    name = " ".join(words)
    person = people.find_or_add(bench.store, f"{space}{space.join(words)}{space}")
    assert person.name == name
    assert people.find_or_add(bench.store, name) == bench.person(name) == person


INVISIBLE = st.sampled_from(["\0", "\x1b", "\x7f", "\u200b", "\u202e", "\ud800", "\ue000"])


@given(
    st.tuples(st.text(LETTERS, max_size=9), INVISIBLE, st.text(LETTERS, max_size=9)).map("".join)
    | st.text(LETTERS, min_size=81, max_size=90)
    | st.text(" \t\r\n\u2003", max_size=9)
    | st.just(" agreed ")
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_name_that_is_empty_too_long_unseen_or_taken_adds_nobody(bench: Bench, name: str) -> None:
    before = bench.count("people")
    with pytest.raises(UsageError, match=r"a name has 1 to 80 |'agreed' is"):
        people.find_or_add(bench.store, name)
    assert bench.count("people") == before


def test_an_invited_evaluator_comes_in_by_the_link_that_is_shown(bench: Bench) -> None:
    project = bench.project()
    page = bench.owner.post(f"/projects/{project}/people", {"name": "ana"}).text
    link = re.search(r"http://127.0.0.1:8765/enter/([\w-]+)", page)
    assert link
    ana = Visitor(bench.app)
    assert "ana" in ana.enter(link[1]).text
    assert link[1] not in bench.owner.get(f"/projects/{project}").text, "it is shown once"
    refused = bench.owner.post(f"/projects/{project}/people", {"name": " agreed "})
    assert refused.status_code == 422


def test_records_survive_the_round_trip(bench: Bench) -> None:
    files = demo_files()
    project = bench.project(files)
    archive = bench.owner.get(f"/projects/{project}/export/zip").content
    with zipfile.ZipFile(io.BytesIO(archive)) as held:
        uploads = [
            ("events", n.split("/")[1], held.read(n)) for n in held.namelist() if "events/" in n
        ]
        uploads.append(("articles", "articles.jsonl", held.read("articles.jsonl")))
        uploads.append(("codebook", "codebook.json", held.read("codebook.json")))
    again = read_project(uploads)
    first = read_project([(kind, name, made) for kind, (name, made) in files])
    assert again.systems == first.systems
    assert sorted(again.articles, key=lambda a: a.id) == sorted(first.articles, key=lambda a: a.id)
    assert again.codebook == first.codebook
