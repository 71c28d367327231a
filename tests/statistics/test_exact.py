"""Sums are those of exact numbers, rounded once."""

from fractions import Fraction
from math import fsum, isnan

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.statistics.exact import exact_sum, exact_sums
from chronoscore.statistics.labels import grouped

NUMBERS = st.one_of(
    st.integers(-(2**53), 2**53).map(float),
    st.floats(-1, 1),
    st.floats(-1e300, 1e300),
    st.sampled_from([1 / 3, 0.1, 1e-320, -0.1, 0.0]),
)
ROWS = st.lists(st.tuples(NUMBERS, st.floats(0, 1), st.integers(0, 3)), min_size=1, max_size=60)


@given(ROWS)
def test_sums_of_groups_are_exact_and_rounded_once(rows: list[tuple[float, float, int]]) -> None:
    values = np.array([row[:2] for row in rows])
    groups = grouped([np.array([row[2] for row in rows])], len(rows))
    found = exact_sums(values, groups)
    for sums, kind in zip(found, sorted({row[2] for row in rows}), strict=True):
        own = [row[:2] for row in rows if row[2] == kind]
        for place in range(2):
            exact = sum((Fraction(row[place]) for row in own), Fraction(0))
            assert sums[place] == float(exact)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=80), st.randoms())
def test_the_order_of_rows_changes_no_digit(values: list[float], chance: object) -> None:
    moved = list(values)
    chance.shuffle(moved)  # type: ignore[attr-defined]
    both = [exact_sum(np.array(each)[:, np.newaxis])[0] for each in (values, moved)]
    assert both[0] == both[1] == fsum(values)


def test_many_numbers_of_any_size_are_added_exactly() -> None:
    source = np.random.default_rng(2)
    values = source.uniform(size=200_000) * 2.0 ** source.integers(-40, 40, size=200_000)
    assert exact_sum(values[:, np.newaxis])[0] == fsum(values.tolist())
    thirds = np.full((300_001, 1), 1 / 3)
    assert exact_sum(thirds)[0] == fsum([1 / 3] * 300_001)


def test_what_is_no_number_stays_so() -> None:
    assert isnan(exact_sum(np.array([[1.5], [np.nan]]))[0])
    assert exact_sum(np.array([[1.5], [np.inf]]))[0] == np.inf


def test_nothing_adds_up_to_nothing() -> None:
    assert exact_sum(np.empty((0, 2))).tolist() == [0, 0]
    assert exact_sum(np.zeros((3, 2))).tolist() == [0, 0]
