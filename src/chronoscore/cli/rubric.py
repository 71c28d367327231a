"""`chronoscore rubric`: what do people think of it?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from chronoscore.cli.options import Chosen, codebook_option, examples, scoring_options
from chronoscore.cli.scoring import score_and_print

if TYPE_CHECKING:
    from collections.abc import Mapping

    from chronoscore.core.batch import Batch
    from chronoscore.core.reading import Reading
    from chronoscore.core.result import Result
    from chronoscore.rubric.codebook import Codebook


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
    stands beside every score. Frequent comments of the codebook are counted where there are any.
    `chronoscore agreement` says more about the evaluators.
    """
    from chronoscore.core.reading import Reading
    from chronoscore.rubric import event_quality, load_codebook, read_cases, rubric_family

    codebook = load_codebook(codebook_path, Reading()) if codebook_path else event_quality()
    judged: dict[str, Batch] = {}

    def read(reading: Reading, _: Mapping[str, str]) -> dict[str, Batch]:
        judged.update(
            read_cases(sheets, reading, evaluator=evaluator, events=events, codebook=codebook)
        )
        if len({kind for batch in judged.values() for kind in batch.tags["kind"].used()}) > 1:
            reading.notice(
                "people and judge models are averaged together: --by kind tells them apart"
            )
        return judged

    score_and_print(
        rubric_family(codebook),
        read,
        {},
        show=lambda result, how: _with_comments(result, how, judged, codebook),
        **chosen,
    )


def _with_comments(
    result: Result, how: str, judged: Mapping[str, Batch], codebook: Codebook
) -> str:
    """Render the result, and below it how often frequent comments were made, if they were."""
    from chronoscore.reports import render, render_tables
    from chronoscore.reports.raters import comments_table
    from chronoscore.rubric.reliability.study import chip_counts

    text = render(result, how)
    counts = {system: chip_counts(own, codebook) for system, own in judged.items()}
    if how in ("csv", "json", "plain") or not any(sum(own.values()) for own in counts.values()):
        return text
    return f"{text}\n{render_tables([comments_table(counts)], how)}"
