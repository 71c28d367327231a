"""Each evaluator compared with the values that were agreed on."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec
import numpy as np

from chronoscore.core.problems import Problems
from chronoscore.core.result import Interval
from chronoscore.rubric.agreement.coefficients import (
    AgreementPlan,
    defined,
    interval_of,
    unit_of,
)
from chronoscore.rubric.codebook import Codebook, RatedColumn
from chronoscore.rubric.judgements import UNNAMED_SYSTEM, Judgement, Judgements
from chronoscore.statistics.agreement import Scale, coefficient, resampled
from chronoscore.statistics.intervals import Estimate
from chronoscore.statistics.ratings import Ratings, Tally

_COEFFICIENTS: Mapping[Scale, str] = {"nominal": "kappa", "ordinal": "kappa quadratic"}
_AGREED, _GIVEN = "agreed", "given"


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


def agreed_values(
    agreed: Mapping[str, Judgements], systems: Mapping[str, Judgements], problems: Problems
) -> dict[str, Judgement]:
    """Return the agreed judgement of each judged unit; two for one event are a problem.

    An agreed judgement from a sheet that names no system holds for the event in every system.
    """
    by_event: dict[tuple[str, str], Judgement] = {}
    for system, judged in agreed.items():
        for judgement in judged:
            key = (system, judgement.event)
            if key in by_event:
                problems.problem(
                    f"event '{judgement.event}' has two agreed judgements, "
                    f"by {by_event[key].evaluator} and {judgement.evaluator}",
                    code="duplicate_judgement",
                    field="evaluator",
                )
            by_event[key] = judgement
    by_unit: dict[str, Judgement] = {}
    for system, judged in systems.items():
        for event in judged.words["event"].used():
            settled = by_event.get((system, event)) or by_event.get((UNNAMED_SYSTEM, event))
            if settled is not None:
                by_unit[unit_of(system, event)] = settled
    if not by_unit:
        problems.problem("none of the agreed values is of an event that the evaluators judged")
    return by_unit


def against_agreed(
    systems: Mapping[str, Judgements],
    agreed: Mapping[str, Judgement],
    codebook: Codebook,
    clusters: Mapping[str, str],
    plan: AgreementPlan,
) -> Iterable[AgainstAgreed]:
    """Compare each evaluator with the agreed values on each criterion and on the score."""
    judged: dict[str, list[tuple[str, Judgement]]] = {}
    for system, table in systems.items():
        for judgement in table:
            pairs = judged.setdefault(judgement.evaluator, [])
            if (unit := unit_of(system, judgement.event)) in agreed:
                pairs.append((unit, judgement))

    def row(judgement: Judgement) -> tuple[float, ...]:
        return (*judgement.values, float(codebook.quality(judgement.values)))

    for evaluator in sorted(judged):
        rows = [(unit, row(agreed[unit]), row(judgement)) for unit, judgement in judged[evaluator]]
        for at, column in enumerate(codebook.columns):
            values = [(unit, first[at], second[at]) for unit, first, second in rows]
            yield _against(evaluator, column, values, clusters, plan)


def _against(
    evaluator: str,
    column: RatedColumn,
    values: Sequence[tuple[str, float, float]],
    clusters: Mapping[str, str],
    plan: AgreementPlan,
) -> AgainstAgreed:
    statistic = coefficient(_COEFFICIENTS.get(column.scale, "ICC(2,1)"))
    table = [(u, who, v) for u, a, g in values for who, v in ((_AGREED, a), (_GIVEN, g))]
    ratings = Ratings.of(table, categories=column.allowed)
    value = defined(float(statistic(ratings))) if values else None
    bias = _bias(ratings, clusters, plan) if values else None
    reason = statistic.why_undefined(ratings) if values else "no event that was agreed on"
    return AgainstAgreed(
        evaluator=evaluator,
        criterion=column.name,
        events=len(values),
        equal=sum(a == g for _, a, g in values) / len(values) if values else None,
        coefficient=statistic.name,
        value=value,
        bias=defined(bias.value) if bias else None,
        interval=interval_of(bias, plan.level) if bias else None,
        confusion=_confusion(values, column.allowed) if column.allowed else {},
        reason="" if value is not None else reason,
    )


def _bias(ratings: Ratings, clusters: Mapping[str, str], plan: AgreementPlan) -> Estimate:
    """Estimate the mean of given less agreed values.

    Each of two values deviates by half of their difference from their mean.
    """
    agreed = ratings.rater_names.index(_AGREED)
    differences = ratings.sums(np.where(ratings.rater_at == agreed, -1.0, 1.0) * ratings.deviations)
    tally = Tally.mean(ratings, differences, ratings.paired, (-ratings.width, ratings.width))
    return resampled([tally], clusters, **plan.options)[0]


def _confusion(
    values: Iterable[tuple[str, float, float]], categories: Sequence[int]
) -> dict[str, dict[str, int]]:
    table = {str(a): {str(g): 0 for g in categories} for a in categories}
    for _, agreed, value in values:
        table[f"{agreed:g}"][f"{value:g}"] += 1
    return table
