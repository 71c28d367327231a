"""What numbers, settings and conventions are called when people read them."""

import re
from collections.abc import Mapping, Sequence

from chronoscore.core.errors import UsageError
from chronoscore.core.family import UNDEFINED_POLICIES, Family, Protocol
from chronoscore.core.metric import Metric
from chronoscore.core.result import Interval, MetricInfo, Result, Summary
from chronoscore.core.signature import Signature
from chronoscore.engines.chance import Chance
from chronoscore.families import family
from chronoscore.reports.intervals import FEW, effective_units
from chronoscore.statistics.averaging import Path, Step

SHORT = {"precision": "P", "recall": "R"}
_F_SCORE = re.compile(r"(?<![a-z])f([\d.]+)$")
_METHODS = {
    "jackknife-t": "jackknife",
    "jackknife-logit": "jackknife of log odds",
    "bayes": "Bayesian",
}
_RULES = {
    "sum": "counts added up over {}",
    "mean-pr": "mean precision and mean recall over {}, then F",
    "mean-f": "mean of the scores over {}",
}
_OPTIONS: Mapping[tuple[str, str], str] = {
    ("golds", "each"): "each gold is compared alone",
    ("golds", "pooled"): "all golds of a topic are compared together",
    ("missing", "empty"): "a missing prediction counts as an empty one",
    ("missing", "skip"): "a missing prediction is left out",
    ("missing", "error"): "a missing prediction is an error",
    ("repeated", "auto"): "texts of a repeated date are joined with a notice",
    ("repeated", "join"): "texts of a repeated date are joined",
    ("repeated", "first"): "of a repeated date the first counts",
    ("repeated", "last"): "of a repeated date the last counts",
    ("dates", "error"): "a date that is only a month or a year is refused",
    ("dates", "first-day"): "a month or a year stands for its first day",
    ("dates", "interval"): "a month or a year stands for all its days",
}


def number(value: float | None, *, undefined: str = "undefined") -> str:
    """Write a score for people: three places, and undefined is never 0."""
    return undefined if value is None else f"{value:.3f}"


def short(score: str) -> str:
    """The short name of a score."""
    return SHORT.get(score, _F_SCORE.sub(r"F\1", score).replace("_", " "))


def heading(metric: MetricInfo) -> str:
    """Name a metric and its main score, once if they are called the same."""
    main = short(metric.primary)
    return metric.label if main.lower() == metric.label.lower() else f"{metric.label} {main}"


def resampled(signature: str, of: Family) -> str:
    """What intervals were resampled over: what the signature says, or else the family's own."""
    try:
        plan = Signature.parse(signature).interval
        return (Chance.parse(plan).unit if plan else "") or of.cluster
    except UsageError:
        return of.cluster


def plural(count: int, noun: str) -> str:
    """Write a number and its noun.

    >>> plural(1, "topic"), plural(7, "topic")
    ('1 topic', '7 topics')
    """
    return f"{count} {noun}" + "s" * (count != 1)


def interval(found: Interval, cluster: str) -> str:
    """Say what an interval is and how far it can be trusted."""
    method = _METHODS.get(found.method, found.method)
    rests = f"over {plural(found.clusters, cluster or 'case')}"
    if found.method == "bayes":
        rests = "from the pooled counts"
    text = (
        f"{100 * found.level:g}\u00a0% interval {found.low:.3f} to {found.high:.3f}, "
        f"{method} {rests}"
    )
    text += effective_units([found])
    if found.draws is not None:
        text += f", of {found.draws:,} resamples"
    if found.coverage is not None:
        text += f"; in simulation such intervals cover {100 * found.coverage:.0f}\u00a0% at worst"
    elif found.n_eff is not None and found.n_eff < FEW:
        text += "; the score rests on a few large ones among many"
    return text


def conditions(result: Result, of: Family) -> list[tuple[str, str]]:
    """How the numbers were made, as terms and their descriptions."""
    protocol = next((p.meaning for p in of.protocols if _follows(result, p)), "")
    named = f"{result.protocol}: {protocol}" if protocol else result.protocol
    said = [
        ("Protocol", named or "none that is published; all that matters is said here"),
        ("Average", average(result, of)),
        ("0/0", f"is {_policy(result.undefined)}"),
    ]
    options = [
        _OPTIONS.get((name, value), f"{name}: {value}")
        for name, value in sorted(result.options.items())
    ]
    return [*said, *([("Data", _sentence(options))] if options else [])]


def _follows(result: Result, protocol: Protocol) -> bool:
    """Whether a result names a protocol and has its options; a name may once have meant others."""
    named = result.protocol in (protocol.name, *protocol.aliases)
    return named and protocol.options.items() <= result.options.items()


def average(result: Result, of: Family) -> str:
    """Say in words which averages were taken, in their order; those over one thing say nothing."""
    try:
        steps: Sequence[Step] = Path.parse(result.path, of.levels).steps
    except UsageError:
        return result.path
    units = [summary.units for summary in wholes(result)]
    parts = []
    for step in steps:
        levels = [level for level in step.levels if any(unit.get(level, 2) > 1 for unit in units)]
        if levels:
            over = " and ".join(f"{level}s" for level in levels)
            parts.append(_RULES[step.rule].format(over))
    return "; then ".join(parts) or "none, there is only one case"


def wholes(result: Result) -> list[Summary]:
    """The summaries of all cases of a system together."""
    return [s for system in result.systems for s in system.summaries if not s.group]


def undefined_lines(result: Result) -> list[str]:
    """How often a score had no value before the policy was applied, so that no 0 misleads."""
    labels = {metric.name: metric.label for metric in result.metrics}
    lines = []
    for system in result.systems:
        for summary in system.summaries:
            if summary.group or not summary.undefined:
                continue
            counts = ", ".join(f"{part} in {n}" for part, n in summary.undefined.items())
            lines.append(
                f"{system.name}, {labels[summary.metric]}: {counts} of "
                f"{plural(summary.cases, 'case')} was 0/0, {_policy(result.undefined)}"
            )
    return lines


def metric_of(result: Result, info: MetricInfo) -> Metric | None:
    """The metric of a column, unless its name is of a program that is not installed here."""
    try:
        return family(result.family).metric(info.name)
    except UsageError:
        return None


def unit(metric: Metric | None) -> str:
    """What the matches of a metric count."""
    if metric is None:
        return "points"
    name, values = metric.definition.name, metric.values
    if name in ("align", "concat"):
        pieces = {"1": "words", "2": "word pairs", "L": "words"}
        return pieces.get(str(values["rouge"]), f"{values['rouge']}-grams")
    return {"date-f1": "dates", "exact-date": "summaries"}.get(name, "points")


def _policy(undefined: str) -> str:
    return next((told for name, told in UNDEFINED_POLICIES.items() if name == undefined), undefined)


def _sentence(parts: Sequence[str]) -> str:
    return "; ".join(parts)
