"""Match lists with targets, where a list is one response for all its candidates."""

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from chronoscore.annotations.candidates.lists import By, Candidates, first_matches
from chronoscore.annotations.columns import Columns
from chronoscore.annotations.matching import SpanPairs
from chronoscore.annotations.matching.optimum import groups
from chronoscore.annotations.matching.strategies import choose
from chronoscore.annotations.model import Annotation, Counts, Document, in_range, overlap_length

Pair: TypeAlias = tuple[int, int, int]
"""A target and a list, by their places in the document, and the value of the pair."""
CountSteps: TypeAlias = list[tuple[float, Counts]]
"""(level, change of the counts from the level above), highest first."""


@dataclass(frozen=True)
class ListMatching:
    """The lists that are matched with targets, where each list is one response."""

    targets: Sequence[int]
    responses: Mapping[int, Annotation]
    """The candidate that stands for each list with a visible candidate."""
    matches: Sequence[Pair]
    with_strict: int
    with_lenient: int


def match_lists(
    candidates: Candidates,
    strategy: str,
    visible: Mapping[int, int],
    targets: Sequence[int] | None = None,
) -> ListMatching:
    """Match targets with lists, where ``visible`` is the number of visible candidates of a list.

    A list with a visible candidate is one response. Its worth for a target is that of the best
    visible candidate, which stands for the list.
    """
    keys = range(len(candidates.keys)) if targets is None else targets
    best_of = {j: 0 for j, number in sorted(visible.items()) if number}
    pairs: list[Pair] = []
    strict = lenient = 0
    for i in keys:
        values: list[int] = []
        for j in candidates.at.get(i, ()):
            worth = candidates.worth[i, j][: visible.get(j, 0)]
            value = max(worth, default=-1)
            if value >= 0:
                values += worth
                pairs.append((i, j, value))
            if value > 0:
                best_of[j] = worth.index(value)
        strict += 1 in values or 3 in values
        lenient += bool(values)
    responses = {j: candidates.lists[j].candidates[place] for j, place in best_of.items()}
    matches = _matched(candidates, sorted(pairs), responses, strategy)
    return ListMatching(keys, responses, matches, strict, lenient)


def _matched(
    candidates: Candidates, pairs: list[Pair], responses: Mapping[int, Annotation], strategy: str
) -> list[Pair]:
    keys, lists = {i for i, _, _ in pairs}, {j for _, j, _ in pairs}
    if len(keys) == len(lists) == len(pairs):  # no pairs conflict
        return pairs
    key_columns = Columns.of([Document("", tuple(candidates.keys[i] for i in sorted(keys)))])
    response_columns = Columns.of([Document("", tuple(responses[j] for j in sorted(lists)))])
    key, response, value = np.array(pairs, np.int64).T
    overlap = [overlap_length(candidates.keys[i], responses[j]) for i, j, _ in pairs]
    flags = choose(
        SpanPairs(
            np.unique(key, return_inverse=True)[1],
            np.unique(response, return_inverse=True)[1],
            value,
            np.array(overlap, np.int64),
        ),
        key_columns,
        response_columns,
        strategy,
        symmetric=False,
    )
    return [pair for pair, is_match in zip(pairs, flags.tolist(), strict=True) if is_match]


def count_lists(candidates: Candidates, matching: ListMatching) -> Counts:
    """Return the base counters of a matching of lists."""
    free = matching.responses.keys() - {j for _, j, _ in matching.matches}
    by_value, single = [0, 0, 0, 0], [0, 0, 0, 0]
    for i, _, value in matching.matches:
        nearby = candidates.near.get(i, frozenset()) & free
        by_value[value] += 1
        target = candidates.keys[i]
        single[value] += not any(in_range(matching.responses[j], target) for j in nearby)
    sizes = len(matching.targets), len(matching.responses)
    near = matching.with_strict, matching.with_lenient
    wrong_partial, wrong_strict, partial, strict = by_value
    pairs = strict, partial, wrong_strict, wrong_partial
    return Counts(*sizes, *pairs, single[3], single[2], *near)


def candidate_curve(
    candidates: Candidates, strategy: str, by: By, levels: Iterable[float]
) -> CountSteps:
    """Return how the counts change from level to level, from +infinity down.

    See `difference_curve` of spans. Lists and targets fall into independent groups, and a group is
    matched again only at levels where more of its candidates become visible.
    """
    steps = sorted(set(levels))
    changes: dict[float, Counts] = defaultdict(Counts)
    for keys, lists in _groups(candidates):
        # At each step, the new number of visible candidates of lists.
        shown: dict[float, dict[int, int]] = defaultdict(dict)
        for j in lists:
            for number, level in enumerate(candidates.lists[j].levels(by), 1):
                at = bisect_right(steps, level)
                if at:
                    shown[steps[at - 1]][j] = number
        visible: dict[int, int] = {}
        before = Counts(targets=len(keys))
        for step in sorted(shown, reverse=True):
            visible |= shown[step]
            now = count_lists(candidates, match_lists(candidates, strategy, visible, keys))
            changes[step] += now - before
            before = now
    return [(math.inf, Counts(targets=len(candidates.keys))), *_changed(changes)]


def _changed(changes: Mapping[float, Counts]) -> CountSteps:
    unchanged = Counts()
    return [(t, changes[t]) for t in sorted(changes, reverse=True) if changes[t] != unchanged]


def _groups(candidates: Candidates) -> Iterator[tuple[list[int], list[int]]]:
    """Yield groups of connected targets and lists; a list without targets is a group too."""
    near = (*candidates.at.items(), *candidates.near.items())
    links = sorted({(i, j) for i, lists in near for j in lists})
    alone = set(range(len(candidates.lists))) - {j for _, j in links}
    yield from (([], [j]) for j in sorted(alone))
    members: dict[int, tuple[set[int], set[int]]] = defaultdict(lambda: (set(), set()))
    table = np.array(links, np.int64).reshape(-1, 2)
    for (i, j), group in zip(links, groups(table[:, 0], table[:, 1]).tolist(), strict=True):
        members[group][0].add(i)
        members[group][1].add(j)
    yield from ((sorted(keys), sorted(lists)) for keys, lists in members.values())


def disambiguation(candidates: Candidates) -> CountSteps:
    """Count how often the answer is among the first n of the lists that have it, as steps by n.

    This is the highest score of a choice among n candidates. Before the answer is visible, the
    n-th candidate counts as strict or partial incorrect by whether it is coextensive with the list.
    """
    changes: dict[float, Counts] = defaultdict(Counts)
    for first in first_matches(candidates):
        if first.lenient is None:
            continue
        held = candidates.lists[first.place]
        span = held.annotation.start, held.annotation.end
        before = Counts()
        last = max(at for at in (first.strict, first.partial) if at is not None)
        for place, candidate in enumerate(held.candidates[: last + 1]):
            if first.strict is not None and place >= first.strict:
                outcome = "correct_strict"
            elif first.partial is not None and place >= first.partial:
                outcome = "correct_partial"
            else:
                same = (candidate.start, candidate.end) == span
                outcome = "incorrect_strict" if same else "incorrect_partial"
            now = Counts(targets=1, responses=1, **{outcome: 1})
            changes[-float(place + 1)] += now - before
            before = now
    return _changed(changes)
