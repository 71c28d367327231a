"""Shares from stratified samples: planned widths, allocation, and intervals that cover."""

from itertools import islice, pairwise
from math import comb, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.statistics.strata import (
    LEAST,
    JudgedStratum,
    Stratum,
    allocations,
    estimate_share,
    first_allocation,
    half_width,
)

Z = 1.959963984540054
SIZES = st.lists(st.integers(1, 60), min_size=1, max_size=6)


@pytest.mark.parametrize(("size", "drawn"), [(1000, 120), (400, 385), (50, 2), (10**7, 385)])
def test_the_width_of_one_stratum_is_the_closed_formula(size: int, drawn: int) -> None:
    expected = Z * sqrt(0.25 / drawn * (size - drawn) / (size - 1))
    assert half_width([Stratum(size, drawn)]) == pytest.approx(expected)


def test_strata_are_weighed_by_their_sizes() -> None:
    one, two = 0.25 / 20 * (80 / 99), 0.25 / 30 * (270 / 299)
    expected = Z * sqrt(0.25**2 * one + 0.75**2 * two)
    assert half_width([Stratum(100, 20), Stratum(300, 30)]) == pytest.approx(expected)


def test_a_stratum_without_any_unit_drawn_leaves_everything_open() -> None:
    assert half_width([Stratum(100, 100), Stratum(3, 0)]) == 1.0
    assert estimate_share([JudgedStratum(100, 100, 3.0), JudgedStratum(3, 0, 0.0)]) is None


@given(SIZES, st.data())
def test_allocations_grow_by_one_unit_and_end_with_all(
    sizes: list[int], data: st.DataObject
) -> None:
    weights = data.draw(st.lists(st.floats(0.01, 1), min_size=len(sizes), max_size=len(sizes)))
    steps = [*allocations(sizes, weights)]
    assert steps[0] == tuple(min(LEAST, size) for size in sizes)
    assert steps[-1] == tuple(sizes)
    for before, after in pairwise(steps):
        assert sum(after) == sum(before) + 1
        assert all(less <= more for less, more in zip(before, after, strict=True))


def test_large_strata_are_drawn_from_by_their_weights() -> None:
    drawn = next(islice(allocations([10**6] * 3, [5, 3, 2]), 994, None))
    assert drawn == (500, 300, 200)


def test_the_first_allocation_that_suffices_is_taken() -> None:
    def precise(drawn: tuple[int, ...]) -> bool:
        return half_width([Stratum(500, drawn[0])]) <= 0.1

    drawn = first_allocation([500, 500], [1, 1], precise)
    assert drawn[0] == 81  # Cochran 1977: 96.04 / (1 + 95.04 / 500)
    assert abs(drawn[0] - drawn[1]) <= 1


@given(SIZES, st.data())
def test_the_estimate_weighs_each_unit_by_its_chance(sizes: list[int], data: st.DataObject) -> None:
    strata = []
    for size in sizes:
        drawn = data.draw(st.integers(1, size))
        strata.append(JudgedStratum(size, drawn, data.draw(st.integers(0, drawn))))
    estimate = estimate_share(strata)
    assert estimate is not None
    hits = sum(one.total / (one.drawn / one.size) for one in strata)
    assert estimate.share == pytest.approx(hits / sum(sizes))
    assert 0 <= estimate.low <= estimate.share <= estimate.high <= 1


def test_what_is_drawn_in_full_is_known() -> None:
    assert estimate_share([JudgedStratum(8, 8, 2.0)]) == (0.25, 0.25, 0.25)


def test_one_large_stratum_has_the_interval_of_wilson() -> None:
    estimate = estimate_share([JudgedStratum(10**9, 40, 10.0)])
    assert estimate is not None
    share, number = 0.25, 40
    centre = (share + Z**2 / (2 * number)) / (1 + Z**2 / number)
    reach = Z / (1 + Z**2 / number) * sqrt(share * 0.75 / number + (Z / (2 * number)) ** 2)
    assert (estimate.low, estimate.high) == pytest.approx((centre - reach, centre + reach))


@pytest.mark.parametrize(
    ("sizes", "drawn", "shares"),
    [
        ((400,), (60,), (0.85,)),
        ((150, 150), (30, 30), (0.9, 0.6)),
        ((200, 600, 9000), (60, 36, 24), (0.8, 0.2, 0.01)),
        ((90, 40, 3000), (60, 40, 20), (0.95, 0.3, 0.0)),
        ((2000,), (40,), (0.02,)),
    ],
)
def test_intervals_cover_the_true_share_as_often_as_they_promise(
    sizes: tuple[int, ...], drawn: tuple[int, ...], shares: tuple[float, ...]
) -> None:
    random = np.random.default_rng(7)
    hits = [round(size * share) for size, share in zip(sizes, shares, strict=True)]
    truth = sum(hits) / sum(sizes)
    draws = 2000
    totals = [
        random.hypergeometric(hit, size - hit, number, draws)
        for hit, size, number in zip(hits, sizes, drawn, strict=True)
    ]
    covered = 0
    for at in range(draws):
        strata = [
            JudgedStratum(size, number, int(total[at]))
            for size, number, total in zip(sizes, drawn, totals, strict=True)
        ]
        estimate = estimate_share(strata)
        assert estimate is not None
        covered += estimate.low <= truth <= estimate.high
    assert covered / draws >= 0.93


@pytest.mark.parametrize("share", [0.5, 0.7, 0.9])
def test_a_planned_width_holds_for_every_share(share: float) -> None:
    """Over all samples; counts are whole, so that 95 % is met within a step."""
    size, width = 300, 0.05
    (number,) = first_allocation(
        [size], [1], lambda drawn: half_width([Stratum(size, *drawn)]) <= width
    )
    hits = round(size * share)
    inside = sum(
        comb(hits, found) * comb(size - hits, number - found)
        for found in range(number + 1)
        if abs(found / number - hits / size) <= width
    )
    assert inside / comb(size, number) >= 0.935
