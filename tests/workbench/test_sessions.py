"""Sessions: how they end, who ends them, and what people are told afterwards."""

import json
import re
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from workbench.bench import ADDRESS, BEST, WORST, Bench, Visitor, answer, judge_all
from workbench.test_unavailable import locked

from chronoscore.workbench.store import Store, batches, judgements, people
from chronoscore.workbench.store.schema import STEPS


@pytest.fixture
def project(bench: Bench) -> int:
    return bench.project()


def told(visitor: Visitor) -> str:
    """What a person reads where they are sent to without a session."""
    sent = visitor.get("/")
    assert (sent.status_code, sent.headers["location"]) == (303, "/enter")
    page = visitor.get("/enter")
    assert page.status_code == 401
    found = re.search(r'role="status">([^<]+)</p>\s*<p>Evaluators', page.text)
    script = visitor.http.post(
        "/judge/1/1", json=answer(), headers={"origin": ADDRESS, "accept": "application/json"}
    )
    assert script.status_code == 401
    text = found[1].replace("&#39;", "'") if found else ""
    assert text in script.json()["message"]
    return text


def age(bench: Bench, **columns: float) -> None:
    """Make all sessions older: the columns go back by so many days."""
    with bench.store.writing() as connection:
        for name, days in columns.items():
            moment = (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="milliseconds")
            connection.execute(f"UPDATE sessions SET {name} = ?", (moment,))


def test_the_owner_ends_an_evaluator_s_sessions(bench: Bench, project: int) -> None:
    ana, ben = bench.visitor("ana", project), bench.visitor("ben", project)
    path = f"/projects/{project}/people/{bench.person('ana').id}/end"
    page = bench.owner.post(path)
    assert "ana is logged out everywhere" in page.text
    assert told(ana) == "The owner of the workbench ended your session."
    assert ben.get("/").status_code == 200
    assert bench.owner.get("/").status_code == 200
    (noted,) = bench.store.rows("SELECT detail FROM audit WHERE action = 'sessions ended'")
    assert json.loads(noted["detail"]) == {"person": bench.person("ana").id, "ended": 1}
    ana.enter(people.invite(bench.store, bench.person("ana").id, None))


def test_a_new_link_by_the_owner_ends_older_sessions_at_once(bench: Bench, project: int) -> None:
    ana = bench.visitor("ana", project)
    page = bench.owner.post(f"/projects/{project}/people/{bench.person('ana').id}").text
    link = re.search(r"/enter/([\w-]+)", page)
    assert link
    assert "ana is logged out wherever they were logged in" in page
    assert told(ana) == "Your session ended because a new link was made for you, or used elsewhere."
    ana.enter(link[1])


def test_coming_in_by_a_link_ends_the_person_s_other_sessions(bench: Bench, project: int) -> None:
    ana = bench.visitor("ana", project)
    token = people.invite(bench.store, bench.person("ana").id, None)
    assert ana.get("/").status_code == 200, "a link that nobody has used changes nothing"
    elsewhere = Visitor(bench.app)
    elsewhere.enter(token)
    assert "used elsewhere" in told(ana)
    assert elsewhere.get("/").status_code == 200
    again = Visitor(bench.app)
    again.enter(people.invite(bench.store, bench.boss.id, None))
    assert "used elsewhere" in told(bench.owner), "the owner's too"


def test_a_session_ends_without_use(bench: Bench, project: int) -> None:
    ana = bench.visitor("ana", project)
    age(bench, seen=people.IDLE_DAYS - 0.1)
    assert ana.get("/").status_code == 200
    age(bench, seen=people.IDLE_DAYS + 0.1)
    assert told(ana) == "Your session ended after 7 days without use."
    assert told(ana) == "Your session ended after 7 days without use.", "asking is no use"


def test_use_keeps_a_session_alive_but_not_for_ever(bench: Bench, project: int) -> None:
    ana = bench.visitor("ana", project)
    for _ in range(3):
        age(bench, seen=people.IDLE_DAYS - 0.1)
        assert ana.get("/").status_code == 200
    row = bench.store.row("SELECT min(seen) AS seen FROM sessions WHERE person > 1")
    assert row is not None
    assert datetime.now(UTC) - datetime.fromisoformat(row["seen"]) < timedelta(hours=1)
    age(bench, ends=0.1)
    assert told(ana) == "Your session ended, as every session does after 30 days."


