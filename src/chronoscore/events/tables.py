"""What tables of events say beside their scores."""

from collections.abc import Collection, Iterator

from chronoscore.core.names import parse
from chronoscore.core.result import MetricInfo, ResultDocument
from chronoscore.reports.result_tables import FamilyTables, wholes
from chronoscore.reports.table import shown

_SETTING = ("similarity", "tokens", "closeness", "time_weight", "threshold")
_REUSED = 0.1
"""The rate of reused texts from which on a table says so."""


def remarks(result: ResultDocument) -> Iterator[str]:
    """Yield the setting of the matching, how many events are matched, and what to beware of."""
    settings = {
        ", ".join(f"{name} {values[name]}" for name in _SETTING if name in values)
        for metric in result.metrics
        for values in [parse(metric.name)[1]]
    }
    if len(settings) == 1:
        yield f"matched by {settings.pop()}"
    if rates := _metric(result, "event-rates"):
        yield from _rate_lines(result, rates)
    yield "experimental: no study with people of whole timelines exists yet (docs/choosing.md)"


def _metric(result: ResultDocument, name: str) -> MetricInfo | None:
    return next((one for one in result.metrics if parse(one.name)[0] == name), None)


def _rate_lines(result: ResultDocument, metric: MetricInfo) -> Iterator[str]:
    names = [statistic.name for statistic in metric.statistics]
    lines, reused, short = [], [], False
    for system, summary in wholes(result, metric.name):
        counts = dict(zip(names, summary.statistics, strict=True))
        rates = ", ".join(f"{name} {shown(summary.scores[name])}" for name in metric.scores)
        lines.append(
            f"{system.name}: {counts['matched']:g} matched of {counts['predicted']:g} predicted "
            f"and {counts['gold']:g} gold; {rates}"
        )
        if (summary.scores["reused"] or 0) > _REUSED:
            reused.append(system.name)
        short = short or 2 * counts["short"] > counts["gold"]
    yield from lines
    if reused:
        yield (
            f"one text is told for several gold events by {', '.join(reused)}: event-f1 and "
            "event-timed can be bought so, event-soft can't"
        )
    if short:
        yield (
            "most gold texts have fewer than 6 tokens: of such fragments about one pair in three "
            "is what people would match, and one in three is found"
        )


def hidden(result: ResultDocument) -> Collection[str]:
    """Return the metrics by whole days where no file is by day, so that they say nothing more."""
    scores = {
        metric.name: [summary.scores for _, summary in wholes(result, metric.name)]
        for metric in result.metrics
    }
    by_day = {}
    for metric in result.metrics:
        name, values = parse(metric.name)
        if values.pop("unit", "") == "day":
            by_day[metric.name] = (name, values)
    usual = {_key(*parse(name)): name for name in scores}
    return [
        name
        for name, key in by_day.items()
        if (other := usual.get(_key(*key))) is not None and scores[other] == scores[name]
    ]


def _key(name: str, values: dict[str, str | tuple[str, ...]]) -> tuple[object, ...]:
    return name, *sorted(values.items())


TABLES = FamilyTables(remarks=remarks, hidden=hidden)
