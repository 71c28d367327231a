"""The events of two timelines, matched by their mentions, and the order of all pairs of them.

An event is a mention, as in the official scorer (`chronoscore.ordering.semeval`), and is matched
with the mention of the same text: the first with the first, the second with the second. That is the
official numbering without its slip, where a text that occurs three or more times apart gets a
number twice. Position 0 is no position: such events are left out.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeVar

from chronoscore.ordering.model import Link, Row, Timeline
from chronoscore.ordering.semeval import mention_name, natural_key

Owner = TypeVar("Owner")
_YEAR = re.compile(r"[0-9X]{4}(-|$)")
_UNKNOWN = re.compile(r"[X-]*")


class Event(NamedTuple):
    """A mention with a name that no other of its timeline has, its position and its anchor."""

    name: str
    position: int
    anchor: str

    @property
    def dated(self) -> bool:
        """Whether the anchor says anything: `XXXX-XX-XX` does not."""
        return not _UNKNOWN.fullmatch(self.anchor)


class Tally(NamedTuple):
    """All pairs of matched events: how the two timelines order them."""

    concordant: int
    discordant: int
    tied_in_gold: int
    tied_in_system: int
    tied_in_both: int

    @property
    def agreed(self) -> int:
        """Pairs on which the two sides agree: the same order, or simultaneous on both."""
        return self.concordant + self.tied_in_both

    @property
    def pairs(self) -> int:
        """All pairs."""
        return sum(self)


@dataclass(frozen=True, slots=True)
class MatchedEvents:
    """The events of gold and system by name; those with a name that both have are matched."""

    gold: dict[str, Event]
    system: dict[str, Event]

    @property
    def both(self) -> list[tuple[Event, Event]]:
        """Each matched event as the gold has it, and as the system does."""
        found = self.system
        return [(event, found[name]) for name, event in self.gold.items() if name in found]


def matched_events(gold: Timeline, system: Timeline) -> MatchedEvents:
    """Match the events of two timelines.

    >>> from chronoscore.ordering.model import Row
    >>> gold = Timeline((Row(1, "2003", ("hit",)), Row(2, "2004", ("run", "hit"))))
    >>> [event.name for event in matched_events(gold, gold).gold.values()]
    ['hit', 'run', 'hit (2)']
    """
    return MatchedEvents(named_events(gold), named_events(system))


def named_events(timeline: Timeline) -> dict[str, Event]:
    """The events that have a position, in order; the second mention of a text is `text (2)`."""
    named = names_of((row, row) for row in timeline.rows)
    return {name: Event(name, row.position, row.anchor) for name, row in named}


def names_of(rows: Iterable[tuple[Row, Owner]]) -> Iterator[tuple[str, Owner]]:
    """Name the mentions of rows that have a position, each beside what its row came with."""
    # The text itself decides between rows of one natural key, such as 2001-5 and 2001-05.
    ordered = sorted(rows, key=lambda one: (one[0].position, natural_key(one[0].text), one[0].text))
    seen: Counter[str] = Counter()
    for row, owner in ordered:
        if row.position == 0:
            continue
        for mention in row.mentions:
            seen[mention] += 1
            yield mention_name(mention, seen[mention]), owner


def tally(pairs: Sequence[tuple[int, int]]) -> Tally:
    """Count how positions in the gold and in the system order all pairs of events.

    >>> tally([(1, 1), (2, 3), (3, 2), (3, 3)])
    Tally(concordant=3, discordant=1, tied_in_gold=1, tied_in_system=1, tied_in_both=0)
    """
    every = _choose_two(len(pairs))
    gold = sum(map(_choose_two, Counter(one for one, _ in pairs).values()))
    system = sum(map(_choose_two, Counter(two for _, two in pairs).values()))
    both = sum(map(_choose_two, Counter(pairs).values()))
    discordant = _inversions([two for _, two in sorted(pairs)])
    concordant = every - gold - system + both - discordant
    return Tally(concordant, discordant, gold - both, system - both, both)


def _choose_two(count: int) -> int:
    return count * (count - 1) // 2


def _inversions(values: Sequence[int]) -> int:
    """Count pairs of which the first is larger, by a tree of counts (Fenwick 1994)."""
    ranks = {value: rank for rank, value in enumerate(sorted(set(values)), 1)}
    tree = [0] * (len(ranks) + 1)
    found = 0
    for seen, value in enumerate(values):
        rank = at = ranks[value]
        not_larger = 0
        while at:
            not_larger += tree[at]
            at &= at - 1
        found += seen - not_larger
        at = rank
        while at < len(tree):
            tree[at] += 1
            at += at & -at
    return found


def order_links(events: Iterable[Event]) -> Iterator[Link]:
    """The order of events as links between neighbours; the names are those of the events."""
    placed = sorted(events, key=lambda event: event.position)
    for one, two in pairwise(placed):
        relation = "BEFORE" if one.position < two.position else "SIMULTANEOUS"
        yield Link(one.name, two.name, relation)


def is_date(anchor: str) -> bool:
    """Whether an anchor has a year, known or not, rather than some other text."""
    return bool(_YEAR.match(anchor))


def date_parts(anchor: str) -> tuple[str, ...]:
    """A date's year, month and day, or whatever other text an anchor is, as its only part.

    Parts that are not known at its end are left out.

    >>> date_parts("2008-02-XX"), date_parts("PRESENT_REF"), date_parts("XXXX-XX-XX")
    (('2008', '02'), ('PRESENT_REF',), ())
    """
    parts = anchor.split("-", 2) if is_date(anchor) else [anchor]
    while parts and _UNKNOWN.fullmatch(parts[-1]):
        parts.pop()
    return tuple(parts)


def agreed_parts(one: str, two: str) -> int:
    """How many parts two anchors have in common, from the year on to the first that differs.

    >>> agreed_parts("2008-02-17", "2008-02"), agreed_parts("2008-02", "2009-02")
    (2, 0)
    """
    found = 0
    for ours, theirs in zip(date_parts(one), date_parts(two), strict=False):
        if ours != theirs:
            break
        found += 1
    return found
