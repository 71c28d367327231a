"""The threshold of a match: chosen from golds alone, or from people's verdicts on pairs.

Without labels, two golds of one topic are matched with each other. A pair of events not more than
a few days apart is taken to be right. How many such pairs arise by chance shows a second
matching, in which each text of one gold is replaced by another text of the same gold that is told
of a time far away: what it matches within a few days is never the same event.

With labels, the threshold is that of the best F1 on people's pairs. What it is worth on new topics
shows each topic under the threshold of the others.

Neither looks at a prediction that is to be scored.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple, TypeVar
from unicodedata import normalize

import msgspec
import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from chronoscore.core.case import some
from chronoscore.core.metric import Metric
from chronoscore.core.result import Interval
from chronoscore.elements.assignment import most_pairs
from chronoscore.elements.dated.cases import TimelineCase, Timelines
from chronoscore.elements.dated.model import DatedEvent, Timeline
from chronoscore.elements.dated.values import LANGUAGE
from chronoscore.elements.text.columns import Integers
from chronoscore.elements.time import Time
from chronoscore.elements.time.closeness import Closeness, Extents
from chronoscore.elements.verdicts import PARTS, PairVerdict, agreed, of_people, verdicts_of
from chronoscore.errors import DataError, UsageError
from chronoscore.events.comparison import EventBlock, EventSetting
from chronoscore.events.model import events_of
from chronoscore.reports.table import plural
from chronoscore.statistics.correlation import FEWEST_CLUSTERS
from chronoscore.statistics.drawing import affordable, poisson_weights, stream
from chronoscore.statistics.intervals import percentile

Array = NDArray[np.float64]
Events = tuple[DatedEvent, ...]
Item = TypeVar("Item")
MOST_COPIED = 0.3
"""The share of texts that two golds may have in common: others are copies, and easy to match."""
RESAMPLES = 2000
_CELLS_TOGETHER = 2_000_000
"""Pairs of events that are compared at once."""
_MOST_THRESHOLDS = 1000
_FEW_MATCHES = 50
"""Matches below which a notice says that a threshold rests on few."""
_EQUAL = 1e-12
"""Two F1 not further apart than this are equal."""
_IN_DAYS = Closeness.parse("near")
_SAME, _DIFFERENT, _NEITHER = 1.0, 0.0, -1.0
"""The labels of cells: what people call them, or that they don't count."""


@dataclass(frozen=True)
class ThresholdPlan:
    """The settings of one choice."""

    lowest: float = 0.1
    highest: float = 0.4
    step: float = 0.01
    chance: float = 0.05
    """The share of matches that may arise by chance."""
    near: float = 3.0
    """Days within which a match of two golds is taken to be right."""
    far: float = 30.0
    """Days from which on a text can't tell of the same event."""
    draws: int = 5
    """How often the texts of each side are replaced."""
    part: str = "same"
    """What the verdict `part` counts as: same, different, or skip for neither."""
    rest: str = "skip"
    """What pairs without a verdict count as: different, or skip."""
    confidence: float = 0.95
    seed: int = 0
    resamples: int | None = None

    @property
    def thresholds(self) -> list[float]:
        """The thresholds that are tried, ascending.

        >>> ThresholdPlan(lowest=0.2, highest=0.23).thresholds
        [0.2, 0.21, 0.22, 0.23]
        """
        number = int((self.highest - self.lowest) / self.step + 1e-9) + 1
        return [round(self.lowest + at * self.step, 6) for at in range(number)]

    def check(self) -> None:
        """Raise UsageError for settings that can't be computed."""
        if not 0 <= self.lowest <= self.highest < 1:
            raise UsageError(
                f"--lowest is {self.lowest:g} and --highest {self.highest:g}, expected thresholds "
                "from 0 to below 1, the lowest first"
            )
        if not self.step > 0 or (self.highest - self.lowest) / self.step >= _MOST_THRESHOLDS:
            raise UsageError(
                f"--step is {self.step:g}, expected one above 0 that gives at most "
                f"{_MOST_THRESHOLDS} thresholds"
            )
        for name in ("chance", "confidence"):
            if not 0 < getattr(self, name) < 1:
                raise UsageError(
                    f"--{name} is {getattr(self, name):g}, expected a share between 0 and 1"
                )
        if not 0 <= self.near < self.far:
            raise UsageError(
                f"--near is {self.near:g} and --far {self.far:g}, expected 0 or more days, and "
                "more of them for --far"
            )
        if self.part not in PARTS:
            raise UsageError(f"no way '{self.part}' to count parts; there are: {', '.join(PARTS)}")


