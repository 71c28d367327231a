"""Tables of a result by the values that items have, such as the types of annotations."""

from collections.abc import Sequence
from dataclasses import replace

from chronoscore.core.evidence import NO_VALUE
from chronoscore.core.result import MetricInfo, Result, Summary, SystemResult
from chronoscore.reports.intervals import interval_cell
from chronoscore.reports.table import Cell, Column, Table
from chronoscore.reports.tables import with_intervals

_OF_TARGET = "target:"
_COUNTS = 6
"""Statistics that are shown: of spans the targets, the responses and the matched pairs."""


def breakdown_tables(result: Result) -> list[Table]:
    """A table for each system and each metric that is broken down by value."""
    tables = []
    for system in result.systems:
        of = {metric.name: _of(system, metric, ("value", "mean")) for metric in result.metrics}
        divided = [metric for metric in result.metrics if of[metric.name]]
        for metric in divided:
            (whole,) = (one for one in _of(system, metric, ("cases",)) if not one.group)
            table = _table(result, metric, whole, of[metric.name])
            which = f", {metric.label}" if len(divided) > 1 else ""
            tables.append(replace(table, caption=f"{system.name}: by {table.caption}{which}"))
    return tables


def _of(system: SystemResult, metric: MetricInfo, kinds: Sequence[str]) -> list[Summary]:
    return [s for s in system.summaries if s.metric == metric.name and s.kind in kinds]


def _table(result: Result, metric: MetricInfo, whole: Summary, found: Sequence[Summary]) -> Table:
    """Values, then all together, then the mean over values; the caption is what they are of."""
    values = [summary for summary in found if summary.kind == "value"]
    names = list(found[0].group)
    sure = with_intervals(result, metric)
    places = range(min(_COUNTS, len(metric.statistics)))
    columns = [Column(name.removeprefix(_OF_TARGET)) for name in names]
    columns += [Column(metric.statistics[at].name.replace("_", " ")) for at in places]
    for score in metric.shown:
        columns.append(Column(score.replace("_", " ")))
        if score in sure:
            of = "" if score == metric.primary else f"{score.replace('_', ' ')} "
            columns.append(Column(f"{of}interval"))

    def row(labels: Sequence[str], summary: Summary) -> tuple[Cell, ...]:
        cells: list[Cell] = [*labels]
        cells += [summary.statistics[at] if summary.statistics else "-" for at in places]
        for score in metric.shown:
            cells.append(summary.scores[score])
            if score in sure:
                cells.append(interval_cell(summary.intervals.get(score)))
        return tuple(cells)

    blank = [""] * (len(names) - 1)
    rows = [row([*summary.group.values()], summary) for summary in values]
    rows.append(row(["all" if ":mean" in result.path else "all (micro)", *blank], whole))
    rows += [
        row([summary.group[names[0]], *blank], summary)
        for summary in found
        if summary.kind == "mean"
    ]
    shown = ", ".join(column.name for column in columns[: len(names)])
    return Table(shown, tuple(columns), tuple(rows), tuple(_remarks(metric, whole, values)))


def _remarks(metric: MetricInfo, whole: Summary, values: Sequence[Summary]) -> list[str]:
    """Whose value a response counts under, and what that does to the numbers."""
    if not values:
        return []
    names = list(values[0].group)
    if names[0].startswith(_OF_TARGET):
        return [
            "a response counts under the value of its target, or under (none) if it has no target "
            "(--by-side target)"
        ]
    remarks = ["a response counts under its own value (--by-side response)"]
    place = {statistic.name: at for at, statistic in enumerate(metric.statistics)}
    correct = [place[name] for name in ("correct_strict", "correct_partial") if name in place]
    mixed = sum(whole.statistics[at] - sum(v.statistics[at] for v in values) for at in correct)
    if mixed:
        remarks.append(
            f"correct pairs of two different values: {mixed}; each counts as incorrect under the "
            "value of its target, and as correct in all"
        )
    for name in names:
        given = {v.group[name] for v in values if v.statistics[place["responses"]]}
        if given == {NO_VALUE}:
            remarks.append(
                f"no response has a value of {name}: --by-side target counts it under its target's"
            )
    return remarks
