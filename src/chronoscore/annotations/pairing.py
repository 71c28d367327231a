"""Which spans of two sides meet: found for all documents at once, in time for what is found.

Documents are laid end to end on one line. Two spans overlap if the second starts in the first, or
the first starts in the second, after its start: both are ranges in the order of starts, so that
nothing is looked at that is not a pair, even where one span covers a whole document.
"""

from dataclasses import dataclass

import numpy as np

from chronoscore.annotations.columns import Columns, Flags, Integers
from chronoscore.core import budget

BYTES_A_PAIR = 240
"""About what a pair of spans takes until the best pairs are chosen."""


@dataclass(frozen=True, eq=False)
class Meetings:
    """Spans that meet, by their places on either side.

    ``key`` and ``response`` overlap or are coextensive. ``near_key`` and ``near_response`` don't
    overlap: the response is empty and exactly at the start of a target with text, where GATE's
    range query still finds it.
    """

    key: Integers
    response: Integers
    coextensive: Flags
    overlap: Integers
    """How many characters are shared."""
    near_key: Integers
    near_response: Integers


def meetings(keys: Columns, responses: Columns) -> Meetings:
    """Find all pairs of a target and a response of one document that overlap or are coextensive.

    The two sides must have the same table of documents. Pairs that do not fit into the budget of
    memory are refused before they are made.
    """
    width = 2 + max((int(side.end.max()) for side in (keys, responses) if len(side)), default=0)
    (k_start, k_end, k_order), (r_start, r_end, r_order) = (
        _on_the_line(side, width) for side in (keys, responses)
    )
    before = np.searchsorted(r_start, k_start, "left")
    # Responses that start in a target: from its start to before its end.
    in_targets = _reached(r_start, before, k_end)
    # Targets that start in a response: after its start and before its end.
    after = _not_after(before, len(r_start))
    in_responses = _reached(k_start, after, r_end)
    check_pairs(in_targets, keys, k_order, more=int(in_responses.sum()))
    first, place = _ranges(before, in_targets)
    second, other = _ranges(after, in_responses)
    near_key = near_response = np.empty(0, np.int64)
    empty_response = r_end == r_start
    if empty_response.any():
        near = r_end[place] <= k_start[first]  # empty ones at the start
        near_key, near_response = first[near], place[near]
        first, place = first[~near], place[~near]
    key, response = np.concatenate([first, other]), np.concatenate([place, second])
    start, end, r_first, r_last = k_start[key], k_end[key], r_start[response], r_end[response]
    same = (start == r_first) & (end == r_last)
    overlap = np.minimum(end, r_last, out=end)
    overlap -= np.maximum(start, r_first, out=start)
    # Empty spans at one place are coextensive, though they don't overlap.
    empty_keys, empty_responses = np.flatnonzero(k_end == k_start), np.flatnonzero(empty_response)
    if len(empty_keys) and len(empty_responses):
        at, line = k_start[empty_keys], r_start[empty_responses]
        low = np.searchsorted(line, at, "left")
        count = _reached(line, low, at + 1)
        check_pairs(count, keys, _placed(empty_keys, k_order))
        left, right = _ranges(low, count)
        key = np.concatenate([key, empty_keys[left]])
        response = np.concatenate([response, empty_responses[right]])
        same = np.concatenate([same, np.ones(len(left), np.bool_)])
        overlap = np.concatenate([overlap, np.zeros(len(left), np.int64)])
    key, near_key = _placed(key, k_order), _placed(near_key, k_order)
    response, near_response = _placed(response, r_order), _placed(near_response, r_order)
    return Meetings(key, response, same, overlap, near_key, near_response)


def check_pairs(
    count: Integers, side: Columns, order: Integers | None = None, more: int = 0
) -> None:
    """Refuse pairs that do not fit into the budget of memory.

    ``count`` is how many each span of a side has, ``order`` the places of these spans, and ``more``
    how many there are beside these.
    """
    pairs = int(count.sum()) + more
    if pairs * BYTES_A_PAIR <= budget.limit():
        return
    own = side.document if order is None else side.document[order]
    most = side.documents[int(np.bincount(own, count).argmax())]
    what = f"{pairs:,} pairs of spans are to be compared, most of them in document '{most}'"
    advice = "read in parts (--engine here --chunk 1)" if len(side.documents) > 1 else ""
    budget.check(pairs * BYTES_A_PAIR, what, advice=advice)


def covering(met: Meetings, lengths: Integers, percentage: float) -> Meetings:
    """Only the pairs whose response covers at least so much of its target.

    ``100 * overlap >= percentage * length``, as a product: a quotient would lose 29 of 100
    characters at 29 percent to rounding. Empty spans at one place cover each other.
    """
    kept = met.coextensive | (100 * met.overlap >= percentage * lengths[met.key])
    none = np.empty(0, np.int64)
    return Meetings(
        met.key[kept], met.response[kept], met.coextensive[kept], met.overlap[kept], none, none
    )


def _on_the_line(side: Columns, width: int) -> tuple[Integers, Integers, Integers | None]:
    """Starts and ends in the order of starts, and that order, if it is not the order of the side.

    A fresh array costs more than what is done with it, so that none is made without need.
    """
    start = side.document * width
    end = start + side.end
    start += side.start
    if bool(np.all(start[1:] >= start[:-1])):  # as files mostly are
        return start, end, None
    order = np.argsort(start, kind="stable")
    return start[order], end[order], order


def _placed(at: Integers, order: Integers | None) -> Integers:
    return at if order is None else order[at]


def _not_after(before: Integers, size: int) -> Integers:
    """How many targets start at or before each response, both in order.

    ``before`` says how many responses start before each target: target i is counted for response j
    if no more than j do. So it is told by counting, without a search.
    """
    return np.cumsum(np.bincount(before, minlength=size + 1))[:size]


def _ranges(begin: Integers, count: Integers) -> tuple[Integers, Integers]:
    """For each range of ``count`` places from ``begin``: (number of the range, place)."""
    which = np.repeat(np.arange(len(begin), dtype=np.int64), count)
    ahead = np.cumsum(count)
    ahead -= count
    place = np.repeat(np.subtract(begin, ahead, out=ahead), count)
    place += np.arange(len(place), dtype=np.int64)
    return which, place


def _reached(line: Integers, begin: Integers, high: Integers) -> Integers:
    """How many places of the line from ``begin`` on are below ``high``: mostly none or one.

    Looking at the next place is cheaper than a search, which is left for what reaches further.
    """
    ended = np.append(line, np.iinfo(np.int64).max)
    count = (ended[begin] < high).astype(np.int64)
    left = np.flatnonzero(count)
    more = ended[begin[left] + 1] < high[left]
    if more.any():
        left = left[more]
        count[left] = np.searchsorted(line, high[left], "left") - begin[left]
    return count
