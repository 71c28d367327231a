"""The most that a choice among candidates could find: recall if every choice were the right one.

Nothing is used up: a target is found if any list at it has the answer, however often that serves.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, zip_longest
from typing import Literal

from chronoscore.annotations.candidate_curves import rank_histogram
from chronoscore.annotations.candidates import Candidates
from chronoscore.annotations.model import Annotation

Indicator = Literal["strict", "partial", "no match", "no list"]
SUFFIXES: dict[Indicator, str] = {
    "strict": "_SM",
    "partial": "_PM",
    "no match": "_NM",
    "no list": "_NR",
}
"""What the type of a target ends in when it is written as an indicator."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How far down its lists a target's answer is, from 0; None where it is not in them."""

    target: Annotation
    lists: int
    strict: int | None
    lenient: int | None

    @property
    def indicator(self) -> Indicator:
        """What can be said of the target in a word."""
        if not self.lists:
            return "no list"
        if self.strict is not None:
            return "strict"
        return "no match" if self.lenient is None else "partial"


@dataclass(frozen=True, slots=True)
class MaxRecall:
    """What the lists could give at most. Adds up over documents.

    The histograms count targets by the rank, from 0, of their first answer.
    """

    targets: int = 0
    targets_with_list: int = 0
    lists: int = 0
    lists_with_target: int = 0
    strict_by_rank: tuple[int, ...] = ()
    lenient_by_rank: tuple[int, ...] = ()

    def __add__(self, other: "MaxRecall") -> "MaxRecall":
        return MaxRecall(
            self.targets + other.targets,
            self.targets_with_list + other.targets_with_list,
            self.lists + other.lists,
            self.lists_with_target + other.lists_with_target,
            _added(self.strict_by_rank, other.strict_by_rank),
            _added(self.lenient_by_rank, other.lenient_by_rank),
        )

    @property
    def correct_strict(self) -> int:
        """Targets with a coextensive answer in some list."""
        return sum(self.strict_by_rank)

    @property
    def correct_lenient(self) -> int:
        """Targets with an answer in some list."""
        return sum(self.lenient_by_rank)

    def found_by_rank(self, strict: bool) -> list[int]:
        """How many targets are found if lists are cut after each rank."""
        return list(accumulate(self.strict_by_rank if strict else self.lenient_by_rank))


def reaches(found: Candidates) -> list[Reach]:
    """For each target, how far down the lists at it the answer is."""
    made = []
    for i, target in enumerate(found.keys):
        worths = [found.worth[i, j] for j in found.at.get(i, ())]
        strict = min((w.index(3) for w in worths if 3 in w), default=None)
        partial = min((w.index(2) for w in worths if 2 in w), default=None)
        lenient = min((place for place in (strict, partial) if place is not None), default=None)
        made.append(Reach(target, len(worths), strict, lenient))
    return made


def max_recall(found: Candidates) -> MaxRecall:
    """Count what the lists of a document could give at most."""
    reached = reaches(found)
    return MaxRecall(
        targets=len(found.keys),
        targets_with_list=sum(one.lists > 0 for one in reached),
        lists=len(found.lists),
        lists_with_target=len({j for several in found.at.values() for j in several}),
        strict_by_rank=tuple(rank_histogram(one.strict for one in reached)),
        lenient_by_rank=tuple(rank_histogram(one.lenient for one in reached)),
    )


def indicators(found: Candidates) -> list[Annotation]:
    """A copy of each target whose type says whether, and how, it can be found."""
    return [
        replace(one.target, type=one.target.type + SUFFIXES[one.indicator])
        for one in reaches(found)
    ]


def _added(one: Sequence[int], other: Sequence[int]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip_longest(one, other, fillvalue=0))
