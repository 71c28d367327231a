"""A case is one gold and one prediction with an id and tags: what a metric measures once."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

import msgspec

from chronoscore.core.reading import Reading
from chronoscore.core.tally import escaped

Gold = TypeVar("Gold")
Predicted = TypeVar("Predicted")
Missing = Literal["empty", "skip", "error"]
Extra = Literal["ignore", "error"]


@dataclass(frozen=True, slots=True)
class Case(Generic[Gold, Predicted]):
    """One gold/prediction pair. Tags name the groups it belongs to (its topic, its gold, ...)."""

    id: str
    gold: Gold
    predicted: Predicted
    tags: Mapping[str, str] = field(default_factory=dict)


def digest(value: object) -> str:
    """Sixteen hexadecimal digits that stand for the content of one side of a case."""
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()[:16]


def reconcile(
    gold: Mapping[str, Gold],
    predicted: Mapping[str, Predicted],
    reading: Reading,
    *,
    what: str,
    system: str,
    missing: Missing = "empty",
    extra: Extra = "ignore",
) -> dict[str, tuple[Gold, Predicted | None]]:
    """Bring the two sides together by id, and say aloud what has no partner.

    A missing prediction counts as an empty one, since leaving it out would reward leaving things
    out; ``missing="skip"`` gives the behaviour of scorers that do. It comes out as None.
    Where nothing can be scored at all there is no pair, and a problem is noted.
    """
    told = {"empty": "counted as empty", "skip": "left out of the score", "error": "missing"}
    if reading.partial:  # what has no gold is told by those who see all of it
        words = f"{what}{{s}}, {told[missing]}: {{some}}"
        reading.tally(
            f"{escaped(system)}: no prediction for {{count}} {words}",
            [(0, name) for name in gold.keys() - predicted.keys()],
        )
        there = sorted(gold if missing == "empty" else gold.keys() & predicted.keys())
        return {name: (gold[name], predicted.get(name)) for name in there}
    if not gold:
        reading.problem(f"{system}: there is no gold {what} to score against")
        return {}
    absent = sorted(gold.keys() - predicted.keys())
    surplus = sorted(predicted.keys() - gold.keys())
    if predicted and len(absent) == len(gold):
        reading.problem(
            f"{system}: no {what} has both a gold and a prediction: "
            f"the gold has {some(sorted(gold))}, the prediction has {some(surplus)}"
        )
        return {}
    if absent:
        text = f"{system}: no prediction for {_many(absent, what)}, {told[missing]}: {some(absent)}"
        (reading.problem if missing == "error" else reading.notice)(text)
    if surplus:
        text = f"{system}: no gold for {_many(surplus, what)}, not scored: {some(surplus)}"
        (reading.problem if extra == "error" else reading.notice)(text)
    kept = sorted(gold) if missing == "empty" else sorted(gold.keys() & predicted.keys())
    return {name: (gold[name], predicted.get(name)) for name in kept}


def some(names: list[str]) -> str:
    """Name the first of many."""
    shown = ", ".join(names[:5])
    return shown + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _many(names: list[str], what: str) -> str:
    return f"{len(names)} {what}{'s' if len(names) != 1 else ''}"
