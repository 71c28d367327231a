"""`chronoscore rubric template`: a ready sheet for each evaluator."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from chronoscore.cli.options import codebook_option, examples, make_reading, reading_options, tell
from chronoscore.cli.outputs import output_option

if TYPE_CHECKING:
    from chronoscore.rubric.templates import Form


@click.command(
    short_help="Make a sheet for each evaluator.",
    epilog=examples(
        "chronoscore rubric template demo/quick.jsonl --articles demo/articles.jsonl "
        "--evaluator ana --evaluator ben --to csv -o sheets",
        "chronoscore rubric template demo/quick.jsonl --evaluator ana --evaluator ben "
        "--evaluator cleo --overlap 2 --calibration 10 --seed 7 --to csv -o more-sheets",
    ),
)
@click.argument("events", type=click.Path(readable=False, path_type=Path))
@click.option(
    "--articles",
    type=click.Path(readable=False, path_type=Path),
    metavar="FILE",
    help="An articles.jsonl (id, published, title, text), shown beside the events.",
)
@click.option(
    "--evaluator", "evaluators", multiple=True, required=True, metavar="NAME", help="Who judges."
)
@click.option(
    "--overlap",
    type=int,
    help="How many evaluators judge an article (default: 2, or 1 if there is one evaluator).",
)
@click.option(
    "--calibration", default=0, show_default=True, help="About how many events all judge first."
)
@click.option("--seed", default=0, show_default=True, help="For who gets what.")
@codebook_option
@click.option(
    "--to",
    "form",
    type=click.Choice(["xlsx", "csv"]),
    help="Workbooks with guidance and lists to choose from (default, if openpyxl is installed), "
    "or plain sheets.",
)
@output_option(
    "-o",
    "--output",
    "folder",
    required=True,
    metavar="DIR",
    help="The folder for the sheets.",
)
@reading_options
def command(
    events: Path,
    articles: Path | None,
    evaluators: tuple[str, ...],
    overlap: int | None,
    calibration: int,
    seed: int,
    codebook_path: Path | None,
    form: Form | None,
    folder: Path,
    encoding: str,
    max_line: int,
    lenient: bool,
) -> None:
    """Make a ready sheet for each evaluator, with guidance and what may be answered.

    EVENTS is an events.jsonl. The events of an article stay together, and each article goes to
    two evaluators, so that their agreement can be measured. With --calibration all evaluators
    judge the same first batch, to be discussed before the rest.
    """
    from chronoscore.core.event import read_events
    from chronoscore.rubric.codebook import event_quality, load_codebook
    from chronoscore.rubric.formats import read_articles
    from chronoscore.rubric.templates import make_templates, write_templates

    reading = make_reading(encoding, max_line, lenient)
    codebook = load_codebook(codebook_path, reading) if codebook_path else event_quality()
    known = read_articles(articles, reading) if articles else []
    judged = read_events(events, reading)
    reading.check()
    sheets = make_templates(
        judged,
        known,
        codebook,
        evaluators,
        overlap=overlap,
        calibration=calibration,
        seed=seed,
        reading=reading,
    )
    reading.check()
    for notice in reading.notices:
        tell(str(notice))
    chosen = form or _form()
    for path in write_templates(sheets, folder, codebook, known, form=chosen):
        click.echo(path)


def _form() -> Form:
    """Workbooks if they can be written, else plain sheets, with a notice."""
    from importlib.util import find_spec

    if find_spec("openpyxl"):
        return "xlsx"
    tell(
        "plain sheets are written, since workbooks need a package: pip install 'chronoscore[xlsx]'"
    )
    return "csv"
