"""`chronoscore show`: render a saved result again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from chronoscore.cli.options import examples, explain, format_option, tell

if TYPE_CHECKING:
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
@click.option(
    "--report",
    "report_path",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write an HTML report from the saved result.",
)
def command(
    result: Path,
    output_format: str,
    cases: tuple[str, ...],
    other: Path | None,
    report_path: Path | None,
) -> None:
    """Render a saved result again, in any format; nothing is scored."""
    from chronoscore.core.result import load, load_matches, load_texts
    from chronoscore.reports import render

    document = load(result)
    if other is not None:
        _compare(document, load(other), output_format)
        return
    if report_path is not None:
        from chronoscore.cli.scoring import write_report_file

        write_report_file(document, load_matches(result), load_texts(result), report_path)
    for notice in document.notices:
        tell(notice)
    click.echo(render(document, output_format), nl=False)
    if cases:
        explain(document, load_matches(result), cases, output_format)


def _compare(one: Result, two: Result, how: str) -> None:
    from chronoscore.engines.contrasting import Question, contrast
    from chronoscore.families import family
    from chronoscore.reports.contrast import render_contrast

    made = contrast(family(one.family), [one, two], Question())
    click.echo(render_contrast(made, "text" if how == "plain" else how), nl=False)
