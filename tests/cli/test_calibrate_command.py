"""`chronoscore calibrate`: a judge beside people, in every format, and what it refuses."""

import csv
import io
import json
import random
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from rubric.judging import BEST, WORST, row, sheet

from chronoscore.cli.main import command
from chronoscore.demo import home
from chronoscore.errors import ChronoscoreError

SHEETS = [home() / "judgements.csv", home() / "judge.csv"]
CRITERIA = ["date", "root", "type", "clarity", "relevance", "EQS"]


def run(words: str = "", sheets: list[Path] = SHEETS) -> Result:
    return CliRunner().invoke(command, ["calibrate", *map(str, sheets), *shlex.split(words)])


def document(words: str = "", sheets: list[Path] = SHEETS) -> Any:
    done = run(f"{words} --format json", sheets)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def told(done: Result) -> str:
    assert isinstance(done.exception, ChronoscoreError), done.output
    return str(done.exception)


@pytest.fixture
def judged(tmp_path: Path) -> list[Path]:
    """A judge who calls 40 events best; of 20 drawn by lot people say that every second is bad."""
    labelled = random.Random(0).sample(range(40), 20)
    rows = []
    for number in range(40):
        more = {"system": "s", "article_id": f"a{number % 8}"}
        rows.append(row(f"e{number:02}", "model", BEST, evaluator_kind="llm", **more))
        if number in labelled:
            said = BEST if labelled.index(number) % 2 else WORST
            rows.append(row(f"e{number:02}", "ana", said, evaluator_kind="person", **more))
    return [sheet(tmp_path / "judged.csv", rows)]


def test_a_judge_that_tells_nothing_leaves_the_peoples_mean(judged: list[Path]) -> None:
    levels = {one["criterion"]: one for one in document(sheets=judged)["levels"]}
    assert list(levels) == CRITERIA
    for name in ("date", "EQS"):
        assert levels[name]["people"]["value"] == 0.5
        assert levels[name]["judge"]["value"] == 1.0
        assert levels[name]["corrected"]["value"] == 0.5
        assert levels[name]["corrected"]["weight"] == 0.0
    assert levels["date"]["rate"]["value"] is None
    assert "tells nothing" in levels["date"]["rate"]["reason"]
    assert levels["clarity"]["rate"] is None, "only 0/1 criteria have a rate"


def test_errors_are_those_that_were_made(judged: list[Path]) -> None:
    errors = {one["criterion"]: one for one in document(sheets=judged)["errors"]}
    assert errors["date"]["bias"] == 0.5
    assert errors["date"]["confusion"] == {"0": {"0": 0, "1": 10}, "1": {"0": 0, "1": 10}}
    assert (errors["date"]["sensitivity"], errors["date"]["specificity"]) == (1.0, 0.0)
    assert errors["clarity"]["bias"] == 1.0
    assert errors["clarity"]["sensitivity"] is None


def test_the_demos_judge_is_generous_and_corrected_downwards() -> None:
    found = document()
    assert found["judge"] == "model-j"
    assert found["people"] == ["ana", "ben"]
    assert (found["labelled"], found["events"]) == (61, 134)
    bias = {one["criterion"]: one["bias"] for one in found["errors"]}
    assert bias["EQS"] > 0.05
    quick = next(o for o in found["levels"] if (o["system"], o["criterion"]) == ("quick", "EQS"))
    assert quick["corrected"]["value"] < quick["judge"]["value"]
    assert quick["corrected"]["interval"]["unit"] == "article"
    assert [one["who"] for one in found["beside"]] == [
        "model-j and ana",
        "model-j and ben",
        "people",
    ]


def test_fewer_than_20_labels_are_refused_unless_forced() -> None:
    def lead(words: str) -> Any:
        levels = document(words)["levels"]
        return next(o for o in levels if (o["system"], o["criterion"]) == ("lead", "EQS"))

    refused = lead("")
    assert refused["corrected"]["value"] is None
    assert "9 labelled events, fewer than 20" in refused["corrected"]["reason"]
    assert refused["people"]["value"] is not None
    assert lead("--force")["corrected"]["value"] is not None


def test_labels_that_were_not_drawn_by_lot_are_told(judged: list[Path]) -> None:
    assert "careful: not a random sample: the 26 labelled events are from 9 of 17" in run().stderr
    random_ones = run(sheets=judged).stderr
    assert "must be a random sample" in random_ones
    assert "not a random sample" not in random_ones


