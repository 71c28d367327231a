"""The assignment solver: scipy's answers, exact as long as float64 holds the numbers."""

from collections.abc import Sequence
from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from chronoscore.elements import assignment
from chronoscore.elements.assignment import EXACT_IN_FLOAT, maximum_assignment, minimum_assignment

Matrix = list[list[int]]
Costs = NDArray[np.float64]
SIDES = st.tuples(st.integers(0, 9), st.integers(0, 9))


def matrices(top: int) -> st.SearchStrategy[Matrix]:
    return st.tuples(st.integers(1, 5), st.integers(1, 5)).flatmap(
        lambda shape: st.lists(
            st.lists(st.integers(0, top), min_size=shape[1], max_size=shape[1]),
            min_size=shape[0],
            max_size=shape[0],
        )
    )


def total(weights: Matrix, pairs: Sequence[tuple[int, int]]) -> int:
    return sum(weights[i][j] for i, j in pairs)


def best_total(weights: Matrix) -> int:
    tall = len(weights) > len(weights[0])
    wide = [list(row) for row in zip(*weights, strict=True)] if tall else weights
    return max(
        total(wide, list(enumerate(columns)))
        for columns in permutations(range(len(wide[0])), len(wide))
    )


def solved(weights: Matrix) -> list[tuple[int, int]]:
    return maximum_assignment(np.array(weights, dtype=np.int64))


@given(matrices(9), matrices(EXACT_IN_FLOAT // 20))
def test_the_pairs_reach_the_best_total(small: Matrix, large: Matrix) -> None:
    for weights in (small, large):
        pairs = solved(weights)
        assert total(weights, pairs) == best_total(weights)
        assert all(weights[i][j] > 0 for i, j in pairs)
        assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)


@given(matrices(3), st.integers(30, 48))
def test_the_last_digit_of_a_large_number_decides(weights: Matrix, power: int) -> None:
    large = [[2**power + weight for weight in row] for row in weights]
    assert total(large, solved(large)) == best_total(large)


@given(matrices(3))
def test_the_same_matrix_gives_the_same_pairs(weights: Matrix) -> None:
    assert solved(weights) == solved([list(row) for row in weights])


@pytest.mark.parametrize("weights", [[[]], [[], []], [[0, 0]]])
def test_nothing_to_pair_gives_no_pairs(weights: Matrix) -> None:
    assert solved(weights) == []


def date_costs(days: tuple[list[int], list[int]]) -> Costs:
    """The cost of a pair of days, as the alignment of timelines has it."""
    rows, columns = (np.array(side, dtype=np.float64) for side in days)
    return 1 - 1 / (np.abs(np.subtract.outer(rows, columns)) + 1)


DAYS = st.lists(st.integers(0, 25), max_size=20, unique=True).map(sorted)
COSTS = st.one_of(
    arrays(np.float64, SIDES, elements=st.integers(0, 3).map(float)),
    arrays(np.float64, SIDES, elements=st.just(0.5)),
    arrays(np.float64, SIDES, elements=st.sampled_from((0.1, 0.2, 0.3, 0.7, -0.1, -0.0, 1e16))),
    arrays(np.float64, SIDES, elements=st.floats(-1e300, 1e300)),
    st.tuples(DAYS, DAYS).map(date_costs),
)
"""Costs with many ties, equal rows, rounding and both shapes."""


def scipy_answer(costs: Costs) -> list[list[int]]:
    return [side.tolist() for side in linear_sum_assignment(costs)]


@given(COSTS)
def test_the_answer_is_that_of_scipy_to_the_last_tie(costs: Costs) -> None:
    for matrix in (costs, costs.T, costs[:, ::-1], costs[:1].repeat(3, axis=0)):
        rows, columns = assignment.solve(matrix)
        assert [rows.tolist(), columns.tolist()] == scipy_answer(matrix)


@given(arrays(np.float64, SIDES, elements=st.sampled_from((0.0, 1.0, np.inf, -np.inf, np.nan))))
def test_what_scipy_refuses_is_refused(costs: Costs) -> None:
    try:
        expected = scipy_answer(costs)
    except ValueError:
        with pytest.raises(ValueError, match="the cost matrix"):
            assignment.solve(costs)
    else:
        assert [side.tolist() for side in assignment.solve(costs)] == expected


@pytest.mark.parametrize("name", ["_WORTH_THE_IMPORT", "_LARGEST"])
def test_scipy_solves_large_matrices_and_many(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def solve_here(costs: Costs) -> tuple[Costs, Costs]:
        calls.append(costs.shape)
        return costs, costs

    monkeypatch.setattr(assignment, "solve", solve_here)
    monkeypatch.setattr(assignment, "sys", SimpleNamespace(modules={}))  # as if not imported yet
    minimum_assignment(np.eye(3))
    assert calls == [(3, 3)]
    monkeypatch.setattr(assignment, name, -1)
    minimum_assignment(np.eye(3))
    assert calls == [(3, 3)]


def test_cells_that_were_looked_at_are_counted() -> None:
    before = assignment._looked_at[0]
    assignment.solve(np.zeros((3, 3)))
    assert assignment._looked_at[0] == before + 9
