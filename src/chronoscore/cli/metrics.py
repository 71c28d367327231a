"""`chronoscore metrics`: the catalogue."""

import click

from chronoscore.cli.options import examples


@click.command(
    short_help="List the metrics and protocols.",
    epilog=examples("chronoscore metrics", "chronoscore metrics 'align+m:1(rouge=2)'"),
)
@click.argument("name", required=False)
@click.option("--family", "family_name", metavar="NAME", help="Only the metrics of one family.")
def command(name: str | None, family_name: str | None) -> None:
    """List the metrics and protocols, or tell all about one metric.

    NAME is a metric, with parameters in brackets if wanted, or a short name such as AR-1.
    """
    from chronoscore.families import NAMES, family, metric
    from chronoscore.reports.catalogue import catalogue, description

    if name is not None:
        home = family(family_name) if family_name else None
        found = (home, home.metric(name)) if home else metric(name)
        click.echo(description(*found), nl=False)
        return
    chosen = [family_name] if family_name else NAMES
    click.echo("\n".join(catalogue(family(each)) for each in chosen), nl=False)