def test_labels_that_the_judge_sees_otherwise_are_told(tmp_path: Path) -> None:
    rows = []
    for number in range(60):
        said = WORST if number < 30 else BEST
        more = {"system": "s", "article_id": "a"}
        rows.append(row(f"e{number:02}", "model", said, evaluator_kind="llm", **more))
        if number < 30:
            rows.append(row(f"e{number:02}", "ana", said, evaluator_kind="person", **more))
    found = run(sheets=[sheet(tmp_path / "sheet.csv", rows)])
    assert (
        "the judge's mean EQS is 0.000 on labelled events and 1.000 on the others" in found.stderr
    )


def test_samples_of_a_judge_are_averaged_within_the_event(tmp_path: Path) -> None:
    rows = []
    for number in range(30):
        for sample, said in enumerate((BEST, BEST, WORST), 1):
            more = {"system": "s", "round": str(sample), "evaluator_kind": "llm"}
            rows.append(row(f"e{number:02}", "model", said, **more))
        if number < 20:
            more = {"system": "s", "round": "1", "evaluator_kind": "person"}
            rows.append(row(f"e{number:02}", "ana", BEST, **more))
    found = document(sheets=[sheet(tmp_path / "sheet.csv", rows)])
    assert found["samples"] == 3
    assert found["unit"] == "event", "there are no articles"
    level = found["levels"][0]
    assert level["judge"]["value"] == pytest.approx(2 / 3)
    assert found["errors"][0]["sensitivity"] == pytest.approx(2 / 3)
    assert found["beside"][0]["agreement"][0]["value"] == 1.0, "its vote is the most frequent"


def test_chosen_people_and_pairs() -> None:
    found = document("--people ben --difference careful quick --unit event")
    assert found["people"] == ["ben"]
    assert {(one["one"], one["two"]) for one in found["differences"]} == {("careful", "quick")}
    assert len(document()["differences"]) == 3 * len(CRITERIA)
    assert found["levels"][0]["corrected"]["interval"]["unit"] == "event"


def test_a_difference_is_that_of_the_corrected_means() -> None:
    found = document("--difference careful quick")
    means = {
        one["system"]: one["corrected"]["value"]
        for one in found["levels"]
        if one["criterion"] == "EQS"
    }
    (apart,) = [one for one in found["differences"] if one["criterion"] == "EQS"]
    expected = means["careful"] - means["quick"]
    assert apart["corrected"]["value"] == pytest.approx(expected)


def test_a_person_may_be_held_against_others_by_name() -> None:
    assert document("--judge ben --people ana")["judge"] == "ben"


@pytest.mark.parametrize("how", ["text", "markdown", "latex"])
def test_every_format_has_every_table(how: str) -> None:
    done = run(f"--format {how}")
    assert done.exit_code == 0, done.output
    for caption in ("what people would say", "the first less", "errs", "agreement with people"):
        assert caption in done.stdout


def test_csv_is_the_estimates_alone() -> None:
    rows = list(csv.DictReader(io.StringIO(run("--format csv").stdout)))
    assert len(rows) == 3 * len(CRITERIA)
    assert len(rows[0]["corrected, PPI++ mean"]) > 10


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--judge nobody", "no evaluator 'nobody'"),
        ("--people nobody", "no evaluator 'nobody'"),
        ("--judge model-j --people model-j", "can't be the judge and one of the people"),
        ("--difference careful nobody", "no system 'nobody'"),
        ("--difference careful careful", "expected two different systems"),
        ("--level 3", "--level is 3"),
    ],
)
def test_wrong_calls_are_told(words: str, expected: str) -> None:
    done = run(words)
    assert expected in told(done)
    assert done.exception.exit_code == 2  # type: ignore[union-attr]


def test_a_system_without_labels_is_undefined_with_a_reason(tmp_path: Path) -> None:
    few = tmp_path / "few.csv"  # the first rows are all of one system
    text = SHEETS[0].read_text(encoding="utf-8").splitlines(keepends=True)
    few.write_text("".join(text[:30]), encoding="utf-8")
    found = document("--force", [few, SHEETS[1]])
    without = [one["corrected"] for one in found["levels"] if one["system"] == "quick"]
    without += [one["corrected"] for one in found["differences"] if one["two"] == "quick"]
    assert without
    assert {one["reason"] for one in without} == {"nothing is labelled"}
    assert all(one["value"] is None for one in without)


def test_no_judge_in_the_sheets() -> None:
    assert "there are none of kind llm" in told(run(sheets=SHEETS[:1]))


def test_no_people_in_the_sheets() -> None:
    assert "no judgement here is by a person" in told(run(sheets=SHEETS[1:]))


def test_systems_that_are_named_otherwise_share_nothing(tmp_path: Path) -> None:
    rows = [
        row("e1", "model", system="one", evaluator_kind="llm"),
        row("e1", "ana", system="two", evaluator_kind="person"),
    ]
    done = run(sheets=[sheet(tmp_path / "sheet.csv", rows)])
    assert "no event was judged by both people and model" in told(done)
