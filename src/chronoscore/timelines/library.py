"""Timelines from Python: score dicts, paths or our own types, one prediction or very many.

>>> gold = {"2011-01-25": ["Protests begin in Cairo."], "2011-02-11": ["Mubarak resigns."]}
>>> predicted = {"2011-01-26": ["Protests began in Cairo."], "2011-02-11": ["Mubarak resigns."]}
>>> result = evaluate(gold, predicted)
>>> {s.metric: round(s.scores["f1"], 3) for s in result.systems[0].summaries}
{'align+m:1': 0.7, 'align+m:1(rouge=2)': 0.667, 'date-f1': 0.5}
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np

from chronoscore.core.errors import DataError, UsageError
from chronoscore.core.reading import Reading
from chronoscore.core.result import Result
from chronoscore.elements.periods import Period
from chronoscore.elements.ratios import Array
from chronoscore.engines.here import TOGETHER
from chronoscore.engines.scoring import score
from chronoscore.engines.settings import Settings
from chronoscore.statistics.averaging import finish, phi
from chronoscore.timelines.comparison import compared_with, gold_side
from chronoscore.timelines.family import (
    FAMILY,
    pair_trials,
    references_of,
    warn_of_foreign_text,
)
from chronoscore.timelines.formats import Collection, read_timelines
from chronoscore.timelines.formats.days import Role
from chronoscore.timelines.model import Timeline

Plain: TypeAlias = Mapping[Any, Any] | Sequence[Any]
Timelines: TypeAlias = Timeline | Plain | str | PathLike[str]

SINGLE_TOPIC = "timeline"
"""The name of the topic where only one timeline was given."""


def timeline(value: Timeline | Plain) -> Timeline:
    """Make a timeline of {date: [sentences]}, [(date, [sentences])] or [{date, summary}].

    Dates may be `date` objects or texts; one sentence may stand without a list.
    """
    if isinstance(value, Timeline):
        return value
    pairs = value.items() if isinstance(value, Mapping) else map(_pair, value)
    days: dict[Period, list[str]] = {}
    for day, texts in pairs:
        days.setdefault(_period(day), []).extend([texts] if isinstance(texts, str) else texts)
    return Timeline.of(days)


_WHEN = ("date", "start", "time")
_WHAT = ("summary", "text", "sentences", "events")


def _pair(item: Any) -> tuple[Any, Any]:
    if isinstance(item, Mapping):
        when = next((item[name] for name in _WHEN if name in item), None)
        what = next((item[name] for name in _WHAT if name in item), None)
        if when is None or what is None:
            raise DataError.of(f"expected a date and a summary, got the fields {', '.join(item)}")
        return when, what
    day, texts = item
    return day, texts


_parsed = lru_cache(maxsize=4096)(Period.parse)
"""Predictions of one topic name the same days again and again."""


def _period(day: Any) -> Period:
    if isinstance(day, Period):
        return day
    if isinstance(day, date):
        # A datetime is a date too, but equals none: only its day counts here.
        return Period.day(date(day.year, day.month, day.day))
    try:
        return _parsed(str(day))
    except ValueError as error:
        raise DataError.of(str(error)) from None


def _collection(
    value: Timelines, reading: Reading, options: Mapping[str, str], role: Role = "gold"
) -> Collection:
    """Take a path, one timeline, several golds of one topic, or topics with one or several."""
    if isinstance(value, str | PathLike):
        return read_timelines(Path(value), reading, options, role)
    if isinstance(value, Mapping) and value and not all(_is_date(key) for key in value):
        return {str(topic): _golds(item) for topic, item in value.items()}
    return {SINGLE_TOPIC: _golds(value)}


def _golds(value: Timeline | Plain) -> dict[str, Timeline]:
    several = (
        isinstance(value, Sequence)
        and len(value) > 0
        and all(isinstance(item, Timeline) or _is_timeline(item) for item in value)
    )
    if several and isinstance(value, Sequence):
        return {str(number): timeline(item) for number, item in enumerate(value, 1)}
    named = isinstance(value, Mapping) and value and not all(_is_date(key) for key in value)
    if named and isinstance(value, Mapping):
        return {str(name): timeline(item) for name, item in value.items()}
    return {"1": timeline(value)}


def _is_timeline(item: Any) -> bool:
    return isinstance(item, Mapping) and bool(item) and all(_is_date(key) for key in item)


def _is_date(key: Any) -> bool:
    if isinstance(key, date | Period):
        return True
    try:
        _parsed(str(key))
    except ValueError:
        # Meant as a date all the same, and to be told that it is none.
        return str(key)[:4].isdecimal() and "-" in str(key)
    return True


def evaluate(
    gold: Timelines,
    predicted: Timelines,
    *,
    protocol: str | None = None,
    metrics: Sequence[str] = (),
    average: str | None = None,
    undefined: str | None = None,
    options: Mapping[str, str] | None = None,
    by: Sequence[str] = (),
    name: str = "predicted",
) -> Result:
    """Score one system: paths, {date: [sentences]}, {topic: ...}, or lists of golds."""
    settings = Settings.make(
        FAMILY,
        protocol=protocol,
        metrics=metrics,
        average=average,
        undefined=undefined,
        options=options,
        by=by,
    )
    reading = Reading()
    golds = _collection(gold, reading, settings.options)
    found = _collection(predicted, reading, settings.options, "predicted")
    reading.check()
    warn_of_foreign_text(golds, reading)
    cases = pair_trials(golds, [found], reading, settings.options, name)
    reading.check()
    return score(settings, {name: cases}, notices=[str(n) for n in reading.notices]).result


def score_many(
    golds: Timelines,
    predictions: Iterable[Timeline | Plain],
    *,
    protocol: str | None = None,
    metrics: Sequence[str] = (),
    undefined: str | None = None,
) -> list[dict[str, dict[str, float]]]:
    """Score many predictions against the golds of one topic; the golds are prepared once.

    Made for training loops and re-ranking: no result document, no matches, only the scores by
    metric, averaged over the golds as the protocol does. Undefined scores are NaN.
    """
    settings = Settings.make(FAMILY, protocol=protocol, metrics=metrics, undefined=undefined)
    collection = _collection(golds, Reading(), settings.options)
    if len(collection) != 1:
        raise UsageError(f"score_many takes the golds of one topic, got {len(collection)} topics")
    (references,) = references_of(collection, settings.options).values()
    sides = {
        text: [gold_side(reference, text) for reference in references.values()]
        for text in {str(metric.setting) for metric in settings.metrics}
    }
    counted: list[list[list[tuple[float, ...]]]] = [[] for _ in settings.metrics]
    waiting = map(timeline, predictions)
    while together := list(islice(waiting, TOGETHER)):
        compared = {
            text: [compared_with(together, [side] * len(together)) for side in prepared]
            for text, prepared in sides.items()
        }
        for rows, metric in zip(counted, settings.metrics, strict=True):
            for pairs in zip(*compared[str(metric.setting)], strict=True):
                rows.append([metric.measure(comparison).statistics for comparison in pairs])
    labels = [FAMILY.label(metric) for metric in settings.metrics]
    made: list[Array] = []
    for rows, metric in zip(counted, settings.metrics, strict=True):
        statistics = np.array(rows, dtype=np.float64).reshape(
            len(rows), len(references), len(metric.definition.statistics)
        )
        rule = settings.path.steps[0].rule
        features = phi(metric, statistics, rule, settings.undefined, linked=False)
        made.append(finish(metric, features.sum(axis=1), rule, settings.undefined))
    return [
        {
            label: dict(zip(metric.scores, values[number].tolist(), strict=True))
            for label, metric, values in zip(labels, settings.metrics, made, strict=True)
        }
        for number in range(len(counted[0]))
    ]


class Pipeline(Protocol):
    """Anything that makes a timeline of a topic's data."""

    def run(self, topic: Any) -> Timeline | Plain:
        """Make the timeline."""
        ...


