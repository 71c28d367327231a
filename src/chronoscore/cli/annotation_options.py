"""The options of `chronoscore annotations` that say what is compared, as parameters of metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

import click

from chronoscore.cli.needs import needs
from chronoscore.core.errors import UsageError

if TYPE_CHECKING:
    from chronoscore.core.names import Value

Function = TypeVar("Function", bound=Callable[..., Any])


class Asked(TypedDict):
    """What these options were set to."""

    matching: str | None
    alignment: str | None
    candidates: str | None
    feature: tuple[str, ...]
    compare: str | None
    type: tuple[str, ...]
    gold_set: str | None
    predicted_set: str | None
    within: str | None
    containment: str | None
    nil: str | None
    nil_value: str | None
    min_overlap: float | None
    beta: float | None
    thresholds: str | None
    also: tuple[str, ...]
    loss: str | None


_OPTIONS = [
    click.option(
        "--matching",
        type=click.Choice(["best", "gate", "response-order", "target-order", "scored"]),
        help="How responses are given to targets (default: best).",
    ),
    click.option(
        "--alignment",
        metavar="NAME",
        help="For --matching scored: share, characters, or your own ./file.py:function.",
    ),
    click.option(
        "--candidates",
        type=click.Choice(["overlap", "all"]),
        help="For --matching scored: which pairs are scored (default: overlap).",
    ),
    click.option(
        "--feature",
        multiple=True,
        metavar="NAME",
        help="A feature that must agree beside the type; TYPE:NAME for one type, GOLD=PREDICTED "
        "where names differ; may be repeated.",
    ),
    click.option(
        "--compare",
        type=click.Choice(["equal", "text", "subsumes", "span"]),
        help="How features are compared; span looks at no type either (default: equal).",
    ),
    click.option(
        "--type",
        multiple=True,
        metavar="TYPE",
        help="A type that takes part; GOLD=PREDICTED where names differ; may be repeated.",
    ),
    click.option("--gold-set", metavar="SET", help="The annotation set of the gold."),
    click.option("--predicted-set", metavar="SET", help="The annotation set of the prediction."),
    click.option(
        "--within", metavar="SET:TYPE", help="Only spans at such annotations of the gold document."
    ),
    click.option(
        "--containment",
        type=click.Choice(["overlapping", "contained", "coextensive"]),
        help="How spans must lie to those (default: overlapping).",
    ),
    click.option(
        "--nil",
        type=click.Choice(["none", "absent", "clusters"]),
        help="What a first feature of --nil-value is: a value, left out, or names of clusters.",
    ),
    click.option("--nil-value", metavar="TEXT", help="What stands for no value (default: NIL)."),
    click.option(
        "--min-overlap",
        type=float,
        metavar="PERCENT",
        help="How much of a target a response must cover to overlap it (default: any part).",
    ),
    click.option("--beta", type=float, help="How much more F weighs recall (default: 1)."),
    click.option(
        "--thresholds",
        metavar="WHICH",
        help="Also score thresholds: all, rounded, 11, 21, 51, or numbers such as 0.5/0.9.",
    ),
    click.option(
        "--also",
        type=click.Choice(["error-rate", "slot-errors", "target-accuracy", "span-loss"]),
        multiple=True,
        help="One more metric of the same comparison; may be repeated.",
    ),
    click.option(
        "--loss", metavar="NAME", help="0-1, lenient-0-1, or your own ./file.py:function."
    ),
]

_NEEDS = {
    "alignment": ("matching=scored",),
    "candidates": ("matching=scored",),
    "containment": ("within",),
    "nil_value": ("nil",),
    "by_side": ("by", "by_type", "by_feature"),
    "write_format": ("write_differences",),
}


def asking_options(function: Function) -> Function:
    """Add the options on what is compared."""
    function = needs(_NEEDS)(function)
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def parameters(asked: Asked) -> dict[str, Value]:
    """The parameters of `spans` that were given."""
    renamed = {"feature": "features", "type": "types"}
    aside = ("thresholds", "also", "loss")
    return {
        renamed.get(name, name): value  # type: ignore[misc]
        for name, value in asked.items()
        if name not in aside and value not in (None, ())
    }


def metrics(asked: Asked) -> tuple[str, ...]:
    """The metrics that the options make; none if none of them was given."""
    from chronoscore.core.names import write

    given = parameters(asked)
    also = list(asked["also"])
    if asked["loss"] and "span-loss" not in also:
        also.append("span-loss")
    if not (given or also or asked["thresholds"]):
        return ()
    made = [write("spans", given)]
    if asked["thresholds"]:
        made.append(write("spans-curve", {**given, "thresholds": asked["thresholds"]}))
    own = {name: value for name, value in given.items() if name != "beta"}
    matching = ("matching", "alignment", "candidates")
    for name in also:
        values = dict(own)
        if name == "target-accuracy":  # it looks at all responses of a target, whatever is matched
            values = {key: value for key, value in own.items() if key not in matching}
        if name == "span-loss" and asked["loss"]:
            values["loss"] = asked["loss"]
        made.append(write(name, values))
    return tuple(made)


def refuse_twice(asked: Asked, *, metric: tuple[str, ...], protocol: str | None) -> None:
    """Metrics are named, or made by options, not both."""
    if metrics(asked) and (metric or protocol):
        raise UsageError("give --metric or --protocol, or the options that make a metric")
