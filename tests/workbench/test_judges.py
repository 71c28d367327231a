"""Judge models as evaluators: what they cost, and their scores corrected as the command line's."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from workbench.bench import Bench, Files, demo_files

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


def text_of(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


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
