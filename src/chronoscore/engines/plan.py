"""The plan of a run: what is scored, on which engine, and whether it is cut into chunks."""

import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from chronoscore import __version__
from chronoscore.core.sources import Source
from chronoscore.errors import UsageError

Item = TypeVar("Item")
Other = TypeVar("Other")
LARGE = 64 * 1024 * 1024
"""Files of more bytes than that, unpacked and together, are cut into chunks."""
LOOPBACK = "127.0.0.1"
"""The address that only this machine can reach: a scheduler runs what anyone sends to it."""
ANY_PORT = f"{LOOPBACK}:0"
_LINES = (".jsonl", ".ndjson")
_LINE_FORMATS = ("jsonl", "events", "prodigy")
_ADDRESSES = ("dask://", "tcp://", "tls://")


@dataclass(frozen=True, eq=False)
class Sides(Generic[Item]):
    """What there is of the gold and of each trial of every system: sources, or their indexes."""

    gold: Item | None
    """None where nothing is compared with a gold: then all files are alike, as sheets are."""
    systems: Mapping[str, Sequence[Item]]
    """One for each trial of a system."""

    @property
    def every(self) -> list[Item]:
        """The gold's, then those of the systems."""
        of_systems = [item for items in self.systems.values() for item in items]
        return of_systems if self.gold is None else [self.gold, *of_systems]

    def map(self, change: Callable[[Item], Other]) -> "Sides[Other]":
        """Apply a function to each."""
        gold = None if self.gold is None else change(self.gold)
        return Sides(gold, {name: [*map(change, items)] for name, items in self.systems.items()})


@dataclass(frozen=True, eq=False)
class Inputs(Sides[Source]):
    """The sources of a run, and how the family reads them."""

    words: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of the family's reader; `events` are the only cases that there may be."""

    def __post_init__(self) -> None:
        """Number the sources, so that findings can be sorted in their order."""
        for number, source in enumerate(self.every):
            source.order = number

    @property
    def files(self) -> list[Source]:
        """The files of all sources: a folder gives its shards."""
        return [file for source in self.every for file in shards(source)]


def check_system_name(name: str) -> None:
    """Refuse a name that no table can show, or that stands for a row that we add.

    >>> check_system_name("(base)")
    Traceback (most recent call last):
    chronoscore.errors.UsageError: a system is named '(base)': leave the first bracket out, since \
names in brackets are for golds and baselines
    """
    if not name.strip() or not name.isprintable():
        raise UsageError(f"a system is named {name!r}: give it a name of one line of text")
    if name.startswith("("):
        raise UsageError(
            f"a system is named '{name}': leave the first bracket out, since names in brackets are "
            "for golds and baselines"
        )


def shards(source: Source) -> list[Source]:
    """Return the files of a source: itself, or the shards in a folder."""
    if not source.is_folder:
        return [source]
    return [child for child in source.children() if child.is_file and has_lines(child)]


def has_lines(source: Source) -> bool:
    """Whether a source is JSONL, plain or packed, or Parquet, so that it can be cut."""
    if source.format:
        return source.format in _LINE_FORMATS
    return source.file_suffix.lower() in _LINES


def not_cuttable(inputs: Inputs) -> str:
    """Say why these sources can't be cut into chunks; empty if they can."""
    for source in inputs.every:
        if not source.exists:
            return f"{source} is not there"
        files = shards(source)
        if not files or not all(map(has_lines, files)):
            return f"{source} is no JSONL (plain, gz or zst) or Parquet"
    return ""


