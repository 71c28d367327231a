"""`chronoscore merge`: unite partial results that were made on different machines."""

from __future__ import annotations

from pathlib import Path

import click

from chronoscore.cli.options import (
    codebook_option,
    examples,
    format_option,
    regroup_option,
    tell,
)
from chronoscore.cli.outputs import output_option
from chronoscore.core.errors import DataError


@click.command(
    short_help="Unite partial results of several machines.",
    epilog=examples(
        "chronoscore timelines demo/gold.jsonl demo/quick.jsonl --save whole.json",
        "chronoscore merge whole.json --save merged.json",
    ),
)
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path))
@output_option(
    "--save",
    "target",
    beside=(".matches.jsonl", ".texts.jsonl"),
    metavar="FILE",
    help="Save the united result, with all matches beside it.",
)
@regroup_option
@codebook_option
@format_option
def command(
    results: tuple[Path, ...],
    target: Path | None,
    by: tuple[str, ...],
    codebook_path: Path | None,
    output_format: str,
) -> None:
    """Unite partial results: the rows of all parts, summarised as if they had been made at once.

    RESULTS are documents of --save, each with other cases of the same systems. Other settings,
    another version, and a case that is in two parts are refused.
    """
    from chronoscore.cli.homes import homes_of
    from chronoscore.core.result import load, load_matches, load_texts, matches_path, save
    from chronoscore.engines.merging import merge
    from chronoscore.engines.regrouping import by_parts, regrouped
    from chronoscore.reports import render

    parts = [(str(path), load(path)) for path in results]
    names = {result.family for _, result in parts}
    if len(names) > 1:
        raise DataError.of(f"the results are of different families: {', '.join(sorted(names))}")
    home, *_ = homes_of(parts, [codebook_path] if codebook_path else [])
    united = merge(home, parts)
    united = regrouped(home, united, by) if by else united
    for notice in united.notices:
        tell(notice)
    if target is not None:
        explained = [(Path(path), one) for path, one in parts if matches_path(Path(path)).exists()]
        matches = [item for path, one in explained for item in load_matches(path, one)]
        texts = [item for path, one in explained for item in load_texts(path, one)]
        order = {system.name: at for at, system in enumerate(united.systems)}
        matches.sort(key=lambda item: (order[item.system], item.case))
        texts.sort(key=lambda item: (order[item.system], item.case))
        save(united, matches, target, texts)
        tell(f"saved {target}")
    told = by_parts(home, united) if output_format == "plain" else united
    click.echo(render(told, output_format), nl=False)
