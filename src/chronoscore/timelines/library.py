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

from chronoscore.core.collection import ONLY
from chronoscore.core.errors import DataError, UsageError
from chronoscore.core.reading import Reading
from chronoscore.core.result import Result
from chronoscore.elements.ratios import Array
from chronoscore.engines.files import score_files
from chronoscore.engines.here import TOGETHER
from chronoscore.engines.settings import Settings
from chronoscore.statistics.averaging import finish, phi
from chronoscore.timelines.comparison import compared_with, gold_side
from chronoscore.timelines.family import (
    FAMILY,
    pair_trials,
    read_cases,
    read_side,
    references_of,
)
from chronoscore.timelines.formats import Collection
from chronoscore.timelines.formats.days import Policies, Role
from chronoscore.timelines.formats.values import SHAPE, Values
from chronoscore.timelines.model import Timeline
from chronoscore.timelines.parts import count_languages


class Entries(Protocol):
    """A timeline that says something in each of its entries."""

    @property
    def entries(self) -> Iterable[Any]:
        """Objects with a date and a summary, or anything else that a list of days may hold."""
        ...


Plain: TypeAlias = Mapping[Any, Any] | Iterable[Any] | Entries
Timelines: TypeAlias = Timeline | Plain | str | PathLike[str]


def timeline(
    value: Timeline | Plain,
    options: Mapping[str, str] | None = None,
    role: Role = "predicted",
) -> Timeline:
    """Make a timeline of {date: [sentences]}, [(date, [sentences])] or [{date, summary}].

    An object with `entries`, each with `date` and `summary`, is taken too. Dates may be `date`
    objects or texts; one sentence may stand without a list. `options` are those of files: `dates`
    says what a month or a year is, `repeated` what a predicted date is that comes twice.
    """
    reading = Reading()
    made = Values(reading, Policies(options or {}, role)).one(value, "")
    reading.check()
    return made


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
    """Score one system: paths, {date: [sentences]}, {topic: ...}, lists of golds, or objects.

    An object with `entries`, each with `date` and `summary`, is a timeline; so is a list of such
    entries. Records may name their `topic` and `timeline`, as in a file.
    """
    settings = Settings.make(
        FAMILY,
        protocol=protocol,
        metrics=metrics,
        average=average,
        undefined=undefined,
        options=options,
        by=by,
    )
    sides = _given(gold), {name: _given(predicted)}
    return score_files(
        settings, lambda reading, options: read_cases(*sides, reading, options), Reading()
    ).result


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
    collection = read_side(_given(golds), reading, settings.options, "gold")
    reading.check()
    if len(collection) != 1:
        raise UsageError(f"score_many takes the golds of one topic, got {len(collection)} topics")
    (references,) = references_of(collection, settings.options).values()
    sides = {
        text: [gold_side(reference, text) for reference in references.values()]
        for text in {str(metric.setting) for metric in settings.metrics}
    }
    counted: list[list[list[tuple[float, ...]]]] = [[] for _ in settings.metrics]
    values = Values(reading, Policies(settings.options, "predicted"))
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

    def run(self, topic: Any, /) -> Timeline | Plain:
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
    A topic on which the pipeline fails, or makes dates that can't be read, counts as predicted
    empty, and the reason is kept. If it fails on every topic, or makes something that is no
    timeline, that is an error.
    """
    if not isinstance(dataset, Mapping):
        raise UsageError(f"the dataset is a {type(dataset).__name__}, expected {{topic: data}}")
    settings = Settings.make(FAMILY, protocol=protocol, metrics=metrics, options=options, by=by)
    reading = Reading()
    gold_values = Values(reading, Policies(settings.options, "gold"))
    wanted: Collection = {}
    found: Collection = {}
    failures: dict[str, str] = {}
    for topic in progress(dataset) if progress else dataset:
        wanted[topic] = gold_values.golds(
            (golds or _gold_timelines)(dataset[topic]), f"gold, {topic}"
        )
        reading.check()
        try:
            made = pipeline.run(dataset[topic])
        except Exception as error:  # a pipeline may fail in any way; the others still count
            failures[topic] = f"{type(error).__name__}: {error}"
        else:
            own = Reading()
            values = Values(own, Policies(settings.options, "predicted"))
            found[topic] = {ONLY: values.one(made, f"predicted, {topic}")}
            if any(problem.code == SHAPE for problem in own.problems):
                own.check()
            if own.problems:
                del found[topic]
                failures[topic] = "; ".join(problem.message for problem in own.problems)
            reading.notices += own.notices
        if topic in failures:
            reading.notice(f"the pipeline failed on '{topic}': {failures[topic]}")
    if failures and not found:
        topic, reason = next(iter(failures.items()))
        raise DataError.of(f"the pipeline failed on every topic, first on '{topic}': {reason}")
    count_languages(wanted, reading)
    cases = pair_trials(wanted, [found], reading, settings.options, "pipeline")
    scored = score_files(settings, lambda *_: {"pipeline": cases}, reading)
    return Evaluated(scored.result, failures)


def _given(value: Timelines) -> Timelines:
    """A path as such, and any other value as it is."""
    return Path(value) if isinstance(value, str | PathLike) else value


def _gold_timelines(data: Any) -> Any:
    if isinstance(data, Mapping) and "gold_timelines" in data:
        return data["gold_timelines"]
    return data.gold_timelines
