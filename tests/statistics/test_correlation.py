"""Metrics against people: laws, vectors, scipy, and what is undefined."""

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from vectors_home import free

from chronoscore.errors import UsageError
from chronoscore.statistics.correlation import (
    COEFFICIENTS,
    DEFAULTS,
    accuracy,
    calibrated_accuracy,
    coefficient,
    correlate,
    order_signs,
    pearson,
    perm_both,
    soft_pairwise_accuracy,
    spearman,
    tau_a,
    tau_b,
    tau_c,
    tie_calibration,
    why_undefined,
    williams,
)
from chronoscore.statistics.ratios import Array

VECTORS = free("rubric/correlation.json")
BY_ID = {one["id"]: one for one in VECTORS["vectors"]}
# Few values, so that many tie; on a grid, so that they tie for every program.
columns = st.integers(3, 9).flatmap(
    lambda n: st.tuples(
        *(st.lists(st.integers(-4, 4), min_size=n, max_size=n) for _ in range(2)),
    )
)


def arrays(pair: tuple[list[int], list[int]]) -> tuple[Array, Array]:
    return np.array(pair[0], np.float64), np.array(pair[1], np.float64)


def same(found: float, expected: float | None) -> None:
    if expected is None:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(expected, abs=1e-12)


# Laws.


@given(columns)
def test_every_coefficient_is_the_same_both_ways_round(pair: tuple[list[int], list[int]]) -> None:
    human, metric = arrays(pair)
    for one in (pearson, spearman, tau_a, tau_b, tau_c, accuracy):
        np.testing.assert_allclose(one(human, metric), one(metric, human), atol=1e-12)


@given(columns, st.floats(0.1, 50), st.floats(-20, 20))
def test_scale_and_origin_of_the_metric_change_nothing(
    pair: tuple[list[int], list[int]], scale: float, origin: float
) -> None:
    human, metric = arrays(pair)
    for one in COEFFICIENTS.values():
        np.testing.assert_allclose(
            one.compute(human, metric * scale + origin), one.compute(human, metric), atol=1e-9
        )


@given(columns, st.randoms(use_true_random=False))
def test_the_order_of_items_changes_nothing(pair: tuple[list[int], list[int]], random: Any) -> None:
    human, metric = arrays(pair)
    order = list(range(len(human)))
    random.shuffle(order)
    for one in COEFFICIENTS.values():
        np.testing.assert_allclose(
            one.compute(human[order], metric[order]), one.compute(human, metric), atol=1e-12
        )


@given(columns, st.data())
def test_weights_count_items_as_often_as_they_say(
    pair: tuple[list[int], list[int]], data: st.DataObject
) -> None:
    human, metric = arrays(pair)
    n = len(human)
    drawn = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    weights = np.array([drawn], np.float64)
    x, y = np.repeat(human, drawn), np.repeat(metric, drawn)
    for one in (pearson, spearman, tau_b):
        alone = one(x, y) if len(x) else np.array(np.nan)
        np.testing.assert_allclose(one(human, metric, weights)[0], alone, atol=1e-12)


@given(columns)
def test_weights_of_one_change_nothing(pair: tuple[list[int], list[int]]) -> None:
    human, metric = arrays(pair)
    ones = np.ones((2, len(human)))
    for one in COEFFICIENTS.values():
        plain = one.compute(human, metric)
        np.testing.assert_allclose(one.compute(human, metric, ones), [plain] * 2, atol=1e-12)


@given(columns, columns)
def test_many_metrics_at_once_are_each_as_alone(
    first: tuple[list[int], list[int]], second: tuple[list[int], list[int]]
) -> None:
    human, one = arrays(first)
    two = np.resize(np.array(second[0], np.float64), len(human))
    for each in COEFFICIENTS.values():
        together = each.compute(human, np.stack([one, two]))
        alone = [float(each.compute(human, metric)) for metric in (one, two)]
        np.testing.assert_allclose(together, alone, atol=1e-12)


@given(columns)
def test_tie_calibration_is_the_best_of_all_epsilons(pair: tuple[list[int], list[int]]) -> None:
    human, metric = arrays(pair)
    found = tie_calibration(human, metric)
    pairs = list(combinations(range(len(human)), 2))

    def at(epsilon: float) -> float:
        right = 0
        for i, j in pairs:
            gap = metric[i] - metric[j]
            said = 0.0 if abs(gap) <= epsilon else np.sign(gap)
            right += said == np.sign(human[i] - human[j])
        return right / len(pairs)

    tried = {epsilon: at(epsilon) for epsilon in range(9)}
    best = max(tried.values())
    assert found.accuracy == pytest.approx(best, abs=1e-12)
    assert found.epsilon == min(e for e, share in tried.items() if share >= best - 1e-12)
    assert float(calibrated_accuracy(human, metric)) == found.accuracy


# Vectors.


