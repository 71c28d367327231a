"""The families by name. Each is imported only when it is asked for."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, cast

from chronoscore.core.errors import UsageError
from chronoscore.core.family import Family
from chronoscore.core.metric import Metric

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
