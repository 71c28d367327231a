"""Uniting partial results: rows of the same system, measured anywhere, summarised once."""

from collections.abc import Sequence

from chronoscore.core.errors import DataError, Problem, UsageError
from chronoscore.core.family import Family
from chronoscore.core.ledger import Ledger, unite
from chronoscore.core.result import Result, left_out_notice
from chronoscore.core.signature import Signature
from chronoscore.engines.scoring import assemble
from chronoscore.engines.settings import Settings


def merge(family: Family, parts: Sequence[tuple[str, Result]]) -> Result:
    """Unite partial results, each with the name of its file, into the result of the whole.

    They must have been made under the same settings by the same version; a case that is in two of
    them for one system is an error, since nobody could say which counts.
    """
    if not parts:
        raise UsageError("there is nothing to unite")
    settings, first = _settings(family, parts)
    problems = _values_problems(parts)
    ledgers: dict[str, list[Ledger]] = {}
    for path, result in parts:
        for system in result.systems:
            these = _conditions(system.signature)
            if these != first:
                differ = [name for name in first if first[name] != these[name]]
                told = ", ".join(
                    f"{n} is {_shown(these[n])}, not {_shown(first[n])}" for n in sorted(differ)
                )
                problems.append(Problem(f"'{system.name}' has another signature: {told}", path))
            ledgers.setdefault(system.name, []).append(Ledger.of(system.rows))
    if problems:
        raise DataError(problems)
    united = {}
    for name, own in ledgers.items():
        try:
            united[name] = unite(*own)
        except DataError as error:
            problems += [Problem(f"{name}: {problem.message}") for problem in error.problems]
    if problems:
        raise DataError(problems)
    left_out = sum(result.left_out for _, result in parts)
    notices = dict.fromkeys(
        notice
        for _, result in parts
        for notice in result.notices
        if notice != left_out_notice(result.left_out)  # it is told anew of all
    )
    all_told = [*notices, *_told_of_groups(parts)]
    all_told += [left_out_notice(left_out)] * bool(left_out)
    return assemble(settings, united, notices=all_told, left_out=left_out)


def _settings(
    family: Family, parts: Sequence[tuple[str, Result]]
) -> tuple[Settings, dict[str, object]]:
    result = parts[0][1]
    if not result.systems:
        raise DataError.of("the first result has no system")
    signature = result.systems[0].signature
    by = [*dict.fromkeys(tag for _, result in parts for tag in _groups(result))]
    return Settings.from_signature(family, Signature.parse(signature), by), _conditions(signature)


def _groups(result: Result) -> list[str]:
    """What the scores of a result are broken down by."""
    summaries = (summary for system in result.systems for summary in system.summaries)
    return [*dict.fromkeys(tag for summary in summaries for tag in summary.group)]


def _values_problems(parts: Sequence[tuple[str, Result]]) -> list[Problem]:
    """Refuse parts that were not all broken down by the same values: rows lack the others."""
    found = {path: names for path, result in parts if (names := _value_names(result)) is not None}
    wanted = max(found.values(), key=len, default=())
    return [
        Problem(
            f"the scores are broken down by {', '.join(own) or 'no value'}, those of other parts "
            f"by {', '.join(wanted)}: score all parts with the same --by",
            path,
        )
        for path, own in found.items()
        if own != wanted
    ]


def _value_names(result: Result) -> tuple[str, ...] | None:
    """What items are broken down by; None where nothing was there to be broken down."""
    summaries = [s for system in result.systems for s in system.summaries if s.kind == "value"]
    if summaries:
        return tuple(summaries[0].group)
    ledgers = [Ledger.of(system.rows) for system in result.systems if system.rows]
    return None if all(ledger.parts for ledger in ledgers) else ()


def _told_of_groups(parts: Sequence[tuple[str, Result]]) -> list[str]:
    """Say that parts were broken down by different tags; all rows have the tags of all."""
    groups = {
        path: _groups(result) for path, result in parts if any(s.rows for s in result.systems)
    }
    if len({frozenset(own) for own in groups.values()}) < 2:
        return []
    listed = "; ".join(f"{path}: {', '.join(own) or 'by nothing'}" for path, own in groups.items())
    return [f"the parts were broken down differently, and are now by all of it ({listed})"]


def _shown(value: object) -> str:
    """A setting in words.

    >>> _shown(""), _shown("auto"), _shown(("AR-1", "AR-2")), _shown({"missing": "skip"})
    ('none', 'auto', 'AR-1, AR-2', 'missing=skip')
    """
    if isinstance(value, dict):
        return ", ".join(f"{name}={one}" for name, one in value.items()) or "none"
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return str(value) or "none"


def _conditions(text: str) -> dict[str, object]:
    """What results must have in common."""
    signature = Signature.parse(text)
    return {
        "family": signature.family,
        "protocol": signature.protocol,
        "metrics": signature.metrics,
        "average": signature.path,
        "undefined": signature.undefined,
        "options": dict(signature.options),
        "interval": signature.interval,
        "version": signature.version,
    }
