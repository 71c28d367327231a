"""The metrics of timelines, as rows of a catalogue."""

from collections.abc import Sequence
from datetime import date
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.evidence import Evidence, Match, Statistic
from chronoscore.core.metric import BrokenLaw, Definition, Law, Parameter, Values
from chronoscore.elements.ratios import Array, ratio, with_f
from chronoscore.timelines.alignment import Tie, closeness, date_text_cost, many_to_one
from chronoscore.timelines.comparison import TEXTS, Comparison, Overlap

_MARTSCHAT = (
    "Martschat and Markert 2017, Improving ROUGE for Timeline Summarization, EACL "
    "(computed there by tilse on ROUGE-1.5.5, Lin 2004)"
)
_EXPLAINED = {
    "precision": (("precision_credit",), ("predicted_total",)),
    "recall": (("recall_credit",), ("gold_total",)),
}


def _precision_recall(statistics: Array, _: Values) -> Array:
    return np.stack(
        [
            ratio(statistics[..., 0], statistics[..., 1]),
            ratio(statistics[..., 2], statistics[..., 3]),
        ],
        axis=-1,
    )


def _measure_alignment(comparison: Comparison, values: Values) -> Evidence:
    """Align both ways and add up what is shared, weighed by closeness."""
    overlap = comparison.overlap(cast("int", values["rouge"]))
    cost = date_text_cost(comparison.distance, comparison.likeness)
    tie = cast("Tie", values["tie"])
    to_gold = many_to_one(cost, comparison.distance, tie)
    to_predicted = many_to_one(cost.T, comparison.distance.T, tie)
    matches = [
        *_matches("precision", comparison, overlap, to_gold),
        *_matches("recall", comparison, overlap, to_predicted),
    ]
    sums = {"precision": [0.0, 0.0], "recall": [0.0, 0.0]}
    for match in matches:  # left to right, as tilse adds: bit for bit its numbers
        sums[match.side][0] += match.credit
        sums[match.side][1] += match.possible
    statistics = (sums["precision"][0], int(sums["precision"][1]))
    return Evidence(
        (*statistics, sums["recall"][0], int(sums["recall"][1])), matches=tuple(matches)
    )


def _matches(
    side: Literal["precision", "recall"],
    comparison: Comparison,
    overlap: Overlap,
    aligned: NDArray[np.intp],
) -> list[Match]:
    """Tell for each day of one side what it was aligned with and what that earned."""
    own, other = comparison.predicted_dates, comparison.gold_dates
    shared, distance, possible = overlap.shared, comparison.distance, overlap.predicted
    if side == "recall":
        own, other = other, own
        shared, distance, possible = shared.T, distance.T, overlap.gold
    if not len(aligned):
        return [
            _match(side, day, None, 0.0, 0.0, 0.0, total)
            for day, total in zip(own, possible.tolist(), strict=True)
        ]
    rows = np.arange(len(own))
    found = shared[rows, aligned].tolist()
    apart = distance[rows, aligned]
    columns = (
        aligned.tolist(),
        apart.tolist(),
        closeness(apart).tolist(),
        found,
        possible.tolist(),
    )
    return [
        _match(side, day, other[partner], days, weight, shared, total)
        for day, partner, days, weight, shared, total in zip(own, *columns, strict=True)
    ]


def _match(
    side: Literal["precision", "recall"],
    day: date,
    partner: date | None,
    distance: float,
    weight: float,
    shared: float,
    possible: float,
) -> Match:
    if partner is None:
        outcome = "nothing to align with"
    elif not shared:
        outcome = "no shared words"
    else:
        outcome = "same day" if distance == 0 else "other day"
    names = (day.isoformat(), partner.isoformat() if partner else "")
    predicted, gold = names if side == "precision" else names[::-1]
    return Match(
        side=side,
        outcome=outcome,
        credit=weight * shared,
        possible=possible,
        gold=gold,
        predicted=predicted,
        distance=distance if partner else None,
        weight=weight,
    )


