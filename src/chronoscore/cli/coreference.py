"""`chronoscore coreference`: which mentions are of the same event?"""

from pathlib import Path
from typing import Unpack

import click

from chronoscore.cli.options import Chosen, examples, named_paths, scoring_options
from chronoscore.cli.scoring import score_and_print


@click.command(
    short_help="Score which mentions were put together, as CoNLL-2012 does.",
    epilog=examples(
        "chronoscore coreference demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl",
        "chronoscore coreference demo/gold.jsonl demo/quick.jsonl -m LEA --singletons drop "
        "--explain chernobyl",
    ),
)
@click.argument("gold", type=click.Path(readable=False, path_type=Path))
@click.argument("predicted", nargs=-1, required=True)
@click.option(
    "--missing",
    type=click.Choice(["empty", "skip", "error"]),
    default=None,
    help="What a missing document is (default: empty, as in the reference scorer).",
)
@click.option(
    "--singletons",
    type=click.Choice(["keep", "drop"]),
    default=None,
    help="Whether clusters of one mention count, on both sides (default: keep).",
)
@scoring_options
def command(
    gold: Path,
    predicted: tuple[str, ...],
    missing: str | None,
    singletons: str | None,
    **chosen: Unpack[Chosen],
) -> None:
    """Score coreference: MUC, B3, CEAF, BLANC, LEA and the CoNLL average.

    GOLD and each PREDICTED are a CoNLL-2012 file, JSON with clusters, an events.jsonl with
    mentions, a timeline in the tab format of SemEval-2015 Task 4 (the mentions of a row corefer),
    or a folder of such files. Name a system with NAME=PATH.
    """
    from chronoscore.engines.stream import Inputs
    from chronoscore.ordering.coreference import read_cases

    systems = named_paths(predicted)
    inputs = Inputs("coreference", gold, {name: [path] for name, path in systems.items()})
    score_and_print(
        "coreference",
        lambda reading, options: read_cases(gold, systems, reading, options),
        {"missing": missing, "singletons": singletons},
        inputs=inputs,
        **chosen,
    )
