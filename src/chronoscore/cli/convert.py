"""`chronoscore convert`: from one format of timelines or annotations to another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from chronoscore.cli.options import examples, make_reading, reading_options, tell
from chronoscore.cli.outputs import output_argument

if TYPE_CHECKING:
    from chronoscore.core.reading import Reading

ORDERS = ("semeval", "timeml")
FORMATS = (
    *("tilse", "json", "list", "chronos", "news-tls"),
    *("events", "summaries", "days", "csv", "tsv"),
)
BY_DAY = ("events", "summaries", "csv", "tsv")
"""Formats that name a timeline only where they name one of its days."""
DOCUMENTS = {"documents": "jsonl", "brat": "brat", "bdoc": "bdoc"}
"""Formats of annotated documents, and how they are called there."""


@click.command(
    short_help="Convert timelines or annotations between formats.",
    epilog=examples(
        "chronoscore convert demo/gold.jsonl golds --to tilse",
        "chronoscore convert demo/gold.jsonl spans --to bdoc",
    ),
)
@click.argument("source", type=click.Path(readable=False, path_type=Path))
@output_argument("target")
@click.option(
    "--to",
    "form",
    type=click.Choice((*FORMATS, *ORDERS, *DOCUMENTS)),
    required=True,
    help="The new format.",
)
@click.option(
    "--dates",
    type=click.Choice(["error", "first-day", "interval"]),
    default="interval",
    show_default=True,
    help="What a date that is only a month or a year becomes; interval keeps it as it is.",
)
@reading_options
def command(
    source: Path,
    target: Path,
    form: str,
    dates: str,
    encoding: str,
    max_line: int,
    lenient: bool,
) -> None:
    """Convert timelines: any format and layout that is read, to any other.

    \b
    tilse      a text a timeline, as Timeline17 has it
    json       {date: [sentence, ...]} a timeline
    list       [{"date": ..., "summary": ...}, ...] a timeline
    chronos    a CHRONOS result a timeline
    news-tls   a folder a topic with timelines.jsonl
    events     events.jsonl with all topics
    summaries  JSONL of {topic, date, summary}
    days       JSONL of {topic, days: {date: [sentence, ...]}}
    csv, tsv   a sheet with topic, timeline, date and summary
    semeval    orders of events: the tab format of SemEval-2015, a file a target
    timeml     orders of events as graphs of TLINKs; they can be read back

    Annotations of text, in any format that `chronoscore annotations` reads, become:

    \b
    documents  JSONL of {id, text, annotations}
    brat       a .txt and an .ann a document
    bdoc       a .bdocjs a document, for GATE

    Judgements are converted by `chronoscore rubric convert`, and temporal links by
    `chronoscore tlinks convert`.
    """
    from chronoscore.timelines import read_timelines, write_timelines

    reading = make_reading(encoding, max_line, lenient)
    if form in ORDERS:
        _orders(source, target, form, reading)
        return
    if form in DOCUMENTS:
        _documents(source, target, DOCUMENTS[form], reading)
        return
    collection = read_timelines(source, reading, {"dates": dates})
    for notice in reading.notices:
        tell(str(notice))
    reading.check()
    written = write_timelines(collection, target, form)
    found = [timeline for named in collection.values() for timeline in named.values()]
    empty = sum(not timeline.days for timeline in found)
    if empty and form in BY_DAY:
        tell(f"{empty} timelines have no days, and '{form}' has no place for them: they are lost")
    timelines = len(found)
    click.echo(f"{timelines} timelines of {len(collection)} topics are in {target}")
    if len(written) > 1:
        click.echo(f"({len(written)} files)")


def _documents(source: Path, target: Path, form: str, reading: Reading) -> None:
    from chronoscore.annotations.formats import read_documents, write_documents

    found = read_documents(source, reading)
    for notice in reading.notices:
        tell(str(notice))
    reading.check()
    written = write_documents(found, target, form)
    number = sum(len(one.annotations) for named in found.values() for one in named.values())
    files = f" ({len(written)} files)" if len(written) > 1 else ""
    click.echo(f"{number} annotations of {len(found)} documents are in {target}{files}")


def _orders(source: Path, target: Path, form: str, reading: Reading) -> None:
    from chronoscore.ordering.writing import read_any, write_orders

    found = read_any(source, reading)
    for notice in reading.notices:
        tell(str(notice))
    if not found:
        reading.problem("there is no order of events to convert", source)
    reading.check()
    written = write_orders(found, target, form)
    click.echo(f"{len(written)} timelines of {len(found)} targets are in {target}")
