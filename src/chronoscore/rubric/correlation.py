"""Metrics compared with people, at the level of systems, of topics, or of events.

People's value of an event is the mean over people; a metric's value comes from saved results and,
for events, from the matches that explain them. The document holds correlations with intervals and
the tests between metrics; every table and picture is a function of it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from math import isnan
from typing import Literal

import msgspec
import numpy as np
from msgspec.structs import replace

from chronoscore.core.case import some
from chronoscore.core.event import Event
from chronoscore.core.evidence import Match
from chronoscore.core.evidence_table import EvidenceTable
from chronoscore.core.family import UNDEFINED_POLICIES, Family
from chronoscore.core.result import CaseMatches, Interval, MetricInfo, ResultDocument
from chronoscore.errors import DataError, Problem, UsageError
from chronoscore.rubric.agreement.coefficients import defined, interval_of
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.judgements import Judgements, find_people
from chronoscore.statistics.averaging import Path, average
from chronoscore.statistics.calibration import mean
from chronoscore.statistics.correlation import (
    DEFAULTS,
    FEWEST,
    CorrelationCoefficient,
    coefficient,
    correlate,
    perm_both,
    soft_pairwise_accuracy,
    williams,
)
from chronoscore.statistics.ratios import Array
from chronoscore.statistics.significance import holm

LEVELS = {"system": "system", "topic": "topic", "event": "article"}
"""The unit that is drawn as a whole, by level."""
SOFT = "soft accuracy"
_DRAWS, _FEWER, _MANY = 10_000, 1_000, 150
"""Draws of the permutation test, fewer draws for many items, and how many items are many."""
Key = tuple[str, str]
"""A system, and an event or a topic; the second is empty for the system as a whole."""


class CorrelatedItem(msgspec.Struct, frozen=True, omit_defaults=True):
    """One item: people's value of it, and the metric's."""

    system: str
    name: str
    """The topic or the event; empty for a system as a whole."""
    human: float
    metric: float
    human_interval: Interval | None = None
    metric_interval: Interval | None = None


class CoefficientValue(msgspec.Struct, frozen=True, omit_defaults=True):
    """A coefficient with its interval, or why there is none."""

    coefficient: str
    value: float | None
    interval: Interval | None = None
    reason: str = ""


class MetricCorrelation(msgspec.Struct, frozen=True):
    """How well one metric follows people."""

    label: str
    family: str
    metric: str
    turned: bool
    """Whether its sign was turned, because less is better."""
    items: int
    values: tuple[CoefficientValue, ...]
    points: tuple[CorrelatedItem, ...]


class MetricTest(msgspec.Struct, frozen=True):
    """Whether one metric follows people better than another, on the items of both."""

    one: str
    two: str
    coefficient: str
    items: int
    difference: float | None = None
    p: float | None = None
    """The two-sided p of Perm-Both."""
    p_corrected: float | None = None
    """The p corrected by Holm over all pairs."""
    smallest_p: float | None = None
    exact: bool = False
    williams_t: float | None = None
    williams_p: float | None = None
    """The two-sided p of Williams' test, which is of Pearson's r."""
    reason: str = ""


class Correlations(msgspec.Struct, frozen=True, kw_only=True):
    """The document of a study: the correlations of all metrics with people, and the tests."""

    format: Literal["chronoscore-correlation"] = "chronoscore-correlation"
    version: int = 1
    level: str
    """System, topic or event."""
    criterion: str
    people: tuple[str, ...]
    judged: int
    """The number of events that people judged."""
    unit: str
    """What is drawn as a whole for the intervals."""
    confidence: float
    seed: int
    metrics: tuple[MetricCorrelation, ...]
    tests: tuple[MetricTest, ...]
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class CorrelationPlan:
    """The settings of one study."""

    level: str = "system"
    criterion: str = "EQS"
    coefficients: tuple[str, ...] = ()
    confidence: float = 0.95
    seed: int = 0
    resamples: int | None = None
    """How many resamples are drawn; None for the usual number."""

    @property
    def shown(self) -> tuple[str, ...]:
        """The coefficients to show; tests are of the first."""
        return self.coefficients or DEFAULTS

    @property
    def unit(self) -> str:
        """What is drawn as a whole for the intervals."""
        return LEVELS[self.level]

    def check(self) -> None:
        """Raise UsageError for settings that can't be computed, before any file is read."""
        if self.level not in LEVELS:
            raise UsageError(f"no level '{self.level}'; there are: {', '.join(LEVELS)}")
        if not 0 < self.confidence < 1:
            raise UsageError(f"--confidence is {self.confidence}, expected one between 0 and 1")
        for name in self.coefficients:
            coefficient(name)


