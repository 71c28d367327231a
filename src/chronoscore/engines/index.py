"""Where the lines of each case are, and how the cases are cut into chunks."""

import codecs
import hashlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from sys import intern

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.case import ONLY, CaseKeys
from chronoscore.core.family import Family
from chronoscore.core.name_matching.systems import (
    different_names,
    folder_of,
    match_systems,
    names_to_rename,
)
from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.records import read_records
from chronoscore.core.sources import (
    LEFT_OUT,
    UNKNOWN,
    Lines,
    SliceSource,
    Source,
    plain_name,
    too_long,
)
from chronoscore.engines.chunks import BadCase, Chunk, ChunkSettings
from chronoscore.engines.plan import Inputs, Sides, shards
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
    """All its lines that are not blank; one that can't be read has no case."""
    keys: tuple[str, ...]
    """The keys of the cases of its lines."""
    named: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The names of the golds, or of the predictions, of keys whose lines name any."""
    repeated: Sequence[tuple[str, Sequence[int]]] = ()
    """Ids of events that two cases have: the id, and the first line of each case that has it."""

    @property
    def lines(self) -> Lines:
        """The places of the lines."""
        return self.slice.slice

    @property
    def unreadable(self) -> NDArray[np.int64]:
        """The places of lines that can't be read: their case is unknown."""
        return np.flatnonzero(self.lines.case < 0)

    @property
    def names(self) -> dict[str, Sequence[str]]:
        """The names of the golds, or of the predictions, of each key."""
        return {key: self.named.get(key, (ONLY,)) for key in self.keys}

    @property
    def digest(self) -> str:
        """The digest of all lines."""
        return hashlib.sha256(self.lines.digest.tobytes()).hexdigest()[:16]


@dataclass(frozen=True, eq=False)
class IndexedInputs(Sides[Index]):
    """The indexes of all sources of a run, and the keys of its cases."""

    case_keys: CaseKeys

    def all_keys(self) -> list[str]:
        """The keys of all lines."""
        return sorted({key for index in self.every for key in index.keys})

    def caseless(self) -> frozenset[str]:
        """Return the keys of lines that give no case, for lack of a key or of a gold."""
        if self.gold is None:
            return frozenset()
        cases = {*self.gold.keys}
        if cases != {NAMELESS}:
            cases.discard(NAMELESS)
        return frozenset(self.all_keys()) - cases

    def paired_keys(self) -> set[str]:
        """The keys that the gold and some system have."""
        if self.gold is None:
            return set()
        predicted = {key for indexes in self.systems.values() for i in indexes for key in i.keys}
        return {*self.gold.keys} & predicted

    def matched(
        self,
        family: Family,
        problems: Problems,
        options: Mapping[str, str],
        rename: Mapping[str, str],
    ) -> "tuple[IndexedInputs, dict[str, list[dict[str, str]]]]":
        """Give predictions the keys of their golds, where their names may differ.

        Also return the map of the names that differ, for each trial of a system.
        """
        gold = self.gold
        if not family.match_names or gold is None:
            return self, {}
        every_index = [index for indexes in self.systems.values() for index in indexes]
        if not rename and all(
            i.keys and not i.named and {*i.keys} <= {*gold.keys} for i in every_index
        ):
            return self, {name: [{} for _ in indexes] for name, indexes in self.systems.items()}

        def names_of(index: Index) -> dict[str, Sequence[str]]:
            is_free = rename.keys().isdisjoint(names_to_rename(index.names) if rename else ())
            if is_free and _named_by_file(gold, index):
                return dict(zip(gold.keys, index.names.values(), strict=True))
            return index.names

        names = self.map(names_of).systems
        folders = self.map(lambda index: folder_of(index.source)).systems
        golds = gold.names
        matched = match_systems(golds, names, problems, options, folders, rename)
        systems: dict[str, list[Index]] = {}
        maps: dict[str, list[dict[str, str]]] = {}
        for system, indexes in self.systems.items():
            for index, predicted, pairs in zip(
                indexes, names[system], matched[system], strict=True
            ):
                topics = {key: topic for (key, _), (topic, _) in pairs.items()}
                divided = {key for (key, _), (topic, _) in pairs.items() if topics[key] != topic}
                for key in sorted(divided):
                    problems.problem(
                        f"{system}: '{key}' has predictions of several topics, which are not "
                        "read in chunks: name each topic in its field 'topic'"
                    )
                keys = tuple(topics.get(key, key) for key in index.keys)
                systems.setdefault(system, []).append(replace(index, keys=keys))
                maps.setdefault(system, []).append(different_names(golds, predicted, pairs))
        return IndexedInputs(gold, systems, self.case_keys), maps

    def report_problems(self, problems: Problems) -> None:
        """Report lines that can't be read, and events of different cases that have one id.

        The reader of a chunk reports all other problems.
        """
        for index in self.every:
            unreadable = index.slice.of(index.lines.take(index.unreadable))
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
                    reasons.setdefault(index.keys[index.lines.case[at]], []).append(text)
        return [BadCase(case, tuple(texts)) for case, texts in reasons.items()]


def index_inputs(
    inputs: Inputs,
    case_keys: CaseKeys,
    folder: Path,
    problems: Problems,
    watch: Callable[[int], None],
) -> IndexedInputs:
    """Index every source and report empty ones; packed files are unpacked into `folder`."""
    indexes = inputs.map(
        lambda source: index_source(source, case_keys, folder, problems.options, watch)
    )
    for entry in indexes.every:
        _report_blank(entry.lines, problems)
    return IndexedInputs(indexes.gold, indexes.systems, case_keys)


