"""Agreement without articles to draw: there is no interval, and it is said why."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from chronoscore.cli.main import command
from chronoscore.demo import home

NO_ID = "intervals are over articles, and no judgement has an article_id"
ONE = "intervals are over articles, and only one has events to compare"


def run(*words: object) -> str:
    done = CliRunner().invoke(command, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture(params=["", "a1"])
def judged(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    """The demo's judgements with no article, or all of one, and what is to be said."""
    with (home() / "judgements.csv").open(encoding="utf-8", newline="") as file:
        rows = [{**row, "article_id": request.param} for row in csv.DictReader(file)]
    path = tmp_path / "judged.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path, ONE if request.param else NO_ID


@pytest.mark.parametrize("method", ["auto", "bootstrap"])
def test_agreement_says_once_why_it_has_no_interval(judged: tuple[Path, str], method: str) -> None:
    path, why = judged
    text = run("agreement", path, "--interval", method)
    assert text.count(f"no interval: {why}\n") == 1
    assert "why undefined" not in text
    rows = json.loads(run("agreement", path, "--interval", method, "--format", "json"))["agreement"]
    assert {row["no_interval"] for row in rows} == {why}
    assert not any(row.get("interval") for row in rows)


def test_a_result_and_its_report_say_it_too(judged: tuple[Path, str], tmp_path: Path) -> None:
    path, why = judged
    report = tmp_path / "report.html"
    text = run("rubric", path, "--report", report, "--full")
    assert f"no interval: {why}\n" in text
    assert f"No interval: {why}." in report.read_text(encoding="utf-8")


def test_nothing_is_said_where_there_are_articles() -> None:
    assert "no interval" not in run("agreement", home() / "judgements.csv")
