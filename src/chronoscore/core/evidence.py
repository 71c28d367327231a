"""Evidence: one row of additive statistics a case, and the matches that explain it.

The evidence of a collection is a set of rows keyed by case id. Merging is union; sums are a view.
Precision, recall and F are never stored: they are computed from sums when someone asks.
"""

from typing import Literal

import msgspec

Number = int | float
Steps = tuple[tuple[float, tuple[Number, ...]], ...]
Parts = tuple[tuple[str, tuple[Number, ...]], ...]
NO_VALUE = "(none)"
"""Stands for the value of an item that has none, where items are broken down by value."""


class Statistic(msgspec.Struct, frozen=True):
    """A number that a metric counts in each case and that may be added up over cases."""

    name: str
    kind: Literal["integer", "real"]
    meaning: str


class Match(msgspec.Struct, frozen=True, omit_defaults=True):
    """One reason for a score: which items were compared, and the credit.

    Over the matches of one side, `credit` adds up to that side's numerator and `possible` to its
    denominator, so the difference is what was lost, and `outcome` says why.
    """

    side: Literal["precision", "recall", "both"]
    outcome: str
    credit: float
    possible: float
    gold: str = ""
    predicted: str = ""
    distance: float | None = None
    weight: float = 1.0
    shared: float | None = None
    """What both have, before it is weighed."""
    about: tuple[str, ...] = ()
    """The predicted items that earned it, where `predicted` is not the name of one."""


class Evidence(msgspec.Struct, frozen=True):
    """The statistics of one case under one metric.

    A curve has `steps`: (threshold, difference) with the highest threshold first. Its statistics
    at a threshold are `statistics` plus the differences of all thresholds that are not lower, so
    they are also right at thresholds that a document does not have.
    """

    statistics: tuple[Number, ...]
    steps: Steps = ()


class Row(msgspec.Struct, frozen=True, omit_defaults=True):
    """The evidence of one case for every metric, and digests of what was compared."""

    case: str
    tags: dict[str, str]
    gold: str
    predicted: str
    statistics: dict[str, tuple[Number, ...]]
    steps: dict[str, Steps] = {}
    parts: dict[str, Parts] = {}
    """By metric, the statistics of parts of the case. Where items such as days are drawn by
    chance, a part is an item. Where scores are broken down by what the items of a case are, a part
    is a value, named by a JSON object such as {"type":"EVENT"}."""
