"""What is asked for: which coefficients, with which intervals, within which parts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from chronoscore.core.errors import UsageError
from chronoscore.statistics.agreement import COEFFICIENTS, Coefficient, Scale, coefficient, defaults

ALL = "all"
ENOUGH = 0.667
"""Krippendorff's lowest alpha from which tentative conclusions may be drawn."""
GROUPS = ("article", "type", "system")
Method = Literal["auto", "jackknife", "bootstrap"]


@dataclass(frozen=True)
class Plan:
    """The settings of one study of agreement."""

    coefficients: tuple[str, ...] = ()
    """By name, or all; those that suit each scale if there are none."""
    by: tuple[str, ...] = ()
    threshold: float = ENOUGH
    most: int = 10
    """How many events are listed to be discussed."""
    method: Method = "auto"
    level: float = 0.95
    seed: int = 0

    def check(self) -> None:
        """Refuse what can't be computed, before anything is read."""
        for name in self.coefficients:
            if name != ALL:
                coefficient(name)
        for tag in self.by:
            if tag not in GROUPS:
                raise UsageError(f"no agreement by '{tag}': by {', '.join(GROUPS)}")
        if not 0 < self.level < 1:
            raise UsageError(f"--level is {self.level}, expected a number between 0 and 1")
        if not -1 <= self.threshold <= 1:
            raise UsageError(f"--threshold is {self.threshold}, expected a number from -1 to 1")

    def shown(self, scale: Scale) -> tuple[Coefficient, ...]:
        """The coefficients of a criterion: as named, all that suit its scale, or the usual."""
        if not self.coefficients:
            return defaults(scale)
        found: dict[str, Coefficient] = {}
        for name in self.coefficients:
            for one in suiting(scale) if name == ALL else (coefficient(name),):
                found[one.name] = one
        return tuple(found.values())

    def within_parts(self, scale: Scale) -> tuple[Coefficient, ...]:
        """The coefficients of a part: as named, else percent and alpha, which fit on a line."""
        if self.coefficients:
            return self.shown(scale)
        plainest = [one for one in defaults(scale) if one.name == "percent"]
        return (*plainest, alpha_of(scale))


def suiting(scale: Scale) -> Sequence[Coefficient]:
    """All coefficients that suit a scale."""
    return [one for one in COEFFICIENTS.values() if scale in one.scales]


def alpha_of(scale: Scale) -> Coefficient:
    """Krippendorff's alpha with the distances of a scale."""
    return coefficient(f"alpha {scale}")
