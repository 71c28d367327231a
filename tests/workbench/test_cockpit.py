"""The lead's page: who is how far, many invited at once, and the batch that a study needs next."""

import re

import pytest
from workbench.bench import (
    BEST,
    WORST,
    Bench,
    Visitor,
    answer,
    demo_files,
    judge_all,
    small,
    text_of,
)

from chronoscore.workbench import overview
from chronoscore.workbench.store import adjudication, batches, people, pooled, projects
from chronoscore.workbench.store.batches import BatchPlan


def shown_of(bench: Bench, project: int) -> overview.ProjectOverview:
    found = projects.find(bench.store, project)
    assert found is not None
    return overview.project_overview(bench.store, bench.boss, found)


def row_of(bench: Bench, project: int, name: str) -> overview.PersonRow:
    shown = shown_of(bench, project)
    return next(row for row in shown.people if row.person.name == name)


def next_name(bench: Bench, project: int) -> str:
    shown = shown_of(bench, project)
    return shown.next.name if shown.next else ""


# Steps of a real project


def test_a_project_walks_through_all_steps(bench: Bench) -> None:
    project = bench.project(demo_files())
    names = []
    names.append(next_name(bench, project))
    visitors = {name: bench.visitor(name, project) for name in ("ana", "ben")}
    names.append(next_name(bench, project))
    first = bench.batch(project, *visitors, kind="calibration", size=10)
    for name, visitor in visitors.items():
        names.append(next_name(bench, project))
        judge_all(visitor, first, BEST if name == "ana" else WORST)
    names.append(next_name(bench, project))
    assert (
        bench.owner.post(f"/batches/{first}/finish", {"anyway": "yes", "sure": "yes"}).status_code
        == 303
    )
    names.append(next_name(bench, project))
    main = bench.batch(project, *visitors, overlap=2)
    for visitor in visitors.values():
        names.append(next_name(bench, project))
        judge_all(visitor, main)
    names.append(next_name(bench, project))
    assert bench.owner.post(f"/batches/{main}/finish", {"sure": "yes"}).status_code == 303
    names.append(next_name(bench, project))
    bench.owner.get(f"/projects/{project}/export/zip")
    names.append(next_name(bench, project))
    assert names == [
        *("people", "calibration", "calibration", "calibration", "talk"),
        *("main", "main", "main", "settle", "export", ""),
    ]
    again = bench.batch(project, "ana", kind="retest", size=3)
    assert next_name(bench, project) == "main"
    judge_all(visitors["ana"], again)
    bench.owner.post(f"/batches/{again}/finish", {"sure": "yes"})
    assert next_name(bench, project) == "export", "what changed after the export is not exported"


def test_the_page_says_what_the_next_step_needs(bench: Bench) -> None:
    project = bench.project(demo_files())
    assert "invite at least two people" in bench.owner.get(f"/projects/{project}").text
    ana = bench.visitor("ana", project)
    bench.visitor("ben", project)
    page = bench.owner.get(f"/projects/{project}").text
    size = overview.calibration_size(batches.free_articles(bench.store, project, 0))
    assert f"Next: calibration: {size} events by all 2" in page
    batch = bench.batch(project, "ana", "ben", kind="calibration", size=4)
    ana.send(f"/judge/{batch}/1", answer())
    (share,) = {one.events for one in batches.shares(bench.store, batch)}
    wanted = f"ben has {share} events and ana has {share - 1} events left in calibration 1."
    assert wanted in bench.owner.get(f"/projects/{project}").text


def test_the_first_page_has_the_next_step_of_each_project_and_the_form_last(bench: Bench) -> None:
    project = bench.project()
    bench.batch(project, "owner")
    bench.owner.send("/judge/1/1", answer())
    page = text_of(bench.owner.get("/").text)
    assert "1 of 4 judged next: main" in page
    assert page.index("next: main") < page.index("New project")


# The table of people


