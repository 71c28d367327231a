"""What follows from a set of temporal links: an exact closure over start and end points.

An entity is a pair of points, its start before its end. Each TimeML relation is a conjunction of
``<`` and ``=`` between the points of two entities, so that a set of links is a strict partial
order over classes of equal points, and a question about a relation is one about reachability
(the point algebra of Vilain and Kautz 1986; time graphs in UzZaman and Allen 2011, "Temporal
Evaluation").

The closure is exact: what follows is found, and what does not follow is not. Three facts make it
simple. Without ``<=``, no equality ever follows from orders: two points are equal only if links
say so. ``a < b`` follows if and only if there is a path from a to b. And a relation is consistent
with the graph if and only if each of its constraints is: since starts come before ends, the first
constraint of a relation never decides its second.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from chronoscore.ordering.model import Link

Judgement = Literal["holds", "contradicted", "unknown"]
Constraint = tuple[int, Literal["<", "="], int]

# The points of a link's source x and target y, as positions in (x-start, x-end, y-start, y-end).
_XS, _XE, _YS, _YE = range(4)

_EQUAL: tuple[Constraint, ...] = ((_XS, "=", _YS), (_XE, "=", _YE))

RELATIONS: Mapping[str, tuple[Constraint, ...]] = MappingProxyType(
    {
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
        "SIMULTANEOUS": _EQUAL,
        "IDENTITY": _EQUAL,
    }
)

_CONSTRAINTS = dict(RELATIONS)  # a plain one is looked up faster

INVERSE: Mapping[str, str] = MappingProxyType(
    {
        "BEFORE": "AFTER",
        "AFTER": "BEFORE",
        "IBEFORE": "IAFTER",
        "IAFTER": "IBEFORE",
        "BEGINS": "BEGUN_BY",
        "BEGUN_BY": "BEGINS",
        "ENDS": "ENDED_BY",
        "ENDED_BY": "ENDS",
        "INCLUDES": "IS_INCLUDED",
        "IS_INCLUDED": "INCLUDES",
        "SIMULTANEOUS": "SIMULTANEOUS",
        "IDENTITY": "IDENTITY",
    }
)


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
    looked at again, so that an event with a long future takes in a new equal at no cost.
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
        """Whether the link follows from the graph, is excluded by it, or neither.

        A relation that is not in `RELATIONS` and an entity without links are unknown. Nothing but
        equality can hold between an entity and itself.
        """
        source, target, relation = link
        constraints = _CONSTRAINTS.get(relation)
        if constraints is None:
            return "unknown"
        if source == target and constraints is not _EQUAL:
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
        """Add a link and all that follows from it; it must not contradict the graph."""
        if link.relation not in RELATIONS:
            raise ValueError(
                f"unknown relation {link.relation!r}, known are {', '.join(RELATIONS)}"
            )
        if self.judge(link) == "contradicted":
            raise ValueError(f"{link} contradicts the links of the graph")
        self.learn(link)

    def learn(self, link: Link) -> None:
        """Add a link of a known relation that was judged already, and does not contradict."""
        source, target, relation = link
        if source not in self._start:
            self._enter(source)
        if target not in self._start:
            self._enter(target)
        x, y = self._start[source], self._start[target]
        points = (x, x + 1, y, y + 1)
        for left, sign, right in _CONSTRAINTS[relation]:
            if sign == "=":
                self._merge(self._root(points[left]), self._root(points[right]))
            else:
                self._precede(self._root(points[left]), self._root(points[right]))

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
        # The class that stays should be the one with more after it: a guess, and then the older.
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
            grown = known | earlier
            if grown != known:
                before[root] = grown
                points += following[root]
