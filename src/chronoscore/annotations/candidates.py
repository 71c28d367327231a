"""Ranked candidates: a list annotation names several answers, the best first.

A list annotation holds the ids of its candidates, annotations of the same document, in a feature
(the edge). How many of them are looked at is limited by their score or their rank.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from chronoscore.annotations.model import (
    Annotation,
    Document,
    canonical,
    coextensive,
    empty_at,
    overlapping,
    overlaps,
    written,
)
from chronoscore.annotations.question import (
    EVERY_SET,
    FeatureComparison,
    Profile,
    Question,
    agree,
    compared_features,
    profiler,
)
from chronoscore.core.errors import DataError, Problem
from chronoscore.core.numbers import real_number
from chronoscore.core.records import as_json

UNSCORED = "none"
"""Instead of a score's name: candidates are ranked as the list gives them."""

By = Literal["score", "rank"]
Containment = Literal["overlapping", "contained", "coextensive"]
Worth: TypeAlias = int
"""3 strict correct, 2 partial correct, 1 strict incorrect, 0 partial incorrect, -1 not there."""

_BETWEEN_IDS = re.compile(r"[\s,;\[\]]+")


@dataclass(frozen=True, slots=True)
class Selection:
    """What is a list, a candidate and a target, and when a candidate is equal to a target.

    Types may be empty: any target but a list, any candidate; the types of the two must then agree.
    With both types given, they stand for each other. ``nil`` is a value of the first feature that
    means "there is no answer": such targets and candidates are left out. ``within`` is
    ``set:type``: only targets and lists at an annotation of that type, in that set of the gold.
    """

    list_type: str
    edge: str
    score: str = UNSCORED
    key_type: str = ""
    element_type: str = ""
    features: tuple[str, ...] = ()
    compare: FeatureComparison = "equal"
    nil: str = ""
    gold_set: str = EVERY_SET
    predicted_set: str = EVERY_SET
    within: str = ""
    containment: Containment = "overlapping"


@dataclass(frozen=True, slots=True)
class CandidateList:
    """A list annotation and its candidates, best first, with their scores if they have any."""

    annotation: Annotation
    candidates: tuple[Annotation, ...]
    scores: tuple[float, ...] = ()

    def levels(self, by: By) -> tuple[float, ...]:
        """From where on each candidate is seen: its score, or its rank from 1 with a minus.

        Both fall along the list, so that a limit always shows the first so many candidates.
        """
        if by == "score":
            return self.scores
        return tuple(-float(rank) for rank in range(1, len(self.candidates) + 1))


