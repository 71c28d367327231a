"""The closure of the TempEval-3 toolkit, with its errors: what published numbers were made with.

The toolkit keeps the points of entities in chains (UzZaman and Allen 2011, "Temporal Evaluation",
after the time graphs of Gerevini and Schubert 1995). A point has a position in its chain, so that a
question within one chain is a comparison of two numbers. Cross links lead from a point of one chain
to a later point of another, and a question about two chains is a search along them.

A link between two new entities begins a chain. A new entity is put into the chain of the one that
is known, if there is room next to its points, and else begins a chain that is tied to it by cross
links. A link between two known entities is checked, and becomes cross links if it is new. The
errors are not in this idea but in its details, and each of them decides some published count:

- Positions are whole numbers 1000 apart, and a point between two others takes the middle or a
  third, rounded down; so points meet where entities are nested deeply.
- A new entity before a known one has its start at -1000, wherever its end is.
- Two entities that are equal, or that start or end together, may share one point, and then also
  share all that is later added to it, even where only one of the two was meant.
- A point of the known entity forgets a neighbour when a new one takes its place.
- BEGINS is never found between two known entities; it always counts as a contradiction.
- A search never enters a chain twice, so that a path may be missed, and it follows cross links
  both of whose ends may have come to lie in a wrong order.
- A relation that is unknown puts all points of two new entities on one place.

`chronoscore.ordering.graph.TemporalGraph` has the same methods and infers exactly what follows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from chronoscore.ordering.graph import EQUAL, INVERSE, RELATIONS, Judgement
from chronoscore.ordering.model import Link

_FIRST, _STEP = 100_000, 1000

_FRESH = {
    "BEFORE": "xs xe ys ye",
    "IBEFORE": "xs xe=ys ye",
    "BEGINS": "xs=ys xe ye",
    "ENDS": "ys xs xe=ye",
    "INCLUDES": "xs ys ye xe",
    "SIMULTANEOUS": "xs=ys xe=ye",
    "IDENTITY": "xs=ys xe=ye",
}
"""The order of the points of two new entities x and y; that of an inverse has x and y exchanged."""


@dataclass(slots=True, eq=False)
class _Point:
    """A point: its chain, its place there, and the names of its neighbours and equals.

    `before` and `after` are None at an end of the chain, where a new point has room.
    """

    chain: int = 0
    place: int = 0
    before: Sequence[str] | None = ()
    after: Sequence[str] | None = ()
    equal: list[str] = field(default_factory=list)


class ToolkitGraph:
    """A set of links with the closure of the TempEval-3 toolkit.

    >>> graph = ToolkitGraph()
    >>> graph.take(Link("a", "b", "BEGUN_BY"))
    'unknown'
    >>> graph.take(Link("b", "a", "BEGINS"))
    'contradicted'
    """

    def __init__(self) -> None:
        self._points: dict[str, _Point] = {}  # by the name of an entity with `_s` or `_e`
        self._chains = 0
        # For each chain: the names of its points from which cross links lead, and their ends.
        self._crossings: dict[int, dict[str, list[str]]] = {}

    def __contains__(self, entity: object) -> bool:
        return f"{entity}_s" in self._points

    def judge(self, link: Link) -> Judgement:
        """Return whether the link follows from the graph, is excluded by it, or neither."""
        constraints = RELATIONS.get(link.relation)
        if constraints is None or link.source not in self or link.target not in self:
            return "unknown"
        if link.relation == "BEGINS":
            return "contradicted"
        names = _names(link)
        judgement: Judgement = "holds"
        for left, sign, right in constraints:
            relation = self._relation(names[left], names[right])
            if relation and relation != sign:
                return "contradicted"
            if not relation:
                judgement = "unknown"
        return judgement

    def take(self, link: Link) -> Judgement:
        """Add a link, unless it follows or is excluded; return which of these it is."""
        source, target, relation = link
        known = source in self, target in self
        if not any(known):
            self._begin(link)
        elif not all(known):
            self._place(link if known[1] else Link(target, source, INVERSE.get(relation, "")))
        itself = source == target and RELATIONS.get(relation) is not EQUAL
        if itself or relation not in RELATIONS:
            return "contradicted"
        if not all(known):
            return "unknown"
        judgement = self.judge(link)
        names = _names(link)
        for left, sign, right in RELATIONS[relation] if judgement == "unknown" else ():
            self._cross(names[left], names[right])
            if sign == "=":
                self._cross(names[right], names[left])
                self._points[names[left]].equal.append(names[right])
                self._points[names[right]].equal.append(names[left])
        return judgement

    # Questions

    def _relation(self, x: str, y: str) -> str:
        """Return `<`, `=` or `>` between two points, or nothing."""
        one, two = self._points[x], self._points[y]
        if one.chain == two.chain:
            return "<" if one.place < two.place else ">" if one.place > two.place else "="
        forth, back = self._reaches(one, two), self._reaches(two, one)
        return {(True, True): "=", (True, False): "<", (False, True): ">"}.get((forth, back), "")

    def _reaches(self, start: _Point, goal: _Point) -> bool:
        """Whether cross links lead from a point to another or before it, and enter no chain twice.

        A chain is searched again only from an earlier place, since there may be exponentially many
        paths; where places are in order, a shortest path enters no chain twice anyway.
        """
        paths = [(start, frozenset({start.chain}))]
        entered: dict[int, int] = {}  # the earliest place at which each chain was entered
        for point, chains in paths:
            for end in self._crossed(point):
                if end.chain == goal.chain:
                    if end.place <= goal.place:
                        return True
                elif end.chain not in chains and end.place < entered.get(end.chain, inf):
                    entered[end.chain] = end.place
                    paths.append((end, chains | {end.chain}))
        return False

    def _crossed(self, point: _Point) -> Iterator[_Point]:
        """Yield the ends of cross links from a point and from later ones of its chain."""
        for name, ends in self._crossings.get(point.chain, {}).items():
            if self._points[name].place >= point.place:
                yield from (self._points[end] for end in ends)

    def _cross(self, earlier: str, later: str) -> None:
        ends = self._crossings.setdefault(self._points[earlier].chain, {}).setdefault(earlier, [])
        if later not in ends:
            ends.append(later)

    # Two new entities

    def _begin(self, link: Link) -> None:
        """Put the points of two new entities into a chain of their own."""
        names = dict(zip(("xs", "xe", "ys", "ye"), _names(link), strict=True))
        order = _FRESH.get(link.relation, "")
        if not order and link.relation in INVERSE:
            order = _FRESH[INVERSE[link.relation]].translate(str.maketrans("xy", "yx"))
        groups = [group.split("=") for group in order.split()]
        ends = [None, *([names[point] for point in group] for group in groups), None]
        chain = self._new_chain()
        points = {point: _Point(chain) for point in names}  # where the relation is unknown
        for number, group in enumerate(groups):
            for point in group:
                equal = [names[other] for other in group if other != point]
                place = _FIRST + number * _STEP
                points[point] = _Point(chain, place, ends[number], ends[number + 2], equal)
        self._points.update((names[point], points[point]) for point in names)

    def _new_chain(self) -> int:
        self._chains += 1
        return self._chains

    # A new entity x and a known one y: the points of x take their places next to those of y

    def _place(self, link: Link) -> None:
        place = _PLACES.get(link.relation)
        if place is not None:
            names = _names(link)
            place(self, *names, self._points[names[2]], self._points[names[3]])

    def _before(self, xs: str, xe: str, ys: str, _: str, start: _Point, __: _Point) -> None:
        free = start.before is None
        chain = start.chain if free else self._new_chain()
        self._points[xs] = _Point(chain, -_STEP, None, (xe,))
        self._points[xe] = _Point(chain, start.place - _STEP, (xs,), (ys,))
        start.before = (*(start.before or ()), xe)
        if not free:
            self._cross(xe, ys)

    def _after(self, xs: str, xe: str, _: str, ye: str, __: _Point, end: _Point) -> None:
        free = end.after is None
        chain = end.chain if free else self._new_chain()
        self._points[xs] = _Point(chain, end.place + _STEP, (ye,), (xe,))
        self._points[xe] = _Point(chain, end.place + 2 * _STEP, (xs,), None)
        end.after = (*(end.after or ()), xs)
        if not free:
            self._cross(ye, xs)

    def _ibefore(self, xs: str, xe: str, ys: str, _: str, start: _Point, end: _Point) -> None:
        free = start.before is None
        chain = start.chain if free else self._new_chain()
        start.before = (*(start.before or ()), xs)
        start.equal.append(xe)
        end.before = (*(end.before or ()), xe)
        self._points[xs] = _Point(chain, start.place - _STEP, None, (xe, ys))
        self._points[xe] = replace(start, equal=[*start.equal, ys])
        if not free:
            self._cross(xs, xe)

    def _iafter(self, xs: str, xe: str, _: str, ye: str, start: _Point, end: _Point) -> None:
        free = end.after is None
        chain = end.chain if free else self._new_chain()
        start.after = (*(start.after or ()), xs)
        end.equal.append(xs)
        end.after = (*(end.after or ()), xe)
        self._points[xs] = replace(end, equal=[*end.equal, ye]) if free else end
        self._points[xe] = _Point(chain, end.place + _STEP, (xs, ye), None)
        if not free:
            end.equal.append(ye)
            self._cross(xs, xe)

    def _begins(self, xs: str, xe: str, ys: str, ye: str, start: _Point, end: _Point) -> None:
        self._points[xs] = start
        start.equal += [ys, xs]
        if self._adjacent(ys, ye):
            middle = start.place + (end.place - start.place) // 2
            self._points[xe] = _Point(start.chain, middle, (xs, ys), (ye,))
            start.after = [xe if name == ye else name for name in start.after or ()]
            end.before = [xe if name == ys else name for name in end.before or ()]
        else:
            self._put_between(xe, ys, ye)

    def _begun_by(self, xs: str, xe: str, ys: str, ye: str, start: _Point, end: _Point) -> None:
        self._points[xs] = start
        if end.after is None and start.chain == end.chain:
            start.equal += [xs, ys]
            end.before = (*(end.before or ()), xs)
        self._put_after(xe, ye)

    def _ends(self, xs: str, xe: str, ys: str, ye: str, start: _Point, end: _Point) -> None:
        if self._adjacent(ys, ye):
            middle = start.place + (end.place - start.place) // 2
            self._points[xs] = _Point(start.chain, middle, (ys,), (xe,))
            self._points[xe] = replace(end, before=(xs,), equal=[*end.equal, ye])
            start.after = end.before = (xs,)
            end.equal.append(xe)
        else:
            self._points[xe] = end
            self._put_between(xs, ys, ye)

    def _ended_by(self, xs: str, xe: str, ys: str, ye: str, start: _Point, end: _Point) -> None:
        self._points[xe] = end
        if start.before is None and start.chain == end.chain:
            self._points[xe] = replace(end, equal=[*end.equal, ye])
            start.after = (*(start.after or ()), xe)
            end.equal.append(xe)
        self._put_before(xs, ys)

    def _includes(self, xs: str, xe: str, ys: str, ye: str, start: _Point, end: _Point) -> None:
        if start.before is None and end.after is None:
            self._put_before(xs, ys)
            self._put_after(xe, ye)
            return
        chain = self._new_chain()
        self._points[xs] = _Point(chain, start.place - _STEP, None)
        self._points[xe] = _Point(chain, end.place + _STEP, (xs,), None)
        self._cross(xs, ys)
        self._cross(ye, xe)

    def _is_included(self, xs: str, xe: str, ys: str, ye: str, start: _Point, end: _Point) -> None:
        length = end.place - start.place
        places = start.place + length // 3, start.place + length * 2 // 3
        if self._adjacent(ys, ye):
            before, after = (*start.equal, ys), (*end.equal, ye)
            self._points[xs] = _Point(start.chain, places[0], before, (xe,))
            self._points[xe] = _Point(start.chain, places[1], (xs,), after)
            start.after = (xs,)
        else:
            chain = self._new_chain()
            self._points[xs] = _Point(chain, places[0], None, (xe,))
            self._points[xe] = _Point(chain, places[1], (xs,), None)
            self._cross(ys, xs)
            self._cross(xe, ye)

    def _simultaneous(self, xs: str, xe: str, ys: str, ye: str, start: _Point, end: _Point) -> None:
        self._points[xs], self._points[xe] = start, end
        if start.chain == end.chain:
            start.equal += [ys, xs]
            end.equal += [ye, xe]

    def _adjacent(self, earlier: str, later: str) -> bool:
        """Whether two points are neighbours in one chain."""
        one, two = self._points[earlier], self._points[later]
        neighbours = later in (one.after or ()) and earlier in (two.before or ())
        return one.chain == two.chain and neighbours

    def _put_before(self, new: str, known: str) -> None:
        point = self._points[known]
        if point.before is None:
            point.before = (new,)
            self._points[new] = _Point(point.chain, point.place - _STEP, None, (known,))
        else:
            self._points[new] = _Point(self._new_chain(), point.place - _STEP, None, None)
            self._cross(new, known)

    def _put_after(self, new: str, known: str) -> None:
        point = self._points[known]
        if point.after is None:
            point.after = (new,)
            self._points[new] = _Point(point.chain, point.place + _STEP, (known,), None)
        else:
            self._points[new] = _Point(self._new_chain(), point.place + _STEP, None, None)
            self._cross(known, new)

    def _put_between(self, new: str, earlier: str, later: str) -> None:
        one, two = self._points[earlier], self._points[later]
        if one.after is None:
            one.after = (new,)
            self._points[new] = _Point(one.chain, one.place + _STEP, (earlier,), None)
            self._cross(new, later)
        elif two.before is None:
            two.before = (new,)
            self._points[new] = _Point(two.chain, two.place - _STEP, (), (later,))
            self._cross(earlier, new)
        else:
            middle = one.place + (two.place - one.place) // 2
            self._points[new] = _Point(self._new_chain(), middle)
            self._cross(earlier, new)
            self._cross(new, later)


_PLACES = {
    name: getattr(ToolkitGraph, f"_{name.lower()}") for name in RELATIONS if name != "IDENTITY"
}
_PLACES["IDENTITY"] = _PLACES["SIMULTANEOUS"]


def _names(link: Link) -> tuple[str, str, str, str]:
    source, target, _ = link
    return f"{source}_s", f"{source}_e", f"{target}_s", f"{target}_e"
