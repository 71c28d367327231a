"""Which tables a result has: the scores, counts, curves and agreement."""

import re
from collections.abc import Iterable, Sequence

from chronoscore.core.result import (
    Agreement,
    MetricInfo,
    Result,
    Summary,
    SystemResult,
)
from chronoscore.reports.intervals import (
    agreement_intervals,
    few_units,
    interval_cell,
    intervals_in_words,
    without_interval,
)
from chronoscore.reports.levels import by_rank
from chronoscore.reports.table import Cell, Column, Table

_SHORT = {
    "precision": "P",
    "recall": "R",
    "strict_precision": "strict P",
    "strict_recall": "strict R",
    "lenient_precision": "lenient P",
    "lenient_recall": "lenient R",
}
_F_SCORE = re.compile(r"(?P<how>(strict_|lenient_|average_)?)f(?P<beta>[\d.]+)")
"""F is named after its beta."""


_CONTRADICTIONS = ("system_violated", "gold_violated", "system_cycles", "gold_cycles")
"""Counts that no score is made of, and that are worth a look however scores are averaged."""


def tables_of(result: Result) -> list[Table]:
    """All tables of a result, the most wanted first."""
    tables = [_scores(result)]
    counted = [metric for metric in result.metrics if not metric.curve]
    if ":mean" not in result.path:
        tables += [_counts(result, metric) for metric in counted]
    else:
        tables += [
            _counts(result, metric, _CONTRADICTIONS, "contradictions, all cases together")
            for metric in counted
            if any(statistic.name in _CONTRADICTIONS for statistic in metric.statistics)
        ]
    if result.agreement:
        tables.append(agreement_table(result.agreement))
    tables += [table for metric in result.metrics if (table := _areas(result, metric))]
    tables += [
        _curve(system, metric, summary)
        for system in result.systems
        for metric in result.metrics
        for summary in system.summaries
        if metric.curve == "best" and summary.metric == metric.name and not summary.group
    ]
    return tables


def conditions(result: Result) -> str:
    """Say in one line which number this is."""
    parts = [f"protocol {result.protocol}" if result.protocol else "no published protocol"]
    parts.append(f"average {result.path}")
    parts.append(f"undefined: {result.undefined}")
    parts += [f"{name}: {value}" for name, value in sorted(result.options.items())]
    return ", ".join(parts)


def _scores(result: Result) -> Table:
    metrics = result.metrics
    grouped = _is_grouped(result)
    columns = [Column("system"), *([Column("part")] if grouped else [])]
    sure = {metric.name: with_intervals(result, metric) for metric in metrics}
    for metric in metrics:
        for name in _shown(metric):
            columns.append(Column(_level_name(metric, name), metric.label))
            if name in sure[metric.name]:
                of = "" if name == metric.primary else f"{short(name)} "
                columns.append(Column(f"{of}interval", metric.label))
    levels = _levels(result)
    columns += [Column(_plural(level)) for level in levels]
    rows: list[tuple[Cell, ...]] = []
    for system, group, summaries in _groups(result):
        row: list[Cell] = [system.name, *([group or "all"] if grouped else [])]
        for metric in metrics:
            summary = summaries[metric.name]
            for name in _shown(metric):
                value = summary.scores[name]
                row.append(_level(metric, value) if name == "threshold" else value)
                if name in sure[metric.name]:
                    row.append(interval_cell(summary.intervals.get(name)))
        units = next(iter(summaries.values())).units
        row += [units[level] for level in levels]
        rows.append(tuple(row))
    remarks = [conditions(result), *_undefined(result), *intervals_in_words(result)]
    remarks += [f"{system.name}: {system.signature}" for system in result.systems]
    caption = f"{result.family}: {', '.join(metric.label for metric in metrics)}"
    return Table(caption, tuple(columns), tuple(rows), tuple(remarks))


def with_intervals(result: Result, metric: MetricInfo) -> set[str]:
    """The scores whose intervals are shown: the main one, and all that have a Bayesian one."""
    if metric.curve:
        return set()
    summaries = [summary for system in result.systems for summary in system.summaries]
    shown = {
        name
        for summary in summaries
        for name, interval in summary.intervals.items()
        if summary.metric == metric.name and interval.method == "bayes"
    }
    return shown or ({metric.primary} if any(one.intervals for one in summaries) else shown)


def _shown(metric: MetricInfo) -> list[str]:
    return ["threshold", metric.primary] if metric.curve == "best" else list(metric.shown)


def _level(metric: MetricInfo, threshold: float | None) -> Cell:
    """A threshold, or how many candidates of a list are seen, which a curve has with a minus."""
    return int(-threshold) if threshold is not None and by_rank(metric.name) else threshold


def _level_name(metric: MetricInfo, name: str) -> str:
    return "first" if name == "threshold" and by_rank(metric.name) else short(name)


def short(name: str) -> str:
    """A score's name as columns have it."""
    if found := _F_SCORE.fullmatch(name):
        return f"{found['how'].replace('average', 'mean')}F{found['beta']}".replace("_", " ")
    return _SHORT.get(name, name.replace("_", " "))


