"""The scores of coreference: what each cluster earns on either side, and the sums.

Let K be the gold clusters and R the predicted ones, and write k∩r for the mentions that two have in
common. Every score but BLANC gives each gold cluster a share of recall and each predicted cluster
a share of precision: what it earned and what it could have. Shares add up over clusters and over
documents, and are divided only then, as the reference scorer does (Pradhan et al. 2014, "Scoring
Coreference Partitions of Predicted Mentions: A Reference Implementation", ACL). Mentions that
only one side has are left as they are.
"""

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import NamedTuple

from chronoscore.elements.clusters.alignment import best_pairs
from chronoscore.elements.clusters.overlap import Overlap

Number = int | float
Share = tuple[Number, Number]
"""What a cluster earned, and what it could have earned."""


class Shares(NamedTuple):
    """What every predicted cluster adds to precision, and every gold cluster to recall."""

    predicted: list[Share]
    gold: list[Share]


class Counts(NamedTuple):
    """Numerators and denominators of precision and recall."""

    precision_earned: Number
    predicted_total: Number
    recall_earned: Number
    gold_total: Number


def totals(shares: Shares) -> Counts:
    """Add shares up; the order of clusters changes no digit."""
    return Counts(*(_sum(values) for side in shares for values in _columns(side)))


def _columns(side: list[Share]) -> tuple[list[Number], list[Number]]:
    return [earned for earned, _ in side], [possible for _, possible in side]


def _sum(values: list[Number]) -> Number:
    return sum(values) if all(isinstance(v, int) for v in values) else math.fsum(values)


def mention_detection(overlap: Overlap) -> Shares:
    """Find the mentions, whatever their clusters: ``R = Σ |k∩r| / Σ |k|``.

    >>> from chronoscore.elements.clusters.overlap import overlap_of
    >>> tuple(totals(mention_detection(overlap_of(["a", "bc", "def"], ["a", "bcx", "dy", "z"]))))
    (4, 7, 4, 6)
    """
    return _each_side(overlap, lambda size, common: (sum(n for n, _ in common), size))


def muc(overlap: Overlap) -> Shares:
    """Count the links that a cluster keeps: ``R = Σ (|k| - parts(k)) / Σ (|k| - 1)``.

    parts(k) are the pieces into which the other side cuts k; a mention that it lacks is a piece of
    its own. Singletons have no link and count for nothing. (Vilain et al. 1995, "A Model-Theoretic
    Coreference Scoring Scheme", MUC-6.)

    >>> from chronoscore.elements.clusters.overlap import overlap_of
    >>> tuple(totals(muc(overlap_of(["abc", "defg"], ["ab", "cd", "fgh"]))))
    (2, 4, 2, 5)
    """
    return _each_side(overlap, lambda size, common: (sum(n - 1 for n, _ in common), size - 1))


def b_cubed(overlap: Overlap) -> Shares:
    """Ask of each mention how much of its cluster is with it: ``R = Σ |k∩r|² / |k| / Σ |k|``.

    (Bagga and Baldwin 1998, "Algorithms for Scoring Coreference Chains", LREC workshop.)

    >>> from chronoscore.elements.clusters.overlap import overlap_of
    >>> tuple(totals(b_cubed(overlap_of(["12345", "67", "89ABC"], ["1234589ABC", "67"]))))
    (7.0, 12, 12.0, 12)
    """
    return _each_side(overlap, lambda size, common: (sum(n * n for n, _ in common) / size, size))


def lea(overlap: Overlap) -> Shares:
    """Weigh the share of links found in each cluster by its size.

    ``R = Σ |k| · Σ_r link(k∩r) / link(k) / Σ |k|`` with ``link(c) = |c| (|c| - 1) / 2``. A
    singleton has one link, to itself, which the other side finds only by a singleton. (Moosavi and
    Strube 2016, "Which Coreference Evaluation Metric Do You Trust?", ACL.)

    >>> from chronoscore.elements.clusters.overlap import overlap_of
    >>> tuple(totals(lea(overlap_of(["a", "bc", "def"], ["a", "bcx", "defy", "z"]))))
    (4.0, 9, 6.0, 6)
    """
    return _each_side(overlap, _resolved)


def _resolved(size: int, common: list[tuple[int, int]]) -> Share:
    if size == 1:
        return float(any(other == 1 for _, other in common)), 1
    return sum(n * (n - 1) for n, _ in common) / (size - 1), size