def pair_counts(human: Array, metric: Array) -> dict[str, int]:
    """How many pairs of items are in the same order for people and metric, or tied."""
    upper = np.triu_indices(len(human), 1)
    h, m = order_signs(human)[upper], order_signs(metric)[upper]
    return {
        "concordant": int((h * m > 0).sum()),
        "discordant": int((h * m < 0).sum()),
        "ties_human_only": int(((h == 0) & (m != 0)).sum()),
        "ties_metric_only": int(((h != 0) & (m == 0)).sum()),
        "ties_both": int(((h == 0) & (m == 0)).sum()),
    }


@pytest.mark.parametrize("name", BY_ID)
def test_vectors(name: str) -> None:
    vector = BY_ID[name]
    human, metric = np.array(vector["human"]), np.array(vector["metric"])
    expected = vector["expected"]
    assert pair_counts(human, metric) == expected["counts"]
    for key, one in (
        ("pearson", pearson),
        ("spearman", spearman),
        ("tau_a", tau_a),
        ("tau_b", tau_b),
        ("tau_c", tau_c),
        ("acc_eq", accuracy),
    ):
        same(float(one(human, metric)), expected[key])
        if expected.get(f"{key}_exact") is not None:
            same(float(one(human, metric)), float(Fraction(expected[f"{key}_exact"])))
    same(2 * float(accuracy(human, metric)) - 1, expected["tau_23"])
    calibrated = tie_calibration(human, metric)
    same(calibrated.accuracy, float(Fraction(expected["acc_eq_star_exact"])))
    same(calibrated.epsilon, expected["epsilon_star"])


@pytest.mark.parametrize("trap", VECTORS["float_traps"], ids=lambda trap: trap["id"])
def test_equal_gaps_are_one_threshold(trap: dict[str, Any]) -> None:
    human = np.array(trap["human"], np.float64)
    for name in ("metric", "metric_times_10"):
        found = tie_calibration(human, np.array(trap[name], np.float64))
        same(found.accuracy, float(Fraction(trap["expected"]["acc_eq_star_exact"])))
        same(found.epsilon, trap["expected"]["epsilon_star"])
        assert found.accuracy != pytest.approx(trap["wrong_answer_seen"]["acc_eq_star"])


@pytest.mark.parametrize("vector", VECTORS["significance"], ids=lambda one: one["id"])
def test_two_metrics_are_told_apart(vector: dict[str, Any]) -> None:
    human, one, two = (np.array(vector[n], float) for n in ("human", "metric_a", "metric_b"))
    assert float(pearson(human, one)) == pytest.approx(vector["pearson_a"], abs=1e-12)
    assert float(pearson(human, two)) == pytest.approx(vector["pearson_b"], abs=1e-12)
    swapped = perm_both(human, one, two)
    assert swapped.exact
    assert swapped.difference == pytest.approx(vector["delta"], abs=1e-12)
    assert swapped.p_one_sided == vector["exact_p_one_sided_a_gt_b"]
    assert swapped.p == vector["exact_p_two_sided"]
    assert swapped.smallest == 2 / 256
    tested = williams(human, one, two)
    assert tested.t == pytest.approx(vector["williams_t"], abs=1e-9)
    assert tested.p_one_sided == pytest.approx(vector["williams_p_one_sided"], abs=1e-9)


@pytest.mark.parametrize("vector", VECTORS["pairwise"], ids=lambda one: one["id"])
def test_accuracy_over_systems(vector: dict[str, Any]) -> None:
    names = sorted(vector["human"])
    human, metric = (np.array([vector[key][n] for n in names]) for key in ("human", "metric"))
    counts = pair_counts(human, metric)
    assert counts["concordant"] == vector["expected"]["agreeing_pairs"]
    assert sum(counts.values()) == vector["expected"]["pairs"]
    same(float(accuracy(human, metric)), vector["expected"]["accuracy"])


# scipy.


@given(columns)
def test_scipy_gives_the_same(pair: tuple[list[int], list[int]]) -> None:
    human, metric = arrays(pair)
    if len(set(pair[0])) == 1 or len(set(pair[1])) == 1:
        return
    same(float(pearson(human, metric)), float(scipy.stats.pearsonr(human, metric).statistic))
    same(float(spearman(human, metric)), float(scipy.stats.spearmanr(human, metric).statistic))
    other = scipy.stats.kendalltau(human, metric, variant="b").statistic
    same(float(tau_b(human, metric)), float(other))
    other = scipy.stats.kendalltau(human, metric, variant="c").statistic
    same(float(tau_c(human, metric)), float(other))


# Undefined, and other hand cases.


def test_values_that_differ_by_rounding_only_are_no_variation() -> None:
    human = np.array([1.0, 2.0, 3.0])
    metric = np.array([0.1 + 0.2, 0.3, 0.3])
    for one in (pearson, spearman, tau_b, tau_c):
        assert np.isnan(one(human, metric))
    assert float(tau_a(human, metric)) == 0
    assert "the metric gave all items the same value" in why_undefined(human, metric)
    assert "people gave all items" in why_undefined(metric, human)


