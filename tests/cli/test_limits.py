"""Limits of gates that no score can be on one side of are refused, on every way to a gate."""

from pathlib import Path

import pytest
from readers.command_line import FINE, USAGE, run

import chronoscore
from chronoscore.demo import home
from chronoscore.errors import UsageError
from chronoscore.families import NAMES, family
from chronoscore.testing import assert_scores

GATE = 1
GOLD, QUICK = home() / "gold.jsonl", home() / "quick.jsonl"

REFUSED = [
    ("AR-1", 30, "between 0 and 1, got 30: did you mean 0.30?"),
    ("AR-1", 35.5, "between 0 and 1, got 35.5: did you mean 0.355?"),
    ("AR-1", 100, "between 0 and 1, got 100: did you mean 1.00?"),
    ("Date-F1", 2, "between 0 and 1, got 2"),
    ("Date-F1", 101, "between 0 and 1, got 101"),
    ("Date-F1", -0.1, "between 0 and 1, got -0.1"),
    ("date-distance", -1, "0 or more: no score is below -1"),
    ("date-distance-median", -1, "0 or more: no score is below -1"),
]


@pytest.mark.parametrize(("metric", "limit", "words"), REFUSED)
def test_a_limit_outside_the_scores_is_refused(metric: str, limit: float, words: str) -> None:
    average = ["--average", "micro"] if "median" in metric else []
    for text in (f"{limit}", f"{metric}={limit}"):
        ran = run("timelines", GOLD, QUICK, "-m", metric, *average, "--fail-under", text)
        assert ran.code == USAGE
        assert f"--fail-under {text}: scores of {metric} are" in ran.err
        assert words in ran.err
    result = chronoscore.score(
        "timelines", GOLD, QUICK, metrics=[metric], average="micro" if average else None
    )
    with pytest.raises(UsageError, match=f"scores of {metric} are") as raised:
        assert_scores(result, {metric: limit})
    assert str(raised.value).endswith(words)


@pytest.mark.parametrize(
    ("metric", "limit", "code"),
    [
        ("AR-1", "0", FINE),
        ("AR-1", "1", GATE),
        ("AR-1", "0.27", FINE),
        ("date-distance", "30", GATE),
        ("date-distance", "300", FINE),
    ],
)
def test_limits_within_the_scores_are_taken(metric: str, limit: str, code: int) -> None:
    assert run("timelines", GOLD, QUICK, "-m", metric, "--fail-under", limit).code == code


def test_a_limit_below_zero_is_taken_where_scores_are() -> None:
    ran = run("ordering", GOLD, QUICK, "-m", "tau", "--fail-under", "tau=-1")
    assert ran.code == FINE
    assert run("ordering", GOLD, QUICK, "-m", "tau", "--fail-under", "tau=-2").code == USAGE


def test_a_gate_without_a_system_to_judge_is_refused(tmp_path: Path) -> None:
    (tmp_path / "(quick).jsonl").write_bytes(QUICK.read_bytes())
    ran = run("timelines", GOLD, tmp_path / "(quick).jsonl", "--fail-under", "0.1")
    told = "no system to judge in the result; it has: (quick)"
    assert (ran.code, told in ran.err) == (USAGE, True)
    result = chronoscore.score("timelines", GOLD, QUICK, metrics=["AR-1"])
    with pytest.raises(UsageError, match="no system other in the result; it has: "):
        assert_scores(result, {"AR-1": 0.1}, system="other")


@pytest.mark.parametrize("name", NAMES)
def test_every_metric_takes_the_ends_of_its_range(name: str) -> None:
    for definition in family(name).definitions:
        metric = definition()
        for end in metric.range(metric.primary):
            metric.check_limit(end, str(metric))
