"""Pairs to judge: drawn from files, judged blind by one key, exported as verdicts that score."""

import io
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from fuzz.mutations import mutate
from workbench.bench import Bench, Files, Visitor, answer, lines

from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.elements.verdicts import PairVerdict, read_verdicts
from chronoscore.errors import DataError
from chronoscore.rubric.judgements import Judgement
from chronoscore.workbench.pair_files import read_candidates
from chronoscore.workbench.pair_verdicts import WORDS, shares, verdicts
from chronoscore.workbench.store import pairs
from chronoscore.workbench.store.pairs import StoredPair

Record = dict[str, object]
GOLD: list[Record] = [
    {"id": "secret-g1", "topic": "suez", "date": "2021-03-23", "text": "A ship runs aground."},
    {
        "id": "secret-g2",
        "topic": "suez",
        "date": "2021-03-29",
        "text": "The ship is freed by tugs.",
    },
    {
        "id": "secret-g3",
        "topic": "apollo",
        "date": "1969-07-20",
        "text": "Two men walk on the moon.",
    },
]
QUICK: list[Record] = [
    {"id": "secret-p1", "topic": "suez", "date": "2021-03-23", "text": "The ship runs aground."},
    {"id": "secret-p2", "topic": "suez", "date": "2021-03-30", "text": "Tugs have freed the ship."},
    {"id": "secret-p3", "topic": "apollo", "date": "1969-07-20", "text": "Men walk on the moon."},
    {"id": "secret-p4", "topic": "apollo", "date": "1969-07-16", "text": "A rocket is launched."},
]
CAREFUL: list[Record] = [
    {"id": "secret-p1", "topic": "suez", "date": "2021-03-24", "text": "A ship blocks a canal."},
    {
        "id": "secret-p2",
        "topic": "apollo",
        "date": "1969-07-20",
        "text": "Two men walk on the moon.",
    },
]
CANDIDATES = 2 * 2 + 2 + 2 + 1


def files(gold: Sequence[Record] = GOLD, **systems: Sequence[Record]) -> Files:
    named = systems or {"quicksystem": QUICK, "carefulsystem": CAREFUL}
    return [
        ("gold", ("goldfile.jsonl", lines(gold))),
        *(("events", (f"{name}.jsonl", lines(rows))) for name, rows in named.items()),
    ]


def made(bench: Bench, uploads: Files | None = None, **more: str) -> int:
    """Draw pairs by the form."""
    data = {"name": "Pairs", "number": str(CANDIDATES), **more}
    done = bench.owner.post("/projects/pairs", data, files=uploads or files())
    assert done.status_code == 303, re.sub(r"<.*?>", "", done.text)
    return int(done.headers["location"].split("/")[2])


def judge(visitor: Visitor, bench: Bench, batch: int, words: Any, *, submit: bool = True) -> None:
    """Judge a batch: `words` is the value of each pair, or gives it."""
    page, viewer = visitor.get("/").text, re.compile(r'name="viewer" content="([0-9]+)"')
    (person,) = viewer.findall(page)
    sql = "SELECT place, event FROM tasks WHERE batch = :batch AND person = :person ORDER BY place"
    for row in bench.store.rows(sql, batch=batch, person=int(person)):
        pair = pairs.of_event(bench.store, row["event"])
        value = words(pair) if callable(words) else words
        sent = answer({"Verdict": value}, save=f"pair-{row['place']:08}")
        done = visitor.send(f"/judge/{batch}/{row['place']}", sent)
        assert done.status_code == 200, done.text
    if submit:
        assert visitor.post(f"/judge/{batch}/submit", {"sure": "yes"}).status_code == 303


def evaluators(bench: Bench, project: int, *names: str) -> list[Visitor]:
    return [bench.visitor(name, project) for name in names]


def same_number(pair: StoredPair) -> int:
    """1 (same) if the ids have the same number, else 3 (different)."""
    return 1 if pair.gold.id[-1] == pair.predicted.id[-1] else 3


def exported(bench: Bench, project: int, form: str = "verdicts.jsonl") -> list[dict[str, Any]]:
    content = bench.owner.get(f"/projects/{project}/export/{form}").text
    return [json.loads(line) for line in content.splitlines()]


# Drawing