@dataclass(frozen=True)
class Candidates:
    """The targets and the candidate lists of one document, and what each pair is worth.

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


def compare_candidates(gold: Document, predicted: Document, chosen: Selection) -> Candidates:
    """Find the lists of a document, and what each candidate is worth for the targets near it."""
    inside = _inside(gold, chosen)
    keys = tuple(sorted(filter(inside, _targets(gold, chosen)), key=canonical))
    lists = tuple(one for one in candidate_lists(predicted, chosen) if inside(one.annotation))
    spans = [found.annotation for found in lists]
    at: dict[int, list[int]] = defaultdict(list)
    targets: dict[int, list[int]] = defaultdict(list)
    for i, j in sorted({*overlapping(keys, spans), *((i, j) for j, i in empty_at(spans, keys))}):
        if overlaps(keys[i], spans[j]):
            at[i].append(j)
        if in_range(keys[i], spans[j]):
            targets[j].append(i)
    question = Question(features=chosen.features, compare=chosen.compare)
    profile, profile_of = profiler(question), profiler(question, 1)
    wanted = [profile(key.type, key.features) for key in keys]
    offered = [[profile_of(one.type, one.features) for one in found.candidates] for found in lists]

    def worth_of(i: int, candidate: Annotation, said: Profile) -> Worth:
        strict = coextensive(keys[i], candidate)
        if not strict and not overlaps(keys[i], candidate):
            return -1
        return 2 * agree(wanted[i], said, chosen.compare) + strict

    def worths(i: int, j: int) -> tuple[Worth, ...]:
        pairs = zip(lists[j].candidates, offered[j], strict=True)
        return tuple(worth_of(i, candidate, said) for candidate, said in pairs)

    near: dict[int, set[int]] = defaultdict(set)
    flat = [(j, c) for j, found in enumerate(lists) for c in found.candidates]
    responses = [candidate for _, candidate in flat]
    for i, place in (*overlapping(keys, responses), *empty_at(keys, responses)):
        near[i].add(flat[place][0])
    pairs = {(i, j) for i, several in at.items() for j in several}
    pairs |= {(i, j) for j, several in targets.items() for i in several}
    worth = {pair: worths(*pair) for pair in sorted(pairs)}
    return Candidates(gold.id, keys, lists, worth, at, near, targets)


def candidate_lists(document: Document, chosen: Selection) -> tuple[CandidateList, ...]:
    """The lists of a document that have candidates, by place; problems are raised together.

    Candidates of another type than the wanted are dropped, and so is what says "no answer". With a
    score they are sorted by it, the best first, as they stand where scores are equal.
    """
    known = {annotation.id: annotation for annotation in document.annotations}
    problems: list[str] = []
    found = []
    for holder in document.annotations:
        if holder.type != chosen.list_type or chosen.predicted_set not in (EVERY_SET, holder.set):
            continue
        candidates, scores = [], []
        for name in _edge(holder, chosen.edge, problems):
            if name not in known:
                problems.append(f"list '{holder.id}' names the candidate '{name}', which is not")
                continue
            candidate = known[name]
            if not _is_candidate(candidate, chosen):
                continue
            if chosen.score != UNSCORED:
                scores.append(_score(holder, candidate, chosen.score, problems))
            candidates.append(candidate)
        if chosen.score != UNSCORED:
            order = sorted(range(len(candidates)), key=lambda place: -scores[place])
            candidates = [candidates[place] for place in order]
            scores = [scores[place] for place in order]
        if chosen.key_type and chosen.element_type:
            candidates = [replace(candidate, type=chosen.key_type) for candidate in candidates]
        if candidates:
            found.append(CandidateList(holder, tuple(candidates), tuple(scores)))
    if problems:
        raise DataError(Problem(f"document '{document.id}': {problem}") for problem in problems)
    return tuple(sorted(found, key=lambda one: canonical(one.annotation)))


def _targets(document: Document, chosen: Selection) -> list[Annotation]:
    return [
        annotation
        for annotation in document.annotations
        if annotation.type != chosen.list_type
        and chosen.key_type in ("", annotation.type)
        and chosen.gold_set in (EVERY_SET, annotation.set)
        and not _says_nothing(annotation, chosen, 0)
    ]


def _inside(gold: Document, chosen: Selection) -> Callable[[Annotation], bool]:
    """Whether a target or a list is at one of the places that are looked at."""
    if not chosen.within:
        return lambda _: True
    set_, _, type_ = chosen.within.rpartition(":")
    places = [one for one in gold.annotations if (one.set, one.type) == (set_, type_)]
    tests: Mapping[Containment, Callable[[Annotation, Annotation], bool]] = {
        "overlapping": in_range,
        "contained": lambda one, at: at.start <= one.start < at.end and one.end <= at.end,
        "coextensive": coextensive,
    }
    test = tests[chosen.containment]
    return lambda one: any(test(one, place) for place in places)


def in_range(annotation: Annotation, place: Annotation) -> bool:
    """GATE's range query: overlapping, or empty and exactly at the start of a place with text."""
    starts_in = place.start <= annotation.start < place.end
    return starts_in or annotation.start < place.start < annotation.end


def _is_candidate(annotation: Annotation, chosen: Selection) -> bool:
    wanted = chosen.element_type in ("", annotation.type)
    return wanted and not _says_nothing(annotation, chosen, 1)


def _says_nothing(annotation: Annotation, chosen: Selection, side: int) -> bool:
    """Whether the first feature says so; its name may be another in the prediction (side 1)."""
    if not chosen.nil or not chosen.features:
        return False
    mapped = side == 1 and chosen.key_type and chosen.element_type
    names = compared_features(chosen.features).of(chosen.key_type if mapped else annotation.type)
    value = annotation.features.get(names[0][side]) if names else None
    return value is not None and written(value) == chosen.nil


def _edge(holder: Annotation, edge: str, problems: list[str]) -> list[str]:
    """The ids in the edge feature: a list, or a text with spaces, commas or semicolons between."""
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
    """A candidate's score: the feature of that name, or its own if it has no such feature."""
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
