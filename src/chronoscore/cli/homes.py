"""The family that a saved result is of, where a team's own codebook makes one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronoscore.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from chronoscore.core.family import Family
    from chronoscore.core.result import Result

JUDGED = "rubric"


def homes_of(saved: Sequence[tuple[object, Result]], codebooks: Sequence[Path]) -> list[Family]:
    """The family of each saved result; judgements by a team's own codebook need that codebook."""
    from chronoscore.core.reading import Reading
    from chronoscore.families import family

    known: list[Family] = []
    if any(result.family == JUDGED for _, result in saved):
        from chronoscore.rubric import load_codebook, rubric_family

        known = [rubric_family(load_codebook(path, Reading())) for path in codebooks]
    elif codebooks:
        raise UsageError("--codebook is for results of judgements, and here are none")
    return [
        _judged(path, result, known) if result.family == JUDGED else family(result.family)
        for path, result in saved
    ]


def _judged(path: object, result: Result, known: Sequence[Family]) -> Family:
    from chronoscore.families import family

    for home in (*known, family(JUDGED)):
        if _counts_alike(home, result):
            return home
    name = result.protocol or ", ".join(metric.label for metric in result.metrics)
    if not known:
        raise UsageError(f"{path} is of a team's own codebook ({name}): give it by --codebook FILE")
    given = ", ".join(home.protocols[0].name for home in known)
    raise UsageError(
        f"{path} is of another codebook ({name}), or another version of it, than was given: {given}"
    )


def _counts_alike(home: Family, result: Result) -> bool:
    """Whether the metrics of a result count what the family's do: the same criteria and weights."""
    try:
        return all(
            home.metric(info.name).definition.statistics == info.statistics
            for info in result.metrics
        )
    except UsageError:
        return False
