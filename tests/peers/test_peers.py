"""A short campaign against each peer that is installed, and what the campaign itself promises.

The test extra brings coreference-eval, nervaluate, scipy and scorch; `make peers` brings all.
"""

import json
from collections.abc import Iterator
from math import nan
from pathlib import Path

import pytest
from peers import campaign
from peers.campaign import PEERS, Report, compare_with, load_checks, main, run_check
from peers.comparing import Chance, Check, Comparison, Outcome, Raised, outcome

COUNT = 25
IN_THE_TEST_EXTRA = ("coreference-eval", "nervaluate", "scipy", "scorch")


@pytest.mark.parametrize("name", PEERS)
def test_no_number_differs_without_a_documented_reason(name: str) -> None:
    try:
        load_checks(name)
    except ImportError as error:
        assert name not in IN_THE_TEST_EXTRA
        pytest.skip(f"{name} is not installed, `make peers` compares with it: {error}")
    report = compare_with(name, campaign.SEED, COUNT)
    assert not report.findings
    assert not report.unexplained
    compared = sum(one.exact + one.within for one in report.outcomes.values())
    assert compared > COUNT * len(load_checks(name)) / 2


def checked(ours: float, theirs: float, reason: str = "", holds: bool = True) -> Report:
    """Run a check whose two sides are given."""

    def compare(given: int) -> Iterator[Comparison]:
        yield Comparison("number", ours, theirs, 1e-9, reason, holds)

    report = Report("peer", "1")
    run_check(Check("one", lambda chance: int(chance.integers(9)), compare, 3), 1, 3, report)
    return report


def test_numbers_are_equal_within_the_tolerance_or_unexplained() -> None:
    found = checked(0.5, 0.5).outcomes["number"]
    assert (found.exact, found.within, found.unexplained) == (3, 0, 0)
    found = checked(0.5, 0.5 + 1e-10).outcomes["number"]
    assert (found.exact, found.within, found.unexplained) == (0, 3, 0)
    assert 0 < found.largest <= 1e-9
    found = checked(0.5, 0.5 + 1e-8).outcomes["number"]
    assert (found.exact, found.within, found.unexplained) == (0, 0, 3)


def test_undefined_is_equal_to_undefined_only() -> None:
    assert checked(nan, nan).outcomes["number"].exact == 3
    assert checked(nan, 0.0).unexplained == 3
    assert checked(0.0, nan).unexplained == 3


def test_a_documented_difference_counts_only_where_it_is_that_difference() -> None:
    found = checked(nan, 1.0, "theirs is 1")
    assert found.outcomes["number"].documented == {"theirs is 1": 3}
    assert not found.unexplained
    found = checked(nan, 2.0, "theirs is 1", holds=False)
    assert found.unexplained == 3
    assert "which is not: theirs is 1" in found.findings[0]
    assert "seed 1, check 'one', input 0" in found.findings[0]


def test_an_error_that_no_check_expects_is_unexplained() -> None:
    def compare(given: int) -> list[Comparison]:
        raise RuntimeError("lost")

    report = Report("peer", "1")
    run_check(Check("one", lambda _: 1, compare, 1), 1, 1, report)
    assert report.unexplained == 1
    assert "RuntimeError: lost" in report.findings[0]


def test_an_error_of_a_peer_is_an_outcome() -> None:
    raised = outcome(lambda: 1 / 0)
    assert isinstance(raised, Raised)
    assert raised.says("ZeroDivisionError")
    assert outcome(lambda: 3) == 3


def test_numbers_above_one_differ_by_their_share() -> None:
    assert Comparison("large", 1e6, 1e6 + 1).distance == pytest.approx(1e-6)
    assert Comparison("small", 1e-6, 2e-6).distance == pytest.approx(1e-6)
    assert Outcome().numbers == 0


def test_the_same_seed_draws_the_same_inputs() -> None:
    check = Check("one", lambda chance: chance.integers(10**9), lambda _: [], 1)
    assert check.given(1, 2) == check.given(1, 2) != check.given(1, 3)
    assert check.given(1, 2) != check.given(2, 2)


def test_the_command_prints_a_table_and_writes_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "new" / "peers.json"
    assert main(["--only", "scorch", "--count", "5", "--seed", "7", "--json", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "seed 7" in printed
    assert "unexplained: 0" in printed
    written = json.loads(path.read_text(encoding="utf-8"))
    assert written["seed"] == 7
    assert written["unexplained"] == 0
    rows = written["rows"]
    assert {row["peer"] for row in rows} == {"scorch"}
    parts = ("equal", "within", "documented", "unexplained")
    assert all(row["numbers"] == sum(row[part] for part in parts) for row in rows)
    documented = sum(row["documented"] for row in rows)
    assert documented == sum(one["numbers"] for one in written["differences"])


def test_the_command_fails_where_a_difference_is_unexplained(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def draw(chance: Chance) -> float:
        return float(chance.random())

    wrong = Check("wrong", draw, lambda given: [Comparison("half", given, given / 2)], 2)
    monkeypatch.setattr(campaign, "load_checks", lambda _: [wrong])
    assert main(["--only", "scorch"]) == 1
    assert "unexplained: scorch, half" in capsys.readouterr().out


def test_a_peer_that_is_not_installed_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def load(_: str) -> list[Check]:
        raise ImportError("No module named 'scorch'")

    monkeypatch.setattr(campaign, "load_checks", load)
    assert main(["--only", "scorch"]) == 0
    assert "skipped: scorch: not installed (No module named 'scorch')" in capsys.readouterr().out
