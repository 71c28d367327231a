"""Metrics of matched events: all pairs, rank correlation, and time anchors."""

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, cast

import numpy as np

from chronoscore.core.evidence import Evidence, Match, Statistic
from chronoscore.core.metric import Definition, Law, Parameter, Values
from chronoscore.elements.ratios import Array, f_measure, ratio, shared_ratios, with_f
from chronoscore.ordering.events import (
    Event,
    MatchedEvents,
    agreed_parts,
    date_parts,
    is_date,
    order_links,
    tally,
)
from chronoscore.ordering.pairwise import PairCounts, entity_pairs

EVENTS = "events"
"""The setting under which timelines are compared event by event."""
_BOTH_SIDES = frozenset({Law.IDENTITY, Law.SWAP, Law.ITEM_ORDER, Law.EXPLAINED, Law.BOUNDED})
_PARTS = ("year", "month", "day")


def _pairs(events: MatchedEvents, values: Values) -> Evidence:
    found = tally([(gold.position, system.position) for gold, system in events.both])
    matched, system, gold = found.agreed, *map(_all_pairs, (events.system, events.gold))
    if values["mode"] == "full":
        matched += sum(_same_anchor(ours, theirs) for ours, theirs in events.both)
        system += sum(event.dated for event in events.system.values())
        gold += sum(event.dated for event in events.gold.values())
    return Evidence((matched, system, gold))


def _all_pairs(events: dict[str, Event]) -> int:
    return len(events) * (len(events) - 1) // 2


def _explain_pairs(events: MatchedEvents, values: Values) -> Iterator[Match]:
    """Each event's half of the pairs of events that it is in, and its anchor."""
    with_anchors = values["mode"] == "full"
    gold, system = (list(order_links(side.values())) for side in (events.gold, events.system))
    pairs = entity_pairs(gold, system)
    for name in {**events.gold, **events.system}:  # a lone event is in no pair, but has an anchor
        counts = pairs.get(name, PairCounts(0, 0, 0))
        ours, theirs = events.gold.get(name), events.system.get(name)
        right = int(with_anchors and _same_anchor(ours, theirs))
        for side, event, whole in (
            ("precision", theirs, counts.system),
            ("recall", ours, counts.gold),
        ):
            if event is None:
                continue
            anchored = int(with_anchors and event.dated)
            credit, possible = counts.matched / 2 + right, whole / 2 + anchored
            if possible:
                yield Match(
                    side=cast("Literal['precision', 'recall']", side),
                    outcome="all right" if credit == possible else "some wrong",
                    credit=credit,
                    possible=possible,
                    gold=name if ours else "",
                    predicted=name if theirs else "",
                )


def _same_anchor(one: Event | None, two: Event | None) -> bool:
    return bool(one and two and one.dated and one.anchor == two.anchor)


PAIRWISE = Definition(
    name="pairwise",
    meaning="all pairs of events that both sides order in the same way, and events that both "
    "anchor to the same time",
    citation="the temporal closure of UzZaman and Allen 2011, Temporal Evaluation, ACL, over all "
    "pairs instead of reduced links",
    parameters=(
        Parameter(
            "mode",
            "word",
            "full",
            "order and time anchors, or order alone",
            ("full", "order"),
        ),
    ),
    statistics=(
        Statistic(
            "matched", "integer", "pairs of events that both sides order, and of event and anchor"
        ),
        Statistic(
            "system_pairs", "integer", "pairs of events, and of event and anchor, of the system"
        ),
        Statistic("gold_pairs", "integer", "pairs of events, and of event and anchor, of the gold"),
    ),
    components=("precision", "recall"),
    scores=("precision", "recall", "f1"),
    primary="f1",
    setting=lambda _: EVENTS,
    measure=_pairs,
    explain=lambda events, values: list(_explain_pairs(events, values)),
    ratios=shared_ratios,
    derive=lambda components, _: with_f(components),
    laws=lambda _: _BOTH_SIDES,
    explained={
        "precision": (("matched",), ("system_pairs",)),
        "recall": (("matched",), ("gold_pairs",)),
    },
)


def _order(events: MatchedEvents, _: Values) -> Evidence:
    both = events.both
    found = tally([(gold.position, system.position) for gold, system in both])
    return Evidence((*found, len(both), len(events.gold), len(events.system)))


