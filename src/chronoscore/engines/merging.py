"""Uniting partial results: rows of the same system, measured anywhere, summarised once."""

from collections.abc import Sequence

from chronoscore.core.errors import DataError, Problem, UsageError
from chronoscore.core.family import Family
from chronoscore.core.ledger import Ledger, unite
from chronoscore.core.result import Result
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
    settings, first = _settings(family, parts[0][1])
    problems: list[Problem] = []
    ledgers: dict[str, list[Ledger]] = {}
    for path, result in parts:
        for system in result.systems:
            these = _conditions(system.signature)
            if these != first:
                differ = [name for name in first if first[name] != these[name]]
                told = ", ".join(f"{n} is {these[n]}, not {first[n]}" for n in sorted(differ))
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
    notices = dict.fromkeys(notice for _, result in parts for notice in result.notices)
    return assemble(settings, united, notices=[*notices])


def _settings(family: Family, result: Result) -> tuple[Settings, dict[str, object]]:
    if not result.systems:
        raise DataError.of("the first result has no system")
    signature = result.systems[0].signature
    return Settings.from_signature(family, Signature.parse(signature)), _conditions(signature)


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