def test_the_form_draws_pairs_and_shows_strata_chances_and_widths(bench: Bench) -> None:
    assert "pairs to judge" in bench.owner.get("/").text
    assert "50 %" in bench.owner.get("/projects/pairs").text
    project = made(bench)
    page = bench.owner.get(f"/projects/{project}/pairs").text
    text = " ".join(re.sub(r"<.*?>", " ", page).split())
    assert f"With {CANDIDATES} pairs" in text
    assert "±0.000" in text, "all candidates are drawn, so that nothing is left to chance"
    assert "quicksystem matched" in text
    assert "No pair is judged yet" in text
    assert "A ship runs aground." in text


def test_each_pair_is_stored_with_its_chance(bench: Bench) -> None:
    project = made(bench, number="")
    every = pairs.of_project(bench.store, project)
    strata: dict[tuple[str, str], Any] = {
        (one.system, one.kind): one for one in pairs.strata(every)
    }
    assert sum(one.size for one in strata.values()) == CANDIDATES
    for one in every:
        assert one.chance == strata[one.system, one.stratum].chance
        assert one.gold.topic == one.predicted.topic == one.topic


def test_a_draw_is_in_the_audit_with_its_seed_and_strata(bench: Bench) -> None:
    project = made(bench, seed="7")
    row = bench.store.row("SELECT detail FROM audit WHERE action = 'pairs drawn'")
    assert row is not None
    detail = json.loads(row["detail"])
    assert (detail["seed"], detail["pairs"]) == (7, CANDIDATES)
    assert {one["kind"] for one in detail["strata"]} <= {"matched", "similar", "other"}
    assert bench.store.value("SELECT task FROM projects WHERE id = :id", id=project) == "pairs"


@pytest.mark.parametrize(
    ("uploads", "number", "problem"),
    [
        (files(), "2", "expected at least"),
        (files()[1:], "", "choose at least one file of gold events"),
        (files()[:1], "", "choose at least one file of predicted events"),
        (files(quick=[{**QUICK[0], "topic": "mars"}]), "", "check the field"),
        (files(quick=[{**QUICK[0], "text": " "}]), "", "quick.jsonl:1: text is empty"),
        (files(quick=[{**QUICK[0], "date": "soon"}]), "", "quick.jsonl:1: date"),
        (files([GOLD[0], {"id": 3}]), "", "goldfile.jsonl:2"),
        (
            files([GOLD[0], {**GOLD[1], "language": "elvish"}]),
            "",
            "goldfile.jsonl:2: language is &#39;elvish&#39;",
        ),
        ([*files(), ("gold", ("other.jsonl", lines(GOLD)))], "", "is also in another gold"),
        ([*files(), files()[1]], "", "two files of events are named"),
    ],
)
def test_files_that_give_no_pairs_are_refused_with_what_to_do(
    bench: Bench, uploads: Files, number: str, problem: str
) -> None:
    done = bench.owner.post("/projects/pairs", {"number": number, "name": "mine"}, files=uploads)
    assert done.status_code == 422
    assert problem in done.text
    assert 'value="mine"' in done.text
    assert bench.count("projects") == bench.count("pairs") == 0


def test_a_topic_may_have_several_golds(bench: Bench) -> None:
    second = [{**one, "id": f"other-{one['id']}"} for one in GOLD]
    project = made(bench, [*files(), ("gold", ("goldfile.jsonl", lines(second)))], number="18")
    golds = {one.gold.id for one in pairs.of_project(bench.store, project)}
    assert len(golds) == 6


def test_a_larger_draw_takes_the_judgements_of_a_smaller_one(bench: Bench) -> None:
    small, large = made(bench, number="8", seed="3"), made(bench, seed="3")
    (ana,) = evaluators(bench, small, "ana")
    judge(ana, bench, bench.batch(small, "ana"), same_number)
    sheet = bench.owner.get(f"/projects/{small}/export/jsonl").content
    uploads = [("sheets", ("judgements.jsonl", sheet))]
    done = bench.owner.post(f"/projects/{large}/judgements", files=uploads)
    assert "8 judgements were imported" in done.text
    fields = ("gold", "predicted", "topic", "system", "verdict", "by")
    kept = [
        [[one[name] for name in fields] for one in exported(bench, of)] for of in (small, large)
    ]
    assert sorted(kept[0]) == sorted(kept[1])


