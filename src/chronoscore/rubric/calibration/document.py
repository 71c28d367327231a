"""All that is known of a judge beside people, as one document; every table is made from it."""

from typing import Final, Literal

import msgspec

from chronoscore.core.result import Agreement, Interval

FORMAT: Final = "chronoscore-calibration"


class Beside(msgspec.Struct, frozen=True):
    """Agreement of two sides: the judge and a person, or people among themselves."""

    who: str
    judge: bool
    """Whether the judge is one of them."""
    agreement: tuple[Agreement, ...]


class Errors(msgspec.Struct, frozen=True):
    """Where the judge errs on one criterion, over the events that people judged too."""

    criterion: str
    events: int
    bias: float | None
    """Mean of judge less people: above 0, the judge is more generous."""
    interval: Interval | None
    """Of the bias."""
    sensitivity: float | None
    specificity: float | None
    """Of criteria that are 0 or 1."""
    confusion: dict[str, dict[str, float]]
    """How often people's value was given by the judge as which; events may count in parts."""
    reason: str = ""


class Estimated(msgspec.Struct, frozen=True):
    """A number with its interval, or why there is none."""

    method: str
    value: float | None
    interval: Interval | None
    weight: float | None = None
    """How much the judge counts in PPI++: lambda."""
    reason: str = ""


class Level(msgspec.Struct, frozen=True):
    """How good a system's events are on one criterion, or on the score."""

    system: str
    criterion: str
    labelled: int
    events: int
    """All that the judge judged, labelled ones included."""
    people: Estimated
    """Of the labelled events."""
    judge: Estimated
    """Of all events, as it is: its interval does not know of the judge's bias."""
    corrected: Estimated
    rate: Estimated | None
    """Rogan and Gladen's, of criteria that are 0 or 1."""


class Difference(msgspec.Struct, frozen=True):
    """One system less another on one criterion, or on the score."""

    one: str
    two: str
    criterion: str
    people: float | None
    judge: float | None
    corrected: Estimated


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """The whole document."""

    format: Literal["chronoscore-calibration"] = FORMAT
    version: int = 1
    codebook: str
    judge: str
    samples: int
    people: tuple[str, ...]
    systems: tuple[str, ...]
    labelled: int
    events: int
    level: float
    unit: str
    beside: tuple[Beside, ...]
    errors: tuple[Errors, ...]
    levels: tuple[Level, ...]
    differences: tuple[Difference, ...]
    notices: tuple[str, ...] = ()


def encode(found: Calibration) -> str:
    """Write the document as JSON."""
    return msgspec.json.format(msgspec.json.encode(found), indent=1).decode() + "\n"
