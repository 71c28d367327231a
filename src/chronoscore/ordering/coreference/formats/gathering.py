"""Mentions on their way into clusters: each may come only once."""

from collections.abc import Hashable

from chronoscore.core.reading import Reading
from chronoscore.ordering.coreference.model import Clustering


class Gathering:
    """The clusters of one document while it is read.

    A mention that comes again, in its own cluster or in another, is refused, since no score is
    defined for it. Leniently the first one stays, as in the reference scorer.
    """

    def __init__(self, reading: Reading, path: object) -> None:
        self._reading = reading
        self.path = path
        self._clusters: dict[Hashable, list[str]] = {}
        self._home: dict[str, Hashable] = {}

    def add(self, mention: str, cluster: Hashable, line: int | None = None, of: str = "") -> None:
        """Put a mention into the cluster of this key; `of` says where, if a line does not."""
        gathered = self._clusters.setdefault(cluster, [])
        if mention in self._home:
            how = "twice in a cluster" if self._home[mention] == cluster else "in two clusters"
            self._reading.doubt(
                f"{of}mention '{mention}' is {how}; only the first counts", self.path, line
            )
            return
        self._home[mention] = cluster
        gathered.append(mention)

    def done(self) -> Clustering:
        """The clusters that were gathered."""
        return Clustering.of(self._clusters.values())
