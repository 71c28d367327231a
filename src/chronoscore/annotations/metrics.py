"""The metrics of spans: counts of a matching, curves over thresholds, by target, and errors."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronoscore.annotations.columns import Integers, marked
from chronoscore.annotations.curves import AREAS, areas, difference_curve
from chronoscore.annotations.matching.comparing import SpanComparison, SpanSides, count
from chronoscore.annotations.matching.meetings import SpanPairs, meetings
from chronoscore.annotations.matching.strategies import call_user_function, match
from chronoscore.annotations.model import COUNTERS, Annotation
from chronoscore.annotations.parameters import (
    BETA,
    LOSS,
    LOSSES,
    MATCHING,
    QUESTION,
    THRESHOLDS,
    question_of,
)
from chronoscore.core.evidence import Evidence, Match, Statistic
from chronoscore.core.evidence_table import Measured, StepColumns
from chronoscore.core.functions import allowed
from chronoscore.core.metric import Definition, Law, Parameter, RatioTable, Values, text_of
from chronoscore.errors import UsageError
from chronoscore.statistics.ratios import Array, f_measure, ratio


def integers(**meanings: str) -> tuple[Statistic, ...]:
    """Return the statistics of a metric that counts whole numbers, each with its meaning."""
    return tuple(Statistic(name, "integer", meaning) for name, meaning in meanings.items())


_STRICT, _LENIENT = {"correct_strict": 1.0}, {"correct_strict": 1.0, "correct_partial": 1.0}
_PARTIAL = {"correct_strict": 1.0, "correct_partial": 0.5}


def _precision_recall(**correct: Mapping[str, float]) -> RatioTable:
    """Return the ratios of precision and recall for each way to be correct."""
    sides = {"precision": "responses", "recall": "targets"}
    return {
        f"{how}_{score}": (numerator, denominator)
        for how, numerator in correct.items()
        for score, denominator in sides.items()
    }


PRECISION_RECALL = _precision_recall(strict=_STRICT, lenient=_LENIENT)
_COMPONENTS: RatioTable = {
    **PRECISION_RECALL,
    **_precision_recall(partial=_PARTIAL),
    "strict_accuracy": ({"single_correct_strict": 1.0}, "targets"),
    "lenient_accuracy": ({"single_correct_strict": 1.0, "single_correct_partial": 1.0}, "targets"),
    "strict_recall_in_responses": (_STRICT, "targets_with_strict"),
    "lenient_recall_in_responses": (_LENIENT, "targets_with_lenient"),
}
SCORES = (
    *("strict_precision", "strict_recall", "strict_f1"),
    *("lenient_precision", "lenient_recall", "lenient_f1", "average_f1"),
)
_ALL_SCORES = (
    *SCORES,
    *("partial_precision", "partial_recall", "partial_f1", "strict_accuracy", "lenient_accuracy"),
    *("strict_recall_in_responses", "lenient_recall_in_responses"),
)


def with_f(table: RatioTable, scores: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields of a definition that concern scores: ratios, and F of each two."""

    def derive(components: Array, values: Values) -> Array:
        beta = values.get("beta", 1.0)
        assert isinstance(beta, float)
        column = dict(zip(table, np.moveaxis(components, -1, 0), strict=True))
        for how in ("strict", "lenient", "partial"):
            if f"{how}_f1" in scores:
                precision, recall = column[f"{how}_precision"], column[f"{how}_recall"]
                column[f"{how}_f1"] = f_measure(precision, recall, beta)
        column["average_f1"] = (column["strict_f1"] + column["lenient_f1"]) / 2
        return np.stack([column[name] for name in scores], axis=-1)

    return {"ratio_table": table, "scores": scores, "derive": derive, "primary": "strict_f1"}


