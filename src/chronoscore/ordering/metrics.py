"""The metrics of order, as rows of a catalogue."""

from collections.abc import Hashable, Mapping
from typing import NamedTuple, cast

from msgspec import structs

from chronoscore.core.case import Case
from chronoscore.core.errors import DataError
from chronoscore.core.evidence import Evidence, Match, Statistic
from chronoscore.core.metric import BrokenLaw, Definition, Law, Parameter, Values
from chronoscore.elements.ratios import precision_recall, with_f
from chronoscore.ordering.awareness import Awareness, awareness
from chronoscore.ordering.event_metrics import EVENT_DEFINITIONS, EVENTS
from chronoscore.ordering.events import MatchedEvents, matched_events
from chronoscore.ordering.model import Link, Timeline
from chronoscore.ordering.pairwise import cycles
from chronoscore.ordering.reasons import Reasons
from chronoscore.ordering.semeval import Mode, links

MOST_EVENTS = 20_000
"""Events of a timeline whose closure is computed: memory grows with their square."""


class Comparison(NamedTuple):
    """Two timelines as links, each verified against the other, and names for people."""

    awareness: Awareness
    names: dict[str, str]
    owners: dict[str, tuple[str, ...]]
    system_cycles: int
    gold_cycles: int


def compare(case: Case[Timeline, Timeline], setting: Hashable) -> Comparison | MatchedEvents:
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
    made = links(case.gold, case.predicted, cast("Mode", setting))
    found = awareness(made.gold, made.system)
    return Comparison(found, made.names, made.owners, cycles(made.system), cycles(made.gold))


def _measure(comparison: Comparison, _: Values) -> Evidence:
    found = comparison.awareness
    violated = (found.system_violated, found.gold_violated)
    return Evidence((*found.counts, *violated, comparison.system_cycles, comparison.gold_cycles))


def _explain(comparison: Comparison, _: Values) -> list[Match]:
    found, names = comparison.awareness, comparison.names
    gold, system = found.gold_kept, found.system_kept
    precision = Reasons(system, gold, names).matches(
        "precision", found.system_verdicts, found.system_violations
    )
    recall = Reasons(gold, system, names).matches(
        "recall", found.gold_verdicts, found.gold_violations
    )
    owned = (
        structs.replace(match, about=_owners(verdict.link, comparison.owners))
        for match, verdict in zip(precision, found.system_verdicts, strict=True)
    )
    return [*owned, *recall]


def _owners(link: Link, owners: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The mentions that a link is about; a time is nobody's."""
    return tuple(name for end in link[:2] for name in owners.get(end, ()))


SEMEVAL_2015 = Definition(
    name="semeval2015",
    meaning="temporal awareness of two timelines: links that follow from the other side",
    citation="Minard et al. 2015, SemEval-2015 Task 4: TimeLine: Cross-Document Event Ordering; "
    "UzZaman and Allen 2011, Temporal Evaluation, ACL",
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
        Statistic("precision_matched", "integer", "system links that the gold verifies"),
        Statistic("system_total", "integer", "system links after reduction"),
        Statistic("recall_matched", "integer", "gold links that the system verifies"),
        Statistic("gold_total", "integer", "gold links after reduction"),
        Statistic("system_violated", "integer", "system links that contradict earlier ones"),
        Statistic("gold_violated", "integer", "gold links that contradict earlier ones"),
        Statistic("system_cycles", "integer", "contradictions among all system links"),
        Statistic("gold_cycles", "integer", "contradictions among all gold links"),
    ),
    components=("precision", "recall"),
    scores=("precision", "recall", "f1"),
    primary="f1",
    setting=lambda values: values["mode"],
    measure=_measure,
    explain=_explain,
    ratios=precision_recall,
    derive=lambda components, _: with_f(components),
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
    explained={
        "precision": (("precision_matched",), ("system_total",)),
        "recall": (("recall_matched",), ("gold_total",)),
    },
)

DEFINITIONS = (SEMEVAL_2015, *EVENT_DEFINITIONS)
