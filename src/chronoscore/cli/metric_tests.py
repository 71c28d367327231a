"""`chronoscore metric-tests`: does a metric notice what is wrong with a timeline?"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from chronoscore.cli.options import examples, make_reading, reading_options, tell
from chronoscore.core.errors import DataError

if TYPE_CHECKING:
    from chronoscore.reports.table import Table
    from chronoscore.timelines.metric_tests import Outcome, Report

FORMAT, VERSION = "chronoscore-metric-tests", 1
SEED = 23
"""That of the tests themselves, which would take long to import for a help text."""
_RULES = (
    "pass: the score falls on every gold; FAIL (k of n): on k of n only; FAIL: on none",
    "shift: the loss must be graded, unharmed > 1 day > 5 days > 0; one verdict for both",
)


@click.command(
    short_help="Test which metrics notice a damaged timeline.",
    epilog=examples(
        "chronoscore metric-tests demo/gold.jsonl",
        "chronoscore metric-tests demo/gold.jsonl -m AR-2 -m 'date-f1(tolerance=3)' --seed 7",
    ),
)
@click.argument("gold", type=click.Path(path_type=Path))
@click.option(
    "-m",
    "--metric",
    multiple=True,
    metavar="NAME",
    help="A metric of timelines; may be repeated (default: eight of ROUGE-1 and dates).",
)
@click.option(
    "--seed", type=int, default=SEED, show_default=True, help="For what is drawn at random."
)
@click.option(
    "-f",
    "--format",
    "output_format",
    type=click.Choice(["text", "markdown", "csv", "json"]),
    default="text",
    show_default=True,
    help="How to print the report; csv and json have one row for each metric and test.",
)
@reading_options
def command(
    gold: Path,
    metric: tuple[str, ...],
    seed: int,
    output_format: str,
    encoding: str,
    max_line: int,
    lenient: bool,
) -> None:
    """Test which metrics notice a damaged timeline.

    Each timeline of GOLD is damaged in nine ways and scored against itself: a day is removed,
    added, merged with the next, all days are shifted, and so on. A metric passes a test if its
    score falls on every gold. GOLD is what `chronoscore timelines` reads.
    """
    from chronoscore.timelines import read_timelines
    from chronoscore.timelines.family import FAMILY
    from chronoscore.timelines.metric_tests import METRICS, run
    from chronoscore.timelines.parts import count_languages, report_languages

    reading = make_reading(encoding, max_line, lenient)
    golds = read_timelines(gold, reading)
    reading.check()
    count_languages(golds, reading)
    report_languages([FAMILY.metric(name) for name in metric or METRICS], reading.counts, reading)
    for notice in reading.notices:
        tell(str(notice))
    if not any(golds.values()):
        raise DataError.of("there is no timeline to test with", gold)
    click.echo(render(run(golds, metric or METRICS, seed), output_format), nl=False)


def render(report: Report, how: str) -> str:
    """Write a report for people, for a spreadsheet (one outcome a line) or for programs."""
    from chronoscore.reports import render_tables

    if how == "json":
        return _document(report)
    return render_tables([_long(report)] if how == "csv" else _tables(report), how)


def _document(report: Report) -> str:
    import msgspec

    from chronoscore import __version__

    document = {
        "format": FORMAT,
        "version": VERSION,
        "chronoscore": __version__,
        "seed": report.seed,
        "golds": report.golds,
        "unharmed": report.unharmed,
        "rows": report.rows,
    }
    return msgspec.json.format(msgspec.json.encode(document), indent=1).decode() + "\n"


def _long(report: Report) -> Table:
    from chronoscore.reports.table import Column, Table

    names = ("metric", "test", "verdict", "noticed", "golds", "skipped", "undefined", "mean")
    return Table(
        "",
        tuple(map(Column, names)),
        tuple(
            (o.metric, o.test, _word(o), o.noticed, o.golds, o.skipped, o.undefined, o.mean)
            for o in report.outcomes
        ),
    )


def _tables(report: Report) -> list[Table]:
    from chronoscore.reports.table import Column, Table
    from chronoscore.timelines.metric_tests import OURS, PERTURBATIONS, PUBLISHED, UNHARMED

    found = {(outcome.metric, outcome.test): outcome for outcome in report.outcomes}
    on = f"{_number(len(report.golds), 'gold')} of {_number(report.topics, 'topic')}"
    on += f", seed {report.seed}"

    def columns(tests: Iterable[str]) -> tuple[Column, ...]:
        return (Column("metric"), *(Column(test.replace("_", " ")) for test in tests))

    verdicts = [
        Table(
            f"{title} on {on}",
            columns(tests),
            tuple(
                (metric, *(_cell(found[metric, test]) for test in tests))
                for metric in report.unharmed
            ),
            (*rules, *_skipped(report, tests)),
        )
        for title, tests, rules in (
            ("Tests of Martschat and Markert 2017", PUBLISHED, _RULES),
            ("Our own tests", OURS, ()),
        )
    ]
    means = Table(
        "Mean score after the damage",
        columns([UNHARMED, *PERTURBATIONS]),
        tuple(
            (metric, mean, *(found[metric, test].mean for test in PERTURBATIONS))
            for metric, mean in report.unharmed.items()
        ),
        tuple(_undefined(report)),
    )
    return [*verdicts, means]


def _skipped(report: Report, tests: Iterable[str]) -> list[str]:
    """Say for which tests some golds are unfit."""
    skipped = {outcome.test: outcome.skipped for outcome in report.outcomes}
    return [
        f"{test.replace('_', ' ')}: impossible on {skipped[test]} of "
        f"{_number(len(report.golds), 'gold')}, skipped"
        for test in tests
        if skipped[test]
    ]


def _undefined(report: Report) -> list[str]:
    """Say which metrics have no value on some golds."""
    most: dict[str, int] = {}
    for outcome in report.outcomes:
        most[outcome.metric] = max(most.get(outcome.metric, 0), outcome.undefined)
    return [
        f"{metric}: no value on {count} of {_number(len(report.golds), 'gold')}, left out"
        for metric, count in most.items()
        if count
    ]


def _word(outcome: Outcome) -> str | None:
    return None if outcome.passed is None else "pass" if outcome.passed else "FAIL"


def _cell(outcome: Outcome) -> str:
    some = outcome.noticed if outcome.passed is False else 0
    told = f" ({some} of {outcome.golds})" if some else ""
    return f"{_word(outcome) or 'not tried'}{told}"


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'s' if count != 1 else ''}"
