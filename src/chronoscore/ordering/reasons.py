"""Explain verdicts on links: the fewest links from which a relation follows.

What follows from a set of links follows from paths over their points
(`chronoscore.ordering.graph`): ``a < b`` if a path leads from a to b that has a ``<`` in it,
``a = b`` if one of equalities alone does. So the shortest reason for a constraint is a shortest
path, where a step along a link costs one and the step from an entity's start to its end costs
nothing. The reason for a relation is that of its constraints together: each is the shortest by
itself.

>>> links = [Link("war", "truce", "BEFORE"), Link("treaty", "truce", "IAFTER"),
...          Link("truce", "vote", "BEFORE"), Link("vote", "crisis", "BEFORE")]
>>> implied = Chains(links).relation("crisis", "war")
>>> implied.relation
'AFTER'
>>> [" ".join(link) for link in implied.chain]
['war truce BEFORE', 'truce vote BEFORE', 'vote crisis BEFORE']
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from msgspec.structs import replace

from chronoscore.core.evidence import Match
from chronoscore.ordering.awareness import Awareness, LinkVerdict, meaning
from chronoscore.ordering.graph import RELATIONS, Constraint
from chronoscore.ordering.model import SIDES, Link, match_of

Sign = Literal["<", "="]
_MOST_STEPS = 4
_MOST_CHAINS = 200
_Node = tuple[int, bool]  # a point, and whether a `<` was passed on the way to it


class Implied(NamedTuple):
    """The relation that follows between two entities, and the links that it follows from."""

    relation: str
    chain: tuple[Link, ...]


class Chains:
    """A graph over the points of links that finds shortest reasons.

    The links should not contradict each other. An unknown relation says nothing, and entities that
    no link names have no points.
    """

    def __init__(self, links: Iterable[Link]) -> None:
        self._start: dict[str, int] = {}
        self._steps: list[list[tuple[int, bool, Link | None]]] = []
        for link in dict.fromkeys(links):
            for entity in link[:2] if meaning(link.relation) in RELATIONS else ():
                if entity not in self._start:
                    self._start[entity] = start = len(self._steps)
                    self._steps += [[(start + 1, True, None)], []]
            for left, sign, right in self._constraints(link):
                self._steps[left].append((right, sign == "<", link))
                if sign == "=":
                    self._steps[right].append((left, False, link))

    def _constraints(self, link: Link) -> list[Constraint]:
        """Return a link's constraints on points; none if its relation or an entity is unknown."""
        x, y = self._start.get(link.source), self._start.get(link.target)
        if x is None or y is None:
            return []
        points = (x, x + 1, y, y + 1)
        constraints = RELATIONS.get(meaning(link.relation), ())
        return [(points[left], sign, points[right]) for left, sign, right in constraints]

    def relation(self, source: str, target: str) -> Implied | None:
        """Return the relation that follows between two entities, with its chain; else None."""
        for relation in RELATIONS:
            chain = self.support(Link(source, target, relation))
            if chain is not None:
                return Implied(relation, chain)
        return None

    def support(self, link: Link) -> tuple[Link, ...] | None:
        """Return the fewest links for each constraint of a link; None if one does not follow."""
        reasons: dict[Link, None] = {}
        constraints = self._constraints(link)
        for left, sign, right in constraints:
            path = self._path(left, right, sign)
            if path is None:
                return None
            reasons |= dict.fromkeys(path)
        return tuple(reasons) if constraints else None

    def against(self, link: Link) -> tuple[Link, ...] | None:
        """Return the fewest links that contradict one constraint of a link; None if none do."""
        paths: list[tuple[Link, ...] | None] = []
        for left, sign, right in self._constraints(link):
            if left == right:
                paths.append(() if sign == "<" else None)
                continue
            # a < b is contradicted by b < a and by b = a, and a = b by either order.
            paths.append(self._path(right, left, "<"))
            paths.append(self._path(left, right, "<" if sign == "=" else "="))
        known = [path for path in paths if path is not None]
        return min(known, key=len) if known else None

    def _path(self, first: int, last: int, sign: Sign) -> tuple[Link, ...] | None:
        """Return the links of a shortest path with a `<` in it, or of one of equalities alone."""
        start, goal = (first, False), (last, sign == "<")
        if start == goal:
            return ()
        previous: dict[_Node, tuple[_Node, Link | None]] = {}
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
                    previous[further] = (node, link)
                    (waiting.append if link is not None else waiting.appendleft)(further)
        if goal not in previous:
            return None
        path: list[Link] = []
        node = goal
        while node != start:
            node, link = previous[node]
            if link is not None:
                path.append(link)
        return tuple(dict.fromkeys(reversed(path)))


