"""Alignment of days: a cost for every pair, a kernel for distance, a way to assign.

All published alignments are one function with these three as parameters (Martschat and Markert
2017), and each may be a function of the user, named `module:function` or `./file.py:function`:

- a kernel weighs a match by its distance, which may be infinite: `kernel(distance[p, g]) ->
  weight[p, g]`, from 0 to 1;
- a cost says what a match costs: `cost(comparison, weight[p, g]) -> cost[p, g]`;
- an assignment gives each row a column: `assign(cost[r, c], distance[r, c]) -> column[r]`, -1 for
  none. It is called for both sides, predicted days in rows and then gold days in rows.

A user's function sees one case; ours work on the cells of a whole block.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.functions import allowed
from chronoscore.core.metric import Values, text_of
from chronoscore.elements.assignment import minimum_assignment
from chronoscore.elements.text.columns import Integers
from chronoscore.errors import UsageError
from chronoscore.statistics.ratios import Array
from chronoscore.timelines.comparison import ComparisonBlock, Overlap, TimelineComparison

if TYPE_CHECKING:
    from chronoscore.elements.embedding import Embed

Kernel = Callable[[Array], Array]
Cost = Callable[[ComparisonBlock, Array], Array]
Choose = Callable[[Array, Array, Integers], Integers]
"""Gives each run of cells, from their costs, distances and where runs begin, a cell or -1."""
Solve = Callable[[Array, Array], Integers]
"""Gives each row of a table of costs, and of one of distances, a column or -1."""


class Alignment(NamedTuple):
    """The cell of each day of both sides of a block, that of the day it is aligned with, or -1."""

    to_gold: Integers
    to_predicted: Integers
    weight: Array
    """The weight of each cell."""


def reciprocal(distance: Array) -> Array:
    """Weigh a match d cells apart by 1 / (d + 1)."""
    return np.asarray(1 / (distance + 1))


def flat(distance: Array) -> Array:
    """Weigh all matches alike, whatever their distance."""
    return np.ones_like(distance)


def date_cost(_: ComparisonBlock, weight: Array) -> Array:
    """Return 1 - weight."""
    return 1 - weight


def date_text_cost(block: ComparisonBlock, weight: Array) -> Array:
    """Return (1 - weight) (1 - likeness): 0 on the same day, and for equal text on any day."""
    return np.asarray((1 - weight) * (1 - block.likeness))


def similarity_cost(block: ComparisonBlock, weight: Array, values: Values) -> Array:
    """Return 1 - T (1 - s + s weight): a wrong date takes the share s of a similarity T at most."""
    share = values["time_weight"]
    assert isinstance(share, float)
    alike = block.similarity(text_of(values, "similarity"))
    return np.asarray(1 - alike * (1 - share + share * weight))


def one_to_one(cost: Array, _: Array) -> Integers:
    """Match as many as there are on the shorter side, at the least total cost."""
    columns = np.full(len(cost), -1, dtype=np.int64)
    rows, chosen = minimum_assignment(cost)
    columns[rows] = chosen
    return columns


def many_to_one(cost: Array, _: Array, starts: Integers) -> Integers:
    """Give each day its cheapest cell, the first of equals; several days may share a partner."""
    sizes = np.diff(starts)
    chosen = np.full(len(sizes), -1, dtype=np.int64)
    days = np.flatnonzero(sizes)
    if len(days):
        sizes = sizes[days]
        least = np.minimum.reduceat(cost, starts[days])
        cheapest = np.flatnonzero(cost == np.repeat(least, sizes))
        day = np.repeat(days, sizes)[cheapest]
        is_first = np.append(True, day[1:] != day[:-1])
        chosen[day[is_first]] = cheapest[is_first]
    return chosen


def many_to_nearest(cost: Array, distance: Array, starts: Integers) -> Integers:
    """Give each day its cheapest cell, of equals the nearest in time.

    The first of equals separates a day from itself where two days have equal text.
    """
    chosen = many_to_one(cost, distance, starts)
    least = cost[np.repeat(chosen, np.diff(starts))]
    near = np.minimum(distance, _LARGEST)  # an infinite distance may be that of the cheapest
    return many_to_one(np.where(cost == least, near, np.inf), distance, starts)


def same_day(cost: Array, distance: Array, starts: Integers) -> Integers:
    """Give each day the cell of its own date, if there is one; of several the cheapest."""
    is_same_day = distance == 0
    chosen = many_to_one(np.where(is_same_day, cost, np.inf), distance, starts)
    aligned = np.flatnonzero(chosen >= 0)
    chosen[aligned[~is_same_day[chosen[aligned]]]] = -1
    return chosen


KERNELS: Mapping[str, Kernel] = {"reciprocal": reciprocal, "flat": flat}
COSTS: Mapping[str, Cost] = {"date": date_cost, "date+text": date_text_cost}
ONE_TO_ONE, MANY_TO_ONE, SAME_DAY = ASSIGNMENTS = ("one-to-one", "many-to-one", "same-day")
MEANING_COST, SIMILARITY_COST = "date+meaning", "similarity"
_WORDS = ("kernel", "cost", "assign", "tie", "model", "extent")
_LARGEST = np.finfo(np.float64).max
_OTHER_PERIOD = 1e-9
"""The extra cost of a period that is not the same; it only decides between equal costs."""


def align(block: ComparisonBlock, values: Values) -> Alignment:
    """Align both ways. The two are solved apart, as in tilse: with ties they may differ."""
    used = [values[name] for name in (*_WORDS, "similarity", "time_weight")]
    return block.keep(("alignment", *used), lambda: _align(block, values))


def _align(block: ComparisonBlock, values: Values) -> Alignment:
    kernel, cost, assign, tie, model, extent = (text_of(values, name) for name in _WORDS)
    distance = block.distance(extent)
    weight = (
        KERNELS[kernel](distance) if kernel in KERNELS else _user_weights(kernel, block, extent)
    )
    if extent == "overlap":
        weight = block.with_overlap(weight)
    if cost == MEANING_COST:
        costs = (1 - weight) * (1 - _end_to_end(block, lambda one: day_similarity(one, model)))
    elif cost == SIMILARITY_COST:
        costs = similarity_cost(block, weight, values)
    elif cost in COSTS:
        costs = COSTS[cost](block, weight)
    else:
        costs = _end_to_end(block, lambda one: _user_table(cost, one, one, one.table(weight)))
    if not block.has_single_cells:  # a month is close to its days, but closest to itself
        costs = costs + _OTHER_PERIOD * block.unequal
    if assign == ONE_TO_ONE or assign not in ASSIGNMENTS:
        solve = one_to_one if assign == ONE_TO_ONE else partial(_user_columns, assign)
        return Alignment(*_case_by_case(solve, block, costs, distance), weight)
    choose: Choose = same_day
    if assign == MANY_TO_ONE:
        choose = many_to_nearest if tie == "nearest" else many_to_one
    order, starts = block.by_column
    distances = distance if choose is many_to_one else distance[order]  # it looks at costs alone
    to_predicted = choose(costs[order], distances, starts)
    to_predicted = np.where(to_predicted >= 0, np.append(order, -1)[to_predicted], -1)
    return Alignment(choose(costs, distance, block.row_starts), to_predicted, weight)


def _end_to_end(block: ComparisonBlock, table_of: Callable[[TimelineComparison], Array]) -> Array:
    """Return the tables of all cases, end to end; those without a cell are not asked for."""
    tables = [table_of(one).ravel() for one in block if one.has_cells]
    return np.concatenate(tables) if tables else np.empty(0)


def _case_by_case(
    solve: Solve, block: ComparisonBlock, cost: Array, distance: Array
) -> tuple[Integers, Integers]:
    """Solve each case by itself, both ways, and return the chosen cells of all days."""
    to_gold = np.full(len(block.rows), -1, dtype=np.int64)
    to_predicted = np.full(len(block.gold.first), -1, dtype=np.int64)
    for one in block:
        if not one.has_cells:  # no function needs to handle that
            continue
        costs, distances = one.table(cost), one.table(distance)
        width, start = costs.shape[1], block.starts[one.place]
        columns = solve(costs, distances)
        if solve is one_to_one and width != len(costs):  # the other way it is the same problem
            rows = np.full(width, -1, dtype=np.int64)
            rows[columns[columns >= 0]] = np.flatnonzero(columns >= 0)
        else:
            rows = solve(costs.T, distances.T)
        cells = start + np.arange(len(columns)) * width + columns
        to_gold[one.rows] = np.where(columns >= 0, cells, -1)
        cells = start + rows * width + np.arange(len(rows))
        to_predicted[one.columns] = np.where(rows >= 0, cells, -1)
    return to_gold, to_predicted


# Functions of the user: they are called, and what they return is checked


def _user_weights(name: str, block: ComparisonBlock, extent: str) -> Array:
    """Call the user's kernel, which must give weights from 0 to 1."""
    weight = _end_to_end(block, lambda one: _user_table(name, one, one.distance(extent)))
    for extreme in (weight.min(initial=0), weight.max(initial=0)):
        if not 0 <= extreme <= 1:
            raise UsageError(f"{name} gave {extreme:g}, expected weights from 0 to 1")
    return weight


