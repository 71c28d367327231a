"""Whether what a saved result says follows from its own rows; nothing is scored again.

Scores are functions of rows, so a document whose scores were edited can be found out. Estimates
are cheap to compute again and are checked wherever a result is read; intervals take longer and are
checked by `chronoscore validate`.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
from msgspec import MsgspecError

from chronoscore import __version__
from chronoscore.core.errors import DataError, Problem, UsageError
from chronoscore.core.family import UNDEFINED_POLICIES, Family
from chronoscore.core.ledger import Ledger
from chronoscore.core.metric import Metric
from chronoscore.core.result import Agreement, Interval, Result, Summary, SystemResult
from chronoscore.core.signature import Signature
from chronoscore.engines.scoring import assemble
from chronoscore.engines.settings import Settings
from chronoscore.statistics.averaging import Path

JUDGED = "rubric"
"""The family whose scores depend on a codebook, which may be a team's own."""
MOST = 5
"""Numbers that are named; if many are wrong, the first ones will do."""
_NEAR = 1e-9
"""Relative difference that another machine's arithmetic may make."""


def verify(family: Family, result: Result, path: object) -> None:
    """Refuse a result whose estimates do not follow from its rows."""
    if problems := check_numbers(family, result):
        raise DataError(Problem(problem, str(path)) for problem in problems)


def check_numbers(family: Family, result: Result, *, intervals: bool = False) -> list[str]:
    """List what a result says and its rows don't; with `intervals`, also of these.

    Judgements by another codebook than the family's can't be summed up without it: of these only
    the settings are checked.
    """
    ledgers: dict[str, Ledger] = {}
    problems: list[str] = []
    for system in result.systems:
        ledgers[system.name] = Ledger.of(system.rows)
        try:
            with np.errstate(all="ignore"):
                found = _system(family, result, system, ledgers[system.name], intervals)
                problems += [f"{system.name}: {text}" for text in islice(found, MOST)]
        except UsageError as error:
            problems.append(f"{system.name}: {error}")
        except (ArithmeticError, ValueError, LookupError, TypeError, MsgspecError):
            problems.append(f"{system.name}: its scores can't be computed from its rows")
    if not problems and intervals and family.agree and counts_alike(family, result):
        expected = tuple(family.agree(ledgers)) if any(map(len, ledgers.values())) else ()
        problems += islice(_agreement(result.agreement, expected), MOST)
    return problems


def counts_alike(family: Family, result: Result) -> bool:
    """Whether the metrics of a result count what the family's do: the same criteria and weights."""
    try:
        return all(
            family.metric(info.name).definition.statistics == info.statistics
            for info in result.metrics
        )
    except UsageError:
        return False


def _system(
    family: Family, result: Result, system: SystemResult, rows: Ledger, intervals: bool
) -> Iterator[str]:
    Path.parse(result.path, family.levels)
    if result.undefined not in UNDEFINED_POLICIES:
        yield f"undefined is '{result.undefined}', expected {', '.join(UNDEFINED_POLICIES)}"
        return
    signature = Signature.parse(system.signature)
    said = {
        "family": (result.family, signature.family),
        "protocol": (result.protocol, signature.protocol),
        "average": (result.path, signature.path),
        "undefined": (result.undefined, signature.undefined),
        "options": (result.options, dict(signature.options)),
        "metrics": (tuple(metric.name for metric in result.metrics), signature.metrics),
    }
    differ = [name for name, (here, there) in said.items() if here != there]
    if differ:
        yield f"the signature and the document differ in {', '.join(differ)}"
        return
    digests = zip(("gold", "predicted"), rows.data_digests(), strict=True)
    for side, digest in digests:
        if getattr(signature, side) != digest:
            yield f"the signature names other {side} data than the rows have"
    for tag in filter(None, (*family.levels, family.cluster, *family.tags)):
        if len(rows) and (tag not in rows.tags or (rows.tags[tag].at < 0).any()):
            yield f"a row has no tag '{tag}'"
            return
    if family.name == JUDGED and not counts_alike(family, result):
        return
    by = dict.fromkeys(tag for summary in system.summaries for tag in summary.group)
    settings = Settings.from_signature(family, signature, [*by])
    if not intervals:
        settings = replace(settings, chance=None)
    expected = assemble(replace(settings, family=replace(family, agree=None)), {system.name: rows})
    for one, other in zip(result.metrics, expected.metrics, strict=True):
        for name in ("scores", "primary", "curve", "better", "statistics"):
            if _names(getattr(one, name)) != _names(getattr(other, name)):
                yield f"{name} of {one.name} are not those of this version{_made_by(signature)}"
                return
    yield from _summaries(system, expected.systems[0], intervals, _made_by(signature))
    yield from _out_of_range(settings.metrics, expected.systems[0])


