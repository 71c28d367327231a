"""`chronoscore events`: which events were found, and when; and the threshold of a match."""

from __future__ import annotations

from chronoscore.cli.options import of_parameter, option
from chronoscore.cli.scoring import Run, render_result, scoring_verb
from chronoscore.elements.dated.options import FORMATS
from chronoscore.events.options import OPTIONS

_ABOUT_NAMES = [one.name for one in OPTIONS].index("repeated")


def _prepare(run: Run) -> None:
    """Read the user's map of names, and choose the metrics that a declared language asks for."""
    args = run.args
    if args.rename:
        from chronoscore.core.name_matching.renaming import read_renaming

        args.rename = read_renaming(args.rename, args.problems)


@scoring_verb(
    *map(of_parameter, OPTIONS[:_ABOUT_NAMES]),
    option(
        "--rename A=B|FILE...",
        "Take prediction A as that of B: TOPIC, TOPIC/GOLD, or '-' to leave it out. A FILE has two "
        "columns (TSV or CSV), or is JSON.",
        reader=True,
    ),
    *map(of_parameter, OPTIONS[_ABOUT_NAMES:]),
    family="events",
    formats=FORMATS,
    trials=True,
    prepare=_prepare,
)
def events_verb(run: Run) -> list[str]:
    """Score events: which were found, and when (experimental).

    Gold and predicted events are matched one to one by their texts and dates together. GOLD and
    each PREDICTED are an events.jsonl, in which each record is an event, or anything that
    `chronoscore timelines` reads, cut into sentences. Tables show how well the topic's other golds
    do, where there are several. Name a system with NAME=PATH.

    Examples:
    chronoscore events demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl
    chronoscore events demo/gold.jsonl demo/quick.jsonl --explain suez-canal-blockage
    """
    return render_result(run)
