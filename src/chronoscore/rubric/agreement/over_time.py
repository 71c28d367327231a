"""Whether agreement, and each evaluator, drift in the course of the work."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from chronoscore.errors import UsageError
from chronoscore.rubric.agreement.coefficients import AgreementPlan, defined
from chronoscore.rubric.codebook import Codebook, RatedColumn
from chronoscore.rubric.judgements import Judgement, Judgements, round_order
from chronoscore.statistics.labels import Labels
from chronoscore.statistics.ratings import Ratings
from chronoscore.statistics.ratios import ratio

Key = tuple[str, str, str, str]
"""The key of a judgement."""
Windows = tuple[Mapping[tuple[str, str], int], Mapping[str, int]]
"""The window of each unit's judgement by an evaluator, and that of each unit."""


class TimeSeries(msgspec.Struct, frozen=True):
    """A number in each window of the work: a coefficient, or how generous an evaluator is."""

    criterion: str
    name: str
    values: tuple[float | None, ...]
    events: tuple[int, ...]
    """The number of events behind each value."""


class OverTime(msgspec.Struct, frozen=True):
    """Whether agreement, and each evaluator, drift in the course of the work."""

    by: Literal["rounds", "rows"]
    parts: tuple[str, ...]
    agreement: tuple[TimeSeries, ...]
    evaluators: tuple[TimeSeries, ...]


def over_time(
    judgements: Judgements,
    order: Mapping[Key, int],
    codebook: Codebook,
    windows: int | None,
    plan: AgreementPlan,
) -> OverTime:
    """Compute agreement and each evaluator's generosity in consecutive windows of the work.

    All rounds count. The windows are the rounds if `windows` is None, else that many parts of the
    work with about as many judgements each. Evaluators judge in different orders, so the work of
    each is divided separately; an event belongs to the window of its mean place.
    """
    rows = list(judgements)
    if windows is None:
        steps = sorted({row.round for row in rows}, key=round_order)
        if len(steps) < 2:
            raise UsageError("there is only one round: give --windows a number of parts")
        of_rating, of_unit = _by_round(rows, steps)
        names = [f"round {step or '(none)'}" for step in steps]
    else:
        of_rating, of_unit = _by_place(rows, order, windows)
        names = [f"part {number}" for number in range(1, windows + 1)]
    agreement: list[TimeSeries] = []
    evaluators: list[TimeSeries] = []
    values, units = judgements.score_table(codebook), Labels.of(map(_unit, rows))
    for at, column in enumerate(codebook.columns):
        raters = judgements.words["evaluator"]
        ratings = Ratings.columns(units, raters, values[:, at], column.allowed)
        at_unit = np.array([of_unit[unit] for unit in ratings.units], dtype=np.int64)
        agreement += _agreement(column, ratings, at_unit, len(names), plan)
        if column.is_ordered:
            evaluators += _generosity(column.name, ratings, of_rating, len(names))
    by = "rounds" if windows is None else "rows"
    return OverTime(by, tuple(names), tuple(agreement), tuple(evaluators))  # type: ignore[arg-type]


def _by_round(rows: Sequence[Judgement], rounds: Sequence[str]) -> Windows:
    place = {name: at for at, name in enumerate(rounds)}
    return (
        {(_unit(row), row.evaluator): place[row.round] for row in rows},
        {_unit(row): place[row.round] for row in rows},
    )


def _by_place(rows: Iterable[Judgement], order: Mapping[Key, int], number: int) -> Windows:
    by_evaluator: dict[str, list[Judgement]] = defaultdict(list)
    for row in rows:
        by_evaluator[row.evaluator].append(row)
    of_rating: dict[tuple[str, str], int] = {}
    positions: dict[str, list[float]] = defaultdict(list)
    for evaluator, judged in by_evaluator.items():
        if len(judged) < number:
            raise UsageError(
                f"{evaluator} judged {len(judged)} events, which can't be cut into {number} parts"
            )
        judged.sort(key=lambda row: (round_order(row.round), order.get(row.key, 0), row.key))
        for window, part in enumerate(np.array_split(np.arange(len(judged)), number)):
            for at in part.tolist():
                unit = _unit(judged[at])
                of_rating[unit, evaluator] = window
                positions[unit].append((at + 0.5) / len(judged))
    mean = {unit: round(sum(at) / len(at), 12) for unit, at in positions.items()}
    ordered = np.array(sorted(mean, key=lambda unit: (mean[unit], unit)), object)
    parts = enumerate(np.array_split(ordered, number))
    return of_rating, {unit: window for window, part in parts for unit in part}


def _unit(judgement: Judgement) -> str:
    """Return the unit of a judgement; an event judged in two rounds makes two units."""
    return "\n".join((judgement.system, judgement.event, judgement.round))


def _agreement(
    column: RatedColumn,
    ratings: Ratings,
    at_unit: NDArray[np.int64],
    number: int,
    plan: AgreementPlan,
) -> Iterable[TimeSeries]:
    inside = [ratings.within(np.flatnonzero(at_unit == window)) for window in range(number)]
    events = tuple(int(each.paired.sum()) for each in inside)
    for coefficient in plan.shown_in_groups(column.scale):
        values = tuple(defined(float(coefficient(each))) for each in inside)
        yield TimeSeries(column.name, coefficient.name, values, events)


def _generosity(
    criterion: str, ratings: Ratings, of_rating: Mapping[tuple[str, str], int], number: int
) -> Iterable[TimeSeries]:
    """Yield each evaluator's mean deviation from the means of events with several judgements."""
    shared = ratings.paired[ratings.unit_at]
    units, raters = ratings.unit_at[shared].tolist(), ratings.rater_at[shared].tolist()
    names = [(ratings.units[u], ratings.rater_names[r]) for u, r in zip(units, raters, strict=True)]
    window = np.array([of_rating[name] for name in names], dtype=np.int64)
    cell = np.array(raters, dtype=np.int64) * number + window
    size = ratings.raters * number
    sums = np.bincount(cell, ratings.deviations[shared], size).reshape(ratings.raters, number)
    counts = np.bincount(cell, minlength=size).reshape(ratings.raters, number)
    means = ratio(sums.astype(np.float64), counts.astype(np.float64))
    for place, rater in enumerate(ratings.rater_names):
        values = tuple(map(defined, means[place].tolist()))
        yield TimeSeries(criterion, rater, values, tuple(counts[place].tolist()))
