"""Pairs of events against people's verdicts: does a similarity, or a matching, agree with them?

People say of pairs of a gold and a predicted event whether both are the same. A similarity should
be higher for pairs that they call the same than for others, and a matching should make their pairs.
Every figure is of one topic; the mean is over topics, and topics are resampled for its interval.
Where a figure needs a threshold, the threshold comes from the other topics.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan, nan
from typing import Literal

import msgspec
import numpy as np

from chronoscore.core.case import some
from chronoscore.core.result import CaseMatches, Interval
from chronoscore.elements.assignment import most_pairs
from chronoscore.elements.verdicts import PARTS, Pair, PairVerdict, agreed, of_people, verdicts_of
from chronoscore.errors import DataError, UsageError
from chronoscore.rubric.agreement.coefficients import defined, interval_of
from chronoscore.statistics.correlation import FEWEST_CLUSTERS
from chronoscore.statistics.drawing import affordable, poisson_weights
from chronoscore.statistics.intervals import Estimate, percentile
from chronoscore.statistics.ratios import Array

RATES = (0.01, 0.05)
"""Shares of different pairs that may be taken for the same."""
RESAMPLES = 2000
_AUC, _PRECISION, _RECALL, _F1 = "AUC", "precision", "recall", "F1"
_OF_SIMILARITY = (_AUC, *(f"recall at {rate:.0%} false" for rate in RATES))
_NAMES = (*_OF_SIMILARITY, _PRECISION, _RECALL, _F1)
_WHY: Mapping[str, str] = {
    **dict.fromkeys(_OF_SIMILARITY, "it needs similarities of pairs in two topics or more"),
    _AUC: "no topic has similarities of pairs of both kinds",
    _PRECISION: "no pair with a verdict was matched",
    _RECALL: "people call no pair the same",
    _F1: "no pair was matched, and people call none the same",
}
"""Why a figure has no value in any topic."""


@dataclass(frozen=True)
class ScoredPair:
    """What a metric makes of a gold and a predicted event of one topic.

    One of the ids may be empty: then the other event is there, and the metric matched it to none.
    """

    topic: str
    gold: str
    predicted: str
    similarity: float | None
    """None if it is not known, as of pairs that were not matched in a saved result."""
    matched: bool
    system: str = ""
    case: str = ""
    """In which events are matched one to one; the topic if empty."""


def _nothing(_: CaseMatches) -> Iterable[tuple[Pair, float]]:
    return ()


def pairs_of_matches(
    matches: Iterable[CaseMatches],
    topics: Mapping[tuple[str, str], str],
    similarities: Callable[[CaseMatches], Iterable[tuple[Pair, float]]] = _nothing,
) -> dict[str, list[ScoredPair]]:
    """Take the pairs of each metric from the matches of a result of the family `events`.

    `topics` has the topic of each system and case. A match of two events has the similarity of
    their texts as what they share; all others are events without a partner, even if they name one
    that they belong to. Both sides may name a pair, which is then listed once. The similarity of
    pairs that were not matched stays unknown, except for those that `similarities` gives.
    """
    pairs: dict[str, dict[ScoredPair, None]] = {}
    for item in matches:
        topic = topics[item.system, item.case]
        place = (item.system, item.case)
        rows = pairs.setdefault(item.metric, {})
        for match in item.matches:
            if match.shared is not None:
                row = ScoredPair(topic, match.gold, match.predicted, match.shared, True, *place)
            elif match.side == "recall":
                row = ScoredPair(topic, match.gold, "", None, False, *place)
            else:
                row = ScoredPair(topic, "", match.predicted, None, False, *place)
            rows[row] = None
        paired = {
            (match.gold, match.predicted) for match in item.matches if match.shared is not None
        }
        for (gold, predicted), similarity in similarities(item):
            if (gold, predicted) not in paired:
                rows[ScoredPair(topic, gold, predicted, similarity, False, *place)] = None
    # Metrics that read one matching have the same pairs, and one name for all of them.
    names: dict[frozenset[ScoredPair], list[str]] = {}
    for metric, rows in pairs.items():
        names.setdefault(frozenset(rows), []).append(metric)
    return {", ".join(same): [*pairs[same[0]]] for same in names.values()}


@dataclass(frozen=True)
class PairPlan:
    """The settings of one study."""

    part: str = "same"
    """What the verdict `part` counts as: same, different, or skip for neither."""
    rest: Literal["skip", "different"] = "skip"
    """What scored pairs without a verdict count as."""
    confidence: float = 0.95
    seed: int = 0
    resamples: int | None = None

    def check(self) -> None:
        """Raise UsageError for settings that can't be computed."""
        if self.part not in PARTS:
            raise UsageError(f"no way '{self.part}' to count parts; there are: {', '.join(PARTS)}")
        if not 0 < self.confidence < 1:
            raise UsageError(f"--confidence is {self.confidence}, expected one between 0 and 1")

    def same(self, verdict: PairVerdict) -> bool | None:
        """Whether people call the two events the same; None if the verdict counts for neither."""
        return verdict.is_same(self.part)


