"""Hold a judge against people: agreement, errors, and what people would have said of everything."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from chronoscore.core.errors import UsageError
from chronoscore.core.result import Interval
from chronoscore.rubric.calibration.document import (
    Beside,
    Calibration,
    Difference,
    Errors,
    Estimated,
    Level,
)
from chronoscore.rubric.calibration.sampling import RULE, sampling_notices
from chronoscore.rubric.calibration.sides import Sides
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.reliability.judged import agreement_on, plain, scale_of
from chronoscore.rubric.reliability.plan import Plan as AgreementPlan
from chronoscore.statistics.agreement import Ratings, defaults
from chronoscore.statistics.calibration import (
    Corrected,
    Sample,
    bias,
    confusion,
    mean,
    ppi_difference,
    ppi_mean,
    rates,
    rogan_gladen,
)

FEWEST_LABELS = 20
_PLACES = 9
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Plan:
    """The settings of one calibration."""

    level: float = 0.95
    seed: int = 0
    unit: str = "article"
    """What is independent: articles, or events."""
    fewest: int = FEWEST_LABELS
    """With fewer labels nothing is corrected; 0 corrects always."""
    pairs: tuple[tuple[str, str], ...] = ()
    """Of systems; all if there are none."""

    def check(self) -> None:
        """Refuse what can't be computed, before anything is read."""
        if not 0 < self.level < 1:
            raise UsageError(f"--level is {self.level}, expected a number between 0 and 1")
        for one, two in self.pairs:
            if one == two:
                raise UsageError(f"--difference {one} {two}: expected two different systems")


def calibrate(
    sides: Sides, codebook: Codebook, plan: Plan, notices: Sequence[str] = ()
) -> Calibration:
    """Compute everything."""
    systems = sorted(set(sides.systems))
    for name in {name for pair in plan.pairs for name in pair} - set(systems):
        raise UsageError(f"no system '{name}'; there are: {', '.join(systems)}")
    labelled = sides.labelled
    return Calibration(
        codebook=f"{codebook.name} {codebook.version}",
        judge=sides.judge_name,
        samples=sides.samples,
        people=tuple(sides.person),
        systems=tuple(systems),
        labelled=int(labelled.sum()),
        events=int(sides.judged.sum()),
        level=plan.level,
        unit=_unit(sides, plan),
        beside=tuple(_beside(sides, codebook, plan)),
        errors=tuple(_errors(sides, codebook, plan)),
        levels=tuple(_levels(sides, codebook, systems, plan)),
        differences=tuple(_differences(sides, systems, plan)),
        notices=(*notices, RULE, *sampling_notices(sides)),
    )


def _unit(sides: Sides, plan: Plan) -> str:
    return plan.unit if any(sides.articles) else "event"


def _clusters(sides: Sides, plan: Plan, rows: Flags) -> list[str]:
    """The articles of some events; an event without one is its own."""
    if _unit(sides, plan) != "article":
        return []
    names = zip(sides.articles, sides.units(), rows.tolist(), strict=True)
    return [article or unit for article, unit, wanted in names if wanted]


def _beside(sides: Sides, codebook: Codebook, plan: Plan) -> Iterable[Beside]:
    """The judge and each person on the events of both, then people among themselves."""
    units = sides.units()
    clusters = {u: a or u for u, a in zip(units, sides.articles, strict=True)}
    settings = AgreementPlan(level=plan.level, seed=plan.seed)
    vote = _votes(sides, codebook)
    columns = {sides.judge_name: vote, **sides.person}
    groups: list[tuple[tuple[str, ...], bool]] = [
        ((sides.judge_name, person), True) for person in sides.person
    ]
    if len(sides.person) > 1:
        groups.append((tuple(sides.person), False))
    for group, judged in groups:
        rated = []
        for at, name in enumerate(sides.names):
            criterion = codebook.criteria[at] if at < len(codebook.criteria) else None
            table = [
                (unit, who, round(float(columns[who][row, at]), _PLACES))
                for row, unit in enumerate(units)
                for who in group
            ]
            ratings = Ratings.of(table, criterion.allowed if criterion else None)
            rated.append((name, ratings, defaults(scale_of(name, codebook))))
        who = f"{group[0]} and {group[1]}" if judged else "people"
        yield Beside(who, judged, tuple(agreement_on(rated, clusters, settings)))


def _votes(sides: Sides, codebook: Codebook) -> np.typing.NDArray[np.float64]:
    """One value of the judge for each event: the most frequent of its samples, the lower of two."""
    vote = sides.judge.copy()
    for at, criterion in enumerate(codebook.criteria):
        allowed = np.array(criterion.allowed, np.float64)
        most = allowed[np.argmax(np.nan_to_num(sides.judge_shares[at]), axis=1)]
        vote[:, at] = np.where(sides.judged, most, np.nan)
    return vote


