"""Coefficients of agreement on each criterion and on the score, with intervals over articles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, isnan
from typing import Literal, TypeAlias

import numpy as np

from chronoscore.core.evidence_table import EvidenceTable
from chronoscore.core.result import Agreement, Interval
from chronoscore.errors import UsageError
from chronoscore.rubric.codebook import Codebook, RatedColumn, event_quality
from chronoscore.rubric.judgements import NO_NAME, Judgements
from chronoscore.rubric.metrics import quality_parts
from chronoscore.statistics.agreement import (
    COEFFICIENTS,
    AgreementCoefficient,
    AgreementEstimate,
    Scale,
    coefficient,
    defaults,
    estimates_of,
)
from chronoscore.statistics.drawing import RESAMPLES
from chronoscore.statistics.intervals import Estimate, IntervalOptions
from chronoscore.statistics.labels import Labels, grouped
from chronoscore.statistics.ratings import Ratings
from chronoscore.statistics.ratios import Array

ALL = "all"
ENOUGH = 0.667
"""Krippendorff's lowest alpha from which tentative conclusions may be drawn."""
GROUPS = ("article", "type", "system")
Rated: TypeAlias = Sequence[tuple[RatedColumn, Ratings, Sequence[AgreementCoefficient]]]
"""Criteria, and the score, with their ratings and the coefficients to compute."""


@dataclass(frozen=True)
class AgreementPlan:
    """The settings of one study of agreement."""

    coefficients: tuple[str, ...] = ()
    """The names of coefficients, or `all`; if empty, the usual ones for each scale."""
    by: tuple[str, ...] = ()
    threshold: float = ENOUGH
    most: int = 10
    """How many events are listed for discussion."""
    method: Literal["auto", "jackknife", "bootstrap"] = "auto"
    level: float = 0.95
    seed: int = 0
    resamples: int | None = None
    """How often a bootstrap draws; None for the usual number."""

    def check(self) -> None:
        """Raise UsageError for settings that can't be computed, before any file is read."""
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

    def shown(self, scale: Scale) -> tuple[AgreementCoefficient, ...]:
        """Return the coefficients to show for a criterion of this scale."""
        if not self.coefficients:
            return defaults(scale)
        coefficients: dict[str, AgreementCoefficient] = {}
        for name in self.coefficients:
            for choice in suiting(scale) if name == ALL else (coefficient(name),):
                coefficients[choice.name] = choice
        return tuple(coefficients.values())

    def shown_in_groups(self, scale: Scale) -> tuple[AgreementCoefficient, ...]:
        """Return the coefficients to show for a group: by default percent and alpha only."""
        if self.coefficients:
            return self.shown(scale)
        percent = [choice for choice in defaults(scale) if choice.name == "percent"]
        return (*percent, alpha_of(scale))

    @property
    def options(self) -> IntervalOptions:
        """The options of the intervals."""
        return IntervalOptions(
            method=self.method,
            level=self.level,
            seed=self.seed,
            resamples=self.resamples or RESAMPLES,
        )


def suiting(scale: Scale) -> list[AgreementCoefficient]:
    """Return all coefficients that suit a scale."""
    return [choice for choice in COEFFICIENTS.values() if scale in choice.scales]


def alpha_of(scale: Scale) -> AgreementCoefficient:
    """Krippendorff's alpha with the distances of a scale."""
    return coefficient(f"alpha {scale}")


def unit_of(system: str, event: str) -> str:
    """Return the name of a judged event, unique over all systems."""
    return f"{system}: {event}"


