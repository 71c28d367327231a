"""Metric tests: the damage is tilse's, the verdicts are those of the published table."""

import csv
import io
import json
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner
from vectors_home import free, real

from chronoscore.cli import timelines as verbs
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.demo import home
from chronoscore.elements.dated.damages import DAYS, NONSENSE
from chronoscore.elements.dated.model import Timeline
from chronoscore.elements.dated.reading import read_timelines
from chronoscore.elements.time import Time
from chronoscore.errors import DataError, UsageError
from chronoscore.evaluation.metric_tests import METRICS as METRICS_BY_SET
from chronoscore.evaluation.metric_tests import SEED, Report, run

METRICS = METRICS_BY_SET["days"]
PAGE = Path(__file__).parents[2] / "docs" / "metric-tests.md"
PASS, FAIL = True, False
POSTER = {  # add, remove, merge, shift 1 day, shift 5 days
    "concat": (PASS, PASS, FAIL, FAIL, FAIL),
    "agreement": (PASS, PASS, PASS, FAIL, FAIL),  # "match" there
    "align": (PASS, PASS, PASS, PASS, PASS),
    "align+": (PASS, PASS, PASS, PASS, PASS),
    "align+m:1": (PASS, PASS, PASS, PASS, PASS),
}
COLUMNS = ("add", "remove", "merge", "shift_1_day", "shift_5_days")
MEANS = {  # after shifts by 1 and 5 days, as found with tilse
    "concat": (1.0, 1.0),
    "agreement": (0.045, 0.027),
    "align": (0.347, 0.083),
    "align+": (0.500, 0.167),
    "align+m:1": (0.434, 0.161),
}
DEMO = home() / "gold.jsonl"


def timeline(days: dict[str, list[str]]) -> Timeline:
    return Timeline.of({Time.parse(day): texts for day, texts in days.items()})


def perturbed(
    test: str, days: dict[str, list[str]], seed: int = SEED
) -> dict[str, list[str]] | None:
    damaged = DAYS[test](timeline(days), Random(seed))
    return None if damaged is None else {str(day): list(texts) for day, texts in damaged.days}


def verdicts_on(days: dict[str, list[str]], *metrics: str) -> dict[tuple[str, str], bool | None]:
    report = run({"topic": {"1": timeline(days)}}, metrics or METRICS)
    return {(row.metric, row.test): row.passed for row in report.outcomes}


def public_golds() -> dict[str, dict[str, Timeline]]:
    """Golds of Crisis and Timeline17 with up to 60 days, each once."""
    golds: dict[str, dict[str, Timeline]] = {}
    seen: set[Timeline] = set()
    for name in ("crisis", "timeline17"):
        vectors: list[dict[str, Any]] = json.loads(
            real(f"timelines/{name}.json").read_text(encoding="utf-8")
        )
        for vector in vectors:
            topic = "_".join(vector["name"].split("_")[1:3])
            for reference in vector["references"]:
                gold = timeline(reference)
                if len(gold.days) <= 60 and gold not in seen:
                    seen.add(gold)
                    golds.setdefault(topic, {})[str(len(seen))] = gold
    return golds


def command(*arguments: object) -> str:
    done = CliRunner().invoke(
        verbs.metric_tests_verb, [str(a) for a in arguments], catch_exceptions=False
    )
    assert done.exit_code == 0, done.output
    return done.stdout


def demo_report(*metrics: str, seed: int = SEED) -> Report:
    return run(read_timelines(source_of(DEMO), Problems()), metrics or METRICS, seed)


def test_the_published_table() -> None:
    report = run(public_golds())
    assert len(report.golds) == 35
    found = {(row.metric, row.test): row for row in report.outcomes}
    for metric, verdicts in POSTER.items():
        assert tuple(found[metric, test].passed for test in COLUMNS) == verdicts, metric
        means = [found[metric, test].mean for test in ("shift_1_day", "shift_5_days")]
        assert means == pytest.approx(MEANS[metric], abs=6e-4), metric
    assert found["agreement", "shift_1_day"].noticed == 21
    assert {row.golds for row in report.outcomes} == {35}
    assert not any(row.skipped or row.undefined for row in report.outcomes)


