"""`--no-worse-than`: a baseline that does not fit is told before anything is scored."""

import json
from pathlib import Path

import pytest
from readers.command_line import BAD_DATA, FINE, USAGE, run

from chronoscore import __version__
from chronoscore.demo import home

GOLD, QUICK, CAREFUL = (home() / f"{name}.jsonl" for name in ("gold", "quick", "careful"))


def before(folder: Path, *words: object) -> Path:
    path = folder / "before.json"
    assert run(*words, "--save", path).code == FINE
    return path


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["ordering", GOLD, QUICK], BAD_DATA, "the results differ in family"),
        (["timelines", GOLD, QUICK, "-m", "AR-1"], BAD_DATA, "the results differ in metrics"),
        (["timelines", GOLD, QUICK, "--average", "micro"], BAD_DATA, "the results differ in"),
        (["timelines", GOLD, QUICK, CAREFUL], USAGE, "wants a result of one system"),
    ],
)
def test_a_baseline_that_does_not_fit_stops_at_once(
    words: list[object], code: int, told: str, tmp_path: Path
) -> None:
    saved = tmp_path / "now.json"
    path = before(tmp_path, *words)
    ran = run("timelines", GOLD, QUICK, "--no-worse-than", path, "--save", saved)
    assert (ran.code, ran.out) == (code, "")
    assert told in ran.err
    assert not saved.exists()


def test_other_metrics_than_the_baseline_has_are_one_problem_with_short_labels(
    tmp_path: Path,
) -> None:
    path = before(tmp_path, "timelines", GOLD, QUICK, "-m", "AR-1")
    ran = run("timelines", GOLD, QUICK, "--no-worse-than", path)
    assert ran.problems == [
        "the results differ in metrics: the baseline has AR-1, this run has AR-1, AR-2, Date-F1: "
        "score this run with -m AR-1, or score the baseline anew"
    ]
    advised = ("timelines", GOLD, QUICK, "--no-worse-than", path, "-m", "AR-1")
    assert run(*advised).code == FINE


def test_results_with_other_metrics_are_called_by_their_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before(Path(), "timelines", GOLD, QUICK, "-m", "AR-1")
    now = ("timelines", GOLD, CAREFUL, "-m", "AR-1", "-m", "AR-2", "--save", "now.json")
    assert run(*now).code == FINE
    expected = [
        "the results differ in metrics: before.json has AR-1, now.json has AR-1, AR-2: "
        "score now.json with -m AR-1, or score before.json anew"
    ]
    assert run("compare", "before.json", "now.json").problems == expected
    assert run("show", "before.json", "--compare", "now.json").problems == expected


def test_a_baseline_that_is_not_there_stops_at_once(tmp_path: Path) -> None:
    ran = run("timelines", GOLD, QUICK, "--no-worse-than", tmp_path / "none.json")
    assert (ran.code, ran.out) == (BAD_DATA, "")
    assert "there is no such file" in ran.err


@pytest.mark.parametrize("verb", ["timelines", "ordering", "annotations", "rubric"])
def test_a_baseline_of_the_same_settings_fits(verb: str, tmp_path: Path) -> None:
    files = [home() / "judgements.csv"] if verb == "rubric" else [GOLD, QUICK]
    if verb == "rubric":
        lines = files[0].read_text(encoding="utf-8-sig").splitlines()
        files = [tmp_path / "one.csv"]
        kept = [line for line in lines if "quick" in line]
        files[0].write_text("\n".join([lines[0], *kept]), encoding="utf-8")
    path = before(tmp_path, verb, *files)
    assert run(verb, *files, "--no-worse-than", path).code == FINE


def test_a_baseline_of_another_version_is_told_with_both_versions(tmp_path: Path) -> None:
    path = before(tmp_path, "timelines", GOLD, QUICK)
    same = run("timelines", GOLD, QUICK, "--no-worse-than", path)
    assert (same.code, same.err) == (FINE, "")
    document = json.loads(path.read_text(encoding="utf-8"))
    del document["checksum"]  # it would refuse the edited version
    text = json.dumps(document)
    assert f"|version={__version__}" in text
    path.write_text(text.replace(f"|version={__version__}", "|version=0.0.9"), encoding="utf-8")
    ran = run("timelines", GOLD, QUICK, "--no-worse-than", path)
    assert (ran.code, ran.out) == (FINE, same.out)
    words = " ".join(ran.err.split())
    assert f"before.json was made by Chronoscore 0.0.9, this is {__version__}" in words
