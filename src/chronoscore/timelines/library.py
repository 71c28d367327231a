"""Timelines from Python: score dicts, paths or our own types, one prediction or very many.

>>> gold = {"2011-01-25": ["Protests begin in Cairo."], "2011-02-11": ["Mubarak resigns."]}
>>> predicted = {"2011-01-26": ["Protests began in Cairo."], "2011-02-11": ["Mubarak resigns."]}
>>> result = evaluate(gold, predicted)
>>> {s.metric: round(s.scores["f1"], 3) for s in result.systems[0].summaries}
{'align+m:1': 0.7, 'align+m:1(rouge=2)': 0.667, 'date-f1': 0.5}
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np

from chronoscore.core.errors import UsageError
from chronoscore.core.reading import Reading
from chronoscore.core.result import Result
from chronoscore.elements.ratios import Array
from chronoscore.engines.files import copy_notices
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
from chronoscore.timelines.formats.days import Policies, Role
from chronoscore.timelines.formats.values import is_date, timeline_of
from chronoscore.timelines.model import Timeline

Plain: TypeAlias = Mapping[Any, Any] | Sequence[Any]
Timelines: TypeAlias = Timeline | Plain | str | PathLike[str]

SINGLE_TOPIC = "timeline"
"""The name of the topic where only one timeline was given."""


def timeline(
    value: Timeline | Plain,
    options: Mapping[str, str] | None = None,
    role: Role = "predicted",
) -> Timeline:
    """Make a timeline of {date: [sentences]}, [(date, [sentences])] or [{date, summary}].

    Dates may be `date` objects or texts; one sentence may stand without a list. `options` are
    those of files: `dates` says what a month or a year is, `repeated` what a predicted date is
    that comes twice.
    """
    reading = Reading()
    made = timeline_of(value, "", reading, Policies(options or {}, role))
    reading.check()
    return made


class _Values:
    """Takes what was given, files or values, under the same policies."""

    def __init__(self, reading: Reading, options: Mapping[str, str], role: Role) -> None:
        self.reading = reading
        self.options = options
        self.role: Role = role
        self.policies = Policies(options, role)

    def collection(self, value: Timelines) -> Collection:
        """Take a path, one timeline, several golds of one topic, or topics with one or several."""
        if isinstance(value, str | PathLike):
            return read_timelines(Path(value), self.reading, self.options, self.role)
        if isinstance(value, Mapping) and _holds_timelines(value):
            found = {str(topic): self.golds(item, str(topic)) for topic, item in value.items()}
        else:
            found = {SINGLE_TOPIC: self.golds(value, "")}
        if self.role == "gold" and not any(
            t.days for named in found.values() for t in named.values()
        ):
            self.reading.problem("there is no day to score against", self.role)
        return found

    def golds(self, value: Any, topic: str) -> dict[str, Timeline]:
        """Take one timeline, or several of a topic, in a list or by name."""
        place = f"{self.role}, {topic}" if topic else self.role
        if isinstance(value, Mapping) and _holds_timelines(value):
            named = value.items()
        elif isinstance(value, Sequence) and any(map(_is_timeline, value)):
            named = dict(enumerate(value, 1)).items()
        else:
            return {"1": self.one(value, place)}
        return {str(name): self.one(item, f"{place}, {name}") for name, item in named}

    def one(self, value: Any, place: str) -> Timeline:
        """Take one timeline."""
        return timeline_of(value, place, self.reading, self.policies)


def _holds_timelines(value: Mapping[Any, Any]) -> bool:
    """Whether the keys are names of timelines, not dates.

    What is under them tells: days have sentences. Where nothing is under them, the keys do.
    """
    if any(_is_timeline(item) or _has_entries(item) for item in value.values()):
        return True
    days = any(_is_day(item) for item in value.values()) or any(is_date(key) for key in value)
    return bool(value) and not days


def _is_timeline(item: Any) -> bool:
    dated = isinstance(item, Mapping) and any(is_date(key) for key in item)
    return dated or isinstance(item, Timeline)


def _has_entries(item: Any) -> bool:
    """Whether it holds anything but sentences: days, or timelines."""
    if isinstance(item, str | bytes) or not isinstance(item, Sequence):
        return isinstance(item, Mapping) and bool(item)
    return any(not isinstance(part, str) for part in item)


def _is_day(item: Any) -> bool:
    return isinstance(item, str) or (isinstance(item, Sequence) and len(item) > 0)


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
    golds = _Values(reading, settings.options, "gold").collection(gold)
    found = _Values(reading, settings.options, "predicted").collection(predicted)
    reading.check()
    warn_of_foreign_text(golds, reading)
    cases = pair_trials(golds, [found], reading, settings.options, name)
    reading.check()
    notices = [*map(str, reading.notices), *copy_notices(settings, reading.counts)]
    return score(settings, {name: cases}, notices=notices).result


def score_many(
    golds: Timelines,
    predictions: Iterable[Timeline | Plain],
    *,
    protocol: str | None = None,
    metrics: Sequence[str] = (),
    undefined: str | None = None,
    options: Mapping[str, str] | None = None,
) -> list[dict[str, dict[str, float]]]:
    """Score many predictions against the golds of one topic; the golds are prepared once.

    Made for training loops and re-ranking: no result document, no matches, only the scores by
    metric, averaged over the golds as the protocol does. Undefined scores are NaN.
    """
    settings = Settings.make(
        FAMILY, protocol=protocol, metrics=metrics, undefined=undefined, options=options
    )
    reading = Reading()
    collection = _Values(reading, settings.options, "gold").collection(golds)
    reading.check()
    if len(collection) != 1:
        raise UsageError(f"score_many takes the golds of one topic, got {len(collection)} topics")
    (references,) = references_of(collection, settings.options).values()
    sides = {
        text: [gold_side(reference, text) for reference in references.values()]
        for text in {str(metric.setting) for metric in settings.metrics}
    }
    counted: list[list[list[tuple[float, ...]]]] = [[] for _ in settings.metrics]
    values = _Values(reading, settings.options, "predicted")
    waiting = (values.one(item, f"prediction {n}") for n, item in enumerate(predictions, 1))
    while together := list(islice(waiting, TOGETHER)):
        reading.check()
        reading.notices.clear()  # there is no document to show them beside
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
    options: Mapping[str, str] | None = None,
    progress: Callable[[Iterable[str]], Iterable[str]] | None = None,
) -> Evaluated:
    """Run a pipeline on every topic and score what it makes.

    A topic's data have `gold_timelines`, as key or attribute, unless `golds` gets them otherwise.
    A topic on which the pipeline fails counts as predicted empty; the reason is kept.
    """
    settings = Settings.make(FAMILY, protocol=protocol, metrics=metrics, options=options, by=by)
    reading = Reading()
    golds_given = _Values(reading, settings.options, "gold")
    wanted: Collection = {}
    found: Collection = {}
    failures: dict[str, str] = {}
    for topic in progress(dataset) if progress else dataset:
        wanted[topic] = golds_given.golds((golds or _gold_timelines)(dataset[topic]), topic)
        try:
            made = pipeline.run(dataset[topic])
            found[topic] = {"1": timeline(made, settings.options)}
        except Exception as error:  # a pipeline may fail in any way; the others still count
            failures[topic] = f"{type(error).__name__}: {error}"
            reading.notice(f"the pipeline failed on '{topic}': {failures[topic]}")
    cases = pair_trials(wanted, [found], reading, settings.options, "pipeline")
    reading.check()
    notices = [*map(str, reading.notices), *copy_notices(settings, reading.counts)]
    return Evaluated(score(settings, {"pipeline": cases}, notices=notices).result, failures)


def _gold_timelines(data: Any) -> Any:
    if isinstance(data, Mapping) and "gold_timelines" in data:
        return data["gold_timelines"]
    return data.gold_timelines