THREE = {
    "2011-01-25": ["Protests begin.", "Police watch.", "It rains."],
    "2011-01-26": ["The army moves."],
    "2011-02-11": ["The president resigns."],
}


def test_a_removed_day_is_the_one_that_python_draws_after_the_seed() -> None:
    for seed in range(5):
        lost = Random(seed).choice(sorted(THREE))
        assert perturbed("remove", THREE, seed) == {d: t for d, t in THREE.items() if d != lost}


def test_removing_draws_even_where_it_is_impossible() -> None:
    # tilse draws there too: the golds that follow must lose the same days.
    generator, other = Random(SEED), Random(SEED)
    assert DAYS["remove"](timeline({"2011-01-25": ["Alone."]}), generator) is None
    other.choice(["2011-01-25"])
    assert generator.getstate() == other.getstate()


def test_nonsense_is_added_after_the_first_day_with_a_free_day_behind_it() -> None:
    assert perturbed("add", THREE) == {**THREE, "2011-01-27": [NONSENSE]}
    assert NONSENSE.split() == ["asdf"] * 10


def test_the_two_closest_days_are_merged_the_first_of_equals() -> None:
    days = {"2011-01-01": ["A."], "2011-01-05": ["B."], "2011-01-07": ["C."], "2011-01-09": ["D."]}
    assert perturbed("merge", days) == {
        "2011-01-01": ["A."],
        "2011-01-05": ["B.", "C."],
        "2011-01-09": ["D."],
    }


def test_all_days_are_shifted() -> None:
    assert perturbed("shift_5_days", THREE) == {
        "2011-01-30": THREE["2011-01-25"],
        "2011-01-31": THREE["2011-01-26"],
        "2011-02-16": THREE["2011-02-11"],
    }


def test_a_day_is_told_twice() -> None:
    expected = {
        "2011-01-25": "2011-01-27",  # the 26th is taken
        "2011-01-26": "2011-01-27",
        "2011-02-11": "2011-02-12",
    }
    for seed in range(9):
        damaged = perturbed("duplicate", THREE, seed)
        assert damaged in [{**THREE, free: THREE[day]} for day, free in expected.items()]


def test_swapped_days_differ() -> None:
    days = {"2011-01-01": ["A."], "2011-01-02": ["A."], "2011-01-03": ["B."]}
    for seed in range(9):
        damaged = perturbed("swap", days, seed)
        assert damaged is not None
        assert damaged != days
        assert sorted(damaged.values()) == sorted(days.values())


def test_the_first_half_is_kept() -> None:
    damaged = perturbed("truncate", THREE)
    assert damaged is not None
    assert list(damaged) == ["2011-01-25", "2011-01-26"]


def test_sentences_are_spread_over_two_days() -> None:
    assert perturbed("split", THREE) == {
        **THREE,
        "2011-01-25": ["Protests begin.", "Police watch."],
        "2011-01-27": ["It rains."],
    }


@pytest.mark.parametrize(
    ("days", "possible"),
    [
        ({}, set()),
        (
            {"2011-01-25": ["Alone."]},
            {"add", "shift_1_day", "shift_5_days", "duplicate"},
        ),
        (
            {"2011-01-25": ["One.", "Two."]},
            {"add", "shift_1_day", "shift_5_days", "duplicate", "split"},
        ),
        (  # stray signs are no second sentence
            {"2011-01-25": ["Protests begin.", "� ��"]},
            {"add", "shift_1_day", "shift_5_days", "duplicate"},
        ),
        (
            {"9999-12-31": ["One.", "Two."]},
            {"add", "shift_1_day", "shift_5_days", "duplicate", "split"},
        ),
        ({"2011-01-25/..": ["One.", "Two."]}, set()),  # no day is free, and there is no last day
        (
            {"2011-01-25T13:45": ["One."], "-0044-03-15": ["Two."]},
            {*DAYS} - {"split"},
        ),
        (  # days without text, and equal texts: nothing to tell twice, to swap or to split
            {"2011-01-25": [""], "2011-01-26": [""]},
            {"remove", "add", "merge", "shift_1_day", "shift_5_days", "truncate"},
        ),
        (  # a month can't be shifted by days
            {"2011-01": ["One."], "2011-02-11": ["Two."]},
            {"remove", "add", "merge", "duplicate", "swap", "truncate"},
        ),
    ],
)
def test_what_is_impossible_is_none(days: dict[str, list[str]], possible: set[str]) -> None:
    assert {test for test in DAYS if perturbed(test, days) is not None} == possible