# People


@dataclass(frozen=True, eq=False)
class PeopleMeans:
    """People's value of each judged event: the mean over people, of whom the last round counts."""

    people: tuple[str, ...]
    systems: tuple[str, ...]
    events: tuple[str, ...]
    articles: tuple[str, ...]
    values: Array
    ends: tuple[int, int]
    """The lowest and the highest possible value."""


def judged_by_people(judgements: Judgements, codebook: Codebook, criterion: str) -> PeopleMeans:
    """Average people's values of each event on a criterion, or the score."""
    codebook.require_score()
    names = {column.name.lower(): at for at, column in enumerate(codebook.columns)}
    if criterion.lower() not in names:
        choices = ", ".join(column.name for column in codebook.columns)
        raise UsageError(f"no criterion '{criterion}'; there are: {choices}")
    at = names[criterion.lower()]
    people = find_people(judgements, "", ())
    last = judgements.by(people).last_rounds()
    judged = last.by_event()
    sums = np.bincount(judged.at, last.score_table(codebook)[:, at])
    return PeopleMeans(
        tuple(people),
        judged.systems,
        judged.events,
        judged.articles,
        sums / np.bincount(judged.at),
        codebook.columns[at].ends,
    )


@dataclass(frozen=True)
class EventPlaces:
    """The events of each system, and the topics of events and articles."""

    events: Mapping[Key, Event] = field(default_factory=dict)

    @classmethod
    def of(cls, files: Mapping[str, Sequence[Event]]) -> "EventPlaces":
        """Index the events of each system."""
        return cls({(system, event.id): event for system in files for event in files[system]})

    @cached_property
    def anywhere(self) -> dict[str, Event]:
        """Events whose id only one system has."""
        times = Counter(name for _, name in self.events)
        return {name: event for (_, name), event in self.events.items() if times[name] == 1}

    @cached_property
    def topics(self) -> set[str]:
        """The topics of all events."""
        return {event.topic for event in self.events.values()} - {""}

    @cached_property
    def topic_of_article(self) -> dict[str, str]:
        """The topic of each article."""
        events = [event for event in self.events.values() if event.article and event.topic]
        return {event.article: event.topic for event in events}

    def event(self, system: str, name: str) -> Event | None:
        """Return the event of this id, or None."""
        return self.events.get((system, name)) or self.anywhere.get(name)

    def topic(self, tags: Mapping[str, str | None]) -> str:
        """Return the topic that the tags of a case name; empty if they name none."""
        for tag in ("topic", "target", "document"):
            name = tags.get(tag) or ""
            if name in self.topics:
                return name
            if name in self.topic_of_article:
                return self.topic_of_article[name]
        return ""


@dataclass(frozen=True)
class JudgedItem:
    """People's mean of a system, of a topic in a system, or of an event."""

    value: float
    interval: Interval | None
    cluster: str


Items = Mapping[Key, JudgedItem]


def _people_items(
    judged: PeopleMeans, places: EventPlaces, plan: CorrelationPlan, level: str
) -> dict[Key, JudgedItem]:
    """Return people's mean of each item over its events."""
    members: dict[Key, list[int]] = {}
    for at, (system, event) in enumerate(zip(judged.systems, judged.events, strict=True)):
        name = event if level == "event" else ""
        if level == "topic":
            known_event = places.event(system, event)
            name = known_event.topic if known_event else ""
            name = name or places.topic_of_article.get(judged.articles[at], "")
        if name or level != "topic":
            members.setdefault((system, name), []).append(at)
    items = {}
    for key, rows in members.items():
        articles = [judged.articles[at] or judged.events[at] for at in rows]
        estimate = mean(judged.values[rows], articles, level=plan.confidence)
        interval = interval_of(estimate, plan.confidence, "article", judged.ends)
        cluster = {"system": key[0], "topic": key[1], "event": articles[0]}[level]
        items[key] = JudgedItem(estimate.value, interval, cluster)
    return items


# Metrics


@dataclass(frozen=True)
class ScoredResult:
    """A saved result, its family, and its matches where events are compared."""

    result: ResultDocument
    family: Family
    matches: Sequence[CaseMatches] = ()


@dataclass(frozen=True)
class MetricScores:
    """The scores of items by one metric, with intervals if there are any; higher is better."""

    family: str
    metric: str
    label: str
    turned: bool
    values: dict[Key, float] = field(default_factory=dict)
    intervals: dict[Key, Interval] = field(default_factory=dict)


ScoreRows = Iterator[tuple[MetricInfo, Key, float, Interval | None]]


