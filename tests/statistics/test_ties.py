"""Ties are ties in every unit of measurement: against exact fractions, at scales far apart."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from averaging_paths import row_a_topic
from every import each

from chronoscore.statistics.agreement import disagreements
from chronoscore.statistics.correlation import perm_both, soft_pairwise_accuracy, tie_calibration
from chronoscore.statistics.drawing import poisson_weights
from chronoscore.statistics.exact import rounding
from chronoscore.statistics.ratings import Ratings
from chronoscore.statistics.ratios import Array
from chronoscore.statistics.resampling import Resampler
from chronoscore.statistics.significance import (
    clusters_needed,
    paired_bootstrap,
    permutation_test,
)

SCALES = (Fraction(1, 10**9), Fraction(1), Fraction(10**6), Fraction(10**12))
COARSE, UNEVEN, FINE = 10, 7, 10_000
"""Steps from 0 to 1: many ties, and differences that are small and no ties."""

scales = pytest.mark.parametrize("scale", SCALES, ids=lambda scale: f"{float(scale):g}")
steps = pytest.mark.parametrize("step", [COARSE, UNEVEN, FINE])


def drawn(topics: int, step: int, seed: int) -> tuple[list[Fraction], list[Fraction]]:
    """Scores of two systems on so many topics, in whole steps."""
    numbers = np.random.default_rng(seed).integers(0, step + 1, size=(2, topics)).tolist()
    one, two = ([Fraction(number, step) for number in row] for row in numbers)
    return one, two


def system(scores: list[Fraction], sizes: list[int], path: str) -> Resampler:
    """A system whose precision on each topic is its score, however large that is."""
    rows = [[float(score * n), n, 0, n] for score, n in zip(scores, sizes, strict=True)]
    return row_a_topic(rows, path, "skip")


@scales
@steps
@each("path", ["macro", "micro"])
@each("seed", range(4))
def test_the_permutation_test_counts_the_ties_of_exact_fractions(
    scale: Fraction, step: int, path: str, seed: int
) -> None:
    one, two = ([scale * score for score in scores] for scores in drawn(8, step, seed))
    sizes = [1] * 8 if path == "macro" else [3, 1, 7, 2, 9, 1, 4, 6]
    gaps = [n * (a - b) for a, b, n in zip(one, two, sizes, strict=True)]
    flips = [
        abs(sum((s * gap for s, gap in zip(signs, gaps, strict=True)), Fraction(0)))
        for signs in product((1, -1), repeat=len(gaps))
    ]
    seen = abs(sum(gaps, Fraction(0)))
    wanted = Fraction(sum(flip >= seen for flip in flips), len(flips))
    found = permutation_test(system(one, sizes, path), system(two, sizes, path))
    assert found.p[0] == float(wanted)


@scales
def test_a_difference_of_one_topic_ties_with_itself_turned_round(scale: Fraction) -> None:
    # Only the first topic differs, so that every way is as far apart; the others bring the error.
    equal = [scale * Fraction(7, 10)] * 5
    one, two = [scale * Fraction(3, 10), *equal], [scale * Fraction(1, 10), *equal]
    assert permutation_test(system(one, [1] * 6, "macro"), system(two, [1] * 6, "macro")).p[0] == 1


def test_scores_that_cancel_out_leave_the_error_of_their_parts() -> None:
    big = Fraction(10**6)
    one = [big / 3, -big / 3, Fraction(1, 10), Fraction(2, 10)]
    two = [big / 3, -big / 3, Fraction(2, 10), Fraction(1, 10)]
    assert permutation_test(system(one, [1] * 4, "macro"), system(two, [1] * 4, "macro")).p[0] == 1


@scales
@steps
def test_the_paired_bootstrap_counts_the_ties_of_exact_fractions(
    scale: Fraction, step: int
) -> None:
    one, two = ([scale * score for score in scores] for scores in drawn(5, step, 6))
    first, second = (system(scores, [1] * 5, "macro") for scores in (one, two))
    weights = poisson_weights(first.names, 0, 2000).astype(int).tolist()
    sums = [sum(w * (a - b) for w, a, b in zip(row, one, two, strict=True)) for row in weights]
    rarer = min(sum(total <= 0 for total in sums), sum(total >= 0 for total in sums))
    wanted = min(1.0, 2 * (rarer + 1) / 2001)
    assert paired_bootstrap(first, second, draws=2000).p[0] == pytest.approx(wanted, abs=1e-15)


def covariance(human: Array, metric: Array) -> Array:
    return np.asarray((human * metric).sum(axis=-1))


@scales
@steps
@pytest.mark.parametrize("seed", range(3))
def test_perm_both_counts_the_ties_of_exact_fractions(
    scale: Fraction, step: int, seed: int
) -> None:
    source = np.random.default_rng(seed)
    human = [scale * Fraction(number, step) for number in source.integers(1, step, size=8).tolist()]
    one = [Fraction(number, 10) for number in source.integers(0, 10, size=8).tolist()]
    two = [one[at] for at in source.permutation(8).tolist()]  # of the same mean and spread
    gaps = [h * (a - b) for h, a, b in zip(human, one, two, strict=True)]
    flips = [
        sum(s * gap for s, gap in zip(signs, gaps, strict=True))
        for signs in product((1, -1), repeat=8)
    ]
    arrays = [np.array([float(x) for x in values]) for values in (human, one, two)]
    found = perm_both(arrays[0], arrays[1], arrays[2], covariance)
    assert found.p == sum(abs(flip) >= abs(sum(gaps)) for flip in flips) / 2**8
    assert found.p_one_sided == sum(flip >= sum(gaps) for flip in flips) / 2**8


@pytest.mark.parametrize("above", [0.0, 1e9])
@scales
def test_scale_and_origin_change_no_soft_accuracy(scale: Fraction, above: float) -> None:
    numbers = np.random.default_rng(4).integers(0, 11, size=(2, 3, 9)) / 10
    human, metric = numbers
    moved = float(scale) * (above + metric)
    assert soft_pairwise_accuracy(human, moved) == soft_pairwise_accuracy(human, metric)


@scales
def test_scale_changes_no_calibration_of_ties(scale: Fraction) -> None:
    human, metric = np.random.default_rng(5).integers(0, 6, size=(2, 12)) / 10
    plain, scaled = tie_calibration(human, metric), tie_calibration(human, float(scale) * metric)
    assert scaled.accuracy == plain.accuracy
    assert scaled.epsilon == pytest.approx(float(scale) * plain.epsilon, rel=1e-9)


@scales
def test_scale_changes_no_number_of_clusters_needed(scale: Fraction) -> None:
    gaps = float(scale) * np.array([1e-4, 3e-4, -1e-4, 2e-4])
    wanted = clusters_needed(np.array([1.0, 3.0, -1.0, 2.0]), 1.25)
    assert clusters_needed(gaps, float(gaps.mean())) == wanted
    noise = float(scale) * 1e-12
    assert clusters_needed(gaps * 1e-10, float(gaps.mean()) * 1e-10, equal=noise) is None


@scales
def test_equal_disagreements_stay_in_the_order_of_names(scale: Fraction) -> None:
    # 0.1 and 0.4, 0.3 and 0.6: the same variance, in binary two numbers.
    pairs = {"a": (1, 4), "b": (3, 6), "c": (2, 5), "d": (0, 9)}
    table = [
        (unit, who, float(scale * Fraction(value, 10)))
        for unit, values in pairs.items()
        for who, value in zip("pq", values, strict=True)
    ]
    assert [one.unit for one in disagreements(Ratings.of(table))] == ["d", "a", "b", "c"]


def test_rounding_ignores_what_is_undefined() -> None:
    found = rounding(np.array([[np.nan, 2.0, np.nan], [1.0, -4.0, np.nan]]))
    assert found.tolist() == [1e-12, 4e-12, 0.0]
