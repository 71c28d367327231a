"""Tables of an evaluation: all families side by side, and what each event earned."""

from collections.abc import Sequence

from chronoscore.core.result import MetricInfo, Result, Summary
from chronoscore.evaluation.document import Credit, Evaluation, EventCredit
from chronoscore.reports.intervals import few_units, interval_cell
from chronoscore.reports.table import Cell, Column, Several, Table
from chronoscore.reports.tables import short, tables_of

MOST_WORDS = 60
"""Characters of an event's text that a table shows."""


def evaluation_tables(evaluation: Evaluation, *, by_event: bool = False) -> list[Table]:
    """The table of all families, and what each event earned if that is wanted."""
    tables = [overview(evaluation)]
    if by_event:
        tables.append(event_table(evaluation))
    return tables


def overview(evaluation: Evaluation) -> Table:
    """The main score of every metric, a row a metric, so that many systems or metrics fit."""
    sure = any(s.intervals for r in evaluation.results for y in r.systems for s in y.summaries)
    names = dict.fromkeys(system.name for r in evaluation.results for system in r.systems)
    columns = [Column("question"), Column("metric"), Column("score")]
    for name in names:
        columns.append(Column("score", name) if sure else Column(name))
        if sure:
            columns.append(Column("interval", name))
    rows: list[tuple[Cell, ...]] = []
    for result in evaluation.results:
        for metric in result.metrics:
            if metric.curve:
                continue
            row: list[Cell] = [result.family, metric.label, short(metric.primary)]
            for name in names:
                summary = _summary(result, name, metric)
                row.append("-" if summary is None else summary.scores[metric.primary])
                if sure:
                    interval = summary.intervals.get(metric.primary) if summary else None
                    row.append(interval_cell(interval))
            rows.append(tuple(row))
    named = [
        (f"{name} {metric.label}", interval)
        for result in evaluation.results
        for metric in result.metrics
        for name in names
        if (summary := _summary(result, name, metric))
        if (interval := summary.intervals.get(metric.primary))
    ]
    remarks = [f"not asked: {one.family}, since {one.reason}" for one in evaluation.skipped]
    remarks += [
        f"{result.family}: protocol {result.protocol or '(none)'}, average {result.path}"
        for result in evaluation.results
    ]
    return Table("all questions", tuple(columns), tuple(rows), (*remarks, *few_units(named)))


def _summary(result: Result, system: str, metric: MetricInfo) -> Summary | None:
    return next(
        (
            summary
            for one in result.systems
            if one.name == system
            for summary in one.summaries
            if summary.metric == metric.name and not summary.group
        ),
        None,
    )


def _credit(one: Credit) -> Several:
    words = f"{one.credit:.3f} of {one.possible:.3f}"
    return Several(words, (("", one.credit), ("possible", one.possible)))


def event_table(evaluation: Evaluation) -> Table:
    """Every predicted event: the credit of each metric, and the mean of its judgements."""
    keys = credit_keys(evaluation)
    labels = {
        (result.family, metric.name): metric.label
        for result in evaluation.results
        for metric in result.metrics
    }
    judged = any(event.judgements for event in evaluation.events)
    columns = [Column(name) for name in ("system", "event", "date", "text")]
    columns += [Column(labels.get(key, key[1]), key[0]) for key in keys]
    columns += [Column("score", "judged"), Column("evaluators", "judged")] if judged else []
    rows = []
    for event in evaluation.events:
        row: list[Cell] = [event.system, event.event, event.date, shortened(event.text)]
        earned = {(one.family, one.metric): one for one in event.credits}
        for key in keys:
            one = earned.get(key)
            row.append("-" if one is None else _credit(one))
        if judged:
            mean = people_mean(event)
            row += ["-" if mean is None else mean, len(event.judgements)]
        rows.append(tuple(row))
    remark = (
        "credit towards precision, of what was possible; events that share a day share its "
        "credit, and the two ends of a link share its credit"
    )
    if any(name == "annotations" for name, _ in keys):
        remark += "; spans that overlap count too, as in lenient precision"
    return Table("what each event earned", tuple(columns), tuple(rows), (remark,))


def credit_keys(evaluation: Evaluation) -> list[tuple[str, str]]:
    """The metrics that some event has credit of, in the order of the results."""
    known = {(one.family, one.metric) for event in evaluation.events for one in event.credits}
    ordered = [
        (result.family, metric.name) for result in evaluation.results for metric in result.metrics
    ]
    return [key for key in ordered if key in known]


def people_mean(event: EventCredit) -> float | None:
    """The mean of what evaluators gave an event; None where nobody judged it."""
    given = [one.score for one in event.judgements]
    return sum(given) / len(given) if given else None


def shortened(text: str) -> str:
    """The beginning of a text, in one line."""
    line = " ".join(text.split())
    return line if len(line) <= MOST_WORDS else f"{line[: MOST_WORDS - 1]}…"


def family_tables(results: Sequence[Result]) -> list[Table]:
    """The tables that the verb of each family prints."""
    return [table for result in results for table in tables_of(result)]
