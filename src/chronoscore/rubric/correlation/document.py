"""How well metrics follow people, as one document; every table and picture is made from it."""

from typing import Final, Literal

import msgspec

from chronoscore.core.result import Interval

FORMAT: Final = "chronoscore-correlation"


class Point(msgspec.Struct, frozen=True, omit_defaults=True):
    """One item: what people say of it, and what the metric says."""

    system: str
    name: str
    """The topic or the event; empty for a system as a whole."""
    human: float
    metric: float
    human_interval: Interval | None = None
    metric_interval: Interval | None = None


class Value(msgspec.Struct, frozen=True, omit_defaults=True):
    """A coefficient with its interval, or why there is none."""

    coefficient: str
    value: float | None
    interval: Interval | None = None
    reason: str = ""


class Followed(msgspec.Struct, frozen=True):
    """How well one metric follows people."""

    label: str
    family: str
    metric: str
    turned: bool
    """Whether less is better, so that its sign was turned."""
    items: int
    values: tuple[Value, ...]
    points: tuple[Point, ...]


class Tested(msgspec.Struct, frozen=True):
    """Whether one metric follows people better than another, on the items of both."""

    one: str
    two: str
    coefficient: str
    items: int
    difference: float | None
    p: float | None
    """Of Perm-Both, two-sided."""
    p_corrected: float | None
    """By Holm, over all pairs."""
    smallest_p: float | None
    exact: bool
    williams_t: float | None
    williams_p: float | None
    """Two-sided; for Pearson's r."""
    reason: str = ""


class Correlations(msgspec.Struct, frozen=True, kw_only=True):
    """The whole document."""

    format: Literal["chronoscore-correlation"] = FORMAT
    version: int = 1
    level: str
    """System, topic or event."""
    criterion: str
    people: tuple[str, ...]
    judged: int
    """Events that people judged."""
    unit: str
    """What is drawn as a whole for the intervals."""
    confidence: float
    seed: int
    metrics: tuple[Followed, ...]
    tests: tuple[Tested, ...]
    notices: tuple[str, ...] = ()


def encode(found: Correlations) -> str:
    """Write the document as JSON."""
    return msgspec.json.format(msgspec.json.encode(found), indent=1).decode() + "\n"