SAMPLE = [(kind, name, content) for kind, (name, content) in files()]


@pytest.mark.parametrize("seed", range(150))
def test_damage_is_refused_by_file_or_leaves_events_that_can_be_judged(seed: int) -> None:
    dice = Random(seed)
    at = dice.randrange(len(SAMPLE))
    damaged = [*SAMPLE]
    kind, name, content = damaged[at]
    damaged[at] = (kind, name, mutate(name, content, dice).data)
    tables, problems = _read(damaged)
    assert all(one.startswith((name, "choose at least one file")) for one in problems)
    for one in tables:
        assert all(event.id.strip() and event.text for event in (*one.gold, *one.predicted))


def _read(uploads: list[Any]) -> tuple[list[Any], list[str]]:
    try:
        return read_candidates(uploads), []
    except DataError as error:
        return [], [str(one) for one in error.problems]


# Judging


def test_the_judge_page_shows_two_texts_and_four_answers(bench: Bench) -> None:
    project = made(bench)
    (ana,) = evaluators(bench, project, "ana")
    batch = bench.batch(project, "ana")
    page = ana.get(f"/judge/{batch}/1").text
    assert page.count('class="side"') == 2
    for value, word in enumerate(("same", "part of it", "different", "contradicts"), 1):
        assert f"<b>{value}</b> {word}" in page
    assert "There is no article" not in page
    assert 'data-go-on="yes"' in page


def test_a_form_without_scripts_saves_and_goes_on(bench: Bench) -> None:
    project = made(bench)
    (ana,) = evaluators(bench, project, "ana")
    batch = bench.batch(project, "ana")
    ana.get(f"/judge/{batch}/1")
    data = {"save": "by-hand-1", "version": "0", "value-Verdict": "2"}
    done = ana.post(f"/judge/{batch}/1", data)
    assert (done.status_code, done.headers["location"]) == (303, f"/judge/{batch}/2")
    wrong = ana.post(f"/judge/{batch}/2", {**data, "save": "by-hand-2", "value-Verdict": "5"})
    assert wrong.status_code == 400


def test_the_review_shows_verdicts_by_their_words(bench: Bench) -> None:
    project = made(bench)
    batch_people = evaluators(bench, project, "ana", "ben")
    batch = bench.batch(project, "ana", "ben", overlap=2)
    for visitor, value in zip(batch_people, (2, 4), strict=True):
        judge(visitor, bench, batch, value)
    review = bench.owner.get(f"/batches/{batch}").text
    assert "ana <b>part of it</b>" in review
    assert "ben <b>contradicts</b>" in review
    (event, *_) = re.findall(rf"/batches/{batch}/events/([0-9]+)", review)
    settling = bench.owner.get(f"/batches/{batch}/events/{event}").text
    assert "ana <b>part of it</b>" in settling
    differences = bench.owner.get(f"/projects/{project}/differences").text
    assert "ben <b>contradicts</b>" in differences


def test_a_file_that_is_not_utf8_is_explained_without_options(bench: Bench) -> None:
    uploads = [("gold", ("gold.jsonl", b'{"id": "\xe9"}\n')), *files()[1:]]
    done = bench.owner.post("/projects/pairs", {"number": "2", "name": "mine"}, files=uploads)
    assert done.status_code == 422
    assert "is not valid utf-8; save it as UTF-8" in done.text
    assert "--encoding" not in done.text


def test_all_evaluators_see_a_pair_in_the_same_order(bench: Bench) -> None:
    project = made(bench)
    both = evaluators(bench, project, "ana", "ben")
    batch = bench.batch(project, "ana", "ben", overlap=2)
    shown = []
    for visitor in both:
        pages = [visitor.get(f"/judge/{batch}/{place}").text for place in range(1, CANDIDATES + 1)]
        shown.append(
            {tuple(re.findall(r'class="side-text"[^>]*>(.*?)</p>', page)) for page in pages}
        )
    assert shown[0] == shown[1]
    assert len(shown[0]) == CANDIDATES
    first = {one.gold_first for one in pairs.of_project(bench.store, project)}
    assert first == {True, False}, "no side is always the gold"


# Blind


HIDDEN = ("quicksystem", "carefulsystem", "goldfile", "secret-", "matched", "pair-", "gold event")


