"""`chronoscore tlinks`: how do events and times stand to each other?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from chronoscore.cli.options import Chosen, examples, named_paths, scoring_options
from chronoscore.cli.scoring import score_and_print
from chronoscore.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from chronoscore.core.reading import Reading
    from chronoscore.engines.files import Cases
    from chronoscore.ordering.tlinks.family import DocumentCase

_OF_ENTITIES = {"tempeval3-entities", "events", "timexes"}
_PROTOCOLS = {"default": "tempeval3", "acl11": "tempeval3-acl11"}


@click.command(
    short_help="Score temporal links, as TempEval-3 does.",
    epilog=examples(
        "chronoscore tlinks demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl",
        "chronoscore tlinks demo/gold.jsonl demo/quick.jsonl --method acl11 --explain "
        "suez-canal-blockage",
    ),
)
@click.argument("gold", type=click.Path(readable=False, path_type=Path))
@click.argument("predicted", nargs=-1, required=True)
@click.option(
    "--method",
    type=click.Choice(list(_PROTOCOLS)),
    default=None,
    help="Count links after reduction (default), or all and their inverses (acl11).",
)
@click.option(
    "--missing",
    type=click.Choice(["empty", "skip", "error"]),
    default=None,
    help="What a missing document is (default: empty).",
)
@click.option(
    "--align",
    type=click.Choice(["auto", "offsets", "ids"]),
    default=None,
    help="What makes two entities one: their place in the text or their ids (default: the place, "
    "where both sides have the same text).",
)
@click.option(
    "--vague",
    type=click.Choice(["skip", "keep"]),
    default=None,
    help="Whether VAGUE in TimeBank-Dense and MATRES is left out (default), or a relation.",
)
@scoring_options
def command(
    gold: Path,
    predicted: tuple[str, ...],
    method: str | None,
    missing: str | None,
    align: str | None,
    vague: str | None,
    **chosen: Unpack[Chosen],
) -> None:
    """Score temporal links: TempEval-3's awareness, all pairs, and events and times themselves.

    GOLD and each PREDICTED are a TimeML file, a table or JSON lines of relations, a table of
    TimeBank-Dense or MATRES, an events.jsonl with positions, or a folder of such files. Name a
    system with NAME=PATH.
    """
    from chronoscore.engines.stream import Inputs
    from chronoscore.ordering.tlinks import read_cases

    if method is not None:
        if chosen["protocol"] or chosen["metric"] or chosen["from_signature"]:
            raise UsageError(
                "--method names a protocol: leave out --protocol, --metric and --from-signature, "
                "or ask for a metric by name: -m 'awareness(method=acl11)'"
            )
        chosen["protocol"] = _PROTOCOLS[method]
    systems = named_paths(predicted)
    wanted = [chosen["protocol"] or "", *(name.partition("(")[0] for name in chosen["metric"])]

    def read(reading: Reading, options: Mapping[str, str]) -> Mapping[str, Cases]:
        cases = read_cases(gold, systems, reading, options)
        if _OF_ENTITIES.intersection(wanted):
            _check_entities(gold, cases, reading)
        return cases

    inputs = Inputs("tlinks", gold, {name: [path] for name, path in systems.items()})
    score_and_print(
        "tlinks",
        read,
        {"missing": missing, "align": align, "vague": vague},
        inputs=inputs,
        **chosen,
    )


def _check_entities(gold: Path, cases: Mapping[str, list[DocumentCase]], reading: Reading) -> None:
    """Refuse to score events and times where none are marked: nothing against nothing is 1."""
    for system, found in cases.items():
        if not any(case.gold.entities for case in found):
            reading.problem("no events or times are marked; only TimeML has them", gold)
            return
        if not any(case.predicted.entities for case in found):
            reading.notice(f"{system}: no events or times are marked; only TimeML has them")