def index_source(
    source: Source,
    case_keys: CaseKeys,
    folder: Path,
    options: ReadingOptions,
    watch: Callable[[int], None],
) -> Index:
    """Read a source once, and store only where its lines are and to which case they belong.

    `watch` regularly gets how many more bytes were read.
    """
    names: list[str] = []
    files: list[Path] = []
    sizes: list[int] = []
    offsets, lengths, numbers, digests = array("q"), array("i"), array("i"), bytearray()
    keys: dict[str | None, int] = {}
    key_at, ids = array("i"), array("q")
    named: dict[str, Counter[str]] = {}
    file_name = Path(plain_name(Path(source.file_name)))
    unnamed = file_name.stem if case_keys.named_by_file else NAMELESS
    fields_of, name_of = case_keys.decoder(), case_keys.name
    for shard in shards(source):
        plain = shard.plain_file(folder)
        names.append(shard.name)
        files.append(plain)
        lines_before, reported = len(offsets), 0
        try:
            for number, offset, line in _lines(plain, shard, options):
                fields = fields_of(_utf8(line, options.encoding))
                key = case_keys.case(fields) if fields is not None else None
                # All files have the same keys: interned, each is stored once.
                key = unnamed if key == NAMELESS else key
                if key is not None and name_of is not None and (name := name_of(fields)):
                    named.setdefault(key, Counter())[name] += 1
                key_at.append(keys.setdefault(key and intern(key), len(keys)))
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
    labels = Labels.of(keys).take(np.frombuffer(key_at, np.int32))
    lines = Lines(
        tuple(files),
        tuple(names),
        np.repeat(np.arange(len(files), dtype=np.int32), sizes),
        np.frombuffer(offsets, np.int64),
        np.frombuffer(lengths, np.int32),
        np.frombuffer(numbers, np.int32),
        np.frombuffer(digests, "<u8").astype(np.uint64, copy=False),
        labels.at,
    )
    whole = SliceSource(lines, str(file_name), format=source.format, order=source.order)
    repeated = _repeated(ids, lines, options.encoding, case_keys)
    lines_of_keys = np.bincount(np.frombuffer(key_at, np.int32), minlength=len(keys))
    for key, counts in named.items():
        if counts.total() < lines_of_keys[keys[key]]:
            counts[ONLY] += 1  # of the lines that name none
    names_by_key = {key: tuple(counts) for key, counts in named.items()}
    return Index(source, whole, labels.names, names_by_key, repeated)


def _repeated(
    ids: "array[int]", lines: Lines, encoding: str, case_keys: CaseKeys
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
        name: sorted({lines.case[at]: at for at in reversed(occurrences)}.values())
        for name, occurrences in places_by_id.items()
    }
    return [(name, occurrences) for name, occurrences in firsts.items() if len(occurrences) > 1]


def _utf8(line: bytes, encoding: str) -> bytes:
    """Return the line as UTF-8."""
    if encoding == "utf-8":
        return line
    try:
        return line.decode(encoding).encode()
    except UnicodeError:
        return line  # the reader reports the problem


def _lines(path: Path, shard: Source, options: ReadingOptions) -> Iterator[tuple[int, int, bytes]]:
    """Yield each line that is not blank, with its number and where it begins.

    A file whose encoding must be decoded before line ends can be found is refused.
    """
    most = min(options.max_line, MOST_LENGTH)
    with path.open("rb") as file:
        wide = "\n".encode(options.encoding) != b"\n"
        if wide or file.peek(4).startswith(WIDE):
            raise DataError.of("UTF-16 and UTF-32 are not read in chunks: write it as UTF-8", shard)
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
    with_content = set(lines.file_at.tolist())
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

    def numbered(index: Index) -> Source:
        """Return all lines of an index, their cases as places among the keys of the run."""
        places = np.array([place.get(key, LEFT_OUT) for key in index.keys] + [UNKNOWN], np.int32)
        source = index.slice.of(replace(index.lines, case=places[index.lines.case]))
        source.complete = True
        return source

    sides = indexed.map(numbered)
    whole = Chunk(sides.gold, sides.systems, settings, tuple(keys))
    return whole.split(_ends(whole, indexed, cases))


def _named_by_file(gold: Index, index: Index) -> bool:
    """Whether a file has one case, as the gold has, and only its file name names it."""
    single = len(gold.keys) == len(index.keys) == 1
    files = not gold.source.is_folder and not index.source.is_folder
    return single and files and index.keys[0] == index.slice.stem


def _is_single(indexed: IndexedInputs) -> bool:
    """Whether the gold and some other file have one case each: maybe one under two names."""
    if indexed.gold is None or len(indexed.gold.keys) != 1:
        return False
    return any(len(i.keys) == 1 for indexes in indexed.systems.values() for i in indexes)


def _ends(whole: Chunk, indexed: IndexedInputs, cases: int) -> list[int]:
    """Return the ends of the chunks, as places among the keys."""
    keys = whole.keys
    if _is_single(indexed) or not keys:
        return [len(keys)]
    if cases:
        caseless = indexed.caseless()
        places = [at for at, key in enumerate(keys) if key not in caseless]
        return [*places[cases::cases], len(keys)]
    sizes = np.zeros(len(keys))
    for lines in (source.slice for source in whole.slices):
        has_case = lines.case >= 0
        sizes += np.bincount(lines.case[has_case], lines.length[has_case], minlength=len(keys))
    size = np.cumsum(sizes)
    chunk_size = min(max(size[-1] / CHUNKS, LEAST_BYTES), MOST_BYTES)
    number = max(round(size[-1] / chunk_size), 1)  # equal sizes, so that workers finish together
    cuts = np.searchsorted(size, size[-1] * np.arange(1, number) / number) + 1
    return sorted({*cuts.tolist(), len(keys)})
