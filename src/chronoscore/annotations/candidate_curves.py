"""What is counted of candidate lists: by limit, at the first place, and where the answer stands."""

import math
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from chronoscore.annotations.candidates import By, Candidates, Worth
from chronoscore.annotations.curves import Steps
from chronoscore.annotations.list_matching import counted, matched_lists
from chronoscore.annotations.matching import (
    Matcher,
    Pair,
    candidate_pairs,
    components,
    counts,
)
from chronoscore.annotations.model import Annotation, Counts
from chronoscore.annotations.question import FeatureComparison

RANK_GRIDS: Mapping[str, tuple[int, ...]] = {
    "11": tuple(range(11)),
    # As the GATE plugin has them: ten ranks to 45, although its name says eleven to 50.
    "51": tuple(range(0, 50, 5)),
    "101": tuple(range(0, 101, 10)),
}
"""Ranks from 0 at which a list is cut."""


def rank_levels(kind: str, longest: int) -> list[float]:
    """The levels of a curve over ranks: 1 for the first candidate alone, with a minus.

    >>> rank_levels("all", 3), rank_levels("51", 0)[:3]
    ([-1.0, -2.0, -3.0], [-1.0, -6.0, -11.0])
    """
    ranks = range(longest) if kind == "all" else RANK_GRIDS[kind]
    return [-float(rank + 1) for rank in ranks]


def counts_at(found: Candidates, matcher: Matcher, by: By, level: float) -> Counts:
    """The counts if only candidates at this level or above it are seen."""
    seen = {j: sum(each >= level for each in one.levels(by)) for j, one in enumerate(found.lists)}
    return counted(found, matched_lists(found, matcher, seen))


def candidate_curve(found: Candidates, matcher: Matcher, by: By, levels: Iterable[float]) -> Steps:
    """How the counts change from level to level: see ``difference_curve`` of plain responses.

    Lists and targets fall into groups that have no influence on each other, and a group is matched
    again only where a list appears, or has a candidate that is worth more than those before it.
    """
    steps = sorted(set(levels))
    changes: dict[float, Counts] = defaultdict(Counts)
    for keys, lists in _groups(found):
        before = Counts(targets=len(keys))
        for step, now in _counts_by_step(found, matcher, keys, _shown(found, lists, by, steps)):
            changes[step] += now - before
            before = now
    nothing = Counts()
    moved = [(t, changes[t]) for t in sorted(changes, reverse=True) if changes[t] != nothing]
    return [(math.inf, Counts(targets=len(found.keys))), *moved]


def _shown(
    found: Candidates, lists: Sequence[int], by: By, steps: Sequence[float]
) -> dict[float, list[tuple[int, int]]]:
    """The candidates (list, place) that appear at each step; what is below all never does."""
    shown: dict[float, list[tuple[int, int]]] = defaultdict(list)
    for j in lists:
        for place, level in enumerate(found.lists[j].levels(by)):
            at = bisect_right(steps, level)
            if at:
                shown[steps[at - 1]].append((j, place))
    return shown


def _counts_by_step(
    found: Candidates,
    matcher: Matcher,
    keys: Sequence[int],
    shown: Mapping[float, Sequence[tuple[int, int]]],
) -> Iterable[tuple[float, Counts]]:
    """The counts of one group at each step at which it shows more."""
    linked: dict[int, list[int]] = defaultdict(list)
    for i in keys:
        for j in found.at.get(i, ()):
            linked[j].append(i)
    seen: dict[int, int] = {}
    worth: dict[tuple[int, int], Worth] = {}
    with_strict: set[int] = set()
    now = Counts(targets=len(keys))
    for step in sorted(shown, reverse=True):
        again = False
        for j, place in shown[step]:
            again = again or j not in seen
            seen[j] = place + 1
            for i in linked[j]:
                value = found.worth[i, j][place]
                again = again or value > worth.get((i, j), -1)
                worth[i, j] = max(value, worth.get((i, j), -1))
                if value % 2 == 1 and value > 0:
                    with_strict.add(i)
        if again:
            now = counted(found, matched_lists(found, matcher, seen, keys))
        yield step, replace(now, targets_with_strict=len(with_strict))


