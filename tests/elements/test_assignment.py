"""The assignment solver: exact as long as float64 holds the numbers."""

from collections.abc import Sequence
from itertools import permutations

import numpy as np
import pytest
import scipy.optimize  # noqa: F401 - or the first example pays for the import
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.elements.assignment import EXACT_IN_FLOAT, maximum_assignment

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