def _user_columns(name: str, cost: Array, distance: Array) -> Integers:
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
    return columns.astype(np.int64)


def _user_table(name: str, comparison: TimelineComparison, *arguments: object) -> Array:
    """Call the user's kernel or cost, which must give finite numbers for all pairs."""
    table, shape = _call_user_function(name, *arguments), comparison.shape
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
        predicted = embed([" ".join(texts) for texts in comparison.predicted_texts])
        similarity = np.zeros(comparison.shape)
        gold = embed([" ".join(texts) for _, texts in comparison.gold_texts])
        cosine = np.asarray(predicted @ gold.T, dtype=np.float64)
        np.maximum.at(similarity.T, [column for column, _ in comparison.gold_texts], cosine.T)
        return np.clip(similarity, 0.0, 1.0)

    return comparison.block.keep(("meaning", model, comparison.place), make)


def meaning_overlap(block: ComparisonBlock, model: str) -> Overlap:
    """Count the words of a sentence as shared as far as the other day has one that says the same.

    A sentence of n words is worth n times its highest cosine with a sentence of the other day, on
    either side; the totals are the words. Sentences are compared, not words, since they
    separate the same event in other words from another event of the day far better.
    """

    def make() -> Overlap:
        overlaps = [_meaning_overlap(one, _load(model)) for one in block]
        parts = zip(*overlaps, strict=True)
        return Overlap(*(np.concatenate([*map(np.ravel, part)]) for part in parts))

    return block.keep(("soft", model), make)


