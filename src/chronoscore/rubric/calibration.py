"""A judge model compared with people: agreement, errors, and its scores corrected by people's.

The judgements of people and of the judge are brought together event by event; the document holds
all results, and every table is a function of it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from chronoscore.core.problems import Problems
from chronoscore.core.result import Agreement, Interval
from chronoscore.errors import UsageError
from chronoscore.rubric.agreement.coefficients import (
    AgreementPlan,
    agreement_on,
    defined,
    interval_of,
    unit_of,
)
from chronoscore.rubric.codebook import Codebook, Level
from chronoscore.rubric.judgements import Judgements, find_judge, find_people
from chronoscore.statistics.agreement import defaults
from chronoscore.statistics.calibration import (
    Corrected,
    LabelledSample,
    bias,
    confusion,
    mean,
    ppi_difference,
    ppi_mean,
    rates,
    rogan_gladen,
)
from chronoscore.statistics.exact import rounding
from chronoscore.statistics.ratings import Ratings
from chronoscore.statistics.ratios import Array, ratio

FEWEST_LABELS = 20
MOST_DIFFERING = 20
"""Events that the document lists as those on which the judge differs from people."""
_DECIMALS = 9
_RANDOM_SAMPLE = "the labelled events must be a random sample of all events"
_DRAWS = 999
_RARE = 0.01
_FAR = 3.0
Flags = NDArray[np.bool_]


class SideAgreement(msgspec.Struct, frozen=True):
    """Agreement of two sides: the judge and a person, or people among themselves."""

    who: str
    judge: bool
    """Whether one of the two sides is the judge."""
    agreement: tuple[Agreement, ...]


class JudgeErrors(msgspec.Struct, frozen=True):
    """Where the judge errs on one criterion, over the events that people judged too."""

    criterion: str
    events: int
    bias: float | None
    """Mean of judge less people: above 0, the judge is more generous."""
    interval: Interval | None
    """The interval of the bias."""
    sensitivity: float | None
    specificity: float | None
    """Only for criteria whose values are 0 and 1, like the sensitivity."""
    confusion: dict[str, dict[str, float]]
    """Counts by people's value, then by the judge's; an event may count in fractions."""
    reason: str = ""


class Estimated(msgspec.Struct, frozen=True):
    """A number with its interval, or why there is none."""

    method: str
    value: float | None
    interval: Interval | None
    weight: float | None = None
    """The weight of the judge in PPI++: lambda."""
    reason: str = ""


class SystemEstimate(msgspec.Struct, frozen=True):
    """How good a system's events are on one criterion, or on the score."""

    system: str
    criterion: str
    labelled: int
    events: int
    """The number of events that the judge judged, labelled ones included."""
    people: Estimated
    """People's mean over the labelled events."""
    judge: Estimated
    """The judge's mean over all events; its interval does not allow for the judge's bias."""
    corrected: Estimated
    rate: Estimated | None
    """Rogan and Gladen's estimate, for criteria whose values are 0 and 1."""


class SystemDifference(msgspec.Struct, frozen=True):
    """One system less another on one criterion, or on the score."""

    one: str
    two: str
    criterion: str
    people: float | None
    judge: float | None
    corrected: Estimated


class DifferingEvent(msgspec.Struct, frozen=True):
    """An event that people and the judge judge differently."""

    system: str
    event: str
    article: str
    text: str
    people: dict[str, float]
    """People's mean by criterion, and of the score."""
    judge: dict[str, float]
    difference: float
    """The mean over criteria of how far both are apart, each scale taken from 0 to 1."""


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """The document of a calibration: agreement, errors, estimates and differences."""

    format: Literal["chronoscore-calibration"] = "chronoscore-calibration"
    version: int = 1
    codebook: str
    judge: str
    samples: int
    people: tuple[str, ...]
    systems: tuple[str, ...]
    labelled: int
    events: int
    level: float
    unit: str
    beside: tuple[SideAgreement, ...]
    errors: tuple[JudgeErrors, ...]
    levels: tuple[SystemEstimate, ...]
    differences: tuple[SystemDifference, ...]
    notices: tuple[str, ...] = ()
    differing: tuple[DifferingEvent, ...] = ()
    """The labelled events on which the judge is farthest from people, the farthest first."""


