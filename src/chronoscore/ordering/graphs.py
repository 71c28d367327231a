"""Timelines as TimeML graphs, and back.

A timeline becomes a TimeML file as the scorer of SemEval-2015 Task 4 writes it: a `TIMEX3` for
each anchor, an `EVENT` with its `MAKEINSTANCE` for each mention, a `TLINK` that says that an event
is SIMULTANEOUS with its anchor, and one between each two neighbours. The file of a system shares
its ids with the gold's.

A graph becomes a timeline if its links put all events into one order with ties, and give each event
no more than one anchor. Mentions that corefer are events of their own in a graph, and so they come
back as rows of their own.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from pathlib import Path

from chronoscore.core.reading import Reading
from chronoscore.elements.timeml import TimemlDocument, parse_timeml
from chronoscore.ordering.awareness import meaning
from chronoscore.ordering.graph import INVERSE
from chronoscore.ordering.model import UNKNOWN_DATE, Link, Row, Timeline
from chronoscore.ordering.semeval import Mode, Occurrence, links, occurrences, system_numbers

_HEAD = (
    '<?xml version="1.0" ?><TimeML xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xsi:noNamespaceSchemaLocation="http://timeml.org/timeMLdocs/TimeML_1.2.1.xsd">'
)
_SAME, _BEFORE, _AFTER = ("SIMULTANEOUS", "IDENTITY"), "BEFORE", "AFTER"
_ANCHORED = (*_SAME, "IS_INCLUDED")


def timeml(gold: Timeline, system: Timeline, mode: Mode) -> tuple[str, str]:
    """Write a gold and a system timeline as the two TimeML files of the official scorer."""
    made = links(gold, system, mode)
    ours, theirs = list(occurrences(gold)), list(occurrences(system))
    numbers = system_numbers([o.mention for o in ours], [o.mention for o in theirs])
    anchors = list(dict.fromkeys(o.anchor for o in ours))
    # The official numbers: gold times from 0, and the system's own from one above their count.
    times = {anchor: number for number, anchor in enumerate(anchors)}
    for occurrence in theirs:
        times.setdefault(occurrence.anchor, len(times) + 1)
    return (
        _document("GOLD", range(1, len(ours) + 1), ours, made.gold, times, mode),
        _document("SYSTEM", numbers, theirs, made.system, times, mode),
    )


def _document(
    name: str,
    numbers: Sequence[int],
    events: Sequence[Occurrence],
    tlinks: Sequence[Link],
    times: Mapping[str, int],
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
    last = dict(zip(numbers, events, strict=True))
    anchored = len(events) if mode == "full" else 0
    for place, number in enumerate(numbers):
        lines.append(
            f'<MAKEINSTANCE aspect="NONE" eiid="ei{number}" eventID="e{number}" polarity="" '
            'pos="" tense=""/>'
        )
        if anchored:
            time = times[last[number].anchor]
            lines.append(
                f'<TLINK lid="l{place + 1}" eventInstanceID="ei{number}" relatedToTime="t{time}" '
                'relType="SIMULTANEOUS"/>'
            )
    for place, link in enumerate(tlinks[anchored:], anchored + 1):
        lines.append(
            f'<TLINK lid="l{place}" eventInstanceID="ei{link.source[1:]}" '
            f'relatedToEventInstance="ei{link.target[1:]}" relType="{link.relation}"/>'
        )
    return "\n".join([*lines, "</TimeML>", ""])


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
    reading = Reading()
    found = parse_timeml(text, Path("graph.tml"), reading)
    reading.check()
    return graph_in(found or TimemlDocument(""))


def graph_in(found: TimemlDocument) -> Graph:
    """Take the events, their anchors and their order from a TimeML document."""
    events = {event.eid: "_".join(event.text.split()) for event in found.events}
    times = {time.tid: time.attributes.get("value", "") for time in found.timexes}
    order: list[Link] = []
    anchors: list[tuple[str, str]] = []
    for link in found.links:
        source, target, relation = link.source, link.target, meaning(link.relation)
        if source in times and target in times:
            continue  # what times are to each other says nothing of events
        if source in times:  # told from the event's end
            source, target, relation = target, source, INVERSE.get(relation, relation)
        if target in times:
            if relation not in _ANCHORED:
                raise NotATimeline(f"{source} {relation} {target}, which gives it no anchor")
            anchors.append((source, times[target]))
        else:
            order.append(Link(source, target, relation))
    mentions = {
        instance.eiid: events.get(instance.eid) or instance.eid for instance in found.instances
    }
    return Graph(mentions, tuple(order), tuple(anchors))


def timeline_of(graph: Graph) -> Timeline:
    """Make a timeline of a graph that is one; else `NotATimeline` says why it is none.

    >>> timeline_of(Graph({"ei1": "hit", "ei2": "run"}, (Link("ei2", "ei1", "AFTER"),), ())).rows[1]
    Row(position=2, anchor='XXXX-XX-XX', mentions=('run',), line='')
    """
    anchors: dict[str, str] = {}
    for event, anchor in graph.anchors:
        if anchors.setdefault(event, anchor) != anchor:
            raise NotATimeline(
                f"{_named(graph, event)} has two anchors, {anchors[event]} and {anchor}"
            )
    return Timeline(
        tuple(
            Row(position, anchors.get(event, UNKNOWN_DATE), (_mention(graph, event),))
            for position, events in enumerate(_classes(graph), 1)
            for event in events
        )
    )


def _classes(graph: Graph) -> Iterator[list[str]]:
    """Classes of simultaneous events, the earliest first; each must be the only next one."""
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
    later: dict[str, list[str]] = {one: [] for one in classes}
    waiting = dict.fromkeys(classes, 0)
    for one, two in orders:
        later[root(one)].append(root(two))
        waiting[root(two)] += 1
    ready = [one for one, count in waiting.items() if not count]
    done = 0
    while ready:
        if len(ready) > 1:
            one, two = (_named(graph, classes[each][0]) for each in ready[:2])
            raise NotATimeline(f"the links don't say which comes first, {one} or {two}")
        current = ready.pop()
        done += 1
        yield classes[current]
        for following in later[current]:
            waiting[following] -= 1
            if not waiting[following]:
                ready.append(following)
    if done < len(classes):
        raise NotATimeline(
            f"the links contradict each other: {_cycle(graph, waiting, later, classes)}"
        )


def _cycle(
    graph: Graph,
    waiting: Mapping[str, int],
    later: Mapping[str, Sequence[str]],
    classes: Mapping[str, Sequence[str]],
) -> str:
    """Name the events of one cycle among the classes that wait for each other."""
    earlier: dict[str, str] = {}
    for one, following in later.items():
        if waiting[one]:
            earlier.update(dict.fromkeys(following, one))
    path = [next(one for one in waiting if waiting[one])]
    while path.count(path[-1]) < 2:
        path.append(earlier[path[-1]])
    around = list(reversed(path[path.index(path[-1]) :]))
    if len(around) == 2:
        return f"{_named(graph, classes[around[0]][0])} would be before itself"
    return ", ".join(
        f"{_named(graph, classes[one][0])} BEFORE {_named(graph, classes[two][0])}"
        for one, two in pairwise(around)
    )


def _mention(graph: Graph, event: str) -> str:
    return graph.mentions.get(event) or event


def _named(graph: Graph, event: str) -> str:
    mention = _mention(graph, event)
    return event if mention == event else f"{mention} ({event})"


def graph_of(timeline: Timeline, mode: Mode = "full") -> Graph:
    """The graph of one timeline, as its TimeML file has it."""
    return read_graph(timeml(timeline, Timeline(()), mode)[0])
