"""Where the lines of each case are, and how the cases are cut into chunks."""

import codecs
import hashlib
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.case import CaseKeys
from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.records import read_records
from chronoscore.core.sources import Lines, SliceSource, Source, too_long
from chronoscore.core.unpacking import plain_name
from chronoscore.engines.chunks import BadCase, Chunk, ChunkSettings, Places
from chronoscore.engines.plan import Inputs, shards
from chronoscore.errors import DataError, Problem
from chronoscore.statistics.labels import Labels

MARK = b"\xef\xbb\xbf"
WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
UNREADABLE = "the line is no readable JSON object"
NAMELESS = ""
"""The key of lines that name no case, where their file does not either: events in no text."""
MOST_LENGTH = 2**31 - 4
"""The longest line whose length the index can hold."""
REPORT_EVERY = 8 * 1024 * 1024
"""Bytes between two reports of progress."""
LEAST_BYTES, MOST_BYTES = 1024 * 1024, 4 * 1024 * 1024
"""The size of a chunk, gold and predictions together: some tenths of a second to two seconds."""
CHUNKS = 64
"""Beyond this number, chunks grow with the files."""


@dataclass(frozen=True, eq=False)
class Index:
    """The lines of a file or a folder of shards, and the case that each belongs to."""

    source: Source
    slice: SliceSource
    """All its lines that are not blank."""
    key: Labels
    """Of each line; none for a line that can't be read."""
    repeated: Sequence[tuple[str, Sequence[int]]] = ()
    """Ids of events that two cases have: the id, and the first line of each case that has it."""

    @property
    def lines(self) -> Lines:
        """The places of the lines."""
        return self.slice.slice

    @property
    def unreadable(self) -> NDArray[np.int64]:
        """The places of lines that can't be read: their case is unknown."""
        return np.flatnonzero(self.key.at < 0)

    @property
    def digest(self) -> str:
        """The digest of all lines."""
        return hashlib.sha256(self.lines.digest.tobytes()).hexdigest()[:16]


@dataclass(frozen=True, eq=False)
class IndexedInputs:
    """The indexes of all sources of a run, and the keys of its cases."""

    case_keys: CaseKeys
    gold: Index | None
    systems: Mapping[str, Sequence[Index]]

    @property
    def every(self) -> list[Index]:
        """The gold's index, then those of the systems."""
        system_indexes = [index for indexes in self.systems.values() for index in indexes]
        return system_indexes if self.gold is None else [self.gold, *system_indexes]

    def all_keys(self) -> list[str]:
        """The keys of all lines."""
        return sorted({key for index in self.every for key in index.key.used()})

    def caseless(self) -> frozenset[str]:
        """Return the keys of lines that give no case, for lack of a key or of a gold."""
        if self.gold is None:
            return frozenset()
        cases = set(self.gold.key.used())
        if cases != {NAMELESS}:
            cases.discard(NAMELESS)
        return frozenset(self.all_keys()) - cases

    def paired_keys(self) -> set[str]:
        """The keys that the gold and some system have."""
        if self.gold is None:
            return set()
        every = (index for indexes in self.systems.values() for index in indexes)
        return {*self.gold.key.used()} & {key for index in every for key in index.key.used()}

    def report_problems(self, problems: Problems) -> None:
        """Report lines that can't be read, and events of different cases that have one id.

        The reader of a chunk reports all other problems.
        """
        for index in self.every:
            unreadable = index.slice.take(index.unreadable)
            line_problems = Problems(problems.options)
            for number, _ in read_records(unreadable, self.case_keys.fields, line_problems):
                line_problems.problem(UNREADABLE, unreadable, number)
            # Old Mac line ends divide a line into several, which all have its place.
            problems.problems += dict.fromkeys(line_problems.problems)
            for name, (first, *others) in index.repeated:
                for at in others:
                    first_place = index.slice.refer(first + 1, seen_from=at + 1)
                    text = f"event id '{name}' is used twice, first in {first_place}"
                    problems.problem(text, index.slice, at + 1)

    def unreadable(self) -> list[Problem]:
        """Return a problem for each unreadable line, where the run goes on without them."""
        return [
            Problem(UNREADABLE, *index.lines.place(at + 1))
            for index in self.every
            for at in index.unreadable.tolist()
        ]

    def ambiguous(self) -> list[BadCase]:
        """Return the cases with an event whose id also occurs in another case."""
        reasons: dict[str, list[str]] = {}
        for index in self.every:
            for name, places in index.repeated:
                for at in places:
                    place, other_place = (
                        ":".join(map(str, index.lines.place(line + 1)))
                        for line in (at, places[1] if at == places[0] else places[0])
                    )
                    text = f"{place}: event id '{name}' is used twice, also in {other_place}"
                    reasons.setdefault(index.key[at] or NAMELESS, []).append(text)
        return [BadCase(case, tuple(texts)) for case, texts in reasons.items()]


