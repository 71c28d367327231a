"""Tests of differences against brute force and by hand; corrections, letters, ranks and power."""

from collections.abc import Callable, Sequence
from itertools import combinations, permutations, product
from math import nan

import numpy as np
import pytest
from averaging_paths import DATE_F1, LEVELS, PATHS, row_a_topic, tags_of
from scipy.stats import binomtest, nct, t

from chronoscore.statistics.averaging import Path, average
from chronoscore.statistics.drawing import coins, poisson_weights
from chronoscore.statistics.labels import labelled
from chronoscore.statistics.ratios import Array
from chronoscore.statistics.resampling import Resampler
from chronoscore.statistics.significance import (
    CORRECTIONS,
    Verdict,
    benjamini_hochberg,
    clusters_needed,
    holm,
    letters,
    mcnemar,
    paired_bootstrap,
    permutation_test,
    rank_clusters,
)

Differ = dict[tuple[str, str], bool]
Correction = Callable[[Sequence[float]], list[float]]


def same_f(*scores: float) -> list[list[float]]:
    """Rows whose precision, recall and F are these."""
    return [[10 * f, 10, 10 * f, 10] for f in scores]


def counts(topics: int, seed: int) -> Array:
    source = np.random.default_rng(seed)
    hits = source.integers(0, 5, size=topics)
    wrong, missed = source.integers(0, 4, size=(2, topics))
    return np.stack([hits, hits + wrong, hits, hits + missed], axis=1).astype(np.float64)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(("topics", "golds"), [(1, 1), (2, 2), (3, 1), (5, 2), (6, 1)])
def test_exact_p_is_that_of_averaging_every_swap_anew(path: str, topics: int, golds: int) -> None:
    parsed, tags = Path.parse(path, LEVELS), tags_of(topics, golds)
    one, two = (counts(topics * golds, seed) for seed in (1, 2))

    def difference(swapped: Sequence[bool]) -> Array:
        mask = np.repeat(swapped, golds)[:, np.newaxis]
        pair = np.where(mask, two, one), np.where(mask, one, two)
        scores = [average(DATE_F1, rows, labelled(tags), parsed, "zero") for rows in pair]
        return np.abs(scores[0] - scores[1])

    observed = difference([False] * topics)
    every = [difference(swapped) for swapped in product([False, True], repeat=topics)]
    wanted = np.mean([each >= observed - 1e-12 for each in every], axis=0)
    verdict = permutation_test(
        row_a_topic(one, path, golds=golds), row_a_topic(two, path, golds=golds)
    )
    assert verdict.exact
    assert verdict.p == pytest.approx(wanted, abs=1e-15)


@pytest.mark.parametrize("topics", range(1, 13))
def test_the_smallest_exact_p_is_reached_by_winning_everywhere(topics: int) -> None:
    verdict = permutation_test(row_a_topic(same_f(0.9) * topics), row_a_topic(same_f(0.1) * topics))
    assert verdict.smallest == 2 / 2**topics
    assert verdict.p.tolist() == [verdict.smallest] * 3


def test_three_items_never_give_less_than_a_quarter() -> None:
    assert permutation_test(row_a_topic(same_f(1, 1, 1)), row_a_topic(same_f(0, 0, 0))).p[2] == 0.25
    assert mcnemar(3, 0) == mcnemar(0, 3) == 0.25


@pytest.mark.parametrize("topics", [13, 14, 20])
def test_a_random_p_is_not_below_the_smallest(topics: int) -> None:
    one, two = row_a_topic(same_f(0.9) * topics), row_a_topic(same_f(0.1) * topics)
    for seed in range(40):
        verdict = permutation_test(one, two, seed=seed)
        assert not verdict.exact
        assert verdict.p[2] >= verdict.smallest


