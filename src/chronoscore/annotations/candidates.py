"""Ranked candidates: a list annotation names several answers, the best first.

A list annotation holds the ids of its candidates, annotations of the same document, in a feature
(the edge). A limit on score or rank says how many of them are visible.

The place of the answer is computed for each list and for each target. No list is used up: a target
is found if any list at it has the answer, even if the list also serves other targets. Where lists
are matched with targets, a list is one response for all its candidates, and is used once.
"""

import math
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Literal, TypeAlias

import numpy as np

from chronoscore.annotations.columns import Columns
from chronoscore.annotations.matching.comparing import nil_text
from chronoscore.annotations.matching.meetings import SpanPairs, at_places, meetings
from chronoscore.annotations.matching.optimum import groups
from chronoscore.annotations.matching.strategies import choose
from chronoscore.annotations.model import (
    Annotation,
    Counts,
    Document,
    canonical,
    coextensive,
    in_range,
    overlap_length,
    overlaps,
)
from chronoscore.annotations.parameters import (
    EVERY_SET,
    UNSCORED,
    Profile,
    agree,
    profiler,
)
from chronoscore.annotations.parameters import Selection as Selection  # noqa: PLC0414 - public here
from chronoscore.core.records import as_json, real_number
from chronoscore.errors import DataError, Problem

By = Literal["score", "rank"]
Worth: TypeAlias = int
"""3 strict correct, 2 partial correct, 1 strict incorrect, 0 partial incorrect, -1 no overlap."""
Places: TypeAlias = Mapping[int, Sequence[int]]

_BETWEEN_IDS = re.compile(r"[\s,;\[\]]+")


@dataclass(frozen=True, slots=True)
class CandidateList:
    """A list annotation and its candidates, best first, with their scores if they have any."""

    annotation: Annotation
    candidates: tuple[Annotation, ...]
    scores: tuple[float, ...] = ()

    def levels(self, by: By) -> tuple[float, ...]:
        """Return the level at which each candidate becomes visible: its score, or minus its rank.

        Ranks count from 1. Levels fall along the list, so a limit shows the first candidates.
        """
        if by == "score":
            return self.scores
        return tuple(-float(rank) for rank in range(1, len(self.candidates) + 1))


@dataclass(frozen=True)
class Candidates:
    """The targets and the candidate lists of one document, and the worth of each pair.

    ``worth[i, j]`` are the worths of the candidates of list j for target i, in order, for every
    target at the list annotation. ``at[i]`` are the lists whose annotation overlaps the target,
    ``near[i]`` those with a candidate at the target, wherever the list annotation is.
    """

    document: str
    keys: tuple[Annotation, ...]
    lists: tuple[CandidateList, ...]
    worth: Mapping[tuple[int, int], tuple[Worth, ...]]
    at: Places
    near: Places
    targets: Places
    """For each list the targets at its annotation, empty ones at its start included."""


def compare_candidates(gold: Document, predicted: Document, selection: Selection) -> Candidates:
    """Find the lists of a document, and the worth of each candidate for the targets near it."""
    keys = sorted(_targets(gold, selection), key=canonical)
    lists = list(candidate_lists(predicted, selection))
    if selection.within:
        set_, _, type_ = selection.within.rpartition(":")
        places = _columns(a for a in gold.annotations if (a.set, a.type) == (set_, type_))
        holders = _columns(held.annotation for held in lists)
        keys = [*compress(keys, at_places(_columns(keys), places, selection.containment))]
        lists = [*compress(lists, at_places(holders, places, selection.containment))]
    overlapping, touching = _pairs(_columns(held.annotation for held in lists), _columns(keys))
    targets = _by_first((*overlapping, *touching))
    gold_profile, predicted_profile = profiler(selection), profiler(selection, 1)
    target_profiles = [gold_profile(key.type, key.features) for key in keys]
    candidates = [
        [(answer, predicted_profile(answer.type, answer.features)) for answer in held.candidates]
        for held in lists
    ]

    def worth_of(i: int, candidate: Annotation, profile: Profile) -> Worth:
        strict = coextensive(keys[i], candidate)
        if not strict and not overlaps(keys[i], candidate):
            return -1
        return 2 * agree(target_profiles[i], profile, selection.compare) + strict

    worth = {
        (i, j): tuple(worth_of(i, *candidate) for candidate in candidates[j])
        for j, at_list in targets.items()
        for i in at_list
    }
    flat = [(j, candidate) for j, held in enumerate(lists) for candidate in held.candidates]
    found = _pairs(_columns(keys), _columns(candidate for _, candidate in flat))
    near = _by_first((i, flat[place][0]) for pairs in found for i, place in pairs)
    at = _by_first((i, j) for j, i in overlapping)
    return Candidates(gold.id, tuple(keys), tuple(lists), worth, at, near, targets)


def _columns(annotations: Iterable[Annotation]) -> Columns:
    return Columns.of([Document("", tuple(annotations))])