@dataclass(frozen=True)
class Evaluated:
    """The result of a pipeline, and the topics on which it failed, with the reason."""

    result: Result
    failures: Mapping[str, str]


def evaluate_all(
    pipeline: Pipeline,
    dataset: Mapping[str, Any],
    *,
    golds: Callable[[Any], Timelines] | None = None,
    protocol: str | None = None,
    metrics: Sequence[str] = (),
    by: Sequence[str] = ("topic",),
    progress: Callable[[Iterable[str]], Iterable[str]] | None = None,
) -> Evaluated:
    """Run a pipeline on every topic and score what it makes.

    A topic's data have `gold_timelines`, as key or attribute, unless `golds` gets them otherwise.
    A topic on which the pipeline fails counts as predicted empty; the reason is kept.
    """
    settings = Settings.make(FAMILY, protocol=protocol, metrics=metrics, by=by)
    reading = Reading()
    wanted: Collection = {}
    found: Collection = {}
    failures: dict[str, str] = {}
    for topic in progress(dataset) if progress else dataset:
        wanted[topic] = _golds((golds or _gold_timelines)(dataset[topic]))  # type: ignore[arg-type]
        try:
            found[topic] = {"1": timeline(pipeline.run(dataset[topic]))}
        except Exception as error:  # a pipeline may fail in any way; the others still count
            failures[topic] = f"{type(error).__name__}: {error}"
            reading.notice(f"the pipeline failed on '{topic}': {failures[topic]}")
    cases = pair_trials(wanted, [found], reading, settings.options, "pipeline")
    reading.check()
    notices = [str(notice) for notice in reading.notices]
    return Evaluated(score(settings, {"pipeline": cases}, notices=notices).result, failures)


def _gold_timelines(data: Any) -> Any:
    if isinstance(data, Mapping) and "gold_timelines" in data:
        return data["gold_timelines"]
    return data.gold_timelines
