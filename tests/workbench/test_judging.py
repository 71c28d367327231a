"""Judging with forms and with scripts: versions, conflicts, undo, history, progress."""

import json
import re

import pytest
from workbench.bench import BEST, WORST, Bench, answer, demo_files, judge_all, lines, small

from chronoscore.demo import SYSTEMS


@pytest.fixture
def work(bench: Bench) -> int:
    """A batch of four events for the owner."""
    return bench.batch(bench.project(), "owner")


def form(values: dict[str, int], version: int = 0, **more: str) -> dict[str, str]:
    made = {f"value-{field}": str(value) for field, value in values.items()}
    return {**made, "version": str(version), "save": f"form-{version}-{len(more)}", **more}


def test_a_plain_form_judges_and_goes_on(bench: Bench, work: int) -> None:
    page = bench.owner.get(f"/judge/{work}")
    assert page.headers["location"] == f"/judge/{work}/1"
    done = bench.owner.post(f"/judge/{work}/1", form(BEST, comment="fine", chip="wrong type"))
    assert done.headers["location"] == f"/judge/{work}/2"
    assert bench.owner.get(f"/judge/{work}").headers["location"] == f"/judge/{work}/2"
    shown = bench.owner.get(f"/judge/{work}/1").text
    assert "wrong type; fine" in shown
    assert len(re.findall(r'type="radio"[^>]* checked', shown)) == 5


def test_the_same_save_twice_is_one_row(bench: Bench, work: int) -> None:
    first = bench.owner.send(f"/judge/{work}/1", answer())
    again = bench.owner.send(f"/judge/{work}/1", answer())
    assert first.json() == again.json()
    assert bench.count("judgements") == 1


def test_a_save_s_name_may_be_used_again_for_another_event(bench: Bench, work: int) -> None:
    for place in (1, 2):
        done = bench.owner.send(f"/judge/{work}/{place}", answer(save="same-name"))
        assert done.json()["version"] == 1
    assert bench.count("judgements") == 2


def test_a_save_may_follow_one_whose_version_is_not_known_yet(bench: Bench, work: int) -> None:
    path = f"/judge/{work}/1"
    bench.owner.send(path, answer(BEST, save="save-one"))
    following = {**answer(WORST, save="save-two"), "after": "save-one"}
    assert bench.owner.send(path, following).json()["version"] == 2
    assert bench.owner.send(path, following).json()["version"] == 2
    assert bench.count("judgements") == 2


@pytest.mark.parametrize("after", ["", "save-one", "unknown-save", "save-elsewhere"])
def test_a_save_overwrites_no_other_save_than_the_one_it_follows(
    bench: Bench, work: int, after: str
) -> None:
    path = f"/judge/{work}/1"
    bench.owner.send(path, answer(BEST, save="save-one"))
    bench.owner.send(path, answer(WORST, 1, save="save-of-another-tab"))
    bench.owner.send(f"/judge/{work}/2", answer(BEST, save="save-elsewhere"))
    changed = {**answer(BEST, save="save-three", comment="changed"), "after": after}
    conflict = bench.owner.send(path, changed)
    assert conflict.status_code == 409
    assert conflict.json()["values"] == WORST
    assert bench.count("judgements") == 3


def test_a_stale_save_is_a_conflict_that_shows_both(bench: Bench, work: int) -> None:
    assert bench.owner.send(f"/judge/{work}/1", answer(BEST)).json()["version"] == 1
    stale = bench.owner.send(f"/judge/{work}/1", answer(WORST))
    assert stale.status_code == 409
    assert stale.json()["values"] == BEST
    page = bench.owner.post(f"/judge/{work}/1", form(WORST, comment="mine here"))
    assert page.status_code == 409
    assert "saved elsewhere meanwhile" in page.text
    assert "mine here" in page.text
    assert bench.count("judgements") == 1
    kept = bench.owner.send(f"/judge/{work}/1", answer(WORST, version=1))
    assert kept.json()["version"] == 2


def test_a_stale_save_that_says_the_same_is_no_conflict(bench: Bench, work: int) -> None:
    bench.owner.send(f"/judge/{work}/1", answer(BEST))
    same = bench.owner.send(f"/judge/{work}/1", answer(BEST, save="another-tab"))
    assert (same.status_code, same.json()["version"]) == (200, 1)


def test_undo_brings_back_what_was_said_before_and_keeps_the_history(
    bench: Bench, work: int
) -> None:
    bench.owner.send(f"/judge/{work}/1", answer(BEST))
    bench.owner.send(f"/judge/{work}/1", answer(WORST, version=1))
    assert bench.owner.post(f"/judge/{work}/1/undo").status_code == 303
    rows = bench.store.rows("SELECT said FROM judgements ORDER BY version")
    assert [row["said"] for row in rows] == ["[1,1,1,3,3]", "[0,0,0,1,1]", "[1,1,1,3,3]"]
    assert "3 saves" in bench.owner.get(f"/judge/{work}/1").text


def test_undo_of_the_first_save_leaves_the_event_open(bench: Bench, work: int) -> None:
    bench.owner.send(f"/judge/{work}/1", answer(BEST))
    bench.owner.post(f"/judge/{work}/1/undo")
    assert bench.owner.get(f"/judge/{work}").headers["location"] == f"/judge/{work}/1"
    assert "0 of 4 events judged" in bench.owner.get(f"/judge/{work}/all").text


def test_an_unfinished_answer_is_kept_and_does_not_count(bench: Bench, work: int) -> None:
    part = {"Eval_DateCorrect": 1, "Eval_RootEvent": None}
    assert bench.owner.send(f"/judge/{work}/1", answer(part)).json()["complete"] is False
    assert "0 of 4 events judged" in bench.owner.get(f"/judge/{work}/all").text
    assert bench.owner.post(f"/judge/{work}/submit", {"sure": "yes"}).status_code == 409


