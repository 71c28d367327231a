"""`chronoscore agreement`: how far do evaluators agree?"""

from __future__ import annotations

from pathlib import Path

import click

from chronoscore.cli.options import (
    codebook_option,
    examples,
    make_reading,
    reading_options,
    table_format_option,
    tell,
)


@click.command(
    short_help="Say how far evaluators agree.",
    epilog=examples(
        "chronoscore agreement demo/judgements.csv",
        "chronoscore agreement demo/judgements.csv --format markdown",
    ),
)
@click.argument("sheets", nargs=-1, required=True, type=click.Path(readable=False, path_type=Path))
@click.option("--evaluator", metavar="NAME", help="Who judged, for sheets that don't say.")
@codebook_option
@table_format_option
@reading_options
def command(
    sheets: tuple[Path, ...],
    evaluator: str | None,
    codebook_path: Path | None,
    output_format: str,
    encoding: str,
    max_line: int,
    lenient: bool,
) -> None:
    """Say how far evaluators agree on each criterion, with intervals over articles.

    Each SHEET is a file of judgements, as `chronoscore rubric` reads them. Below the coefficients
    stand each pair of evaluators, how generous each one is, and what they disagree on most, with
    their comments: what to talk about after a calibration batch.
    """
    import msgspec

    from chronoscore.core.evidence import unite
    from chronoscore.engines.here import measure
    from chronoscore.engines.settings import Settings
    from chronoscore.reports import render_tables
    from chronoscore.reports.raters import chip_table, rater_tables
    from chronoscore.reports.tables import agreement_table
    from chronoscore.rubric import event_quality, load_codebook, read_cases, rubric_family
    from chronoscore.rubric.agreement import agreement

    reading = make_reading(encoding, max_line, lenient)
    codebook = load_codebook(codebook_path, reading) if codebook_path else event_quality()
    home = rubric_family(codebook)
    cases = read_cases(sheets, reading, evaluator=evaluator, codebook=codebook)
    reading.check()
    for notice in reading.notices:
        tell(str(notice))
    metrics = Settings.make(home).metrics
    rows = {
        system: unite(row for row, _ in measure(home, judged, metrics))
        for system, judged in cases.items()
    }
    comments: dict[tuple[str, str], list[str]] = {}
    for system, judged in cases.items():
        for case in judged:
            said = case.predicted.comment.strip()
            if said:
                key = (system, case.predicted.event)
                comments.setdefault(key, []).append(f"{case.predicted.evaluator}: {said}")
    found = agreement(rows, codebook)
    if output_format == "json":
        click.echo(msgspec.json.format(msgspec.json.encode(found), indent=1).decode())
        return
    tables = [agreement_table(found)]
    if output_format != "csv":
        tables += rater_tables(rows, codebook, comments)
        judgements = {
            system: [case.predicted for case in judged] for system, judged in cases.items()
        }
        tables.append(chip_table(judgements, codebook))
    click.echo(render_tables(tables, output_format), nl=False)
