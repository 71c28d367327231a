"""Blind by construction: who can read which answers, at each stage of a batch."""

import re
from pathlib import Path

import pytest
from workbench.bench import BEST, WORST, Bench, Visitor, answer, judge_all

from chronoscore import workbench
from chronoscore.workbench.store import adjudication, batches, judgements, pooled

SOURCES = Path(workbench.__file__).parent


@pytest.fixture
def shared(bench: Bench) -> tuple[int, Visitor, Visitor, int]:
    """A project with a batch that two evaluators judge, and both of them."""
    project = bench.project()
    ana, ben = bench.visitor("ana", project), bench.visitor("ben", project)
    return project, ana, ben, bench.batch(project, "ana", "ben", overlap=2)


def test_judgements_are_asked_for_in_two_modules_only() -> None:
    for path in SOURCES.rglob("*.py"):
        if path.name in ("judgements.py", "pooled.py", "schema.py"):
            continue
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"(FROM|JOIN|INTO) judgements", text), path


def test_every_question_of_judgements_names_its_viewer() -> None:
    import inspect

    for name, function in inspect.getmembers(judgements, inspect.isfunction):
        if function.__module__ != judgements.__name__ or name.startswith("_"):
            continue
        if name not in ("no_answer", "judgement_of", "add_imported"):
            assert "viewer" in inspect.signature(function).parameters, name


def test_an_evaluator_reads_only_their_own_before_adjudication(
    bench: Bench, shared: tuple[int, Visitor, Visitor, int]
) -> None:
    project, ana, ben, batch = shared
    judge_all(ana, batch, BEST)
    judge_all(ben, batch, WORST)
    one = bench.person("ana")
    rows = judgements.readable(bench.store, one, project)
    assert {row.evaluator for row in rows} == {"ana"}
    values = judgements.values_in(bench.store, one, batch)
    assert [len(given) for given in values.values()] == [1] * 4
    for event in values:
        said = judgements.of_event(bench.store, one, batch, event)
        assert [person.name for person, _ in said] == ["ana"]
    assert adjudication.agreed_in(bench.store, one, batch) == {}
    assert ana.get(f"/judge/{batch}/compare").status_code == 409


def test_the_owner_reads_nothing_until_all_have_submitted(
    bench: Bench, shared: tuple[int, Visitor, Visitor, int]
) -> None:
    project, ana, ben, batch = shared
    judge_all(ana, batch, {**BEST, "Eval_EventType": 0})
    ben.send(f"/judge/{batch}/1", answer(WORST, comment="ben says no"))
    assert judgements.readable(bench.store, bench.boss, project) == []
    assert judgements.values_in(bench.store, bench.boss, batch) == {}
    review = bench.owner.get(f"/batches/{batch}").text
    assert "still judging" in review
    assert "ben says no" not in review
    assert bench.owner.get(f"/batches/{batch}/events/1").status_code == 404
    page = bench.owner.get(f"/projects/{project}/agreement").text
    assert "evaluators are not named" in page
    assert ">ana<" not in page
    assert bench.owner.get(f"/projects/{project}/export/csv").text.count("\n") == 1
    judge_all_rest(ben, batch)
    assert len(judgements.readable(bench.store, bench.boss, project)) == 8
    assert "ana <b>" in bench.owner.get(f"/batches/{batch}").text


def judge_all_rest(visitor: Visitor, batch: int) -> None:
    for place in range(2, 5):
        visitor.send(f"/judge/{batch}/{place}", answer(WORST, save=f"rest-{place:08}"))
    assert visitor.post(f"/judge/{batch}/submit", {"sure": "yes"}).status_code == 303


def test_the_owner_who_judges_too_is_as_blind(bench: Bench) -> None:
    project = bench.project()
    ana = bench.visitor("ana", project)
    batch = bench.batch(project, "owner", "ana", overlap=2)
    judge_all(ana, batch)
    bench.owner.send(f"/judge/{batch}/1", answer())
    assert judgements.readable(bench.store, bench.boss, project) == []
    page = bench.owner.get(f"/projects/{project}/agreement").text
    assert "You judge a batch yourself" in page
    assert "<table" not in page, "with few events, agreement would tell the other's answers"
    for event in judgements.values_in(bench.store, bench.boss, batch):
        said = judgements.of_event(bench.store, bench.boss, batch, event)
        assert [person.name for person, _ in said] == ["owner"]


def test_pooled_answers_have_letters_and_no_texts(
    bench: Bench, shared: tuple[int, Visitor, Visitor, int]
) -> None:
    project, ana, _, batch = shared
    ana.send(f"/judge/{batch}/1", answer(comment="I am ana"))
    (one,) = pooled.answers(bench.store, project)
    assert (one.evaluator, one.comment, one.text) == ("A", "", "")


