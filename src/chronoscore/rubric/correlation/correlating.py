"""Set metrics against people, at the level of systems, of topics, or of events."""

from collections.abc import Iterable, Sequence
from math import isnan
from typing import NamedTuple

import numpy as np

from chronoscore.core.case import some
from chronoscore.core.errors import DataError, Problem, UsageError
from chronoscore.core.result import Interval
from chronoscore.rubric.correlation.comparing import compared
from chronoscore.rubric.correlation.document import Correlations, Followed, Point, Value
from chronoscore.rubric.correlation.doubts import Doubts
from chronoscore.rubric.correlation.items import Items, people_items
from chronoscore.rubric.correlation.people import Judged, Places
from chronoscore.rubric.correlation.plan import Plan
from chronoscore.rubric.correlation.scores import (
    Found,
    Saved,
    Scores,
    gathered,
    less_is_better,
    never,
    of_events,
    of_systems,
    of_topics,
)
from chronoscore.statistics.correlation import FEWEST, Correlation, coefficient, correlate


def correlations(
    saved: Sequence[Saved],
    judged: Judged,
    places: Places,
    plan: Plan,
    notices: Sequence[str] = (),
) -> Correlations:
    """Correlate every metric of all results with what people say."""
    if plan.level == "topic" and not places.topics:
        raise UsageError("name the systems' events with --events: they say which topic each is of")
    turn = never if plan.level == "event" else less_is_better
    known = gathered(((one.result, _found(one, judged, places, plan)) for one in saved), turn)
    scores = [one for one in known if one.values]
    people = people_items(judged, places, plan)
    named = _Known(
        frozenset(system.name for one in saved for system in one.result.systems),
        frozenset(judged.systems),
        frozenset(system for system, _ in places.events),
    )
    told = [*notices, *_without(known, plan), *_left_out(people, scores, plan, named)]
    _check_enough(people, scores, plan, told)
    doubts = None
    if plan.level == "system" and not plan.coefficients:
        doubts = Doubts.of(saved, judged, places, plan)
    return Correlations(
        level=plan.level,
        criterion=plan.criterion,
        people=judged.people,
        judged=len(judged.events),
        unit=plan.unit,
        confidence=plan.confidence,
        seed=plan.seed,
        metrics=tuple(_followed(one, people, plan, doubts) for one in scores),
        tests=tuple(compared(scores, people, plan)),
        notices=tuple(told),
    )


class _Known(NamedTuple):
    """The systems that are scored at all, that are judged at all, and whose events are given."""

    scored: frozenset[str]
    judged: frozenset[str]
    told: frozenset[str]


def _found(one: Saved, judged: Judged, places: Places, plan: Plan) -> Found:
    if plan.level == "system":
        return of_systems(one.result)
    if plan.level == "topic":
        return of_topics(one, places)
    return of_events(one, judged, places)


def _without(known: Sequence[Scores], plan: Plan) -> Iterable[str]:
    """Name the metrics that say nothing at this level."""
    silent = [one.label for one in known if not one.values]
    if silent:
        why = {
            "system": "no score has a value",
            "topic": "curves have no score of a topic, or no topic is known",
            "event": "their matches name no judged event (--events tells mentions and days)",
        }[plan.level]
        yield f"left out, {why}: {some(silent)}"


def _left_out(people: Items, scores: Sequence[Scores], plan: Plan, known: _Known) -> Iterable[str]:
    """Say what was judged and not scored, and the other way round, and why."""
    scored = {system for one in scores for system, _ in one.values}
    judged = {system for system, _ in people}
    # Below the level of systems, some of what is scored and judged can't be found without events.
    hidden: set[str] | frozenset[str] = set()
    if plan.level != "system":
        hidden = (scored ^ judged) & known.scored & known.judged - known.told
    unscored, unjudged = judged - scored - hidden, scored - judged - hidden
    for missing, what in (
        (hidden, "whose events are not given by --events"),
        (unscored & known.scored, f"that have scores, but of no judged {plan.level}"),
        (unscored - known.scored, "that are judged by people and have no score"),
        (unjudged & known.judged, f"that people judged, but no scored {plan.level} of theirs"),
        (unjudged - known.judged, "that are scored and not judged by people"),
    ):
        if missing:
            yield f"systems {what}, left out: {some(sorted(missing))}"
    if plan.level == "system":
        return
    for one in scores:
        lacking = [key for key in people if key[0] in scored and key not in one.values]
        if lacking:
            names = some(sorted(f"{system} {name}" for system, name in lacking))
            yield f"{one.label}: no score for {len(lacking)} of {len(people)} items: {names}"


def _check_enough(people: Items, scores: Sequence[Scores], plan: Plan, told: Sequence[str]) -> None:
    most = max((len(people.keys() & one.values.keys()) for one in scores), default=0)
    if most >= FEWEST:
        return
    hint = "; --level topic or event has more items" if plan.level == "system" else ""
    what = f"{plan.level}s that people judged and a metric scored, here are {most}{hint}"
    raise DataError(Problem(line) for line in (f"a correlation needs {FEWEST} {what}", *told))


def _followed(one: Scores, people: Items, plan: Plan, doubts: Doubts | None) -> Followed:
    keys = sorted(people.keys() & one.values.keys())
    human = np.array([people[key].value for key in keys])
    metric = np.array([one.values[key] for key in keys])
    clusters = [people[key].cluster for key in keys]
    wanted = [coefficient(name) for name in plan.shown]
    found = correlate(human, metric, wanted, clusters, level=plan.confidence, seed=plan.seed)
    values = [_value(own, plan) for own in found]
    return Followed(
        label=one.label,
        family=one.family,
        metric=one.metric,
        turned=one.turned,
        items=len(keys),
        values=(*values, *([doubts.value(one)] if doubts else [])),
        points=tuple(
            Point(
                system=key[0],
                name=key[1],
                human=people[key].value,
                metric=one.values[key],
                human_interval=people[key].interval,
                metric_interval=one.intervals.get(key),
            )
            for key in keys
        ),
    )


def _value(own: Correlation, plan: Plan) -> Value:
    if isnan(own.value):
        return Value(own.name, None, reason=own.reason)
    if isnan(own.low):
        return Value(own.name, own.value, reason=own.reason)
    interval = Interval(own.low, own.high, plan.confidence, "bootstrap", own.clusters, plan.unit)
    return Value(own.name, own.value, interval)