class Plan(msgspec.Struct, frozen=True):
    """Where and how a run is done."""

    engine: str = "auto"
    """here, processes, dask, dask://address, or auto."""
    workers: int = 0
    """0 for one a core."""
    dashboard: str = ANY_PORT
    """The host and port of the dashboard, where the engine is dask."""
    work: Path | None = None
    """Where finished chunks are kept, so that a run that was stopped goes on."""
    chunk: int = 0
    """Cases a chunk; 0 to cut by size."""
    whole: bool = False
    """Whether the run needs all cases at once, so that nothing is cut."""
    most_bad: int | None = None
    """How many bad cases, and lines that can't be read, may be left out; None for none, so that
    all problems are reported and the run stops."""

    @property
    def most_workers(self) -> int:
        """The requested number of workers, or the number of cores."""
        return self.workers or os.cpu_count() or 1

    def cuts(self, inputs: Inputs) -> bool:
        """Whether the run is cut into chunks: where the plan asks for it, or the files are large.

        A folder of plain files may be a folder of topics, so it is cut only on request; a folder
        of packed files is always one of shards.
        """
        if self.whole:
            return False
        if self.engine != "auto" or self.work or self.chunk or self.most_bad is not None:
            return True
        if not_cuttable(inputs):
            return False
        if any(source.is_folder for source in inputs.every):
            return any(file.packing for file in inputs.files)
        return _are_large(inputs.every)

    def __post_init__(self) -> None:
        """Refuse an engine that does not exist, and impossible numbers."""
        is_known = self.engine in ("auto", "here", "processes", "dask")
        if not is_known and not self.engine.startswith(_ADDRESSES):
            known = "here, processes, dask, dask://HOST:PORT"
            raise UsageError(f"unknown engine '{self.engine}'; there are: {known}")
        for name, number in (("workers", self.workers), ("chunk", self.chunk)):
            if number < 0:
                raise UsageError(f"{name} is {number}, expected 1, 2, ... or 0 for the default")
        host, _, port = self.dashboard.rpartition(":")
        if not host or not (port.isascii() and port.isdecimal()):
            raise UsageError(f"dashboard is '{self.dashboard}', expected HOST:PORT")
        if self.most_bad is not None and self.most_bad < 0:
            raise UsageError(f"most_bad is {self.most_bad}, expected 0, 1, 2, ...")


def _are_large(sources: Iterable[Source]) -> bool:
    """Whether sources are large in total; packed files are unpacked only as far as needed."""
    size = 0
    for source in sources:
        if not source.packing:
            size += source.size
            continue
        with source.open() as file:
            while size < LARGE and (piece := file.read(1 << 20)):
                size += len(piece)
    return size >= LARGE


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
        """Items per second."""
        return self.done / self.seconds if self.seconds > 0 else 0.0

    @property
    def left(self) -> float | None:
        """Seconds that are left at the rate so far; None where that is not known."""
        return (self.of - self.done) / self.rate if self.of and self.rate else None


class Manifest(msgspec.Struct, frozen=True):
    """What a run was: versions, counts, times and rates."""

    version: str
    versions: dict[str, str]
    """Of Python, the packages that were used, and the system."""
    engine: str
    workers: int
    dashboard: str
    """Where the cluster could be watched; empty where there is none."""
    cases: int
    chunks: int
    reused: int
    """Chunks that an earlier run has measured."""
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
    """The most bytes this process held at once, without its workers; None where it is unknown."""
    inputs: dict[str, str]


def versions(engine: str, packings: Collection[str]) -> dict[str, str]:
    """Return the versions of the packages that a run uses; none of them is imported."""
    import platform  # noqa: PLC0415 - these two are slow to import
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

    packages = ["numpy", "msgspec"]
    if engine.startswith(("dask", "tcp:", "tls:")):
        packages += ["dask", "distributed"]
    packages += ["pyarrow"] * (".parquet" in packings) + ["zstandard"] * (".zst" in packings)
    by_package = {
        "chronoscore": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
    }
    for name in packages:
        try:
            by_package[name] = version(name)
        except PackageNotFoundError:  # a source tree that is not installed
            by_package[name] = "unknown"
    return by_package


def most_memory() -> int | None:
    """Return the peak memory of this process in bytes."""
    if os.name != "posix":
        return None
    import resource  # noqa: PLC0415  # not there on other systems

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
