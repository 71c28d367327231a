"""The best one-to-one alignment of clusters, as CEAF wants it (Luo 2005)."""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

import numpy as np

from chronoscore.elements.assignment import EXACT_IN_FLOAT, maximum_assignment

Pair = tuple[int, int, Fraction]
"""A gold cluster, a predicted cluster, and how similar they are."""

DENSE = 100
"""Components with no more clusters than this on a side are solved as a full matrix."""


def best_pairs(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs of greatest total similarity, each cluster at most once.

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
        if len({i for i, _, _ in component}) == 1 or len({j for _, j, _ in component}) == 1:
            chosen.append(max(component, key=lambda pair: pair[2]))
        else:
            chosen += _solved(component)
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
    found: dict[tuple[bool, int], list[Pair]] = {}
    for pair in pairs:
        found.setdefault(root((False, pair[0])), []).append(pair)
    return list(found.values())


def _solved(component: list[Pair]) -> list[Pair]:
    rows = {i: place for place, i in enumerate(sorted({i for i, _, _ in component}))}
    columns = {j: place for place, j in enumerate(sorted({j for _, j, _ in component}))}
    weights = _whole(component, min(len(rows), len(columns)))
    placed = {(rows[i], columns[j]): (i, j, value) for i, j, value in component}
    if max(len(rows), len(columns)) <= DENSE:
        matrix = [[0] * len(columns) for _ in rows]
        for (row, column), weight in zip(placed, weights, strict=True):
            matrix[row][column] = weight
        return [placed[cell] for cell in maximum_assignment(matrix)]
    return [placed[cell] for cell in _sparse(list(placed), weights, len(rows), len(columns))]


def _whole(component: list[Pair], shorter: int) -> list[int]:
    """Similarities as whole numbers that the solvers can add up without rounding."""
    most = EXACT_IN_FLOAT // (8 * shorter)
    largest = max(value for _, _, value in component)
    common = lcm(*(value.denominator for _, _, value in component))
    if largest * common <= most:
        return [int(value * common) for _, _, value in component]
    return [max(1, int(value * most / largest)) for _, _, value in component]


def _sparse(
    cells: list[tuple[int, int]], weights: list[int], rows: int, columns: int
) -> list[tuple[int, int]]:
    """A matching of greatest weight, where a full matrix would be almost empty.

    Scipy's solver wants every row to be matched: each gets a column of its own that earns nothing.
    All weights are one higher than they are, since 0 would be no edge; with as many edges as rows
    in every matching, that changes no choice.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching  # noqa: PLC0415

    values = np.array([*(weight + 1 for weight in weights), *([1] * rows)], dtype=np.float64)
    places = np.array([*cells, *((row, columns + row) for row in range(rows))], dtype=np.int32)
    graph = csr_array((values, (places[:, 0], places[:, 1])), shape=(rows, columns + rows))
    matched = min_weight_full_bipartite_matching(graph, maximize=True)
    found = zip(*(side.tolist() for side in matched), strict=True)
    return [(row, column) for row, column in found if column < columns]
