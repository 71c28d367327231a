"""Ranked candidates: a list annotation names several answers, the best first.

A list annotation holds the ids of its candidates, annotations of the same document, in a feature
(the edge). A limit on score or rank says how many of them are visible.

The place of the answer is computed for each list and for each target. No list is used up: a target
is found if any list at it has the answer, even if the list also serves other targets.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import compress
from typing import Literal, TypeAlias

from chronoscore.annotations.columns import Columns
from chronoscore.annotations.matching.meetings import Meetings, at_places, meetings
from chronoscore.annotations.model import (
    Annotation,
    Document,
    canonical,
    coextensive,
    overlaps,
    written,
)
from chronoscore.annotations.parameters import (
    EVERY_SET,
    UNSCORED,
    Profile,
    Selection,
    agree,
    compared_features,
    profiler,
)
from chronoscore.core.records import as_json, real_number
from chronoscore.errors import DataError, Problem

By = Literal["score", "rank"]
Worth: TypeAlias = int
"""3 strict correct, 2 partial correct, 1 strict incorrect, 0 partial incorrect, -1 no overlap."""

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
    at: Mapping[int, Sequence[int]]
    near: Mapping[int, Set[int]]
    targets: Mapping[int, Sequence[int]]
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
    list_pairs = meetings(_columns(held.annotation for held in lists), _columns(keys))
    at: dict[int, list[int]] = defaultdict(list)
    targets: dict[int, list[int]] = defaultdict(list)
    overlapping = set(_overlapping(list_pairs))
    for j, i in sorted(overlapping | set(_near(list_pairs)), key=lambda pair: pair[::-1]):
        if (j, i) in overlapping:
            at[i].append(j)
        targets[j].append(i)
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
        for j, at_list in sorted(targets.items())
        for i in at_list
    }
    near: dict[int, set[int]] = defaultdict(set)
    flat = [(j, candidate) for j, held in enumerate(lists) for candidate in held.candidates]
    key_pairs = meetings(_columns(keys), _columns(candidate for _, candidate in flat))
    for i, place in (*_overlapping(key_pairs), *_near(key_pairs)):
        near[i].add(flat[place][0])
    return Candidates(gold.id, tuple(keys), tuple(lists), worth, at, near, targets)


def _columns(annotations: Iterable[Annotation]) -> Columns:
    return Columns.of([Document("", tuple(annotations))])


def _overlapping(pairs: Meetings) -> list[tuple[int, int]]:
    real = ~(pairs.coextensive & (pairs.overlap == 0))  # all but two empty spans
    return list(zip(pairs.key[real].tolist(), pairs.response[real].tolist(), strict=True))


def _near(pairs: Meetings) -> list[tuple[int, int]]:
    return list(zip(pairs.near_key.tolist(), pairs.near_response.tolist(), strict=True))


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
    for holder in document.annotations:
        if holder.type != selection.list_type or selection.predicted_set not in (
            EVERY_SET,
            holder.set,
        ):
            continue
        scored: list[tuple[float, Annotation]] = []
        for name in _edge(holder, selection.edge, problems):
            candidate = by_id.get(name)
            if candidate is None:
                problems.append(
                    f"list '{holder.id}' names the candidate '{name}', which the document lacks"
                )
            elif selection.element_type in ("", candidate.type) and not _is_nil(
                candidate, selection, 1
            ):
                if selection.key_type and selection.element_type:
                    candidate = replace(candidate, type=selection.key_type)
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
    if selection.nil != "absent" or not selection.nil_value or not selection.features:
        return False
    mapped = side == 1 and selection.key_type and selection.element_type
    names = compared_features(selection.features).of(
        selection.key_type if mapped else annotation.type
    )
    value = annotation.features.get(names[0][side]) if names else None
    return value is not None and written(value) == selection.nil_value


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
    strict_score: float | None = None
    partial_score: float | None = None

    @property
    def lenient(self) -> int | None:
        """The first candidate that is right, strict or partial."""
        return _first(self.strict, self.partial)


def first_matches(candidates: Candidates) -> list[FirstMatch]:
    """Return the place of the answer in each list."""
    firsts = []
    for j, held in enumerate(candidates.lists):
        worths = [candidates.worth[i, j] for i in candidates.targets.get(j, ())]
        places = _first_of(worths, 3), _first_of(worths, 2)
        scores = [None if at is None or not held.scores else held.scores[at] for at in places]
        firsts.append(FirstMatch(j, len(worths), *places, *scores))
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