def _pairs(one: Columns, other: Columns) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the places of spans that overlap, and of empty ones at the start of another."""
    pairs, *near = meetings(one, other)
    real = pairs.take(pairs.overlapping)
    sides = (real.key, real.response), near
    overlapping, touching = ([*zip(*(s.tolist() for s in side), strict=True)] for side in sides)
    return overlapping, touching


def _by_first(pairs: Iterable[tuple[int, int]]) -> Places:
    """Return the second places of pairs by the first, both in order."""
    places = defaultdict(list)
    for first, second in sorted(set(pairs)):
        places[first].append(second)
    return places


def _targets(document: Document, selection: Selection) -> list[Annotation]:
    return [
        annotation
        for annotation in document.annotations
        if annotation.type != selection.list_type
        and selection.key_type in ("", annotation.type)
        and selection.gold_set in (EVERY_SET, annotation.set)
        and not _is_nil(annotation, selection, 0)
    ]


def candidate_lists(document: Document, selection: Selection) -> tuple[CandidateList, ...]:
    """Return the lists of a document that have candidates, by place; raise all problems together.

    Candidates of another type than `element_type`, and NIL candidates, are dropped. With a score
    they are sorted by it, the best first; equal scores keep the order of the list.
    """
    by_id = {annotation.id: annotation for annotation in document.annotations}
    problems: list[str] = []
    lists = []
    renamed = selection.key_type if selection.element_type else ""
    for holder in document.annotations:
        in_set = selection.predicted_set in (EVERY_SET, holder.set)
        if holder.type != selection.list_type or not in_set:
            continue
        scored: list[tuple[float, Annotation]] = []
        for name in _edge(holder, selection.edge, problems):
            if name not in by_id:
                problems.append(
                    f"list '{holder.id}' names the candidate '{name}', which the document lacks"
                )
            elif selection.element_type in ("", by_id[name].type):
                candidate = by_id[name]
                if renamed:
                    candidate = replace(candidate, type=renamed)
                if not _is_nil(candidate, selection, 1):
                    scored.append((_score(holder, candidate, selection.score, problems), candidate))
        scored.sort(key=lambda pair: -pair[0])
        if scored:
            scores, candidates = zip(*scored, strict=True)
            ranked = selection.score != UNSCORED
            lists.append(CandidateList(holder, candidates, scores if ranked else ()))
    if problems:
        raise DataError(Problem(f"document '{document.id}': {problem}") for problem in problems)
    return tuple(sorted(lists, key=lambda held: canonical(held.annotation)))


def _is_nil(annotation: Annotation, selection: Selection, side: int) -> bool:
    """Whether the first feature is `nil_value`; the prediction (side 1) may name it differently."""
    is_asked = selection.nil == "absent" and selection.nil_value
    return bool(is_asked) and nil_text(annotation, selection, side) == selection.nil_value


def _edge(holder: Annotation, edge: str, problems: list[str]) -> list[str]:
    """Return the ids in the edge feature: a list, or a text with blanks, commas or semicolons."""
    value: object = holder.features.get(edge)
    if isinstance(value, str):
        return [name for name in _BETWEEN_IDS.split(value) if name]
    if isinstance(value, int) and not isinstance(value, bool):
        return [str(value)]
    if isinstance(value, Sequence):
        return [str(name) for name in value]
    what = "no feature" if value is None else f"{as_json(value)} as the feature"
    problems.append(f"list '{holder.id}' has {what} '{edge}', expected the ids of its candidates")
    return []


def _score(holder: Annotation, candidate: Annotation, name: str, problems: list[str]) -> float:
    """Return a candidate's score: the feature of that name, or else the score of the annotation."""
    if name == UNSCORED:
        return 0.0
    value: object = candidate.features.get(name)
    if value is None:
        value = candidate.score
    score = real_number(value)
    if score is not None:
        return score
    what = "no score" if value is None else f"the score {as_json(value)}"
    problems.append(
        f"candidate '{candidate.id}' of list '{holder.id}' has {what}, expected a number in "
        f"'{name}'"
    )
    return 0.0


@dataclass(frozen=True, slots=True)
class FirstMatch:
    """The place of the answer in a list, from 0; None if the list does not have it.

    ``strict`` is the first candidate that is equal and coextensive with a target at the list,
    ``partial`` the first that is equal and only overlaps one.
    """

    place: int
    """The place of the list among the lists of the document."""
    targets: int
    strict: int | None
    partial: int | None

    @property
    def lenient(self) -> int | None:
        """The first candidate that is right, strict or partial."""
        return _first(self.strict, self.partial)


def first_matches(candidates: Candidates) -> list[FirstMatch]:
    """Return the place of the answer in each list."""
    firsts = []
    for j in range(len(candidates.lists)):
        worths = [candidates.worth[i, j] for i in candidates.targets.get(j, ())]
        firsts.append(FirstMatch(j, len(worths), _first_of(worths, 3), _first_of(worths, 2)))
    return firsts


