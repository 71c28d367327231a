"""`chronoscore agreement`: how far do evaluators agree?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chronoscore.cli.options import (
    codebook_option,
    examples,
    level_option,
    make_reading,
    reading_options,
    table_format_option,
    tell,
)
from chronoscore.cli.outputs import output_option
from chronoscore.cli.packed import unpacked
from chronoscore.core.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chronoscore.core.reading import Reading
    from chronoscore.rubric.codebook import Codebook
    from chronoscore.rubric.judgement import Judgement
    from chronoscore.rubric.reliability.document import OverTime
    from chronoscore.rubric.reliability.judged import Cases
    from chronoscore.rubric.reliability.plan import Plan

ROUNDS = "rounds"


@click.command(
    short_help="Say how far evaluators agree.",
    epilog=examples(
        "chronoscore agreement demo/judgements.csv --windows 3",
        "chronoscore agreement demo/judgements.csv --by article --coefficient 'alpha nominal'",
    ),
)
@click.argument("sheets", nargs=-1, required=True, type=click.Path(readable=False, path_type=Path))
@click.option("--evaluator", metavar="NAME", help="Who judged, for sheets that don't say.")
@click.option(
    "--coefficient",
    "coefficients",
    multiple=True,
    metavar="NAME",
    help="A coefficient, for every criterion; may be repeated; 'all' that suit each scale.",
)
@click.option(
    "--by",
    multiple=True,
    type=click.Choice(["article", "type", "system"]),
    help="Agreement within each; may be repeated.",
)
@click.option(
    "--windows",
    metavar="N|rounds",
    help="Agreement, and each evaluator, over time: in N parts of the work, or in each round.",
)
@click.option(
    "--adjudicated",
    metavar="NAME|SHEET",
    help="Set evaluators beside agreed values: an evaluator's in the sheets, or another sheet's.",
)
@click.option(
    "--threshold",
    type=float,
    default=0.667,
    show_default=True,
    help="The alpha below which a criterion is to be discussed.",
)
@click.option(
    "--most", type=click.IntRange(min=0), default=10, show_default=True, help="Events to discuss."
)
@click.option(
    "--interval",
    "method",
    type=click.Choice(["auto", "jackknife", "bootstrap"]),
    default="auto",
    show_default=True,
    help="How intervals over articles are made; auto is the jackknife.",
)
@level_option
@click.option("--seed", type=int, default=0, show_default=True, help="For what is drawn.")
@output_option(
    "--report",
    metavar="FILE",
    help="Write an HTML report of the scores and of agreement.",
)
@codebook_option
@table_format_option
@reading_options
def command(
    sheets: tuple[Path, ...],
    evaluator: str | None,
    windows: str | None,
    adjudicated: str | None,
    report: Path | None,
    codebook_path: Path | None,
    output_format: str,
    encoding: str,
    max_line: int,
    lenient: bool,
    **planned: Any,
) -> None:
    """Say how far evaluators agree on each criterion, with intervals over articles.

    Each SHEET is a file of judgements, as `chronoscore rubric` reads them. Below the coefficients
    stand the criteria that are not agreed on well enough, and the events to discuss after a
    calibration batch with all values and comments; then each pair of evaluators, and how generous
    each one is. JSON holds everything in one document, CSV the coefficients alone.
    """
    import msgspec

    from chronoscore.engines.here import measured
    from chronoscore.engines.settings import Settings
    from chronoscore.reports import render_tables
    from chronoscore.reports.raters import reliability_tables
    from chronoscore.rubric import event_quality, load_codebook, read_cases, rubric_family
    from chronoscore.rubric.reliability import Plan, study

    plan = Plan(**planned)
    plan.check()
    number = _number_of(windows)
    reading = make_reading(encoding, max_line, lenient)
    codebook = load_codebook(codebook_path, reading) if codebook_path else event_quality()
    plain = unpacked(sheets, reading)
    cases: Cases = read_cases(plain, reading, evaluator=evaluator, codebook=codebook)
    agreed = None
    if adjudicated is not None:
        cases, agreed = _adjudicated(adjudicated, cases, codebook, reading)
    reading.check()
    if not any(cases.values()):
        raise DataError.of("there are no judgements")
    for notice in reading.notices:
        tell(str(notice))
    home = rubric_family(codebook)
    metrics = Settings.make(home).metrics
    if report is not None:
        _write_report(home, cases, reading, report)
    again = make_reading(encoding, max_line, lenient)
    again.names = reading.names
    found = study(
        cases,
        {system: measured(home, own, metrics) for system, own in cases.items()},
        codebook,
        plan,
        over_time=_over_time(plain, evaluator, codebook, number, plan, again, adjudicated)
        if windows is not None
        else None,
        agreed=agreed,
        notices=[str(notice) for notice in reading.notices],
    )
    if output_format == "json":
        click.echo(msgspec.json.format(msgspec.json.encode(found), indent=1).decode())
        return
    tables = reliability_tables(found)
    click.echo(
        render_tables(tables[:1] if output_format == "csv" else tables, output_format), nl=False
    )


def _number_of(windows: str | None) -> int | None:
    """The number of parts, None for rounds."""
    if windows is None or windows == ROUNDS:
        return None
    if not (windows.isascii() and windows.isdecimal() and int(windows) >= 2):
        raise UsageError(f"--windows is '{windows}', expected 2 or more, or {ROUNDS}")
    return int(windows)


def _adjudicated(
    wanted: str, cases: Cases, codebook: Codebook, reading: Reading
) -> tuple[Cases, dict[str, Judgement]]:
    """The evaluators' own cases, and the agreed values, which are no evaluator's."""
    from chronoscore.rubric import read_cases
    from chronoscore.rubric.family import UNNAMED_SYSTEM
    from chronoscore.rubric.reliability import agreed_values
    from chronoscore.rubric.reliability.judged import tagged

    people = sorted(
        {who for judged in cases.values() for who in tagged(judged, "evaluator").used()}
    )
    agreed: Cases
    if wanted in people:
        agreed, others = (
            {
                system: [c for c in judged if (c.predicted.evaluator == wanted) is chosen]
                for system, judged in cases.items()
            }
            for chosen in (True, False)
        )
        cases = {system: judged for system, judged in others.items() if judged}
        reading.notice(f"{wanted}: the agreed values, not counted among the evaluators")
    elif Path(wanted).exists():
        sheets = unpacked([Path(wanted)], reading)
        agreed = read_cases(sheets, reading, evaluator="agreed", codebook=codebook)
    else:
        raise UsageError(
            f"--adjudicated {wanted} is neither a file nor an evaluator: {', '.join(people)}"
        )
    return cases, agreed_values(agreed, cases, reading, anywhere=UNNAMED_SYSTEM)


def _over_time(
    sheets: Sequence[Path],
    evaluator: str | None,
    codebook: Codebook,
    number: int | None,
    plan: Plan,
    reading: Reading,
    left_out: str | None,
) -> OverTime:
    """Read once more, since here all rounds count, and the order of the rows."""
    from chronoscore.rubric import read_judgements
    from chronoscore.rubric.reliability import over_time, row_order

    judgements = read_judgements(sheets, codebook, reading, evaluator=evaluator)
    counted = [judgement for judgement in judgements if judgement.evaluator != left_out]
    order = row_order(sheets, codebook, reading, evaluator)
    return over_time(counted, order, codebook, number, plan)


def _write_report(home: Any, cases: Cases, reading: Reading, path: Path) -> None:
    from chronoscore.cli.scoring import write_report_file
    from chronoscore.engines.scoring import score
    from chronoscore.engines.settings import Settings

    notices = [str(notice) for notice in reading.notices]
    scored = score(Settings.make(home), cases, notices=notices, explain=True)
    write_report_file(scored.result, scored.matches, scored.texts, path)
