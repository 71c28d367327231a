"""`chronoscore reproduce`: recompute the numbers that were printed for released outputs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from chronoscore.cli import options
from chronoscore.cli.options import Args, Input, option
from chronoscore.cli.output import rendered, tables_as, tell
from chronoscore.cli.verb import verb
from chronoscore.core.problems import Problems
from chronoscore.core.writing import json_text
from chronoscore.errors import DataError, Problem, UsageError
from chronoscore.reports.terminal import command_lines, terminal_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chronoscore.reproduction.catalogue import ReleasedOutput
    from chronoscore.reproduction.recomputing import NumberVerdict
    from chronoscore.reproduction.tables import Rechecked


@verb(
    click.Argument(["names"], nargs=-1, required=False, metavar="[NAME]..."),
    option(
        "--data FOLDER",
        "The folder in which you cloned the repositories, or one clone.",
        Input(source=False),
    ),
    option(
        "--gold PATH",
        "The gold of the one output that NAME names.",
        Input(source=False),
        needs=("predicted",),
        excludes=("data",),
    ),
    option(
        "--predicted PATH",
        "The output itself.",
        Input(source=False),
        needs=("gold",),
    ),
    option(
        "--full",
        "Show every number of a long list, not only the first ones and those that differ.",
        bool,
        not_printed_as=("csv", "json"),
    ),
    options.format_option("How to print the tables.", ("text", "markdown", "csv", "json")),
    *options.READING,
)
def reproduce_verb(args: Args) -> str | None:
    """Recompute the printed numbers of released outputs.

    Without --data, lists the outputs of the catalogue (or describes those of NAME), with the
    commands that fetch them. With --data, recomputes every number of the outputs that are found and
    compares it digit by digit; where the stated reading does not give a number, other readings are
    tried, and the one that gives it is named. The exit code is 1 if a number differs.

    Examples:
    chronoscore reproduce
    chronoscore reproduce flan-t5-t17
    """
    from chronoscore.reproduction.catalogue import chosen

    outputs = chosen(args.names)
    if args.gold:
        if len(args.names) != 1:
            raise UsageError("--gold and --predicted are for one output: name it before them")
        paths = [
            (
                outputs[0],
                _own_path(args.gold, outputs[0].gold),
                _own_path(args.predicted, outputs[0].output),
            )
        ]
    elif args.data:
        paths = _found(outputs, args.data, named=bool(args.names))
    else:
        return _listed(outputs, args)
    print_rechecked(paths, args)
    return None


def _listed(outputs: Sequence[ReleasedOutput], args: Args) -> str:
    """Show the catalogue, or the outputs that were named, and how to get them."""
    from chronoscore.reproduction.tables import catalogue_table, printed_table

    tables = [catalogue_table(outputs)] if not args.names else [*map(printed_table, outputs)]
    how = args.output_format
    text = tables_as(how, tables, lambda: json_text(outputs))
    return text if how in ("csv", "json") else f"{text}\n{_fetching(outputs, how)}"


def _fetching(outputs: Sequence[ReleasedOutput], output_format: str) -> str:
    """Return the commands that fetch the outputs, and the one that recomputes their numbers."""
    clones = dict.fromkeys(command for output in outputs for command in output.clone.split("; "))
    width = terminal_width()
    commands = (*clones, "chronoscore reproduce --data .")
    lines = [line for command in commands for line in command_lines(command, width, "  ")]
    fence = "```\n" if output_format == "markdown" else ""
    text = "\n".join(lines)
    return f"To get them and recompute their numbers:\n{fence}{text}\n{fence}"


def _own_path(path: Path, stated: str) -> Path:
    """Return the path as it is; of an output with a file for each topic, those in the folder."""
    name = stated.rpartition("/")[2]
    return path / name if "{topic}" in name and "{topic}" not in path.name else path


def _found(
    outputs: Sequence[ReleasedOutput], folder: Path, *, named: bool
) -> list[tuple[ReleasedOutput, Path, Path]]:
    """Return the outputs whose files are in the folder; those that were named must be there."""
    if not folder.is_dir():
        raise DataError.of("there is no such folder", folder)
    found = [(output, output.find(folder)) for output in outputs]
    missing = [output for output, paths in found if paths is None]
    if len(missing) == len(outputs) and not named:
        raise DataError.of(
            "none of the released outputs is in this folder; `chronoscore reproduce` lists the "
            "commands that fetch them",
            folder,
        )
    if missing and named:
        raise DataError(
            [
                Problem(
                    f"{output.name} is not there, or not whole: it needs {output.gold} and "
                    f"{output.output} of {output.clone}",
                    str(folder),
                )
                for output in missing
            ]
        )
    for output in missing:
        if lacking := output.missing_file(folder):
            tell(f"not found here: {output.name} ({lacking})")
    return [(output, *paths) for output, paths in found if paths is not None]


def print_rechecked(paths: Sequence[tuple[ReleasedOutput, Path, Path]], args: Args) -> None:
    """Recompute the numbers of outputs and print the verdicts; the exit code is that of a gate.

    An output that can't be read does not hide the verdicts on the others.
    """
    from chronoscore.reproduction.recomputing import recheck

    rechecked: list[tuple[ReleasedOutput, list[NumberVerdict]]] = []
    problems: list[Problem] = []
    for output, gold, predicted in paths:
        try:
            rechecked.append(
                (output, recheck(output, gold, predicted, Problems(args.problems.options)))
            )
        except DataError as error:
            problems += error.problems
    if rechecked:
        click.echo(_verdicts(rechecked, args), nl=False)
    if problems:
        raise DataError(problems)
    if not all(verdict.equal for _, verdicts in rechecked for verdict in verdicts):
        raise SystemExit(1)


def _verdicts(rechecked: Rechecked, args: Args) -> str:
    from chronoscore.reproduction.tables import (
        equal_of,
        verdict_rows,
        verdict_table,
        verdicts_json,
    )

    how = args.output_format
    if how == "csv":
        return rendered([verdict_rows(rechecked)], how)
    if how == "json":
        return verdicts_json(rechecked)
    tables = [verdict_table(*each, full=args.full) for each in rechecked]
    text = rendered(tables, how)
    if len(rechecked) > 1:
        text += f"\nall: {equal_of([v for _, verdicts in rechecked for v in verdicts])}\n"
    return text
