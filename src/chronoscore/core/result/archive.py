"""The archive of a result: one zip file with the document's head and the rows as columns.

A million rows take seconds to parse as JSON, and next to nothing as columns. The first entry of the
zip is the document without its rows, as JSON; every other entry is a column in the `.npy` format,
which `numpy.load(..., allow_pickle=False)` reads as well:

    chronoscore-result.json     the head; its field `archive` names all columns
    0/cases.text.npy, .ends     ids of the first system's cases: UTF-8, and where each ends
    0/gold.npy, 0/predicted     digests of what was compared
    0/tags/0.text.npy, .ends    the values of the first tag
    0/tags/0.at.npy             for each case, the index of its value; -1 if it has none
    0/statistics/0.npy          the statistics of the first metric, a line a case
    0/steps/0.case.npy          the steps of a curve: their cases, thresholds and changes
    0/steps/0.threshold.npy
    0/steps/0.change.npy
    0/parts/0.case.npy          parts of cases: their cases, names (as tags) and changes

Entries are stored, not compressed, so that an archive never unpacks to more than its size. The
head holds the SHA-256 of every entry. Equal results give equal bytes.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from io import SEEK_END
from itertools import chain, pairwise
from typing import Any, BinaryIO
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import msgspec
import numpy as np
from numpy.typing import NDArray

from chronoscore.core.evidence import Row
from chronoscore.core.evidence_table import (
    EvidenceTable,
    LedgerRows,
    PartColumns,
    StepColumns,
    is_ascending,
)
from chronoscore.core.records import ARCHIVE_HEAD as HEAD
from chronoscore.core.records import convert_document, no_collector
from chronoscore.core.writing import DamagedError, check_document, sealed_document
from chronoscore.errors import DataError
from chronoscore.statistics.labels import Labels

FIELD = "archive"
"""The field of the head that names the columns."""
VERSION = 1
_EPOCH = (1980, 1, 1, 0, 0, 0)
_UNIX, _MODE = 3, 0o644 << 16
_NPY = re.compile(
    rb"\x93NUMPY\x01\x00(?s:..)"
    rb"\{'descr': '([<|][a-zA-Z][0-9]{1,4})', 'fortran_order': False, "
    rb"'shape': \(([0-9]{1,15}),(?: ([0-9]{1,15}))?\), \} *\n"
)
_BYTES, _INT, _LONG, _REAL = "|u1", "<i4", "<i8", "<f8"
_MOST_WHOLE = 2.0**63
Array = NDArray[Any]
Arrays = dict[str, Array]


class SystemColumns(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which columns a system has, in the order of their numbers."""

    tags: tuple[str, ...]
    statistics: dict[str, tuple[bool, ...]]
    """By metric, which statistics are whole numbers."""
    steps: tuple[str, ...]
    parts: tuple[str, ...]

    def entries(self, system: int) -> Iterator[str]:
        """Yield the names of the entries that hold the columns."""
        text = ("text", "ends")
        yield from (f"{system}/cases.{end}.npy" for end in text)
        yield from (f"{system}/{side}.npy" for side in ("gold", "predicted"))
        for kind, number, endings in (
            ("tags", len(self.tags), (*text, "at")),
            ("statistics", len(self.statistics), ()),
            ("steps", len(self.steps), ("case", "threshold", "change")),
            ("parts", len(self.parts), ("case", *text, "at", "change")),
        ):
            for at in range(number):
                name = f"{system}/{kind}/{at}"
                yield from (f"{name}.{end}.npy" for end in endings) if endings else (f"{name}.npy",)


