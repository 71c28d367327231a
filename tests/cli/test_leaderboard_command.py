"""`chronoscore leaderboard`: boards, what stands beside a score, and what is not mixed."""

import json
import re
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


def test_scores_only_leaves_the_gold_out_of_every_page(results: Path, tmp_path: Path) -> None:
    shown = run("leaderboard", results, "-o", tmp_path / "open")
    assert "if it must stay secret, use --scores-only" in shown.stderr
    kept = run("leaderboard", results, "-o", tmp_path / "site", "--scores-only")
    assert "secret" not in kept.stderr
    pages = [p.read_text(encoding="utf-8") for p in sorted((tmp_path / "site").rglob("*.*"))]
    report = (tmp_path / "open" / "reports" / "demo-careful.html").read_text(encoding="utf-8")
    for secret in ("1969-05-20", "rolled out to its launch pad"):
        assert secret in report
        assert not [page for page in pages if secret in page]
    assert (tmp_path / "site" / "reports" / "demo-careful.html").exists()


def test_the_report_of_a_withdrawn_result_is_named(results: Path, tmp_path: Path) -> None:
    assert "older" not in run("leaderboard", results, "-o", tmp_path / "site").stderr
    for path in (results / "demo").glob("quick*"):
        path.unlink()
    again = run("leaderboard", results, "-o", tmp_path / "site")
    assert "holds 1 older file (reports/demo-quick.html)" in again.stderr
    assert "delete them before you publish" in again.stderr


def test_how_much_a_score_rests_on_stands_beside_it(results: Path, tmp_path: Path) -> None:
    run("leaderboard", results, "-o", tmp_path / "site")
    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert ">52 judgements, 26 events</td>" in page
    assert ">10 golds, 7 topics, 1 trial</td>" in page
    for criterion in ("date", "root", "type", "clarity", "relevance"):
        assert f">{criterion}</button></th>" in page
    data = json.loads((tmp_path / "site" / "leaderboard.json").read_text(encoding="utf-8"))
    text = json.dumps(data)
    assert '"over": {"judgement": 52, "event": 26}' in text


@pytest.mark.parametrize(
    ("folder", "expected"),
    [("people", "1 board from 1 saved result."), (".", "2 boards from 3 saved results.")],
)
def test_the_lead_counts_boards_and_results(
    folder: str, expected: str, results: Path, tmp_path: Path
) -> None:
    run("leaderboard", results / folder, "-o", tmp_path / "site")
    assert expected in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")


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
    assert "was not scored like" in error
    assert "\n  option missing: skip, not empty\n" in error
    assert not (tmp_path / "site").exists()


def test_other_metrics_are_named_by_their_labels_in_short_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, metrics in (("careful", ["-m", "AR-1"]), ("quick", [])):
        saved = Path("results", f"{name}.json")
        done = run("timelines", GOLD, home() / f"{name}.jsonl", *metrics, "--save", saved)
        assert done.exit_code == 0, done.output
    error = told(run("leaderboard", "results", "-o", "site"))
    assert error.splitlines() == [
        "results/careful.json: was not scored like results/quick.json, for the same data and "
        "protocol",
        "  metrics: AR-1, not AR-1, AR-2, Date-F1",
        "  score both alike, or keep them in different folders and make a board of each",
    ]


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


