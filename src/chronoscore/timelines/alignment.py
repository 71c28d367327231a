"""Alignment of days: a cost for every pair, a kernel for distance, a way to assign.

All published alignments are one function with these three as parameters (Martschat and Markert
2017), and each may be a function of the user, named `module:function` or `./file.py:function`:

- a kernel weighs a match by its distance, which may be infinite: `kernel(distance[p, g]) ->
  weight[p, g]`, from 0 to 1;
- a cost says what a match costs: `cost(comparison, weight[p, g]) -> cost[p, g]`;
- an assignment gives each row a column: `assign(cost[r, c], distance[r, c]) -> column[r]`, -1 for
  none. It is called for both sides, predicted days in rows and then gold days in rows.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.functions import allowed
from chronoscore.core.metric import Values, text_of
from chronoscore.errors import UsageError
from chronoscore.statistics.ratios import Array
from chronoscore.timelines.comparison import Overlap, TimelineComparison

if TYPE_CHECKING:
    from chronoscore.elements.embedding import Embed

Columns = NDArray[np.intp]
Kernel = Callable[[Array], Array]
Cost = Callable[[TimelineComparison, Array], Array]
Assign = Callable[[Array, Array], Columns]


class Alignment(NamedTuple):
    """The gold day of each predicted day, the reverse, and the weights of all pairs."""

    to_gold: Columns
    to_predicted: Columns
    weight: Array
    cells: tuple[Columns, Columns]
    """For each side, the index of its aligned pairs, in order of its days, in the flat `weight`."""

    @classmethod
    def of(cls, to_gold: Columns, to_predicted: Columns, weight: Array) -> "Alignment":
        """Compute the indices of the pairs, which every metric of this alignment looks up."""
        width = weight.shape[1]
        predicted, gold = np.flatnonzero(to_gold >= 0), np.flatnonzero(to_predicted >= 0)
        cells = (
            predicted * width + to_gold[predicted],
            to_predicted[gold] * width + gold,
        )
        return cls(to_gold, to_predicted, weight, cells)


def reciprocal(distance: Array) -> Array:
    """Weigh a match d cells apart by 1 / (d + 1)."""
    return np.asarray(1 / (distance + 1))


def flat(distance: Array) -> Array:
    """Weigh all matches alike, whatever their distance."""
    return np.ones_like(distance)


def date_cost(_: TimelineComparison, weight: Array) -> Array:
    """Return 1 - weight."""
    return 1 - weight


def date_text_cost(comparison: TimelineComparison, weight: Array) -> Array:
    """Return (1 - weight) (1 - likeness): 0 on the same day, and for equal text on any day."""
    return np.asarray((1 - weight) * (1 - comparison.likeness))


def one_to_one(cost: Array, _: Array) -> Columns:
    """Match as many as there are on the shorter side, at the least total cost."""
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415  # slow to import

    columns = np.full(len(cost), -1, dtype=np.intp)
    rows, chosen = linear_sum_assignment(cost)
    columns[rows] = chosen
    return columns


def many_to_one(cost: Array, _: Array) -> Columns:
    """Give each row its cheapest column, the first of equals; several rows may share one."""
    return np.asarray(np.argmin(cost, axis=1), dtype=np.intp)


def many_to_nearest(cost: Array, distance: Array) -> Columns:
    """Give each row its cheapest column, of equals the nearest in time.

    The first of equals separates a day from itself where two days have equal text.
    """
    cheapest = cost == cost.min(axis=1, keepdims=True)
    near = np.minimum(distance, _LARGEST)  # an infinite distance is still that of a cheapest column
    return many_to_one(np.where(cheapest, near, np.inf), distance)


def same_day(cost: Array, distance: Array) -> Columns:
    """Give each row the column of its own date, if there is one; of several the cheapest."""
    is_same_day = distance == 0
    cheapest = many_to_one(np.where(is_same_day, cost, np.inf), distance)
    return np.where(is_same_day.any(axis=1), cheapest, -1).astype(np.intp)


KERNELS: Mapping[str, Kernel] = {"reciprocal": reciprocal, "flat": flat}
COSTS: Mapping[str, Cost] = {"date": date_cost, "date+text": date_text_cost}
ASSIGNMENTS: Mapping[str, Assign] = {
    "one-to-one": one_to_one,
    "many-to-one": many_to_one,
    "same-day": same_day,
}
MEANING_COST = "date+meaning"
_LARGEST = np.finfo(np.float64).max
_OTHER_PERIOD = 1e-9
"""The extra cost of a period that is not the same; it only decides between equal costs."""


def align(comparison: TimelineComparison, values: Values) -> Alignment:
    """Align both ways. The two are solved apart, as in tilse: with ties they may differ."""
    names = [
        text_of(values, name) for name in ("kernel", "cost", "assign", "tie", "model", "extent")
    ]
    return comparison.keep(("alignment", *names), lambda: _align(comparison, *names))


def _align(
    comparison: TimelineComparison,
    kernel: str,
    cost: str,
    assign: str,
    tie: str,
    model: str,
    extent: str,
) -> Alignment:
    distance = comparison.distance(extent)
    if not distance.size:  # one side has no days, and no function needs to handle that
        to_gold, to_predicted = (np.full(days, -1, dtype=np.intp) for days in distance.shape)
        return Alignment.of(to_gold, to_predicted, np.zeros(distance.shape))
    weight = KERNELS[kernel](distance) if kernel in KERNELS else _user_weights(kernel, distance)
    if extent == "overlap":
        weight = comparison.with_overlap(weight)
    if cost == MEANING_COST:
        costs = (1 - weight) * (1 - day_similarity(comparison, model))
    elif cost in COSTS:
        costs = COSTS[cost](comparison, weight)
    else:
        costs = _user_table(cost, weight.shape, comparison, weight)
    if not comparison.has_single_cells:  # a month is close to its days, but closest to itself
        costs = costs + _OTHER_PERIOD * comparison.unequal
    assign_rows = ASSIGNMENTS.get(assign) or partial(_user_columns, assign)
    if tie == "nearest" and assign_rows is many_to_one:
        assign_rows = many_to_nearest
    return Alignment.of(assign_rows(costs, distance), assign_rows(costs.T, distance.T), weight)


# Functions of the user: they are called, and what they return is checked


def _user_weights(name: str, distance: Array) -> Array:
    """Call the user's kernel, which must give weights from 0 to 1."""
    weight = _user_table(name, distance.shape, distance)
    for extreme in (weight.min(), weight.max()):
        if not 0 <= extreme <= 1:
            raise UsageError(f"{name} gave {extreme:g}, expected weights from 0 to 1")
    return weight