STATISTICS = integers(
    targets="gold annotations",
    responses="predicted annotations",
    correct_strict="matched, equal, same span",
    correct_partial="matched, equal, overlapping span",
    incorrect_strict="matched, not equal, same span",
    incorrect_partial="matched, not equal, overlapping span",
    single_correct_strict="correct strict, with no unmatched response at the target",
    single_correct_partial="correct partial, with no unmatched response at the target",
    targets_with_strict="targets that have a response of the same span, matched or not",
    targets_with_lenient="targets that have an overlapping response, matched or not",
)
EXPLAINED = {
    "precision": (("correct_strict", "correct_partial"), ("responses",)),
    "recall": (("correct_strict", "correct_partial"), ("targets",)),
}
WHOLE_HITS = {
    "strict_f1": (("correct_strict",), "responses", "targets"),
    "lenient_f1": (("correct_strict", "correct_partial"), "responses", "targets"),
}
"""Scores that count whole annotations: their hits, the same for both sides, and denominators."""
_GATE = "GATE Evaluation plugin (gate.ac.uk), Petrak; definitions in its development notes"
_NOTES = "the development notes of the GATE Evaluation plugin"
OUTCOMES = ("incorrect partial", "incorrect strict", "correct partial", "correct strict")
"""The outcome of a pair, by its value."""
_SHOWN = re.compile(r"(?:\S+: )?\S+ (.*) (\d+)-(\d+)", re.DOTALL)
_SHOWN_LABEL = re.compile(r".*? (\d+)-(\d+): (.*)", re.DOTALL)
_TARGET_OUTCOMES = ("one response, correct", "one response, wrong", "no response", "many responses")


def promise(*laws: Law) -> Callable[[Values], frozenset[Law]]:
    """Return the `laws` field of a metric that obeys these laws with any parameters."""
    return lambda _: frozenset(laws)


def _measuring(
    rows: Callable[[SpanComparison, Values], NDArray[Any]],
    steps: Callable[[SpanComparison, Values], StepColumns] | None = None,
) -> dict[str, Any]:
    """Return the fields of a definition that measure one document or many by the same functions."""

    def measure(comparison: SpanComparison, values: Values) -> Evidence:
        (row,) = rows(comparison, values).tolist()
        if steps is None:
            return Evidence(tuple(row))
        (document_steps,) = steps(comparison, values)
        return Evidence(tuple(row), steps=document_steps)

    def measure_batch(sides: SpanSides, values: Values) -> Measured:
        statistics, changes = [], []
        for comparison in sides.blocks(question_of(values)):
            statistics.append(rows(comparison, values).astype(np.float64))
            if steps is not None:
                changes.append(steps(comparison, values))
        return Measured(np.concatenate(statistics), StepColumns.joined(changes) if changes else ())

    return {"setting": question_of, "measure": measure, "measure_batch": measure_batch}


def _counters(comparison: SpanComparison, values: Values) -> Integers:
    return count(comparison, match(comparison, values))


def _explain(comparison: SpanComparison, values: Values) -> list[Match]:
    """List the matched pairs, then the missing targets, then the spurious responses."""
    matched = match(comparison, values).rows()
    keys, responses = comparison.keys.annotations(), comparison.responses.annotations()

    def distance(i: int, j: int) -> float:
        """Return by how many characters start and end differ, added up."""
        (start, end), (first, last) = ((a.start, a.end) for a in (keys[i], responses[j]))
        return float(abs(start - first) + abs(end - last))

    names, answers = [*map(shown, keys)], [*map(shown, responses)]
    about = [(response.id,) for response in responses]
    return explain_pairs(matched, names, answers, distance, about)


def explain_pairs(
    matched: list[tuple[int, int, int]],
    keys: list[str],
    responses: list[str],
    distance: Callable[[int, int], float | None] = lambda *_: None,
    about: Sequence[tuple[str, ...]] = (),
) -> list[Match]:
    """List pairs (key, response, value), missing targets and spurious responses as matches."""
    about = about or [()] * len(responses)
    matches = []
    for i, j, value in matched:
        sides = OUTCOMES[value], float(value >= 2), 1.0, keys[i], responses[j], distance(i, j)
        matches.append(Match("both", *sides, about=about[j]))
    matched_keys, matched_responses = {i for i, _, _ in matched}, {j for _, j, _ in matched}
    matches += [
        Match("recall", "missing", 0.0, 1.0, gold=key)
        for i, key in enumerate(keys)
        if i not in matched_keys
    ]
    return matches + [
        Match("precision", "spurious", 0.0, 1.0, predicted=response, about=about[j])
        for j, response in enumerate(responses)
        if j not in matched_responses
    ]


def shown(annotation: Annotation) -> str:
    """Return an annotation in one line: id, type, span; blanks in the id become underscores."""
    name = "_".join(annotation.id.split()) or "_"
    return f"{name} {annotation.type} {annotation.start}-{annotation.end}"


