"""Tables of annotators: F1 between each two, and how they label what both have."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from chronoscore.annotations.annotators import (
    SCORES,
    Pairwise,
    Sure,
    mean_f1,
    pair_f1,
    pooled_f1,
)
from chronoscore.annotations.classification import Confusion
from chronoscore.reports.table import Cell, Column, Several, Table

MOST_LABELS = 10
"""So many make a matrix that can be read."""


def annotator_tables(pairs: Sequence[Pairwise], level: float = 0.95) -> list[Table]:
    """Each pair with its intervals, the mean and the pool of all, and a matrix."""
    rows = [_row(pair.one, pair.other, len(pair.documents), pair_f1(pair, level)) for pair in pairs]
    if len(pairs) > 1:
        shared = len({name for pair in pairs for name in pair.documents})
        rows.append(_row("mean of pairs", "", shared, mean_f1(pairs, level)))
        rows.append(_row("all pairs pooled", "", shared, pooled_f1(pairs, level)))
    columns = [Column("one"), Column("other"), Column("documents")]
    for name in SCORES:
        columns += [Column("F1", name), Column("interval", name)]
    remarks = (
        f"{level:.0%} intervals: jackknife over documents",
        "F1 of spans is what kappa comes to where few of all possible spans are annotated",
    )
    table = Table("agreement of annotators", tuple(columns), tuple(rows), remarks)
    return [table, *([_matrix(pairs)] if len(pairs) > 1 else [])]


def _row(one: str, other: str, documents: int, sure: Sure) -> tuple[Cell, ...]:
    cells: list[Cell] = [one, other, documents]
    for value, low, high in zip(sure.f1, sure.bounds.low, sure.bounds.high, strict=True):
        cells += [None if np.isnan(value) else float(value), _bounds(float(low), float(high))]
    return tuple(cells)


def _bounds(low: float, high: float) -> Several:
    if np.isnan(low):
        return Several("-", (("low", None), ("high", None)))
    low, high = max(low, 0.0), min(high, 1.0)
    return Several(f"{low:.3f} to {high:.3f}", (("low", low), ("high", high)))


def _matrix(pairs: Sequence[Pairwise]) -> Table:
    """Strict F1 above the diagonal, lenient F1 below it."""
    names = list(dict.fromkeys(name for pair in pairs for name in (pair.one, pair.other)))
    found = {(pair.one, pair.other): pair_f1(pair).f1 for pair in pairs}
    rows: list[tuple[Cell, ...]] = []
    for at, one in enumerate(names):
        cells: list[Cell] = [one]
        for place, other in enumerate(names):
            if place == at:
                cells.append("")
                continue
            strict, lenient = found[(one, other) if at < place else (other, one)]
            value = float(strict if at < place else lenient)
            cells.append(None if np.isnan(value) else value)
        rows.append(tuple(cells))
    return Table(
        "F1 of each two: strict above the diagonal, lenient below",
        tuple(map(Column, ["", *names])),
        tuple(rows),
    )


def label_tables(found: Mapping[tuple[str, str], Confusion], feature: str) -> list[Table]:
    """Agreement on labels of the spans that both have, and what was taken for what."""
    what = feature or "type"
    rows: list[tuple[Cell, ...]] = [
        (one, other, table.total, table.observed, table.cohen, table.scott)
        for (one, other), table in found.items()
    ]
    names = ("one", "other", "spans", "observed", "Cohen's kappa", "Scott's pi")
    remark = "spans that both annotators have exactly once"
    tables = [Table(f"labels: {what}", tuple(map(Column, names)), tuple(rows), (remark,))]
    for (one, other), table in found.items():
        if table.total:
            tables += [_by_label(table, one, other, what), _confused(table, one, other, what)]
    return tables


def _by_label(table: Confusion, one: str, other: str, what: str) -> Table:
    """How often each gives a label, and how far they agree on giving and on not giving it."""
    given, also = Counter[str](), Counter[str]()
    for (a, b), many in table.cells.items():
        given[a] += many
        also[b] += many
    rows: list[tuple[Cell, ...]] = [
        (name, given[name], also[name], table.cells.get((name, name), 0), *table.specific(name))
        for name in table.labels
    ]
    columns = (
        Column("label"),
        *(Column(name, "given by") for name in (one, other, "both")),
        Column("giving", "agree on"),
        Column("not giving", "agree on"),
    )
    return Table(f"{what} by label, {one} and {other}", columns, tuple(rows))


def _confused(table: Confusion, one: str, other: str, what: str) -> Table:
    """What was taken for what: a matrix, or a list where the matrix would be too wide."""
    if len(table.labels) <= MOST_LABELS:
        rows: list[tuple[Cell, ...]] = [
            (label, *cells) for label, cells in zip(table.labels, table.matrix, strict=True)
        ]
        columns = (Column(one), *(Column(label, other) for label in table.labels))
        return Table(f"{what}: {one} (rows) and {other} (columns)", columns, tuple(rows))
    differing = [(cell, many) for cell, many in table.cells.items() if cell[0] != cell[1]]
    rows = [(*cell, many) for cell, many in sorted(differing, key=lambda item: (-item[1], item[0]))]
    return Table(
        f"{what}: labels that {one} and {other} don't share",
        (Column(one), Column(other), Column("spans")),
        tuple(rows),
    )