def test_a_reopened_batch_is_as_blind_as_one_that_was_never_closed(
    bench: Bench, shared: tuple[int, Visitor, Visitor, int]
) -> None:
    project, ana, ben, batch = shared
    judge_all(ana, batch, BEST)
    judge_all(ben, batch, lambda place: BEST if place > 1 else WORST)
    sure = {"sure": "yes"}
    assert bench.owner.post(f"/batches/{batch}/finish", sure).status_code == 303
    one = bench.person("ana")
    assert len(adjudication.agreed_in(bench.store, one, batch)) == 3
    assert {len(said) for said in judgements.values_in(bench.store, one, batch).values()} == {2}
    assert bench.owner.post(f"/batches/{batch}/reopen", sure).status_code == 303
    assert adjudication.agreed_in(bench.store, one, batch) == {}
    assert {len(said) for said in judgements.values_in(bench.store, one, batch).values()} == {1}
    assert {row.evaluator for row in judgements.readable(bench.store, one, project)} == {"ana"}
    assert ana.get(f"/judge/{batch}/compare").status_code == 409
    assert "compare" not in ana.get("/").text
    assert "compare" not in ana.get(f"/judge/{batch}/all").text
    assert len(judgements.readable(bench.store, bench.boss, project)) == 8, "the owner reviews it"
    path = f"/batches/{batch}/people/{one.id}/give-back"
    assert bench.owner.post(path, sure).status_code == 303
    assert judgements.readable(bench.store, bench.boss, project) == []
    assert judgements.values_in(bench.store, bench.boss, batch) == {}
    assert adjudication.agreed_judgements(bench.store, bench.boss, project) == []
    assert "ana <b>" not in bench.owner.get(f"/batches/{batch}").text
    assert bench.owner.get(f"/projects/{project}/export/csv").text.count("\n") == 1
    assert "evaluators are not named" in bench.owner.get(f"/projects/{project}/agreement").text
    event = bench.store.value("SELECT min(event) FROM tasks")
    assert bench.owner.get(f"/batches/{batch}/events/{event}").status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        *("/batches/{batch}/reopen", "/batches/{batch}/people/{person}/give-back"),
        *("/batches/{batch}/people/{person}/submit", "/batches/{batch}/finish"),
        *("/projects/1/people/{person}/bring-back", "/projects/1/archive"),
        *("/projects/1/unarchive", "/projects/1/events", "/results/x/purge"),
    ],
)
def test_no_evaluator_undoes_or_confirms_what_is_the_owner_s(
    bench: Bench, shared: tuple[int, Visitor, Visitor, int], path: str
) -> None:
    _, ana, _, batch = shared
    address = path.format(batch=batch, person=bench.person("ana").id)
    before = bench.count("audit")
    assert ana.post(address, {"sure": "yes"}).status_code == 403
    assert ana.post(address).status_code == 403
    assert bench.count("audit") == before


def test_a_question_before_handing_in_tells_nothing_of_the_others(
    bench: Bench, shared: tuple[int, Visitor, Visitor, int]
) -> None:
    _, ana, ben, batch = shared
    for place in range(1, 5):
        ana.send(f"/judge/{batch}/{place}", answer(save=f"mine-{place:08}"))
    ben.send(f"/judge/{batch}/1", answer(WORST, comment="a secret of ben"))
    asked = ana.post(f"/judge/{batch}/submit").text
    assert "Submit?" in asked
    for secret in ("ben", "alpha", "a secret", "e0"):
        assert not re.search(rf"\b{secret}\b", asked), secret


def test_after_adjudication_only_those_of_the_batch_see_it(
    bench: Bench, shared: tuple[int, Visitor, Visitor, int]
) -> None:
    project, ana, ben, batch = shared
    cleo = bench.visitor("cleo", project)
    judge_all(ana, batch)
    judge_all(ben, batch)
    assert bench.owner.post(f"/batches/{batch}/finish", {"sure": "yes"}).status_code == 303
    assert "4 of 4" in re.sub(r"<.*?>", "", ana.get(f"/judge/{batch}/compare").text)
    assert cleo.get(f"/judge/{batch}/compare").status_code == 404
    assert adjudication.agreed_in(bench.store, bench.person("cleo"), batch) == {}
    assert judgements.values_in(bench.store, bench.person("cleo"), batch) == {}
    assert batches.find(bench.store, bench.person("cleo"), batch) is None
