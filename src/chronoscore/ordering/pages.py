"""The pages of orders, links and coreference: a picture of each timeline, cases and counts.

A picture has two columns of positions, the gold's and a system's, with lines between matched
events. The lists are text and the lines between them a drawing, so that names keep their size
where the page is narrow. Every row has the same height, in pixels, on which both depend.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

from chronoscore.ordering.metrics import PlacedEvent
from chronoscore.reports.html.cases import CaseView
from chronoscore.reports.html.drawing import line_key
from chronoscore.reports.html.explained import Explained
from chronoscore.reports.html.markup import Html, fill, joined, opening, tag
from chronoscore.reports.html.report import COUNTS, Pages

ROW = 26
"""The height of a row in pixels; `report.css` has it too."""
MOST = 300
"""The most events that are drawn of a timeline; the others are counted."""
FEW = 3
"""The most timelines of which all pictures are open at first."""

Pair = tuple[int, int]


class OrderColumns(NamedTuple):
    """The events of both sides from top to bottom, and the names that are out of order."""

    gold: tuple[PlacedEvent, ...]
    system: tuple[PlacedEvent, ...]
    moved: frozenset[str]

    @property
    def matched(self) -> frozenset[str]:
        """The names that both sides have."""
        return frozenset(e.name for e in self.gold) & frozenset(e.name for e in self.system)


def columns(gold: Mapping[str, Sequence[str]], system: Mapping[str, Sequence[str]]) -> OrderColumns:
    """Sort both sides by position; simultaneous events come in the order of the other side."""
    golds, systems = _placed(gold), _placed(system)
    in_gold, in_system = ({event.name: event.position for event in s} for s in (golds, systems))
    last = max((*in_system.values(), *in_gold.values()), default=0) + 1
    gold_column = sorted(golds, key=lambda e: (e.position, in_system.get(e.name, last), e.name))
    system_column = sorted(systems, key=lambda e: (e.position, in_gold.get(e.name, last), e.name))
    both = {name: (in_gold[name], in_system[name]) for name in in_gold if name in in_system}
    in_order = _in_order(list(both.values()))
    moved = frozenset(name for name, pair in both.items() if pair not in in_order)
    return OrderColumns(tuple(gold_column), tuple(system_column), moved)


def _placed(items: Mapping[str, Sequence[str]]) -> list[PlacedEvent]:
    """Return the events among the items of a case: those with a position and an anchor."""
    return [
        PlacedEvent(name, int(texts[0]), texts[1])
        for name, texts in items.items()
        if len(texts) == 2 and texts[0].isdecimal()
    ]


def _in_order(pairs: Sequence[Pair]) -> frozenset[Pair]:
    """Return the places of the largest set of events that both sides order alike.

    It is the heaviest chain of places that rises on both sides; the weight of a place is the number
    of its events.
    """
    weights = Counter(pairs)
    # Later places of the same gold position come first, so that no chain has two of them.
    places = sorted(weights, key=lambda place: (place[0], -place[1]))
    ranks = {position: rank for rank, position in enumerate(sorted({s for _, s in places}), 1)}
    heavier = itemgetter(0)
    # A tree of the heaviest chains that end at or below a rank (Fenwick 1994): weight, last place.
    ends = [(0, -1)] * (len(ranks) + 1)
    before: list[int] = []
    for at, place in enumerate(places):
        top, rank = (0, -1), ranks[place[1]] - 1
        while rank:
            top = max(top, ends[rank], key=heavier)
            rank &= rank - 1
        before.append(top[1])
        rank = ranks[place[1]]
        while rank < len(ends):
            ends[rank] = max(ends[rank], (weights[place] + top[0], at), key=heavier)
            rank += rank & -rank
    chain: set[Pair] = set()
    last = max(ends, key=heavier)[1]
    while last >= 0:
        chain.add(places[last])
        last = before[last]
    return frozenset(chain)


def picture(drawn: OrderColumns, system: str) -> Html:
    """Draw the two columns and the lines between them."""
    matched = len(drawn.matched)
    undated = [sum(not event.dated for event in side) for side in (drawn.gold, drawn.system)]
    summary = (
        f"{matched} matched, {len(drawn.moved)} of them out of order, "
        f"{len(drawn.gold) - matched} missing, {len(drawn.system) - matched} spurious"
        + (f"; undated: {undated[0]} gold, {undated[1]} predicted" if any(undated) else "")
    )
    return fill(
        """<figure class="orders"><figcaption><b>{system}</b>: {summary}</figcaption>
        <div class="order">{gold}{lines}{predicted}</div></figure>""",
        system=system,
        summary=summary,
        gold=_column(drawn.gold, drawn, "gold", "missing"),
        lines=_lines(drawn, f"{system}: {summary}"),
        predicted=_column(drawn.system, drawn, "system", "spurious"),
    )


def _column(events: Sequence[PlacedEvent], drawn: OrderColumns, side: str, alone: str) -> Html:
    matched = drawn.matched
    rows: list[Html] = []
    above: int | None = None
    for event in events[:MOST]:
        moved = "moved" if event.name in drawn.moved else ""
        mark = moved if event.name in matched else alone
        position, anchor = str(event.position), event.anchor if event.dated else "undated"
        rows.append(
            tag(
                "li",
                tag("span", position, class_=f"position{' again' * (event.position == above)}"),
                tag("span", event.name, class_="mention"),
                tag("span", anchor, class_="anchor"),
                tag("span", mark, class_="mark") if mark else "",
                class_=mark or None,
                title=f"{position}  {event.name}  {anchor}",
            )
        )
        above = event.position
    if len(events) > MOST:
        rows.append(tag("li", f"and {len(events) - MOST} more", class_="more"))
    return tag("ol", rows, class_=f"column {side}", aria_label=f"{side} order")


def _lines(drawn: OrderColumns, label: str) -> Html:
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
    return tag("svg", lines, height=height, role="img", aria_label=label)


def orders_section(explained: Explained) -> Html:
    """Draw a picture for each timeline and system; empty where the result holds no events."""
    blocks: list[Html] = []
    for case in explained.cases:
        gold = explained.gold.get(case, {})
        drawn = {
            system.name: columns(gold, explained.predicted[system.name, case])
            for system in explained.result.systems
            if (system.name, case) in explained.predicted
        }
        pictures = [
            picture(order, name) for name, order in drawn.items() if order.gold or order.system
        ]
        if not pictures:
            continue
        moved = max(len(order.moved) for order in drawn.values())
        most = "at most " if len(drawn) > 1 else ""
        summary = f"{most}{moved} out of order" if moved else "all matched events in order"
        is_open = len(explained.cases) <= FEW
        blocks.append(opening(case, summary, pictures, kind="timeline", is_open=is_open))
    return joined(_legend(), blocks) if blocks else Html("")


def _legend() -> Html:
    moved = "moved: out of order (as few events as explain all crossings)"
    alone = {"missing": "only the gold has it", "spurious": "only the system has it"}
    keys = [line_key("kept", "in order"), line_key("moved", moved)]
    keys += [tag("li", tag("span", mark, class_="mark"), text) for mark, text in alone.items()]
    label = "How to read the pictures"
    return tag("ul", keys, class_="legend order-legend", aria_label=label)


PAGES = Pages(
    sections=(("orders", "Timeline by timeline", orders_section), COUNTS),
    view=CaseView(data=lambda *_: {"facts": False}),  # orders have pictures of their own
)
