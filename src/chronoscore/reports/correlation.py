"""Tables of metrics against people."""

from chronoscore.reports.intervals import interval_cell
from chronoscore.reports.render import render_tables
from chronoscore.reports.table import Cell, Column, Table
from chronoscore.rubric.correlation.document import Correlations, encode


def render_correlations(found: Correlations, how: str) -> str:
    """Render in one of the formats; CSV holds the coefficients alone."""
    if how == "json":
        return encode(found)
    tables = correlation_tables(found)
    return render_tables(tables[:1] if how == "csv" else tables, how)


def correlation_tables(found: Correlations) -> list[Table]:
    """The coefficients of every metric, then the tests of every pair."""
    tables = [_coefficients(found)]
    if found.tests:
        tables.append(_tests(found))
    return tables


def _coefficients(found: Correlations) -> Table:
    columns = [Column("metric"), Column("items")]
    shown = [value.coefficient for value in found.metrics[0].values]
    bounded = {
        name
        for metric in found.metrics
        for name, value in zip(shown, metric.values, strict=True)
        if value.interval
    }
    for name in shown:
        columns.append(Column("value", name))
        if name in bounded:
            columns.append(Column("interval", name))
    rows = []
    for metric in found.metrics:
        cells: list[Cell] = [metric.label + (" (less is better)" if metric.turned else "")]
        cells.append(metric.items)
        for value in metric.values:
            cells.append(value.value)
            if value.coefficient in bounded:
                cells.append(interval_cell(value.interval))
        rows.append(tuple(cells))
    remarks = []
    sure = next((v.interval for m in found.metrics for v in m.values if v.interval), None)
    if sure:
        remarks.append(f"{sure.level:.0%} intervals: bootstrap over {sure.clusters} {sure.unit}s")
    reasons: dict[str, list[str]] = {}
    for metric in found.metrics:
        for value in metric.values:
            if value.reason:
                what = f"{metric.label} {value.coefficient}" if value.value is None else ""
                reasons.setdefault(value.reason, []).append(what)
    for reason, where in reasons.items():
        named = ", ".join(dict.fromkeys(filter(None, where)))
        remarks.append(f"undef.: {named}: {reason}" if named else reason)
    if any(metric.turned for metric in found.metrics):
        remarks.append("less is better: the sign was turned, so that 1 is always best")
    people = ", ".join(found.people)
    return Table(
        f"metrics against {found.criterion} by people ({people}), {found.level} level",
        tuple(columns),
        tuple(rows),
        tuple(remarks),
    )


def _tests(found: Correlations) -> Table:
    columns = (
        Column("one"),
        Column("two"),
        Column("items"),
        Column("difference"),
        Column("p", "Perm-Both"),
        Column("Holm", "Perm-Both"),
        Column("smallest", "Perm-Both"),
        Column("t", "Williams"),
        Column("p", "Williams"),
    )
    rows = tuple(
        (
            one.one,
            one.two,
            one.items,
            one.difference,
            _p(one.p),
            _p(one.p_corrected),
            _p(one.smallest_p),
            one.williams_t,
            _p(one.williams_p),
        )
        for one in found.tests
    )
    what = found.tests[0].coefficient
    ways = [
        told
        for told, exact in (("every way enumerated", True), ("ways drawn by chance", False))
        if any(one.exact is exact for one in found.tests if one.p is not None)
    ]
    remarks = [
        f"p: two-sided, metrics change places by {found.level}, {' or '.join(ways)}",
        "smallest: no p can be lower with so few items",
    ]
    if what != "pearson":
        remarks.append(f"Perm-Both is of {what}; Williams' test is of Pearson's r")
    reasons: dict[str, list[str]] = {}
    for one in found.tests:
        if one.reason:
            reasons.setdefault(one.reason, []).append(f"{one.one} and {one.two}")
    remarks += [
        reason if len(pairs) == len(found.tests) else f"{'; '.join(pairs)}: {reason}"
        for reason, pairs in reasons.items()
    ]
    return Table(
        f"which metric follows people better: difference in {what}",
        columns,
        rows,
        tuple(remarks),
    )


def _p(value: float | None) -> str:
    if value is None:
        return "-"
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"
