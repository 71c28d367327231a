"""The head of a page: data set, run, date, systems in the order of their scores, conditions."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isfinite

from msgspec.structs import replace

from chronoscore.core.case import CEILING, OTHER_GOLDS
from chronoscore.core.family import UNDEFINED_POLICIES, Family
from chronoscore.core.metric import Metric
from chronoscore.core.result import (
    MetricInfo,
    ResultDocument,
    Summary,
    SystemResult,
    left_out_notice,
)
from chronoscore.reports.html.explained import heading
from chronoscore.reports.html.markup import Html, joined, tag
from chronoscore.reports.result_tables import average_in_words, wholes
from chronoscore.reports.table import plural, shown

Terms = list[tuple[str, str]]
"""Terms of a head and their meanings, which may be markup."""
_MOST_SYSTEMS = 20
"""Systems that a head names; the scores have all."""


@dataclass(frozen=True)
class RunHead:
    """Which run a page is of, in the words of whoever asks for the page; what is empty is unknown.

    A page knows no date by itself, so that equal results give equal pages.
    """

    data: str = ""
    """The name of the data set."""
    run: str = ""
    """The names of the files that were scored, or of the saved result."""
    date: str = ""
    """When it was scored, or saved."""

    @property
    def terms(self) -> Terms:
        """What is known of the run."""
        named = {"Data set": self.data, "Run": self.run, "Date": self.date}
        return [(term, tag("span", text, dir="auto")) for term, text in named.items() if text]


UNKNOWN_RUN = RunHead()
"""Of pages that are made in Python."""


def lead(family: Family, result: ResultDocument) -> str:
    """How many systems there are, and how much they are scored on."""
    counts_of = [s.units for metric in result.metrics for _, s in wholes(result, metric.name)]
    units = max(counts_of, key=lambda unit: sum(unit.values()), default={})
    if result.agreement:  # people judged each system's own events: there are as many as all have
        each = [summary.units for _, summary in wholes(result, result.metrics[0].name)]
        units = {level: sum(unit[level] for unit in each) for level in units}
    counts = ", ".join(plural(n, level) for level, n in units.items() if n > 1)
    systems = [one for one in result.systems if one.name not in (CEILING, OTHER_GOLDS)]
    systems_counted = plural(len(systems), "system")
    return f"{family.name.capitalize()}: {systems_counted}{' on ' if counts else ''}{counts}."


def by_score(result: ResultDocument) -> ResultDocument:
    """Return the result with its systems in the order of the first metric, the best first.

    Undefined scores come after the others, and golds and baselines, in brackets, last.
    """
    if not result.metrics:
        return result
    first = result.metrics[0]
    summaries = _summaries(result)

    def place(system: SystemResult) -> tuple[bool, float]:
        summary = summaries.get(system.name)
        score = summary.scores[first.primary] if summary else None
        sign = 1 if first.better == "lower" else -1
        return not system.is_ranked, inf if score is None else sign * score

    return replace(result, systems=tuple(sorted(result.systems, key=place)))


def systems_in_words(result: ResultDocument) -> Html:
    """Name the systems in the order of the first metric, each with its score."""
    if not result.metrics or not result.systems:
        return Html("")
    first, summaries, named = result.metrics[0], _summaries(result), list[str]()
    systems = by_score(result).systems
    for system in systems[:_MOST_SYSTEMS]:
        summary = summaries.get(system.name)
        score = summary.scores[first.primary] if summary else None
        named += [", ", tag("bdi", system.name), f" {shown(score, undefined='undefined')}"]
    more = len(systems) - _MOST_SYSTEMS
    lower = ", lower is better" if first.better == "lower" else ""
    others = f", {plural(more, 'more system')}" if more > 0 else ""
    return joined(named[1:], others, f" (by {heading(first.label, first.primary)}{lower})")


def _summaries(result: ResultDocument) -> dict[str, Summary]:
    """The summary of each system under the first metric."""
    return {system.name: summary for system, summary in wholes(result, result.metrics[0].name)}


def described(info: MetricInfo, metric: Metric | None) -> str:
    """Say what a metric is, its range where it is known, and what is better."""
    low, high = metric.range(info.primary) if metric else (-inf, inf)
    span = f"From {low:g} to {high:g}, " if isfinite(low) and isfinite(high) else ""
    if not span and isfinite(low):
        span = f"{low:g} or more, "
    better = f"{info.better} is better."
    meaning = f"{info.meaning[:1].upper()}{info.meaning[1:]}"
    return f"{meaning}. {span}{better}" if span else f"{meaning}. {better.capitalize()}"


def conditions(
    family: Family, result: ResultDocument, meanings: Mapping[tuple[str, str], str]
) -> Terms:
    """How the numbers were computed; `meanings` are those of reading options and their values."""
    protocol = result.protocol or "none that is published; these are all conditions"
    for known in family.protocols:
        named = result.protocol in (known.name, *known.aliases)
        # An alias may once have named other options.
        if named and known.options.items() <= result.options.items():
            protocol = f"{result.protocol}: {known.meaning}"
            break
    whole = [s for metric in result.metrics for _, s in wholes(result, metric.name)]
    options = [meanings.get(one, ": ".join(one)) for one in sorted(result.options.items())]
    terms = {
        "Left out": left_out_notice(result.left_out) if result.left_out else "",
        "Protocol": protocol,
        "Average": average_in_words(result, whole) or "none, there is only one case",
        "0/0": f"is {undefined_policy(result)}",
        "Reading": "; ".join(options),
    }
    return [(term, text) for term, text in terms.items() if text]


def undefined_policy(result: ResultDocument) -> str:
    """What an undefined score counts as, in words."""
    known = (text for name, text in UNDEFINED_POLICIES.items() if name == result.undefined)
    return next(known, result.undefined)
