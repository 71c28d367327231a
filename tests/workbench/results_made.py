"""Saved results to upload, made from the bundled data."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec.structs import replace
from reports.made import demo

from chronoscore.core.result import save
from chronoscore.engines.scoring import Scored

Files = list[tuple[str, tuple[str, bytes]]]


@cache
def files_of(family: str = "timelines", system: str = "", name: str = "run") -> tuple[Any, ...]:
    """A result as --save writes it, of all systems or of one, as an upload."""
    scored = demo(family)
    with TemporaryDirectory() as folder:
        write(scored, Path(folder) / f"{name}.json", system)
        return tuple(
            ("results", (path.name, path.read_bytes())) for path in sorted(Path(folder).iterdir())
        )


def write(scored: Scored, path: Path, system: str = "") -> None:
    """Save a result, of all systems or of one."""
    result = scored.result
    if system:
        result = replace(result, systems=tuple(s for s in result.systems if s.name == system))
    known = {one.name for one in result.systems}
    matches = [item for item in scored.matches if item.system in known]
    texts = [item for item in scored.texts if item.system in known]
    save(result, matches, path, texts)


def document(family: str = "timelines", system: str = "") -> bytes:
    """The document alone."""
    made: bytes = next(
        content for _, (name, content) in files_of(family, system) if name.endswith("run.json")
    )
    return made
