"""Which spans of two sides meet: found for all documents at once, in time for what is found.

Documents are laid end to end on one line. Two spans overlap if the second starts in the first, or
the first starts in the second, after its start: both are ranges in the order of starts, so that
nothing is looked at that is not a pair, even where one span covers a whole document.
"""

from dataclasses import dataclass

import numpy as np

from chronoscore.annotations.columns import Columns, Flags, Integers


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

    The two sides must have the same table of documents.
    """
    width = 2 + max((int(side.end.max()) for side in (keys, responses) if len(side)), default=0)
    (k_start, k_end), (r_start, r_end) = (
        (side.document * width + side.start, side.document * width + side.end)
        for side in (keys, responses)
    )
    k_order, r_order = _order(k_start), _order(r_start)
    k_sorted, r_sorted = k_start[k_order], r_start[r_order]
    # Responses that start in a target: from its start to before its end.
    first, place = _ranges(r_sorted, k_sorted, k_end[k_order], "left")
    key, response = k_order[first], r_order[place]
    real = r_end[response] > k_start[key]  # all but empty ones at the start
    near_key, near_response = key[~real], response[~real]
    # Targets that start in a response: after its start and before its end.
    second, other = _ranges(k_sorted, r_sorted, r_end[r_order], "right")
    key = np.concatenate([key[real], k_order[other]])
    response = np.concatenate([response[real], r_order[second]])
    same = (k_start[key] == r_start[response]) & (k_end[key] == r_end[response])
    overlap = np.minimum(k_end[key], r_end[response]) - np.maximum(k_start[key], r_start[response])
    # Empty spans at one place are coextensive, though they don't overlap.
    empty_keys = k_order[k_end[k_order] == k_sorted]
    empty_responses = r_order[r_end[r_order] == r_sorted]
    if len(empty_keys) and len(empty_responses):
        at = k_start[empty_keys]
        left, right = _ranges(r_start[empty_responses], at, at + 1, "left")
        key = np.concatenate([key, empty_keys[left]])
        response = np.concatenate([response, empty_responses[right]])
        same = np.concatenate([same, np.ones(len(left), np.bool_)])
        overlap = np.concatenate([overlap, np.zeros(len(left), np.int64)])
    return Meetings(key, response, same, overlap, near_key, near_response)


def _order(starts: Integers) -> Integers:
    if np.all(starts[1:] >= starts[:-1]):  # as files mostly are
        return np.arange(len(starts), dtype=np.int64)
    return np.argsort(starts, kind="stable")


def _ranges(line: Integers, low: Integers, high: Integers, side: str) -> tuple[Integers, Integers]:
    """For each range, the places on the line within it: (number of the range, place).

    From ``low`` (or after it, on the right side) to before ``high``.
    """
    begin = np.searchsorted(line, low, "left" if side == "left" else "right")
    end = np.searchsorted(line, high, "left")
    count = np.maximum(end - begin, 0)
    which = np.repeat(np.arange(len(low), dtype=np.int64), count)
    skip = np.repeat(begin - (np.cumsum(count) - count), count)
    return which, np.arange(len(which), dtype=np.int64) + skip
