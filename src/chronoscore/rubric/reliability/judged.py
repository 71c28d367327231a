"""Judged events as units of agreement, and coefficients as rows of a document."""

from collections.abc import Iterable, Mapping, Sequence
from math import isnan

import numpy as np

from chronoscore.core.batch import Batch
from chronoscore.core.case import Case
from chronoscore.core.labels import Labels, grouped
from chronoscore.core.result import Agreement, Interval
from chronoscore.rubric.agreement import why_no_interval
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.judgement import Judgement
from chronoscore.rubric.judgements import Judgements
from chronoscore.rubric.reliability.document import Part
from chronoscore.rubric.reliability.plan import Plan
from chronoscore.statistics.agreement import Coefficient, Ratings, Scale, Tally
from chronoscore.statistics.agreement.estimating import Resampled, resampled

Cases = Mapping[str, Sequence[Case[str, Judgement]]]
Rated = Sequence[tuple[str, Ratings, Sequence[Coefficient]]]
"""Criteria, and the score at the end, with their ratings; as `rubric.agreement.rated` gives."""


def unit_of(system: str, event: str) -> str:
    """The name of a judged event among those of all systems."""
    return f"{system}: {event}"


def scale_of(criterion: str, codebook: Codebook) -> Scale:
    """The scale of a criterion, or of the score."""
    scales: dict[str, Scale] = {one.name: one.scale for one in codebook.criteria}
    return scales.get(criterion, "interval")


def agreement_on(rated: Rated, clusters: Mapping[str, str], plan: Plan) -> list[Agreement]:
    """Coefficients with their intervals, or why there are none; all must be of the same units.

    All of them see the same resamples, which are drawn once.
    """
    wanted = [
        (criterion, ratings, one, one.prepare(ratings))
        for criterion, ratings, coefficients in rated
        for one in coefficients
    ]
    if not wanted:
        return []
    bounds = resampled(
        wanted[0][1],
        [tally for _, _, _, tally in wanted],
        clusters,
        method=plan.method,
        level=plan.level,
        seed=plan.seed,
    )
    return [
        _row(criterion, ratings, one, tally, own, clusters, plan)
        for (criterion, ratings, one, tally), own in zip(wanted, bounds, strict=True)
    ]


def _row(
    criterion: str,
    ratings: Ratings,
    one: Coefficient,
    tally: Tally,
    own: Resampled,
    clusters: Mapping[str, str],
    plan: Plan,
) -> Agreement:
    value = plain(float(tally()))
    low, high = float(own.low[0]), float(own.high[0])
    sure = value is not None and not own.missing
    return Agreement(
        criterion=criterion,
        coefficient=one.name,
        value=value,
        units=int(tally.used.sum()),
        ratings=int(ratings.sizes[tally.used].sum()),
        raters=ratings.raters,
        reason=one.why_undefined(ratings) if value is None else "",
        interval=Interval(
            low, high, plan.level, own.method, own.clusters, "article", n_eff=own.n_eff
        )
        if sure
        else None,
        no_interval=""
        if sure or value is None
        else why_no_interval(own.missing, own.clusters, clusters),
    )


def parts(
    cases: Cases, rated: Rated, codebook: Codebook, clusters: Mapping[str, str], plan: Plan
) -> Iterable[Part]:
    """Agreement within each article, type or system; evaluators who said nothing there are out."""
    for tag in plan.by:
        group = _groups(cases, tag)
        column = Labels.of(group[unit] for unit in rated[0][1].units)  # units are the same in all
        for at, name in enumerate(column.names):
            places = np.flatnonzero(column.at == at)
            inside = []
            for criterion, ratings, _ in rated:
                own = ratings.within(places)
                spoke = sorted({own.rater_names[at] for at in set(own.rater_at.tolist())})
                chosen = plan.within_parts(scale_of(criterion, codebook))
                inside.append((criterion, own.among(spoke), chosen))
            yield Part(tag, name, len(places), tuple(agreement_on(inside, clusters, plan)))


def _groups(cases: Cases, tag: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for system, judged in cases.items():
        event = tagged(judged, "event")
        firsts = grouped([event.at], len(judged)).firsts
        names = [unit_of(system, name or "") for name in event.take(firsts).words()]
        if tag == "system":
            found |= dict.fromkeys(names, system)
        else:
            words = tagged(judged, tag).take(firsts).words()
            found |= {name: word or "" for name, word in zip(names, words, strict=True)}
    return found


def tagged(judged: Sequence[Case[str, Judgement]], tag: str) -> Labels:
    """A tag of all cases as a column."""
    if isinstance(judged, Batch):
        return judged.tags[tag]
    return Labels.of(case.tags[tag] for case in judged)


def comments_in(judged: Sequence[Case[str, Judgement]]) -> Labels:
    """The comments of all cases as a column."""
    if isinstance(judged, Batch):
        columns: Judgements = judged.columns
        return columns.words["comment"]
    return Labels.of(case.predicted.comment for case in judged)


def plain(value: float) -> float | None:
    """A number, or None if it is undefined."""
    return None if isnan(value) else float(value)
