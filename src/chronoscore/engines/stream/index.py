"""Where the lines of each case are: an index of files that are not held."""

import codecs
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.errors import DataError, Problem
from chronoscore.core.labels import Labels
from chronoscore.core.reading import DEFAULT_MAX_LINE, Reading, too_long
from chronoscore.core.sharding import NAMED_BY_FILE, Sharding, event_of, fields_of
from chronoscore.core.unpacking import plain_lines, plain_name
from chronoscore.engines.stream.inputs import shards

MARK = b"\xef\xbb\xbf"
WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
NAMELESS = ""
"""The key of lines that name no case, where their file does not either: events in no text."""
MOST_LENGTH = 2**31 - 4
"""The longest line whose length the index can hold."""
TOLD_EVERY = 8 * 1024 * 1024
"""Bytes between two words on how far the index is."""


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

    def place(self, number: int) -> tuple[str, int]:
        """The file and line that people know the line by which is so-many-th here, from 1."""
        at = number - 1
        return self.names[self.file_at[at]], int(self.number[at])

    @property
    def called(self) -> str:
        """What people call all of it: the file, or the folder of the shards."""
        return self.names[0] if len(self.names) == 1 else str(Path(self.names[0]).parent)

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
    nameless: str | None = None
    """The key of the lines that name no case; None if all do."""
    twice: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By key, events whose id an event of another case has, too: in words."""

    def first(self, key: str) -> str:
        """Where the first line of a case is, as file:line; empty if there is none."""
        at = bisect_left(self.key.names, key)
        if at == len(self.key.names) or self.key.names[at] != key:
            return ""
        name, line = self.lines.place(int(np.argmax(self.key.at == at)) + 1)
        return f"{name}:{line}"


def index_of(
    path: Path,
    sharding: Sharding,
    folder: Path,
    words: dict[str, str],
    encoding: str = "utf-8",
    max_line: int = DEFAULT_MAX_LINE,
    watch: Callable[[int], None] = lambda _: None,
) -> Index:
    """Read a file once, from its first line to its last, and remember only where things are.

    `words` are the keys that other files have, so that each is held once; `watch` is told now and
    then how many bytes more were read.
    """
    names: list[str] = []
    files: list[Path] = []
    sizes: list[int] = []
    offsets, lengths, numbers, digests = array("q"), array("i"), array("i"), bytearray()
    keys, ids = _Keys(words), array("q")
    unnamed = Path(plain_name(path)).stem if sharding in NAMED_BY_FILE else NAMELESS
    nameless = None
    for shard in shards(path):
        plain = plain_lines(shard, folder)
        _check_lines(plain, shard, encoding)
        names.append(str(shard))
        files.append(plain)
        before, told = len(offsets), 0
        try:
            for number, offset, line in _lines(plain, shard, max_line):
                fields = fields_of(_utf8(line, encoding))
                key = sharding(fields) if fields is not None else None
                if key == NAMELESS:
                    key = nameless = unnamed
                keys.add(key)
                ids.append(hash(fields and event_of(fields)))
                offsets.append(offset)
                lengths.append(len(line))
                numbers.append(number)
                digests += blake2b(line.rstrip(b"\r\n"), digest_size=8).digest()
                if offset - told >= TOLD_EVERY:
                    watch(offset - told)
                    told = offset
        except OSError as error:
            raise DataError.of(f"can't be read: {error.strerror or error}", shard) from None
        watch(plain.stat().st_size - told)
        sizes.append(len(offsets) - before)
    lines = Lines(
        tuple(files),
        tuple(names),
        np.repeat(np.arange(len(files), dtype=np.int32), sizes),
        np.frombuffer(offsets, np.int64),
        np.frombuffer(lengths, np.int32),
        np.frombuffer(numbers, np.int32),
        np.frombuffer(digests, "<u8").astype(np.uint64, copy=False),
    )
    labels = keys.labels()
    return Index(path, lines, labels, nameless, _twice(ids, lines, labels, encoding))


def _twice(ids: "array[int]", lines: Lines, key: Labels, encoding: str) -> dict[str, list[str]]:
    """Events of two cases that have one id, by case; within a case its reader finds them.

    Only lines whose ids have one hash are looked at again.
    """
    hashes = np.frombuffer(ids, np.int64)
    order = np.argsort(hashes, kind="stable")
    same = hashes[order][1:] == hashes[order][:-1]
    same &= hashes[order][1:] != hash(None)
    if not same.any():
        return {}
    alike = np.flatnonzero(np.append(same, False) | np.append(False, same))
    places = np.sort(order[alike])
    named: dict[str, list[int]] = {}
    for at, line in zip(places.tolist(), lines.take(places).bytes(), strict=True):
        fields = fields_of(_utf8(line, encoding))
        if fields is not None and (name := event_of(fields)):
            named.setdefault(name, []).append(at)
    found: dict[str, list[str]] = {}
    for name, own in named.items():
        cases = {key[at]: at for at in reversed(own)}  # and the first line of each
        if len(cases) < 2:
            continue
        first, second, *_ = sorted(cases.values())
        for case, at in cases.items():
            here, there = (
                ":".join(map(str, lines.place(one + 1)))
                for one in (at, second if at == first else first)
            )
            told = f"{here}: event id '{name}' is used twice, also in {there}"
            found.setdefault(case or NAMELESS, []).append(told)
    return found


class _Keys:
    """The key of each line, as it comes: a word is held once, a line costs four bytes."""

    def __init__(self, words: dict[str, str]) -> None:
        self._words = words
        self._seen: dict[str | None, int] = {}
        self._at = array("i")

    def add(self, key: str | None) -> None:
        at = self._seen.get(key)
        if at is None:
            known = key if key is None else self._words.setdefault(key, key)
            at = self._seen[known] = len(self._seen)
        self._at.append(at)

    def labels(self) -> Labels:
        words = Labels.of(self._seen)
        return words.take(np.frombuffer(self._at, np.int32))


def _check_lines(plain: Path, shard: Path, encoding: str) -> None:
    """Refuse a file whose lines can't be told before they are decoded."""
    try:
        with plain.open("rb") as file:
            head = file.read(4)
    except OSError as error:
        raise DataError.of(f"can't be read: {error.strerror or error}", shard) from None
    if head.startswith(WIDE) or "\n".encode(encoding) != b"\n":
        raise DataError.of("UTF-16 and UTF-32 are not read in parts: write it as UTF-8", shard)


