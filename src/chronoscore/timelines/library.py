"""Timelines from Python: score dicts, paths or our own types, one prediction or very many.

>>> gold = {"2011-01-25": ["Protests begin in Cairo."], "2011-02-11": ["Mubarak resigns."]}
>>> predicted = {"2011-01-26": ["Protests began in Cairo."], "2011-02-11": ["Mubarak resigns."]}
>>> result = score(gold, predicted)
>>> {score.metric: round(score, 3) for score in result}
{'AR-1': 0.7, 'AR-2': 0.667, 'Date-F1': 0.5}
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from os import PathLike
from typing import Any, Protocol, TypeAlias

import numpy as np

from chronoscore.core.case import ONLY
from chronoscore.core.functions import late
from chronoscore.core.problems import Findings, Problems
from chronoscore.core.sources import source_of
from chronoscore.elements.dated.cases import languages_of, read_side, references_of
from chronoscore.elements.dated.model import Timeline
from chronoscore.elements.dated.values import (
    SHAPE,
    Collection,
    Policies,
    Role,
    Values,
    topic_field,
)
from chronoscore.engines.chunks import CELLS_TOGETHER, TOGETHER
from chronoscore.engines.settings import Settings
from chronoscore.errors import DataError, UsageError
from chronoscore.interface.result import Result
from chronoscore.interface.scoring import (
    PREDICTED,
    interval_plan,
    names_of,
    score_data,
    source_of_data,
)
from chronoscore.statistics.averaging import finish, phi
from chronoscore.timelines.comparison import ComparisonBlock, in_language
from chronoscore.timelines.family import FAMILY


class Entries(Protocol):
    """A timeline as an object with entries."""

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
    """Make a timeline from {date: [sentences]}, [(date, [sentences])] or [{date, summary}].

    An object with `entries`, each with `date` and `summary`, is accepted too. Dates may be `date`
    objects or texts; a single sentence needs no list. `options` are those of files: `dates`
    says how to read a month or a year, `repeated` which entries of a predicted date count if it has
    several, and `repeated_gold` the same of a gold.

    >>> timeline([{"date": "2011-02-11", "summary": "Mubarak resigns."}]).days[0][1]
    ('Mubarak resigns.',)
    """
    problems = Problems()
    result = Values(problems, Policies(options or {}, role)).timeline(value, "")
    problems.check()
    return result


def score(
    gold: Timelines,
    predicted: Timelines,
    *,
    protocol: str | None = None,
    metrics: str | Sequence[str] = (),
    interval: bool | str | None = None,
    average: str | None = None,
    undefined: str | None = None,
    options: Mapping[str, str] | None = None,
    rename: Mapping[str, str] | None = None,
    by: str | Sequence[str] = (),
    name: str = PREDICTED,
) -> Result:
    """Score one system: a path, {date: [sentences]}, {topic: ...}, lists of golds, or objects.

    An object with `entries`, each with `date` and `summary`, is a timeline; so is a list of such
    entries. Records may name their `topic` and `timeline`, as in a file. `chronoscore.score` scores
    several systems at once, and explains the other options.

    >>> gold = {"2011-01-25": ["Protests begin in Cairo."], "2011-02-11": ["Mubarak resigns."]}
    >>> result = score(gold, {"2011-02-11": ["Mubarak resigns."]}, protocol="tilse")
    >>> round(result["align+m:1(rouge=2)"], 3)
    0.5
    """
    settings = Settings.make(
        FAMILY,
        protocol=protocol,
        metrics=names_of(metrics, "metrics"),
        average=average,
        undefined=undefined,
        options=options,
        by=names_of(by, "by"),
        chance=interval_plan(interval),
    )
    words = {"rename": dict(rename)} if rename else {}
    return score_data(settings, gold, {name: source_of_data(FAMILY, predicted, name)}, words=words)


evaluate = score
"""The former name of `score`."""


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

    >>> gold = {"2011-02-11": ["Mubarak resigns."]}
    >>> score_many(gold, [gold, {"2011-02-11": ["He left."]}], metrics=["AR-1"])[1]
    {'AR-1': {'precision': 0.0, 'recall': 0.0, 'f1': 0.0}}
    """
    settings = Settings.make(
        FAMILY,
        protocol=protocol,
        metrics=names_of(metrics, "metrics"),
        undefined=undefined,
        options=options,
    )
    if isinstance(predictions, Mapping) or not isinstance(predictions, Iterable):
        kind = type(predictions).__name__
        raise UsageError(f"the predictions are a {kind}, expected a list of timelines")
    problems = Problems()
    collection = read_side(source_of(golds, name="gold"), problems, settings.reader_options, "gold")
    problems.check()
    if len(collection) != 1:
        raise UsageError(f"score_many takes the golds of one topic, got {len(collection)} topics")
    (language,) = languages_of(
        collection, problems, settings.options.get("language", "")
    ).values() or ("",)
    (references,) = references_of(collection, settings.options).values()
    localised = {metric: in_language(metric.setting, language) for metric in settings.metrics}
    labels = [FAMILY.label(metric) for metric in settings.metrics]
    rule = settings.path.steps[0].rule
    scores: list[dict[str, dict[str, float]]] = []
    values = Values(problems, Policies(settings.reader_options, "predicted"))
    timelines = (values.timeline(p, f"prediction {n}") for n, p in enumerate(predictions, 1))
    most_days = max(len(gold.dates) for several in references.values() for gold in several)
    together = max(1, min(TOGETHER, CELLS_TOGETHER // max(1, most_days) ** 2))
    while block := list(islice(timelines, together)):
        problems.check()
        problems.drop_notices()  # there is no document to show them with
        compared = {
            setting: [
                ComparisonBlock(block, [gold] * len(block), setting) for gold in references.values()
            ]
            for setting in dict.fromkeys(localised.values())
        }
        block_scores: list[dict[str, dict[str, float]]] = [{} for _ in block]
        for label, metric in zip(labels, settings.metrics, strict=True):
            by_gold = [metric.measure_block(one).statistics for one in compared[localised[metric]]]
            statistics = np.stack(by_gold, axis=1).astype(np.float64)
            features = phi(metric, statistics, rule, settings.undefined, linked=False)
            averages = finish(metric, features.sum(axis=1), rule, settings.undefined)
            for by_metric, average in zip(block_scores, averages.tolist(), strict=True):
                by_metric[label] = dict(zip(metric.scores, average, strict=True))
        scores += block_scores
    return scores


class TimelinePipeline(Protocol):
    """Anything that makes a timeline from a topic's data."""

    def run(self, topic: Any, /) -> Timeline | Plain:
        """Make the timeline."""
        ...


@dataclass(frozen=True)
class PipelineResult:
    """The result of a pipeline, and the topics on which it failed, with the reason.

    `evaluate_all` returns it.

    >>> class Silent:
    ...     def run(self, topic):
    ...         return {}
    >>> evaluate_all(Silent(), {"egypt": {"gold_timelines": {"2011-02-11": ["x"]}}}).failures
    {}
    """

    result: Result
    failures: Mapping[str, str]


def evaluate_all(
    pipeline: TimelinePipeline,
    dataset: Mapping[str, Any],
    *,
    golds: Callable[[Any], Timelines] | None = None,
    protocol: str | None = None,
    metrics: Sequence[str] = (),
    by: Sequence[str] = ("topic",),
    options: Mapping[str, str] | None = None,
    progress: Callable[[Iterable[str]], Iterable[str]] | None = None,
) -> PipelineResult:
    """Run a pipeline on every topic and score its timelines.

    A topic's data have `gold_timelines`, as key or attribute, unless `golds` returns the golds.
    Where the pipeline fails on a topic, or returns dates that can't be read, the prediction counts
    as empty, and `failures` has the reason. It is an error if the pipeline fails on every topic,
    or returns something that is no timeline.

    >>> class Echo:
    ...     def run(self, topic):
    ...         return topic["gold_timelines"]
    >>> dataset = {"egypt": {"gold_timelines": {"2011-02-11": ["Mubarak resigns."]}}}
    >>> float(evaluate_all(Echo(), dataset).result["Date-F1"])
    1.0
    """
    if not isinstance(dataset, Mapping):
        raise UsageError(f"the dataset is a {type(dataset).__name__}, expected {{topic: data}}")
    settings = Settings.make(
        FAMILY,
        protocol=protocol,
        metrics=names_of(metrics, "metrics"),
        options=options,
        by=names_of(by, "by"),
    )
    problems = Problems()
    gold_values = Values(problems, Policies(settings.reader_options, "gold"))
    gold_timelines: Collection = {}
    predicted: Collection = {}
    failures: dict[str, str] = {}
    for topic in progress(dataset) if progress else dataset:
        data = dataset[topic]
        value = golds(data) if golds else topic_field(data, "gold_timelines")
        gold_timelines[topic] = gold_values.golds(value, f"gold, {topic}")
        problems.check()
        try:
            prediction = pipeline.run(data)
        except Exception as error:  # a pipeline may fail in any way; the others still count
            failures[topic] = f"{type(error).__name__}: {error}"
        else:
            topic_problems = Problems()
            values = Values(topic_problems, Policies(settings.reader_options, "predicted"))
            predicted[topic] = {ONLY: values.timeline(prediction, f"predicted, {topic}")}
            if any(problem.code == SHAPE for problem in topic_problems.problems):
                topic_problems.check()
            if topic_problems.problems:
                del predicted[topic]
                failures[topic] = "; ".join(p.message for p in topic_problems.problems)
            problems.add(Findings(notices=topic_problems.findings.notices))
        if topic in failures:
            problems.notice(f"the pipeline failed on '{topic}': {failures[topic]}")
    if failures and not predicted:
        topic, reason = next(iter(failures.items()))
        raise DataError.of(f"the pipeline failed on every topic, first on '{topic}': {reason}")
    result = score_data(settings, gold_timelines, {"pipeline": predicted})
    return PipelineResult(result.with_notices(map(str, problems.notices)), failures)


def dataset(
    golds: Timelines, articles: str | PathLike[str], options: Mapping[str, str] | None = None
) -> dict[str, dict[str, Any]]:
    """Read golds and articles as a dataset that `evaluate_all` and the baselines take.

    `articles` is an `articles.jsonl`, a file of news-tls, or a folder of topics with such files or
    with `InputDocs/DATE/*.txt`; `options` say how golds are read.

    >>> from chronoscore.demo import data_files
    >>> files = {path.name: path for path in data_files()}
    >>> topics = dataset(files["gold.jsonl"], files["articles.jsonl"])
    >>> len(topics), len(topics["apollo-11"]["articles"])
    (7, 3)
    """
    problems = Problems()
    collection = read_side(source_of(golds, name="gold"), problems, options or {}, "gold")
    articles_by_topic = late("chronoscore.timelines.baselines:articles_by_topic")()
    by_topic = articles_by_topic(collection, source_of(articles), problems)
    problems.check()
    return {
        topic: {"gold_timelines": dict(named), "articles": by_topic.get(topic, [])}
        for topic, named in collection.items()
    }