def test_times_of_day_and_offsets_are_moved_by_whole_days() -> None:
    assert perturbed("shift_1_day", {"2011-12-31T13:45Z": ["One."]}) == {
        "2012-01-01T13:45Z": ["One."]
    }
    hours = [Time.parse(text, dialect="offset", unit="hour") for text in ("0", "26", "-3/30")]
    gold = Timeline.of({time: ["Fever."] for time in hours})
    damaged = DAYS["duplicate"](gold, Random(SEED))
    assert damaged is not None
    assert "48" in [str(time) for time in damaged.dates]
    assert DAYS["shift_1_day"](gold, Random(SEED)) is None  # one lasts two days
    (outcome,) = (row for row in run({"t": {"1": gold}}, ["align"]).outcomes if row.test == "swap")
    assert outcome.skipped == 1


def test_golds_for_which_a_test_is_impossible_are_skipped_and_counted() -> None:
    golds = {
        "a": {"1": timeline({"2011-01-25": ["Protests begin."]}), "2": timeline(THREE)},
        "b": {"1": timeline({"2011-01-25": ["The army moves."]})},
    }
    rows = {row.test: row for row in run(golds, ["align"]).outcomes}
    assert (rows["merge"].skipped, rows["merge"].golds, rows["merge"].passed) == (2, 1, True)
    assert (rows["add"].skipped, rows["add"].golds) == (0, 3)
    alone = {row.test: row for row in run({"b": golds["b"]}, ["align"]).outcomes}
    assert alone["merge"].passed is None  # nothing tried is nothing passed
    assert alone["merge"].mean is None


def test_a_metric_without_a_value_on_a_gold_is_not_judged_there() -> None:
    golds = {"empty": {"1": timeline({"2011-01-25": ["?"], "2011-01-26": ["!"]})}}
    rows = {
        row.test: row for row in run({**golds, "t": {"1": timeline(THREE)}}, ["concat"]).outcomes
    }
    assert (rows["remove"].golds, rows["remove"].undefined, rows["remove"].passed) == (1, 1, True)
    assert run(golds, ["concat"]).unharmed == {"concat": None}


def test_every_edge_gold_is_tested_without_a_crash() -> None:
    golds: dict[str, dict[str, Timeline]] = {}
    for vector in free("timelines/edge.json"):
        if len(vector["references"]) < 5:
            golds[vector["name"]] = {
                str(number): timeline(days) for number, days in enumerate(vector["references"])
            }
    report = run(golds)
    assert len(report.outcomes) == len(METRICS) * len(DAYS)
    for row in report.outcomes:
        assert row.golds + row.skipped + row.undefined == len(report.golds)
        assert row.mean is not None
        assert 0 <= row.mean <= 1
    skipped = {row.test: row.skipped for row in report.outcomes}
    assert skipped["merge"] == skipped["remove"] == skipped["truncate"] > 0


def test_verdicts_by_hand() -> None:
    found = verdicts_on(THREE)
    for test in ("merge", "shift_1_day", "shift_5_days", "swap", "split"):
        assert found["concat", test] is FAIL  # it sees no dates
    for test in ("add", "duplicate"):
        assert found["exact-date", test] is FAIL  # it looks at gold days only
        assert found["concat", test] is PASS
    assert found["date-f1", "swap"] is FAIL  # it sees no texts
    for test in DAYS:
        assert found["align+", test] is PASS
        assert found["align+m:1(tie=nearest)", test] is PASS


def test_both_shifts_have_one_verdict() -> None:
    # Five days off is the next day of the gold again: less than nothing was lost by one day.
    days = {f"2011-01-{day:02}": [f"Equal words, number {day}."] for day in (1, 6, 11, 16)}
    found = verdicts_on(days, "date-f1", "agreement", "align")
    for metric in ("date-f1", "agreement", "align"):
        assert found[metric, "shift_1_day"] is found[metric, "shift_5_days"] is FAIL


