"""`chronoscore rubric`: what do people think of it?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from chronoscore.cli.options import (
    Chosen,
    codebook_option,
    examples,
    make_reading,
    scoring_options,
)
from chronoscore.cli.packed import unpacked
from chronoscore.cli.scoring import score_and_print
from chronoscore.cli.streaming import in_parts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from chronoscore.core.batch import Batch
    from chronoscore.core.ledger import Ledger
    from chronoscore.core.reading import Reading
    from chronoscore.core.result import Result
    from chronoscore.engines.stream import Inputs
    from chronoscore.engines.stream.inputs import Remarks
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

    Each SHEET is a file of judgements: CSV, TSV, XLSX, JSONL (plain, gz or zst), Parquet, or an
    export of Label Studio or Argilla. Each system gets the mean over events of the mean over
    evaluators. --by event, evaluator, kind (person or llm), article or type breaks it down; how
    many events it rests on stands beside every score. Frequent comments of the codebook are
    counted where there are any. `chronoscore agreement` says more about the evaluators.
    """
    from chronoscore.core.reading import Reading
    from chronoscore.rubric import event_quality, load_codebook, read_cases, rubric_family
    from chronoscore.rubric.parts import comment_counts, kind_notices, remarks
    from chronoscore.rubric.reliability.study import chip_counts

    codebook = load_codebook(codebook_path, Reading()) if codebook_path else event_quality()
    comments: dict[str, dict[str, int]] = {}

    def read(reading: Reading, _: Mapping[str, str]) -> dict[str, Batch]:
        judged = read_cases(
            unpacked(sheets, reading),
            reading,
            evaluator=evaluator,
            events=unpacked(events, reading),
            codebook=codebook,
        )
        comments.update({system: chip_counts(own, codebook) for system, own in judged.items()})
        for notice in kind_notices(batch.tags for batch in judged.values()):
            reading.notice(notice)
        return judged

    def told(systems: Mapping[str, Ledger], counts: Mapping[str, int]) -> list[str]:
        comments.update(comment_counts(list(systems), codebook, counts))
        return remarks(codebook, systems, counts)

    score_and_print(
        rubric_family(codebook),
        read,
        {},
        show=lambda result, how: _with_comments(result, how, comments),
        inputs=_inputs(sheets, evaluator, events, codebook, told, chosen),
        **chosen,
    )


def _inputs(
    sheets: Sequence[Path],
    evaluator: str | None,
    events: Sequence[Path],
    codebook: Codebook,
    told: Remarks,
    chosen: Chosen,
) -> Inputs:
    """The sheets, should they be read in parts."""
    from dataclasses import replace

    from chronoscore.core.event import read_events
    from chronoscore.engines.stream import Inputs
    from chronoscore.rubric.parts import words_for_parts

    inputs = Inputs(
        "rubric",
        sheets[0],
        {"": sheets[1:]},
        trials=True,
        reader=words_for_parts(codebook, evaluator),
        paired=False,
        remarks=told,
    )
    if not events or not in_parts(inputs, chosen):
        return inputs
    reading = make_reading(chosen["encoding"], chosen["max_line"], chosen["lenient"])
    known = [event.id for path in unpacked(events, reading) for event in read_events(path, reading)]
    reading.check()
    return replace(inputs, known=frozenset(known))


def _with_comments(result: Result, how: str, counts: Mapping[str, Mapping[str, int]]) -> str:
    """Render the result, and below it how often frequent comments were made, if they were."""
    from chronoscore.reports import render, render_tables
    from chronoscore.reports.raters import comments_table

    text = render(result, how)
    if how in ("csv", "json", "plain") or not any(sum(own.values()) for own in counts.values()):
        return text
    return f"{text}\n{render_tables([comments_table(counts)], how)}"
