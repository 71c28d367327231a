"""The families by name. Each is imported only when it is asked for."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, cast

from chronoscore.core.errors import UsageError
from chronoscore.core.family import Family
from chronoscore.core.metric import Metric
from chronoscore.core.reading import Reading

_HOMES = {
    "timelines": "chronoscore.timelines",
    "ordering": "chronoscore.ordering",
    "tlinks": "chronoscore.ordering.tlinks",
    "coreference": "chronoscore.ordering.coreference",
    "annotations": "chronoscore.annotations",
    "rubric": "chronoscore.rubric",
}
"""Where each family lives; some share a floor, since they share what they compare."""
NAMES = tuple(_HOMES)


def family(name: str) -> Family:
    """Give the family of this name."""
    if name not in NAMES:
        raise UsageError(f"unknown family '{name}'; there are: {', '.join(NAMES)}")
    found = import_module(_HOMES[name]).FAMILY
    assert isinstance(found, Family)
    return found


def reader(name: str) -> Callable[..., Any]:
    """Give the function that reads the cases of a family's files."""
    return cast("Callable[..., Any]", import_module(_HOMES[name]).read_cases)


def part_family(name: str, words: Mapping[str, str]) -> Family:
    """Give the family of a part of a run, from the words that were sent along with it."""
    made = getattr(import_module(_HOMES[name]), "part_family", None)
    return cast("Family", made(**words)) if made else family(name)


def part_reader(name: str) -> Callable[..., Any]:
    """Give the function that reads the cases of a part of a family's files."""
    own = getattr(import_module(_HOMES[name]), "read_part", None)
    return cast("Callable[..., Any]", own) if own else reader(name)


def doubt_parts(
    name: str,
    metrics: Sequence[Metric],
    counts: Mapping[str, int],
    reading: Reading,
    by: Sequence[str] = (),
) -> None:
    """Note what only those can who see all parts of a run, from what was counted in each."""
    own = getattr(import_module(_HOMES[name]), "doubt_parts", None)
    if own is not None:
        own(metrics, counts, reading, by)


def metric(text: str) -> tuple[Family, Metric]:
    """Find a metric by its name in any family."""
    reasons = []
    for name in NAMES:
        try:
            return family(name), family(name).metric(text)
        except UsageError as error:
            reasons.append(str(error))
    known = next((reason for reason in reasons if "unknown metric" not in reason), None)
    raise UsageError(known or f"unknown metric '{text}'; `chronoscore metrics` lists them all")
