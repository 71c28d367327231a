"""`chronoscore annotations`: which events and times were found in the text?"""

from pathlib import Path
from typing import Unpack

import click

from chronoscore.cli.options import Chosen, examples, named_paths, scoring_options
from chronoscore.cli.scoring import score_and_print
from chronoscore.core.errors import UsageError


@click.command(
    short_help="Score annotations of text, strict and lenient.",
    epilog=examples(
        "chronoscore annotations demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl",
        "chronoscore annotations demo/gold.jsonl demo/quick.jsonl --thresholds 11 --explain "
        "chernobyl-a1",
    ),
)
@click.argument("gold", type=click.Path(readable=False, path_type=Path))
@click.argument("predicted", nargs=-1, required=True)
@click.option(
    "--matching",
    type=click.Choice(["best", "gate"]),
    help="How responses are given to targets (default: best).",
)
@click.option(
    "--feature",
    "features",
    multiple=True,
    metavar="NAME",
    help="A feature that must agree beside the type; may be repeated.",
)
@click.option(
    "--compare",
    type=click.Choice(["equal", "text", "subsumes"]),
    help="How features are compared (default: equal).",
)
@click.option(
    "--thresholds",
    type=click.Choice(["all", "rounded", "11", "21", "51"]),
    help="Also score every score threshold.",
)
@click.option(
    "--missing",
    type=click.Choice(["empty", "skip", "error"]),
    help="What a missing document is (default: empty).",
)
@scoring_options
def command(
    gold: Path,
    predicted: tuple[str, ...],
    matching: str | None,
    features: tuple[str, ...],
    compare: str | None,
    thresholds: str | None,
    missing: str | None,
    **chosen: Unpack[Chosen],
) -> None:
    """Score annotations of text, strict and lenient, with all counts.

    GOLD and each PREDICTED are an events.jsonl, whose spans point into articles, or a JSONL of
    documents: {"id": ..., "annotations": [{"type", "start", "end", "id", "features", "score"}]}.
    Name a system with NAME=PATH.
    """
    from chronoscore.annotations import read_cases
    from chronoscore.core.names import write

    wanted = {"matching": matching, "features": features, "compare": compare}
    given = {name: value for name, value in wanted.items() if value}
    if given or thresholds:
        if chosen["metric"] or chosen["protocol"]:
            raise UsageError("give --metric or --protocol, or the options that make a metric")
        metrics = [write("spans", given)]
        if thresholds:
            metrics.append(write("spans-curve", {**given, "thresholds": thresholds}))
        chosen["metric"] = tuple(metrics)
    systems = named_paths(predicted)
    score_and_print(
        "annotations",
        lambda reading, options: read_cases(gold, systems, reading, options),
        {"missing": missing},
        **chosen,
    )