def test_two_items_have_no_correlation() -> None:
    for found in correlate(np.array([1.0, 2]), np.array([1.0, 2]), [*COEFFICIENTS.values()]):
        assert np.isnan(found.value)
        assert found.reason == "a correlation needs 3 items, here are 2"


def test_too_few_clusters_give_a_value_and_no_interval() -> None:
    human, metric = np.array([1.0, 2, 3, 4]), np.array([1.0, 3, 2, 4])
    (found,) = correlate(human, metric, [coefficient("pearson")])
    assert found.value == pytest.approx(0.8)
    assert np.isnan(found.low)
    assert "5 clusters" in found.reason


def test_intervals_hold_the_value_and_shrink_with_more_items() -> None:
    generator = np.random.default_rng(1)
    widths = []
    for n in (20, 200):
        human = generator.normal(size=n)
        metric = human + generator.normal(size=n)
        wanted = [coefficient(name) for name in DEFAULTS]
        found = correlate(human, metric, wanted)
        assert all(one.low < one.value < one.high for one in found)
        assert correlate(human, metric, wanted) == found, "seeds are explicit"
        widths.append([one.high - one.low for one in found])
    assert all(few > many for few, many in zip(*widths, strict=True))


def test_items_of_one_cluster_are_drawn_together() -> None:
    generator = np.random.default_rng(2)
    human, metric = (np.repeat(generator.normal(size=12), 10) for _ in range(2))
    clusters = [str(at // 10) for at in range(120)]
    (alone,) = correlate(human, metric, [coefficient("pearson")])
    (clustered,) = correlate(human, metric, [coefficient("pearson")], clusters)
    assert clustered.clusters == 12
    assert clustered.high - clustered.low > 2 * (alone.high - alone.low)


def test_a_metric_does_not_differ_from_itself() -> None:
    generator = np.random.default_rng(3)
    human, metric = generator.normal(size=(2, 40))
    swapped = perm_both(human, metric, 3 * metric + 1, draws=200)
    assert (swapped.p, swapped.exact) == (1.0, False)
    assert "the same, but for their scale" in williams(human, metric, metric * 2).reason


def test_drawn_p_values_are_never_zero() -> None:
    generator = np.random.default_rng(4)
    human = generator.normal(size=60)
    swapped = perm_both(human, human + generator.normal(size=60) / 9, -human, draws=99)
    assert (swapped.p, swapped.smallest) == (1 / 100, 1 / 100)


def test_exact_up_to_16_items() -> None:
    generator = np.random.default_rng(5)
    for n, exact in ((16, True), (17, False)):
        human, one, two = generator.normal(size=(3, n))
        assert perm_both(human, one, two, draws=50).exact is exact


def test_swapping_works_for_ranks_too() -> None:
    human = np.array([1.0, 2, 3, 4, 5, 6])
    for name in ("spearman", "tau-b", "acc-eq*"):
        found = perm_both(human, human, human[::-1].copy(), coefficient(name).compute)
        assert found.difference > 0.9
        assert found.p_one_sided <= found.p


def test_four_items_for_williams() -> None:
    human = np.array([1.0, 2, 3])
    assert "4 items" in williams(human, human, human[::-1]).reason


def test_soft_accuracy_rewards_doubt_where_people_doubt() -> None:
    human = np.array([[1.0, 0, 1, 0, 1, 0], [0.0, 1, 0, 1, 0, 1]])
    doubting = human[::-1].copy()
    sure = np.array([[1.0] * 6, [0.0] * 6])
    assert soft_pairwise_accuracy(human, doubting) == 1.0
    assert soft_pairwise_accuracy(human, sure) == pytest.approx(1 - (1 / 2 - 1 / 128))
    assert np.isnan(soft_pairwise_accuracy(human[:1], sure[:1]))


@pytest.mark.parametrize("items", [5, 30])
def test_the_order_of_systems_changes_no_soft_accuracy(items: int) -> None:
    generator = np.random.default_rng(7)
    human, metric = generator.integers(0, 3, size=(2, 4, items)).astype(float)
    found = soft_pairwise_accuracy(human, metric, draws=300)
    back = soft_pairwise_accuracy(human[::-1], metric[::-1], draws=300)
    assert found == pytest.approx(back, abs=1e-12)


def test_soft_accuracy_of_many_items_is_drawn() -> None:
    generator = np.random.default_rng(6)
    human = generator.normal(size=(3, 40))
    assert soft_pairwise_accuracy(human, human, draws=500) == 1.0
    other = soft_pairwise_accuracy(human, generator.normal(size=(3, 40)), draws=500)
    assert 0 <= other < 1


def test_unknown_coefficients_are_told() -> None:
    with pytest.raises(UsageError, match="there are: pearson"):
        coefficient("personn")
