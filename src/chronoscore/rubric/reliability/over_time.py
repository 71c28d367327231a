"""Whether agreement, and each evaluator, drift in the course of the work."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.errors import UsageError
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.judgement import Judgement, round_order
from chronoscore.rubric.reliability.document import OverTime, Series
from chronoscore.rubric.reliability.judged import plain, scale_of
from chronoscore.rubric.reliability.plan import Plan
from chronoscore.statistics.agreement import Ratings

Key = tuple[str, str, str, str]
Places = NDArray[np.int64]


def over_time(
    judgements: Sequence[Judgement],
    order: Mapping[Key, int],
    codebook: Codebook,
    windows: int | None,
    plan: Plan,
) -> OverTime:
    """Agreement and each evaluator's generosity in consecutive parts of the work.

    All rounds count. The parts are the rounds if `windows` is None, else so many parts of about
    as many judgements. Evaluators judge in orders of their own, so each one's work is cut by
    itself; an event belongs where it is on average.
    """
    rounds = sorted({j.round for j in judgements}, key=round_order)
    if windows is None and len(rounds) < 2:
        raise UsageError("there is only one round: give --windows a number of parts")
    # The work is cut first: it says whether there are so many parts, however many are asked for.
    number = len(rounds) if windows is None else windows
    own = _own_parts(judgements, order, rounds if windows is None else None, number)
    steps = rounds if windows is None else [str(at) for at in range(1, number + 1)]
    part_of = _unit_parts(judgements, own.positions, steps if windows is None else None, len(steps))
    agreement: list[Series] = []
    evaluators: list[Series] = []
    for name, ratings in _ratings(judgements, codebook):
        at_unit = np.array([part_of[unit] for unit in ratings.units], dtype=np.int64)
        agreement += _agreement(name, ratings, at_unit, len(steps), codebook, plan)
        evaluators += _generosity(name, ratings, own.parts, len(steps))
    names = [f"round {s or '(none)'}" if windows is None else f"part {s}" for s in steps]
    by = "rounds" if windows is None else "rows"
    return OverTime(by, tuple(names), tuple(agreement), tuple(evaluators))  # type: ignore[arg-type]


class _Own:
    """Of each judgement, in which part of the evaluator's own work it lies, and how far into it."""

    def __init__(self) -> None:
        self.parts: dict[tuple[str, str], int] = {}
        self.positions: dict[str, list[float]] = defaultdict(list)


def _own_parts(
    judgements: Iterable[Judgement],
    order: Mapping[Key, int],
    rounds: Sequence[str] | None,
    number: int,
) -> _Own:
    by_evaluator: dict[str, list[Judgement]] = defaultdict(list)
    for judgement in judgements:
        by_evaluator[judgement.evaluator].append(judgement)
    found = _Own()
    for evaluator, several in by_evaluator.items():
        if rounds is None and len(several) < number:
            raise UsageError(
                f"{evaluator} judged {len(several)} events, which can't be cut into {number} parts"
            )
        several.sort(key=lambda j: (round_order(j.round), order.get(j.key, 0), j.key))
        for at, judgement in enumerate(several):
            unit = _unit(judgement)
            share = _part(at, len(several), number)
            found.parts[unit, evaluator] = (
                rounds.index(judgement.round) if rounds is not None else share
            )
            found.positions[unit].append((at + 0.5) / len(several))
    return found


def _unit_parts(
    judgements: Iterable[Judgement],
    positions: Mapping[str, Sequence[float]],
    rounds: Sequence[str] | None,
    number: int,
) -> dict[str, int]:
    if rounds is not None:
        return {_unit(j): rounds.index(j.round) for j in judgements}
    mean = {unit: round(sum(at) / len(at), 12) for unit, at in positions.items()}
    ordered = sorted(mean, key=lambda unit: (mean[unit], unit))
    return {unit: _part(at, len(ordered), number) for at, unit in enumerate(ordered)}


def _part(at: int, size: int, number: int) -> int:
    """In which of so many parts a place lies; they are as even as can be, the longer ones first.

    >>> [_part(at, 5, 3) for at in range(5)]
    [0, 0, 1, 1, 2]
    """
    short, longer = divmod(size, number)
    first = longer * (short + 1)
    return at // (short + 1) if at < first else longer + (at - first) // max(short, 1)


def _unit(judgement: Judgement) -> str:
    """An event that is judged again in another round is another unit."""
    return "\n".join((judgement.system, judgement.event, judgement.round))


def _ratings(judgements: Sequence[Judgement], codebook: Codebook) -> list[tuple[str, Ratings]]:
    quality = cache(lambda values: float(codebook.quality(values)))
    units = [(_unit(j), j.evaluator) for j in judgements]
    found = []
    for place, criterion in enumerate(codebook.criteria):
        values = (float(j.values[place]) for j in judgements)
        table = ((u, e, v) for (u, e), v in zip(units, values, strict=True))
        found.append((criterion.name, Ratings.of(table, categories=criterion.allowed)))
    scores = (quality(j.values) for j in judgements)
    table = ((u, e, v) for (u, e), v in zip(units, scores, strict=True))
    found.append((codebook.score, Ratings.of(table)))
    return found


def _agreement(
    criterion: str, ratings: Ratings, at_unit: Places, number: int, codebook: Codebook, plan: Plan
) -> Iterable[Series]:
    inside = [ratings.within(np.flatnonzero(at_unit == part)) for part in range(number)]
    events = tuple(int(each.paired.sum()) for each in inside)
    for one in plan.within_parts(scale_of(criterion, codebook)):
        values = tuple(plain(float(one(each))) for each in inside)
        yield Series(criterion, one.name, values, events)


def _generosity(
    criterion: str, ratings: Ratings, parts: Mapping[tuple[str, str], int], number: int
) -> Iterable[Series]:
    """Each evaluator's mean deviation from the means of events that another judged too."""
    shared = ratings.paired[ratings.unit_at]
    units, raters = ratings.unit_at[shared].tolist(), ratings.rater_at[shared].tolist()
    names = [(ratings.units[u], ratings.rater_names[r]) for u, r in zip(units, raters, strict=True)]
    part = np.array([parts[name] for name in names], dtype=np.int64)
    cell = np.array(raters, dtype=np.int64) * number + part
    size = ratings.raters * number
    sums = np.bincount(cell, ratings.deviations[shared], size).reshape(ratings.raters, number)
    counts = np.bincount(cell, minlength=size).reshape(ratings.raters, number)
    for place, rater in enumerate(ratings.rater_names):
        values = tuple(
            float(total) / count if count else None
            for total, count in zip(sums[place].tolist(), counts[place].tolist(), strict=True)
        )
        yield Series(criterion, rater, values, tuple(map(int, counts[place].tolist())))
