"""Recompute printed numbers, and find the reading that gives them where the stated one does not."""

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import msgspec

from chronoscore.compat import tempeval3
from chronoscore.core.case import Case
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.elements.dated.cases import read_side
from chronoscore.elements.dated.results import places_of, read_results
from chronoscore.engines.scoring import score
from chronoscore.engines.settings import Settings
from chronoscore.errors import ChronoscoreError, DataError
from chronoscore.families import family
from chronoscore.reproduction.catalogue import PrintedNumber, ReleasedOutput, Sums, path_of

Recomputed = Mapping[PrintedNumber, str | float | None]
_SYSTEM = "output"
_INNER_METRICS = ("AR-1", "AR-2", "Date-F1")
_INNER_SCORES = {"precision": "precision", "recall": "recall", "f_score": "f1"}
_FEW_DIGITS = 2
"""A number of this many digits or fewer may agree by chance with a wrong reading."""
_MANY_DIGITS = 15
"""From this many digits on, a printed number is the shortest text of one float."""


@dataclass(frozen=True)
class NumberVerdict:
    """A printed number and the recomputed one."""

    output: str
    number: str
    printed: str
    ours: str
    equal: bool
    digit: int | None = None
    """The first significant digit that differs."""
    reading: str = ""
    """What gives the printed number, where the stated reading does not."""


def recheck(
    output: ReleasedOutput, gold: Path, predicted: Path, problems: Problems
) -> list[NumberVerdict]:
    """Recompute every number of an output, and compare each with what was printed."""
    numbers = output.numbers
    if output.inside:
        numbers = tuple(inner_numbers(gold, predicted, problems, output.options))
    ours = recompute(output, numbers, gold, predicted, problems)
    differing = [number for number in numbers if not is_equal(number.printed, ours[number])]
    readings = dict.fromkeys(differing, "")
    for reading in READINGS[output.family] if differing and not output.program else ():
        others = {number: reading.number(number, output.family) for number in differing}
        try:
            values = recompute(
                reading.output(output),
                tuple(others.values()),
                gold,
                predicted,
                Problems(problems.options),
            )
        except ChronoscoreError:
            continue  # not every reading suits every output
        for number, other in others.items():
            telling = significant_digits(number.printed) > _FEW_DIGITS
            if telling and not readings[number] and is_equal(number.printed, values[other]):
                readings[number] = reading.name
    return [
        NumberVerdict(
            output.name,
            number.name,
            number.printed,
            written := _written(ours[number], number.printed),
            number not in readings,
            first_difference(number.printed, written) if number in readings else None,
            readings.get(number, ""),
        )
        for number in numbers
    ]


def inner_numbers(
    gold: Path, predicted: Path, problems: Problems, options: Mapping[str, str]
) -> Iterator[PrintedNumber]:
    """Return the scores inside a result file of news-tls: its averages, then those of each gold."""
    source = source_of(predicted)
    results = read_results(source, problems)
    if results is None:
        read_side(source, problems, options, "predicted")  # which reports JSON that can't be read
        problems.check()
        raise DataError.of(
            "no result file of news-tls: expected JSON with the lists 'average' and 'results'",
            source,
        )
    places = places_of(read_side(source_of(gold), Problems(problems.options), options, "gold"))
    # How many there must be is checked where the file is read as a prediction.
    cases = zip(places, (result.scores for result in results.results), strict=False)
    for case, several in ((None, results.average), *cases):
        name = "/".join(case) if case else "average"
        for metric, scores in zip(_INNER_METRICS, several, strict=True):
            for inner, score_name in _INNER_SCORES.items():
                printed = repr(getattr(scores, inner))
                yield PrintedNumber(f"{name} {metric} {inner}", metric, score_name, printed, case)


def recompute(
    output: ReleasedOutput,
    numbers: Sequence[PrintedNumber],
    gold: Path,
    predicted: Path,
    problems: Problems,
) -> Recomputed:
    """Score an output as its source did, and return our value of each number.

    Numbers inside a result file have all their digits, and so have ours in its place.
    """
    if output.program:
        return _printout(numbers, gold, predicted, problems)
    home = family(output.family)
    settings = Settings.make(
        home,
        protocol=output.protocol or None,
        metrics=tuple(dict.fromkeys(number.metric for number in numbers)),
        average=output.average or None,
        options=output.options,
        by=("case",),
    )
    cases: list[Case[Any, Any]] = []
    for name in output.each_topic:
        sides = [source_of(path_of(path, name)) for path in (gold, predicted)]
        read = home.read_cases(sides[0], {_SYSTEM: sides[1]}, problems, settings.reader_options)
        cases += read[_SYSTEM]
    problems.check()
    (system,) = score(settings, {_SYSTEM: cases}).result.systems
    whole = {summary.metric: summary.scores for summary in system.summaries if not summary.group}
    by_case = {
        (summary.metric, summary.group["case"]): summary.scores
        for summary in system.summaries
        if summary.group
    }
    # The order of the original: topics by name, then the golds of a topic by number.
    topic = home.levels[1]
    places = {(case.tags[topic], case.tags["gold"]): case.id for case in cases}
    in_order = [
        places[place] for place in sorted(places, key=lambda at: (at[0], len(at[1]), at[1]))
    ]
    mean_pr = settings.path.steps[0].rule == "mean-pr"

    def value(number: PrintedNumber) -> float | None:
        metric = str(home.metric(number.metric))
        if number.case is not None:
            return by_case.get((metric, places.get(number.case, "")), {}).get(number.score)
        if not output.sums:
            return whole[metric].get(number.score)  # another metric may not have this score
        rows = [by_case[metric, case] for case in in_order]
        return _mean(rows, number.score, MEANS[output.sums], mean_pr=mean_pr)

    values = {number: value(number) for number in numbers}
    if output.inside:
        return {number: None if one is None else repr(one) for number, one in values.items()}
    return values


