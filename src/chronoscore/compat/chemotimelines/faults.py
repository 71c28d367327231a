"""Our numbers beside the original's, and the faults that make the difference."""

from collections.abc import Mapping
from math import isnan
from typing import Any, Final, NamedTuple

from chronoscore import families
from chronoscore.compat.chemotimelines.scoring import ChemoScores, Mode, is_relation
from chronoscore.core.records import as_json
from chronoscore.engines.settings import Settings
from chronoscore.interface.scoring import score_data
from chronoscore.reports.table import plural

_OFFICIAL: Final = "mean of both F1"
_PROTOCOLS: Final = {"month": "chemotimelines-2024", "strict": "chemotimelines-2025"}
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


def ours(
    gold: Mapping[str, Any], predicted: Mapping[str, Any], mode: Mode
) -> Mapping[str, float] | None:
    """Return our answers to the questions of `numbers`, by the same names; None if we have none."""
    protocol = _PROTOCOLS.get(mode)
    if protocol is None or "events" not in families.NAMES:
        return None

    def events(side: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [
            {"topic": patient, "text": item[0], "date": item[2], "labels": [item[1]]}
            if is_relation(item)  # nobody has looked at predictions for patients without gold
            else {"topic": patient, "text": as_json(item)}
            for patient in gold
            for item in side.get(patient, ())
        ]

    settings = Settings.make(families.family("events"), protocol=protocol)
    result = score_data(settings, events(gold), events(predicted))
    return {_OFFICIAL: float(next(iter(result)))}


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
