"""The best matching of pairs that share targets or responses: the lexicographic optimum."""

from itertools import pairwise

import numpy as np

from chronoscore.annotations.columns import Flags, Integers, marked
from chronoscore.annotations.matching.assignment import assigned
from chronoscore.annotations.matching.meetings import SpanPairs


def best(pairs: SpanPairs, *, symmetric: bool) -> Flags:
    """Choose the most pairs of value 3, then of 2, of 1, of 0, then the most overlap.

    Pairs that every optimum has come first, and the rest falls into small groups: equal targets go
    to as many responses that equal them, if equality is ``symmetric``; a pair of the highest value
    in its group of connected pairs that shares neither side with another of that value is in every
    optimum; of one target with many responses, or the other way round, the best pair is the answer.
    Each remaining group is an assignment problem.
    """
    chosen = np.zeros(len(pairs), np.bool_)
    open_pairs = np.arange(len(chosen))
    for step in (*[_cliques] * symmetric, *[_certain] * _ROUNDS, _stars, _solved):
        if not len(open_pairs):
            break
        new = step(pairs.take(open_pairs))
        chosen[open_pairs[new]] = True
        open_pairs = open_pairs[_free(pairs, open_pairs, new)]
    return chosen


_ROUNDS = 4
"""How often certain pairs are looked for: choosing some makes others certain."""


def _free(pairs: SpanPairs, open_pairs: Integers, new: Flags) -> Flags:
    """Return which open pairs share neither side with the newly chosen ones."""
    used = [
        marked(int(side.max()) + 1, side[open_pairs[new]])[side[open_pairs]]
        for side in (pairs.key, pairs.response)
    ]
    return ~(used[0] | used[1])


def _cliques(pairs: SpanPairs) -> Flags:
    """Pair equal annotations of one span: the first target with the first response, and so on."""
    chosen: Flags = pairs.value == 3
    strict = np.flatnonzero(chosen)
    if len(strict):
        chosen[strict] = _place_within(pairs.key[strict], pairs.response[strict]) == _place_within(
            pairs.response[strict], pairs.key[strict]
        )
    return chosen


def _place_within(item: Integers, other: Integers) -> Integers:
    """Return the place of each pair's item among the items that are paired with the same others."""
    first_of = np.full(int(item.max()) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first_of, item, other)
    items = np.unique(item)
    groups = first_of[items]
    order = np.lexsort((items, groups))
    begins = np.searchsorted(groups[order], groups[order], "left")
    place = np.empty(int(item.max()) + 1, np.int64)
    place[items[order]] = np.arange(len(items)) - begins
    return place[item]


def _certain(pairs: SpanPairs) -> Flags:
    """Choose pairs of their group's highest value that share no side with another such pair."""
    group = groups(pairs.key, pairs.response)
    highest = np.zeros(int(group.max()) + 1, np.int64)
    np.maximum.at(highest, group, pairs.value)
    top = pairs.value == highest[group]
    at_key, at_response = np.bincount(pairs.key[top]), np.bincount(pairs.response[top])
    chosen: Flags = top.copy()
    chosen[top] = (at_key[pairs.key[top]] == 1) & (at_response[pairs.response[top]] == 1)
    return chosen


def _stars(pairs: SpanPairs) -> Flags:
    """Choose the best pair of each group that has only one target, or only one response."""
    group = groups(pairs.key, pairs.response)
    size = np.bincount(group)
    sides = [
        np.bincount(group[np.unique(side, return_index=True)[1]], minlength=len(size))
        for side in (pairs.key, pairs.response)
    ]
    star: Flags = ((sides[0] == 1) | (sides[1] == 1))[group]
    order = np.lexsort((pairs.response, pairs.key, -pairs.overlap, -pairs.value, group))
    first = np.ones(len(order), np.bool_)
    first[1:] = group[order][1:] != group[order][:-1]
    return marked(len(pairs), order[first]) & star


def _solved(pairs: SpanPairs) -> Flags:
    """Choose the optimum of each group by solving an assignment problem."""
    group = groups(pairs.key, pairs.response)
    order = np.lexsort((pairs.response, pairs.key, group))
    ordered = pairs.take(order)
    columns = ordered.key, ordered.response, ordered.value, ordered.overlap
    cells = [*zip(*(column.tolist() for column in columns), strict=True)]
    borders = [0, *(np.flatnonzero(np.diff(group[order])) + 1).tolist(), len(cells)]
    places = [
        first + place for first, last in pairwise(borders) for place in _chosen(cells[first:last])
    ]
    return marked(len(pairs), order[places])


def _chosen(cells: list[tuple[int, int, int, int]]) -> list[int]:
    """Return the places of the best pairs of a group: (key, response, value, overlap), in order.

    There are at most n pairs, so with weights ``unit · (n + 1)^rank`` no number of lower pairs
    outweighs a higher one, and ``unit`` is more than all overlaps together, which come last.
    """
    n = min(len({cell[0] for cell in cells}), len({cell[1] for cell in cells}))
    unit = n * max(cell[3] for cell in cells) + 1
    # Only values that occur get a power, which keeps weights where floats are exact.
    occurring = sorted({cell[2] for cell in cells})
    worth = {value: unit * (n + 1) ** power for power, value in enumerate(occurring)}
    weighted = [(key, place, worth[value] + overlap) for key, place, value, overlap in cells]
    exact = 4 * n * (worth[occurring[-1]] + unit) < 2**53
    return assigned(weighted, in_floats=n > _MANY and exact)


_MANY = 100
"""Larger groups are solved in floats, if their weights are exact as floats."""


def groups(key: Integers, response: Integers) -> Integers:
    """Return a group number for each pair; pairs connected by shared items have the same."""
    if len(key) <= _FEW:
        return _few_groups(key.tolist(), response.tolist())
    from scipy.sparse import coo_array  # noqa: PLC0415 - slow to import
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    keys, row = np.unique(key, return_inverse=True)
    responses, column = np.unique(response, return_inverse=True)
    size = len(keys) + len(responses)
    links = coo_array((np.ones(len(row), np.int8), (row, len(keys) + column)), (size, size))
    _, group = connected_components(links, directed=False)
    return np.asarray(group, np.int64)[row]


_FEW = 200
"""Up to this many pairs are grouped without a sparse matrix."""


def _few_groups(keys: list[int], responses: list[int]) -> Integers:
    parent: dict[int, int] = {}

    def root(item: int) -> int:
        while parent.setdefault(item, item) != item:
            item = parent[item]
        return item

    for key, response in zip(keys, responses, strict=True):
        parent[root(~response)] = root(key)  # responses are negative, to differ from targets
    return np.unique([root(key) for key in keys], return_inverse=True)[1].astype(np.int64)
