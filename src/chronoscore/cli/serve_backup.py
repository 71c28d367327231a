"""`chronoscore serve backup`: copy a workbench while it runs."""

from pathlib import Path

import click

from chronoscore.cli.options import examples
from chronoscore.cli.serve import database_option


@click.command(
    short_help="Copy a workbench while it runs.",
    epilog=examples(
        "chronoscore serve --check",
        "chronoscore serve backup copies/monday.db",
    ),
)
@click.argument("target", type=click.Path(path_type=Path), metavar="FILE")
@database_option("The workbench's database.")
def command(target: Path, database: Path) -> None:
    """Copy a workbench's database into FILE, as of one moment, while people judge.

    The copy is one file, checked to be whole. A file that is there already is kept.
    """
    from chronoscore.workbench.exporting import backup

    backup(database, target)
    click.echo(f"{database} is copied to {target}")
