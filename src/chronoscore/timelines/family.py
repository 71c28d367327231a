"""The timelines family: its cases, catalogue and protocols."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from chronoscore.core.case import BY_TOPIC
from chronoscore.core.family import Family, Protocol
from chronoscore.core.functions import late
from chronoscore.core.metric import Metric
from chronoscore.core.problems import Fact, Problems
from chronoscore.core.sources import Source
from chronoscore.elements.dated import cases as dated
from chronoscore.elements.dated.options import OPTIONS
from chronoscore.elements.dated.reading import RECORD_FIELDS
from chronoscore.elements.dated.values import is_timeline
from chronoscore.elements.time.calendar import GRAINS
from chronoscore.timelines.comparison import compare, compare_many, texts_by_day, tokeniser_of
from chronoscore.timelines.metrics import DEFINITIONS


def read_cases(
    gold: Source,
    predictions: Mapping[str, Source | Sequence[Source]],
    problems: Problems,
    options: Mapping[str, str],
    *,
    floor: tuple[Source, int] | None = None,
    **words: Any,
) -> dict[str, list[dated.TimelineCase]]:
    """Read the cases of each system; `floor` adds baselines made from articles, with a seed.

    The other words are those of `elements.dated.cases.read_cases`.
    """

    def baselines(golds: dated.Timelines) -> Mapping[str, dated.Timelines]:
        predict = late("chronoscore.timelines.baselines:predictions")()
        timelines: Mapping[str, dated.Timelines] = predict(
            dated.references_of(golds, options), *(floor or ()), problems
        )
        return timelines

    further = baselines if floor else None
    return dated.read_cases(gold, predictions, problems, options, further=further, **words)


def reader_options(metrics: Sequence[Metric]) -> dict[str, str]:
    """Tell the reader the finest grain by which dates are compared."""
    used = {metric.values.get("grain") for metric in metrics}
    return {"grain": next((grain for grain in GRAINS if grain in used), "day")}


def check_names(
    metrics: Sequence[Metric], facts: Mapping[Fact, int], problems: Problems, _: Sequence[str]
) -> None:
    """Report files without days, a ceiling without cases, and text that metrics can't process."""
    dated.check_timelines(metrics, facts, problems, "text")


# How papers compute the numbers of their tables, each under one name. All average over trials last:
# a system that was run several times has the mean of its runs.
def _both_lengths(*variants: str) -> tuple[str, ...]:
    """Return variants of ROUGE, each by single words and by pairs of words."""
    return tuple(name for variant in variants for name in (variant, f"{variant}(rouge=2)"))


_ALL_FIVE = _both_lengths("concat", "agreement", "align", "align+", "align+m:1")
_MEAN_PR = "gold+topic:mean-pr>trial:mean-f"

NEWS_TLS = Protocol(
    name="news-tls",
    meaning="AR-1, AR-2 and Date-F1 against each gold alone; mean P and mean R over all golds of "
    "all topics, then F",
    citation="Gholipour Ghalandari and Ifrim 2020, Examining the State-of-the-Art in News Timeline "
    "Summarization, ACL",
    metrics=("AR-1", "AR-2", "Date-F1"),
    path=_MEAN_PR,
    undefined="zero",
)
LLM_TLS = replace(
    NEWS_TLS,
    name="llm-tls",
    meaning="as news-tls for each trial, then the mean of F over trials",
    citation="Hu, Moon and Ng 2024, From Moments to Milestones: Incremental Timeline Summarization "
    "Leveraging Large Language Models, ACL",
)
TILSE = Protocol(
    name="tilse",
    meaning="all five variants against each gold alone; mean P and mean R over all golds, then F",
    citation="Martschat and Markert 2018, A Temporally Sensitive Submodularity Framework for "
    "Timeline Summarization, CoNLL",
    metrics=(*_ALL_FIVE, "Date-F1"),
    path=_MEAN_PR,
    undefined="zero",
)
STEEN = Protocol(
    name="steen",
    meaning="concat, agreement, align+m:1 and Date-F1 against each gold alone; the means of P, of "
    "R and of F over all golds, so that F is not that of mean P and mean R",
    citation="Steen and Markert 2019, Abstractive Timeline Summarization, Workshop on New "
    "Frontiers in Summarization; the average of its tleval.py",
    metrics=(
        *_both_lengths("concat", "agreement", "align+m:1"),
        "Date-F1",
    ),
    path="gold+topic:mean-f>trial:mean-f",
    undefined="zero",
)
ENTITIES = replace(
    NEWS_TLS,
    name="entities",
    meaning="as news-tls, against whole golds: the code of news-tls cuts the golds of Entities at "
    "the dates of the articles and then scores the uncut ones, so that days that no article can "
    "know count against recall",
)
CHRONOS = replace(
    TILSE,
    name="chronos",
    meaning="all five variants against all golds of a topic at once; mean P and mean R over "
    "topics, then F",
    citation="Wu et al. 2025, Unfolding the Headline: Iterative Self-Questioning for News "
    "Retrieval and Timeline Summarization (CHRONOS), NAACL Findings",
    options={"golds": "pooled", "dates": "first-day"},
)
SUNSET = Protocol(
    name="sunset",
    meaning="the mean over gold summaries of ROUGE F1 on their very date, and Date-F1; mean of F "
    "within a topic, then over topics",
    citation="the evaluation notes of SUnSET (Sim et al. 2025)",
    metrics=("exact-date", "exact-date(rouge=2)", "Date-F1"),
    path="gold:mean-f>topic:mean-f>trial:mean-f",
    undefined="zero",
    options={"repeated": "first", "repeated_gold": "join"},
    labels={"exact-date": "AR-1", "exact-date(rouge=2)": "AR-2"},
)
PROTOCOLS = (NEWS_TLS, LLM_TLS, TILSE, CHRONOS, SUNSET, STEEN, ENTITIES)

FAMILY = Family(
    name="timelines",
    home="chronoscore.timelines.family:FAMILY",
    question="What does it say, on which dates?",
    levels=("gold", "topic", "trial"),
    case_keys=BY_TOPIC,
    match_names=True,
    columns=RECORD_FIELDS,
    is_value=is_timeline,
    tokeniser=tokeniser_of,
    compare=compare,
    compare_many=compare_many,
    definitions=DEFINITIONS,
    aliases={"AR-1": "align+m:1", "AR-2": "align+m:1(rouge=2)", "Date-F1": "date-f1"},
    protocols=PROTOCOLS,
    cells=dated.cells_of,
    cluster="topic",
    texts=texts_by_day,
    pages=late("chronoscore.timelines.pages:PAGES"),
    read_cases=read_cases,
    content=dated.content_of,
    reader_options=reader_options,
    check_names=check_names,
    options=OPTIONS,
)
