"""Breaking a finished result down once more: its rows are there, nothing is scored again."""

from collections.abc import Sequence
from dataclasses import replace

from msgspec import structs

from chronoscore.core.family import Family
from chronoscore.core.ledger import Ledger
from chronoscore.core.result import Result
from chronoscore.core.signature import Signature
from chronoscore.engines.scoring import assemble
from chronoscore.engines.settings import Settings


def by_parts(family: Family, result: Result) -> Result:
    """The result told part by part: broken down by the family's second level if by nothing yet."""
    every = [summary for system in result.systems for summary in system.summaries]
    told = any(summary.group and summary.kind == "cases" for summary in every)
    if told or not any(system.rows for system in result.systems):
        return result
    settings = replace(_settings(family, result, (family.levels[1],)), chance=None)
    return _with_groups(settings, result, result)


def regrouped(family: Family, result: Result, by: Sequence[str]) -> Result:
    """The result broken down by other tags or values, which its rows must have."""
    if not any(system.rows for system in result.systems):
        return result
    wholes = [
        structs.replace(system, summaries=tuple(s for s in system.summaries if not s.group))
        for system in result.systems
    ]
    bare = structs.replace(result, systems=tuple(wholes))
    return _with_groups(_settings(family, result, by), result, bare)


def _settings(family: Family, result: Result, by: Sequence[str]) -> Settings:
    signature = Signature.parse(result.systems[0].signature)
    return Settings.from_signature(family, signature, by)


def _with_groups(settings: Settings, result: Result, target: Result) -> Result:
    """Add the summaries of all groups to a result."""
    ledgers = {system.name: Ledger.of(system.rows) for system in result.systems}
    made = assemble(settings, ledgers)
    systems = [
        structs.replace(
            old, summaries=(*old.summaries, *(one for one in new.summaries if one.group))
        )
        for old, new in zip(target.systems, made.systems, strict=True)
    ]
    return structs.replace(target, systems=tuple(systems))
