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

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    """The entities that one side relates to each entity, as the bits of integers.

    Sets of points are integers too: the bits of a start and an end stand next to each other, so
    that a shift by one sets the entities of ends against those of starts.
    """

    def __init__(self, links: Iterable[Link], places: Mapping[str, int]) -> None:
        classes, edges = _point_classes(links, places)
        components, cyclic = _components(edges)
        self._component = [components[point] for point in classes]
        self._starts = (4 ** len(places) - 1) // 3  # every other bit
        count = len(cyclic)
        points = [0] * count
        for point, component in enumerate(self._component):
            points[component] |= 1 << point
        # Components come later ones first, so that one pass each way closes the order.
        later: list[set[int]] = [set() for _ in range(count)]
        earlier: list[set[int]] = [set() for _ in range(count)]
        for node, following in enumerate(edges):
            for other in {components[other] for other in following} - {components[node]}:
                later[components[node]].add(other)
                earlier[other].add(components[node])
        self._after = _closed(points, later, range(count))
        self._before = _closed(points, earlier, range(count - 1, -1, -1))
        # There is no equality on a cycle.
        self._same = [0 if cyclic[node] else points[node] for node in range(count)]

    def sets(self, place: int) -> Sets:
        """Return, for each relation, the entities to which this entity has it."""
        starts = self._starts
        start, end = self._component[2 * place : 2 * place + 2]
        same_start, same_end = self._same[start] & starts, self._same[end] >> 1 & starts
        starts_after_start, starts_before_start = self._after[start], self._before[start]
        ends_after_end, ends_before_end = self._after[end] >> 1, self._before[end] >> 1
        return (
            self._after[end] & starts,  # BEFORE
            self._before[start] >> 1 & starts,  # AFTER
            self._same[end] & starts,  # IBEFORE
            self._same[start] >> 1 & starts,  # IAFTER
            same_start & ends_after_end,  # BEGINS
            same_start & ends_before_end,  # BEGUN_BY
            same_end & starts_before_start,  # ENDS
            same_end & starts_after_start,  # ENDED_BY
            starts & starts_after_start & ends_before_end,  # INCLUDES
            starts & starts_before_start & ends_after_end,  # IS_INCLUDED
            same_start & same_end & ~(1 << 2 * place),  # SIMULTANEOUS
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
    root = len(edges)  # a node before all others, from which the walk begins
    index, low, component = ([-1] * (root + 1) for _ in range(3))
    cyclic: list[bool] = []
    stack: list[int] = []
    reached = 0
    path: list[tuple[int, Iterator[int]]] = [(root, iter(range(root)))]
    while True:
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
            if not path:
                return component, cyclic
            above = path[-1][0]
            low[above] = min(low[above], low[node])
            if low[node] == index[node]:
                members = 0
                while component[node] < 0:
                    component[stack.pop()] = len(cyclic)
                    members += 1
                cyclic.append(members > 1 or node in edges[node])
