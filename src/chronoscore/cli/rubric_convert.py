"""`chronoscore rubric convert`: judgements from any file into any other."""

from pathlib import Path

import click

from chronoscore.cli.options import codebook_option, examples, make_reading, reading_options, tell
from chronoscore.cli.outputs import output_option
from chronoscore.core.errors import DataError, UsageError

FORMS = ("csv", "tsv", "xlsx", "jsonl", "label-studio")


@click.command(
    short_help="Convert judgements between formats.",
    epilog=examples(
        "chronoscore rubric convert demo/judgements.csv -o judgements.jsonl",
        "chronoscore rubric convert demo/judgements.csv --to label-studio -o project "
        "--articles demo/articles.jsonl",
    ),
)
@click.argument("sheets", nargs=-1, required=True, type=click.Path(readable=False, path_type=Path))
@click.option(
    "--to",
    "form",
    type=click.Choice(FORMS),
    help="The new format; if it is not told, the ending of the new file tells.",
)
@output_option(
    "-o",
    "--output",
    "target",
    required=True,
    metavar="FILE|DIR",
    help="The new file; a folder for Label Studio.",
)
@click.option("--evaluator", metavar="NAME", help="Who judged, for sheets that don't say.")
@click.option(
    "--articles",
    type=click.Path(readable=False, path_type=Path),
    metavar="FILE",
    help="An articles.jsonl, shown beside the events in Label Studio.",
)
@codebook_option
@reading_options
def command(
    sheets: tuple[Path, ...],
    form: str | None,
    target: Path,
    evaluator: str | None,
    articles: Path | None,
    codebook_path: Path | None,
    encoding: str,
    max_line: int,
    lenient: bool,
) -> None:
    """Convert judgements: any files that `chronoscore rubric` reads, into one new file.

    \b
    csv, tsv, xlsx  a sheet with a row for each judgement
    jsonl           a record a line
    label-studio    a folder with config.xml and tasks.json, judgements as annotations

    All rounds are kept. Files that are there already are not overwritten.
    """
    from chronoscore.rubric import event_quality, load_codebook, read_judgements, write_judgements
    from chronoscore.rubric.formats import read_articles
    from chronoscore.rubric.formats.projects import write_judged_project

    told = form or target.suffix.lower().removeprefix(".")
    if told not in FORMS:
        raise UsageError(f"'{target.name}' does not tell its format: give --to {'|'.join(FORMS)}")
    if told != "label-studio" and target.suffix.lower() != f".{told}":
        raise UsageError(f"--to {told} writes a file that ends in .{told}, not '{target.name}'")
    if articles and told != "label-studio":
        raise UsageError("--articles are for --to label-studio")
    for path in (target / "config.xml", target / "tasks.json", target):
        if path.is_file():
            raise UsageError(f"{path} is there already")
    reading = make_reading(encoding, max_line, lenient)
    codebook = load_codebook(codebook_path, reading) if codebook_path else event_quality()
    judgements = read_judgements(sheets, codebook, reading, evaluator=evaluator)
    known = read_articles(articles, reading) if articles else []
    for notice in reading.notices:
        tell(str(notice))
    reading.check()
    if not judgements:
        raise DataError.of("there are no judgements")
    if told == "label-studio":
        write_judged_project(target, judgements, codebook, known)
        models = sum(judgement.kind == "llm" for judgement in judgements)
        if models:
            tell(f"{models} judgements of models are predictions of their tasks")
    else:
        write_judgements(judgements, target, codebook)
    click.echo(f"{len(judgements)} judgements are in {target}")
