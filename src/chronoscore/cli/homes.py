"""The family that a saved result is of, where a team's own codebook makes one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronoscore.core.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from chronoscore.core.family import Family
    from chronoscore.core.result import Result

JUDGED = "rubric"


def homes_of(saved: Sequence[tuple[object, Result]], codebooks: Sequence[Path]) -> list[Family]:
    """The family of each saved result, whose numbers must follow from its rows.

    Judgements by a team's own codebook need that codebook.
    """
    from chronoscore.engines.verifying import verify

    homes = families_of(saved, codebooks)
    for (path, result), home in zip(saved, homes, strict=True):
        verify(home, result, path)
    return homes


def families_of(saved: Sequence[tuple[object, Result]], codebooks: Sequence[Path]) -> list[Family]:
    """The family of each saved result."""
    from chronoscore.core.reading import Reading

    known: list[Family] = []
    if any(result.family == JUDGED for _, result in saved):
        from chronoscore.rubric import load_codebook, rubric_family

        known = [rubric_family(load_codebook(path, Reading())) for path in codebooks]
    elif codebooks:
        raise UsageError("--codebook is for results of judgements, and here are none")
    return [
        _judged(path, result, known) if result.family == JUDGED else _named(path, result)
        for path, result in saved
    ]


def _named(path: object, result: Result) -> Family:
    from chronoscore.families import family

    try:
        return family(result.family)
    except UsageError as error:
        raise DataError.of(str(error), path) from None


def warnings_of(path: object, result: Result, codebooks: Sequence[Path]) -> list[str]:
    """What a result says and its rows don't."""
    from chronoscore.engines.verifying import check_numbers

    home = families_of([(path, result)], codebooks)[0] if codebooks else _named(path, result)
    return [f"{path}: {problem}" for problem in check_numbers(home, result)]


def _judged(path: object, result: Result, known: Sequence[Family]) -> Family:
    from chronoscore.engines.verifying import counts_alike
    from chronoscore.families import family

    for home in (*known, family(JUDGED)):
        if counts_alike(home, result):
            return home
    name = result.protocol or ", ".join(metric.label for metric in result.metrics)
    if not known:
        raise UsageError(f"{path} is of a team's own codebook ({name}): give it by --codebook FILE")
    given = ", ".join(home.protocols[0].name for home in known)
    raise UsageError(
        f"{path} is of another codebook ({name}), or another version of it, than was given: {given}"
    )