def test_counts_are_of_what_was_saved_last(bench: Bench) -> None:
    project = bench.project(small(6))
    ana = bench.visitor("ana", project)
    bench.visitor("ben", project)
    batch = bench.batch(project, "ana", "ben", overlap=2)
    ana.send(f"/judge/{batch}/1", answer(flag=True))
    ana.send(f"/judge/{batch}/2", answer({**BEST, "Eval_EventType": None}, flag=True))
    ana.send(f"/judge/{batch}/1", answer(WORST, version=1, save="changed-its-mind"))
    row = row_of(bench, project, "ana")
    assert (row.judged, row.assigned, row.flags) == (1, 6, 1)
    other = row_of(bench, project, "ben")
    assert (other.judged, other.assigned, other.flags, other.pace) == (0, 6, 0, 0)


def test_the_pace_is_the_median_gap_without_breaks(bench: Bench) -> None:
    project = bench.project(small(8))
    ana = bench.visitor("ana", project)
    batch = bench.batch(project, "ana", overlap=1)
    seconds = [0, 20, 60, 2000, 2030, 2130]  # gaps of 20, 40, a break, 30 and 100
    person = bench.person("ana").id
    for place, second in enumerate(seconds, 1):
        bench.store.insert(
            "judgements",
            **{"batch": batch, "person": person, "version": 1, "said": "[1]", "complete": 1},
            **{"comment": "", "flag": 0, "save": f"s{place}", "event": place},
            at=f"2024-03-04T10:{second // 60:02}:{second % 60:02}.000+00:00",
        )
    row = row_of(bench, project, "ana")
    assert (row.pace, row.an_hour) == (35_000, 103)
    assert row.judged == 6
    assert "35 s each" in text_of(bench.owner.get(f"/projects/{project}").text)
    assert ana.get("/").status_code == 200


def test_counts_name_nobody_and_hold_no_answer(bench: Bench) -> None:
    project = bench.project()
    ana = bench.visitor("ana", project)
    batch = bench.batch(project, "ana")
    ana.send(f"/judge/{batch}/1", answer(comment="secret words"))
    (counts,) = pooled.share_counts(bench.store, project)
    assert "ana" not in repr(counts)
    for path in (f"/projects/{project}", f"/projects/{project}/progress"):
        page = bench.owner.get(path).text
        assert "1 of 4" in text_of(page)
        assert "secret words" not in page


def test_differences_are_not_counted_before_all_have_submitted(bench: Bench) -> None:
    project = bench.project()
    ana, ben = bench.visitor("ana", project), bench.visitor("ben", project)
    batch = bench.batch(project, "ana", "ben", overlap=2)
    judge_all(ana, batch, BEST)
    for place in range(1, 5):
        ben.send(f"/judge/{batch}/{place}", answer(WORST, save=f"ben-{place:08}"))
    assert pooled.open_differences(bench.store, project) == {}
    assert ben.post(f"/judge/{batch}/submit", {"sure": "yes"}).status_code == 303
    assert pooled.open_differences(bench.store, project) == {batch: 4}


def test_differences_are_counted_as_the_page_that_settles_them_does(bench: Bench) -> None:
    project = bench.project(small(6))
    ana, ben = bench.visitor("ana", project), bench.visitor("ben", project)
    batch = bench.batch(project, "ana", "ben", overlap=2)
    numbers = {one.event.id: one.number for one in projects.events(bench.store, project)}

    def check(differences: int) -> None:
        drawn = batches.find(bench.store, bench.boss, batch)
        found = projects.find(bench.store, project)
        assert drawn is not None
        assert found is not None
        queue = adjudication.review_queue(bench.store, bench.boss, drawn, found.codebook)
        assert sum(bool(one.criteria) and one.agreed is None for one in queue) == differences
        counted = pooled.open_differences(bench.store, project).get(batch, 0)
        assert counted == (differences if drawn.stage == "review" else 0)

    judge_all(ana, batch)
    judge_all(ben, batch, lambda place: WORST if place < 4 else BEST)
    check(3)
    row = bench.store.row("SELECT event FROM tasks WHERE place = 1 AND person = 3")
    assert row is not None
    assert row["event"] in numbers.values()
    data = {f"value-{field}": str(value) for field, value in BEST.items()}
    data |= {"save": "settled-12", "version": "0"}
    assert bench.owner.post(f"/batches/{batch}/events/{row['event']}", data).status_code == 303
    check(2)
    closing = {"anyway": "yes", "sure": "yes"}
    assert bench.owner.post(f"/batches/{batch}/finish", closing).status_code == 303
    assert pooled.open_differences(bench.store, project) == {}, "a closed batch has none"
    assert bench.owner.post(f"/batches/{batch}/reopen", {"sure": "yes"}).status_code == 303
    check(2)


