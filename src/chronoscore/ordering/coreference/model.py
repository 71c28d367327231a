"""The data of the coreference family: clusters of mentions, and their builder."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from chronoscore.core.problems import Problems
from chronoscore.core.sources import Source
from chronoscore.errors import UsageError

KEYS = ("span", "span+type", "span+kbid", "span+type+kbid")
"""The properties that two mentions must share to be the same."""
ONLY = ("all", "linked", "nil")
"""Which mentions count."""


@dataclass(frozen=True, slots=True)
class Clustering:
    """Which mentions of a document are of the same event or entity.

    A mention is a name: an id, or its place as ``start:end``. No mention is in two clusters, and no
    cluster is empty. Clusters are sorted, so that their order in a file changes nothing.
    """

    clusters: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, clusters: Iterable[Iterable[str]]) -> "Clustering":
        """Sort clusters and their mentions, and drop empty clusters.

        >>> Clustering.of([["c"], [], ["b", "a"]])
        Clustering(clusters=(('a', 'b'), ('c',)))
        """
        return cls(tuple(sorted(mentions for c in clusters if (mentions := tuple(sorted(c))))))

    def without_singletons(self) -> "Clustering":
        """Return only the clusters of two mentions or more."""
        return replace(self, clusters=tuple(c for c in self.clusters if len(c) > 1))

    def keyed(self, key: str, only: str) -> "Clustering":
        """Return the clustering with the properties of `key` in the names of mentions."""
        if self.clusters and (key, only) != (KEYS[0], ONLY[0]):
            raise UsageError(
                f"key={key} and only={only} are for mentions with types and links, and these have "
                f"none: use key={KEYS[0]} and only={ONLY[0]}"
            )
        return self


class MentionLink(NamedTuple):
    """The type of a mention, and the KB id that it links to; none for NIL."""

    type: str
    link: str


@dataclass(frozen=True, slots=True)
class LinkedClustering(Clustering):
    """Clusters by the ids that mentions link to, and the type and link of each mention."""

    marks: Mapping[str, MentionLink]

    def keyed(self, key: str, only: str) -> Clustering:
        """Return the clustering with the properties of `key` in the names of mentions.

        >>> marks = {"d 0:4": MentionLink("PER", "Q1"), "d 6:9": MentionLink("GPE", "")}
        >>> linked = LinkedClustering((("d 0:4",), ("d 6:9",)), marks)
        >>> linked.keyed("span+type", "all").clusters
        (('d 0:4 PER',), ('d 6:9 GPE',))
        >>> linked.keyed("span+kbid", "linked").clusters
        (('d 0:4 Q1',),)
        """
        fields = key.split("+")
        untyped = not any(self.marks[mention].type for c in self.clusters for mention in c)
        if self.clusters and "type" in fields and untyped:
            raise UsageError(f"key={key} asks for types, and no mention has one")

        def named(mention: str) -> str:
            mark = self.marks[mention]
            kind, link = mark.type * ("type" in fields), (mark.link or "NIL") * ("kbid" in fields)
            return " ".join(filter(None, (mention, kind, link)))

        linked = {"all": (True, False), "linked": (True,), "nil": (False,)}[only]
        return Clustering.of(
            [named(mention) for mention in cluster if bool(self.marks[mention].link) in linked]
            for cluster in self.clusters
        )


def span_name(start: int, end: int) -> str:
    """Return the name of a mention that is identified by its place."""
    return f"{start}:{end}"


class ClusteringBuilder:
    """Collects the clusters of one document while it is read.

    A repeated mention, in the same cluster or in another, is refused, since no score is defined for
    it. Leniently, the first one counts, as in the reference scorer.
    """

    def __init__(self, problems: Problems, source: Source | str) -> None:
        self._problems = problems
        self.source = source
        self._clusters: dict[Hashable, list[str]] = {}
        self._cluster_of: dict[str, Hashable] = {}

    def add(self, mention: str, cluster: Hashable, line: int | None = None, of: str = "") -> None:
        """Put a mention into a cluster; `of` is the place in messages, where there is no line."""
        members = self._clusters.setdefault(cluster, [])
        if mention in self._cluster_of:
            how = (
                "twice in a cluster" if self._cluster_of[mention] == cluster else "in two clusters"
            )
            self._problems.accept_or_report(
                f"{of}mention '{mention}' is {how}; only the first counts", self.source, line
            )
            return
        self._cluster_of[mention] = cluster
        members.append(mention)

    def done(self) -> Clustering:
        """Return the clusters of all mentions that were added."""
        return Clustering.of(self._clusters.values())
