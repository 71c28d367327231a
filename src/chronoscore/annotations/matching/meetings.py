"""Find the spans of two sides that overlap, in all documents at once.

Documents are laid end to end on one line. Two spans overlap if the second starts in the first, or
the first starts in the second, after its start: both are ranges in the order of starts. So the time
is proportional to the number of pairs, even where one span covers a whole document.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from chronoscore.annotations.columns import Columns, Flags, Integers, marked, ranges
from chronoscore.annotations.parameters import Containment
from chronoscore.core import budget

BYTES_A_PAIR = 240
"""About how much memory a pair of spans needs until the best pairs are chosen."""


@dataclass(frozen=True, eq=False)
class SpanPairs:
    """Pairs of a target and a response in columns, by their places on either side.

    ``value`` is 3 for strict correct (coextensive and equal), 2 partial correct, 1 strict
    incorrect, 0 partial incorrect; ``overlap`` is the number of characters shared.
    """

    key: Integers
    response: Integers
    value: Integers
    overlap: Integers

    def __len__(self) -> int:
        return len(self.key)

    @cached_property
    def coextensive(self) -> Flags:
        """Which pairs start and end at the same places."""
        return (self.value & 1).astype(np.bool_)

    @cached_property
    def overlapping(self) -> Flags:
        """Which pairs overlap: all but those of two empty spans."""
        return np.asarray(~self.coextensive | (self.overlap > 0))

    def take(self, places: Integers | Flags) -> "SpanPairs":
        """Return the pairs at these places."""
        return SpanPairs(
            self.key[places], self.response[places], self.value[places], self.overlap[places]
        )

    def rows(self) -> list[tuple[int, int, int]]:
        """Return the pairs as (key, response, value), in order."""
        columns = self.key.tolist(), self.response.tolist(), self.value.tolist()
        return sorted(zip(*columns, strict=True))


class TooManyPairsError(Exception):
    """Documents have more pairs than are to be compared at once."""


class Meetings(NamedTuple):
    """Pairs of spans that overlap or are coextensive, and pairs that are only near.

    Whether the spans of a pair are equal is not known yet, so that its value is 1 or 0. The spans
    of ``near_key`` and ``near_response`` don't overlap: the response is empty and exactly at the
    start of a target with text, where GATE's range query still selects it.
    """

    pairs: SpanPairs
    near_key: Integers
    near_response: Integers


def meetings(keys: Columns, responses: Columns, most: int | None = None) -> Meetings:
    """Find all pairs of a target and a response of one document that overlap or are coextensive.

    The two sides must have the same table of documents. Pairs that exceed the memory budget are
    refused before they are computed; more than `most` pairs raise `TooManyPairsError`.
    """
    width = 2 + max((int(side.end.max()) for side in (keys, responses) if len(side)), default=0)
    (k_start, k_end, k_order), (r_start, r_end, r_order) = (
        _on_the_line(side, width) for side in (keys, responses)
    )
    # Sorting two sorted parts is merging them, which takes less time than searching. A place in
    # the merged order less the place in its own part is the number of spans of the other part.
    merged = np.argsort(np.concatenate([k_start, r_start]), kind="stable") < len(k_start)
    before = np.flatnonzero(merged) - np.arange(len(k_start))
    after = np.flatnonzero(~merged) - np.arange(len(r_start))
    # Responses that start in a target: from its start to before its end.
    in_targets = _reached(r_start, before, k_end)
    # Targets that start in a response, after its start and before its end.
    in_responses = _reached(k_start, after, r_end)
    if most is not None and int(in_targets.sum()) + int(in_responses.sum()) > most:
        raise TooManyPairsError
    check_pairs(in_targets, keys, k_order, more=int(in_responses.sum()))
    first, place = ranges(before, in_targets)
    second, other = ranges(after, in_responses)
    near_key = near_response = np.empty(0, np.int64)
    empty_response = r_end == r_start
    if empty_response.any():
        near = r_end[place] <= k_start[first]  # empty responses at the start
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
        empty_key, empty_place = ranges(low, count)
        key = np.concatenate([key, empty_keys[empty_key]])
        response = np.concatenate([response, empty_responses[empty_place]])
        same = np.concatenate([same, np.ones(len(empty_key), np.bool_)])
        overlap = np.concatenate([overlap, np.zeros(len(empty_key), np.int64)])
    key, near_key = _placed(key, k_order), _placed(near_key, k_order)
    response, near_response = _placed(response, r_order), _placed(near_response, r_order)
    pairs = SpanPairs(key, response, same.astype(np.int64), overlap)
    return Meetings(pairs, near_key, near_response)


def at_places(side: Columns, places: Columns, how: Containment) -> Flags:
    """Return which spans overlap, are contained in, or are coextensive with one of the places.

    Overlapping is GATE's range query, which also selects empty spans exactly at a place's start.
    """
    pairs, _, near_response = meetings(places, side)
    if how == "contained":
        start, end = places.start[pairs.key], places.end[pairs.key]
        first, last = side.start[pairs.response], side.end[pairs.response]
        selected = (start <= first) & (first < end) & (last <= end)
    else:
        selected = pairs.coextensive if how == "coextensive" else pairs.overlapping
    inside = marked(len(side), pairs.response[selected])
    if how != "coextensive":
        inside[near_response] = True
    return inside


def check_pairs(
    count: Integers, side: Columns, order: Integers | None = None, more: int = 0
) -> None:
    """Refuse pairs that exceed the memory budget.

    ``count`` is the number of pairs of each span of a side, ``order`` the places of these spans,
    and ``more`` the number of further pairs.
    """
    pairs = int(count.sum()) + more
    if pairs * BYTES_A_PAIR <= budget.limit():
        return
    document = side.document if order is None else side.document[order]
    most = side.documents[int(np.bincount(document, count).argmax())]
    what = f"{pairs:,} pairs of spans are to be compared, most of them in document '{most}'"
    advice = "read in chunks (--engine here --chunk 1)" if len(side.documents) > 1 else ""
    budget.check(pairs * BYTES_A_PAIR, what, advice=advice)


def _on_the_line(side: Columns, width: int) -> tuple[Integers, Integers, Integers | None]:
    """Return starts and ends in the order of starts, and that order unless the side has it.

    Allocating an array costs more than the arithmetic on it, so existing ones are reused.
    """
    start = side.document * width
    end = start + side.end
    start += side.start
    if bool(np.all(start[1:] >= start[:-1])):  # as in most files
        return start, end, None
    order = np.argsort(start, kind="stable")
    return start[order], end[order], order


def _placed(at: Integers, order: Integers | None) -> Integers:
    return at if order is None else order[at]


_FAR = np.iinfo(np.int64).max


def _reached(line: Integers, begin: Integers, high: Integers) -> Integers:
    """Count the places of the line from ``begin`` on that are below ``high``: mostly none or one.

    A look at the next place is cheaper than a search, which only longer ranges need.
    """
    ended = np.append(line, _FAR)
    count = (ended[begin] < high).astype(np.int64)
    further = np.flatnonzero(count)
    more = ended[begin[further] + 1] < high[further]
    if more.any():
        further = further[more]
        count[further] = np.searchsorted(line, high[further], "left") - begin[further]
    return count