@dataclass(frozen=True)
class CalibrationPlan:
    """The settings of one calibration."""

    level: float = 0.95
    seed: int = 0
    unit: str = "article"
    """What is sampled independently: article or event."""
    fewest: int = FEWEST_LABELS
    """The number of labelled events below which nothing is corrected; 0 always corrects."""
    pairs: tuple[tuple[str, str], ...] = ()
    """The pairs of systems to compare; all pairs if empty."""

    def check(self) -> None:
        """Raise UsageError for settings that can't be computed, before any file is read."""
        if not 0 < self.level < 1:
            raise UsageError(f"--level is {self.level}, expected a number between 0 and 1")
        for first, second in self.pairs:
            if first == second:
                raise UsageError(f"--difference {first} {second}: expected two different systems")


@dataclass(frozen=True, eq=False)
class PeopleAndJudge:
    """Judged events of all systems, a row each; columns are the criteria, and the score last.

    People's value is the mean over people, of whom the last round counts. The judge's value is
    the mean over its rounds, which are samples. A value is NaN where nobody judged.
    """

    systems: tuple[str, ...]
    events: tuple[str, ...]
    units: tuple[str, ...]
    """The name of each event, unique over all systems."""
    articles: tuple[str, ...]
    texts: tuple[str, ...]
    people: Array
    judge: Array
    person: Mapping[str, Array]
    """The values of each person, laid out like `people`."""
    people_shares: tuple[Array, ...]
    judge_shares: tuple[Array, ...]
    """For each criterion, the share of an event's judgements that have each value."""
    judge_name: str
    samples: int
    """The largest number of judgements that the judge made of one event."""

    @property
    def labelled(self) -> Flags:
        """Which events both people and the judge judged."""
        return ~np.isnan(self.people[:, 0]) & self.judged

    @property
    def judged(self) -> Flags:
        """Which events the judge judged."""
        return ~np.isnan(self.judge[:, 0])


def highest_values(judgements: Judgements, codebook: Codebook) -> tuple[Judgements, Codebook]:
    """Turn each value into 1 if it is the highest of its criterion, else 0.

    The mean of such a criterion is a share, such as that of events which an article supports. The
    last criterion, `all`, is 1 where all the others are; the score, `mean-share`, is the weighted
    mean of the others.
    """
    tops = np.array([criterion.allowed[-1] for criterion in codebook.criteria])
    reached = (judgements.values == tops).astype(np.int64)
    every = reached.min(axis=1, keepdims=True, initial=1)
    levels = (Level(0, "below the highest value"), Level(1, "the highest value"))
    criteria = [
        msgspec.structs.replace(criterion, scale="nominal", values=levels)
        for criterion in codebook.criteria
    ]
    name = "all"
    while name in {criterion.name for criterion in criteria}:
        name += "_"
    criteria.append(msgspec.structs.replace(criteria[0], field=name, name=name, weight="0"))
    return (
        Judgements(judgements.words, np.hstack([reached, every])),
        msgspec.structs.replace(codebook, score="mean-share", criteria=tuple(criteria), chips=()),
    )


