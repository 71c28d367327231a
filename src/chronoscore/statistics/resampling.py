"""A metric's average under any number of weightings of clusters at once.

Every interval and every test is `link(W @ phi(E))` with another W: leave-one-out for the
jackknife, counts for the bootstrap, swaps for the permutation test (see `drawing`).
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property
from math import lcm
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from chronoscore.errors import UsageError
from chronoscore.statistics import Undefined
from chronoscore.statistics.averaging import Path, Score, finish, phi
from chronoscore.statistics.drawing import counts, multinomial_weights, weighed
from chronoscore.statistics.labels import Labels, grouped
from chronoscore.statistics.ratios import Array

MOST_CELLS = 1 << 28
"""Of features, which have a cell for every cluster in every group: 2 GB."""


TOGETHER = 1 << 14
"""Weightings whose averages are computed at once."""


class Sample(Protocol):
    """Clusters that can be resampled, and the scores of each resample.

    A metric's rows and the agreement on a table of ratings are samples: `interval` needs only this
    interface for either. Scores follow from sums over clusters, so that the weights of many samples
    are drawn once.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The clusters, in ascending order."""

    @property
    def strata(self) -> tuple[str, ...]:
        """The stratum of each cluster; none if there are no strata."""

    @property
    def sizes(self) -> Array | None:
        """How much each cluster weighs; None where all weigh the same."""

    @property
    def ranges(self) -> tuple[Array, Array]:
        """The lowest and the highest possible value of each score."""

    def left_out(self) -> Array:
        """The scores without each cluster in turn: scores[clusters, m]."""

    def columns(self, clusters: slice) -> Array:
        """Return the numbers of some clusters that are added up: a row each."""

    def scored(self, sums: Array) -> Array:
        """Return the scores of weighted sums of `columns`: scores[b, m]."""


class Resampler:
    """One system's rows under one metric and path, ready for any number of weightings.

    Weights apply to the items of one level, at the step that averages it away. Finer levels are
    averaged within their item first, once; coarser levels are averaged afterwards, unweighted. A
    level that `repeats` has the same clusters several times, as trials do.
    """

    def __init__(
        self,
        metric: Score,
        statistics: Array,
        tags: Mapping[str, Labels],
        clusters: Labels,
        *,
        path: Path,
        policy: Undefined,
        level: str,
        strata: Labels | None = None,
        names: Iterable[str] = (),
        repeats: str = "",
    ) -> None:
        self.metric, self.path, self.policy, self.repeats = metric, path, policy, repeats
        self.times = len(tags[repeats].compact.names) if repeats in tags else 1
        # Two systems are paired by cluster: a cluster that only the other has weighs nothing here.
        units = clusters.compact.among(names)
        self.names, columns = units.names, units.at.astype(np.int64)
        self.strata = _strata(columns, strata, len(self.names))
        values, linked = statistics, False
        labels = {level: tags[level].at for step in path.steps for level in step.levels}
        self._weighed = next(at for at, step in enumerate(path.steps) if level in step.levels)
        for number in range(self._weighed):
            # A group is within one cluster here, whatever its tags are.
            remaining = self._remaining(number)
            groups = grouped([*(labels[name] for name in remaining), columns], len(values))
            features = phi(metric, values, path.steps[number].rule, policy, linked=linked)
            sums = np.add.reduceat(features[groups.order], groups.starts, axis=0)
            values, linked = self._stepped(sums, number, linked)
            columns = columns[groups.firsts]
            labels = {name: labels[name][groups.firsts] for name in remaining}
        rule = path.steps[self._weighed].rule
        features = phi(metric, values, rule, policy, linked=linked)
        remaining = self._remaining(self._weighed)
        groups = grouped([labels[name] for name in remaining], len(values))
        self._labels = {name: labels[name][groups.firsts] for name in remaining}
        self._words = {name: tags[name].names for name in remaining}
        self._linked = linked
        group_at = groups.at()
        shape = len(groups.starts), len(self.names)
        if shape[0] * shape[1] * features.shape[-1] > MOST_CELLS:
            raise UsageError(
                f"{shape[1]:,} units in {shape[0]:,} groups are too many to draw from: "
                f"average by another path, or draw something larger than '{level}'"
            )
        cells, number = group_at * shape[1] + columns, shape[0] * shape[1]
        self.features = np.empty((*shape, features.shape[-1]))
        for place, column in enumerate(features.T):
            sums = np.bincount(cells, weights=column, minlength=number)
            self.features[..., place] = sums.reshape(shape)
        self.held = np.zeros(shape[::-1])
        self.held[columns, group_at] = 1

    @property
    def sizes(self) -> Array:
        """How much each cluster weighs: its counts, or the number of its cases in a mean."""
        counted = self.features
        if self.path.steps[self._weighed].rule != "sum":
            counted = counted[..., counted.shape[-1] // 2 :]
        return np.asarray(counted.sum(axis=(0, 2)))

    @property
    def ranges(self) -> tuple[Array, Array]:
        """The lowest and the highest possible value of each score."""
        ends = np.array([self.metric.range(name) for name in self.metric.scores])
        return ends[:, 0], ends[:, 1]

    def left_out(self) -> Array:
        """Compute the average without each cluster in turn: scores[clusters, m].

        The rest of its stratum is scaled up to make up for it.
        """
        return self._left_out

    @cached_property
    def _left_out(self) -> Array:
        by_cluster = np.swapaxes(self.features, 0, 1)
        total = self.features.sum(axis=1)
        present = self.held.sum(axis=0) - self.held > 0
        if len(set(self.strata)) < 2:
            return self.finished(total - by_cluster, present)
        _, at, size = np.unique(np.array(self.strata), return_inverse=True, return_counts=True)
        within = np.zeros((len(size), *total.shape))
        np.add.at(within, at, by_cluster)
        raised = (size / np.maximum(size - 1, 1))[at][:, np.newaxis, np.newaxis]
        return self.finished(total - within[at] + raised * (within[at] - by_cluster), present)

    def alone(self) -> Array:
        """Compute the score of each cluster by itself: scores[clusters, m]."""
        return self._alone

    @cached_property
    def _alone(self) -> Array:
        return self.finished(np.swapaxes(self.features, 0, 1), self.held > 0)

    def scores(self, weights: Array) -> Array:
        """Compute the average under every weighting: scores[b, m] of weights[b, clusters]."""
        sums = np.stack([weights @ group for group in self.features], axis=-2)
        return self.finished(sums, weights @ self.held > 0)

    def columns(self, clusters: slice) -> Array:
        """Return the features of some clusters, and in which groups they are, a row each."""
        return np.concatenate([self.moved(clusters), self.held[clusters]], axis=1)

    def scored(self, sums: Array) -> Array:
        """Compute the average of weighted sums of `columns`."""
        end = sums.shape[1] - len(self.features)
        return self.finished(self.grouped(sums[:, :end]), sums[:, end:] > 0)

    def moved(self, clusters: slice) -> Array:
        """Return the features of some clusters, a row each: [clusters, groups · q]."""
        chosen = np.swapaxes(self.features[:, clusters], 0, 1)
        return chosen.reshape(chosen.shape[0], -1)

    def grouped(self, sums: Array) -> Array:
        """Weighted sums of features as sums[b, groups, q]."""
        return sums.reshape(len(sums), len(self.features), -1)

    @cached_property
    def groups(self) -> list[tuple[str, ...]]:
        """The name of each group; repeats are numbered, whatever their names."""
        columns = [
            map(str, self._repeat.tolist())
            if name == self.repeats
            else Labels(self._words[name], at).words()
            for name, at in self._labels.items()
        ]
        return [tuple(map(str, key)) for key in zip(*columns, strict=True)]

    @property
    def _repeat(self) -> NDArray[np.int64]:
        """Of each group, which repeat it belongs to."""
        repeat_at = np.unique(self._labels[self.repeats], return_inverse=True)[1]
        return np.asarray(repeat_at, dtype=np.int64)

    def repeated(self, times: int) -> "Resampler":
        """Copy all repeats this many times, which changes no average."""
        if times == 1:
            return self
        copied = copy(self)
        copied.times = self.times * times
        for cached in ("_left_out", "_alone", "groups"):
            copied.__dict__.pop(cached, None)
        if self.repeats not in self._labels:  # they are added up already
            copied.features = self.features * times
            return copied
        labels = {name: np.tile(at, times) for name, at in self._labels.items()}
        copies = np.arange(times)[:, np.newaxis] * self.times + self._repeat
        labels[self.repeats] = copies.ravel().astype(np.int32)
        order = grouped([*labels.values()], len(copies.ravel())).order
        copied._labels = {name: at[order] for name, at in labels.items()}
        copied.features = np.tile(self.features, (times, 1, 1))[order]
        copied.held = np.tile(self.held, (1, times))[:, order]
        return copied

    def finished(self, sums: Array, present: NDArray[np.bool_] | None = None) -> Array:
        """Average the weighted sums[b, groups, q] along the rest of the path.

        A group without any cluster that is `present` drops out, whatever the policy for 0/0. Some
        thousand sums are averaged at a time, so that temporary arrays stay small.
        """
        if sums.ndim < 3 or len(sums) <= TOGETHER:
            return self._finished(sums, present)
        blocks = [slice(first, first + TOGETHER) for first in range(0, len(sums), TOGETHER)]
        return np.concatenate(
            [self._finished(sums[b], None if present is None else present[b]) for b in blocks]
        )

    def _finished(self, sums: Array, present: NDArray[np.bool_] | None) -> Array:
        values, linked = self._stepped(sums, self._weighed, self._linked)
        labels = self._labels
        for number in range(self._weighed + 1, len(self.path.steps)):
            step = self.path.steps[number]
            remaining = self._remaining(number)
            groups = grouped([labels[name] for name in remaining], values.shape[-2])
            features = phi(self.metric, values, step.rule, self.policy, linked=linked)
            if present is not None and number == self._weighed + 1:
                features = features * present[..., np.newaxis]
            sums = features if len(groups.order) == 1 else features[..., groups.order, :]
            if len(groups.starts) < len(groups.order):
                sums = np.add.reduceat(sums, groups.starts, axis=-2)
            values, linked = self._stepped(sums, number, linked)
            labels = {name: labels[name][groups.firsts] for name in remaining}
        return np.asarray(values[..., 0, :])

    def _remaining(self, number: int) -> list[str]:
        return [name for later in self.path.steps[number + 1 :] for name in later.levels]

    def _stepped(self, sums: Array, number: int, linked: bool) -> tuple[Array, bool]:
        rule, last = self.path.steps[number].rule, number == len(self.path.steps) - 1
        if rule == "sum" and not last:
            return sums, linked
        return finish(self.metric, sums, rule, self.policy), True


def alike(first: Resampler, second: Resampler) -> tuple[Resampler, Resampler]:
    """Give two samples equally many repeats, so that their parts can be swapped."""
    times = lcm(first.times, second.times)
    first, second = first.repeated(times // first.times), second.repeated(times // second.times)
    if first.groups != second.groups:
        raise UsageError(
            "these systems can't change places unit by unit, since their units are not in the "
            "same groups: draw something larger, or use --test bootstrap"
        )
    return first, second


def resampled(samples: Sequence[Sample], seed: int, draws: int) -> list[Array]:
    """Resample samples of the same clusters: scores[b, m] of each; strata are drawn separately."""
    if any(len(set(sample.strata)) > 1 for sample in samples):
        return [_within_strata(sample, seed, draws) for sample in samples]
    return poisson_resampled(samples, seed, draws)


def _within_strata(sample: Sample, seed: int, draws: int) -> Array:
    assert isinstance(sample, Resampler)  # agreement has no strata
    blocks = multinomial_weights(sample.strata, seed, draws)
    return np.concatenate([sample.scores(weights) for weights in blocks])


def poisson_resampled(samples: Sequence[Sample], seed: int, draws: int) -> list[Array]:
    """Resample all samples with the same Poisson weights: scores[b, m] of each."""

    def columns(clusters: slice) -> Array:
        return np.concatenate([sample.columns(clusters) for sample in samples], axis=1)

    sums = weighed(lambda names: counts(names, seed, draws), samples[0].names, columns)
    widths = [sample.columns(slice(0, 1)).shape[1] for sample in samples]
    parts = np.split(sums, np.cumsum(widths)[:-1].tolist(), axis=1)
    return [sample.scored(part) for sample, part in zip(samples, parts, strict=True)]


def _strata(columns: NDArray[np.int64], strata: Labels | None, clusters: int) -> tuple[str, ...]:
    """The stratum of each cluster; none if there are no strata."""
    if strata is None:
        return ()
    at = np.full(clusters, -1)
    at[columns] = strata.at
    words = (*strata.names, "")
    return tuple([words[place] for place in at.tolist()])
