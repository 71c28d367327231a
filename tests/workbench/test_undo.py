"""Nothing is final by one click: it asks with numbers, can be undone, and is on record."""

import html
import io
import json
import re
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from workbench.bench import (
    BEST,
    WORST,
    Bench,
    Files,
    Visitor,
    answer,
    copied,
    judge_all,
    lines,
    small,
    text_of,
)
from workbench.results_made import files_of

from chronoscore.errors import UsageError
from chronoscore.workbench.project_files import read_project
from chronoscore.workbench.result_files import ResultsFolder
from chronoscore.workbench.store import Store, adjudication, batches, judgements, people, projects
from chronoscore.workbench.store import results as store_results
from chronoscore.workbench.store.adjudication import AgreedValues
from chronoscore.workbench.store.batches import StageError
from chronoscore.workbench.store.judgements import Values
from chronoscore.workbench.store.schema import STEPS

# Pages as a person without scripts uses them


class PageForm(NamedTuple):
    """A form of a page: where it is sent, what is sent, and what its button says."""

    action: str
    fields: dict[str, str]
    button: str


def forms(page: str) -> list[PageForm]:
    found = []
    for action, body in re.findall(
        r'<form[^>]* action="([^"]+)"[^>]*>(.*?)</form>', page, re.DOTALL
    ):
        hidden = re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', body)
        button = re.search(r"<button[^>]*>(.*?)</button>", body, re.DOTALL)
        words = text_of(button[1]).strip() if button else ""
        found.append(PageForm(html.unescape(action), dict(hidden), re.sub(r"\s+", " ", words)))
    return found


def press(visitor: Visitor, page: Any, button: str) -> Any:
    """Press a button of a page; returns the page that is shown then."""
    (form,) = (one for one in forms(page.text) if one.button == button)
    done = visitor.post(form.action, form.fields)
    while done.status_code == 303:
        done = visitor.get(done.headers["location"])
    assert done.status_code == 200, done.text
    return done


def buttons(page: Any) -> set[str]:
    return {one.button for one in forms(page.text)}


# What a database has, without when and how