def type_shown(text: str) -> str:
    """Return the type of an annotation from the line that `shown` returns.

    >>> type_shown(shown(Annotation("e 1", "Big event", 3, 7)))
    'Big event'
    """
    return text.partition(" ")[2].rpartition(" ")[0]


def place_shown(text: str) -> tuple[str, int, int] | None:
    """Return the type or label and the span of an annotation as matches show it, or None.

    A candidate stands behind the name of its list, a label behind its span.

    >>> place_shown(shown(Annotation("e 1", "Big event", 3, 7)))
    ('Big event', 3, 7)
    >>> place_shown("list1: c1 City 3-7"), place_shown("e1 3-7: big"), place_shown("e1")
    (('City', 3, 7), ('big', 3, 7), None)
    """
    if found := _SHOWN.fullmatch(text):
        return found[1], int(found[2]), int(found[3])
    if found := _SHOWN_LABEL.fullmatch(text):
        return found[3], int(found[1]), int(found[2])
    return None


def _laws(values: Values) -> frozenset[Law]:
    laws = {Law.ITEM_ORDER, Law.BOUNDED, Law.EXPLAINED}
    if values["matching"] != "scored" or values["alignment"] == "share":
        laws.add(Law.IDENTITY)
    # These comparisons have a direction, and greedy matching breaks ties by one side.
    asymmetric = values["compare"] == "subsumes" or values["within"] or values["nil"] == "clusters"
    asymmetric = asymmetric or values["min_overlap"]  # a percentage of the target
    if values["matching"] == "best" and not asymmetric:
        laws.add(Law.SWAP)
    return frozenset(laws)


_of_matching = partial(
    Definition, citation=_GATE, statistics=STATISTICS, **with_f(_COMPONENTS, _ALL_SCORES)
)
SPANS = _of_matching(
    name="spans",
    meaning="annotations found, strict (same span) and lenient (overlapping), one to one",
    parameters=(*MATCHING, *QUESTION, BETA),
    **_measuring(_counters),
    explain=_explain,
    laws=_laws,
    shown=SCORES,
    hits=WHOLE_HITS,
    explained=EXPLAINED,
)


def _targets(comparison: SpanComparison, _: Values) -> Integers:
    """Count the targets, the only count that does not depend on the threshold."""
    rows = np.zeros((len(comparison.keys.documents), len(COUNTERS)), np.int64)
    rows[:, COUNTERS.index("targets")] = np.bincount(comparison.keys.document, minlength=len(rows))
    return rows


def _steps(comparison: SpanComparison, values: Values) -> StepColumns:
    if values["matching"] == "scored" and values["candidates"] == "all":
        raise UsageError("a curve is of pairs that overlap: candidates=all has none")
    return difference_curve(comparison, partial(match, values=values), str(values["thresholds"]))


SPANS_CURVE = _of_matching(
    name="spans-curve",
    meaning="the scores of spans by score threshold; the table shows the best strict F1",
    parameters=(*MATCHING, *QUESTION, BETA, THRESHOLDS),
    **_measuring(_targets, _steps),
    laws=promise(Law.ITEM_ORDER, Law.BOUNDED),
    curve="best",
    areas=AREAS,
    area=areas,
    shown=SCORES[:6],
)

_BY_TARGET = (
    Statistic("targets", "integer", "gold annotations"),
    *(
        Statistic(f"{how}_{what}", "integer", f"targets {which}; responses {where}")
        for how, where in (("strict", "of the same span"), ("lenient", "overlapping"))
        for what, which in (
            ("correct", "with exactly one response, which is equal"),
            ("wrong", "with exactly one response, which is not equal"),
            ("none", "without a response"),
            ("many", "with several responses"),
        )
    ),
    Statistic("elsewhere", "integer", "responses that meet no target"),
    Statistic(
        "overlapping_targets", "integer", "targets that meet another target, each judged alone"
    ),
)


def _by_target(comparison: SpanComparison, _: Values) -> Integers:
    """Count the targets of each document that have one right response, one wrong, none, or many."""
    keys, responses = comparison.keys, comparison.responses
    documents = len(keys.documents)
    columns = [np.bincount(keys.document, minlength=documents)]
    for outcome in _target_outcomes(comparison):
        cells = np.bincount(4 * keys.document + outcome, minlength=4 * documents)
        columns += [*cells.reshape(documents, 4).T]
    elsewhere = ~marked(len(responses), comparison.pairs.response)
    columns.append(np.bincount(responses.document[elsewhere], minlength=documents))
    pairs = meetings(keys, keys).pairs
    overlapping = marked(len(keys), pairs.key[pairs.key != pairs.response])
    columns.append(np.bincount(keys.document[overlapping], minlength=documents))
    return np.stack(columns, axis=1)