def test_evaluators_see_neither_systems_nor_ids_nor_which_is_gold(bench: Bench) -> None:
    project = made(bench)
    ana, ben = evaluators(bench, project, "ana", "ben")
    batch = bench.batch(project, "ana", "ben", overlap=2)
    places = [f"/judge/{batch}/{place}" for place in range(1, CANDIDATES + 1)]
    pages = [ana.get(path).text for path in ("/", f"/judge/{batch}/all", *places)]
    judge(ana, bench, batch, same_number)
    judge(ben, bench, batch, 3)
    assert bench.owner.post(f"/batches/{batch}/finish", {"sure": "yes"}).status_code == 303
    pages += [ana.get(path).text for path in (f"/judge/{batch}/compare", *places)]
    for page in pages:
        for word in HIDDEN:
            assert word not in page


@pytest.mark.parametrize(
    "path",
    ["pairs", "export/verdicts.jsonl", "export/agreed-verdicts.jsonl", "export/zip"],
)
def test_pages_and_exports_of_pairs_are_for_the_owner(bench: Bench, path: str) -> None:
    project = made(bench)
    (ana,) = evaluators(bench, project, "ana")
    assert ana.get(f"/projects/{project}/{path}").status_code == 403
    assert ana.get("/projects/pairs").status_code == 403
    assert ana.post("/projects/pairs", files=files()).status_code == 403
    assert bench.count("projects") == 1


def test_nobody_sees_verdicts_or_shares_before_all_have_submitted(bench: Bench) -> None:
    project = made(bench)
    ana, ben = evaluators(bench, project, "ana", "ben")
    batch = bench.batch(project, "ana", "ben", overlap=2)
    judge(ana, bench, batch, 4)
    judge(ben, bench, batch, 4, submit=False)
    page = bench.owner.get(f"/projects/{project}/pairs").text
    assert "shares are shown when all have submitted" in page
    assert "Share of each verdict" not in page
    for form in ("verdicts.jsonl", "agreed-verdicts.jsonl"):
        assert exported(bench, project, form) == []
    archive = zipfile.ZipFile(
        io.BytesIO(bench.owner.get(f"/projects/{project}/export/zip").content)
    )
    assert archive.read("verdicts.jsonl") == b""
    assert ben.post(f"/judge/{batch}/submit", {"sure": "yes"}).status_code == 303
    assert "Share of each verdict" in bench.owner.get(f"/projects/{project}/pairs").text
    assert len(exported(bench, project)) == 2 * CANDIDATES


def test_the_owner_who_judges_too_sees_no_shares_before_the_end(bench: Bench) -> None:
    project = made(bench)
    (ana,) = evaluators(bench, project, "ana")
    batch = bench.batch(project, "owner", "ana", overlap=2)
    judge(ana, bench, batch, 1)
    page = bench.owner.get(f"/projects/{project}/pairs").text
    assert "shares are shown when all have submitted" in page
    assert exported(bench, project) == []


def test_the_owner_who_judges_too_is_not_shown_which_is_gold_before_the_end(bench: Bench) -> None:
    project = made(bench)
    (ana,) = evaluators(bench, project, "ana")
    batch = bench.batch(project, "owner", "ana", overlap=2)
    first, path = pairs.of_project(bench.store, project)[0], f"/projects/{project}/pairs"
    page = bench.owner.get(path).text
    assert "You judge these pairs yourself" in page
    assert first.gold.text not in page
    for visitor in (ana, bench.owner):
        judge(visitor, bench, batch, 1)
    assert first.gold.text in bench.owner.get(path).text


def test_other_projects_have_neither_pairs_nor_verdicts(bench: Bench) -> None:
    project = bench.project()
    for path in ("pairs", "export/verdicts.jsonl", "export/agreed-verdicts.jsonl"):
        assert bench.owner.get(f"/projects/{project}/{path}").status_code == 404


# Agreement, settling, shares


