"""`chronoscore leaderboard`: a static site from saved results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from chronoscore.cli.options import examples, tell
from chronoscore.cli.outputs import output_option
from chronoscore.core.errors import DataError, UsageError

if TYPE_CHECKING:
    from chronoscore.core.result import Result

DATA = "leaderboard.json"
"""What only a site of ours has."""


@click.command(
    short_help="Make a static site from saved results.",
    epilog=examples(
        "chronoscore timelines demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl "
        "--save results/demo.json",
        "chronoscore leaderboard results -o site",
    ),
)
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path))
@output_option(
    "-o",
    "--output",
    required=True,
    metavar="DIR",
    help="The folder of the site.",
)
@click.option("--title", default="Leaderboard", show_default=True, help="Of the site.")
@click.option("--seed", type=int, default=0, show_default=True, help="For what is drawn.")
@click.option(
    "--codebook",
    "codebooks",
    multiple=True,
    type=click.Path(readable=False, path_type=Path),
    metavar="FILE",
    help="Your own codebook, where results are of its judgements; may be repeated.",
)
def command(
    results: tuple[Path, ...], output: Path, title: str, seed: int, codebooks: tuple[Path, ...]
) -> None:
    """Make a static site from saved results: ranks, intervals, and the report of each.

    RESULTS are documents of --save, or folders of them. There is a board for each data set (told
    by its gold) and protocol; a folder's name names the data set. Results that were scored under
    other conditions than the rest of their board are refused, with what differs.
    """
    from chronoscore.cli.homes import homes_of
    from chronoscore.core.result import left_out_notice, load_matches, load_texts, matches_path
    from chronoscore.engines.boards import Entry, boards
    from chronoscore.engines.chance import Chance
    from chronoscore.engines.contrasting import Question
    from chronoscore.families import family
    from chronoscore.reports.html.leaderboard import write_site

    _refuse_others(output)
    found = [
        (str(path), folder, result)
        for path, folder in _files(results)
        if (result := _loaded(path)) is not None
    ]
    if not found:
        raise UsageError("there is no saved result among these; --save writes them")
    homes = homes_of([(path, result) for path, _, result in found], codebooks)
    entries = [Entry(*one, home) for one, home in zip(found, homes, strict=True)]
    known = {name: family(name) for name in {entry.result.family for entry in entries}}
    made = boards(entries, known, Question(chance=Chance(seed=seed)))
    sidecars = {
        entry.path: (
            load_matches(Path(entry.path), entry.result),
            load_texts(Path(entry.path), entry.result),
        )
        for entry in entries
        if matches_path(Path(entry.path)).exists()
    }
    written = write_site(made, sidecars, output, title)
    for entry in entries:
        if entry.result.left_out:
            tell(f"{entry.path}: {left_out_notice(entry.result.left_out)}")
    for board in made:
        systems = sum(len(entry.result.systems) for entry in board.entries)
        click.echo(f"{board.title}: {systems} system{'s' * (systems != 1)}")
    click.echo(f"the site is {written[0]}")


def _refuse_others(folder: Path) -> None:
    """Refuse a folder that holds something else than a site that was made before."""
    others = sorted(p.name for p in folder.iterdir()) if folder.is_dir() else []
    others = [name for name in others if not name.startswith(".")]
    if others and DATA not in others:
        named = ", ".join(others[:3]) + (", ..." if len(others) > 3 else "")
        raise UsageError(f"'{folder}' holds other files ({named}): name a new folder for the site")


def _files(paths: tuple[Path, ...]) -> list[tuple[Path, str]]:
    """The files to look at, each with the folder within RESULTS that names its data set."""
    found: list[tuple[Path, str]] = []
    for path in paths:
        if not path.exists():
            raise UsageError(f"there is no file or folder '{path}'")
        if path.is_dir():
            inside = sorted(file for file in path.rglob("*.json") if file.is_file())
            found += [(f, "/".join(f.parent.relative_to(path).parts)) for f in inside]
        else:
            found.append((path, ""))
    return [*dict.fromkeys(found)]


def _loaded(path: Path) -> Result | None:
    """The result in a file; None, said aloud, if the file is something else."""
    from chronoscore.core.result import load

    try:
        return load(path)
    except DataError as error:
        if "not a Chronoscore result" in str(error):
            _, but, what = str(error).partition(" but a ")
            tell(f"{path}: not a saved result{but}{what}, left out")
            return None
        raise