class PairFigure(msgspec.Struct, frozen=True, omit_defaults=True):
    """One figure: the mean over topics, with its interval, or why there is none."""

    name: str
    value: float | None
    topics: int = 0
    """How many topics have a value."""
    interval: Interval | None = None
    reason: str = ""
    by_topic: dict[str, float] = {}


class PairAgreement(msgspec.Struct, frozen=True):
    """How well one metric's pairs agree with people."""

    metric: str
    same: int
    """Pairs that people call the same."""
    different: int
    matched: int
    """Pairs with a verdict that the metric matched."""
    right: int
    """Of these, those that people call the same."""
    figures: tuple[PairFigure, ...]


class PairStudy(msgspec.Struct, frozen=True, kw_only=True):
    """The document of a study: every metric's pairs against people's verdicts."""

    format: Literal["chronoscore-pairs"] = "chronoscore-pairs"
    version: int = 1
    people: tuple[str, ...]
    part: str
    rest: str
    confidence: float
    seed: int
    metrics: tuple[PairAgreement, ...]
    notices: tuple[str, ...] = ()


@dataclass
class _Topic:
    """The labelled pairs of a topic."""

    similar: list[tuple[float, bool]] = field(default_factory=list)
    """The similarity of a pair, and whether it is the same."""
    same: dict[tuple[str, str], list[tuple[str, str]]] = field(default_factory=dict)
    """By system and case, the pairs that people call the same."""
    matched: int = 0
    right: int = 0
    labels: list[bool] = field(default_factory=list)
    unknown: int = 0
    """Pairs whose similarity is not known."""

    def add(self, place: tuple[str, str], pair: ScoredPair, same: bool) -> None:
        self.labels.append(same)
        self.unknown += pair.similarity is None
        if pair.similarity is not None:
            self.similar.append((pair.similarity, same))
        if same:
            self.same.setdefault(place, []).append((pair.gold, pair.predicted))
        self.matched += pair.matched
        self.right += pair.matched and same

    def scores(self, same: bool) -> Array:
        """The similarities of the pairs that are the same, or that are not, in ascending order."""
        return np.sort([value for value, label in self.similar if label == same])

    def most(self) -> int:
        """The most of people's pairs that a one-to-one matching can have."""
        return sum(map(most_pairs, self.same.values()))


def auc(same: Array, different: Array) -> float:
    """Return how often a pair that is the same has the higher similarity; a tie counts half.

    *Hanley and McNeil 1982.* Both sides are in ascending order.

    >>> auc(np.array([0.4, 0.9]), np.array([0.1, 0.4]))
    0.875
    """
    if not len(same) or not len(different):
        return nan
    below = np.searchsorted(different, same, "left")
    upto = np.searchsorted(different, same, "right")
    return float((below + upto).sum() / (2 * len(same) * len(different)))


def threshold_of(different: Array, rate: float) -> float:
    """Return the lowest similarity that at most this share of different pairs lies above.

    >>> threshold_of(np.array([0.1, 0.2, 0.3, 0.4]), 0.25)
    0.3
    """
    allowed = int(rate * len(different) + 1e-9)
    return float(different[len(different) - 1 - allowed])


def study_pairs(
    metrics: Mapping[str, Sequence[ScoredPair]],
    verdicts: Sequence[PairVerdict],
    plan: PairPlan,
    notices: Sequence[str] = (),
) -> PairStudy:
    """Compare the pairs of every metric with people's verdicts; those of models don't count."""
    plan.check()
    people, left_out = of_people(verdicts)
    messages = [*notices, *left_out]
    studied = []
    for metric, rows in metrics.items():
        topics, unknown = _labelled(rows, people, plan)
        if unknown:
            messages.append(
                f"{metric}: {len(unknown)} pairs with a verdict whose events are not in the "
                f"result, left out: {some(unknown)}"
            )
        studied.append(_agreement(metric, topics, plan))
    if not any(metric.same or metric.different for metric in studied):
        raise DataError.of(
            "no pair has both a verdict and a score: are the ids those of the scored events?"
        )
    return PairStudy(
        people=tuple(sorted({verdict.by for verdict in people})),
        part=plan.part,
        rest=plan.rest,
        confidence=plan.confidence,
        seed=plan.seed,
        metrics=tuple(studied),
        notices=tuple(dict.fromkeys(messages)),
    )


