"""What is drawn for each cluster: its own stream, whatever is beside it and however it is cut."""

import hashlib
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
import pytest

from chronoscore.errors import UsageError
from chronoscore.families import family
from chronoscore.statistics import drawing, resampling, significance
from chronoscore.statistics.averaging import Path
from chronoscore.statistics.drawing import (
    BLOCK,
    Numbers,
    coins,
    counts,
    every_way,
    multinomial_weights,
    weighed,
)
from chronoscore.statistics.intervals import interval
from chronoscore.statistics.labels import Labels, labelled
from chronoscore.statistics.ratios import Array
from chronoscore.statistics.resampling import Resampler, poisson_resampled
from chronoscore.statistics.significance import (
    Verdict,
    paired_bootstrap,
    paired_bootstraps,
    permutation_test,
    permutation_tests,
)

DATE_F1 = family("timelines").metric("date-f1")
LEVELS = family("timelines").levels
PATHS = ("micro", "macro", "gold+topic:mean-pr>trial:mean-f")
TESTS = (permutation_test, paired_bootstrap)
Cut = Callable[[int, int], None]
Test = Callable[[Resampler, Resampler], Verdict]


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cut]:
    """Sets how many clusters and cells are held at once."""

    def set_to(clusters: int, cells: int) -> None:
        monkeypatch.setattr(drawing, "CLUSTERS", clusters)
        monkeypatch.setattr(drawing, "CELLS", cells)

    yield set_to
    coins.cache_clear()
    counts.cache_clear()


def names(number: int) -> tuple[str, ...]:
    return tuple(f"topic{place:05}" for place in range(number))


def system(rows: Array, path: str = "macro", strata: Labels | None = None) -> Resampler:
    tags = labelled([{"gold": "1", "topic": name, "trial": "1"} for name in names(len(rows))])
    return Resampler(
        DATE_F1,
        rows,
        tags,
        tags["topic"],
        path=Path.parse(path, LEVELS),
        policy="zero",
        level="topic",
        strata=strata,
    )


def rows(topics: int, seed: int) -> Array:
    source = np.random.default_rng(seed)
    hits = source.integers(0, 9, size=topics)
    wrong, missed = source.integers(0, 9, size=(2, topics))
    return np.stack([hits, hits + wrong, hits, hits + missed], axis=1).astype(np.float64)


def own_stream(name: str, seed: int, block: int, kind: type[np.generic], number: int) -> Array:
    """The first numbers of a generator that is made for one cluster alone."""
    digest = hashlib.blake2b(f"{seed}\0{block}\0{name}".encode(), digest_size=16).digest()
    raw = np.random.Philox(key=int.from_bytes(digest, "little")).random_raw(BLOCK)
    return np.asarray(raw.view(kind)[:number])


def test_every_cluster_has_a_generator_of_its_own() -> None:
    together = coins(("a", "b", "c"), 5, BLOCK + 9)
    for place, name in enumerate("abc"):
        for block, (first, last) in enumerate([(0, BLOCK), (BLOCK, BLOCK + 9)]):
            wanted = own_stream(name, 5, block, np.uint8, last - first) & 1  # type: ignore[operator]
            assert together[place, first:last].tolist() == wanted.tolist()


def test_counts_are_quantiles_of_sixteen_bits() -> None:
    from scipy.stats import poisson

    bits = own_stream("b", 0, 0, np.uint16, 500)
    wanted = poisson.ppf((bits + 0.5) / 2**16, 1)
    assert counts(("a", "b", "c", *names(40)), 0, 500)[1].tolist() == wanted.tolist()


@pytest.mark.parametrize("draw", [coins, counts])
@pytest.mark.parametrize(("clusters", "cells"), [(7, 64), (64, 7), (100, 10_000), (5000, 1 << 20)])
def test_blocks_change_no_sum_of_whole_numbers(
    cut: Cut, draw: Callable[..., Numbers], clusters: int, cells: int
) -> None:
    columns = np.random.default_rng(1).integers(-50, 50, size=(300, 3)).astype(np.float64)
    wanted = draw(names(300), 3, 77).T.astype(np.float64) @ columns
    cut(max(clusters, 60), cells)  # few at once may all be drawn 0 times, and are drawn again
    found = weighed(lambda own: draw(own, 3, 77), names(300), lambda places: columns[places])
    assert np.array_equal(found, wanted)


def test_no_more_is_held_than_a_block(cut: Cut) -> None:
    cut(500, 1 << 16)
    asked = []

    def draw(own: tuple[str, ...]) -> Numbers:
        asked.append(len(own))
        return np.ones((len(own), 1000), np.uint8)

    columns = np.ones((20_000, 2))
    tracemalloc.start()
    sums = weighed(draw, names(20_000), lambda places: columns[places])
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert max(asked) <= 500
    assert sum(asked) == 20_000
    assert (sums == 20_000).all()
    assert most < 8e6  # all weights at once would be 160 MB


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("test", TESTS)
def test_p_does_not_depend_on_blocks(cut: Cut, test: Test, path: str) -> None:
    one, two = system(rows(400, 1), path), system(rows(400, 2), path)
    wanted = test(one, two).p
    for clusters, cells in ((50, 1 << 20), (2048, 1000), (133, 133)):
        cut(clusters, cells)
        assert test(one, two).p.tolist() == wanted.tolist()


