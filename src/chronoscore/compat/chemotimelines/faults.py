"""Our numbers beside the original's, and the faults that make the difference."""

from collections.abc import Mapping
from math import isnan
from typing import Any, Final, NamedTuple

from chronoscore.api import score
from chronoscore.compat.chemotimelines.scoring import ChemoScores, Mode
from chronoscore.core.sources import ValueSource
from chronoscore.reports.table import plural

_OFFICIAL: Final = "mean of both F1"
_POOLED: Final = "gold+topic:sum>trial:sum"
_MEAN: Final = "gold:mean-f>topic:mean-f>trial:mean-f"
"""The averages over patients."""
_SAME: Final = 1e-9


class Fault(NamedTuple):
    """A fault of the original: the scores that it bears on, what is counted, and what happens."""

    bears_on: frozenset[str]
    noun: str
    message: str


_PRECISION, _RECALL = frozenset({"precision"}), frozenset({"recall"})
_BOTH = _PRECISION | _RECALL
FAULTS: Final[Mapping[str, Fault]] = {
    "clock": Fault(_BOTH, "patient", "with other counts on other days of the run"),
    "repeats": Fault(_BOTH, "repeated tuple", "counted again: to repeat a right one buys recall"),
    "range as answer": Fault(
        _BOTH,
        "predicted tuple",
        "counted as right, being between the first begin and the last end of the drug in the gold",
    ),
    "range forgives": Fault(
        _RECALL,
        "missing gold tuple",
        "not counted, being between the first begin and the last end of the drug as predicted",
    ),
    "free relations": Fault(
        _PRECISION,
        "predicted tuple",
        "with a wrong relation not counted as wrong, or counted as right beside another for one "
        "gold tuple",
    ),
    "forgiven relations": Fault(
        _RECALL, "missing gold tuple", "not counted, as one prediction answers for several"
    ),
    "generic names": Fault(
        _BOTH,
        "tuple",
        "left out: a name that begins with 'chemo' beside another name of that relation and date",
    ),
    "weeks": Fault(_BOTH, "week", "read as another week, or as one of the two months it touches"),
    "week spelling": Fault(
        _BOTH, "right tuple", "counted as wrong, as one side writes w and the other W"
    ),
    "absent patients": Fault(_BOTH, "gold patient", "left out, as the prediction lacks the name"),
}
"""What makes a number of the original another than it should be."""


def numbers(scores: ChemoScores) -> dict[str, float]:
    """Return the ten numbers of a run by name, in the order of the print-out."""
    averages = {"micro": scores.micro, "type A": scores.type_a, "type B": scores.type_b}
    named = {
        f"{name} {score}": value
        for name, average in averages.items()
        for score, value in average._asdict().items()
    }
    return {**named, _OFFICIAL: scores.official}


def ours(gold: Mapping[str, Any], predicted: Mapping[str, Any], mode: Mode) -> Mapping[str, float]:
    """Return our answers to the questions of `numbers`, by the same names.

    They are those of `chronoscore events` with the protocol chemotimelines-2024 (month) or
    chemotimelines-2025 (strict); for day and year the level is another one. Patients whom the gold
    does not name are left out.
    """
    level = "day" if mode == "strict" else mode
    labels = "strict" if mode == "strict" else "compatible"
    metric = (
        "event-timed(unit=entry,similarity=exact,"
        f"closeness=level({level}),labels={labels},time_weight=0,threshold=0"
    )
    sides = (
        ValueSource(gold, "gold"),
        ValueSource({name: predicted[name] for name in gold if name in predicted}, "predicted"),
    )
    by_type = {"type A": f"{metric},empty=agree)", "type B": f"{metric},empty=skip)"}
    repeats = {"duplicates": "collapse"}
    pooled = score("events", *sides, metrics=f"{metric})", average=_POOLED, options=repeats)
    means = score("events", *sides, metrics=by_type.values(), average=_MEAN, options=repeats)
    micro = pooled[f"{metric})"]
    answers = {
        "micro precision": micro.precision,
        "micro recall": micro.recall,
        "micro f1": micro.f1,
        **{f"{name} f1": means[metric].f1 for name, metric in by_type.items()},
    }
    official = (answers["type A f1"] + answers["type B f1"]) / 2
    return {**answers, _OFFICIAL: official}


def comparison(
    scores: ChemoScores, our_numbers: Mapping[str, float] | None, faults: Mapping[str, int]
) -> list[str]:
    """Return the lines that put our numbers beside the original's, with the faults behind them."""
    lines = []
    if our_numbers:
        lines.append(f"{'':<16}  {'original':>8}  {'ours':>8}  faults that make the difference")
        for name, original in numbers(scores).items():
            if name not in our_numbers:
                continue
            differs = abs(original - our_numbers[name]) > _SAME or isnan(our_numbers[name])
            part = {name.rpartition(" ")[2]} & (_PRECISION | _RECALL)  # F1 has both
            causes = [fault for fault in faults if differs and part <= FAULTS[fault].bears_on]
            row = f"{name:<16}  {original:8.4f}  {our_numbers[name]:8.4f}  {', '.join(causes)}"
            lines.append(row.rstrip())
    return lines + [
        f"{name}: {plural(number, FAULTS[name].noun)} {FAULTS[name].message}"
        for name, number in faults.items()
    ]
