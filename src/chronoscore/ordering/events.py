"""The events of two timelines, matched by their mentions, and the order of all pairs of them.

An event is a mention, as in the official scorer (`chronoscore.ordering.semeval`), and is matched
with the mention of the same text: the first with the first, the second with the second. That is the
official numbering without its error: there, a text that occurs three or more times apart can get a
number twice. Position 0 is no position: such events are left out.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeVar

from chronoscore.ordering.model import Link, TargetTimeline, TimelineRow
from chronoscore.ordering.semeval import mention_name, natural_key

Owner = TypeVar("Owner")
_YEAR = re.compile(r"[0-9X]{4}(-|$)")
_UNKNOWN = re.compile(r"[X-]*")


class PlacedEvent(NamedTuple):
    """A mention with a name that is unique in its timeline, its position and its anchor."""

    name: str
    position: int
    anchor: str

    @property
    def dated(self) -> bool:
        """Whether the anchor names a time; `XXXX-XX-XX` does not."""
        return not _UNKNOWN.fullmatch(self.anchor)


class OrderCounts(NamedTuple):
    """The numbers of pairs of matched events, by how the two timelines order them."""

    concordant: int
    discordant: int
    tied_in_gold: int
    tied_in_system: int
    tied_in_both: int

    @property
    def agreed(self) -> int:
        """Pairs on which the two sides agree: the same order, or simultaneous on both."""
        return self.concordant + self.tied_in_both


@dataclass(frozen=True, slots=True)
class MatchedEvents:
    """The events of gold and system by name; those with a name that both have are matched."""

    gold: dict[str, PlacedEvent]
    system: dict[str, PlacedEvent]

    @property
    def both(self) -> list[tuple[PlacedEvent, PlacedEvent]]:
        """Each matched event as the gold has it, and as the system does."""
        system = self.system
        return [(event, system[name]) for name, event in self.gold.items() if name in system]


def matched_events(gold: TargetTimeline, system: TargetTimeline) -> MatchedEvents:
    """Match the events of two timelines.

    >>> from chronoscore.ordering.model import TimelineRow
    >>> rows = TimelineRow(1, "2003", ("hit",)), TimelineRow(2, "2004", ("run", "hit"))
    >>> gold = TargetTimeline(rows)
    >>> [event.name for event in matched_events(gold, gold).gold.values()]
    ['hit', 'run', 'hit (2)']
    """
    return MatchedEvents(named_events(gold), named_events(system))


def named_events(timeline: TargetTimeline) -> dict[str, PlacedEvent]:
    """Return the events that have a position, in order; a second mention is named `text (2)`."""
    named = names_of((row, row) for row in timeline.rows)
    return {name: PlacedEvent(name, row.position, row.anchor) for name, row in named}


def names_of(rows: Iterable[tuple[TimelineRow, Owner]]) -> Iterator[tuple[str, Owner]]:
    """Yield the names of mentions of rows that have a position, each with its row's owner."""
    # The text itself decides between rows of one natural key, such as 2001-5 and 2001-05.
    ordered = sorted(
        rows, key=lambda item: (item[0].position, natural_key(item[0].text), item[0].text)
    )
    seen: Counter[str] = Counter()
    for row, owner in ordered:
        if row.position == 0:
            continue
        for mention in row.mentions:
            seen[mention] += 1
            yield mention_name(mention, seen[mention]), owner


def order_counts(pairs: Sequence[tuple[int, int]]) -> OrderCounts:
    """Count how positions in the gold and in the system order all pairs of events.

    >>> order_counts([(1, 1), (2, 3), (3, 2), (3, 3)])
    OrderCounts(concordant=3, discordant=1, tied_in_gold=1, tied_in_system=1, tied_in_both=0)
    """
    total = _choose_two(len(pairs))
    gold = sum(map(_choose_two, Counter(position for position, _ in pairs).values()))
    system = sum(map(_choose_two, Counter(position for _, position in pairs).values()))
    both = sum(map(_choose_two, Counter(pairs).values()))
    discordant = _inversions([position for _, position in sorted(pairs)])
    concordant = total - gold - system + both - discordant
    return OrderCounts(concordant, discordant, gold - both, system - both, both)


def _choose_two(count: int) -> int:
    return count * (count - 1) // 2


def _inversions(values: Sequence[int]) -> int:
    """Count pairs of values of which the first is larger, by a tree of counts (Fenwick 1994)."""
    ranks = {value: rank for rank, value in enumerate(sorted(set(values)), 1)}
    tree = [0] * (len(ranks) + 1)
    inversions = 0
    for seen, value in enumerate(values):
        rank = at = ranks[value]
        not_larger = 0
        while at:
            not_larger += tree[at]
            at &= at - 1
        inversions += seen - not_larger
        at = rank
        while at < len(tree):
            tree[at] += 1
            at += at & -at
    return inversions


def order_links(events: Iterable[PlacedEvent]) -> Iterator[Link]:
    """Yield the order of events as links between neighbours, by the names of the events."""
    placed = sorted(events, key=lambda event: event.position)
    for event, following in pairwise(placed):
        relation = "BEFORE" if event.position < following.position else "SIMULTANEOUS"
        yield Link(event.name, following.name, relation)


def is_date(anchor: str) -> bool:
    """Whether an anchor has a year, known or not, rather than some other text."""
    return bool(_YEAR.match(anchor))


def date_parts(anchor: str) -> tuple[str, ...]:
    """Return year, month and day of an anchor, or the anchor itself if it is no date.

    Unknown parts at the end are left out.

    >>> date_parts("2008-02-XX"), date_parts("PRESENT_REF"), date_parts("XXXX-XX-XX")
    (('2008', '02'), ('PRESENT_REF',), ())
    """
    parts = anchor.split("-", 2) if is_date(anchor) else [anchor]
    while parts and _UNKNOWN.fullmatch(parts[-1]):
        parts.pop()
    return tuple(parts)


def agreed_parts(anchor: str, other: str) -> int:
    """Count the parts that two anchors have in common, from the year to the first that differs.

    >>> agreed_parts("2008-02-17", "2008-02"), agreed_parts("2008-02", "2009-02")
    (2, 0)
    """
    agreed = 0
    for part, other_part in zip(date_parts(anchor), date_parts(other), strict=False):
        if part != other_part:
            break
        agreed += 1
    return agreed
