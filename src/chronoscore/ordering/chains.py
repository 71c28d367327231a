"""Why something follows: the fewest links given that make it so.

What follows from a set of links follows from paths over their points
(`chronoscore.ordering.graph`): ``a < b`` if a path leads from a to b that has a ``<`` in it,
``a = b`` if one of equalities alone does. So the shortest reason for a constraint is a shortest
path, where a step along a link costs one and the step from an entity's start to its end costs
nothing. The reason for a relation is that of its constraints together: each is the shortest by
itself.

>>> links = [Link("war", "truce", "BEFORE"), Link("treaty", "truce", "IAFTER"),
...          Link("truce", "vote", "BEFORE"), Link("vote", "crisis", "BEFORE")]
>>> said = Chains(links).relation("crisis", "war")
>>> said.relation
'AFTER'
>>> told(said.chain)
'war BEFORE truce, truce BEFORE vote, vote BEFORE crisis'
"""

from collections import deque
from collections.abc import Iterable
from typing import Literal, NamedTuple

from chronoscore.ordering.awareness import meaning
from chronoscore.ordering.graph import RELATIONS, Constraint
from chronoscore.ordering.model import Link

Sign = Literal["<", "="]
_Node = tuple[int, bool]  # a point, and whether a `<` was passed on the way to it


class Said(NamedTuple):
    """The relation that follows between two entities, and the links that it follows from."""

    relation: str
    chain: tuple[Link, ...]


def shortest_chain(links: Iterable[Link], source: str, target: str) -> tuple[Link, ...]:
    """The fewest links that make a relation between two entities follow; none if none does.

    >>> told(shortest_chain([Link("a", "b", "BEFORE"), Link("b", "c", "BEFORE")], "c", "a"))
    'a BEFORE b, b BEFORE c'
    """
    said = Chains(links).relation(source, target)
    return said.chain if said is not None else ()


def why(links: Iterable[Link], link: Link) -> tuple[Link, ...]:
    """The fewest links from which a link follows; none if it does not."""
    return Chains(links).support(link) or ()


def why_not(links: Iterable[Link], link: Link) -> tuple[Link, ...]:
    """The fewest links that contradict a link; none if nothing does.

    >>> links = [Link("a", "b", "BEFORE"), Link("b", "c", "BEFORE"), Link("a", "d", "BEFORE")]
    >>> told(why_not(links, Link("c", "a", "SIMULTANEOUS")))
    'a BEFORE b, b BEFORE c'
    """
    return Chains(links).against(link) or ()


def told(chain: Iterable[Link]) -> str:
    """A chain in words."""
    return ", ".join(f"{source} {relation} {target}" for source, target, relation in chain)


class Chains:
    """Links ready to be asked many times. They should not contradict each other.

    An unknown relation says nothing, and entities that no link names have no points.
    """

    def __init__(self, links: Iterable[Link]) -> None:
        self._start: dict[str, int] = {}
        self._steps: list[list[tuple[int, bool, Link | None]]] = []
        for link in dict.fromkeys(links):
            for left, sign, right in self._enter(link):
                self._steps[left].append((right, sign == "<", link))
                if sign == "=":
                    self._steps[right].append((left, False, link))

    def _enter(self, link: Link) -> list[Constraint]:
        constraints = RELATIONS.get(meaning(link.relation), ())
        if not constraints:
            return []
        for entity in (link.source, link.target):
            if entity not in self._start:
                self._start[entity] = start = len(self._steps)
                self._steps += [[(start + 1, True, None)], []]
        return self._points(link, constraints)

    def _points(self, link: Link, constraints: Iterable[Constraint]) -> list[Constraint]:
        x, y = self._start[link.source], self._start[link.target]
        points = (x, x + 1, y, y + 1)
        return [(points[left], sign, points[right]) for left, sign, right in constraints]

    def relation(self, source: str, target: str) -> Said | None:
        """The relation that follows between two entities, and its chain; None if none does."""
        for relation in RELATIONS:
            chain = self.support(Link(source, target, relation))
            if chain is not None:
                return Said(relation, chain)
        return None

    def support(self, link: Link) -> tuple[Link, ...] | None:
        """The fewest links for each constraint of a link; None where one does not follow."""
        found: dict[Link, None] = {}
        constraints = self._asked(link)
        for left, sign, right in constraints:
            path = self._path(left, right, sign)
            if path is None:
                return None
            found |= dict.fromkeys(path)
        return tuple(found) if constraints else None

    def against(self, link: Link) -> tuple[Link, ...] | None:
        """The fewest links that contradict one constraint of a link; None where nothing does."""
        paths: list[tuple[Link, ...] | None] = []
        for left, sign, right in self._asked(link):
            if left == right:
                paths.append(() if sign == "<" else None)
                continue
            # a < b is contradicted by b < a and by b = a, and a = b by either order.
            paths.append(self._path(right, left, "<"))
            paths.append(self._path(left, right, "<" if sign == "=" else "="))
        known = [path for path in paths if path is not None]
        return min(known, key=len) if known else None

    def _asked(self, link: Link) -> list[Constraint]:
        if link.source not in self._start or link.target not in self._start:
            return []
        return self._points(link, RELATIONS.get(meaning(link.relation), ()))

    def _path(self, first: int, last: int, sign: Sign) -> tuple[Link, ...] | None:
        """The links of a shortest path with a `<` in it, or of one that is all equalities."""
        start, goal = (first, False), (last, sign == "<")
        if start == goal:
            return ()
        came: dict[_Node, tuple[_Node, Link | None]] = {}
        costs = {start: 0}
        waiting = deque([start])
        while waiting:  # by breadth, steps that cost nothing first
            node = waiting.popleft()
            if node == goal:
                break
            point, passed = node
            for other, strict, link in self._steps[point]:
                if strict and sign == "=":
                    continue
                further = (other, passed or strict)
                cost = costs[node] + (link is not None)
                if cost < costs.get(further, cost + 1):
                    costs[further] = cost
                    came[further] = (node, link)
                    (waiting.append if link is not None else waiting.appendleft)(further)
        if goal not in came:
            return None
        found: list[Link] = []
        node = goal
        while node != start:
            node, link = came[node]
            if link is not None:
                found.append(link)
        return tuple(dict.fromkeys(reversed(found)))