def _left_to_right(values: Sequence[float]) -> float:
    """Return the mean by a plain sum; `sum` itself compensates for rounding from Python 3.12 on."""
    return reduce(add, values) / len(values)


MEANS: Mapping[Sums, Callable[[Sequence[float]], float]] = {
    "left to right": _left_to_right,
    "statistics.mean": statistics.mean,
}


def _mean(
    rows: Sequence[Mapping[str, float | None]],
    score_name: str,
    mean: Callable[[Sequence[float]], float],
    *,
    mean_pr: bool,
) -> float:
    """Average the scores of all golds; with `mean_pr`, F is that of mean P and mean R."""

    def of(name: str) -> float:
        return mean([row[name] or 0.0 for row in rows])

    if score_name != "f1" or not mean_pr:
        return of(score_name)
    precision, recall = of("precision"), of("recall")
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _printout(
    numbers: Sequence[PrintedNumber], gold: Path, predicted: Path, problems: Problems
) -> Recomputed:
    """Take the numbers from the print-out of the drop-in for the TempEval-3 toolkit."""
    lines = iter(tempeval3.printout(gold, predicted, problems).splitlines())
    next(line for line in lines if line.startswith("Temporal Score"))
    scores = dict(zip(("f1", "precision", "recall"), next(lines).split(), strict=True))
    return {number: scores[number.score] for number in numbers}


# The digits of a number


def is_equal(printed: str, ours: str | float | None) -> bool:
    """Whether our value, written as the source writes its own, is what was printed.

    >>> is_equal("0.7482", 0.74824), is_equal("0.7482", 0.7483), is_equal("67.2406", "67.2406")
    (True, False, True)
    """
    return _written(ours, printed) == printed


def _written(ours: str | float | None, printed: str) -> str:
    """Write our value with the digits of the printed one."""
    if ours is None:
        return "undefined"
    if isinstance(ours, str):
        return ours
    if significant_digits(printed) >= _MANY_DIGITS:
        return repr(ours)
    return f"{ours:.{len(printed.partition('.')[2])}f}"


def significant_digits(printed: str) -> int:
    """Count the digits of a number from the first that is not 0.

    >>> significant_digits("0.0863"), significant_digits("67.2406"), significant_digits("0.0")
    (3, 6, 0)
    """
    mantissa = printed.partition("e")[0]
    return sum(map(str.isdecimal, mantissa.lstrip("-0.")))


def first_difference(printed: str, ours: str) -> int:
    """Return the number of the first significant digit that differs, counted from 1.

    >>> first_difference("0.0863", "0.0875"), first_difference("40.2624", "39.8808")
    (2, 1)
    """
    digits = [f"{text:0<40}" for text in (printed, ours)]
    same = 0
    for one, other in zip(*digits, strict=False):
        if one != other:
            break
        same += one.isdecimal() and (same > 0 or one != "0")
    return same + 1


# Other readings


@dataclass(frozen=True)
class OtherReading:
    """A way to score that differs from the stated one in one respect."""

    name: str
    options: Mapping[str, str] = field(default_factory=dict)
    average: str = ""
    metric: str = ""
    """The metric in place of the stated one; `{rouge}` stands for the length of its n-grams."""

    def output(self, output: ReleasedOutput) -> ReleasedOutput:
        """Return an output that is scored in this way."""
        return msgspec.structs.replace(
            output,
            options={**output.options, **self.options},
            average=self.average or output.average,
        )

    def number(self, number: PrintedNumber, home: str) -> PrintedNumber:
        """Return a number under the metric of this reading."""
        rouge = family(home).metric(number.metric).values.get("rouge")
        if not self.metric or ("{rouge}" in self.metric and rouge is None):
            return number
        return msgspec.structs.replace(number, metric=self.metric.format(rouge=rouge))


READINGS: Mapping[str, tuple[OtherReading, ...]] = {
    "timelines": (
        OtherReading("repeated gold dates joined", {"repeated_gold": "join"}),
        OtherReading("the first of repeated gold dates", {"repeated_gold": "first"}),
        OtherReading("the last of repeated gold dates", {"repeated_gold": "last"}),
        OtherReading("repeated predicted dates joined", {"repeated": "join"}),
        OtherReading("the first of repeated predicted dates", {"repeated": "first"}),
        OtherReading("mean of F over golds", average="gold+topic:mean-f>trial:mean-f"),
        OtherReading("F of mean P and mean R", average="gold+topic:mean-pr>trial:mean-f"),
        OtherReading("all golds of a topic together", {"golds": "pooled"}),
        *(
            OtherReading(f"metric {name}", metric=f"{name}(rouge={{rouge}})")
            for name in ("concat", "agreement", "align", "align+", "align+m:1")
        ),
    ),
    "tlinks": (
        OtherReading("gold pairs that are VAGUE left out", metric="matres(vague=skip)"),
        OtherReading("temporal awareness", metric="awareness"),
    ),
}
"""By family, what is tried where the stated reading does not give the printed number."""