ALIGN_PLUS_MANY_TO_ONE = Definition(
    name="align+m:1",
    meaning="ROUGE of days that are aligned by date and text, several to one, weighed by distance",
    citation=_MARTSCHAT,
    parameters=(
        Parameter("rouge", "integer", 1, "length of the n-grams that are counted", least=1),
        Parameter("text", "word", "rouge155", "how text becomes tokens", tuple(TEXTS)),
        Parameter(
            "tie",
            "word",
            "first",
            "which of equally cheap days is taken: the first, as published, or the nearest",
            ("first", "nearest"),
        ),
    ),
    statistics=(
        Statistic("precision_credit", "real", "shared n-grams of predicted days, weighed"),
        Statistic("predicted_total", "integer", "n-grams of predicted days"),
        Statistic("recall_credit", "real", "shared n-grams of gold days, weighed"),
        Statistic("gold_total", "integer", "n-grams of gold days"),
    ),
    components=("precision", "recall"),
    scores=("precision", "recall", "f1"),
    primary="f1",
    setting=lambda values: values["text"],
    measure=_measure_alignment,
    ratios=_precision_recall,
    derive=lambda components, _: with_f(components),
    laws=lambda values: frozenset(
        {Law.SWAP, Law.ITEM_ORDER, Law.EXPLAINED, Law.BOUNDED}
        | ({Law.IDENTITY} if values["tie"] == "nearest" else set())
    ),
    broken=(
        BrokenLaw(
            Law.IDENTITY,
            "A copy of a gold with two days of equal text can score below 1: both days are "
            "aligned with the first. align+m:1(tie=nearest) repairs it.",
        ),
    ),
    explained=_EXPLAINED,
)


def _measure_dates(comparison: Comparison, _: Values) -> Evidence:
    """Count the dates that both have."""
    predicted, gold = comparison.predicted_dates, comparison.gold_dates
    matches = [
        *_date_matches("precision", predicted, set(gold)),
        *_date_matches("recall", gold, set(predicted)),
    ]
    common = len(set(predicted) & set(gold))
    return Evidence((common, len(predicted), common, len(gold)), matches=tuple(matches))


def _date_matches(
    side: Literal["precision", "recall"], own: Sequence[date], other: set[date]
) -> list[Match]:
    lost = "spurious date" if side == "precision" else "missed date"
    return [
        Match(
            side=side,
            outcome="date found" if day in other else lost,
            credit=1.0 if day in other else 0.0,
            possible=1.0,
            gold=day.isoformat() if side == "recall" or day in other else "",
            predicted=day.isoformat() if side == "precision" or day in other else "",
        )
        for day in own
    ]


DATE_F1 = Definition(
    name="date-f1",
    meaning="dates that are exactly right, as a set",
    citation="Martschat and Markert 2018, A Temporally Sensitive Submodularity Framework for "
    "Timeline Summarization, CoNLL",
    statistics=(
        Statistic("precision_credit", "integer", "predicted dates that the gold has"),
        Statistic("predicted_total", "integer", "predicted dates"),
        Statistic("recall_credit", "integer", "gold dates that were predicted"),
        Statistic("gold_total", "integer", "gold dates"),
    ),
    components=("precision", "recall"),
    scores=("precision", "recall", "f1"),
    primary="f1",
    setting=lambda _: next(iter(TEXTS)),  # needs no text: shares what others compare
    measure=_measure_dates,
    ratios=_precision_recall,
    derive=lambda components, _: with_f(components),
    laws=lambda _: frozenset(
        {
            Law.IDENTITY,
            Law.SWAP,
            Law.ITEM_ORDER,
            Law.EXPLAINED,
            Law.BOUNDED,
            Law.MORE_IS_BETTER,
        }
    ),
    explained=_EXPLAINED,
)

DEFINITIONS = (ALIGN_PLUS_MANY_TO_ONE, DATE_F1)
