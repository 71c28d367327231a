"""`chronoscore show`: render a saved result again."""

from pathlib import Path

import click

from chronoscore.cli.options import examples, explain, format_option, tell


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
def command(result: Path, output_format: str, cases: tuple[str, ...]) -> None:
    """Render a saved result again, in any format; nothing is scored."""
    from chronoscore.core.result import load, load_matches
    from chronoscore.reports import render

    document = load(result)
    for notice in document.notices:
        tell(notice)
    click.echo(render(document, output_format), nl=False)
    if cases:
        explain(document, load_matches(result), cases, output_format)
