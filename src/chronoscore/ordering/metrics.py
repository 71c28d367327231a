"""The metrics of the order of events: of links between events, and of matched events.

An event is a mention, as in the official scorer (`chronoscore.ordering.semeval`), and is matched
with the mention of the same text: the first with the first, the second with the second. That is the
official numbering without its error: there, a text that occurs three or more times apart can get a
number twice. Position 0 is no position: such events are left out.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import NamedTuple, TypeVar, cast

import numpy as np

from chronoscore.core.case import Case
from chronoscore.core.evidence import Evidence, Match, Statistic
from chronoscore.core.metric import USUAL_LAWS, BrokenLaw, Definition, Law, Parameter, Values
from chronoscore.elements.time.value import Cell, Time
from chronoscore.errors import DataError
from chronoscore.ordering.awareness import Awareness, Method, Reduced, reduce
from chronoscore.ordering.graph import TemporalGraph
from chronoscore.ordering.model import (
    SIDES,
    Link,
    Side,
    TargetTimeline,
    TimelineRow,
    match_of,
    read_anchor,
)
from chronoscore.ordering.pairwise import RelatedPairs, cycles, entity_pairs
from chronoscore.ordering.reasons import link_matches
from chronoscore.ordering.semeval import Mode, links, mention_name, natural_key
from chronoscore.ordering.timegraph import ToolkitGraph
from chronoscore.statistics.ratios import Array, ratio

MOST_EVENTS = 20_000
"""The most events of a timeline whose closure is computed: memory grows with their square."""
EVENTS = "events"
"""The setting under which timelines are compared event by event."""
_PARTS = ("year", "month", "day")
Owner = TypeVar("Owner")
MODE = Parameter(
    "mode", "word", "full", "order and time anchors, or order alone", ("full", "order")
)


@dataclass(frozen=True, slots=True)
class LinkComparison:
    """The links of two sides with shared names, and the words behind each name."""

    gold: Reduced
    system: Reduced
    gold_cycles: int
    system_cycles: int
    names: Mapping[str, str]
    owners: Mapping[str, tuple[str, ...]]
    """The predicted items behind a name."""

    @classmethod
    def of(
        cls,
        gold: Sequence[Link],
        system: Sequence[Link],
        names: Mapping[str, str],
        owners: Mapping[str, tuple[str, ...]],
        graph_of: Callable[[], TemporalGraph | ToolkitGraph] = TemporalGraph,
    ) -> "LinkComparison":
        """Reduce the links of both sides once, for all metrics with this closure."""
        reduced = reduce(gold, graph_of), reduce(system, graph_of)
        return cls(*reduced, cycles(gold), cycles(system), names, owners)

    def awareness(self, values: Values) -> Awareness:
        """Return how each side verifies the links of the other, under the metric's method."""
        return Awareness(self.gold, self.system, cast("Method", values.get("method", "default")))

    @property
    def contradictions(self) -> tuple[int, int, int, int]:
        """The violated links and the cycles of the system and of the gold."""
        violated = (len(self.system.violated), len(self.gold.violated))
        return (*violated, self.system_cycles, self.gold_cycles)


ALL_PAIRS = (
    "the temporal closure of UzZaman and Allen 2011, Temporal Evaluation, ACL, over all "
    "pairs instead of reduced links"
)
PAIR_RATIOS = {
    "precision": ({"matched": 1.0}, "system_pairs"),
    "recall": ({"matched": 1.0}, "gold_pairs"),
}
CONTRADICTIONS = (
    Statistic("system_violated", "integer", "system links that contradict earlier ones"),
    Statistic("gold_violated", "integer", "gold links that contradict earlier ones"),
    Statistic("system_cycles", "integer", "contradictions among all system links"),
    Statistic("gold_cycles", "integer", "contradictions among all gold links"),
)


def awareness_statistics(counted: str) -> tuple[Statistic, ...]:
    """Return the statistics of temporal awareness; `counted` says which links count."""
    return (
        Statistic("precision_matched", "integer", "system links that the gold verifies"),
        Statistic("system_total", "integer", f"system links {counted}"),
        Statistic("recall_matched", "integer", "gold links that the system verifies"),
        Statistic("gold_total", "integer", f"gold links {counted}"),
        *CONTRADICTIONS,
    )


def measure_awareness(comparison: LinkComparison, values: Values) -> Evidence:
    """Count the links that each side verifies, and the contradictions."""
    return Evidence((*comparison.awareness(values).counts, *comparison.contradictions))