def test_any_metric_of_the_catalogue_can_be_tested() -> None:
    found = verdicts_on(
        THREE,
        "AR-2",
        "align(cost=date+text,kernel=flat)",
        "align+(beta=2)",
        "date-f1(tolerance=3)",
        "concat(rouge=L,text=plain)",
    )
    assert found["align+m:1(rouge=2)", "merge"] is PASS
    assert found["align+(kernel=flat)", "shift_5_days"] is FAIL  # the weight makes the grading
    assert found["align+(beta=2.0)", "shift_5_days"] is PASS
    assert found["date-f1(tolerance=3)", "shift_1_day"] is FAIL
    assert found["concat(rouge=L,text=plain)", "swap"] is PASS
    with pytest.raises(UsageError, match="unknown metric"):
        verdicts_on(THREE, "alignn")


def test_a_metric_with_a_function_of_the_users_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = "def three_days(distance):\n    return (distance < 4) * (1 - distance / 4)\n"
    (tmp_path / "kernels_of_mine.py").write_text(lines, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    name = "align+(kernel=kernels_of_mine:three_days)"
    found = verdicts_on(THREE, name)
    assert found[name, "swap"] is PASS
    assert found[name, "shift_5_days"] is FAIL  # nothing is left of it


def test_distances_must_rise() -> None:
    found = verdicts_on(THREE, "date-distance", "date-distance-median")
    assert found["date-distance", "shift_1_day"] is PASS
    assert found["date-distance", "remove"] is PASS
    assert found["date-distance", "swap"] is FAIL
    assert found["date-distance-median", "shift_5_days"] is PASS


def test_order_of_topics_and_choice_of_metrics_change_nothing() -> None:
    golds = read_timelines(source_of(DEMO), Problems())
    turned = dict(reversed(golds.items()))
    report = run(golds, ["align", "concat", "date-f1"])
    assert report == run(turned, ["align", "concat", "date-f1"])
    one = [row for row in report.outcomes if row.metric == "align"]
    assert one == list(run(golds, ["align"]).outcomes)


def test_the_seed_decides_what_is_drawn() -> None:
    assert demo_report("align", seed=0) == demo_report("align", seed=0)
    means = [
        {row.test: row.mean for row in demo_report("align", seed=seed).outcomes} for seed in (0, 23)
    ]
    assert means[0]["remove"] != means[1]["remove"]
    assert means[0]["merge"] == means[1]["merge"]
    assert verbs.SEED == SEED


def test_formats_tell_the_same() -> None:
    some = ("-m", "concat", "-m", "align", "-m", "date-f1")
    report = demo_report("concat", "align", "date-f1")
    document = json.loads(command(DEMO, *some, "--format", "json"))
    assert document["format"] == "chronoscore-metric-tests"
    assert (document["seed"], len(document["golds"])) == (23, 10)
    assert document["rows"] == report.rows
    rows = list(csv.DictReader(io.StringIO(command(DEMO, *some, "--format", "csv"))))
    assert [(r["metric"], r["test"], float(r["mean"])) for r in rows] == [
        (o.metric, o.test, o.mean) for o in report.outcomes
    ]
    assert {r["verdict"] for r in rows} == {"pass", "FAIL"}
    markdown = command(DEMO, *some, "--format", "markdown")
    assert "| concat | pass | pass | FAIL | FAIL | FAIL |" in markdown


def test_the_command_says_what_was_skipped_and_undefined(tmp_path: Path) -> None:
    gold = tmp_path / "gold.json"
    gold.write_text(json.dumps([["2011-01-25", ["?"]]]), encoding="utf-8")
    shown = command(gold, "-m", "concat")
    assert "merge: impossible on 1 of 1 gold, skipped" in shown
    assert "concat: no value on 1 of 1 gold, left out" in shown
    assert "not tried" in shown
    assert "undef." in shown
    assert "pass " not in shown.split("pass:")[0]


def test_a_missing_file_is_bad_data(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        command(tmp_path / "nothing.jsonl")


def test_days_may_be_given_as_dates() -> None:
    gold = Timeline.of({date(2011, 1, 25): ["Protests begin."], date(2011, 2, 11): ["He left."]})
    assert run({"egypt": {"1": gold}}, ["align"]).golds == ("egypt",)
