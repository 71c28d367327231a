"""What to talk about after a calibration batch: events, and criteria that are not yet agreed on."""

from collections.abc import Mapping, Sequence

import numpy as np

from chronoscore.core.result import Agreement
from chronoscore.elements.ratios import Array
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.judgement import Judgement
from chronoscore.rubric.reliability.document import Discussed, Discussion, Said, Verdict
from chronoscore.rubric.reliability.judged import (
    Cases,
    Rated,
    agreement_on,
    scale_of,
    tagged,
    unit_of,
)
from chronoscore.rubric.reliability.plan import Plan, alpha_of


def discussion(cases: Cases, rated: Rated, codebook: Codebook, plan: Plan) -> Discussion:
    """The events that evaluators differ on most, with all that they said of them."""
    criteria = [ratings for name, ratings, _ in rated if name != codebook.score]
    units = criteria[0].units
    spread: Array = np.zeros(len(units))
    for ratings in criteria:
        wide = ratings.values[-1] - ratings.values[0]
        shares = ratings.deviations / wide if wide else ratings.deviations
        spread += ratings.sums(shares**2) / np.maximum(ratings.sizes - 1, 1)
    spread = spread.round(12)  # so that equal ones stay in the order of their names
    differing = np.flatnonzero(spread)
    order = differing[np.argsort(-spread[differing], kind="stable")]
    chosen = {units[at]: float(spread[at]) for at in order[: plan.most].tolist()}
    said: dict[str, list[tuple[str, Judgement]]] = {unit: [] for unit in chosen}
    for system, judged in cases.items():
        event = tagged(judged, "event")
        wanted = np.array([unit_of(system, name) in said for name in event.names], np.bool_)
        for at in np.flatnonzero(wanted[event.at]).tolist() if len(judged) else ():
            one = judged[at].predicted
            said[unit_of(system, one.event)].append((system, one))
    return Discussion(
        events=int(criteria[0].paired.sum()),
        differing=len(differing),
        first=tuple(_discussed(said[unit], chosen[unit], codebook) for unit in chosen),
    )


def _discussed(
    said: Sequence[tuple[str, Judgement]], spread: float, codebook: Codebook
) -> Discussed:
    names = [criterion.name for criterion in codebook.criteria]
    judged = sorted((judgement for _, judgement in said), key=lambda j: j.evaluator)
    columns = zip(*(judgement.values for judgement in judged), strict=True)

    def first(part: str) -> str:
        return next((value for j in judged if (value := str(getattr(j, part)))), "")

    return Discussed(
        system=said[0][0],
        event=judged[0].event,
        article=first("article"),
        date=first("date"),
        type=first("type"),
        text=first("text"),
        spread=spread,
        criteria=tuple(
            name for name, values in zip(names, columns, strict=True) if len(set(values)) > 1
        ),
        said=tuple(
            Said(j.evaluator, dict(zip(names, j.values, strict=True)), j.comment.strip())
            for j in judged
        ),
    )


def verdicts(
    agreement: Sequence[Agreement],
    rated: Rated,
    codebook: Codebook,
    clusters: Mapping[str, str],
    plan: Plan,
) -> list[Verdict]:
    """For each criterion, and the score, whether alpha reaches the threshold.

    Where `agreement` has alpha already it is not computed again.
    """
    known = {(row.criterion, row.coefficient): row for row in agreement}
    alphas = [(name, ratings, (alpha_of(scale_of(name, codebook)),)) for name, ratings, _ in rated]
    missing = [one for one in alphas if (one[0], one[2][0].name) not in known]
    for row in agreement_on(missing, clusters, plan):
        known[row.criterion, row.coefficient] = row
    return [_verdict(known[name, alpha.name], plan) for name, _, (alpha,) in alphas]


def _verdict(row: Agreement, plan: Plan) -> Verdict:
    told, low = f"{row.criterion}: {row.coefficient}", row.interval
    if row.value is None:
        verdict, sentence = "undefined", f"{told} is undefined ({row.reason})"
    elif row.value < plan.threshold:
        verdict = "below"
        sentence = f"{told} is {row.value:.3f}, below {plan.threshold:g}: discuss it and judge anew"
    elif low is None:
        verdict = "no interval"
        sentence = (
            f"{told} is {row.value:.3f}, which reaches {plan.threshold:g}, but it has no interval "
            f"({row.no_interval}): it may be chance"
        )
    elif low.low < plan.threshold:
        verdict = "unsure"
        sentence = (
            f"{told} is {row.value:.3f}, which reaches {plan.threshold:g}, but its interval "
            f"begins at {low.low:.3f}: it may be chance"
        )
    else:
        verdict = "enough"
        sentence = f"{told} is {row.value:.3f}, which reaches {plan.threshold:g}"
    return Verdict(
        row.criterion,
        row.coefficient,
        row.value,
        plan.threshold,
        verdict,  # type: ignore[arg-type]  # one of the five above
        sentence,
    )
