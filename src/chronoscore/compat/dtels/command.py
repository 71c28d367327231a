"""Collections of topics, the two files of the original, its print-out and its command."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from math import isnan
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import msgspec
import numpy as np
from msgspec import UNSET

from chronoscore.api import score
from chronoscore.compat.dtels.measures import (
    WHOLE_GOLD,
    DroppedTopicError,
    DtelsNode,
    DtelsScore,
    DtelsTopic,
    DtelsTopicScore,
    Id,
    Nodes,
    Tokens,
    converted,
    day_of,
    jieba_tokens,
    joined,
    nodes_of,
    not_blank,
    score_topic,
)
from chronoscore.core.problems import Problems, escaped
from chronoscore.core.records import read_records
from chronoscore.core.sources import ValueSource, source_of
from chronoscore.errors import ChronoscoreError, DataError, Problem, UsageError
from chronoscore.reports.table import Table
from chronoscore.reports.terminal import notice_lines, terminal

Dropped = Literal["error", "skip"]
Place = tuple[str, int | None]
"""A file and a line."""


class DtelsGold(DtelsTopic, frozen=True, kw_only=True):
    """A line of the gold."""

    id: Id


class DtelsPrediction(msgspec.Struct, frozen=True):
    """A line of the prediction."""

    id: Id
    timeline: tuple[DtelsNode, ...]


_Line = TypeVar("_Line", DtelsGold, DtelsPrediction)
_Topics = tuple[dict[Id, _Line], dict[Id, Place]]


@dataclass(frozen=True)
class DtelsResult:
    """The scored topics, why others were left out, and the means over those that were scored."""

    topics: Mapping[Id, DtelsTopicScore]
    dropped: Mapping[Id, str]

    @property
    def overall(self) -> DtelsScore:
        """The means over the scored topics."""
        rows = [astuple(topic.numbers) for topic in self.topics.values()]
        return DtelsScore(*(float(np.mean(column)) for column in zip(*rows, strict=True)))


def score_topics(
    gold: Iterable[DtelsGold | Mapping[str, Any]],
    predicted: Iterable[DtelsPrediction | Mapping[str, Any]],
    level: str = WHOLE_GOLD,
    *,
    dropped: Dropped = "error",
    tokens: Tokens = jieba_tokens,
) -> DtelsResult:
    """Score the topics that gold and prediction share, as the inner script of the original does.

    Gold topics without a prediction do not count, nor do those without `timeline` or
    `meta_timeline`. A topic that makes the original raise an exception is a `DataError`, unless
    `dropped` is ``"skip"``.
    """
    golds = converted(tuple(gold), tuple[DtelsGold, ...])
    lines = converted(tuple(predicted), tuple[DtelsPrediction, ...])
    sides: dict[str, Sequence[DtelsGold | DtelsPrediction]] = {"gold": golds, "predicted": lines}
    for name, side in sides.items():
        topic, times = Counter(line.id for line in side).most_common(1)[0] if side else ("", 0)
        if times > 1:
            raise DataError.of(f"{name} has topic {topic!r} twice: keep one of them")
    by_topic = {line.id: line for line in golds}
    return _checked(_score_lines(by_topic, lines, level, tokens), dropped, {})


def _score_lines(
    golds: Mapping[Id, DtelsGold],
    predicted: Iterable[DtelsPrediction],
    level: str,
    tokens: Tokens,
) -> DtelsResult:
    articles = {topic: gold.docs for topic, gold in golds.items()}
    topics: dict[Id, DtelsTopicScore] = {}
    dropped: dict[Id, str] = {}
    for line in predicted:
        gold = golds.get(line.id)
        if gold is None or not gold.is_scored:
            continue
        try:
            topics[line.id] = score_topic(
                line.timeline, gold, level, articles=articles, topic=line.id, tokens=tokens
            )
        except DroppedTopicError as error:
            dropped[line.id] = (
                f"{error}{f' (the original: {error.original})' * bool(error.original)}"
            )
    return DtelsResult(topics, dropped)


def _checked(result: DtelsResult, dropped: Dropped, places: Mapping[Id, Place]) -> DtelsResult:
    """Refuse topics that can't be scored, unless they are to be skipped; something must be left."""
    if dropped not in get_args(Dropped):
        raise UsageError(f"dropped is {dropped!r}, expected 'error' or 'skip'")
    if dropped == "error" and result.dropped:
        raise DataError(
            Problem(
                f"topic {topic!r} can't be scored: {reason}; mend it, or leave it out of the mean, "
                "as the original does, with --dropped skip (in Python: dropped='skip')",
                *places.get(topic, ()),
            )
            for topic, reason in result.dropped.items()
        )
    if not result.topics:
        raise DataError.of(
            "nothing was scored: no topic is left that has a prediction and a gold with 'timeline' "
            "and 'meta_timeline'"
        )
    return result


# Files


@dataclass(frozen=True)
class DtelsFiles:
    """What the two files hold, by topic."""

    golds: Mapping[Id, DtelsGold]
    predicted: Mapping[Id, DtelsPrediction]
    places: Mapping[Id, Place]
    """The file and line of each prediction."""