def _collect_scores(
    saved: Sequence[ScoredResult], read: Callable[[ScoredResult], ScoreRows], *, turn: bool = True
) -> list[MetricScores]:
    """Collect the scores of all results by metric; scoring a system twice is an error.

    With `turn`, the sign of metrics of which less is better is turned. A metric without a score
    is listed too, so that it can be reported.
    """
    metrics: dict[tuple[str, str], MetricScores] = {}
    problems: dict[str, Problem] = {}
    several_families = len({scored.result.family for scored in saved}) > 1
    for scored in saved:
        family = scored.result.family
        for info in scored.result.metrics:
            label = f"{family} {info.label}" if several_families else info.label
            turned = turn and info.better == "lower"
            metrics.setdefault((family, info.name), MetricScores(family, info.name, label, turned))
        for info, key, value, interval in read(scored):
            scores = metrics[family, info.name]
            if key in scores.values:
                message = f"two results have {scores.label} of the system '{key[0]}'"
                problems[message] = Problem(message)
            scores.values[key] = -value if scores.turned else value
            if interval is not None and scores.turned:
                scores.intervals[key] = replace(interval, low=-interval.high, high=-interval.low)
            elif interval is not None:
                scores.intervals[key] = interval
    if problems:
        raise DataError(problems.values())
    return list(metrics.values())


def _system_scores(scored: ScoredResult) -> ScoreRows:
    """Yield the main score of each system, as the result holds it."""
    metrics = {info.name: info for info in scored.result.metrics}
    for system in scored.result.systems:
        if not system.is_ranked:
            continue
        for summary in system.summaries:
            info = metrics[summary.metric]
            value = summary.scores[info.primary]
            if not summary.group and value is not None:
                yield info, (system.name, ""), value, summary.intervals.get(info.primary)


def _topic_scores(scored: ScoredResult, places: EventPlaces) -> ScoreRows:
    """Yield the main score of each system on each topic, averaged like the whole result."""
    result, family = scored.result, scored.family
    path = Path.parse(result.path, family.levels)
    policy = next(name for name in UNDEFINED_POLICIES if name == result.undefined)
    for system in result.systems:
        if not system.is_ranked:
            continue
        rows = EvidenceTable.of(system.rows)
        topics = np.array(
            [
                places.topic({name: column[at] for name, column in rows.tags.items()})
                for at in range(len(rows))
            ]
        )
        for topic in sorted(set(topics.tolist()) - {""}):
            part = rows.take(np.flatnonzero(topics == topic))
            for info in result.metrics:
                if info.curve:
                    continue
                metric = family.metric(info.name)
                scores = average(metric, part.statistics[info.name], part.tags, path, policy)
                value = float(scores[metric.scores.index(info.primary)])
                if not isnan(value):
                    yield info, (system.name, topic), value, None


def _event_scores(scored: ScoredResult, judged: PeopleMeans, places: EventPlaces) -> ScoreRows:
    """Yield the share of its possible credit that each judged event got in the matches.

    Matches name what they compare with the gold: an event's id, its mentions, or its day, whichever
    a metric knows; a day's share is that of all its events.
    """
    tags = {
        (system.name, row.case): row.tags for system in scored.result.systems for row in system.rows
    }
    for info in scored.result.metrics:
        index = _index([case for case in scored.matches if case.metric == info.name], tags, places)
        for named_by in ("id", "mentions", "day"):
            shares = {}
            for key in zip(judged.systems, judged.events, strict=True):
                words = _predicted_words(named_by, key[1], places.event(*key))
                matches = [m for topic, word in words for m in index.get((key[0], topic, word), ())]
                if possible := sum(match.possible for match in matches):
                    shares[key] = sum(match.credit for match in matches) / possible
            if shares:
                yield from ((info, key, value, None) for key, value in shares.items())
                break


def _index(
    cases: Iterable[CaseMatches],
    tags: Mapping[tuple[str, str], Mapping[str, str]],
    places: EventPlaces,
) -> dict[tuple[str, str, str], list[Match]]:
    """Index matches by system, topic (or nothing), and a word of the prediction."""
    index: dict[tuple[str, str, str], list[Match]] = {}
    for item in cases:
        topic = places.topic(tags.get((item.system, item.case), {}))
        for match in item.matches:
            if match.side == "recall" or not match.predicted:
                continue
            for word in dict.fromkeys(match.predicted.replace(",", " ").split()):
                index.setdefault((item.system, "", word), []).append(match)
            index.setdefault((item.system, topic, f"={match.predicted}"), []).append(match)
    return index


