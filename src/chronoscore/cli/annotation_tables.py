"""The tables that `chronoscore annotations` shows when asked: analyses, confusion, all counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from pathlib import Path

    from chronoscore.annotations.evaluation import Evaluation
    from chronoscore.annotations.spans import Sides
    from chronoscore.core.batch import Batch
    from chronoscore.core.family import Undefined
    from chronoscore.core.metric import Metric
    from chronoscore.core.result import Result
    from chronoscore.engines.scoring import Scored
    from chronoscore.reports.table import Table


@dataclass(frozen=True)
class Shown:
    """Which tables are wanted beside those of every result."""

    confusion: tuple[str, ...] = ()
    counts: bool = False
    evaluation: Evaluation | None = None
    analyses: tuple[str, ...] = ()
    """The metrics of the evaluation, in its order."""


def tables(
    result: Result, batches: Mapping[str, Batch], shown: Shown, metrics: Sequence[Metric]
) -> list[Table]:
    """The tables that were asked for, of the first metric of spans."""
    from chronoscore.annotations.breakdown import confusion
    from chronoscore.annotations.parameters import matched_by, question_of
    from chronoscore.reports.confusion import confusion_table
    from chronoscore.reports.parts import counters_table

    undefined = cast("Undefined", result.undefined)
    metric = next((metric for metric in metrics if metric.definition.name == "spans"), None)
    made: list[Table] = []
    if metric is None:
        return made
    name = str(metric)
    if shown.evaluation is not None:
        made += _evaluations(result, shown, metric, undefined)
    if shown.counts:
        made.append(counters_table({s.name: _sums(s.rows, name) for s in result.systems}))
    for system, batch in batches.items() if shown.confusion else ():
        sides: Sides = batch.columns
        found = sides.compared(question_of(metric.values))
        matched = matched_by(found, metric.values)
        made.append(confusion_table(system, confusion(found, matched, shown.confusion)))
    return made


def refuse_nothing(result: Result) -> None:
    """Stop where nobody takes part: nothing against nothing must not pass for a perfect score.

    For runs in parts, in which no part knows what the others have.
    """
    from chronoscore.core.errors import DataError

    for metric in result.metrics:
        names = [statistic.name for statistic in metric.statistics]
        if metric.curve or not {"targets", "responses"} <= set(names):
            continue
        places = [names.index("targets"), names.index("responses")]
        wholes = [
            summary
            for system in result.systems
            for summary in system.summaries
            if summary.metric == metric.name and not summary.group
        ]
        if not any(whole.statistics[place] for whole in wholes for place in places):
            raise DataError.of(
                f"{metric.label}: no target and no response takes part (--lenient accepts it)"
            )


def write_tables(made: Sequence[Table], path: Path) -> None:
    """Keep tables as JSON, and say where they are."""
    from chronoscore.cli.options import tell
    from chronoscore.core.writing import write_file
    from chronoscore.reports.tables_json import tables_json

    write_file(path, tables_json(made))
    tell(f"the tables are in {path}")


def changed(
    scored: Scored, batches: Mapping[str, Batch], reference: str, metrics: Sequence[Metric]
) -> list[Table]:
    """What changed from an older system to each other one."""
    from chronoscore.reports.changes import reference_tables

    return reference_tables(scored.result, scored.matches, reference, batches, metrics)


def _evaluations(result: Result, shown: Shown, metric: Metric, undefined: Undefined) -> list[Table]:
    from chronoscore.reports.parts import parts_table

    assert shown.evaluation is not None
    names = [analysis.name for analysis in shown.evaluation.analyses]
    chosen = {"micro": "all (micro)", "macro": "mean (macro)"}[shown.evaluation.average]
    made = []
    for system in result.systems:
        rows = [
            ([name], _sums(system.rows, own))
            for name, own in zip(names, shown.analyses, strict=True)
        ]
        table = parts_table(
            f"{system.name}: {shown.evaluation.title}", ["analysis"], rows, metric, undefined
        )
        remarks = [f"the evaluation asks for {chosen}"]
        if shown.evaluation.description:
            remarks.insert(0, shown.evaluation.description)
        made.append(type(table)(table.caption, table.columns, table.rows, tuple(remarks)))
    return made


def _sums(rows: Any, metric: str) -> Any:
    from chronoscore.core.ledger import Ledger

    return Ledger.of(rows).statistics[metric].sum(axis=0)
