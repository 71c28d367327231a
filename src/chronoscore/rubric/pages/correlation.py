"""Metrics against people: tables of coefficients and tests, and a page with a picture of each."""

from collections.abc import Iterable, Sequence
from itertools import chain

from chronoscore.reports.html.drawing import Dot, key, scatter, shape
from chronoscore.reports.html.head import UNKNOWN_RUN, RunHead
from chronoscore.reports.html.markup import Html, folded, html_table, joined, lead, listed, tag
from chronoscore.reports.html.page import Declared, drawn, page
from chronoscore.reports.intervals import interval_cell
from chronoscore.reports.table import Table, p_value, plural, shown
from chronoscore.rubric.correlation import Correlations, MetricCorrelation

_MOST_LISTED = 500


def correlation_tables(document: Correlations) -> list[Table]:
    """The coefficients of every metric, which alone are written as CSV, then the tests."""
    return [_coefficients(document), *([_tests(document)] if document.tests else [])]


def _coefficients(document: Correlations) -> Table:
    values = [value for metric in document.metrics for value in metric.values]
    bounded = {value.coefficient for value in values if value.interval}
    columns: list[Sequence[str] | None] = ["metric", "items"]
    for name in (value.coefficient for value in document.metrics[0].values):
        columns += [("value", name), ("interval", name) if name in bounded else None]
    rows = []
    for metric in document.metrics:
        cells = ((value.value, interval_cell(value.interval)) for value in metric.values)
        label = metric.label + (" (less is better)" if metric.turned else "")
        rows.append((label, metric.items, *chain.from_iterable(cells)))
    remarks = []
    interval = next((value.interval for value in values if value.interval), None)
    if interval:
        remarks.append(
            f"{interval.level:.0%} intervals: bootstrap over {interval.clusters} {interval.unit}s"
        )
    reasons = _by_reason(
        (value.reason, f"{metric.label} {value.coefficient}" if value.value is None else "")
        for metric in document.metrics
        for value in metric.values
    )
    for reason, places in reasons.items():
        names = ", ".join(dict.fromkeys(filter(None, places)))
        remarks.append(f"undef.: {names}: {reason}" if names else reason)
    if any(metric.turned for metric in document.metrics):
        remarks.append("less is better: the sign was turned, so that 1 is always best")
    people = ", ".join(document.people)
    title = f"metrics against {document.criterion} by people ({people}), {document.level} level"
    return Table.of(title, columns, rows, remarks)


def _by_reason(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """The names by the reason of each, where there is a reason."""
    reasons: dict[str, list[str]] = {}
    for reason, name in pairs:
        if reason:
            reasons.setdefault(reason, []).append(name)
    return reasons


def _tests(document: Correlations) -> Table:
    coefficient = document.tests[0].coefficient
    ways = [
        way
        for way, exact in (("every way enumerated", True), ("ways drawn by chance", False))
        if any(test.exact is exact for test in document.tests if test.p is not None)
    ]
    remarks = [
        f"p: two-sided, metrics change places by {document.level}, {' or '.join(ways)}",
        "smallest: no p can be lower with so few items",
    ]
    if coefficient != "pearson":
        remarks.append(f"Perm-Both is of {coefficient}; Williams' test is of Pearson's r")
    reasons = _by_reason((test.reason, f"{test.one} and {test.two}") for test in document.tests)
    remarks += [
        reason if len(pairs) == len(document.tests) else f"{'; '.join(pairs)}: {reason}"
        for reason, pairs in reasons.items()
    ]
    columns = ["one", "two", "items", "difference"]
    permutation = [(name, "Perm-Both") for name in ("p", "Holm", "smallest")]
    rows = []
    for test in document.tests:
        chances = map(p_value, (test.p, test.p_corrected, test.smallest_p))
        williams = (test.williams_t, p_value(test.williams_p))
        rows.append((test.one, test.two, test.items, test.difference, *chances, *williams))
    return Table.of(
        f"which metric follows people better: difference in {coefficient}",
        [*columns, *permutation, ("t", "Williams"), ("p", "Williams")],
        rows,
        remarks,
    )


def correlation_page(document: Correlations, head: RunHead = UNKNOWN_RUN) -> str:
    """Make the page: a pure function of the document and of what is known of the run."""
    about = (
        f"{plural(len(document.metrics), 'metric')} against {document.criterion}, "
        f"{plural(document.judged, 'event')} judged by {', '.join(document.people)}."
    )
    return page(
        f"Do metrics follow people? {document.level.capitalize()} level",
        about,
        drawn(_SECTIONS, document),
        "Made by Chronoscore from saved results and judgements.",
        terms=head.terms,
    )


def _pictures(document: Correlations) -> Html:
    points = [point for metric in document.metrics for point in metric.points]
    systems = sorted({point.system for point in points})
    lines = ""
    if any(point.human_interval for point in points):
        scores = any(point.metric_interval for point in points)
        saved = ", and of scores as they were saved" if scores else ""
        lines = f"Lines are intervals, of people's means over articles{saved}. "
    legend = [key(shape(7, 7, place), name, 14) for place, name in enumerate(systems)]
    return joined(
        lead(
            "Each mark is one ",
            "topic of a system" if document.level == "topic" else document.level,
            f". {lines}A metric that follows people rises from left to right.",
        ),
        tag("ul", legend, class_="legend"),
        tag("div", [_picture(metric, document.criterion, systems) for metric in document.metrics]),
    )


def _picture(metric: MetricCorrelation, criterion: str, systems: list[str]) -> Html:
    """People's means across, the metric's scores upwards, with intervals."""
    dots = [
        Dot(
            point.human,
            point.metric,
            systems.index(point.system),
            f"{f'{point.system} {point.name}'.strip()}: people {point.human:.3f}, "
            f"metric {point.metric:.3f}",
            point.human_interval,
            point.metric_interval,
            "" if point.name else point.system,
        )
        for point in metric.points
    ]
    values = ", ".join(
        f"{value.coefficient} {shown(value.value, undefined='undefined')}"
        for value in metric.values[:3]
    )
    sign = " (less is better, so its sign is turned)" if metric.turned else ""
    note = f"{metric.items} items: {values}"
    return scatter(dots, f"{criterion} by people", f"{metric.label}{sign}", note)


def _tables(document: Correlations) -> Html:
    return joined(
        joined(html_table(table), listed(table.remarks, "meanings"))
        for table in correlation_tables(document)
    )


def _items(document: Correlations) -> Html:
    people: dict[tuple[str, str], float] = {}
    for metric in document.metrics:
        people.update({(p.system, p.name): p.human for p in metric.points})
    values = [{(p.system, p.name): p.metric for p in metric.points} for metric in document.metrics]
    rows = [
        (*item, people[item], *(scores.get(item) for scores in values))
        for item in sorted(people)[:_MOST_LISTED]
    ]
    columns = ["system", None if document.level == "system" else "item", "people"]
    table = Table.of("All items", [*columns, *(metric.label for metric in document.metrics)], rows)
    unlisted = len(people) - len(rows)
    more = tag("p", f"and {unlisted} more, which --format json lists") if unlisted > 0 else ""
    return folded(f"{plural(len(people), 'item')}, as drawn", html_table(table), more)


_SECTIONS: tuple[Declared[Correlations], ...] = (
    ("pictures", "Each metric against people", _pictures),
    ("coefficients", "Coefficients", _tables),
    ("items", "Items", _items),
    ("notes", "Notices", lambda document: listed(document.notices, "notices")),
)
