"""Intervals in words: how wide, what they rest on, and how far they can be trusted."""

from collections.abc import Iterable, Sequence
from math import isclose
from operator import itemgetter

from chronoscore.core.names import Signature
from chronoscore.core.result import Agreement, Interval, ResultDocument
from chronoscore.reports.table import Several

FEW = 6
"""The n_eff below which a warning says that a score rests on few units."""


def interval_in_words(interval: Interval | None) -> str:
    """Write an interval, and how often such intervals cover in simulation if units are few."""
    if interval is None:
        return "-"
    text = f"{interval.low:.3f} to {interval.high:.3f}"
    return text if interval.coverage is None else f"{text} (covers {interval.coverage:.0%})"


def interval_cell(interval: Interval | None) -> Several:
    """An interval in a table: words to people, its bounds in full to programs."""
    numbers = {name: getattr(interval, name, None) for name in ("low", "high", "coverage", "n_eff")}
    always = ("low", "high")
    parts = [one for one in numbers.items() if one[0] in always or one[1] is not None]
    return Several(interval_in_words(interval), tuple(parts))


def intervals_in_words(result: ResultDocument, *, beside_scores: bool = False) -> list[str]:
    """Say once what the intervals of the main scores are, and where they can't be trusted.

    Where intervals stand beside their scores, it needs no mention whose they are.
    """
    main = {metric.name: metric for metric in result.metrics if not metric.curve}
    plans = {system.name: Signature.parse(system.signature).interval for system in result.systems}
    named, at_ends = [], []
    for system in result.systems:
        for summary in system.summaries:
            metric = main.get(summary.metric)
            if metric is None or summary.group:
                continue
            name = f"{system.name} {metric.label}"
            interval = summary.intervals.get(metric.primary)
            at_end = summary.scores[metric.primary] in (0, 1)
            if interval is None and at_end and plans[system.name].startswith("logit"):
                at_ends.append(name)
            elif summary.intervals:  # Bayesian ones may be of other scores than the main one
                named.append((name, interval or next(iter(summary.intervals.values()))))
    if at_ends:
        without = ["no logit interval of a score at an end of its range: " + ", ".join(at_ends)]
    elif any(plans.values()) and main and not named:
        without = ["no intervals: they need two units or more, such as topics (see --unit)"]
    else:
        without = []
    intervals = [interval for _, interval in named]
    lines = described_intervals(intervals, of_score=True, named=not beside_scores)
    if coverage := sorted(i.coverage for _, i in named if i.coverage is not None):
        ends = " to ".join(dict.fromkeys(f"{share:.0%}" for share in (coverage[0], coverage[-1])))
        lines.append(
            f"covers {ends}: such intervals hold the true score at least so often in simulation"
        )
    return [*lines, *without, *few_units(named), *_without_width(named)]


def described_intervals(
    intervals: Iterable[Interval], *, of_score: bool, named: bool = True
) -> list[str]:
    """A line for intervals that are alike: their level, their method, and what they rest on."""
    alike: dict[tuple[float, str, int, str, int], list[Interval]] = {}
    for i in intervals:
        alike.setdefault((i.level, i.method, i.clusters, i.unit, i.draws or 0), []).append(i)
    lines = []
    for (level, method, clusters, unit, draws), several in sorted(alike.items(), key=itemgetter(0)):
        of_main = of_score and named and method != "bayes"
        line = f"{level:.0%} intervals{' of the main score' * of_main}: "
        if method == "bayes":
            line += "bayes from the pooled counts, which says nothing of other collections"
        else:
            line += f"{method} over {clusters} {unit or 'unit'}s"
        line += effective_units(several)
        if of_score:
            line += ", so that they speak of these topics only" * (unit == "day")
            line += f", of {draws:,} resamples{_many(draws, clusters)}" if draws else ""
        lines.append(line)
    return lines


def _many(draws: int, clusters: int) -> str:
    """Say why fewer resamples were drawn than usual, where nobody asked for that."""
    from chronoscore.statistics.drawing import affordable  # noqa: PLC0415 - loads numpy.random

    return ", since there are many units" if draws == affordable(clusters) else ""


def effective_units(intervals: Iterable[Interval]) -> str:
    """How many units of equal size these intervals rest on, in brackets."""
    numbers = sorted(i.n_eff for i in intervals if i.n_eff is not None)
    if not numbers:
        return ""
    ends = dict.fromkeys(f"{n:.1f}" for n in (numbers[0], numbers[-1]))
    return f" (n_eff {' to '.join(ends)})"


def few_units(named: Iterable[tuple[str, Interval | None]]) -> list[str]:
    """Warn of intervals that rest on few units, or on few large ones among many."""
    units = [(i.n_eff, name) for name, i in named if i and i.n_eff is not None]
    low = sorted(one for one in units if one[0] < FEW)
    if not low:
        return []
    (lowest, name), *others = low
    more = f" and {len(others)} more" if others else ""
    return [
        f"warning: n_eff is below {FEW} ({lowest:.1f} for {name}{more}): such a score rests on few "
        "units, or on a few large ones among many"
    ]


def _without_width(named: Iterable[tuple[str, Interval]]) -> list[str]:
    """Warn of intervals that are a point because all units score the same."""
    flat = [name for name, i in named if isclose(i.low, i.high, rel_tol=1e-9)]
    if not flat:
        return []
    more = f" and {len(flat) - 1} more" if len(flat) > 1 else ""
    return [
        f"warning: the interval of {flat[0]}{more} has no width, since all units score the same: "
        "how far others differ is unknown"
    ]


def agreement_remarks(agreement: Sequence[Agreement]) -> list[str]:
    """Describe the intervals of coefficients, and say where there is none or it is not firm."""
    named = [(f"{one.criterion} {one.coefficient}", one.interval) for one in agreement]
    lines = described_intervals((interval for _, interval in named if interval), of_score=False)
    return [*lines, *without_interval(agreement), *few_units(named)]


def without_interval(agreement: Iterable[Agreement]) -> list[str]:
    """Say once why some coefficients have no interval."""
    reasons: dict[str, list[str]] = {}
    every = [one for one in agreement if one.value is not None]
    for one in every:
        if one.no_interval:
            reasons.setdefault(one.no_interval, []).append(f"{one.criterion} {one.coefficient}")
    return [
        f"no interval: {why}" + (f" ({', '.join(which)})" if len(which) < len(every) else "")
        for why, which in reasons.items()
    ]
