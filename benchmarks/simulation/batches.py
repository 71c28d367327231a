"""Many runs at once through Chronoscore's own functions.

`interval` and `permutation_test` work on all scores of a metric in one go. A `Batch` stands in for
a `Resampler` and gives them the F of a thousand runs in the place of the scores of one, so that
what is tried is the product's own code. `differs` says how far it is from one `Resampler` a run.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from benchmarks.simulation.populations import F1, POLICY, Population, Score
from chronoscore.families import family
from chronoscore.statistics import IntervalMethod
from chronoscore.statistics.averaging import Path, average, finish, phi
from chronoscore.statistics.drawing import poisson_weights
from chronoscore.statistics.intervals import (
    Bounds,
    effective,
    interval,
    jackknife_t,
    percentile,
)
from chronoscore.statistics.labels import Labels, labelled
from chronoscore.statistics.ratios import Array
from chronoscore.statistics.resampling import Resampler
from chronoscore.statistics.significance import Verdict, paired_bootstrap, permutation_test

TOGETHER = 100
"""Runs at a time: what fits the processor's cache."""


class Batch(Resampler):
    """Runs[run, topic, count] of one score, in the place of one system's rows."""

    def __init__(self, score: Score, rows: Array) -> None:
        self.score = score
        self.names = topics(rows.shape[1])
        self.strata = ("",) * len(self.names)
        self.times, self._labels = 1, {}
        self.features = phi(score.metric, rows, score.rule, POLICY, linked=False)
        self.held = np.ones(self.features.shape[1::-1])

    @property
    def sizes(self) -> Array:
        """How much each topic weighs in each run: sizes[topics, runs]."""
        counted = self.features
        if self.score.rule != "sum":
            counted = counted[..., counted.shape[-1] // 2 :]
        return np.asarray(counted.sum(axis=-1).T)

    @property
    def ranges(self) -> tuple[Array, Array]:
        """F of every run is between 0 and 1."""
        return np.asarray(0.0), np.asarray(1.0)

    def left_out(self) -> Array:
        """F of every run without each topic in turn: scores[topics, runs]."""
        features = np.swapaxes(self.features, 0, 1)
        return self.finished(features.sum(axis=0) - features)

    def scores(self, weights: Array) -> Array:
        """F of every run under every weighting: scores[b, runs] of weights[b, topics]."""
        return self.finished(np.stack([weights @ run for run in self.features], axis=-2))

    def finished(self, sums: Array, *_: object) -> Array:
        """F of every run: scores[b, runs] of sums[b, runs, q]."""
        return np.asarray(finish(self.score.metric, sums, self.score.rule, POLICY)[..., F1])

    def estimate(self) -> Array:
        """F of every run as it was drawn."""
        return self.finished(self.features.sum(axis=1))


def topics(number: int) -> tuple[str, ...]:
    """Names in the order of their columns."""
    return tuple(f"topic{place:03}" for place in range(number))


def draw(rows: Array, number: int, runs: int, seed: Sequence[int]) -> Iterator[Array]:
    """Draw topics for each run from a population's rows, some runs at a time."""
    source = np.random.default_rng(seed)
    for first in range(0, runs, TOGETHER):
        yield rows[source.integers(len(rows), size=(min(TOGETHER, runs - first), number))]


def bootstrap(sample: Resampler, resamples: int) -> Bounds:
    """What `interval` does for the bootstrap, with another number of resamples."""
    return percentile(sample.scores(poisson_weights(sample.names, 0, resamples)), 0.95)


def plain_jackknife(sample: Batch) -> Bounds:
    """The jackknife with n - 1 degrees of freedom, however much topics differ in size."""
    return jackknife_t(sample.left_out(), sample.estimate(), 0.95)


def coverage(
    rows: Array, score: Score, number: int, runs: int, bounds: Callable[[Batch], Bounds]
) -> tuple[float, float]:
    """How often the bounds of a run hold the true value, and how wide they are on average.

    A run without bounds does not hold it.
    """
    true, held, wide = score.of(rows), [], []
    for part in draw(rows, number, runs, (1, number)):
        found = bounds(Batch(score, part))
        held.append((found.low <= true) & (true <= found.high))
        wide.append(np.clip(found.high, 0, 1) - np.clip(found.low, 0, 1))  # as they are shown
    return float(np.concatenate(held).mean()), float(np.nanmean(np.concatenate(wide)))


def by_effective(
    rows: Array, score: Score, number: int, runs: int, least: float
) -> tuple[float, float, float]:
    """How often `auto` rests on fewer than `least` effective topics, and covers then and else.

    NaN where fewer than 100 runs are of a kind.
    """
    true, held, units = score.of(rows), [], []
    for part in draw(rows, number, runs, (1, number)):
        sample = Batch(score, part)
        found = interval(sample, sample.estimate())
        held.append((found.low <= true) & (true <= found.high))
        units.append(effective(sample.sizes) < least)
    covered, few = np.concatenate(held), np.concatenate(units)
    shares = (covered[kind].mean() if kind.sum() >= 100 else np.nan for kind in (few, ~few))
    below, above = map(float, shares)
    return float(few.mean()), below, above


def pairs(
    population: Population, score: Score, number: int, runs: int, gain: float = 0.0
) -> Iterator[tuple[Array, Array]]:
    """Rows of two systems that differ by chance, but for what the second gains in P and in R.

    On each topic chance says which of the two is which, so that without gain they are equal.
    """
    source = np.random.default_rng((3, number))
    for part in draw(population.rows[score.metric], number, runs, (2, number)):
        swap = source.random(size=(*part.shape[:2], 1)) < 0.5
        one = np.where(swap, part[:, :, 1], part[:, :, 0])
        two = np.where(swap, part[:, :, 0], part[:, :, 1])
        two[..., [0, 2]] += gain * two[..., [1, 3]]
        yield one, two


def rejected(
    population: Population,
    score: Score,
    number: int,
    runs: int,
    test: Callable[[Batch, Batch], Verdict],
    gain: float = 0.0,
) -> float:
    """How often p is at most 0.05."""
    tested = [
        test(Batch(score, one), Batch(score, two)).p
        for one, two in pairs(population, score, number, runs, gain)
    ]
    return float((np.concatenate(tested) <= 0.05).mean())


def differs(population: Population, score: Score, number: int, runs: int, draws: int) -> float:
    """The greatest difference between a batch and a `Resampler` for each of its runs."""
    rows = next(pairs(population, score, number, runs))
    one, two = (Batch(score, each) for each in rows)
    farthest = 0.0
    batched = [*_bounds(one, one.estimate()), *_tests(one, two, draws)]
    for run in range(runs):
        singles = [_single(score, each[run]) for each in rows]
        path = Path.parse(score.path, _LEVELS)
        told = average(score.metric, rows[0][run], _tags(number), path, POLICY)
        alone = [*_bounds(singles[0], told), *_tests(singles[0], singles[1], draws)]
        for ours, theirs in zip(alone, batched, strict=True):
            farthest = max(farthest, abs(float(ours[F1] - theirs[run])))
    return farthest


_LEVELS = family("timelines").levels


def _tags(number: int) -> dict[str, Labels]:
    return labelled([{"gold": "1", "topic": name, "trial": "1"} for name in topics(number)])


def _single(score: Score, rows: Array) -> Resampler:
    return Resampler(
        score.metric,
        rows,
        _tags(len(rows)),
        Labels.of(topics(len(rows))),
        path=Path.parse(score.path, _LEVELS),
        policy=POLICY,
        level="topic",
    )


def _bounds(sample: Resampler, estimate: Array) -> list[Array]:
    methods: tuple[IntervalMethod, ...] = ("auto", "jackknife", "logit", "bootstrap")
    found = [interval(sample, estimate, method=method) for method in methods]
    return [side for bounds in found for side in (bounds.low, bounds.high)]


def _tests(one: Resampler, two: Resampler, draws: int) -> list[Array]:
    return [test(one, two, draws=draws).p for test in (permutation_test, paired_bootstrap)]
