"""How far evaluators agree on each criterion and on the score, from rows of evidence."""

from collections.abc import Mapping, Sequence

import numpy as np

from chronoscore.core.labels import Labels, grouped
from chronoscore.core.ledger import Ledger
from chronoscore.core.result import Agreement, Interval
from chronoscore.rubric.codebook import Codebook, event_quality
from chronoscore.rubric.judgement import NO_NAME
from chronoscore.statistics.agreement import Coefficient, Estimate, Ratings, defaults, estimates
from chronoscore.statistics.agreement.estimating import Missing, why_missing


def agreement(systems: Mapping[str, Ledger], codebook: Codebook | None = None) -> list[Agreement]:
    """The coefficients that suit each criterion, over the judged events of all systems."""
    found = []
    clusters = articles(systems)
    for criterion, ratings, coefficients in rated(systems, codebook or event_quality()):
        found += [
            _row(criterion, estimate, clusters)
            for estimate in estimates(ratings, coefficients, clusters)
        ]
    return found


def rated(
    systems: Mapping[str, Ledger], codebook: Codebook
) -> list[tuple[str, Ratings, Sequence[Coefficient]]]:
    """Each criterion, and the score, with its ratings and the coefficients to show for it."""
    metric = codebook.score.lower()
    made: list[tuple[str, Ratings, Sequence[Coefficient]]] = [
        (
            criterion.name,
            _ratings(systems, metric, place, criterion.allowed),
            defaults(criterion.scale),
        )
        for place, criterion in enumerate(codebook.criteria, 2)
    ]
    made.append((codebook.score, _ratings(systems, metric, 0), defaults("interval")))
    return made


def articles(systems: Mapping[str, Ledger]) -> dict[str, str]:
    """The article of each judged event."""
    found = {}
    for system, rows in systems.items():
        event, article = rows.tags["event"], rows.tags["article"]
        firsts = grouped([event.at], len(rows)).firsts
        pairs = zip(event.take(firsts).words(), article.take(firsts).words(), strict=True)
        found.update({_unit(system, name or ""): of or "" for name, of in pairs})
    return found


def _unit(system: str, event: str) -> str:
    return f"{system}: {event}"


def _ratings(
    systems: Mapping[str, Ledger], metric: str, column: int, categories: Sequence[int] | None = None
) -> Ratings:
    judged = {system: rows for system, rows in systems.items() if len(rows)}
    units = [
        Labels(
            tuple(_unit(system, name) for name in rows.tags["event"].names), rows.tags["event"].at
        )
        for system, rows in judged.items()
    ]
    return Ratings.columns(
        Labels.together(units),
        Labels.together([rows.tags["evaluator"] for rows in judged.values()]),
        np.concatenate([np.empty(0), *(r.statistics[metric][:, column] for r in judged.values())]),
        categories=categories,
    )


def why_no_interval(missing: Missing, compared: int, clusters: Mapping[str, str]) -> str:
    """Say why there is no interval, if so many articles have something to compare."""
    if missing == "one" and set(clusters.values()) == {NO_NAME}:
        return "intervals are over articles, and no judgement has an article_id"
    if missing == "one":
        return "intervals are over articles, and only one has events to compare"
    return why_missing(missing, compared, "article")


def _row(criterion: str, estimate: Estimate, clusters: Mapping[str, str]) -> Agreement:
    value = None if np.isnan(estimate.value) else estimate.value
    sure = value is not None and not np.isnan(estimate.low)
    return Agreement(
        criterion=criterion,
        coefficient=estimate.name,
        value=value,
        units=estimate.units,
        ratings=estimate.ratings,
        raters=estimate.raters,
        reason="" if value is not None else estimate.reason,
        interval=Interval(
            estimate.low,
            estimate.high,
            0.95,
            estimate.method,
            estimate.clusters,
            "article",
            n_eff=estimate.n_eff,
        )
        if sure
        else None,
        no_interval=""
        if sure or value is None
        else why_no_interval(estimate.missing, estimate.clusters, clusters),
    )
