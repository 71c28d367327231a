"""`chronoscore compare`: which system is better, by how much, and how sure that is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from chronoscore.cli.options import (
    examples,
    make_reading,
    named_trials,
    reading_options,
    table_format_option,
    tell,
)
from chronoscore.core.errors import UsageError

if TYPE_CHECKING:
    from chronoscore.core.result import Result
    from chronoscore.engines.chance import Chance

FAMILIES = ("timelines", "ordering", "tlinks", "coreference", "annotations", "rubric")


@click.command(
    short_help="Compare systems: intervals, tests, ranks.",
    epilog=examples(
        "chronoscore compare timelines demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl",
        "chronoscore compare rubric demo/judgements.csv --baseline lead --format markdown",
    ),
)
@click.argument("inputs", nargs=-1, required=True)
@click.option("--baseline", default="", metavar="NAME", help="Compare only with this system.")
@click.option(
    "--test",
    type=click.Choice(["permutation", "bootstrap"]),
    default="permutation",
    show_default=True,
    help="The paired test.",
)
@click.option(
    "--correction",
    type=click.Choice(["holm", "bh", "none"]),
    default="holm",
    show_default=True,
    help="How p is corrected for several pairs.",
)
@click.option(
    "--changes",
    is_flag=True,
    help="Also what changed at each thing of the gold, from the matches of saved results.",
)
@click.option("-m", "--metric", multiple=True, metavar="NAME", help="A metric; may be repeated.")
@click.option("--protocol", metavar="NAME", help="Metrics and conventions of a publication.")
@click.option("--unit", default="", metavar="TAG", help="What is drawn as a whole, e.g. gold.")
@click.option("--strata", default="", metavar="TAG", help="Groups to draw units within.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Of the intervals.")
@click.option("--seed", type=int, default=0, show_default=True, help="For what is drawn.")
@table_format_option
@reading_options
def command(
    inputs: tuple[str, ...],
    baseline: str,
    test: str,
    correction: str,
    changes: bool,
    metric: tuple[str, ...],
    protocol: str | None,
    unit: str,
    strata: str,
    level: float,
    seed: int,
    output_format: str,
    encoding: str,
    max_line: int,
    lenient: bool,
) -> None:
    """Compare two or more systems: difference, interval, p, corrected p, ranks.

    INPUTS are saved results (of --save; nothing is scored again), or the name of a family and
    what its verb takes: timelines GOLD PRED PRED, rubric SHEET.
    """
    from chronoscore.engines.chance import Chance
    from chronoscore.engines.contrasting import Question, contrast
    from chronoscore.families import family
    from chronoscore.reports.contrast import render_contrast

    chance = Chance.checked("auto", level, seed, unit, strata)
    if changes and (inputs[0] in FAMILIES or output_format == "json"):
        raise UsageError("--changes is for saved results, and has no JSON form")
    question = Question(test, correction, baseline=baseline, chance=chance)
    if inputs[0] in FAMILIES:
        reading = (encoding, max_line, lenient)
        results = [_scored(inputs[0], inputs[1:], metric, protocol, chance, reading)]
    else:
        if metric or protocol:
            raise UsageError(
                "saved results have their metrics: --metric and --protocol are for "
                "files that are scored"
            )
        results = _loaded(inputs)
    made = contrast(family(results[0].family), results, question)
    for notice in made.notices:
        tell(notice)
    click.echo(render_contrast(made, output_format), nl=False)
    if changes:
        click.echo("\n" + _changes(inputs, results, baseline, output_format), nl=False)


def _changes(
    inputs: tuple[str, ...], results: list[Result], baseline: str, output_format: str
) -> str:
    from chronoscore.core.result import load_matches
    from chronoscore.reports import render_tables
    from chronoscore.reports.changes import saved_tables

    matches = [item for path in inputs for item in load_matches(Path(path))]
    return render_tables(saved_tables(results, matches, baseline), output_format)


def _loaded(inputs: tuple[str, ...]) -> list[Result]:
    from chronoscore.core.result import load

    return [load(Path(path)) for path in inputs]


def _scored(
    name: str,
    inputs: tuple[str, ...],
    metrics: tuple[str, ...],
    protocol: str | None,
    chance: Chance,
    how: tuple[str, int, bool],
) -> Result:
    from chronoscore.engines.files import score_files
    from chronoscore.engines.settings import Settings
    from chronoscore.families import family, reader

    read_cases = reader(name)
    settings = Settings.make(family(name), protocol=protocol, metrics=metrics, chance=chance)
    if name == "rubric":
        if not inputs:
            raise UsageError("name the sheets: compare rubric SHEET ...")
        sheets = [Path(path) for path in inputs]
        return score_files(
            settings, lambda reading, _: read_cases(sheets, reading), make_reading(*how)
        ).result
    if len(inputs) < 3:
        raise UsageError(f"name a gold and two systems: compare {name} GOLD PRED PRED")
    gold, systems = Path(inputs[0]), named_trials(inputs[1:])
    if name != "timelines":
        return score_files(
            settings,
            lambda reading, options: read_cases(
                gold, {system: paths[0] for system, paths in systems.items()}, reading, options
            ),
            make_reading(*how),
        ).result
    return score_files(
        settings,
        lambda reading, options: read_cases(gold, systems, reading, options),
        make_reading(*how),
    ).result
