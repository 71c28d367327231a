"""Tables that compare a judge with people."""

from collections.abc import Iterable, Sequence

from chronoscore.reports.intervals import interval_cell, without_interval
from chronoscore.reports.table import Cell, Table, signed
from chronoscore.rubric.calibration import Calibration, Estimated
from chronoscore.rubric.pages.agreement import confused

_CORRECTED = "corrected, PPI++"
_RATE = "Rogan-Gladen"


def calibration_tables(document: Calibration) -> list[Table]:
    """All tables that have rows, the corrected scores first."""
    tables = [_levels(document), _differences(document), _errors(document), _agreement(document)]
    return [table for table in tables if table.rows]


def _levels(document: Calibration) -> Table:
    rows: list[list[Cell]] = []
    rated = any(level.rate for level in document.levels)
    for level in document.levels:
        people, corrected, rate = level.people, level.corrected, level.rate
        row: list[Cell] = [level.system, level.criterion, level.labelled, level.events]
        row += [people.value, interval_cell(people.interval), level.judge.value]
        row += [corrected.value, interval_cell(corrected.interval)]
        row.append("" if corrected.weight is None else corrected.weight)
        row += ["", ""] if rate is None else [rate.value, interval_cell(rate.interval)]
        rows.append(row)
    columns: list[Sequence[str] | None] = ["system", "criterion", "labelled", "events"]
    columns += [("mean", "people"), ("interval", "people"), ("mean", document.judge)]
    columns += [("mean", _CORRECTED), ("interval", _CORRECTED), ("lambda", _CORRECTED)]
    columns += [("rate", _RATE), ("interval", _RATE)] if rated else [None, None]
    remarks = [
        "people: the labelled events; "
        f"{document.judge}: all events, as it judged; corrected: all events, as people would judge",
        "lambda: how much the judge counts, from 0 (people alone) to 1",
    ]
    if any(level.corrected.interval for level in document.levels):
        method = "Student's t over articles" if document.unit == "article" else "over events"
        remarks.append(f"{document.level:.0%} intervals: {method}; Rogan-Gladen's over events")
    remarks += _reasons((level.system, level.corrected) for level in document.levels)
    remarks += _reasons(
        (f"{level.system}, {level.criterion}, {_RATE}", level.rate)
        for level in document.levels
        if level.rate is not None and level.corrected.value is not None
    )
    events = f"{document.labelled} labelled of {document.events} judged events"
    return Table.of(f"what people would say, from {events}", columns, rows, remarks)


def _reasons(estimates: Iterable[tuple[str, Estimated]]) -> list[str]:
    return list(
        dict.fromkeys(
            f"{place}: {estimate.reason}" for place, estimate in estimates if estimate.reason
        )
    )


def _differences(document: Calibration) -> Table:
    rows = []
    for difference in document.differences:
        interval = difference.corrected.interval
        mark = "*" if interval is not None and not interval.low <= 0 <= interval.high else ""
        corrected = (difference.corrected.value, interval_cell(interval), mark)
        rows.append(
            (
                difference.one,
                difference.two,
                difference.criterion,
                difference.people,
                difference.judge,
                *corrected,
            )
        )
    differences = [("difference", who) for who in ("people", document.judge, _CORRECTED)]
    reasons = _reasons((f"{d.one}, {d.two}", d.corrected) for d in document.differences)
    return Table.of(
        "systems: the first less the second",
        ["one", "two", "criterion", *differences, ("interval", _CORRECTED), ("", _CORRECTED)],
        rows,
        ["*: the interval does not hold 0", *reasons],
    )


def _errors(document: Calibration) -> Table:
    rows = []
    for errors in document.errors:
        binary = bool(errors.confusion) and len(errors.confusion) == 2
        rates = (errors.sensitivity, errors.specificity) if binary else ("", "")
        bias = (signed(errors.bias), interval_cell(errors.interval))
        rows.append((errors.criterion, errors.events, *bias, *rates, confused(errors.confusion)))
    samples = f", {document.samples} samples an event" if document.samples > 1 else ""
    return Table.of(
        f"where {document.judge} errs, on events that people judged too{samples}",
        ("criterion", "events", "bias", "interval", "sensitivity", "specificity", "errors"),
        rows,
        (
            f"bias: above 0, {document.judge} gives higher values than people",
            "sensitivity: share of people's 1 that it gives 1; specificity: of people's 0, 0",
            "errors: people's value as the judge's; events on which people differ count in parts",
        ),
    )


def _agreement(document: Calibration) -> Table:
    rows = []
    for line in zip(*(side.agreement for side in document.beside), strict=True):
        cells = [cell for a in line for cell in (a.value, interval_cell(a.interval))]
        rows.append((line[0].criterion, line[0].coefficient, *cells))
    columns = [(name, side.who) for side in document.beside for name in ("value", "interval")]
    every = [a for side in document.beside for a in side.agreement]
    remarks = [f"undef.: {reason}" for reason in sorted({a.reason for a in every if a.reason})]
    remarks += without_interval(every)
    if len(document.people) > 1:
        remarks.insert(0, "people: among themselves, which no judge need surpass")
    return Table.of("agreement with people", ["criterion", "coefficient", *columns], rows, remarks)
