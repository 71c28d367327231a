"""The similarity of two partitions: the scores of coreference resolution.

All scores depend on nothing but what the clusters of both sides have in common. Let K be the gold
clusters and R the predicted ones, and write k∩r for the mentions that two have in common. Every
score but BLANC gives each gold cluster a share of recall and each predicted cluster a share of
precision: what it earns and what it could earn. Shares add up over clusters and over documents,
and are divided only then, as the reference scorer does (Pradhan et al. 2014, "Scoring Coreference
Partitions of Predicted Mentions: A Reference Implementation", ACL). Mentions that only one side has
are left as they are.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from chronoscore.elements.assignment import EXACT_IN_FLOAT

Partition = Sequence[Collection[Hashable]]
"""Clusters that share no mention; the mentions of two partitions need not be the same."""


class ClusterOverlap(NamedTuple):
    """The sizes of the clusters of both sides, and of all their intersections that are not empty.

    `shared` are triples (gold cluster, predicted cluster, mentions that both have). A mention that
    the other side lacks (a *twinless* one) is in the size of its cluster and in no triple: nothing
    is added to a side or taken away from it, as Pradhan et al. 2014 ask for.
    """

    gold: tuple[int, ...]
    predicted: tuple[int, ...]
    shared: tuple[tuple[int, int, int], ...]


def overlap_of(gold: Partition, predicted: Partition) -> ClusterOverlap:
    """Intersect two partitions in one pass over their mentions.

    >>> overlap_of(["a", "bc", "def"], ["a", "bcx", "dy"])
    ClusterOverlap(gold=(1, 2, 3), predicted=(1, 3, 2), shared=((0, 0, 1), (1, 1, 2), (2, 2, 1)))
    """
    home, gold_home = _homes(predicted), _homes(gold)
    shared = Counter(
        (gold_home[mention], home[mention]) for mention in gold_home if mention in home
    )
    cells = tuple((i, j, count) for (i, j), count in sorted(shared.items()))
    return ClusterOverlap(tuple(map(len, gold)), tuple(map(len, predicted)), cells)


def _homes(partition: Partition) -> dict[Hashable, int]:
    """Return the cluster of each mention; refuse empty clusters and mentions in two clusters."""
    home = {mention: number for number, cluster in enumerate(partition) for mention in cluster}
    if len(home) != sum(map(len, partition)):
        raise ValueError("a mention is there twice: the clusters of a side must not overlap")
    if not all(map(len, partition)):
        raise ValueError("a cluster must have at least one mention")
    return home


Pair = tuple[int, int, Fraction]
"""A gold cluster, a predicted cluster, and how similar they are."""


def best_pairs(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs of greatest total similarity, each cluster at most once.

    Only clusters that share a mention are ever pairs, so the problem falls into the components of
    that graph, most of them tiny, and each is solved alone.

    Similarities are made whole numbers by their common denominator. In a component with so many
    different sizes that this would be too large to be exact in float64, they are rounded to what
    is: that moves no score by more than ``8 n / 2⁵³`` for n clusters, 1e-11 for ten thousand.

    >>> best_pairs([(0, 0, Fraction(2)), (0, 1, Fraction(3)), (1, 1, Fraction(2))])
    [(0, 0, Fraction(2, 1)), (1, 1, Fraction(2, 1))]
    """
    chosen: list[Pair] = []
    for component in _components(pairs):
        rows, columns, _ = map(dict.fromkeys, zip(*sorted(component), strict=True))
        if len(rows) == 1 or len(columns) == 1:
            chosen.append(max(component, key=lambda pair: pair[2]))
        else:
            chosen += _solved(component, list(rows), list(columns))
    return sorted(chosen)


def _components(pairs: Sequence[Pair]) -> list[list[Pair]]:
    """Group pairs that are linked by shared clusters: union-find over both sides."""
    parent: dict[tuple[bool, int], tuple[bool, int]] = {}

    def root(node: tuple[bool, int]) -> tuple[bool, int]:
        parent.setdefault(node, node)
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for i, j, _ in pairs:
        parent[root((True, j))] = root((False, i))
    components: dict[tuple[bool, int], list[Pair]] = {}
    for pair in pairs:
        components.setdefault(root((False, pair[0])), []).append(pair)
    return list(components.values())