def test_a_random_p_counts_the_observed_once_more() -> None:
    source = np.random.default_rng(3)
    first, second = source.uniform(size=(2, 20))
    verdict = permutation_test(
        row_a_topic(same_f(*first)), row_a_topic(same_f(*second)), seed=4, draws=500
    )
    swap = 1 - 2.0 * coins(row_a_topic(same_f(*first)).names, 4, 500).T
    drawn = np.abs(swap @ (first - second))
    count = (drawn >= abs((first - second).sum()) - 1e-9).sum()
    assert verdict.p[2] == pytest.approx((count + 1) / 501)
    assert verdict.smallest == 1 / 501


def test_random_and_exact_agree() -> None:
    source = np.random.default_rng(6)
    first, second = source.uniform(size=(2, 12))
    exact = permutation_test(row_a_topic(same_f(*first)), row_a_topic(same_f(*second)))
    # A topic on which both are equal changes nothing, but 13 topics are not enumerated.
    drawn = permutation_test(row_a_topic(same_f(*first, 0.5)), row_a_topic(same_f(*second, 0.5)))
    assert exact.exact
    assert not drawn.exact
    assert drawn.p[2] == pytest.approx(exact.p[2], abs=0.02)


def test_ties_are_counted() -> None:
    one, two = same_f(0.5, 0.5, 0.5, 0.9), same_f(0.5, 0.5, 0.5, 0.1)
    assert (
        permutation_test(row_a_topic(one), row_a_topic(two)).p[2] == 1
    )  # every swap is as far apart
    assert permutation_test(row_a_topic(one), row_a_topic(one)).p[2] == 1
    # Thirds do not add up without rounding: 1/3 + 1/3 + 0 as far as 0 + 1/3 + 1/3.
    third = [[1.0, 3.0, 1.0, 3.0]], [[0.0, 3.0, 0.0, 3.0]]
    assert permutation_test(row_a_topic(third[0] * 6), row_a_topic(third[1] * 6)).p[2] == 2 / 64


@pytest.mark.parametrize("test", [permutation_test, paired_bootstrap])
@pytest.mark.parametrize("topics", [5, 20])
def test_it_does_not_matter_who_comes_first(
    test: Callable[[Resampler, Resampler], Verdict], topics: int
) -> None:
    one, two = (row_a_topic(counts(topics, seed), "micro") for seed in (1, 2))
    assert test(one, two).p.tolist() == test(two, one).p.tolist()


def test_seed_zero_is_a_seed_of_the_tests() -> None:
    one, two = (row_a_topic(counts(20, seed), "micro") for seed in (3, 4))
    for test in (permutation_test, paired_bootstrap):
        p = [test(one, two, seed=seed).p[2] for seed in (0, 0, 1)]
        assert p[0] == p[1] != p[2]


def test_undefined_differences_have_no_p() -> None:
    nothing = row_a_topic([[0, 0, 0, 0]] * 4, policy="skip")
    assert np.isnan(permutation_test(nothing, nothing).p).all()


def test_undefined_differences_have_no_p_by_bootstrap() -> None:
    nothing = row_a_topic([[0, 0, 0, 0]] * 4, policy="skip")
    assert np.isnan(paired_bootstrap(nothing, nothing).p).all()


def test_the_bootstrap_counts_the_rarer_side_twice() -> None:
    first, second = [0.3, 0.6, 0.4, 0.8, 0.5], [0.2, 0.7, 0.3, 0.6, 0.6]
    one, two = row_a_topic(same_f(*first)), row_a_topic(same_f(*second))
    verdict = paired_bootstrap(one, two, draws=400)
    weights = poisson_weights(one.names, 0, 400)
    drawn = weights @ (np.array(first) - np.array(second))
    assert np.abs(drawn[np.abs(drawn) < 1e-9]).sum() < 1e-12
    less = 2 * ((drawn < -1e-9).sum() + 1) / 401
    assert less <= verdict.p[2] <= less + 2 * (np.abs(drawn) < 1e-9).sum() / 401
    assert paired_bootstrap(one, one).p[2] == 1
    clear = paired_bootstrap(row_a_topic(same_f(0.9) * 4), row_a_topic(same_f(0.1) * 4))
    assert clear.p[2] == clear.smallest


