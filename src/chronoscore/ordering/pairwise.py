"""The pairwise score: on how many pairs of entities do two sets of links say the same?

    precision = |pairs that both relate in the same way| / |pairs that the system relates|
    recall    = |pairs that both relate in the same way| / |pairs that the gold relates|

It looks at all pairs of entities that a side *relates*: those between which one of TimeML's
relations follows from all its links together. There are eleven, as ``SIMULTANEOUS`` and
``IDENTITY`` are one, ``DURING`` and ``DURING_INV`` are read as it, and the two directions of a
relation (``a BEFORE b``, ``b AFTER a``) say one thing of one pair. A pair of which less is known
(only that one starts before the other, say) is not related. Entities may be events or times.

Nothing depends on the order of the links, on what is written out and what only follows, or on the
names. A side that contradicts itself needs a rule that does not depend on them either. Points
(starts and ends) that lie on a cycle of ``<`` and ``=`` have no order or equality among themselves,
since every one of them would be before itself; what the links say between such points and the
others, and from one side of the cycle to the other, still holds. So a contradiction earns nothing,
and costs the pairs that it makes undecided, not the rest.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from chronoscore.ordering.awareness import meaning
from chronoscore.ordering.graph import RELATIONS
from chronoscore.ordering.model import Link

Sets = tuple[int, ...]


class RelatedPairs(NamedTuple):
    """Pairs that both sides relate in the same way, and that each side relates at all."""

    matched: int
    system: int
    gold: int


def pairwise(gold: Iterable[Link], system: Iterable[Link]) -> RelatedPairs:
    """Count the pairs that two sets of links, with entity names they share, relate.

    >>> gold = [Link("a", "b", "BEFORE"), Link("b", "c", "BEFORE")]
    >>> pairwise(gold, [Link("c", "a", "AFTER")])
    RelatedPairs(matched=1, system=1, gold=3)
    >>> pairwise(gold, [Link("a", "b", "AFTER"), Link("b", "c", "AFTER")])
    RelatedPairs(matched=0, system=3, gold=3)
    """
    entities = list(entity_pairs(gold, system).values())
    matched, of_system, of_gold = (sum(counts[at] for counts in entities) // 2 for at in range(3))
    return RelatedPairs(matched, of_system, of_gold)


def entity_pairs(gold: Iterable[Link], system: Iterable[Link]) -> dict[str, RelatedPairs]:
    """Count, for each entity, the pairs that it is in; over all entities each pair counts twice.

    >>> entity_pairs([Link("a", "b", "BEFORE")], [Link("a", "b", "BEFORE")])["a"]
    RelatedPairs(matched=1, system=1, gold=1)
    """
    both = (list(gold), list(system))
    places = _places([*both[0], *both[1]])
    of_gold, of_system = (_Related(links, places) for links in both)
    counts = {}
    for name, place in places.items():
        gold_sets, system_sets = of_gold.sets(place), of_system.sets(place)
        counts[name] = RelatedPairs(
            sum((g & s).bit_count() for g, s in zip(gold_sets, system_sets, strict=True)),
            sum(s.bit_count() for s in system_sets),
            sum(g.bit_count() for g in gold_sets),
        )
    return counts


def cycles(links: Iterable[Link]) -> int:
    """Count the contradictions: sets of points in which each point would come before itself.

    Sets that share a point are one, so that the number does not depend on the order of the links.

    >>> cycles([Link("a", "b", "BEFORE"), Link("b", "c", "BEFORE"), Link("c", "a", "BEFORE")])
    1
    """
    links = list(links)
    _, edges = _point_classes(links, _places(links))
    _, cyclic = _components(edges)
    return sum(cyclic)


def _places(links: Iterable[Link]) -> dict[str, int]:
    """Number the entities that links name, from 0."""
    names = dict.fromkeys(name for link in links for name in link[:2])
    return {name: place for place, name in enumerate(names)}


class _Related:
    """The entities that one side relates to each entity, as the bits of integers."""

    def __init__(self, links: Iterable[Link], places: Mapping[str, int]) -> None:
        classes, edges = _point_classes(links, places)
        component, cyclic = _components(edges)
        self._start = [component[classes[2 * place]] for place in range(len(places))]
        self._end = [component[classes[2 * place + 1]] for place in range(len(places))]
        count = len(cyclic)
        self._starts_at, self._ends_at = [0] * count, [0] * count
        for place, (start, end) in enumerate(zip(self._start, self._end, strict=True)):
            self._starts_at[start] |= 1 << place
            self._ends_at[end] |= 1 << place
        # Components come later ones first, so that one pass each way closes the order.
        later: list[set[int]] = [set() for _ in range(count)]
        for node, following in enumerate(edges):
            later[component[node]].update(component[other] for other in following)
        earlier: list[set[int]] = [set() for _ in range(count)]
        for node, nodes in enumerate(later):
            nodes.discard(node)
            for other in nodes:
                earlier[other].add(node)
        up, down = range(count), range(count - 1, -1, -1)
        self._starts_after = _closed(self._starts_at, later, up)
        self._ends_after = _closed(self._ends_at, later, up)
        self._starts_before = _closed(self._starts_at, earlier, down)
        self._ends_before = _closed(self._ends_at, earlier, down)
        for node in range(count):
            if cyclic[node]:  # no equality on a cycle
                self._starts_at[node] = self._ends_at[node] = 0

    def sets(self, place: int) -> Sets:
        """Return, for each relation, the entities to which this entity has it."""
        start, end = self._start[place], self._end[place]
        same_start, same_end = self._starts_at[start], self._ends_at[end]
        return (
            self._starts_after[end],  # BEFORE
            self._ends_before[start],  # AFTER
            self._starts_at[end],  # IBEFORE
            self._ends_at[start],  # IAFTER
            same_start & self._ends_after[end],  # BEGINS
            same_start & self._ends_before[end],  # BEGUN_BY
            same_end & self._starts_before[start],  # ENDS
            same_end & self._starts_after[start],  # ENDED_BY
            self._starts_after[start] & self._ends_before[end],  # INCLUDES
            self._starts_before[start] & self._ends_after[end],  # IS_INCLUDED
            same_start & same_end & ~(1 << place),  # SIMULTANEOUS
        )


def _closed(points: Sequence[int], beyond: Sequence[set[int]], order: Iterable[int]) -> list[int]:
    """Return, for each component, the entities whose point lies in a component beyond it."""
    closed = [0] * len(points)
    for node in order:
        reached = 0
        for other in beyond[node]:
            reached |= points[other] | closed[other]
        closed[node] = reached
    return closed


def _point_classes(
    links: Iterable[Link], places: Mapping[str, int]
) -> tuple[list[int], list[list[int]]]:
    """Return the class of equal points of each start and end, and the classes after each class."""
    parent = list(range(2 * len(places)))

    def root(point: int) -> int:
        while parent[point] != point:
            parent[point] = point = parent[parent[point]]
        return point

    orders = [(start, start + 1) for start in range(0, len(parent), 2)]
    for link in links:
        x, y = 2 * places[link.source], 2 * places[link.target]
        points = (x, x + 1, y, y + 1)
        for left, sign, right in RELATIONS.get(meaning(link.relation), ()):
            if sign == "=":
                parent[root(points[left])] = root(points[right])
            else:
                orders.append((points[left], points[right]))
    edges: list[list[int]] = [[] for _ in parent]
    for before, after in orders:
        edges[root(before)].append(root(after))
    return [root(point) for point in range(len(parent))], edges


def _components(edges: Sequence[Sequence[int]]) -> tuple[list[int], list[bool]]:
    """Return the strongly connected component of each node, and which components hold a cycle.

    Later components have lower numbers. The algorithm is that of Tarjan 1972, "Depth-first search
    and linear graph algorithms", without recursion.
    """
    count = len(edges)
    index, low, component = [-1] * count, [0] * count, [-1] * count
    cyclic: list[bool] = []
    stack: list[int] = []
    reached = 0
    for first in range(count):
        if index[first] >= 0:
            continue
        index[first] = low[first] = reached
        reached += 1
        stack.append(first)
        path = [(first, iter(edges[first]))]
        while path:
            node, following = path[-1]
            for other in following:
                if index[other] < 0:
                    index[other] = low[other] = reached
                    reached += 1
                    stack.append(other)
                    path.append((other, iter(edges[other])))
                    break
                if component[other] < 0:
                    low[node] = min(low[node], index[other])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == index[node]:
                    members = 0
                    while component[node] < 0:
                        component[stack.pop()] = len(cyclic)
                        members += 1
                    cyclic.append(members > 1 or node in edges[node])
    return component, cyclic
