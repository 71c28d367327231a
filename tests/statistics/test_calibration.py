"""A judge beside people: vectors, laws, and whether corrected intervals cover."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.stats  # noqa: F401  # the first import is slow, and no claim's doing
from hypothesis import given
from hypothesis import strategies as st
from vectors_home import free

from chronoscore.statistics.calibration import (
    LabelledSample,
    bias,
    confusion,
    mean,
    ppi_difference,
    ppi_mean,
    rates,
    rogan_gladen,
    tuned,
)
from chronoscore.statistics.ratios import Array

VECTORS = {one["id"]: one for one in free("rubric/correlation.json")["ppi"]}
values = st.floats(0, 1).map(lambda value: round(value, 3))


def sample_of(vector: dict[str, Any]) -> LabelledSample:
    judged = vector["judge_on_unlabelled"]
    others = np.repeat([1.0, 0.0], [judged["ones"], judged["zeros"]])
    return LabelledSample(
        np.array(vector["human_labels"], float),
        np.array(vector["judge_on_labelled"], float),
        others,
    )


@st.composite
def samples(draw: st.DrawFn) -> LabelledSample:
    n, more = draw(st.integers(2, 8)), draw(st.integers(1, 8))
    one, two, rest = (
        np.array(draw(st.lists(values, min_size=k, max_size=k))) for k in (n, n, more)
    )
    return LabelledSample(one, two, rest)


# Laws.


@given(samples())
def test_without_the_judge_it_is_the_peoples_mean(sample: LabelledSample) -> None:
    found = ppi_mean(sample, weight=0.0)
    alone = mean(sample.people)
    assert found.value == pytest.approx(sample.people.mean())
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high))


@given(samples())
def test_a_judge_that_is_always_right_gives_its_own_mean(sample: LabelledSample) -> None:
    right = LabelledSample(sample.people, sample.people, sample.others)
    assert ppi_mean(right, weight=1.0).value == pytest.approx(sample.others.mean())


@given(samples(), st.floats(-0.5, 0.5))
def test_a_constant_bias_of_the_judge_is_taken_out(sample: LabelledSample, shift: float) -> None:
    shifted = LabelledSample(sample.people, sample.judge + shift, sample.others + shift)
    one, two = ppi_mean(sample, weight=1.0), ppi_mean(shifted, weight=1.0)
    assert one.value == pytest.approx(two.value, abs=1e-9)
    assert one.error == pytest.approx(two.error, abs=1e-9)


@given(samples())
def test_the_weight_is_within_0_and_1(sample: LabelledSample) -> None:
    assert 0 <= tuned(sample) <= 1


@given(samples(), samples())
def test_a_difference_is_that_of_the_means(one: LabelledSample, two: LabelledSample) -> None:
    found, back = ppi_difference(one, two), ppi_difference(two, one)
    parts = ppi_mean(one), ppi_mean(two)
    assert found.value == pytest.approx(parts[0].value - parts[1].value, abs=1e-12)
    assert found.error == pytest.approx(np.hypot(parts[0].error, parts[1].error), abs=1e-12)
    assert (back.low, back.high) == pytest.approx((-found.high, -found.low), abs=1e-12)


@given(samples())
def test_clusters_of_one_item_change_the_error_by_their_correction_only(
    sample: LabelledSample,
) -> None:
    n, more = len(sample.people), len(sample.others)
    names = [str(at) for at in range(n + more)]
    clustered = LabelledSample(sample.people, sample.judge, sample.others, (names[:n], names[n:]))
    alone, found = ppi_mean(sample), ppi_mean(clustered)
    assert found.value == alone.value
    correction = np.sqrt(n / (n - 1))
    assert found.error == pytest.approx(alone.error * correction, abs=1e-12)
    assert found.clusters == n


# Vectors.


def test_plain_and_tuned_means_are_those_of_ppi_py() -> None:
    vector = VECTORS["ppi-mean-binary"]
    expected, sample = vector["expected"], sample_of(vector)
    assert mean(sample.people).value == pytest.approx(expected["classical_mean"], abs=1e-12)
    assert sample.others.mean() == pytest.approx(expected["judge_only_mean"], abs=1e-12)
    plain = ppi_mean(sample, weight=1.0)
    told = expected["ppi_lambda1"]
    assert plain.value == pytest.approx(told["estimate"], abs=1e-12)
    assert plain.error == pytest.approx(told["se"], abs=1e-9)
    assert (plain.low, plain.high) == pytest.approx((told["ci_low"], told["ci_high"]), abs=1e-9)
    best = ppi_mean(sample)
    told = expected["ppi_py_0_2_3_power_tuned"]
    assert best.value == pytest.approx(told["estimate"], abs=1e-9)
    assert (best.low, best.high) == pytest.approx(told["ci"], abs=1e-9)


def test_rogan_and_gladen_correct_a_rate() -> None:
    vector = VECTORS["rogan-gladen-binary"]
    expected, sample = vector["expected"], sample_of(vector)
    found = rates(sample.people, sample.judge)
    assert found.sensitivity == pytest.approx(float(Fraction(expected["sensitivity"])), abs=1e-12)
    assert found.specificity == pytest.approx(float(Fraction(expected["specificity"])), abs=1e-12)
    corrected = rogan_gladen(sample)
    exact = float(Fraction(expected["corrected_exact"]))
    assert corrected.value == pytest.approx(exact, abs=1e-12)
    assert corrected.low < exact < corrected.high


# Hand cases.


def test_people_who_differ_count_in_parts() -> None:
    people = np.array([[0.5, 0.5], [0.0, 1.0]])
    judge = np.array([[0.0, 1.0], [0.25, 0.75]])
    assert confusion(people, judge).tolist() == [[0.0, 0.5], [0.25, 1.25]]
    found = rates(people[:, 1], judge[:, 1])
    assert found.sensitivity == pytest.approx(1.25 / 1.5)
    assert found.specificity == pytest.approx(0.0)


def test_generous_judges_have_a_bias_above_0() -> None:
    found = bias(np.array([0.0, 0, 1, 1]), np.array([1.0, 0, 1, 1]))
    assert found.value == 0.25
    assert found.low < 0.25 < found.high


@pytest.mark.parametrize(
    ("people", "judge", "others", "told"),
    [
        ([1, 1], [1, 0], [1], "no labelled item is 0"),
        ([0, 0], [1, 0], [1], "no labelled item is 1"),
        ([1, 0], [1, 0], [], "judged nothing that people did not"),
        ([1, 0], [0, 1], [1], "tells nothing"),
        ([1, 0, 1, 0], [1, 0, 0, 1], [1], "tells nothing"),
    ],
)
def test_a_rate_that_cant_be_corrected_has_a_reason(
    people: list[int], judge: list[int], others: list[int], told: str
) -> None:
    columns = [np.array(column, np.float64) for column in (people, judge, others)]
    found = rogan_gladen(LabelledSample(columns[0], columns[1], columns[2]))
    assert np.isnan(found.value)
    assert told in found.reason


def test_a_rate_beyond_1_is_cut_and_told() -> None:
    people, judge = np.array([1.0] * 4 + [0] * 4), np.array([1.0, 1, 1, 0, 0, 0, 0, 0])
    found = rogan_gladen(LabelledSample(people, judge, np.ones(5)))
    assert (found.value, found.high) == (1.0, 1.0)
    assert "cut to 1 from 1.333" in found.reason


def test_nothing_labelled_is_undefined() -> None:
    found = ppi_mean(LabelledSample(np.empty(0), np.empty(0), np.ones(4)))
    assert np.isnan(found.value)
    assert found.reason == "nothing is labelled"


def test_one_label_gives_no_interval() -> None:
    found = mean(np.array([1.0]))
    assert found.value == 1
    assert np.isnan(found.low)
    assert "one labelled item" in found.reason


def test_shared_articles_are_paired_in_a_difference() -> None:
    generator = np.random.default_rng(0)
    article = np.repeat(generator.normal(size=20), 5)
    names = [str(at // 5) for at in range(100)]
    one, two = (
        LabelledSample(
            article + generator.normal(size=100) / 10, np.zeros(100), np.empty(0), (names, ())
        )
        for _ in range(2)
    )
    paired = ppi_difference(one, two)
    apart = ppi_difference(
        one, LabelledSample(two.people, two.judge, two.others, ([f"b{name}" for name in names], ()))
    )
    assert paired.error < apart.error / 3
    assert (paired.clusters, apart.clusters) == (20, 40)


def drawn(generator: np.random.Generator, labelled: int, others: int) -> tuple[Array, Array]:
    """People's values, and those of a judge that is generous where people say 0."""
    people = (generator.random(labelled + others) < 0.6).astype(float)
    generous = generator.random(labelled + others) < np.where(people > 0, 0.95, 0.4)
    return people, generous.astype(float)


def test_corrected_intervals_cover_where_the_judges_own_do_not() -> None:
    generator = np.random.default_rng(11)
    runs, covered, fooled, rated = 400, 0, 0, 0
    for _ in range(runs):
        people, judge = drawn(generator, 100, 900)
        sample = LabelledSample(people[:100], judge[:100], judge[100:])
        found, alone, rate = ppi_mean(sample), mean(judge), rogan_gladen(sample)
        covered += found.low <= 0.6 <= found.high
        fooled += alone.low <= 0.6 <= alone.high
        rated += rate.low <= 0.6 <= rate.high
    assert covered / runs >= 0.92
    assert rated / runs >= 0.92
    assert fooled / runs < 0.05
