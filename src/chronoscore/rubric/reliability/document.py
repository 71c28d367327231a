"""All that is known of how far evaluators agree, as one document; every table is made from it."""

from typing import Final, Literal

import msgspec

from chronoscore.core.result import Agreement, Interval

FORMAT: Final = "chronoscore-agreement"


class Verdict(msgspec.Struct, frozen=True):
    """Whether evaluators agree well enough on one criterion, by its alpha."""

    criterion: str
    coefficient: str
    value: float | None
    threshold: float
    verdict: Literal["enough", "unsure", "no interval", "below", "undefined"]
    """Unsure where alpha reaches the threshold and its interval does not."""
    sentence: str


class Check(msgspec.Struct, frozen=True):
    """Gwet's analytic standard error, which knows no articles, beside the resampled interval."""

    criterion: str
    coefficient: str
    error: float | None


class Part(msgspec.Struct, frozen=True):
    """Agreement within a part of the events, such as an article."""

    by: str
    name: str
    events: int
    agreement: tuple[Agreement, ...]


class Pair(msgspec.Struct, frozen=True):
    """How two evaluators agree on one criterion, in the events that both judged."""

    criterion: str
    one: str
    two: str
    events: int
    percent: float | None
    kappa: float | None
    reason: str = ""


class Generosity(msgspec.Struct, frozen=True):
    """How far an evaluator's values are above the means of the events, on average."""

    criterion: str
    evaluator: str
    events: int
    above: float | None
    low: float | None
    high: float | None
    reason: str = ""


class Series(msgspec.Struct, frozen=True):
    """A number in each part of the work: a coefficient, or how generous an evaluator is."""

    criterion: str
    name: str
    values: tuple[float | None, ...]
    events: tuple[int, ...]
    """How many events each value speaks of."""


class OverTime(msgspec.Struct, frozen=True):
    """Whether agreement, and each evaluator, drift in the course of the work."""

    by: Literal["rounds", "rows"]
    parts: tuple[str, ...]
    agreement: tuple[Series, ...]
    evaluators: tuple[Series, ...]


class Against(msgspec.Struct, frozen=True):
    """One evaluator beside the agreed values, on one criterion."""

    evaluator: str
    criterion: str
    events: int
    equal: float | None
    """Share of events with the agreed value."""
    coefficient: str
    value: float | None
    bias: float | None
    """Mean of given less agreed."""
    interval: Interval | None
    """Of the bias."""
    confusion: dict[str, dict[str, int]]
    """How often each agreed value was given as which."""
    reason: str = ""


class Said(msgspec.Struct, frozen=True):
    """What one evaluator said of an event."""

    evaluator: str
    values: dict[str, int]
    comment: str = ""


class Discussed(msgspec.Struct, frozen=True):
    """An event that evaluators judged differently."""

    system: str
    event: str
    article: str
    date: str
    type: str
    text: str
    spread: float
    """Sum over criteria of the variance of values, each scale taken from 0 to 1."""
    criteria: tuple[str, ...]
    """Those that they differ on."""
    said: tuple[Said, ...]


class Discussion(msgspec.Struct, frozen=True):
    """What to talk about, the greatest disagreement first."""

    events: int
    """Events with two judgements or more."""
    differing: int
    """Of these, events that were not judged alike in everything."""
    first: tuple[Discussed, ...]


class Reliability(msgspec.Struct, frozen=True, kw_only=True):
    """The whole document."""

    format: Literal["chronoscore-agreement"] = FORMAT
    version: int = 1
    codebook: str
    evaluators: tuple[str, ...]
    systems: tuple[str, ...]
    events: int
    judgements: int
    agreement: tuple[Agreement, ...]
    checks: tuple[Check, ...]
    verdicts: tuple[Verdict, ...]
    discussion: Discussion
    pairs: tuple[Pair, ...]
    generosity: tuple[Generosity, ...]
    comments: dict[str, dict[str, int]]
    """By system, how often each of the codebook's frequent comments was made."""
    parts: tuple[Part, ...] = ()
    over_time: OverTime | None = None
    adjudicated: tuple[Against, ...] = ()
    notices: tuple[str, ...] = ()