def explain_awareness(comparison: LinkComparison, values: Values) -> list[Match]:
    """Return a match for each counted link, with what the other side says of it."""
    return list(link_matches(comparison.awareness(values), comparison.names, comparison.owners))


def compare(
    case: Case[TargetTimeline, TargetTimeline], setting: Hashable
) -> "LinkComparison | MatchedEvents":
    """Compare two timelines as links, with or without their time anchors, or event by event."""
    if setting == EVENTS:
        return matched_events(case.gold, case.predicted)
    for side, timeline in (("gold", case.gold), ("prediction", case.predicted)):
        events = sum(len(row.mentions) for row in timeline.rows)
        if events > MOST_EVENTS:
            raise DataError.of(
                f"{case.id}: the {side} has {events} events, expected {MOST_EVENTS} or fewer: what "
                "follows from more does not fit into memory; the metrics pairwise, tau and anchors "
                "have no such limit"
            )
    return LinkComparison.of(*links(case.gold, case.predicted, cast("Mode", setting)))


SEMEVAL_2015 = Definition(
    name="semeval2015",
    meaning="temporal awareness of two timelines: links that follow from the other side",
    citation="Minard et al. 2015, SemEval-2015 Task 4: TimeLine: Cross-Document Event Ordering; "
    "UzZaman and Allen 2011, Temporal Evaluation, ACL",
    parameters=(MODE,),
    statistics=awareness_statistics("after reduction"),
    setting=lambda values: values["mode"],
    measure=measure_awareness,
    explain=explain_awareness,
    laws=lambda _: frozenset({Law.ITEM_ORDER, Law.EXPLAINED, Law.BOUNDED}),
    broken=(
        BrokenLaw(
            Law.IDENTITY,
            "A mention text that occurs three or more times with others between is matched with "
            "itself wrongly (the official numbering gives one number twice), so that a copy of "
            "the gold scores below 1.",
        ),
        BrokenLaw(
            Law.SWAP,
            "For the same reason: repeated mentions are numbered after the gold's, so that which "
            "side is the gold matters where a mention text is repeated.",
        ),
    ),
)


# Metrics of matched events: all pairs, rank correlation, and time anchors


class PlacedEvent(NamedTuple):
    """A mention with a name that is unique in its timeline, its position and its anchor."""

    name: str
    position: int
    anchor: str

    @property
    def dated(self) -> bool:
        """Whether the anchor names a time; `XXXX-XX-XX` does not."""
        return read_anchor(self.anchor) is not None


class OrderCounts(NamedTuple):
    """The numbers of pairs of matched events, by how the two timelines order them."""

    concordant: int
    discordant: int
    tied_in_gold: int
    tied_in_system: int
    tied_in_both: int


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


def date_parts(anchor: str) -> tuple[Cell, ...]:
    """Return year, month and day of an anchor, as far as its time is within one.

    A week has a month if it does not begin in one and end in another.

    >>> date_parts("2008-02-XX") == date_parts("2008-02"), len(date_parts("2008-02-17T13:45"))
    (True, 3)
    >>> date_parts("2008"), date_parts("199X"), date_parts("PRESENT_REF"), date_parts("XXXX-XX-XX")
    ((2008,), (), (), ())
    """
    time = read_anchor(anchor)
    if not isinstance(time, Time):
        return ()
    cells = map(time.cells, _PARTS)
    return tuple(first for first, _ in takewhile(lambda ends: ends[0] == ends[1], cells))


def agreed_parts(anchor: str, other: str) -> int:
    """Count the parts that two anchors have in common, from the year to the first that differs.

    >>> agreed_parts("2008-02-17", "2008-02"), agreed_parts("2008-02", "2009-02")
    (2, 0)
    """
    parts = zip(date_parts(anchor), date_parts(other), strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], parts)))


def _pairs(events: MatchedEvents, values: Values) -> Evidence:
    counts = order_counts([(gold.position, system.position) for gold, system in events.both])
    matched = counts.concordant + counts.tied_in_both
    system, gold = (_choose_two(len(side)) for side in (events.system, events.gold))
    if values["mode"] == "full":
        matched += sum(_same_anchor(*pair) for pair in events.both)
        system += sum(event.dated for event in events.system.values())
        gold += sum(event.dated for event in events.gold.values())
    return Evidence((matched, system, gold))


