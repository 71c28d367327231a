"""The contrast of systems: which is better, by how much, and how sure that is."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType, structs

from chronoscore.core.evidence import Match
from chronoscore.core.result import CaseMatches, Interval


class Swing(msgspec.Struct, frozen=True):
    """How much one unit, such as a topic, speaks for the first system."""

    unit: str
    difference: float
    one: float | None = None
    """The first system's score on this unit alone; None where it is undefined."""
    two: float | None = None


class Pair(msgspec.Struct, frozen=True, omit_defaults=True):
    """Two systems on one metric's main score."""

    one: str
    two: str
    difference: float | None
    """The first's score less the second's."""
    p: float | None
    p_corrected: float | None
    smallest_p: float
    """The lowest p that this number of units allows."""
    exact: bool
    interval: Interval | None = None
    wins: int = 0
    ties: int = 0
    losses: int = 0
    swings: tuple[Swing, ...] = ()
    """Units, the largest differences first; the first 10,000 of very many."""
    units_needed: int | None = None
    """About how many units it would take to see a difference of this size."""


def turned(pair: Pair) -> Pair:
    """The same pair seen from the other side.

    >>> pair = Pair("a", "b", 0.25, 0.5, 0.5, 0.5, exact=True, wins=3, losses=1)
    >>> [getattr(turned(pair), name) for name in ("one", "two", "difference", "wins", "losses")]
    ['b', 'a', -0.25, 1, 3]
    """
    interval = pair.interval
    return structs.replace(
        pair,
        one=pair.two,
        two=pair.one,
        difference=None if pair.difference is None else 0.0 - pair.difference,  # never -0.0
        interval=interval
        and structs.replace(interval, low=0.0 - interval.high, high=0.0 - interval.low),
        wins=pair.losses,
        losses=pair.wins,
        swings=tuple(Swing(s.unit, 0.0 - s.difference, s.two, s.one) for s in pair.swings),
    )


class Ranked(msgspec.Struct, frozen=True, omit_defaults=True):
    """A system's place on one metric."""

    system: str
    score: float | None
    letters: str = ""
    """Systems that share a letter do not differ significantly; none with a baseline."""
    cluster: int = 0
    """Of rank, from 1; 0 with a baseline."""
    interval: Interval | None = None


class MetricContrast(msgspec.Struct, frozen=True):
    """All systems on one metric, the best first, and their pairs."""

    name: str
    label: str
    score: str
    better: str
    ranking: tuple[Ranked, ...]
    pairs: tuple[Pair, ...]


class Contrast(msgspec.Struct, frozen=True, kw_only=True):
    """The whole document."""

    format: Literal["chronoscore-contrast"] = "chronoscore-contrast"
    version: int = 1
    family: str
    protocol: str
    path: str
    test: str
    correction: str
    level: float
    seed: int
    resamples: int | UnsetType = UNSET
    """How often it was drawn, where that was asked for; else as often as is usual."""
    unit: str
    units: int
    baseline: str
    metrics: tuple[MetricContrast, ...]
    notices: tuple[str, ...] = ()
    group: dict[str, str] = {}
    """The value of the items that are compared, or that it is the mean over values; else empty."""


# What changed from one system to another at each gold item, by the matches of both.


_PARTLY = "partial"
"""Outcomes that say so are right, but not strictly."""


class Change(msgspec.Struct, frozen=True):
    """A gold item (target), and its match with an older and with a newer system."""

    case: str
    target: str
    old: Match
    new: Match

    @property
    def outcomes(self) -> tuple[str, str]:
        """The old and the new outcome."""
        return self.old.outcome, self.new.outcome

    @property
    def sense(self) -> Literal["better", "worse", "other"]:
        """Whether the credit rose or fell; at equal credit, a strict match beats a partial one."""
        before, after = (
            (match.credit, match.credit > 0 and _PARTLY not in match.outcome)
            for match in (self.old, self.new)
        )
        return "better" if after > before else "worse" if after < before else "other"


def right(match: Match, *, strict: bool) -> bool:
    """Whether a target has full credit; if `strict`, a partial match does not count."""
    whole = match.possible > 0 and match.credit >= match.possible
    return whole and not (strict and _PARTLY in match.outcome)


def changes(old: Iterable[CaseMatches], new: Iterable[CaseMatches]) -> list[Change]:
    """Pair the matches of each target by two systems, under one metric.

    Targets that only one of the two was scored on are left out.
    """
    before, after = _by_target(old), _by_target(new)
    return [
        Change(case, target, match, after[case, target, nth])
        for (case, target, nth), match in before.items()
        if (case, target, nth) in after
    ]


def outcome_names(all_changes: Sequence[Change]) -> list[str]:
    """Return the outcomes that occur, the best first."""
    credits: dict[str, float] = {}
    counted: Counter[str] = Counter()
    for change in all_changes:
        for match in (change.old, change.new):
            credits[match.outcome] = max(credits.get(match.outcome, 0.0), match.credit)
            counted[match.outcome] += 1
    partly = {outcome: _PARTLY in outcome for outcome in counted}
    return sorted(counted, key=lambda name: (-credits[name], name == "missing", partly[name], name))


def item_name(text: str) -> str:
    """Return the name of an item without the remarks that a match may add on further lines.

    >>> item_name("a, b\\n(MUC 1 of 1)")
    'a, b'
    """
    return text.partition("\n")[0]


def _by_target(all_matches: Iterable[CaseMatches]) -> dict[tuple[str, str, int], Match]:
    """Index matches by case and target; a number distinguishes targets of the same name."""
    by_target: dict[tuple[str, str, int], Match] = {}
    seen: Counter[tuple[str, str]] = Counter()
    for item in all_matches:
        for match in item.matches:
            if match.gold and match.side != "precision":
                place = item.case, item_name(match.gold)
                by_target[(*place, seen[place])] = match
                seen[place] += 1
    return by_target
