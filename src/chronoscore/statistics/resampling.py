"""Weights of clusters, and a metric's average under any number of weightings at once.

Everything that speaks of chance is `link(W @ phi(E))` with another W: leave-one-out for the
jackknife, counts for the bootstrap, signs for the permutation test. Weights are drawn for each
cluster from a hash of (seed, cluster, block), so that they do not depend on the order of cases,
on shards or on workers, and are the same for every metric and system.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from math import exp, factorial

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.family import Undefined
from chronoscore.core.labels import Labels, grouped
from chronoscore.core.metric import Metric
from chronoscore.elements.ratios import Array
from chronoscore.statistics.averaging import Path, finish, phi

RESAMPLES = 10_000
BLOCK = 1 << 14
CLUSTERS = 2048
"""Clusters whose weights are held at once."""
Draw = Callable[[tuple[str, ...]], Array]
"""Makes weights[b, clusters] of clusters by name."""


class Resampler:
    """One system's rows under one metric and path, ready for any number of weightings.

    Weights are laid on the items of one level, when the step that averages it away is taken. What
    is finer is averaged within its item first, once; what is coarser comes after, all alike.
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
    ) -> None:
        self.metric, self.path, self.policy = metric, path, policy
        # Two systems are paired by cluster: one that only the other has weighs nothing here.
        self.names = tuple(sorted({*clusters.used(), *names}))
        column = {name: place for place, name in enumerate(self.names)}
        columns = np.array([column.get(name, -1) for name in clusters.names])[clusters.at]
        within = [""] * len(self.names)
        if strata is not None:
            for place, name in zip(columns.tolist(), strata.words(), strict=True):
                within[place] = name or ""
        self.strata = tuple(within)
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
        self._linked = linked
        group_at = groups.at()
        self.features = np.zeros((len(groups.starts), len(self.names), features.shape[-1]))
        np.add.at(self.features, (group_at, columns), features)
        self._held = np.zeros((len(self.names), len(groups.starts)))
        self._held[columns, group_at] = 1

    @property
    def sizes(self) -> Array:
        """How much each cluster weighs: what it counts, or how many cases it brings to a mean."""
        counted = self.features
        if self.path.steps[self._weighed].rule != "sum":
            counted = counted[..., counted.shape[-1] // 2 :]
        return np.asarray(counted.sum(axis=(0, 2)))

    def left_out(self) -> Array:
        """The average without each cluster in turn: scores[clusters, m]."""
        if len(set(self.strata)) > 1:
            return self.scores(leave_one_out(len(self.names), self.strata))
        # Without strata a matrix of weights, clusters by clusters, can be spared.
        sums = self.features.sum(axis=1) - np.swapaxes(self.features, 0, 1)
        return self.finished(sums, self._held.sum(axis=0) - self._held > 0)

    def alone(self) -> Array:
        """The score of each cluster by itself: scores[clusters, m]."""
        return self.finished(np.swapaxes(self.features, 0, 1), self._held > 0)

    def drawn(self, draw: Draw) -> Array:
        """The average under weights that are drawn for each cluster apart, some at a time."""
        present = weighed(draw, self.names, self._held[np.newaxis])[..., 0, :] > 0
        return self.finished(weighed(draw, self.names, self.features), present)

    def scores(self, weights: Array) -> Array:
        """The average under every weighting: scores[b, m] of weights[b, clusters]."""
        sums = np.stack([weights @ group for group in self.features], axis=-2)
        return self.finished(sums, weights @ self._held > 0)

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
            ordered = features[..., groups.order, :]
            sums = np.add.reduceat(ordered, groups.starts, axis=-2)
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


def weighed(draw: Draw, names: tuple[str, ...], features: Array) -> Array:
    """Weighted sums[b, groups, q] of features[groups, clusters, q], a block of clusters at a time.

    A million clusters by ten thousand draws fit into no memory. Weights are those of each
    cluster's name, so blocks change nothing but the last digit.
    """
    total: Array | None = None
    # Blocks of about the same size: in a small one, weights that are all 0 would be drawn again.
    for block in np.array_split(np.arange(len(names)), -(-len(names) // CLUSTERS)):
        start, end = int(block[0]), int(block[-1]) + 1
        weights = draw(names[start:end])
        part = np.stack([weights @ group[start:end] for group in features], axis=-2)
        total = part if total is None else total + part
    assert total is not None  # there is at least one cluster
    return total


def leave_one_out(clusters: int, strata: Sequence[str] = ()) -> Array:
    """Weights that leave out each cluster in turn, and raise the rest of its stratum for it."""
    of = np.array(strata or [""] * clusters)
    same = of[:, np.newaxis] == of
    size = same.sum(axis=1, keepdims=True)
    return np.where(same, size / np.maximum(size - 1, 1), 1.0) * (1 - np.eye(clusters))


def affordable(clusters: int) -> int:
    """How many draws there are: fewer where clusters are so many that chance matters little.

    >>> affordable(500), affordable(1_000_000)
    (10000, 1000)
    """
    return min(RESAMPLES, max(RESAMPLES // 10, 10**9 // max(clusters, 1)))


@lru_cache(maxsize=4)
def poisson_weights(names: tuple[str, ...], seed: int, resamples: int = RESAMPLES) -> Array:
    """How often each cluster is drawn in each resample: Poisson(1), hashed; never all 0.

    The sum differs a little from resample to resample, which for ratios and means is the same as
    drawing a fixed number, and lets every cluster's draws be made apart.
    """
    weights = np.stack([_poisson(name, seed, resamples, 0) for name in names], axis=1)
    attempt = 0
    while (empty := ~weights.any(axis=1)).any():
        attempt += 1
        again = np.stack([_poisson(name, seed, resamples, attempt) for name in names], axis=1)
        weights[empty] = again[empty]
    return weights.astype(np.float64)


@lru_cache(maxsize=4)
def multinomial_weights(
    names: tuple[str, ...], strata: tuple[str, ...], seed: int, resamples: int = RESAMPLES
) -> Array:
    """How often each cluster is drawn when of each stratum as many are drawn as it has."""
    weights = np.zeros((resamples, len(names)))
    for stratum in sorted(set(strata)):
        columns = [place for place, name in enumerate(strata) if name == stratum]
        generator = np.random.Generator(np.random.Philox(key=_key(stratum, seed, 0)))
        share = np.full(len(columns), 1 / len(columns))
        weights[:, columns] = generator.multinomial(len(columns), share, size=resamples)
    return weights


@lru_cache(maxsize=4)
def signs(names: tuple[str, ...], seed: int, draws: int) -> Array:
    """For each cluster and draw, 1 if two systems change places there, else 0; hashed."""
    return np.stack([_bits(name, seed, draws, 0, np.uint8) & 1 for name in names], axis=1).astype(
        np.float64
    )


def all_signs(clusters: int) -> Array:
    """Every way in which two systems can change places."""
    return (np.arange(2**clusters)[:, np.newaxis] >> np.arange(clusters) & 1).astype(np.float64)


def _poisson(name: str, seed: int, resamples: int, attempt: int) -> NDArray[np.uint8]:
    return _POISSON[_bits(name, seed, resamples, attempt, np.uint16)]


def _bits(
    name: str, seed: int, number: int, attempt: int, kind: type[np.uint8] | type[np.uint16]
) -> NDArray[np.uint16]:
    """Random numbers of a cluster, block by block."""
    blocks = []
    for block in range(0, number, BLOCK):
        key = _key(name, seed, (attempt << 40) + block // BLOCK)
        raw = np.random.Philox(key=key).random_raw(BLOCK * np.dtype(kind).itemsize // 8)
        blocks.append(raw.view(kind))
    return np.concatenate(blocks)[:number].astype(np.uint16)


def _key(name: str, seed: int, block: int) -> int:
    digest = hashlib.blake2b(f"{seed}\0{block}\0{name}".encode(), digest_size=16).digest()
    return int.from_bytes(digest, "little")


def _poisson_table() -> NDArray[np.uint8]:
    """From 16 random bits to a Poisson(1) number."""
    cumulative = np.cumsum([exp(-1) / factorial(k) for k in range(9)])
    return np.searchsorted(cumulative, (np.arange(2**16) + 0.5) / 2**16).astype(np.uint8)


_POISSON = _poisson_table()
