"""The families by name. Each is imported only when it is used."""

from importlib import import_module

from chronoscore.core.family import Family
from chronoscore.core.metric import Metric
from chronoscore.errors import UnknownMetricError, UsageError, similar_name

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
    known = (known for name in NAMES for known in family(name).metric_names)
    similar = similar_name(text, known)
    hint = f"did you mean '{similar}'? " if similar else ""
    raise UsageError(
        message or f"unknown metric '{text}'; {hint}`chronoscore metrics` lists them all"
    )


def families_with(text: str) -> list[str]:
    """Return the names of the families that have a metric of this name."""
    return [name for name in NAMES if _has(family(name), text)]


def _has(home: Family, text: str) -> bool:
    try:
        home.metric(text)
    except UnknownMetricError:
        return False
    except UsageError:  # of its parameters
        return True
    return True
