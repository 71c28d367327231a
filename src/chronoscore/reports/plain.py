"""Plain lines, as the evaluation notes of SUnSET print them: topics, then their average."""

import math
from collections.abc import Mapping, Sequence
from statistics import fmean

import msgspec

from chronoscore.core.result import MetricInfo, Result, Summary, SystemResult
from chronoscore.families import family
from chronoscore.reports.table import shown

_RULES = {
    "sum": "score of the counts added up over",
    "mean-f": "mean over",
    "mean-pr": "F of mean P and mean R over",
}
"""What the rules of an averaging path do, in words."""


def plain(result: Result, *, counts: bool = False) -> str:
    """Write each topic's main scores and the average, three decimals; `counts` adds P, R and F.

    Metrics have the labels of the protocol's source. The last heading says `AVERAGE (9 topics)`
    where the numbers below it are the means of those above, and else in words what they are.
    """
    result = msgspec.structs.replace(result, metrics=_labelled(result))
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
        if summary.kind == "mean":
            continue
        if not summary.group:
            whole.append(summary)
        for part in summary.group.items():
            parts.setdefault(part, []).append(summary)
    for (tag, value), summaries in parts.items():
        lines += [f"{tag.capitalize()}: {value}", *_scores(result.metrics, summaries), ""]
    lines += [
        f"=== AVERAGE{_described(result, parts, whole)} ===",
        *_scores(result.metrics, whole),
    ]
    if counts:
        lines += ["", *_counts(result.metrics, whole)]
    return "\n".join(lines) + "\n"


def _labelled(result: Result) -> tuple[MetricInfo, ...]:
    protocols = family(result.family).protocols
    labels = next((one.labels for one in protocols if one.name == result.protocol), {})
    return tuple(
        msgspec.structs.replace(metric, label=labels.get(metric.name, metric.label))
        for metric in result.metrics
    )


def _described(
    result: Result, parts: Mapping[tuple[str, str], Sequence[Summary]], whole: Sequence[Summary]
) -> str:
    """What was averaged and, unless it is the mean of what is printed, how."""
    tags = sorted({tag for tag, _ in parts})
    numbers = {tag: sum(own == tag for own, _ in parts) for tag in tags}
    units = ", ".join(f"{number} {tag}{'s' * (number != 1)}" for tag, number in numbers.items())
    steps = [step.split(":") for step in result.path.split(">")]
    means = [levels for levels, rule in steps if rule == "mean-f"]
    if len(tags) == 1 and tags[0] in means and _are_means(result, parts, whole):
        return f" ({units})"
    averaged = whole[0].units if whole else {}
    words = [
        f"{_RULES[rule]} {' and '.join(f'{level}s' for level in levels.split('+'))}"
        for levels, rule in steps
        if any(averaged.get(level, 1) > 1 for level in levels.split("+"))
    ]
    described = "; ".join((*([units] if units else []), ", then ".join(words)))
    return f" ({described})" if words else f" ({units})" if units else ""


def _are_means(
    result: Result, parts: Mapping[tuple[str, str], Sequence[Summary]], whole: Sequence[Summary]
) -> bool:
    """Whether each score is the mean of the parts' scores that are defined."""
    primary = {metric.name: metric.primary for metric in result.metrics}
    for summary in whole:
        name = primary[summary.metric]
        values = [
            s.scores[name] for group in parts.values() for s in group if s.metric == summary.metric
        ]
        defined = [value for value in values if value is not None]
        score = summary.scores[name]
        if score is None or not defined:
            continue
        if not math.isclose(score, fmean(defined), abs_tol=1e-9):
            return False
    return True


def _scores(metrics: Sequence[MetricInfo], summaries: Sequence[Summary]) -> list[str]:
    by_metric = {summary.metric: summary for summary in summaries}
    width = max(len(metric.label) for metric in metrics) + 1
    return [
        f"  {f'{metric.label}:':<{max(width, 9)}} "
        f"{shown(by_metric[metric.name].scores[metric.primary])}"
        for metric in metrics
        if metric.name in by_metric
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