def _predicted_words(named_by: str, name: str, event: Event | None) -> list[tuple[str, str]]:
    """Return the topics (or nothing) and words under which an event's matches are indexed."""
    if named_by == "id":
        return [("", name)]
    if event is None:
        return []
    if named_by == "mentions":
        return [("", mention) for mention in event.mentions]
    return [(event.topic, f"={event.date}")] if event.topic else []


# Both


def correlations(
    saved: Sequence[ScoredResult],
    judged: PeopleMeans,
    places: EventPlaces,
    plan: CorrelationPlan,
    notices: Sequence[str] = (),
) -> Correlations:
    """Correlate every metric of all results with people."""
    if plan.level == "topic" and not places.topics:
        raise UsageError("name the systems' events with --events: they say which topic each is of")
    readers: dict[str, Callable[[ScoredResult], ScoreRows]] = {
        "system": _system_scores,
        "topic": lambda scored: _topic_scores(scored, places),
        "event": lambda scored: _event_scores(scored, judged, places),
    }
    # The credit of an event is better if it is higher, whatever the metric.
    all_scores = _collect_scores(saved, readers[plan.level], turn=plan.level != "event")
    scores = [metric for metric in all_scores if metric.values]
    people = _people_items(judged, places, plan, plan.level)
    messages = [*notices, *_without_scores(all_scores, plan)]
    messages += _unmatched_notices(people, scores, plan, saved, judged, places)
    most = max((len(people.keys() & metric.values.keys()) for metric in scores), default=0)
    if most < FEWEST:
        hint = "; --level topic or event has more items" if plan.level == "system" else ""
        needed = f"{plan.level}s that people judged and a metric scored, here are {most}{hint}"
        messages.insert(0, f"a correlation needs {FEWEST} {needed}")
        raise DataError(map(Problem, messages))
    metrics = [_correlate_metric(metric, people, plan) for metric in scores]
    if plan.level == "system" and not plan.coefficients:
        soft = _soft_accuracies(scores, saved, judged, places, plan)
        metrics = [
            replace(metric, values=(*metric.values, value))
            for metric, value in zip(metrics, soft, strict=True)
        ]
    return Correlations(
        level=plan.level,
        criterion=plan.criterion,
        people=judged.people,
        judged=len(judged.events),
        unit=plan.unit,
        confidence=plan.confidence,
        seed=plan.seed,
        metrics=tuple(metrics),
        tests=tuple(_tests(scores, people, plan)),
        notices=tuple(messages),
    )


def _without_scores(scores: Sequence[MetricScores], plan: CorrelationPlan) -> Iterable[str]:
    """Name the metrics that have no score at this level."""
    silent = [metric.label for metric in scores if not metric.values]
    if silent:
        reason = {
            "system": "no score has a value",
            "topic": "curves have no score of a topic, or no topic is known",
            "event": "their matches name no judged event (--events tells mentions and days)",
        }[plan.level]
        yield f"left out, {reason}: {some(silent)}"


def _unmatched_notices(
    people: Items,
    scores: Sequence[MetricScores],
    plan: CorrelationPlan,
    saved: Sequence[ScoredResult],
    judgements: PeopleMeans,
    places: EventPlaces,
) -> Iterable[str]:
    """Report systems and items that only people judged or only a metric scored, and why."""
    scored = {system for metric in scores for system, _ in metric.values}
    judged = {system for system, _ in people}
    ever_scored = {system.name for result in saved for system in result.result.systems}
    ever_judged = set(judgements.systems)
    # Below the level of systems, some of what is scored and judged can't be found without events.
    hidden: set[str] = set()
    if plan.level != "system":
        with_events = {system for system, _ in places.events}
        hidden = (scored ^ judged) & ever_scored & ever_judged - with_events
    unscored, unjudged = judged - scored - hidden, scored - judged - hidden
    for systems, finding in (
        (hidden, "whose events are not given by --events"),
        (unscored & ever_scored, f"that have scores, but of no judged {plan.level}"),
        (unscored - ever_scored, "that are judged by people and have no score"),
        (unjudged & ever_judged, f"that people judged, but no scored {plan.level} of theirs"),
        (unjudged - ever_judged, "that are scored and not judged by people"),
    ):
        if systems:
            yield f"systems {finding}, left out: {some(sorted(systems))}"
    for metric in scores if plan.level != "system" else ():
        lacking = [key for key in people if key[0] in scored and key not in metric.values]
        if lacking:
            names = some(sorted(f"{system} {name}" for system, name in lacking))
            yield f"{metric.label}: no score for {len(lacking)} of {len(people)} items: {names}"


