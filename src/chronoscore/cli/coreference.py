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
@click.option(
    "--link-feature",
    metavar="NAME",
    default="kbid",
    show_default=True,
    help="The feature of annotations that has the KB id or NIL id.",
)
@scoring_options
def command(
    gold: Path,
    predicted: tuple[str, ...],
    missing: str | None,
    singletons: str | None,
    link_feature: str,
    **chosen: Unpack[Chosen],
) -> None:
    """Score coreference and entity linking: MUC, B3, CEAF, BLANC, LEA, the CoNLL average.

    GOLD and each PREDICTED are a CoNLL-2012 file, JSON with clusters, an events.jsonl with
    mentions, a timeline in the tab format of SemEval-2015 Task 4 (the mentions of a row corefer),
    annotations with links (JSON lines with a feature for the KB id, or the tab format of neleval
    or TAC), or a folder of such files. Name a system with NAME=PATH.
    """
    from chronoscore.engines.stream import Inputs
    from chronoscore.ordering.coreference import read_cases

    systems = named_paths(predicted)
    files = {name: [path] for name, path in systems.items()}
    inputs = Inputs("coreference", gold, files, reader={"link_feature": link_feature})
    score_and_print(
        "coreference",
        lambda reading, options: read_cases(gold, systems, reading, options, link_feature),
        {"missing": missing, "singletons": singletons},
        inputs=inputs,
        **chosen,
    )