def test_a_locked_database_does_not_log_people_out(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Store(tmp_path / "workbench.db", wait=0.05))
    age(bench, seen=1)
    with locked(bench.store.path):
        assert bench.owner.get("/").status_code == 200
    bench.store.close()


def test_a_session_that_nobody_knows_is_not_explained(bench: Bench, project: int) -> None:
    assert told(Visitor(bench.app)) == ""
    forged = Visitor(bench.app)
    forged.http.cookies.set("chronoscore-8765", "made-up", domain="127.0.0.1")
    assert told(forged) == ""
    assert "You are not logged in." in forged.post("/leave").text


def test_ended_sessions_are_forgotten_in_the_end(bench: Bench, project: int) -> None:
    bench.visitor("ana", project)
    age(bench, ends=people.SESSION_DAYS + 1)
    bench.owner.enter(people.invite(bench.store, bench.boss.id, None))
    assert bench.count("sessions") == 1


def test_the_pages_state_how_long_a_session_lasts(bench: Bench, project: int) -> None:
    token = people.invite(bench.store, bench.boss.id, None)
    page = Visitor(bench.app).get(f"/enter/{token}").text
    assert "no longer than 30 days, or 7 days without use" in page
    assert "after 7 days without use" in bench.owner.get(f"/projects/{project}").text


# Leaving


def test_leaving_asks_first_if_only_a_new_link_leads_back(bench: Bench, project: int) -> None:
    ana = bench.visitor("ana", project)
    asked = ana.post("/leave")
    assert asked.status_code == 200
    assert "to come back you need a new one from the owner" in asked.text
    assert ana.get("/").status_code == 200, "nothing has ended yet"
    assert "chronoscore serve prints" in bench.owner.post("/leave").text
    left = ana.post("/leave", {"sure": "yes"})
    assert "You left the workbench in this browser." in ana.get(left.headers["location"]).text


def test_leaving_does_not_ask_where_a_link_still_opens(bench: Bench, project: int) -> None:
    ana = bench.visitor("ana", project)
    token = people.invite(bench.store, bench.person("ana").id, None)
    assert ana.post("/leave").status_code == 303
    ana.enter(token)


# Removing


def remove(bench: Bench, project: int, name: str, **more: str) -> str:
    path = f"/projects/{project}/people/{bench.person(name).id}/remove"
    done = bench.owner.post(path, more)
    if "sure" in more:
        assert done.status_code == 303, done.text
        done = bench.owner.get(done.headers["location"])
    assert done.status_code == 200, done.text
    return str(done.text)


def test_removing_asks_first(bench: Bench, project: int) -> None:
    ana = bench.visitor("ana", project)
    assert "Remove ana?" in remove(bench, project, "ana")
    assert ana.get("/").status_code == 200
    assert "ana is removed" in remove(bench, project, "ana", sure="yes")
    assert told(ana) == "The owner removed you from the project. What you judged is kept."
    assert f"/people/{bench.person('ana').id}" not in bench.owner.get(f"/projects/{project}").text


def test_what_a_removed_person_judged_stays_under_their_name(bench: Bench, project: int) -> None:
    ana, ben = bench.visitor("ana", project), bench.visitor("ben", project)
    batch = bench.batch(project, "ana", "ben", overlap=2)
    ana.send(f"/judge/{batch}/1", answer(WORST, comment="of ana"))
    remove(bench, project, "ana", sure="yes")
    assert ana.send(f"/judge/{batch}/2", answer()).status_code == 401
    judge_all(ben, batch, BEST)
    rows = judgements.readable(bench.store, bench.boss, project)
    assert [row.comment for row in rows if row.evaluator == "ana"] == ["of ana"]
    assert "ana" in bench.owner.get(f"/projects/{project}/export/csv").text
    assert "ana <b>" in bench.owner.get(f"/batches/{batch}").text
    (noted,) = bench.store.rows("SELECT detail FROM audit WHERE action = 'evaluator removed'")
    assert json.loads(noted["detail"]) == {"person": bench.person("ana").id, "submitted": [batch]}


