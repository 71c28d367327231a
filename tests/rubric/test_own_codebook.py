"""A team's own codebook is followed by every formula and table."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from chronoscore.cli.main import command
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.engines.plan import Inputs
from chronoscore.engines.scoring import score_sources
from chronoscore.engines.settings import Settings
from chronoscore.rubric.codebook import load_codebook
from chronoscore.rubric.family import reader_words, rubric_family

CODEBOOK = {
    "name": "tiny",
    "version": "1",
    "title": "A tiny codebook",
    "source": "us",
    "score": "TQ",
    "comment": "Note",
    "criteria": [
        {
            "field": "Good",
            "name": "good",
            "weight": "1",
            "scale": "nominal",
            "question": "Is it good?",
            "values": [{"value": 0, "label": "no"}, {"value": 1, "label": "yes"}],
        },
        {
            "field": "Fun",
            "name": "fun",
            "weight": "2",
            "scale": "ordinal",
            "question": "Is it fun?",
            "values": [
                {"value": 1, "label": "no"},
                {"value": 2, "label": "some"},
                {"value": 3, "label": "much"},
            ],
        },
    ],
}
SHEET = "event_id,evaluator,Good,Fun\ne1,a,1,3\ne1,b,1,2\ne2,a,0,1\ne2,b,1,1\n"
# e1: (1 + 2) / 3 = 1 and (1 + 1) / 3 = 2/3; e2: 0 and 1/3.
MEAN = ((1 + 2 / 3) / 2 + (0 + 1 / 3) / 2) / 2


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    codebook, sheet = tmp_path / "codebook.json", tmp_path / "sheet.csv"
    codebook.write_text(json.dumps(CODEBOOK), encoding="utf-8")
    sheet.write_text(SHEET, encoding="utf-8")
    return codebook, sheet


def test_the_score_follows_the_codebook(files: tuple[Path, Path]) -> None:
    path, sheet = files
    codebook = load_codebook(source_of(path), Problems())
    inputs = Inputs(None, {"": [source_of(sheet)]}, reader_words(codebook))
    result = score_sources(Settings.make(rubric_family(codebook)), inputs, Problems()).result
    (summary,) = result.systems[0].summaries
    assert summary.scores["tq"] == pytest.approx(MEAN)
    assert summary.scores["fun"] == pytest.approx(1.75)
    assert result.protocol == "tiny"
    assert {row.criterion for row in result.agreement} == {"good", "fun", "TQ"}


@pytest.mark.parametrize("verb", ["rubric", "agreement"])
def test_the_command_takes_a_codebook(files: tuple[Path, Path], verb: str) -> None:
    path, sheet = files
    done = CliRunner().invoke(command, [verb, str(sheet), "--codebook", str(path)])
    assert done.exit_code == 0, done.output
    assert "TQ" in done.output
    assert "EQS" not in done.output


def test_agreement_of_all_kinds_follows_the_codebook(files: tuple[Path, Path]) -> None:
    path, sheet = files
    words = [
        "--windows",
        "2",
        "--by",
        "article",
        "--adjudicated",
        "b",
        "--coefficient",
        "all",
        "--format",
        "json",
    ]
    done = CliRunner().invoke(command, ["agreement", str(sheet), "--codebook", str(path), *words])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["codebook"] == "tiny 1"
    assert [row["criterion"] for row in found["adjudicated"]] == ["good", "fun", "TQ"]
    assert [row["bias"] for row in found["adjudicated"]] == pytest.approx([-0.5, 0.5, 0])


def test_the_report_follows_the_codebook(files: tuple[Path, Path], tmp_path: Path) -> None:
    path, sheet = files
    page = tmp_path / "page.html"
    words = ["rubric", str(sheet), "--codebook", str(path), "--report", str(page)]
    assert CliRunner().invoke(command, words).exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert "<caption>fun</caption>" in text
    assert "<b>3</b> much" in text


def test_judgements_are_converted_by_the_codebook(files: tuple[Path, Path], tmp_path: Path) -> None:
    path, sheet = files
    new = tmp_path / "new.jsonl"
    words = ["rubric", "convert", str(sheet), "--codebook", str(path), "-o", str(new)]
    assert CliRunner().invoke(command, words).exit_code == 0
    first = json.loads(new.read_text(encoding="utf-8").splitlines()[0])
    assert first == {"event_id": "e1", "evaluator": "a", "Good": 1, "Fun": 3}
