"""Review and adjudication, what evaluators see afterwards, and numbers as the command line's."""

import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from workbench.bench import BEST, WORST, Bench, Visitor, demo_files, judge_all, lines, text_of

from chronoscore.cli.main import command
from chronoscore.workbench.store import projects


def two_judge(bench: Bench) -> tuple[int, int, Visitor, Visitor]:
    """Two evaluators differ on some events of a calibration batch."""
    project = bench.project(demo_files())
    ana, ben = bench.visitor("ana", project), bench.visitor("ben", project)
    batch = bench.batch(project, "ana", "ben", kind="calibration", size=12, seed=3)
    judge_all(ana, batch, lambda place: BEST if place % 2 else {**BEST, "Eval_RootEvent": 0})
    judge_all(ben, batch, lambda place: WORST if place % 3 == 0 else {**BEST, "Eval_Relevance": 2})
    return project, batch, ana, ben


def settle(bench: Bench, batch: int, values: dict[str, int]) -> int:
    """Settle the queue until it is empty."""
    settled = 0
    while True:
        page = bench.owner.get(f"/batches/{batch}").text
        queue = re.findall(rf'/batches/{batch}/events/([0-9]+)">[^<]*</a>.*?</tr>', page, re.DOTALL)
        opened = [e for e in queue if f"events/{e}" in page]
        left = re.search(r"(\d+) not settled yet", page)
        if not left or left[1] == "0":
            return settled
        for event in opened:
            shown = bench.owner.get(f"/batches/{batch}/events/{event}").text
            version = re.search(r'name="version" value="(\d+)"', shown)
            token = re.search(r'name="save" value="([^"]+)"', shown)
            assert version
            assert token
            if version[1] != "0":
                continue
            data = {f"value-{field}": str(value) for field, value in values.items()}
            data |= {"version": "0", "save": token[1], "reason": "date-rule", "note": "talked"}
            done = bench.owner.post(f"/batches/{batch}/events/{event}", data)
            assert done.status_code == 303, done.text
            settled += 1


def test_queue_begins_with_the_greatest_disagreement(bench: Bench) -> None:
    _, batch, _, _ = two_judge(bench)
    page = bench.owner.get(f"/batches/{batch}").text
    apart = [float(x) for x in re.findall(r'class="number" rowspan="\d+">([0-9.]+)<', page)]
    assert apart == sorted(apart, reverse=True)
    assert apart[0] > apart[-1]


