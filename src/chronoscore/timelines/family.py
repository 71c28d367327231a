"""The timelines family: its cases, catalogue and protocols."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from chronoscore.core.case import Case, Missing
from chronoscore.core.collection import named_alike, pair_up
from chronoscore.core.family import Family
from chronoscore.core.reading import Reading
from chronoscore.core.sharding import by_topic
from chronoscore.timelines.comparison import compare, compare_many
from chronoscore.timelines.formats import read_timelines
from chronoscore.timelines.formats.days import Policies, Role
from chronoscore.timelines.formats.structured import RECORD_FIELDS
from chronoscore.timelines.formats.values import Values
from chronoscore.timelines.metrics import DEFINITIONS
from chronoscore.timelines.model import References, Timeline
from chronoscore.timelines.parts import count_languages, report_languages
from chronoscore.timelines.protocols import PROTOCOLS

TimelineCase = Case[References, Timeline]
Timelines = Mapping[str, Mapping[str, Timeline]]
"""Timelines by topic and, within a topic, by name."""

SINGLE_TOPIC = "timeline"
"""The name of the topic of a value that names none."""


def read_cases(
    gold: Any,
    predictions: Mapping[str, Any],
    reading: Reading,
    options: Mapping[str, str],
) -> dict[str, list[TimelineCase]]:
    """Read golds and each system's predictions, one or a list of them: one for each trial.

    Each is the path of a file or a folder, or a value.
    """
    golds = read_side(gold, reading, options, "gold")
    read = {
        name: [_prediction(golds, one, gold, reading, options) for one in _trials(given)]
        for name, given in predictions.items()
    }
    reading.check()
    count_languages(golds, reading)
    return {
        name: pair_trials(golds, trials, reading, options, name) for name, trials in read.items()
    }


def read_side(given: Any, reading: Reading, options: Mapping[str, str], role: Role) -> Timelines:
    """Read the timelines of a file, of a folder, or of a value."""
    if isinstance(given, Path):
        return read_timelines(given, reading, options, role)
    found = Values(reading, Policies(options, role)).collection(given, role, SINGLE_TOPIC)
    if role == "gold" and not any(t.days for named in found.values() for t in named.values()):
        reading.problem("there is no day to score against", role)
    return found


def pair_trials(
    golds: Timelines,
    trials: Sequence[Timelines],
    reading: Reading,
    options: Mapping[str, str],
    system: str,
) -> list[TimelineCase]:
    """Bring the golds together with the predictions of every trial."""
    missing: Missing = options["missing"]  # type: ignore[assignment]  # one of the declared
    cases = []
    for number, predicted in enumerate(trials, 1):
        several = len(trials) > 1
        found = pair_up(
            references_of(golds, options),
            predicted,
            reading,
            level="topic",
            system=f"{system}, trial {number}" if several else system,
            empty=lambda _: Timeline(),
            missing=missing,
            tags={"trial": str(number)},
        )
        cases += [replace(c, id=f"{c.id}@{number}") for c in found] if several else found
    return cases


def references_of(golds: Timelines, options: Mapping[str, str]) -> dict[str, dict[str, References]]:
    """Each gold alone, or all golds of a topic together."""
    return {
        topic: {"all": tuple(named.values())}
        if options["golds"] == "pooled"
        else {name: (timeline,) for name, timeline in named.items()}
        for topic, named in golds.items()
    }


def ceiling_cases(golds: Timelines) -> list[TimelineCase]:
    """Score each gold against every other gold of its topic: how well people do."""
    return [
        Case(
            f"{topic}/{name}~{other}",
            (reference,),
            predicted,
            {"topic": topic, "gold": f"{name}~{other}", "trial": "1"},
        )
        for topic, named in golds.items()
        for name, reference in named.items()
        for other, predicted in named.items()
        if other != name
    ]


def _trials(given: Any) -> Sequence[Any]:
    """The predictions of each trial; only paths come as a list of trials."""
    several = isinstance(given, Sequence) and given and all(isinstance(p, Path) for p in given)
    return given if several else [given]


def _prediction(
    golds: Timelines, given: Any, gold: Any, reading: Reading, options: Mapping[str, str]
) -> Timelines:
    """Read a prediction; one without a topic is that of the gold's only topic."""
    found = read_side(given, reading, options, "predicted")
    if isinstance(given, Path) and isinstance(gold, Path):
        return named_alike(golds, found, gold, given, reading)
    if len(golds) == len(found) == 1 and SINGLE_TOPIC in (*golds, *found):
        return dict(zip(golds, found.values(), strict=True))
    return found


def texts_of(case: TimelineCase) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """The sentences of each day of gold and prediction."""
    gold: dict[str, tuple[str, ...]] = {}
    for reference in case.gold:
        for day, texts in reference.days:
            gold[str(day)] = (*gold.get(str(day), ()), *texts)
    return gold, {str(day): texts for day, texts in case.predicted.days}


def cells_of(case: TimelineCase) -> int:
    """Pairs of a predicted day and a gold day."""
    golds = {day for reference in case.gold for day in reference.dates}
    return len(case.predicted.days) * len(golds)


FAMILY = Family(
    name="timelines",
    question="What does it say, on which dates?",
    levels=("gold", "topic", "trial"),
    sharding=by_topic,
    columns=RECORD_FIELDS,
    compare=compare,
    compare_many=compare_many,
    definitions=DEFINITIONS,
    aliases={"AR-1": "align+m:1", "AR-2": "align+m:1(rouge=2)", "Date-F1": "date-f1"},
    protocols=PROTOCOLS,
    cells=cells_of,
    cluster="topic",
    texts=texts_of,
    doubt=lambda metrics, _, reading, __: report_languages(metrics, reading.counts, reading),
    options={
        "golds": ("each", "pooled"),
        "missing": ("empty", "skip", "error"),
        "repeated": ("auto", "join", "first", "last"),
        "dates": ("error", "first-day", "interval"),
    },
)
