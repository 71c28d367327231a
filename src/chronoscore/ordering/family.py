"""The ordering family: its cases, catalogue and protocols."""

from collections.abc import Mapping
from functools import partial

from msgspec import structs

from chronoscore.core.case import BY_TOPIC, Case
from chronoscore.core.event import Event
from chronoscore.core.family import Family, Protocol, Texts
from chronoscore.core.functions import late
from chronoscore.core.problems import Problems
from chronoscore.core.sources import Source
from chronoscore.ordering.formats import (
    Collection,
    read_orders,
    read_pairs,
    report_strangers,
    runs_of,
)
from chronoscore.ordering.metrics import DEFINITIONS, compare, named_events
from chronoscore.ordering.model import TargetTimeline
from chronoscore.ordering.options import ORDERS
from chronoscore.ordering.semeval import repeated_mentions

OrderCase = Case[TargetTimeline, TargetTimeline]


def read_cases(
    gold: Source, predictions: Mapping[str, Source], problems: Problems, options: Mapping[str, str]
) -> dict[str, list[OrderCase]]:
    """Read gold timelines and each system's, and pair them by target entity."""

    def read(source: Source) -> Collection:
        timelines = read_orders(source, problems)
        if source is gold:
            _report_repeated_mentions(timelines, problems)
        return timelines

    systems = _with_runs(predictions, gold)
    empty = TargetTimeline(())
    cases = read_pairs(read, gold, systems, problems, options, "target", empty)
    for name, system_cases in cases.items():
        report_strangers(name, system_cases, _mentions, "mention", problems)
    return {
        name: [_with_corpus(case) for case in system_cases] for name, system_cases in cases.items()
    }


def _mentions(timeline: TargetTimeline) -> set[str]:
    return {mention for row in timeline.rows for mention in row.mentions}


def _report_repeated_mentions(golds: Collection, problems: Problems) -> None:
    for target, named in golds.items():
        for timeline in named.values():
            repeated = repeated_mentions(timeline)
            if repeated:
                problems.notice(
                    f"{target}: {', '.join(repeated[:3])} occurs three or more times apart; the "
                    "official numbering mixes them up, so that even the gold scores below 1"
                )


def _with_runs(predictions: Mapping[str, Source], gold: Source) -> dict[str, Source]:
    """Replace a folder of runs by its runs, each a system with the run's name."""
    systems: dict[str, Source] = {}
    for name, source in predictions.items():
        for run, folder in (runs_of(source, gold) or {name: source}).items():
            systems[f"{name}/{run}" if run in systems else run] = folder
    return systems


def _with_corpus(case: OrderCase) -> OrderCase:
    """Tag a case with the folder that its target is in, if it is in one."""
    corpus, slash, _ = case.tags["target"].rpartition("/")
    return structs.replace(case, tags={**case.tags, "corpus": corpus}) if slash else case


def texts_of(case: OrderCase, _: object = ()) -> tuple[Texts, Texts]:
    """Return position and anchor of each event of gold and prediction."""
    gold, predicted = (
        {name: (str(event.position), event.anchor) for name, event in named_events(side).items()}
        for side in (case.gold, case.predicted)
    )
    return gold, predicted


_CITATION = "Minard et al. 2015, SemEval-2015 Task 4: TimeLine: Cross-Document Event Ordering"
_semeval = partial(
    Protocol,
    citation=_CITATION,
    metrics=("SemEval-full", "SemEval-order", "pairwise"),
    optional=("pairwise(mode=order)",),
    path="gold+target:sum",
    undefined="zero",
)

FAMILY = Family(
    name="ordering",
    home="chronoscore.ordering.family:FAMILY",
    question="In which order did things happen?",
    levels=("gold", "target"),
    case_keys=BY_TOPIC,
    columns=frozenset(Event.__struct_fields__),
    read_cases=read_cases,
    compare=compare,
    cluster="target",
    always_counted=("system_violated", "gold_violated", "system_cycles", "gold_cycles"),
    pages=late("chronoscore.ordering.pages:PAGES"),
    texts=texts_of,
    definitions=DEFINITIONS,
    aliases={"SemEval-full": "semeval2015", "SemEval-order": "semeval2015(mode=order)"},
    protocols=(
        _semeval(
            name="semeval2015-complete",
            meaning="as semeval2015, but a missing answer counts as an empty one, so that leaving "
            "out a timeline costs its recall",
            options={"missing": "empty"},
        ),
        _semeval(
            name="semeval2015",
            meaning="the official score: counts pooled over all timelines that have an answer; a "
            "missing answer is skipped. The order of all pairs is added to it",
            options={"missing": "skip"},
            aliases=("semeval2015-original",),
        ),
    ),
    options=ORDERS,
)
