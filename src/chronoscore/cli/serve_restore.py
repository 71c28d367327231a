"""`chronoscore serve restore`: bring back a workbench from its copy."""

from pathlib import Path

import click

from chronoscore.cli.options import examples
from chronoscore.cli.serve import database_option
from chronoscore.core.errors import UsageError


@click.command(
    short_help="Bring back a workbench from a copy.",
    epilog=examples(
        "chronoscore serve --db copy.db --check",
        "chronoscore serve restore copy.db --db again.db",
    ),
)
@click.argument("source", type=click.Path(path_type=Path), metavar="FILE")
@database_option("Where the workbench is to be; must not be there yet.")
def command(source: Path, database: Path) -> None:
    """Bring back a workbench from the copy FILE into a new database.

    What is there already is never written over: move it away first.
    """
    from chronoscore.workbench.exporting import backup

    leftover = [
        path for ending in ("-wal", "-shm") if (path := Path(f"{database}{ending}")).exists()
    ]
    if leftover:
        raise UsageError(f"{leftover[0]} is there: move it away with its database first")
    backup(source, database)
    click.echo(f"{source} is brought back as {database}")
