"""Counts over score thresholds: at each one, only responses that reach it take part.

Pairs are computed once. Connected groups of pairs do not influence each other: a pair that is a
group by itself counts from its score downwards, and only larger groups are matched again, once for
each change in their visible responses. The matching treats each of these as a document, so that
one call matches all of them.

The areas of a curve are computed from its points (responses, correct ones), from the highest
threshold down. A lower threshold can lose a correct pair, since responses are matched again; the
areas then subtract it.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from chronoscore.annotations.columns import Columns, Flags, Integers
from chronoscore.annotations.matching.comparing import SpanComparison, count
from chronoscore.annotations.matching.meetings import SpanPairs
from chronoscore.annotations.matching.optimum import groups
from chronoscore.annotations.model import COUNTERS, Counts
from chronoscore.annotations.parameters import threshold_grid
from chronoscore.core.case import some
from chronoscore.core.evidence_table import StepColumns
from chronoscore.errors import DataError
from chronoscore.statistics.ratios import Array

Levels: TypeAlias = NDArray[np.float64]
_Copies: TypeAlias = tuple[Integers, Integers]

_AT_ONCE = 2_000_000
"""How many pairs are matched again in one call, to bound the memory."""


def thresholds(kind: str, scores: Iterable[float]) -> list[float]:
    """Return the thresholds of a curve, highest first, each once.

    ``all``: every score that occurs. ``rounded``: ``floor(100·score + 1/2) / 100`` of every score,
    which may lie above the score: the response then does not reach its own threshold. ``11`` and
    ``21``: 0 to 1 in steps of 0.1 and 0.05. ``51``: 0 to 0.098 in steps of 0.002, and 1. Or any
    numbers with slashes between them.

    >>> thresholds("rounded", [0.937, 0.5, 0.504])
    [0.94, 0.5]
    >>> thresholds("11", [])[:3]
    [1.0, 0.9, 0.8]
    >>> thresholds("0.25/0.75", [])
    [0.75, 0.25]
    """
    grid = threshold_grid(kind)
    if grid is None and kind == "rounded":
        grid = tuple(math.floor(score * 100 + 0.5) / 100 for score in scores)
    return sorted(set(scores if grid is None else grid), reverse=True)


def levels(kind: str, document: Integers, score: Levels) -> Levels:
    """Return the threshold at which each response appears: the highest one that it reaches.

    Only thresholds of its document count. NaN where it reaches none.
    """
    grid = threshold_grid(kind)
    if grid is not None:
        steps = np.array(sorted({-math.inf, *grid}))
        level = steps[np.searchsorted(steps, score, "right") - 1]
        return np.where(np.isneginf(level), np.nan, level)
    if kind == "all" or not len(score):
        return score
    hundredths = np.floor(score * 100 + 0.5)
    reached = hundredths - (hundredths / 100 > score)  # rounded up: take a lower threshold
    low = hundredths.min() - 1
    width = hundredths.max() - low + 1
    occurring = np.unique(document * width + (hundredths - low))
    at = occurring[
        np.maximum(np.searchsorted(occurring, document * width + (reached - low), "right") - 1, 0)
    ]
    level = at - document * width  # outside of 1 to width, it is another document's
    return np.where((level >= 1) & (level <= reached - low), (level + low) / 100, np.nan)


def difference_curve(
    comparison: SpanComparison, match: Callable[[SpanComparison], SpanPairs], kind: str
) -> StepColumns:
    """Return how the counts change from threshold to threshold t, with responses of score >= t.

    The sum of a document's changes down to t is what a matching of its responses with a score of
    at least t counts (without the targets, which take part at every threshold). So the steps of
    documents add up although their thresholds differ. Where nothing changes there is no step.
    """
    keys, responses, pairs = comparison.keys, comparison.responses, comparison.pairs
    _check_scores(responses)
    level = levels(kind, responses.document, responses.score)
    # Empty responses at a target's start form no pair, but decide whether it is single.
    key = np.concatenate([pairs.key, comparison.near_key])
    response = np.concatenate([pairs.response, comparison.near_response])
    at_key = np.bincount(key, minlength=len(keys))
    at_response = np.bincount(response, minlength=len(responses))
    alone = (at_key[pairs.key] == 1) & (at_response[pairs.response] == 1)
    paired, spurious = pairs.response[alone], np.flatnonzero(at_response == 0)
    changes = [
        (responses.document[paired], level[paired], _PAIR_ALONE[pairs.value[alone]]),
        (
            responses.document[spurious],
            level[spurious],
            np.broadcast_to(_RESPONSE_ALONE, (len(spurious), len(COUNTERS))),
        ),
    ]
    linked = np.flatnonzero(np.append(~alone, np.ones(len(key) - len(pairs), np.bool_)))
    if len(linked):
        links = key[linked], response[linked], linked
        changes.append(_matched_again(comparison, match, level, *links))
    document, threshold, change = (np.concatenate(column) for column in zip(*changes, strict=True))
    return _summed(document, threshold, change, len(keys.documents))


def _row(*counters: str) -> list[int]:
    return list(Counts(**dict.fromkeys(counters, 1)).values)


_STRICT, _LENIENT = "targets_with_strict", "targets_with_lenient"
_RESPONSE_ALONE = np.array(_row("responses"), np.int64)
_PAIR_ALONE = np.array(
    [
        _row("responses", "incorrect_partial", _LENIENT),
        _row("responses", "incorrect_strict", _STRICT, _LENIENT),
        _row("responses", "correct_partial", "single_correct_partial", _LENIENT),
        _row("responses", "correct_strict", "single_correct_strict", _STRICT, _LENIENT),
    ],
    np.int64,
)
"""The counts that the only response at a target adds, by the value of the pair."""


def _summed(document: Integers, threshold: Levels, change: Integers, documents: int) -> StepColumns:
    """Add up the changes of each document and threshold, without those that reach no threshold."""
    reaching = ~np.isnan(threshold)
    document, threshold, change = document[reaching], threshold[reaching], change[reaching]
    order = np.lexsort((-threshold, document))
    document, threshold = document[order], threshold[order]
    first = np.flatnonzero(_changes(document, threshold))
    if not len(first):
        return StepColumns(document, threshold, change, documents)
    total = np.add.reduceat(change[order], first, axis=0)
    any_change = total.any(axis=1)
    places = first[any_change]
    return StepColumns(document[places], threshold[places], total[any_change], documents)


def _changes(first: Integers, second: Levels) -> Flags:
    """Return where either of two columns differs from the row before."""
    new = np.ones(len(first), np.bool_)
    new[1:] = (first[1:] != first[:-1]) | (second[1:] != second[:-1])
    return new


def _matched_again(
    comparison: SpanComparison,
    match: Callable[[SpanComparison], SpanPairs],
    level: Levels,
    key: Integers,
    response: Integers,
    pair: Integers,
) -> tuple[Integers, Levels, Integers]:
    """Return the changes of all groups of connected links, at each level where a response appears.

    A link joins a ``key`` and a ``response``; ``pair`` is its place among the pairs, or beyond them
    if the two are only near.
    """
    keys, k = np.unique(key, return_inverse=True)
    responses, r = np.unique(response, return_inverse=True)
    group = groups(k, r)
    key_group, response_group = np.empty(len(keys), np.int64), np.empty(len(responses), np.int64)
    key_group[k], response_group[r] = group, group
    # The steps of a group are its distinct levels, highest first. `since` is the first step of a
    # group at which a response appears.
    level = level[responses]
    reaching = np.flatnonzero(~np.isnan(level))
    order = reaching[np.lexsort((-level[reaching], response_group[reaching]))]
    new = _changes(response_group[order], level[order])
    step_group, step_level = response_group[order][new], level[order][new]
    step_count = np.bincount(step_group, minlength=int(group.max()) + 1)
    base = np.cumsum(step_count) - step_count
    since = np.full(len(responses), np.iinfo(np.int64).max // 2)
    since[order] = np.cumsum(new) - 1 - base[response_group[order]]
    real = pair < len(comparison.pairs)

    def copies(low: int, high: int, group: Integers, since: Integers | int) -> _Copies:
        """Copy items for each step from low to high, from the step on at which they appear.

        Returns (item, step counted from ``low``), ordered by both.
        """
        first = np.maximum(base[group] + since, low)
        last = np.minimum(base[group] + step_count[group], high)
        number = np.maximum(last - first, 0)
        item = np.repeat(np.arange(len(group), dtype=np.int64), number)
        skip = np.repeat(first - (np.cumsum(number) - number), number)
        return item, np.arange(len(item), dtype=np.int64) + skip - low

    rows = [np.empty((0, len(COUNTERS)), np.int64)]
    cost = np.bincount(group, minlength=len(step_count))[step_group]
    for low, high in _ranges_of_steps(cost):
        # The matching treats each group at each of these steps as a document.
        size = high - low
        key_item, key_step = copies(low, high, key_group, 0)
        response_item, response_step = copies(low, high, response_group, since)
        link, step = copies(low, high, group, since[r])
        key_at = np.searchsorted(key_item * size + key_step, k[link] * size + step)
        response_at = np.searchsorted(response_item * size + response_step, r[link] * size + step)
        is_pair = real[link]
        copied = SpanComparison(
            _moved(comparison.keys, keys[key_item], key_step, size),
            _moved(comparison.responses, responses[response_item], response_step, size),
            replace(
                comparison.pairs.take(pair[link[is_pair]]),
                key=key_at[is_pair],
                response=response_at[is_pair],
            ),
            key_at[~is_pair],
            response_at[~is_pair],
            comparison.question,
        )
        rows.append(count(copied, match(copied)))
    counts = np.concatenate(rows)
    before = np.zeros_like(counts)
    before[1:] = counts[:-1]
    before[base[step_count > 0]] = 0
    change = counts - before
    change[:, COUNTERS.index("targets")] = 0
    document = np.empty(len(step_count), np.int64)
    document[key_group] = comparison.keys.document[keys]
    return document[step_group], step_level, change


def _ranges_of_steps(cost: Integers) -> Iterator[tuple[int, int]]:
    """Yield ranges of steps, each with about `_AT_ONCE` pairs."""
    if len(cost):
        number = np.cumsum(cost) // _AT_ONCE
        yield from pairwise([0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(cost)])


def _moved(side: Columns, places: Integers, step: Integers, size: int) -> Columns:
    return replace(side.take(places), documents=("",) * size, document=step)


def _check_scores(responses: Columns) -> None:
    """Refuse responses without a score; name those of the first document that has such."""
    lacking = np.flatnonzero(~np.isfinite(responses.score))
    if len(lacking):
        first = responses.document[lacking[0]]
        ids = [responses.ids[place] for place in lacking.tolist()]
        document = responses.documents[int(first)]
        raise DataError.of(
            f"document '{document}': a curve needs a finite score for every response; "
            f"without one: {some(ids[: np.count_nonzero(responses.document[lacking] == first)])}"
        )


_AREA_KINDS = ("average_precision", "area", "eleven_point", "roc_area")
AREAS = tuple(f"{how}_{kind}" for how in ("strict", "lenient") for kind in _AREA_KINDS)


def areas(statistics: Array) -> Array:
    """Return the areas of a curve from its counters[t, k], strict and lenient; NaN: undefined."""
    number, responses, strict, partial = statistics.T[:4]  # the first counters
    targets = float(number[0]) if len(number) else 0.0
    values = []
    for correct in (strict, strict + partial):
        over_recall = (average_precision, area, eleven_point)
        values += [of(responses, correct, targets) for of in over_recall]
        values.append(roc_area(responses, correct))
    return np.array(values)


def average_precision(responses: Array, correct: Array, targets: float) -> float:
    """Return the sum of precision at each point, weighted by the recall that the point adds.

    >>> average_precision(np.array([1.0, 2.0, 4.0]), np.array([1.0, 1.0, 2.0]), 2)
    0.75
    """
    nonempty = responses > 0
    if not targets or not nonempty.any():
        return np.nan if not targets else 0.0
    gained = np.diff(correct[nonempty], prepend=0.0)
    return float((gained * correct[nonempty] / responses[nonempty]).sum() / targets)


def area(responses: Array, correct: Array, targets: float) -> float:
    """Return the area under precision over recall, without straight lines between points.

    From one point to the next the wrong responses grow in proportion to the correct ones (Davis and
    Goadrich 2006), so that precision is ``x / (a·x + b)`` for x correct ones. The area has a closed
    form, ``x/a - b/a²·ln(a·x + b)``. Before the first point, precision is that of the first point.

    >>> round(area(np.array([1.0, 4.0]), np.array([1.0, 2.0]), 2), 4)  # a straight line: 0.875
    0.8207
    """
    if not targets:
        return np.nan
    x = np.concatenate([[0.0], correct])
    n = np.concatenate([[0.0], responses])
    changed = np.diff(x) != 0
    x0, x1, n0, n1 = x[:-1][changed], x[1:][changed], n[:-1][changed], n[1:][changed]
    slope = (n1 - n0) / (x1 - x0)
    start = n0 - slope * x0
    through_origin = np.isclose(start, 0.0)
    flat = np.isclose(slope, 0.0)
    a = np.where(flat, 1.0, slope)
    with np.errstate(divide="ignore", invalid="ignore"):
        curved = (x1 - x0) / a - start / a**2 * (np.log(n1) - np.log(n0))
        level = (x1**2 - x0**2) / (2 * start)
    segments = np.where(through_origin, (x1 - x0) / a, np.where(flat, level, curved))
    return float(segments.sum() / targets)


def eleven_point(responses: Array, correct: Array, targets: float) -> float:
    """Return the mean of the highest precision at a recall of at least 0, 0.1, ... 1."""
    if not targets:
        return np.nan
    nonempty = responses > 0
    precision, recall = correct[nonempty] / responses[nonempty], correct[nonempty] / targets
    reached = (precision[recall >= level - 1e-12] for level in np.arange(11) / 10)
    return float(np.mean([precisions.max(initial=0.0) for precisions in reached]))


def roc_area(responses: Array, correct: Array) -> float:
    """Return the area under the ROC curve of scored responses: correct ones against the others.

    Undefined if all responses are of one kind. A missed target has no score, and so this area
    says how well scores sort the responses, not how many targets are found.
    """
    wrong = responses - correct
    if not len(responses) or not correct[-1] or not wrong[-1]:
        return np.nan
    up = np.concatenate([[0.0], correct / correct[-1]])
    along = np.concatenate([[0.0], wrong / wrong[-1]])
    return float(np.trapezoid(up, along))