def content(store: Store) -> dict[str, Any]:
    """Everything but the audit, times, and versions; agreed values and results as they are last.

    Sessions and links that a removal ends are left out: the person gets a new link.
    """
    kept: dict[str, Any] = {}
    tables = [row[0] for row in store.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for table in {*tables} - {"audit", "agreed", "result_states", "sessions", "links"}:
        if not table.startswith("sqlite_"):
            rows = [dict(row) for row in store.rows(f"SELECT * FROM {table}")]
            kept[table] = sorted(str({**row, **_states(row)}) for row in rows)
    boss = people.owner(store)
    for row in store.rows("SELECT id FROM batches"):
        agreed = adjudication.agreed_in(store, boss, row["id"]).items()
        kept[f"agreed in {row['id']}"] = [
            (e, one.values, one.reasons, one.note) for e, one in agreed
        ]
    for gone in (False, True):
        stored = store_results.stored(store, gone=gone)
        kept[f"results {gone}"] = [(one.id, one.name, one.kinds) for one in stored]
    return kept


def _states(row: dict[str, Any]) -> dict[str, Any]:
    """Whether something was done, in place of when and how."""
    states: dict[str, Any] = {
        n: bool(row[n]) for n in ("at", "adjudicated", "archived") if n in row
    }
    return {**states, **({"how": ""} if "how" in row else {})}


# The law: done and undone is as before


class World:
    """A project in which ana and ben judge, ana has submitted, and a saved result."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.project = bench.project()
        self.ana, self.ben = (bench.visitor(name, self.project) for name in ("ana", "ben"))
        self.batch = bench.batch(self.project, "ana", "ben", overlap=2)
        judge_all(self.ana, self.batch, lambda place: BEST if place % 2 else WORST)
        self.ben.send(f"/judge/{self.batch}/1", answer(WORST))
        bench.owner.post("/results", files=list(files_of()))

    def all_submitted(self) -> None:
        for place in (2, 3, 4):
            self.ben.send(f"/judge/{self.batch}/{place}", answer(BEST, save=f"rest-{place:08}"))
        assert self.ben.post(f"/judge/{self.batch}/submit", {"sure": "yes"}).status_code == 303

    def closed(self) -> None:
        self.all_submitted()
        finished = self.bench.owner.post(f"/batches/{self.batch}/finish", {"sure": "yes"})
        assert finished.status_code == 303

    def nothing(self) -> None:
        """Leave the world as it is."""

    @property
    def paths(self) -> dict[str, str]:
        return {"batch": f"/batches/{self.batch}", "project": f"/projects/{self.project}"}


@pytest.fixture(scope="module")
def world_made_once(tmp_path_factory: pytest.TempPathFactory) -> World:
    made = World(Bench(tmp_path_factory.mktemp("world")))
    made.bench.store.close()
    return made


@pytest.fixture
def world(world_made_once: World, tmp_path: Path) -> Iterator[World]:
    made = copied(world_made_once, tmp_path)
    yield made
    made.bench.store.close()


class Step(NamedTuple):
    """A step that was final, and the buttons that do and undo it."""

    before: Callable[[World], None]
    page: str
    button: str
    sure: str
    later: str
    """The page where it is undone later."""
    undo: str
    actions: tuple[str, str]
    """Its entry in the audit, and that of undoing it."""


STEPS_THAT_CLOSE = {
    "take as submitted": Step(
        World.nothing, "/batches/1", "Take as submitted for ben", "Take as submitted",
        "/batches/1", "Give back to ben", ("submitted", "share given back")),
    "close": Step(
        World.all_submitted, "/batches/1", "Close the batch", "Close the batch",
        "/batches/1", "Reopen the batch", ("adjudicated", "batch reopened")),
    "reopen": Step(
        World.closed, "/batches/1", "Reopen the batch", "Reopen the batch",
        "/batches/1", "Close the batch", ("batch reopened", "adjudicated")),
    "give back": Step(
        World.all_submitted, "/batches/1", "Give back to ana", "Give back",
        "/batches/1", "Take as submitted for ana", ("share given back", "submitted")),
    "remove": Step(
        World.nothing, "/projects/1", "Remove ben", "Remove",
        "/projects/1", "Bring back ben", ("evaluator removed", "evaluator brought back")),
    "archive": Step(
        World.nothing, "/projects/1", "Archive the project", "Archive",
        "/", "Bring back News", ("project archived", "project unarchived")),
    "delete a result": Step(
        World.nothing, "/results", "Delete run", "Delete",
        "/results", "Bring back run", ("result deleted", "result undone")),
}  # fmt: skip


@pytest.mark.parametrize("when", ["at once", "later"])
@pytest.mark.parametrize("name", STEPS_THAT_CLOSE)
def test_done_and_undone_is_as_before_and_on_record_both_ways(
    world: World, name: str, when: str
) -> None:
    step, owner, bench = STEPS_THAT_CLOSE[name], world.bench.owner, world.bench
    step.before(world)
    before, entries = content(bench.store), bench.count("audit")
    asked = press(owner, owner.get(step.page), step.button)
    assert content(bench.store) == before, "a question does nothing"
    assert bench.count("audit") == entries
    assert re.search(r"\d", text_of(asked.text.partition("<h1>")[2])), "it says numbers"
    done = press(owner, asked, step.sure)
    assert content(bench.store) != before
    undone = press(
        owner, *((done, "Undo") if when == "at once" else (owner.get(step.later), step.undo))
    )
    if 'name="sure"' in undone.text:
        (question,) = (one for one in forms(undone.text) if "sure" in one.fields)
        undone = press(owner, undone, question.button)
    assert content(bench.store) == before
    new = bench.store.rows("SELECT * FROM audit WHERE id > :id ORDER BY id", id=entries)
    noted = [row["action"] for row in new]
    assert [action for action in noted if action in step.actions] == [*step.actions]
    assert {row["person"] for row in new} == {bench.boss.id}
    assert all(row["at"] for row in new)


def test_handing_in_asks_and_is_taken_back_by_the_evaluator_or_given_back_by_the_owner(
    world: World,
) -> None:
    store, batch = world.bench.store, world.batch
    for place in (2, 3, 4):
        world.ben.send(f"/judge/{batch}/{place}", answer(save=f"rest-{place:08}"))
    press(world.ana, world.ana.get(f"/judge/{batch}/all"), "Take it back and go on")
    before = content(store)
    asked = press(world.ben, world.ben.get(f"/judge/{batch}/all"), "Submit")
    assert "You have judged all 4 events." in text_of(asked.text)
    assert "Still judging: 1." in text_of(asked.text)
    assert "ana" not in text_of(asked.text), "evaluators don't learn who the others are"
    assert content(store) == before
    press(world.ben, asked, "Submit")
    press(world.ben, world.ben.get(f"/judge/{batch}/all"), "Take it back and go on")
    assert content(store) == before
    press(world.ben, press(world.ben, world.ben.get(f"/judge/{batch}/all"), "Submit"), "Submit")
    press(world.bench.owner, world.bench.owner.get(f"/batches/{batch}"), "Give back to ben")
    assert content(store) == before


def test_the_last_to_hand_in_learns_that_only_the_owner_can_give_it_back(world: World) -> None:
    for place in (2, 3, 4):
        world.ben.send(f"/judge/{world.batch}/{place}", answer(save=f"rest-{place:08}"))
    asked = world.ben.post(f"/judge/{world.batch}/submit")
    assert "only the owner can give your share back" in text_of(asked.text)
    submitted = press(world.ben, asked, "Submit")
    assert "ask the owner to give your share back" in submitted.text
    assert "Take it back and go on" not in buttons(submitted)


def test_taking_as_submitted_says_what_is_missing_and_what_is_seen(world: World) -> None:
    owner = world.bench.owner
    asked = text_of(press(owner, owner.get("/batches/1"), "Take as submitted for ben").text)
    assert "ben has judged 1 of 4 events; 3 will have no answer by ben." in asked
    assert "All others have submitted (ana): you will see everyone's answers." in asked
    assert "You can give the share back to ben afterwards." in asked
    press(world.ana, world.ana.get("/judge/1/all"), "Take it back and go on")
    asked = text_of(press(owner, owner.get("/batches/1"), "Take as submitted for ben").text)
    assert "Still judging besides: ana. The answers stay hidden" in asked


def test_an_old_notice_does_not_offer_to_undo_something_else(world: World) -> None:
    owner, person = world.bench.owner, world.bench.person("ben").id
    done = owner.post(f"/batches/1/people/{person}/submit", {"sure": "yes"}).headers["location"]
    assert "ben counts as having submitted Main 1." in text_of(owner.get(done).text)
    back = owner.post(f"/batches/1/people/{person}/give-back", {"sure": "yes"}).headers["location"]
    assert "ben counts as having submitted" not in text_of(owner.get(done).text)
    assert "Undo" in buttons(owner.get(back))
    other = world.bench.project()
    number = done.partition("=")[2]
    assert "Undo" not in buttons(owner.get(f"/projects/{other}?done={number}"))
    for wrong in ("0", "999", "1"):
        assert "Undo" not in buttons(owner.get(f"/batches/1?done={wrong}"))
    assert owner.get("/batches/1?done=x").status_code == 400


def test_submitting_twice_is_one_entry(world: World) -> None:
    path = f"/batches/1/people/{world.bench.person('ana').id}/submit"
    before = world.bench.count("audit")
    assert world.bench.owner.post(path, {"sure": "yes"}).status_code == 303
    assert world.ana.post("/judge/1/submit", {"sure": "yes"}).status_code == 303
    assert world.bench.count("audit") == before


# Giving back


def seen(bench: Bench, action: str = "share given back") -> list[bool]:
    rows = bench.store.rows("SELECT detail FROM audit WHERE action = :a ORDER BY id", a=action)
    return [json.loads(row["detail"])["seen"] for row in rows]


def give_back(bench: Bench, batch: int, name: str, **more: str) -> Any:
    return bench.owner.post(f"/batches/{batch}/people/{bench.person(name).id}/give-back", more)


def test_giving_back_hides_all_answers_again_and_the_audit_says_they_were_seen(
    world: World,
) -> None:
    bench, batch = world.bench, world.batch
    world.all_submitted()
    assert "ana <b>" in bench.owner.get(f"/batches/{batch}").text
    asked = give_back(bench, batch, "ana")
    assert "answers may have been seen: the audit will say so" in text_of(asked.text)
    assert give_back(bench, batch, "ana", sure="yes").status_code == 303
    page = bench.owner.get(f"/batches/{batch}").text
    assert "ana <b>" not in page
    assert judgements.readable(bench.store, bench.boss, world.project) == []
    assert give_back(bench, batch, "ben").status_code == 303, "nothing is seen now: no question"
    assert seen(bench) == [True, True], "the answers of ben were seen too, before"
    for visitor in (world.ana, world.ben):
        assert visitor.post(f"/judge/{batch}/submit", {"sure": "yes"}).status_code == 303
    assert len(judgements.readable(bench.store, bench.boss, world.project)) == 8


def test_a_share_that_nobody_saw_is_given_back_as_unseen(world: World) -> None:
    assert give_back(world.bench, world.batch, "ana").status_code == 303
    assert seen(world.bench) == [False]
    world.ana.post(f"/judge/{world.batch}/submit", {"sure": "yes"})
    assert world.ana.post(f"/judge/{world.batch}/reopen").status_code == 303
    assert seen(world.bench, "submission taken back") == [False]


def test_what_nobody_here_can_judge_is_not_given_back(world: World) -> None:
    bench = world.bench
    rows = [
        {"event_id": f"e{n}", "system": "alpha", "evaluator": "m", "evaluator_kind": "llm", **BEST}
        for n in range(4)
    ]
    files = [("sheets", ("judge.jsonl", lines(rows)))]
    bench.owner.post(f"/projects/{world.project}/judgements", files=files)
    assert "judged elsewhere" in bench.owner.get("/batches/2").text
    assert "Give back to m" not in buttons(bench.owner.get("/batches/2"))
    assert give_back(bench, 2, "m", sure="yes").status_code == 409
    path = f"/projects/{world.project}/people/{bench.person('ben').id}/remove"
    bench.owner.post(path, {"sure": "yes"})
    refused = give_back(bench, world.batch, "ben", sure="yes")
    assert refused.status_code == 409
    assert "bring them back first" in refused.text
    assert "Give back to ben" not in buttons(bench.owner.get("/batches/1"))


def test_a_closed_batch_is_reopened_before_a_share_is_given_back(world: World) -> None:
    world.closed()
    refused = give_back(world.bench, world.batch, "ana", sure="yes")
    assert refused.status_code == 409
    assert "reopen it first" in refused.text
    assert world.ana.post(f"/judge/{world.batch}/reopen").status_code == 409


# Closing and reopening


def agreed(bench: Bench, batch: int) -> dict[str, Values]:
    """The agreed values by the event's id."""
    ids = {row["number"]: row["id"] for row in bench.store.rows("SELECT number, id FROM events")}
    found = adjudication.agreed_in(bench.store, bench.boss, batch)
    return {ids[event]: one.values for event, one in sorted(found.items())}


def places(bench: Bench, batch: int, name: str) -> dict[str, int]:
    """Where an evaluator has each event."""
    sql = """SELECT e.id, t.place FROM tasks t JOIN events e ON e.number = t.event
        WHERE t.batch = :batch AND t.person = :person"""
    return {
        r["id"]: r["place"] for r in bench.store.rows(sql, batch=batch, person=bench.person(name))
    }


def exported(bench: Bench, project: int) -> dict[str, Values]:
    archive = bench.owner.get(f"/projects/{project}/export/zip").content
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        if "agreed.jsonl" not in files.namelist():
            return {}
        rows = [json.loads(line) for line in files.read("agreed.jsonl").splitlines()]
    return {row["event_id"]: tuple(row[field] for field in BEST) for row in rows}


def test_closing_again_takes_the_answers_as_they_are_then(bench: Bench) -> None:
    """Reopen, give a share back, change answers, submit and close: each event by its answers."""
    project = bench.project()
    ana, ben = bench.visitor("ana", project), bench.visitor("ben", project)
    batch = bench.batch(project, "ana", "ben", overlap=2)
    of_ana, of_ben = places(bench, batch, "ana"), places(bench, batch, "ben")
    at = {place: event for event, place in of_ben.items()}
    judge_all(ana, batch, BEST)
    judge_all(ben, batch, lambda place: WORST if at.get(place) == "e3" else BEST)
    event = bench.store.value("SELECT number FROM events WHERE id = 'e3'")
    data = {f"value-{field}": str(value) for field, value in WORST.items()}
    path, settled = f"/batches/{batch}/events/{event}", {"version": "0", "save": "settle-e3"}
    assert bench.owner.post(path, {**data, **settled}).status_code == 303
    best, worst = (*BEST.values(),), (*WORST.values(),)
    close = (f"/batches/{batch}/finish", {"sure": "yes"})
    assert bench.owner.post(*close).status_code == 303
    first = {"e0": best, "e1": best, "e2": best, "e3": worst}
    assert agreed(bench, batch) == exported(bench, project) == first
    assert bench.owner.post(f"/batches/{batch}/reopen", {"sure": "yes"}).status_code == 303
    assert agreed(bench, batch) == {"e3": worst}, "what was settled stays"
    assert exported(bench, project) == {}
    for visitor in (ana, ben):
        assert visitor.get(f"/judge/{batch}/compare").status_code == 409
    for name in ("ana", "ben"):
        assert give_back(bench, batch, name, sure="yes").status_code == 303
    ana.send(f"/judge/{batch}/{of_ana['e0']}", answer(WORST, 1, save="again-ana-0"))
    ben.send(f"/judge/{batch}/{of_ben['e0']}", answer(WORST, 1, save="again-ben-0"))
    ben.send(f"/judge/{batch}/{of_ben['e1']}", answer(WORST, 1, save="again-ben-1"))
    ben.send(f"/judge/{batch}/{of_ben['e3']}", answer(BEST, 1, save="again-ben-3"))
    for visitor in (ana, ben):
        assert visitor.post(f"/judge/{batch}/submit", {"sure": "yes"}).status_code == 303
    asked = text_of(bench.owner.post(f"/batches/{batch}/finish").text)
    assert "4 events: 1 you settled, 2 all judged alike, 1 are not settled." in asked
    assert "1 settled event all judge alike by now, with other values" in asked
    assert bench.owner.post(*close).status_code == 303
    second = {"e0": worst, "e2": best, "e3": worst}
    assert agreed(bench, batch) == exported(bench, project) == second
    assert "3 events" in text_of(ana.get(f"/judge/{batch}/compare").text)
    versions = bench.store.rows(
        "SELECT event, version, reasons FROM agreed ORDER BY event, version"
    )
    assert [row["reasons"] for row in versions if row["event"] == versions[0]["event"]] == [
        *("unanimous", "withdrawn", "unanimous"),
    ]


def test_a_withdrawn_event_is_settled_as_one_that_has_no_values(bench: Bench) -> None:
    project = bench.project()
    ana, ben = bench.visitor("ana", project), bench.visitor("ben", project)
    batch = bench.batch(project, "ana", "ben", overlap=2)
    judge_all(ana, batch)
    judge_all(ben, batch)
    bench.owner.post(f"/batches/{batch}/finish", {"sure": "yes"})
    bench.owner.post(f"/batches/{batch}/reopen", {"sure": "yes"})
    path = f"/batches/{batch}/events/{bench.store.value('SELECT min(number) FROM events')}"
    page = bench.owner.get(path).text
    version = re.search(r'name="version" value="(\d+)"', page)
    assert version
    data = {f"value-{field}": str(value) for field, value in WORST.items()}
    form = {**data, "version": version[1], "save": "settle-anew"}
    assert bench.owner.post(path, form).status_code == 303
    assert bench.owner.post(path, {**form, "save": "settle-late"}).status_code == 409
    assert agreed(bench, batch) == {"e0": (*WORST.values(),)}
    assert bench.store.value("SELECT max(version) FROM agreed") == 3


def test_closing_and_reopening_are_refused_where_the_stage_has_changed(world: World) -> None:
    store, boss = world.bench.store, world.bench.boss
    batch = batches.find(store, boss, world.batch)
    assert batch
    with pytest.raises(StageError, match="when all have submitted"):
        adjudication.finish(store, boss, batch, [])
    with pytest.raises(StageError, match="not closed"):
        adjudication.reopen(store, boss, batch)
    with pytest.raises(StageError, match="in review"):
        adjudication.agree(store, boss, batch, 1, "some-token", AgreedValues(0, (1,), ()))
    assert world.bench.owner.post("/batches/1/reopen").status_code == 409
    assert world.bench.owner.post("/batches/1/finish").status_code == 409


# Removing and bringing back


def test_removing_says_how_far_the_person_is_in_each_open_batch(world: World) -> None:
    bench = world.bench
    world.all_submitted()
    project, ben = world.project, bench.person("ben").id
    bench.owner.post(f"/projects/{project}/events", files=more_events())
    bench.batch(project, "ben", "ana", overlap=2)
    asked = text_of(bench.owner.post(f"/projects/{project}/people/{ben}/remove").text)
    assert "Main 2: ben has judged 0 of 2 events; 2 will have no answer by ben." in asked
    assert "Main 1" not in asked, "that one is submitted"
    assert "Still judging besides: ana" in asked


def test_bringing_back_reopens_just_the_shares_that_the_removal_closed(bench: Bench) -> None:
    project = bench.project()
    ana, ben = bench.visitor("ana", project), bench.visitor("ben", project)
    names = ("ana", "ben")
    own, open_ = (bench.batch(project, *names, kind="calibration", size=1) for _ in range(2))
    retest = bench.batch(project, *names, kind="retest", size=1)
    judge_all(ben, own)
    judge_all(ana, retest)
    person = bench.person("ben")
    bench.owner.post(f"/projects/{project}/people/{person.id}/remove", {"sure": "yes"})
    assert bench.owner.post(f"/batches/{retest}/finish", {"sure": "yes"}).status_code == 303
    page = bench.owner.get(f"/projects/{project}")
    assert press(bench.owner, page, "Bring back ben").status_code == 200
    how = {row["batch"]: row["how"] for row in bench.store.rows(
        "SELECT batch, how FROM submissions WHERE person = :p", p=person)}  # fmt: skip
    assert how == {own: "self", open_: "", retest: "removed"}
    entry = bench.store.row("SELECT detail FROM audit WHERE action = 'evaluator brought back'")
    assert entry
    assert json.loads(entry["detail"]) == {"person": person.id, "reopened": [open_]}
    assert "Bring back ben" not in buttons(bench.owner.get(f"/projects/{project}"))
    ben.enter(people.invite(bench.store, person.id, None))
    assert ben.send(f"/judge/{open_}/1", answer()).status_code == 200
    assert ben.send(f"/judge/{own}/1", answer(WORST, 1)).status_code == 423


def test_bringing_back_asks_where_answers_have_been_shown(world: World) -> None:
    bench, ben = world.bench, world.bench.person("ben").id
    path = f"/projects/{world.project}/people/{ben}"
    assert bench.owner.post(f"{path}/bring-back").status_code == 404, "ben is in the project"
    bench.owner.post(f"{path}/remove", {"sure": "yes"})
    assert len(judgements.readable(bench.store, bench.boss, world.project)) == 5
    asked = bench.owner.post(f"{path}/bring-back")
    assert "answers may have been seen" in text_of(asked.text)
    assert len(judgements.readable(bench.store, bench.boss, world.project)) == 5
    press(bench.owner, asked, "Bring back")
    assert judgements.readable(bench.store, bench.boss, world.project) == []
    assert seen(bench) == [True]


def test_someone_without_a_share_is_brought_back_by_the_notice(bench: Bench) -> None:
    project = bench.project()
    bench.visitor("ana", project)
    owner = bench.owner
    page = press(owner, owner.get(f"/projects/{project}"), "Remove ana")
    page = press(owner, press(owner, page, "Remove"), "Undo")
    assert "ana is back in the project" in text_of(page.text)
    assert "ana" in [one.name for one in projects.members(bench.store, project)]
    stranger = people.find_or_add(bench.store, "zoe")
    path = f"/projects/{project}/people/{stranger.id}/bring-back"
    assert owner.post(path, {"sure": "yes"}).status_code == 404


# Archived projects


def test_an_archived_project_is_read_by_its_owner_and_changed_by_nobody(world: World) -> None:
    bench, project, batch = world.bench, world.project, world.batch
    owner, ben = bench.owner, bench.person("ben").id
    asked = text_of(owner.post(f"/projects/{project}/archive").text)
    assert "4 events, 1 batch and 5 answers" in asked
    assert "2 evaluators will not see it" in asked
    owner.post(f"/projects/{project}/archive", {"sure": "yes"})
    before, entries = content(bench.store), bench.count("audit")
    for path in ("", "/people", f"/people/{ben}", f"/people/{ben}/remove", "/batches", "/archive",
                 "/events", "/judgements"):  # fmt: skip
        refused = owner.post(f"/projects/{project}{path}", {"sure": "yes", "name": "x"})
        assert refused.status_code == 423, path
        assert "This project is archived" in refused.text
    for path in (f"/people/{ben}/submit", f"/people/{ben}/give-back", "/finish", "/reopen",
                 "/events/1"):  # fmt: skip
        assert owner.post(f"/batches/{batch}{path}", {"sure": "yes"}).status_code == 423, path
    refused = world.ben.send(f"/judge/{batch}/2", answer())
    assert refused.status_code == 423
    assert "your answers are kept" in refused.json()["message"]
    for path in ("", "/all", "/1", "/compare"):
        assert world.ben.get(f"/judge/{batch}{path}").status_code == 423, path
    assert f"/judge/{batch}" not in world.ben.get("/").text
    assert content(bench.store) == before
    assert bench.count("audit") == entries
    for path in ("", "/events", "/agreement", "/export", "/audit", "/export/csv"):
        assert owner.get(f"/projects/{project}{path}").status_code == 200, path
    home = owner.get("/")
    assert "1 archived project" in text_of(home.text)
    press(owner, home, "Bring back News")
    assert world.ben.send(f"/judge/{batch}/2", answer()).status_code == 200


def test_pages_of_an_archived_project_hold_no_form_that_is_refused(bench: Bench) -> None:
    bench.owner.post("/projects/demo")
    events = re.findall(r"/batches/2/events/\d+", bench.owner.get("/batches/2").text)
    pages = ["/projects/1", "/projects/2", "/judge/4/1", "/judge/4/all", events[0]]
    pages += [f"/batches/{batch}" for batch in range(1, 6)]
    form = re.compile(r"<form((?:(?! hidden)[^>])*)>(.*?)</form>", re.DOTALL)

    def sent_to(path: str) -> set[str]:
        """Where the buttons of a page send something that is saved."""
        forms = form.findall(bench.owner.get(path).text)
        actions = [
            re.search('action="([^"]*)"', tag) for tag, inside in forms if "<button" in inside
        ]
        return {action[1] for action in actions if action} - {"/leave", "/results"}

    assert len(sent_to("/projects/1")) > 5
    assert {path for path in pages if not sent_to(path)} <= {"/judge/4/all"}
    for project in (1, 2):
        bench.owner.post(f"/projects/{project}/archive", {"sure": "yes"})
    for path in pages:
        assert sent_to(path) <= {"/projects/1/unarchive", "/projects/2/unarchive"}, path


def test_an_owner_who_judges_is_as_blind_in_an_archived_project(bench: Bench) -> None:
    project = bench.project()
    ana = bench.visitor("ana", project)
    batch = bench.batch(project, "owner", "ana", overlap=2)
    judge_all(ana, batch)
    bench.owner.post(f"/projects/{project}/archive", {"sure": "yes"})
    page = bench.owner.get(f"/projects/{project}/agreement").text
    assert "You judge a batch yourself" in page
    assert "<table" not in page
    assert judgements.readable(bench.store, bench.boss, project) == []


def test_a_session_can_be_ended_in_an_archived_project(world: World) -> None:
    world.bench.owner.post(f"/projects/{world.project}/archive", {"sure": "yes"})
    path = f"/projects/{world.project}/people/{world.bench.person('ben').id}/end"
    assert world.bench.owner.post(path).status_code == 200
    assert world.ben.get("/").status_code == 303


# Events added later


def more_events(system: str = "alpha", first: int = 4) -> Files:
    events = [
        {"id": f"e{first}", "article": "a0", "text": "One more bridge", "span": [0, 13]},
        {"id": f"e{first + 1}", "article": "b0", "text": "A dam", "span": [0, 5]},
    ]
    articles = [{"id": "b0", "published": "2024-03-08", "text": "A dam broke."}]
    return [
        ("events", (f"{system}.jsonl", lines(events))),
        ("articles", ("articles.jsonl", lines(articles))),
    ]


def test_events_are_added_and_drawn_and_nothing_else_changes(world: World) -> None:
    bench, project = world.bench, world.project
    before = content(bench.store)
    done = bench.owner.post(f"/projects/{project}/events", files=more_events())
    assert "Added: 2 events and 1 article." in text_of(done.text)
    after = content(bench.store)
    for table, rows in before.items():
        new = [row for row in after[table] if row not in rows]
        assert [row for row in after[table] if row in rows] == rows, table
        assert len(new) == {"events": 2, "articles": 1}.get(table, 0), table
    (entry,) = bench.store.rows("SELECT detail FROM audit WHERE action = 'events added'")
    assert json.loads(entry["detail"]) == {"events": 2, "articles": 1}
    batch = bench.batch(project, "ana", "ben", overlap=2)
    assert [share.events for share in batches.shares(bench.store, batch)] == [2, 2]
    only_events = more_events("beta")[:1]
    done = bench.owner.post(f"/projects/{project}/events", files=only_events)
    assert "Added: 2 events and 0 articles." in text_of(done.text)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (more_events(first=2), "alpha.jsonl:1: 'alpha' has an event 'e2' already"),
        (more_events(first=2), "alpha.jsonl:2: 'alpha' has an event 'e3' already"),
        (small()[1:], "articles.jsonl:2: the project has an article 'a1' already"),
        ([("events", ("b.jsonl", lines([{"id": "x", "article": "a0", "span": [0, 99]}])))],
         "b.jsonl:1: the span [0, 99] ends after the article 'a0'"),
        ([("events", ("b.jsonl", b"\n"))], "b.jsonl"),
        ([], "choose at least one file of events or of articles"),
        ([*more_events(), ("articles", ("more.jsonl", b"nonsense\n"))], "more.jsonl:1"),
    ],
)  # fmt: skip
def test_events_that_clash_are_told_by_line_and_nothing_is_added(
    world: World, files: Files, message: str
) -> None:
    before, entries = content(world.bench.store), world.bench.count("audit")
    refused = world.bench.owner.post(f"/projects/{world.project}/events", files=files)
    assert refused.status_code == 422
    assert message in text_of(refused.text)
    assert content(world.bench.store) == before
    assert world.bench.count("audit") == entries