def _explain_pairs(events: MatchedEvents, values: Values) -> Iterator[Match]:
    """Yield each event's half of the pairs of events that it is in, and its anchor."""
    with_anchors = values["mode"] == "full"
    gold, system = (list(order_links(side.values())) for side in (events.gold, events.system))
    pairs = entity_pairs(gold, system)
    for name in {**events.gold, **events.system}:  # a single event is in no pair, but has an anchor
        counts = pairs.get(name, RelatedPairs(0, 0, 0))
        in_gold, in_system = events.gold.get(name), events.system.get(name)
        credit = counts.matched / 2 + (with_anchors and _same_anchor(in_gold, in_system))
        totals = (counts.system, counts.gold)
        for side, event, total in zip(SIDES, (in_system, in_gold), totals, strict=True):
            possible = total / 2 + (with_anchors and event is not None and event.dated)
            if event and possible:
                outcome = "all right" if credit == possible else "some wrong"
                gold_name, system_name = name if in_gold else "", name if in_system else ""
                yield Match(side, outcome, credit, possible, gold_name, system_name)


def _same_anchor(gold: PlacedEvent | None, system: PlacedEvent | None) -> bool:
    return bool(gold and system and gold.dated and gold.anchor == system.anchor)


PAIRWISE = Definition(
    name="pairwise",
    meaning="all pairs of events that both sides order in the same way, and events that both "
    "anchor to the same time",
    citation=ALL_PAIRS,
    parameters=(MODE,),
    statistics=(
        Statistic(
            "matched", "integer", "pairs of events that both sides order, and of event and anchor"
        ),
        Statistic(
            "system_pairs", "integer", "pairs of events, and of event and anchor, of the system"
        ),
        Statistic("gold_pairs", "integer", "pairs of events, and of event and anchor, of the gold"),
    ),
    setting=lambda _: EVENTS,
    measure=_pairs,
    explain=_explain_pairs,
    ratio_table=PAIR_RATIOS,
    laws=lambda _: USUAL_LAWS,
)


def _order(events: MatchedEvents, _: Values) -> Evidence:
    both = events.both
    counts = order_counts([(gold.position, system.position) for gold, system in both])
    return Evidence((*counts, len(both), len(events.gold), len(events.system)))


def _explain_order(events: MatchedEvents, _: Values) -> Iterator[Match]:
    """Yield each matched event's half of the pairs that it is in."""
    matched = {name for name in events.gold if name in events.system}
    sides = [
        list(order_links(event for event in side.values() if event.name in matched))
        for side in (events.gold, events.system)
    ]
    for name, counts in sorted(entity_pairs(*sides).items()):
        wrong = counts.gold - counts.matched
        outcome = f"out of order with {wrong}" if wrong else "in order"
        gold, system = (f"{side[name].position}  {name}" for side in (events.gold, events.system))
        yield Match("both", outcome, counts.matched / 2, counts.gold / 2, gold, system)


def _order_scores(statistics: Array, _: Values) -> Array:
    concordant, discordant, gold, system, both, matched, golds, _systems = np.moveaxis(
        statistics, -1, 0
    )
    apart = concordant + discordant
    tau = ratio(concordant - discordant, np.sqrt((apart + system) * (apart + gold)))
    accuracy = ratio(concordant + both, apart + gold + system + both)
    return np.stack([tau, accuracy, ratio(matched, golds)], axis=-1)


TAU = Definition(
    name="tau",
    meaning="rank correlation of matched events (Kendall's tau-b), and the share of their pairs "
    "that are in order",
    citation="Kendall 1945, The treatment of ties in ranking problems, Biometrika; "
    "Lapata 2006, Automatic Evaluation of Information Ordering: Kendall's Tau, CL",
    statistics=(
        Statistic("concordant", "integer", "pairs in the same order on both sides"),
        Statistic("discordant", "integer", "pairs in opposite orders"),
        Statistic("tied_in_gold", "integer", "pairs that only the gold has as simultaneous"),
        Statistic("tied_in_system", "integer", "pairs that only the system has as simultaneous"),
        Statistic("tied_in_both", "integer", "pairs that both have as simultaneous"),
        Statistic("matched_events", "integer", "events that both sides have"),
        Statistic("gold_events", "integer", "events of the gold"),
        Statistic("system_events", "integer", "events of the system"),
    ),
    components=("tau", "pair_accuracy", "coverage"),
    ranges=lambda _: {"tau": (-1.0, 1.0), "pair_accuracy": (0.0, 1.0), "coverage": (0.0, 1.0)},
    setting=lambda _: EVENTS,
    measure=_order,
    explain=_explain_order,
    ratios=_order_scores,
    laws=lambda _: frozenset({Law.IDENTITY, Law.ITEM_ORDER, Law.EXPLAINED}),
    explained={
        "both": (
            ("concordant", "tied_in_both"),
            ("concordant", "discordant", "tied_in_gold", "tied_in_system", "tied_in_both"),
        )
    },
)


