"""The ordering family: its cases, catalogue and protocols."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from chronoscore.core.case import Case
from chronoscore.core.collection import named_alike, paired_cases
from chronoscore.core.event import Event
from chronoscore.core.family import Family, Protocol, Texts
from chronoscore.core.reading import Reading
from chronoscore.core.sharding import by_topic
from chronoscore.core.tally import escaped
from chronoscore.ordering.events import named_events
from chronoscore.ordering.formats import read_orders, runs_of
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
        for name, path in _with_runs(predictions, gold).items()
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
    cases = paired_cases(
        golds, read, reading, options, level="target", empty=lambda _: Timeline(())
    )
    for name, of in cases.items():
        strangers = [case.id for case in of if _strange(case)]
        reading.tally(
            f"{escaped(name)}: no mention is also in the gold, so that nothing can match: {{some}}",
            [(0, case) for case in strangers],
        )
    return {name: [_with_corpus(case) for case in of] for name, of in cases.items()}


def _strange(case: Case[Timeline, Timeline]) -> bool:
    """Whether both sides have events, and none of them is in both."""
    gold, predicted = (
        {mention for row in side.rows for mention in row.mentions}
        for side in (case.gold, case.predicted)
    )
    return bool(gold and predicted) and gold.isdisjoint(predicted)


def _with_runs(predictions: Mapping[str, Path], gold: Path) -> dict[str, Path]:
    """Put the runs of a folder in its place, under their own names."""
    found: dict[str, Path] = {}
    for name, path in predictions.items():
        for run, place in (runs_of(path, gold) or {name: path}).items():
            found[f"{name}/{run}" if run in found else run] = place
    return found


def _with_corpus(case: Case[Timeline, Timeline]) -> Case[Timeline, Timeline]:
    """Tag a case with the folder that its target is in, if it is in one."""
    corpus, slash, _ = case.tags["target"].rpartition("/")
    return replace(case, tags={**case.tags, "corpus": corpus}) if slash else case


def texts_of(case: Case[Timeline, Timeline]) -> tuple[Texts, Texts]:
    """Position and anchor of each event of gold and prediction."""
    gold, predicted = (
        {name: (str(event.position), event.anchor) for name, event in named_events(side).items()}
        for side in (case.gold, case.predicted)
    )
    return gold, predicted


_CITATION = "Minard et al. 2015, SemEval-2015 Task 4: TimeLine: Cross-Document Event Ordering"
_METRICS = ("SemEval-full", "SemEval-order", "pairwise")

FAMILY = Family(
    name="ordering",
    question="In which order did things happen?",
    levels=("gold", "target"),
    sharding=by_topic,
    columns=frozenset(Event.__struct_fields__),
    compare=compare,
    cluster="target",
    texts=texts_of,
    definitions=DEFINITIONS,
    aliases={"SemEval-full": "semeval2015", "SemEval-order": "semeval2015(mode=order)"},
    protocols=(
        Protocol(
            name="semeval2015-complete",
            meaning="as semeval2015, but a missing answer counts as an empty one, so that leaving "
            "out a timeline costs its recall",
            citation=_CITATION,
            metrics=_METRICS,
            optional=("pairwise(mode=order)",),
            path="gold+target:sum",
            undefined="zero",
            options={"missing": "empty"},
        ),
        Protocol(
            name="semeval2015",
            meaning="the official score: counts pooled over all timelines that have an answer; a "
            "missing answer is skipped. The order of all pairs is added to it",
            citation=_CITATION,
            metrics=_METRICS,
            optional=("pairwise(mode=order)",),
            path="gold+target:sum",
            undefined="zero",
            options={"missing": "skip"},
            aliases=("semeval2015-original",),
        ),
    ),
    options={"missing": ("empty", "skip", "error")},
)
