"""`chronoscore timelines`: what does it say, on which dates?"""

from pathlib import Path
from typing import Unpack

import click

from chronoscore.cli.options import Chosen, examples, named_paths, score_and_print, scoring_options


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
    default=None,
    help="Each gold of a topic alone (default), or all of a topic together.",
)
@click.option(
    "--missing",
    type=click.Choice(["empty", "skip", "error"]),
    default=None,
    help="What a missing prediction is (default: empty).",
)
@scoring_options
def command(
    gold: Path,
    predicted: tuple[str, ...],
    golds: str | None,
    missing: str | None,
    **chosen: Unpack[Chosen],
) -> None:
    """Score timeline summaries: what do they say, on which dates?

    GOLD and each PREDICTED are an events.jsonl, a tilse text, a JSON timeline, a news-tls
    timelines.jsonl, or a folder of topics with such files. Name a system with NAME=PATH.
    """
    from chronoscore.timelines import read_cases

    systems = named_paths(predicted)
    score_and_print(
        "timelines",
        lambda reading, options: read_cases(gold, systems, reading, options),
        {"golds": golds, "missing": missing},
        **chosen,
    )
