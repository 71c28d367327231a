"""`chronoscore candidates`: is the right answer among the candidates, and how far down?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from chronoscore.cli.needs import needs
from chronoscore.cli.options import Chosen, examples, named_paths, scoring_options
from chronoscore.cli.scoring import score_and_print
from chronoscore.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from chronoscore.core.batch import Batch
    from chronoscore.core.reading import Reading
    from chronoscore.core.result import Result
    from chronoscore.reports.table import Table

_ACCURACY = "candidates-accuracy"
_METRICS = ("candidates-best", "candidates-rank", "max-recall", _ACCURACY)
_PARAMETERS = {
    "list_type": "list",
    "edge": "edge",
    "score": "score",
    "key": "key",
    "element": "element",
    "feature": "features",
    "compare": "compare",
    "gold_set": "gold_set",
    "predicted_set": "predicted_set",
    "within": "within",
    "nil": "nil",
    "nil_value": "nil_value",
}


@click.command(
    short_help="Score ranked lists of candidates, such as those of a linker.",
    epilog=examples(
        "chronoscore candidates demo/places.jsonl demo/linked.jsonl --feature link",
        "chronoscore candidates demo/places.jsonl demo/linked.jsonl --feature link --cut rank "
        "--matches",
    ),
)
@click.argument("gold", type=click.Path(readable=False, path_type=Path))
@click.argument("predicted", nargs=-1, required=True)
@click.option("--list", "list_type", metavar="TYPE", help="The type of lists (default: List).")
@click.option(
    "--edge", metavar="FEATURE", help="What holds the ids of a list's candidates (default: ids)."
)
@click.option(
    "--score",
    metavar="FEATURE",
    help="What candidates are ranked by; none: as listed (default: their score).",
)
@click.option("--key", metavar="TYPE", help="The type of targets (default: any).")
@click.option("--element", metavar="TYPE", help="The type of candidates (default: any).")
@click.option(
    "--feature",
    multiple=True,
    metavar="NAME",
    help="A feature that must agree beside the type; may be repeated.",
)
@click.option(
    "--compare",
    type=click.Choice(["equal", "text", "subsumes", "span"]),
    help="How features are compared (default: equal).",
)
@click.option("--gold-set", metavar="SET", help="The annotation set of the targets.")
@click.option("--predicted-set", metavar="SET", help="The annotation set of the lists.")
@click.option("--within", metavar="SET:TYPE", help="Only at such annotations of the gold document.")
@click.option(
    "--nil", type=click.Choice(["none", "absent"]), help="Whether NILs are left out (default: no)."
)
@click.option("--nil-value", metavar="TEXT", help="What stands for no answer (default: NIL).")
@click.option(
    "--cut",
    "cut_by",
    type=click.Choice(["score", "rank"]),
    help="Also precision and recall if lists are cut at each score or rank.",
)
@click.option("--matches", is_flag=True, help="Show where the answer stands in each list.")
@click.option(
    "--missing",
    type=click.Choice(["empty", "skip", "error"]),
    help="What a missing document is (default: empty).",
)
@needs({"nil_value": ("nil",)})
@scoring_options
def command(gold: Path, predicted: tuple[str, ...], **given: Any) -> None:
    """Score ranked lists: the first choice, where the answer stands, and what could be reached.

    A list is an annotation that names its candidates by their ids. Files are those that
    `chronoscore annotations` reads. Shown are precision and recall of each list's first candidate,
    the mean reciprocal rank, the recall that the best choice could reach, and how many lists have
    the answer among their first n.
    """
    from chronoscore.annotations import FAMILY, read_cases
    from chronoscore.core.names import write
    from chronoscore.engines.stream import Inputs

    cut_by, matches, missing = (given.pop(name) for name in ("cut_by", "matches", "missing"))
    values = {ours: given.pop(option) for option, ours in _PARAMETERS.items()}
    chosen = cast("Chosen", given)
    if chosen["metric"] or chosen["protocol"]:
        raise UsageError("the options make the metrics; for others: chronoscore annotations -m")
    if matches and chosen["output_format"] in ("json", "plain"):
        raise UsageError("--matches has no such form: choose another")
    common = {name: value for name, value in values.items() if value not in (None, ())}
    made = [write(name, common) for name in _METRICS]
    if cut_by:
        made.append(write("candidates-curve", {**common, "by": cut_by}))
    chosen["metric"] = tuple(str(FAMILY.metric(name)) for name in made)
    systems = named_paths(predicted)
    batches: dict[str, Batch] = {}

    def read(reading: Reading, options: Mapping[str, str]) -> Mapping[str, Batch]:
        batches.update(read_cases(gold, systems, reading, options))
        return batches

    def show(result: Result, output_format: str) -> str:
        from chronoscore.reports import render, render_tables

        if output_format in ("json", "plain"):
            return render(result, output_format)
        if output_format == "csv" and not matches:
            return render(_named(result), output_format)
        tables = _more(result, batches, matches=matches)
        return f"{render(_named(result), output_format)}\n{render_tables(tables, output_format)}"

    files = {name: [path] for name, path in systems.items()}
    inputs = None if matches else Inputs("annotations", gold, files)  # matches need all documents
    score_and_print("annotations", read, {"missing": missing}, show=show, inputs=inputs, **chosen)


def _named(result: Result) -> Result:
    """The result with short labels, and without the curve that has a table of its own."""
    from msgspec.structs import replace

    metrics = (m for m in result.metrics if not m.name.startswith(_ACCURACY))
    return replace(
        result, metrics=tuple(replace(m, label=m.name.partition("(")[0]) for m in metrics)
    )


def _more(result: Result, batches: Mapping[str, Batch], *, matches: bool) -> list[Table]:
    from chronoscore.annotations import FAMILY
    from chronoscore.annotations.candidate_curves import first_matches
    from chronoscore.reports.ranks import first_match_table, rank_table

    name = next(m.name for m in result.metrics if m.name.startswith(_ACCURACY))
    tables = []
    for system in result.systems:
        (accuracy,) = (s for s in system.summaries if s.metric == name and not s.group)
        tables.append(rank_table(system.name, accuracy))
    setting = FAMILY.metric(name).setting
    for system_name, batch in batches.items() if matches else ():
        documents = [FAMILY.compare(case, setting) for case in batch]
        found = [(document, first_matches(document)) for document in documents]
        tables.append(first_match_table(system_name, found))
    return tables
