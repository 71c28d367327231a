"""Each evaluator beside the values that were agreed on."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from chronoscore.core.reading import Reading
from chronoscore.core.result import Interval
from chronoscore.elements.ratios import Array, ratio
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.judgement import Judgement
from chronoscore.rubric.reliability.document import Against
from chronoscore.rubric.reliability.judged import Cases, plain, scale_of, unit_of
from chronoscore.rubric.reliability.plan import Plan
from chronoscore.statistics.agreement import Ratings, Scale, Tally, coefficient
from chronoscore.statistics.agreement.estimating import resampled
from chronoscore.statistics.agreement.tally import stacked

_COEFFICIENTS: Mapping[Scale, str] = {"nominal": "kappa", "ordinal": "kappa quadratic"}
_AGREED, _GIVEN = "agreed", "given"


def agreed_values(
    agreed: Cases, cases: Cases, reading: Reading, *, anywhere: str = ""
) -> dict[str, Judgement]:
    """The agreed judgement of each unit that was judged; two of one event are a problem.

    Those of the system `anywhere` are of a sheet that names no system: they are of the event in
    every system.
    """
    known: dict[tuple[str, str], Judgement] = {}
    for system, judged in agreed.items():
        for case in judged:
            key = (system, case.predicted.event)
            if key in known:
                others = f"{known[key].evaluator} and {case.predicted.evaluator}"
                reading.problem(
                    f"event '{key[1]}' has two agreed judgements, by {others}",
                    code="duplicate_judgement",
                    field="evaluator",
                )
            known[key] = case.predicted
    found: dict[str, Judgement] = {}
    for system, judged in cases.items():
        for case in judged:
            event = case.predicted.event
            own = known.get((system, event)) or known.get((anywhere, event))
            if own is not None:
                found[unit_of(system, event)] = own
    if not found:
        reading.problem("none of the agreed values is of an event that the evaluators judged")
    return found


def against(
    cases: Cases,
    agreed: Mapping[str, Judgement],
    codebook: Codebook,
    clusters: Mapping[str, str],
    plan: Plan,
) -> list[Against]:
    """For each evaluator and criterion, and the score: how often, and how far, they are apart."""
    said: dict[str, list[tuple[str, Judgement]]] = {}
    for system, judged in cases.items():
        for case in judged:
            unit = unit_of(system, case.predicted.event)
            said.setdefault(case.predicted.evaluator, [])
            if unit in agreed:
                said[case.predicted.evaluator].append((unit, case.predicted))
    found = []
    for evaluator in sorted(said):
        own = said[evaluator]
        for place, criterion in enumerate(codebook.criteria):
            values = [(u, agreed[u].values[place], j.values[place]) for u, j in own]
            made = (evaluator, criterion.name, criterion.allowed)
            found.append(_beside(made, values, codebook, clusters, plan))
        scores = [
            (u, float(codebook.quality(agreed[u].values)), float(codebook.quality(j.values)))
            for u, j in own
        ]
        found.append(_beside((evaluator, codebook.score, None), scores, codebook, clusters, plan))
    return found


def _beside(
    made: tuple[str, str, Sequence[int] | None],
    values: Sequence[tuple[str, float, float]],
    codebook: Codebook,
    clusters: Mapping[str, str],
    plan: Plan,
) -> Against:
    evaluator, criterion, categories = made
    one = coefficient(_COEFFICIENTS.get(scale_of(criterion, codebook), "ICC(2,1)"))
    table = [(u, who, v) for u, a, g in values for who, v in ((_AGREED, a), (_GIVEN, g))]
    ratings = Ratings.of(table, categories=categories)
    value = plain(float(one(ratings))) if values else None
    bias, interval = _bias(ratings, clusters, plan) if values else (None, None)
    return Against(
        evaluator=evaluator,
        criterion=criterion,
        events=len(values),
        equal=sum(a == g for _, a, g in values) / len(values) if values else None,
        coefficient=one.name,
        value=value,
        bias=bias,
        interval=interval,
        confusion=_confusion(values, categories) if categories else {},
        reason="" if value is not None else _reason(one.why_undefined(ratings), values),
    )


def _reason(reason: str, values: Sequence[object]) -> str:
    return reason if values else "no event that was agreed on"


def _bias(
    ratings: Ratings, clusters: Mapping[str, str], plan: Plan
) -> tuple[float | None, Interval | None]:
    """The mean of given less agreed; the deviation from the mean of two is half of it."""
    agreed = ratings.rater_names.index(_AGREED)
    apart = ratings.sums(np.where(ratings.rater_at == agreed, -1.0, 1.0) * ratings.deviations)
    tally = Tally(
        stacked([apart, ratings.paired]), _mean, ratings.paired, (-ratings.width, ratings.width)
    )
    (bounds,) = resampled(
        ratings, [tally], clusters, method=plan.method, level=plan.level, seed=plan.seed
    )
    low, high = plain(float(bounds.low[0])), plain(float(bounds.high[0]))
    sure = low is not None and high is not None
    interval = (
        Interval(low or 0.0, high or 0.0, plan.level, bounds.method, bounds.clusters, "article")
        if sure
        else None
    )
    return plain(float(tally())), interval


def _mean(sums: Array) -> Array:
    return ratio(sums[..., 0], sums[..., 1])


def _confusion(
    values: Iterable[tuple[str, float, float]], categories: Sequence[int]
) -> dict[str, dict[str, int]]:
    table = {str(a): {str(g): 0 for g in categories} for a in categories}
    for _, agreed, given in values:
        table[f"{agreed:g}"][f"{given:g}"] += 1
    return table
