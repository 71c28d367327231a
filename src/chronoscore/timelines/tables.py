"""Tables that only timelines have: readings of AR, published results, metrics put to the test."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from operator import attrgetter

from msgspec import structs

from chronoscore import __version__
from chronoscore.core.result import Result, Summary
from chronoscore.core.writing import json_text
from chronoscore.errors import UsageError
from chronoscore.reports.rendering import render_tables
from chronoscore.reports.result_tables import wholes
from chronoscore.reports.table import Table, plural, spaced
from chronoscore.timelines.metric_tests import (
    OURS,
    PERTURBATIONS,
    PUBLISHED,
    UNHARMED,
    Outcome,
    Report,
)
from chronoscore.timelines.readings import ReadingScores, published

_PUBLISHED = ("AR-1", "AR-2", "Date-F1")
_COUNTED = {"AR-1": "rouge_1", "AR-2": "rouge_2", "Date-F1": "date"}
"""The names that the evaluation notes print in lines of precision, recall and F."""
_FORMAT, _VERSION = "chronoscore-metric-tests", 1
_RULES = (
    "pass: the score falls on every gold; FAIL (k of n): on k of n only; FAIL: on none",
    "shift: the loss must be graded, unharmed > 1 day > 5 days > 0; one verdict for both",
)


def readings_table(readings: Sequence[ReadingScores]) -> Table:
    """Return the table of all scores that papers could report as AR-1 or AR-2."""
    return Table.of(
        "all readings of alignment-based ROUGE",
        ("system", "reading", "golds", "average", "ROUGE-1 F1", "ROUGE-2 F1", "used by"),
        map(astuple, readings),
        ["text as each reading has it: rouge155, for exact-date plain words"],
    )


def published_table(result: Result, collection: str) -> Table:
    """Return the published results of a collection, then the user's."""
    tables = published()
    if collection not in tables.collections:
        raise UsageError(
            f"no published results of '{collection}'; there are: {', '.join(tables.collections)}"
        )
    scores = {
        (system.name, metric.label): summary.scores[metric.primary]
        for metric in result.metrics
        for system, summary in wholes(result, metric.name)
    }
    user_rows = (
        (
            system.name,
            "(yours)",
            *(scores.get((system.name, label), "not scored") for label in _PUBLISHED),
            result.protocol or "none",
        )
        for system in result.systems
    )
    return Table.of(
        f"{collection}: published, and yours",
        ("system", "model", *_PUBLISHED, "protocol"),
        [*map(structs.astuple, tables.collections[collection]), *user_rows],
        [
            tables.source,
            "Numbers are comparable only if data, golds, protocol and text processing agree.",
        ],
    )


def counts_lines(labels: Mapping[str, str], summaries: Sequence[Summary]) -> list[str]:
    """Return a line of precision, recall and F for every metric; `labels` are by metric name."""
    scores = {summary.metric: summary.scores for summary in summaries}
    return [
        f"{_COUNTED.get(label, label)}: "
        + ", ".join(
            f"{score}={'undef.' if value is None else f'{value:.4f}'}"
            for score, value in scores[name].items()
        )
        for name, label in labels.items()
    ]


def counts_text(result: Result) -> str:
    """Write the lines of precision, recall and F of every system."""
    labels = {metric.name: metric.label for metric in result.metrics}
    lines = []
    for system in result.systems:
        whole = [summary for summary in system.summaries if not summary.group]
        name = f"{system.name} " if len(result.systems) > 1 else ""
        lines += [f"{name}{line}" for line in counts_lines(labels, whole)]
    return "\n".join(lines) + "\n"


def render_metric_tests(report: Report, output_format: str) -> str:
    """Write the tests as tables, as CSV with an outcome a line, or as JSON."""
    if output_format == "json":
        facts = {"seed": report.seed, "golds": report.golds, "unharmed": report.unharmed}
        head = {"format": _FORMAT, "version": _VERSION, "chronoscore": __version__}
        return json_text({**head, **facts, "rows": report.rows})
    if output_format == "csv":
        fields = ("noticed", "golds", "skipped", "undefined", "mean")
        rows = ((o.metric, o.test, _verdict(o), *attrgetter(*fields)(o)) for o in report.outcomes)
        return render_tables(
            [Table.of("", ("metric", "test", "verdict", *fields), rows)], output_format
        )
    outcomes = {(outcome.metric, outcome.test): outcome for outcome in report.outcomes}
    golds = plural(len(report.golds), "gold")
    on = f"{golds} of {plural(report.topics, 'topic')}, seed {report.seed}"
    tables = []
    for title, tests, rules in (
        ("Tests of Martschat and Markert 2017", PUBLISHED, _RULES),
        ("Our own tests", OURS, ()),
    ):
        skipped = {test: outcome.skipped for (_, test), outcome in outcomes.items()}
        remarks = [
            f"{spaced(test)}: impossible on {skipped[test]} of {golds}, skipped"
            for test in tests
            if skipped[test]
        ]
        verdicts = (
            (metric, *(_verdict_cell(outcomes[metric, test]) for test in tests))
            for metric in report.unharmed
        )
        columns = ["metric", *map(spaced, tests)]
        tables.append(Table.of(f"{title} on {on}", columns, verdicts, [*rules, *remarks]))
    undefined: dict[str, int] = {}
    for outcome in report.outcomes:
        undefined[outcome.metric] = max(undefined.get(outcome.metric, 0), outcome.undefined)
    means = Table.of(
        "Mean score after the damage",
        ["metric", *map(spaced, (UNHARMED, *PERTURBATIONS))],
        (
            (metric, mean, *(outcomes[metric, test].mean for test in PERTURBATIONS))
            for metric, mean in report.unharmed.items()
        ),
        [f"{m}: no value on {n} of {golds}, left out" for m, n in undefined.items() if n],
    )
    return render_tables([*tables, means], output_format)


def _verdict(outcome: Outcome) -> str | None:
    return None if outcome.passed is None else "pass" if outcome.passed else "FAIL"


def _verdict_cell(outcome: Outcome) -> str:
    noticed = outcome.noticed if outcome.passed is False else 0
    return (_verdict(outcome) or "not tried") + (
        f" ({noticed} of {outcome.golds})" if noticed else ""
    )