class ChanceRow(msgspec.Struct, frozen=True):
    """What a threshold matches between golds."""

    threshold: float
    matches: int
    """Pairs of events of two golds of one topic, not more than a few days apart."""
    chance: float
    """How many of such pairs arise by chance, over all draws in the mean."""
    share: float | None
    """Chance among the matches; None if there are none."""


class ChanceStudy(msgspec.Struct, frozen=True, kw_only=True):
    """The document of a choice from golds alone."""

    format: Literal["chronoscore-threshold"] = "chronoscore-threshold"
    version: int = 1
    metric: str
    """The metric whose setting was tried."""
    threshold: float | None
    """The smallest one with no more chance than is allowed; None if there is none."""
    name: str
    """The metric with this threshold; empty if there is none."""
    limit: float
    """The share of chance that is allowed."""
    rows: tuple[ChanceRow, ...]
    topics: int
    golds: int
    pairs: int
    """Pairs of golds that were compared."""
    near: float
    far: float
    draws: int
    seed: int
    notices: tuple[str, ...] = ()


class F1Row(msgspec.Struct, frozen=True):
    """How well the pairs of a threshold agree with people: means over topics."""

    threshold: float
    precision: float | None
    recall: float | None
    f1: float


class LeftOutTopic(msgspec.Struct, frozen=True):
    """A topic under the threshold that is best for the other topics."""

    topic: str
    same: int
    """The most of people's pairs that a one-to-one matching can have."""
    threshold: float | None
    """None if there is no other topic."""
    matched: int | None
    right: int | None
    f1: float | None


class VerdictStudy(msgspec.Struct, frozen=True, kw_only=True):
    """The document of a choice from people's verdicts."""

    format: Literal["chronoscore-threshold-verdicts"] = "chronoscore-threshold-verdicts"
    version: int = 1
    metric: str
    threshold: float
    interval: Interval | None
    """Of the threshold: topics are resampled, and the best is chosen for each resample."""
    name: str
    f1: float
    """Of the threshold on the topics by which it was chosen."""
    left_out: float | None
    """The mean F1 of topics, each under the threshold of the others."""
    left_out_interval: Interval | None
    rows: tuple[F1Row, ...]
    topics: tuple[LeftOutTopic, ...]
    people: tuple[str, ...]
    part: str
    rest: str
    confidence: float
    seed: int
    notices: tuple[str, ...] = ()


def with_threshold(metric: Metric, threshold: float) -> str:
    """Name the metric with this threshold.

    >>> from chronoscore.events.family import FAMILY
    >>> with_threshold(FAMILY.metric("event-f1(similarity=rouge-1L)"), 0.25)
    'event-f1(similarity=rouge-1L,threshold=0.25)'
    """
    items = tuple((name, threshold if name == "threshold" else v) for name, v in metric.items)
    return structs.replace(metric, items=items).brief


def tried_setting(metric: Metric) -> EventSetting:
    """Return the setting that is tried; refuse one in which texts don't decide."""
    setting = metric.setting
    assert isinstance(setting, EventSetting)
    if setting.verdicts:
        raise UsageError(
            f"{metric.brief}: a threshold is chosen for the similarity of texts, which verdicts= "
            "would replace: leave it out of the metric"
        )
    return setting


# From golds alone