def _counts(
    result: Result, metric: MetricInfo, only: Sequence[str] = (), caption: str = "counts"
) -> Table:
    """The sums that a pooled score comes from, or only some of them."""
    places = [
        place
        for place, statistic in enumerate(metric.statistics)
        if not only or statistic.name in only
    ]
    grouped = _is_grouped(result)
    columns = [Column("system"), *([Column("part")] if grouped else [])]
    columns += [Column(short(metric.statistics[place].name)) for place in places]
    return Table(
        f"{metric.label}: {caption}",
        tuple(columns),
        tuple(
            (
                system.name,
                *([group or "all"] if grouped else []),
                *(summaries[metric.name].statistics[place] for place in places),
            )
            for system, group, summaries in _groups(result)
        ),
    )


def _groups(result: Result) -> Iterable[tuple[SystemResult, str, dict[str, Summary]]]:
    for system in result.systems:
        for group, summaries in _by_group(system):
            yield system, group, summaries


def _levels(result: Result) -> list[str]:
    """The levels that were averaged over; one of which there is only one says nothing."""
    summaries = [summary for system in result.systems for summary in system.summaries]
    levels = list(summaries[0].units) if summaries else []
    if result.agreement:  # how many events were judged stands beside every score
        return levels
    return [level for level in levels if any(s.units[level] > 1 for s in summaries)] or levels[:1]


def _plural(level: str) -> str:
    return f"{level}s"


def _of_cases(system: SystemResult) -> list[Summary]:
    """The summaries of whole cases; values of their items have tables of their own."""
    return [summary for summary in system.summaries if summary.kind == "cases"]


def _is_grouped(result: Result) -> bool:
    return any(summary.group for system in result.systems for summary in _of_cases(system))


def _by_group(system: SystemResult) -> Iterable[tuple[str, dict[str, Summary]]]:
    groups: dict[str, dict[str, Summary]] = {}
    for summary in _of_cases(system):
        name = ", ".join(f"{tag}={value}" for tag, value in summary.group.items())
        groups.setdefault(name, {})[summary.metric] = summary
    return groups.items()


def _undefined(result: Result) -> list[str]:
    """Count what was undefined before the policy, so that no 0 passes for a measured one."""
    told = {"skip": "left out", "zero": "counted as 0", "one": "counted as 1"}
    how = told.get(result.undefined, "counted as 1 if both sides are empty, else as 0")
    labels = {metric.name: metric.label for metric in result.metrics}
    lines = []
    for system in result.systems:
        for summary in system.summaries:
            if summary.group or not summary.undefined:
                continue
            counts = [f"{part} in {n}" for part, n in summary.undefined.items()]
            whole = set(summary.undefined.values()) == {1} and ":mean" not in result.path
            where = f"{', '.join(summary.undefined)} of the pooled counts"
            lines.append(
                f"{system.name}: {labels[summary.metric]} undefined, {how}: "
                + (where if whole else f"{', '.join(counts)} of {summary.cases} cases")
            )
    return lines


def agreement_table(agreement: Sequence[Agreement]) -> Table:
    """Coefficients of agreement, with their intervals."""
    reasons = any(item.reason for item in agreement)
    names = ["criterion", "coefficient", "value", "interval", "units", "ratings", "raters"]
    rows: list[tuple[Cell, ...]] = []
    for a in agreement:
        cells = (a.criterion, a.coefficient, a.value, interval_cell(a.interval))
        rows.append((*cells, a.units, a.ratings, a.raters, *((a.reason,) if reasons else ())))
    return Table(
        "agreement between evaluators",
        tuple(Column(name) for name in [*names, *(["why undefined"] if reasons else [])]),
        tuple(rows),
        (
            *agreement_intervals(agreement),
            *without_interval(agreement),
            *few_units((f"{a.criterion} {a.coefficient}", a.interval) for a in agreement),
        ),
    )


def _areas(result: Result, metric: MetricInfo) -> Table | None:
    """What curves are worth as a whole, where the metric says so."""
    found = {
        system.name: {
            name: value
            for name, value in summary.scores.items()
            if name not in (*metric.scores, "threshold")
        }
        for system in result.systems
        for summary in system.summaries
        if metric.curve == "best" and summary.metric == metric.name and not summary.group
    }
    names = next(iter(found.values()), {})
    if not names:
        return None
    columns = (Column("system"), *(Column(short(name)) for name in names))
    rows = tuple((system, *values.values()) for system, values in found.items())
    return Table(f"{metric.label}: areas", columns, rows)


def _curve(system: SystemResult, metric: MetricInfo, summary: Summary) -> Table:
    counts = [statistic.name for statistic in metric.statistics][:6]
    best = summary.scores["threshold"]
    return Table(
        f"{metric.label} by {'rank' if by_rank(metric.name) else 'threshold'}, {system.name}",
        (
            Column(_level_name(metric, "threshold")),
            *(Column(short(name)) for name in metric.shown),
            *(Column(short(name)) for name in counts),
            Column(""),
        ),
        tuple(
            (
                _level(metric, point.threshold),
                *(point.scores[name] for name in metric.shown),
                *point.statistics[: len(counts)],
                "best" if point.threshold == best else "",
            )
            for point in summary.curve
        ),
    )