class ArchiveIndex(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the head says of the columns."""

    version: int
    systems: tuple[SystemColumns, ...]
    entries: dict[str, str]
    """The SHA-256 of each entry, in the order of the entries."""

    def names(self) -> list[str]:
        """Return the names of all entries in their order."""
        return [*chain.from_iterable(c.entries(at) for at, c in enumerate(self.systems))]


# Writing


def write(
    head: Mapping[str, Any], systems: Iterable[tuple[str, Sequence[Row]]], file: BinaryIO
) -> None:
    """Write a document without its rows, and the rows of its systems, into a file."""
    columns, arrays = [], Arrays()
    for at, (name, rows) in enumerate(systems):
        try:
            system_columns, system_arrays = _columns(_table(rows))
        except (ValueError, OverflowError):
            raise DataError.of(
                f"the rows of '{name}' can't be kept as columns: they are not in the order of "
                "their cases, or mix whole numbers with others; save the result under a name that "
                "ends in .json"
            ) from None
        columns.append(system_columns)
        arrays |= zip(system_columns.entries(at), system_arrays, strict=True)
    digests = {name: sha256(_header(array)) for name, array in arrays.items()}
    for name, array in arrays.items():
        digests[name].update(array.data if array.size else b"")
    entries = {name: digest.hexdigest() for name, digest in digests.items()}
    about = msgspec.to_builtins(ArchiveIndex(VERSION, tuple(columns), entries))
    document = sealed_document({**head, FIELD: about})
    with ZipFile(file, "w", ZIP_STORED) as archive:
        text = msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n"
        _write_entry(archive, HEAD, (text,))
        for name, array in arrays.items():
            _write_entry(archive, name, (_header(array), array.data if array.size else b""))


def _write_entry(archive: ZipFile, name: str, pieces: tuple[bytes | memoryview, ...]) -> None:
    entry = ZipInfo(name, _EPOCH)
    entry.create_system, entry.external_attr = _UNIX, _MODE
    entry.file_size = sum(memoryview(piece).nbytes for piece in pieces)
    with archive.open(entry, "w") as file:
        for piece in pieces:
            file.write(memoryview(piece).cast("B") if memoryview(piece).nbytes else b"")


def _header(array: Array) -> bytes:
    text = f"{{'descr': '{array.dtype.str}', 'fortran_order': False, 'shape': {array.shape}, }}"
    size = -(-(len(text) + 11) // 64) * 64 - 10
    return b"\x93NUMPY\x01\x00" + size.to_bytes(2, "little") + f"{text:{size - 1}}\n".encode()


def _table(rows: Sequence[Row]) -> EvidenceTable:
    """Return the table of some rows; a ValueError if a table would change them."""
    table = EvidenceTable.of(rows)
    if not isinstance(rows, LedgerRows):
        with no_collector():
            if msgspec.json.encode(table.rows[:]) != msgspec.json.encode([*rows]):
                raise ValueError("rows that are no columns")
    return table


def _columns(table: EvidenceTable) -> tuple[SystemColumns, list[Array]]:
    """Return the columns of a table in the order of their entries; those that are empty go."""
    tags = {tag: column.compact for tag, column in table.tags.items()}
    tags = {tag: column for tag, column in tags.items() if column.names}
    steps = {metric: StepColumns.of(items) for metric, items in table.steps.items()}
    steps = {metric: items for metric, items in steps.items() if len(items.case)}
    parts = {metric: PartColumns.of(items) for metric, items in table.parts.items()}
    about = SystemColumns(
        tuple(tags),
        {metric: table.whole[metric] for metric in table.statistics},
        tuple(steps),
        tuple(parts),
    )
    arrays = [
        *_text(table.cases),
        *(np.ascontiguousarray(d) for d in (table.gold, table.predicted)),
    ]
    for column in tags.values():
        arrays += [*_text(column.names), _as(_INT, column.at)]
    for metric, lines in table.statistics.items():
        whole = np.array(table.whole[metric], np.bool_)
        arrays.append(_as(_REAL, np.where(whole, lines + 0.0, lines)))  # no -0 among whole ones
    for step in steps.values():
        arrays += [_as(_LONG, step.case), _as(_REAL, step.threshold), _number(step.change)]
    for part in parts.values():
        names = part.name.compact
        arrays += [_as(_LONG, part.case), *_text(names.names), _as(_INT, names.at)]
        arrays.append(_number(part.change))
    return about, arrays


def _as(kind: str, array: Array) -> Array:
    return np.ascontiguousarray(array, kind)


def _number(array: Array) -> Array:
    return _as(_LONG if array.dtype.kind == "i" else _REAL, array)


def _narrow(words: NDArray[np.bytes_]) -> Array:
    """Return digests as wide as the longest."""
    used = np.flatnonzero(_letters(words).any(axis=0))
    return np.ascontiguousarray(words, f"|S{used[-1] + 1 if len(used) else 1}")


def _letters(words: NDArray[np.bytes_]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(words).view(np.uint8).reshape(len(words), words.itemsize)


def _text(words: Sequence[str]) -> tuple[Array, Array]:
    """Return words as the UTF-8 of all of them, and at which character each ends."""
    ends = np.cumsum(np.fromiter(map(len, words), np.int64, len(words)))
    return np.frombuffer("".join(words).encode(), np.uint8), _as(_LONG, ends)


# Reading: whatever the bytes are, the end is a table or a DataError that names the entry.


class ArchiveReader:
    """An archive that is open: its head, and the tables of its systems."""

    def __init__(self, file: BinaryIO, path: object) -> None:
        self.path = path
        try:
            self._zip = ZipFile(file)
        except (BadZipFile, NotImplementedError, ValueError, OSError, EOFError) as error:
            raise self._error(f"the archive can't be read, it may be cut ({error})") from None
        self._entries = self._zip.infolist()
        if not self._entries or self._entries[0].filename != HEAD:
            raise DataError.of(
                f"this zip file is no saved result, whose first entry is '{HEAD}'; name a file "
                "that --save wrote",
                path,
            )
        self._check_sizes(file.seek(0, SEEK_END))

    def _error(self, message: str) -> DataError:
        return DataError.of(f"{message}; save or copy the result again", self.path)

    def _wrong(self, name: str, message: str) -> DataError:
        return self._error(f"entry '{name}' {message}")

    def _check_sizes(self, size: int) -> None:
        """Refuse what could unpack to more than the file: packed, locked or overlapping entries."""
        for entry in self._entries:
            if entry.compress_type != ZIP_STORED or entry.compress_size != entry.file_size:
                raise self._wrong(entry.filename, "is compressed, expected stored as it is")
            if entry.flag_bits & 1:
                raise self._wrong(entry.filename, "is encrypted")
        if sum(entry.file_size for entry in self._entries) > size:
            raise self._error("the entries of the archive are larger than the archive itself")

    def head(self) -> bytes:
        """Return the text of the head."""
        return self._content(self._entries[0])

    def _content(self, entry: ZipInfo) -> bytes:
        try:
            return self._zip.read(entry)
        except (BadZipFile, NotImplementedError, RuntimeError, ValueError, OSError, EOFError):
            raise self._wrong(entry.filename, "is damaged") from None

    def tables(self, document: Mapping[str, Any], systems: int) -> list[EvidenceTable]:
        """Return the tables of all systems; the document is the head as parsed."""
        try:
            check_document(document)
        except DamagedError:
            raise self._wrong(HEAD, "is damaged: its checksum is wrong") from None
        about = convert_document({FIELD: document.get(FIELD)}, _Head, self.path).archive
        if about.version != VERSION:
            raise DataError.of(
                f"the archive has version {about.version}, this program reads {VERSION}: update "
                "chronoscore",
                self.path,
            )
        if len(about.systems) != systems:
            raise self._wrong(HEAD, f"has columns of {len(about.systems)} systems, not {systems}")
        self._check_names([HEAD, *about.names()], [HEAD, *about.entries])
        self._digests = about.entries
        self._left = iter(self._entries[1:])
        return [self._table(columns) for columns in about.systems]

    def _check_names(self, expected: list[str], digests: list[str]) -> None:
        names = [entry.filename for entry in self._entries]
        for name, times in Counter(names).items():
            if times > 1:
                raise self._wrong(name, "is there twice")
        for name in sorted({*names} - {*expected}):
            raise self._wrong(name, "does not belong to a result")
        for name in sorted({*expected} - {*names}):
            raise self._wrong(name, "is missing")
        for actual, name in zip(names, expected, strict=True):
            if actual != name:
                raise self._wrong(actual, f"is in the place of '{name}'")
        if digests != expected:
            raise self._wrong(HEAD, "has checksums of other entries than there are")

    def _array(self, *kinds: str, shape: tuple[int | None, ...] = (None,)) -> Array:
        """Return the next column, whose type and shape must be as expected."""
        entry = next(self._left)
        data = self._content(entry)
        self._name = entry.filename
        if sha256(data).hexdigest() != self._digests[self._name]:
            raise self._wrong(self._name, "is damaged: its SHA-256 is not that of the head")
        match = _NPY.match(data)
        if match is None:
            raise self._wrong(self._name, "is no .npy file of a column")
        kind = match[1].decode()
        if kind not in kinds and not ("|S" in kinds and re.fullmatch(r"\|S[1-9][0-9]*", kind)):
            raise self._wrong(self._name, f"holds '{kind}', expected '{kinds[0]}'")
        sizes = tuple(int(size) for size in match.groups()[1:] if size is not None)
        fit = len(sizes) == len(shape) and all(
            n in (None, size) for n, size in zip(shape, sizes, strict=True)
        )
        if not fit:
            words = ", ".join("any" if n is None else str(n) for n in shape)
            raise self._wrong(self._name, f"has the shape {sizes}, expected ({words})")
        expected, room = np.dtype(kind).itemsize, len(data) - match.end()
        for size in sizes:
            expected *= size
        if expected != room:
            raise self._wrong(self._name, f"has {room} bytes of numbers, expected {expected}")
        return np.frombuffer(data, kind, offset=match.end()).reshape(sizes)

    def _ensure(self, is_right: object, message: str) -> None:
        """Refuse the column that was read last."""
        if not is_right:
            raise self._wrong(self._name, message)

    def _text(self, number: int | None = None) -> list[str]:
        raw = self._array(_BYTES)
        try:
            text = raw.tobytes().decode()
        except UnicodeDecodeError as error:
            raise self._wrong(self._name, f"is not UTF-8 at byte {error.start + 1}") from None
        self._ensure("\0" not in text, "contains the character NUL")
        ends = self._array(_LONG, shape=(number,))
        rising = (np.diff(ends, prepend=0) >= 0).all()
        self._ensure(rising and ends[-1:].tolist() == [len(text)] * bool(len(ends)), _ENDS)
        self._ensure(len(ends) or not text, _ENDS)
        return [text[first:last] for first, last in pairwise((0, *ends.tolist()))]

    def _names(self) -> tuple[str, ...]:
        words = self._text()
        self._ensure(is_ascending(words), "has names that are not in ascending order")
        return tuple(words)

    def _labels(self, number: int) -> Labels:
        names = self._names()
        at = self._array(_INT, shape=(number,))
        inside = at.min(initial=-1) >= -1 and at.max(initial=-1) < len(names)
        self._ensure(inside, f"has an index that is none of {len(names)} names")
        return Labels(names, at)

    def _table(self, columns: SystemColumns) -> EvidenceTable:
        for names in (columns.tags, columns.steps, columns.parts):
            if len({*names}) < len(names):
                raise self._wrong(HEAD, "names a column twice")
        cases = self._text()
        self._ensure(is_ascending(cases), "has cases that are not in ascending order")
        number = len(cases)
        gold, predicted = self._words(number), self._words(number)
        tags = {tag: self._labels(number) for tag in columns.tags}
        statistics = {}
        for metric, whole in columns.statistics.items():
            lines = self._array(_REAL, shape=(number, len(whole)))
            counts = lines[:, np.array(whole, np.bool_)]
            right = (counts == np.floor(counts)) & (np.abs(counts) < _MOST_WHOLE)  # NaN is not
            self._ensure(right.all(), "has a number that should be whole and is not")
            statistics[metric] = lines
        steps = {metric: self._steps(number) for metric in columns.steps}
        parts = {metric: self._parts(number) for metric in columns.parts}
        whole_columns = dict(columns.statistics)
        return EvidenceTable(cases, tags, gold, predicted, statistics, whole_columns, steps, parts)

    def _words(self, number: int) -> NDArray[np.bytes_]:
        words = self._array("|S", shape=(number,))
        letters = _letters(words)
        gaps = (letters[:, :-1] == 0) & (letters[:, 1:] != 0)
        self._ensure(not gaps.any() and letters.max(initial=0) < 128, "is not plain ASCII")
        return words

    def _cases(self, number: int) -> NDArray[np.int64]:
        case = self._array(_LONG)
        inside = case.min(initial=0) >= 0 and case.max(initial=-1) < number
        self._ensure(inside and (np.diff(case) >= 0).all(), "has cases that are not in their order")
        return case

    def _steps(self, number: int) -> StepColumns:
        case = self._cases(number)
        threshold = self._array(_REAL, shape=(len(case),))
        self._ensure(np.isfinite(threshold).all(), "has a threshold that is no number")
        return StepColumns(case, threshold, self._change(len(case)), number)

    def _parts(self, number: int) -> PartColumns:
        case = self._cases(number)
        name = self._labels(len(case))
        self._ensure(name.at.min(initial=0) >= 0, "has a part without a name")
        return PartColumns(case, name, self._change(len(case)), number)

    def _change(self, number: int) -> Array:
        return self._array(_LONG, _REAL, shape=(number, None))


_ENDS = "has ends that are not those of the text"


class _Head(msgspec.Struct, frozen=True):
    archive: ArchiveIndex