def both_sides(
    judgements: Judgements,
    codebook: Codebook,
    problems: Problems,
    *,
    judge: str | None = None,
    people: Sequence[str] = (),
) -> PeopleAndJudge:
    """Bring the judgements of people and of one judge together, event by event."""
    codebook.require_score()
    name = find_judge(judgements, judge)
    persons = find_people(judgements, name, people)
    of_people = judgements.by(persons).last_rounds()
    together = Judgements.together([of_people, judgements.by([name])], len(codebook.criteria))
    judged = together.by_event()
    unit, units = judged.at, len(judged.events)
    values = together.score_table(codebook)
    human = np.arange(len(together)) < len(of_people)

    def counted(rows: Flags, weights: Array | None = None) -> Array:
        return np.bincount(unit[rows], weights, units).astype(np.float64)

    def means(rows: Flags) -> Array:
        count = counted(rows)
        return np.column_stack([ratio(counted(rows, column[rows]), count) for column in values.T])

    def shares(rows: Flags) -> tuple[Array, ...]:
        count = counted(rows)
        return tuple(
            np.column_stack(
                [
                    ratio(counted(rows & (values[:, at] == value)), count)
                    for value in criterion.allowed
                ]
            )
            for at, criterion in enumerate(codebook.criteria)
        )

    evaluators = np.array(together.words["evaluator"].words(), object)
    sides = PeopleAndJudge(
        systems=judged.systems,
        events=judged.events,
        units=tuple(map(unit_of, judged.systems, judged.events)),
        articles=judged.articles,
        texts=judged.texts,
        people=means(human),
        judge=means(~human),
        person={person: means(human & (evaluators == person)) for person in persons},
        people_shares=shares(human),
        judge_shares=shares(~human),
        judge_name=name,
        samples=int(np.bincount(unit[~human], minlength=1).max()),
    )
    if unjudged := int((~sides.judged).sum()):
        problems.notice(f"{unjudged} events that people judged and {name} did not: left out")
    if not sides.labelled.any():
        problems.problem(
            f"no event was judged by both people and {name}; "
            "do the sheets name systems and events alike?"
        )
    return sides


def calibrate(
    sides: PeopleAndJudge, codebook: Codebook, plan: CalibrationPlan, notices: Sequence[str] = ()
) -> Calibration:
    """Compute agreement, errors, estimates and differences, and return them as one document."""
    systems = sorted(set(sides.systems))
    for name in {name for pair in plan.pairs for name in pair} - set(systems):
        raise UsageError(f"no system '{name}'; there are: {', '.join(systems)}")
    return Calibration(
        codebook=f"{codebook.name} {codebook.version}",
        judge=sides.judge_name,
        samples=sides.samples,
        people=tuple(sides.person),
        systems=tuple(systems),
        labelled=int(sides.labelled.sum()),
        events=int(sides.judged.sum()),
        level=plan.level,
        unit=_unit(sides, plan),
        beside=tuple(_side_agreement(sides, codebook, plan)),
        errors=tuple(_errors(sides, codebook, plan)),
        levels=tuple(_estimates(sides, codebook, systems, plan)),
        differences=tuple(_differences(sides, codebook, systems, plan)),
        notices=(*notices, _RANDOM_SAMPLE, *_sampling_notices(sides, codebook)),
        differing=tuple(_differing(sides, codebook)),
    )


def _unit(sides: PeopleAndJudge, plan: CalibrationPlan) -> str:
    return plan.unit if any(sides.articles) else "event"


def _clusters(sides: PeopleAndJudge, plan: CalibrationPlan, rows: Flags) -> list[str]:
    """Return the article of each selected event; an event without one is its own cluster."""
    if _unit(sides, plan) != "article":
        return []
    names = zip(sides.articles, sides.units, rows.tolist(), strict=True)
    return [article or unit for article, unit, selected in names if selected]


def _side_agreement(
    sides: PeopleAndJudge, codebook: Codebook, plan: CalibrationPlan
) -> Iterable[SideAgreement]:
    """Compare the judge with each person on the events of both, then people with each other."""
    clusters = {unit: a or unit for unit, a in zip(sides.units, sides.articles, strict=True)}
    settings = AgreementPlan(level=plan.level, seed=plan.seed)
    columns = {sides.judge_name: _votes(sides, codebook), **sides.person}
    groups = [((sides.judge_name, person), True) for person in sides.person]
    people = [(tuple(sides.person), False)] if len(sides.person) > 1 else []
    for group, with_judge in (*groups, *people):
        rated_columns = []
        for at, column in enumerate(codebook.columns):
            table = [
                (unit, who, round(float(columns[who][row, at]), _DECIMALS))
                for row, unit in enumerate(sides.units)
                for who in group
            ]
            rated_columns.append(
                (column, Ratings.of(table, column.allowed), defaults(column.scale))
            )
        who = f"{group[0]} and {group[1]}" if with_judge else "people"
        yield SideAgreement(who, with_judge, tuple(agreement_on(rated_columns, clusters, settings)))


