"""Checks whether the scores of a saved result follow from its rows; nothing is scored again.

Scores are functions of rows, so a document whose scores were edited can be detected. Estimates are
cheap to compute again and are checked wherever a result is read; intervals take longer and are
checked by `chronoscore validate`.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
from msgspec import MsgspecError, structs

from chronoscore import __version__
from chronoscore.core.evidence_table import EvidenceTable
from chronoscore.core.family import UNDEFINED_POLICIES, Family
from chronoscore.core.metric import Metric
from chronoscore.core.names import Signature
from chronoscore.core.result import Agreement, ResultDocument, Summary, SystemResult
from chronoscore.engines.assemble import assemble
from chronoscore.engines.settings import Settings
from chronoscore.errors import DataError, Problem, UsageError
from chronoscore.statistics.averaging import Path

JUDGED = "rubric"
"""The family whose scores depend on a codebook, which may be a team's own."""
MOST = 5
"""Numbers that are named; if many are wrong, the first ones will do."""
_NEAR = 1e-9
"""Relative difference that another machine's arithmetic may make."""
_BOUNDS = ("low", "high", "level", "method", "clusters", "unit", "draws")
"""What is compared of intervals; documents of earlier versions lack other fields."""


def verify(family: Family, result: ResultDocument, path: object) -> None:
    """Refuse a result whose estimates do not follow from its rows."""
    if problems := check_numbers(family, result):
        raise DataError(Problem(problem, str(path)) for problem in problems)


def check_numbers(family: Family, result: ResultDocument, *, intervals: bool = False) -> list[str]:
    """List the numbers of a result that its rows do not give; with `intervals`, check these too.

    Judgements under another codebook than the family's can't be summarised without it, so only
    their settings are checked.
    """
    tables: dict[str, EvidenceTable] = {}
    problems: list[str] = []
    for system in result.systems:
        tables[system.name] = EvidenceTable.of(system.rows)
        try:
            with np.errstate(all="ignore"):
                messages = _system(family, result, system, tables[system.name], intervals)
                problems += [f"{system.name}: {text}" for text in islice(messages, MOST)]
        except UsageError as error:
            problems.append(f"{system.name}: {error}")
        except (ArithmeticError, ValueError, LookupError, TypeError, MsgspecError):
            problems.append(f"{system.name}: its scores can't be computed from its rows")
    if not problems and intervals and family.agree and counts_alike(family, result):
        expected = tuple(family.agree(tables)) if any(map(len, tables.values())) else ()
        problems += islice(_agreement(result.agreement, expected), MOST)
    return problems


def counts_alike(family: Family, result: ResultDocument) -> bool:
    """Whether the metrics of a result count what the family's do: the same criteria and weights."""
    try:
        return all(
            family.metric(info.name).definition.statistics == info.statistics
            for info in result.metrics
        )
    except UsageError:
        return False


def _system(
    family: Family,
    result: ResultDocument,
    system: SystemResult,
    rows: EvidenceTable,
    intervals: bool,
) -> Iterator[str]:
    Path.parse(result.path, family.levels)
    if result.undefined not in UNDEFINED_POLICIES:
        yield f"undefined is '{result.undefined}', expected {', '.join(UNDEFINED_POLICIES)}"
        return
    signature = Signature.parse(system.signature)
    pairs = {
        "family": (result.family, signature.family),
        "protocol": (result.protocol, signature.protocol),
        "average": (result.path, signature.path),
        "undefined": (result.undefined, signature.undefined),
        "options": (result.options, dict(signature.options)),
        "metrics": (tuple(metric.name for metric in result.metrics), signature.metrics),
    }
    differ = [name for name, (document, signed) in pairs.items() if document != signed]
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
        settings = structs.replace(settings, chance=None)
    settings = structs.replace(settings, family=replace(family, agree=None))
    expected = assemble(settings, {system.name: rows})
    for stated, computed in zip(result.metrics, expected.metrics, strict=True):
        for name in ("scores", "primary", "curve", "better", "statistics"):
            if _names(getattr(stated, name)) != _names(getattr(computed, name)):
                yield f"{name} of {stated.name} are not those of this version{_made_by(signature)}"
                return
    yield from _summaries(system, expected.systems[0], intervals, _made_by(signature))
    yield from _out_of_range(settings.metrics, expected.systems[0])


