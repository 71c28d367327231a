"""The page of metric tests shows the numbers and failures of the report."""

from datetime import date
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner
from reports.reading import ReadPage, check_page
from reports.test_html import NASTY

from chronoscore.cli.main import command
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.demo import home
from chronoscore.elements.dated.model import Timeline
from chronoscore.elements.dated.reading import read_timelines
from chronoscore.evaluation.metric_tests import Report, run, shown_scores
from chronoscore.evaluation.metric_tests_page import metric_tests_page
from chronoscore.reports.html.head import RunHead
from chronoscore.reports.table import shown, spaced

MATRIX = "Mean score after each damage, and how far it falls"
METRICS = {
    "days": ("concat", "align", "date-distance"),
    "entries": ("event-f1", "event-rates", "AR-1"),
}


@cache
def report(damages: str) -> Report:
    golds = read_timelines(source_of(home() / "gold.jsonl"), Problems())
    return run(golds, METRICS[damages], damages=damages)


@cache
def read(damages: str) -> ReadPage:
    return check_page(metric_tests_page(report(damages)))


@pytest.mark.parametrize("damages", METRICS)
def test_every_cell_has_the_mean_and_the_loss_of_its_damage_and_score(damages: str) -> None:
    tested = report(damages)
    columns = shown_scores(tested)
    (_, _, *heads), *rows = read(damages).tables[MATRIX]
    assert heads == [*columns.values()]
    outcomes = {(one.test, one.metric, one.score): one for one in tested.outcomes}
    tests = dict.fromkeys(one.test for one in tested.outcomes)
    by_name = {name: cells for name, _, *cells in rows}
    assert [*by_name] == [*map(spaced, dict.fromkeys(("unharmed", *tests)))]
    for test in tests.keys() - {"unharmed"}:
        for key, cell in zip(columns, by_name[spaced(test)], strict=True):
            outcome = outcomes[test, *key]
            assert outcome.loss is not None
            change = f"worse by {outcome.loss:.3f}" if outcome.loss > 1e-9 else "stays"
            if outcome.loss < -1e-9:
                change = f"better by {-outcome.loss:.3f}"
            assert cell.startswith(f"{shown(outcome.mean)} {change}")
            assert ("FAIL" in cell) is (outcome.passed is False)


def test_a_loss_is_that_of_the_golds_that_the_test_ran_on() -> None:
    for outcome in report("days").outcomes:
        if outcome.metric == "align" and outcome.test == "split":
            assert outcome.skipped == 4
            assert outcome.mean is not None
            assert outcome.loss == pytest.approx(1 - outcome.mean)


def test_a_distance_gets_worse_by_rising() -> None:
    outcomes = {(one.metric, one.test): one for one in report("days").outcomes}
    outcome = outcomes["date-distance", "shift_1_day"]
    assert outcome.loss == pytest.approx(outcome.mean)
    assert (outcome.loss or 0) > 0


@pytest.mark.parametrize("damages", METRICS)
def test_every_failure_is_a_sentence_with_its_golds(damages: str) -> None:
    failed = [one for one in report(damages).outcomes if one.passed is False]
    text = " ".join(read(damages).text.split())
    assert f"{len(failed)} of " in text
    assert text.count("must fall") >= len(failed)
    for outcome in failed:
        assert all(name in text for name in outcome.unnoticed[:5])


def test_damage_of_days_has_failures_and_damage_of_entries_has_none() -> None:
    assert "concat, merge: must fall on every gold, but does not on 10 of 10 golds" in " ".join(
        read("days").text.split()
    )
    assert "Every score reacted as it must, on every gold." in read("entries").text


def test_remarks_of_the_tables_are_on_the_page() -> None:
    assert "split: impossible on 4 of 10 golds, skipped" in read("days").text
    assert "each entry is an event: metrics of events have unit=entry" in read("entries").text


def test_names_of_topics_stay_text() -> None:
    gold = Timeline.of({date(2001, 1, 1): ["one day"], date(2001, 1, 3): ["a quiet day"]})
    page = check_page(metric_tests_page(run({NASTY: {"1": gold}}, ["concat"])))
    assert NASTY in page.text


def test_what_was_tried_on_no_gold_is_not_a_pass() -> None:
    gold = Timeline.of({date(2001, 1, 1): ["alone"]})
    page = check_page(metric_tests_page(run({"t": {"1": gold}}, ["align"])))
    rows = {row[0]: row[1:] for row in page.tables[MATRIX]}
    assert rows["merge"] == ["0", "not tried"]


@pytest.mark.parametrize("damages", METRICS)
def test_the_command_writes_the_page(
    tmp_path: Path, damages: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    path = tmp_path / "page.html"
    names = [word for name in METRICS[damages] for word in ("-m", name)]
    words = ["metric-tests", str(home() / "gold.jsonl"), *names, "--damages", damages]
    done = CliRunner().invoke(command, [*words, "--report", str(path)])
    assert done.exit_code == 0, done.output
    assert path.read_text(encoding="utf-8") == metric_tests_page(
        report(damages), RunHead("gold.jsonl", "", "2023-11-14")
    )
