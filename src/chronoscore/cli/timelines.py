"""`chronoscore timelines`: what does it say, on which dates?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from chronoscore.cli.needs import refuse_beside
from chronoscore.cli.options import (
    Chosen,
    examples,
    make_reading,
    named_trials,
    scoring_options,
    tell,
)
from chronoscore.cli.scoring import score_and_print
from chronoscore.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from chronoscore.core.case import Case
    from chronoscore.core.reading import Reading
    from chronoscore.core.result import Result
    from chronoscore.timelines.model import References, Timeline

CEILING = "(golds)"
_FOR_VARIANTS = (
    *("gold", "predicted", "missing", "repeated", "dates"),
    *("output_format", "encoding", "max_line", "lenient"),
)


@click.command(
    short_help="Score timeline summaries: texts and dates.",
    epilog=examples(
        "chronoscore timelines demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl",
        "chronoscore timelines demo/gold.jsonl demo/quick.jsonl -m AR-1 --by topic --explain "
        "suez-canal-blockage",
    ),
)
@click.argument("gold", type=click.Path(readable=False, path_type=Path))
@click.argument("predicted", nargs=-1, required=True)
@click.option(
    "--golds",
    type=click.Choice(["each", "pooled"]),
    help="Each gold of a topic alone (default), or all of a topic together.",
)
@click.option(
    "--missing",
    type=click.Choice(["empty", "skip", "error"]),
    help="What a missing prediction is (default: empty).",
)
@click.option(
    "--repeated",
    type=click.Choice(["join", "first", "last"]),
    help="What a predicted date that occurs twice is (default: join; refused in tilse text).",
)
@click.option(
    "--dates",
    type=click.Choice(["error", "first-day", "interval"]),
    help="What a date that is only a month or a year is (default: error).",
)
@click.option("--ceiling", is_flag=True, help="Also score each gold against the topic's others.")
@click.option("--all-variants", is_flag=True, help="Print every reading of AR, and who uses which.")
@click.option(
    "--published", metavar="NAME", help="Print published results beside yours: crisis, timeline17."
)
@click.option("--counts", is_flag=True, help="Also print lines of precision, recall and F1.")
@scoring_options
def command(
    gold: Path,
    predicted: tuple[str, ...],
    golds: str | None,
    missing: str | None,
    repeated: str | None,
    dates: str | None,
    ceiling: bool,
    all_variants: bool,
    published: str | None,
    counts: bool,
    **chosen: Unpack[Chosen],
) -> None:
    """Score timeline summaries: what do they say, on which dates?

    GOLD and each PREDICTED are an events.jsonl, a tilse text, JSON, a news-tls timelines.jsonl, a
    CSV with date and summary, or a folder of topics with such files. Name a system with
    NAME=PATH; the same NAME again is another trial of it.
    """
    systems = named_trials(predicted)
    options = {"golds": golds, "missing": missing, "repeated": repeated, "dates": dates}
    if all_variants:
        refuse_beside(
            click.get_current_context(), "all_variants", _FOR_VARIANTS, "only prints its table"
        )
        if chosen["output_format"] == "plain":
            raise UsageError("--all-variants has no plain form")
        given = {name: value for name, value in options.items() if value}
        _print_readings(gold, systems, given, chosen)
        return

    def read(
        reading: Reading, settled: Mapping[str, str]
    ) -> dict[str, list[Case[References, Timeline]]]:
        from chronoscore.timelines.family import ceiling_cases, read_cases
        from chronoscore.timelines.formats import read_timelines

        cases = read_cases(gold, systems, reading, settled)
        if ceiling:
            others = ceiling_cases(read_timelines(gold, reading, settled))
            if others:
                cases[CEILING] = others
            else:
                reading.notice("no topic has two golds: there is no human ceiling to show")
        return cases

    def show(result: Result, how: str) -> str:
        from chronoscore.reports import render, render_tables
        from chronoscore.reports.plain import counts_of, plain
        from chronoscore.reports.timeline_tables import published_table

        shown = plain(result, counts=counts) if how == "plain" else render(result, how)
        if counts and how in ("text", "markdown"):
            shown += "\n" + counts_of(result)
        if published:
            if how in ("json", "plain"):
                raise UsageError(f"--published has no form in the format {how}")
            shown += "\n" + render_tables([published_table(result, published)], how)
        return shown

    from chronoscore.engines.stream import Inputs

    inputs = None if ceiling else Inputs("timelines", gold, systems, trials=True)
    score_and_print("timelines", read, options, show=show, inputs=inputs, **chosen)


def _print_readings(
    gold: Path,
    systems: Mapping[str, Sequence[Path]],
    options: Mapping[str, str],
    chosen: Chosen,
) -> None:
    import msgspec

    from chronoscore.reports import render_tables
    from chronoscore.reports.timeline_tables import readings_table
    from chronoscore.timelines.formats import read_timelines
    from chronoscore.timelines.readings import all_readings

    reading = make_reading(chosen["encoding"], chosen["max_line"], chosen["lenient"])
    read = {
        name: [read_timelines(path, reading, options, "predicted") for path in paths]
        for name, paths in systems.items()
    }
    golds = read_timelines(gold, reading, options)
    reading.check()
    for notice in reading.notices:
        tell(str(notice))
    readings = all_readings(golds, read, options)
    how = chosen["output_format"]
    if how == "json":
        click.echo(msgspec.json.format(msgspec.json.encode(readings), indent=1).decode())
    else:
        table = readings_table(readings)
        click.echo(render_tables([table], how), nl=False)