@pytest.mark.parametrize(("first", "second"), [(0, 0), (1, 0), (1, 6), (5, 5), (12, 3), (30, 41)])
def test_mcnemar_is_the_binomial_test(first: int, second: int) -> None:
    wanted = binomtest(first, first + second).pvalue if first + second else 1.0
    assert mcnemar(first, second) == pytest.approx(wanted)
    assert mcnemar(first, second) == mcnemar(second, first)


def test_mcnemar_by_hand() -> None:
    assert mcnemar(1, 6) == 2 * (1 + 7) / 2**7
    assert mcnemar(1, 6, mid=True) == (2 * (1 + 7) - 7) / 2**7
    assert mcnemar(0, 0, mid=True) == 1
    assert mcnemar(4, 4) == 1


def test_mcnemar_is_the_permutation_test_of_outcomes() -> None:
    right = [1, 1, 1, 1, 0, 1, 0, 1], [0, 0, 0, 0, 1, 1, 0, 1]
    verdict = permutation_test(*(row_a_topic(same_f(*each)) for each in right))
    assert verdict.p[2] == mcnemar(4, 1)


def test_mcnemar_of_many() -> None:
    assert mcnemar(600, 500) == pytest.approx(binomtest(600, 1100).pvalue)


def test_corrections_by_hand() -> None:
    five = [0.01, 0.02, 0.03, 0.04, 0.05]
    assert holm(five) == pytest.approx([0.05, 0.08, 0.09, 0.09, 0.09])
    assert benjamini_hochberg(five) == pytest.approx([0.05] * 5)
    assert holm([0.9, 0.6]) == [1, 1]
    assert holm([]) == benjamini_hochberg([]) == []
    assert CORRECTIONS["none"](five) == five


def test_the_example_of_benjamini_and_hochberg() -> None:
    # Their 15 p-values (1995, p. 295): Bonferroni-type procedures reject three, theirs four.
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459]
    p += [0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0]
    assert sum(each <= 0.05 for each in holm(p)) == 3
    assert sum(each <= 0.05 for each in benjamini_hochberg(p)) == 4


@pytest.mark.parametrize("correct", [holm, benjamini_hochberg])
def test_corrections_keep_order_and_never_lower_p(correct: Correction) -> None:
    source = np.random.default_rng(7)
    for _ in range(50):
        p = source.uniform(size=6) ** 3
        corrected = correct(p.tolist())
        assert (np.array(corrected) >= p - 1e-15).all()
        assert (np.diff(np.array(corrected)[np.argsort(p)]) >= 0).all()
        order = source.permutation(6)
        assert correct(p[order].tolist()) == [corrected[place] for place in order]


@pytest.mark.parametrize("correct", [holm, benjamini_hochberg])
def test_an_undefined_p_is_no_test(correct: Correction) -> None:
    corrected = correct([0.01, nan, 0.02, 0.03])
    assert np.isnan(corrected[1])
    assert [corrected[place] for place in (0, 2, 3)] == correct([0.01, 0.02, 0.03])


def every_pair(ranked: Sequence[str], significant: Sequence[tuple[str, str]]) -> Differ:
    return {pair: pair in significant for pair in combinations(ranked, 2)}


def test_letters_by_hand() -> None:
    assert letters(["a", "b"], {("a", "b"): True}) == {"a": "a", "b": "b"}
    assert letters(["a", "b"], {("a", "b"): False}) == {"a": "a", "b": "a"}
    chain = every_pair("abcd", [("a", "c"), ("a", "d"), ("b", "d")])
    assert letters("abcd", chain) == {"a": "a", "b": "ab", "c": "bc", "d": "c"}


