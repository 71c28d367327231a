"""The pytest plugin, in real runs of pytest, and the assertion that it goes with."""

import math
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from chronoscore import Result, UsageError, score
from chronoscore.core.result import ResultDocument, load, save
from chronoscore.demo import home
from chronoscore.testing import Bound, assert_scores
from chronoscore.timelines import evaluate

pytest_plugins = ["pytester"]

EXAMPLE = Path(__file__).parents[2] / "examples" / "test_timelines.py"


def folder_with(pytester: pytest.Pytester, system: str) -> None:
    shutil.copy(home() / "gold.jsonl", pytester.path / "gold.jsonl")
    shutil.copy(home() / f"{system}.jsonl", pytester.path / "ours.jsonl")
    shutil.copy(EXAMPLE, pytester.path / "test_timelines.py")


def demo(*systems: str) -> ResultDocument:
    return score(
        "timelines", home() / "gold.jsonl", [home() / f"{s}.jsonl" for s in systems]
    ).document


def failure(result: ResultDocument, expected: dict[str, float], bound: Bound = "score") -> str:
    with pytest.raises(AssertionError) as caught:
        assert_scores(result, expected, bound=bound)
    return str(caught.value)


def test_a_fall_is_told_with_its_interval_and_the_worst_topics(pytester: pytest.Pytester) -> None:
    folder_with(pytester, "lead")
    done = pytester.runpytest_subprocess()
    done.assert_outcomes(failed=2)
    done.stdout.fnmatch_lines(
        [
            "E *AssertionError: predicted: AR-1 f1 is 0.1300, expected at least 0.3",
            "E *95 % interval: 0.0572 to 0.2028 (jackknife-t, 7 topics)",
            "E *worst of 7 topics: eyjafjallajokull-2010 0.0000, chernobyl 0.0634, *",
            "E *predicted: Date-F1 f1 is 0.0451, expected at least 0.5",
        ]
    )
    done.stdout.no_fnmatch_line("*chronoscore/testing.py*")


def test_pytest_finds_the_plugin_and_paths_are_looked_up_beside_the_test(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder_with(pytester, "careful")
    monkeypatch.chdir(pytester.mkdir("elsewhere"))
    pytester.runpytest_subprocess("../test_timelines.py").assert_outcomes(passed=2)


def test_values_are_scored_as_they_are(score_timelines: Callable[..., Result]) -> None:
    gold = {"2011-01-25": ["Protests begin."]}
    assert score_timelines(gold, gold) == evaluate(gold, gold)


def test_loading_the_plugin_loads_next_to_nothing_of_ours() -> None:
    program = (
        "import pytest, sys; before = set(sys.modules); import chronoscore.pytest_plugin\n"
        "print(*(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    package = {"chronoscore", *(f"chronoscore.{n}" for n in ("core", "core.functions", "errors"))}
    assert set(done.stdout.split()) <= package | {"chronoscore.pytest_plugin"}


def test_a_limit_is_inclusive() -> None:
    result = demo("quick")
    exact = result.systems[0].summaries[0].scores["f1"]
    assert exact is not None
    assert_scores(result, {"AR-1": exact})
    assert "AR-1" in failure(result, {"AR-1": math.nextafter(exact, 1)})


def test_the_lower_bound_is_stricter_than_the_score() -> None:
    result = demo("quick")
    assert_scores(result, {"AR-1": 0.25})
    assert_scores(result, {"AR-1": 0.21}, bound="lower")
    told = failure(result, {"AR-1": 0.25}, "lower")
    assert "is 0.2758, expected the worse end of its interval at least 0.25" in told


def test_every_system_is_judged_unless_one_is_named() -> None:
    result = demo("careful", "lead")
    assert failure(result, {"AR-1": 0.3}).startswith("lead: AR-1")
    assert_scores(result, {"AR-1": 0.3}, system="careful")
    with pytest.raises(UsageError, match="no system other in the result; it has: careful, lead"):
        assert_scores(result, {"AR-1": 0.3}, system="other")


def test_a_saved_result_is_judged_alike(tmp_path: Path) -> None:
    result = demo("quick")
    save(result, (), tmp_path / "run.json")
    again = load(tmp_path / "run.json")
    for bound in ("score", "lower"):
        assert failure(again, {"AR-1": 0.3}, bound) == failure(result, {"AR-1": 0.3}, bound)


def test_golds_shown_beside_the_systems_are_not_judged() -> None:
    result = demo("careful", "lead")
    golds = replace(result.systems[1], name="(golds)")
    assert_scores(replace(result, systems=(result.systems[0], golds)), {"AR-1": 0.3})
    with pytest.raises(UsageError, match="no system to judge in the result; it has: \\(golds"):
        assert_scores(replace(result, systems=(golds,)), {"AR-1": 0.3})


def test_undefined_is_not_good_enough() -> None:
    wordless: dict[str, dict[str, list[str]]] = {"t": {"2011-01-25": []}}
    result = evaluate(wordless, wordless, metrics=["AR-1"], undefined="skip").document
    assert "AR-1 f1 is undefined, expected at least 0" in failure(result, {"AR-1": 0})


def test_a_distance_is_to_be_at_most_the_limit() -> None:
    result = score(
        "timelines", home() / "gold.jsonl", home() / "lead.jsonl", metrics=["date-distance"]
    ).document
    value = result.systems[0].summaries[0].scores[result.metrics[0].primary]
    assert value is not None
    assert_scores(result, {"date-distance": value + 0.001})
    assert "expected at most" in failure(result, {"date-distance": value - 0.001})
    failure(result, {"date-distance": value + 0.001}, "lower")


def test_one_topic_has_no_lower_bound_and_that_fails() -> None:
    gold = {"2011-01-25": ["Protests begin."]}
    told = failure(evaluate(gold, gold).document, {"AR-1": 0.1}, "lower")
    assert "is 1.0000" in told
    assert "no interval: it can't be had from 1 topic" in told


def test_other_families_are_told_by_their_own_parts() -> None:
    told = failure(score("rubric", None, home() / "judgements.csv").document, {"EQS": 0.7})
    assert "careful" not in told
    assert "worst of 9 articles: titanic-sinking-a3" in told


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ({}, "nothing could fail"),
        ({"AR-1": math.nan}, "expected a number"),
        ({"AR-9": 0.1}, "unknown metric"),
        ({"concat": 0.1}, "'concat' was not scored; the result has: AR-1, AR-2, Date-F1"),
    ],
)
def test_what_could_never_fail_is_refused(expected: dict[str, float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        assert_scores(demo("quick"), expected)
