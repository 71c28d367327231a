"""The four families by name. Each is imported only when it is asked for."""

from importlib import import_module

from chronoscore.core.errors import UsageError
from chronoscore.core.family import Family
from chronoscore.core.metric import Metric

NAMES = ("timelines", "ordering", "annotations", "rubric")


def family(name: str) -> Family:
    """Give the family of this name."""
    if name not in NAMES:
        raise UsageError(f"unknown family '{name}'; there are: {', '.join(NAMES)}")
    found = import_module(f"chronoscore.{name}").FAMILY
    assert isinstance(found, Family)
    return found


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