def _out_of_range(metrics: Sequence[Metric], expected: SystemResult) -> Iterator[str]:
    """Rows that no measuring can give, such as more hits than predictions."""
    known = {str(metric): metric for metric in metrics}
    for summary in expected.summaries:
        metric = known[summary.metric]
        for name in metric.scores:  # a curve also names its best threshold, which is no score
            value, (low, high) = summary.scores.get(name), metric.range(name)
            if value is not None and not low - _NEAR <= value <= high + _NEAR:
                where = _where(summary.metric, sorted(summary.group.items()))
                yield (
                    f"the rows give {name} of {where} as {_shown(value)}, expected {low:g} to "
                    f"{high:g}: score the files again"
                )


def _names(value: object) -> object:
    """What the statistics of a metric are called; their meaning may be said in other words."""
    return [getattr(one, "name", one) for one in value] if isinstance(value, tuple) else value


def _made_by(signature: Signature) -> str:
    if signature.version == __version__:
        return ""
    return f" (the result was made by version {signature.version}, this is {__version__})"


def _summaries(
    system: SystemResult, expected: SystemResult, intervals: bool, made_by: str
) -> Iterator[str]:
    ours, theirs = (
        {(one.metric, (*sorted(one.group.items()), ("", one.kind))): one for one in each.summaries}
        for each in (expected, system)
    )
    for metric, group in theirs.keys() ^ ours.keys():
        there = "is no summary of" if (metric, group) in ours else "are no rows for the summary of"
        yield f"there {there} {_where(metric, group)}"
    for (metric, group), one in theirs.items():
        if other := ours.get((metric, group)):
            for text in _summary(_where(metric, group), one, other, intervals):
                yield f"{text}{made_by}"


def _where(metric: str, group: Sequence[tuple[str, str]]) -> str:
    return ", ".join([metric, *(f"{tag} '{name}'" for tag, name in group if tag)])


def _summary(where: str, one: Summary, other: Summary, intervals: bool) -> Iterator[str]:
    if one.cases != other.cases:
        yield f"{where} is of {one.cases} cases, and there are rows of {other.cases}"
    for name, value in other.scores.items():
        if not _near(one.scores.get(name), value):
            said = _shown(one.scores.get(name))
            yield f"{name} of {where} is {said}, and the rows give {_shown(value)}"
    sums = zip(one.statistics, other.statistics, strict=False)
    if one.statistics and not all(_near(*both) for both in sums):
        yield f"the sums of {where} are not those of the rows"
    if one.undefined != other.undefined or (one.units and one.units != other.units):
        yield f"the counts of {where} are not those of the rows"
    points = [
        _near(here.threshold, there.threshold)
        and all(_near(here.scores.get(name), value) for name, value in there.scores.items())
        for here, there in zip(one.curve, other.curve, strict=False)
    ]
    if len(one.curve) != len(other.curve) or not all(points):
        yield f"the curve of {where} is not that of the rows"
    if intervals and not _same_intervals(one.intervals, other.intervals):
        yield f"the intervals of {where} are not those of the rows"


def _same_intervals(one: Mapping[str, Interval], other: Mapping[str, Interval]) -> bool:
    return one.keys() == other.keys() and all(_same_interval(one[n], other[n]) for n in one)


def _same_interval(one: Interval | None, other: Interval | None) -> bool:
    if one is None or other is None:
        return one is other
    plain = ("level", "method", "clusters", "unit", "draws")
    return (
        _near(one.low, other.low)
        and _near(one.high, other.high)
        and all(getattr(one, name) == getattr(other, name) for name in plain)
    )


def _agreement(said: Sequence[Agreement], expected: Sequence[Agreement]) -> Iterator[str]:
    ours, theirs = ({(a.criterion, a.coefficient): a for a in each} for each in (expected, said))
    if ours.keys() != theirs.keys() or len(theirs) != len(said):
        yield "the agreement is not on the criteria of the rows"
        return
    for key, one in theirs.items():
        other = ours[key]
        counts = all(getattr(one, n) == getattr(other, n) for n in ("units", "ratings", "raters"))
        if not (counts and _near(one.value, other.value)):
            yield f"{key[1]} of {key[0]} is {_shown(one.value)}, rows give {_shown(other.value)}"
        elif not _same_interval(one.interval, other.interval):
            yield f"the interval of {key[1]} of {key[0]} is not that of the rows"


def _near(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=_NEAR, abs_tol=_NEAR)


def _shown(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.6g}"
