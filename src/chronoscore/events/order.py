"""The order of events: which pairs are in one, and how far the other side has them so."""

import numpy as np
from numpy.typing import NDArray

from chronoscore.elements.text.columns import Integers, ends_from_zero
from chronoscore.events.comparison import EventBlock

Array = NDArray[np.float64]


def _comparable(
    first: Integers, last: Integers, is_dated: NDArray[np.bool_], cases: Integers, number: int
) -> Array:
    """Count the pairs of events of a case of which one ends before the other begins."""
    first, last, cases = first[is_dated], last[is_dated], cases[is_dated]
    counts = np.zeros(number)
    starts = np.searchsorted(cases, np.arange(number + 1))
    for case in np.flatnonzero(np.diff(starts) > 1).tolist():
        inside = slice(starts[case], starts[case + 1])
        counts[case] = np.searchsorted(np.sort(last[inside]), first[inside], side="left").sum()
    return counts


def order_counts(block: EventBlock) -> Array:
    """Count comparable pairs of both sides, and how far the other side has them in their order."""
    return block.keep("order", lambda: _count_order(block))


def _count_order(block: EventBlock) -> Array:
    number = len(block)
    sides = block.extents
    pairs = block.matched
    statistics = [
        _comparable(side.first, side.last, side.is_dated, cases, number)
        for side, cases in zip(sides, (block.predicted.case, block.gold.case), strict=True)
    ]
    predicted, gold = sides[0].take(pairs.row), sides[1].take(pairs.column)
    sizes = np.bincount(pairs.case, minlength=number)
    starts = ends_from_zero(sizes)
    concordant = np.zeros((number, 2))
    compared = np.zeros((number, 2))
    for case in np.flatnonzero(sizes > 1).tolist():
        at = slice(starts[case], starts[case + 1])
        signs = [
            np.where(both, _before(one.first[at], one.last[at]), 0)
            for one in (predicted, gold)
            for both in [one.is_dated[at][:, None] & one.is_dated[at]]
        ]
        known = [one.is_dated[at][:, None] & one.is_dated[at] for one in (predicted, gold)]
        for place, (question, answer, answered) in enumerate(
            ((signs[0], signs[1], known[1]), (signs[1], signs[0], known[0]))
        ):
            in_question = question > 0
            compared[case, place] = np.count_nonzero(in_question)
            same = np.count_nonzero(in_question & (answer > 0) & answered)
            tied = np.count_nonzero(in_question & (answer == 0) & answered)
            concordant[case, place] = same + tied / 2
    return np.column_stack(
        [
            concordant[:, 0],
            statistics[0],
            compared[:, 0],
            concordant[:, 1],
            statistics[1],
            compared[:, 1],
        ]
    )


def _before(first: Integers, last: Integers) -> Integers:
    """Return 1 where the event of a row ends before that of a column begins, -1 the reverse."""
    before = last[:, None] < first[None, :]
    return before.astype(np.int64) - before.T
