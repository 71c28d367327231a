"""`chronoscore demo`: the four questions, asked of bundled data."""

import os
import sys
from pathlib import Path

import click

from chronoscore.cli.options import examples, tell
from chronoscore.core.errors import UsageError
from chronoscore.core.writing import write_file


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
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Also write an HTML report for each question into a folder.",
)
@click.option(
    "--open", "show", is_flag=True, help="Open the first report, where there is a display."
)
def command(data: Path | None, report: Path | None, show: bool) -> None:
    """Ask all four questions of bundled data: three systems on seven topics of public history."""
    if data is not None:
        _copy(data)
        return
    from chronoscore import annotations, ordering, rubric, timelines
    from chronoscore.cli.scoring import write_report_file
    from chronoscore.core.reading import Reading
    from chronoscore.demo import SYSTEMS, home
    from chronoscore.engines.chance import Chance
    from chronoscore.engines.files import score_files
    from chronoscore.engines.settings import Settings
    from chronoscore.reports import render

    written: list[Path] = []
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
        click.echo(f"$ chronoscore {family.name} {arguments} --interval auto")
        settings = Settings.make(family, chance=Chance())
        scored = score_files(settings, read, Reading(), explain=report is not None)
        click.echo(render(scored.result, "text"), nl=False)
        for notice in scored.result.notices:
            tell(notice.replace(str(folder), "demo"))
        if report is not None:
            path = report / f"{family.name}.html"
            write_report_file(scored.result, scored.matches, scored.texts, path)
            written.append(path)
    if show and written and _has_display():
        click.launch(str(written[0].resolve()))
    click.echo(
        "\nTo try more: chronoscore demo --data demo, then any command above with --explain."
    )


def _has_display() -> bool:
    """Whether there is anything to open a report with: a desktop, not a build machine."""
    if os.environ.get("CI"):
        return False
    return sys.platform in ("darwin", "win32") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )


def _copy(folder: Path) -> None:
    from chronoscore.demo import data_files

    if folder.exists():
        raise UsageError(f"'{folder}' is there already; name a new folder")
    folder.mkdir(parents=True)
    for file in data_files():
        write_file(folder / file.name, file.read_bytes())
    click.echo(f"{len(data_files())} files are now in {folder}")