def test_an_article_is_added_only_where_nobody_judges_without_it(bench: Bench) -> None:
    files: Files = [
        ("events", ("x.jsonl", lines([{"id": "x", "article": "late", "span": [0, 9]}])))
    ]
    project = bench.project(files)
    path = f"/projects/{project}/events"

    def late(text: str) -> Any:
        article = lines([{"id": "late", "published": "2024-03-08", "text": text}])
        return bench.owner.post(path, files=[("articles", ("articles.jsonl", article))])

    assert "has 5 characters, an event's span ends at 9" in text_of(late("short").text)
    batch = bench.batch(project, "owner")
    assert "judged without it" in text_of(late("long enough").text)
    assert "There is no article for this event." in bench.owner.get(f"/judge/{batch}/1").text


def test_the_same_files_at_the_same_time_are_added_once(world: World) -> None:
    store, boss = world.bench.store, world.bench.boss
    uploads = [(kind, name, data) for kind, (name, data) in more_events()]
    files = read_project(uploads, projects.content(store, world.project))
    projects.add_events(store, boss, world.project, files.systems, files.articles)
    with pytest.raises(UsageError, match="added meanwhile"):
        projects.add_events(store, boss, world.project, files.systems, files.articles)


# Purging


def bytes_in_files(store: Store, needle: bytes) -> bool:
    """Whether a text is in the database, or in the journal next to it."""
    around = store.path.parent.glob(f"{store.path.name}*")
    return any(needle in path.read_bytes() for path in around)


