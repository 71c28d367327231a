"""`chronoscore agreement`: what it prints, in which order, and what it refuses."""

import csv
import io
import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from rubric.judging import BEST, WORST, row, sheet

from chronoscore.cli.main import command
from chronoscore.demo import home
from chronoscore.errors import ChronoscoreError
from chronoscore.rubric.agreement.coefficients import GROUPS

DEMO = home() / "judgements.csv"


def run(sheets: object, words: str = "") -> Result:
    return CliRunner().invoke(command, ["agreement", str(sheets), *shlex.split(words)])


def document(sheets: object, words: str = "") -> Any:
    done = run(sheets, f"{words} --format json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """Three people, one of whom speaks for all, and two rounds."""
    rows = []
    for number in range(12):
        good = number % 2 == 0
        more = {"article_id": f"a{number % 4}", "system": "s", "event_type": f"t{number % 3}"}
        for who, values in (
            ("ana", BEST if good else WORST),
            ("ben", BEST if number % 3 == 0 else WORST),
            ("team", BEST if good else WORST),
        ):
            rows.append(row(f"e{number:02}", who, values, round="1", **more))
            if who != "team":
                rows.append(row(f"e{number:02}", who, BEST, round="2", **more))
    return sheet(tmp_path / "judged.csv", rows)


def test_the_coefficients_come_first_and_then_what_to_discuss() -> None:
    text = run(DEMO).stdout
    captions = (
        "agreement between evaluators",
        "what to discuss",
        "each pair of evaluators",
        "how generous each evaluator is",
        "frequent comments",
    )
    places = [text.index(caption) for caption in captions]
    assert places == sorted(places)
    assert "type: alpha nominal is 0.629, below 0.667" in text
    assert "\nby " not in text
    assert "over time" not in text


def test_what_is_asked_for_comes_before_the_usual() -> None:
    text = run(DEMO, "--by article --windows 3 --adjudicated ana").stdout
    captions = ("beside the agreed values", "agreement by article", "agreement over time")
    places = [text.index(caption) for caption in captions]
    assert places == sorted(places)


def test_json_holds_all_of_it_in_one_document(judged: Path) -> None:
    found = document(judged, "--by article --by type --windows rounds --adjudicated team")
    assert found["format"] == "chronoscore-agreement"
    assert found["evaluators"] == ["ana", "ben"], "agreed values are no evaluator's"
    assert {part["by"] for part in found["parts"]} == {"article", "type"}
    assert found["over_time"]["parts"] == ["round 1", "round 2"]
    assert {item["evaluator"] for item in found["adjudicated"]} == {"ana", "ben"}
    assert {item["name"] for item in found["over_time"]["evaluators"]} == {"ana", "ben"}
    assert found["adjudicated"][0]["confusion"] == {"0": {"0": 0, "1": 6}, "1": {"0": 0, "1": 6}}
    for name in ("agreement", "verdicts", "discussion", "pairs", "generosity", "comments"):
        assert name in found
    assert any("agreed values" in notice for notice in found["notices"])


def test_agreed_values_of_another_sheet(judged: Path, tmp_path: Path) -> None:
    agreed = sheet(
        tmp_path / "agreed.csv",
        [{k: v for k, v in row(f"e{n:02}", "").items() if k != "evaluator"} for n in range(3)],
    )
    found = document(judged, f"--adjudicated {agreed}")
    assert {item["events"] for item in found["adjudicated"]} == {3}
    assert found["evaluators"] == ["ana", "ben", "team"]


def test_every_format_prints_every_table() -> None:
    words = "--by system --windows 2 --adjudicated ben --coefficient all"
    for form in ("text", "markdown", "latex"):
        done = run(DEMO, f"{words} --format {form}")
        assert done.exit_code == 0, done.output
        for caption in ("beside the agreed", "agreement by system", "agreement over time"):
            assert caption in done.stdout


def test_csv_is_the_coefficients_alone() -> None:
    done = run(DEMO, "--format csv --coefficient kappa --by article")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["coefficient"] for row in rows] == ["kappa"] * 6


def test_choices_are_those_that_the_library_has() -> None:
    text = run(DEMO, "--help").output.replace("\n", " ")
    assert f"[{'|'.join(GROUPS)}]" in text
    assert "0.667" in text


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        ("--coefficient kapa", 2, "no coefficient kapa"),
        ("--windows 1", 2, "--windows is '1'"),
        ("--windows many", 2, "--windows is 'many'"),
        ("--windows rounds", 2, "only one round"),
        ("--windows 62", 2, "can't be cut into 62 parts"),
        ("--windows 100000000000000", 2, "can't be cut into 100000000000000 parts"),
        ("--adjudicated zoe", 2, "neither a file nor an evaluator: ana, ben"),
        ("--level 2", 2, "--level is 2.0"),
        ("--threshold 7", 2, "--threshold is 7.0"),
    ],
)
def test_wrong_calls_are_told(words: str, code: int, told: str) -> None:
    done = run(DEMO, words)
    assert isinstance(done.exception, ChronoscoreError), done.output
    assert done.exception.exit_code == code
    assert told in str(done.exception)


def test_missing_files_are_told() -> None:
    done = run("nowhere.csv")
    assert isinstance(done.exception, ChronoscoreError)
    assert done.exception.exit_code == 3


def test_more_events_to_discuss() -> None:
    assert len(document(DEMO, "--most 3")["discussion"]["first"]) == 3
    found = document(DEMO, "--most 1000")["discussion"]
    assert len(found["first"]) == found["differing"]


def test_a_report_is_written(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    assert run(DEMO, f"--report {path}").exit_code == 0
    text = path.read_text(encoding="utf-8")
    assert "Each pair of evaluators" in text
    assert "What they disagree on" in text


def test_one_evaluator_gets_reasons_and_no_empty_tables(tmp_path: Path) -> None:
    path = sheet(tmp_path / "one.csv", [row("e1", "ana"), row("e2", "ana", WORST)])
    text = run(path).stdout
    assert "no unit has two ratings" in text
    assert "each pair" not in text
    assert "what to discuss" not in text
