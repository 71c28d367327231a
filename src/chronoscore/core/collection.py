"""Collections of golds and predictions by name, brought together into cases."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from chronoscore.core.case import Case, Extra, Missing, reconcile
from chronoscore.core.reading import Reading

Gold = TypeVar("Gold")
Predicted = TypeVar("Predicted")
Item = TypeVar("Item")

ONLY = "1"
"""The name of a thing's gold where nothing names it."""


def put(
    found: dict[str, dict[str, Item]], key: str, name: str, item: Item, reading: Reading
) -> None:
    """Enter an item under its key and name; a second one of that name is a problem."""
    if name in found.setdefault(key, {}):
        reading.problem(f"'{key}' is there twice" + (f" as '{name}'" if name != ONLY else ""))
    found[key][name] = item


def pair_up(
    golds: Mapping[str, Mapping[str, Gold]],
    predicted: Mapping[str, Mapping[str, Predicted]],
    reading: Reading,
    *,
    level: str,
    system: str,
    empty: Callable[[str], Predicted],
    missing: Missing = "empty",
    extra: Extra = "ignore",
) -> list[Case[Gold, Predicted]]:
    """Make a case of every gold: its id is the key, with the gold's name if there are several.

    A prediction under the gold's own name is taken first (some systems predict anew for each
    gold), else the only one that the key has.
    """
    wanted = {
        key if len(named) == 1 else f"{key}/{name}": (key, name, gold)
        for key, named in golds.items()
        for name, gold in named.items()
    }
    given: dict[str, Predicted] = {}
    for case, (key, name, _) in wanted.items():
        candidates = predicted.get(key, {})
        if name in candidates:
            given[case] = candidates[name]
        elif len(candidates) == 1:
            given[case] = next(iter(candidates.values()))
        elif candidates:
            reading.problem(
                f"{system}: '{key}' has {len(candidates)} predictions ({', '.join(candidates)}), "
                f"none of them for the gold '{name}'"
            )
            given[case] = empty(key)
    for key in predicted.keys() - golds.keys():
        given[key] = next(iter(predicted[key].values()))
    pairs = reconcile(
        wanted, given, reading, what=level, system=system, missing=missing, extra=extra
    )
    return [
        Case(
            case, gold, empty(key) if prediction is None else prediction, {level: key, "gold": name}
        )
        for case, ((key, name, gold), prediction) in pairs.items()
    ]