def _utf8(line: bytes, encoding: str) -> bytes:
    """The line as JSON should have been written."""
    if encoding == "utf-8":
        return line
    try:
        return line.decode(encoding).encode()
    except UnicodeError:
        return line  # whoever reads it will say what is wrong with it


def _lines(path: Path, shard: Path, max_line: int) -> Iterator[tuple[int, int, bytes]]:
    """Each line that is not blank, with its number and where it begins; no longer one is held."""
    most = min(max_line, MOST_LENGTH)
    with path.open("rb") as file:
        offset = number = 0
        while line := file.readline(most + 2):
            number += 1
            if len(line.rstrip(b"\r\n")) > most:
                raise DataError.of(too_long(most), shard, number)
            begin, offset = offset, offset + len(line)
            mark = len(MARK) if number == 1 and line.startswith(MARK) else 0
            if line[mark:].strip():
                yield number, begin + mark, line[mark:]


def doubt_blank(indexes: Iterable[Index], reading: Reading) -> None:
    """Doubt files and shards with nothing in them, as reading them whole does."""
    for index in indexes:
        lines = index.lines
        there = set(np.unique(lines.file_at).tolist())
        for at, (file, name) in enumerate(zip(lines.files, lines.names, strict=True)):
            if at in there:
                continue
            empty = file.stat().st_size <= len(MARK) and file.read_bytes() in (b"", MARK)
            told = "the file is empty" if empty else "there are only blank lines in the file"
            reading.doubt(told, name)


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
