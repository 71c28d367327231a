"""Metrics of links: temporal awareness as TempEval-3 counts it, and all pairs."""

from collections.abc import Iterator
from typing import Literal, cast

from chronoscore.core.evidence import Evidence, Match, Statistic
from chronoscore.core.metric import BrokenLaw, Definition, Law, Parameter, Values
from chronoscore.elements.ratios import precision_recall, shared_ratios, with_f
from chronoscore.ordering.awareness import Method
from chronoscore.ordering.pairwise import entity_pairs, pairwise
from chronoscore.ordering.reasons import Reasons
from chronoscore.ordering.tlinks.comparison import LINKS, LinkComparison

Side = Literal["precision", "recall"]

_CONTRADICTIONS = (
    Statistic("system_violated", "integer", "system links that contradict earlier ones"),
    Statistic("gold_violated", "integer", "gold links that contradict earlier ones"),
    Statistic("system_cycles", "integer", "contradictions among all system links"),
    Statistic("gold_cycles", "integer", "contradictions among all gold links"),
)


def _contradictions(found: LinkComparison) -> tuple[int, int, int, int]:
    violated = (len(found.system.violated), len(found.gold.violated))
    return (*violated, found.system_cycles, found.gold_cycles)


def _awareness(found: LinkComparison, values: Values) -> Evidence:
    counts = found.awareness(cast("Method", values["method"])).counts
    return Evidence((*counts, *_contradictions(found)))


def _explain_awareness(found: LinkComparison, values: Values) -> list[Match]:
    seen = found.awareness(cast("Method", values["method"]))
    gold, system = found.gold.kept, found.system.kept
    precision, recall = Reasons(system, gold, found.labels), Reasons(gold, system, found.labels)
    return [
        *precision.matches("precision", seen.system_verdicts, seen.system_violations),
        *recall.matches("recall", seen.gold_verdicts, seen.gold_violations),
    ]


AWARENESS = Definition(
    name="awareness",
    meaning="temporal awareness: links that the other side says, or that follow from what it "
    "says; links are taken in the order of the file, and it matters",
    citation="UzZaman and Allen 2011, Temporal Evaluation, ACL; UzZaman et al. 2013, "
    "SemEval-2013 Task 1: TempEval-3",
    parameters=(
        Parameter(
            "method",
            "word",
            "default",
            "count what is left after reduction, or all links and their inverses (acl11)",
            ("default", "acl11"),
        ),
    ),
    statistics=(
        Statistic("precision_matched", "integer", "system links that the gold verifies"),
        Statistic("system_total", "integer", "system links that count"),
        Statistic("recall_matched", "integer", "gold links that the system verifies"),
        Statistic("gold_total", "integer", "gold links that count"),
        *_CONTRADICTIONS,
    ),
    components=("precision", "recall"),
    scores=("precision", "recall", "f1"),
    primary="f1",
    setting=lambda _: LINKS,
    measure=_awareness,
    explain=_explain_awareness,
    ratios=precision_recall,
    derive=lambda components, _: with_f(components),
    laws=lambda _: frozenset({Law.IDENTITY, Law.SWAP, Law.EXPLAINED, Law.BOUNDED}),
    broken=(
        BrokenLaw(
            Law.ITEM_ORDER,
            "Links are reduced in the order of the file: a BEFORE b, b BEFORE c, a BEFORE c are "
            "two links, and with a BEFORE c in the first place they are three.",
        ),
    ),
    explained={
        "precision": (("precision_matched",), ("system_total",)),
        "recall": (("recall_matched",), ("gold_total",)),
    },
)


def _pairs(found: LinkComparison, _: Values) -> Evidence:
    counts = pairwise(found.gold.given, found.system.given)
    return Evidence((*counts, *_contradictions(found)[2:]))


def _explain_pairs(found: LinkComparison, _: Values) -> Iterator[Match]:
    """Each entity's half of the pairs that it is in."""
    for name, counts in entity_pairs(found.gold.given, found.system.given).items():
        outcome = "all right" if counts.matched == max(counts[1:]) else f"{counts.matched} right"
        label = found.labels[name]
        for side, whole in (("precision", counts.system), ("recall", counts.gold)):
            if whole:
                yield Match(
                    side=cast("Side", side),
                    outcome=outcome,
                    credit=counts.matched / 2,
                    possible=whole / 2,
                    gold=label if counts.gold else "",
                    predicted=label if counts.system else "",
                )


PAIRWISE = Definition(
    name="pairwise",
    meaning="pairs of entities that both sides relate in the same way, in what follows from all "
    "their links",
    citation="the temporal closure of UzZaman and Allen 2011, Temporal Evaluation, ACL, over all "
    "pairs instead of reduced links",
    statistics=(
        Statistic("matched", "integer", "pairs that both sides relate in the same way"),
        Statistic("system_pairs", "integer", "pairs that the system relates"),
        Statistic("gold_pairs", "integer", "pairs that the gold relates"),
        *_CONTRADICTIONS[2:],
    ),
    components=("precision", "recall"),
    scores=("precision", "recall", "f1"),
    primary="f1",
    setting=lambda _: LINKS,
    measure=_pairs,
    explain=lambda found, values: list(_explain_pairs(found, values)),
    ratios=shared_ratios,
    derive=lambda components, _: with_f(components),
    laws=lambda _: frozenset({Law.IDENTITY, Law.SWAP, Law.ITEM_ORDER, Law.EXPLAINED, Law.BOUNDED}),
    explained={
        "precision": (("matched",), ("system_pairs",)),
        "recall": (("matched",), ("gold_pairs",)),
    },
)
