"""Turn timelines into temporal links as SemEval-2015 Task 4 does, and into TimeML and back.

Two timelines are compared by temporal awareness (`chronoscore.ordering.awareness`) on links made
by these rules (Minard et al. 2015, "SemEval-2015 Task 4: TimeLine: Cross-Document Event
Ordering"). In mode ``full``, each event is ``SIMULTANEOUS`` with its time anchor. In both modes,
each event is linked to the next one: ``BEFORE`` if its position is lower, else ``SIMULTANEOUS``.
It is a chain over neighbours, never all pairs, and the awareness score's closure does the rest.

Each mention is a separate event, though those of a row corefer: a row with several mentions then
counts several times. Anchors with the same text are one time, so ``XXXX-XX-XX`` is a time like any
other and makes all undated events simultaneous. Rows are read in the natural order of their text,
not in that of the file, and rows with position 0 are left out.

A timeline becomes a TimeML file as the official scorer writes it: a `TIMEX3` for each anchor, an
`EVENT` with its `MAKEINSTANCE` for each mention, a `TLINK` that says that an event is SIMULTANEOUS
with its anchor, and one between each two neighbours. The file of a system shares its ids with the
gold's. A graph becomes a timeline if its links put all events into one order with ties, and give
each event no more than one anchor. Mentions that corefer are separate events in a graph, and so
they come back as separate rows.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from html import escape
from itertools import pairwise
from typing import Literal, NamedTuple

from chronoscore.core.problems import Problems
from chronoscore.core.records import by_size
from chronoscore.core.sources import ValueSource
from chronoscore.elements.timeml import TimemlDocument, parse_timeml
from chronoscore.ordering.awareness import meaning
from chronoscore.ordering.graph import INVERSE
from chronoscore.ordering.model import UNKNOWN_DATE, Link, TargetTimeline, TimelineRow

Mode = Literal["full", "order"]

_DIGITS = re.compile("([0-9]+)")
_NUMBERED = re.compile(r" \([0-9]+\)$")


class Occurrence(NamedTuple):
    """One mention of an event, with the position and the anchor of its row."""

    mention: str
    position: int
    anchor: str


def natural_key(text: str) -> list[str | tuple[int, str]]:
    """Return a sort key in which runs of digits are numbers: ``2 x`` comes before ``10 x``.

    >>> sorted(["10 x", "2 x", "2 a"], key=natural_key)
    ['2 a', '2 x', '10 x']
    """
    parts = enumerate(_DIGITS.split(text))
    return [by_size(part) if index % 2 else part for index, part in parts]


class TimelineLinks(NamedTuple):
    """The links of two timelines, and the mention or anchor behind each name."""

    gold: list[Link]
    system: list[Link]
    names: dict[str, str]
    owners: dict[str, tuple[str, ...]]
    """The names of the system's mentions behind each id."""


def links(gold: TargetTimeline, system: TargetTimeline, mode: Mode) -> TimelineLinks:
    """Return the links of a gold and a system timeline, with shared names.

    >>> rows = TimelineRow(1, "2003", ("launch",)), TimelineRow(2, "2007", ("pass",))
    >>> gold = TargetTimeline(rows)
    >>> system = TargetTimeline((TimelineRow(1, "2003", ("pass",)),))
    >>> [" ".join(link) for link in links(gold, system, "full").gold]
    ['e1 t1 SIMULTANEOUS', 'e2 t2 SIMULTANEOUS', 'e1 e2 BEFORE']
    >>> [" ".join(link) for link in links(gold, system, "full").system]
    ['e2 t1 SIMULTANEOUS']
    """
    golds, systems, numbers = _numbered(gold, system)
    times: dict[str, int] = {}  # anchors are numbered in order of occurrence, the gold's first
    gold_links = _chain(range(1, len(golds) + 1), golds, times, mode)
    system_links = _chain(numbers, systems, times, mode)
    names = {f"t{number}": anchor for anchor, number in times.items()}
    owners: dict[str, tuple[str, ...]] = {}  # two of an id where the official numbering errs
    seen: Counter[str] = Counter()
    for number, event in zip(numbers, systems, strict=True):
        seen[event.mention] += 1
        name = mention_name(event.mention, seen[event.mention])
        owners[f"e{number}"] = (*owners.get(f"e{number}", ()), name)
        names[f"e{number}"] = event.mention
    names |= {f"e{number}": event.mention for number, event in enumerate(golds, 1)}
    return TimelineLinks(gold_links, system_links, names, owners)


def _numbered(
    gold: TargetTimeline, system: TargetTimeline
) -> tuple[list[Occurrence], list[Occurrence], list[int]]:
    """Return the mentions of both timelines, and the numbers of the system's; gold's are 1, 2..."""
    golds, systems = list(occurrences(gold)), list(occurrences(system))
    mentions = ([event.mention for event in events] for events in (golds, systems))
    return golds, systems, system_numbers(*mentions)


