"""Assertions on results: a test fails if scores fall, and the message says where they fell.

>>> from chronoscore import score
>>> from chronoscore.demo import home
>>> result = score("timelines", home() / "gold.jsonl", {"quick": home() / "quick.jsonl"})
>>> assert_scores(result, {"AR-1": 0.25, "Date-F1": 0.3})
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec.structs import replace

from chronoscore.errors import UsageError

if TYPE_CHECKING:
    from chronoscore.core.result import Interval, MetricInfo, ResultDocument, Summary, SystemResult
    from chronoscore.interface.result import Result

Bound = Literal["score", "lower"]
MOST_GROUPS_SHOWN = 5


class Gate(msgspec.Struct, frozen=True):
    """A metric and its limit: the least score that passes, or the most where less is better."""

    metric: MetricInfo
    limit: float

    @property
    def wanted(self) -> str:
        """The limit in words."""
        return f"at {'most' if self.metric.better == 'lower' else 'least'} {self.limit:g}"

    def holds(self, value: float | None) -> bool:
        """Whether a score is good enough; an undefined one is not."""
        if value is None:
            return False
        return value <= self.limit if self.metric.better == "lower" else value >= self.limit

    def summary(self, system: SystemResult) -> Summary:
        """The summary of a system over all cases."""
        return next(s for s in system.summaries if s.metric == self.metric.name and not s.group)

    def score(self, summary: Summary) -> float | None:
        """The main score of a summary."""
        return summary.scores[self.metric.primary]

    def interval(self, summary: Summary) -> Interval | None:
        """The interval of the main score."""
        return summary.intervals.get(self.metric.primary)

    def worse_end(self, summary: Summary) -> float | None:
        """The end of that interval that is worse."""
        interval = self.interval(summary)
        if interval is None:
            return None
        return interval.high if self.metric.better == "lower" else interval.low


def assert_scores(
    result: Result | ResultDocument,
    expected: Mapping[str, float],
    *,
    bound: Bound = "score",
    system: str | None = None,
) -> None:
    """Fail unless the main score of each metric reaches its limit.

    - `result`: a result, or its document.
    - `expected`: limits by metric, such as `{"AR-1": 0.3}`: the least score that passes, or for a
      distance the largest.
    - `bound`: `"score"` to look at the score, or `"lower"` to look at the worse end of its
      interval.
    - `system`: the system to look at. Without it, all systems.

    The failure is an AssertionError with the score, its interval, and the topics on which the score
    is worst.

    >>> from chronoscore import score
    >>> gold = {"2011-02-11": ["Mubarak resigns."]}
    >>> result = score("timelines", gold, {"ours": {"2011-02-12": ["Mubarak resigns."]}})
    >>> assert_scores(result, {"AR-1": 0.5})
    >>> assert_scores(result, {"Date-F1": 0.5})
    Traceback (most recent call last):
    AssertionError: ours: Date-F1 f1 is 0.0000, expected at least 0.5
    ...
    """
    __tracebackhide__ = True  # the reader wants the line of the test
    if bound not in ("score", "lower"):
        raise UsageError(f"bound is '{bound}', expected 'score' or 'lower'")
    from chronoscore.core.result import ResultDocument

    document = result if isinstance(result, ResultDocument) else result.document
    gates = _gates(document, expected)
    failed = [
        line
        for judged in judged_systems(document, system)
        for line in _failures(document.family, judged, gates, bound)
    ]
    if failed:
        raise AssertionError("\n".join(failed))


def _gates(result: ResultDocument, expected: Mapping[str, float]) -> list[Gate]:
    from chronoscore.families import family

    if not expected:
        raise UsageError("no score is expected, so nothing could fail: name a metric and a limit")
    known = {info.name: info for info in result.metrics}
    gates = []
    for name, limit in expected.items():
        metric = family(result.family).metric(name)
        info = known.get(str(metric))
        if info is None:
            has = ", ".join(info.label for info in result.metrics)
            raise UsageError(f"'{name}' was not scored; the result has: {has}")
        if not math.isfinite(limit):  # nothing is below NaN: the test would never fail
            raise UsageError(f"the limit of {name} is {limit}, expected a number")
        metric.check_limit(limit, info.label)
        gates.append(Gate(info, limit))
    return gates


def judged_systems(result: ResultDocument, name: str | None = None) -> list[SystemResult]:
    """The system of this name, or all; golds and baselines, in brackets, are not judged."""
    judged = [s for s in result.systems if s.name == name or (not name and s.is_ranked)]
    if not judged:
        has = ", ".join(s.name for s in result.systems) or "none"
        raise UsageError(f"no system {name or 'to judge'} in the result; it has: {has}")
    return judged


def _failures(
    family: str, system: SystemResult, gates: Sequence[Gate], bound: Bound
) -> Iterator[str]:
    """Yield what fails: the score, its interval, and the groups on which it is worst."""
    from chronoscore.reports.table import plural

    if not system.rows:
        yield f"{system.name}: nothing was scored"
        return
    if bound == "score":
        gates = [gate for gate in gates if not gate.holds(gate.score(gate.summary(system)))]
    if not gates:
        return
    in_groups, tag = _in_groups(family, system)
    which = "the worse end of its interval " if bound == "lower" else ""
    for gate in gates:
        whole = gate.summary(system)
        summary = whole if gate.interval(whole) else gate.summary(in_groups)
        if bound == "lower" and gate.holds(gate.worse_end(summary)):
            continue
        interval, groups = gate.interval(summary), _groups(in_groups, gate, tag)
        spread = (
            f"{100 * interval.level:g} % interval: {_number(interval.low)} to "
            f"{_number(interval.high)} ({interval.method}, "
            f"{plural(interval.clusters, interval.unit or tag)})"
            if interval
            else f"no interval: it can't be had from {plural(len(groups), tag)}"
        )
        worst = (f"{group} {_number(value)}" for group, value in groups[:MOST_GROUPS_SHOWN])
        yield (
            f"{system.name}: {gate.metric.label} {gate.metric.primary} is "
            f"{_number(gate.score(whole))}, expected {which}{gate.wanted}\n"
            f"  {spread}\n"
            f"  worst of {plural(len(groups), tag)}: {', '.join(worst)}"
        )


def _in_groups(name: str, system: SystemResult) -> tuple[SystemResult, str]:
    """Make the intervals, and the scores of each topic or whatever else is drawn, from the rows."""
    from chronoscore.core.evidence_table import EvidenceTable
    from chronoscore.core.names import Signature
    from chronoscore.engines.assemble import assemble
    from chronoscore.engines.settings import IntervalPlan, Settings
    from chronoscore.families import family

    home = family(name)
    rows = EvidenceTable.of(system.rows)
    settings = Settings.from_signature(home, Signature.parse(system.signature), (home.cluster,))
    settings = replace(settings, chance=settings.chance or IntervalPlan())
    return assemble(settings, {system.name: rows}).systems[0], home.cluster


def _groups(system: SystemResult, gate: Gate, tag: str) -> list[tuple[str, float | None]]:
    """The score of each group, the worst first; undefined is worse than any."""
    sign = -1 if gate.metric.better == "lower" else 1
    scores = [
        (summary.group[tag], gate.score(summary))
        for summary in system.summaries
        if summary.metric == gate.metric.name and tag in summary.group
    ]
    return sorted(scores, key=lambda p: (-math.inf if p[1] is None else sign * p[1], p[0]))


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"
