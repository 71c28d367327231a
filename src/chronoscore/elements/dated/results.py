"""Read a result file of news-tls: the timelines of a run, and the scores that the run printed.

The file is ``{"average": [AR-1, AR-2, dates], "results": [[rouge, dates, timeline], ...]}``. It
names no topic: its results are in the order of the golds, which are sorted by topic and, within a
topic, in the order of their lines. The date scores inside show whether that is so.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from chronoscore.core.problems import Findings, Problems
from chronoscore.core.records import JsonError, parse_json
from chronoscore.core.sources import Source, ValueSource
from chronoscore.elements.dated.model import Timeline
from chronoscore.elements.dated.values import Collection, Policies, Values
from chronoscore.errors import DataError

Golds = Mapping[str, Mapping[str, Timeline]]
WITHOUT_GOLDS = (
    "a result file of news-tls names no topics, so it is read only with the golds of its run: "
    "chronoscore timelines GOLD FILE"
)
_KEYS = ("average", "results")
_SHAPE = (
    "result {number}: expected [scores of ROUGE, scores of dates, timeline], each score with "
    "precision, recall and f_score"
)
_AVERAGE = "expected as average the scores of AR-1, AR-2 and dates, each as in the results"


class InnerScores(msgspec.Struct, frozen=True):
    """The precision, recall and F that a file has of one metric."""

    precision: float
    recall: float
    f_score: float


class InnerRouge(msgspec.Struct, frozen=True):
    """The scores of alignment-based ROUGE of one result."""

    rouge_1: InnerScores
    rouge_2: InnerScores


class NewsTlsResult(msgspec.Struct, frozen=True, array_like=True):
    """The scores and the timeline of one gold."""

    rouge: InnerRouge
    dates: InnerScores
    timeline: list[Any]

    @property
    def scores(self) -> tuple[InnerScores, InnerScores, InnerScores]:
        """The scores of AR-1, AR-2 and Date-F1."""
        return self.rouge.rouge_1, self.rouge.rouge_2, self.dates


class NewsTlsResults(msgspec.Struct, frozen=True):
    """A result file: the averages of AR-1, AR-2 and Date-F1, and a result for each gold."""

    average: tuple[InnerScores, InnerScores, InnerScores]
    results: tuple[NewsTlsResult, ...]


def read_results(source: Source, problems: Problems) -> NewsTlsResults | None:
    """Read a result file, or a value of that shape; None for anything else.

    >>> scores = {"precision": 1.0, "recall": 0.5, "f_score": 0.6666666666666666}
    >>> rouge = {"rouge_1": scores, "rouge_2": scores}
    >>> days = [["2011-02-11 00:00:00", ["Mubarak resigns."]]]
    >>> value = {"average": [scores] * 3, "results": [[rouge, scores, days]]}
    >>> read_results(ValueSource(value, "run"), Problems()).results[0].dates.recall
    0.5
    """
    raw = source.value if isinstance(source, ValueSource) else _json(source, problems)
    if not is_result_file(raw):
        return None
    results = []
    for number, result in enumerate(raw["results"], 1):
        try:
            results.append(msgspec.convert(result, NewsTlsResult))
        except msgspec.ValidationError:
            raise DataError.of(_SHAPE.format(number=number), source) from None
    try:
        return msgspec.convert({**raw, "results": results}, NewsTlsResults)
    except msgspec.ValidationError:
        raise DataError.of(_AVERAGE, source) from None


def is_result_file(value: Any) -> bool:
    """Whether a value has the keys of a result file, and lists under them."""
    return isinstance(value, Mapping) and all(isinstance(value.get(key), list) for key in _KEYS)


def _json(source: Source, problems: Problems) -> Any:
    """Return the value of a JSON file that may be a result file; errors are for other readers."""
    if source.suffix != ".json" or source.is_folder or not source.exists:
        return None
    source.replaces_bytes = True
    quiet = problems.unreported()
    text = source.text(quiet) or ""
    if any(f'"{key}"' not in text for key in _KEYS):
        return None
    try:
        value = parse_json(text)
    except JsonError:
        return None
    if is_result_file(value):
        problems.add(Findings(notices=quiet.findings.notices))
    return value


def places_of(golds: Golds) -> list[tuple[str, str]]:
    """Return the topic and the name of each gold, in the order of the results of a file.

    >>> places_of({"egypt": {"1": Timeline(), "2": Timeline()}, "H1N1": {"1": Timeline()}})
    [('H1N1', '1'), ('egypt', '1'), ('egypt', '2')]
    """
    return [(topic, name) for topic in sorted(golds) for name in golds[topic]]


def by_position(
    results: NewsTlsResults,
    golds: Golds,
    source: Source,
    problems: Problems,
    options: Mapping[str, str],
) -> Collection:
    """Read the timelines of a result file as predictions of the golds at their positions.

    They are refused, and the first pair that differs is named, unless there are as many as golds
    and the date precision and recall of each are those of its gold.
    """
    places = places_of(golds)
    if len(results.results) != len(places):
        problems.problem(
            f"{len(results.results)} results, and the gold has {len(places)} timelines; results "
            "have no names, so the gold must be the whole collection of the run",
            source,
        )
        return {}
    values = Values(problems, Policies(options, "predicted"))
    timelines: Collection = {}
    by_day = options.get("grain", "day") == "day"
    for number, ((topic, name), result) in enumerate(zip(places, results.results, strict=True), 1):
        timeline = values.timeline(result.timeline, source)
        timelines.setdefault(topic, {})[name] = timeline
        printed = (result.dates.precision, result.dates.recall)
        if by_day and (ratios := date_ratios(golds[topic][name], timeline)) != printed:
            problems.problem(
                f"result {number} is not of the gold '{topic}/{name}': its date precision and "
                f"recall are {printed[0]} and {printed[1]}, recomputed they are {ratios[0]} and "
                f"{ratios[1]}; results have no names, so give the golds of the run itself",
                source,
            )
            return {}
    return timelines


def date_ratios(gold: Timeline, predicted: Timeline) -> tuple[float, float]:
    """Return the share of predicted days that the gold has, and of gold days that are predicted.

    >>> from datetime import date
    >>> day, other = (Timeline.of({date(2011, 2, n): ["x"]}) for n in (11, 12))
    >>> date_ratios(day, day), date_ratios(day, other), date_ratios(day, Timeline())
    ((1.0, 1.0), (0.0, 0.0), (0.0, 0.0))
    """
    shared = len({*gold.dates} & {*predicted.dates})
    precision, recall = (
        shared / len(side.dates) if side.dates else 0.0 for side in (predicted, gold)
    )
    return precision, recall
