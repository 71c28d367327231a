"""Infer what follows from temporal links: an exact closure over points, and the algebra.

An entity is a pair of points, its start before its end. Each TimeML relation is a conjunction of
``<`` and ``=`` between the points of two entities, so that a set of links is a strict partial
order over classes of equal points, and a question about a relation is one about reachability
(the point algebra of Vilain and Kautz 1986; time graphs in UzZaman and Allen 2011, "Temporal
Evaluation").

The closure is exact: it finds all that follows, and nothing else. Three facts make it
simple. Without ``<=``, no equality ever follows from orders: two points are equal only if links
say so. ``a < b`` follows if and only if there is a path from a to b. And a relation is consistent
with the graph if and only if each of its constraints is: since starts come before ends, the first
constraint of a relation never decides its second.
"""

from collections.abc import Mapping
from functools import cache
from itertools import combinations, product
from typing import Literal

from chronoscore.ordering.model import Link

Judgement = Literal["holds", "contradicted", "unknown"]
Constraint = tuple[int, Literal["<", "="], int]

# The points of a link's source x and target y, as positions in (x-start, x-end, y-start, y-end).
_XS, _XE, _YS, _YE = range(4)

EQUAL: tuple[Constraint, ...] = ((_XS, "=", _YS), (_XE, "=", _YE))

RELATIONS: Mapping[str, tuple[Constraint, ...]] = {
    "BEFORE": ((_XE, "<", _YS),),
    "AFTER": ((_YE, "<", _XS),),
    "IBEFORE": ((_XE, "=", _YS),),
    "IAFTER": ((_YE, "=", _XS),),
    "BEGINS": ((_XS, "=", _YS), (_XE, "<", _YE)),
    "BEGUN_BY": ((_XS, "=", _YS), (_YE, "<", _XE)),
    "ENDS": ((_XE, "=", _YE), (_YS, "<", _XS)),
    "ENDED_BY": ((_XE, "=", _YE), (_XS, "<", _YS)),
    "INCLUDES": ((_XS, "<", _YS), (_YE, "<", _XE)),
    "IS_INCLUDED": ((_YS, "<", _XS), (_XE, "<", _YE)),
    "SIMULTANEOUS": EQUAL,
    "IDENTITY": EQUAL,
}
"""The constraints of each TimeML relation on the points of its source and target."""
_OPPOSITES = {
    "BEFORE": "AFTER",
    "IBEFORE": "IAFTER",
    "BEGINS": "BEGUN_BY",
    "ENDS": "ENDED_BY",
    "INCLUDES": "IS_INCLUDED",
    "SIMULTANEOUS": "SIMULTANEOUS",
    "IDENTITY": "IDENTITY",
}
INVERSE: Mapping[str, str] = _OPPOSITES | {other: name for name, other in _OPPOSITES.items()}
"""The name of each relation seen from the other end."""