def _votes(sides: PeopleAndJudge, codebook: Codebook) -> Array:
    """Return the judge's most frequent value of each event, the lower one in a tie."""
    vote = sides.judge.copy()
    for at, criterion in enumerate(codebook.criteria):
        allowed = np.array(criterion.allowed, np.float64)
        most = allowed[np.argmax(np.nan_to_num(sides.judge_shares[at]), axis=1)]
        vote[:, at] = np.where(sides.judged, most, np.nan)
    return vote


def _errors(
    sides: PeopleAndJudge, codebook: Codebook, plan: CalibrationPlan
) -> Iterable[JudgeErrors]:
    labelled = sides.labelled
    clusters = _clusters(sides, plan, labelled)
    for at, column in enumerate(codebook.columns):
        people, judge = sides.people[labelled, at], sides.judge[labelled, at]
        bias_estimate = bias(people, judge, clusters, level=plan.level)
        table: dict[str, dict[str, float]] = {}
        if column.allowed:
            names = [*map(str, column.allowed)]
            counts = confusion(sides.people_shares[at][labelled], sides.judge_shares[at][labelled])
            rows = zip(names, counts.round(_DECIMALS).tolist(), strict=True)
            table = {name: dict(zip(names, row, strict=True)) for name, row in rows}
        share = rates(people, judge) if column.allowed == (0, 1) else None
        yield JudgeErrors(
            criterion=column.name,
            events=int(labelled.sum()),
            bias=defined(bias_estimate.value),
            interval=interval_of(bias_estimate, plan.level, _unit(sides, plan)),
            sensitivity=defined(share.sensitivity) if share else None,
            specificity=defined(share.specificity) if share else None,
            confusion=table,
            reason=bias_estimate.reason,
        )


def _differing(sides: PeopleAndJudge, codebook: Codebook) -> Iterator[DifferingEvent]:
    """Find the labelled events on which the judge is farthest from people."""
    names = [column.name for column in codebook.columns]
    sizes = np.array(
        [criterion.allowed[-1] - criterion.allowed[0] for criterion in codebook.criteria]
    )
    apart = np.abs(sides.people - sides.judge)[:, : len(sizes)] / np.maximum(sizes, 1)
    difference = np.where(sides.labelled, apart.mean(axis=1), 0.0).round(_DECIMALS)
    for at in np.argsort(-difference, kind="stable")[:MOST_DIFFERING].tolist():
        if difference[at] > 0:
            yield DifferingEvent(
                sides.systems[at],
                sides.events[at],
                sides.articles[at],
                sides.texts[at],
                dict(zip(names, sides.people[at].round(_DECIMALS).tolist(), strict=True)),
                dict(zip(names, sides.judge[at].round(_DECIMALS).tolist(), strict=True)),
                float(difference[at]),
            )


def _sample(sides: PeopleAndJudge, system: str, at: int, plan: CalibrationPlan) -> LabelledSample:
    of_system = np.array([name == system for name in sides.systems], np.bool_)
    labelled = of_system & sides.labelled
    unlabelled = of_system & sides.judged & ~sides.labelled
    return LabelledSample(
        sides.people[labelled, at],
        sides.judge[labelled, at],
        sides.judge[unlabelled, at],
        (_clusters(sides, plan, labelled), _clusters(sides, plan, unlabelled)),
    )


def _estimates(
    sides: PeopleAndJudge, codebook: Codebook, systems: Sequence[str], plan: CalibrationPlan
) -> Iterable[SystemEstimate]:
    unit, level = _unit(sides, plan), plan.level
    for system in systems:
        for at, column in enumerate(codebook.columns):
            sample = _sample(sides, system, at, plan)
            everything = np.concatenate([sample.judge, sample.others])
            refused = _too_few_labels(len(sample.people), plan)
            people = mean(sample.people, sample.clusters[0], level=level)
            judge = mean(everything, [*sample.clusters[0], *sample.clusters[1]], level=level)
            ppi = ppi_mean(sample, level=level)
            rate = None
            if column.allowed == (0, 1):
                corrected = rogan_gladen(sample, level=level)
                rate = refused or _estimated("Rogan-Gladen", corrected, plan, "event")
            yield SystemEstimate(
                system=system,
                criterion=column.name,
                labelled=len(sample.people),
                events=len(everything),
                people=_estimated("mean", people, plan, unit, column.ends),
                judge=_estimated("mean", judge, plan, unit, column.ends),
                corrected=refused
                or _estimated("PPI++", ppi, plan, unit, column.ends, weight=ppi.weight),
                rate=rate,
            )