def _explain_order(events: MatchedEvents, _: Values) -> Iterator[Match]:
    """Each matched event's half of the pairs that it is in."""
    matched = {name for name in events.gold if name in events.system}
    sides = [
        list(order_links(event for event in side.values() if event.name in matched))
        for side in (events.gold, events.system)
    ]
    for name, counts in sorted(entity_pairs(*sides).items()):
        wrong = counts.gold - counts.matched
        yield Match(
            side="both",
            outcome=f"out of order with {wrong}" if wrong else "in order",
            credit=counts.matched / 2,
            possible=counts.gold / 2,
            gold=f"{events.gold[name].position}  {name}",
            predicted=f"{events.system[name].position}  {name}",
        )


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
    scores=("tau", "pair_accuracy", "coverage"),
    primary="tau",
    ranges=lambda _: {"tau": (-1.0, 1.0), "pair_accuracy": (0.0, 1.0), "coverage": (0.0, 1.0)},
    setting=lambda _: EVENTS,
    measure=_order,
    explain=lambda events, values: list(_explain_order(events, values)),
    ratios=_order_scores,
    laws=lambda _: frozenset({Law.IDENTITY, Law.ITEM_ORDER, Law.EXPLAINED}),
    explained={
        "both": (
            ("concordant", "tied_in_both"),
            ("concordant", "discordant", "tied_in_gold", "tied_in_system", "tied_in_both"),
        )
    },
)


Credit = Callable[[str, str], float]


def _exact(said: str, other: str) -> float:
    return float(said == other)


def _graded(said: str, other: str) -> float:
    return agreed_parts(said, other) / len(date_parts(said))


_CREDITS = {"exact": _exact, "graded": _graded}


def _anchor_credits(
    side: Literal["precision", "recall"], events: MatchedEvents, values: Values
) -> Iterator[tuple[Event, Event | None, float]]:
    """Each dated event of a side, its counterpart, and what it earns."""
    credit = _CREDITS[str(values["credit"])]
    own, others = events.system, events.gold
    if side == "recall":
        own, others = others, own
    for name, event in own.items():
        if event.dated:
            other = others.get(name)
            known = other is not None and other.dated
            yield event, other, credit(event.anchor, other.anchor) if other and known else 0.0


def _anchors(events: MatchedEvents, values: Values) -> Evidence:
    precision = [earned for *_, earned in _anchor_credits("precision", events, values)]
    recall = [earned for *_, earned in _anchor_credits("recall", events, values)]
    right, said = [0, 0, 0], [0, 0, 0]
    for event, other, _ in _anchor_credits("recall", events, values):
        agreed = agreed_parts(event.anchor, other.anchor) if other is not None else 0
        for place in range(len(date_parts(event.anchor)) if is_date(event.anchor) else 0):
            said[place] += 1
            right[place] += agreed > place
    parts = (number for each in zip(right, said, strict=True) for number in each)
    return Evidence((_sum(precision), len(precision), _sum(recall), len(recall), *parts))


def _sum(credits: Iterable[float]) -> float:
    """Add up in an order of the values' own, so that the order of rows changes no digit."""
    return float(sum(sorted(credits)))


def _explain_anchors(events: MatchedEvents, values: Values) -> Iterator[Match]:
    sides: tuple[Literal["precision", "recall"], ...] = ("precision", "recall")
    for side in sides:
        for event, other, earned in _anchor_credits(side, events, values):
            own = f"{event.name}: {event.anchor}"
            theirs = f"{event.name}: {other.anchor}" if other else ""
            yield Match(
                side=side,
                outcome=_outcome(event, other),
                credit=earned,
                possible=1.0,
                gold=theirs if side == "precision" else own,
                predicted=own if side == "precision" else theirs,
            )


def _outcome(event: Event, other: Event | None) -> str:
    if other is None:
        return "event missing"
    if event.anchor == other.anchor:
        return "exact"
    if not other.dated:
        return "no anchor"
    agreed = agreed_parts(event.anchor, other.anchor)
    return f"{' and '.join(_PARTS[:agreed])} right" if agreed else "wrong"


def _anchor_ratios(statistics: Array, _: Values) -> Array:
    parts = [ratio(statistics[..., at], statistics[..., at + 1]) for at in range(0, 10, 2)]
    return np.stack(parts, axis=-1)


def _anchor_scores(components: Array, _: Values) -> Array:
    f1 = f_measure(components[..., 0], components[..., 1])[..., np.newaxis]
    return np.concatenate([components[..., :2], f1, components[..., 2:]], axis=-1)


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
    components=("precision", "recall", *_PARTS),
    scores=("precision", "recall", "f1", *_PARTS),
    primary="f1",
    setting=lambda _: EVENTS,
    measure=_anchors,
    explain=lambda events, values: list(_explain_anchors(events, values)),
    ratios=_anchor_ratios,
    derive=_anchor_scores,
    laws=lambda _: _BOTH_SIDES,
    explained={
        "precision": (("precision_credit",), ("system_anchors",)),
        "recall": (("recall_credit",), ("gold_anchors",)),
    },
)

EVENT_DEFINITIONS = (PAIRWISE, TAU, ANCHORS)