def link_matches(
    awareness: Awareness, names: Mapping[str, str], owners: Mapping[str, tuple[str, ...]]
) -> Iterator[Match]:
    """Yield a match for each counted link of either side, with what the other side says of it.

    Links are written with the `names` of their entities. `owners` are the predicted items behind
    an entity of the system; a time has none.
    """
    gold, system = awareness.gold, awareness.system
    sides = (system, gold, awareness.system_verdicts), (gold, system, awareness.gold_verdicts)
    for side, (links, other_links, verdicts) in zip(SIDES, sides, strict=True):
        reasons = _Reasons(links.consistent, other_links.consistent, names)
        violated = frozenset(links.violated)
        for verdict in verdicts:
            link = reasons.written(verdict.link)
            if verdict.link in violated:
                link += f"\n({reasons.violates(verdict.link)})"
            instead = "" if verdict.verified else reasons.instead(verdict)
            match = match_of(side, link, instead, verdict.how, float(verdict.verified))
            if side == "precision":
                items = (item for end in verdict.link[:2] for item in owners.get(end, ()))
                match = replace(match, about=tuple(items))
            yield match


class _Reasons:
    """The reasons for the verdicts on one side's links, from the consistent links of both sides.

    A reason has a line for each step, and a long chain is cut in its middle, so that it can be
    read. Chains are looked up for the first verdicts of a side only: each takes a walk through the
    whole graph, and nobody reads thousands of them.
    """

    def __init__(
        self, links: Sequence[Link], other_links: Sequence[Link], names: Mapping[str, str]
    ) -> None:
        self._chains, self._other_chains = Chains(links), Chains(other_links)
        self._known = {entity for link in other_links for entity in link[:2]}
        self._names = names
        self._chains_left = _MOST_CHAINS

    def written(self, link: Link) -> str:
        """Return the link with mentions and anchors in place of ids."""
        return f"{self._names[link.source]} {link.relation} {self._names[link.target]}"

    def instead(self, verdict: LinkVerdict) -> str:
        """Return what the other side says of the two ends of a link that it does not verify."""
        link = verdict.link
        if verdict.how == "entity missing":
            missing = [
                self._names[end] for end in dict.fromkeys(link[:2]) if end not in self._known
            ]
            return ",\n".join(f"has no {name}" for name in missing)
        if verdict.how == "unknown":
            return "says nothing of the two"
        if verdict.how != "contradicted" or not self._may_look_up():
            return ""
        implied = self._other_chains.relation(link.source, link.target)
        if implied is None or not implied.chain:  # no relation follows, but a contradiction does
            chain = self._other_chains.against(link)
            return f"not so,\nby {self._written_chain(chain)}" if chain else ""
        other = link._replace(relation=implied.relation)
        by = "" if len(implied.chain) == 1 else f",\nby {self._written_chain(implied.chain)}"
        return f"{self.written(other)}{by}"

    def violates(self, link: Link) -> str:
        """Return the shortest chain of links of its own side that a violated link contradicts."""
        if not self._may_look_up():
            return "violated: against links before it"
        chain = self._chains.against(link)
        against = self._written_chain(chain) if chain else "itself"
        return f"violated: against {against}"

    def _may_look_up(self) -> bool:
        self._chains_left -= 1
        return self._chains_left >= 0

    def _written_chain(self, chain: Sequence[Link]) -> str:
        steps = [self.written(link) for link in chain]
        if len(steps) > _MOST_STEPS:
            steps = [*steps[:2], f"... {len(steps) - 3} more", steps[-1]]
        return ",\n".join(steps)
