"""The metrics of order, as rows of a catalogue."""

from collections.abc import Hashable
from typing import Literal, NamedTuple, cast

import numpy as np

from chronoscore.core.case import Case
from chronoscore.core.evidence import Evidence, Match, Statistic
from chronoscore.core.metric import BrokenLaw, Definition, Law, Parameter, Values
from chronoscore.elements.ratios import Array, ratio, with_f
from chronoscore.ordering.awareness import Awareness, Verdict, awareness
from chronoscore.ordering.model import Timeline
from chronoscore.ordering.semeval import Mode, links


class Comparison(NamedTuple):
    """Two timelines as links, each verified against the other, and names for people."""

    awareness: Awareness
    names: dict[str, str]


def compare(case: Case[Timeline, Timeline], setting: Hashable) -> Comparison:
    """Compare two timelines with or without their time anchors."""
    made = links(case.gold, case.predicted, cast("Mode", setting))
    return Comparison(awareness(made.gold, made.system), made.names)


def _measure(comparison: Comparison, _: Values) -> Evidence:
    found = comparison.awareness
    return Evidence((*found.counts, found.system_violated, found.gold_violated))


def _explain(comparison: Comparison, _: Values) -> list[Match]:
    found = comparison.awareness
    return [
        *(_match("precision", v, comparison.names) for v in found.system_verdicts),
        *(_match("recall", v, comparison.names) for v in found.gold_verdicts),
    ]


def _match(side: Literal["precision", "recall"], verdict: Verdict, names: dict[str, str]) -> Match:
    source, target, relation = verdict.link
    text = f"{names[source]} {relation} {names[target]}"
    return Match(
        side=side,
        outcome=verdict.how,
        credit=float(verdict.verified),
        possible=1.0,
        gold=text if side == "recall" else "",
        predicted=text if side == "precision" else "",
    )


def _precision_recall(statistics: Array, _: Values) -> Array:
    precision = ratio(statistics[..., 0], statistics[..., 1])
    return np.stack([precision, ratio(statistics[..., 2], statistics[..., 3])], axis=-1)


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
    ),
    components=("precision", "recall"),
    scores=("precision", "recall", "f1"),
    primary="f1",
    setting=lambda values: values["mode"],
    measure=_measure,
    explain=_explain,
    ratios=_precision_recall,
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

DEFINITIONS = (SEMEVAL_2015,)