class _Gold:
    """A gold of a topic: its events, and the texts that lie far from each."""

    def __init__(self, timeline: Timeline, setting: EventSetting) -> None:
        self.events = events_of(timeline, setting.unit)
        self.texts = [normalize("NFC", event.text).strip() for event in self.events]
        self._extents = _extents([event.time for event in self.events], setting.zone)
        self._far: dict[Time | None, Integers] = {}

    def copied(self, other: "_Gold") -> float:
        """Return the share of its texts that another gold has too."""
        texts = {*other.texts}
        return sum(text in texts for text in self.texts) / len(self.texts)

    def replaced(self, far: float, random: np.random.Generator) -> Events:
        """Replace the text of each event by one that is far away; leave out those without one."""
        events = []
        for at, event in enumerate(self.events):
            if event.time not in self._far:
                self._far[event.time] = self._far_from(at, far)
            if len(places := self._far[event.time]):
                text = self.events[places[random.integers(len(places))]].text
                events.append(DatedEvent(event.time, text, labels=event.labels))
        return tuple(events)

    def _far_from(self, at: int, far: float) -> Integers:
        extents = self._extents
        here = extents.take(np.full(len(self.events), at))
        is_far = _IN_DAYS.distance(here, extents) >= far
        return np.flatnonzero(is_far & here.is_dated & extents.is_dated)


class _GoldPair(NamedTuple):
    topic: str
    names: tuple[str, str]
    golds: tuple[_Gold, _Gold]
    language: str

    @property
    def name(self) -> str:
        return f"{self.topic}: {' and '.join(self.names)}"


def _extents(times: Sequence[Time | None], zone: int) -> Extents:
    return Extents.of(times, _IN_DAYS.grain(), zone, exact_offsets=True)


def chance_study(
    golds: Timelines,
    metric: Metric,
    plan: ThresholdPlan,
    languages: Mapping[str, str] | None = None,
) -> ChanceStudy:
    """Match golds with each other, and again with texts that can't be right, at every threshold."""
    plan.check()
    setting = tried_setting(metric)
    pairs, copies = _pairs(golds, setting, languages or {})
    messages = []
    if copies:
        messages.append(
            f"{plural(len(copies), 'pair')} of golds left out, since more than {MOST_COPIED:.0%} "
            f"of the texts of one are copies of the other's: {some(copies)}"
        )
    sizes = [len(pair.golds[0].events) * len(pair.golds[1].events) for pair in pairs]
    batches = [*_batches(pairs, sizes)]
    real = sum(_near_matches(batch, [_sides(p) for p in batch], setting, plan) for batch in batches)
    chance, share = _by_chance(batches, setting, plan)
    if share < 1:
        messages.append(
            f"{1 - share:.1%} of the events have no text of their gold {plan.far:g} days away: "
            "chance is counted without them and raised in proportion"
        )
    rows = tuple(
        ChanceRow(
            threshold, int(matches), float(drawn), float(drawn / matches) if matches else None
        )
        for threshold, matches, drawn in zip(
            plan.thresholds, np.asarray(real).tolist(), chance.tolist(), strict=True
        )
    )
    best = next((row for row in rows if row.share is not None and row.share <= plan.chance), None)
    chosen = None if best is None else best.threshold
    if best is not None and best.matches < _FEW_MATCHES:
        messages.append(
            f"the threshold rests on {best.matches} matches, and chance on fewer: take golds of "
            "more topics or writers if you can"
        )
    return ChanceStudy(
        metric=metric.brief,
        threshold=chosen,
        name="" if chosen is None else with_threshold(metric, chosen),
        limit=plan.chance,
        rows=rows,
        topics=len({pair.topic for pair in pairs}),
        golds=len({(pair.topic, name) for pair in pairs for name in pair.names}),
        pairs=len(pairs),
        near=plan.near,
        far=plan.far,
        draws=plan.draws,
        seed=plan.seed,
        notices=tuple(messages),
    )


def _pairs(
    golds: Timelines, setting: EventSetting, languages: Mapping[str, str]
) -> tuple[list[_GoldPair], list[str]]:
    """Return the pairs of golds of each topic, and the names of those that are copies."""
    pairs: list[_GoldPair] = []
    copies: list[str] = []
    for topic, named in sorted(golds.items()):
        prepared = {name: _Gold(timeline, setting) for name, timeline in sorted(named.items())}
        nonempty = {name: gold for name, gold in prepared.items() if gold.events}
        for one, other in combinations(nonempty, 2):
            both = nonempty[one], nonempty[other]
            pair = _GoldPair(topic, (one, other), both, languages.get(topic, ""))
            if max(both[0].copied(both[1]), both[1].copied(both[0])) > MOST_COPIED:
                copies.append(pair.name)
            else:
                pairs.append(pair)
    if not pairs:
        what = (
            f"every two golds of one topic are copies of each other: {some(copies)}"
            if copies
            else f"no topic has two golds with events ({plural(len(golds), 'topic')})"
        )
        raise DataError.of(
            f"{what}; a threshold is chosen by comparing golds of different writers on one topic: "
            "add such golds, take those of another collection, or give people's verdicts on pairs "
            "with --verdicts FILE PREDICTED..."
        )
    return pairs, copies


