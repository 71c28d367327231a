"""Assertions on results: scores stay as good as they were, and a failure says where they fell.

>>> from chronoscore import score
>>> from chronoscore.demo import home
>>> result = score("timelines", home() / "gold.jsonl", {"quick": home() / "quick.jsonl"})
>>> assert_scores(result, {"AR-1": 0.25, "Date-F1": 0.3})
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from chronoscore.core.errors import UsageError

if TYPE_CHECKING:
    from chronoscore.core.result import Interval, MetricInfo, Result, Summary, SystemResult

Bound = Literal["score", "lower"]
MOST_PARTS_SHOWN = 5


@dataclass(frozen=True)
class _Gate:
    metric: MetricInfo
    limit: float

    @property
    def wanted(self) -> str:
        return f"at {'most' if self.metric.better == 'lower' else 'least'} {self.limit:g}"

    def holds(self, value: float | None) -> bool:
        if value is None:
            return False  # undefined is not good enough
        return value <= self.limit if self.metric.better == "lower" else value >= self.limit


def assert_scores(
    result: Result,
    expected: Mapping[str, float],
    *,
    bound: Bound = "score",
    system: str | None = None,
) -> None:
    """Fail unless each metric's main score is at least (for a distance: at most) what is expected.

    `expected` are limits by metric, such as ``{"AR-1": 0.3}``. With ``bound="lower"`` it is the
    worse end of the score's interval that must hold. All systems are judged unless one is named.
    The failure tells the score, its interval, and the topics on which the score is worst.
    """
    __tracebackhide__ = True  # the reader wants the line of the test
    if bound not in ("score", "lower"):
        raise UsageError(f"bound is '{bound}', expected 'score' or 'lower'")
    gates = _gates(result, expected)
    failed = [
        line
        for judged in _judged(result, system)
        for line in _failures(result.family, judged, gates, bound)
    ]
    if failed:
        raise AssertionError("\n".join(failed))


def _gates(result: Result, expected: Mapping[str, float]) -> list[_Gate]:
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
        gates.append(_Gate(info, limit))
    return gates


def _judged(result: Result, name: str | None) -> list[SystemResult]:
    # The golds themselves, in brackets, are there for comparison.
    judged = [s for s in result.systems if s.name == name or not (name or s.name.startswith("("))]
    if not judged:
        has = ", ".join(s.name for s in result.systems) or "none"
        raise UsageError(f"no system {name or 'to judge'} in the result; it has: {has}")
    return judged


def _failures(
    family: str, system: SystemResult, gates: Sequence[_Gate], bound: Bound
) -> Iterator[str]:
    if not system.rows:
        yield f"{system.name}: nothing was scored"
        return
    if bound == "score":
        gates = [gate for gate in gates if not gate.holds(_score(_whole(system, gate), gate))]
    if not gates:
        return
    parted, tag = _in_parts(family, system)
    for gate in gates:
        given = _whole(system, gate)
        sure = _interval(given, gate) or _interval(_whole(parted, gate), gate)
        if bound == "score" or not gate.holds(_worse_end(sure, gate)):
            yield _told(system.name, gate, bound, _score(given, gate), sure, parted, tag)


def _in_parts(name: str, system: SystemResult) -> tuple[SystemResult, str]:
    """Make the intervals, and the scores of each topic or whatever else is drawn, from the rows."""
    from chronoscore.core.ledger import Ledger
    from chronoscore.core.signature import Signature
    from chronoscore.engines.chance import Chance
    from chronoscore.engines.scoring import assemble
    from chronoscore.engines.settings import Settings
    from chronoscore.families import family

    home = family(name)
    rows = Ledger.of(system.rows)
    settings = Settings.from_signature(home, Signature.parse(system.signature), (home.cluster,))
    settings = replace(settings, chance=settings.chance or Chance())
    return assemble(settings, {system.name: rows}).systems[0], home.cluster


def _told(
    name: str,
    gate: _Gate,
    bound: Bound,
    score: float | None,
    sure: Interval | None,
    parted: SystemResult,
    tag: str,
) -> str:
    parts = _parts(parted, gate, tag)
    which = "the worse end of its interval " if bound == "lower" else ""
    spread = (
        f"{100 * sure.level:g} % interval: {_number(sure.low)} to {_number(sure.high)} "
        f"({sure.method}, {_counted(sure.clusters, sure.unit or tag)})"
        if sure
        else f"no interval: it can't be had from {_counted(len(parts), tag)}"
    )
    worst = ", ".join(f"{part} {_number(score)}" for part, score in parts[:MOST_PARTS_SHOWN])
    return (
        f"{name}: {gate.metric.label} {gate.metric.primary} is {_number(score)}, "
        f"expected {which}{gate.wanted}\n"
        f"  {spread}\n"
        f"  worst of {_counted(len(parts), tag)}: {worst}"
    )


def _whole(system: SystemResult, gate: _Gate) -> Summary:
    return next(s for s in system.summaries if s.metric == gate.metric.name and not s.group)


def _parts(system: SystemResult, gate: _Gate, tag: str) -> list[tuple[str, float | None]]:
    """The score of each part, the worst first; undefined is worse than any."""
    sign = -1 if gate.metric.better == "lower" else 1
    found = [
        (summary.group[tag], _score(summary, gate))
        for summary in system.summaries
        if summary.metric == gate.metric.name and tag in summary.group
    ]
    return sorted(found, key=lambda p: (-math.inf if p[1] is None else sign * p[1], p[0]))


def _score(summary: Summary, gate: _Gate) -> float | None:
    return summary.scores[gate.metric.primary]


def _interval(summary: Summary, gate: _Gate) -> Interval | None:
    return summary.intervals.get(gate.metric.primary)


def _worse_end(sure: Interval | None, gate: _Gate) -> float | None:
    if sure is None:
        return None
    return sure.high if gate.metric.better == "lower" else sure.low


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"
