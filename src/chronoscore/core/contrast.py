"""The contrast of systems: which is better, by how much, and how sure that is."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from chronoscore.core.result import Interval


class Swing(msgspec.Struct, frozen=True):
    """How much one unit, such as a topic, speaks for the first system."""

    unit: str
    difference: float
    one: float | None = None
    """The first system's score on this unit alone; None where it is undefined."""
    two: float | None = None


class Pair(msgspec.Struct, frozen=True, omit_defaults=True):
    """Two systems on one metric's main score."""

    one: str
    two: str
    difference: float | None
    """The first's score less the second's."""
    p: float | None
    p_corrected: float | None
    smallest_p: float
    """No p can be below this with so few units."""
    exact: bool
    interval: Interval | None = None
    wins: int = 0
    ties: int = 0
    losses: int = 0
    swings: tuple[Swing, ...] = ()
    """Units, the largest differences first; the first 10,000 of very many."""
    units_needed: int | None = None
    """About how many units it would take to see a difference of this size."""


class Ranked(msgspec.Struct, frozen=True, omit_defaults=True):
    """A system's place on one metric."""

    system: str
    score: float | None
    letters: str = ""
    """Systems that share a letter do not differ significantly; none with a baseline."""
    cluster: int = 0
    """Of rank, from 1; 0 with a baseline."""
    interval: Interval | None = None


class MetricContrast(msgspec.Struct, frozen=True):
    """All systems on one metric, the best first, and their pairs."""

    name: str
    label: str
    score: str
    better: str
    ranking: tuple[Ranked, ...]
    pairs: tuple[Pair, ...]


class Contrast(msgspec.Struct, frozen=True, kw_only=True):
    """The whole document."""

    format: Literal["chronoscore-contrast"] = "chronoscore-contrast"
    version: int = 1
    family: str
    protocol: str
    path: str
    test: str
    correction: str
    level: float
    seed: int
    unit: str
    units: int
    baseline: str
    metrics: tuple[MetricContrast, ...]
    notices: tuple[str, ...] = ()
    group: dict[str, str] = {}
    """The value of the items that are compared, or that it is the mean over values; else empty."""


def encode(contrast: Contrast | Sequence[Contrast]) -> str:
    """Write the document, or a list of documents, as JSON."""
    return msgspec.json.format(msgspec.json.encode(contrast), indent=1).decode() + "\n"
