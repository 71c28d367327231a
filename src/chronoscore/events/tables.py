"""What tables of events say beside their scores, and of each pair."""

from collections.abc import Collection, Iterator, Mapping

from chronoscore.core.evidence import Match
from chronoscore.core.metric import Metric
from chronoscore.core.names import parse
from chronoscore.core.result import MetricInfo, ResultDocument, Summary
from chronoscore.elements.time.closeness import Closeness
from chronoscore.reports.result_tables import FamilyTables, wholes
from chronoscore.reports.table import shown

_SETTING = ("similarity", "tokens", "closeness", "time_weight", "threshold")
_RATES = (
    *("gold", "predicted", "matched", "split", "merged", "repeat", "gold_repeat"),
    *("reused", "short"),
)
_REUSED = 0.1
"""The rate of reused texts from which on a table says so."""


def remarks(result: ResultDocument) -> Iterator[str]:
    """Yield the setting of the matching, how many events are matched, and what to beware of."""
    settings = {setting_in_words(metric) for metric in result.metrics} - {""}
    if len(settings) == 1:
        yield f"matched by {settings.pop()}"
    if rates := rates_of(result):
        for system, summary in wholes(result, rates.name):
            counts = counts_of(rates, summary)
            shares = ", ".join(f"{name} {shown(summary.scores[name])}" for name in rates.scores)
            yield (
                f"{system.name}: {counts['matched']:g} matched of {counts['predicted']:g} "
                f"predicted and {counts['gold']:g} gold; {shares}"
            )
    yield from warnings(result)


def setting_in_words(metric: MetricInfo) -> str:
    """Name what decides which events are matched under a metric."""
    values = parse(metric.name)[1]
    if not {*_SETTING} <= values.keys():  # as for days of treatment, which match nothing
        return ""
    return (
        f"{values['similarity']} of {values['tokens']}, {values['closeness']} times, "
        f"time weight {values['time_weight']}, threshold {values['threshold']}"
    )


def metric_of(result: ResultDocument, name: str) -> MetricInfo | None:
    """Return the first metric of a definition, if the result has one."""
    return next((one for one in result.metrics if parse(one.name)[0] == name), None)


def rates_of(result: ResultDocument) -> MetricInfo | None:
    """Return the rates of a result, unless another version counted other things under them."""
    rates = metric_of(result, "event-rates")
    if rates is None or not {*_RATES} <= {statistic.name for statistic in rates.statistics}:
        return None
    return rates if "reused" in rates.scores else None


def counts_of(metric: MetricInfo, summary: Summary) -> dict[str, float]:
    """Return the statistics of a summary by name."""
    names = (statistic.name for statistic in metric.statistics)
    return dict(zip(names, summary.statistics, strict=True))


def warnings(
    result: ResultDocument, reused_rates: Mapping[str, float] | None = None
) -> Iterator[str]:
    """Yield what to beware of; `reused_rates` are by system, for results that have no rates."""
    reused_of, short = dict(reused_rates or {}), False
    if rates := rates_of(result):
        for system, summary in wholes(result, rates.name):
            counts = counts_of(rates, summary)
            reused_of[system.name] = summary.scores["reused"] or 0.0
            short = short or 2 * counts["short"] > counts["gold"]
    reused = [name for name, rate in reused_of.items() if rate > _REUSED]
    if reused:
        yield (
            f"one text is matched with several gold events by {', '.join(reused)}: event-f1 and "
            "event-timed can be raised in this way without merit, event-soft can't"
        )
    if short:
        yield (
            "most gold texts have fewer than 6 tokens: of such fragments about one pair in three "
            "is what people would match, and one in three is found"
        )
    yield "experimental: we know of no study that compares it with people's judgements"


def pair_words(metric: Metric, match: Match) -> Iterator[str]:
    """Yield how alike the texts of a pair are, and how far its dates are off.

    >>> from chronoscore.events.family import FAMILY
    >>> pair = Match("both", "matched", 0.5, 1.0, "e1", "e2", distance=1, weight=0.5, shared=0.75)
    >>> [*pair_words(FAMILY.metric("event-timed"), pair)]
    ['similarity 0.75', '1 day apart', 'closeness 0.5']
    """
    if match.shared is None:
        return  # an event that is not matched
    yield f"similarity {match.shared:.3g}"
    if match.distance is not None:
        yield distance_in_words(metric, match.distance)
    yield f"closeness {match.weight:.3g}"


def distance_in_words(metric: Metric, distance: float) -> str:
    """Write how far two dates are off, in the unit of the metric's closeness."""
    noun = distance_noun(str(metric.values["closeness"]))
    if not distance:
        return "same date" if noun == "day" else "same time"
    return f"{distance:.4g} {noun}{'s' * (distance != 1)} apart"


def distance_noun(closeness: str) -> str:
    """Return the noun for the unit in which a rule of closeness counts.

    >>> distance_noun("near"), distance_noun("within(24h)")
    ('day', 'hour')
    """
    unit = Closeness.parse(closeness).unit
    return {"ms": "millisecond", "us": "microsecond"}.get(unit, unit)


def hidden(result: ResultDocument) -> Collection[str]:
    """Return the metrics by whole days where no file is by day, so that they say nothing more."""
    scores = {
        metric.name: [summary.scores for _, summary in wholes(result, metric.name)]
        for metric in result.metrics
    }
    by_day = {}
    if not {parse(metric.name)[0] for metric in result.metrics} >= {"event-soft", "event-order"}:
        return ()  # they were asked for one by one
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


TABLES = FamilyTables(remarks=remarks, pair_words=pair_words, hidden=hidden)