def test_differing_verdicts_are_settled_and_agreement_has_no_score(bench: Bench) -> None:
    project = made(bench)
    ana, ben = evaluators(bench, project, "ana", "ben")
    batch = bench.batch(project, "ana", "ben", overlap=2)
    judge(ana, bench, batch, same_number)
    judge(ben, bench, batch, lambda pair: 2 if pair.gold.id == "secret-g2" else same_number(pair))
    page = bench.owner.get(f"/projects/{project}/agreement").text
    text = " ".join(re.sub(r"<.*?>", " ", page).split())
    for name in ("percent", "AC1", "alpha nominal", "kappa"):
        assert f"verdict {name}" in text
    assert "1 criterion:" in text
    assert "verdict-score" not in text
    assert "generous" not in text
    listed = bench.owner.get(f"/projects/{project}/differences?criterion=verdict").text
    assert "3 pairs are judged differently" in listed
    event = next(
        one.number
        for one in pairs.of_project(bench.store, project)
        if (one.gold.id, one.predicted.id, one.system) == ("secret-g2", "secret-p2", "quicksystem")
    )
    settle = bench.owner.get(f"/batches/{batch}/events/{event}").text
    assert settle.count('class="side"') == 2
    data = {"save": "settled-1", "version": "0", "value-Verdict": "1"}
    assert bench.owner.post(f"/batches/{batch}/events/{event}", data).status_code == 303
    assert bench.owner.post(f"/batches/{batch}/finish", {"sure": "yes"}).status_code == 303
    agreed = exported(bench, project, "agreed-verdicts.jsonl")
    assert {one["by"] for one in agreed} == {"agreed"}
    (settled,) = [
        one["verdict"]
        for one in agreed
        if (one["gold"], one["predicted"]) == ("secret-g2", "secret-p2")
    ]
    assert settled == "same"
    assert len(agreed) == CANDIDATES - 2, "two more pairs on g2 were left open"


def stored(number: int, stratum: str, chance: float, system: str = "quick") -> StoredPair:
    from chronoscore.core.event import Event

    gold, predicted = Event(id=f"g{number}"), Event(id=f"p{number}")
    name = f"pair-{number}"
    return StoredPair(number, name, system, gold, predicted, "suez", stratum, chance, True)


def said(number: int, value: int, by: str = "ana", **more: Any) -> Judgement:
    return Judgement(f"pair-{number}", by, (value,), **{"system": "quick", **more})


def test_shares_weigh_each_pair_by_its_chance() -> None:
    """Two of 10 matched candidates and 2 of 90 others: one each is the same."""
    every = [stored(n, "matched", 0.2) for n in (1, 2)] + [
        stored(n, "other", 2 / 90) for n in (3, 4)
    ]
    rows = [said(1, 1), said(2, 3), said(3, 1), said(4, 3)]
    matched, whole = shares(rows, [], every)
    assert (matched.candidates, whole.candidates, whole.judged) == (10, 100, 4)
    assert matched.shares is not None
    assert whole.shares is not None
    assert matched.shares["same"].share == 0.5
    assert whole.shares["same"].share == pytest.approx((10 * 0.5 + 90 * 0.5) / 100)
    rows[1] = said(2, 1)
    _, whole = shares(rows, [], every)
    assert whole.shares is not None
    assert whole.shares["same"].share == pytest.approx((10 * 1.0 + 90 * 0.5) / 100)
    assert sum(one.share for one in whole.shares.values()) == pytest.approx(1)


def test_agreed_verdicts_count_before_votes_and_people_before_models() -> None:
    every = [stored(1, "matched", 1.0), stored(2, "matched", 1.0)]
    rows = [said(1, 1), said(1, 3, "ben"), said(2, 3), said(2, 1, "small@5e1f", kind="llm")]
    (matched, _) = shares(rows, [], every)
    assert matched.shares is not None
    assert matched.shares["same"].share == 0.25
    (matched, _) = shares(rows, [said(1, 1, "agreed")], every)
    assert matched.shares is not None
    assert matched.shares["same"].share == 0.5


def test_a_stratum_that_nobody_judged_leaves_the_whole_unknown() -> None:
    every = [stored(1, "matched", 1.0), stored(2, "other", 0.01)]
    matched, whole = shares([said(1, 1)], [], every)
    assert matched.shares is not None
    assert whole.shares is None


# Verdicts