def _out_of_range(metrics: Sequence[Metric], expected: SystemResult) -> Iterator[str]:
    """Report impossible rows, such as more hits than predictions."""
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
    """Return the names of a metric's statistics, since the wording of their meaning may change."""
    return (
        [getattr(statistic, "name", statistic) for statistic in value]
        if isinstance(value, tuple)
        else value
    )


def _made_by(signature: Signature) -> str:
    if signature.version == __version__:
        return ""
    return f" (the result was made by version {signature.version}, this is {__version__})"


def _summaries(
    system: SystemResult, expected: SystemResult, intervals: bool, made_by: str
) -> Iterator[str]:
    computed, stated = (
        {
            (summary.metric, (*sorted(summary.group.items()), ("", summary.kind))): summary
            for summary in result.summaries
        }
        for result in (expected, system)
    )
    for metric, group in stated.keys() ^ computed.keys():
        message = (
            "is no summary of" if (metric, group) in computed else "are no rows for the summary of"
        )
        yield f"there {message} {_where(metric, group)}"
    for (metric, group), summary in stated.items():
        if expected_summary := computed.get((metric, group)):
            for text in _summary(_where(metric, group), summary, expected_summary, intervals):
                yield f"{text}{made_by}"


def _where(metric: str, group: Sequence[tuple[str, str]]) -> str:
    return ", ".join([metric, *(f"{tag} '{name}'" for tag, name in group if tag)])


def _summary(where: str, stated: Summary, computed: Summary, intervals: bool) -> Iterator[str]:
    if stated.cases != computed.cases:
        yield f"{where} is of {stated.cases} cases, and there are rows of {computed.cases}"
    for name, value in computed.scores.items():
        if not _alike(stated.scores.get(name), value):
            score = _shown(stated.scores.get(name))
            yield f"{name} of {where} is {score}, and the rows give {_shown(value)}"
    if stated.statistics and not _alike(stated.statistics, computed.statistics):
        yield f"the sums of {where} are not those of the rows"
    if stated.undefined != computed.undefined or (stated.units and stated.units != computed.units):
        yield f"the counts of {where} are not those of the rows"
    points, expected = (
        [
            (point.threshold, {name: point.scores.get(name) for name in computed.scores})
            for point in summary.curve
        ]
        for summary in (stated, computed)
    )
    if not _alike(points, expected):
        yield f"the curve of {where} is not that of the rows"
    drawn, expected_bounds = (
        {name: _fields(interval, _BOUNDS) for name, interval in summary.intervals.items()}
        for summary in (stated, computed)
    )
    if intervals and not _alike(drawn, expected_bounds):
        yield f"the intervals of {where} are not those of the rows"


def _fields(document: object, names: Sequence[str]) -> list[object]:
    return [getattr(document, name, None) for name in names]


def _agreement(agreements: Sequence[Agreement], expected: Sequence[Agreement]) -> Iterator[str]:
    computed, stated = (
        {(a.criterion, a.coefficient): a for a in each} for each in (expected, agreements)
    )
    if computed.keys() != stated.keys() or len(stated) != len(agreements):
        yield "the agreement is not on the criteria of the rows"
        return
    for key, saved in stated.items():
        fresh = computed[key]
        counts = ("units", "ratings", "raters", "value")
        if not _alike(_fields(saved, counts), _fields(fresh, counts)):
            yield f"{key[1]} of {key[0]} is {_shown(saved.value)}, rows give {_shown(fresh.value)}"
        elif not _alike(_fields(saved.interval, _BOUNDS), _fields(fresh.interval, _BOUNDS)):
            yield f"the interval of {key[1]} of {key[0]} is not that of the rows"


def _alike(first: object, second: object) -> bool:
    """Whether two values are equal up to the arithmetic of another machine."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(
            _alike(first[name], second[name]) for name in first
        )
    if isinstance(first, list | tuple) and isinstance(second, list | tuple):
        return len(first) == len(second) and all(map(_alike, first, second))
    if isinstance(first, int | float) and isinstance(second, int | float):
        return math.isclose(first, second, rel_tol=_NEAR, abs_tol=_NEAR)
    return first == second


def _shown(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.6g}"