def _meaning_overlap(comparison: TimelineComparison, embed: "Embed") -> Overlap:
    predicted = [_sentences(texts, comparison, embed) for texts in comparison.predicted_texts]
    shared_by_predicted, shared_by_gold = np.zeros(comparison.shape), np.zeros(comparison.shape)
    gold = np.zeros(len(comparison.gold_dates))
    for column, texts in comparison.gold_texts:
        sizes, vectors = _sentences(texts, comparison, embed)
        gold[column] += sizes.sum()
        for row, (predicted_sizes, predicted_vectors) in enumerate(predicted):
            if len(predicted_sizes) and len(sizes):
                alike = np.clip(predicted_vectors @ vectors.T, 0.0, 1.0)
                shared_by_predicted[row, column] += predicted_sizes @ alike.max(axis=1)
                shared_by_gold[row, column] += sizes @ alike.max(axis=0)
    totals = np.array([sizes.sum() for sizes, _ in predicted], dtype=np.float64)
    return Overlap(shared_by_predicted, shared_by_gold, totals * comparison.references, gold)


def _sentences(
    texts: tuple[str, ...], comparison: TimelineComparison, embed: "Embed"
) -> tuple[Array, Array]:
    """Return the number of words of each sentence of a day, and its vector."""
    sizes = [len(comparison.tokenise([text])) for text in texts]
    return np.array(sizes, dtype=np.float64), np.asarray(embed(list(texts)), dtype=np.float64)


def _load(model: str) -> "Embed":
    from chronoscore.elements.embedding import load  # noqa: PLC0415 - few runs ask for a model

    return load(model)
