"""What metrics say of systems, of topics and of single events, from saved results."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan

import numpy as np

from chronoscore.core.errors import DataError, Problem
from chronoscore.core.event import Event
from chronoscore.core.evidence import Match
from chronoscore.core.family import UNDEFINED_POLICIES, Family
from chronoscore.core.ledger import Ledger
from chronoscore.core.result import CaseMatches, Interval, MetricInfo, Result
from chronoscore.rubric.correlation.people import Judged, Key, Places
from chronoscore.statistics.averaging import Path, average


@dataclass(frozen=True)
class Saved:
    """A saved result, its family, and the matches beside it where events are asked about."""

    result: Result
    family: Family
    matches: Sequence[CaseMatches] = ()


@dataclass
class Scores:
    """What one metric says of items; higher is better."""

    family: str
    metric: str
    label: str
    turned: bool
    values: dict[Key, float] = field(default_factory=dict)
    intervals: dict[Key, Interval] = field(default_factory=dict)


Found = Iterator[tuple[MetricInfo, Key, float, Interval | None]]


def less_is_better(info: MetricInfo) -> bool:
    """Whether a metric's sign is to be turned, so that higher is better."""
    return info.better == "lower"


def never(_: MetricInfo) -> bool:
    """Turn nothing: credit is better if it is higher, whatever the metric."""
    return False


def gathered(
    found: Iterable[tuple[Result, Found]], turn: Callable[[MetricInfo], bool] = less_is_better
) -> list[Scores]:
    """Unite the scores of all results by metric; the same system twice is an error.

    A metric that has no score for anything is there all the same, so that it can be told.
    """
    made: dict[tuple[str, str], Scores] = {}
    problems: dict[str, Problem] = {}
    kept = list(found)
    several = len({result.family for result, _ in kept}) > 1
    for result, scores in kept:
        family = result.family
        for info in result.metrics:
            label = f"{family} {info.label}" if several else info.label
            made.setdefault((family, info.name), Scores(family, info.name, label, turn(info)))
        fresh: set[tuple[str, str, Key]] = set()
        for info, key, value, interval in scores:
            own = made[family, info.name]
            turned, label = own.turned, own.label
            if key in own.values and (family, info.name, key) not in fresh:
                message = f"two results have {label} of the system '{key[0]}'"
                problems[message] = Problem(message)
            fresh.add((family, info.name, key))
            own.values[key] = -value if turned else value
            if interval is not None:
                own.intervals[key] = _turned(interval) if turned else interval
    if problems:
        raise DataError(problems.values())
    return list(made.values())


def _turned(one: Interval) -> Interval:
    return Interval(-one.high, -one.low, one.level, one.method, one.clusters, one.unit)


def of_systems(result: Result) -> Found:
    """The main score of each system as it was printed."""
    metrics = {info.name: info for info in result.metrics}
    for system in result.systems:
        if system.name.startswith("("):
            continue  # the golds themselves
        for summary in system.summaries:
            info = metrics[summary.metric]
            value = summary.scores[info.primary]
            if not summary.group and value is not None:
                yield info, (system.name, ""), value, summary.intervals.get(info.primary)


def of_topics(one: Saved, places: Places) -> Found:
    """The main score of each system on each topic, averaged as the result was."""
    result, family = one.result, one.family
    path = Path.parse(result.path, family.levels)
    policy = next(name for name in UNDEFINED_POLICIES if name == result.undefined)
    for system in result.systems:
        if system.name.startswith("("):
            continue
        rows = Ledger.of(system.rows)
        topics = np.array(
            [
                places.topic({name: column[at] for name, column in rows.tags.items()})
                for at in range(len(rows))
            ]
        )
        for topic in sorted(set(topics.tolist()) - {""}):
            part = rows.take(np.flatnonzero(topics == topic))
            for info in result.metrics:
                if info.curve:
                    continue
                metric = family.metric(info.name)
                found = average(metric, part.statistics[info.name], part.tags, path, policy)
                value = float(found[metric.scores.index(info.primary)])
                if not isnan(value):
                    yield info, (system.name, topic), value, None


def of_events(one: Saved, judged: Judged, places: Places) -> Found:
    """The share of its possible credit that each judged event got, from the matches.

    Matches name what they set against the gold: an event's id, its mentions, or its day, whichever
    a metric knows; a day's share is that of all its events.
    """
    tags = {
        (system.name, row.case): row.tags for system in one.result.systems for row in system.rows
    }
    for info in one.result.metrics:
        own = [item for item in one.matches if item.metric == info.name]
        index = _index(own, tags, places)
        wanted = [*zip(judged.systems, judged.events, strict=True)]
        for how in (_by_id, _by_mention, _by_day):
            shares = {
                key: share
                for key in wanted
                if (share := _share(how(key, places.event(*key), index))) is not None
            }
            if shares:
                yield from ((info, key, value, None) for key, value in shares.items())
                break


Index = Mapping[tuple[str, str, str], Sequence[Match]]
"""Matches by system, topic (or nothing), and a word of what was predicted."""


def _index(
    own: Iterable[CaseMatches], tags: Mapping[tuple[str, str], Mapping[str, str]], places: Places
) -> Index:
    found: dict[tuple[str, str, str], list[Match]] = {}
    for item in own:
        topic = places.topic(tags.get((item.system, item.case), {}))
        for match in item.matches:
            if match.side == "recall" or not match.predicted:
                continue
            for word in dict.fromkeys(match.predicted.replace(",", " ").split()):
                found.setdefault((item.system, "", word), []).append(match)
            found.setdefault((item.system, topic, f"={match.predicted}"), []).append(match)
    return found


def _by_id(key: Key, _: Event | None, index: Index) -> Sequence[Match]:
    return index.get((key[0], "", key[1]), ())


def _by_mention(key: Key, event: Event | None, index: Index) -> Sequence[Match]:
    mentions = event.mentions if event else ()
    return [match for name in mentions for match in index.get((key[0], "", name), ())]


def _by_day(key: Key, event: Event | None, index: Index) -> Sequence[Match]:
    if event is None or not event.topic:
        return ()
    return index.get((key[0], event.topic, f"={event.date}"), ())


def _share(matches: Sequence[Match]) -> float | None:
    possible = sum(match.possible for match in matches)
    return sum(match.credit for match in matches) / possible if possible else None
