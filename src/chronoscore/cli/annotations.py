"""`chronoscore annotations`: which events and times were found in the text?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from chronoscore.cli.annotation_files import file_options, kept_differences, metrics_of
from chronoscore.cli.annotation_options import (
    Asked,
    asking_options,
    metrics,
    parameters,
    refuse_twice,
)
from chronoscore.cli.annotation_tables import Shown, changed, refuse_nothing, tables, write_tables
from chronoscore.cli.options import Chosen, examples, make_reading, named_paths, scoring_options
from chronoscore.cli.outputs import output_option
from chronoscore.cli.scoring import score_and_print
from chronoscore.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from chronoscore.annotations.evaluation import Evaluation
    from chronoscore.core.batch import Batch
    from chronoscore.core.reading import Reading
    from chronoscore.core.result import Result
    from chronoscore.engines.scoring import Scored
    from chronoscore.engines.stream import Inputs
    from chronoscore.reports.table import Table


@click.command(
    short_help="Score annotations of text, strict and lenient.",
    epilog=examples(
        "chronoscore annotations demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl",
        "chronoscore annotations demo/gold.jsonl demo/quick.jsonl --thresholds 11 --by-type "
        "--texts demo/articles.jsonl --explain chernobyl-a1",
    ),
)
@click.argument("gold", type=click.Path(readable=False, path_type=Path))
@click.argument("predicted", nargs=-1, required=True)
@asking_options
@click.option("--by-type", is_flag=True, help="Break down by type.")
@click.option(
    "--by-feature",
    multiple=True,
    metavar="NAME",
    help="Break down by the values of a feature, as --by does; may be repeated.",
)
@click.option(
    "--by-side",
    type=click.Choice(["response", "target"]),
    default="response",
    show_default=True,
    help="Whose value a response counts under in a breakdown: its own, or that of the target it "
    "is matched with, and (none) for a spurious one.",
)
@click.option("--confusion", is_flag=True, help="Show which type was taken for which.")
@click.option(
    "--confusion-of",
    multiple=True,
    metavar="NAME",
    help="Show the same of a feature; may be repeated.",
)
@click.option("--counts", is_flag=True, help="Show every count, the derived ones too.")
@output_option(
    "--tables",
    "tables_path",
    metavar="FILE",
    help="Keep the tables of parts, confusion, counts and changes as JSON.",
)
@click.option(
    "--reference",
    metavar="OLD",
    help="An older system on the same gold: show what changed since, count by count.",
)
@click.option(
    "--evaluation",
    type=click.Path(readable=False, path_type=Path),
    metavar="FILE",
    help="A list of analyses as JSON, each of its own sets, types and features.",
)
@click.option(
    "--each-type", is_flag=True, help="Match each --type alone, and show the mean over types."
)
@click.option(
    "--missing",
    type=click.Choice(["empty", "skip", "error"]),
    help="What a missing document is (default: empty).",
)
@file_options
@scoring_options
def command(gold: Path, predicted: tuple[str, ...], **given: Any) -> None:
    """Score annotations of text, strict and lenient, with all counts.

    GOLD and each PREDICTED are a file or a folder: an events.jsonl, whose spans point into
    articles, a JSONL of documents {"id": ..., "annotations": [{"type", "start", "end", "id",
    "features", "score"}]}, GATE XML or bdoc, brat, CoNLL, TimeML, TSV or Prodigy JSONL. Two
    annotation sets of one file are told apart with --gold-set and --predicted-set. Name a system
    with NAME=PATH.
    """
    from chronoscore.annotations import FAMILY, read_cases
    from chronoscore.annotations.breakdown import FEATURE, TYPE
    from chronoscore.annotations.naming import doubt_names

    asked = cast("Asked", {name: given.pop(name) for name in Asked.__annotations__})
    own = {name: given.pop(name) for name in _OWN}
    chosen = cast("Chosen", given)
    refuse_twice(asked, metric=chosen["metric"], protocol=chosen["protocol"])
    evaluation = _evaluation(own, asked, chosen)
    analyses = _analyses(evaluation, own, asked)
    made = metrics(asked)
    if analyses:
        made = tuple(dict.fromkeys((*analyses, *made[1:])))
    if made:
        chosen["metric"] = made
    chosen["by"] = _by(own, chosen["by"], ("case", *FAMILY.levels))
    shown = Shown(
        confusion=own["confusion_of"] or ((TYPE,) if own["confusion"] else ()),
        counts=own["counts"],
        evaluation=evaluation,
        analyses=analyses,
    )
    old, path = own["reference"], own["tables_path"]
    bare = chosen["output_format"] in ("json", "plain")
    whole = shown == Shown() and not old
    if bare and not whole and not path:
        raise UsageError(
            "confusion, counts, analyses and --reference have no place in this format: add "
            "--tables FILE, which keeps them as JSON, or choose another format"
        )
    if path and whole and all(name in ("case", *FAMILY.levels) for name in chosen["by"]):
        raise UsageError("--tables keeps what --by, --confusion, --counts or --reference show")
    systems = named_paths((old, *predicted) if old else predicted)
    batches: dict[str, Batch] = {}
    kept: list[Table] = []

    def read(reading: Reading, options: Mapping[str, str]) -> Mapping[str, Batch]:
        more = (own["input_format"], own["score_feature"], own["texts"])
        batches.update(read_cases(gold, systems, reading, options, *more))
        named = [FEATURE + name for name in shown.confusion if name != TYPE]
        doubt_names([], batches, reading, by=named)
        return batches

    def show(result: Result, output_format: str) -> str:
        from chronoscore.reports import render, render_tables
        from chronoscore.reports.breakdown import breakdown_tables

        if not batches and not chosen["lenient"]:
            refuse_nothing(result)
        more = tables(result, batches, shown, metrics_of(chosen))
        kept.extend([*breakdown_tables(result), *more])
        if path and not old:
            write_tables(kept, path)
        beside = [render_tables(more, output_format)] if more and not bare else []
        return "\n".join([render(result, output_format), *beside])

    def change(scored: Scored) -> list[Table]:
        found = changed(scored, batches, next(iter(systems)), metrics_of(chosen))
        kept.extend(found)
        if path:
            write_tables(kept, path)
        return [] if bare else found

    options = {"missing": own["missing"], "match_by": own["match_by"]}
    with kept_differences(batches, chosen, own, next(iter(systems)) if old else None):
        score_and_print(
            "annotations",
            read,
            options,
            show=show,
            more=change if old else None,
            inputs=_inputs(gold, systems, own) if whole else None,
            **chosen,
        )


def _analyses(
    evaluation: Evaluation | None, own: Mapping[str, Any], asked: Asked
) -> tuple[str, ...]:
    """The metrics of an evaluation, in its order."""
    from chronoscore.annotations import FAMILY

    if evaluation is None:
        return ()
    common = parameters(asked)
    if own["each_type"]:
        common.pop("types", None)
    return tuple(str(FAMILY.metric(one.metric(common))) for one in evaluation.analyses)


def _by(own: Mapping[str, Any], by: tuple[str, ...], tags: tuple[str, ...]) -> tuple[str, ...]:
    """What `--by` and its longer spellings name: tags of documents, then values of annotations."""
    from chronoscore.annotations.breakdown import FEATURE, OF_TARGET

    others = [name for name in by if name not in tags]
    types = ["type"] if own["by_type"] or "type" in others else []
    features = [FEATURE + name if name in (*tags, "type") else name for name in own["by_feature"]]
    values = dict.fromkeys((*types, *features, *(name for name in others if name != "type")))
    if own["by_side"] == "target":
        values = dict.fromkeys(OF_TARGET + name.removeprefix(OF_TARGET) for name in values)
    return (*(name for name in by if name in tags), *values)


def _inputs(gold: Path, systems: Mapping[str, Path], own: Mapping[str, Any]) -> Inputs | None:
    """The files, where nothing is asked that needs all of them at once."""
    from chronoscore.engines.stream import Inputs

    if own["write_differences"] or own["match_by"] or own["texts"]:
        return None
    given = {n: own[n] for n in ("input_format", "score_feature") if own[n]}
    files = {name: [path] for name, path in systems.items()}
    return Inputs("annotations", gold, files, reader=given)


_OWN = (
    "by_type",
    "by_feature",
    "by_side",
    "confusion",
    "confusion_of",
    "counts",
    "tables_path",
    "reference",
    "evaluation",
    "each_type",
    "missing",
    "match_by",
    "input_format",
    "score_feature",
    "texts",
    "write_differences",
    "write_format",
)


def _evaluation(own: Mapping[str, Any], asked: Asked, chosen: Chosen) -> Evaluation | None:
    """The list of analyses that was asked for."""
    from chronoscore.annotations.evaluation import each_type, read_evaluation

    if own["each_type"]:
        if not asked["type"] or own["evaluation"]:
            raise UsageError("--each-type needs --type for every type, and no --evaluation")
        return each_type(asked["type"])
    if own["evaluation"] is None:
        return None
    if chosen["metric"] or chosen["protocol"]:
        raise UsageError("give --metric or --protocol, or an --evaluation")
    reading = make_reading(chosen["encoding"], chosen["max_line"], chosen["lenient"])
    found = read_evaluation(own["evaluation"], reading)
    reading.check()
    return found