def index_inputs(
    inputs: Inputs,
    case_keys: CaseKeys,
    folder: Path,
    problems: Problems,
    watch: Callable[[int], None] = lambda _: None,
) -> IndexedInputs:
    """Index every source and report empty ones; packed files are unpacked into `folder`."""
    words: dict[str, str] = {}

    def index(source: Source) -> Index:
        return index_source(source, case_keys, folder, problems.options, words, watch)

    gold = None if inputs.gold is None else index(inputs.gold)
    systems = {name: [*map(index, sources)] for name, sources in inputs.systems.items()}
    indexed = IndexedInputs(case_keys, gold, systems)
    for entry in indexed.every:
        _report_blank(entry.lines, problems)
    return indexed


def index_source(
    source: Source,
    case_keys: CaseKeys,
    folder: Path,
    options: ReadingOptions,
    words: dict[str, str] | None = None,
    watch: Callable[[int], None] = lambda _: None,
) -> Index:
    """Read a source once, and store only where its lines are and to which case they belong.

    `words` are the keys of other files, so that each is stored once; `watch` regularly gets how
    many more bytes were read.
    """
    names: list[str] = []
    files: list[Path] = []
    sizes: list[int] = []
    offsets, lengths, numbers, digests = array("q"), array("i"), array("i"), bytearray()
    keys, ids = _Keys({} if words is None else words), array("q")
    file_name = Path(plain_name(Path(source.file_name)))
    unnamed = file_name.stem if case_keys.named_by_file else NAMELESS
    fields_of = case_keys.decoder()
    for shard in shards(source):
        plain = shard.plain_file(folder)
        _check_lines(plain, shard, options.encoding)
        names.append(shard.name)
        files.append(plain)
        lines_before, reported = len(offsets), 0
        try:
            for number, offset, line in _lines(plain, shard, options.max_line):
                fields = fields_of(_utf8(line, options.encoding))
                key = case_keys.case(fields) if fields is not None else None
                keys.add(unnamed if key == NAMELESS else key)
                ids.append(hash(fields and case_keys.event_id(fields)))
                offsets.append(offset)
                lengths.append(len(line))
                numbers.append(number)
                digests += blake2b(line.rstrip(b"\r\n"), digest_size=8).digest()
                if offset - reported >= REPORT_EVERY:
                    watch(offset - reported)
                    reported = offset
        except OSError as error:
            raise DataError.of(f"can't be read: {error.strerror or error}", shard) from None
        watch(plain.stat().st_size - reported)
        sizes.append(len(offsets) - lines_before)
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
    whole = SliceSource(lines, str(file_name), format=source.format, order=source.order)
    repeated = _repeated(ids, lines, labels, options.encoding, case_keys)
    return Index(source, whole, labels, repeated)


def _repeated(
    ids: "array[int]", lines: Lines, key: Labels, encoding: str, case_keys: CaseKeys
) -> list[tuple[str, list[int]]]:
    """Find event ids that two cases have; only lines with equal hashes are read again."""
    hashes = np.frombuffer(ids, np.int64)
    order = np.argsort(hashes, kind="stable")
    same = hashes[order][1:] == hashes[order][:-1]
    same &= hashes[order][1:] != hash(None)
    if not same.any():
        return []
    alike = np.flatnonzero(np.append(same, False) | np.append(False, same))
    places = np.sort(order[alike])
    places_by_id: dict[str, list[int]] = {}
    fields_of = case_keys.decoder()
    for at, line in zip(places.tolist(), lines.take(places).bytes(), strict=True):
        fields = fields_of(_utf8(line, encoding))
        if fields is not None and (name := case_keys.event_id(fields)):
            places_by_id.setdefault(name, []).append(at)
    firsts = {
        name: sorted({key[at]: at for at in reversed(occurrences)}.values())
        for name, occurrences in places_by_id.items()
    }
    return [(name, occurrences) for name, occurrences in firsts.items() if len(occurrences) > 1]


class _Keys:
    """Collects the key of each line: a word is stored once, a line costs four bytes."""

    def __init__(self, words: dict[str, str]) -> None:
        self._words = words
        self._seen: dict[str | None, int] = {}
        self._at = array("i")

    def add(self, key: str | None) -> None:
        at = self._seen.get(key)
        if at is None:
            word = key if key is None else self._words.setdefault(key, key)
            at = self._seen[word] = len(self._seen)
        self._at.append(at)

    def labels(self) -> Labels:
        words = Labels.of(self._seen)
        return words.take(np.frombuffer(self._at, np.int32))


