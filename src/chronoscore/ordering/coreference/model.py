"""What the coreference family talks about: mentions in clusters."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from chronoscore.core.errors import UsageError

KEYS = ("span", "span+type", "span+kbid", "span+type+kbid")
"""What two mentions must have in common to be the same."""
ONLY = ("all", "linked", "nil")
"""Which mentions are looked at."""


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

    def keyed(self, key: str, only: str) -> "Clustering":
        """The clustering with what makes two mentions the same, beside their place."""
        if self.clusters and (key, only) != (KEYS[0], ONLY[0]):
            raise UsageError(
                f"key={key} and only={only} are for mentions with types and links, and these have "
                f"none: use key={KEYS[0]} and only={ONLY[0]}"
            )
        return self


class Mark(NamedTuple):
    """The type of a mention, and the KB id that it links to; none for NIL."""

    type: str
    link: str


@dataclass(frozen=True, slots=True)
class LinkedClustering(Clustering):
    """Clusters by the ids that mentions link to, and what else each mention has."""

    marks: Mapping[str, Mark]

    def without_singletons(self) -> "LinkedClustering":
        """Only the clusters of two mentions or more."""
        return LinkedClustering(Clustering(self.clusters).without_singletons().clusters, self.marks)

    def keyed(self, key: str, only: str) -> Clustering:
        """The clustering with what makes two mentions the same, beside their place.

        >>> marks = {"d 0:4": Mark("PER", "Q1"), "d 6:9": Mark("GPE", "")}
        >>> linked = LinkedClustering((("d 0:4",), ("d 6:9",)), marks)
        >>> linked.keyed("span+type", "all").clusters
        (('d 0:4 PER',), ('d 6:9 GPE',))
        >>> linked.keyed("span+kbid", "linked").clusters
        (('d 0:4 Q1',),)
        """
        fields = key.split("+")
        untyped = not any(self.marks[mention].type for one in self.clusters for mention in one)
        if self.clusters and "type" in fields and untyped:
            raise UsageError(f"key={key} asks for types, and no mention has one")

        def named(mention: str) -> str:
            mark = self.marks[mention]
            kind, link = mark.type * ("type" in fields), (mark.link or "NIL") * ("kbid" in fields)
            return " ".join(filter(None, (mention, kind, link)))

        kept = {"all": (True, False), "linked": (True,), "nil": (False,)}[only]
        return Clustering.of(
            [named(mention) for mention in cluster if bool(self.marks[mention].link) in kept]
            for cluster in self.clusters
        )


def span_name(start: int, end: int) -> str:
    """The name of a mention that is told by its place."""
    return f"{start}:{end}"
