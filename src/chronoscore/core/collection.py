"""Collections of golds and predictions by name, brought together into cases."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from os.path import realpath
from pathlib import Path
from typing import Any, TypeVar

from chronoscore.core.case import Case, Extra, Missing, reconcile
from chronoscore.core.reading import Reading
from chronoscore.core.tally import escaped

Gold = TypeVar("Gold")
Predicted = TypeVar("Predicted")
Item = TypeVar("Item")

ONLY = "1"
"""The name of a thing's gold where nothing names it."""


def given_once(paths: Iterable[Path], reading: Reading) -> list[Path]:
    """Each file once; one that is given again is told as that, not line by line."""
    kept: dict[str, Path] = {}
    for path in paths:
        place = realpath(path)  # `Path.resolve` fails where links form a loop
        first = kept.get(place)
        if first is None:
            kept[place] = path
        else:
            other = "" if first == path else f", first as {first}"
            reading.problem(f"the file is given twice{other}", path)
    return [*kept.values()]


def put(
    found: dict[str, dict[str, Item]],
    key: str,
    name: str,
    item: Item,
    reading: Reading,
    path: object = "",
) -> None:
    """Enter an item under its key and name; a second one of that name is a problem."""
    if name in found.setdefault(key, {}):
        named = f" as '{name}'" if name != ONLY else ""
        reading.problem(f"'{key}' is there twice{named}", path)
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
    tags: Mapping[str, str] | None = None,
    content: Callable[[Any], object] = lambda side: side,
) -> list[Case[Gold, Predicted]]:
    """Make a case of every gold: its id is the key, with the gold's name if there are several.

    A prediction under the gold's own name is taken first (some systems predict anew for each
    gold), else the only one that the key has. `content` is what is compared to find copies of the
    gold.
    """
    wanted: dict[str, tuple[str, str, Gold]] = {}
    for key, named in golds.items():
        for name, gold in named.items():
            case = key if len(named) == 1 else f"{key}/{name}"
            if case in wanted:
                reading.problem(f"the gold has '{case}' twice: as a {level}, and in one")
            wanted[case] = (key, name, gold)
    given: dict[str, Predicted] = {}
    used: set[tuple[str, str]] = set()
    for case, (key, name, _) in wanted.items():
        candidates = predicted.get(key, {})
        if name in candidates:
            given[case] = candidates[name]
            used.add((key, name))
        elif len(candidates) == 1:
            ((only, given[case]),) = candidates.items()
            used.add((key, only))
        elif candidates:
            reading.problem(
                f"{system}: '{key}' has {len(candidates)} predictions ({', '.join(candidates)}), "
                f"none of them for the gold '{name}'"
            )
            given[case] = empty(key)
            used.update((key, other) for other in candidates)
    unused = [
        f"{key}/{name}"
        for key in sorted(predicted.keys() & golds.keys())
        for name in predicted[key]
        if (key, name) not in used
    ]
    reading.tally(
        f"{escaped(system)}: {{count}} more predictions than golds, not scored: {{some}}",
        [(0, name) for name in unused],
    )
    for key in predicted.keys() - golds.keys():
        if key in wanted:
            reading.problem(f"{system}: '{key}' is a {level} here, in the gold it is in one")
        given[key] = next(iter(predicted[key].values()))
    pairs = reconcile(
        wanted, given, reading, what=level, system=system, missing=missing, extra=extra
    )
    cases = [
        Case(
            case,
            gold,
            empty(key) if prediction is None else prediction,
            {level: key, "gold": name, **(tags or {})},
        )
        for case, ((key, name, gold), prediction) in pairs.items()
    ]
    _count_copies(cases, system, content(empty("")), content, reading)
    return cases


_CASES, _EQUAL, _FILLED = "cases", "cases equal to the gold", "filled cases equal to the gold"


def _count_copies(
    cases: Sequence[Case[Any, Any]],
    system: str,
    nothing: object,
    content: Callable[[Any], object],
    reading: Reading,
) -> None:
    """Count the cases whose prediction equals the gold, and those of them that are not empty."""
    reading.counts[f"{_CASES}\0{system}"] += len(cases)
    for case in cases:
        golds = case.gold if isinstance(case.gold, tuple) else (case.gold,)
        predicted = content(case.predicted)
        if any(content(gold) == predicted for gold in golds):
            reading.counts[f"{_EQUAL}\0{system}"] += 1
            reading.counts[f"{_FILLED}\0{system}"] += predicted != nothing


def copies(counts: Mapping[str, int]) -> dict[str, int]:
    """The systems whose prediction equals the gold in every case, and their numbers of cases.

    An empty prediction of an empty gold is equal to it, but a system that has nothing else is no
    copy.
    """
    found = {}
    for key, cases in counts.items():
        what, _, system = key.partition("\0")
        equal = [counts.get(f"{one}\0{system}", 0) for one in (_EQUAL, _FILLED)]
        if what == _CASES and equal[0] == cases and equal[1]:
            found[system] = cases
    return found


def named_alike(
    golds: Mapping[str, Mapping[str, Gold]],
    predicted: Mapping[str, Mapping[str, Predicted]],
    gold_path: Path,
    path: Path,
    reading: Reading,
) -> Mapping[str, Mapping[str, Predicted]]:
    """Take a single file without a topic as the prediction of a gold's only topic.

    Its topic is then only its file name, and two files rarely have the same.
    """
    single = not gold_path.is_dir() and not path.is_dir() and len(golds) == len(predicted) == 1
    if not single or not reading.alike or golds.keys() == predicted.keys():
        return predicted
    (wanted,), (named,) = golds, predicted
    if named != reading.plain(path).stem:
        return predicted
    reading.notice(f"taken as the prediction of '{wanted}'", path)
    return {wanted: predicted[named]}


def paired_cases(
    golds: Mapping[str, Mapping[str, Gold]],
    systems: Mapping[str, Mapping[str, Mapping[str, Predicted]]],
    reading: Reading,
    options: Mapping[str, str],
    *,
    level: str,
    empty: Callable[[str], Predicted],
    content: Callable[[Any], object] = lambda side: side,
) -> dict[str, list[Case[Gold, Predicted]]]:
    """Make the cases of every system, under the option for what is missing."""
    missing: Missing = options["missing"]  # type: ignore[assignment]  # one of the declared
    return {
        name: pair_up(
            golds,
            found,
            reading,
            level=level,
            system=name,
            empty=empty,
            missing=missing,
            content=content,
        )
        for name, found in systems.items()
    }
