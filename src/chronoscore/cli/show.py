"""`chronoscore show`: render a saved result again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from chronoscore.cli.options import (
    codebook_option,
    examples,
    explain,
    format_option,
    regroup_option,
    tell,
    to_explain,
)
from chronoscore.cli.outputs import output_option
from chronoscore.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chronoscore.core.result import Result


@click.command(
    short_help="Render a saved result again.",
    epilog=examples(
        "chronoscore timelines demo/gold.jsonl demo/quick.jsonl --save quick.json",
        "chronoscore show quick.json --format markdown",
    ),
)
@click.argument("result", type=click.Path(readable=False, path_type=Path))
@format_option
@click.option(
    "--explain",
    "cases",
    multiple=True,
    metavar="CASE",
    help="Show the matches of a case; 'all' for every case.",
)
@click.option(
    "--compare",
    "other",
    type=click.Path(readable=False, path_type=Path),
    metavar="RESULT",
    help="Set the systems of another saved result against these.",
)
@regroup_option
@click.option(
    "--by-event", is_flag=True, help="Of an evaluation: show what each predicted event earned."
)
@output_option(
    "--report",
    "report_path",
    metavar="FILE",
    help="Write an HTML report from the saved result.",
)
@codebook_option
def command(
    result: Path,
    output_format: str,
    cases: tuple[str, ...],
    other: Path | None,
    by: tuple[str, ...],
    by_event: bool,
    report_path: Path | None,
    codebook_path: Path | None,
) -> None:
    """Render a saved result again, in any format; nothing is scored.

    RESULT is a document of --save, of any verb that scores or of `chronoscore evaluate`.
    """
    from chronoscore.core.result import load, load_matches, load_texts
    from chronoscore.evaluation.document import is_evaluation
    from chronoscore.reports import render

    if is_evaluation(result):
        if cases or other or by or report_path or codebook_path:
            raise UsageError(
                f"{result} holds several results: --explain, --compare, --by, --report and "
                "--codebook are for the result of one question, which its own verb saves"
            )
        if output_format == "plain":
            raise UsageError(f"{result} holds several results: the plain format is for one")
        _show_evaluation(result, output_format, by_event=by_event)
        return
    if by_event:
        raise UsageError(f"--by-event is for what `evaluate` saved; {result} is another result")
    codebooks = [codebook_path] if codebook_path else []
    if other is not None:
        if cases or report_path or by:
            raise UsageError(
                "--compare only prints its tables: leave out --explain, --by and --report"
            )
        if output_format == "plain":
            raise UsageError("--compare has no plain form")
        saved = [(result, load(result)), (other, load(other))]
        _compare(saved, codebooks, output_format)
        return
    document = _doubted(result, codebooks)
    told = document
    if by or output_format == "plain":
        from chronoscore.cli.homes import families_of
        from chronoscore.engines.regrouping import by_parts, regrouped

        home, *_ = families_of([(result, document)], codebooks)
        document = regrouped(home, document, by) if by else document
        told = by_parts(home, document) if output_format == "plain" else document
    if report_path is not None:
        from chronoscore.cli.scoring import write_report_file

        explained = load_matches(result, document), load_texts(result, document)
        write_report_file(document, *explained, report_path)
    matches = load_matches(result, document) if cases else []
    to_explain(matches, cases, output_format)
    for notice in document.notices:
        tell(notice)
    click.echo(render(told, output_format), nl=False)
    if cases:
        explain(document, matches, cases, output_format, load_texts(result, document))


def _doubted(path: Path, codebooks: Sequence[Path]) -> Result:
    """The result; a wrong checksum, or numbers that its rows don't give, are among its notices."""
    from msgspec.structs import replace

    from chronoscore.cli.homes import warnings_of
    from chronoscore.core.result import load

    warnings: list[str] = []
    found = load(path, warnings.append)
    warnings += warnings_of(path, found, codebooks)
    return replace(found, notices=(*(f"warning: {text}" for text in warnings), *found.notices))


def _show_evaluation(path: Path, how: str, *, by_event: bool) -> None:
    from chronoscore.cli.homes import warnings_of
    from chronoscore.evaluation.document import encode, load
    from chronoscore.reports import render_tables
    from chronoscore.reports.evaluation import evaluation_tables

    warnings: list[str] = []
    document = load(path, warnings.append)
    for result in document.results:
        warnings += warnings_of(path, result, ())
    for notice in (*(f"warning: {text}" for text in warnings), *document.notices):
        tell(notice)
    if how == "json":
        click.echo(encode(document).decode(), nl=False)
        return
    tables = evaluation_tables(document, by_event=by_event)
    click.echo(render_tables(tables[-1:] if how == "csv" else tables, how), nl=False)


def _compare(saved: Sequence[tuple[Path, Result]], codebooks: Sequence[Path], how: str) -> None:
    from chronoscore.cli.homes import homes_of
    from chronoscore.engines.contrasting import Question, contrast
    from chronoscore.reports.contrast import render_contrast

    home, *_ = homes_of(saved, codebooks)
    made = contrast(home, [result for _, result in saved], Question())
    click.echo(render_contrast(made, how), nl=False)
