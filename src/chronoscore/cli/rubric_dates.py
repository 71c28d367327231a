"""`chronoscore rubric dates`: what an expression of time means, and judgements it contradicts."""

from pathlib import Path

import click

from chronoscore.cli.options import examples, make_reading, reading_options, tell
from chronoscore.core.errors import UsageError


@click.command(
    short_help="Resolve 'last Monday'; check judged dates.",
    epilog=examples(
        "chronoscore rubric dates 'last Monday' --published 2010-04-21",
        "chronoscore rubric dates demo/judgements.csv --events demo/quick.jsonl "
        "--events demo/careful.jsonl --events demo/lead.jsonl --articles demo/articles.jsonl",
    ),
)
@click.argument("subjects", nargs=-1, required=True, metavar="EXPRESSION|SHEET...")
@click.option("--published", metavar="DATE", help="When the article was published.")
@click.option(
    "--events",
    multiple=True,
    type=click.Path(readable=False, path_type=Path),
    metavar="FILE",
    help="The events that were judged.",
)
@click.option(
    "--articles",
    type=click.Path(readable=False, path_type=Path),
    metavar="FILE",
    help="The articles they are from, with publication dates.",
)
@reading_options
def command(
    subjects: tuple[str, ...],
    published: str | None,
    events: tuple[Path, ...],
    articles: Path | None,
    encoding: str,
    max_line: int,
    lenient: bool,
) -> None:
    """Say which days an expression of time may mean, or which judgements contradict it.

    With --published each EXPRESSION ("yesterday", "last week", "on Monday") is resolved, all
    readings of it. With --events and --articles each SHEET of judgements is checked: a date that
    was judged right or wrong against what the article's own words allow.
    """
    if published is not None:
        _resolve(subjects, published)
    elif events and articles:
        _check(subjects, events, articles, (encoding, max_line, lenient))
    else:
        raise UsageError("give --published for an expression, or --events and --articles")


def _resolve(expressions: tuple[str, ...], published: str) -> None:
    from chronoscore.elements.dates import parse_day
    from chronoscore.rubric.dates import resolve

    try:
        day = parse_day(published)
    except ValueError as error:
        raise UsageError(f"--published: {error}") from None
    for expression in expressions:
        candidates = resolve(expression, day)
        if not candidates:
            raise UsageError(f"'{expression}' is not understood as an expression of time")
        for candidate in candidates:
            click.echo(f"{expression}\t{candidate}\t{candidate.reading}")


def _check(
    sheets: tuple[str, ...], events: tuple[Path, ...], articles: Path, how: tuple[str, int, bool]
) -> None:
    from chronoscore.core.event import read_events
    from chronoscore.rubric.codebook import event_quality
    from chronoscore.rubric.dates import contradictions
    from chronoscore.rubric.formats import read_articles, read_judgements

    reading = make_reading(*how)
    known = [event for path in events for event in read_events(path, reading)]
    texts = read_articles(articles, reading)
    judgements = read_judgements([Path(sheet) for sheet in sheets], event_quality(), reading)
    reading.check()
    for notice in reading.notices:
        tell(str(notice))
    found = contradictions(judgements, known, texts)
    for contradiction in found:
        click.echo(str(contradiction))
    click.echo(f"{len(found)} of {len(judgements)} judgements contradict the article's words")
