"""Tables of an evaluation: all families side by side, and what each event earned."""

from collections.abc import Sequence

from chronoscore.core.result import MetricInfo, Summary
from chronoscore.evaluation.document import (
    CRITERIA,
    OUTCOMES,
    VERDICTS,
    Credit,
    EvaluationDocument,
    EventSupport,
)
from chronoscore.families import family
from chronoscore.reports.intervals import few_units, interval_cell
from chronoscore.reports.result_tables import short, tables_of, wholes
from chronoscore.reports.table import Cell, Column, Several, Table, plural, shown, trimmed
from chronoscore.reports.terminal import score_text

_CAPTION = "all questions"
FEW_SYSTEMS = 4
"""Systems that are columns on a terminal; more of them are rows."""
MOST_WORDS = 60
"""Characters of an event's text that a table shows."""


def evaluation_tables(
    evaluation: EvaluationDocument,
    *,
    by_event: bool = False,
    full: bool = False,
    in_text: bool = False,
    counts: bool = True,
) -> list[Table]:
    """Return the table of all questions, that of events, and the tables of each family's verb.

    What is printed as text differs in the first: it marks the best, and fits more systems. `counts`
    adds the counts behind the shares of support.
    """
    tables = [overview_text(evaluation) if in_text else overview(evaluation)]
    if counts:
        tables += support_tables(evaluation)
    if by_event:
        tables.append(event_table(evaluation))
    for result in evaluation.results if full else ():
        tables += tables_of(family(result.family), result)
    return tables


Scores = list[tuple[str, MetricInfo, dict[str, Summary]]]
"""Each family and metric, with the summary of every system that has one."""


def overview(evaluation: EvaluationDocument) -> Table:
    """Return the main score of every metric, one metric a row and one system a column."""
    scores, names = _scores(evaluation)
    with_intervals = any(one.intervals for _, _, summaries in scores for one in summaries.values())
    columns: list[str | tuple[str, str] | None] = ["question", "metric", "score"]
    for name in names:
        columns += [("score", name), ("interval", name)] if with_intervals else [name, None]
    rows: list[list[Cell]] = []
    for question, metric, summaries in scores:
        row: list[Cell] = [question, metric.label, short(metric.primary)]
        for name in names:
            summary = summaries.get(name)
            interval = summary.intervals.get(metric.primary) if summary else None
            score = "-" if summary is None else summary.scores[metric.primary]
            row += [score, interval_cell(interval)]
        rows.append(row)
    for name, shares in _shares(evaluation).items():
        cells = ((shares.get(system, "-"), interval_cell(None)) for system in names)
        rows.append([*_share_head(name), *(cell for pair in cells for cell in pair)])
    return Table.of(_CAPTION, columns, rows, _remarks(evaluation))


def overview_text(evaluation: EvaluationDocument) -> Table:
    """Return the same for a terminal: the best of each metric is marked, many systems are rows."""
    scores, names = _scores(evaluation)
    heads = [(question, metric.label, short(metric.primary)) for question, metric, _ in scores]
    cells = [_marked(metric, [summaries.get(n) for n in names]) for _, metric, summaries in scores]
    for name, shares in _shares(evaluation).items():
        heads.append(_share_head(name))
        cells.append(_best_marked([shares.get(system, "-") for system in names]))
    columns = [Column(name) for name in ("question", "metric", "score", *names)]
    rows: list[list[Cell]] = [[*head, *row] for head, row in zip(heads, cells, strict=True)]
    if len(names) > FEW_SYSTEMS:
        columns = [Column(f"{label} {score}", question) for question, label, score in heads]
        columns.insert(0, Column("system"))
        rows = [[name, *(row[at] for row in cells)] for at, name in enumerate(names)]
    return Table.of(_CAPTION, columns, rows, _remarks(evaluation))


def _scores(evaluation: EvaluationDocument) -> tuple[Scores, list[str]]:
    """The summaries of every metric but curves, and the names of all systems."""
    results = evaluation.results
    scores = [
        (result.family, metric, {system.name: one for system, one in wholes(result, metric.name)})
        for result in results
        for metric in result.metrics
        if not metric.curve
    ]
    names = [one.name for result in results for one in result.systems]
    if evaluation.support:
        names += [one.system for one in evaluation.support.systems]
    return scores, [*dict.fromkeys(names)]


def _shares(evaluation: EvaluationDocument) -> dict[str, dict[str, float]]:
    """The share of each system's events that their articles mention or support, by its name."""
    shares: dict[str, dict[str, float]] = {}
    for system in evaluation.support.systems if evaluation.support else ():
        for name, value in system.scores.items():
            shares.setdefault(name, {})[system.system] = value
    return shares


def _share_head(name: str) -> tuple[str, str, str]:
    return "support", name, "share"


def _best_marked(values: Sequence[float | str]) -> list[Cell]:
    """The shares of systems; the best is marked, if there are several systems."""
    known = [shown(value) for value in values if isinstance(value, float)]
    return [
        Several(shown(value), (), len(known) > 1 and shown(value) == max(known))
        if isinstance(value, float)
        else value
        for value in values
    ]


