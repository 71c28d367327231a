"""The pages of orders, links and coreference: cases and counts, and a picture of each order.

The script of the page draws an order as columns of positions, the gold's and those of systems, with
lines between matched events. What it can't know is found here: which events are out of order.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from chronoscore.ordering.model import read_anchor
from chronoscore.reports.html.cases import CaseView
from chronoscore.reports.html.drawing import line_key
from chronoscore.reports.html.explained import Explained
from chronoscore.reports.html.markup import Html, tag
from chronoscore.reports.html.report import COUNTS, Pages

Pair = tuple[int, int]


def moved(gold: Mapping[str, Sequence[str]], system: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """Return the names of as few events as explain that both sides order others alike.

    >>> gold = {"hit": ("1", "2001"), "run": ("2", "2001"), "fall": ("3", "2002")}
    >>> system = {"fall": ("1", "2002"), "hit": ("2", "2001"), "run": ("3", "2001")}
    >>> sorted(moved(gold, system))
    ['fall']
    """
    in_gold, in_system = _positions(gold), _positions(system)
    both = {name: (in_gold[name], in_system[name]) for name in in_gold if name in in_system}
    in_order = _in_order(list(both.values()))
    return frozenset(name for name, pair in both.items() if pair not in in_order)


def _positions(items: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return the positions of the events of a case; its other items are links between them."""
    return {
        name: int(texts[0])
        for name, texts in items.items()
        if len(texts) == 2 and texts[0].isdecimal()
    }


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


def _data(explained: Explained, texts: Sequence[str]) -> dict[str, Any]:
    """Return which events of each system and case moved, by place, and which texts mean no date."""

    def moved_places(system: str, case: str) -> list[int]:
        predicted = explained.predicted.get((system, case), {})
        out_of_order = moved(explained.gold.get(case, {}), predicted)
        return [place for place, name in enumerate(predicted) if name in out_of_order]

    return {
        "moved": [
            [moved_places(system.name, case) for case in explained.cases]
            for system in explained.result.systems
        ],
        "undated": [at for at, text in enumerate(texts) if read_anchor(text) is None],
    }


def _legend(_: Explained) -> Html:
    words = "moved: out of order (as few events as explain all crossings)"
    alone = {"missing": "only the gold has it", "spurious": "only the system has it"}
    keys = [line_key("kept", "in order"), line_key("moved", words)]
    keys += [tag("li", tag("span", mark, class_="mark"), text) for mark, text in alone.items()]
    label = "How to read the pictures"
    return tag("ul", keys, class_="legend order-legend", aria_label=label)


PAGES = Pages(
    sections=(COUNTS,),
    view=CaseView(
        "order", ("order.js",), "timeline", "Timeline by timeline", legend=_legend, data=_data
    ),
)
LINK_PAGES = Pages(sections=(COUNTS,))
"""Those of links and of coreference, which have no positions."""
