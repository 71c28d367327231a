"""What is streamed: a gold and the predictions of systems, each a file or a folder of shards."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from chronoscore import families
from chronoscore.core.collection import given_once
from chronoscore.core.columns import misspelt, refuse_misspelt
from chronoscore.core.errors import UsageError
from chronoscore.core.ledger import Ledger
from chronoscore.core.reading import Reading
from chronoscore.core.unpacking import column_names

PLAIN = (".jsonl", ".ndjson")
PACKED = (".gz", ".zst", ".parquet")
LARGE = 64 * 1024 * 1024
"""Bytes from which reading in parts pays."""

Remarks = Callable[[Mapping[str, Ledger], Mapping[str, int]], Sequence[str]]
"""Notices from the rows of all systems, and from what adds up over the parts."""


@dataclass(frozen=True)
class Inputs:
    """A gold, the files of each system (one for each trial), and how the family reads them."""

    family: str
    gold: Path
    systems: Mapping[str, Sequence[Path]]
    trials: bool = False
    """Whether the family's reader takes several files of a system."""
    reader: Mapping[str, str] = field(default_factory=dict)
    """More arguments of the family's reader."""
    paired: bool = True
    """Whether predictions are set against the gold; else all files are alike, as sheets are, and
    lines name their system."""
    known: frozenset[str] | None = None
    """The only events there may be, for sheets of judgements, where that is known."""
    remarks: Remarks | None = None
    """What those who see all rows have to say."""

    def all(self) -> Iterator[Path]:
        """Every file or folder."""
        yield self.gold
        for paths in self.systems.values():
            yield from paths


def shards(path: Path) -> list[Path]:
    """The files behind a path: itself, or the shards in a folder."""
    if not path.is_dir():
        return [path]
    return sorted(file for file in path.iterdir() if file.is_file() and is_shard(file))


def is_shard(path: Path) -> bool:
    """Whether a file can be read in parts."""
    name = path.name.lower()
    return name.endswith((*PLAIN, ".parquet")) or any(
        name.endswith(f"{plain}{packed}") for plain in PLAIN for packed in (".gz", ".zst")
    )


def can_stream(inputs: Inputs) -> str:
    """Why these files can't be read in parts; empty if they can."""
    for path in inputs.all():
        if not path.exists():
            return f"{path} is not there"
        found = shards(path)
        if not found or not all(is_shard(file) for file in found):
            return f"{path} is no JSONL (plain, gz or zst) or Parquet"
    return ""


def must_stream(inputs: Inputs) -> bool:
    """Whether only reading in parts reads these files, or it pays: packed, or large.

    A folder of plain files may be a folder of topics, so it is read in parts only when asked for.
    """
    if can_stream(inputs):
        return False
    files = [file for path in inputs.all() for file in shards(path)]
    packed = any(file.name.lower().endswith(PACKED) for file in files)
    if packed or any(path.is_dir() for path in inputs.all()):
        return packed
    return sum(file.stat().st_size for file in files) >= LARGE


def check(inputs: Inputs, reading: Reading) -> None:
    """Stop at files that can't be read in parts, misspelt columns, or a sheet given twice."""
    why = can_stream(inputs)
    if why:
        raise UsageError(f"--engine and --work read files in parts, and {why}")
    columns = families.family(inputs.family).columns
    for file in (file for path in inputs.all() for file in shards(path)):
        if columns and file.name.lower().endswith(".parquet"):
            refuse_misspelt(misspelt(column_names(file), sorted(columns)), reading, file)
    reading.check()
    if not inputs.paired:
        given_once(inputs.all(), reading)
        reading.check()
