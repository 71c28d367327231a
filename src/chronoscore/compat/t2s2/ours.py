"""The scores of our own events family for a run: the same rows, without the scorer's faults.

A line that names the columns is no event, every gold document counts, and events are matched one to
one in the best way. Texts are as similar as 1 - their distance; where only the scorer's matches are
known, they are the possible pairs. The closeness of times is 1 - ln(1 + e) / ln(1 + 8766) for an
error of e hours.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chronoscore.compat.t2s2.reading import SeriesRow, as_numeric, is_header
from chronoscore.compat.t2s2.runs import Documents, MatchedSystem
from chronoscore.elements.dated.model import DatedEvent, Timeline
from chronoscore.elements.time import Time, TimeError
from chronoscore.elements.time.reading import Rules, read_time
from chronoscore.events.comparison import EventBlock, EventSetting
from chronoscore.events.order import order_counts

Array = NDArray[np.float64]
HOURS = Rules(dialect="offset", unit="hour")
CLOSENESS = "log(unit=hour,horizon=1y)"
DAY = 24
"""The hours of a day."""


@dataclass(frozen=True)
class SeriesScores:
    """Our scores of a system; NaN where there is nothing to divide by."""

    precision: float
    recall: float
    f1: float
    order_precision: float
    order_recall: float
    concordance: float
    """The median over documents of the share of pairs of matched events in the gold's order."""
    median_error: float
    mean_error: float
    credit: float
    """The mean closeness of times of matched events, of those whose gold event has a time."""
    credit_over_gold: float
    """Its sum over all gold events."""
    within_day: float
    """The share of pairs with both times that are at most a day apart."""


class DistanceBlock(EventBlock):
    """Documents whose events are as similar as their given distances say."""

    def __init__(self, run: MatchedSystem, missing: Documents, threshold: float) -> None:
        self._given = {name: _similarities(run, name) for name in run.gold}
        gold = {**run.gold, **missing}
        setting = EventSetting(
            unit="entry", closeness=CLOSENESS, time_weight=0.0, threshold=1 - threshold
        )
        super().__init__(
            [_timeline(run.predicted.get(name, ())) for name in gold],
            [(_timeline(rows),) for rows in gold.values()],
            setting,
            topics=[*gold],
        )

    @cached_property
    def similarity(self) -> Array:
        """1 - the distance of each cell."""
        values = np.zeros(len(self.cells))
        for case, (rows, columns, table) in enumerate(self.cells.tables(values)):
            if table.size:
                given = self._given[self.topics[case]]
                places = [
                    [int(event.id) for event in side]
                    for side in (self.gold.events[columns], self.predicted.events[rows])
                ]
                table[:] = given[np.ix_(*places)].T
        return values


def our_scores(run: MatchedSystem, missing: Documents, threshold: float) -> SeriesScores:
    """Score a run by the events family; `missing` are the gold documents that the system lacks."""
    block = DistanceBlock(run, missing, threshold)
    pairs = block.matched
    matched, predicted, gold = len(pairs.cell), len(block.predicted.events), len(block.gold.events)
    counts = order_counts(block)
    total = counts.sum(axis=0)
    is_ordered = counts[:, 5] > 0
    asked = block.extents[1].is_dated[pairs.column]
    errors = block.distance[block.both_dated & np.isfinite(block.distance)]
    credit = float(block.timed[asked].sum())
    return SeriesScores(
        precision=_ratio(matched, predicted),
        recall=_ratio(matched, gold),
        f1=_ratio(2 * matched, predicted + gold),
        order_precision=_ratio(total[0], total[1]),
        order_recall=_ratio(total[3], total[4]),
        concordance=_median(counts[is_ordered, 3] / counts[is_ordered, 5]),
        median_error=_median(errors),
        mean_error=_ratio(errors.sum(), len(errors)),
        credit=_ratio(credit, int(asked.sum())),
        credit_over_gold=_ratio(credit, gold),
        within_day=_ratio(int((errors <= DAY).sum()), len(errors)),
    )


def _similarities(run: MatchedSystem, name: str) -> Array:
    """Return the similarity of gold rows and predicted rows, whatever is an event of them."""
    if run.distances is not None:
        values = 1 - np.array(run.distances[name], np.float64)
    else:
        values = np.zeros((len(run.gold[name]), len(run.predicted[name])))
        for match in run.matches.get(name, ()):
            if match.predicted is not None:
                values[match.gold - 1, match.predicted - 1] = 1 - match.distance
    return np.clip(values, 0.0, 1.0)


def _timeline(rows: Sequence[SeriesRow]) -> Timeline:
    """Return rows as events with their places as ids; a row without an event is none."""
    first = 1 if rows and is_header(rows[0]) else 0
    return Timeline(
        events=tuple(
            DatedEvent(_time(row.time), row.event, str(place))
            for place, row in enumerate(rows)
            if place >= first and row.event is not None
        )
    )


def _time(written: str | None) -> Time | None:
    hours = as_numeric((written or "").replace("\\", ""))
    if hours is None or not math.isfinite(hours):
        return None
    try:
        return read_time(f"{hours:.9f}", HOURS).time
    except TimeError:
        return None


def _ratio(part: float, whole: float) -> float:
    return float(part) / float(whole) if whole else math.nan


def _median(values: Array) -> float:
    return float(np.median(values)) if len(values) else math.nan
