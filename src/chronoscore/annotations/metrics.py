"""The metrics of spans: counts of a matching, the same over score thresholds, by target."""

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from chronoscore.annotations.areas import AREAS, areas
from chronoscore.annotations.counting import Compared
from chronoscore.annotations.explaining import explain, explain_targets
from chronoscore.annotations.model import COUNTERS, WHOLE_HITS
from chronoscore.annotations.parameters import BETA, MATCHING, QUESTION, question_of
from chronoscore.annotations.spans import (
    BY_TARGET,
    Sides,
    by_target,
    compare,
    counted,
    curve,
    curve_base,
)
from chronoscore.annotations.thresholds import check
from chronoscore.core.batch import Measured
from chronoscore.core.evidence import Evidence, Statistic
from chronoscore.core.metric import Definition, Law, Parameter, Values
from chronoscore.elements.ratios import Array, f_measure, ratio

__all__ = ["DEFINITIONS", "compare"]

_COMPONENTS = {
    "strict_precision": (("correct_strict",), "responses"),
    "strict_recall": (("correct_strict",), "targets"),
    "lenient_precision": (("correct_strict", "correct_partial"), "responses"),
    "lenient_recall": (("correct_strict", "correct_partial"), "targets"),
    "partial_precision": (("correct_strict", "correct_strict", "correct_partial"), "responses"),
    "partial_recall": (("correct_strict", "correct_strict", "correct_partial"), "targets"),
    "strict_accuracy": (("single_correct_strict",), "targets"),
    "lenient_accuracy": (("single_correct_strict", "single_correct_partial"), "targets"),
    "strict_recall_in_responses": (("correct_strict",), "targets_with_strict"),
    "lenient_recall_in_responses": (
        ("correct_strict", "correct_partial"),
        "targets_with_lenient",
    ),
}
_SCORES = (
    "strict_precision",
    "strict_recall",
    "strict_f1",
    "lenient_precision",
    "lenient_recall",
    "lenient_f1",
    "average_f1",
    "partial_precision",
    "partial_recall",
    "partial_f1",
    "strict_accuracy",
    "lenient_accuracy",
    "strict_recall_in_responses",
    "lenient_recall_in_responses",
)


def _ratios(statistics: Array, _: Values) -> Array:
    column = {name: statistics[..., place] for place, name in enumerate(COUNTERS)}
    parts = []
    for name, (numerators, denominator) in _COMPONENTS.items():
        numerator = column[numerators[0]] + sum(column[one] for one in numerators[1:])
        if name.startswith("partial"):
            numerator = numerator / 2  # a pair of the same span counts twice, hence half
        parts.append(ratio(numerator, column[denominator]))
    return np.stack(parts, axis=-1)


def _derive(components: Array, values: Values) -> Array:
    beta = values["beta"]
    assert isinstance(beta, float)
    found = dict(zip(_COMPONENTS, np.moveaxis(components, -1, 0), strict=True))
    for how in ("strict", "lenient", "partial"):
        found[f"{how}_f1"] = f_measure(found[f"{how}_precision"], found[f"{how}_recall"], beta)
    found["average_f1"] = (found["strict_f1"] + found["lenient_f1"]) / 2
    return np.stack([found[name] for name in _SCORES], axis=-1)


_MEANINGS = {
    "targets": "gold annotations",
    "responses": "predicted annotations",
    "correct_strict": "matched, equal, same span",
    "correct_partial": "matched, equal, overlapping span",
    "incorrect_strict": "matched, not equal, same span",
    "incorrect_partial": "matched, not equal, overlapping span",
    "single_correct_strict": "correct strict, with no unmatched response at the target",
    "single_correct_partial": "correct partial, with no unmatched response at the target",
    "targets_with_strict": "targets that have a response of the same span, matched or not",
    "targets_with_lenient": "targets that have an overlapping response, matched or not",
}
STATISTICS = tuple(Statistic(name, "integer", _MEANINGS[name]) for name in COUNTERS)
_GATE = "GATE Evaluation plugin (gate.ac.uk), Petrak; definitions in its development notes"
_ORDER_ONLY = frozenset({Law.ITEM_ORDER, Law.BOUNDED})


def _laws(values: Values) -> frozenset[Law]:
    laws = {Law.ITEM_ORDER, Law.BOUNDED, Law.EXPLAINED}
    if values["matching"] != "scored" or values["alignment"] == "share":
        laws.add(Law.IDENTITY)
    # To subsume has a direction, so have names that differ, and greedy ties fall to one side.
    asymmetric = values["compare"] == "subsumes" or values["within"] or values["nil"] == "clusters"
    asymmetric = asymmetric or values["min_overlap"]  # a percentage of the target
    if values["matching"] == "best" and not asymmetric:
        laws.add(Law.SWAP)
    return frozenset(laws)


