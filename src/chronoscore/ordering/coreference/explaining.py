"""What became of each cluster: into which pieces the other side cuts it, and what that earned."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, cast

from chronoscore.core.case import Case
from chronoscore.core.evidence import Match
from chronoscore.elements.clusters import Overlap, Shares, links, overlap_of, pairs
from chronoscore.ordering.coreference.model import KEYS, ONLY, Clustering

Side = Literal["precision", "recall"]
Pairs = Sequence[tuple[float, float]]
"""What each cluster of a side earns, and what it could."""
_SHOWN = 8
_BETWEEN = "non-coreference links"


class Comparison(NamedTuple):
    """Two clusterings, and how their clusters overlap."""

    gold: Clustering
    predicted: Clustering
    overlap: Overlap


def compare(case: Case[Clustering, Clustering], setting: Hashable) -> Comparison:
    """Intersect the clusters of both sides: all metrics are made of that."""
    key, only = cast("tuple[str, str]", setting or (KEYS[0], ONLY[0]))
    gold, predicted = (side.keyed(key, only) for side in (case.gold, case.predicted))
    return Comparison(gold, predicted, overlap_of(gold.clusters, predicted.clusters))


def cluster_matches(comparison: Comparison, shares: Shares) -> list[Match]:
    """A match for every cluster of either side that could earn anything."""
    gold, predicted = comparison.gold, comparison.predicted
    return [
        *_of_side("precision", predicted, gold, shares.predicted),
        *_of_side("recall", gold, predicted, shares.gold),
    ]


def averaged_matches(comparison: Comparison, measures: Mapping[str, Shares]) -> list[Match]:
    """A match for every cluster: what it adds to the mean of several measures, and to each.

    Over a side, credit adds up to the mean of its precisions or recalls; a measure that has
    nothing to divide by adds nothing.
    """
    gold, predicted = comparison.gold, comparison.predicted
    own, other = [m.predicted for m in measures.values()], [m.gold for m in measures.values()]
    return [
        *_of_side("precision", predicted, gold, _means(own), _told(measures, own)),
        *_of_side("recall", gold, predicted, _means(other), _told(measures, other)),
    ]


def _means(measures: Sequence[Pairs]) -> list[tuple[float, float]]:
    wholes = [len(measures) * sum(possible for _, possible in pairs) for pairs in measures]
    return [
        (
            sum(
                credit / whole for (credit, _), whole in zip(cluster, wholes, strict=True) if whole
            ),
            sum(most / whole for (_, most), whole in zip(cluster, wholes, strict=True) if whole),
        )
        for cluster in zip(*measures, strict=True)
    ]


def _told(names: Iterable[str], measures: Sequence[Pairs]) -> list[str]:
    """What a cluster earned in each measure, in that measure's own units."""
    return [
        "\n("
        + ", ".join(
            f"{name} {credit:.3g} of {most:g}"
            for name, (credit, most) in zip(names, cluster, strict=True)
            if most
        )
        + ")"
        for cluster in zip(*measures, strict=True)
    ]


def link_matches(comparison: Comparison) -> list[Match]:
    """The coreference links of each cluster, and all links between clusters of a side at once."""
    overlap = comparison.overlap
    found = links(overlap)
    told, other = "pairs of mentions in different clusters", float(found.other)
    between = (
        Match("precision", _BETWEEN, other, float(found.predicted_other), predicted=told),
        Match("recall", _BETWEEN, other, float(found.gold_other), gold=told),
    )
    return [
        *cluster_matches(comparison, pairs(overlap)),
        *(match for match in between if match.possible),
    ]


def _of_side(
    side: Side, own: Clustering, other: Clustering, shares: Pairs, beside: Sequence[str] = ()
) -> Iterator[Match]:
    home = {mention: cluster for cluster in other.clusters for mention in cluster}
    remarks = beside or [""] * len(own.clusters)
    for cluster, (credit, possible), remark in zip(own.clusters, shares, remarks, strict=True):
        if not possible:
            continue
        pieces: dict[tuple[str, ...], list[str]] = {}
        for mention in cluster:
            if mention in home:
                pieces.setdefault(home[mention], []).append(mention)
        lacking = [mention for mention in cluster if mention not in home]
        named, split = _named(cluster) + remark, _split(pieces, lacking)
        yield Match(
            side=side,
            outcome=_outcome(cluster, pieces, lacking),
            credit=float(credit),
            possible=float(possible),
            gold=named if side == "recall" else split,
            predicted=named if side == "precision" else split,
        )


def _outcome(
    cluster: Sequence[str], pieces: dict[tuple[str, ...], list[str]], lacking: list[str]
) -> str:
    if not pieces:
        return "not found"
    told = f"split in {len(pieces)}" if len(pieces) > 1 else ""
    if lacking:
        told += f"{', ' * bool(told)}{len(lacking)} not found"
    if len(pieces) == 1 and len(next(iter(pieces))) > len(cluster) - len(lacking):
        told += f"{', ' * bool(told)}with others"
    return told or "the same"


def _split(pieces: dict[tuple[str, ...], list[str]], lacking: list[str]) -> str:
    """The pieces of a cluster, each with the number of others that the other side has with it."""
    told = [
        _named(piece) + (f" (+{more})" if (more := len(whole) - len(piece)) else "")
        for whole, piece in pieces.items()
    ]
    if lacking and pieces:
        told.append(f"not found: {_named(lacking)}")
    return " | ".join(told)


def _named(mentions: Sequence[str]) -> str:
    shown = ", ".join(mentions[:_SHOWN])
    more = len(mentions) - _SHOWN
    return shown + (f" and {more} more" if more > 0 else "")