@pytest.mark.parametrize("path", PATHS)
def test_bootstrap_intervals_depend_on_blocks_by_a_last_digit_at_most(cut: Cut, path: str) -> None:
    one = system(rows(400, 1), path)
    wanted = interval(one, np.zeros(3), method="bootstrap")
    cut(64, 1000)
    found = interval(one, np.zeros(3), method="bootstrap")
    assert found.low == pytest.approx(wanted.low, abs=1e-14)
    assert found.high == pytest.approx(wanted.high, abs=1e-14)


@pytest.mark.parametrize("topics", [5, 30])
@pytest.mark.parametrize("room", [1, 50_000, 1 << 23])
def test_many_pairs_are_tested_as_each_alone(
    monkeypatch: pytest.MonkeyPatch, topics: int, room: int
) -> None:
    monkeypatch.setattr(significance, "MOST_SUMS", room)
    systems = [system(rows(topics, seed), "micro") for seed in range(4)]
    pairs = [(one, two) for one, two in product(systems, systems) if one is not two]
    for many, single in (
        (permutation_tests, permutation_test),
        (paired_bootstraps, paired_bootstrap),
    ):
        together = many(pairs, seed=2, draws=500)
        alone = [single(one, two, seed=2, draws=500) for one, two in pairs]
        assert [v.p.tolist() for v in together] == [v.p.tolist() for v in alone]
        assert [v.smallest for v in together] == [v.smallest for v in alone]
        assert many([]) == []


def test_pairs_of_other_clusters_are_refused() -> None:
    with pytest.raises(ValueError, match="the same clusters"):
        permutation_tests([(system(rows(5, 1)), system(rows(6, 1)))])
    with pytest.raises(ValueError, match="the same clusters"):
        paired_bootstraps([(system(rows(5, 1)), system(rows(6, 1)))])


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("topics", [3, 12, 13, 400])
def test_equal_systems_have_a_p_of_one(cut: Cut, test: Test, topics: int, path: str) -> None:
    cut(50, 1 << 12)
    # Thirds and sevenths are rounded wherever they are added.
    own = rows(topics, 5) / np.array([3, 7, 3, 7])
    assert test(system(own, path), system(own.copy(), path)).p.tolist() == [1, 1, 1]


@pytest.mark.parametrize("topics", [4, 6])
def test_exact_p_is_uniform_where_systems_are_equal_but_for_chance(topics: int) -> None:
    # No two ways to swap differ alike, so of all ways each p comes twice: for it and its mirror.
    apart = 0.3 / 2.0 ** np.arange(topics)
    found = []
    for way in every_way(topics).T:
        first, second = 0.5 + apart * way, 0.5 + apart * (1 - way)
        one, two = (system(np.stack([10 * f, 10 + 0 * f] * 2, axis=1)) for f in (first, second))
        found.append(permutation_test(one, two).p[2])
    steps = np.arange(1, 2 ** (topics - 1) + 1) / 2 ** (topics - 1)
    assert sorted(found) == pytest.approx(np.repeat(steps, 2))


@pytest.mark.parametrize("test", TESTS)
def test_p_does_not_depend_on_the_order_of_rows(test: Test) -> None:
    order = np.random.default_rng(8).permutation(40)
    tags = labelled([{"gold": "1", "topic": name, "trial": "1"} for name in names(40)])
    moved = {name: column.take(order) for name, column in tags.items()}
    found = []
    for places, own in ((np.arange(40), tags), (order, moved)):
        pair = [
            Resampler(
                DATE_F1,
                rows(40, seed)[places],
                own,
                own["topic"],
                path=Path.parse("macro", LEVELS),
                policy="zero",
                level="topic",
            )
            for seed in (1, 2)
        ]
        found.append(test(*pair).p.tolist())
    assert found[0] == found[1]


def test_systems_are_drawn_together_as_each_alone() -> None:
    one, two = system(rows(30, 1)), system(rows(30, 2), "micro")
    together = poisson_resampled([one, two], 0, 200)
    for found, sample in zip(together, (one, two), strict=True):
        weights = counts(sample.names, 0, 200).T.astype(np.float64)
        np.testing.assert_allclose(found, sample.scores(weights), rtol=0, atol=1e-14)


def test_multinomial_blocks_are_one_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    strata = ("x", "y", "x", "y", "y")
    whole = np.concatenate([*multinomial_weights(strata, 3, 100)])
    monkeypatch.setattr(drawing, "CELLS", 35)
    blocks = [*multinomial_weights(strata, 3, 100)]
    assert {len(block) for block in blocks} == {7, 2}
    assert np.array_equal(np.concatenate(blocks), whole)


@pytest.mark.parametrize("path", PATHS)
def test_leaving_one_out_of_its_stratum_raises_the_others(path: str) -> None:
    strata = "xxyzzzxyxzz"
    sample = system(rows(11, 4), path, Labels.of(strata))
    of = np.array([*strata])
    for place, found in enumerate(sample.left_out()):
        same = of == of[place]
        weights = np.where(same, same.sum() / max(same.sum() - 1, 1), 1.0)
        weights[place] = 0
        wanted = sample.scores(weights[np.newaxis])[0]
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-14)


def test_more_cells_than_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resampling, "MOST_CELLS", 50)
    with pytest.raises(UsageError, match="20 units in 1 groups are too many"):
        system(rows(20, 1))
