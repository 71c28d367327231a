"""The ordering family: its cases, catalogue and protocols."""

from collections.abc import Mapping
from pathlib import Path

from chronoscore.core.case import Case
from chronoscore.core.collection import named_alike, paired_cases
from chronoscore.core.family import Family, Protocol
from chronoscore.core.reading import Reading
from chronoscore.ordering.formats import read_orders
from chronoscore.ordering.metrics import DEFINITIONS, compare
from chronoscore.ordering.model import Timeline
from chronoscore.ordering.semeval import repeated_mentions


def read_cases(
    gold: Path, predictions: Mapping[str, Path], reading: Reading, options: Mapping[str, str]
) -> dict[str, list[Case[Timeline, Timeline]]]:
    """Read gold timelines and each system's, and bring them together by target entity."""
    golds = read_orders(gold, reading)
    read = {
        name: named_alike(golds, read_orders(path, reading), gold, path, reading)
        for name, path in predictions.items()
    }
    reading.check()
    for target, named in golds.items():
        for timeline in named.values():
            repeated = repeated_mentions(timeline)
            if repeated:
                reading.notice(
                    f"{target}: {', '.join(repeated[:3])} occurs three or more times apart; the "
                    "official numbering mixes them up, so that even the gold scores below 1"
                )
    return paired_cases(golds, read, reading, options, level="target", empty=lambda _: Timeline(()))


_CITATION = "Minard et al. 2015, SemEval-2015 Task 4: TimeLine: Cross-Document Event Ordering"

FAMILY = Family(
    name="ordering",
    question="In which order did things happen?",
    levels=("gold", "target"),
    compare=compare,
    cluster="target",
    definitions=DEFINITIONS,
    aliases={"SemEval-full": "semeval2015", "SemEval-order": "semeval2015(mode=order)"},
    protocols=(
        Protocol(
            name="semeval2015",
            meaning="counts pooled over all timelines; a missing answer counts as empty",
            citation=_CITATION,
            metrics=("SemEval-full", "SemEval-order"),
            path="gold+target:sum",
            undefined="zero",
        ),
        Protocol(
            name="semeval2015-original",
            meaning="as semeval2015, but a missing answer is left out, as the official script does",
            citation=_CITATION,
            metrics=("SemEval-full", "SemEval-order"),
            path="gold+target:sum",
            undefined="zero",
            options={"missing": "skip"},
        ),
    ),
    options={"missing": ("empty", "skip", "error")},
)