def _too_few_labels(labels: int, plan: CalibrationPlan) -> Estimated | None:
    if labels >= plan.fewest:
        return None
    reason = f"{labels} labelled events, fewer than {plan.fewest}"
    return Estimated("refused", None, None, reason=reason)


def _differences(
    sides: PeopleAndJudge, codebook: Codebook, systems: Sequence[str], plan: CalibrationPlan
) -> Iterable[SystemDifference]:
    unit = _unit(sides, plan)
    for name, other_name in plan.pairs or combinations(systems, 2):
        for at, column in enumerate(codebook.columns):
            first, second = (_sample(sides, system, at, plan) for system in (name, other_name))
            fewest = min(len(first.people), len(second.people))
            difference = ppi_difference(first, second, level=plan.level)
            yield SystemDifference(
                one=name,
                two=other_name,
                criterion=column.name,
                people=_mean_difference(first.people, second.people),
                judge=_mean_difference(
                    *(np.concatenate([s.judge, s.others]) for s in (first, second))
                ),
                corrected=_too_few_labels(fewest, plan)
                or _estimated("PPI++", difference, plan, unit),
            )


def _mean_difference(first: Array, second: Array) -> float | None:
    return float(first.mean() - second.mean()) if len(first) and len(second) else None


def _estimated(
    method: str,
    corrected: Corrected,
    plan: CalibrationPlan,
    unit: str,
    ends: tuple[float, float] = (-inf, inf),
    *,
    weight: float | None = None,
) -> Estimated:
    low, high = map(float, ends)
    interval = interval_of(corrected, plan.level, unit, (low, high))
    return Estimated(method, defined(corrected.value), interval, weight, corrected.reason)


def _sampling_notices(sides: PeopleAndJudge, codebook: Codebook) -> Iterator[str]:
    """Report systems whose labelled events can't be a random sample."""
    systems = np.array(sides.systems)
    for system in sorted(set(sides.systems)):
        judged = (systems == system) & sides.judged
        labelled = sides.labelled & judged
        if not judged.any():
            continue
        if not labelled.any():
            yield f"{system}: no labelled events, so nothing corrects the judge there"
        elif (labelled == judged).all():
            yield f"{system}: all events are labelled; there is nothing to be corrected"
        else:
            article = np.unique(np.array(sides.articles)[judged], return_inverse=True)[1]
            yield from _few_articles(system, article, labelled[judged])
            score = sides.judge[:, -1]
            name, unlabelled = codebook.score, score[judged & ~labelled]
            yield from _differing_scores(system, name, score[labelled], unlabelled)


def _few_articles(system: str, article: NDArray[np.int64], labelled: Flags) -> Iterator[str]:
    """Report labelled events from fewer articles than a random sample of that size has."""
    number, all_articles = int(labelled.sum()), int(article.max()) + 1
    labelled_articles = len(np.unique(article[labelled]))
    generator = np.random.default_rng(0)
    random_articles = np.array(
        [len(np.unique(generator.choice(article, number, replace=False))) for _ in range(_DRAWS)]
    )
    if ((random_articles <= labelled_articles).sum() + 1) / (_DRAWS + 1) <= _RARE:
        yield (
            f"{system}: not a random sample: the {number} labelled events are from "
            f"{labelled_articles} of {all_articles} articles, and a random sample would have "
            f"{random_articles.mean():.0f}; the corrected estimates hold for these articles only"
        )


def _differing_scores(system: str, name: str, labelled: Array, others: Array) -> Iterator[str]:
    """Report that the judge's mean score differs between labelled events and the others."""
    if len(labelled) < 2 or len(others) < 2:
        return
    error = float(np.sqrt(labelled.var(ddof=1) / len(labelled) + others.var(ddof=1) / len(others)))
    if abs(labelled.mean() - others.mean()) > _FAR * error + float(rounding(labelled, others)):
        yield (
            f"{system}: not a random sample: the judge's mean {name} is "
            f"{labelled.mean():.3f} on labelled events and {others.mean():.3f} on the others"
        )
