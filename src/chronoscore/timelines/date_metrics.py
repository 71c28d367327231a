"""How right the dates are, whatever the texts say."""

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Mapping, Sequence
from math import inf
from typing import Literal

import numpy as np

from chronoscore.core.evidence import Evidence, Match, Statistic
from chronoscore.core.metric import BrokenLaw, Definition, Law, Parameter, Values
from chronoscore.elements.assignment import maximum_assignment
from chronoscore.elements.periods import Period
from chronoscore.elements.ratios import Array, precision_recall, ratio
from chronoscore.timelines.comparison import Comparison, period_bounds
from chronoscore.timelines.rouge_metrics import (
    BETA,
    EXPLAINED,
    SCORES,
    add_f,
)

ANY_TEXT = "rouge155"
"""Dates need no text: they share the comparison that others make anyway."""


def _number_of_hits(predicted: Sequence[Period], gold: Sequence[Period], tolerance: int) -> int:
    """Count the hits of a maximum matching: each date once, as many hits as possible.

    A date is a hit where the gold's extent, widened by the tolerance, contains the predicted one.
    Predicted dates come in order of their first day; each takes, of the free golds that begin
    early enough, the one that ends first but late enough. A gold that this leaves for later ends
    later and began early enough, so it can serve whatever the other could have served.
    """
    waiting = deque(gold)
    ends: list[int] = []  # of the free golds that begin early enough, ascending
    hits = 0
    for day in predicted:
        while waiting and waiting[0].first.toordinal() - tolerance <= day.first.toordinal():
            insort(ends, waiting.popleft().last.toordinal())
        chosen = bisect_left(ends, day.last.toordinal() - tolerance)
        if chosen < len(ends):
            del ends[chosen]
            hits += 1
    return hits


def _matched(comparison: Comparison, tolerance: int) -> list[tuple[int, int]]:
    """Choose a maximum matching that reads well: most equal dates, then the least days apart."""
    columns = comparison.gold.column
    if tolerance == 0 and comparison.has_days_only:
        days = enumerate(comparison.predicted_dates)
        return [(row, columns[day]) for row, day in days if day in columns]
    first, last = period_bounds(comparison.predicted_dates)
    gold_first, gold_last = comparison.gold.bounds
    early = np.subtract.outer(first, gold_first)
    late = np.subtract.outer(last, gold_last)
    hit = (early >= -tolerance) & (late <= tolerance)
    if not hit.any():
        return []
    apart = (np.abs(early) + np.abs(late)).astype(np.int64)
    most, farthest = min(hit.shape), int(apart[hit].max())
    equal_counts = most * farthest + 1
    hit_counts = most * (equal_counts + farthest) + 1
    weights = hit_counts + equal_counts * (apart == 0) + (farthest - apart)
    return maximum_assignment(np.where(hit, weights, 0).tolist())


def _measure_dates(comparison: Comparison, values: Values) -> Evidence:
    predicted, gold = comparison.predicted_dates, comparison.gold_dates
    if values["tolerance"] == 0 and comparison.has_days_only:
        hits = len(set(predicted) & set(gold))
    else:
        hits = _number_of_hits(predicted, gold, int(str(values["tolerance"])))
    return Evidence((hits, len(predicted), hits, len(gold)))


def _explain_dates(comparison: Comparison, values: Values) -> list[Match]:
    pairs = _matched(comparison, int(str(values["tolerance"])))
    partner_of_row, partner_of_column = dict(pairs), {c: r for r, c in pairs}
    predicted, gold = comparison.predicted_dates, comparison.gold_dates

    def match(
        side: Literal["precision", "recall"], own: Period, other: Period | None, apart: float
    ) -> Match:
        lost = "spurious date" if side == "precision" else "missed date"
        texts = (str(own), str(other) if other else "")
        shown = texts if side == "precision" else texts[::-1]
        return Match(
            side=side,
            outcome="date found" if other else lost,
            credit=1.0 if other else 0.0,
            possible=1.0,
            predicted=shown[0],
            gold=shown[1],
            distance=apart if other else None,
        )

    matches = []
    for row, day in enumerate(predicted):
        column = partner_of_row.get(row)
        apart = 0.0 if column is None else float(comparison.distance[row, column])
        matches.append(match("precision", day, None if column is None else gold[column], apart))
    for column, day in enumerate(gold):
        row_of = partner_of_column.get(column)
        apart = 0.0 if row_of is None else float(comparison.distance[row_of, column])
        matches.append(match("recall", day, None if row_of is None else predicted[row_of], apart))
    return matches


def _counts(found: str) -> tuple[Statistic, ...]:
    return (
        Statistic("precision_credit", "integer", f"predicted {found}"),
        Statistic("predicted_total", "integer", "predicted, in all"),
        Statistic("recall_credit", "integer", f"gold {found}"),
        Statistic("gold_total", "integer", "gold, in all"),
    )