def first_candidates(found: Candidates, matcher: Matcher, pairs: Sequence[Pair]) -> Counts:
    """The counts if each list's first candidate is the response, from all pairs of these."""
    firsts = firsts_of(found)
    return counts(pairs, matcher(pairs, found.keys, firsts), found.keys, firsts)


def firsts_of(found: Candidates) -> list[Annotation]:
    """The first candidate of each list."""
    return [one.candidates[0] for one in found.lists]


@dataclass(frozen=True, slots=True)
class FirstMatch:
    """Where in a list the answer stands: places from 0, None where it is not there.

    ``strict`` is the first candidate that is equal and coextensive with a target at the list,
    ``partial`` the first that is equal and only overlaps one.
    """

    place: int
    """Of the list, among the document's."""
    targets: int
    strict: int | None
    partial: int | None
    strict_score: float | None = None
    partial_score: float | None = None

    @property
    def lenient(self) -> int | None:
        """The first candidate that is right at all."""
        return min((at for at in (self.strict, self.partial) if at is not None), default=None)


def first_matches(found: Candidates) -> list[FirstMatch]:
    """Where the answer stands in each list; nothing is used up, so one target may serve two."""
    made = []
    for j, one in enumerate(found.lists):
        targets = found.targets.get(j, ())
        worths = [found.worth[i, j] for i in targets]
        strict = min((w.index(3) for w in worths if 3 in w), default=None)
        partial = min((w.index(2) for w in worths if 2 in w), default=None)
        scores = one.scores or (None,) * len(one.candidates)
        made.append(
            FirstMatch(
                j,
                len(targets),
                strict,
                partial,
                None if strict is None else scores[strict],
                None if partial is None else scores[partial],
            )
        )
    return made


def disambiguation(found: Candidates) -> Steps:
    """How often the answer is among the first n, of the lists that have it, as steps by n.

    The highest that a choice among n candidates could reach. Where the answer is not yet seen, the
    n-th candidate counts as strict or partial incorrect by whether it is coextensive with the list.
    """
    changes: dict[float, Counts] = defaultdict(Counts)
    for first in first_matches(found):
        if first.lenient is None:
            continue
        one = found.lists[first.place]
        before = Counts()
        last = max(at for at in (first.strict, first.partial) if at is not None)
        for place, candidate in enumerate(one.candidates[: last + 1]):
            if first.strict is not None and place >= first.strict:
                now = Counts(1, 1, correct_strict=1)
            elif first.partial is not None and place >= first.partial:
                now = Counts(1, 1, correct_partial=1)
            elif (candidate.start, candidate.end) == (one.annotation.start, one.annotation.end):
                now = Counts(1, 1, incorrect_strict=1)
            else:
                now = Counts(1, 1, incorrect_partial=1)
            changes[-float(place + 1)] += now - before
            before = now
    nothing = Counts()
    return [(t, changes[t]) for t in sorted(changes, reverse=True) if changes[t] != nothing]


def rank_histogram(places: Iterable[int | None]) -> list[int]:
    """How often the first match is at each rank; what has none is not in it.

    >>> rank_histogram([0, 2, 0, None])
    [2, 0, 1]
    """
    counted = Counter(place for place in places if place is not None)
    return [counted[place] for place in range(max(counted, default=-1) + 1)]


def _groups(found: Candidates) -> list[tuple[list[int], list[int]]]:
    """Targets and lists that may have to do with each other; single ones are groups too."""
    links = {
        (i, j)
        for linked in (found.at, found.near)
        for i, several in linked.items()
        for j in several
    }
    groups = [
        (sorted({p.key for p in group}), sorted({p.response for p in group}))
        for group in components([Pair(i, j, 0) for i, j in sorted(links)])
    ]
    alone = set(range(len(found.lists))) - {j for _, lists in groups for j in lists}
    return groups + [([], [j]) for j in sorted(alone)]


def first_pairs(found: Candidates, features: tuple[str, ...], how: FeatureComparison) -> list[Pair]:
    """All pairs of a target and a list's first candidate that overlap."""
    return candidate_pairs(found.keys, firsts_of(found), features, how)
