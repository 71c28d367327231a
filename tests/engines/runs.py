"""Runs of the engine on files, as the tests ask for them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.engines.plan import Inputs, Manifest, Plan
from chronoscore.engines.scoring import Scored, score_sources
from chronoscore.engines.settings import Settings
from chronoscore.families import family


def inputs_of(gold: Path, systems: Mapping[str, Path | Sequence[Path]]) -> Inputs:
    """A gold and the files of each system."""
    return Inputs(
        source_of(gold),
        {
            name: [source_of(one) for one in ([given] if isinstance(given, Path) else given)]
            for name, given in systems.items()
        },
    )


def scored(
    name: str,
    gold: Path,
    systems: Mapping[str, Path | Sequence[Path]],
    plan: Plan | None = None,
    *,
    problems: Problems | None = None,
    settings: Mapping[str, Any] | None = None,
    **more: Any,
) -> Scored:
    """Score files with a family's own settings, changed by those that are given."""
    made = Settings.make(family(name), **(settings or {}))
    return score_sources(made, inputs_of(gold, systems), problems or Problems(), plan, **more)


def manifest_of(run: Scored) -> Manifest:
    """What a run was that was cut."""
    assert run.manifest is not None
    return run.manifest
