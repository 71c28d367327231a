"""Weights, and what they say of a score: the same as averaging anew, by hand, and by sampling."""

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np
import pytest
from averaging_paths import DATE_F1, LEVELS, row_a_topic
from every import each

from chronoscore.statistics import IntervalMethod, Undefined
from chronoscore.statistics.averaging import Path, average
from chronoscore.statistics.drawing import (
    BLOCK,
    coins,
    every_way,
    multinomial_weights,
    poisson_weights,
)
from chronoscore.statistics.intervals import (
    bayes,
    interval,
    jackknife_t,
    percentile,
)
from chronoscore.statistics.labels import Labels, labelled
from chronoscore.statistics.ratios import Array
from chronoscore.statistics.resampling import Resampler

PATHS = (
    "micro",
    "macro",
    "gold+topic:mean-pr>trial:mean-f",
    "gold+topic:sum>trial:mean-f",
    "gold:mean-f>topic:mean-f>trial:mean-f",
    "gold:mean-pr>topic:mean-f>trial:mean-f",
    "gold:sum>topic:mean-pr>trial:mean-f",
    "gold:sum>topic:mean-f>trial:mean-f",
    "gold:sum>topic:sum>trial:mean-f",
    "gold:sum>topic+trial:mean-f",
)
POLICIES: tuple[Undefined, ...] = ("skip", "zero", "one", "agree")
T_OF_2 = 4.302652729911275
"""The 97.5 % point of Student's t with two degrees of freedom."""

Tags = list[dict[str, str]]


def rows_and_tags(seed: int = 0) -> tuple[Array, Tags]:
    """Two trials on four topics with one to three golds each, some of them empty on a side."""
    source = np.random.default_rng(seed)
    rows, tags = [], []
    for topic, golds in zip("abcd", (2, 1, 3, 2), strict=True):
        for gold in range(golds):
            for trial in "12":
                hits = source.integers(0, 4)
                predicted, total = hits + source.integers(0, 3, size=2)
                rows.append([hits, predicted, hits, total])
                tags.append({"gold": str(gold), "topic": topic, "trial": trial})
    rows[0] = [0, 0, 0, 0]
    return np.array(rows, dtype=np.float64), tags


def named(tags: Tags, level: str) -> list[str]:
    return [tag["topic"] + (tag["gold"] if level == "gold" else "") for tag in tags]


def sample(
    rows: Array, tags: Tags, path: str, policy: Undefined = "zero", level: str = "topic"
) -> Resampler:
    return Resampler(
        DATE_F1,
        rows,
        labelled(tags),
        Labels.of(named(tags, level)),
        path=Path.parse(path, LEVELS),
        policy=policy,
        level=level,
    )


def estimate(one: Resampler) -> Array:
    return np.asarray(one.scores(np.ones((1, len(one.names))))[0])


def leave_one_out(clusters: int, strata: Sequence[str] = ()) -> Array:
    """Weights that leave out each cluster in turn, and raise the rest of its stratum for it."""
    of = np.array(strata or [""] * clusters)
    same = of[:, np.newaxis] == of
    size = same.sum(axis=1, keepdims=True)
    return np.where(same, size / np.maximum(size - 1, 1), 1.0) * (1 - np.eye(clusters))


def same_f(f: float) -> list[float]:
    """A row whose precision, recall and F are f."""
    return [10 * f, 10, 10 * f, 10]


@each("policy", POLICIES)
@each("path", PATHS)
@each("level", ["topic", "gold"])
def test_weights_of_one_give_the_average(level: str, path: str, policy: Undefined) -> None:
    for seed in range(5):
        rows, tags = rows_and_tags(seed)
        wanted = average(DATE_F1, rows, labelled(tags), Path.parse(path, LEVELS), policy)
        found = estimate(sample(rows, tags, path, policy, level))
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-14)


@each("policy", POLICIES)
@each("path", PATHS)
@each("level", ["topic", "gold"])
def test_leaving_one_out_is_averaging_the_others(level: str, path: str, policy: Undefined) -> None:
    for seed in range(5):
        rows, tags = rows_and_tags(seed)
        resampler = sample(rows, tags, path, policy, level)
        names = np.array(named(tags, level))
        left_out = resampler.scores(leave_one_out(len(resampler.names)))
        for place, name in enumerate(resampler.names):
            kept = np.flatnonzero(names != name)
            parsed = Path.parse(path, LEVELS)
            wanted = average(
                DATE_F1, rows[kept], labelled([tags[row] for row in kept]), parsed, policy
            )
            np.testing.assert_allclose(left_out[place], wanted, rtol=0, atol=1e-14)


