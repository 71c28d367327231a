"""Measuring cases in this process: from cases to rows of evidence and their matches."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chronoscore.core import budget
from chronoscore.core.case import Case, digest
from chronoscore.core.evidence import Match, Parts, Row
from chronoscore.core.evidence_table import Batch, EvidenceTable
from chronoscore.core.family import Family
from chronoscore.core.metric import Metric
from chronoscore.core.result import CaseMatches, CaseTexts
from chronoscore.engines.interval_plan import DAY

TOGETHER = 64
"""Cases that are compared at once: enough for arrays to pay, few enough to be forgotten soon."""

CELLS_TOGETHER = 1_000_000
"""Cells of the tables of cases that are compared at once."""

BYTES_A_CELL = 80
"""About what a cell takes in all the tables that the metrics of a run make of a case."""

Cases = Sequence[Case[Any, Any]]
Watch = Callable[[int], None]


@dataclass
class Measurements:
    """The rows of each system and, if requested, the matches and texts that explain them."""

    rows: dict[str, EvidenceTable] = field(default_factory=dict)
    """By system."""
    matches: list[CaseMatches] = field(default_factory=list)
    texts: list[CaseTexts] = field(default_factory=list)


def measure_systems(
    family: Family,
    metrics: Sequence[Metric],
    systems: Mapping[str, Cases],
    *,
    by: Sequence[str] = (),
    days: bool = False,
    explain: bool = False,
    watch: Watch = lambda _: None,
) -> Measurements:
    """Measure the cases of each system with every metric.

    `explain` also collects the matches, and the texts where the family has them; `days` and `by`
    are those of `measure`. `watch` gets the number of cases that were measured since its last call.
    """
    result = Measurements()
    for system, cases in systems.items():
        if not explain and not days:
            result.rows[system] = measured(family, cases, metrics, by, watch)
            continue
        rows = []
        for row, matches in measure(
            family, cases, metrics, explain=explain, days=days, by=by, watch=watch
        ):
            rows.append(row)
            result.matches += [CaseMatches(system, row.case, *item) for item in matches.items()]
        result.rows[system] = EvidenceTable.of(rows)
        if explain and family.texts:
            for case in cases:
                gold, predicted = family.texts(case)
                result.texts.append(CaseTexts(system, case.id, dict(gold), dict(predicted)))
    return result


def measure(
    family: Family,
    cases: Iterable[Case[Any, Any]],
    metrics: Sequence[Metric],
    *,
    explain: bool = False,
    days: bool = False,
    by: Sequence[str] = (),
    watch: Watch = lambda _: None,
) -> Iterator[tuple[Row, dict[str, tuple[Match, ...]]]]:
    """Measure each case with every metric: its row and, if requested, its matches by metric.

    Metrics of equal setting share one comparison of a case. With `days` a row also has the
    statistics of each day; with `by` those of each value that its items have under these names.
    """
    triples = [(str(metric), metric, metric.setting) for metric in metrics]
    for block in _blocks(family, cases):
        settings = dict.fromkeys(setting for _, _, setting in triples)
        compared = {setting: _compare(family, block, setting) for setting in settings}
        for at, case in enumerate(block):
            pairs = {name: (metric, compared[setting][at]) for name, metric, setting in triples}
            evidence = {name: metric.measure(result) for name, (metric, result) in pairs.items()}
            if days:
                parts = {
                    name: metric.parts(result, DAY) for name, (metric, result) in pairs.items()
                }
            else:
                divided = {name: _divide(family, *pair, by) for name, pair in pairs.items()}
                parts = {name: values[0] for name, values in divided.items() if values}
            row = Row(
                case=case.id,
                tags=dict(case.tags),
                gold=digest(case.gold),
                predicted=digest(case.predicted),
                statistics={name: counts.statistics for name, counts in evidence.items()},
                steps={name: counts.steps for name, counts in evidence.items() if counts.steps},
                parts=parts,
            )
            explained = pairs if explain else {}
            yield (
                row,
                {name: metric.explain(result) for name, (metric, result) in explained.items()},
            )
            watch(1)


def _blocks(family: Family, cases: Iterable[Case[Any, Any]]) -> Iterator[list[Case[Any, Any]]]:
    """Yield cases in blocks of at most `TOGETHER` cases or `CELLS_TOGETHER` cells.

    A case whose tables exceed the memory budget is refused before they are built.
    """
    together = TOGETHER if family.compare_many else 1
    block: list[Case[Any, Any]] = []
    cells = 0
    for case in cases:
        case_cells = family.cells(case) if family.cells else 0
        budget.check(
            case_cells * BYTES_A_CELL, f"case '{case.id}' makes tables of {case_cells:,} cells"
        )
        if block and (len(block) == together or cells + case_cells > CELLS_TOGETHER):
            yield block
            block, cells = [], 0
        block.append(case)
        cells += case_cells
    if block:
        yield block


def _compare(family: Family, block: Cases, setting: Hashable) -> Sequence[Any]:
    if family.compare_many is not None:
        return family.compare_many(block, setting)
    return [family.compare(case, setting) for case in block]


def _divide(
    family: Family, metric: Metric, comparison: Any, by: Sequence[str]
) -> Sequence[Parts] | None:
    return family.divide(metric, comparison, by) if family.divide is not None and by else None


def measured(
    family: Family,
    cases: Iterable[Case[Any, Any]],
    metrics: Sequence[Metric],
    by: Sequence[str] = (),
    watch: Watch = lambda _: None,
) -> EvidenceTable:
    """Measure all cases into a table; a batch is measured as a whole.

    `by` is that of `measure`.
    """
    if not isinstance(cases, Batch) or any(m.definition.measure_batch is None for m in metrics):
        rows = measure(family, cases, metrics, by=by, watch=watch)
        return EvidenceTable.of(row for row, _ in rows)
    measurements = {
        str(metric): metric.definition.measure_batch(cases.columns, metric.values)
        for metric in metrics
        if metric.definition.measure_batch is not None
    }
    gold, predicted = cases.digests()
    divided = {str(metric): _divide(family, metric, cases.columns, by) for metric in metrics}
    return EvidenceTable(
        cases=cases.ids,
        tags=cases.tags,
        gold=gold,
        predicted=predicted,
        statistics={
            name: np.asarray(evidence.statistics, np.float64)
            for name, evidence in measurements.items()
        },
        whole={
            str(metric): tuple(s.kind == "integer" for s in metric.definition.statistics)
            for metric in metrics
        },
        steps={
            name: evidence.steps for name, evidence in measurements.items() if len(evidence.steps)
        },
        parts={name: parts for name, parts in divided.items() if parts is not None},
    ).sorted_by_case()
