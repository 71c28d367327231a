"""The families by name. Each is imported only when it is used."""

from importlib import import_module

from chronoscore.core.family import Family
from chronoscore.core.metric import Metric
from chronoscore.errors import UsageError

_HOMES = {
    "timelines": "chronoscore.timelines.family",
    "events": "chronoscore.events.family",
    "ordering": "chronoscore.ordering.family",
    "tlinks": "chronoscore.ordering.tlinks.family",
    "coreference": "chronoscore.ordering.coreference.family",
    "annotations": "chronoscore.annotations.family",
    "rubric": "chronoscore.rubric.family",
}
NAMES = tuple(_HOMES)


def family(name: str) -> Family:
    """Return the family of this name."""
    if name not in NAMES:
        raise UsageError(f"unknown family '{name}'; there are: {', '.join(NAMES)}")
    imported = import_module(_HOMES[name]).FAMILY
    assert isinstance(imported, Family)
    return imported


def metric(text: str) -> tuple[Family, Metric]:
    """Find a metric by its name in any family."""
    reasons = []
    for name in NAMES:
        try:
            return family(name), family(name).metric(text)
        except UsageError as error:
            reasons.append(str(error))
    message = next((reason for reason in reasons if "unknown metric" not in reason), None)
    raise UsageError(message or f"unknown metric '{text}'; `chronoscore metrics` lists them all")
