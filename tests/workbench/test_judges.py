"""Judge models as evaluators: what they cost, and their scores corrected as the command line's."""

import html
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from workbench.bench import BEST, Bench, Files, demo_files, lines, text_of

from chronoscore.cli.main import command
from chronoscore.demo import home


def manifest(**more: object) -> bytes:
    """What a run of a judge writes beside its judgements."""
    counts = dict.fromkeys(
        ("events", "judgements", "failures", "not_asked", "answers"), 3
    ) | dict.fromkeys(("from_cache", "asked_now", "repairs"), 0)
    made: dict[str, object] = {
        "judge": "model-j", "model": "some-model", "served_by": [], "endpoint": "http://x",
        "header_names": [], "parameters": {}, "per_criterion": False, "samples": 1,
        "prompt_version": "1", "prompt_digest": "0123456789abcdef", "codebook": {},
        "events_file": "e", "system": "careful", "stopped": "", "vote_share": {},
        "counts": counts | {"modes": {}},
        "use": {"tokens_in": 1234, "tokens_out": 567, "without_tokens": 0,
                "latency_median": 1.5, "latency_p95": 2.0, "cost": 0.0123},
        **more,
    }  # fmt: skip
    return json.dumps(made).encode()


def sheets(*names: str) -> Files:
    return [("sheets", (name, (home() / name).read_bytes())) for name in names]


@pytest.fixture
def judged(bench: Bench) -> int:
    """The demo, with people's sheet and the judge's imported."""
    project = bench.project(demo_files())
    files = [*sheets("judgements.csv", "judge.csv"), ("sheets", ("j.manifest.json", manifest()))]
    done = bench.owner.post(f"/projects/{project}/judgements", files=files)
    assert done.status_code == 200, done.text
    return project


def test_cost_is_shown(bench: Bench, judged: int) -> None:
    page = text_of(bench.owner.get(f"/projects/{judged}/judges").text)
    assert "some-model careful 3 3 3 1234 567 1.50 0.0123" in page


def test_corrected_scores_are_those_of_the_command_line(bench: Bench, judged: int) -> None:
    person = bench.person("model-j")
    page = text_of(bench.owner.get(f"/projects/{judged}/judges/{person.id}").text)
    files = [str(home() / name) for name in ("judgements.csv", "judge.csv")]
    done = CliRunner().invoke(command, ["calibrate", *files, "--format", "json"])
    levels = json.loads(done.stdout)["levels"]
    assert len(levels) >= 18
    for row in levels:
        value = row["corrected"]["value"]
        assert ("undef." if value is None else f"{value:.3f}") in page
    assert text_of(done.stderr).split(": ", 1)[-1].strip()[:40] in page


def test_what_a_model_judged_is_still_for_people(bench: Bench) -> None:
    project = bench.project(demo_files())
    bench.owner.post(f"/projects/{project}/judgements", files=sheets("judge.csv"))
    bench.batch(project, "owner")
    rows = bench.store.rows(
        "SELECT count(*) AS n FROM tasks WHERE person = :person", person=bench.boss.id
    )
    assert rows[0]["n"] == bench.count("events")


def test_nothing_is_shown_while_some_judge(bench: Bench, judged: int) -> None:
    bench.owner.post(f"/projects/{judged}/people", {"name": "zoe"})
    bench.batch(judged, "zoe")
    person = bench.person("model-j")
    page = bench.owner.get(f"/projects/{judged}/judges/{person.id}").text
    assert "Some still judge" in page
    assert "corrected" not in page


def test_a_judge_of_other_events_than_people_s_is_told_that_none_is_shared(bench: Bench) -> None:
    project = bench.project()
    by = [("ana", "person"), ("ana", "person"), ("model-j", "llm"), ("model-j", "llm")]
    rows = [
        {"event_id": f"e{n}", "system": "alpha", "evaluator": who, "evaluator_kind": kind, **BEST}
        for n, (who, kind) in enumerate(by)
    ]
    files: Files = [("sheets", ("both.jsonl", lines(rows)))]
    assert bench.owner.post(f"/projects/{project}/judgements", files=files).status_code == 200
    person = bench.person("model-j")
    page = text_of(bench.owner.get(f"/projects/{project}/judges/{person.id}").text)
    assert "no event was judged by both people and model-j" in page
    assert "corrected" not in page


def test_a_wrong_manifest_is_told_and_nothing_is_kept(bench: Bench) -> None:
    project = bench.project(demo_files())
    wrong: Files = [*sheets("judge.csv"), ("sheets", ("j.manifest.json", b'{"judge": 1}'))]
    done = bench.owner.post(f"/projects/{project}/judgements", files=wrong)
    assert done.status_code == 422
    assert "j.manifest.json" in done.text
    assert bench.count("judgements") == bench.count("judge_runs") == 0


def test_a_person_is_no_judge(bench: Bench, judged: int) -> None:
    for person in (bench.boss.id, 9999):
        assert bench.owner.get(f"/projects/{judged}/judges/{person}").status_code == 404


def test_a_run_that_is_imported_twice_counts_once(
    bench: Bench, judged: int, tmp_path: Path
) -> None:
    files: Files = [("sheets", ("j.manifest.json", manifest()))]
    assert bench.owner.post(f"/projects/{judged}/judgements", files=files).status_code == 200
    assert bench.owner.get(f"/projects/{judged}/judges").text.count("some-model") == 1


def verdicts_under(page: str, heading: str) -> list[str]:
    """The lines of the section with this heading."""
    section = page.partition(f">{heading}</h2>")[2].partition("</section>")[0]
    lines = re.findall(r'<li class="verdict.*?</li>', section, re.DOTALL)
    return [html.unescape(text_of(line)).replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def test_whether_people_agree_is_said_without_the_judge(bench: Bench, judged: int) -> None:
    page = bench.owner.get(f"/projects/{judged}/agreement").text
    people = verdicts_under(page, "Do people agree?")
    assert re.search(r"^ date .* fine .* alpha nominal 0\.888 .* 3 events differ", people[0])
    with_models = verdicts_under(page, "People and judge models")
    found = re.search(
        r"^ date .* talk about it .* nominal 0\.703 .* 11 events differ", with_models[0]
    )
    assert found
    assert len(people) == len(with_models) == 6
    assert "judge models counted as evaluators: model-j." in text_of(page)


def test_each_number_leads_to_the_events_of_those_whom_it_counts(bench: Bench, judged: int) -> None:
    page = bench.owner.get(f"/projects/{judged}/agreement").text
    links = re.findall(r'<a href="([^"]+criterion=date[^"]*)">(\d+) events? differ', page)
    assert [int(number) for _, number in links] == [3, 11]
    for link, number in links:
        listed = bench.owner.get(html.unescape(link)).text
        assert f"{number} events are judged differently" in listed
        assert ('<span class="vote">model-j ' in listed) == ("models=1" in link)
    assert "What people and judge models differ on: date" in listed


def test_one_person_and_a_judge_are_not_called_people(bench: Bench) -> None:
    project = bench.project(demo_files())
    one = (home() / "judgements.csv").read_text().splitlines(keepends=True)
    anas = "".join(line for line in one if ",ben," not in line).encode()
    files: Files = [("sheets", ("ana.csv", anas)), *sheets("judge.csv")]
    bench.owner.post(f"/projects/{project}/judgements", files=files)
    page = bench.owner.get(f"/projects/{project}/agreement").text
    assert "Do people agree?" not in page
    assert "Fewer than two people have judged" in page
    assert len(verdicts_under(page, "People and judge models")) == 6
