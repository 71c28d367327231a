"""From timelines to temporal links, as SemEval-2015 Task 4 makes them.

Two timelines are compared by temporal awareness (`chronoscore.ordering.awareness`) on links made
by these rules (Minard et al. 2015, "SemEval-2015 Task 4: TimeLine: Cross-Document Event
Ordering"). In mode ``full``, each event is ``SIMULTANEOUS`` with its time anchor. In both modes,
each event is linked to the next one: ``BEFORE`` if its position is lower, else ``SIMULTANEOUS``.
It is a chain over neighbours, never all pairs, and the awareness score's closure does the rest.

Each mention is an event of its own, though those of a row corefer: what a row says of several
mentions then counts several times. Anchors are shared by their text, and so ``XXXX-XX-XX`` is one
time like any other and makes all undated events simultaneous. Rows are read in the natural order
of their text, whatever their order in the file, and rows with position 0 are left out.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from chronoscore.core.numbers import by_size
from chronoscore.ordering.model import Link, Timeline

Mode = Literal["full", "order"]

_DIGITS = re.compile("([0-9]+)")
_NUMBERED = re.compile(r" \([0-9]+\)$")


class Occurrence(NamedTuple):
    """One mention of an event, with the position and the anchor of its row."""

    mention: str
    position: int
    anchor: str


def natural_key(text: str) -> list[str | tuple[int, str]]:
    """A sort key in which runs of digits are numbers of any size: ``2 x`` comes before ``10 x``.

    >>> sorted(["10 x", "2 x", "2 a"], key=natural_key)
    ['2 a', '2 x', '10 x']
    """
    parts = enumerate(_DIGITS.split(text))
    return [by_size(part) if index % 2 else part for index, part in parts]


class TimelineLinks(NamedTuple):
    """The links of two timelines, and what the names in them stand for."""

    gold: list[Link]
    system: list[Link]
    names: dict[str, str]
    owners: dict[str, tuple[str, ...]]
    """The names of the system's mentions behind each id."""


def links(gold: Timeline, system: Timeline, mode: Mode) -> TimelineLinks:
    """The links of a gold and a system timeline, with names that they share.

    >>> from chronoscore.ordering.model import Row
    >>> gold = Timeline((Row(1, "2003", ("launch",)), Row(2, "2007", ("pass",))))
    >>> system = Timeline((Row(1, "2003", ("pass",)),))
    >>> [" ".join(link) for link in links(gold, system, "full").gold]
    ['e1 t1 SIMULTANEOUS', 'e2 t2 SIMULTANEOUS', 'e1 e2 BEFORE']
    >>> [" ".join(link) for link in links(gold, system, "full").system]
    ['e2 t1 SIMULTANEOUS']
    """
    gold_events, system_events = list(occurrences(gold)), list(occurrences(system))
    gold_mentions = [event.mention for event in gold_events]
    times: dict[str, int] = {}  # anchors are numbered as they first come, gold's first
    gold_links = _chain(range(1, len(gold_events) + 1), gold_events, times, mode)
    numbers = system_numbers(gold_mentions, [event.mention for event in system_events])
    system_links = _chain(numbers, system_events, times, mode)
    names = {f"t{number}": anchor for anchor, number in times.items()}
    names |= {f"e{n}": event.mention for n, event in zip(numbers, system_events, strict=True)}
    names |= {f"e{n}": mention for n, mention in enumerate(gold_mentions, 1)}
    return TimelineLinks(gold_links, system_links, names, _owners(numbers, system_events))


def _owners(numbers: Sequence[int], events: Sequence[Occurrence]) -> dict[str, tuple[str, ...]]:
    """The mentions of the system behind each id; two where the official numbering slips."""
    seen: Counter[str] = Counter()
    found: dict[str, tuple[str, ...]] = {}
    for number, event in zip(numbers, events, strict=True):
        seen[event.mention] += 1
        name = mention_name(event.mention, seen[event.mention])
        found[f"e{number}"] = (*found.get(f"e{number}", ()), name)
    return found


def mention_name(mention: str, number: int) -> str:
    """A name that no other mention has: a text that looks like one of ours is always numbered."""
    return f"{mention} ({number})" if number > 1 or _NUMBERED.search(mention) else mention


def system_numbers(gold: Sequence[str], system: Sequence[str]) -> list[int]:
    """The number of each system mention: that of a gold mention with the same text, or a new one.

    Gold mentions are numbered from 1 as they come. A text's first occurrence in the system is its
    first one in gold. A later one, after k others and while gold has more than k, takes the first
    gold occurrence at list position first + k or later. For two occurrences that is the second,
    and for neighbours the next; but three or more that stand apart can get a number twice
    (`repeated_mentions`). The official scorer counts so, and published numbers depend on it.

    >>> system_numbers(["hit", "run", "hit"], ["hit", "hit", "hit", "fall"])
    [1, 3, 4, 5]
    >>> system_numbers(["hit", "run", "run", "hit", "hit"], ["hit", "hit", "hit"])
    [1, 4, 4]
    """
    places: dict[str, list[int]] = {}
    for place, mention in enumerate(gold):
        places.setdefault(mention, []).append(place)
    emitted: Counter[str] = Counter()
    fresh = len(gold)
    numbers = []
    for mention in system:
        repeats = emitted[mention]
        known = places.get(mention, [])
        if repeats < len(known):
            numbers.append(known[bisect_left(known, known[0] + repeats)] + 1)
        else:
            fresh += 1
            numbers.append(fresh)
        emitted[mention] += 1
    return numbers


def repeated_mentions(gold: Timeline) -> tuple[str, ...]:
    """Mention texts for which a copy of gold is not matched with itself, and may not score 1.

    They occur three or more times, with other mentions between them (`system_numbers`). Any
    other gold timeline that has links scores 1 against itself.

    >>> from chronoscore.ordering.model import Row
    >>> words = ("hit", "run", "fall", "hit", "hit")
    >>> repeated_mentions(Timeline(tuple(Row(i, "2003", (w,)) for i, w in enumerate(words, 1))))
    ('hit',)
    """
    mentions = [event.mention for event in occurrences(gold)]
    taken = system_numbers(mentions, mentions)
    own = range(1, len(mentions) + 1)
    wrong = (
        text for text, number, other in zip(mentions, own, taken, strict=True) if number != other
    )
    return tuple(dict.fromkeys(wrong))


def occurrences(timeline: Timeline) -> Iterator[Occurrence]:
    """The mentions of all rows that have a position, in the official order of rows."""
    for row in sorted(timeline.rows, key=lambda row: natural_key(row.text)):
        if row.position != 0:
            for mention in row.mentions:
                yield Occurrence(mention, row.position, row.anchor)


def _chain(
    numbers: Sequence[int], occurrences: Sequence[Occurrence], times: dict[str, int], mode: Mode
) -> list[Link]:
    # A number that was given twice has the position and the anchor of its last occurrence.
    last = dict(zip(numbers, occurrences, strict=True))
    chain = []
    if mode == "full":
        for number in numbers:
            time = times.setdefault(last[number].anchor, len(times) + 1)
            chain.append(Link(f"e{number}", f"t{time}", "SIMULTANEOUS"))
    for one, two in pairwise(numbers):
        relation = "BEFORE" if last[one].position < last[two].position else "SIMULTANEOUS"
        chain.append(Link(f"e{one}", f"e{two}", relation))
    return chain