def test_exported_verdicts_are_read_back_as_they_are(bench: Bench, tmp_path: Path) -> None:
    project = made(bench, number="8")
    ana, ben = evaluators(bench, project, "ana", "ben@home.example.org")
    batch = bench.batch(project, "ana", "ben@home.example.org", overlap=2)
    judge(ana, bench, batch, same_number)
    judge(ben, bench, batch, same_number)
    path = tmp_path / "verdicts.jsonl"
    path.write_bytes(bench.owner.get(f"/projects/{project}/export/verdicts.jsonl").content)
    problems = Problems()
    rows = [row for _, row in read_verdicts(source_of(path), problems)]
    assert (problems.problems, problems.notices) == ([], [])
    assert {row.by for row in rows} == {"ana", "ben at home.example.org"}
    every = {
        (one.gold.id, one.predicted.id, one.topic, one.system): one
        for one in pairs.of_project(bench.store, project)
    }
    assert len(rows) == 16
    for row in rows:
        pair = every[row.gold, row.predicted, row.topic, row.system]
        assert row.chance == pair.chance
        assert row.verdict == WORDS[same_number(pair)]


def test_of_a_retest_the_last_round_counts() -> None:
    every = [stored(1, "matched", 1.0)]
    rows = [said(1, 1, round="2"), said(1, 3, round="10"), said(1, 2, round="1")]
    assert [one.verdict for one in verdicts(rows, every)] == ["different"]


def test_models_keep_their_mark() -> None:
    rows = [said(1, 1, "small", kind="llm"), said(1, 1, "big@5e1f", kind="llm"), said(1, 1, "a@b")]
    written = verdicts(rows, [stored(1, "matched", 1.0)])
    assert [(one.by, one.by_model) for one in written] == [
        ("small@imported", True),
        ("big@5e1f", True),
        ("a at b", False),
    ]


