"""Options of `chronoscore annotations` on its files: formats, matching, and differences to keep."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from chronoscore.cli.options import tell
from chronoscore.cli.outputs import output_option, written_last
from chronoscore.cli.scoring import make_settings
from chronoscore.core.errors import UsageError

if TYPE_CHECKING:
    from chronoscore.cli.options import Chosen
    from chronoscore.core.case import Case
    from chronoscore.core.metric import Metric

Function = TypeVar("Function", bound=Callable[..., Any])
FORMATS = (
    *("jsonl", "events", "prodigy", "gate-xml", "bdoc", "brat", "timeml", "tsv"),
    *("conll", "conlleval", "iob1", "iob2", "ioe2", "iobes", "bilou"),
)
MATCH_BY = ("path", "name", "stored", "index", "digest")
WRITTEN = ("bdoc", "brat", "jsonl")
_OPTIONS = [
    click.option(
        "--input-format",
        type=click.Choice(FORMATS),
        help="The format of all files (default: told by their names and first lines).",
    ),
    click.option(
        "--match-by",
        type=click.Choice(MATCH_BY),
        help="How documents of two folders are matched: by path in the folder (default), file "
        "name, the name stored inside, place in order, or text.",
    ),
    click.option(
        "--score-feature",
        metavar="NAME",
        help="The feature that holds a response's score, in formats with no other place for it.",
    ),
    click.option(
        "--texts",
        type=click.Path(readable=False, path_type=Path),
        metavar="PATH",
        help="The texts of documents that have none in their file: an articles.jsonl, or a folder "
        "of .txt.",
    ),
    output_option(
        "--write-differences",
        apart=True,
        metavar="FOLDER",
        help="Write each system's documents with what is correct, missing and spurious marked.",
    ),
    click.option(
        "--write-format",
        type=click.Choice(WRITTEN),
        default="bdoc",
        show_default=True,
        help="The format for --write-differences.",
    ),
]


def file_options(function: Function) -> Function:
    """Add the options on annotation files."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def kept_differences(
    systems: Mapping[str, Sequence[Case[Any, Any]]],
    chosen: Chosen,
    given: Mapping[str, Any],
    reference: str | None,
) -> AbstractContextManager[None]:
    """Write the differences after the scoring, also if a gate has failed: then the more so."""
    folder = given["write_differences"]
    metric = _spans(chosen) if folder else None

    def write() -> None:
        if metric is not None:
            _write(systems, metric, folder, given["write_format"], reference)

    return written_last(write)


def metrics_of(chosen: Chosen) -> tuple[Metric, ...]:
    """The metrics of a run of annotations, however they were named."""
    from chronoscore.families import family

    made: tuple[Metric, ...] = make_settings(family("annotations"), {}, chosen).metrics
    return made


def _spans(chosen: Chosen) -> Metric:
    """The first metric of the run that matches spans."""
    for metric in metrics_of(chosen):
        if "matching" in metric.values:
            return metric
    raise UsageError("--write-differences needs a metric that matches spans, such as spans")


def _write(
    systems: Mapping[str, Sequence[Case[Any, Any]]],
    metric: Metric,
    folder: Path,
    form: str,
    reference: str | None,
) -> None:
    """Write what a metric sees, a folder a system."""
    from chronoscore.annotations.formats import write_documents
    from chronoscore.annotations.marking import marked

    older = {case.id: case for case in systems[reference]} if reference else {}
    shown = {name: cases for name, cases in systems.items() if name != reference}
    for name, cases in shown.items():
        documents = {
            case.id: {"1": marked(case, metric.values, name, older.get(case.id))} for case in cases
        }
        place = folder / name if len(shown) > 1 else folder
        write_documents(documents, place, form)
        tell(f"the differences of {name} are in {place}")