def _target_outcomes(comparison: SpanComparison) -> tuple[Integers, Integers]:
    """Return a code for each target, strict and lenient: 0 one right response, 1 one wrong, 2 none,
    3 many.
    """
    pairs, size = comparison.pairs, len(comparison.keys)

    def outcomes(near: SpanPairs) -> Integers:
        number = np.bincount(near.key, minlength=size)
        right = np.bincount(near.key[near.value >= 2], minlength=size)
        return np.select([number == 0, number > 1, right == 1], [2, 3, 0], 1)

    return outcomes(pairs.take(pairs.coextensive)), outcomes(pairs)


def _explain_targets(comparison: SpanComparison, _: Values) -> list[Match]:
    """List the targets, each with the outcome of its responses of the same span."""
    strict, _lenient = _target_outcomes(comparison)
    rows = zip(comparison.keys.annotations(), strict.tolist(), strict=True)
    return [
        Match("recall", _TARGET_OUTCOMES[outcome], float(outcome == 0), 1.0, gold=shown(key))
        for key, outcome in rows
    ]


TARGET_ACCURACY = Definition(
    name="target-accuracy",
    meaning="targets with exactly one response, and an equal one; responses elsewhere don't count",
    citation=_NOTES,
    parameters=QUESTION,
    statistics=_BY_TARGET,
    ratio_table={
        "strict_accuracy": ({"strict_correct": 1.0}, "targets"),
        "lenient_accuracy": ({"lenient_correct": 1.0}, "targets"),
    },
    **_measuring(_by_target),
    explain=_explain_targets,
    explained={"recall": (("strict_correct",), ("targets",))},
    laws=promise(Law.ITEM_ORDER, Law.BOUNDED, Law.EXPLAINED),
)

ERROR_RATE = Definition(
    name="error-rate",
    meaning="responses matched with a target that they are not equal to, among all responses",
    citation=_NOTES,
    parameters=(*MATCHING, *QUESTION),
    statistics=STATISTICS,
    ratio_table={
        "strict_error_rate": ({"incorrect_strict": 1.0}, "responses"),
        "lenient_error_rate": ({"incorrect_strict": 1.0, "incorrect_partial": 1.0}, "responses"),
    },
    **_measuring(_counters),
    laws=promise(Law.ITEM_ORDER, Law.BOUNDED),
    better="lower",
)

_SLOT_ERRORS = (
    "slot_error_rate",
    "error_per_response_fill",
    "undergeneration",
    "overgeneration",
    "substitution",
)
_OVERLAPS = {"half": 0.5, "wrong": 1.0, "right": 0.0}
"""How much of an error a correct pair of overlapping spans counts as."""


def _slot_errors(statistics: Array, values: Values) -> Array:
    """Return the error rates of MUC-5, and the slot error rate.

    Of the pairs, let C be correct, S substituted and E the part of the overlapping correct ones
    that counts as an error; let D be the missed targets (deletions) and I the spurious responses
    (insertions). Then, with s = S + E,

        slot error rate         = (s + D + I) / targets
        error per response fill = (s + D + I) / (pairs + D + I)
        undergeneration         = D / targets
        overgeneration          = I / responses
        substitution            = s / pairs

    Four targets, five responses; a pair of the same span, an overlapping one, one of another type:

    >>> row = dict.fromkeys(COUNTERS, 0) | {"targets": 4, "responses": 5, "correct_strict": 1,
    ...     "correct_partial": 1, "incorrect_strict": 1}
    >>> errors = _slot_errors(np.array([*row.values()], float), {"partial": "half"})
    >>> dict(zip(_SLOT_ERRORS, errors.round(3).tolist()))  # doctest: +NORMALIZE_WHITESPACE
    {'slot_error_rate': 1.125, 'error_per_response_fill': 0.75, 'undergeneration': 0.25,
     'overgeneration': 0.4, 'substitution': 0.5}
    """
    targets, responses, strict, overlapping, *wrong = np.moveaxis(statistics, -1, 0)[:6]
    pairs = strict + overlapping + wrong[0] + wrong[1]
    substituted = wrong[0] + wrong[1] + overlapping * _OVERLAPS[str(values["partial"])]
    missed, spurious = targets - pairs, responses - pairs
    errors = substituted + missed + spurious
    sides = (
        (errors, targets),
        (errors, pairs + missed + spurious),
        (missed, targets),
        (spurious, responses),
        (substituted, pairs),
    )
    return np.stack([ratio(*side) for side in sides], axis=-1)