@dataclass(frozen=True, eq=False)
class RatedEvents:
    """The judged events of all systems as units of agreement, one row a judgement."""

    units: Labels
    tags: Mapping[str, Labels]
    ratings: tuple[tuple[RatedColumn, Ratings], ...]
    """The ratings on each criterion, and on the score, which is counted in whole parts."""

    @classmethod
    def of_rows(cls, systems: Mapping[str, EvidenceTable], codebook: Codebook) -> RatedEvents:
        """Make them from rows of evidence."""
        rows = {system: table for system, table in systems.items() if len(table)}
        numbers = [table.statistics[codebook.score.lower()] for table in rows.values()]
        return cls._make(
            {system: table.tags for system, table in rows.items()},
            [np.column_stack([table[:, 2:], table[:, 0]]) for table in numbers],
            codebook,
        )

    @classmethod
    def of_judgements(cls, systems: Mapping[str, Judgements], codebook: Codebook) -> RatedEvents:
        """Make them from judgements; an evaluator has at most one judgement of an event."""
        rows = {system: table for system, table in systems.items() if len(table)}
        return cls._make(
            {system: table.tags() for system, table in rows.items()},
            [_rated_values(table, codebook) for table in rows.values()],
            codebook,
        )

    @classmethod
    def _make(
        cls,
        systems: Mapping[str, Mapping[str, Labels]],
        numbers: Sequence[Array],
        codebook: Codebook,
    ) -> RatedEvents:
        tags = {
            name: Labels.together([table[name] for table in systems.values()])
            for name in ("evaluator", "article", "type")
            if all(name in table for table in systems.values())
        }
        tags["system"] = Labels.together(
            [Labels((name,), np.zeros_like(table["event"].at)) for name, table in systems.items()]
        )
        events = {system: table["event"] for system, table in systems.items()}
        units = Labels.together(
            [
                Labels(tuple(unit_of(system, name) for name in column.names), column.at)
                for system, column in events.items()
            ]
        )
        values = np.concatenate([np.empty((0, len(codebook.columns))), *numbers])
        ratings = tuple(
            (column, Ratings.columns(units, tags["evaluator"], values[:, at], column.allowed))
            for at, column in enumerate(codebook.columns)
        )
        return cls(units, tags, ratings)

    def group_of(self, tag: str) -> dict[str, str]:
        """Return the article, type or system of each unit."""
        firsts = grouped([self.units.at], len(self.units)).firsts
        names = self.units.take(firsts).words(), self.tags[tag].take(firsts).words()
        return {unit or "": word or "" for unit, word in zip(*names, strict=True)}

    def differing(self) -> dict[str, int]:
        """Return how many events evaluators differ on, for each criterion and the score."""
        counts = {}
        for column, ratings in self.ratings:
            spread = ratings.sums(ratings.deviations**2).round(12)
            counts[column.name] = int(np.count_nonzero(spread))
        return counts

    @cached_property
    def articles(self) -> dict[str, str]:
        """The article of each unit, over which intervals are computed."""
        return self.group_of("article")


def _rated_values(judgements: Judgements, codebook: Codebook) -> Array:
    """Return the values on every criterion, and the score in whole parts, if there is one."""
    columns = [judgements.values]
    if codebook.has_score:
        columns.append(quality_parts(judgements.values, codebook))
    return np.column_stack(columns).astype(float)


def agreement(
    systems: Mapping[str, EvidenceTable], codebook: Codebook | None = None
) -> list[Agreement]:
    """Compute the usual coefficients of each criterion over the events of all systems."""
    events = RatedEvents.of_rows(systems, codebook or event_quality())
    rated = [(column, ratings, defaults(column.scale)) for column, ratings in events.ratings]
    return agreement_on(rated, events.articles, AgreementPlan())


def agreement_on(rated: Rated, clusters: Mapping[str, str], plan: AgreementPlan) -> list[Agreement]:
    """Compute coefficients with their intervals, or the reasons why there are none.

    All ratings must be of the same units: the resamples are drawn once, for all coefficients.
    """
    requests = [
        (column.name, ratings, choice) for column, ratings, many in rated for choice in many
    ]
    estimates = estimates_of([request[1:] for request in requests], clusters, **plan.options)
    return [
        Agreement(
            criterion=criterion,
            coefficient=estimate.name,
            value=defined(estimate.value),
            units=estimate.units,
            ratings=estimate.ratings,
            raters=estimate.raters,
            reason=estimate.reason if isnan(estimate.value) else "",
            interval=interval_of(estimate, plan.level, n_eff=estimate.n_eff),
            no_interval="" if isnan(estimate.value) else _why_no_interval(estimate, clusters),
        )
        for (criterion, *_), estimate in zip(requests, estimates, strict=True)
    ]


def _why_no_interval(estimate: AgreementEstimate, clusters: Mapping[str, str]) -> str:
    if not estimate.missing or estimate.clusters > 1:
        return estimate.missing.format(unit="article")
    if set(clusters.values()) == {NO_NAME}:
        return "intervals are over articles, and no judgement has an article_id"
    return "intervals are over articles, and only one has events to compare"


def interval_of(
    estimate: Estimate,
    level: float,
    unit: str = "article",
    ends: tuple[float, float] = (-inf, inf),
    *,
    n_eff: float | None = None,
) -> Interval | None:
    """Return the interval, cut to the values that the number can have, or None if it has none."""
    if isnan(estimate.low) or isnan(estimate.high):
        return None
    low, high = max(estimate.low, ends[0]), min(estimate.high, ends[1])
    return Interval(low, high, level, estimate.method, estimate.clusters, unit, n_eff=n_eff)


def defined(value: float) -> float | None:
    """Return the number, or None if it is undefined (NaN)."""
    return None if isnan(value) else float(value)
