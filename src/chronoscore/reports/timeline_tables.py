"""Tables that only timelines have: all readings of AR, and published results beside yours."""

from collections.abc import Sequence

from chronoscore.core.errors import UsageError
from chronoscore.core.result import Result
from chronoscore.reports.table import Cell, Column, Table
from chronoscore.timelines.published import published
from chronoscore.timelines.readings import ReadingScores

_PUBLISHED_METRICS = ("AR-1", "AR-2", "Date-F1")


def readings_table(readings: Sequence[ReadingScores]) -> Table:
    """Every number that could be called AR-1 or AR-2."""
    columns = ("system", "reading", "golds", "average", "ROUGE-1 F1", "ROUGE-2 F1", "used by")
    return Table(
        "all readings of alignment-based ROUGE",
        tuple(Column(name) for name in columns),
        tuple(
            (r.system, r.metric, r.golds, r.path, r.rouge_1, r.rouge_2, r.used_by) for r in readings
        ),
        ("text as each reading has it: rouge155, for exact-date plain words",),
    )


def published_table(result: Result, collection: str) -> Table:
    """Published results of a collection, then yours."""
    known = published()
    if collection not in known.collections:
        raise UsageError(
            f"no published results of '{collection}'; there are: {', '.join(known.collections)}"
        )
    rows: list[tuple[Cell, ...]] = [
        (row.system, row.model, row.ar_1, row.ar_2, row.date_f1, row.protocol)
        for row in known.collections[collection]
    ]
    labels = {metric.label: metric for metric in result.metrics}
    for system in result.systems:
        whole = {summary.metric: summary for summary in system.summaries if not summary.group}
        scores: list[Cell] = []
        for label in _PUBLISHED_METRICS:
            metric = labels.get(label)
            scores.append(whole[metric.name].scores[metric.primary] if metric else "not scored")
        rows.append((system.name, "(yours)", *scores, result.protocol or "none"))
    columns = ("system", "model", *_PUBLISHED_METRICS, "protocol")
    return Table(
        f"{collection}: published, and yours",
        tuple(Column(name) for name in columns),
        tuple(rows),
        (
            known.source,
            "Numbers are comparable only if data, golds, protocol and text processing agree.",
        ),
    )
