"""ROUGE of timelines: aligned days, the whole as one document, and each gold day by itself."""

import re
from collections.abc import Sequence
from typing import Literal

import numpy as np

from chronoscore.core.errors import UsageError
from chronoscore.core.evidence import Evidence, Match, Statistic
from chronoscore.core.functions import is_name
from chronoscore.core.metric import BrokenLaw, Definition, Law, Parameter, Values, text_of
from chronoscore.elements.periods import Period
from chronoscore.elements.ratios import Array, precision_recall, with_f
from chronoscore.elements.text import tokeniser
from chronoscore.timelines.alignment import (
    ASSIGNMENTS,
    COSTS,
    KERNELS,
    MEANING_COST,
    Columns,
    align,
)
from chronoscore.timelines.comparison import Comparison, Overlap
from chronoscore.timelines.meaning import meaning_overlap

Side = Literal["precision", "recall"]

_MARTSCHAT = (
    "Martschat and Markert 2017, Improving ROUGE for Timeline Summarization, EACL "
    "(computed there by tilse on ROUGE-1.5.5, Lin 2004)"
)
EXPLAINED = {
    "precision": (("precision_credit",), ("predicted_total",)),
    "recall": (("recall_credit",), ("gold_total",)),
}
SCORES = ("precision", "recall", "f1")
_LENGTH = re.compile("0*[1-9][0-9]?")


def add_f(components: Array, values: Values) -> Array:
    """Append F to precision and recall."""
    return with_f(components, float(str(values.get("beta", 1.0))))


def check_rouge(word: str) -> None:
    """Refuse what is neither a length of n-grams nor L."""
    if word != "L" and not _LENGTH.fullmatch(word):
        raise UsageError(f"parameter 'rouge' is '{word[:40]}', expected 1 to 99, or L")


ROUGE = Parameter(
    "rouge", "word", "1", "length of the n-grams, or L for the longest sequence", check=check_rouge
)
TEXT = Parameter(
    "text",
    "word",
    "rouge155",
    "how text becomes tokens: rouge155, reimpl, plain or snowball-LANGUAGE",
    check=tokeniser,
)
BETA = Parameter("beta", "number", 1.0, "weight of recall in F", least=0)


def _overlap(comparison: Comparison, values: Values) -> Overlap:
    if values["overlap"] == "meaning":
        return meaning_overlap(comparison, text_of(values, "model"))
    return comparison.overlap(str(values["rouge"]))


def _sides(
    comparison: Comparison, values: Values
) -> tuple[tuple[Columns, Array, Array, Array], tuple[Columns, Array, Array, Array]]:
    """For each side: its alignment, and weights, shared and own n-grams with its days in rows."""
    overlap = _overlap(comparison, values)
    aligned = align(comparison, values)
    weight = aligned.weight
    return (
        (aligned.to_gold, weight, overlap.shared, overlap.predicted),
        (aligned.to_predicted, weight.T, overlap.found.T, overlap.gold),
    )


def _measure_alignment(comparison: Comparison, values: Values) -> Evidence:
    """Add up what aligned days share, weighed by their distance."""
    overlap = _overlap(comparison, values)
    aligned = align(comparison, values)
    statistics: list[int | float] = []
    for cells, shared, total in (
        (aligned.cells[0], overlap.shared, overlap.predicted),
        (aligned.cells[1], overlap.found, overlap.gold),
    ):
        credit = aligned.weight.take(cells) * shared.take(cells)
        # Left to right, as tilse adds: bit for bit its numbers.
        statistics.append(float(np.add.accumulate(credit)[-1]) if len(credit) else 0.0)
        statistics.append(int(total.sum()))
    return Evidence(tuple(statistics))


def _explain_alignment(comparison: Comparison, values: Values) -> list[Match]:
    """Tell for each day of both sides what it was aligned with and what that earned."""
    matches = []
    dates = (comparison.predicted_dates, comparison.gold_dates)
    sides: tuple[Side, Side] = ("precision", "recall")
    for place, (columns, weight, shared, total) in enumerate(_sides(comparison, values)):
        distance = comparison.distance.T if place else comparison.distance
        for row, column in enumerate(columns.tolist()):
            own, other = dates[place][row], dates[1 - place][column] if column >= 0 else None
            matches.append(
                _match(
                    sides[place],
                    own,
                    other,
                    distance[row, column] if other else 0.0,
                    weight[row, column] if other else 0.0,
                    shared[row, column] if other else 0.0,
                    total[row],
                )
            )
    return matches


def _match(
    side: Side,
    day: Period,
    partner: Period | None,
    distance: float,
    weight: float,
    shared: float,
    possible: float,
) -> Match:
    if partner is None:
        outcome = "not aligned"
    elif not shared:
        outcome = "nothing shared"
    else:
        outcome = "same day" if distance == 0 else "other day"
    names = (str(day), str(partner) if partner else "")
    predicted, gold = names if side == "precision" else names[::-1]
    return Match(
        side=side,
        outcome=outcome,
        credit=float(weight * shared),
        possible=float(possible),
        gold=gold,
        predicted=predicted,
        distance=float(distance) if partner else None,
        weight=float(weight),
        shared=float(shared),
    )


