"""The assignment solver: exact whatever the size of the numbers."""

from collections.abc import Sequence
from itertools import permutations
from random import Random

import pytest
import scipy.optimize  # noqa: F401 - or the first example pays for the import
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.elements.assignment import (
    EXACT_IN_FLOAT,
    _with_integers,
    _with_scipy,
    maximum_assignment,
)

Matrix = list[list[int]]


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


@given(matrices(9))
def test_small_numbers_reach_the_best_total(weights: Matrix) -> None:
    pairs = maximum_assignment(weights)
    assert total(weights, pairs) == best_total(weights)
    assert all(weights[i][j] > 0 for i, j in pairs)
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)


@given(matrices(9), matrices(2**58), matrices(2**70))
def test_all_routes_reach_the_best_total(small: Matrix, large: Matrix, larger: Matrix) -> None:
    assert total(small, _with_integers(small)) == best_total(small)
    assert total(small, _with_scipy(small)) == best_total(small)
    assert total(large, maximum_assignment(large)) == best_total(large)
    assert total(larger, maximum_assignment(larger)) == best_total(larger)


@pytest.mark.parametrize("factor", [1, 2**45, 2**80])
def test_large_matrices_reach_the_total_that_scipy_finds(factor: int) -> None:
    random = Random(5)
    weights = [[random.choice([0, random.randrange(100)]) for _ in range(60)] for _ in range(50)]
    scaled = [[factor * weight for weight in row] for row in weights]
    assert total(weights, _with_integers(scaled)) == total(weights, _with_scipy(weights))


@given(matrices(3), st.integers(50, 80))
def test_the_last_digit_of_a_large_number_decides(weights: Matrix, power: int) -> None:
    large = [[2**power + weight for weight in row] for row in weights]
    assert total(large, maximum_assignment(large)) == best_total(large)


@given(matrices(3))
def test_the_same_matrix_gives_the_same_pairs(weights: Matrix) -> None:
    assert maximum_assignment(weights) == maximum_assignment([list(row) for row in weights])
    assert _with_integers(weights) == _with_integers([list(row) for row in weights])


def test_numbers_beyond_float64_would_be_rounded_by_floats() -> None:
    weights = [[EXACT_IN_FLOAT, EXACT_IN_FLOAT], [EXACT_IN_FLOAT, EXACT_IN_FLOAT + 1]]
    assert float(EXACT_IN_FLOAT) == float(EXACT_IN_FLOAT + 1)
    assert maximum_assignment(weights) == [(0, 0), (1, 1)]


def test_numbers_beyond_the_range_of_floats_are_solved() -> None:
    assert maximum_assignment([[10**400, 10**400 + 1], [1, 10**400]]) == [(0, 0), (1, 1)]


@pytest.mark.parametrize("weights", [[], [[]], [[], []], [[0, 0]]])
def test_nothing_to_pair_gives_no_pairs(weights: Matrix) -> None:
    assert maximum_assignment(weights) == []


def test_malformed_weights_are_refused() -> None:
    with pytest.raises(ValueError, match="one length"):
        maximum_assignment([[1, 2], [3]])
    with pytest.raises(ValueError, match="negative"):
        maximum_assignment([[1, -2]])
