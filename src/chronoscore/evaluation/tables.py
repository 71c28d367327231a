"""Tables of an evaluation: all families side by side, and what each event earned."""

from chronoscore.evaluation.document import Credit, EvaluationDocument, EventCredit
from chronoscore.families import family
from chronoscore.reports.intervals import few_units, interval_cell
from chronoscore.reports.result_tables import short, tables_of, wholes
from chronoscore.reports.table import Cell, Several, Table

MOST_WORDS = 60
"""Characters of an event's text that a table shows."""


def evaluation_tables(
    evaluation: EvaluationDocument, *, by_event: bool = False, full: bool = False
) -> list[Table]:
    """Return the table of all families, that of events, and the tables of each family's verb."""
    tables = [overview(evaluation)]
    if by_event:
        tables.append(event_table(evaluation))
    for result in evaluation.results if full else ():
        tables += tables_of(family(result.family), result)
    return tables


def overview(evaluation: EvaluationDocument) -> Table:
    """Return the main score of every metric, one metric a row and one system a column."""
    results = evaluation.results
    with_intervals = any(s.intervals for r in results for y in r.systems for s in y.summaries)
    names = dict.fromkeys(system.name for result in results for system in result.systems)
    columns: list[str | tuple[str, str] | None] = ["question", "metric", "score"]
    for name in names:
        columns += [("score", name), ("interval", name)] if with_intervals else [name, None]
    rows: list[list[Cell]] = []
    named_intervals = []
    for result in results:
        for metric in result.metrics:
            row: list[Cell] = [result.family, metric.label, short(metric.primary)]
            summaries = {system.name: whole for system, whole in wholes(result, metric.name)}
            for name in names:
                summary = summaries.get(name)
                interval = summary.intervals.get(metric.primary) if summary else None
                score = "-" if summary is None else summary.scores[metric.primary]
                row += [score, interval_cell(interval)]
                named_intervals.append((f"{name} {metric.label}", interval))
            rows += [] if metric.curve else [row]
    remarks = [f"not asked: {skip.family}, since {skip.reason}" for skip in evaluation.skipped]
    remarks += [
        f"{result.family}: protocol {result.protocol or '(none)'}, average {result.path}"
        for result in results
    ]
    return Table.of("all questions", columns, rows, [*remarks, *few_units(named_intervals)])


def event_table(evaluation: EvaluationDocument) -> Table:
    """Return every predicted event with its credit by metric and the mean of its judgements."""
    keys = credit_keys(evaluation)
    labels = {
        (result.family, metric.name): metric.label
        for result in evaluation.results
        for metric in result.metrics
    }
    judged = any(event.judgements for event in evaluation.events)
    columns: list[str | tuple[str, str] | None] = ["system", "event", "date", "text"]
    columns += [(labels.get(key, key[1]), key[0]) for key in keys]
    columns += [("score", "judged"), ("evaluators", "judged")] if judged else [None, None]
    rows = []
    for event in evaluation.events:
        row: list[Cell] = [event.system, event.event, event.date, shortened(event.text)]
        earned = {(credit.family, credit.metric): credit for credit in event.credits}
        row += [_credit_cell(earned[key]) if key in earned else "-" for key in keys]
        mean = people_mean(event)
        row += ["-" if mean is None else mean, len(event.judgements)]
        rows.append(row)
    remark = (
        "credit towards precision, of what was possible; events that share a day share its "
        "credit, and the two ends of a link share its credit"
    )
    if any(name == "annotations" for name, _ in keys):
        remark += "; spans that overlap count too, as in lenient precision"
    return Table.of("what each event earned", columns, rows, [remark])


def _credit_cell(credit: Credit) -> Several:
    text = f"{credit.credit:.3f} of {credit.possible:.3f}"
    return Several(text, (("", credit.credit), ("possible", credit.possible)))


def credit_keys(evaluation: EvaluationDocument) -> list[tuple[str, str]]:
    """Return family and name of the metrics that credit an event, in the order of the results."""
    known = {(c.family, c.metric) for event in evaluation.events for c in event.credits}
    ordered = [
        (result.family, metric.name) for result in evaluation.results for metric in result.metrics
    ]
    return [key for key in ordered if key in known]


def people_mean(event: EventCredit) -> float | None:
    """Return the mean score that evaluators gave an event; None if nobody judged it."""
    scores = [judgement.score for judgement in event.judgements]
    return sum(scores) / len(scores) if scores else None


def shortened(text: str) -> str:
    """Return the beginning of a text, in one line."""
    line = " ".join(text.split())
    return line if len(line) <= MOST_WORDS else f"{line[: MOST_WORDS - 1]}…"