SLOT_ERRORS = Definition(
    name="slot-errors",
    meaning="substituted, missed and spurious annotations: the slot error rate and the error "
    "rates of MUC",
    citation="Makhoul et al. 1999, Performance measures for information extraction, DARPA "
    "Broadcast News Workshop; Chinchor and Sundheim 1993, MUC-5 Evaluation Metrics",
    parameters=(
        *MATCHING,
        *QUESTION,
        Parameter(
            "partial",
            "word",
            "half",
            "a correct pair of spans that only overlap: half an error, as in MUC, wrong, or right",
            tuple(_OVERLAPS),
        ),
    ),
    statistics=STATISTICS,
    components=_SLOT_ERRORS,
    **_measuring(_counters),
    explain=_explain,
    explained=EXPLAINED,
    ratios=_slot_errors,
    laws=promise(Law.ITEM_ORDER, Law.EXPLAINED),
    ranges=lambda _: {**dict.fromkeys(_SLOT_ERRORS, (0.0, 1.0)), "slot_error_rate": (0.0, inf)},
    better="lower",
)

_LOSS_STATISTICS = (
    Statistic("loss", "real", "the total loss"),
    Statistic("worst", "real", "the loss if all targets were missed, all responses spurious"),
    Statistic("targets", "integer", "gold annotations"),
)


def _losses(comparison: SpanComparison, values: Values) -> NDArray[np.float64]:
    """Return a row for each document: (loss, the worst possible loss, targets).

    The loss is worst if every target is missed and every response is spurious.
    """
    matched = match(comparison, values)
    keys, responses = comparison.keys, comparison.responses
    name = text_of(values, "loss")
    missed, spurious = np.ones(len(keys)), np.ones(len(responses))
    if name in LOSSES:
        pairs = (matched.value < (3 if name == "0-1" else 2)).astype(np.float64)
    else:
        golds, answers = keys.annotations(), responses.annotations()
        loss = partial(_user_loss, allowed(name), name)
        missed = np.array([loss(gold, None) for gold in golds])
        spurious = np.array([loss(None, answer) for answer in answers])
        places = zip(matched.key.tolist(), matched.response.tolist(), strict=True)
        pairs = np.array([loss(golds[i], answers[j]) for i, j in places])
    of_key, of_response = missed.copy(), spurious.copy()
    of_key[matched.key] = pairs
    of_response[matched.response] = 0.0
    documents = np.concatenate([keys.document, responses.document])
    size = len(keys.documents)
    losses, worst = (
        np.bincount(documents, np.concatenate(sides), size)
        for sides in ((of_key, of_response), (missed, spurious))
    )
    return np.stack([losses, worst, np.bincount(keys.document, minlength=size)], axis=1)


def _user_loss(loss: Callable[..., Any], name: str, *sides: Annotation | None) -> float:
    value = call_user_function(loss, name, *sides)
    if value < 0:
        raise UsageError(f"{name} gave {value:g}, expected a loss of 0 or more")
    return value


SPAN_LOSS = Definition(
    name="span-loss",
    meaning="the loss of each match, missed target and spurious response, added up",
    citation=_NOTES,
    parameters=(*MATCHING, *QUESTION, LOSS),
    statistics=_LOSS_STATISTICS,
    ratio_table={
        "loss_ratio": ({"loss": 1.0}, "worst"),
        "mean_loss": ({"loss": 1.0}, "targets"),
    },
    **_measuring(_losses),
    laws=promise(Law.ITEM_ORDER),
    # The user's own loss function may return any number.
    ranges=lambda values: (
        {"loss_ratio": (0.0, 1.0), "mean_loss": (0.0, inf)} if values["loss"] in LOSSES else {}
    ),
    better="lower",
)

DEFINITIONS = (SPANS, SPANS_CURVE, TARGET_ACCURACY, ERROR_RATE, SLOT_ERRORS, SPAN_LOSS)
