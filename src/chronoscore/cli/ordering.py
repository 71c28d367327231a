"""`chronoscore ordering`: in which order did things happen?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import click

from chronoscore.cli.options import Chosen, examples, named_paths, scoring_options, tell
from chronoscore.cli.outputs import output_option, written_last
from chronoscore.cli.scoring import score_and_print
from chronoscore.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from chronoscore.core.reading import Reading
    from chronoscore.engines.files import Cases

ORDER_ONLY = ("SemEval-order", "pairwise(mode=order)")


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
    help="What a missing answer is (default: empty; the official script skips it, and so does "
    "--protocol semeval2015).",
)
@click.option(
    "--no-anchors",
    "--ord",
    is_flag=True,
    help="Score the order alone, without time anchors (--ord in the official script).",
)
@output_option(
    "--write-graphs",
    apart=True,
    metavar="DIR",
    help="Write the graphs that are compared as TimeML: CASE_gold.tml and CASE_sys.tml.",
)
@scoring_options
def command(
    gold: Path,
    predicted: tuple[str, ...],
    missing: str | None,
    no_anchors: bool,
    write_graphs: Path | None,
    **chosen: Unpack[Chosen],
) -> None:
    """Score the order of events: SemEval-2015 timelines, with and without time anchors.

    GOLD and each PREDICTED are an events.jsonl, a file in the tab format of SemEval-2015 Task 4,
    a folder of such files, one for each target entity, or a folder of such folders. A PREDICTED
    that holds a folder for each run is scored run by run. Name a system with NAME=PATH.
    """
    from chronoscore.engines.stream import Inputs
    from chronoscore.ordering import read_cases

    systems = named_paths(predicted)
    if no_anchors:
        if chosen["metric"]:
            raise UsageError("--no-anchors chooses the metrics itself; leave out -m")
        chosen["metric"] = ORDER_ONLY

    cases: dict[str, Cases] = {}

    def read(reading: Reading, options: Mapping[str, str]) -> Mapping[str, Cases]:
        cases.update(read_cases(gold, systems, reading, options))
        return cases

    def write() -> None:
        if write_graphs is not None:
            _write_graphs(cases, write_graphs, anchors=not no_anchors)

    files = {name: [path] for name, path in systems.items()}
    inputs = None if write_graphs else Inputs("ordering", gold, files)
    with written_last(write):
        score_and_print("ordering", read, {"missing": missing}, inputs=inputs, **chosen)


def _write_graphs(cases: Mapping[str, Any], target: Path, *, anchors: bool) -> None:
    from chronoscore.ordering.writing import write_graphs

    written = [
        file
        for system, found in cases.items()
        for file in write_graphs(
            found, target / system if len(cases) > 1 else target, "full" if anchors else "order"
        )
    ]
    tell(f"{len(written)} graphs are in {target}")
