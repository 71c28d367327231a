"""What the coreference family talks about: mentions in clusters."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Clustering:
    """Which mentions of a document are of the same event or entity.

    A mention is a name: an id, or where it stands as ``start:end``. No mention is in two clusters,
    and none of the clusters is empty. Clusters are kept in order, so that the order in a file can
    change nothing.
    """

    clusters: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, clusters: Iterable[Iterable[str]]) -> "Clustering":
        """Put clusters and their mentions in order; empty ones vanish.

        >>> Clustering.of([["c"], [], ["b", "a"]])
        Clustering(clusters=(('a', 'b'), ('c',)))
        """
        return cls(tuple(sorted(found for c in clusters if (found := tuple(sorted(c))))))

    def without_singletons(self) -> "Clustering":
        """Only the clusters of two mentions or more."""
        return Clustering(tuple(cluster for cluster in self.clusters if len(cluster) > 1))


def span_name(start: int, end: int) -> str:
    """The name of a mention that is told by its place."""
    return f"{start}:{end}"