def test_what_was_submitted_can_not_be_changed(bench: Bench, work: int) -> None:
    judge_all(bench.owner, work)
    late = bench.owner.send(f"/judge/{work}/1", answer(WORST, version=1))
    assert late.status_code == 423
    assert bench.owner.post(f"/judge/{work}/1/undo").status_code == 423
    assert bench.count("judgements") == 4


def test_an_acknowledged_save_is_acknowledged_again_after_handing_in(
    bench: Bench, work: int
) -> None:
    judge_all(bench.owner, work)
    again = bench.owner.send(f"/judge/{work}/1", answer(BEST, save="judge-00000001"))
    assert again.status_code == 200


def test_a_submission_can_be_taken_back_while_others_judge(bench: Bench) -> None:
    project = bench.project()
    ana = bench.visitor("ana", project)
    batch = bench.batch(project, "owner", "ana", overlap=2)
    judge_all(ana, batch)
    assert ana.post(f"/judge/{batch}/reopen").status_code == 303
    assert ana.send(f"/judge/{batch}/1", answer(WORST, version=1)).status_code == 200
    judge_all(bench.owner, batch)
    assert ana.post(f"/judge/{batch}/submit", {"sure": "yes"}).status_code == 303
    assert ana.post(f"/judge/{batch}/reopen").status_code == 409


@pytest.mark.parametrize(
    "wrong",
    [
        {"values": {"Eval_DateCorrect": 2}},
        {"values": {"Eval_DateCorrect": True}},
        {"values": {"Eval_DateCorrect": "1"}},
        {"values": {"Other": 1}},
        {"save": ""},
        {"save": "x" * 65},
        {"version": -1},
        {"version": 10**30},
        {"comment": "x" * 4001},
        {"more": 1},
    ],
    ids=str,
)
def test_a_wrong_answer_is_refused(bench: Bench, work: int, wrong: dict[str, object]) -> None:
    assert bench.owner.send(f"/judge/{work}/1", {**answer(), **wrong}).status_code == 400
    assert bench.count("judgements") == 0


def test_score_is_hidden_unless_the_project_shows_it(bench: Bench) -> None:
    project = bench.project()
    batch = bench.batch(project, "owner")
    bench.owner.send(f"/judge/{batch}/1", answer())
    assert 'class="score"' not in bench.owner.get(f"/judge/{batch}/1").text
    bench.owner.post(f"/projects/{project}", {"name": "News", "show_score": "yes"})
    assert "EQS <b>1.000</b>" in bench.owner.get(f"/judge/{batch}/1").text


def test_the_page_shows_evidence_times_and_what_they_mean(bench: Bench, work: int) -> None:
    page = bench.owner.get(f"/judge/{work}/1?said=last+Monday").text
    assert '<mark class="evidence">A bridge fell</mark>' in page
    assert 'data-days="2024-03-04..2024-03-04' in page
    assert "March 2024" in page
    assert "<b>2024-03-04</b> the last one before publication" in page
    told = bench.owner.get("/dates?published=2024-03-07&said=yesterday").json()
    assert [one["first"] for one in told["means"]] == ["2024-03-06"]


def test_there_are_no_hints_for_an_article_in_another_language(bench: Bench) -> None:
    (events, (kind, (name, articles))) = small()
    german = [{**json.loads(line), "language": "de"} for line in articles.splitlines()]
    work = bench.batch(bench.project([events, (kind, (name, lines(german)))]), "owner")
    page = bench.owner.get(f"/judge/{work}/1?said=last+Monday").text
    assert "This article is not in English: dates in words are not resolved." in page
    assert "data-days" not in page
    assert "the last one before publication" not in page
    assert 'id="resolve"' not in page
    query = "/dates?published=2024-03-07&said=yesterday&language="
    assert bench.owner.get(f"{query}de").json() == {"means": []}
    assert len(bench.owner.get(f"{query}en").json()["means"]) == 1
    assert bench.owner.get(f"{query}English").status_code == 422


def test_no_page_of_an_evaluator_names_a_system(bench: Bench) -> None:
    files = [(kind, (f"model-{name}", made)) for kind, (name, made) in demo_files()]
    project = bench.project(files)
    ana = bench.visitor("ana", project)
    batch = bench.batch(project, "ana", size=40)
    overview = ana.get(f"/judge/{batch}/all").text
    assert len(re.findall('href="/judge/1/[0-9]+"', overview)) >= 40
    ids = [row["id"] for row in bench.store.rows("SELECT id FROM events")]
    for path in ("/", f"/judge/{batch}/all", *(f"/judge/{batch}/{n}" for n in range(1, 9))):
        page = ana.get(path).text
        assert not [system for system in SYSTEMS if f"model-{system}" in page]
        assert not [one for one in ids if one in page], "ids begin with the system's name"


def test_code_in_the_guidance_of_the_codebook_is_shown_as_code(bench: Bench) -> None:
    project = bench.project()
    ana = bench.visitor("ana", project)
    batch = bench.batch(project, "ana")
    page = ana.get(f"/judge/{batch}/1").text
    assert "the label <code>killing</code> is right; <code>crime</code> is true but" in page
    assert "`" not in page


def test_backticks_in_the_text_of_an_article_stay(bench: Bench) -> None:
    project = bench.project(small(text="A bridge fell on Monday, `flop`."))
    ana = bench.visitor("ana", project)
    page = ana.get(f"/judge/{bench.batch(project, 'ana')}/1").text
    assert "`flop`" in page