def run(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "chronoscore", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_command_line_scores_with_exported_verdicts(bench: Bench, tmp_path: Path) -> None:
    """People call two pairs of `quick` the same and one contradicting: F1 by hand.

    Topic suez has 2 gold and 2 predicted events, apollo 1 and 2. In suez both pairs are the same
    (F1 1), in apollo one pair is matched, which contradicts: event-f1 2/3, event-strict 0.
    """
    project = made(bench, files(quick=QUICK), number="6")
    (ana,) = evaluators(bench, project, "ana")

    def word(pair: StoredPair) -> int:
        if pair.predicted.id == "secret-p3":
            return 4
        return same_number(pair) if pair.topic == "suez" else 3

    judge(ana, bench, bench.batch(project, "ana"), word)
    archive = zipfile.ZipFile(
        io.BytesIO(bench.owner.get(f"/projects/{project}/export/zip").content)
    )
    archive.extractall(tmp_path)
    (tmp_path / "gold.jsonl").write_bytes(lines(GOLD))
    (tmp_path / "quick.jsonl").write_bytes(lines(QUICK))
    metrics = [f"event-{name}(verdicts=verdicts.jsonl,otherwise=0)" for name in ("f1", "strict")]
    out = run(tmp_path, "events", "gold.jsonl", "quick.jsonl", "-f", "json", *_each("-m", metrics))
    scores = _scores(json.loads(out))
    assert scores["event-f1"] == pytest.approx((1 + 2 / 3) / 2)
    assert scores["event-strict"] == pytest.approx(1 / 2)
    out = run(
        tmp_path, *("correlate", "gold.jsonl", "quick.jsonl"), "--verdicts", "verdicts.jsonl",
        "-m", "event-f1",
    )  # fmt: skip
    assert "ana" in out
    assert "alpha nominal" in run(tmp_path, "agreement", "judgements.jsonl", "--codebook", "pairs")


def _each(option: str, values: Sequence[str]) -> list[str]:
    return [word for value in values for word in (option, value)]


def _scores(document: Mapping[str, Any]) -> dict[str, float]:
    """The F1 of each metric of the only system, by the name without its parameters."""
    (system,) = document["systems"]
    return {one["metric"].partition("(")[0]: one["scores"]["f1"] for one in system["summaries"]}


def test_verdict_files_have_no_other_fields(bench: Bench) -> None:
    project = made(bench)
    (ana,) = evaluators(bench, project, "ana")
    judge(ana, bench, bench.batch(project, "ana"), 1)
    known = {*PairVerdict.__struct_fields__}
    assert all(known.issuperset(one) for one in exported(bench, project))


# Verdicts of models


def verdict_rows(bench: Bench, project: int, by: str, verdict: str = "same") -> list[Record]:
    return [
        {
            "gold": one.gold.id,
            "predicted": one.predicted.id,
            "topic": one.topic,
            "system": one.system,
            "verdict": verdict,
            "by": by,
        }
        for one in pairs.of_project(bench.store, project)
    ]


def import_file(bench: Bench, project: int, content: bytes, name: str = "verdicts.jsonl") -> Any:
    path = f"/projects/{project}/judgements"
    return bench.owner.post(path, files=[("sheets", (name, content))])


def test_a_model_s_verdicts_are_imported_and_exported_as_they_were(bench: Bench) -> None:
    project = made(bench)
    rows = verdict_rows(bench, project, "small@5e1f0a2b", "part")
    rows[0]["verdict"] = "contradicts"
    done = import_file(bench, project, lines(rows))
    assert f"{CANDIDATES} judgements were imported" in done.text
    back = [{k: v for k, v in row.items() if k != "chance"} for row in exported(bench, project)]
    by_pair = itemgetter("system", "topic", "gold", "predicted")
    assert sorted(back, key=by_pair) == sorted(rows, key=by_pair)
    kinds = "SELECT kind FROM people WHERE name = 'small@5e1f0a2b'"
    assert bench.store.value(kinds) == "llm"


def test_agreement_shows_the_model_beside_people(bench: Bench) -> None:
    project = made(bench)
    visitors = evaluators(bench, project, "ana", "ben")
    batch = bench.batch(project, "ana", "ben", overlap=2)
    for visitor in visitors:
        judge(visitor, bench, batch, same_number)
    import_file(bench, project, lines(verdict_rows(bench, project, "small@5e1f0a2b")))
    page = bench.owner.get(f"/projects/{project}/agreement").text
    assert "where ana and small@5e1f0a2b differ" in page


def test_verdicts_on_other_pairs_are_counted_and_left_out(bench: Bench) -> None:
    project = made(bench)
    rows = verdict_rows(bench, project, "small@5e1f0a2b")
    other: Record = {**rows[0], "gold": "unknown"}
    done = import_file(bench, project, lines([*rows[:2], other, {**other, "predicted": "none"}]))
    assert "2 judgements were imported" in done.text
    assert "2 verdicts left out" in done.text
    nothing = import_file(bench, project, lines([other]))
    assert nothing.status_code == 422
    assert "none of the 1 verdict is about a pair of this project" in nothing.text


def test_a_verdict_without_a_system_is_about_every_system(bench: Bench) -> None:
    same = [{**row, "id": row["id"]} for row in CAREFUL]
    project = made(bench, files(one=same, two=same), number="")
    every = pairs.of_project(bench.store, project)
    first = every[0]
    row = {"gold": first.gold.id, "predicted": first.predicted.id, "verdict": "same", "by": "m@1"}
    done = import_file(bench, project, lines([row]))
    sides = [(one.gold.id, one.predicted.id) for one in every]
    assert f"{sides.count((first.gold.id, first.predicted.id))} judgements" in done.text


def test_problems_of_a_verdict_file_name_its_lines_and_store_nothing(bench: Bench) -> None:
    project = made(bench)
    rows = verdict_rows(bench, project, "small@5e1f0a2b")
    assert import_file(bench, project, lines(rows[:1])).status_code == 200
    before = bench.count("judgements")
    wrong = [rows[0], {**rows[1], "verdict": "perhaps"}, rows[2], {**rows[2], "topic": ""}]
    done = import_file(bench, project, lines(wrong))
    assert done.status_code == 422
    text = " ".join(re.sub(r"<.*?>", " ", done.text).split())
    for message in ("verdicts.jsonl:1: small@5e1f0a2b has the pair", "verdicts.jsonl:2", "twice"):
        assert message in text, text
    assert bench.count("judgements") == before


def test_damaged_verdict_files_are_refused_or_read_and_never_break(bench: Bench) -> None:
    project = made(bench)
    rng = Random(4)
    good = lines(verdict_rows(bench, project, "small@5e1f0a2b"))
    for _ in range(60):
        done = import_file(bench, project, mutate("verdicts.jsonl", good, rng).data)
        assert done.status_code in (200, 400, 413, 422), done.text