def _batches(items: Sequence[Item], sizes: Sequence[int]) -> Iterator[list[Item]]:
    """Yield items whose sizes add up to what is compared at once, or one that is larger."""
    batch: list[Item] = []
    total = 0
    for item, size in zip(items, sizes, strict=True):
        if batch and total + size > _CELLS_TOGETHER:
            yield batch
            batch, total = [], 0
        batch.append(item)
        total += size
    if batch:
        yield batch


def _sides(pair: _GoldPair) -> tuple[Events, Events]:
    return pair.golds[0].events, pair.golds[1].events


def _near_matches(
    pairs: Sequence[_GoldPair],
    sides: Sequence[tuple[Events, Events]],
    setting: EventSetting,
    plan: ThresholdPlan,
) -> Array:
    """Count the matches of these sides that are not more than a few days apart."""
    block = _block(
        [Timeline(events=first) for first, _ in sides],
        [Timeline(events=second) for _, second in sides],
        setting,
        [pair.language for pair in pairs],
    )
    times = block.predicted.times()
    extents = _extents([*times, *block.gold.times()], setting.zone)
    numbers = []
    for threshold in plan.thresholds:
        chosen = block.matched_cells(threshold)
        first = extents.take(block.cells.row[chosen])
        second = extents.take(block.cells.column[chosen] + len(times))
        is_near = _IN_DAYS.distance(first, second) <= plan.near
        numbers.append(np.count_nonzero(is_near & first.is_dated & second.is_dated))
    return np.array(numbers, np.float64)


def _block(
    predicted: Sequence[Timeline],
    golds: Sequence[Timeline],
    setting: EventSetting,
    languages: Sequence[str],
) -> EventBlock:
    known = tuple(languages) if any(languages) else ()
    return EventBlock(predicted, [(gold,) for gold in golds], setting, known)


def _by_chance(
    batches: Sequence[Sequence[_GoldPair]], setting: EventSetting, plan: ThresholdPlan
) -> tuple[Array, float]:
    """Count matches by chance, as if every event could be replaced; and how many could be."""
    total, replaced, every = np.zeros(len(plan.thresholds)), 0, 0
    for batch in batches:
        for draw in range(plan.draws):
            for side in (0, 1):
                sides = [_drawn(pair, side, draw, plan) for pair in batch]
                total += _near_matches(batch, sides, setting, plan)
                replaced += sum(len(drawn[side]) for drawn in sides)
                every += sum(len(pair.golds[side].events) for pair in batch)
    if not replaced:
        raise DataError.of(
            f"no event has a text of its gold that is {plan.far:g} days away, so that chance can't "
            "be estimated: give a smaller number of days by --far"
        )
    share = replaced / every
    return total / (2 * plan.draws) / share, share


def _drawn(pair: _GoldPair, side: int, draw: int, plan: ThresholdPlan) -> tuple[Events, Events]:
    """Replace the texts of one side; the numbers depend on the names of the golds alone."""
    name = "\0".join((pair.topic, *pair.names, str(side), str(draw)))
    drawn = pair.golds[side].replaced(plan.far, stream(name, plan.seed))
    return (drawn, pair.golds[1].events) if side == 0 else (pair.golds[0].events, drawn)


# From verdicts


class _Counts(NamedTuple):
    """What a topic has at every threshold."""

    matched: Array
    """Pairs that count."""
    right: Array
    """Of these, those that people call the same."""
    most: int
    """The most of people's pairs that a one-to-one matching can have."""

    def plus(self, other: "_Counts | None") -> "_Counts":
        if other is None:
            return self
        matched, right = self.matched + other.matched, self.right + other.right
        return _Counts(matched, right, self.most + other.most)

    @property
    def f1(self) -> Array:
        return np.asarray(2 * self.right / (self.matched + self.most))