def score_files(
    gold: Path | str,
    predicted: Path | str,
    level: str = WHOLE_GOLD,
    *,
    dropped: Dropped = "error",
    tokens: Tokens = jieba_tokens,
    problems: Problems | None = None,
) -> DtelsResult:
    """Score two files, as the outer script of the original does: they must have the same topics.

    Raises a `DataError` with every problem of the files; `problems` collects the notices.
    """
    problems = problems or Problems()
    files = read_files(gold, predicted, problems)
    return _score_read(files, level, dropped, tokens, problems)


def read_files(gold: Path | str, predicted: Path | str, problems: Problems) -> DtelsFiles:
    """Read both files; raise every problem of them as one error."""
    golds, gold_places = _read(gold, DtelsGold, problems)
    predictions, places = _read(predicted, DtelsPrediction, problems)
    problems.check()
    for topic in [topic for topic in golds if topic not in predictions]:
        problems.problem(
            f"topic {topic!r} has no line in {predicted}: predict it, with an empty 'timeline' if "
            "there is nothing to tell",
            *gold_places[topic],
        )
    for topic in [topic for topic in predictions if topic not in golds]:
        problems.problem(f"topic {topic!r} is not in {gold}: leave it out", *places[topic])
    problems.check()
    for topic, line in golds.items():
        missing = [name for name in ("timeline", "meta_timeline") if getattr(line, name) is UNSET]
        if missing:
            problems.notice(
                f"topic {topic!r} has no '{missing[0]}': it is not scored, as in the original",
                *gold_places[topic],
            )
        if WHOLE_GOLD in (line.meta_timeline or {}):
            problems.notice(
                f"topic {topic!r} has a level named {WHOLE_GOLD!r}, which is the name of the whole "
                "gold: it is ignored",
                *gold_places[topic],
            )
    return DtelsFiles(golds, predictions, places)


def _read(path: Path | str, kind: type[_Line], problems: Problems) -> _Topics[_Line]:
    source = source_of(Path(path))
    lines: dict[Id, _Line] = {}
    places: dict[Id, Place] = {}
    numbers: dict[Id, int] = {}
    for number, line in read_records(source, kind, problems):
        if line.id in lines:
            first = source.refer(numbers[line.id], number)
            message = f"topic {line.id!r} is there twice, first in {first}: keep one of the lines"
            problems.problem(message, source, number)
        else:
            lines[line.id], numbers[line.id] = line, number
            places[line.id] = source.place(number)
    return lines, places


def _score_read(
    files: DtelsFiles, level: str, dropped: Dropped, tokens: Tokens, problems: Problems
) -> DtelsResult:
    result = _score_lines(files.golds, files.predicted.values(), level, tokens)
    result = _checked(result, dropped, files.places)
    for topic, reason in result.dropped.items():
        problems.notice(
            f"topic {topic!r} is left out of the mean, as in the original: {reason}",
            *files.places[topic],
        )
    missing = [topic for topic in result.topics if level not in files.golds[topic].levels]
    problems.count(
        f"without level {escaped(level)}, and so scored against the whole gold: {{count}} "
        "topic{s} ({some})",
        [(0, repr(topic)) for topic in missing],
    )
    ties = [
        (0, f"{id_!r} of {topic!r}")
        for topic, scored in result.topics.items()
        for id_ in scored.factuality.ties
    ]
    problems.count(
        "the factuality of the original depends on the processor for {count} node{s} ({some}): "
        "more segments than three are the best ones, with equal ranks; the last of them are taken",
        ties,
    )
    return result


# The command


FACTS = "event-facts"
"""Our metric of facts; its precision stands beside factuality."""
_FAULTS = (
    (
        "info",
        "informativeness",
        "event-timed",
        "no recall: it divides by the predicted nodes alone; a calendar in which every month has "
        "31 days and every year 366; two missing dates count as a perfect date; additional text, "
        "even a negation, costs nothing",
    ),
    (
        "granu",
        "granularity",
        "event-order",
        "a constant: 1 with two or more matches, whatever their dates and order, and 0 otherwise; "
        "if you name a level it may be lower, but is not the score of that level",
    ),
    (
        "fact",
        "factuality",
        FACTS,
        "BM25 splits text at white space, which Chinese does not have, so it takes the last three "
        "segments; a fact across a cut at 256 characters is lost; an atom is true if half of its "
        "words occur in their order, whatever the text says (ours is the share of predicted facts "
        "that the matched gold event has too: a fact that the gold lacks may be true, and whether "
        "articles support it needs verdicts)",
    ),
    (
        "score",
        "score",
        "",
        "the mean of three unlike numbers, one of which is a constant (ours are not averaged)",
    ),
)
"""The key of each number, its field, our metric that answers the same question, and its faults."""


def printout(overall: DtelsScore) -> str:
    """Return the line of JSON that the outer script prints.

    >>> printout(DtelsScore(0.5, 1.0, 0.0, 0.5))
    '{"success": true, "score": 0.5, "scoreJson": {"info": 0.5, "granu": 1.0, "fact": 0.0, \
"score": 0.5}}'
    """
    numbers = {key: getattr(overall, name) for key, name, _, _ in _FAULTS}
    return json.dumps({"success": True, "score": overall.score, "scoreJson": numbers})


