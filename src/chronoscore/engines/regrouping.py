"""Breaking a finished result down once more: its rows are there, nothing is scored again."""

from dataclasses import replace

import msgspec

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
    signature = Signature.parse(result.systems[0].signature)
    settings = Settings.from_signature(family, signature, (family.levels[1],))
    ledgers = {system.name: Ledger.of(system.rows) for system in result.systems}
    made = assemble(replace(settings, chance=None), ledgers)
    systems = [
        msgspec.structs.replace(
            old, summaries=(*old.summaries, *(one for one in new.summaries if one.group))
        )
        for old, new in zip(result.systems, made.systems, strict=True)
    ]
    return msgspec.structs.replace(result, systems=tuple(systems))