@pytest.mark.parametrize("name", ["board.html", "board.HTM"])
def test_the_name_of_a_page_is_no_folder_for_a_site(
    name: str, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("leaderboard", results, "-o", name)
    assert "the site is a folder with several pages" in told(done)
    assert told(done).endswith("type -o board")
    assert not Path(name).exists()


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


def test_other_documents_of_ours_are_left_out_and_told(results: Path, tmp_path: Path) -> None:
    compared = run("compare", *sorted((results / "demo").glob("*.json")), "-f", "json")
    (results / "contrast.json").write_text(compared.stdout, encoding="utf-8")
    done = run("leaderboard", results, "-o", tmp_path / "site")
    assert done.exit_code == 0, done.output
    assert "contrast.json: not a saved result but a chronoscore-contrast; " in done.stderr


@pytest.fixture
def evaluated(results: Path) -> Path:
    (results / "demo" / "quick.json").unlink()
    saved = results / "demo" / "all.json"
    done = run("evaluate", GOLD, home() / "quick.jsonl", home() / "lead.jsonl", "--save", saved)
    assert done.exit_code == 0, done.output
    return results


def test_the_results_of_an_evaluation_take_part_in_the_boards_of_their_families(
    evaluated: Path, tmp_path: Path
) -> None:
    done = run("leaderboard", evaluated, "-o", tmp_path / "site")
    assert done.exit_code == 0, done.output
    assert {
        "demo: timelines, news-tls: 3 systems",
        "demo: events, events: 2 systems",
        "demo: ordering, semeval2015-complete: 2 systems",
        "demo: annotations, spans: 2 systems",
    } < {*done.stdout.splitlines()}
    boards = json.loads((tmp_path / "site" / "leaderboard.json").read_text(encoding="utf-8"))
    (board,) = (one for one in boards if one["family"] == "timelines")
    assert {one["system"]: one["report"] for one in board["metrics"][0]["ranking"]} == {
        "careful": "reports/demo-careful.html",
        "quick": "reports/demo-all-timelines.html",
        "lead": "reports/demo-all-timelines.html",
    }
    for one in boards:
        for report in one["reports"].values():
            assert (tmp_path / "site" / report).exists()


def test_an_evaluation_and_a_result_that_have_the_same_system_are_both_named(
    evaluated: Path, tmp_path: Path
) -> None:
    run("timelines", GOLD, home() / "lead.jsonl", "--save", evaluated / "demo" / "lead.json")
    error = told(run("leaderboard", evaluated, "-o", tmp_path / "site"))
    assert "the system 'lead' is in" in error
    assert "all.json (timelines) too: leave one out" in error


def test_an_evaluation_without_scores_is_left_out_and_told(results: Path, tmp_path: Path) -> None:
    event = '{"id": "e", "article": "a"}\n'
    (tmp_path / "e.jsonl").write_text(event, encoding="utf-8")
    (tmp_path / "a.jsonl").write_text('{"id": "a", "text": "Rain falls."}\n', encoding="utf-8")
    files = [tmp_path / "e.jsonl", tmp_path / "e.jsonl", "--articles", tmp_path / "a.jsonl"]
    done = run("evaluate", *files, "--save", results / "bare.json")
    assert done.exit_code == 0, done.output
    done = run("leaderboard", results, "-o", tmp_path / "site")
    assert done.exit_code == 0, done.output
    assert "bare.json: an evaluation without scores, left out" in done.stderr


def test_an_edited_evaluation_is_refused(evaluated: Path, tmp_path: Path) -> None:
    saved = evaluated / "demo" / "all.json"
    saved.write_text(saved.read_text(encoding="utf-8").replace("quick", "swift"), encoding="utf-8")
    assert "checksum" in told(run("leaderboard", evaluated, "-o", tmp_path / "site"))


def test_a_report_with_a_strange_name_is_linked_by_its_whole_name(
    results: Path, tmp_path: Path
) -> None:
    (results / "demo" / "quick.json").rename(results / "demo" / "100% #1?.json")
    for ending in ("matches", "texts"):
        sidecar = results / "demo" / f"quick.{ending}.jsonl"
        sidecar.rename(results / "demo" / f"100% #1?.{ending}.jsonl")
    assert run("leaderboard", results, "-o", tmp_path / "site").exit_code == 0
    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert 'href="reports/demo-100%25%20%231%3F.html"' in page
    assert (tmp_path / "site" / "reports" / "demo-100% #1?.html").exists()


def test_a_board_is_one_table_in_the_order_of_the_first_metric(
    results: Path, tmp_path: Path
) -> None:
    run("leaderboard", results, "-o", tmp_path / "site")
    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    (table,) = re.findall(r'<section id="board-1".*?</section>', page, re.DOTALL)
    assert table.count("<table") == 1
    assert re.findall(r'data-value="(careful|quick)"', table) == ["careful", "quick"]
    heads = re.findall(r"<button[^>]*>([^<]*)</button>", table)
    assert heads == ["rank", "system", "AR-1 F1", "AR-2 F1", "Date-F1 F1"]
    boards = json.loads((tmp_path / "site" / "leaderboard.json").read_text(encoding="utf-8"))
    best = boards[0]["metrics"][0]["ranking"][0]
    assert f'data-value="{best["score"]}"><b>{best["score"]:.3f}</b>' in table
    assert (best["letters"], boards[0]["metrics"][0]["better"]) == ("a", "higher")
