"""Where precision and recall were lost, in parts that add up exactly to the loss.

A match has possible credit M, shared H and weight w, and earns w H. What it loses, M - w H, is

- (1 - w) H: the words are right and the day is not;
- M - H: the words are not there;
- or all of M, where the day stands alone: nothing is aligned with it, or what is aligned shares
  nothing, and the other side has no such date (with many-to-one every day is given a partner).

Sums are exact fractions, so that nothing is lost in rounding.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from typing import Literal, NamedTuple

from chronoscore.core.evidence import Match
from chronoscore.statistics.averaging import Path

Side = Literal["precision", "recall"]
SIDES: tuple[Side, Side] = ("precision", "recall")
ZERO = Fraction(0)


class Loss(NamedTuple):
    """What was earned and what was not; together, all that could be."""

    earned: Fraction = ZERO
    wrong_day: Fraction = ZERO
    wrong_words: Fraction = ZERO
    alone: Fraction = ZERO
    undefined: Fraction = ZERO
    """The share of cases where there is nothing to earn, and that count as 0."""

    @property
    def possible(self) -> Fraction:
        """All that could be earned."""
        return sum(self, ZERO)

    @property
    def lost(self) -> Fraction:
        """All that was not earned: the sum of the other parts."""
        return sum(self[1:], ZERO)


PARTS: Mapping[Side, tuple[str, ...]] = {
    "precision": ("counted", "wrong day", "wrong words", "spurious", "undefined, counted as 0"),
    "recall": ("counted", "wrong day", "wrong words", "missing", "undefined, counted as 0"),
}
"""What the parts of a loss are called, in their order."""


def is_alone(match: Match, others: AbstractSet[str]) -> bool:
    """Whether the day of a match has no counterpart; `others` are the other side's days."""
    own, partner = match.gold, match.predicted
    if match.side == "precision":
        own, partner = partner, own
    if not own:
        return False  # all days as one document
    if not partner:
        return True
    earned = match.credit if match.shared is None else match.shared
    return not earned and bool(match.distance) and own not in others


def loss_of(matches: Iterable[Match], side: Side, others: AbstractSet[str]) -> Loss:
    """Add up the matches of one side of a case; a case without any has nothing to lose."""
    earned: list[float] = []
    shared: list[float] = []
    possible: list[float] = []
    alone: list[float] = []
    for match in matches:
        if match.side != side:
            continue
        if is_alone(match, others):
            alone.append(match.possible)
            continue
        earned.append(match.credit)
        shared.append(match.credit if match.shared is None else match.shared)
        possible.append(match.possible)
    kept, common = _sum(earned), _sum(shared)
    return Loss(kept, common - kept, _sum(possible) - common, _sum(alone))


def _sum(values: Iterable[float]) -> Fraction:
    """Add up without rounding; whole numbers, which most are, the quick way."""
    whole, rest = 0, ZERO
    for value in values:
        if value == int(value):
            whole += int(value)
        else:
            rest += Fraction(value)
    return rest + whole


Losses = Mapping[Side, Loss | None]
"""The loss of each side; None for a side that the metric does not have, or that is undefined."""


def averaged(
    cases: Sequence[tuple[Mapping[str, str], Losses]], path: Path, policy: str
) -> dict[Side, Loss | None]:
    """Average losses as the score was averaged: what is earned is then the score itself.

    Every case has its tags. Parts of a share add up to 1, so 1 - score is the sum of the others.
    None where the score is undefined.
    """
    rows = list(cases)
    linked = False
    for number, step in enumerate(path.steps):
        left = [level for later in path.steps[number + 1 :] for level in later.levels]
        if step.rule != "sum" and not linked:
            rows = [(tags, _shares(losses, policy)) for tags, losses in rows]
            linked = True
        groups: dict[tuple[str, ...], list[Losses]] = {}
        for tags, losses in rows:
            groups.setdefault(tuple(tags.get(level, "") for level in left), []).append(losses)
        rows = [
            (dict(zip(left, key, strict=True)), {s: _added(of, s, mean=linked) for s in SIDES})
            for key, of in sorted(groups.items())
        ]
    final: Losses = rows[0][1] if rows else {}
    return {side: (final if linked else _shares(final, policy)).get(side) for side in SIDES}


def _added(losses: Sequence[Losses], side: Side, *, mean: bool) -> Loss | None:
    defined = [loss for each in losses if (loss := each.get(side)) is not None]
    if not defined:
        return None
    by = len(defined) if mean else 1
    return Loss(*(sum(parts, ZERO) / by for parts in zip(*defined, strict=True)))


def _shares(losses: Losses, policy: str) -> dict[Side, Loss | None]:
    """Divide by what was possible; 0/0 goes by the policy."""
    nothing = not any(loss is not None and loss.possible for loss in losses.values())
    shares: dict[Side, Loss | None] = {}
    for side in SIDES:
        loss = losses.get(side)
        if loss is not None and loss.possible:
            shares[side] = Loss(*(part / loss.possible for part in loss))
        elif policy == "skip" or loss is None:
            shares[side] = None
        elif policy == "one" or (policy == "agree" and nothing):
            shares[side] = Loss(earned=Fraction(1))
        else:
            shares[side] = Loss(undefined=Fraction(1))
    return shares


def rounded(loss: Loss, places: int = 3) -> tuple[float, ...]:
    """Round the parts so that they still add up to the rounded whole.

    What is earned is rounded as anyone would; the rest goes to the parts with the largest
    remainders.

    >>> rounded(Loss(Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)), 2)
    (0.33, 0.34, 0.33, 0.0, 0.0)
    """
    unit = 10**places
    # The same digits as in the score's own print-out, which formats a float.
    earned = round(float(f"{float(loss.earned):.{places}f}") * unit)
    left = round(loss.possible * unit) - earned
    exact = [part * unit for part in loss[1:]]
    floors = [part.__floor__() for part in exact]
    order = sorted(range(len(exact)), key=lambda at: floors[at] - exact[at])
    over = [at for at in order if exact[at]]
    missing = left - sum(floors)
    for turn in range(abs(missing)):
        if over:
            floors[over[turn % len(over)]] += 1 if missing > 0 else -1
    return tuple(part / unit for part in (earned, *floors))