def test_the_state_of_each_login_is_shown(bench: Bench) -> None:
    project = bench.project()
    assert "you" in row_of(bench, project, "owner").login
    bench.owner.post(f"/projects/{project}/people", {"name": "ana"})
    assert row_of(bench, project, "ana").login.startswith("link not used yet, ends 20")
    bench.visitor("ben", project)
    assert row_of(bench, project, "ben").login == "logged in"
    bench.owner.post(f"/projects/{project}/people/{bench.person('ben').id}/end")
    assert row_of(bench, project, "ben").login == "logged out: needs a new link"


def test_the_fragment_is_for_the_owner_and_is_no_whole_page(bench: Bench) -> None:
    project = bench.project()
    ana = bench.visitor("ana", project)
    assert ana.get(f"/projects/{project}/progress").status_code == 403
    page = bench.owner.get(f"/projects/{project}/progress").text
    assert "<html" not in page
    assert "ana" in page
    assert bench.owner.get("/projects/99/progress").status_code == 404


# Invitations


def invited(page: str) -> dict[str, str]:
    """The links that a page shows, by name."""
    found = re.findall(
        r'value="http://127.0.0.1:8765/enter/([\w-]+)" aria-label="Link for (.*?)"', page
    )
    return {name: token for token, name in found}


def test_many_are_invited_at_once_and_each_link_opens(bench: Bench) -> None:
    project = bench.project()
    text = "Ana Silva\r\n Ben ;Cleo,  Dan\n\n"
    page = bench.owner.post(f"/projects/{project}/people", {"name": text}).text
    links = invited(page)
    assert [*links] == ["Ana Silva", "Ben", "Cleo", "Dan"]
    for name, token in links.items():
        assert f"{name}\thttp://127.0.0.1:8765/enter/{token}\n" in page
        assert name in Visitor(bench.app).enter(token).text


@pytest.mark.parametrize(
    ("names", "problems"),
    [
        ("ana\nben\nana", ["&#39;ana&#39; is there twice"]),
        ("ana\nagreed", ["&#39;agreed&#39;: "]),
        (f"ana\n{'x' * 81}\nagreed", ["xxx", "&#39;agreed&#39;: "]),
        (" \n,;\n", ["write at least one name"]),
        ("\n".join(f"n{n}" for n in range(101)), ["101 names: invite at most 100"]),
        ("ana\nmodel-1", ["model-1 is a model"]),
        ("agreed\nmodel-1", ["&#39;agreed&#39;: ", "model-1 is a model"]),
    ],
)
def test_with_a_problem_nobody_is_added(bench: Bench, names: str, problems: list[str]) -> None:
    project = bench.project()
    people.find_or_add(bench.store, "model-1", "llm")
    before = bench.count("people"), bench.count("members"), bench.count("links")
    page = bench.owner.post(f"/projects/{project}/people", {"name": names})
    assert page.status_code == 422
    for problem in problems:
        assert problem in page.text
    assert (bench.count("people"), bench.count("members"), bench.count("links")) == before


def test_who_is_logged_in_or_has_a_link_keeps_it(bench: Bench) -> None:
    project = bench.project()
    bench.visitor("ana", project)
    first = invited(bench.owner.post(f"/projects/{project}/people", {"name": "ben"}).text)["ben"]
    page = bench.owner.post(f"/projects/{project}/people", {"name": "ana, ben, cleo"}).text
    assert [*invited(page)] == ["cleo"]
    assert "ana is logged in already" in page
    assert "ben has a link that was not used yet" in page
    assert "ben" in Visitor(bench.app).enter(first).text


# The batch that is proposed


def proposal(bench: Bench, project: int) -> BatchPlan:
    shown = shown_of(bench, project)
    found = projects.find(bench.store, project)
    assert found is not None
    drawn = [row.batch for row in shown.batches]
    return overview.propose(bench.store, found, shown.people, drawn)


