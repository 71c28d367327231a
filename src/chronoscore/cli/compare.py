"""`chronoscore compare`: which system is better, by how much, and how sure that is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from chronoscore.cli.options import (
    codebook_option,
    examples,
    level_option,
    make_reading,
    named_paths,
    named_trials,
    reading_options,
    table_format_option,
    tell,
)
from chronoscore.core.errors import UsageError

if TYPE_CHECKING:
    from chronoscore.core.family import Family
    from chronoscore.core.result import Result
    from chronoscore.engines.settings import Settings

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
@click.option(
    "--by",
    multiple=True,
    metavar="NAME",
    help="Also compare by type, or by a feature of annotations; results must have been saved "
    "with the same --by.",
)
@click.option("--unit", default="", metavar="TAG", help="What is drawn as a whole, e.g. gold.")
@click.option("--strata", default="", metavar="TAG", help="Groups to draw units within.")
@level_option
@click.option("--seed", type=int, default=0, show_default=True, help="For what is drawn.")
@codebook_option
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
    by: tuple[str, ...],
    unit: str,
    strata: str,
    level: float,
    seed: int,
    codebook_path: Path | None,
    output_format: str,
    encoding: str,
    max_line: int,
    lenient: bool,
) -> None:
    """Compare two or more systems: difference, interval, p, corrected p, ranks.

    INPUTS are saved results (of --save; nothing is scored again), or the name of a family and
    what its verb takes: timelines GOLD PRED PRED, rubric SHEET. Judgements by your own codebook
    need --codebook in both cases.
    """
    from chronoscore.cli.homes import homes_of
    from chronoscore.engines.chance import Chance
    from chronoscore.engines.contrasting import Question, contrast
    from chronoscore.engines.settings import Settings
    from chronoscore.engines.value_contrasts import value_contrasts
    from chronoscore.reports.contrast import render_contrast, render_contrasts

    chance = Chance.checked("auto", level, seed, unit, strata)
    if changes and (inputs[0] in FAMILIES or output_format == "json"):
        raise UsageError("--changes is for saved results, and has no JSON form")
    _refuse_unknown(inputs[0])
    question = Question(test, correction, baseline=baseline, chance=chance)
    if inputs[0] in FAMILIES:
        reading = (encoding, max_line, lenient)
        home = _family(inputs[0], codebook_path)
        _refuse_tags(home, by)
        settings = Settings.make(home, protocol=protocol, metrics=metric, chance=chance, by=by)
        results = [_scored(settings, inputs[0], inputs[1:], reading, codebook_path)]
    else:
        if metric or protocol:
            raise UsageError(
                "saved results have their metrics: --metric and --protocol are for "
                "files that are scored"
            )
        results = _loaded(inputs)
        codebooks = [codebook_path] if codebook_path else []
        home = homes_of([*zip(inputs, results, strict=True)], codebooks)[0]
        _refuse_tags(home, by)
    made = contrast(home, results, question)
    parts = value_contrasts(home, results, question, by) if by else []
    more = "\n" + _changes(inputs, results, baseline, output_format) if changes else ""
    for notice in dict.fromkeys(notice for one in (made, *parts) for notice in one.notices):
        tell(notice)
    text = (
        render_contrasts(made, parts, output_format) if by else render_contrast(made, output_format)
    )
    click.echo(text, nl=False)
    click.echo(more, nl=False)


def _changes(
    inputs: tuple[str, ...], results: list[Result], baseline: str, output_format: str
) -> str:
    from chronoscore.core.result import load_matches
    from chronoscore.reports import render_tables
    from chronoscore.reports.changes import saved_tables

    both = zip(inputs, results, strict=True)
    matches = [item for path, result in both for item in load_matches(Path(path), result)]
    return render_tables(saved_tables(results, matches, baseline), output_format)


def _refuse_unknown(first: str) -> None:
    """Refuse a word that is neither a family nor a file: it was meant as a family."""
    if first in FAMILIES or Path(first).exists() or not first.isalpha():
        return
    if first == "candidates":
        raise UsageError(
            "compare takes no candidates: score them by `chronoscore candidates ... --save`, and "
            "compare the saved results"
        )
    raise UsageError(
        f"'{first}' is no saved result and no family; there are: {', '.join(FAMILIES)}"
    )


def _refuse_tags(family: Family, by: tuple[str, ...]) -> None:
    """Refuse what is no value of annotations: systems are compared over cases, not within them."""
    wrong = [name for name in by if family.divide is None or name in ("case", *family.levels)]
    if wrong:
        raise UsageError(
            f"--by {wrong[0]}: systems are compared by the type or a feature of annotations, such "
            "as --by type"
        )


def _loaded(inputs: tuple[str, ...]) -> list[Result]:
    from chronoscore.core.result import load

    return [load(Path(path)) for path in inputs]


def _family(name: str, codebook_path: Path | None) -> Family:
    from chronoscore.families import family

    if codebook_path is None:
        return family(name)
    if name != "rubric":
        raise UsageError(f"--codebook is for judgements, {name} has none")
    from chronoscore.core.reading import Reading
    from chronoscore.rubric import load_codebook, rubric_family

    return rubric_family(load_codebook(codebook_path, Reading()))


def _scored(
    settings: Settings,
    name: str,
    inputs: tuple[str, ...],
    how: tuple[str, int, bool],
    codebook_path: Path | None,
) -> Result:
    from chronoscore.engines.files import score_files
    from chronoscore.families import reader

    read_cases = reader(name)
    if name == "rubric":
        if not inputs:
            raise UsageError("name the sheets: compare rubric SHEET ...")
        from chronoscore.rubric import event_quality, load_codebook

        sheets = [Path(path) for path in inputs]
        how_read = make_reading(*how)
        book = load_codebook(codebook_path, how_read) if codebook_path else event_quality()
        return score_files(
            settings, lambda reading, _: read_cases(sheets, reading, codebook=book), how_read
        ).result
    if len(inputs) < 3:
        raise UsageError(f"name a gold and two systems: compare {name} GOLD PRED PRED")
    gold = Path(inputs[0])
    # Only timelines have trials, so that elsewhere a name that comes again is a mistake.
    systems = named_trials(inputs[1:]) if name == "timelines" else named_paths(inputs[1:])
    return score_files(
        settings,
        lambda reading, options: read_cases(gold, systems, reading, options),
        make_reading(*how),
    ).result
