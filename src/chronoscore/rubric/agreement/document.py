"""The document of agreement: how far evaluators agree, on what they differ, whether they drift.

Every table is a function of this document.
"""

from typing import Literal

import msgspec

from chronoscore.core.result import Agreement, Interval


class CriterionVerdict(msgspec.Struct, frozen=True):
    """Whether evaluators agree well enough on one criterion, by its alpha."""

    criterion: str
    coefficient: str
    value: float | None
    threshold: float
    verdict: Literal["enough", "unsure", "no interval", "below", "undefined"]
    """Unsure: alpha reaches the threshold, and the lower end of its interval does not."""
    sentence: str


class AnalyticError(msgspec.Struct, frozen=True):
    """Gwet's analytic standard error, which ignores articles, to compare with the interval."""

    criterion: str
    coefficient: str
    error: float | None


class GroupAgreement(msgspec.Struct, frozen=True):
    """Agreement within a group of events, such as an article."""

    by: str
    name: str
    events: int
    agreement: tuple[Agreement, ...]


class EvaluatorPair(msgspec.Struct, frozen=True):
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


class TimeSeries(msgspec.Struct, frozen=True):
    """A number in each window of the work: a coefficient, or how generous an evaluator is."""

    criterion: str
    name: str
    values: tuple[float | None, ...]
    events: tuple[int, ...]
    """The number of events behind each value."""


class OverTime(msgspec.Struct, frozen=True):
    """Whether agreement, and each evaluator, drift in the course of the work."""

    by: Literal["rounds", "rows"]
    parts: tuple[str, ...]
    agreement: tuple[TimeSeries, ...]
    evaluators: tuple[TimeSeries, ...]


class AgainstAgreed(msgspec.Struct, frozen=True):
    """One evaluator compared with the agreed values, on one criterion."""

    evaluator: str
    criterion: str
    events: int
    equal: float | None
    """Share of events with the agreed value."""
    coefficient: str
    value: float | None
    bias: float | None
    """The mean of given less agreed values."""
    interval: Interval | None
    """The interval of the bias."""
    confusion: dict[str, dict[str, int]]
    """Counts by agreed value, then by given value."""
    reason: str = ""


class DiscussedJudgement(msgspec.Struct, frozen=True):
    """One evaluator's judgement of an event."""

    evaluator: str
    values: dict[str, int]
    comment: str = ""


class DiscussedEvent(msgspec.Struct, frozen=True):
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
    """The criteria that they differ on."""
    said: tuple[DiscussedJudgement, ...]


class Discussion(msgspec.Struct, frozen=True):
    """The events to discuss, the greatest disagreement first."""

    events: int
    """Events with two judgements or more."""
    differing: int
    """The number of these events on which evaluators differ in some criterion."""
    first: tuple[DiscussedEvent, ...]


class AgreementStudy(msgspec.Struct, frozen=True, kw_only=True):
    """The document of a study of agreement."""

    format: Literal["chronoscore-agreement"] = "chronoscore-agreement"
    version: int = 1
    codebook: str
    evaluators: tuple[str, ...]
    systems: tuple[str, ...]
    events: int
    judgements: int
    agreement: tuple[Agreement, ...]
    checks: tuple[AnalyticError, ...]
    verdicts: tuple[CriterionVerdict, ...]
    discussion: Discussion
    pairs: tuple[EvaluatorPair, ...]
    generosity: tuple[Generosity, ...]
    comments: dict[str, dict[str, int]]
    """By system, how often each of the codebook's frequent comments was made."""
    parts: tuple[GroupAgreement, ...] = ()
    over_time: OverTime | None = None
    adjudicated: tuple[AgainstAgreed, ...] = ()
    notices: tuple[str, ...] = ()