def test_calibration_by_all_comes_first_then_main_with_overlap_two(bench: Bench) -> None:
    project = bench.project(demo_files())
    for name in ("ana", "ben", "cleo"):
        bench.visitor(name, project)
    ids = tuple(bench.person(name).id for name in ("ana", "ben", "cleo"))
    plan = proposal(bench, project)
    assert (plan.kind, plan.people) == ("calibration", ids), "the owner does not judge"
    assert plan.size * 5 <= 134
    bench.batch(project, "ana", "ben", "cleo", kind="calibration", size=plan.size)
    assert proposal(bench, project) == BatchPlan("main", ids, overlap=2)


def test_the_owner_alone_judges_alone(bench: Bench) -> None:
    project = bench.project()
    assert proposal(bench, project) == BatchPlan("main", (bench.boss.id,), overlap=1)
    assert "There is nobody but you yet" in bench.owner.get(f"/projects/{project}").text


@pytest.mark.parametrize("kind", ["calibration", "main", "retest"])
@pytest.mark.parametrize("seed", [0, 5])
def test_what_is_said_of_a_batch_is_what_is_drawn(bench: Bench, kind: str, seed: int) -> None:
    project = bench.project(demo_files())
    names = ("ana", "ben", "cleo")
    for name in names:
        bench.visitor(name, project)
    if kind == "retest":
        bench.batch(project, *names, overlap=2)
    ids = tuple(bench.person(name).id for name in names)
    size = 0 if kind == "main" else 9
    plan = BatchPlan(kind, ids, 2, seed, size)  # type: ignore[arg-type]
    before = bench.count("tasks"), bench.count("batches"), bench.count("audit")
    said = batches.preview(bench.store, project, plan)
    assert (bench.count("tasks"), bench.count("batches"), bench.count("audit")) == before
    batch = batches.draw(bench.store, bench.boss.id, project, plan)
    drawn = {one.person.id: one.events for one in batches.shares(bench.store, batch)}
    assert said == drawn


def test_the_form_says_the_numbers_and_its_button_makes_that_batch(bench: Bench) -> None:
    project = bench.project(demo_files())
    for name in ("ana", "ben"):
        bench.visitor(name, project)
    people_ids = "&".join(f"person-{bench.person(name).id}=yes" for name in ("ana", "ben"))
    query = f"kind=main&overlap=1&seed=3&size=0&{people_ids}"
    draft = bench.owner.get(f"/projects/{project}/draft?{query}").text
    whole = bench.owner.get(f"/projects/{project}?{query}").text
    (sentence,) = re.findall(r"134 events, each by one of 2 people .*?seed 3\.", draft)
    assert sentence in whole
    data: dict[str, list[str]] = {}
    for name, value in re.findall(r'type="hidden" name="(\w+)" value="(.*?)"', draft):
        data.setdefault(name, []).append(value)
    assert bench.owner.post(f"/projects/{project}/batches", data).status_code == 303
    loads = [one.events for one in batches.shares(bench.store, 1)]
    assert sum(loads) == 134
    assert f"{min(loads)} to {max(loads)} events for each person" in sentence or (
        f"{max(loads)} events for each person" in sentence
    )


def test_a_batch_that_can_not_be_made_has_no_button(bench: Bench) -> None:
    project = bench.project()
    draft = bench.owner.get(f"/projects/{project}/draft?kind=main&overlap=3&person-1=yes").text
    assert "the overlap is 3" in draft
    assert "<button" not in draft


def test_a_size_that_is_no_number_is_explained_at_the_form(bench: Bench) -> None:
    project = bench.project()
    for page in ("", "/draft"):
        shown = bench.owner.get(f"/projects/{project}{page}?kind=main&size=many")
        assert shown.status_code == 200
        problem = "This batch can't be made: size is &#39;many&#39;, expected a whole number."
        assert problem in shown.text
    sent = bench.owner.post(f"/projects/{project}/batches", {"kind": "main", "size": "many"})
    assert sent.status_code == 422
    assert "This was not done" in sent.text
    assert "expected a whole number" in sent.text
