"""The plan of intervals that a signature names: their method, level, seed and unit."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from chronoscore.core import names
from chronoscore.core.metric import Metric
from chronoscore.errors import UsageError
from chronoscore.statistics import INTERVAL_METHODS, IntervalMethod
from chronoscore.statistics.averaging import Path

DAY = "day"
"""A unit that is no tag: the days of a timeline, drawn within its case."""
_KINDS: Mapping[str, Callable[[str], Any]] = {
    "level": float,
    "seed": int,
    "unit": str,
    "strata": str,
    "resamples": int,
}


@dataclass(frozen=True)
class IntervalPlan:
    """How intervals are computed: the method, the level, the seed, and the unit to draw."""

    method: IntervalMethod = "auto"
    level: float = 0.95
    seed: int = 0
    unit: str = ""
    strata: str = ""
    resamples: int | None = None
    """How often a bootstrap or a test draws; None for the usual number."""

    def __post_init__(self) -> None:
        """Refuse values that no plan can have."""
        if self.method not in INTERVAL_METHODS:
            listed = ", ".join(INTERVAL_METHODS)
            raise UsageError(f"no method '{self.method}' for intervals; there are {listed}")
        if not 0 < self.level < 1:
            raise UsageError(f"the level of an interval is between 0 and 1, got {self.level:g}")
        if self.method == "bayes" and (self.unit or self.strata):
            raise UsageError("a Bayesian interval draws nothing: leave out --unit and --strata")
        if self.resamples is not None and self.resamples < 1:
            raise UsageError(f"the number of resamples is {self.resamples}, expected 1 or more")

    def __str__(self) -> str:
        """Write a name that parses back; defaults are left out."""
        default = IntervalPlan()
        changed: dict[str, names.Value] = {
            name: getattr(self, name)
            for name in _KINDS
            if getattr(self, name) != getattr(default, name)
        }
        return names.write(self.method, changed)

    @classmethod
    def parse(cls, text: str) -> "IntervalPlan":
        """Read what `str` wrote."""
        method, parameters = names.parse(text)
        if method not in INTERVAL_METHODS or parameters.keys() - _KINDS.keys():
            raise UsageError(
                f"unknown method '{text}' for intervals; there are: {', '.join(INTERVAL_METHODS)}"
            )
        try:
            values = {name: _KINDS[name](str(value)) for name, value in parameters.items()}
        except ValueError:
            raise UsageError(f"level and seed in '{text}' must be numbers") from None
        return cls.checked(method, **values)

    @classmethod
    def checked(cls, method: str, **values: Any) -> "IntervalPlan":
        """Make a plan from the options of a user."""
        return cls(cast("IntervalMethod", method), **values)

    def check(self, metrics: Sequence[Metric], path: Path) -> None:
        """Refuse metrics and paths that can have no such interval, before anything is measured."""
        for metric in metrics:
            if metric.definition.curve:
                continue
            if self.method == "bayes":
                from chronoscore.engines.intervals import refuse  # noqa: PLC0415 - few ask for it

                refuse(metric, path)
            if self.method == "logit" and not np.isfinite(metric.range(metric.primary)).all():
                raise UsageError(
                    f"logit intervals need a score with a least and a greatest value; {metric} has "
                    "none: use --interval auto"
                )
