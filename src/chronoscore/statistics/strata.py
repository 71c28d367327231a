"""Shares from a stratified sample: how many to draw where, how sure a share is, and its estimate.

Each stratum is drawn from without replacement, so that a unit of stratum h has the chance n_h / N_h
to be drawn, and a stratum that is drawn in full adds no error. *Cochran 1977, Sampling Techniques,
chapters 3 and 5.*
"""

from collections.abc import Callable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

LEAST = 2
"""Units that every stratum gives, if it has as many: one alone says nothing of its spread."""
_WORST = 0.5
"""The share whose interval is the widest."""


class Stratum(NamedTuple):
    """How many units a stratum has, and how many of them were drawn."""

    size: int
    drawn: int


class JudgedStratum(NamedTuple):
    """A stratum, with the sum of what was measured of each unit drawn, from 0 to 1."""

    size: int
    drawn: int
    total: float


class ShareEstimate(NamedTuple):
    """A share of all units, and its interval."""

    share: float
    low: float
    high: float


def normal_quantile(level: float) -> float:
    """Return how many standard errors an interval of this level reaches to each side.

    >>> round(normal_quantile(0.95), 4)
    1.96
    """
    return NormalDist().inv_cdf((1 + level) / 2)


def half_width(strata: Sequence[Stratum]) -> float:
    """Return half the width of the 95% interval of a share, if it is 1/2 in every stratum.

    ``z sqrt(sum_h W_h^2 (N_h - n_h) / (N_h - 1) p (1 - p) / n_h)`` with ``W_h = N_h / N``. Without
    any unit in a stratum that has some, nothing is known: 1.

    >>> round(half_width([Stratum(10**9, 385)]), 3), half_width([Stratum(80, 80)])
    (0.05, 0.0)
    """
    whole = sum(one.size for one in strata)
    variance = 0.0
    for size, drawn in strata:
        if size and not drawn:
            return 1.0
        if size > drawn:
            variance += (size / whole) ** 2 * (size - drawn) / (size - 1) / drawn
    return min(1.0, normal_quantile(0.95) * sqrt(variance * _WORST * (1 - _WORST)))


def allocations(sizes: Sequence[int], weights: Sequence[float]) -> Iterator[tuple[int, ...]]:
    """Yield how many units each stratum gives, for one more unit each time, until all are drawn.

    Each begins with `LEAST` units, or all that it has. Each further one goes to the stratum that
    lags most behind its weight (Webster's rule) and has units left, so that a larger sample holds
    every smaller one.

    >>> from itertools import islice
    >>> [*islice(allocations([9, 9], [3, 1]), 3)]
    [(2, 2), (3, 2), (4, 2)]
    """
    drawn = [min(LEAST, size) for size in sizes]

    def priority(at: int) -> tuple[float, int]:
        return -weights[at] / (2 * drawn[at] + 1), at

    queue = [priority(at) for at, size in enumerate(sizes) if drawn[at] < size]
    heapify(queue)
    yield tuple(drawn)
    while queue:
        _, at = heappop(queue)
        drawn[at] += 1
        yield tuple(drawn)
        if drawn[at] < sizes[at]:
            heappush(queue, priority(at))


def first_allocation(
    sizes: Sequence[int], weights: Sequence[float], enough: Callable[[tuple[int, ...]], bool]
) -> tuple[int, ...]:
    """Return the first allocation that is enough, or the last one, in which all are drawn."""
    drawn: tuple[int, ...] = ()
    for drawn in allocations(sizes, weights):
        if enough(drawn):
            break
    return drawn


def estimate_share(strata: Sequence[JudgedStratum], level: float = 0.95) -> ShareEstimate | None:
    """Estimate the share of all units from those drawn; None if a stratum has none of them.

    Each unit counts for 1 / chance units (Horvitz and Thompson 1952), which is the mean of each
    stratum, weighted by its size. The interval is Wilson's with the number of units that would be
    as sure in a simple sample; in the variance, each stratum has half a hit and half a miss more
    (so that one with no hit is not taken to have none), which also bounds units that were measured
    between 0 and 1.

    >>> estimate_share([JudgedStratum(100, 10, 8.0), JudgedStratum(300, 10, 0.0)]).share
    0.2
    """
    strata = [one for one in strata if one.size]
    whole = sum(one.size for one in strata)
    if not whole or any(not one.drawn for one in strata):
        return None
    share = sum(one.size * one.total / one.drawn for one in strata) / whole
    variance = middle = 0.0
    for size, drawn, total in strata:
        likely = (total + 0.5) / (drawn + 1)
        middle += size / whole * likely
        if size > drawn:
            variance += (
                (size / whole) ** 2 * (size - drawn) / (size - 1) * likely * (1 - likely) / drawn
            )
    if not variance:
        return ShareEstimate(share, share, share)
    units, z = middle * (1 - middle) / variance, normal_quantile(level)
    centre = (share + z * z / (2 * units)) / (1 + z * z / units)
    reach = z / (1 + z * z / units) * sqrt(share * (1 - share) / units + (z / (2 * units)) ** 2)
    low, high = min(share, max(0.0, centre - reach)), max(share, min(1.0, centre + reach))
    return ShareEstimate(share, low, high)
