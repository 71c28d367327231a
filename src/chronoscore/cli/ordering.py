"""`chronoscore ordering`: in which order did things happen?"""

from pathlib import Path
from typing import Unpack

import click

from chronoscore.cli.options import Chosen, examples, named_paths, scoring_options
from chronoscore.cli.scoring import score_and_print


@click.command(
    short_help="Score the order of events, as SemEval-2015 does.",
    epilog=examples(
        "chronoscore ordering demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl",
        "chronoscore ordering demo/gold.jsonl demo/quick.jsonl -m SemEval-order --explain "
        "suez-canal-blockage",
    ),
)
@click.argument("gold", type=click.Path(readable=False, path_type=Path))
@click.argument("predicted", nargs=-1, required=True)
@click.option(
    "--missing",
    type=click.Choice(["empty", "skip", "error"]),
    default=None,
    help="What a missing answer is (default: empty; the official script skips it).",
)
@scoring_options
def command(
    gold: Path, predicted: tuple[str, ...], missing: str | None, **chosen: Unpack[Chosen]
) -> None:
    """Score the order of events: SemEval-2015 timelines, with and without time anchors.

    GOLD and each PREDICTED are an events.jsonl, a file in the tab format of SemEval-2015 Task 4,
    or a folder of such files, one for each target entity. Name a system with NAME=PATH.
    """
    from chronoscore.ordering import read_cases

    systems = named_paths(predicted)
    score_and_print(
        "ordering",
        lambda reading, options: read_cases(gold, systems, reading, options),
        {"missing": missing},
        **chosen,
    )
