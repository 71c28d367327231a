"""`chronoscore rubric`: what do people think of it?"""

from pathlib import Path
from typing import Unpack

import click

from chronoscore.cli.options import Chosen, codebook_option, examples, scoring_options
from chronoscore.cli.scoring import score_and_print


@click.command(
    short_help="Score judgements of events, and agreement.",
    epilog=examples(
        "chronoscore rubric demo/judgements.csv",
        "chronoscore rubric demo/judgements.csv --by evaluator --fail-under 0.2",
    ),
)
@click.argument("sheets", nargs=-1, required=True, type=click.Path(readable=False, path_type=Path))
@click.option("--evaluator", metavar="NAME", help="Who judged, for sheets that don't say.")
@click.option(
    "--events",
    multiple=True,
    type=click.Path(readable=False, path_type=Path),
    metavar="FILE",
    help="An events.jsonl that was judged: judgements of other events are refused.",
)
@codebook_option
@scoring_options
def command(
    sheets: tuple[Path, ...],
    evaluator: str | None,
    events: tuple[Path, ...],
    codebook_path: Path | None,
    **chosen: Unpack[Chosen],
) -> None:
    """Score judgements of events: EQS, the means of its criteria, and agreement.

    Each SHEET is a file of judgements: CSV, TSV, XLSX, JSONL, or an export of Label Studio or
    Argilla. Each system gets the mean over events of the mean over evaluators. --by event,
    evaluator, kind (person or llm), article or type breaks it down; how many events it rests on
    stands beside every score. `chronoscore agreement` says more about the evaluators.
    """
    from chronoscore.core.reading import Reading
    from chronoscore.rubric import event_quality, load_codebook, read_cases, rubric_family

    codebook = load_codebook(codebook_path, Reading()) if codebook_path else event_quality()
    score_and_print(
        rubric_family(codebook),
        lambda reading, _: read_cases(
            sheets, reading, evaluator=evaluator, events=events, codebook=codebook
        ),
        {},
        **chosen,
    )
