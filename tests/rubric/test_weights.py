"""The ranking under other weights: shares, bounds and the nearest weighting that reverses it."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from readers.command_line import FINE, USAGE, run

from chronoscore.core.result import load
from chronoscore.demo import home
from chronoscore.rubric.codebook import event_quality
from chronoscore.rubric.weights import WeightSensitivity, sensitivity, weight_sensitivity
from chronoscore.statistics.ratios import Array

SHEET = home() / "judgements.csv"
FEW = 400
Problem = tuple[dict[str, list[float]], Array]


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Some systems with means of some criteria, and weights."""
    criteria = draw(st.integers(2, 5))
    eighths = st.lists(st.integers(0, 8), min_size=criteria, max_size=criteria)
    rows = draw(st.lists(eighths, min_size=2, max_size=4))
    weights = np.array(draw(st.lists(st.integers(1, 9), min_size=criteria, max_size=criteria)))
    return {f"s{n}": [x / 8 for x in row] for n, row in enumerate(rows)}, weights / weights.sum()


def of(problem: Problem, seed: int = 0) -> WeightSensitivity:
    return sensitivity(*problem, seed=seed, weightings=FEW)


@given(problems())
def test_a_system_as_good_on_every_criterion_wins_under_every_weighting(problem: Problem) -> None:
    means = problem[0]
    for pair in of(problem).pairs:
        gaps = np.array(means[pair.one]) - np.array(means[pair.two])
        dominates = bool((gaps >= 0).all() and (gaps > 0).any())
        assert (pair.flip is None) == dominates
        if dominates:
            assert (pair.one_ahead, pair.two_ahead, pair.ties) == (1, 0, 0)
        if not gaps.any():
            assert (pair.one_ahead, pair.two_ahead, pair.ties) == (0, 0, 1)


@given(problems())
def test_shares_of_a_pair_add_up_to_1_and_so_do_those_of_rankings(problem: Problem) -> None:
    document = of(problem)
    for pair in document.pairs:
        assert pair.one_ahead + pair.two_ahead + pair.ties == pytest.approx(1)
    assert sum(one.share for one in document.rankings) <= 1 + 1e-12
    assert len(document.pairs) == len(document.systems) * (len(document.systems) - 1) / 2


@given(problems(), st.integers(0, 5))
def test_a_seed_repeats_and_the_order_of_systems_changes_nothing(
    problem: Problem, seed: int
) -> None:
    means, weights = problem
    turned = {name: means[name] for name in reversed(means)}
    assert of(problem, seed) == of(problem, seed) == of((turned, weights), seed)


@given(problems())
def test_the_flip_is_the_nearest_weighting_under_which_two_are_equal(problem: Problem) -> None:
    means, weights = problem
    drawn = np.random.default_rng(1).dirichlet(np.ones(len(weights)), 300)
    for pair in of(problem).pairs:
        if pair.flip is None:
            continue
        gaps = np.array(means[pair.one]) - np.array(means[pair.two])
        flipped = np.array(pair.flip.weights)
        assert flipped.min() >= -1e-12
        assert flipped.sum() == pytest.approx(1)
        assert gaps @ flipped == pytest.approx(0, abs=1e-9)
        assert pair.flip.moved == pytest.approx(np.abs(flipped - weights).sum() / 2)
        reversed_by = drawn[drawn @ gaps < 0]
        distances = np.abs(reversed_by - weights).sum(axis=1) / 2
        assert (distances >= pair.flip.moved - 1e-9).all()


@given(problems())
def test_always_near_means_that_no_corner_reverses_the_ranking(problem: Problem) -> None:
    means, weights = problem
    document = of(problem)
    table = np.array([means[one.system] for one in document.systems])
    assume((np.diff(table @ weights) < -1e-9).all())
    for near in document.near:
        corners = np.array([*product((1 - near.within, 1 + near.within), repeat=len(weights))])
        held = (np.diff((corners * weights) @ table.T, axis=1) < -1e-9).all()
        assert near.always == held
        assert near.holds == 1 or not near.always
        assert near.holds <= near.best_holds


@pytest.mark.parametrize(("first", "second"), [(0.3, 0.1), (0.2, 0.6), (0.5, 0.5)])
def test_of_two_criteria_the_share_is_that_of_the_line(first: float, second: float) -> None:
    document = sensitivity({"a": [first, 0.0], "b": [0.0, second]}, np.array([0.9, 0.1]))
    (pair,) = document.pairs
    assert (pair.one, pair.two) == ("a", "b")
    assert pair.one_ahead == pytest.approx(first / (first + second), abs=0.015)
    assert pair.flip is not None
    assert pair.flip.weights[0] == pytest.approx(second / (first + second))


def test_every_criterion_gets_the_same_weight_on_average() -> None:
    document = sensitivity(
        {"a": [1.0, 0.0, 0.0], "b": [0.0, 1.0, 0.0], "c": [0.0, 0.0, 1.0]}, np.full(3, 1 / 3)
    )
    for one in document.systems:
        assert one.best == pytest.approx(1 / 3, abs=0.02)


def test_scores_under_the_codebook_s_weights_are_those_of_the_result(tmp_path: Path) -> None:
    run("rubric", SHEET, "--save", tmp_path / "run.json")
    result = load(tmp_path / "run.json")
    document = weight_sensitivity(result, event_quality())
    eqs = {system.name: system.summaries[0].scores["eqs"] for system in result.systems}
    assert {one.system: pytest.approx(one.score) for one in document.systems} == eqs
    assert [one.system for one in document.systems] == ["careful", "quick", "lead"]
    assert document.nearest is not None
    assert document.nearest.two == "lead"


def test_tables_fit_a_terminal_and_name_who_catches_up() -> None:
    ran = run("rubric", SHEET, "--weight-sensitivity")
    assert ran.code == FINE
    assert max(map(len, ran.out.splitlines())) <= 80
    assert "the nearest weights under which lead catches up with careful" in ran.out
    assert "±10%" in ran.out


def test_json_is_a_document_of_its_own(tmp_path: Path) -> None:
    saved = tmp_path / "run.json"
    ran = run("rubric", SHEET, "--weight-sensitivity", "-f", "json", "--seed", "3", "--save", saved)
    document = json.loads(ran.out)
    assert (document["format"], document["version"]) == ("chronoscore-weights", 1)
    assert (document["codebook"], document["seed"]) == ("event-quality", 3)
    assert json.loads(saved.read_text("utf-8"))["format"] == "chronoscore-result"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--weight-sensitivity", "--by", "evaluator"), "does not go with --by"),
        (("--weight-sensitivity", "-f", "plain"), "--weight-sensitivity is for --format text, "),
        (("--seed", "3"), "--seed is for"),
    ],
)
def test_what_it_would_not_use_is_refused(words: tuple[str, ...], message: str) -> None:
    ran = run("rubric", SHEET, *words)
    assert (ran.code, ran.out) == (USAGE, "")
    assert message in ran.err


def test_one_system_has_no_ranking(tmp_path: Path) -> None:
    lines = SHEET.read_text(encoding="utf-8").splitlines()
    sheet = tmp_path / "one.csv"
    sheet.write_text("\n".join(x for x in lines if "quick" in x or x == lines[0]), encoding="utf-8")
    ran = run("rubric", sheet, "--weight-sensitivity")
    assert (ran.code, ran.out) == (USAGE, "")
    assert "it takes two systems" in ran.err
