"""`chronoscore demo`: the four questions, asked of bundled data."""

import shutil
from pathlib import Path

import click

from chronoscore.cli.options import examples, tell
from chronoscore.core.errors import UsageError


@click.command(
    short_help="Ask all four questions of bundled data.",
    epilog=examples("chronoscore demo", "chronoscore demo --data demo-copy"),
)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Only copy the bundled data into a new folder, to play with.",
)
def command(data: Path | None) -> None:
    """Ask all four questions of bundled data: three systems on seven topics of public history."""
    if data is not None:
        _copy(data)
        return
    from chronoscore import annotations, ordering, rubric, timelines
    from chronoscore.core.reading import Reading
    from chronoscore.demo import SYSTEMS, home
    from chronoscore.engines.files import score_files
    from chronoscore.engines.settings import Settings
    from chronoscore.reports import render

    folder = home()
    gold, systems = folder / "gold.jsonl", {name: folder / f"{name}.jsonl" for name in SYSTEMS}
    sheets = [folder / "judgements.csv"]
    files = " ".join(f"demo/{path.name}" for path in (gold, *systems.values()))
    for family, read, arguments in (
        (timelines.FAMILY, lambda r, o: timelines.read_cases(gold, systems, r, o), files),
        (ordering.FAMILY, lambda r, o: ordering.read_cases(gold, systems, r, o), files),
        (annotations.FAMILY, lambda r, o: annotations.read_cases(gold, systems, r, o), files),
        (rubric.FAMILY, lambda r, _: rubric.read_cases(sheets, r), "demo/judgements.csv"),
    ):
        click.secho(f"\n{family.question}", bold=True)
        click.echo(f"$ chronoscore {family.name} {arguments}")
        scored = score_files(Settings.make(family), read, Reading())
        click.echo(render(scored.result, "text"), nl=False)
        for notice in scored.result.notices:
            tell(notice.replace(str(folder), "demo"))
    click.echo(
        "\nTo try more: chronoscore demo --data demo, then any command above with --explain."
    )


def _copy(folder: Path) -> None:
    from chronoscore.demo import data_files

    if folder.exists():
        raise UsageError(f"'{folder}' is there already; name a new folder")
    folder.mkdir(parents=True)
    for file in data_files():
        shutil.copyfile(file, folder / file.name)
    click.echo(f"{len(data_files())} files are now in {folder}")
