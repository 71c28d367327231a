"""What goes wrong with spans: error rates and losses, of which less is better."""

from collections.abc import Mapping
from math import inf

import numpy as np

from chronoscore.annotations.explaining import explain
from chronoscore.annotations.metrics import SPANS, STATISTICS, batches_by, rows_by, setting_of
from chronoscore.annotations.model import COUNTERS
from chronoscore.annotations.parameters import MATCHING, QUESTION
from chronoscore.annotations.spans import LOSSES, counted, lost
from chronoscore.core.evidence import Statistic
from chronoscore.core.metric import Definition, Law, Parameter, Values
from chronoscore.elements.ratios import Array, ratio


def _error_rates(statistics: Array, _: Values) -> Array:
    column = {name: statistics[..., place] for place, name in enumerate(COUNTERS)}
    strict, partial = column["incorrect_strict"], column["incorrect_partial"]
    return np.stack(
        [ratio(strict, column["responses"]), ratio(strict + partial, column["responses"])], axis=-1
    )


ERROR_RATE = Definition(
    name="error-rate",
    meaning="responses matched with a target that they are not equal to, among all responses",
    citation="the development notes of the GATE Evaluation plugin",
    parameters=(*MATCHING, *QUESTION),
    statistics=STATISTICS,
    components=("strict_error_rate", "lenient_error_rate"),
    scores=("strict_error_rate", "lenient_error_rate"),
    primary="strict_error_rate",
    setting=setting_of,
    measure=rows_by(counted),
    measure_batch=batches_by(counted),
    ratios=_error_rates,
    laws=lambda _: frozenset({Law.ITEM_ORDER, Law.BOUNDED}),
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
"""The share of an error that a correct pair of overlapping spans is."""


def _slot_errors(statistics: Array, values: Values) -> Array:
    """The error rates of MUC-5, and the slot error rate.

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
    >>> found = _slot_errors(np.array([*row.values()], float), {"partial": "half"})
    >>> dict(zip(_SLOT_ERRORS, found.round(3).tolist()))  # doctest: +NORMALIZE_WHITESPACE
    {'slot_error_rate': 1.125, 'error_per_response_fill': 0.75, 'undergeneration': 0.25,
     'overgeneration': 0.4, 'substitution': 0.5}
    """
    column = {name: statistics[..., place] for place, name in enumerate(COUNTERS)}
    targets, responses, partial = (
        column[name] for name in ("targets", "responses", "correct_partial")
    )
    wrong = column["incorrect_strict"] + column["incorrect_partial"]
    pairs = column["correct_strict"] + partial + wrong
    substituted = wrong + partial * _OVERLAPS[str(values["partial"])]
    missed, spurious = targets - pairs, responses - pairs
    errors = substituted + missed + spurious
    return np.stack(
        [
            ratio(errors, targets),
            ratio(errors, pairs + missed + spurious),
            ratio(missed, targets),
            ratio(spurious, responses),
            ratio(substituted, pairs),
        ],
        axis=-1,
    )


def _slot_ranges(_: Values) -> Mapping[str, tuple[float, float]]:
    return {name: (0.0, inf if name == "slot_error_rate" else 1.0) for name in _SLOT_ERRORS}


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
    scores=_SLOT_ERRORS,
    primary="slot_error_rate",
    setting=setting_of,
    measure=rows_by(counted),
    measure_batch=batches_by(counted),
    explain=explain,
    explained=SPANS.explained,
    ratios=_slot_errors,
    laws=lambda _: frozenset({Law.ITEM_ORDER, Law.EXPLAINED}),
    ranges=_slot_ranges,
    better="lower",
)


def _losses(statistics: Array, _: Values) -> Array:
    loss, worst, targets = np.moveaxis(statistics, -1, 0)
    return np.stack([ratio(loss, worst), ratio(loss, targets)], axis=-1)


SPAN_LOSS = Definition(
    name="span-loss",
    meaning="the loss of each match, missed target and spurious response, added up",
    citation="the development notes of the GATE Evaluation plugin",
    parameters=(
        *MATCHING,
        *QUESTION,
        Parameter(
            "loss",
            "function",
            "0-1",
            "1 for all that is not strictly correct, or not correct, or your own function of a "
            "gold annotation or None and a response or None",
            LOSSES,
        ),
    ),
    statistics=(
        Statistic("loss", "real", "the total loss"),
        Statistic("worst", "real", "the loss if all targets were missed, all responses spurious"),
        Statistic("targets", "integer", "gold annotations"),
    ),
    components=("loss_ratio", "mean_loss"),
    scores=("loss_ratio", "mean_loss"),
    primary="loss_ratio",
    setting=setting_of,
    measure=rows_by(lost),
    measure_batch=batches_by(lost),
    ratios=_losses,
    laws=lambda _: frozenset({Law.ITEM_ORDER}),
    # Your own loss may be anything.
    ranges=lambda values: (
        {"loss_ratio": (0.0, 1.0), "mean_loss": (0.0, inf)} if values["loss"] in LOSSES else {}
    ),
    better="lower",
)

DEFINITIONS = (ERROR_RATE, SLOT_ERRORS, SPAN_LOSS)
