"""What a run in parts tells: how far it is, and at the end what it was."""

import os
import platform
import sys
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

from chronoscore import __version__


class Progress(msgspec.Struct, frozen=True):
    """How far a stage of a run is."""

    stage: str
    """index, which counts bytes, or measure, which counts cases."""
    done: int
    of: int
    """0 where it is not known yet."""
    seconds: float

    @property
    def rate(self) -> float:
        """So many a second."""
        return self.done / self.seconds if self.seconds > 0 else 0.0

    @property
    def left(self) -> float | None:
        """Seconds that are left, if it goes on like this; None while nobody can tell."""
        return (self.of - self.done) / self.rate if self.of and self.rate else None


class Manifest(msgspec.Struct, frozen=True):
    """What a run was: versions, counts, times and rates."""

    version: str
    versions: dict[str, str]
    """Of all that had a hand in it: Python, packages, the system."""
    engine: str
    workers: int
    dashboard: str
    """Where the cluster could be watched; empty where there is none."""
    cases: int
    chunks: int
    reused: int
    """Chunks that were there from a run before."""
    bad: int
    unread: int
    """Lines that can't be read, so that their cases are unknown."""
    lines: int
    bytes: int
    """Of all inputs, unpacked."""
    seconds: dict[str, float]
    """By stage, and in total."""
    rate: float
    """Cases a second while measuring, of those that were measured now."""
    rates: dict[str, float]
    """By stage: bytes a second of the index, cases a second of the rest."""
    memory: int | None
    """The most bytes this process held at once, without its workers; None where nobody tells."""
    inputs: dict[str, str]


def versions(engine: str, files: Iterable[Path]) -> dict[str, str]:
    """The versions of what a run uses; nothing is imported to find them."""
    packages = ["numpy", "msgspec"]
    if engine.startswith(("dask", "tcp:", "tls:")):
        packages += ["dask", "distributed"]
    endings = {file.suffix.lower() for file in files}
    packages += ["pyarrow"] * (".parquet" in endings) + ["zstandard"] * (".zst" in endings)
    found = {
        "chronoscore": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
    }
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # a copy that was not installed
            found[name] = "unknown"
    return found


def most_memory() -> int | None:
    """The most bytes that this process held at once."""
    if os.name != "posix":
        return None
    import resource  # noqa: PLC0415  # not there on other systems

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