def verdict_study(
    cases: Mapping[str, Sequence[TimelineCase]],
    verdicts: Sequence[PairVerdict],
    metric: Metric,
    plan: ThresholdPlan,
) -> VerdictStudy:
    """Choose the threshold of the best F1, and check each topic by the threshold of the others.

    `cases` are those of each system whose events people judged. Verdicts of models don't count.
    """
    plan.check()
    setting = tried_setting(metric)
    people, messages = of_people(verdicts)
    every, unknown = _topics(cases, people, setting, plan)
    if unknown:
        messages.append(
            f"{plural(len(unknown), 'pair')} with a verdict whose events are in no file left "
            f"out: {some(unknown)}"
        )
    topics = {name: counts for name, counts in sorted(every.items()) if counts.most}
    if not topics:
        raise DataError.of("people call no pair the same: there is no pair to find")
    if without := sorted(every.keys() - topics.keys()):
        messages.append(
            f"{plural(len(without), 'topic')} in which people call no pair the same left out: "
            f"{some(without)}"
        )
    if len(topics) < FEWEST_CLUSTERS:
        messages.append(f"no intervals: they need at least {FEWEST_CLUSTERS} topics")
    return _studied(topics, metric, plan, people, messages)


def _studied(
    topics: Mapping[str, _Counts],
    metric: Metric,
    plan: ThresholdPlan,
    people: Iterable[PairVerdict],
    messages: Sequence[str],
) -> VerdictStudy:
    thresholds, f1 = plan.thresholds, np.stack([counts.f1 for counts in topics.values()])
    best = _best(f1.mean(axis=0))
    if not f1.any():
        raise DataError.of(
            f"no threshold from {thresholds[0]:g} to {thresholds[-1]:g} matches a pair that people "
            "call the same: try others with --lowest and --highest, or another similarity with -m"
        )
    if best in (0, len(thresholds) - 1) and len(thresholds) > 1:
        way_out = "--lowest" if best == 0 else "--highest"
        messages = [*messages, f"the best threshold is the last one tried: see also {way_out}"]
    left_out = [*_left_out(topics, f1, thresholds)]
    known = np.array([row.f1 for row in left_out if row.f1 is not None])
    bounds: tuple[Interval | None, Interval | None] = None, None
    if len(topics) >= FEWEST_CLUSTERS:
        weights = poisson_weights(
            tuple(topics), plan.seed, affordable(len(topics), plan.resamples or RESAMPLES)
        )
        chosen = np.array([thresholds[_best(values)] for values in weights @ f1])
        means = weights @ known / weights.sum(axis=1)
        bounds = _interval(chosen, plan, len(topics)), _interval(means, plan, len(topics))
    return VerdictStudy(
        metric=metric.brief,
        threshold=thresholds[best],
        interval=bounds[0],
        name=with_threshold(metric, thresholds[best]),
        f1=float(f1[:, best].mean()),
        left_out=float(known.mean()) if len(known) else None,
        left_out_interval=bounds[1],
        rows=tuple(_f1_rows(topics, f1, thresholds)),
        topics=tuple(left_out),
        people=tuple(sorted({verdict.by for verdict in people})),
        part=plan.part,
        rest=plan.rest,
        confidence=plan.confidence,
        seed=plan.seed,
        notices=tuple(messages),
    )


