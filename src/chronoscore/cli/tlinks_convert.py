"""`chronoscore tlinks convert`: temporal links from one format to another."""

from pathlib import Path

import click

from chronoscore.cli.options import examples, make_reading, reading_options, tell
from chronoscore.cli.outputs import output_argument

FORMS = ("tsv", "jsonl", "timeml")


@click.command(
    short_help="Convert temporal links between formats.",
    epilog=examples(
        "chronoscore tlinks convert demo/gold.jsonl links.tsv --to tsv",
        "chronoscore tlinks convert demo/gold.jsonl timeml --to timeml",
    ),
)
@click.argument("source", type=click.Path(readable=False, path_type=Path))
@output_argument("target")
@click.option("--to", "form", type=click.Choice(FORMS), required=True, help="The new format.")
@click.option(
    "--vague",
    type=click.Choice(["skip", "keep"]),
    default="skip",
    show_default=True,
    help="Whether VAGUE in TimeBank-Dense and MATRES is left out, or kept as a relation.",
)
@reading_options
def command(
    source: Path,
    target: Path,
    form: str,
    vague: str,
    encoding: str,
    max_line: int,
    lenient: bool,
) -> None:
    """Convert temporal links: any format that `chronoscore tlinks` reads, to one of these.

    \b
    tsv     a table with document, source, target and relation
    jsonl   the same as JSON lines
    timeml  a folder with a TimeML file a document

    Only TimeML keeps texts and what is said of events and times.
    """
    from chronoscore.ordering.tlinks import read_links, write_links

    reading = make_reading(encoding, max_line, lenient)
    collection = read_links(source, reading, {"vague": vague})
    for notice in reading.notices:
        tell(str(notice))
    reading.check()
    write_links(collection, target, form)
    documents = [document for named in collection.values() for document in named.values()]
    links = sum(len(document.links) for document in documents)
    click.echo(f"{links} links of {len(documents)} documents are in {target}")
