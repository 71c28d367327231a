"""The engine of one process: map cases to rows, one after the other or many at once."""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from chronoscore.core import budget
from chronoscore.core.batch import Batch
from chronoscore.core.case import Case
from chronoscore.core.comparison import BYTES_A_CELL, Comparisons
from chronoscore.core.evidence import Match, Parts, Row
from chronoscore.core.family import Family
from chronoscore.core.ledger import Ledger, unite
from chronoscore.core.metric import Metric

TOGETHER = 64
"""Cases that are compared at once: enough for arrays to pay, few enough to forget them soon."""

CELLS_TOGETHER = 1_000_000
"""Cells of the tables of cases that are compared at once."""

Progress = Callable[[Iterable[Case[Any, Any]]], Iterable[Case[Any, Any]]]


def measure(
    family: Family,
    cases: Iterable[Case[Any, Any]],
    metrics: Sequence[Metric],
    comparisons: Comparisons | None = None,
    *,
    explain: bool = False,
    days: bool = False,
    by: Sequence[str] = (),
) -> Iterator[tuple[Row, dict[str, tuple[Match, ...]]]]:
    """Measure each case with every metric: its row and, if wanted, its matches by metric name.

    With `days` a row also has the parts of each day; with `by` those of each value of its items.
    """
    comparisons = comparisons or Comparisons(family)
    named = [(str(metric), metric, metric.setting) for metric in metrics]
    for case in _prepared(cases, comparisons, {setting for _, _, setting in named}):
        found = {
            name: metric.measure(comparisons.of(case, setting)) for name, metric, setting in named
        }
        gold, predicted = comparisons.digests(case)
        row = Row(
            case=case.id,
            tags=dict(case.tags),
            gold=gold,
            predicted=predicted,
            statistics={name: evidence.statistics for name, evidence in found.items()},
            steps={name: evidence.steps for name, evidence in found.items() if evidence.steps},
            parts={
                name: metric.parts(comparisons.of(case, setting)) for name, metric, setting in named
            }
            if days
            else {
                name: parts[0]
                for name, metric, setting in named
                if (parts := _divided(family, metric, comparisons.of(case, setting), by))
            },
        )
        matches = {}
        if explain:
            matches = {
                name: metric.explain(comparisons.of(case, setting))
                for name, metric, setting in named
            }
        yield row, matches


def _prepared(
    cases: Iterable[Case[Any, Any]], comparisons: Comparisons, settings: Collection[Hashable]
) -> Iterator[Case[Any, Any]]:
    """Compare cases in blocks, of `TOGETHER` cases or `CELLS_TOGETHER` cells at most.

    A case whose tables do not fit into the budget of memory is refused before they are made.
    """
    family = comparisons.family
    together = TOGETHER if family.compare_many else 1
    block: list[Case[Any, Any]] = []
    cells = 0
    for case in cases:
        own = family.cells(case) if family.cells else 0
        budget.check(own * BYTES_A_CELL, f"case '{case.id}' makes tables of {own:,} cells")
        if block and (len(block) == together or cells + own > CELLS_TOGETHER):
            comparisons.prepare(tuple(block), settings)
            yield from block
            block, cells = [], 0
        block.append(case)
        cells += own
    if block:
        comparisons.prepare(tuple(block), settings)
        yield from block


def _divided(
    family: Family, metric: Metric, found: Any, by: Sequence[str]
) -> Sequence[Parts] | None:
    return family.divide(metric, found, by) if family.divide is not None and by else None


def measured(
    family: Family,
    cases: Iterable[Case[Any, Any]],
    metrics: Sequence[Metric],
    by: Sequence[str] = (),
) -> Ledger:
    """Measure all cases and unite their rows; a batch is measured as a whole.

    Rows have the parts of each value that items have under the names in `by`.
    """
    if not isinstance(cases, Batch) or any(m.definition.measure_batch is None for m in metrics):
        return unite(row for row, _ in measure(family, cases, metrics, by=by))
    found = {
        str(metric): metric.definition.measure_batch(cases.columns, metric.values)
        for metric in metrics
        if metric.definition.measure_batch is not None
    }
    gold, predicted = cases.digests()
    return Ledger(
        cases=cases.ids,
        tags=cases.tags,
        gold=gold,
        predicted=predicted,
        statistics={name: np.asarray(one.statistics, np.float64) for name, one in found.items()},
        whole={
            str(metric): tuple(s.kind == "integer" for s in metric.definition.statistics)
            for metric in metrics
        },
        steps={name: one.steps for name, one in found.items() if len(one.steps)},
        parts={
            str(metric): parts
            for metric in metrics
            if (parts := _divided(family, metric, cases.columns, by)) is not None
        },
    ).sorted_by_case()