def test_an_unused_link_of_a_removed_person_does_not_open(bench: Bench, project: int) -> None:
    page = bench.owner.post(f"/projects/{project}/people", {"name": "ana"}).text
    link = re.search(r"/enter/([\w-]+)", page)
    assert link
    remove(bench, project, "ana", sure="yes")
    assert Visitor(bench.app).get(f"/enter/{link[1]}").status_code == 404


def test_a_person_of_two_projects_leaves_only_the_one(bench: Bench, project: int) -> None:
    other = bench.project()
    ana = bench.visitor("ana", project)
    invited = bench.owner.post(f"/projects/{other}/people", {"name": "ana"}).text
    assert "ana is logged in already" in invited
    assert "/enter/" not in invited
    first, second = bench.batch(project, "ana"), bench.batch(other, "ana")
    remove(bench, project, "ana", sure="yes")
    page = ana.get("/").text
    assert f"/judge/{second}" in page
    assert f"/judge/{first}" not in page
    for path in ("", "/all", "/1", "/compare"):
        assert ana.get(f"/judge/{first}{path}").status_code == 404, path
    assert ana.send(f"/judge/{first}/1", answer()).status_code == 404
    assert ana.post(f"/judge/{first}/reopen").status_code == 404
    assert ana.send(f"/judge/{second}/1", answer()).status_code == 200


def test_a_removed_person_can_be_invited_again(bench: Bench, project: int) -> None:
    ana = bench.visitor("ana", project)
    batch = bench.batch(project, "ana", "owner", overlap=2)
    ana.send(f"/judge/{batch}/1", answer())
    remove(bench, project, "ana", sure="yes")
    before = bench.person("ana").id
    page = bench.owner.post(f"/projects/{project}/people", {"name": "ana"}).text
    link = re.search(r"/enter/([\w-]+)", page)
    assert link
    ana.enter(link[1])
    assert bench.person("ana").id == before
    assert ana.post(f"/judge/{batch}/reopen").status_code == 303
    assert ana.send(f"/judge/{batch}/2", answer()).status_code == 200


def test_a_removed_person_is_not_drawn_for_new_batches(bench: Bench, project: int) -> None:
    bench.visitor("ana", project)
    remove(bench, project, "ana", sure="yes")
    data = {"kind": "main", "person": str(bench.person("ana").id)}
    refused = bench.owner.post(f"/projects/{project}/batches", data)
    assert "choose at least one evaluator" in refused.text
    assert batches.visible(bench.store, bench.boss, project) == []


@pytest.mark.parametrize("what", ["", "/end", "/remove"])
def test_the_owner_and_strangers_can_not_be_removed_or_logged_out(
    bench: Bench, project: int, what: str
) -> None:
    other = bench.project()
    ana = bench.visitor("ana", other)
    for person in (bench.boss.id, bench.person("ana").id, 99):
        path = f"/projects/{project}/people/{person}{what}"
        assert bench.owner.post(path, {"sure": "yes"}).status_code == 404
    assert ana.get("/").status_code == bench.owner.get("/").status_code == 200
    path = f"/projects/{other}/people/{bench.person('ana').id}{what}"
    assert ana.post(path, {"sure": "yes"}).status_code == 403


def test_sessions_of_an_old_database_go_on(tmp_path: Path) -> None:
    made = sqlite3.connect(tmp_path / "old.db")
    for step in STEPS[:2]:
        made.executescript(step.statements)
    made.execute("PRAGMA user_version=2")
    made.execute("PRAGMA application_id=0x43687253")
    made.execute("INSERT INTO people (id, name, role, made) VALUES (1, 'owner', 'owner', '')")
    made.execute(
        "INSERT INTO sessions (digest, person, made, ends) "
        "VALUES (?, 1, '2020-01-01', '2999-01-01T00:00:00.000+00:00')",
        (people.digest("token"),),
    )
    made.commit()
    made.close()
    store = Store(tmp_path / "old.db")
    assert people.session(store, "token") == people.owner(store)
    store.close()