def test_adjudicate_export_and_the_command_line_says_the_same(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, batch, ana, _ = two_judge(bench)
    assert settle(bench, batch, BEST) > 0
    assert bench.owner.post(f"/batches/{batch}/finish", {"sure": "yes"}).status_code == 303
    compared = text_of(ana.get(f"/judge/{batch}/compare").text)
    assert "the rule for dates was read differently talked" in compared
    page = text_of(bench.owner.get(f"/projects/{project}/agreement").text)
    archive = bench.owner.get(f"/projects/{project}/export/zip")
    monkeypatch.chdir(tmp_path)
    with zipfile.ZipFile(io.BytesIO(archive.content)) as files:
        files.extractall(tmp_path)
    run = CliRunner()
    said = ["agreement", "judgements.jsonl", "--codebook", "codebook.json"]
    found = run.invoke(command, [*said, "--adjudicated", "agreed.jsonl", "--format", "json"])
    assert found.exit_code == 0, found.output
    document = json.loads(found.stdout)
    for row in document["agreement"]:
        value = "undef." if row["value"] is None else f"{row['value']:.3f}"
        assert f"{row['criterion']} {row['coefficient']} {value}" in page
    assert document["adjudicated"]
    for row in document["adjudicated"]:
        assert f"{row['evaluator']} {row['criterion']} {row['events']} {row['equal']:.3f}" in page
    scored = run.invoke(command, ["rubric", "judgements.jsonl", "--format", "json"])
    for system in json.loads(scored.stdout)["systems"]:
        (whole,) = [s for s in system["summaries"] if not s.get("group")]
        assert f"{system['name']} {whole['scores']['eqs']:.3f}" in page
    for form in ("csv", "tsv", "xlsx"):
        sheet = tmp_path / f"sheet.{form}"
        sheet.write_bytes(bench.owner.get(f"/projects/{project}/export/{form}").content)
        again = run.invoke(command, ["rubric", str(sheet), "--format", "json"])
        assert json.loads(again.stdout)["systems"] == json.loads(scored.stdout)["systems"]


def test_what_all_said_alike_is_agreed_on(bench: Bench) -> None:
    project = bench.project()
    ana, ben = bench.visitor("ana", project), bench.visitor("ben", project)
    batch = bench.batch(project, "ana", "ben", overlap=2)
    judge_all(ana, batch)
    judge_all(ben, batch)
    page = text_of(bench.owner.get(f"/batches/{batch}").text)
    assert "4 events were judged by several, and nobody differs" in page
    bench.owner.post(f"/batches/{batch}/finish", {"sure": "yes"})
    rows = bench.store.rows("SELECT said, reasons FROM agreed")
    assert {(row["said"], row["reasons"]) for row in rows} == {("[1,1,1,3,3]", "unanimous")}


def test_settling_on_an_old_version_is_refused(bench: Bench) -> None:
    _, batch, _, _ = two_judge(bench)
    page = bench.owner.get(f"/batches/{batch}").text
    event = re.search(rf"/batches/{batch}/events/(\d+)", page)
    assert event
    data = {f"value-{field}": str(value) for field, value in BEST.items()} | {"version": "0"}
    path = f"/batches/{batch}/events/{event[1]}"
    assert bench.owner.post(path, {**data, "save": "first-save"}).status_code == 303
    assert bench.owner.post(path, {**data, "save": "first-save"}).status_code == 303
    assert bench.owner.post(path, {**data, "save": "other-save"}).status_code == 409
    assert bench.count("agreed") == 1


def test_closing_an_unfinished_queue_says_how_many_events_are_not_settled(bench: Bench) -> None:
    _, batch, ana, _ = two_judge(bench)
    left = re.search(r"(\d+) not settled yet", bench.owner.get(f"/batches/{batch}").text)
    assert left
    asked = bench.owner.post(f"/batches/{batch}/finish")
    assert f"The {left[1]} stay without agreed values." in asked.text
    assert ana.get(f"/judge/{batch}/compare").status_code == 409, "it is not closed yet"
    assert bench.owner.post(f"/batches/{batch}/finish", {"sure": "yes"}).status_code == 303
    assert bench.owner.post(f"/batches/{batch}/finish", {"sure": "yes"}).status_code == 409


def test_someone_who_won_t_go_on_is_taken_as_submitted(bench: Bench) -> None:
    project = bench.project()
    ana = bench.visitor("ana", project)
    bench.visitor("ben", project)
    batch = bench.batch(project, "ana", "ben", overlap=2)
    judge_all(ana, batch)
    person = bench.person("ben").id
    assert (
        bench.owner.post(f"/batches/{batch}/people/{person}/submit", {"sure": "yes"}).status_code
        == 303
    )
    page = text_of(bench.owner.get(f"/batches/{batch}").text)
    assert "No event of this batch was judged by several" in page


def test_models_are_imported_as_evaluators(bench: Bench) -> None:
    project = bench.project()
    ana = bench.visitor("ana", project)
    batch = bench.batch(project, "ana")
    judge_all(ana, batch)
    rows = [
        {
            "event_id": f"e{n}",
            "system": "alpha",
            "evaluator": "judge-1",
            "evaluator_kind": "llm",
            **(WORST if n else BEST),
        }
        for n in range(4)
    ]
    files = [("sheets", ("judge.jsonl", lines(rows)))]
    done = bench.owner.post(f"/projects/{project}/judgements", files=files)
    assert "4 judgements were imported" in done.text
    page = text_of(bench.owner.get(f"/projects/{project}/agreement").text)
    assert "ana judge-1 4" in page
    sheet = bench.owner.get(f"/projects/{project}/export/csv").text
    assert sheet.count("judge-1,llm") == 4
    archive = bench.owner.get(f"/projects/{project}/export/zip").content
    with zipfile.ZipFile(io.BytesIO(archive)) as exported:
        saves = [json.loads(line) for line in exported.read("history.jsonl").splitlines()]
    versions = [save["version"] for save in saves if save["evaluator"] == "judge-1"]
    assert versions == [1] * 4, "each is the first save of its answer"
    again = bench.owner.post(f"/projects/{project}/judgements", files=files)
    assert again.status_code == 422
    assert "judge-1 has event" in again.text
    assert bench.count("judgements") == 8


@pytest.mark.parametrize(
    ("note", "token"), [("n" * 5_001, "12345678"), ("", "1234567"), ("", "t" * 65)]
)
def test_a_note_too_long_or_a_form_not_ours_is_refused(bench: Bench, note: str, token: str) -> None:
    _, batch, _, _ = two_judge(bench)
    page = bench.owner.get(f"/batches/{batch}").text
    event = re.findall(rf"/batches/{batch}/events/([0-9]+)", page)[0]
    data = {f"value-{field}": str(value) for field, value in BEST.items()}
    more = {"version": "0", "save": token, "note": note}
    refused = bench.owner.post(f"/batches/{batch}/events/{event}", data | more)
    assert refused.status_code == 400
    assert "the note is too long, or the form is not ours" in text_of(refused.text)


def test_the_settings_say_whether_answers_are_named_when_differences_are_settled(
    bench: Bench,
) -> None:
    project = bench.project()
    here = f"/projects/{project}"
    assert re.search(r'name="show_votes" value="yes" checked', bench.owner.get(here).text)
    bench.owner.post(here, {"name": "News"})
    assert re.search(r'name="show_votes" value="yes">', bench.owner.get(here).text)
    stored = projects.find(bench.store, project)
    assert stored is not None
    assert not stored.show_votes
    bench.owner.post(here, {"name": "News", "show_votes": "yes"})
    stored = projects.find(bench.store, project)
    assert stored is not None
    assert stored.show_votes
