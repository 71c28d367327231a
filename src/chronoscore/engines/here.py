"""The engine of one process: map cases to rows, one after the other or many at once."""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from chronoscore.core.batch import Batch
from chronoscore.core.case import Case
from chronoscore.core.comparison import Comparisons
from chronoscore.core.evidence import Match, Row
from chronoscore.core.family import Family
from chronoscore.core.ledger import Ledger, unite
from chronoscore.core.metric import Metric

TOGETHER = 64
"""Cases that are compared at once: enough for arrays to pay, few enough to forget them soon."""

Progress = Callable[[Iterable[Case[Any, Any]]], Iterable[Case[Any, Any]]]


def measure(
    family: Family,
    cases: Iterable[Case[Any, Any]],
    metrics: Sequence[Metric],
    comparisons: Comparisons | None = None,
    *,
    explain: bool = False,
    parts: bool = False,
) -> Iterator[tuple[Row, dict[str, tuple[Match, ...]]]]:
    """Measure each case with every metric: its row and, if wanted, its matches by metric name.

    With `parts` a row also says what each day adds.
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
            if parts
            else {},
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
    """Take so many cases at once as are compared together."""
    waiting = iter(cases)
    together = TOGETHER if comparisons.family.compare_many else 1
    while block := tuple(islice(waiting, together)):
        comparisons.prepare(block, settings)
        yield from block


def measured(family: Family, cases: Iterable[Case[Any, Any]], metrics: Sequence[Metric]) -> Ledger:
    """Measure all cases and unite their rows; a batch is measured as a whole."""
    if not isinstance(cases, Batch) or any(m.definition.measure_batch is None for m in metrics):
        return unite(row for row, _ in measure(family, cases, metrics))
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
    ).sorted_by_case()