@pytest.mark.parametrize("path", PATHS)
def test_a_cluster_drawn_twice_counts_as_two(path: str) -> None:
    rows, tags = rows_and_tags()
    again = [row for row, tag in enumerate(tags) if tag["topic"] == "c"]
    doubled = np.concatenate([rows, rows[again]])
    copies = [*tags, *({**tags[row], "topic": "copy"} for row in again)]
    wanted = average(DATE_F1, doubled, labelled(copies), Path.parse(path, LEVELS), "zero")
    found = sample(rows, tags, path).scores(np.array([[1.0, 1.0, 2.0, 1.0]]))[0]
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-14)


@pytest.mark.parametrize("method", ["jackknife", "bootstrap"])
@pytest.mark.parametrize("path", PATHS)
def test_the_order_of_rows_changes_no_digit(path: str, method: Any) -> None:
    rows, tags = rows_and_tags()
    order = np.random.default_rng(1).permutation(len(rows))
    # Rows of one topic stay in the order of their ids, as they come from `unite`.
    order = np.array(sorted(order, key=lambda row: (-ord(tags[row]["topic"]), row)))
    found = [
        interval(one, estimate(one), method=method)
        for one in (
            sample(rows, tags, path),
            sample(rows[order], [tags[row] for row in order], path),
        )
    ]
    assert found[0].low.tolist() == found[1].low.tolist()
    assert found[0].high.tolist() == found[1].high.tolist()


def test_a_cluster_is_drawn_alike_whoever_is_beside_it() -> None:
    both, all_three = (poisson_weights(names, 0) for names in (("a", "c"), ("a", "b", "c")))
    shared = all_three[:, [0, 2]]
    drawn = shared.any(axis=1)  # where nothing of the two was drawn, they were drawn again
    assert drawn.mean() > 0.8
    assert np.array_equal(both[drawn], shared[drawn])
    assert np.array_equal(coins(("a", "c"), 0, 5000), coins(("a", "b", "c"), 0, 5000)[[0, 2]])


def test_more_draws_begin_with_the_same() -> None:
    names = ("a", "b", "c")
    few, many = (poisson_weights(names, 0, number) for number in (BLOCK + 7, 3 * BLOCK))
    assert np.array_equal(few, many[: len(few)])
    assert np.array_equal(coins(names, 0, BLOCK + 7), coins(names, 0, 3 * BLOCK)[:, : BLOCK + 7])


def test_zero_is_a_seed() -> None:
    names = ("a", "b", "c")
    for draw in (poisson_weights, coins):
        assert np.array_equal(draw(names, 0, 3000), draw(names, 0, 3000))
        assert not np.array_equal(draw(names, 0, 3000), draw(names, 1, 3000))
    one = row_a_topic([same_f(f) for f in np.linspace(0.1, 0.9, 11) ** 2])
    low = [interval(one, estimate(one), method="bootstrap", seed=s).low[2] for s in (0, 0, 1)]
    assert low[0] == low[1] != low[2]


def test_systems_and_metrics_share_weights() -> None:
    one = row_a_topic([same_f(f) for f in (0.1, 0.4, 0.5, 0.9)])
    better = row_a_topic([same_f(f) for f in (0.2, 0.5, 0.6, 1.0)])
    weights = poisson_weights(one.names, 0)
    assert weights is poisson_weights(better.names, 0)
    gain = better.scores(weights) - one.scores(weights)
    assert np.allclose(gain, 0.1)  # paired: what is the same in every topic does not vary


def test_draws_are_poisson() -> None:
    weights = poisson_weights(tuple(f"topic {n}" for n in range(40)), 0)
    assert weights.mean() == pytest.approx(1, abs=0.01)
    assert weights.var() == pytest.approx(1, abs=0.02)
    assert (weights == 0).mean() == pytest.approx(np.exp(-1), abs=0.005)
    apart = np.corrcoef(weights.T) - np.eye(40)
    assert np.abs(apart).max() < 0.05


def test_swaps_are_fair_coins() -> None:
    drawn = coins(tuple(f"topic {n}" for n in range(20)), 0, 10_000)
    assert set(np.unique(drawn)) == {0, 1}
    assert drawn.mean() == pytest.approx(0.5, abs=0.01)


def test_every_way_to_swap_is_there_and_the_first_changes_nothing() -> None:
    every = every_way(3).T
    assert len({tuple(row) for row in every.tolist()}) == 8
    assert not every[0].any()


def test_a_draw_of_nothing_is_drawn_again() -> None:
    alone = poisson_weights(("a",), 0)
    assert alone.min() == 1
    assert (alone == 1).mean() == pytest.approx(np.exp(-1) / (1 - np.exp(-1)), abs=0.02)
    assert poisson_weights(("a", "b"), 0).sum(axis=1).min() == 1


