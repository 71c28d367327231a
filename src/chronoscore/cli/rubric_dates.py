"""`chronoscore rubric dates`: what an expression of time means, and judgements it contradicts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from chronoscore.cli.options import (
    codebook_option,
    examples,
    make_reading,
    reading_options,
    tell,
)
from chronoscore.core.errors import UsageError

if TYPE_CHECKING:
    from chronoscore.core.reading import Reading


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
@click.option("--evaluator", metavar="NAME", help="Who judged, for sheets that don't say.")
@codebook_option
@reading_options
def command(
    subjects: tuple[str, ...],
    published: str | None,
    events: tuple[Path, ...],
    articles: Path | None,
    evaluator: str | None,
    codebook_path: Path | None,
    encoding: str,
    max_line: int,
    lenient: bool,
) -> None:
    """Show which days an expression of time may mean, or which judgements contradict it.

    With --published each EXPRESSION ("yesterday", "over the weekend", "Friday, Feb. 11", "three
    days after Jan. 25") is resolved, with all its readings. With --events and --articles each
    SHEET of judgements is checked against the sentences of the articles: dates judged right that
    a sentence contradicts, and dates judged wrong that it states. Where a sentence leaves the date
    open there is no verdict, and the reasons are counted. Expressions are English.
    """
    if published is not None and (events or articles):
        raise UsageError(
            "--published resolves expressions, --events and --articles check sheets: "
            "give one or the other"
        )
    if published is not None:
        _resolve(subjects, published)
    elif events and articles:
        reading = make_reading(encoding, max_line, lenient)
        _check(subjects, events, articles, reading, evaluator, codebook_path)
    else:
        raise UsageError("give --published for an expression, or --events and --articles")


def _resolve(expressions: tuple[str, ...], published: str) -> None:
    from chronoscore.elements.dates import parse_day
    from chronoscore.rubric.dates import resolve

    try:
        day = parse_day(published)
    except ValueError as error:
        raise UsageError(f"--published: {error}") from None
    resolved = {expression: resolve(expression, day) for expression in expressions}
    unknown = [f"'{expression}'" for expression, found in resolved.items() if not found]
    if unknown:
        names = ", ".join(unknown)
        raise UsageError(
            "expected one English expression of time each, such as 'last Monday' or "
            f"'three days after Jan. 25'; not understood near {published}: {names}"
        )
    for expression, candidates in resolved.items():
        for candidate in candidates:
            click.echo(f"{expression}\t{candidate}\t{candidate.reading}")


def _check(
    sheets: tuple[str, ...],
    events: tuple[Path, ...],
    articles: Path,
    reading: Reading,
    evaluator: str | None,
    codebook_path: Path | None,
) -> None:
    from chronoscore.core.event import read_events
    from chronoscore.rubric.codebook import event_quality, load_codebook
    from chronoscore.rubric.dates import check_events, contradictions
    from chronoscore.rubric.formats import read_articles, read_judgements

    codebook = load_codebook(codebook_path, reading) if codebook_path else event_quality()
    known = [event for path in events for event in read_events(path, reading)]
    texts = read_articles(articles, reading)
    paths = [Path(sheet) for sheet in sheets]
    judgements = read_judgements(paths, codebook, reading, evaluator=evaluator)
    given = {event.id for event in known}
    strange = [judgement for judgement in judgements if judgement.event not in given]
    if strange and len(strange) == len(judgements):
        places = ", ".join(map(str, events))
        reading.problem(
            f"none of the judged events is in {places}; there is no '{strange[0].event}', say"
        )
    elif strange:
        reading.notice(
            f"{len(strange)} judgements are of events that --events has not, and are not checked, "
            f"first '{strange[0].event}'"
        )
    reading.check()
    for notice in reading.notices:
        tell(str(notice))
    found = contradictions(judgements, known, texts, codebook=codebook)
    for contradiction in found:
        click.echo(str(contradiction))
    checked = check_events(known, texts)
    reasons: Counter[str] = Counter()
    decided = 0
    for judgement in judgements:
        if judgement.event not in given:
            continue
        one = checked.get(judgement.event)
        if one is None:
            reasons["no date, or no place in a dated article"] += 1
        elif one.assessment.verdict == "open":
            reasons.update(one.assessment.reasons[:1])
        else:
            decided += 1
    click.echo(f"{len(found)} of {decided} judgements contradict the article's words")
    if reasons:
        click.echo(f"{reasons.total()} more are left open:")
    for reason, count in reasons.most_common():
        click.echo(f"{count:6}  {reason}")
