"""How far annotators agree on spans: F1 between each two of them, and the tables of it.

Chance agreement on where spans are is unknown, since nobody counts the spans that no annotator
marked; as their number grows, kappa approaches the F1 of the pair. *Hripcsak and Rothschild 2005,
Agreement, the F-Measure, and Reliability in Information Retrieval.*
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from chronoscore.annotations.columns import Columns
from chronoscore.annotations.labels import LabelConfusion
from chronoscore.annotations.matching.comparing import compare_columns, count
from chronoscore.annotations.matching.strategies import match
from chronoscore.annotations.metrics import SPANS
from chronoscore.annotations.model import Document
from chronoscore.annotations.parameters import question_of
from chronoscore.core.metric import Metric
from chronoscore.reports.table import Cell, Several, Table
from chronoscore.statistics.intervals import Bounds, jackknife_t
from chronoscore.statistics.ratios import Array, ratio

SCORES = ("strict", "lenient")
MOST_LABELS = 10
"""The highest number of labels for which a matrix is readable."""
Documents = Mapping[str, Document]


@dataclass(frozen=True, eq=False)
class Pairwise:
    """Two annotators and their counts, a row for each document that both have.

    A row is: spans that both have (strict, lenient), spans of the first, spans of the second.
    """

    one: str
    other: str
    documents: tuple[str, ...]
    counts: Array


@dataclass(frozen=True, eq=False)
class F1WithInterval:
    """Strict and lenient F1, with an interval over documents."""

    f1: Array
    bounds: Bounds


def pairwise(sets: Mapping[str, Documents], metric: Metric | None = None) -> list[Pairwise]:
    """Match the documents of every pair of annotators; `metric` is a `spans` metric."""
    spans = metric or SPANS()
    pairs = []
    for first, second in combinations(sets, 2):
        shared = tuple(name for name in sets[first] if name in sets[second])
        gold = Columns.of([sets[first][name] for name in shared], shared)
        predicted = Columns.of([sets[second][name] for name in shared], shared)
        comparison = compare_columns(gold, predicted, question_of(spans.values))
        rows = count(comparison, match(comparison, spans.values)).astype(np.float64)
        targets, responses, strict, partial = rows.T[:4]
        counts = np.stack([strict, strict + partial, targets, responses], axis=1)
        pairs.append(Pairwise(first, second, shared, counts))
    return pairs


def mean_f1(pairs: Sequence[Pairwise], level: float = 0.95) -> F1WithInterval:
    """Return the mean F1 of all pairs; a pair without spans has no F1 and does not count."""
    table = _table(pairs)
    total = table.sum(axis=1)
    return _with_interval(
        mean_of_defined(_f1(total)), mean_of_defined(_f1(total[:, np.newaxis] - table)), level
    )


def pooled_f1(pairs: Sequence[Pairwise], level: float = 0.95) -> F1WithInterval:
    """Return the F1 over the pooled counts of all documents of these pairs."""
    table = _table(pairs).sum(axis=0)
    total = table.sum(axis=0)
    return _with_interval(_f1(total), _f1(total - table), level)


def _f1(counts: Array) -> Array:
    """2 · spans of both / (spans of the first + spans of the second), strict and lenient."""
    spans = counts[..., 2] + counts[..., 3]
    return np.stack([ratio(2 * counts[..., at], spans) for at in (0, 1)], axis=-1)


def mean_of_defined(values: Array) -> Array:
    """Return the mean over the first axis, without undefined values."""
    defined = ~np.isnan(values)
    return ratio(np.where(defined, values, 0.0).sum(axis=0), defined.sum(axis=0).astype(np.float64))


def scores_as_cells(scores: Array) -> list[float | None]:
    """Return scores as the cells of a table: None where undefined."""
    return [None if np.isnan(score) else score for score in scores.tolist()]


def _table(pairs: Sequence[Pairwise]) -> Array:
    """Return counts[pair, document], 0 where the two do not share the document."""
    names = list(dict.fromkeys(name for pair in pairs for name in pair.documents))
    place = {name: at for at, name in enumerate(names)}
    table = np.zeros((len(pairs), len(names), 4))
    for row, pair in enumerate(pairs):
        table[row, [place[name] for name in pair.documents]] = pair.counts
    return table


def _with_interval(estimate: Array, left_out: Array, level: float) -> F1WithInterval:
    if len(left_out) > 1 and not np.isnan(left_out).any():
        return F1WithInterval(estimate, jackknife_t(left_out, estimate, level))
    undefined = np.full_like(estimate, np.nan)
    return F1WithInterval(estimate, Bounds(undefined, undefined, "jackknife-t"))


def annotator_tables(pairs: Sequence[Pairwise], level: float = 0.95) -> list[Table]:
    """Return the table of each pair with intervals, of the mean and the pool, and a matrix."""
    rows = [
        _row(pair.one, pair.other, len(pair.documents), pooled_f1([pair], level)) for pair in pairs
    ]
    if len(pairs) > 1:
        shared = len({name for pair in pairs for name in pair.documents})
        rows.append(_row("mean of pairs", "", shared, mean_f1(pairs, level)))
        rows.append(_row("all pairs pooled", "", shared, pooled_f1(pairs, level)))
    scores = [(column, name) for name in SCORES for column in ("F1", "interval")]
    remarks = [
        f"{level:.0%} intervals: jackknife over documents",
        "F1 of spans approximates kappa if few of all possible spans are annotated",
    ]
    columns = ["one", "other", "documents", *scores]
    table = Table.of("agreement of annotators", columns, rows, remarks)
    return [table, *([_matrix(pairs)] if len(pairs) > 1 else [])]


def _row(first: str, second: str, documents: int, score: F1WithInterval) -> list[Cell]:
    cells: list[Cell] = [first, second, documents]
    for value, low, high in zip(
        scores_as_cells(score.f1), score.bounds.low, score.bounds.high, strict=True
    ):
        cells += [value, _bounds(float(low), float(high))]
    return cells


def _bounds(low: float, high: float) -> Several:
    if np.isnan(low):
        return Several("-", (("low", None), ("high", None)))
    low, high = max(low, 0.0), min(high, 1.0)
    return Several(f"{low:.3f} to {high:.3f}", (("low", low), ("high", high)))


def _matrix(pairs: Sequence[Pairwise]) -> Table:
    """Return a matrix with strict F1 above the diagonal and lenient F1 below it."""
    names = list(dict.fromkeys(name for pair in pairs for name in (pair.one, pair.other)))
    cells: dict[tuple[str, str], Cell] = {}
    for pair in pairs:
        strict, lenient = scores_as_cells(pooled_f1([pair]).f1)
        cells[pair.one, pair.other], cells[pair.other, pair.one] = strict, lenient
    rows = ((row, *(cells.get((row, column), "") for column in names)) for row in names)
    caption = "F1 of each two: strict above the diagonal, lenient below"
    return Table.of(caption, ["", *names], rows)


def label_tables(pairs: Mapping[tuple[str, str], LabelConfusion], feature: str) -> list[Table]:
    """Return tables of agreement on the labels of spans that both have, and of confusions."""
    what = feature or "type"
    rows = (
        (*pair, table.total, table.observed, table.cohen, table.scott)
        for pair, table in pairs.items()
    )
    names = ("one", "other", "spans", "observed", "Cohen's kappa", "Scott's pi")
    remark = "spans that both annotators have exactly once"
    tables = [Table.of(f"labels: {what}", names, rows, [remark])]
    for (first, second), table in pairs.items():
        if table.total:
            tables += [_by_label(table, first, second, what), _confused(table, first, second, what)]
    return tables


def _by_label(table: LabelConfusion, first: str, second: str, what: str) -> Table:
    """Tabulate how often each gives a label, and the agreement on giving and not giving it."""
    first_counts, second_counts = table.margins()
    rows = (
        (
            name,
            first_counts[name],
            second_counts[name],
            table.cells.get((name, name), 0),
            *table.specific(name),
        )
        for name in table.labels
    )
    columns = [(name, "given by") for name in (first, second, "both")]
    columns += [("giving", "agree on"), ("not giving", "agree on")]
    return Table.of(f"{what} by label, {first} and {second}", ["label", *columns], rows)


def _confused(table: LabelConfusion, first: str, second: str, what: str) -> Table:
    """Tabulate confused labels: a matrix, or a list where the matrix would be too wide."""
    if len(table.labels) <= MOST_LABELS:
        rows = ((label, *cells) for label, cells in zip(table.labels, table.matrix, strict=True))
        columns = [first, *((label, second) for label in table.labels)]
        return Table.of(f"{what}: {first} (rows) and {second} (columns)", columns, rows)
    differing = [(-number, cell) for cell, number in table.cells.items() if cell[0] != cell[1]]
    return Table.of(
        f"{what}: labels that {first} and {second} don't share",
        (first, second, "spans"),
        ((*cell, -number) for number, cell in sorted(differing)),
    )
