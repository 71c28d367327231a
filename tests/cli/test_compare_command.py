"""`chronoscore compare` takes each file that it is given, or says why not."""

from pathlib import Path

import pytest
from readers.command_line import FINE, USAGE, run

from chronoscore.demo import home

GOLD, QUICK, CAREFUL = (home() / f"{name}.jsonl" for name in ("gold", "quick", "careful"))


@pytest.mark.parametrize("family", ["ordering", "tlinks", "coreference", "annotations"])
def test_a_name_for_two_files_is_refused_where_there_are_no_trials(family: str) -> None:
    ran = run("compare", family, GOLD, f"a={QUICK}", f"a={CAREFUL}", f"b={QUICK}")
    assert ran.code == USAGE
    assert "two systems are named 'a'" in ran.err
    assert not ran.out


def test_a_name_for_two_files_of_timelines_is_two_trials() -> None:
    once = run("compare", "timelines", GOLD, f"a={QUICK}", f"b={QUICK}")
    twice = run("compare", "timelines", GOLD, f"a={QUICK}", f"a={CAREFUL}", f"b={QUICK}")
    assert once.code == twice.code == FINE
    assert once.out != twice.out


@pytest.mark.parametrize("family", ["ordering", "annotations"])
def test_other_names_are_compared(family: str) -> None:
    assert run("compare", family, GOLD, f"a={QUICK}", f"b={CAREFUL}").code == FINE


def test_candidates_are_compared_by_their_saved_results(tmp_path: Path) -> None:
    files = (
        home() / "places.jsonl",
        f"a={home() / 'linked.jsonl'}",
        f"b={home() / 'linked.jsonl'}",
    )
    ran = run("compare", "candidates", *files)
    assert ran.code == USAGE
    assert "compare takes no candidates" in ran.err
    saved = tmp_path / "run.json"
    assert run("candidates", *files, "--feature", "link", "--save", saved).code == FINE
    assert run("compare", saved).code == FINE


def test_a_word_that_is_no_family_is_told() -> None:
    ran = run("compare", "timeline", GOLD, QUICK, CAREFUL)
    assert ran.code == USAGE
    assert "'timeline' is no saved result and no family; there are: timelines, " in ran.err


def test_a_folder_of_saved_results_is_to_be_spelt_out(tmp_path: Path) -> None:
    run("timelines", GOLD, QUICK, "--save", tmp_path / "r.json")
    ran = run("compare", tmp_path)
    assert ran.code == USAGE
    assert f"is a folder: name its files, as in {tmp_path}/*.json" in " ".join(ran.err.split())


def test_too_few_topics_for_any_significance_are_named(tmp_path: Path) -> None:
    lines = GOLD.read_text(encoding="utf-8").splitlines(keepends=True)
    few = tmp_path / "few.jsonl"
    for topics, said in ((("apollo-11", "titanic-sinking"), True), (("",), False)):
        few.write_text("".join(line for line in lines if any(map(line.__contains__, topics))))
        ran = run("compare", "timelines", few, f"a={QUICK}", f"b={CAREFUL}", "--lenient")
        assert ran.code == FINE
        assert ("nothing could be significant here" in " ".join(ran.out.split())) is said


def test_topics_may_be_too_few_for_the_pairs_that_are_corrected_for(tmp_path: Path) -> None:
    lines = GOLD.read_text(encoding="utf-8").splitlines(keepends=True)
    few = tmp_path / "few.jsonl"
    few.write_text("".join(line for line in lines if "apollo-11" not in line), encoding="utf-8")
    words = ("compare", "timelines", few, QUICK, CAREFUL, home() / "lead.jsonl", "--lenient")
    impossible = "With 6 topics and 3 pairs of systems no corrected p can be below 0.0938"
    assert impossible in " ".join(run(*words).out.split())
    assert impossible not in " ".join(run(*words, "--correction", "none").out.split())


def test_several_metrics_are_compared_by_value_side_by_side() -> None:
    metrics = ("-m", "spans", "-m", "spans(compare=span)", "--by", "type")
    ran = run("compare", "annotations", GOLD, CAREFUL, QUICK, *metrics)
    assert ran.code == FINE
    (line,) = (
        line for line in ran.out.splitlines() if line.startswith("eruption ") and "careful" in line
    )
    assert line.split()[2::2] == ["1.000", "1.000"]
