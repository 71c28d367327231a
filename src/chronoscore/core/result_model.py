"""What a result document holds: metrics, summaries, intervals, rows, and what explains them."""

from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from chronoscore.core.case import some
from chronoscore.core.evidence import Match, Row, Statistic

VERSION = 1
FORMAT: Final = "chronoscore-result"


class MetricInfo(msgspec.Struct, frozen=True):
    """What a column of the table is."""

    name: str
    label: str
    meaning: str
    scores: tuple[str, ...]
    primary: str
    statistics: tuple[Statistic, ...]
    shown: tuple[str, ...]
    curve: Literal["", "best", "median"] = ""
    better: Literal["higher", "lower"] = "higher"


class CurvePoint(msgspec.Struct, frozen=True):
    """The summed statistics and the scores of what reaches a threshold."""

    threshold: float
    statistics: tuple[int | float, ...]
    scores: dict[str, float | None]


class Interval(msgspec.Struct, frozen=True, omit_defaults=True):
    """Between which values a score is thought to lie."""

    low: float
    high: float
    level: float
    method: str
    """jackknife-t, jackknife-logit, bootstrap or bayes."""
    clusters: int
    """How many independent units it rests on; 0 for bayes, which draws none."""
    unit: str = ""
    """What these units are, such as topics."""
    coverage: float | None = None
    """How often such intervals hold the true score in simulation, at worst, if units are few."""
    draws: int | None = None
    """How many resamples were drawn, where that is fewer than usual."""
    n_eff: float | None = None
    """How many units of equal size the score rests on as firmly; None if nothing is drawn."""


class Summary(msgspec.Struct, frozen=True, omit_defaults=True):
    """One metric on one group of cases. A score that is None is undefined."""

    metric: str
    group: dict[str, str]
    cases: int
    scores: dict[str, float | None]
    statistics: tuple[int | float, ...] = ()
    """Sums over the group's rows; they explain the score where the average is micro."""
    undefined: dict[str, int] = {}
    """How many cases had no value for a component before the policy was applied."""
    curve: tuple[CurvePoint, ...] = ()
    units: dict[str, int] = {}
    """How many of each level were averaged, for example golds and topics."""
    intervals: dict[str, Interval] = {}
    """By score, where intervals were asked for and can be had."""
    kind: Literal["cases", "value", "mean"] = "cases"
    """Whether the group is of whole cases, of the items that have a value, or the mean over all
    values."""


class Agreement(msgspec.Struct, frozen=True, omit_defaults=True):
    """How far raters agree on one criterion."""

    criterion: str
    coefficient: str
    value: float | None
    units: int
    ratings: int
    raters: int
    reason: str = ""
    """Why there is no value."""
    interval: Interval | None = None
    """Over clusters, such as articles."""
    no_interval: str = ""
    """Why there is a value and no interval."""


class SystemResult(msgspec.Struct, frozen=True):
    """All that is known of one system: its summaries and the rows they came from."""

    name: str
    signature: str
    summaries: tuple[Summary, ...]
    rows: Sequence[Row]
    """In the order of their cases; columns that make each row when it is looked at, if many."""


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """The whole result document."""

    format: Literal["chronoscore-result"] = FORMAT
    version: int = VERSION
    family: str
    protocol: str
    path: str
    undefined: str
    options: dict[str, str]
    metrics: tuple[MetricInfo, ...]
    systems: tuple[SystemResult, ...]
    agreement: tuple[Agreement, ...] = ()
    """Between raters, over all systems; only where people judged."""
    notices: tuple[str, ...] = ()
    left_out: int = 0
    """Cases that could not be read or measured, and are in none of the scores."""


def left_out_notice(cases: int) -> str:
    """The notice on a result that lacks cases."""
    many = "1 case was" if cases == 1 else f"{cases} cases were"
    return f"only a part was scored: {many} bad and left out, so the scores are of the others"


def unread_notice(places: list[str]) -> str:
    """The notice on lines that can't be read, so that their cases are unknown."""
    if len(places) == 1:
        notice = "1 line can't be read, so its case is unknown and is scored without it"
    else:
        notice = (
            f"{len(places)} lines can't be read, so their cases are unknown and are scored "
            "without them"
        )
    return f"{notice} ({some(places)})"


class CaseMatches(msgspec.Struct, frozen=True):
    """The matches of one metric on one case: a line of the sidecar file."""

    system: str
    case: str
    metric: str
    matches: tuple[Match, ...]


class CaseTexts(msgspec.Struct, frozen=True):
    """What the matches of a case speak of: the texts of both sides by the names in the matches.

    For timelines these are days and their sentences. A line of the second sidecar file.
    """

    system: str
    case: str
    gold: dict[str, tuple[str, ...]]
    predicted: dict[str, tuple[str, ...]]
