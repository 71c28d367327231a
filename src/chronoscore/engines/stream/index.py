"""Where the lines of each case are: an index of files that are not held."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.errors import DataError, Problem
from chronoscore.core.labels import Labels
from chronoscore.core.sharding import Sharding, key_of
from chronoscore.engines.stream.inputs import shards
from chronoscore.engines.stream.unpacking import plain_lines

MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, eq=False)
class Lines:
    """Some lines of some files, in their order: about 30 bytes each."""

    files: tuple[Path, ...]
    """Where the bytes are."""
    names: tuple[str, ...]
    """What people call these files."""
    file_at: NDArray[np.int32]
    offset: NDArray[np.int64]
    length: NDArray[np.int32]
    number: NDArray[np.int32]
    """The line's number, from 1."""
    digest: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.offset)

    def take(self, places: NDArray[np.int64]) -> "Lines":
        """Only some lines."""
        return Lines(
            self.files,
            self.names,
            self.file_at[places],
            self.offset[places],
            self.length[places],
            self.number[places],
            self.digest[places],
        )

    def bytes(self) -> Iterator[bytes]:
        """The lines themselves, with their ends."""
        opened = {at: self.files[at].open("rb") for at in np.unique(self.file_at).tolist()}
        try:
            for at, offset, length in zip(
                self.file_at.tolist(), self.offset.tolist(), self.length.tolist(), strict=True
            ):
                file = opened[at]
                if file.tell() != offset:
                    file.seek(offset)
                yield file.read(length)
        finally:
            for file in opened.values():
                file.close()


@dataclass(frozen=True, eq=False)
class Index:
    """The lines of a file or a folder of shards, and the case that each belongs to."""

    path: Path
    lines: Lines
    key: Labels
    """Of each line; none for a line that can't be read."""


def index_of(path: Path, sharding: Sharding, folder: Path) -> Index:
    """Read a file once, from its first line to its last, and remember only where things are."""
    names: list[str] = []
    files: list[Path] = []
    sizes: list[int] = []
    offsets: list[int] = []
    lengths: list[int] = []
    numbers: list[int] = []
    digests: list[bytes] = []
    keys: list[str | None] = []
    for shard in shards(path):
        plain = plain_lines(shard, folder)
        names.append(str(shard))
        files.append(plain)
        before = len(keys)
        try:
            for number, offset, line in _lines(plain):
                keys.append(key_of(line, sharding))
                offsets.append(offset)
                lengths.append(len(line))
                numbers.append(number)
                digests.append(blake2b(line.rstrip(b"\r\n"), digest_size=8).digest())
        except OSError as error:
            raise DataError.of(f"can't be read: {error.strerror or error}", shard) from None
        sizes.append(len(keys) - before)
    lines = Lines(
        tuple(files),
        tuple(names),
        np.repeat(np.arange(len(files), dtype=np.int32), sizes),
        np.array(offsets, np.int64),
        np.array(lengths, np.int32),
        np.array(numbers, np.int32),
        np.frombuffer(b"".join(digests), "<u8").astype(np.uint64),
    )
    return Index(path, lines, Labels.of(keys))


def _lines(path: Path) -> Iterator[tuple[int, int, bytes]]:
    """Each line that is not blank, with its number and where it begins."""
    with path.open("rb") as file:
        offset = 0
        for number, line in enumerate(file, 1):
            begin, offset = offset, offset + len(line)
            mark = len(MARK) if number == 1 and line.startswith(MARK) else 0
            if line[mark:].strip():
                yield number, begin + mark, line[mark:]


def strays(indexes: Sequence[Index]) -> list[Problem]:
    """The lines that can't be read: nobody can say which case they belong to."""
    found = []
    for index in indexes:
        lines = index.lines
        for at in np.flatnonzero(index.key.at < 0).tolist():
            found.append(
                Problem(
                    "the line is no readable JSON object",
                    lines.names[lines.file_at[at]],
                    int(lines.number[at]),
                )
            )
    return found