def _user_columns(name: str, cost: Array, distance: Array) -> Columns:
    """Call the user's assignment, which must give each row a column, or -1."""
    rows, width = cost.shape
    columns = _call_user_function(name, cost, distance)
    if columns.shape != (rows,) or columns.dtype.kind not in "iu":
        raise UsageError(
            f"{name} gave {_described(columns)}, expected a whole number for each of {rows} rows"
        )
    for extreme in (columns.min(), columns.max()):
        if not -1 <= extreme < width:
            raise UsageError(f"{name} gave column {extreme}, expected -1 to {width - 1}")
    return columns.astype(np.intp)


def _user_table(name: str, shape: tuple[int, ...], *arguments: object) -> Array:
    """Call the user's kernel or cost, which must give finite numbers for all pairs."""
    table = _call_user_function(name, *arguments)
    if table.shape != shape or table.dtype.kind not in "biuf":
        size = " x ".join(map(str, shape))
        raise UsageError(f"{name} gave {_described(table)}, expected a table of {size} numbers")
    if not np.isfinite(table).all():
        raise UsageError(f"{name} gave a number that is not finite")
    return table.astype(np.float64)


def _call_user_function(name: str, *arguments: object) -> NDArray[Any]:
    try:
        return np.asarray(allowed(name)(*arguments))
    except UsageError:
        raise
    except (Exception, SystemExit) as error:  # someone else's function may fail in any way
        raise UsageError(f"{name} failed: {type(error).__name__}: {error}") from error


def _described(table: NDArray[Any]) -> str:
    """Describe the value that a user's function returned."""
    if not table.ndim:
        return f"{table.item()!r}"
    size = " x ".join(map(str, table.shape))
    return f"a table of {size}" if table.dtype.kind in "biuf" else f"a table of {size}, not numbers"


# Meaning: days and sentences that say the same in other words


def day_similarity(comparison: TimelineComparison, model: str) -> Array:
    """Return the cosine of the texts of each pair of days, 0 where it is negative."""

    def make() -> Array:
        embed = _load(model)
        predicted = embed([" ".join(texts) for _, texts in comparison.predicted.days])
        similarity = np.zeros((len(predicted), len(comparison.gold_dates)))
        gold = embed([" ".join(texts) for _, texts in comparison.gold.days])
        cosine = np.asarray(predicted @ gold.T, dtype=np.float64)
        np.maximum.at(similarity.T, [column for column, _ in comparison.gold.days], cosine.T)
        return np.clip(similarity, 0.0, 1.0)

    return comparison.keep(("meaning", model), make)


def meaning_overlap(comparison: TimelineComparison, model: str) -> Overlap:
    """Count the words of a sentence as shared as far as the other day has one that says the same.

    A sentence of n words is worth n times its highest cosine with a sentence of the other day, on
    either side; the totals are the words. Sentences are compared, not words, since they
    separate the same event in other words from another event of the day far better.
    """

    def make() -> Overlap:
        embed = _load(model)
        predicted = [_sentences(texts, comparison, embed) for _, texts in comparison.predicted.days]
        shape = len(predicted), len(comparison.gold_dates)
        shared_by_predicted, shared_by_gold = np.zeros(shape), np.zeros(shape)
        gold = np.zeros(shape[1])
        for column, texts in comparison.gold.days:
            sizes, vectors = _sentences(texts, comparison, embed)
            gold[column] += sizes.sum()
            for row, (predicted_sizes, predicted_vectors) in enumerate(predicted):
                if len(predicted_sizes) and len(sizes):
                    alike = np.clip(predicted_vectors @ vectors.T, 0.0, 1.0)
                    shared_by_predicted[row, column] += predicted_sizes @ alike.max(axis=1)
                    shared_by_gold[row, column] += sizes @ alike.max(axis=0)
        totals = np.array([sizes.sum() for sizes, _ in predicted], dtype=np.float64)
        return Overlap(
            shared_by_predicted, shared_by_gold, totals * comparison.gold.references, gold
        )

    return comparison.keep(("soft", model), make)


def _sentences(
    texts: tuple[str, ...], comparison: TimelineComparison, embed: "Embed"
) -> tuple[Array, Array]:
    """Return the number of words of each sentence of a day, and its vector."""
    sizes = [len(comparison.tokenise([text])) for text in texts]
    return np.array(sizes, dtype=np.float64), np.asarray(embed(list(texts)), dtype=np.float64)


def _load(model: str) -> "Embed":
    from chronoscore.elements.embedding import load  # noqa: PLC0415 - few runs ask for a model

    return load(model)