class TemporalGraph:
    """A consistent set of links, closed after each addition.

    >>> graph = TemporalGraph()
    >>> graph.add(Link("war", "truce", "BEFORE"))
    >>> graph.add(Link("truce", "treaty", "BEGINS"))
    >>> graph.judge(Link("treaty", "war", "AFTER"))
    'holds'
    >>> graph.judge(Link("war", "treaty", "INCLUDES"))
    'contradicted'
    >>> graph.judge(Link("war", "election", "BEFORE"))
    'unknown'

    Equal points are one class (union-find), and a class keeps the set of classes that come before
    it as the bits of one integer. A new order hands the set of the earlier class on to the later
    one and to those after it, and stops wherever that brings nothing new (Italiano 1986): to
    append to a chain costs one step, to prepend one step for each class that comes later, and a
    question is one look at a bit. A class is known by the bit of its root. Where two classes merge,
    only those after the absorbed one have to learn the other's bit, and the absorbed bit is never
    used again, so that an event with many later ones gets a new equal at no cost.
    """

    def __init__(self) -> None:
        self._start: dict[str, int] = {}  # entity -> its start point; its end is the next number
        self._parent: list[int] = []  # point -> a point of the same class, itself if it is the root
        self._roots = 0  # the bits of all roots
        # For each root: the roots before it (and bits no longer in use), and points that come next.
        self._before: list[int] = []
        self._next: list[list[int]] = []

    def __contains__(self, entity: object) -> bool:
        return entity in self._start

    def judge(self, link: Link) -> Judgement:
        """Return whether the link follows from the graph, is excluded by it, or neither.

        A relation that is not in `RELATIONS` and an entity without links are unknown. Nothing but
        equality can hold between an entity and itself.
        """
        source, target, relation = link
        constraints = RELATIONS.get(relation)
        if constraints is None:
            return "unknown"
        if source == target and constraints is not EQUAL:
            return "contradicted"
        x, y = self._start.get(source), self._start.get(target)
        if x is None or y is None:
            return "unknown"
        points = (x, x + 1, y, y + 1)
        parent, before = self._parent, self._before
        judgement: Judgement = "holds"
        for left, sign, right in constraints:
            a, b = points[left], points[right]
            if parent[a] != a:
                a = self._root(a)
            if parent[b] != b:
                b = self._root(b)
            if a == b:
                follows = sign == "="
            elif before[b] >> a & 1:
                follows = sign == "<"
            elif before[a] >> b & 1:
                follows = False
            else:
                judgement = "unknown"
                continue
            if not follows:
                return "contradicted"
        return judgement

    def add(self, link: Link) -> None:
        """Add a link and all that follows from it.

        Its relation must be known, and `judge` must not call it contradicted.
        """
        source, target, relation = link
        for entity in (source, target):
            if entity not in self._start:
                self._enter(entity)
        x, y = self._start[source], self._start[target]
        points = (x, x + 1, y, y + 1)
        for left, sign, right in RELATIONS[relation]:
            if sign == "=":
                self._merge(self._root(points[left]), self._root(points[right]))
            else:
                self._precede(self._root(points[left]), self._root(points[right]))

    def take(self, link: Link) -> Judgement:
        """Add a link, unless it follows or is excluded; return which of these it is."""
        judgement = self.judge(link)
        if judgement == "unknown" and link[2] in RELATIONS:
            self.add(link)
        return judgement

    def _enter(self, entity: str) -> None:
        start = len(self._parent)
        self._start[entity] = start
        self._parent += (start, start + 1)
        self._roots |= 0b11 << start
        self._before += (0, 1 << start)
        self._next += ([start + 1], [])

    def _root(self, point: int) -> int:
        parent = self._parent
        while parent[point] != point:
            parent[point] = point = parent[parent[point]]
        return point

    def _precede(self, a: int, b: int) -> None:
        if not self._before[b] >> a & 1:
            self._next[a].append(b)
            self._hand_on(self._before[a] | 1 << a, [b])

    def _merge(self, a: int, b: int) -> None:
        if a == b:
            return
        # Keep the class that probably has more classes after it; of equals, the older one.
        if (len(self._next[a]), -a) < (len(self._next[b]), -b):
            a, b = b, a
        self._parent[b] = a
        self._roots ^= 1 << b
        after_a, after_b = list(self._next[a]), self._next[b]
        before_a, before_b = self._before[a], self._before[b]
        self._before[a] |= before_b
        self._next[a] += after_b
        self._before[b], self._next[b] = 0, []
        self._hand_on(before_a | 1 << a, after_b)
        self._hand_on(before_b, after_a)

    def _hand_on(self, earlier: int, points: list[int]) -> None:
        # A class that has all of `earlier` has handed it on already, and so ends this branch.
        earlier &= self._roots
        before, parent, following = self._before, self._parent, self._next
        while points:
            root = points.pop()
            if parent[root] != root:
                root = self._root(root)
            known = before[root]
            union = known | earlier
            if union != known:
                before[root] = union
                points += following[root]


# The algebra: which relations are possible between x and z, given those of x to y and y to z.
# TimeML's relations are those of Allen (1983, "Maintaining knowledge about temporal intervals")
# without OVERLAPS and OVERLAPPED_BY, which annotators can't write but which occur. The table of
# compositions is computed, not written down: three intervals have six ends, so intervals with ends
# from 0 to 5 show everything that is possible between them.


Relations = frozenset[str]

_ENDS = 6
_Interval = tuple[int, int]


def between(interval: _Interval, other: _Interval) -> str:
    """Return the relation of one interval to another.

    >>> between((0, 2), (2, 5)), between((1, 2), (0, 5)), between((0, 2), (1, 5))
    ('IBEFORE', 'IS_INCLUDED', 'OVERLAPS')
    """
    points = (*interval, *other)
    for relation, constraints in RELATIONS.items():
        holds = all(
            points[left] < points[right] if sign == "<" else points[left] == points[right]
            for left, sign, right in constraints
        )
        if holds:
            return relation
    return "OVERLAPS" if interval < other else "OVERLAPPED_BY"


@cache
def table() -> Mapping[tuple[str, str], Relations]:
    """Return, for each relation of x to y and of y to z, all possible relations of x to z."""
    intervals = list(combinations(range(_ENDS), 2))
    known = {pair: between(*pair) for pair in product(intervals, repeat=2)}
    compositions: dict[tuple[str, str], set[str]] = {}
    for x, y, z in product(intervals, repeat=3):
        compositions.setdefault((known[x, y], known[y, z]), set()).add(known[x, z])
    return {pair: frozenset(possible) for pair, possible in compositions.items()}


def compose(first: str, second: str) -> Relations:
    """Return all possible relations of x to z, where x is ``first`` to y and y is ``second`` to z.

    >>> compose("BEFORE", "BEGINS")
    frozenset({'BEFORE'})
    >>> sorted(compose("BEFORE", "IS_INCLUDED"))
    ['BEFORE', 'BEGINS', 'IBEFORE', 'IS_INCLUDED', 'OVERLAPS']
    """
    same = {"IDENTITY": "SIMULTANEOUS"}
    return table()[same.get(first, first), same.get(second, second)]
