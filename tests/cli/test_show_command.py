"""`chronoscore show` and `merge`: a saved result again, as its own verb printed it."""

from pathlib import Path

import pytest
from readers.command_line import FINE, USAGE, run

from chronoscore.demo import home

GOLD, QUICK, CAREFUL = (home() / f"{name}.jsonl" for name in ("gold", "quick", "careful"))
FILES = {
    "timelines": [GOLD, QUICK, CAREFUL],
    "ordering": [GOLD, QUICK, CAREFUL],
    "annotations": [GOLD, QUICK, CAREFUL],
    "rubric": [home() / "judgements.csv"],
}


@pytest.mark.parametrize("verb", FILES)
@pytest.mark.parametrize("again", ["show", "merge"])
def test_plain_lines_are_those_of_the_verb_itself(verb: str, again: str, tmp_path: Path) -> None:
    saved = tmp_path / "run.json"
    plain = run(verb, *FILES[verb], "--format", "plain")
    assert run(verb, *FILES[verb], "--save", saved).code == FINE
    assert run(again, saved, "--format", "plain").out == plain.out


def test_a_breakdown_that_was_saved_is_kept(tmp_path: Path) -> None:
    saved = tmp_path / "run.json"
    words = ["timelines", GOLD, QUICK, "--by", "case"]
    run(*words, "--save", saved)
    assert run("show", saved, "--format", "plain").out == run(*words, "--format", "plain").out


def test_several_results_have_no_plain_form(tmp_path: Path) -> None:
    saved = tmp_path / "evaluation.json"
    assert run("evaluate", GOLD, QUICK, "--save", saved).code == FINE
    ran = run("show", saved, "--format", "plain")
    assert (ran.code, ran.out) == (USAGE, "")
    assert "the plain format is for one" in ran.err


def test_what_show_would_not_use_is_refused(tmp_path: Path) -> None:
    saved = tmp_path / "run.json"
    run("timelines", GOLD, QUICK, "--save", saved)
    for words, told in (
        (["--codebook", "nosuch"], "--codebook is for results of judgements"),
        (["--compare", saved, "--explain", "all"], "--compare only prints its tables"),
        (["--compare", saved, "--report", tmp_path / "x.html"], "--compare only prints its tables"),
        (["--compare", saved, "--format", "plain"], "--compare is for --format text, "),
    ):
        ran = run("show", saved, *words)
        assert (ran.code, ran.out) == (USAGE, "")
        assert told in ran.err
    assert not (tmp_path / "x.html").exists()
