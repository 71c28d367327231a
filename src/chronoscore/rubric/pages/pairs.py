"""Tables of pairs of events against people's verdicts."""

from collections.abc import Sequence
from itertools import chain

from chronoscore.reports.intervals import interval_cell
from chronoscore.reports.table import Table
from chronoscore.rubric.pairs import PairStudy


def pair_tables(study: PairStudy) -> list[Table]:
    """The figures of every metric, which alone are written as CSV, then those of each topic."""
    return [_figures(study), _topics(study)]


def _figures(study: PairStudy) -> Table:
    names = [figure.name for figure in study.metrics[0].figures]
    figures = [figure for metric in study.metrics for figure in metric.figures]
    bounded = {figure.name for figure in figures if figure.interval}
    columns: list[Sequence[str] | None] = ["metric", "same", "different", "matched", "right"]
    for name in names:
        columns += [("value", name), ("interval", name) if name in bounded else None]
    rows = []
    for metric in study.metrics:
        cells = ((figure.value, interval_cell(figure.interval)) for figure in metric.figures)
        counts = (metric.same, metric.different, metric.matched, metric.right)
        rows.append((metric.metric, *counts, *chain.from_iterable(cells)))
    remarks = [
        "Means over topics. same, different: pairs with a verdict; matched: those that the metric "
        "matched; right: of these, those that people call the same.",
        "Recall at x % false: above a threshold that x % of the different pairs of other topics "
        "pass.",
    ]
    if interval := next((figure.interval for figure in figures if figure.interval), None):
        remarks.append(f"{interval.level:.0%} intervals: bootstrap over topics")
    reasons: dict[str, list[str]] = {}
    for figure in figures:
        if figure.reason:
            reasons.setdefault(figure.reason, []).append("" if figure.topics else figure.name)
    for reason, undefined in reasons.items():
        which = ", ".join(dict.fromkeys(filter(None, undefined)))
        remarks.append(f"undef.: {which}: {reason}" if which else reason)
    people = ", ".join(study.people)
    return Table.of(
        f"pairs of events against verdicts by people ({people})", columns, rows, remarks
    )


def _topics(study: PairStudy) -> Table:
    names = [figure.name for figure in study.metrics[0].figures]
    rows = []
    for metric in study.metrics:
        topics = sorted({topic for figure in metric.figures for topic in figure.by_topic})
        for topic in topics:
            values = (figure.by_topic.get(topic) for figure in metric.figures)
            rows.append((metric.metric, topic, *values))
    return Table.of("by topic", ("metric", "topic", *names), rows)
