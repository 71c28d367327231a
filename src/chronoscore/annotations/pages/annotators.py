"""Tables of annotators: F1 of each pair, and agreement on the labels of spans that both have."""

from collections.abc import Mapping, Sequence

import numpy as np

from chronoscore.annotations.annotators import (
    SCORES,
    F1WithInterval,
    Pairwise,
    mean_f1,
    pair_f1,
    pooled_f1,
)
from chronoscore.annotations.labels import LabelConfusion
from chronoscore.reports.table import Cell, Several, Table

MOST_LABELS = 10
"""The highest number of labels for which a matrix is readable."""


def annotator_tables(pairs: Sequence[Pairwise], level: float = 0.95) -> list[Table]:
    """Return the table of each pair with intervals, of the mean and the pool, and a matrix."""
    rows = [_row(pair.one, pair.other, len(pair.documents), pair_f1(pair, level)) for pair in pairs]
    if len(pairs) > 1:
        shared = len({name for pair in pairs for name in pair.documents})
        rows.append(_row("mean of pairs", "", shared, mean_f1(pairs, level)))
        rows.append(_row("all pairs pooled", "", shared, pooled_f1(pairs, level)))
    scores = [(column, name) for name in SCORES for column in ("F1", "interval")]
    remarks = [
        f"{level:.0%} intervals: jackknife over documents",
        "F1 of spans is what kappa comes to where few of all possible spans are annotated",
    ]
    columns = ["one", "other", "documents", *scores]
    table = Table.of("agreement of annotators", columns, rows, remarks)
    return [table, *([_matrix(pairs)] if len(pairs) > 1 else [])]


def _row(first: str, second: str, documents: int, score: F1WithInterval) -> list[Cell]:
    cells: list[Cell] = [first, second, documents]
    for value, low, high in zip(score.f1, score.bounds.low, score.bounds.high, strict=True):
        cells += [_number(value), _bounds(float(low), float(high))]
    return cells


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


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
        strict, lenient = pair_f1(pair).f1
        cells[pair.one, pair.other] = _number(strict)
        cells[pair.other, pair.one] = _number(lenient)
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
