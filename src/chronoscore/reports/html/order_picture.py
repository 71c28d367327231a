"""Two columns of positions, the gold's and a system's, with lines between matched events.

The lists are text and the lines between them a drawing, so that names keep their size where the
page is narrow. Every row has the same height, in pixels, on which both depend.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from chronoscore.reports.html.markup import Html, joined, tag

ROW = 26
"""The height of a row in pixels; `order.css` has it too."""
MOST = 300
"""Events that are drawn of a timeline; the others are counted."""

Pair = tuple[int, int]


class Placed(NamedTuple):
    """An event as one side places it."""

    name: str
    position: int
    anchor: str


class Columns(NamedTuple):
    """The events of both sides from top to bottom, and the names that are out of order."""

    gold: tuple[Placed, ...]
    system: tuple[Placed, ...]
    moved: frozenset[str]

    @property
    def matched(self) -> frozenset[str]:
        """The names that both sides have."""
        return frozenset(e.name for e in self.gold) & frozenset(e.name for e in self.system)


def columns(gold: Mapping[str, Sequence[str]], system: Mapping[str, Sequence[str]]) -> Columns:
    """Sort both sides by position; simultaneous events stand as the other side has them."""
    ours, theirs = _placed(gold), _placed(system)
    there = {event.name: event.position for event in theirs}
    here = {event.name: event.position for event in ours}
    last = max((*there.values(), *here.values()), default=0) + 1
    left = sorted(ours, key=lambda e: (e.position, there.get(e.name, last), e.name))
    right = sorted(theirs, key=lambda e: (e.position, here.get(e.name, last), e.name))
    both = {name: (here[name], there[name]) for name in here if name in there}
    kept = _in_order(list(both.values()))
    moved = frozenset(name for name, pair in both.items() if pair not in kept)
    return Columns(tuple(left), tuple(right), moved)


def _placed(items: Mapping[str, Sequence[str]]) -> list[Placed]:
    """The events among all that matches speak of: they have a position and an anchor."""
    return [
        Placed(name, int(texts[0]), texts[1])
        for name, texts in items.items()
        if len(texts) == 2 and texts[0].isdecimal()
    ]


def _in_order(pairs: Sequence[Pair]) -> frozenset[Pair]:
    """The places of as many events as can stay where they are: both sides order them alike.

    The heaviest chain of places that rises on both sides; a place weighs as much as it has events.
    """
    weights: dict[Pair, int] = {}
    for pair in pairs:
        weights[pair] = weights.get(pair, 0) + 1
    # Later places of the same gold position come first, so that they never stand on each other.
    places = sorted(weights, key=lambda place: (place[0], -place[1]))
    ranks = {position: rank for rank, position in enumerate(sorted({s for _, s in places}), 1)}
    tops: list[int | None] = [None] * (len(ranks) + 1)  # a tree of the best ends (Fenwick 1994)
    best: list[int] = []
    before: list[int | None] = []
    for at, place in enumerate(places):
        top: int | None = None
        rank = ranks[place[1]] - 1
        while rank:
            other = tops[rank]
            if other is not None and (top is None or best[other] > best[top]):
                top = other
            rank &= rank - 1
        best.append(weights[place] + (best[top] if top is not None else 0))
        before.append(top)
        rank = ranks[place[1]]
        while rank < len(tops):
            held = tops[rank]
            if held is None or best[held] < best[at]:
                tops[rank] = at
            rank += rank & -rank
    found: set[Pair] = set()
    last = max(range(len(places)), key=lambda at: best[at], default=None)
    while last is not None:
        found.add(places[last])
        last = before[last]
    return frozenset(found)


def picture(drawn: Columns, system: str) -> Html:
    """The two columns and the lines between them."""
    matched = drawn.matched
    alone = len(drawn.gold) - len(matched), len(drawn.system) - len(matched)
    told = (
        f"{len(matched)} matched, {len(drawn.moved)} of them out of order, "
        f"{alone[0]} missing, {alone[1]} spurious"
    )
    return tag(
        "figure",
        tag("figcaption", tag("b", system), f": {told}"),
        tag(
            "div",
            _column(drawn.gold, drawn, "gold", "missing"),
            _lines(drawn, f"{system}: {told}"),
            _column(drawn.system, drawn, "system", "spurious"),
            class_="order",
        ),
        class_="orders",
    )


def _column(events: Sequence[Placed], drawn: Columns, side: str, alone: str) -> Html:
    matched = drawn.matched
    rows: list[Html] = []
    above: int | None = None
    for event in events[:MOST]:
        mark = "" if event.name in matched else alone
        if event.name in drawn.moved:
            mark = "moved"
        first = event.position != above
        above = event.position
        rows.append(
            tag(
                "li",
                tag("span", str(event.position), class_="position" if first else "position again"),
                tag("span", event.name, class_="mention"),
                tag("span", event.anchor, class_="anchor"),
                tag("span", mark, class_="mark") if mark else "",
                class_=mark or None,
                title=f"{event.position}  {event.name}  {event.anchor}",
            )
        )
    if len(events) > MOST:
        rows.append(tag("li", f"and {len(events) - MOST} more", class_="more"))
    return tag("ol", rows, class_=f"column {side}", aria_label=f"{side} order")


def _lines(drawn: Columns, told: str) -> Html:
    left = {event.name: place for place, event in enumerate(drawn.gold[:MOST])}
    right = {event.name: place for place, event in enumerate(drawn.system[:MOST])}
    lines = [
        tag(
            "line",
            x1="0%",
            x2="100%",
            y1=ROW * place + ROW // 2,
            y2=ROW * right[name] + ROW // 2,
            class_="moved" if name in drawn.moved else "kept",
        )
        for name, place in left.items()
        if name in right
    ]
    # Those out of order come last, and so lie on top.
    lines.sort(key=lambda line: 'class="moved"' in line)
    height = ROW * max(min(MOST + 1, len(drawn.gold)), min(MOST + 1, len(drawn.system)), 1)
    return tag("svg", lines, height=height, role="img", aria_label=told)


def legend() -> Html:
    """How to read the pictures."""
    keys = [
        _key(tag("line", x1=1, x2=33, y1=7, y2=7, class_="kept"), "in order"),
        _key(
            tag("line", x1=1, x2=33, y1=7, y2=7, class_="moved"),
            "moved: out of order (as few events as explain all crossings)",
        ),
    ]
    alone = [
        tag("li", tag("span", "missing", class_="mark"), "only the gold has it"),
        tag("li", tag("span", "spurious", class_="mark"), "only the system has it"),
    ]
    return tag(
        "ul", keys, alone, class_="legend order-legend", aria_label="How to read the pictures"
    )


def _key(mark: Html, text: str) -> Html:
    return joined(tag("li", tag("svg", mark, width=34, height=14, aria_hidden="true"), text))