_CREDITS: Mapping[str, Callable[[str, str], float]] = {
    "exact": lambda anchor, other: float(anchor == other),
    "graded": lambda anchor, other: (
        agreed_parts(anchor, other) / len(parts)
        if (parts := date_parts(anchor))
        else float(anchor == other)
    ),
}


def _anchor_credits(
    side: Side, events: MatchedEvents, values: Values
) -> Iterator[tuple[PlacedEvent, PlacedEvent | None, float]]:
    """Yield each dated event of a side, its counterpart, and its credit."""
    credit = _CREDITS[str(values["credit"])]
    side_events, others = events.system, events.gold
    if side == "recall":
        side_events, others = others, side_events
    for name, event in side_events.items():
        if event.dated:
            other = others.get(name)
            earned = credit(event.anchor, other.anchor) if other and other.dated else 0.0
            yield event, other, earned


def _anchors(events: MatchedEvents, values: Values) -> Evidence:
    sums: list[float] = []
    for side in SIDES:
        # Sorted values are added, so that the order of rows changes no digit.
        credits = sorted(earned for *_, earned in _anchor_credits(side, events, values))
        sums += [float(sum(credits)), len(credits)]
    parts = [0] * 6  # right and present: years, months, days
    for event, other, _ in _anchor_credits("recall", events, values):
        agreed = agreed_parts(event.anchor, other.anchor) if other is not None else 0
        for place in range(len(date_parts(event.anchor))):
            parts[2 * place] += agreed > place
            parts[2 * place + 1] += 1
    return Evidence((*sums, *parts))


def _explain_anchors(events: MatchedEvents, values: Values) -> Iterator[Match]:
    for side in SIDES:
        for event, other, earned in _anchor_credits(side, events, values):
            item = f"{event.name}: {event.anchor}"
            other_item = f"{event.name}: {other.anchor}" if other else ""
            yield match_of(side, item, other_item, _outcome(event, other), earned)


def _outcome(event: PlacedEvent, other: PlacedEvent | None) -> str:
    if other is None:
        return "event missing"
    if event.anchor == other.anchor:
        return "exact"
    if not other.dated:
        return "no anchor"
    agreed = agreed_parts(event.anchor, other.anchor)
    return f"{' and '.join(_PARTS[:agreed])} right" if agreed else "wrong"


ANCHORS = Definition(
    name="anchors",
    meaning="time anchors alone: events that have the same date on both sides",
    citation="the anchors of Minard et al. 2015, SemEval-2015 Task 4, apart from the order",
    parameters=(
        Parameter(
            "credit",
            "word",
            "exact",
            "all or nothing, or the share of year, month and day that is right",
            tuple(_CREDITS),
        ),
    ),
    statistics=(
        Statistic("precision_credit", "real", "credit for the system's anchors"),
        Statistic("system_anchors", "integer", "events that the system anchors"),
        Statistic("recall_credit", "real", "credit for the gold's anchors"),
        Statistic("gold_anchors", "integer", "events that the gold anchors"),
        Statistic("years_right", "integer", "gold anchors of which the system has the year"),
        Statistic("gold_years", "integer", "gold anchors with a year"),
        Statistic("months_right", "integer", "gold anchors of which the system has the month too"),
        Statistic("gold_months", "integer", "gold anchors with a month"),
        Statistic("days_right", "integer", "gold anchors of which the system has the day too"),
        Statistic("gold_days", "integer", "gold anchors with a day"),
    ),
    ratio_table={
        "precision": ({"precision_credit": 1.0}, "system_anchors"),
        "recall": ({"recall_credit": 1.0}, "gold_anchors"),
        **{part: ({f"{part}s_right": 1.0}, f"gold_{part}s") for part in _PARTS},
    },
    setting=lambda _: EVENTS,
    measure=_anchors,
    explain=_explain_anchors,
    laws=lambda _: USUAL_LAWS,
)

DEFINITIONS = (SEMEVAL_2015, PAIRWISE, TAU, ANCHORS)
