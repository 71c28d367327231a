"""The engine of one process: map cases to rows, one after the other."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from chronoscore.core.case import Case, digest
from chronoscore.core.comparison import Comparisons
from chronoscore.core.evidence import Match, Row
from chronoscore.core.family import Family
from chronoscore.core.metric import Metric

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
    for case in cases:
        found = {
            name: metric.measure(comparisons.of(case, setting)) for name, metric, setting in named
        }
        row = Row(
            case=case.id,
            tags=dict(case.tags),
            gold=digest(case.gold),
            predicted=digest(case.predicted),
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