def rows_by(count: Callable[[Compared, Values], Any]) -> Callable[[Compared, Values], Evidence]:
    """Measure one document by what measures many."""

    def measure(found: Compared, values: Values) -> Evidence:
        (row,) = count(found, values).tolist()
        return Evidence(tuple(row))

    return measure


def batches_by(count: Callable[[Compared, Values], Any]) -> Callable[[Sides, Values], Measured]:
    """Measure all documents of a batch at once."""

    def measure(sides: Sides, values: Values) -> Measured:
        return Measured(count(sides.compared(question_of(values)), values).astype(np.float64))

    return measure


def _batch_curve(sides: Sides, values: Values) -> Measured:
    found = sides.compared(question_of(values))
    return Measured(curve_base(found).astype(np.float64), curve(found, values).steps)


def _measure_curve(found: Compared, values: Values) -> Evidence:
    (base,), (steps,) = curve_base(found).tolist(), curve(found, values).steps
    return Evidence(tuple(base), steps=steps)


def setting_of(values: Values) -> Hashable:
    return question_of(values)


SPANS = Definition(
    name="spans",
    meaning="annotations found, strict (same span) and lenient (overlapping), one to one",
    citation=_GATE,
    parameters=(*MATCHING, *QUESTION, BETA),
    statistics=STATISTICS,
    components=tuple(_COMPONENTS),
    scores=_SCORES,
    primary="strict_f1",
    setting=setting_of,
    measure=rows_by(counted),
    measure_batch=batches_by(counted),
    explain=explain,
    ratios=_ratios,
    derive=_derive,
    laws=_laws,
    shown=_SCORES[:7],
    hits=WHOLE_HITS,
    explained={
        "precision": (("correct_strict", "correct_partial"), ("responses",)),
        "recall": (("correct_strict", "correct_partial"), ("targets",)),
    },
)

SPANS_CURVE = Definition(
    name="spans-curve",
    meaning="the scores of spans by score threshold; the table shows the best strict F1",
    citation=_GATE,
    parameters=(
        *MATCHING,
        *QUESTION,
        BETA,
        Parameter(
            "thresholds",
            "word",
            "all",
            "every score that occurs, these rounded to 0.01, the plugin's grids 11, 21 and 51, "
            "or numbers such as 0.5/0.9",
            check=check,
        ),
    ),
    statistics=STATISTICS,
    components=tuple(_COMPONENTS),
    scores=_SCORES,
    primary="strict_f1",
    setting=setting_of,
    measure=_measure_curve,
    measure_batch=_batch_curve,
    ratios=_ratios,
    derive=_derive,
    laws=lambda _: _ORDER_ONLY,
    curve="best",
    areas=AREAS,
    area=areas,
    shown=_SCORES[:6],
)


_WHAT = {
    "correct": "with exactly one response, which is equal",
    "wrong": "with exactly one response, which is not equal",
    "none": "without a response",
    "many": "with several responses",
}


def _target_meaning(name: str) -> str:
    how, _, what = name.partition("_")
    if what in _WHAT:
        where = "of the same span" if how == "strict" else "overlapping"
        return f"targets {_WHAT[what]}; responses {where}"
    return {
        "targets": "gold annotations",
        "elsewhere": "responses that meet no target",
        "overlapping_targets": "targets that meet another target, each judged alone",
    }[name]


def _target_ratios(statistics: Array, _: Values) -> Array:
    column = {name: statistics[..., place] for place, name in enumerate(BY_TARGET)}
    return np.stack(
        [ratio(column[f"{how}_correct"], column["targets"]) for how in ("strict", "lenient")],
        axis=-1,
    )


TARGET_ACCURACY = Definition(
    name="target-accuracy",
    meaning="targets with exactly one response, and an equal one; responses elsewhere don't count",
    citation="the development notes of the GATE Evaluation plugin",
    parameters=QUESTION,
    statistics=tuple(Statistic(name, "integer", _target_meaning(name)) for name in BY_TARGET),
    components=("strict_accuracy", "lenient_accuracy"),
    scores=("strict_accuracy", "lenient_accuracy"),
    primary="strict_accuracy",
    setting=setting_of,
    measure=rows_by(by_target),
    measure_batch=batches_by(by_target),
    explain=explain_targets,
    explained={"recall": (("strict_correct",), ("targets",))},
    ratios=_target_ratios,
    laws=lambda _: _ORDER_ONLY | {Law.EXPLAINED},
)


DEFINITIONS = (SPANS, SPANS_CURVE, TARGET_ACCURACY)