def _labelled(
    rows: Sequence[ScoredPair], people: Sequence[PairVerdict], plan: PairPlan
) -> tuple[dict[str, _Topic], list[str]]:
    """Label the pairs of every topic, and name those whose events no row has.

    A pair with a verdict and without a row was not matched, and its similarity is not known.
    """
    groups: dict[tuple[str, str, str], list[ScoredPair]] = {}
    for row in rows:
        groups.setdefault((row.topic, row.system, row.case), []).append(row)
    topics: dict[str, _Topic] = {}
    found: set[tuple[str, str]] = set()
    for (name, system, case), group in groups.items():
        topic, place = topics.setdefault(name, _Topic()), (system, case)
        people_verdicts = verdicts_of(people, topic=name, system=system)
        judged = {(one.gold, one.predicted) for one in people_verdicts}
        verdicts = agreed(people_verdicts)
        golds = {row.gold for row in group}
        predictions = {row.predicted for row in group}
        pairs = {(row.gold, row.predicted): row for row in group if row.gold and row.predicted}
        for (gold, predicted), verdict in verdicts.items():
            if gold in golds and predicted in predictions:
                found.add((gold, predicted))
                absent = ScoredPair(name, gold, predicted, None, False)
                same = plan.same(verdict)
                if same is not None:
                    topic.add(place, pairs.get((gold, predicted), absent), same)
        if plan.rest == "different":
            for pair, row in pairs.items():
                if pair not in judged:
                    topic.add(place, row, False)
    unknown = [
        f"{gold} {predicted}"
        for gold, predicted in agreed(people)
        if (gold, predicted) not in found
    ]
    return topics, unknown


def _agreement(metric: str, topics: Mapping[str, _Topic], plan: PairPlan) -> PairAgreement:
    names = sorted(name for name, topic in topics.items() if topic.labels)
    values = np.array([_figures(name, topics) for name in names]).reshape(len(names), len(_NAMES))
    reasons = dict(_WHY)
    if unknown := sum(topic.unknown for topic in topics.values()):
        # The pairs that were matched are the most similar ones: alone they would show too much.
        values[:, : len(_OF_SIMILARITY)] = nan
        reason = f"the similarity of {unknown} pairs with a verdict is not known"
        reasons |= dict.fromkeys(_OF_SIMILARITY, reason)
    number = affordable(len(names), plan.resamples or RESAMPLES)
    weights = np.empty((0, len(names)))
    if len(names) >= FEWEST_CLUSTERS:
        weights = poisson_weights(tuple(names), plan.seed, number)
    labels = [label for topic in topics.values() for label in topic.labels]
    return PairAgreement(
        metric=metric,
        same=sum(labels),
        different=len(labels) - sum(labels),
        matched=sum(topic.matched for topic in topics.values()),
        right=sum(topic.right for topic in topics.values()),
        figures=tuple(
            _figure(
                name,
                dict(zip(names, values[:, at].tolist(), strict=True)),
                weights,
                plan,
                reasons[name],
            )
            for at, name in enumerate(_NAMES)
        ),
    )


def _figures(name: str, topics: Mapping[str, _Topic]) -> list[float]:
    """Compute the figures of a topic, NaN where one is undefined."""
    topic = topics[name]
    same, different = topic.scores(True), topic.scores(False)
    others = [other.scores(False) for key, other in topics.items() if key != name]
    elsewhere = np.sort(np.concatenate(others)) if others else np.empty(0)
    recalls = [
        float((same > threshold_of(elsewhere, rate)).mean())
        if len(same) and len(elsewhere)
        else nan
        for rate in RATES
    ]
    most = topic.most()
    precision = topic.right / topic.matched if topic.matched else nan
    recall = topic.right / most if most else nan
    # 0 if there is nothing to find or nothing was matched, undefined only if both.
    f1 = 2 * topic.right / (topic.matched + most) if topic.matched + most else nan
    return [auc(same, different), *recalls, precision, recall, f1]


def _figure(
    name: str, by_topic: Mapping[str, float], weights: Array, plan: PairPlan, reason: str
) -> PairFigure:
    """Return the mean over topics, with a percentile interval of resampled topics."""
    values = np.array([*by_topic.values()])
    known = ~np.isnan(values)
    if not known.any():
        return PairFigure(name, None, reason=reason)
    low = high = nan
    if len(weights):
        drawn = weights[:, known].sum(axis=1)
        means = (weights[:, known] @ values[known])[drawn > 0] / drawn[drawn > 0]
        bounds = percentile(means[:, np.newaxis], plan.confidence)
        low, high = float(bounds.low[0]), float(bounds.high[0])
    estimate = Estimate(
        value=float(values[known].mean()),
        low=low,
        high=high,
        method="bootstrap",
        clusters=int(known.sum()),
        reason="" if len(weights) else f"no interval: it needs at least {FEWEST_CLUSTERS} topics",
    )
    return PairFigure(
        name,
        defined(estimate.value),
        estimate.clusters,
        interval_of(estimate, plan.confidence, "topic"),
        estimate.reason,
        {topic: value for topic, value in by_topic.items() if not isnan(value)},
    )
