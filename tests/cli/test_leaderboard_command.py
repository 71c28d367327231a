"""`chronoscore leaderboard`: boards, what stands beside a score, and what is not mixed."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from chronoscore.cli.main import command
from chronoscore.demo import home
from chronoscore.errors import ChronoscoreError

GOLD = home() / "gold.jsonl"


def run(*words: object) -> Result:
    return CliRunner().invoke(command, [str(word) for word in words])


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "results"
    for name in ("careful", "quick"):
        saved = folder / "demo" / f"{name}.json"
        done = run("timelines", GOLD, home() / f"{name}.jsonl", "--save", saved)
        assert done.exit_code == 0, done.output
    done = run("rubric", home() / "judgements.csv", "--save", folder / "people" / "all.json")
    assert done.exit_code == 0, done.output
    return folder


def told(done: Result) -> str:
    assert isinstance(done.exception, ChronoscoreError), done.output
    return str(done.exception)


def test_every_data_set_and_protocol_has_a_board(results: Path, tmp_path: Path) -> None:
    done = run("leaderboard", results, "-o", tmp_path / "site")
    assert done.stdout.splitlines()[:2] == [
        "demo: timelines, news-tls: 2 systems",
        "people: rubric, event-quality: 3 systems",
    ]
    for name in ("demo-careful", "demo-quick", "people-all"):
        assert (tmp_path / "site" / "reports" / f"{name}.html").exists()


def test_how_much_a_score_rests_on_stands_beside_it(results: Path, tmp_path: Path) -> None:
    run("leaderboard", results, "-o", tmp_path / "site")
    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert "<td>52 judgements, 26 events</td>" in page
    assert "<td>10 golds, 7 topics, 1 trial</td>" in page
    for criterion in ("date", "root", "type", "clarity", "relevance"):
        assert f">{criterion}</th>" in page
    data = json.loads((tmp_path / "site" / "leaderboard.json").read_text(encoding="utf-8"))
    text = json.dumps(data)
    assert '"over": {"judgement": 52, "event": 26}' in text


def test_a_system_that_two_files_have_is_told_with_both(results: Path, tmp_path: Path) -> None:
    copy = results / "demo" / "again.json"
    copy.write_bytes((results / "demo" / "quick.json").read_bytes())
    error = told(run("leaderboard", results, "-o", tmp_path / "site"))
    assert "the system 'quick' is in" in error
    assert "again.json" in error
    assert str(results / "demo" / "quick.json") in error


def test_signatures_are_not_mixed(results: Path, tmp_path: Path) -> None:
    saved = results / "demo" / "quick.json"
    text = saved.read_text(encoding="utf-8")
    text = text.replace("option.missing=empty", "option.missing=skip")
    text = text.replace('"missing": "empty"', '"missing": "skip"').replace('"checksum"', '"was"')
    saved.write_text(text, encoding="utf-8")
    error = told(run("leaderboard", results, "-o", tmp_path / "site"))
    assert "has another signature than" in error
    assert "option.missing is skip, not empty" in error
    assert not (tmp_path / "site").exists()


def test_other_files_are_left_out_and_told(results: Path, tmp_path: Path) -> None:
    (results / "notes.json").write_text("[]", encoding="utf-8")
    done = run("leaderboard", results, "-o", tmp_path / "site")
    assert done.exit_code == 0, done.output
    assert "notes.json: not a saved result, left out" in done.stderr


@pytest.mark.parametrize(
    ("where", "expected"),
    [("nowhere", "there is no file or folder"), (".", "there is no saved result")],
)
def test_nothing_to_show_is_told(where: str, expected: str, tmp_path: Path) -> None:
    assert expected in told(run("leaderboard", tmp_path / where, "-o", tmp_path / "site"))


def test_a_site_goes_into_a_folder_of_its_own(results: Path, tmp_path: Path) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "notes.txt").write_text("mine")
    assert "holds other files (notes.txt): name a new folder" in told(
        run("leaderboard", results, "-o", full)
    )
    assert [path.name for path in full.iterdir()] == ["notes.txt"]


def test_a_site_can_be_made_again_where_it_is(results: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / ".git").mkdir(parents=True)
    for _ in range(2):
        assert run("leaderboard", results, "-o", site).exit_code == 0
    (site / "notes.txt").write_text("mine")
    assert run("leaderboard", results, "-o", site).exit_code == 0


def test_what_is_no_result_of_one_family_is_told_as_what_it_is(tmp_path: Path) -> None:
    saved = tmp_path / "all.json"
    assert run("evaluate", GOLD, home() / "quick.jsonl", "--save", saved).exit_code == 0
    done = run("leaderboard", saved, "-o", tmp_path / "site")
    assert "there is no saved result among these" in told(done)
    assert "all.json: not a saved result but a chronoscore-evaluation; a result is " in done.stderr
