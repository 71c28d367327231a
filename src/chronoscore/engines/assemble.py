"""From rows of evidence to the result document: averages, breakdowns, curves and intervals."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from unicodedata import unidata_version

import numpy as np
from msgspec import UNSET, Struct, json, structs
from numpy.typing import NDArray

from chronoscore.core.evidence import NO_VALUE, Number
from chronoscore.core.evidence_table import EvidenceTable, flat
from chronoscore.core.metric import Metric
from chronoscore.core.result import (
    CurvePoint,
    Interval,
    MetricInfo,
    ResultDocument,
    Summary,
    SystemResult,
)
from chronoscore.engines.settings import DAY, IntervalPlan, Settings
from chronoscore.errors import UsageError
from chronoscore.statistics.averaging import Path, Step, average, curve, medians, scores_of
from chronoscore.statistics.exact import exact_sum
from chronoscore.statistics.labels import Labels, grouped
from chronoscore.statistics.ratios import Array


def assemble(
    settings: Settings,
    systems: Mapping[str, EvidenceTable],
    *,
    notices: Sequence[str] = (),
    left_out: int = 0,
    names: Mapping[str, Mapping[str, str]] | None = None,
) -> ResultDocument:
    """Build the result document from rows; where they were measured makes no difference.

    `names` are, for each system, the golds of predictions whose names differ from them.
    """
    family, settings = settings.family, settings.as_read(systems.values())
    return ResultDocument(
        family=family.name,
        protocol=settings.protocol,
        path=str(settings.path),
        undefined=settings.undefined,
        options={name: value for name, value in settings.options.items() if value},
        metrics=tuple(
            MetricInfo(
                name=str(metric),
                label=family.label(metric),
                meaning=metric.meaning,
                scores=metric.scores,
                primary=metric.primary,
                statistics=metric.definition.statistics,
                shown=metric.shown,
                curve=metric.definition.curve,
                better=metric.definition.better,
            )
            for metric in settings.metrics
        ),
        systems=tuple(
            SystemResult(
                name=name,
                signature=str(settings.signature(rows)),
                summaries=tuple(_summaries(settings, rows)),
                rows=rows.rows,
                names=dict(names[name]) if names and names.get(name) else UNSET,
            )
            for name, rows in systems.items()
        ),
        agreement=tuple(family.agree(systems)) if family.agree else (),
        notices=tuple(notices),
        left_out=left_out,
        unicode=unidata_version if any(metric.versions for metric in settings.metrics) else UNSET,
    )


def _summaries(settings: Settings, rows: EvidenceTable) -> Iterable[Summary]:
    if not len(rows):
        return
    tags = [tag for tag in settings.by if tag not in settings.values]
    for tag in tags:
        column = rows.tags.get(tag)
        if tag != "case" and (column is None or (column.at < 0).any()):
            known = ", ".join(["case", *rows.tags])
            raise UsageError(f"no tag '{tag}' to break down by; the cases have: {known}")
    _refuse_lone_units(settings, rows)
    for metric in settings.metrics:
        yield _summary(settings, metric, {}, rows)
    for tag in tags:
        for name, places in _parts(rows, tag):
            part = rows.take(places)
            for metric in settings.metrics:
                yield _summary(settings, metric, {tag: name}, part)
    if settings.values:
        yield from _by_value(settings, rows)


def _by_value(settings: Settings, rows: EvidenceTable) -> Iterable[Summary]:
    """Summarise each metric on the items of every value, then the mean over the values."""
    for metric in divisible(settings.metrics, settings.values, rows):
        values = of_values(rows, str(metric), settings.values)
        for group, part in values.each():
            yield structs.replace(_summary(settings, metric, group, part), kind="value")
        if not len(values.named()):
            continue
        mean = structs.replace(settings, path=values.mean_path(settings.path))
        if settings.chance is not None and settings.chance.method == "bayes":
            mean = structs.replace(mean, chance=None)  # Bayesian intervals need pooled counts
        group = dict.fromkeys(settings.values, MEAN)
        summary = _summary(mean, metric, group, values.named())
        yield structs.replace(summary, kind="mean", cases=len(rows), statistics=(), undefined={})


def _refuse_lone_units(settings: Settings, rows: EvidenceTable) -> None:
    """Refuse strata of one unit each: every resample within them would be the same."""
    chance = settings.chance
    if chance is None or not chance.strata or chance.unit == DAY:
        return
    unit = chance.unit or settings.family.cluster
    if unit not in rows.tags or chance.strata not in rows.tags:
        return  # resampling reports that
    strata = rows.tags[chance.strata].at
    alone = len(grouped([strata], len(rows)).starts)
    if 1 < alone == len(grouped([strata, rows.tags[unit].at], len(rows)).starts):
        raise UsageError(
            f"--strata {chance.strata}: each of the {alone} groups has one {unit} only, so there "
            "is nothing to draw within them; leave it out, or name another --unit"
        )


def _parts(rows: EvidenceTable, tag: str) -> Iterable[tuple[str, NDArray[np.int64]]]:
    """Yield each value of a tag with the places of its rows."""
    if tag == "case":
        for at, case in enumerate(rows.cases):
            yield case, np.array([at])
        return
    column = rows.tags[tag]
    groups = grouped([column.at], len(rows))
    for places in np.split(groups.order, groups.starts[1:]):
        yield str(column[int(places[0])]), places


def _summary(
    settings: Settings, metric: Metric, group: dict[str, str], rows: EvidenceTable
) -> Summary:
    name, definition = str(metric), metric.definition
    statistics = rows.statistics[name]
    sums = exact_sum(statistics)
    points: tuple[CurvePoint, ...] = ()
    sure: dict[str, Interval] = {}
    if definition.curve:
        steps = flat(rows.steps.get(name, ()), len(sums))
        points, scores = _curve(settings, metric, steps, sums)
    else:
        averaged = average(metric, statistics, rows.tags, settings.path, settings.undefined)
        scores = _named(metric.scores, averaged)
        if settings.chance:
            sure = _intervals(settings, settings.chance, metric, rows, averaged)
    # Pooled counts are defined or not as a whole, whether or not single cases are.
    pooled = all(step.rule == "sum" for step in settings.path.steps)
    parts = metric.components(sums[np.newaxis] if pooled else statistics)
    empty = np.isnan(parts).sum(axis=0).tolist()
    return Summary(
        metric=name,
        group=group,
        cases=len(rows),
        scores=scores,
        statistics=_numbers(metric, sums),
        undefined={
            part: count for part, count in zip(definition.components, empty, strict=True) if count
        }
        if not definition.curve
        else {},
        curve=points,
        intervals=sure,
        units={
            level: len(
                grouped([rows.tags[tag].at for tag in _named_by(settings, at)], len(rows)).starts
            )
            for at, level in enumerate(settings.family.levels)
        },
    )


def _named_by(settings: Settings, at: int) -> list[str]:
    """Return the tags that identify an item of a level; trials repeat the same golds and topics."""
    levels = settings.family.levels
    return [tag for tag in levels[at:] if tag != "trial" or levels[at] == "trial"]


def _intervals(
    settings: Settings, chance: IntervalPlan, metric: Metric, rows: EvidenceTable, estimate: Array
) -> dict[str, Interval]:
    from chronoscore.engines.intervals import (  # noqa: PLC0415 - few ask for them
        intervals,
        resampler,
    )

    family, path = settings.family, settings.path
    sample = resampler(family, metric, rows, path, settings.undefined, chance)
    sums = exact_sum(rows.statistics[str(metric)])
    unit = chance.unit or family.cluster
    return intervals(chance, metric, sample, estimate, sums, unit)


def _curve(
    settings: Settings,
    metric: Metric,
    steps: tuple[Array, Array],
    base: Array,
) -> tuple[tuple[CurvePoint, ...], dict[str, float | None]]:
    """Return the points of a curve and the scores of its best one, or medians of a histogram."""
    thresholds, statistics = curve(*steps, base)
    if metric.definition.curve == "median":
        return (), _named(metric.scores, medians(thresholds, statistics))
    linked = scores_of(metric, statistics, settings.undefined)
    definition = metric.definition
    areas = _named(definition.areas, definition.area(statistics)) if definition.area else {}
    primary = linked[:, metric.scores.index(metric.primary)]
    best = int(np.nanargmax(primary)) if not np.isnan(primary).all() else None
    shown = _thinned(len(thresholds), best)
    points = tuple(
        CurvePoint(threshold, _numbers(metric, row), _named(metric.scores, scores))
        for threshold, row, scores in zip(
            thresholds[shown].tolist(), statistics[shown], linked[shown], strict=True
        )
    )
    if best is None:
        return points, {"threshold": None, **dict.fromkeys(metric.scores), **areas}
    reached = _named(metric.scores, linked[best])
    return points, {"threshold": thresholds[best].item(), **reached, **areas}


MOST_POINTS = 2000
"""A curve of more points is thinned to this many; its best point and areas are of all points."""


def _thinned(points: int, best: int | None) -> list[int]:
    if points <= MOST_POINTS:
        return list(range(points))
    spread = np.linspace(0, points - 1, MOST_POINTS).round().astype(int).tolist()
    return sorted({*spread, *([] if best is None else [best])})


def _named(names: Sequence[str], values: Array) -> dict[str, float | None]:
    return {
        name: None if math.isnan(value) else value
        for name, value in zip(names, values.tolist(), strict=True)
    }


def _numbers(metric: Metric, sums: Array) -> tuple[Number, ...]:
    return tuple(
        int(value) if statistic.kind == "integer" else value
        for statistic, value in zip(metric.definition.statistics, sums.tolist(), strict=True)
    )


# Rows by the values that the items of cases have, such as the types of annotations. A case has one
# row of statistics for each value that occurs in it. The rows of one value are then summarised as
# the rows of cases are, and the mean over values (macro) is one more step of the path.


MEAN = "mean (macro)"
_LEVEL = "\0value"


class ItemValues(Struct, frozen=True, eq=False):
    """A row for each case and value, and what the values are, those without a value last."""

    rows: EvidenceTable
    groups: dict[str, dict[str, str]]

    def each(self) -> Iterator[tuple[dict[str, str], EvidenceTable]]:
        """Yield each value, and the rows of the cases that have it."""
        column = self.rows.tags[_LEVEL]
        for name, group in self.groups.items():
            place = column.names.index(name)
            yield group, self.rows.take(np.flatnonzero(column.at == place))

    def lines(self, name: str) -> dict[str, list[float]]:
        """Return the statistics of a value in each case that has it."""
        column, (statistics,) = self.rows.tags[_LEVEL], self.rows.statistics.values()
        if name not in column.names:
            return {}
        places = np.flatnonzero(column.at == column.names.index(name)).tolist()
        return {self.rows.cases[at]: statistics[at].tolist() for at in places}

    def names(self) -> set[str]:
        """Return the values of the mean: all but that of items without a value."""
        return {name for name, group in self.groups.items() if {*group.values()} != {NO_VALUE}}

    def named(self) -> EvidenceTable:
        """Return the rows of the values of the mean."""
        column = self.rows.tags[_LEVEL]
        chosen = [column.names.index(name) for name in self.names()]
        return self.rows.take(np.flatnonzero(np.isin(column.at, chosen)))

    def mean_path(self, path: Path) -> Path:
        """Return the path over cases, extended by the mean over values."""
        return Path((*path.steps, Step((_LEVEL,), "mean-f")))


def of_values(rows: EvidenceTable, metric: str, by: Sequence[str]) -> ItemValues:
    """Split the rows of a metric by value; they must have been scored with these names."""
    parts_by_case = [
        (at, name, line) for at, parts in enumerate(rows.parts[metric]) for name, line in parts
    ]
    case_rows = rows.take(np.array([at for at, _, _ in parts_by_case], np.int64))
    width = rows.statistics[metric].shape[1]
    lines = np.array([line for _, _, line in parts_by_case], np.float64).reshape(-1, width)
    column = Labels.of(name for _, name, _ in parts_by_case)
    groups = {name: json.decode(name, type=dict[str, str]) for name in column.names}
    if groups and (names := [*groups[column.names[0]]]) != [*by]:
        raise UsageError(
            f"the rows of {metric} are kept by {', '.join(names)}, not by {', '.join(by)}: "
            f"leave out --by, or score with {' '.join(f'--by {name}' for name in by)}"
        )
    order = sorted(groups, key=lambda name: [(v == NO_VALUE, v) for v in groups[name].values()])
    value_rows = replace(
        case_rows,
        tags={**case_rows.tags, _LEVEL: column},
        statistics={metric: lines},
        steps={},
        parts={},
    )
    return ItemValues(value_rows, {name: groups[name] for name in order})


def divisible(metrics: Sequence[Metric], by: Sequence[str], *tables: EvidenceTable) -> list[Metric]:
    """Return the metrics whose rows have values; refuse if there is none."""
    chosen = [metric for metric in metrics if all(str(metric) in rows.parts for rows in tables)]
    if not chosen:
        raise UsageError(
            f"the rows of {', '.join(map(str, metrics))} are not kept by {', '.join(by)}: score "
            f"spans with {' '.join(f'--by {name}' for name in by)}"
        )
    return chosen
