"""`chronoscore correlate`: how well do metrics follow people?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chronoscore.cli.options import (
    codebook_option,
    examples,
    make_reading,
    named_paths,
    reading_options,
    table_format_option,
    tell,
)
from chronoscore.cli.outputs import output_option
from chronoscore.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chronoscore.core.reading import Reading
    from chronoscore.rubric.correlation import Correlations, Places, Saved


class Items(click.Choice[str]):
    """What is compared. Elsewhere `--level` is a number; who gives one is told its name here."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Take one of the words."""
        if str(value).replace(".", "", 1).isdigit():
            self.fail("here it says what is compared; of intervals: --confidence", param, ctx)
        return super().convert(value, param, ctx)


@click.command(
    short_help="Set metrics against people's judgements.",
    epilog=examples(
        "chronoscore timelines demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl demo/lead.jsonl"
        " --save scored.json",
        "chronoscore correlate scored.json --people demo/judgements.csv --level event"
        " --events demo/careful.jsonl --events demo/quick.jsonl --events demo/lead.jsonl",
    ),
)
@click.argument("results", nargs=-1, required=True, type=click.Path(readable=False, path_type=Path))
@click.option(
    "--people",
    "sheets",
    multiple=True,
    required=True,
    type=click.Path(readable=False, path_type=Path),
    metavar="SHEET",
    help="A file of judgements; may be repeated.",
)
@click.option(
    "--level",
    type=Items(["system", "topic", "event"]),
    default="system",
    show_default=True,
    help="What is compared: systems, topics of systems, or single events.",
)
@click.option(
    "--events",
    multiple=True,
    metavar="[NAME=]FILE",
    help="A system's events.jsonl, which says their topics; may be repeated.",
)
@click.option("--criterion", metavar="NAME", help="A criterion (default: the codebook's score).")
@click.option(
    "--coefficient",
    "coefficients",
    multiple=True,
    metavar="NAME",
    help="A coefficient; may be repeated. Tests are of the first. "
    "[pearson, spearman, tau-a, tau-b, tau-c, acc-eq, acc-eq*]",
)
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Of intervals.")
@click.option("--seed", type=int, default=0, show_default=True, help="For what is drawn.")
@click.option("--evaluator", metavar="NAME", help="Who judged, for sheets that don't say.")
@output_option(
    "--report",
    metavar="FILE",
    help="Write an HTML page with a picture for each metric.",
)
@codebook_option
@table_format_option
@reading_options
def command(
    results: tuple[Path, ...],
    sheets: tuple[Path, ...],
    level: str,
    events: tuple[str, ...],
    criterion: str | None,
    coefficients: tuple[str, ...],
    confidence: float,
    seed: int,
    evaluator: str | None,
    report: Path | None,
    codebook_path: Path | None,
    output_format: str,
    encoding: str,
    max_line: int,
    lenient: bool,
) -> None:
    """Say how well metrics follow people: correlations, intervals, and tests between metrics.

    RESULTS are saved results of any family (of --save). People's value of an event is the mean over
    people; judge models don't count. Systems are matched by their names, events by their ids.
    """
    from chronoscore.reports.correlation import render_correlations
    from chronoscore.rubric import event_quality, load_codebook, read_judgements
    from chronoscore.rubric.correlation import Plan, correlations, judged_by_people

    reading = make_reading(encoding, max_line, lenient)
    codebook = load_codebook(codebook_path, reading) if codebook_path else event_quality()
    plan = Plan(level, criterion or codebook.score, coefficients, confidence, seed)
    plan.check()
    saved = _loaded(results, level)
    judgements = read_judgements(sheets, codebook, reading, evaluator=evaluator)
    places = _places(events, saved, reading)
    reading.check()
    judged = judged_by_people(judgements, codebook, plan.criterion)
    notices = [str(notice) for notice in reading.notices]
    found = correlations(saved, judged, places, plan, notices)
    for notice in found.notices:
        tell(notice)
    if report is not None:
        _write(found, report)
    click.echo(render_correlations(found, output_format), nl=False)


def _loaded(paths: Sequence[Path], level: str) -> list[Saved]:
    from chronoscore.cli.homes import homes_of
    from chronoscore.core.result import load, load_matches
    from chronoscore.rubric.correlation import Saved

    found = []
    for path in paths:
        result = load(path)
        if result.family == "rubric":
            raise UsageError(f"{path} holds judgements, not a metric: give their sheet by --people")
        matches = load_matches(path, result) if level == "event" else ()
        (home,) = homes_of([(path, result)], ())
        found.append(Saved(result, home, matches))
    return found


def _places(events: Sequence[str], saved: Sequence[Saved], reading: Reading) -> Places:
    from chronoscore.core.event import read_events
    from chronoscore.rubric.correlation import Places

    named = named_paths(events)
    scored = dict.fromkeys(system.name for one in saved for system in one.result.systems)
    for name in named.keys() - scored.keys():
        known = ", ".join(scored)
        raise UsageError(
            f"--events {named[name]}: no result is of a system '{name}'; name it with NAME=FILE, "
            f"of: {known}"
        )
    return Places.of({name: read_events(path, reading) for name, path in named.items()})


def _write(found: Correlations, path: Path) -> None:
    from chronoscore.core.writing import write_file
    from chronoscore.reports.html.correlation_page import correlation_page

    write_file(path, correlation_page(found))
    tell(f"the report is {path}")
