"""The best matching of pairs that get in each other's way: the lexicographic optimum."""

from itertools import pairwise

import numpy as np

from chronoscore.annotations.assigning import heaviest, heaviest_in_floats
from chronoscore.annotations.columns import Flags, Integers
from chronoscore.annotations.pairs import Conflict, Pairs


def best(conflict: Conflict) -> Flags:
    """The lexicographic optimum: most pairs of value 3, then of 2, of 1, of 0, then most overlap.

    What is certain is taken first, and the rest falls apart: targets that are alike go to as many
    responses that are equal to them; a pair of the highest value in its group of connected pairs
    that shares neither side with another of that value is in every optimum; of one target with
    many responses, or the other way round, the best pair is the answer. What is left is an
    assignment problem for each group.
    """
    chosen = np.zeros(len(conflict.pairs), np.bool_)
    left = np.arange(len(chosen))
    steps = [*[_cliques] * conflict.alike, *[_certain] * _ROUNDS, _stars, _solved]
    for step in steps:
        if not len(left):
            break
        now = step(conflict.pairs.take(left))
        chosen[left[now]] = True
        left = left[_free(conflict.pairs, left, now)]
    return chosen


_ROUNDS = 4
"""How often what is certain is looked for; each time, what was taken sets free some more."""


def _free(pairs: Pairs, left: Integers, now: Flags) -> Flags:
    """Which of the pairs left share nothing with those taken now."""
    used_key = np.zeros(int(pairs.key.max()) + 1, np.bool_)
    used_response = np.zeros(int(pairs.response.max()) + 1, np.bool_)
    used_key[pairs.key[left[now]]] = True
    used_response[pairs.response[left[now]]] = True
    free: Flags = ~(used_key[pairs.key[left]] | used_response[pairs.response[left]])
    return free


def _cliques(pairs: Pairs) -> Flags:
    """Among spans that are the same and equal, the first target goes to the first response."""
    chosen: Flags = pairs.value == 3
    strict = np.flatnonzero(chosen)
    if len(strict):
        chosen[strict] = _place_within(pairs.key[strict], pairs.response[strict]) == _place_within(
            pairs.response[strict], pairs.key[strict]
        )
    return chosen


def _place_within(item: Integers, other: Integers) -> Integers:
    """The place of each pair's item among the items of its group, which has the same others."""
    first_of = np.full(int(item.max()) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first_of, item, other)
    items = np.unique(item)
    groups = first_of[items]
    order = np.lexsort((items, groups))
    begins = np.searchsorted(groups[order], groups[order], "left")
    place = np.empty(int(item.max()) + 1, np.int64)
    place[items[order]] = np.arange(len(items)) - begins
    return place[item]


def _certain(pairs: Pairs) -> Flags:
    """Pairs of their group's highest value that share no side with another of that value."""
    group = _groups(pairs)
    highest = np.zeros(int(group.max()) + 1, np.int64)
    np.maximum.at(highest, group, pairs.value)
    top = pairs.value == highest[group]
    at_key, at_response = np.bincount(pairs.key[top]), np.bincount(pairs.response[top])
    chosen: Flags = top.copy()
    chosen[top] = (at_key[pairs.key[top]] == 1) & (at_response[pairs.response[top]] == 1)
    return chosen


def _stars(pairs: Pairs) -> Flags:
    """The best pair of each group that has one target only, or one response only."""
    group = _groups(pairs)
    size = np.bincount(group)
    sides = [
        np.bincount(group[np.unique(side, return_index=True)[1]], minlength=len(size))
        for side in (pairs.key, pairs.response)
    ]
    star = ((sides[0] == 1) | (sides[1] == 1))[group]
    order = np.lexsort((pairs.response, pairs.key, -pairs.overlap, -pairs.value, group))
    first = np.ones(len(order), np.bool_)
    first[1:] = group[order][1:] != group[order][:-1]
    chosen = np.zeros(len(pairs), np.bool_)
    chosen[order[first]] = True
    chosen &= star
    return chosen


def _solved(pairs: Pairs) -> Flags:
    """The optimum of each group as an assignment."""
    group = _groups(pairs)
    order = np.lexsort((pairs.response, pairs.key, group))
    ordered = pairs.take(order)
    cells = list(
        zip(
            ordered.key.tolist(),
            ordered.response.tolist(),
            ordered.value.tolist(),
            ordered.overlap.tolist(),
            strict=True,
        )
    )
    borders = [0, *(np.flatnonzero(np.diff(group[order])) + 1).tolist(), len(cells)]
    chosen = np.zeros(len(pairs), np.bool_)
    taken = [
        first + place for first, last in pairwise(borders) for place in _assigned(cells[first:last])
    ]
    chosen[order[taken]] = True
    return chosen


def _assigned(cells: list[tuple[int, int, int, int]]) -> list[int]:
    """The optimum of one group, its pairs (key, response, value, overlap) in order.

    There are at most n pairs, so with weights ``unit · (n + 1)^rank`` no number of lower pairs
    outweighs a higher one, and ``unit`` is more than all overlaps together, which come last.
    """
    row_of = {key: row for row, key in enumerate(dict.fromkeys(cell[0] for cell in cells))}
    column_of = {one: at for at, one in enumerate(sorted({cell[1] for cell in cells}))}
    n = min(len(row_of), len(column_of))
    unit = n * max(cell[3] for cell in cells) + 1
    # Values that don't occur take up no power, to stay where floats are exact.
    met = sorted({cell[2] for cell in cells})
    worth = {value: unit * (n + 1) ** power for power, value in enumerate(met)}
    rows: list[list[tuple[int, int]]] = [[] for _ in row_of]
    at: dict[tuple[int, int], int] = {}
    for place, (key, response, value, overlap) in enumerate(cells):
        row, column = row_of[key], column_of[response]
        rows[row].append((column, worth[value] + overlap))
        at[row, column] = place
    exact = 4 * n * (worth[met[-1]] + unit) < 2**53
    solve = heaviest_in_floats if n > _MANY and exact else heaviest
    answer = solve(rows, len(column_of))
    return [at[row, column] for row, column in enumerate(answer) if column >= 0]


_MANY = 100
"""Groups of more items than this are solved in floats, if these are exact."""


def _groups(pairs: Pairs) -> Integers:
    return groups(pairs.key, pairs.response)


def groups(key: Integers, response: Integers) -> Integers:
    """A number for each pair: the same for pairs that are connected by shared items."""
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
"""So many pairs are grouped before a sparse matrix is made."""


def _few_groups(keys: list[int], responses: list[int]) -> Integers:
    of_key: dict[int, int] = {}
    of_response: dict[int, int] = {}
    members: list[list[int]] = []
    for place, (key, response) in enumerate(zip(keys, responses, strict=True)):
        one, two = of_key.get(key), of_response.get(response)
        if one is None and two is None:
            one = two = len(members)
            members.append([])
        elif one is not None and two is not None and one != two:
            for moved in members[two]:
                of_key[keys[moved]] = of_response[responses[moved]] = one
            members[one] += members[two]
            members[two] = []
        into = one if one is not None else two
        assert into is not None
        members[into].append(place)
        of_key[key] = of_response[response] = into
    full = [one for one in members if one]
    group = np.empty(len(keys), np.int64)
    for number, places in enumerate(full):
        group[places] = number
    return group
