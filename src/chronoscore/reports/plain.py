"""Plain lines, as the evaluation notes of SUnSET print them: topics, then their average."""

from collections.abc import Sequence

from chronoscore.core.result import MetricInfo, Result, Summary, SystemResult
from chronoscore.reports.table import shown


def plain(result: Result, *, counts: bool = False) -> str:
    """Write each topic's main scores and the average, three decimals; `counts` adds P, R and F."""
    return "\n".join(_system(result, system, counts) for system in result.systems)


def counts_of(result: Result) -> str:
    """Write a line of precision, recall and F for every metric of every system."""
    lines = []
    for system in result.systems:
        whole = [summary for summary in system.summaries if not summary.group]
        name = f"{system.name} " if len(result.systems) > 1 else ""
        lines += [f"{name}{line}" for line in _counts(result.metrics, whole)]
    return "\n".join(lines) + "\n"


def _system(result: Result, system: SystemResult, counts: bool) -> str:
    name = f" {system.name}" if len(result.systems) > 1 else ""
    lines = [f"=== Evaluation Results{name} ===", ""]
    parts: dict[tuple[str, str], list[Summary]] = {}
    whole = []
    for summary in system.summaries:
        if not summary.group:
            whole.append(summary)
        for part in summary.group.items():
            parts.setdefault(part, []).append(summary)
    for (tag, value), summaries in parts.items():
        lines += [f"{tag.capitalize()}: {value}", *_scores(result.metrics, summaries), ""]
    tags = {tag for tag, _ in parts}
    units = ", ".join(f"{len([1 for tag, _ in parts if tag == t])} {t}s" for t in sorted(tags))
    of = f" ({units})" if units else ""
    lines += [f"=== AVERAGE{of} ===", *_scores(result.metrics, whole)]
    if counts:
        lines += ["", *_counts(result.metrics, whole)]
    return "\n".join(lines) + "\n"


def _scores(metrics: Sequence[MetricInfo], summaries: Sequence[Summary]) -> list[str]:
    by_metric = {summary.metric: summary for summary in summaries}
    width = max(len(metric.label) for metric in metrics) + 1
    return [
        f"  {f'{metric.label}:':<{max(width, 9)}} "
        f"{shown(by_metric[metric.name].scores[metric.primary])}"
        for metric in metrics
    ]


def _counts(metrics: Sequence[MetricInfo], summaries: Sequence[Summary]) -> list[str]:
    by_metric = {summary.metric: summary for summary in summaries}
    lines = []
    for metric in metrics:
        scores = by_metric[metric.name].scores
        values = ", ".join(
            f"{name}={'undef.' if value is None else f'{value:.4f}'}"
            for name, value in scores.items()
        )
        lines.append(f"{_measure_name(metric)}: {values}")
    return lines


def _measure_name(metric: MetricInfo) -> str:
    return {"AR-1": "rouge_1", "AR-2": "rouge_2", "Date-F1": "date"}.get(metric.label, metric.label)
