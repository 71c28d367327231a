"""The metrics of annotations: counts of a matching, and the same over score thresholds."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import cast

import numpy as np

from chronoscore.annotations.curves import ThresholdKind, difference_curve, thresholds
from chronoscore.annotations.matching import (
    MATCHERS,
    FeatureComparison,
    Pair,
    candidate_pairs,
    counts,
)
from chronoscore.annotations.model import COUNTERS, Annotation, Document
from chronoscore.core.case import Case
from chronoscore.core.errors import DataError
from chronoscore.core.evidence import Evidence, Match, Statistic
from chronoscore.core.metric import Definition, Law, Parameter, Values
from chronoscore.elements.ratios import Array, f_measure, ratio

OUTCOMES = ("incorrect partial", "incorrect strict", "correct partial", "correct strict")
"""What a pair is called, by its value."""


@dataclass(frozen=True)
class Comparison:
    """The annotations of a document on both sides, and all pairs that might be matched."""

    document: str
    keys: tuple[Annotation, ...]
    responses: tuple[Annotation, ...]
    pairs: list[Pair]


def compare(case: Case[Document, Document], setting: Hashable) -> Comparison:
    """Find all pairs of annotations that overlap, and which of them are equal."""
    features, how = cast("tuple[tuple[str, ...], FeatureComparison]", setting)
    keys, responses = case.gold.annotations, case.predicted.annotations
    pairs = candidate_pairs(keys, responses, features, how)
    return Comparison(case.gold.id, keys, responses, pairs)


def _setting(values: Values) -> Hashable:
    return values["features"], values["compare"]


def _measure(comparison: Comparison, values: Values) -> Evidence:
    keys, responses = comparison.keys, comparison.responses
    return Evidence(counts(comparison.pairs, _matched(comparison, values), keys, responses).values)


def _matched(comparison: Comparison, values: Values) -> list[Pair]:
    matcher = MATCHERS[str(values["matching"])]
    return matcher(comparison.pairs, comparison.keys, comparison.responses)


def _explain(comparison: Comparison, values: Values) -> list[Match]:
    matched = _matched(comparison, values)
    keys, responses = comparison.keys, comparison.responses
    taken_keys = {pair.key for pair in matched}
    taken_responses = {pair.response for pair in matched}
    pairs = [
        Match(
            side="both",
            outcome=OUTCOMES[pair.value],
            credit=float(pair.value >= 2),
            possible=1.0,
            gold=_shown(keys[pair.key]),
            predicted=_shown(responses[pair.response]),
            distance=float(_distance(keys[pair.key], responses[pair.response])),
        )
        for pair in matched
    ]
    missing = [
        Match("recall", "missing", 0.0, 1.0, gold=_shown(key))
        for place, key in enumerate(keys)
        if place not in taken_keys
    ]
    spurious = [
        Match("precision", "spurious", 0.0, 1.0, predicted=_shown(response))
        for place, response in enumerate(responses)
        if place not in taken_responses
    ]
    return pairs + missing + spurious


def _shown(annotation: Annotation) -> str:
    return f"{annotation.id} {annotation.type} {annotation.start}-{annotation.end}"


def _distance(key: Annotation, response: Annotation) -> int:
    """How many characters the two borders are off, added up."""
    return abs(key.start - response.start) + abs(key.end - response.end)


def _measure_curve(comparison: Comparison, values: Values) -> Evidence:
    matcher = MATCHERS[str(values["matching"])]
    scores = [response.score for response in comparison.responses if response.score is not None]
    levels = thresholds(cast("ThresholdKind", values["thresholds"]), scores)
    try:
        (_, base), *steps = difference_curve(
            comparison.pairs, comparison.keys, comparison.responses, matcher, levels
        )
    except ValueError as error:
        raise DataError.of(f"document '{comparison.document}': {error}") from None
    return Evidence(base.values, steps=tuple((level, change.values) for level, change in steps))


_COMPONENTS = {
    "strict_precision": (("correct_strict",), "responses"),
    "strict_recall": (("correct_strict",), "targets"),
    "lenient_precision": (("correct_strict", "correct_partial"), "responses"),
    "lenient_recall": (("correct_strict", "correct_partial"), "targets"),
    "strict_accuracy": (("single_correct_strict",), "targets"),
    "lenient_accuracy": (("single_correct_strict", "single_correct_partial"), "targets"),
}
_SCORES = (
    "strict_precision",
    "strict_recall",
    "strict_f1",
    "lenient_precision",
    "lenient_recall",
    "lenient_f1",
    "average_f1",
    "strict_accuracy",
    "lenient_accuracy",
)


def _ratios(statistics: Array, _: Values) -> Array:
    column = {name: statistics[..., place] for place, name in enumerate(COUNTERS)}
    parts = []
    for numerators, denominator in _COMPONENTS.values():
        numerator = column[numerators[0]] + sum(column[name] for name in numerators[1:])
        parts.append(ratio(numerator, column[denominator]))
    return np.stack(parts, axis=-1)


def _derive(components: Array, _: Values) -> Array:
    strict_p, strict_r, lenient_p, lenient_r, strict_accuracy, lenient_accuracy = np.moveaxis(
        components, -1, 0
    )
    strict, lenient = f_measure(strict_p, strict_r), f_measure(lenient_p, lenient_r)
    return np.stack(
        [
            strict_p,
            strict_r,
            strict,
            lenient_p,
            lenient_r,
            lenient,
            (strict + lenient) / 2,
            strict_accuracy,
            lenient_accuracy,
        ],
        axis=-1,
    )


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
_STATISTICS = tuple(Statistic(name, "integer", _MEANINGS[name]) for name in COUNTERS)
_PARAMETERS = (
    Parameter(
        "matching",
        "word",
        "best",
        "the lexicographic optimum, or the greedy one of the GATE plugin",
        tuple(MATCHERS),
    ),
    Parameter("features", "words", (), "features that must agree beside the type"),
    Parameter(
        "compare",
        "word",
        "equal",
        "how: the same value and kind, the same as text, or only those that the gold has",
        ("equal", "text", "subsumes"),
    ),
)
_GATE = "GATE Evaluation plugin (gate.ac.uk), Petrak; definitions in its development notes"


def _laws(values: Values) -> frozenset[Law]:
    laws = {Law.ITEM_ORDER, Law.BOUNDED, Law.EXPLAINED, Law.IDENTITY}
    # To subsume has a direction, and greedy ties fall to the later response.
    if values["matching"] == "best" and values["compare"] != "subsumes":
        laws.add(Law.SWAP)
    return frozenset(laws)


SPANS = Definition(
    name="spans",
    meaning="annotations found, strict (same span) and lenient (overlapping), one to one",
    citation=_GATE,
    parameters=_PARAMETERS,
    statistics=_STATISTICS,
    components=tuple(_COMPONENTS),
    scores=_SCORES,
    primary="strict_f1",
    setting=_setting,
    measure=_measure,
    explain=_explain,
    ratios=_ratios,
    derive=_derive,
    laws=_laws,
    shown=_SCORES[:7],
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
        *_PARAMETERS,
        Parameter(
            "thresholds",
            "word",
            "all",
            "every score that occurs, these rounded to 0.01, or the plugin's grids",
            ("all", "rounded", "11", "21", "51"),
        ),
    ),
    statistics=_STATISTICS,
    components=tuple(_COMPONENTS),
    scores=_SCORES,
    primary="strict_f1",
    setting=_setting,
    measure=_measure_curve,
    ratios=_ratios,
    derive=_derive,
    laws=lambda _: frozenset({Law.ITEM_ORDER, Law.BOUNDED}),
    curve="best",
    shown=_SCORES[:6],
)

DEFINITIONS = (SPANS, SPANS_CURVE)