def test_a_purged_result_is_gone_from_the_file_and_stays_on_record(world: World) -> None:
    bench, store = world.bench, world.bench.store
    (run,) = store_results.stored(store)
    path, owner = f"/results/{run.id}", world.bench.owner
    parts = [row[0] for row in store.rows("SELECT content FROM result_parts")]
    needles = [part[at : at + 40] for part in parts for at in range(0, len(part) - 40, 997)]
    assert all(bytes_in_files(store, needle) for needle in needles)
    assert owner.post(f"{path}/purge", {"sure": "yes"}).status_code == 409, "it is not deleted"
    press(owner, press(owner, owner.get("/results"), "Delete run"), "Delete")
    asked = press(owner, owner.get("/results"), "Purge run")
    assert "This can't be undone." in text_of(asked.text)
    assert owner.get(path).status_code == 200, "a question does nothing"
    done = press(owner, asked, "Purge for good")
    assert "run was purged: its files are gone for good." in text_of(done.text)
    assert "Undo" not in buttons(done)
    assert not any(bytes_in_files(store, needle) for needle in needles)
    assert bench.count("result_parts") == 0
    assert bench.count("results") == 1
    for address in ("", "/cases/0", "/files/result"):
        gone = owner.get(f"{path}{address}")
        assert gone.status_code == 410, address
        assert "run was purged on" in gone.text
    for what in ("", "/delete", "/undo", "/purge"):
        again = owner.post(
            f"{path}{what}", {"sure": "yes", "state": str(run.state + 1), "name": "x"}
        )
        assert again.status_code == 410, what
    assert "Bring back run" not in buttons(owner.get("/results"))
    assert owner.get("/leaderboard").status_code == 200
    assert "result purged" in owner.get("/results").text
    assert owner.post("/results", files=list(files_of())).status_code == 303
    assert owner.get(path).status_code == 200, "the same file is stored anew"
    assert "run was purged" not in owner.get(f"/results?changed={run.id}").text


