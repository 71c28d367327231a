"""Tables of a judge beside people."""

from chronoscore.reports.intervals import interval_cell, without_interval
from chronoscore.reports.render import render_tables
from chronoscore.reports.table import Cell, Column, Table
from chronoscore.rubric.calibration.document import Calibration, Errors, Estimated, encode


def render_calibration(found: Calibration, how: str) -> str:
    """Render in one of the formats; CSV holds the corrected estimates alone."""
    if how == "json":
        return encode(found)
    if how == "csv":
        return render_tables([_levels(found)], how)
    return render_tables(calibration_tables(found), how)


def calibration_tables(found: Calibration) -> list[Table]:
    """All tables that have rows, the corrected scores first."""
    tables = [_levels(found), _differences(found), _errors(found), _agreement(found)]
    return [table for table in tables if table.rows]


def _levels(found: Calibration) -> Table:
    rows: list[tuple[Cell, ...]] = []
    rated = any(level.rate for level in found.levels)
    for level in found.levels:
        cells: list[Cell] = [
            level.system,
            level.criterion,
            level.labelled,
            level.events,
            level.people.value,
            interval_cell(level.people.interval),
            level.judge.value,
            level.corrected.value,
            interval_cell(level.corrected.interval),
            level.corrected.weight if level.corrected.weight is not None else "",
        ]
        if rated:
            rate = level.rate
            cells += ["", ""] if rate is None else [rate.value, interval_cell(rate.interval)]
        rows.append(tuple(cells))
    columns = [
        Column("system"),
        Column("criterion"),
        Column("labelled"),
        Column("events"),
        Column("mean", "people"),
        Column("interval", "people"),
        Column("mean", found.judge),
        Column("mean", "corrected, PPI++"),
        Column("interval", "corrected, PPI++"),
        Column("lambda", "corrected, PPI++"),
    ]
    if rated:
        columns += [Column("rate", "Rogan-Gladen"), Column("interval", "Rogan-Gladen")]
    remarks = [
        "people: the labelled events; "
        f"{found.judge}: all events, as it judged; corrected: all events, as people would judge",
        "lambda: how much the judge counts, from 0 (people alone) to 1",
    ]
    if any(level.corrected.interval for level in found.levels):
        method = "Student's t over articles" if found.unit == "article" else "over events"
        remarks.append(f"{found.level:.0%} intervals: {method}; Rogan-Gladen's over events")
    told = [(level.system, level.corrected) for level in found.levels]
    remarks += _reasons(told)
    rates = [
        (f"{level.system}, {level.criterion}, Rogan-Gladen", level.rate)
        for level in found.levels
        if level.rate is not None and level.corrected.value is not None
    ]
    remarks += _reasons(rates)
    return Table(
        f"what people would say, from {found.labelled} labelled of {found.events} judged events",
        tuple(columns),
        tuple(rows),
        tuple(remarks),
    )


def _reasons(told: list[tuple[str, Estimated]]) -> list[str]:
    return list(dict.fromkeys(f"{where}: {one.reason}" for where, one in told if one.reason))


def _differences(found: Calibration) -> Table:
    columns = (
        Column("one"),
        Column("two"),
        Column("criterion"),
        Column("difference", "people"),
        Column("difference", found.judge),
        Column("difference", "corrected, PPI++"),
        Column("interval", "corrected, PPI++"),
        Column("", "corrected, PPI++"),
    )
    rows: list[tuple[Cell, ...]] = []
    for one in found.differences:
        sure = one.corrected.interval
        apart = sure is not None and not sure.low <= 0 <= sure.high
        rows.append(
            (
                one.one,
                one.two,
                one.criterion,
                one.people,
                one.judge,
                one.corrected.value,
                interval_cell(sure),
                "*" if apart else "",
            )
        )
    told = [(f"{d.one}, {d.two}", d.corrected) for d in found.differences]
    remarks = ("*: the interval does not hold 0", *_reasons(told))
    return Table("systems: the first less the second", columns, tuple(rows), remarks)


def _errors(found: Calibration) -> Table:
    names = ("criterion", "events", "bias", "interval", "sensitivity", "specificity", "errors")
    rows: list[tuple[Cell, ...]] = [
        (
            one.criterion,
            one.events,
            "undef." if one.bias is None else f"{one.bias:+.3f}",
            interval_cell(one.interval),
            one.sensitivity if one.confusion and len(one.confusion) == 2 else "",
            one.specificity if one.confusion and len(one.confusion) == 2 else "",
            _confused(one),
        )
        for one in found.errors
    ]
    samples = f", {found.samples} samples an event" if found.samples > 1 else ""
    return Table(
        f"where {found.judge} errs, on events that people judged too{samples}",
        tuple(map(Column, names)),
        tuple(rows),
        (
            f"bias: above 0, {found.judge} gives higher values than people",
            "sensitivity: share of people's 1 that it gives 1; specificity: of people's 0, 0",
            "errors: people's value as the judge's; events on which people differ count in parts",
        ),
    )


def _confused(one: Errors) -> str:
    """Only what differs: people's value, the judge's, and how often."""
    return ", ".join(
        f"{said} as {given}: {times:g}"
        for said, cells in one.confusion.items()
        for given, times in cells.items()
        if times and said != given
    )


def _agreement(found: Calibration) -> Table:
    columns = [Column("criterion"), Column("coefficient")]
    for beside in found.beside:
        columns += [Column("value", beside.who), Column("interval", beside.who)]
    rows: list[tuple[Cell, ...]] = []
    for line in zip(*(beside.agreement for beside in found.beside), strict=True):
        cells: list[Cell] = [line[0].criterion, line[0].coefficient]
        for one in line:
            cells += [one.value, interval_cell(one.interval)]
        rows.append(tuple(cells))
    reasons = sorted({a.reason for b in found.beside for a in b.agreement if a.reason})
    remarks = [f"undef.: {reason}" for reason in reasons]
    remarks += without_interval(a for b in found.beside for a in b.agreement)
    if len(found.people) > 1:
        remarks.insert(0, "people: among themselves, which no judge need surpass")
    return Table("agreement with people", tuple(columns), tuple(rows), tuple(remarks))