@pytest.mark.parametrize("method", ["jackknife", "bootstrap"])
def test_a_single_cluster_has_no_interval(method: IntervalMethod) -> None:
    one = row_a_topic([same_f(0.4)])
    bounds = interval(one, estimate(one), method=method)
    assert np.isnan(bounds.low).all()
    assert np.isnan(bounds.high).all()


def test_multinomial_draws_as_many_as_there_are() -> None:
    weights = np.concatenate([*multinomial_weights(("x", "x", "y", "y"), 0)])
    assert (weights[:, :2].sum(axis=1) == 2).all()
    assert (weights[:, 2:].sum(axis=1) == 2).all()
    other = np.concatenate([*multinomial_weights(("x", "x", "y", "y"), 1)])
    assert not np.array_equal(weights, other)


def test_jackknife_of_a_mean_is_the_t_interval() -> None:
    one = row_a_topic([same_f(f) for f in (0.2, 0.4, 0.9)])
    bounds = interval(one, estimate(one))
    reach = T_OF_2 * sqrt(0.13 / 3)  # the variance of the three is 0.13
    assert bounds.method == "jackknife-t"
    assert bounds.low == pytest.approx([0.5 - reach] * 3)
    assert bounds.high == pytest.approx([0.5 + reach] * 3)


def test_jackknife_by_hand() -> None:
    # Micro F is 6/8, without one of the topics 5/6, 5/6 or 2/4.
    one = row_a_topic([[1, 2, 1, 2], [1, 2, 1, 2], [4, 4, 4, 4]], "micro")
    left_out = one.scores(leave_one_out(3))[:, 2]
    assert left_out == pytest.approx([5 / 6, 5 / 6, 1 / 2])
    spread = 2 / 3 * (2 * (1 / 9) ** 2 + (2 / 9) ** 2)
    bounds = jackknife_t(left_out[:, np.newaxis], np.array([0.75]), 0.95)
    assert bounds.high[0] - 0.75 == pytest.approx(T_OF_2 * sqrt(spread))
    assert 0.75 - bounds.low[0] == pytest.approx(T_OF_2 * sqrt(spread))


def test_jackknife_needs_two_clusters() -> None:
    one = row_a_topic([same_f(0.4)])
    assert np.isnan(interval(one, estimate(one)).low).all()


def test_jackknife_within_strata_is_the_stratified_standard_error() -> None:
    # Two strata of two topics: the variance of the mean is 1/16 of 2 (0.1² / 2 + 0.3² / 2).
    one = row_a_topic(
        [same_f(f) for f in (0.2, 0.3, 0.5, 0.8)], strata=Labels.of(["x", "x", "y", "y"])
    )
    bounds = interval(one, estimate(one), method="jackknife")
    standard_error = sqrt(2 * (0.1**2 / 2 + 0.3**2 / 2)) / 4
    assert bounds.high[2] - 0.45 == pytest.approx(T_OF_2 * standard_error)


def test_percentile_leaves_out_what_is_undefined() -> None:
    values = np.arange(101.0)[:, np.newaxis]
    gaps = np.vstack([values, np.full((50, 1), np.nan)])
    assert percentile(gaps, 0.9).low.tolist() == percentile(values, 0.9).low.tolist()
    assert percentile(gaps, 0.9).low == pytest.approx(5)
    assert percentile(gaps, 0.9).high == pytest.approx(95)
    assert np.isnan(percentile(np.full((3, 1), np.nan), 0.9).low).all()


@pytest.mark.parametrize("counts", [(8, 10, 12), (0, 4, 7), (5, 5, 5), (120, 300, 200)])
def test_bayesian_bounds_are_those_of_drawn_posteriors(counts: tuple[int, int, int]) -> None:
    hits, predicted, gold = counts
    source = np.random.default_rng(5)
    number, prior = 400_000, 0.5
    u = source.gamma(hits + prior, 2.0, size=number)
    v = source.gamma(predicted + gold - 2 * hits + 2 * prior, 1.0, size=number)
    drawn = [
        source.beta(hits + prior, predicted - hits + prior, size=number),
        source.beta(hits + prior, gold - hits + prior, size=number),
        u / (u + v),
    ]
    wanted = [np.quantile(each, [0.05, 0.95]) for each in drawn]
    assert bayes(*counts, 0.9) == pytest.approx(np.array(wanted), abs=0.004)


def test_the_examples_of_goutte_and_gaussier() -> None:
    # Table 2 in the authors' own code (github.com/cyrilgoutte/probprF) gives the probability that
    # a system wins more often than it loses, P(Beta(wins + 1/2, losses + 1/2) > 1/2), by sampling.
    for wins, losses, probability in ((17, 4, 0.99837), (1, 4, 0.08884), (6, 11, 0.1115)):
        upper = bayes(wins, wins + losses, wins, abs(2 * probability - 1))[0]
        assert upper[0 if probability > 0.5 else 1] == pytest.approx(0.5, abs=0.003)