def test_parts_that_were_replaced_leave_the_file_too(bench: Bench) -> None:
    store = bench.store
    bench.owner.post("/results", files=list(files_of()))
    (run,) = store_results.stored(store)
    old = store_results.part(store, run.id, "texts")
    assert old
    packed = bytes(store.value("SELECT content FROM result_parts WHERE kind = 'texts'"))
    parts = {k: store_results.part(store, run.id, k) or b"" for k in ("result", "matches")}
    new = store_results.NewResult(run.name, "", {}, {**parts, "texts": old[: len(old) // 3]})
    assert not store_results.add(store, bench.boss.id, new)
    bench.owner.post(f"/results/{run.id}/delete", {"sure": "yes"})
    bench.owner.post(f"/results/{run.id}/purge", {"sure": "yes"})
    middle = packed[len(packed) // 2 :][:40]
    assert not bytes_in_files(store, middle)


def test_the_folder_does_not_bring_a_purged_result_back(bench: Bench, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    for _, (name, data) in files_of():
        (folder / name).write_bytes(data)
    assert ResultsFolder(folder).update(bench.store, bench.boss.id) == []
    (run,) = store_results.stored(bench.store)
    bench.owner.post(f"/results/{run.id}/delete", {"sure": "yes"})
    bench.owner.post(f"/results/{run.id}/purge", {"sure": "yes"})
    assert ResultsFolder(folder).update(bench.store, bench.boss.id) == []
    assert store_results.stored(bench.store) == []
    assert bench.owner.get(f"/results/{run.id}").status_code == 410


def test_a_reader_elsewhere_delays_the_last_bytes_and_the_page_says_so(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, store = world.bench.owner, world.bench.store
    (run,) = store_results.stored(store)
    owner.post(f"/results/{run.id}/delete", {"sure": "yes"})
    monkeypatch.setattr(store, "_wait", 0.05)
    store.close()  # connections that are open wait longer
    with closing(sqlite3.connect(store.path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM result_parts").fetchone()
        done = owner.post(f"/results/{run.id}/purge", {"sure": "yes"})
        page = owner.get(done.headers["location"])
        assert "leave the file when the workbench is stopped" in page.text
    assert store.empty_journal()


# Databases from before


def test_an_old_database_knows_how_its_shares_were_submitted(tmp_path: Path) -> None:
    old = sqlite3.connect(tmp_path / "old.db")
    for step in STEPS[:5]:
        old.executescript(step.statements)
    old.executescript("""
        PRAGMA user_version=5; PRAGMA application_id=0x43687253;
        INSERT INTO people (id, name, role, made) VALUES (1, 'owner', 'owner', ''),
          (2, 'a', 'evaluator', ''), (3, 'b', 'evaluator', ''), (4, 'c', 'evaluator', ''),
          (5, 'd', 'evaluator', ''), (6, 'e', 'evaluator', '');
        INSERT INTO projects (id, name, codebook, made) VALUES (1, 'p', '{}', '');
        INSERT INTO batches (id, project, kind, name, round, overlap, seed, made)
          VALUES (1, 1, 'main', 'main 1', '1', 1, 0, '');
        INSERT INTO submissions (batch, person, at, ordering) VALUES (1, 2, 'x', 'shuffled'),
          (1, 3, 'x', 'shuffled'), (1, 4, 'x', 'shuffled'), (1, 5, 'x', 'imported'),
          (1, 6, '', 'shuffled');
        INSERT INTO audit (at, person, project, action, detail) VALUES
          ('', 2, 1, 'submitted', '{"batch": 1, "person": 2}'),
          ('', 1, 1, 'submitted', '{"batch": 1, "person": 3}'),
          ('', 1, 1, 'evaluator removed', '{"person": 4, "submitted": [1]}');
    """)
    old.close()
    store = Store(tmp_path / "old.db")
    rows = store.rows("SELECT person, how FROM submissions ORDER BY person")
    assert [row["how"] for row in rows] == ["self", "owner", "removed", "imported", ""]
    store.close()