def _best(f1: Array) -> int:
    """Return the place of the best F1; of equal ones the middle, since the top is often flat.

    >>> _best(np.array([0.1, 0.4, 0.4, 0.4, 0.2]))
    2
    """
    best = np.flatnonzero(f1 >= f1.max() - _EQUAL)
    return int(best[len(best) // 2])


def _left_out(
    topics: Mapping[str, _Counts], f1: Array, thresholds: Sequence[float]
) -> Iterator[LeftOutTopic]:
    for at, (name, counts) in enumerate(topics.items()):
        others = np.delete(f1, at, axis=0)
        if not len(others):
            yield LeftOutTopic(name, counts.most, None, None, None, None)
            continue
        best = _best(others.mean(axis=0))
        matched, right = int(counts.matched[best]), int(counts.right[best])
        yield LeftOutTopic(name, counts.most, thresholds[best], matched, right, float(f1[at, best]))


def _f1_rows(
    topics: Mapping[str, _Counts], f1: Array, thresholds: Sequence[float]
) -> Iterator[F1Row]:
    for at, threshold in enumerate(thresholds):
        several = [(one.right[at], one.matched[at], one.most) for one in topics.values()]
        precisions = [right / matched for right, matched, _ in several if matched]
        recalls = [right / most for right, _, most in several]
        yield F1Row(
            threshold,
            float(np.mean(precisions)) if precisions else None,
            float(np.mean(recalls)),
            float(f1[:, at].mean()),
        )


def _interval(values: Array, plan: ThresholdPlan, clusters: int) -> Interval:
    bounds = percentile(values[:, np.newaxis], plan.confidence)
    low, high = float(bounds.low[0]), float(bounds.high[0])
    return Interval(low, high, plan.confidence, "bootstrap", clusters, "topic")


def _topics(
    cases: Mapping[str, Sequence[TimelineCase]],
    people: Sequence[PairVerdict],
    setting: EventSetting,
    plan: ThresholdPlan,
) -> tuple[dict[str, _Counts], list[str]]:
    """Count the pairs of every topic, and name those with a verdict whose events no file has."""
    found: set[tuple[str, str]] = set()
    topics: dict[str, _Counts] = {}
    for system, several in cases.items():
        sizes = [len(case.predicted.events) * len(case.gold[0].events) for case in several]
        for batch in _batches(several, sizes):
            block = _block(
                [case.predicted for case in batch],
                [case.gold[0] for case in batch],
                setting,
                [case.tags.get(LANGUAGE, "") for case in batch],
            )
            for topic, counts in _counted_cases(block, batch, system, people, plan, found):
                if counts.most or counts.matched.any():
                    topics[topic] = counts.plus(topics.get(topic))
    if not found:
        has_ids = any(
            event.id
            for several in cases.values()
            for case in several
            for event in (*case.predicted.events, *case.gold[0].events)
        )
        raise DataError.of(
            "no verdict is on two events of the files: are its ids those of the field 'id'?"
            if has_ids
            else "no event has an id, and verdicts name events by their ids: give files of events "
            "(events.jsonl) with the field 'id'"
        )
    pairs = dict.fromkeys((verdict.gold, verdict.predicted) for verdict in people)
    return topics, [
        f"{gold} {predicted}" for gold, predicted in pairs if (gold, predicted) not in found
    ]


def _counted_cases(
    block: EventBlock,
    batch: Sequence[TimelineCase],
    system: str,
    people: Sequence[PairVerdict],
    plan: ThresholdPlan,
    found: set[tuple[str, str]],
) -> Iterator[tuple[str, _Counts]]:
    """Yield the topic of each case and what it has; add the pairs with a verdict to `found`."""
    labels = np.full(len(block.cells), _DIFFERENT if plan.rest == "different" else _NEITHER)
    most = []
    for case, (rows, columns, table) in zip(batch, block.cells.tables(labels), strict=True):
        places = [
            {event.id: at for at, event in enumerate(events) if event.id}
            for events in (block.gold.events[columns], block.predicted.events[rows])
        ]
        chosen = verdicts_of(people, topic=case.tags["topic"], system=system)
        judged = {(v.gold, v.predicted) for v in chosen}
        judged = {
            (gold, other) for gold, other in judged if gold in places[0] and other in places[1]
        }
        found |= judged
        decided = agreed(chosen)
        same = []
        for gold, other in judged:
            verdict = decided.get((gold, other))
            is_same = None if verdict is None else verdict.is_same(plan.part)
            label = _SAME if is_same else _DIFFERENT
            table[places[1][other], places[0][gold]] = _NEITHER if is_same is None else label
            if is_same:
                same.append((gold, other))
        most.append(most_pairs(same))
    matched, right = np.zeros((2, len(batch), len(plan.thresholds)))
    for at, threshold in enumerate(plan.thresholds):
        cells = block.matched_cells(threshold)
        cases = block.predicted.case[block.cells.row[cells]]
        matched[:, at] = block.sums(cases[labels[cells] != _NEITHER])
        right[:, at] = block.sums(cases[labels[cells] == _SAME])
    for at, case in enumerate(batch):
        yield case.tags["topic"], _Counts(matched[at], right[at], most[at])
