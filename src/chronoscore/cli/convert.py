"""`chronoscore convert`: from one timeline format to another."""

from pathlib import Path

import click

from chronoscore.cli.options import examples, make_reading, reading_options, tell

FORMATS = ("tilse", "json", "list", "chronos", "news-tls", "events", "summaries", "csv", "tsv")


@click.command(
    short_help="Convert timelines between formats.",
    epilog=examples(
        "chronoscore convert demo/gold.jsonl golds --to tilse",
        "chronoscore convert demo/quick.jsonl quick.csv --to csv",
    ),
)
@click.argument("source", type=click.Path(readable=False, path_type=Path))
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--to", "form", type=click.Choice(FORMATS), required=True, help="The new format.")
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
    csv, tsv   a sheet with topic, timeline, date and summary
    """
    from chronoscore.timelines import read_timelines, write_timelines

    reading = make_reading(encoding, max_line, lenient)
    collection = read_timelines(source, reading, {"dates": dates})
    for notice in reading.notices:
        tell(str(notice))
    reading.check()
    written = write_timelines(collection, target, form)
    timelines = sum(len(named) for named in collection.values())
    click.echo(f"{timelines} timelines of {len(collection)} topics are in {target}")
    if len(written) > 1:
        click.echo(f"({len(written)} files)")
