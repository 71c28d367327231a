"""Random draws for each cluster, which depend on its name alone.

Numbers come from a hash of (seed, cluster, block of draws), so that they do not depend on the
order of cases, on shards or on workers, and are the same for every metric and system. They are
small, and are stored as bytes: a row for each cluster, a column for each draw.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from math import exp, factorial
from struct import iter_unpack
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronoscore.statistics.ratios import Array

RESAMPLES = 10_000
MOST_DRAWN = 10**9
"""Clusters times resamples beyond which fewer resamples are drawn."""
BLOCK = 1 << 14
CLUSTERS = 2048
"""Clusters that are drawn at once."""
CELLS = 1 << 20
"""Weights that are held as floats at once."""
Numbers = NDArray[np.uint8]
Draw = Callable[[tuple[str, ...]], Numbers]
"""Makes numbers[clusters, draws] of clusters by name."""


def affordable(clusters: int, resamples: int = RESAMPLES) -> int:
    """Return the number of draws: fewer where many clusters leave little to chance.

    >>> affordable(500), affordable(1_000_000)
    (10000, 1000)
    """
    return min(resamples, max(resamples // 10, MOST_DRAWN // max(clusters, 1), 1))


@lru_cache(maxsize=4)
def counts(names: tuple[str, ...], seed: int, resamples: int = RESAMPLES) -> Numbers:
    """How often each cluster is drawn in each resample: Poisson(1); never all 0.

    The sum differs a little from resample to resample, which for ratios and means is the same as
    drawing a fixed number, and lets the draws of every cluster be made separately.
    """
    drawn: Numbers = _poisson()[_random(names, seed, resamples, 0, np.uint16)]
    attempt = 0
    while (empty := ~drawn.any(axis=0)).any():
        attempt += 1
        drawn[:, empty] = _poisson()[_random(names, seed, resamples, attempt, np.uint16)[:, empty]]
    return drawn


@lru_cache(maxsize=4)
def coins(names: tuple[str, ...], seed: int, draws: int) -> Numbers:
    """Return for each cluster and draw 1 if two systems are swapped there, else 0."""
    drawn: Numbers = _random(names, seed, draws, 0, np.uint8)
    drawn &= 1
    return drawn


def every_way(clusters: int) -> Numbers:
    """Enumerate all ways to swap two systems cluster by cluster; the first swaps none."""
    return (np.arange(2**clusters) >> np.arange(clusters)[:, np.newaxis] & 1).astype(np.uint8)


@lru_cache(maxsize=4)
def poisson_weights(names: tuple[str, ...], seed: int, resamples: int = RESAMPLES) -> Array:
    """Return `counts` as weights[b, clusters]."""
    return counts(names, seed, resamples).T.astype(np.float64, order="C")


def multinomial_weights(
    strata: tuple[str, ...], seed: int, resamples: int = RESAMPLES
) -> Iterator[Array]:
    """Yield how often each cluster is drawn, if each stratum is resampled to its own size.

    Weights[b, clusters] are yielded for some resamples at a time, to save memory.
    """
    of = np.array(strata)
    places_of = {str(name): np.flatnonzero(of == name) for name in np.unique(of)}
    streams = {name: stream(name, seed) for name in places_of}
    together = max(1, CELLS // max(len(strata), 1))
    for first in range(0, resamples, together):
        weights = np.zeros((min(together, resamples - first), len(strata)))
        for name, places in places_of.items():
            share = np.full(len(places), 1 / len(places))
            weights[:, places] = streams[name].multinomial(len(places), share, size=len(weights))
        yield weights


def weighed(draw: Draw, names: tuple[str, ...], columns: Callable[[slice], Array]) -> Array:
    """Compute weighted sums[b, c] of columns[clusters, c], block by block.

    A million clusters by ten thousand draws do not fit into memory. The draws of a cluster depend
    on nothing else, so blocks change only the last digit.
    """
    total: Array | None = None
    # Blocks of about the same size: in a small one, counts that are all 0 would be drawn again.
    for block in np.array_split(np.arange(len(names)), -(-len(names) // CLUSTERS)):
        places = slice(int(block[0]), int(block[-1]) + 1)
        part = _product(draw(names[places]), columns(places))
        total = part if total is None else total + part
    assert total is not None  # there is at least one cluster
    return total


def _product(numbers: Numbers, columns: Array) -> Array:
    """Multiply numbers with columns of the same clusters, some draws at a time."""
    clusters, draws = numbers.shape
    sums = np.empty((draws, columns.shape[1]))
    lines = np.ascontiguousarray(columns.T)  # few rows by many columns is fastest
    together = max(1, CELLS // clusters)
    for first in range(0, draws, together):
        block = slice(first, first + together)
        sums[block] = (lines @ numbers[:, block].astype(np.float64)).T
    return sums


def _random(
    names: tuple[str, ...],
    seed: int,
    number: int,
    attempt: int,
    kind: type[np.uint8] | type[np.uint16],
) -> NDArray[Any]:
    """Random bits of each cluster, block by block."""
    width = np.dtype(kind).itemsize
    drawn = np.empty((len(names), number), kind)
    # One generator gets each cluster's key in turn: making a generator takes longer than drawing.
    stream = np.random.Philox(key=0)
    fresh: dict[str, Any] = {**stream.state, "buffer": (0,) * 4, "state": {"counter": (0,) * 4}}
    for first in range(0, number, BLOCK):
        size = min(BLOCK, number - first)
        words = -(-size * width // 8)
        raw = np.empty((len(names), words), np.uint64)
        state = fresh["state"]
        keys = _keys(names, seed, (attempt << 40) + first // BLOCK)
        for line, state["key"] in zip(raw, keys, strict=True):
            stream.state = fresh  # type: ignore[assignment]  # any four and two words will do
            line[:] = stream.random_raw(words)
        drawn[:, first : first + size] = raw.view(kind)[:, :size]
    return drawn


def _keys(names: Sequence[str], seed: int, block: int) -> Iterator[tuple[int, int]]:
    """The key of each name: two words of the hash of seed, block and name."""
    prefix = f"{seed}\0{block}\0".encode()
    hashes = [blake2b(prefix + name.encode(), digest_size=16).digest() for name in names]
    return iter_unpack("<QQ", b"".join(hashes))


def stream(name: str, seed: int) -> "np.random.Generator":
    """Return the random numbers of a name under a seed."""
    ((low, high),) = _keys([name], seed, 0)
    return np.random.Generator(np.random.Philox(key=low + (high << 64)))


@cache
def _poisson() -> Numbers:
    """Return the table from 16 random bits to a Poisson(1) number."""
    cumulative = np.cumsum([exp(-1) / factorial(k) for k in range(9)])
    return np.searchsorted(cumulative, (np.arange(2**16) + 0.5) / 2**16).astype(np.uint8)
