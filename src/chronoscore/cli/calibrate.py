"""`chronoscore calibrate`: how good is a judge model, and what would people have said?"""

from __future__ import annotations

from pathlib import Path

import click

from chronoscore.cli.options import (
    codebook_option,
    examples,
    level_option,
    make_reading,
    reading_options,
    table_format_option,
    tell,
)


@click.command(
    short_help="Hold a judge model against people, and correct it.",
    epilog=examples(
        "chronoscore calibrate demo/judgements.csv demo/judge.csv --judge model-j",
        "chronoscore calibrate demo/judgements.csv demo/judge.csv --difference careful quick",
    ),
)
@click.argument("sheets", nargs=-1, required=True, type=click.Path(readable=False, path_type=Path))
@click.option(
    "--judge", metavar="NAME", help="The judge (default: the only evaluator of kind llm)."
)
@click.option(
    "--people",
    multiple=True,
    metavar="NAME",
    help="A person; may be repeated (default: all evaluators that are people).",
)
@click.option(
    "--difference",
    "pairs",
    multiple=True,
    nargs=2,
    metavar="A B",
    help="Two systems to set against each other; may be repeated (default: all pairs).",
)
@click.option(
    "--unit",
    type=click.Choice(["article", "event"]),
    default="article",
    show_default=True,
    help="What is independent; events of one article hardly are.",
)
@click.option("--force", is_flag=True, help="Correct with fewer than 20 labelled events too.")
@click.option("--evaluator", metavar="NAME", help="Who judged, for sheets that don't say.")
@level_option
@click.option("--seed", type=int, default=0, show_default=True, help="For what is drawn.")
@codebook_option
@table_format_option
@reading_options
def command(
    sheets: tuple[Path, ...],
    judge: str | None,
    people: tuple[str, ...],
    pairs: tuple[tuple[str, str], ...],
    unit: str,
    force: bool,
    evaluator: str | None,
    level: float,
    seed: int,
    codebook_path: Path | None,
    output_format: str,
    encoding: str,
    max_line: int,
    lenient: bool,
) -> None:
    """Hold a judge model against people, and say what people would have said of everything.

    Each SHEET is a file of judgements, as `chronoscore rubric` reads them; people and the judge may
    share a sheet or not. The judge judges all events, people a random sample of them. Shown are
    each system's means as people, the judge, and the judge corrected by people have them; the
    differences of systems; where the judge errs; and how far it agrees with each person.
    """
    from chronoscore.reports.calibration import render_calibration
    from chronoscore.rubric import event_quality, load_codebook, read_judgements
    from chronoscore.rubric.calibration import FEWEST_LABELS, Plan, both_sides, calibrate

    plan = Plan(level, seed, unit, 0 if force else FEWEST_LABELS, pairs)
    plan.check()
    reading = make_reading(encoding, max_line, lenient)
    codebook = load_codebook(codebook_path, reading) if codebook_path else event_quality()
    judgements = read_judgements(sheets, codebook, reading, evaluator=evaluator)
    reading.check()
    sides = both_sides(judgements, codebook, reading, judge=judge, people=people)
    reading.check()
    found = calibrate(sides, codebook, plan, [str(notice) for notice in reading.notices])
    for notice in found.notices:
        tell(notice)
    click.echo(render_calibration(found, output_format), nl=False)