def _first_of(worths: Iterable[tuple[Worth, ...]], worth: Worth) -> int | None:
    return min((row.index(worth) for row in worths if worth in row), default=None)


def _first(*places: int | None) -> int | None:
    return min((place for place in places if place is not None), default=None)


def rank_histogram(places: Iterable[int | None]) -> list[int]:
    """Count how often the first match is at each rank; None does not count.

    >>> rank_histogram([0, 2, 0, None])
    [2, 0, 1]
    """
    number = Counter(place for place in places if place is not None)
    return [number[place] for place in range(max(number, default=-1) + 1)]


Indicator = Literal["strict", "partial", "no match", "no list"]
SUFFIXES: dict[Indicator, str] = {
    "strict": "_SM",
    "partial": "_PM",
    "no match": "_NM",
    "no list": "_NR",
}
"""The suffix of a target's type where the target is written as an indicator."""


@dataclass(frozen=True, slots=True)
class Reach:
    """The rank of a target's answer in its lists, from 0; None if no list has the answer."""

    target: Annotation
    lists: int
    strict: int | None
    lenient: int | None

    @property
    def indicator(self) -> Indicator:
        """Whether, and how, the target can be found."""
        if not self.lists:
            return "no list"
        if self.strict is not None:
            return "strict"
        return "no match" if self.lenient is None else "partial"


def reaches(candidates: Candidates) -> list[Reach]:
    """Return for each target the rank of its answer in the lists at it."""
    reached = []
    for i, target in enumerate(candidates.keys):
        worths = [candidates.worth[i, j] for j in candidates.at.get(i, ())]
        strict = _first_of(worths, 3)
        reached.append(Reach(target, len(worths), strict, _first(strict, _first_of(worths, 2))))
    return reached


@dataclass(frozen=True, slots=True)
class MaxRecall:
    """The highest possible counts: those of recall if every choice were right.

    The histograms count targets by the rank, from 0, of their first answer.
    """

    targets: int
    targets_with_list: int
    correct_strict: int
    correct_lenient: int
    lists: int
    lists_with_target: int
    strict_by_rank: tuple[int, ...]
    lenient_by_rank: tuple[int, ...]


def max_recall(candidates: Candidates) -> MaxRecall:
    """Count the targets of a document that the right choices would find."""
    reached = reaches(candidates)
    strict = tuple(rank_histogram(reach.strict for reach in reached))
    lenient = tuple(rank_histogram(reach.lenient for reach in reached))
    return MaxRecall(
        targets=len(candidates.keys),
        targets_with_list=sum(reach.lists > 0 for reach in reached),
        correct_strict=sum(strict),
        correct_lenient=sum(lenient),
        lists=len(candidates.lists),
        lists_with_target=len({j for lists in candidates.at.values() for j in lists}),
        strict_by_rank=strict,
        lenient_by_rank=lenient,
    )


def indicators(candidates: Candidates) -> list[Annotation]:
    """Copy each target with a type that says whether, and how, it can be found."""
    return [
        replace(reach.target, type=reach.target.type + SUFFIXES[reach.indicator])
        for reach in reaches(candidates)
    ]


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
    keys, lists = sorted({i for i, _, _ in pairs}), sorted({j for _, j, _ in pairs})
    if len(keys) == len(lists) == len(pairs):  # no pairs conflict
        return pairs
    key, response, value = np.array(pairs, np.int64).T
    overlap = [overlap_length(candidates.keys[i], responses[j]) for i, j, _ in pairs]
    places = np.searchsorted(keys, key), np.searchsorted(lists, response)
    chosen = choose(
        SpanPairs(*places, value, np.array(overlap, np.int64)),
        _columns(candidates.keys[i] for i in keys),
        _columns(responses[j] for j in lists),
        strategy,
        symmetric=False,
    )
    return [*compress(pairs, chosen)]


def count_lists(candidates: Candidates, matching: ListMatching) -> Counts:
    """Return the base counters of a matching of lists."""
    free = matching.responses.keys() - {j for _, j, _ in matching.matches}
    by_value, single = [0, 0, 0, 0], [0, 0, 0, 0]
    for i, _, value in matching.matches:
        nearby = (matching.responses[j] for j in candidates.near.get(i, ()) if j in free)
        by_value[value] += 1
        single[value] += not any(in_range(response, candidates.keys[i]) for response in nearby)
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
        before = Counts()
        last = max(at for at in (first.strict, first.partial) if at is not None)
        for place, candidate in enumerate(held.candidates[: last + 1]):
            if first.strict is not None and place >= first.strict:
                outcome = "correct_strict"
            elif first.partial is not None and place >= first.partial:
                outcome = "correct_partial"
            else:
                same = coextensive(candidate, held.annotation)
                outcome = "incorrect_strict" if same else "incorrect_partial"
            now = Counts(targets=1, responses=1, **{outcome: 1})
            changes[-float(place + 1)] += now - before
            before = now
    return _changed(changes)
