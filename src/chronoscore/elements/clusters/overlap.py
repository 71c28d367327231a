"""What two partitions have in common: all that any score of coreference depends on."""

from collections.abc import Collection, Hashable, Sequence
from typing import NamedTuple

Partition = Sequence[Collection[Hashable]]
"""Clusters that share no mention; the mentions of two partitions need not be the same."""


class Overlap(NamedTuple):
    """The sizes of the clusters of both sides, and of all their intersections that hold anything.

    `shared` are triples (gold cluster, predicted cluster, mentions that both have). A mention that
    the other side lacks (a *twinless* one) is in the size of its cluster and in no triple: nothing
    is added to a side or taken away from it, as Pradhan et al. 2014 ask for.
    """

    gold: tuple[int, ...]
    predicted: tuple[int, ...]
    shared: tuple[tuple[int, int, int], ...]

    def swapped(self) -> "Overlap":
        """Each side in the other's place."""
        return Overlap(self.predicted, self.gold, tuple((j, i, n) for i, j, n in self.shared))


def overlap_of(gold: Partition, predicted: Partition) -> Overlap:
    """Intersect two partitions in one pass over their mentions.

    >>> overlap_of(["a", "bc", "def"], ["a", "bcx", "dy"])
    Overlap(gold=(1, 2, 3), predicted=(1, 3, 2), shared=((0, 0, 1), (1, 1, 2), (2, 2, 1)))
    """
    home = _homes(predicted)
    _homes(gold)
    shared: list[tuple[int, int, int]] = []
    for number, cluster in enumerate(gold):
        found: dict[int, int] = {}
        for mention in cluster:
            place = home.get(mention)
            if place is not None:
                found[place] = found.get(place, 0) + 1
        shared += [(number, place, count) for place, count in sorted(found.items())]
    return Overlap(tuple(map(len, gold)), tuple(map(len, predicted)), tuple(shared))


def _homes(partition: Partition) -> dict[Hashable, int]:
    """The cluster of each mention; a mention with two homes, or an empty one, is no partition."""
    home = {mention: number for number, cluster in enumerate(partition) for mention in cluster}
    if len(home) != sum(map(len, partition)):
        raise ValueError("a mention is there twice: the clusters of a side must not overlap")
    if not all(map(len, partition)):
        raise ValueError("a cluster must have at least one mention")
    return home
