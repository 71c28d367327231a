"""A metric's average under any number of weightings of clusters at once.

Everything that speaks of chance is `link(W @ phi(E))` with another W: leave-one-out for the
jackknife, counts for the bootstrap, swaps for the permutation test (see `drawing`).
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property
from math import lcm

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.errors import UsageError
from chronoscore.core.family import Undefined
from chronoscore.core.labels import Labels, grouped
from chronoscore.core.metric import Metric
from chronoscore.elements.ratios import Array
from chronoscore.statistics.averaging import Path, finish, phi
from chronoscore.statistics.drawing import Draw, weighed

MOST_CELLS = 1 << 28
"""Of features, which have a cell for every cluster in every group: 2 GB."""


class Resampler:
    """One system's rows under one metric and path, ready for any number of weightings.

    Weights are laid on the items of one level, when the step that averages it away is taken. What
    is finer is averaged within its item first, once; what is coarser comes after, all alike. A
    level that `repeats` sees the same clusters again, as trials do.
    """

    def __init__(
        self,
        metric: Metric,
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
        # Two systems are paired by cluster: one that only the other has weighs nothing here.
        units = clusters.compact.among(names)
        self.names, columns = units.names, units.at.astype(np.int64)
        self.strata = _strata(columns, strata, len(self.names))
        values, linked = statistics, False
        labels = {level: tags[level].at for step in path.steps for level in step.levels}
        self._weighed = next(at for at, step in enumerate(path.steps) if level in step.levels)
        for number in range(self._weighed):
            # A group is within one cluster here, whatever its tags are.
            left = self._left(number)
            groups = grouped([*(labels[name] for name in left), columns], len(values))
            features = phi(metric, values, path.steps[number].rule, policy, linked=linked)
            sums = np.add.reduceat(features[groups.order], groups.starts, axis=0)
            values, linked = self._stepped(sums, number, linked)
            columns = columns[groups.firsts]
            labels = {name: labels[name][groups.firsts] for name in left}
        rule = path.steps[self._weighed].rule
        features = phi(metric, values, rule, policy, linked=linked)
        left = self._left(self._weighed)
        groups = grouped([labels[name] for name in left], len(values))
        self._labels = {name: labels[name][groups.firsts] for name in left}
        self._words = {name: tags[name].names for name in left}
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
        """How much each cluster weighs: what it counts, or how many cases it brings to a mean."""
        counted = self.features
        if self.path.steps[self._weighed].rule != "sum":
            counted = counted[..., counted.shape[-1] // 2 :]
        return np.asarray(counted.sum(axis=(0, 2)))

    @property
    def ranges(self) -> tuple[Array, Array]:
        """The least and the most that each score can be."""
        ends = np.array([self.metric.range(name) for name in self.metric.scores])
        return ends[:, 0], ends[:, 1]

    def left_out(self) -> Array:
        """The average without each cluster in turn: scores[clusters, m].

        The rest of its stratum is raised for it.
        """
        return self._left_out

    @cached_property
    def _left_out(self) -> Array:
        own = np.swapaxes(self.features, 0, 1)
        total = self.features.sum(axis=1)
        present = self.held.sum(axis=0) - self.held > 0
        if len(set(self.strata)) < 2:
            return self.finished(total - own, present)
        _, at, size = np.unique(np.array(self.strata), return_inverse=True, return_counts=True)
        within = np.zeros((len(size), *total.shape))
        np.add.at(within, at, own)
        raised = (size / np.maximum(size - 1, 1))[at][:, np.newaxis, np.newaxis]
        return self.finished(total - within[at] + raised * (within[at] - own), present)

    def alone(self) -> Array:
        """The score of each cluster by itself: scores[clusters, m]."""
        return self.finished(np.swapaxes(self.features, 0, 1), self.held > 0)

    def scores(self, weights: Array) -> Array:
        """The average under every weighting: scores[b, m] of weights[b, clusters]."""
        sums = np.stack([weights @ group for group in self.features], axis=-2)
        return self.finished(sums, weights @ self.held > 0)

    def columns(self, clusters: slice) -> Array:
        """The features of some clusters, a line each: [clusters, groups · q]."""
        some = np.swapaxes(self.features[:, clusters], 0, 1)
        return some.reshape(some.shape[0], -1)

    def grouped(self, sums: Array) -> Array:
        """Weighted sums of `columns` as sums[b, groups, q]."""
        return sums.reshape(len(sums), len(self.features), -1)

    @cached_property
    def groups(self) -> list[tuple[str, ...]]:
        """What each group is called; those that repeat are numbered, whatever their names."""
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
        found = np.unique(self._labels[self.repeats], return_inverse=True)[1]
        return np.asarray(found, dtype=np.int64)

    def repeated(self, times: int) -> "Resampler":
        """The same with all repeats so many times as often, which changes no average."""
        if times == 1:
            return self
        made = copy(self)
        made.times = self.times * times
        for cached in ("_left_out", "groups"):
            made.__dict__.pop(cached, None)
        if self.repeats not in self._labels:  # they are added up already
            made.features = self.features * times
            return made
        labels = {name: np.tile(at, times) for name, at in self._labels.items()}
        copies = np.arange(times)[:, np.newaxis] * self.times + self._repeat
        labels[self.repeats] = copies.ravel().astype(np.int32)
        order = grouped([*labels.values()], len(copies.ravel())).order
        made._labels = {name: at[order] for name, at in labels.items()}
        made.features = np.tile(self.features, (times, 1, 1))[order]
        made.held = np.tile(self.held, (1, times))[:, order]
        return made

    def finished(self, sums: Array, present: NDArray[np.bool_] | None = None) -> Array:
        """Go the rest of the path from the weighted sums[b, groups, q].

        A group of which nothing is `present` drops out, whatever 0/0 counts as elsewhere.
        """
        values, linked = self._stepped(sums, self._weighed, self._linked)
        labels = self._labels
        for number in range(self._weighed + 1, len(self.path.steps)):
            step = self.path.steps[number]
            left = self._left(number)
            groups = grouped([labels[name] for name in left], values.shape[-2])
            features = phi(self.metric, values, step.rule, self.policy, linked=linked)
            if present is not None and number == self._weighed + 1:
                features = features * present[..., np.newaxis]
            sums = features[..., groups.order, :]
            if len(groups.starts) < len(groups.order):
                sums = np.add.reduceat(sums, groups.starts, axis=-2)
            values, linked = self._stepped(sums, number, linked)
            labels = {name: labels[name][groups.firsts] for name in left}
        return np.asarray(values[..., 0, :])

    def _left(self, number: int) -> list[str]:
        return [name for later in self.path.steps[number + 1 :] for name in later.levels]

    def _stepped(self, sums: Array, number: int, linked: bool) -> tuple[Array, bool]:
        rule, last = self.path.steps[number].rule, number == len(self.path.steps) - 1
        if rule == "sum" and not last:
            return sums, linked
        return finish(self.metric, sums, rule, self.policy), True


def alike(one: Resampler, two: Resampler) -> tuple[Resampler, Resampler]:
    """The same two with as many repeats each, so that any part can take the other's place."""
    both = lcm(one.times, two.times)
    one, two = one.repeated(both // one.times), two.repeated(both // two.times)
    if one.groups != two.groups:
        raise UsageError(
            "these systems can't change places unit by unit, since their units are not in the "
            "same groups: draw something larger, or use --test bootstrap"
        )
    return one, two


def drawn(samples: Sequence[Resampler], draw: Draw) -> list[Array]:
    """Scores[b, m] of samples with the same clusters, under weights that are drawn once for all."""

    def columns(clusters: slice) -> Array:
        parts = [part for s in samples for part in (s.columns(clusters), s.held[clusters])]
        return np.concatenate(parts, axis=1)

    sums = weighed(draw, samples[0].names, columns)
    found, start = [], 0
    for sample in samples:
        groups, _, statistics = sample.features.shape
        middle, end = start + groups * statistics, start + groups * (statistics + 1)
        present = sums[:, middle:end] > 0
        found.append(sample.finished(sample.grouped(sums[:, start:middle]), present))
        start = end
    return found


def _strata(columns: NDArray[np.int64], strata: Labels | None, clusters: int) -> tuple[str, ...]:
    """The stratum of each cluster; none if there are no strata."""
    if strata is None:
        return ()
    at = np.full(clusters, -1)
    at[columns] = strata.at
    words = (*strata.names, "")
    return tuple([words[place] for place in at.tolist()])
