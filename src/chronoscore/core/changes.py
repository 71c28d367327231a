"""What changed from one system to another at each thing of the gold, by the matches of both."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from chronoscore.core.evidence import Match
from chronoscore.core.result import CaseMatches

_PARTLY = "partial"
"""Outcomes that say so are right, but not strictly."""


@dataclass(frozen=True, slots=True)
class Change:
    """A thing of the gold (target), and what an older and a newer system made of it."""

    case: str
    target: str
    old: Match
    new: Match

    @property
    def outcomes(self) -> tuple[str, str]:
        """What it was, and what it is now."""
        return self.old.outcome, self.new.outcome

    @property
    def sense(self) -> Literal["better", "worse", "other"]:
        """Whether it has more credit now or less; as much, but strictly or not, counts too."""
        before, after = (
            (match.credit, match.credit > 0 and _PARTLY not in match.outcome)
            for match in (self.old, self.new)
        )
        return "better" if after > before else "worse" if after < before else "other"


def right(match: Match, *, strict: bool) -> bool:
    """Whether a target has all the credit that it can have; strictly, if not partially."""
    whole = match.possible > 0 and match.credit >= match.possible
    return whole and not (strict and _PARTLY in match.outcome)


def changes(old: Iterable[CaseMatches], new: Iterable[CaseMatches]) -> list[Change]:
    """Set the two systems' matches of each target against each other; both of one metric.

    Targets that only one of the two was scored on are left out.
    """
    before, after = _by_target(old), _by_target(new)
    return [
        Change(case, target, match, after[case, target, nth])
        for (case, target, nth), match in before.items()
        if (case, target, nth) in after
    ]


def outcome_names(found: Sequence[Change]) -> list[str]:
    """The outcomes that occur, the best first."""
    credits: dict[str, float] = {}
    counted: Counter[str] = Counter()
    for change in found:
        for match in (change.old, change.new):
            credits[match.outcome] = max(credits.get(match.outcome, 0.0), match.credit)
            counted[match.outcome] += 1
    partly = {outcome: _PARTLY in outcome for outcome in counted}
    return sorted(counted, key=lambda name: (-credits[name], name == "missing", partly[name], name))


def _by_target(several: Iterable[CaseMatches]) -> dict[tuple[str, str, int], Match]:
    """Matches by case and target; a target that a case names more than once is told apart."""
    found: dict[tuple[str, str, int], Match] = {}
    seen: Counter[tuple[str, str]] = Counter()
    for item in several:
        for match in item.matches:
            if match.gold and match.side != "precision":
                place = item.case, match.gold
                found[(*place, seen[place])] = match
                seen[place] += 1
    return found