def test_letters_of_the_chicken_feeds() -> None:
    # As R's cld prints pairwise Wilcoxon tests of `chickwts`.
    wanted = {
        "casein": "a",
        "horsebean": "b",
        "linseed": "bc",
        "meatmeal": "ac",
        "soybean": "c",
        "sunflower": "a",
    }
    feeds = list(wanted)
    apart = [
        pair for pair in combinations(feeds, 2) if not set(wanted[pair[0]]) & set(wanted[pair[1]])
    ]
    assert letters(feeds, every_pair(feeds, apart)) == wanted


@pytest.mark.parametrize("seed", range(20))
def test_systems_share_a_letter_unless_they_differ(seed: int) -> None:
    # What Piepho (2004) proves of insertion and absorption, on any pattern of differences.
    source = np.random.default_rng(seed)
    ranked = list("stuvwxy")
    differ = {pair: bool(source.random() < 0.4) for pair in combinations(ranked, 2)}
    shown = letters(ranked, differ)
    for (one, two), significant in differ.items():
        assert bool(set(shown[one]) & set(shown[two])) != significant
    # No letter is within another.
    used = set("".join(shown.values()))
    groups = [{name for name in ranked if letter in shown[name]} for letter in used]
    assert not any(one < two for one in groups for two in groups)


def test_letters_do_not_depend_on_the_order_of_pairs() -> None:
    ranked = list("abcd")
    apart = [("b", "c"), ("b", "d"), ("c", "d")]
    found = {
        tuple(letters(ranked, dict(order)).items())
        for order in permutations(every_pair(ranked, apart).items())
    }
    assert found == {(("a", "abc"), ("b", "a"), ("c", "b"), ("d", "c"))}


def test_rank_clusters_by_hand() -> None:
    ranked = list("abcd")
    across = [("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")]
    assert rank_clusters(ranked, every_pair(ranked, across)) == {"a": 1, "b": 1, "c": 2, "d": 2}
    assert rank_clusters(ranked, every_pair(ranked, [])) == dict.fromkeys(ranked, 1)
    everything = list(combinations(ranked, 2))
    assert rank_clusters(ranked, every_pair(ranked, everything)) == dict(
        zip(ranked, range(1, 5), strict=True)
    )
    backwards = {(two, one): apart for (one, two), apart in every_pair(ranked, across).items()}
    assert rank_clusters(ranked, backwards) == {"a": 1, "b": 1, "c": 2, "d": 2}


def test_everyone_in_a_cluster_is_below_everyone_above() -> None:
    # c is below a and b, but d, which comes after c, is not below b.
    ranked = list("abcd")
    apart = [("a", "c"), ("b", "c"), ("a", "d")]
    assert rank_clusters(ranked, every_pair(ranked, apart)) == dict.fromkeys(ranked, 1)


@pytest.mark.parametrize(("spread", "effect"), [(0.1, 0.05), (0.1, 0.1), (0.05, 0.02)])
def test_the_clusters_needed_have_the_power_of_a_t_test(spread: float, effect: float) -> None:
    differences = effect + spread * np.array([-1.0, 1.0]) / np.sqrt(2)
    needed = clusters_needed(differences, effect)
    assert needed is not None

    def power(n: int) -> float:
        # Of the two-sided paired t-test: noncentral t.
        return float(nct.sf(t.ppf(0.975, n - 1), n - 1, effect * np.sqrt(n) / spread))

    assert power(needed + 1) > 0.8
    assert power(needed - 2) < 0.8


def test_clusters_needed_are_none_where_nothing_is_known() -> None:
    assert clusters_needed(np.array([0.1]), 0.1) is None
    assert clusters_needed(np.array([0.1, -0.1]), 0.0) is None


def test_clusters_needed_can_reach_the_level() -> None:
    needed = clusters_needed(np.array([0.1, 0.12, 0.11, 0.1]), 0.1075)
    assert needed is not None
    assert 2 / 2**needed <= 0.05
