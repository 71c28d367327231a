"""The events family: its cases, catalogue and protocols."""

from collections.abc import Mapping, Sequence
from typing import Any

from chronoscore.core.case import BY_TOPIC
from chronoscore.core.family import Family, Protocol
from chronoscore.core.metric import Metric, Parameter
from chronoscore.core.problems import Fact, Problems
from chronoscore.core.sources import Source
from chronoscore.elements.dated import cases as dated
from chronoscore.elements.dated.options import OPTIONS as DATED_OPTIONS
from chronoscore.elements.dated.reading import RECORD_FIELDS
from chronoscore.elements.dated.values import is_timeline
from chronoscore.elements.time.closeness import Closeness
from chronoscore.events.comparison import compare, compare_many, texts_by_event, tokeniser_of
from chronoscore.events.metrics import DEFINITIONS
from chronoscore.events.model import events_of

_DATES = Parameter.choice(
    "dates",
    "What a date that is coarser than a day is, such as a month (default: an interval).",
    ("interval", "first-day", "error"),
)
OPTIONS = tuple(
    _DATES if option.name == "dates" else option
    for option in DATED_OPTIONS
    if option.name != "golds"
)


def read_cases(
    gold: Source,
    predictions: Mapping[str, Source | Sequence[Source]],
    problems: Problems,
    options: Mapping[str, str],
    **words: Any,
) -> dict[str, list[dated.TimelineCase]]:
    """Read the cases of each system, with the events behind their timelines."""
    kept = {**options, "golds": "each", "events": "keep"}
    return dated.read_cases(gold, predictions, problems, kept, **words)


def reader_options(metrics: Sequence[Metric]) -> dict[str, str]:
    """Tell the reader whether times of day count."""
    rules = [Closeness.parse(str(metric.values["closeness"])) for metric in metrics]
    return {"grain": "day" if all(rule.unit == "day" for rule in rules) else "tick"}


def check_names(
    metrics: Sequence[Metric], facts: Mapping[Fact, int], problems: Problems, _: Sequence[str]
) -> None:
    """Report files without events, other golds that are missing, and text that is not English."""
    dated.check_timelines(metrics, facts, problems, "tokens")


def cells_of(case: dated.TimelineCase) -> int:
    """Count the pairs of a predicted and a gold event."""
    predicted, gold = (
        len(events_of(timeline, "sentence")) for timeline in (case.predicted, case.gold[0])
    )
    return predicted * gold


_PATH = "gold:mean-f>topic:mean-f>trial:mean-f"

EVENTS = Protocol(
    name="events",
    meaning="events matched one to one against each gold alone; mean of F within a topic, then "
    "over topics",
    citation="Chronoscore",
    metrics=(
        *("event-timed", "event-f1", "text-quality"),
        *("event-soft", "event-date", "event-order", "event-rates"),
    ),
    path=_PATH,
    undefined="skip",
)
PROTOCOLS = (EVENTS,)

FAMILY = Family(
    name="events",
    home="chronoscore.events.family:FAMILY",
    question="Which events were found, when, and are they true?",
    levels=("gold", "topic", "trial"),
    case_keys=BY_TOPIC,
    match_names=True,
    columns=RECORD_FIELDS,
    is_value=is_timeline,
    tokeniser=tokeniser_of,
    compare=compare,
    compare_many=compare_many,
    definitions=DEFINITIONS,
    aliases={},
    protocols=PROTOCOLS,
    cells=cells_of,
    cluster="topic",
    texts=texts_by_event,
    read_cases=read_cases,
    content=dated.content_of,
    reader_options=reader_options,
    check_names=check_names,
    options=OPTIONS,
)