def _errors(sides: Sides, codebook: Codebook, plan: Plan) -> Iterable[Errors]:
    both = sides.labelled
    clusters = _clusters(sides, plan, both)
    for at, name in enumerate(sides.names):
        people, judge = sides.people[both, at], sides.judge[both, at]
        found = bias(people, judge, clusters, level=plan.level)
        table: dict[str, dict[str, float]] = {}
        sensitivity = specificity = None
        if at < len(codebook.criteria):
            allowed = codebook.criteria[at].allowed
            counts = confusion(sides.people_shares[at][both], sides.judge_shares[at][both])
            table = {
                str(said): dict(zip(map(str, allowed), row, strict=True))
                for said, row in zip(allowed, counts.round(_PLACES).tolist(), strict=True)
            }
            if allowed == (0, 1):
                share = rates(people, judge)
                sensitivity, specificity = plain(share.sensitivity), plain(share.specificity)
        yield Errors(
            criterion=name,
            events=int(both.sum()),
            bias=plain(found.value),
            interval=_interval(found, plan, _unit(sides, plan)),
            sensitivity=sensitivity,
            specificity=specificity,
            confusion=table,
            reason=found.reason,
        )


def _sample(sides: Sides, system: str, at: int, plan: Plan) -> Sample:
    here = np.array([name == system for name in sides.systems], np.bool_)
    labelled = here & sides.labelled
    others = here & sides.judged & ~sides.labelled
    return Sample(
        sides.people[labelled, at],
        sides.judge[labelled, at],
        sides.judge[others, at],
        (_clusters(sides, plan, labelled), _clusters(sides, plan, others)),
    )


def _levels(
    sides: Sides, codebook: Codebook, systems: Sequence[str], plan: Plan
) -> Iterable[Level]:
    unit = _unit(sides, plan)
    for system in systems:
        for at, name in enumerate(sides.names):
            sample = _sample(sides, system, at, plan)
            criterion = codebook.criteria[at] if at < len(codebook.criteria) else None
            binary = criterion is not None and criterion.allowed == (0, 1)
            scale = (criterion.allowed[0], criterion.allowed[-1]) if criterion else (0, 1)
            everything = np.concatenate([sample.judge, sample.others])
            clusters = [*sample.clusters[0], *sample.clusters[1]]
            refused = _refused(len(sample.people), plan)
            alone = mean(sample.people, sample.clusters[0], level=plan.level)
            judged = mean(everything, clusters, level=plan.level)
            yield Level(
                system=system,
                criterion=name,
                labelled=len(sample.people),
                events=len(everything),
                people=_within(_estimated("mean", alone, plan, unit), scale),
                judge=_within(_estimated("mean", judged, plan, unit), scale),
                corrected=refused or _within(_ppi(sample, plan, unit), scale),
                rate=(refused or _rate(sample, plan)) if binary else None,
            )


def _within(one: Estimated, scale: tuple[int, int]) -> Estimated:
    """Cut an interval to the values that a mean can have."""
    if one.interval is None:
        return one
    low, high = max(one.interval.low, scale[0]), min(one.interval.high, scale[1])
    return replace(one, interval=replace(one.interval, low=float(low), high=float(high)))


def _refused(labels: int, plan: Plan) -> Estimated | None:
    if labels >= plan.fewest:
        return None
    reason = f"{labels} labelled events, fewer than {plan.fewest} (--force corrects all the same)"
    return Estimated("refused", None, None, reason=reason)


def _ppi(sample: Sample, plan: Plan, unit: str) -> Estimated:
    found = ppi_mean(sample, level=plan.level)
    return _estimated("PPI++", found, plan, unit, found.weight)


def _rate(sample: Sample, plan: Plan) -> Estimated:
    return _estimated("Rogan-Gladen", rogan_gladen(sample, level=plan.level), plan, "event")


def _differences(sides: Sides, systems: Sequence[str], plan: Plan) -> Iterable[Difference]:
    unit = _unit(sides, plan)
    for one, two in plan.pairs or combinations(systems, 2):
        for at, name in enumerate(sides.names):
            first, second = (_sample(sides, system, at, plan) for system in (one, two))
            fewest = min(len(first.people), len(second.people))
            found = ppi_difference(first, second, level=plan.level)
            yield Difference(
                one=one,
                two=two,
                criterion=name,
                people=_apart(first.people, second.people),
                judge=_apart(*(np.concatenate([s.judge, s.others]) for s in (first, second))),
                corrected=_refused(fewest, plan) or _estimated("PPI++", found, plan, unit),
            )


def _apart(one: np.typing.NDArray[np.float64], two: np.typing.NDArray[np.float64]) -> float | None:
    return float(one.mean() - two.mean()) if len(one) and len(two) else None


def _estimated(
    method: str, found: Corrected, plan: Plan, unit: str, weight: float | None = None
) -> Estimated:
    sure = _interval(found, plan, unit)
    return Estimated(method, plain(found.value), sure, weight, found.reason)


def _interval(found: Corrected, plan: Plan, unit: str) -> Interval | None:
    if isnan(found.value) or isnan(found.low):
        return None
    clusters = found.clusters or found.labelled
    method = "t" if found.clusters else "normal"
    return Interval(found.low, found.high, plan.level, method, clusters, unit)