def _solved(component: list[Pair], rows: list[int], columns: list[int]) -> list[Pair]:
    """Find the matching of greatest weight in one component, whose matrix may be sparse.

    Scipy's solver must match every row, so each row gets an extra column of weight 0. All weights
    are raised by 1, since 0 would be no edge; every matching has as many edges as rows, so that
    this changes no choice.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching  # noqa: PLC0415

    row, column = ({number: at for at, number in enumerate(side)} for side in (rows, columns))
    cells = {(row[i], column[j]): (i, j, value) for i, j, value in component}
    fillers = [(at, len(columns) + at) for at in range(len(rows))]
    weights = [weight + 1 for weight in _whole(component, min(len(rows), len(columns)))]
    values = np.array([*weights, *([1] * len(rows))], dtype=np.float64)
    places = np.array([*cells, *fillers], dtype=np.int32).T
    graph = csr_array((values, (places[0], places[1])))
    matching = min_weight_full_bipartite_matching(graph, maximize=True)
    chosen = zip(*(side.tolist() for side in matching), strict=True)
    return [cells[cell] for cell in chosen if cell in cells]


def _whole(component: list[Pair], shorter: int) -> list[int]:
    """Similarities as whole numbers that the solvers can add up without rounding."""
    most = EXACT_IN_FLOAT // (8 * shorter)
    largest = max(value for _, _, value in component)
    common = math.lcm(*(value.denominator for _, _, value in component))
    if largest * common <= most:
        return [int(value * common) for _, _, value in component]
    return [max(1, int(value * most / largest)) for _, _, value in component]


Number = int | float
Share = tuple[Number, Number]
"""What a cluster earned, and what it could have earned."""


class Shares(NamedTuple):
    """What every predicted cluster adds to precision, and every gold cluster to recall."""

    predicted: list[Share]
    gold: list[Share]


def totals(shares: Shares) -> tuple[Number, ...]:
    """Add shares up: the numerator and denominator of precision, then those of recall.

    The order of clusters changes no digit.
    """
    return tuple(_sum([share[at] for share in side]) for side in shares for at in (0, 1))


def _sum(values: list[Number]) -> Number:
    return sum(values) if all(isinstance(v, int) for v in values) else math.fsum(values)


def mention_detection(overlap: ClusterOverlap) -> Shares:
    """Find the mentions, whatever their clusters: ``R = Σ |k∩r| / Σ |k|``.

    >>> totals(mention_detection(overlap_of(["a", "bc", "def"], ["a", "bcx", "dy", "z"])))
    (4, 7, 4, 6)
    """
    return _each_side(overlap, lambda size, common: (sum(n for n, _ in common), size))


def muc(overlap: ClusterOverlap) -> Shares:
    """Count the links that a cluster keeps: ``R = Σ (|k| - parts(k)) / Σ (|k| - 1)``.

    parts(k) are the pieces into which the other side cuts k; a mention that it lacks is a piece of
    its own. Singletons have no link and count for nothing. (Vilain et al. 1995, "A Model-Theoretic
    Coreference Scoring Scheme", MUC-6.)

    >>> totals(muc(overlap_of(["abc", "defg"], ["ab", "cd", "fgh"])))
    (2, 4, 2, 5)
    """
    return _each_side(overlap, lambda size, common: (sum(n - 1 for n, _ in common), size - 1))


def b_cubed(overlap: ClusterOverlap) -> Shares:
    """Ask of each mention how much of its cluster is with it: ``R = Σ |k∩r|² / |k| / Σ |k|``.

    (Bagga and Baldwin 1998, "Algorithms for Scoring Coreference Chains", LREC workshop.)

    >>> totals(b_cubed(overlap_of(["12345", "67", "89ABC"], ["1234589ABC", "67"])))
    (7.0, 12, 12.0, 12)
    """
    return _each_side(overlap, lambda size, common: (sum(n * n for n, _ in common) / size, size))


def lea(overlap: ClusterOverlap) -> Shares:
    """Weigh the share of links found in each cluster by its size.

    ``R = Σ |k| · Σ_r link(k∩r) / link(k) / Σ |k|`` with ``link(c) = |c| (|c| - 1) / 2``. A
    singleton has one link, to itself, which the other side finds only by a singleton. (Moosavi and
    Strube 2016, "Which Coreference Evaluation Metric Do You Trust?", ACL.)

    >>> totals(lea(overlap_of(["a", "bc", "def"], ["a", "bcx", "defy", "z"])))
    (4.0, 9, 6.0, 6)
    """
    return _each_side(overlap, _resolved)


def _resolved(size: int, common: list[tuple[int, int]]) -> Share:
    if size == 1:
        return float(any(other == 1 for _, other in common)), 1
    return sum(n * (n - 1) for n, _ in common) / (size - 1), size


def ceaf_m(overlap: ClusterOverlap) -> Shares:
    """Align clusters one to one, by mentions in common: ``R = Σ |k ∩ g(k)| / Σ |k|``.

    g is the alignment of greatest total. (Luo 2005, "On Coreference Resolution Performance
    Metrics", HLT-EMNLP: similarity φ₃.)

    >>> totals(ceaf_m(overlap_of(["a", "bc", "def"], ["a", "bcx", "dy", "z"])))
    (4, 7, 4, 6)
    """
    pairs = [(i, j, Fraction(n)) for i, j, n in overlap.shared]
    return _aligned(overlap, pairs, int, lambda size: size)


def ceaf_e(overlap: ClusterOverlap) -> Shares:
    """Align clusters one to one, each of the same weight: ``R = Σ φ₄(k, g(k)) / |K|``.

    ``φ₄(k, r) = 2 |k∩r| / (|k| + |r|)``, and g is the alignment of greatest total. (Luo 2005, "On
    Coreference Resolution Performance Metrics", HLT-EMNLP.)

    >>> earned, predicted, _, gold = totals(ceaf_e(overlap_of(["a", "bc", "def"], ["a", "de"])))
    >>> round(earned, 9), predicted, gold
    (1.8, 2, 3)
    """
    pairs = [
        (i, j, Fraction(2 * n, overlap.gold[i] + overlap.predicted[j]))
        for i, j, n in overlap.shared
    ]
    return _aligned(overlap, pairs, float, lambda _: 1)


def pairs(overlap: ClusterOverlap) -> Shares:
    """Count the pairs of mentions that corefer: ``R = Σ |k∩r| (|k∩r| - 1) / Σ |k| (|k| - 1)``.

    These are the coreference links of BLANC alone. (Luo et al. 2014, "An Extension of BLANC to
    System Mentions", ACL.)

    >>> totals(pairs(overlap_of(["abc", "d"], ["bc", "de"])))
    (1, 2, 1, 3)
    """
    return _each_side(overlap, lambda size, common: (_pairs(n for n, _ in common), _pairs([size])))


class Links(NamedTuple):
    """How many pairs of mentions corefer, and how many do not: in both sides, and in each."""

    coreferent: int
    predicted_coreferent: int
    gold_coreferent: int
    other: int
    predicted_other: int
    gold_other: int


def links(overlap: ClusterOverlap) -> Links:
    """Count the links that BLANC is made of.

    A pair of mentions of one side is a coreference link if they are in one cluster, else a
    non-coreference link. A link is found if the other side has both mentions and links them in the
    same way. BLANC is the mean of both kinds' scores. (Recasens and Hovy 2011, "BLANC: Implementing
    the Rand Index for Coreference Evaluation", NLE; for mentions of a system: Luo et al. 2014, "An
    Extension of BLANC to System Mentions", ACL.)

    >>> tuple(links(overlap_of(["ab", "cde", "fg"], ["bcx", "de", "fg"])))
    (2, 5, 5, 10, 16, 16)
    """
    in_gold, in_predicted = [0] * len(overlap.gold), [0] * len(overlap.predicted)
    for i, j, n in overlap.shared:
        in_gold[i] += n
        in_predicted[j] += n
    coreferent = _pairs(n for _, _, n in overlap.shared)
    # Pairs of common mentions, without those that either side puts into one cluster.
    non_coreferent = _pairs([sum(in_gold)]) - _pairs(in_gold) - _pairs(in_predicted) + coreferent
    gold, predicted = _pairs(overlap.gold), _pairs(overlap.predicted)
    return Links(
        coreferent,
        predicted,
        gold,
        non_coreferent,
        _pairs([sum(overlap.predicted)]) - predicted,
        _pairs([sum(overlap.gold)]) - gold,
    )


def _pairs(sizes: Iterable[int]) -> int:
    return sum(n * (n - 1) // 2 for n in sizes)


def _each_side(
    overlap: ClusterOverlap, share: Callable[[int, list[tuple[int, int]]], Share]
) -> Shares:
    """Compute the share of each cluster, from its size and (mentions in common, other's size)."""
    of_gold: list[list[tuple[int, int]]] = [[] for _ in overlap.gold]
    of_predicted: list[list[tuple[int, int]]] = [[] for _ in overlap.predicted]
    for i, j, n in overlap.shared:
        of_gold[i].append((n, overlap.predicted[j]))
        of_predicted[j].append((n, overlap.gold[i]))
    return Shares(
        predicted=list(map(share, overlap.predicted, of_predicted)),
        gold=list(map(share, overlap.gold, of_gold)),
    )


def _aligned(
    overlap: ClusterOverlap,
    pairs: list[tuple[int, int, Fraction]],
    earned: Callable[[Fraction], Number],
    possible: Callable[[int], int],
) -> Shares:
    """Compute what clusters earn by the best alignment, and the most that each could earn."""
    chosen = best_pairs(pairs)
    by_gold = {i: earned(value) for i, _, value in chosen}
    by_predicted = {j: earned(value) for _, j, value in chosen}
    return Shares(
        [(by_predicted.get(j, 0), possible(size)) for j, size in enumerate(overlap.predicted)],
        [(by_gold.get(i, 0), possible(size)) for i, size in enumerate(overlap.gold)],
    )