def _alignment_laws(values: Values) -> frozenset[Law]:
    laws = {Law.ITEM_ORDER, Law.EXPLAINED}
    if any(is_name(str(values[name])) for name in ("cost", "kernel", "assign")):
        return frozenset(laws)
    laws |= {Law.SWAP, Law.BOUNDED}
    published = values["overlap"] == "ngrams" and values["assign"] in ASSIGNMENTS
    unique = values["cost"] == "date" or values["assign"] == "same-day"
    nearest = values["assign"] == "many-to-one" and values["tie"] == "nearest"
    if published and (unique or nearest):
        laws.add(Law.IDENTITY)
    return frozenset(laws)


ALIGN = Definition(
    name="align",
    meaning="ROUGE of days that are aligned by date, and by text, weighed by their distance",
    citation=_MARTSCHAT,
    parameters=(
        ROUGE,
        TEXT,
        Parameter(
            "cost",
            "function",
            "date",
            "what a match costs: its distance, and the difference of the texts or their meaning",
            (*COSTS, MEANING_COST),
        ),
        Parameter(
            "assign",
            "function",
            "one-to-one",
            "each day once, or several to one, or only the same date",
            tuple(ASSIGNMENTS),
        ),
        Parameter(
            "tie",
            "word",
            "first",
            "which of equally cheap days is taken in many-to-one: the first, as published, or the "
            "nearest",
            ("first", "nearest"),
        ),
        Parameter(
            "kernel", "function", "reciprocal", "the weight of a distance: 1/(d+1)", tuple(KERNELS)
        ),
        Parameter(
            "overlap",
            "word",
            "ngrams",
            "what is shared: n-grams, or the words of sentences that mean the same",
            ("ngrams", "meaning"),
        ),
        Parameter(
            "model", "function", "wordllama", "the embedding for cost and overlap of meaning"
        ),
        BETA,
    ),
    presets={
        "align": {},
        "agreement": {"assign": "same-day"},
        "align+": {"cost": "date+text"},
        "align+m:1": {"cost": "date+text", "assign": "many-to-one"},
    },
    statistics=(
        Statistic("precision_credit", "real", "shared n-grams of predicted days, weighed"),
        Statistic("predicted_total", "integer", "n-grams of predicted days"),
        Statistic("recall_credit", "real", "shared n-grams of gold days, weighed"),
        Statistic("gold_total", "integer", "n-grams of gold days"),
    ),
    components=SCORES[:2],
    scores=SCORES,
    primary="f1",
    setting=lambda values: values["text"],
    measure=_measure_alignment,
    explain=_explain_alignment,
    ratios=precision_recall,
    derive=add_f,
    laws=_alignment_laws,
    days=True,
    broken=(
        BrokenLaw(
            Law.IDENTITY,
            "A copy of a gold with two days of equal text can score below 1, since a day may be "
            "aligned with the other one: align+m:1(tie=nearest) repairs it.",
        ),
    ),
    explained=EXPLAINED,
)


def _measure_whole(comparison: Comparison, values: Values) -> Evidence:
    shared, predicted, gold = comparison.whole(str(values["rouge"]))
    return Evidence((shared, predicted, shared, gold))


def _explain_whole(comparison: Comparison, values: Values) -> list[Match]:
    shared, predicted, gold = comparison.whole(str(values["rouge"]))
    sides: Sequence[tuple[Side, int]] = (("precision", predicted), ("recall", gold))
    return [
        Match(
            side=side,
            outcome="all days as one document",
            credit=float(shared),
            possible=float(total),
            shared=float(shared),
        )
        for side, total in sides
    ]


CONCAT = Definition(
    name="concat",
    meaning="ROUGE of the two timelines as one document each; dates play no part",
    citation=_MARTSCHAT,
    parameters=(ROUGE, TEXT, BETA),
    statistics=(
        Statistic("precision_credit", "integer", "shared n-grams"),
        Statistic("predicted_total", "integer", "n-grams of the prediction"),
        Statistic("recall_credit", "integer", "shared n-grams"),
        Statistic("gold_total", "integer", "n-grams of the gold"),
    ),
    components=SCORES[:2],
    scores=SCORES,
    primary="f1",
    setting=lambda values: values["text"],
    measure=_measure_whole,
    explain=_explain_whole,
    ratios=precision_recall,
    derive=add_f,
    laws=lambda _: frozenset({Law.IDENTITY, Law.SWAP, Law.ITEM_ORDER, Law.EXPLAINED, Law.BOUNDED}),
    explained=EXPLAINED,
)
