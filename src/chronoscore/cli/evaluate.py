"""`chronoscore evaluate`: one file, every question that it permits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from chronoscore.cli.needs import needs
from chronoscore.cli.options import (
    codebook_option,
    examples,
    level_option,
    make_reading,
    named_paths,
    reading_options,
    table_format_option,
    tell,
)
from chronoscore.cli.outputs import output_option
from chronoscore.cli.packed import unpacked
from chronoscore.core.errors import UsageError
from chronoscore.core.signature import INTERVAL_METHODS

if TYPE_CHECKING:
    from chronoscore.evaluation import Evaluated


@click.command(
    short_help="Ask every question that a file of events permits.",
    epilog=examples(
        "chronoscore evaluate demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl "
        "--judgements demo/judgements.csv",
        "chronoscore evaluate demo/gold.jsonl demo/quick.jsonl --by-event --only annotations",
    ),
)
@click.argument("gold", type=click.Path(readable=False, path_type=Path))
@click.argument("predicted", nargs=-1, required=True)
@click.option(
    "--judgements",
    multiple=True,
    type=click.Path(readable=False, path_type=Path),
    metavar="SHEET",
    help="What people or a judge model said of the events; may be repeated.",
)
@codebook_option
@click.option(
    "--only",
    multiple=True,
    metavar="FAMILY",
    help="Ask only this question (timelines, ordering, annotations, rubric); may be repeated.",
)
@click.option("--by-event", is_flag=True, help="Show what each predicted event earned.")
@click.option("--full", is_flag=True, help="Also print the tables of each question's own verb.")
@click.option(
    "--interval",
    type=click.Choice([name for name in INTERVAL_METHODS if name != "bayes"]),
    help=f"Show how sure the scores are; auto is {INTERVAL_METHODS['auto']}.",
)
@level_option
@click.option("--seed", type=int, default=0, show_default=True, help="For what is drawn.")
@output_option("--save", metavar="FILE", help="Save all of it as JSON.")
@output_option(
    "--report",
    metavar="FILE",
    help="Write an HTML report with a panel for each question.",
)
@table_format_option
@reading_options
@needs({"level": ("interval",), "seed": ("interval",), "codebook_path": ("judgements",)})
def command(
    gold: Path,
    predicted: tuple[str, ...],
    judgements: tuple[Path, ...],
    codebook_path: Path | None,
    only: tuple[str, ...],
    by_event: bool,
    full: bool,
    interval: str | None,
    level: float,
    seed: int,
    save: Path | None,
    report: Path | None,
    output_format: str,
    encoding: str,
    max_line: int,
    lenient: bool,
) -> None:
    """Ask every question that a file of events permits, and join the answers by event.

    GOLD and each PREDICTED are an events.jsonl; name a system with NAME=PATH. Dates and texts make
    timelines, positions and mentions an order, spans annotations; sheets of judgements are given
    with --judgements. What can't be asked is said, and why. The numbers are those of the verbs.
    """
    from chronoscore.engines.chance import Chance
    from chronoscore.evaluation import evaluate
    from chronoscore.reports import render_tables
    from chronoscore.reports.evaluation import evaluation_tables, family_tables
    from chronoscore.rubric import event_quality, load_codebook

    known = ("timelines", "ordering", "annotations", "rubric")
    for name in only:
        if name not in known:
            raise UsageError(f"--only {name}: expected one of {', '.join(known)}")
    if full and output_format in ("csv", "json"):
        raise UsageError(
            "--full prints several tables, for which CSV has no place; JSON holds them all already"
            if output_format == "csv"
            else "--full adds nothing to JSON, which holds all results already: leave it out"
        )
    systems = named_paths(predicted)
    reading = make_reading(encoding, max_line, lenient)
    codebook = load_codebook(codebook_path, reading) if codebook_path else event_quality()
    chance = Chance.checked(interval, level, seed, "", "") if interval else None
    (plain_gold,) = unpacked([gold], reading)
    evaluated = evaluate(
        plain_gold,
        dict(zip(systems, unpacked(systems.values(), reading), strict=True)),
        reading,
        judgements=unpacked(judgements, reading),
        codebook=codebook,
        chance=chance,
        only=only,
    )
    document = evaluated.document
    if not document.results:
        reasons = "; ".join(f"{one.family}: {one.reason}" for one in document.skipped)
        raise UsageError(f"there is no question that these files permit: {reasons}")
    for notice in document.notices:
        tell(notice)
    _write(evaluated, save, report)
    if output_format == "json":
        from chronoscore.evaluation.document import encode

        click.echo(encode(document), nl=False)
        return
    tables = evaluation_tables(document, by_event=by_event)
    if full:
        tables += family_tables(document.results)
    if output_format == "csv":  # one table a file: the events where they were asked for
        tables = tables[-1:]
    click.echo(render_tables(tables, output_format), nl=False)


def _write(evaluated: Evaluated, save: Path | None, report: Path | None) -> None:
    from chronoscore.evaluation import save as save_evaluation

    if save is not None:
        save_evaluation(evaluated.document, save)
        tell(f"saved {save}")
    if report is not None:
        from chronoscore.reports.html.evaluation import write_evaluation

        write_evaluation(evaluated, report)
        tell(f"the report is {report}")
