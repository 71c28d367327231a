"""The command that scores candidate lists."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from chronoscore.cli.main import command
from chronoscore.demo import home
from chronoscore.errors import DataError, UsageError

PLACES, LINKED = str(home() / "places.jsonl"), str(home() / "linked.jsonl")


def run(*arguments: str) -> str:
    done = CliRunner().invoke(command, ["candidates", *arguments, "--feature", "link"])
    if done.exception is not None:
        raise done.exception
    return done.stdout


def test_ranks_are_shown_from_one(tmp_path: Path) -> None:
    out = run(PLACES, LINKED, "--cut", "rank", "--matches", "--report", str(tmp_path / "r.html"))
    assert "candidates-curve by rank, linked" in out
    assert " -1" not in out
    last = next(line for line in out.splitlines() if line.startswith("harbour-3  l2"))
    assert last.split() == ["harbour-3", "l2", "42-56", "1", "1", "0.660"]
    assert "candidates of each list" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_the_histogram_adds_up_to_the_lists_with_an_answer() -> None:
    found = json.loads(run(PLACES, LINKED, "--format", "json"))
    (system,) = found["systems"]
    by_name = {s["metric"].partition("(")[0]: s for s in system["summaries"]}
    curve = by_name["candidates-accuracy"]["curve"]
    assert [point["threshold"] for point in curve] == [-1, -2, -3]
    lists, _, lenient, *_ = by_name["candidates-rank"]["statistics"]
    assert lists == 8
    assert lenient == curve[-1]["statistics"][0] == 7
    assert by_name["max-recall"]["scores"]["lenient_recall"] == 7 / 8


def test_wrong_lists_are_told_with_their_document(tmp_path: Path) -> None:
    text = Path(LINKED).read_text(encoding="utf-8").replace('"c1", "c2"', '"c1", "c99"', 1)
    (tmp_path / "wrong.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match="document 'harbour-1': list 'l1' names the candidate"):
        run(PLACES, str(tmp_path / "wrong.jsonl"))


def test_options_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(UsageError, match=r"--matches is for --format text, .* not json"):
        run(PLACES, LINKED, "--matches", "--format", "json")
    with pytest.raises(UsageError, match="the options make the metrics"):
        run(PLACES, LINKED, "-m", "spans")
    with pytest.raises(UsageError, match="needs scores"):
        run(PLACES, LINKED, "--score", "none", "--cut", "score")


def test_lists_are_scored_the_same_in_parts() -> None:
    assert run(PLACES, LINKED, "--engine", "here") == run(PLACES, LINKED)
    with pytest.raises(UsageError, match="read in chunks"):
        run(PLACES, LINKED, "--engine", "here", "--matches")