def fault_table(overall: DtelsScore, our_scores: Mapping[str, float]) -> Table:
    """Return a table of each number, ours beside it, and the faults that make the difference."""
    defined = {metric: score for metric, score in our_scores.items() if not isnan(score)}
    rows = [
        (key, getattr(overall, name), metric or "-", defined.get(metric, "-"), faults)
        for key, name, metric, faults in _FAULTS
    ]
    return Table.of(
        "The numbers of DTELS, and ours",
        ("number", "DTELS", "our metric", "ours", "faults"),
        rows,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 2 for wrong usage and 3 for data that can't be scored."""
    parser = argparse.ArgumentParser(
        prog="python -m chronoscore.compat.dtels",
        description="Score timelines as the evaluation of DTELS and CCKS-2025 does.",
    )
    parser.add_argument("gold", help="JSON lines with id, timeline, meta_timeline and docs")
    parser.add_argument("predicted", help="JSON lines with id and timeline")
    parser.add_argument(
        "--level", default=WHOLE_GOLD, metavar="N", help="level of the gold, such as 5; default: N"
    )
    parser.add_argument(
        "--dropped",
        choices=("error", "skip"),
        default="error",
        help="what to do with a topic that makes the original raise an exception; skip leaves it "
        "out, as the original does",
    )
    options = parser.parse_args(arguments)
    problems = Problems()
    try:
        files = read_files(options.gold, options.predicted, problems)
        result = _score_read(files, options.level, options.dropped, jieba_tokens, problems)
    except ChronoscoreError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    our_scores: Mapping[str, float] = {}
    try:
        gold = {topic: files.golds[topic].nodes(options.level) for topic in result.topics}
        predicted = {topic: files.predicted[topic].timeline for topic in result.topics}
        if setting := setting_of((gold.values(), predicted.values())):
            problems.notice(f"ours are computed with {setting}, since most of the text is Chinese")
        our_scores = ours(gold, predicted, setting)
    except ChronoscoreError as error:
        problems.notice(f"there are no scores of ours: {error}")
    sys.stdout.write(printout(result.overall) + "\n")
    sys.stderr.write(notice_lines(map(str, problems.notices)))
    sys.stderr.write(terminal(fault_table(result.overall, our_scores)))
    return 0


# Ours


def events_of(nodes: Nodes) -> list[dict[str, Any]]:
    """Return nodes as the events that our own metrics score; a time that is no day is left out.

    >>> events_of([{"time": "2011-02-11T00:00:00", "summary": "穆巴拉克辞职"}])
    [{'text': '穆巴拉克辞职', 'facts': [], 'date': '2011-02-11'}]
    """
    events: list[dict[str, Any]] = []
    for node in nodes_of(nodes):
        text = node.summary if node.summary.strip() else joined(node.atoms)
        events.append({"text": text, "facts": not_blank(node.atoms)})
        if day := day_of(node.time):
            events[-1]["date"] = day.isoformat()
    return events


CHINESE = "tokens=jieba,threshold=0.2"
"""How our metrics read texts that are Chinese: jieba's words, and the threshold for words that are
no stems."""


def setting_of(sides: Iterable[Iterable[Nodes]]) -> str:
    """Return the parameters of our metrics for these nodes: `CHINESE`, or none.

    >>> setting_of([[[{"summary": "穆巴拉克辞职"}], [{"summary": "Cairo"}]]])
    'tokens=jieba,threshold=0.2'
    """
    texts = (event["text"] for side in sides for nodes in side for event in events_of(nodes))
    letters = [letter for text in texts for letter in text if letter.isalpha()]
    chinese = sum("\u4e00" <= letter <= "\u9fff" for letter in letters)
    return CHINESE if 2 * chinese > len(letters) else ""


def ours(
    gold: Mapping[Id, Nodes], predicted: Mapping[Id, Nodes], setting: str | None = None
) -> Mapping[str, float]:
    """Return the scores of our own metrics, by name, for the nodes of the same topics.

    The parameters of the metrics are those of `setting_of`, unless others are given. Facts are
    compared with those of the gold where both sides have any.
    """
    if setting is None:
        setting = setting_of((gold.values(), predicted.values()))
    sides = [{str(topic): events_of(side[topic]) for topic in gold} for side in (gold, predicted)]
    has_facts = all(any(e["facts"] for nodes in side.values() for e in nodes) for side in sides)
    names = [metric for _, _, metric, _ in _FAULTS if metric and (metric != FACTS or has_facts)]
    metrics = {name: f"{name}({setting})" if setting else name for name in names}
    sources = (
        ValueSource(side, name) for side, name in zip(sides, ("gold", "predicted"), strict=True)
    )
    result = score("events", *sources, metrics=metrics.values())
    scores = {name: result[metric] for name, metric in metrics.items()}
    return {name: one.precision if name == FACTS else float(one) for name, one in scores.items()}
