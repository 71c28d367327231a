"""`chronoscore correlate`: metrics of any family against people, at three levels."""

import csv
import io
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from rubric.judging import BEST, WORST, row, sheet

from chronoscore.cli.main import command
from chronoscore.demo import SYSTEMS, home
from chronoscore.errors import ChronoscoreError

FILES = [str(home() / f"{name}.jsonl") for name in ("gold", *SYSTEMS)]
SHEET = home() / "judgements.csv"
EVENTS = " ".join(f"--events {file}" for file in FILES[1:])


def call(*words: str) -> Result:
    return CliRunner().invoke(command, list(words))


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of three families on the demo data."""
    folder = tmp_path_factory.mktemp("saved")
    for family, more in (
        ("timelines", ["-m", "AR-1", "-m", "date-f1", "-m", "date-distance"]),
        ("annotations", []),
        ("ordering", ["-m", "pairwise"]),
    ):
        done = call(family, *FILES, *more, "--save", str(folder / f"{family}.json"))
        assert done.exit_code == 0, done.output
    return folder


def run(saved: Path, names: str, words: str = "", people: Path = SHEET) -> Result:
    paths = [str(saved / f"{name}.json") for name in names.split()]
    return call("correlate", *paths, "--people", str(people), *shlex.split(words))


def document(saved: Path, names: str, words: str = "", people: Path = SHEET) -> Any:
    done = run(saved, names, f"{words} --format json", people)
    assert done.exit_code == 0, (done.output, done.exception)
    return json.loads(done.stdout)


def told(done: Result) -> str:
    assert isinstance(done.exception, ChronoscoreError), done.output
    return str(done.exception)


def value_of(metric: Any, name: str) -> Any:
    return next(value for value in metric["values"] if value["coefficient"] == name)


def test_systems_are_set_against_their_mean_score(saved: Path) -> None:
    found = document(saved, "timelines", EVENTS)
    first = found["metrics"][0]
    assert [point["system"] for point in first["points"]] == sorted(SYSTEMS)
    rubric = json.loads(call("rubric", str(SHEET), "--format", "json").stdout)
    means = {s["name"]: s["summaries"][0]["scores"]["eqs"] for s in rubric["systems"]}
    for point in first["points"]:
        assert point["human"] == pytest.approx(means[point["system"]])
        assert point["human_interval"]["low"] < point["human"] < point["human_interval"]["high"]
    assert value_of(first, "spearman")["value"] == 1.0
    assert value_of(first, "soft accuracy")["value"] == 1.0
    assert "5 clusters" in value_of(first, "pearson")["reason"]


def test_scores_of_topics_are_those_of_the_breakdown(saved: Path) -> None:
    found = document(saved, "timelines", f"--level topic {EVENTS}")
    line = ["timelines", *FILES, "-m", "AR-1", "--by", "topic", "--format", "json"]
    result = json.loads(call(*line).stdout)
    expected = {
        (system["name"], summary["group"]["topic"]): summary["scores"]["f1"]
        for system in result["systems"]
        for summary in system["summaries"]
        if summary["group"]
    }
    points = found["metrics"][0]["points"]
    assert len(points) == 9, "three systems on the three topics that were judged"
    for point in points:
        assert point["metric"] == pytest.approx(expected[point["system"], point["name"]])


def test_events_are_found_by_id_by_mention_and_by_day(saved: Path) -> None:
    found = document(saved, "timelines annotations ordering", f"--level event {EVENTS}")
    metrics = {one["label"]: one for one in found["metrics"]}
    assert metrics["annotations spans"]["items"] == 61
    assert metrics["timelines AR-1"]["items"] == 61
    assert metrics["ordering pairwise"]["items"] == 60
    assert "timelines date-distance" not in metrics
    notices = " ".join(found["notices"])
    assert "their matches name no judged event" in notices
    assert "no score for 1 of 61 items: careful careful-apollo-11-06" in notices
    for metric in metrics.values():
        assert all(0 <= point["metric"] <= 1 for point in metric["points"])
        interval = value_of(metric, "pearson")["interval"]
        assert interval["low"] < value_of(metric, "pearson")["value"] < interval["high"]
        assert interval["unit"] == "article"


def test_without_events_only_ids_are_found(saved: Path) -> None:
    found = document(saved, "timelines annotations", "--level event")
    assert [one["label"] for one in found["metrics"]] == ["annotations spans"]


def test_less_is_better_is_turned(saved: Path) -> None:
    found = document(saved, "timelines", f"--level topic {EVENTS}")
    distance = next(one for one in found["metrics"] if one["metric"] == "date-distance")
    assert distance["turned"]
    assert all(point["metric"] <= 0 for point in distance["points"])
    assert value_of(distance, "pearson")["value"] > 0


def test_every_pair_of_metrics_is_tested(saved: Path) -> None:
    found = document(saved, "timelines annotations", f"--level topic {EVENTS}")
    assert len(found["tests"]) == 6
    for one in found["tests"]:
        assert one["exact"]
        assert one["smallest_p"] == 2 / 2**9
        assert one["smallest_p"] <= one["p"] <= one["p_corrected"] <= 1
        assert one["williams_p"] is not None


def test_three_systems_are_too_few_for_williams(saved: Path) -> None:
    found = document(saved, "timelines")
    assert all("4 items" in one["reason"] for one in found["tests"])
    assert {one["smallest_p"] for one in found["tests"]} == {0.25}
    soft = value_of(found["metrics"][0], "soft accuracy")
    assert "--events" in soft["reason"]


def test_a_criterion_and_coefficients_are_chosen(saved: Path) -> None:
    words = "--criterion Date --level event --coefficient tau-b --coefficient acc-eq"
    found = document(saved, "timelines annotations", f"{words} {EVENTS}")
    assert found["criterion"] == "Date"
    values = [value["coefficient"] for value in found["metrics"][0]["values"]]
    assert values == ["tau-b", "acc-eq"]
    assert {one["coefficient"] for one in found["tests"]} == {"tau-b"}


def test_systems_that_only_one_side_has_are_told(saved: Path, tmp_path: Path) -> None:
    rows = []
    for system, said in (("careful", BEST), ("quick", WORST), ("lead", WORST), ("other", BEST)):
        rows += [row(f"{system}-{n}", "ana", said, system=system) for n in range(2)]
    done = run(saved, "timelines", people=sheet(tmp_path / "sheet.csv", rows))
    assert "systems that are judged by people and have no score, left out: other" in done.stderr


def test_no_variation_is_undefined_with_a_reason(saved: Path, tmp_path: Path) -> None:
    rows = [row(f"{system}-1", "ana", system=system) for system in SYSTEMS]
    done = run(saved, "annotations", people=sheet(tmp_path / "sheet.csv", rows))
    assert done.exit_code == 0
    assert "undef." in done.stdout
    assert "no variation: people gave all items the same value" in done.stdout


def test_fewer_than_three_items_are_refused(saved: Path, tmp_path: Path) -> None:
    rows = [row("a", "ana", system="careful"), row("b", "ana", WORST, system="quick")]
    done = run(saved, "timelines", people=sheet(tmp_path / "sheet.csv", rows))
    message = told(done)
    assert "a correlation needs 3 systems" in message
    assert "here are 2" in message
    assert done.exception.exit_code == 3  # type: ignore[union-attr]


def test_what_is_lacking_is_told_line_by_line(saved: Path, tmp_path: Path) -> None:
    few = tmp_path / "few.csv"
    few.write_text(SHEET.read_text(encoding="utf-8").replace(",careful,", ",kind,"), "utf-8")
    lines = told(run(saved, "timelines", people=few)).splitlines()
    assert lines[0].startswith("a correlation needs 3 systems")
    assert "systems that are judged by people and have no score, left out: kind" in lines


def test_judge_models_are_no_people(saved: Path) -> None:
    alone = document(saved, "timelines")
    both = document(saved, "timelines", f"--people {home() / 'judge.csv'}")
    assert both["people"] == ["ana", "ben"]
    assert both["metrics"] == alone["metrics"]


def test_results_of_the_same_system_clash(saved: Path) -> None:
    assert "two results have AR-1 of the system 'careful'" in told(
        run(saved, "timelines timelines")
    )


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--level topic", "name the systems' events with --events"),
        ("--criterion nonsense", "no criterion 'nonsense'; there are: date, root"),
        ("--coefficient r", "no coefficient 'r'"),
        ("--confidence 95", "--confidence is 95"),
        (f"--events {FILES[0]}", "no result is of a system 'gold'; name it with NAME=FILE"),
    ],
)
def test_wrong_calls_are_told(saved: Path, words: str, expected: str) -> None:
    done = run(saved, "timelines", words)
    assert expected in told(done)
    assert done.exception.exit_code == 2  # type: ignore[union-attr]


def test_judgements_are_no_metric(saved: Path) -> None:
    call("rubric", str(SHEET), "--save", str(saved / "rubric.json"))
    assert "holds judgements, not a metric" in told(run(saved, "rubric"))


def test_events_need_the_matches(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "alone.json").write_bytes((saved / "timelines.json").read_bytes())
    assert "alone.matches.jsonl" in told(run(tmp_path, "alone", "--level event"))


@pytest.mark.parametrize("how", ["text", "markdown", "latex"])
def test_every_format_has_both_tables(saved: Path, how: str) -> None:
    done = run(saved, "timelines", f"--level event {EVENTS} --format {how}")
    assert done.exit_code == 0, done.output
    assert "metrics against EQS by people" in done.stdout
    assert "which metric follows people better" in done.stdout
    assert "bootstrap over 9 articles" in done.stdout


def test_csv_is_the_coefficients_alone(saved: Path) -> None:
    done = run(saved, "timelines annotations", f"--level event {EVENTS} --format csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["metric"] for row in rows] == [
        "timelines AR-1",
        "timelines Date-F1",
        "annotations spans",
    ]


@pytest.mark.parametrize("level", ["system", "topic", "event"])
def test_the_report_draws_every_item_and_asks_for_nothing(
    saved: Path, tmp_path: Path, level: str
) -> None:
    path = tmp_path / "new" / "report.html"
    found = document(saved, "timelines", f"--level {level} {EVENTS} --report {path}")
    text = path.read_text(encoding="utf-8")
    spots = len(re.findall(r'<(?:circle|polygon)[^>]*class="spot', text))
    assert spots == sum(one["items"] for one in found["metrics"]) + len(SYSTEMS)
    assert "default-src &#x27;none&#x27;" in text
    assert " style=" not in text
    assert not re.search(r'(?:src|href)="(?!#)', text)
    lines = len(re.findall(r'<line[^>]*class="reach', text))
    assert (lines > 0) is (level != "event"), "people's means of systems and topics have intervals"


def test_names_in_the_report_are_text(saved: Path, tmp_path: Path) -> None:
    result = json.loads((saved / "annotations.json").read_text(encoding="utf-8"))
    rows = []
    for number, system in enumerate(result["systems"]):
        system["name"] = f"<script>{number}"
        rows.append(row("e", "ana", BEST if number else WORST, system=system["name"]))
    del result["checksum"]
    (tmp_path / "odd.json").write_text(json.dumps(result), encoding="utf-8")
    path = tmp_path / "report.html"
    done = run(tmp_path, "odd", f"--report {path}", sheet(tmp_path / "sheet.csv", rows))
    assert done.exit_code == 0, (done.output, done.exception)
    text = path.read_text(encoding="utf-8")
    assert "&lt;script&gt;0" in text
    assert "<script>0" not in text


def test_events_that_are_not_given_are_named_as_the_reason(saved: Path) -> None:
    everyone = ", ".join(sorted(SYSTEMS))
    none = told(run(saved, "timelines", "--level event"))
    assert f"systems whose events are not given by --events, left out: {everyone}" in none
    assert "have no score" not in none
    first, *others = sorted(SYSTEMS)
    one = run(saved, "timelines", f"--level event --events {home() / first}.jsonl")
    assert f"not given by --events, left out: {', '.join(others)}" in one.output
    assert "have no score" not in one.output
