"""What the metrics of candidate lists have in common: which annotations are lists and targets."""

from collections.abc import Hashable
from typing import Any, cast

from chronoscore.annotations.candidates import UNSCORED, Selection
from chronoscore.annotations.parameters import QUESTION
from chronoscore.core.errors import UsageError
from chronoscore.core.metric import Parameter, Values

SELECTING = (
    Parameter("list", "word", "List", "the type of annotations that hold candidates"),
    Parameter("edge", "word", "ids", "the feature that holds the ids of a list's candidates"),
    Parameter(
        "score",
        "word",
        "score",
        f"the feature to rank by, or the annotation's own score; {UNSCORED}: as listed",
    ),
    Parameter("key", "word", "", "the type of targets; empty means any, and types must agree"),
    Parameter("element", "word", "", "the type of candidates; others in a list are left out"),
    *(parameter for parameter in QUESTION if parameter.name not in ("types", "min_overlap")),
)


def selection(values: Values) -> Hashable:
    """What is a list, a candidate and a target, by the parameters."""
    if values["nil"] == "clusters":
        raise UsageError("candidate lists have no NIL clusters: nil is none or absent")
    return Selection(
        list_type=str(values["list"]),
        edge=str(values["edge"]),
        score=str(values["score"]),
        key_type=str(values["key"]),
        element_type=str(values["element"]),
        features=cast("tuple[str, ...]", values["features"]),
        compare=cast("Any", values["compare"]),
        nil=str(values["nil_value"]) if values["nil"] == "absent" else "",
        gold_set=str(values["gold_set"]),
        predicted_set=str(values["predicted_set"]),
        within=str(values["within"]),
        containment=cast("Any", values["containment"]),
    )