def ceaf_m(overlap: Overlap) -> Shares:
    """Align clusters one to one, by mentions in common: ``R = Σ |k ∩ g(k)| / Σ |k|``.

    g is the alignment of greatest total. (Luo 2005, "On Coreference Resolution Performance
    Metrics", HLT-EMNLP: similarity φ₃.)

    >>> from chronoscore.elements.clusters.overlap import overlap_of
    >>> tuple(totals(ceaf_m(overlap_of(["a", "bc", "def"], ["a", "bcx", "dy", "z"]))))
    (4, 7, 4, 6)
    """
    pairs = [(i, j, Fraction(n)) for i, j, n in overlap.shared]
    return _aligned(overlap, pairs, int, lambda size: size)


def ceaf_e(overlap: Overlap) -> Shares:
    """Align clusters one to one, each of the same weight: ``R = Σ φ₄(k, g(k)) / |K|``.

    ``φ₄(k, r) = 2 |k∩r| / (|k| + |r|)``, and g is the alignment of greatest total. (Luo 2005, "On
    Coreference Resolution Performance Metrics", HLT-EMNLP.)

    >>> from chronoscore.elements.clusters.overlap import overlap_of
    >>> earned, predicted, _, gold = totals(ceaf_e(overlap_of(["a", "bc", "def"], ["a", "de"])))
    >>> round(earned, 9), predicted, gold
    (1.8, 2, 3)
    """
    pairs = [
        (i, j, Fraction(2 * n, overlap.gold[i] + overlap.predicted[j]))
        for i, j, n in overlap.shared
    ]
    return _aligned(overlap, pairs, float, lambda _: 1)


def pairs(overlap: Overlap) -> Shares:
    """Count the pairs of mentions that corefer: ``R = Σ |k∩r| (|k∩r| - 1) / Σ |k| (|k| - 1)``.

    These are the coreference links of BLANC alone. (Luo et al. 2014, "An Extension of BLANC to
    System Mentions", ACL.)

    >>> from chronoscore.elements.clusters.overlap import overlap_of
    >>> tuple(totals(pairs(overlap_of(["abc", "d"], ["bc", "de"]))))
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


def links(overlap: Overlap) -> Links:
    """Count the links that BLANC is made of.

    A pair of mentions of one side is a coreference link if they are in one cluster, else a
    non-coreference link. A link is found if the other side has both mentions and links them in the
    same way. BLANC is the mean of both kinds' scores. (Recasens and Hovy 2011, "BLANC: Implementing
    the Rand Index for Coreference Evaluation", NLE; for mentions of a system: Luo et al. 2014, "An
    Extension of BLANC to System Mentions", ACL.)

    >>> from chronoscore.elements.clusters.overlap import overlap_of
    >>> tuple(links(overlap_of(["ab", "cde", "fg"], ["bcx", "de", "fg"])))
    (2, 5, 5, 10, 16, 16)
    """
    in_gold, in_predicted = [0] * len(overlap.gold), [0] * len(overlap.predicted)
    for i, j, n in overlap.shared:
        in_gold[i] += n
        in_predicted[j] += n
    both = _pairs(n for _, _, n in overlap.shared)
    # Pairs of common mentions, without those that either side puts into one cluster.
    apart = _pairs([sum(in_gold)]) - _pairs(in_gold) - _pairs(in_predicted) + both
    gold, predicted = _pairs(overlap.gold), _pairs(overlap.predicted)
    return Links(
        both,
        predicted,
        gold,
        apart,
        _pairs([sum(overlap.predicted)]) - predicted,
        _pairs([sum(overlap.gold)]) - gold,
    )


def _pairs(sizes: Iterable[int]) -> int:
    return sum(n * (n - 1) // 2 for n in sizes)


def _each_side(overlap: Overlap, share: Callable[[int, list[tuple[int, int]]], Share]) -> Shares:
    """Ask for the share of each cluster, from its size and (mentions in common, other's size)."""

    def side(one: Overlap) -> list[Share]:
        common: list[list[tuple[int, int]]] = [[] for _ in one.gold]
        for i, j, n in one.shared:
            common[i].append((n, one.predicted[j]))
        return [share(size, found) for size, found in zip(one.gold, common, strict=True)]

    return Shares(predicted=side(overlap.swapped()), gold=side(overlap))


def _aligned(
    overlap: Overlap,
    pairs: list[tuple[int, int, Fraction]],
    earned: Callable[[Fraction], Number],
    possible: Callable[[int], int],
) -> Shares:
    """What clusters earn by the best alignment, and what each would by one with itself."""
    gold: list[Share] = [(0, possible(size)) for size in overlap.gold]
    predicted: list[Share] = [(0, possible(size)) for size in overlap.predicted]
    for i, j, value in best_pairs(pairs):
        gold[i] = (earned(value), gold[i][1])
        predicted[j] = (earned(value), predicted[j][1])
    return Shares(predicted, gold)