def _aligned(people: Items, *metrics: MetricScores) -> tuple[list[Key], Array, list[Array]]:
    """Return the items that people judged and all metrics scored, with the values of each."""
    keys = sorted(people.keys() & set.intersection(*(set(metric.values) for metric in metrics)))
    scores = [np.array([metric.values[key] for key in keys]) for metric in metrics]
    return keys, np.array([people[key].value for key in keys]), scores


def _correlate_metric(
    scores: MetricScores, people: Items, plan: CorrelationPlan
) -> MetricCorrelation:
    keys, human, (metric,) = _aligned(people, scores)
    estimates = correlate(
        human,
        metric,
        [coefficient(name) for name in plan.shown],
        [people[key].cluster for key in keys],
        level=plan.confidence,
        seed=plan.seed,
        resamples=plan.resamples,
    )
    points = [
        CorrelatedItem(
            *key,
            people[key].value,
            scores.values[key],
            people[key].interval,
            scores.intervals.get(key),
        )
        for key in keys
    ]
    return MetricCorrelation(
        label=scores.label,
        family=scores.family,
        metric=scores.metric,
        turned=scores.turned,
        items=len(keys),
        values=tuple(
            CoefficientValue(
                each.name,
                defined(each.value),
                interval_of(each, plan.confidence, plan.unit),
                each.reason,
            )
            for each in estimates
        ),
        points=tuple(points),
    )


def _soft_accuracies(
    metrics: Sequence[MetricScores],
    saved: Sequence[ScoredResult],
    judged: PeopleMeans,
    places: EventPlaces,
    plan: CorrelationPlan,
) -> Iterator[CoefficientValue]:
    """Yield the soft pairwise accuracy of each metric over topics.

    It tells whether the metric is as sure as people which of two systems is better.
    """
    scores: dict[tuple[str, str], MetricScores] = {}
    people: Items = {}
    if places.topics:
        topic_scores = _collect_scores(saved, lambda scored: _topic_scores(scored, places))
        scores = {(item.family, item.metric): item for item in topic_scores}
        people = _people_items(judged, places, plan, "topic")
    for metric in metrics:
        values = scores[metric.family, metric.metric].values if people else {}
        keys = people.keys() & values.keys()
        systems = sorted({system for system, _ in keys})
        shared = [{topic for system, topic in keys if system == name} for name in systems]
        topics = sorted(set.intersection(*shared)) if shared else []
        if not people:
            reason = "it needs topics: name the systems' events by --events"
            yield CoefficientValue(SOFT, None, reason=reason)
        elif len(systems) < 2 or not topics:
            reason = "no topic that people judged for all systems"
            yield CoefficientValue(SOFT, None, reason=reason)
        else:
            human = np.array([[people[s, t].value for t in topics] for s in systems])
            scored = np.array([[values[s, t] for t in topics] for s in systems])
            value = soft_pairwise_accuracy(human, scored, names=tuple(topics), seed=plan.seed)
            yield CoefficientValue(SOFT, value)


def _tests(
    scores: Sequence[MetricScores], people: Items, plan: CorrelationPlan
) -> list[MetricTest]:
    """Test each pair of metrics by the first coefficient that is shown, on the items of both."""
    chosen = coefficient(plan.shown[0])
    tests = [_test(*pair, people, chosen, plan.seed) for pair in combinations(scores, 2)]
    corrected = iter(holm([test.p for test in tests if test.p is not None]))
    return [
        test if test.p is None else replace(test, p_corrected=next(corrected)) for test in tests
    ]


def _test(
    first_scores: MetricScores,
    second_scores: MetricScores,
    people: Items,
    chosen: CorrelationCoefficient,
    seed: int,
) -> MetricTest:
    keys, human, (first, second) = _aligned(people, first_scores, second_scores)
    untested = MetricTest(first_scores.label, second_scores.label, chosen.name, len(keys))
    if reason := chosen.reason(human, first) or chosen.reason(human, second):
        return replace(untested, reason=reason)
    names = tuple(f"{system}\0{name}" for system, name in keys)
    draws = _DRAWS if len(keys) <= _MANY else _FEWER
    swapped = perm_both(human, first, second, chosen.compute, names=names, seed=seed, draws=draws)
    tested = williams(human, first, second)
    return replace(
        untested,
        difference=swapped.difference,
        p=swapped.p,
        smallest_p=swapped.smallest,
        exact=swapped.exact,
        williams_t=defined(tested.t),
        williams_p=defined(tested.p),
        reason=f"Williams: {tested.reason}" if tested.reason else "",
    )
