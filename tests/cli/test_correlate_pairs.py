"""`chronoscore correlate --verdicts`: the pairs of a result against people's."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from readers.command_line import Ran, run

from chronoscore.core.evidence import Match
from chronoscore.core.result import CaseMatches
from chronoscore.demo import home

SHEET = home() / "judgements.csv"


def matched(at: int) -> list[Match]:
    pair: dict[str, Any] = {"gold": f"g{at}", "predicted": f"p{at}", "shared": 0.5}
    return [Match(side, "matched", 1.0, 1.0, **pair) for side in ("precision", "recall")]


def result(system: str = "quick", family: str = "events") -> Any:
    rows = [SimpleNamespace(case=f"t{at}", tags={"topic": f"t{at}"}) for at in range(5)]
    return SimpleNamespace(family=family, systems=[SimpleNamespace(name=system, rows=rows)])


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Results with one matched pair in each of five topics; the second is of another system."""
    monkeypatch.chdir(tmp_path)
    results = {
        "quick.json": result(),
        "other.json": result("other"),
        "days.json": result(family="timelines"),
    }
    for name in results:
        (tmp_path / name).write_text("{}", encoding="utf-8")

    def load_matches(path: Path, found: Any) -> list[CaseMatches]:
        system = found.systems[0].name
        return [
            CaseMatches(system, f"t{at}", metric, tuple(matched(at)))
            for at in range(5)
            for metric in ("event-f1", "event-timed")
        ]

    monkeypatch.setattr("chronoscore.core.result.load", lambda path: results[path.name])
    monkeypatch.setattr("chronoscore.core.result.load_matches", load_matches)
    return tmp_path


def correlate(
    saved: Path, *options: object, rows: Sequence[Mapping[str, object]] | None = None
) -> Ran:
    if rows is None:
        words = ("same", "same", "different", "part", "contradicts")
        rows = [
            {"gold": f"g{at}", "predicted": f"p{at}", "verdict": word, "by": "ana"}
            for at, word in enumerate(words)
        ]
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    (saved / "verdicts.jsonl").write_text(text, encoding="utf-8")
    return run("correlate", "quick.json", "--verdicts", "verdicts.jsonl", *options)


def figures(ran: Ran) -> dict[str, Any]:
    assert ran.code == 0, ran.err
    (metric,) = json.loads(ran.out)["metrics"]
    return {figure["name"]: figure for figure in metric["figures"]} | {"metric": metric}


def test_matched_pairs_are_compared_with_verdicts(saved: Path) -> None:
    found = figures(correlate(saved, "-f", "json"))
    assert found["metric"]["metric"] == "event-f1, event-timed"
    assert (found["metric"]["matched"], found["metric"]["right"]) == (5, 4)
    assert found["precision"]["value"] == 0.8
    assert found["precision"]["interval"]["unit"] == "topic"
    assert found["recall"]["value"] == 1.0


def test_parts_count_as_asked(saved: Path) -> None:
    assert figures(correlate(saved, "-f", "json", "--part", "different"))["metric"]["right"] == 3
    assert figures(correlate(saved, "-f", "json", "--part", "skip"))["metric"]["matched"] == 4


def test_pairs_without_a_verdict_count_as_asked(saved: Path) -> None:
    rows = [{"gold": "g0", "predicted": "p0", "verdict": "same", "by": "ana"}]
    assert figures(correlate(saved, "-f", "json", rows=rows))["precision"]["value"] == 1.0
    found = figures(correlate(saved, "-f", "json", "--unjudged", "different", rows=rows))
    assert found["precision"]["value"] == 0.2


def test_tables_are_printed(saved: Path) -> None:
    ran = correlate(saved)
    assert "pairs of events against verdicts by people (ana)" in ran.out
    assert "95% intervals: bootstrap over topics" in ran.out
    assert "by topic" in ran.out
    assert "by topic" not in correlate(saved, "-f", "csv").out


def test_several_results_are_taken_together(saved: Path) -> None:
    ran = correlate(saved, "other.json", "-f", "json")
    assert figures(ran)["metric"]["matched"] == 10
    ran = correlate(saved, "quick.json")
    assert ran.code == 2
    assert "another result has the system 'quick' too" in ran.err


def test_results_of_other_families_are_refused(saved: Path) -> None:
    ran = correlate(saved, "days.json")
    assert ran.code == 2
    assert "days.json is a result of timelines: verdicts are on pairs of events" in ran.err


def test_wrong_verdicts_are_reported_with_their_lines(saved: Path) -> None:
    ran = correlate(saved, rows=[{"gold": "g0", "predicted": "p0", "verdict": "yes", "by": "ana"}])
    assert ran.code == 3
    assert "verdicts.jsonl:1: verdict is 'yes', expected one of: same, part" in ran.err


def test_people_or_verdicts_are_needed_and_not_both(saved: Path) -> None:
    ran = run("correlate", "quick.json")
    assert ran.code == 2
    assert "give --people SHEET, or --verdicts FILE" in ran.err
    ran = correlate(saved, "--people", SHEET)
    assert ran.code == 2
    assert "--verdicts does not go with --people" in ran.err


@pytest.mark.parametrize(
    "option",
    [
        ("--level", "event"),
        ("--criterion", "EQS"),
        ("--coefficient", "pearson"),
        ("--report", "page.html"),
        ("--evaluator", "ana"),
    ],
)
def test_options_of_judgements_are_refused_beside_verdicts(
    saved: Path, option: tuple[str, str]
) -> None:
    ran = correlate(saved, *option)
    assert ran.code == 2
    assert f"{option[0]} is for --people" in ran.err


def test_options_of_verdicts_are_refused_beside_judgements(saved: Path) -> None:
    ran = run("correlate", "quick.json", "--people", SHEET, "--part", "skip")
    assert ran.code == 2
    assert "--part is for --verdicts" in ran.err
