"""The study of agreement: coefficients, verdicts, events to discuss, pairs, generosity.

Each evaluator can also be compared with values that were agreed on. Every table is a function of
the document, `AgreementStudy`.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Literal

import msgspec
import numpy as np
from msgspec.structs import replace

from chronoscore.core import budget
from chronoscore.core.problems import Problems
from chronoscore.core.result import Agreement, Interval
from chronoscore.rubric.agreement.coefficients import (
    AgreementPlan,
    Rated,
    RatedEvents,
    agreement_on,
    alpha_of,
    defined,
    interval_of,
    unit_of,
)
from chronoscore.rubric.agreement.over_time import OverTime
from chronoscore.rubric.agreement.verdicts import CriterionVerdict, verdict_on
from chronoscore.rubric.codebook import Codebook, RatedColumn
from chronoscore.rubric.judgements import (
    UNNAMED_SYSTEM,
    Judgement,
    Judgements,
    chip_counts,
    people_apart,
)
from chronoscore.statistics.agreement import (
    Scale,
    coefficient,
    gwet_error,
    pairs,
    pairs_memory,
    resampled,
    severity_tallies,
)
from chronoscore.statistics.intervals import Estimate
from chronoscore.statistics.labels import Labels
from chronoscore.statistics.ratings import Ratings, Tally, Weighting
from chronoscore.statistics.ratios import Array

BYTES_A_PAIR = 300
"""The approximate memory of one row of the table of pairs."""
_WEIGHTINGS: Mapping[str, Weighting] = {
    "AC1": "identity",
    "AC2 linear": "linear",
    "AC2 quadratic": "quadratic",
    "AC2 ordinal": "ordinal",
}
_WITH_AGREED: Mapping[Scale, str] = {"nominal": "kappa", "ordinal": "kappa quadratic"}
_AGREED, _GIVEN = "agreed", "given"


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
    """The mean of given less agreed values; None also if values have no order."""
    interval: Interval | None
    """The interval of the bias."""
    confusion: dict[str, dict[str, int]]
    """Counts by agreed value, then by given value."""
    reason: str = ""


class AgreementStudy(msgspec.Struct, frozen=True, kw_only=True):
    """The document of a study of agreement.

    If two or more people and judge models judged, it is about people; only `comments` and
    `adjudicated` have the models too.
    """

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
    with_models: "AgreementStudy | None" = None
    """The same of people and judge models together; None unless people are studied apart."""


def study(
    systems: Mapping[str, Judgements],
    codebook: Codebook,
    plan: AgreementPlan,
    *,
    over_time: OverTime | None = None,
    agreed: Mapping[str, Judgement] | None = None,
    notices: Sequence[str] = (),
) -> AgreementStudy:
    """Compute the document; an evaluator has at most one judgement of an event of a system.

    If two or more people judged, judge models are left out of what is said about people, and come
    in `with_models`. `over_time` is then of people, too.
    """
    people = people_apart(systems.values())
    whole = _study(systems, codebook, plan, over_time=None if people else over_time)
    among_people = whole
    if people:
        by_people = {system: table.by(people) for system, table in systems.items()}
        judged = {system: table for system, table in by_people.items() if len(table)}
        among_people = _study(judged, codebook, plan, over_time=over_time)
    adjudicated: tuple[AgainstAgreed, ...] = ()
    if agreed:
        articles = RatedEvents.of_judgements(systems, codebook).articles
        adjudicated = tuple(against_agreed(systems, agreed, codebook, articles, plan))
    return replace(
        among_people,
        comments=whole.comments,
        adjudicated=adjudicated,
        notices=tuple(notices),
        with_models=whole if people else None,
    )


def _study(
    systems: Mapping[str, Judgements],
    codebook: Codebook,
    plan: AgreementPlan,
    *,
    over_time: OverTime | None,
) -> AgreementStudy:
    """Study all evaluators alike."""
    events = RatedEvents.of_judgements(systems, codebook)
    ratings = events.ratings[0][1]
    shown = [(column, table, plan.shown(column.scale)) for column, table in events.ratings]
    # The few usual coefficients share their resamples; many would not fit into memory together.
    batches = [[column] for column in shown] if plan.coefficients else [shown]
    agreement = [row for batch in batches for row in agreement_on(batch, events.articles, plan)]
    return AgreementStudy(
        codebook=f"{codebook.name} {codebook.version}",
        evaluators=ratings.rater_names,
        systems=tuple(systems),
        events=len(ratings.units),
        judgements=sum(map(len, systems.values())),
        agreement=tuple(agreement),
        checks=tuple(_analytic_errors(shown)),
        verdicts=tuple(_verdicts(agreement, events, plan)),
        discussion=_discussion(systems, events, codebook, plan),
        pairs=tuple(_pairs(events)),
        generosity=tuple(_generosity(events, codebook, plan)),
        comments={system: chip_counts(table, codebook) for system, table in systems.items()},
        parts=tuple(_in_groups(events, plan)),
        over_time=over_time,
    )


def _in_groups(events: RatedEvents, plan: AgreementPlan) -> Iterable[GroupAgreement]:
    """Yield agreement within each article, type or system, among those who judged there."""
    units = events.ratings[0][1].units  # the same for every criterion
    for tag in plan.by:
        group = events.group_of(tag)
        column = Labels.of(group[unit] for unit in units)
        for at, name in enumerate(column.names):
            places = np.flatnonzero(column.at == at)
            inside = []
            for rated, ratings in events.ratings:
                within = ratings.within(places)
                raters = sorted({within.rater_names[at] for at in set(within.rater_at.tolist())})
                inside.append((rated, within.among(raters), plan.shown_in_groups(rated.scale)))
            agreement = agreement_on(inside, events.articles, plan)
            yield GroupAgreement(tag, name, len(places), tuple(agreement))


def _analytic_errors(shown: Rated) -> Iterable[AnalyticError]:
    """Yield the errors of AC1 and AC2, which have one for any number of raters."""
    for column, ratings, coefficients in shown:
        for choice in coefficients:
            if choice.name in _WEIGHTINGS:
                error = gwet_error(ratings, _WEIGHTINGS[choice.name])
                yield AnalyticError(column.name, choice.name, defined(error))


def _verdicts(
    agreement: Sequence[Agreement], events: RatedEvents, plan: AgreementPlan
) -> Iterable[CriterionVerdict]:
    """Return whether alpha reaches the threshold, for each criterion and the score.

    Alpha is computed only where `agreement` lacks it.
    """
    computed = {(row.criterion, row.coefficient): row for row in agreement}
    alphas = [(column, ratings, (alpha_of(column.scale),)) for column, ratings in events.ratings]
    missing = [row for row in alphas if (row[0].name, row[2][0].name) not in computed]
    for row in agreement_on(missing, events.articles, plan):
        computed[row.criterion, row.coefficient] = row
    return [verdict_on(computed[column.name, alpha.name], plan) for column, _, (alpha,) in alphas]


def _discussion(
    systems: Mapping[str, Judgements], events: RatedEvents, codebook: Codebook, plan: AgreementPlan
) -> Discussion:
    """Return the events that evaluators differ on most, with all their judgements."""
    criteria = [(column, ratings) for column, ratings in events.ratings if column.allowed]
    first_ratings = criteria[0][1]
    units = first_ratings.units
    spread: Array = np.zeros(len(units))
    for column, ratings in criteria:
        spread += _spread(ratings, ordered=column.is_ordered)
    spread = spread.round(12)  # so that equal ones stay in the order of their names
    differing = np.flatnonzero(spread)
    order = differing[np.argsort(-spread[differing], kind="stable")][: plan.most].tolist()
    by_unit: dict[str, tuple[str, list[Judgement]]] = {}
    for system, table in systems.items():
        event = table.words["event"]
        names = {unit_of(system, name): name for name in event.names}
        listed = {names[units[at]] for at in order if units[at] in names}
        rows = np.array([name in listed for name in event.names], np.bool_)
        for at in np.flatnonzero(rows[event.at]).tolist():
            judgement = table[at]
            by_unit.setdefault(unit_of(system, judgement.event), (system, []))[1].append(judgement)
    return Discussion(
        events=int(first_ratings.paired.sum()),
        differing=len(differing),
        first=tuple(_discussed(*by_unit[units[at]], float(spread[at]), codebook) for at in order),
    )


def _spread(ratings: Ratings, *, ordered: bool) -> Array:
    """Return the variance of each event's values, the scale taken from 0 to 1.

    Values without an order have half the share of pairs of answers that differ, which for two
    values is the same.
    """
    others = np.maximum(ratings.sizes - 1, 1)
    if not ordered:
        unlike = ratings.sizes**2 - (ratings.counts**2).sum(axis=1)
        return np.asarray(unlike / (2 * np.maximum(ratings.sizes, 1) * others))
    shares = ratings.deviations / ratings.width if ratings.width else ratings.deviations
    return np.asarray(ratings.sums(shares**2) / others)


def _discussed(
    system: str, judgements: Sequence[Judgement], spread: float, codebook: Codebook
) -> DiscussedEvent:
    names = [criterion.name for criterion in codebook.criteria]
    ordered = sorted(judgements, key=lambda judgement: judgement.evaluator)
    columns = zip(*(judgement.values for judgement in ordered), strict=True)

    def first(field: str) -> str:
        return next((value for j in ordered if (value := str(getattr(j, field)))), "")

    return DiscussedEvent(
        system=system,
        event=ordered[0].event,
        article=first("article"),
        date=first("date"),
        type=first("type"),
        text=first("text"),
        spread=spread,
        criteria=tuple(
            name for name, values in zip(names, columns, strict=True) if len(set(values)) > 1
        ),
        said=tuple(
            DiscussedJudgement(
                j.evaluator, dict(zip(names, j.values, strict=True)), j.comment.strip()
            )
            for j in ordered
        ),
    )


def _pairs(events: RatedEvents) -> Iterable[EvaluatorPair]:
    """Yield percent and kappa of each pair on each criterion.

    The score is left out, since its values are rarely equal.
    """
    raters = events.ratings[0][1].raters
    criteria = [(column, ratings) for column, ratings in events.ratings if column.allowed]
    number = len(criteria) * raters * (raters - 1) // 2
    budget.check(number * BYTES_A_PAIR, f"{raters:,} evaluators make {number:,} rows of pairs")
    for column, ratings in criteria:
        budget.check(pairs_memory(ratings), f"{raters:,} evaluators are compared in pairs")
        table = pairs(ratings)
        for place in combinations(range(raters), 2):
            yield EvaluatorPair(
                column.name,
                table.raters[place[0]],
                table.raters[place[1]],
                int(table.shared[place]),
                defined(table.percent[place]),
                defined(table.kappa[place]),
                table.why_undefined(*place),
            )


def _generosity(
    events: RatedEvents, codebook: Codebook, plan: AgreementPlan
) -> Iterable[Generosity]:
    """Yield the generosity of each evaluator on each criterion, from one set of resamples.

    Values without an order can't be given generously.
    """
    ordered = [(column, ratings) for column, ratings in events.ratings if column.is_ordered]
    if not ordered:
        return
    names = [
        (column.name, evaluator) for column, ratings in ordered for evaluator in ratings.rater_names
    ]
    tallies = [tally for _, ratings in ordered for tally in severity_tallies(ratings)]
    estimates = resampled(tallies, events.articles, **plan.options)
    for (criterion, evaluator), estimate in zip(names, estimates, strict=True):
        size = codebook.denominator if criterion == codebook.score else 1
        above, low, high = (
            defined(number / size) for number in (estimate.value, estimate.low, estimate.high)
        )
        reason = "" if estimate.units else "no event that another judged too"
        yield Generosity(criterion, evaluator, estimate.units, above, low, high, reason)


# Each evaluator compared with the values that were agreed on.


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
        score = (float(codebook.quality(judgement.values)),) if codebook.has_score else ()
        return (*judgement.values, *score)

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
    statistic = coefficient(_WITH_AGREED.get(column.scale, "ICC(2,1)"))
    table = [(u, who, v) for u, a, g in values for who, v in ((_AGREED, a), (_GIVEN, g))]
    ratings = Ratings.of(table, categories=column.allowed)
    value = defined(float(statistic(ratings))) if values else None
    bias = _bias(ratings, clusters, plan) if values and column.is_ordered else None
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
