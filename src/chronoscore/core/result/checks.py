"""Checks whether a result document that fits its schema is also consistent."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.evidence_table import CaseItems, EvidenceTable
from chronoscore.core.names import Signature
from chronoscore.errors import DataError, UsageError

if TYPE_CHECKING:
    from chronoscore.core.result import (
        CaseMatches,
        CaseTexts,
        Interval,
        MetricInfo,
        ResultDocument,
        Summary,
        SystemResult,
    )

MOST, MOST_STRANGE = 20, 5
"""The most problems that are listed of one document, and of a sidecar file."""


def inconsistencies(result: ResultDocument) -> list[str]:
    """List the first twenty inconsistencies of a document."""
    return [*islice(dict.fromkeys(_all(result)), MOST)]


def _all(result: ResultDocument) -> Iterator[str]:
    for name in _twice(metric.name for metric in result.metrics):
        yield f"two metrics are named '{name}'"
    for name in _twice(system.name for system in result.systems):
        yield f"two systems are named '{name}'"
    if result.left_out < 0:
        yield f"left_out is {result.left_out}, expected 0 or more"
    for metric in result.metrics:
        yield from _metric(metric)
    for agreement in result.agreement:
        yield from _interval(f"agreement on {agreement.criterion}", agreement.interval)
    units = {tuple(sorted(s.units)) for each in result.systems for s in each.summaries[:1]}
    if len(units) > 1:
        yield "the summaries of systems count different units"
    for system in result.systems:
        try:
            Signature.parse(system.signature)
        except UsageError as error:
            yield f"{system.name}: {error}"
        yield from _summaries(result, system)
        yield from _rows(result, system)


def strangers(result: ResultDocument, sidecar: Sequence[CaseMatches | CaseTexts]) -> list[str]:
    """List cases and metrics of a sidecar that are not in its document."""
    cases = {
        (system.name, case)
        for system in result.systems
        for case in EvidenceTable.of(system.rows).cases
    }
    metrics = {metric.name for metric in result.metrics}
    messages: dict[str, None] = {}
    for item in sidecar:
        if (item.system, item.case) not in cases:
            messages[f"case '{item.case}' of {item.system} is not in the result"] = None
        elif (metric := getattr(item, "metric", None)) and metric not in metrics:
            messages[f"the metric {metric} is not in the result"] = None
    return [*islice(messages, MOST_STRANGE)]


def _twice(names: Iterable[str]) -> list[str]:
    listed = [*names]
    return [name for name in dict.fromkeys(listed) if listed.count(name) > 1]


def _metric(metric: MetricInfo) -> Iterator[str]:
    scores = set(metric.scores)
    if not metric.scores or len(scores) != len(metric.scores):
        yield f"the scores of {metric.name} are {_listed(metric.scores)}, expected each name once"
    if metric.primary not in scores:
        yield f"the primary score of {metric.name} is '{metric.primary}', none of its scores"
    for name in metric.shown:
        if name not in scores:
            yield f"'{name}' of {metric.name} is to be shown, and is none of its scores"
    for name in _twice(statistic.name for statistic in metric.statistics):
        yield f"two statistics of {metric.name} are named '{name}'"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


def _summaries(result: ResultDocument, system: SystemResult) -> Iterator[str]:
    known = {metric.name: metric for metric in result.metrics}
    seen: set[tuple[str, str, tuple[tuple[str, str], ...]]] = set()
    for summary in system.summaries:
        metric = known.get(summary.metric)
        group = tuple(sorted(summary.group.items()))
        where = f"{system.name}: the summary of {summary.metric}"
        where += "".join(f", {tag} '{name}'," for tag, name in group).rstrip(",")
        if metric is None:
            yield f"{system.name}: a summary of the unknown '{summary.metric}'"
            continue
        if (summary.kind, summary.metric, group) in seen:
            yield f"{where} is there twice"
        seen.add((summary.kind, summary.metric, group))
        for scores in (summary.scores, *(point.scores for point in summary.curve)):
            if lacking := sorted(set(metric.scores) - scores.keys()):
                yield f"{where} lacks {', '.join(lacking)}"
        yield from _summary(where, summary, len(metric.statistics))
        if summary.units.keys() != system.summaries[0].units.keys():
            yield f"{where} counts other units than the first one"
    names = {tuple(s.group) for s in system.summaries if s.kind != "cases"}
    if len(names) > 1:
        yield f"{system.name}: summaries by value are by {' and by '.join(map(_listed, names))}"
    groups = {group for kind, _, group in seen if kind == "cases"}
    for group in {(), *groups} if system.summaries else ():
        for name in known:
            if ("cases", name, group) not in seen:
                where = "".join(f" for {tag} '{value}'" for tag, value in group)
                yield f"{system.name}: there is no summary of {name}{where}"


def _summary(where: str, summary: Summary, statistics: int) -> Iterator[str]:
    if len(summary.group) > 1 and summary.kind == "cases":
        yield f"{where} is of several groups at once, expected one"
    counts = [summary.cases, *summary.undefined.values(), *summary.units.values()]
    if min(counts) < 0:
        yield f"{where} counts {min(counts)} cases, expected 0 or more"
    expected = 0 if summary.kind == "mean" else statistics
    if len(summary.statistics) != expected:
        yield f"{where} has {len(summary.statistics)} statistics, expected {expected}"
    for point in summary.curve:
        if len(point.statistics) != statistics:
            yield f"{where}: a point of the curve has {len(point.statistics)} statistics"
    numbers = [*summary.statistics, *(n for point in summary.curve for n in point.statistics)]
    if not all(map(_finite, numbers)):
        yield f"{where}: a statistic is too large to count with"
    for name, interval in summary.intervals.items():
        if name not in summary.scores:
            yield f"{where} has an interval of the unknown score '{name}'"
        yield from _interval(where, interval)


def _interval(where: str, interval: Interval | None) -> Iterator[str]:
    if interval is None:
        return
    if not interval.low <= interval.high or not 0 < interval.level < 1:
        yield f"{where} has an interval from {interval.low} to {interval.high} ({interval.level})"
    if interval.clusters < 0:
        yield f"{where} has an interval over {interval.clusters} units"
    if interval.n_eff is not None and not 0 < interval.n_eff <= interval.clusters * (1 + 1e-9):
        yield f"{where} has an n_eff of {interval.n_eff} of {interval.clusters} units"


def _sound(changes: NDArray[np.generic], width: int) -> bool:
    return changes.shape[1] == width and bool(np.isfinite(changes).all())


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number that no float can hold
        return False


def _rows(result: ResultDocument, system: SystemResult) -> Iterator[str]:
    try:
        table = EvidenceTable.of(system.rows)
    except DataError as error:
        yield from (f"{system.name}: {problem.message}" for problem in error.problems)
        return
    if not len(table):
        return
    names = {metric.name for metric in result.metrics}
    for columns, what in (
        (table.statistics, "statistics"),
        (table.steps, "steps"),
        (table.parts, "parts"),
    ):
        for name in sorted(columns.keys() - names):
            yield f"{system.name}: rows have {what} of the unknown '{name}'"
    for metric in result.metrics:
        if metric.name in table.statistics:
            yield from _columns(system.name, metric, table)
        else:
            yield f"{system.name}: rows have no statistics of {metric.name}"


def _columns(system: str, metric: MetricInfo, table: EvidenceTable) -> Iterator[str]:
    lines, width = table.statistics[metric.name], len(metric.statistics)
    if lines.shape[1] != width:
        yield f"{system}: rows have {lines.shape[1]} statistics of {metric.name}, expected {width}"
        return
    whole = np.array([statistic.kind == "integer" for statistic in metric.statistics], np.bool_)
    finite = np.isfinite(lines)
    for wrong, what in (
        (~finite, "is no number that can be counted"),
        (whole & finite & (lines != np.floor(lines)), "is not whole"),
    ):
        if wrong.any():
            row, column = (int(at) for at in np.argwhere(wrong)[0])
            name = metric.statistics[column].name
            yield f"{system}, case '{table.cases[row]}': {name} of {metric.name} {what}"
    for kind in (table.steps, table.parts):
        items = kind.get(metric.name, ())
        if isinstance(items, CaseItems) and _sound(items.change, width):
            continue
        for case, case_items in zip(table.cases, items, strict=False):
            for _, numbers in case_items:
                if len(numbers) != width or not all(map(_finite, numbers)):
                    yield (
                        f"{system}, case '{case}': a step of {metric.name} has {len(numbers)} "
                        "statistics"
                    )
                    return