def _check_lines(plain: Path, shard: Source, encoding: str) -> None:
    """Refuse a file whose encoding must be decoded before line ends can be found."""
    try:
        with plain.open("rb") as file:
            head = file.read(4)
    except OSError as error:
        raise DataError.of(f"can't be read: {error.strerror or error}", shard) from None
    if head.startswith(WIDE) or "\n".encode(encoding) != b"\n":
        raise DataError.of("UTF-16 and UTF-32 are not read in parts: write it as UTF-8", shard)


def _utf8(line: bytes, encoding: str) -> bytes:
    """Return the line as UTF-8."""
    if encoding == "utf-8":
        return line
    try:
        return line.decode(encoding).encode()
    except UnicodeError:
        return line  # the reader reports the problem


def _lines(path: Path, shard: Source, max_line: int) -> Iterator[tuple[int, int, bytes]]:
    """Yield each line that is not blank, with its number and where it begins."""
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


def _report_blank(lines: Lines, problems: Problems) -> None:
    """Report files and shards without content, as a run that is not cut does."""
    with_content = set(np.unique(lines.file_at).tolist())
    for at, (file, name) in enumerate(zip(lines.files, lines.names, strict=True)):
        if at in with_content:
            continue
        empty = file.stat().st_size <= len(MARK) and file.read_bytes() in (b"", MARK)
        message = "the file is empty" if empty else "there are only blank lines in the file"
        problems.accept_or_report(message, name)


def cut(
    settings: ChunkSettings, indexed: IndexedInputs, keys: Sequence[str], cases: int
) -> Iterator[Chunk]:
    """Cut into chunks of `cases` cases; 0 for chunks of about the same number of bytes.

    Keys without a case are put into the chunk of their neighbours.
    """
    place = {key: at for at, key in enumerate(keys)}
    sides = [_Side(index, place) for index in indexed.every]
    begin = 0
    for end in _ends(sides, keys, indexed.caseless(), cases, single=_is_single(indexed)):
        words = settings.words
        if "events" in words:
            words = {**words, "events": sorted({*keys[begin:end]} & words["events"])}
        slices = [side.slice(begin, end) for side in sides]
        sources = iter([source for source, _ in slices])
        yield Chunk(
            replace(settings, words=words),
            None if indexed.gold is None else next(sources),
            {name: [next(sources) for _ in indexes] for name, indexes in indexed.systems.items()},
            tuple(keys[begin:end]),
            tuple(places for _, places in slices),
        )
        begin = end


def _is_single(indexed: IndexedInputs) -> bool:
    """Whether the gold and some other file have one case each: maybe one under two names."""
    if indexed.gold is None or len(indexed.gold.key.used()) != 1:
        return False
    others = (index.key.used() for indexes in indexed.systems.values() for index in indexes)
    return any(len(keys) == 1 for keys in others)


def _ends(
    sides: "Sequence[_Side]",
    keys: Sequence[str],
    caseless: frozenset[str],
    cases: int,
    *,
    single: bool,
) -> list[int]:
    """Return the ends of the chunks, as places among the keys."""
    if single or not keys:
        return [len(keys)]
    if cases:
        places = [at for at, key in enumerate(keys) if key not in caseless]
        return [*places[cases::cases], len(keys)]
    size = np.cumsum(sum(side.sizes(len(keys)) for side in sides))
    chunk_size = min(max(size[-1] / CHUNKS, LEAST_BYTES), MOST_BYTES)
    number = max(round(size[-1] / chunk_size), 1)  # equal sizes, so that workers finish together
    cuts = np.searchsorted(size, size[-1] * np.arange(1, number) / number) + 1
    return sorted({*cuts.tolist(), len(keys)})


class _Side:
    """The lines of one source, sorted by case, so that those of a chunk are a slice."""

    def __init__(self, index: Index, place: Mapping[str, int]) -> None:
        self.index = index
        place_of_key = np.array([place.get(name, -1) for name in index.key.names] + [-1], np.int32)
        self._place = place_of_key[index.key.at]
        self._order = np.argsort(self._place, kind="stable")
        self._sorted = self._place[self._order]

    def sizes(self, cases: int) -> Any:
        """The bytes of each case."""
        has_case = self._place >= 0
        return np.bincount(
            self._place[has_case], self.index.lines.length[has_case], minlength=cases
        )

    def slice(self, begin: int, end: int) -> tuple[SliceSource, Places]:
        """Return the lines of some cases, and for each line the place of its key among them."""
        first, last = np.searchsorted(self._sorted, [begin, end])
        places: NDArray[np.int64] = np.sort(self._order[first:last])  # in the order of the file
        source = self.index.slice.take(places)
        source.complete = len(places) == len(self._place) - len(self.index.unreadable)
        return source, self._place[places] - np.int32(begin)