DATE_F1 = Definition(
    name="date-f1",
    meaning="dates that are right, exactly or within a number of days, one to one; a month or "
    "a year of the gold contains its days, but a predicted month or year is no hit for a day",
    citation="Martschat and Markert 2018, A Temporally Sensitive Submodularity Framework for "
    "Timeline Summarization, CoNLL",
    parameters=(
        Parameter("tolerance", "integer", 0, "days by which a date may be off", least=0),
        BETA,
    ),
    statistics=_counts("dates that the other side has"),
    components=SCORES[:2],
    scores=SCORES,
    primary="f1",
    setting=lambda _: ANY_TEXT,
    measure=_measure_dates,
    explain=_explain_dates,
    days=True,
    ratios=precision_recall,
    derive=add_f,
    laws=lambda _: frozenset({Law.IDENTITY, Law.ITEM_ORDER, Law.EXPLAINED, Law.BOUNDED}),
    broken=(
        BrokenLaw(
            Law.SWAP,
            "A predicted day is a hit for the gold month that contains it, but a predicted month "
            "is no hit for a gold day.",
        ),
        BrokenLaw(
            Law.MORE_IS_BETTER,
            "A day already serves the only gold, a month: the month itself, predicted as well, is "
            "one date too many.",
        ),
    ),
    explained=EXPLAINED,
)


def _measure_period(comparison: Comparison, _: Values) -> Evidence:
    """Count the days of the two periods, from the first date to the last, and the common ones."""
    spans = [
        (days[0].first, max(day.last for day in days)) if days else None
        for days in (comparison.predicted_dates, comparison.gold_dates)
    ]
    predicted, gold = ((span[1] - span[0]).days + 1 if span else 0 for span in spans)
    common = 0
    if spans[0] and spans[1]:
        first, last = max(spans[0][0], spans[1][0]), min(spans[0][1], spans[1][1])
        common = max(0, (last - first).days + 1)
    return Evidence((common, predicted, common, gold))


DATE_PERIOD = Definition(
    name="date-period",
    meaning="how far the period from first to last date covers the gold's (recall), and is in it",
    citation="Chronoscore",
    parameters=(BETA,),
    statistics=_counts("days of the period that are in the other's"),
    components=SCORES[:2],
    scores=SCORES,
    primary="recall",
    setting=lambda _: ANY_TEXT,
    measure=_measure_period,
    ratios=precision_recall,
    derive=add_f,
    laws=lambda _: frozenset({Law.IDENTITY, Law.SWAP, Law.ITEM_ORDER, Law.BOUNDED}),
)


def _nearest(comparison: Comparison) -> tuple[Array, Array]:
    """Days from each predicted date to the nearest gold date, and the reverse."""
    distance = comparison.distance
    if not distance.size:
        return np.empty(0), np.empty(0)
    return distance.min(axis=1), distance.min(axis=0)


def _measure_distance(comparison: Comparison, _: Values) -> Evidence:
    to_gold, to_predicted = _nearest(comparison)
    sums = int(to_gold.sum()), len(to_gold), int(to_predicted.sum()), len(to_predicted)
    return Evidence(sums)


def _distance_ranges(_: Values) -> Mapping[str, tuple[float, float]]:
    return {"from_predicted": (0.0, inf), "from_gold": (0.0, inf)}


DATE_DISTANCE = Definition(
    name="date-distance",
    meaning="mean days from a predicted date to the nearest gold date, and from gold to predicted",
    citation="Chronoscore",
    statistics=(
        Statistic("predicted_days", "integer", "days off, over predicted dates"),
        Statistic("predicted_dates", "integer", "predicted dates, where there is a gold"),
        Statistic("gold_days", "integer", "days off, over gold dates"),
        Statistic("gold_dates", "integer", "gold dates, where there is a prediction"),
    ),
    components=("from_predicted", "from_gold"),
    scores=("from_predicted", "from_gold"),
    primary="from_gold",
    better="lower",
    setting=lambda _: ANY_TEXT,
    measure=_measure_distance,
    ranges=_distance_ranges,
    ratios=precision_recall,
    laws=lambda _: frozenset({Law.ITEM_ORDER}),
)


def _measure_histogram(comparison: Comparison, _: Values) -> Evidence:
    to_gold, to_predicted = _nearest(comparison)
    days = sorted({*to_gold.tolist(), *to_predicted.tolist()}, reverse=True)
    steps = tuple(
        (day, (int((to_gold == day).sum()), int((to_predicted == day).sum()))) for day in days
    )
    return Evidence((0, 0), steps=steps)


DATE_DISTANCE_MEDIAN = Definition(
    name="date-distance-median",
    meaning="median days from a predicted date to the nearest gold date, and from gold to "
    "predicted, over all dates of all timelines",
    citation="Chronoscore",
    statistics=(
        Statistic("predicted_dates", "integer", "predicted dates, where there is a gold"),
        Statistic("gold_dates", "integer", "gold dates, where there is a prediction"),
    ),
    components=("from_predicted", "from_gold"),
    scores=("from_predicted", "from_gold"),
    primary="from_gold",
    better="lower",
    setting=lambda _: ANY_TEXT,
    measure=_measure_histogram,
    ranges=_distance_ranges,
    ratios=lambda statistics, _: ratio(np.zeros_like(statistics), np.zeros_like(statistics)),
    laws=lambda _: frozenset({Law.ITEM_ORDER}),
    curve="median",
)