def _marked(metric: MetricInfo, summaries: Sequence[Summary | None]) -> list[Cell]:
    """The scores of systems under a metric, with their intervals; the best is marked."""
    values = [one.scores[metric.primary] for one in summaries if one is not None]
    known = [value for value in values if value is not None]
    best = (max if metric.better == "higher" else min)(known, default=None)
    cells: list[Cell] = []
    for summary in summaries:
        if summary is None:
            cells.append("-")
            continue
        value, interval = summary.scores[metric.primary], summary.intervals.get(metric.primary)
        is_best = len(values) > 1 and value is not None and shown(value) == shown(best)
        cells.append(Several(score_text(value, interval), (), is_best))
    return cells


def _remarks(evaluation: EvaluationDocument) -> list[str]:
    scores, _ = _scores(evaluation)
    intervals = [
        (f"{name} {metric.label}", one.intervals.get(metric.primary))
        for _, metric, summaries in scores
        for name, one in summaries.items()
    ]
    remarks = [f"not asked: {skip.family}, since {skip.reason}" for skip in evaluation.skipped]
    remarks += [
        f"{result.family}: protocol {result.protocol or '(none)'}, average {result.path}"
        for result in evaluation.results
    ]
    return [*remarks, *few_units(intervals)]


def support_tables(evaluation: EvaluationDocument) -> list[Table]:
    """Return how many events their articles mention, and the verdicts where there are any."""
    if not evaluation.support:
        return []
    systems = evaluation.support.systems
    rows = [
        [system.system, name, system.events, *(counts.get(outcome, "-") for outcome in every)]
        for every in [OUTCOMES["when"]]
        for system in systems
        for name, counts in system.counts.items()
    ]
    articles = plural(evaluation.support.articles, "article")
    remark = (
        f"looked for in {articles}, without a model: an article that denies an event mentions it"
    )
    columns = ["system", "criterion", "events", *OUTCOMES["when"]]
    tables = [Table.of("events in their articles", columns, rows, [remark])]
    judged = [
        [system.system, criterion, system.events, *counts.values(), rest]
        for system in systems
        for criterion, counts in system.verdicts.items()
        if (rest := system.events - sum(counts.values())) >= 0
    ]
    if judged:
        columns = ["system", "criterion", "events", *VERDICTS, "no verdict"]
        remarks = ["shares are of all events, those without a verdict included"]
        tables.append(Table.of("verdicts on support", columns, judged, remarks))
    return tables


def event_table(evaluation: EvaluationDocument) -> Table:
    """Return every predicted event with its credit by metric and the mean of its judgements."""
    keys = credit_keys(evaluation)
    labels = {
        (result.family, metric.name): metric.label
        for result in evaluation.results
        for metric in result.metrics
    }
    judged = any(event.judgements for event in evaluation.events)
    columns: list[Column | str | tuple[str, str] | None] = ["system", "event"]
    columns += [Column("date", optional=1), Column("text", optional=2)]
    columns += [(labels.get(key, key[1]), key[0]) for key in keys]
    columns += [("score", "judged"), ("evaluators", "judged")] if judged else [None, None]
    columns += [*_support_columns(evaluation)]
    rows = []
    for event in evaluation.events:
        row: list[Cell] = [event.system, event.event, event.date, shortened(event.text)]
        earned = {(credit.family, credit.metric): credit for credit in event.credits}
        row += [_credit_cell(earned[key]) if key in earned else "-" for key in keys]
        mean = event.mean_judgement
        row += ["-" if mean is None else mean, len(event.judgements)]
        row += _support_cells(event.support)
        rows.append(row)
    remark = (
        "credit towards precision, of what was possible; events that share a day share its "
        "credit, and the two ends of a link share its credit"
    )
    if any(name == "annotations" for name, _ in keys):
        remark += "; spans that overlap count too, as in lenient precision"
    return Table.of("what each event earned", columns, rows, [remark])


def _support_columns(evaluation: EvaluationDocument) -> list[Column | None]:
    """The columns of support, or none of them."""
    if not evaluation.support:
        return [None] * 8
    has_verdicts = any(system.verdicts for system in evaluation.support.systems)
    verdicts = [Column(name, "verdict") if has_verdicts else None for name in CRITERIA]
    return [
        *(Column(name, "in the article") for name in CRITERIA),
        *verdicts,
        Column("coverage", "evidence", optional=1),
        Column("article", "evidence", optional=3),
        Column("sentence", "evidence", optional=3),
        Column("text", "evidence", optional=4),
    ]


def _support_cells(support: EventSupport | None) -> list[Cell]:
    if support is None:
        return ["-"] * 8
    both = (support.what, support.when)
    return [
        *(one.outcome for one in both),
        *(one.verdict or "-" for one in both),
        support.coverage,
        support.article or "-",
        support.place or "-",
        shortened(support.sentence),
    ]


def _credit_cell(credit: Credit) -> Several:
    text = f"{trimmed(credit.credit)} of {trimmed(credit.possible)}"
    return Several(text, (("", credit.credit), ("possible", credit.possible)))


def credit_keys(evaluation: EvaluationDocument) -> list[tuple[str, str]]:
    """Return family and name of the metrics that credit an event, in the order of the results."""
    known = {(c.family, c.metric) for event in evaluation.events for c in event.credits}
    ordered = [
        (result.family, metric.name) for result in evaluation.results for metric in result.metrics
    ]
    return [key for key in ordered if key in known]


def shortened(text: str) -> str:
    """Return the beginning of a text, in one line."""
    line = " ".join(text.split())
    return line if len(line) <= MOST_WORDS else f"{line[: MOST_WORDS - 1]}…"