def mention_name(mention: str, number: int) -> str:
    """A name that no other mention has: a text that looks like one of ours is always numbered."""
    return f"{mention} ({number})" if number > 1 or _NUMBERED.search(mention) else mention


def system_numbers(gold: Sequence[str], system: Sequence[str]) -> list[int]:
    """Number the system's mentions: as a gold mention with the same text, or with a new number.

    Gold mentions are numbered from 1 as they come. A text's first occurrence in the system is its
    first one in gold. A later one, after k others and while gold has more than k, takes the first
    gold occurrence at list position first + k or later. For two occurrences that is the second,
    and for neighbours the next; but three or more that stand apart can get a number twice
    (`repeated_mentions`). The official scorer numbers them so, and published scores depend on it.

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


def repeated_mentions(gold: TargetTimeline) -> tuple[str, ...]:
    """Return the mention texts that a copy of the gold does not match with themselves.

    They occur three or more times, with other mentions between them (`system_numbers`), so that
    the copy may score below 1. Any other gold timeline that has links scores 1 against itself.

    >>> from chronoscore.ordering.model import TimelineRow
    >>> words = ("hit", "run", "fall", "hit", "hit")
    >>> rows = [TimelineRow(i, "2003", (word,)) for i, word in enumerate(words, 1)]
    >>> repeated_mentions(TargetTimeline(tuple(rows)))
    ('hit',)
    """
    mentions = [event.mention for event in occurrences(gold)]
    copies = enumerate(zip(mentions, system_numbers(mentions, mentions), strict=True), 1)
    return tuple(dict.fromkeys(text for number, (text, copy) in copies if number != copy))


def occurrences(timeline: TargetTimeline) -> Iterator[Occurrence]:
    """Yield the mentions of all rows that have a position, in the official order of rows."""
    for row in sorted(timeline.rows, key=lambda row: natural_key(row.text)):
        if row.position != 0:
            for mention in row.mentions:
                yield Occurrence(mention, row.position, row.anchor)


def _chain(
    numbers: Sequence[int], occurrences: Sequence[Occurrence], times: dict[str, int], mode: Mode
) -> list[Link]:
    # A number that occurs twice has the position and the anchor of its last occurrence.
    last = dict(zip(numbers, occurrences, strict=True))
    chain = []
    if mode == "full":
        for number in numbers:
            time = times.setdefault(last[number].anchor, len(times) + 1)
            chain.append(Link(f"e{number}", f"t{time}", "SIMULTANEOUS"))
    for number, following in pairwise(numbers):
        relation = "BEFORE" if last[number].position < last[following].position else "SIMULTANEOUS"
        chain.append(Link(f"e{number}", f"e{following}", relation))
    return chain


# Timelines as TimeML graphs, and back


_HEAD = (
    '<?xml version="1.0" ?><TimeML xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xsi:noNamespaceSchemaLocation="http://timeml.org/timeMLdocs/TimeML_1.2.1.xsd">'
)
_SAME, _BEFORE, _AFTER = ("SIMULTANEOUS", "IDENTITY"), "BEFORE", "AFTER"
_ANCHORED = (*_SAME, "IS_INCLUDED")


def timeml(gold: TargetTimeline, system: TargetTimeline, mode: Mode) -> tuple[str, str]:
    """Write a gold and a system timeline as the two TimeML files of the official scorer."""
    golds, systems, numbers = _numbered(gold, system)
    anchors = dict.fromkeys(event.anchor for event in golds)
    # The official numbers: gold times from 0, and further ones from one above their count.
    times = {anchor: number for number, anchor in enumerate(anchors)}
    for event in systems:
        times.setdefault(event.anchor, len(times) + 1)
    return (
        _document("GOLD", range(1, len(golds) + 1), golds, times, mode),
        _document("SYSTEM", numbers, systems, times, mode),
    )


def _document(
    name: str,
    numbers: Sequence[int],
    events: Sequence[Occurrence],
    times: dict[str, int],
    mode: Mode,
) -> str:
    lines = [_HEAD, f"<DOCID>{name}</DOCID>", "<DCT></DCT>", "<TEXT>"]
    written: set[str] = set()
    for number, event in zip(numbers, events, strict=True):
        if mode == "full" and event.anchor not in written:
            written.add(event.anchor)
            anchor = escape(event.anchor)
            lines.append(
                f'<TIMEX3 tid="t{times[event.anchor]}" type="DATE" value="{anchor}">'
                f"{anchor}</TIMEX3>"
            )
        mention = escape(event.mention, quote=False)
        lines.append(f'<EVENT class="OCCURRENCE" eid="e{number}">{mention}</EVENT>')
    lines.append("</TEXT>")
    tlinks = []
    for place, (source, target, relation) in enumerate(_chain(numbers, events, times, mode), 1):
        end = f'Time="{target}"' if target[0] == "t" else f'EventInstance="ei{target[1:]}"'
        tlinks.append(
            f'<TLINK lid="l{place}" eventInstanceID="ei{source[1:]}" relatedTo{end} '
            f'relType="{relation}"/>'
        )
    for place, number in enumerate(numbers):
        lines.append(
            f'<MAKEINSTANCE aspect="NONE" eiid="ei{number}" eventID="e{number}" polarity="" '
            'pos="" tense=""/>'
        )
        if mode == "full":
            lines.append(tlinks[place])
    between_events = tlinks[len(events) :] if mode == "full" else tlinks
    return "\n".join([*lines, *between_events, "</TimeML>", ""])


@dataclass(frozen=True, slots=True)
class Graph:
    """Links between events, anchors of events, and the mentions of events, by instance ids."""

    mentions: Mapping[str, str]
    order: tuple[Link, ...]
    anchors: tuple[tuple[str, str], ...]


class NotATimeline(ValueError):  # noqa: N818  # it says what the graph is not
    """A graph that is no timeline; the text says why."""


def read_graph(text: str) -> Graph:
    """Read events, times and links from the text of a TimeML file."""
    problems = Problems()
    document = parse_timeml(text, ValueSource(text, "graph.tml"), problems)
    problems.check()
    return graph_in(document or TimemlDocument())


def graph_in(document: TimemlDocument) -> Graph:
    """Return the events, their anchors and their order in a TimeML document."""
    events = {event.id: "_".join(event.text.split()) for event in document.events}
    times = {time.id: time.attributes.get("value", "") for time in document.timexes}
    order: list[Link] = []
    anchors: list[tuple[str, str]] = []
    for link in document.links:
        source, target, relation = link.source, link.target, meaning(link.relation)
        if source in times and target in times:
            continue  # relations between times say nothing of events
        if source in times:  # seen from the event's end
            source, target, relation = target, source, INVERSE.get(relation, relation)
        if target in times:
            if relation not in _ANCHORED:
                raise NotATimeline(f"{source} {relation} {target}, which gives it no anchor")
            anchors.append((source, times[target]))
        else:
            order.append(Link(source, target, relation))
    mentions = {
        instance.eiid: events.get(instance.eid) or instance.eid for instance in document.instances
    }
    return Graph(mentions, tuple(order), tuple(anchors))


def timeline_of(graph: Graph) -> TargetTimeline:
    """Make a timeline from a graph; raise `NotATimeline`, with the reason, if it is none.

    >>> timeline_of(Graph({"ei1": "hit", "ei2": "run"}, (Link("ei2", "ei1", "AFTER"),), ())).rows[1]
    TimelineRow(position=2, anchor='XXXX-XX-XX', mentions=('run',), line='')
    """
    anchors: dict[str, str] = {}
    for event, anchor in graph.anchors:
        if anchors.setdefault(event, anchor) != anchor:
            both = f"{anchors[event]} and {anchor}"
            raise NotATimeline(f"{_named(graph, event)} has two anchors, {both}")
    rows = [
        TimelineRow(position, anchors.get(event, UNKNOWN_DATE), (graph.mentions.get(event, event),))
        for position, events in enumerate(_classes(graph), 1)
        for event in events
    ]
    return TargetTimeline(tuple(rows))


def _classes(graph: Graph) -> Iterator[list[str]]:
    """Yield classes of simultaneous events, the earliest first; each must be the only next one."""
    linked = [end for link in graph.order for end in link[:2]]
    parent = {event: event for event in (*graph.mentions, *linked, *(e for e, _ in graph.anchors))}

    def root(event: str) -> str:
        while parent[event] != event:
            parent[event] = event = parent[parent[event]]
        return event

    orders: list[tuple[str, str]] = []
    for source, target, relation in graph.order:
        if relation in _SAME:
            parent[root(target)] = root(source)
        elif relation in (_BEFORE, _AFTER):
            orders.append((source, target) if relation == _BEFORE else (target, source))
        else:
            raise NotATimeline(
                f"{_named(graph, source)} {relation} {_named(graph, target)}: a timeline knows "
                "only BEFORE, AFTER and SIMULTANEOUS between events"
            )
    classes: dict[str, list[str]] = {}
    for event in parent:
        classes.setdefault(root(event), []).append(event)
    sorter = TopologicalSorter[str](dict.fromkeys(classes, ()))
    for earlier, later in orders:
        sorter.add(root(later), root(earlier))
    try:
        sorter.prepare()
    except CycleError as error:
        names = [_named(graph, classes[root_event][0]) for root_event in error.args[1]]
        steps = [f"{name} BEFORE {following}" for name, following in pairwise(names)]
        cycle = ", ".join(steps) if len(steps) > 1 else f"{names[0]} would be before itself"
        raise NotATimeline(f"the links contradict each other: {cycle}") from None
    while sorter:
        ready = sorter.get_ready()
        if len(ready) > 1:
            first, second = (_named(graph, classes[event][0]) for event in ready[:2])
            raise NotATimeline(f"the links don't say which comes first, {first} or {second}")
        yield classes[ready[0]]
        sorter.done(*ready)


def _named(graph: Graph, event: str) -> str:
    mention = graph.mentions.get(event, event)
    return event if mention == event else f"{mention} ({event})"
