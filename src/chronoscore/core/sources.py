"""Sources: what readers read, wherever it comes from, as numbered lines, text or bytes.

A source is a file (plain, packed or Parquet), a folder, some lines of files, a pipe, or a value in
memory. Readers take sources and open nothing themselves. A source knows its name and
the numbers of its lines, so that a message always names a place that the user can find.
"""

import codecs
import io
import re
import weakref
import zlib
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice
from os import PathLike
from os.path import realpath
from pathlib import Path, PurePath, PurePosixPath
from stat import S_ISFIFO, S_ISSOCK
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import msgspec

from chronoscore.core import budget
from chronoscore.core.problems import NO_SOURCE, Place, Problems
from chronoscore.errors import DataError, UsageError, similar_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BYTE_ORDER_MARKS = (  # the longer ones first: UTF-32's begins with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_FIRST_LOOK = 8192
_BUFFER = 1 << 16
_IN_MEMORY = 64 * 1024 * 1024
"""Bytes of a pipe that are held before they go to a temporary file."""
_STREAMS = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
STANDARD_INPUT = "-"
NUL = "contains the character NUL (U+0000), which ends a text for many programs: remove it"
PIPE = (
    "can't be read here: a pipe is read once only, and has no ending that tells its format; "
    "save it as a file, such as x.jsonl"
)
REPLACED = (
    "{count} byte{s} not valid UTF-8, first in {place}: read as U+FFFD (--encoding names another "
    "encoding, --strict refuses)"
)
_POINTER = re.compile(rb"version https://git-lfs\.github\.com/spec/.*?\nsize ([0-9]+)", re.DOTALL)
"""A file of Git LFS that was not fetched: a few lines that name the real file and its size."""
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def stem_of(path: Path) -> str:
    """Return a file's name without the endings of its packing and its format.

    A folder's name has no ending: `pred_0.6_1.4` is whole.

    >>> stem_of(Path("runs/quick.jsonl")), stem_of(Path("quick.jsonl.gz"))
    ('quick', 'quick')
    """
    if path.is_dir():
        return path.name
    packed = path.suffix.lower() in (".gz", ".zst") and Path(path.stem).suffix
    return Path(path.stem).stem if packed else path.stem


def plain_ends(text: str) -> str:
    """Return a text with plain line ends; not for texts that offsets point into.

    >>> plain_ends("one\\r\\ntwo\\rthree")
    'one\\ntwo\\nthree'
    """
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def odd_character(text: str) -> str:
    """Say which character of a text no file can hold: NUL, or half of a surrogate pair.

    >>> odd_character("a café"), odd_character("half \\ud83d")
    ('', 'contains half a character (U+D83D), which no file can hold: remove it')
    """
    if "\0" in text:
        return NUL
    try:
        text.encode()  # much quicker than a search
    except UnicodeEncodeError:
        half = _HALF_CHARACTER.search(text)
    else:
        return ""
    assert half is not None
    return f"contains half a character (U+{ord(half[0]):04X}), which no file can hold: remove it"


def too_long(most: int) -> str:
    """Return the message on a line of more than `most` bytes."""
    return f"the line is longer than {most} bytes; if it is meant to be, allow more with --max-line"


def is_pipe(path: Path) -> bool:
    """Whether a path is a pipe, a socket or another stream of this process, not a file."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return S_ISFIFO(mode) or S_ISSOCK(mode) or str(path).startswith(_STREAMS)


class Source:
    """What a reader reads: it has a name, and yields numbered lines, text or bytes.

    Numbers of lines are opaque to readers: `place` gives the file and line that the user knows.
    """

    is_folder = False
    is_table = False
    """Whether lines are the rows of a table, so that all of them have the same columns."""
    complete = True
    """Whether nothing of it is in another chunk."""
    packing = ""
    """`.gz`, `.zst` or `.parquet` if the file is packed."""
    order = NO_SOURCE
    """Its place among the sources of a run: the gold, then those of the systems."""
    folder_name = ""
    """The name of the folder that it is in."""
    is_file = True
    """Whether there is something to read, and it is no folder."""
    exists = True
    """Whether there is a file, a folder, or anything else of this name."""
    replaces_bytes = False
    """Whether bytes that are not valid UTF-8 are read as U+FFFD, with a notice, and not refused."""

    def __init__(self, name: str, file_name: str, *, format: str = "") -> None:
        self.name = name
        """What messages call it."""
        self.file_name = file_name
        """The name of the file, without the ending of its packing."""
        self.format = format
        """The name of the format, where the user has given it; else it is recognised."""

    def __str__(self) -> str:
        return self.name

    def absence(self, what: str) -> str:
        """Say that there is no such file, or whatever else is expected here."""
        return f"there is no such {what}"

    @property
    def suffix(self) -> str:
        """The ending of the name, by which readers recognise formats; or that of the format."""
        return f".{self.format}" if self.format else self.file_suffix

    @property
    def file_suffix(self) -> str:
        """The ending of the name, whatever the format."""
        return PurePath(self.file_name).suffix

    @property
    def stem(self) -> str:
        """The name of the file without its ending."""
        return PurePath(self.file_name).stem

    @property
    def identity(self) -> str:
        """A text that is equal for two sources of the same file."""
        return f"{id(self)}"

    @property
    def size(self) -> int:
        """How many bytes it has, unpacked; 0 if it can't be read and is not packed."""
        try:
            with self.open() as file:
                return sum(map(len, iter(lambda: file.read(_IN_MEMORY), b"")))
        except OSError:
            return 0

    def beside(self, suffix: str) -> "Source":
        """The file of the same name with another ending."""
        return FileSource(Path(self.name).with_suffix(suffix))

    def place(self, number: int) -> tuple[str, int | None]:
        """Return the file and the line number that the user sees."""
        return self.name, number

    def position(self, number: int, name: str) -> Place:
        """Return the place of a name in a line, for a counted notice; 0 is no line."""
        return Place(0, number, name)

    def refer(self, number: int, seen_from: int | None = None) -> str:
        """Name a line in a message about another line: ``line 12``, or ``shard-2.jsonl:12``."""
        path, line = self.place(number)
        current_path = self.name if seen_from is None else self.place(seen_from)[0]
        return f"line {line}" if path == current_path else f"{path}:{line}"

    def children(self) -> "list[Source]":
        """The files and folders in a folder, by name."""
        return []

    def files(self) -> "list[tuple[PurePosixPath, Source]]":
        """The files in a folder and in its folders, each with its path from here."""
        return []

    def open(self) -> io.BufferedReader:
        """Open to read bytes, unpacked."""
        raise NotImplementedError

    def first_lines(self, problems: Problems, most: int) -> list[str]:
        """Return the first lines that are not blank, to recognise a format; report nothing."""
        lines = islice(self.lines(problems.unreported()), most)
        return [line for _, line in lines if line.strip()]

    def first_line(self, problems: Problems) -> str:
        """Return the first line that is not blank, stripped; report nothing."""
        lines = (line.strip() for _, line in self.lines(problems.unreported()))
        return next(filter(None, lines), "")

    def text(self, problems: Problems, encoding: str = "") -> str | None:
        """Read the whole text with plain line ends, or report a problem and return None."""
        before = len(problems.problems)
        lines = [line for _, line in self.lines(problems, encoding)]
        return None if len(problems.problems) > before else "\n".join(lines)

    def exact_text(self, problems: Problems) -> str | None:
        """Read the whole text with its line ends unchanged, since offsets point into it."""
        if self.text(problems) is None:
            return None
        data = self.data()
        _, encoding = _encoding(data[:4], problems.options.encoding)
        return data.decode(encoding, "replace").removeprefix("\ufeff")

    def open_anywhere(self) -> BinaryIO:
        """Open to read bytes in any order, as an archive needs it."""
        return io.BytesIO(self.data())

    def plain_file(self, folder: Path) -> Path:
        """Return a plain file that can be read in any order: the file, or a copy in `folder`."""
        from shutil import copyfileobj  # noqa: PLC0415 - slow to import

        copy = folder / f"{self.file_name}.{abs(hash(self.identity))}"
        try:
            with self.open() as source, copy.open("wb") as file:
                copyfileobj(source, file)
        except OSError as error:
            raise DataError.of(f"can't be unpacked: {error.strerror or error}", self) from None
        return copy

    def data(self) -> bytes:
        """Read all bytes; raises an OSError if that fails."""
        with self.open() as file:
            return file.read()

    def byte_lines(self, problems: Problems) -> list[bytes] | None:
        """Return the lines of UTF-8 that are not blank; None if `lines` might report anything.

        This is for readers that decode many lines at once and read the source again, with
        `lines`, if there is anything to report.
        """
        try:
            data = self.data().removeprefix(codecs.BOM_UTF8)
            _ = data.isascii() or data.decode()
        except (OSError, UnicodeDecodeError):
            return None
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lines = data.split(b"\n")
        longest = max(map(len, lines))
        if problems.options.encoding != "utf-8" or longest > problems.options.max_line:
            return None
        return None if b"\0" in data else [*filter(bytes.strip, lines)] or None

    def lines(self, problems: Problems, encoding: str = "") -> Iterator[tuple[int, str]]:
        """Yield the lines, numbered from 1, without their ends.

        Lines end as on any system, the old Mac included. A line that can't be decoded or is too
        long is reported and left out; reading stops at binary data. A source that is empty or blank
        is reported as a mistake.
        """
        before, blank = problems.reported, True
        try:
            with self.open() as file:
                for number, line in self._numbered(
                    file, problems, encoding or problems.options.encoding
                ):
                    blank = blank and not line.strip()
                    yield number, line
        except FileNotFoundError:
            problems.problem(self.absence("file"), self)
        except IsADirectoryError:
            problems.problem("is a folder, expected a file", self)
        except _PipeError:
            problems.problem(PIPE, self)
        except OSError as error:
            problems.problem(f"can't be read: {error.strerror or error}", self)
        if blank and problems.reported == before:
            problems.accept_or_report("there are only blank lines in the file", self)

    def _numbered(
        self, file: io.BufferedReader, problems: Problems, default_encoding: str
    ) -> Iterator[tuple[int, str]]:
        head = file.peek(_FIRST_LOOK)[:_FIRST_LOOK]
        mark, encoding = _encoding(head, default_encoding)
        if not head[len(mark) :]:
            problems.accept_or_report("the file is empty", self)
        elif pointer := pointer_message(head):
            problems.problem(pointer, self)
        elif "\n".encode(encoding) != b"\n":  # decode first, then look for line ends
            yield from self._wide_lines(file, encoding, problems)
        elif b"\0" in head:
            self._binary(head.count(b"\n", 0, head.index(b"\0")) + 1, problems)
        else:
            file.read(len(mark))
            yield from self._narrow_lines(file, encoding, problems)

    def _narrow_lines(
        self, file: io.BufferedReader, encoding: str, problems: Problems
    ) -> Iterator[tuple[int, str]]:
        most = problems.options.max_line
        # Latin-1 gives each byte a character and back, so this finds the ends of lines in bytes.
        with io.TextIOWrapper(file, "latin-1", newline=None) as file_lines:
            number = 0
            while line := file_lines.readline(most + 1):
                number += 1
                if "\0" in line:
                    self._binary(number, problems)
                    return
                if len(line) > most and not line.endswith("\n"):
                    problems.problem(too_long(most), self, number)
                    while line and not line.endswith("\n"):
                        line = file_lines.readline(1 << 20)
                    continue
                raw = line.removesuffix("\n").encode("latin-1")
                decoded = self._decoded(raw, encoding, number, problems)
                if decoded is not None:
                    yield number, decoded

    def _wide_lines(
        self, file: io.BufferedReader, encoding: str, problems: Problems
    ) -> Iterator[tuple[int, str]]:
        most, needed = problems.options.max_line, budget.HELD_TIMES * self.size
        budget.check(needed, f"{encoding} is read as a whole", self.name, "write it as UTF-8")
        text = self._decoded(file.read(), encoding, None, problems)
        if text is None:
            return
        lines = plain_ends(text).split("\n")
        if not lines[-1]:
            lines.pop()
        for number, line in enumerate(lines, 1):
            if "\0" in line:
                self._binary(number, problems)
                return
            if len(line) > most:
                problems.problem(too_long(most), self, number)
            else:
                yield number, line

    def _decoded(
        self, raw: bytes, encoding: str, number: int | None, problems: Problems
    ) -> str | None:
        try:
            text = raw.decode(encoding)
            if "\0" in text and b"\0" not in raw:  # as in UTF-7
                problems.problem(f"the line {NUL}", self, number)
                return None
            if text.isascii() or not _HALF_CHARACTER.search(text):
                return text
            what = "half a character"
        except UnicodeDecodeError as error:
            if encoding == "utf-8" and self.replaces_bytes and not problems.options.strict:
                return self._replaced(raw, number, problems)
            what = f"byte {error.start + 1} (0x{raw[error.start]:02x})"
        except UnicodeError:
            what = "some byte"
        problems.problem(
            f"{what} is not valid {encoding}; "
            "if the file has another encoding, name it with --encoding",
            self,
            number,
        )
        return None

    def _replaced(self, raw: bytes, number: int | None, problems: Problems) -> str:
        text = raw.decode("utf-8", "replace")
        replaced = text.count("\ufffd") - raw.count("\ufffd".encode())
        problems.count(REPLACED, [(number or 0, "")], self, count=replaced)
        return text

    def _binary(self, number: int, problems: Problems) -> None:
        problems.problem(
            "binary data, expected text; if it is UTF-16 or the like, name it with --encoding",
            self,
            number,
        )


def _encoding(head: bytes, default_encoding: str) -> tuple[bytes, str]:
    """Return the byte order mark and its encoding; without a mark, the default encoding."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if head.startswith(mark):
            return mark, encoding
    return b"", default_encoding


class _PipeError(OSError):
    """A pipe has no file name to recognise its format by."""


class FileSource(Source):
    """A file or a folder, or a path where there is neither."""

    def __init__(self, path: Path, *, format: str = "") -> None:
        is_file = path.is_file()
        packing = packing_of(path) if is_file else ""
        name = unpacked_name(path) if packing else path.name
        super().__init__(str(path), name, format=format)
        self.path, self.folder_name = path, path.parent.name
        self.packing, self.is_table = packing, packing == ".parquet"
        self.is_file, self.is_folder = is_file, path.is_dir()
        self.exists = is_file or self.is_folder or path.exists()

    def absence(self, what: str) -> str:
        """Say that there is no such file, and which one of its folder may be meant."""
        message, folder = super().absence(what), self.path.parent
        if folder == Path("demo") and not folder.exists():
            return f"{message}; `chronoscore demo --data demo` writes the files of the demo"
        try:
            names = {stem_of(path): path.name for path in sorted(folder.iterdir()) if path.exists()}
        except OSError:
            return message
        similar = names.get(similar_name(self.stem, names))
        return f"{message}; did you mean {folder / similar}?" if similar else message

    @property
    def identity(self) -> str:
        """Where the path leads, links followed."""
        return realpath(self.path)  # `Path.resolve` fails where links form a loop

    @property
    def size(self) -> int:
        """How many bytes it has, unpacked; 0 if it can't be read and is not packed."""
        try:
            return super().size if self.packing else self.path.stat().st_size
        except OSError:
            return 0

    def beside(self, suffix: str) -> Source:
        """The file of the same name with another ending."""
        return FileSource(self.path.with_name(self.file_name).with_suffix(suffix))

    def children(self) -> list[Source]:
        """The files and folders in a folder, by name."""
        children = [FileSource(path, format=self.format) for path in sorted(self.path.iterdir())]
        for child in children:
            child.replaces_bytes, child.order = self.replaces_bytes, self.order
        return [*children]

    def files(self) -> list[tuple[PurePosixPath, Source]]:
        """The files in a folder and in its folders, each with its path from here."""
        return [
            (
                PurePosixPath(path.relative_to(self.path).as_posix()),
                FileSource(path, format=self.format),
            )
            for path in sorted(self.path.rglob("*"))
            if path.is_file()
        ]

    def open(self) -> io.BufferedReader:
        """Open to read bytes; packed ones are unpacked as they are read."""
        if is_pipe(self.path):
            raise _PipeError
        if self.packing:
            return io.BufferedReader(_Pieces(unpacked(self.path)), _BUFFER)
        return cast("io.BufferedReader", self.path.open("rb", buffering=_BUFFER))

    def open_anywhere(self) -> BinaryIO:
        """Open to read bytes in any order, as an archive needs it."""
        return super().open_anywhere() if self.packing else self.open()

    def plain_file(self, folder: Path) -> Path:
        """Return a plain file that can be read in any order: the file, or a copy in `folder`."""
        return super().plain_file(folder) if self.packing else self.path


class _Pieces(io.RawIOBase):
    """Reads pieces of bytes as a file."""

    def __init__(self, pieces: Generator[bytes]) -> None:
        self._pieces = pieces
        self._unread = memoryview(b"")

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        """Close the generator of the pieces."""
        self._pieces.close()
        super().close()

    def readinto(self, buffer: Any, /) -> int:
        """Fill the buffer as far as there are bytes."""
        target, filled = memoryview(buffer).cast("B"), 0
        while filled < len(target):
            if not self._unread:
                piece = next(self._pieces, None)
                if piece is None:
                    break
                self._unread = memoryview(piece)
                continue
            head = self._unread[: len(target) - filled]
            target[filled : filled + len(head)] = head
            self._unread = self._unread[len(head) :]
            filled += len(head)
        return filled


class PipeSource(Source):
    """Standard input or a pipe: read once into a copy, which readers can read again.

    Its name does not show its format, so the user must name the format.
    """

    def __init__(self, name: str, stream: Callable[[], BinaryIO], format: str) -> None:
        super().__init__(name, "standard-input", format=format)
        self._stream = stream

    @cached_property
    def _copy(self) -> Any:
        import tempfile  # noqa: PLC0415 - slow to import

        copy = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115
        weakref.finalize(self, copy.close)  # it lasts as long as this source
        with self._stream() as stream:
            while piece := stream.read(_BUFFER):
                copy.write(piece)
        return copy

    def open(self) -> io.BufferedReader:
        """Open the copy."""

        def pieces() -> Generator[bytes]:
            copy, at = self._copy, 0
            while copy.seek(at) == at and (piece := copy.read(_BUFFER)):
                at += len(piece)
                yield piece

        return io.BufferedReader(_Pieces(pieces()), _BUFFER)


class ValueSource(Source):
    """A value in memory; readers of values take it as it is."""

    def __init__(self, value: Any, name: str) -> None:
        super().__init__(name, name)
        self.value = value


UNKNOWN, LEFT_OUT = -1, -2
"""The case of a line that can't be read; the case of a line that no chunk has."""


@dataclass(frozen=True, eq=False)
class Lines:
    """Some lines of some files, in their order: about 30 bytes each."""

    files: tuple[Path, ...]
    """Where the bytes are."""
    names: tuple[str, ...]
    """What people call these files."""
    file_at: "NDArray[np.int32]"
    offset: "NDArray[np.int64]"
    length: "NDArray[np.int32]"
    number: "NDArray[np.int32]"
    """The line's number, from 1."""
    digest: "NDArray[np.uint64]"
    case: "NDArray[np.int32]"
    """The place of its case among the keys of its chunk, or `UNKNOWN` or `LEFT_OUT`."""

    def __len__(self) -> int:
        return len(self.offset)

    def take(self, places: "NDArray[np.int64]") -> "Lines":
        """Return only the lines at these places."""
        columns = ("file_at", "offset", "length", "number", "digest", "case")
        return replace(self, **{name: getattr(self, name)[places] for name in columns})

    def place(self, number: int) -> tuple[str, int]:
        """The file and line by which people know the line that is the `number`-th here."""
        at = number - 1
        return self.names[self.file_at[at]], int(self.number[at])

    @property
    def name(self) -> str:
        """The name for messages: the file, or the folder of the shards."""
        return self.names[0] if len(self.names) == 1 else str(Path(self.names[0]).parent)

    def bytes(self) -> Iterator[bytes]:
        """Yield the bytes of the lines, with their ends."""
        columns = (self.file_at.tolist(), self.offset.tolist(), self.length.tolist())
        with ExitStack() as stack:
            files = {at: stack.enter_context(self.files[at].open("rb")) for at in {*columns[0]}}
            for at, offset, length in zip(*columns, strict=True):
                file = files[at]
                if file.tell() != offset:
                    file.seek(offset)
                yield file.read(length)


class SliceSource(Source):
    """Some lines of a file or of several shards; messages name each line by its file and number.

    The code that cuts the slices sees all lines, and reports files that are empty.
    """

    complete = False

    def __init__(
        self, lines: Lines, file_name: str, *, format: str = "", order: int = NO_SOURCE
    ) -> None:
        super().__init__(lines.name, file_name, format=format)
        self.slice = lines
        self.order = order

    def of(self, lines: Lines) -> "SliceSource":
        """Return a source of other lines of the same files."""
        return SliceSource(lines, self.file_name, format=self.format, order=self.order)

    def place(self, number: int) -> tuple[str, int | None]:
        """Return the file and the line number that the user sees."""
        return self.slice.place(number) if 0 < number <= len(self.slice) else (self.name, None)

    def position(self, number: int, name: str) -> Place:
        """Return the place of a name in a line, for a counted notice; 0 is no line."""
        if not number:
            return Place(0, 0, name)
        file, line = self.slice.place(number)
        in_shards = len(self.slice.names) > 1
        return Place(int(self.slice.file_at[number - 1]), line, name, file if in_shards else "")

    def lines(self, problems: Problems, encoding: str = "") -> Iterator[tuple[int, str]]:
        """Yield the lines, numbered from 1 within the slice, without their ends."""
        encoding = encoding or problems.options.encoding
        for number, raw in enumerate(self.slice.bytes(), 1):
            if b"\0" in raw:
                self._binary(number, problems)
                return
            line = self._decoded(raw.rstrip(b"\r\n"), encoding, number, problems)
            if line is None:
                continue
            for part in line.split("\r"):
                yield number, part

    def open(self) -> io.BufferedReader:
        """Open to read the bytes of its lines."""
        lines = (raw if raw.endswith(b"\n") else raw + b"\n" for raw in self.slice.bytes())
        return io.BufferedReader(_Pieces(lines), _BUFFER)


def source_of(value: Any, *, name: str = "", format: str = "") -> Source:
    """Make the source of a path or a value; a source is returned unchanged.

    `-`, `/dev/stdin` and other pipes are read where the format is named. A value is called `name`.
    """
    if isinstance(value, Source):
        return value
    if not isinstance(value, str | PathLike):
        return ValueSource(value, name)
    path = Path(value)
    if format and str(value) == STANDARD_INPUT:
        return PipeSource("standard input", lambda: open(0, "rb", closefd=False), format)
    if format and is_pipe(path):
        return PipeSource(str(path), lambda: path.open("rb"), format)
    return FileSource(path, format=format)


def sources_of(systems: Mapping[str, Any], format: str = "") -> dict[str, Any]:
    """Make the sources of every system: one each, or one for each of its trials."""
    make = partial(source_of, format=format)

    def is_trials(value: Any) -> bool:
        is_list = isinstance(value, list | tuple) and bool(value)
        return is_list and all(isinstance(item, PathLike) for item in value)

    return {
        name: [*map(make, value)] if is_trials(value) else make(value, name=name)
        for name, value in systems.items()
    }


# Packed files, and tables of Parquet as JSON lines, unpacked piece by piece.


_PIECE = 1 << 20
_SMALL_TABLE = 16 << 20
MOST_TIMES = 100
"""How much smaller packing makes text; beyond it, what is unpacked must fit into the budget."""


def packing_of(path: Path) -> str:
    """The ending of a packed file, or of a table; nothing for a plain one.

    >>> packing_of(Path("a/quick.jsonl.GZ")), packing_of(Path("quick.jsonl"))
    ('.gz', '')
    """
    suffix = path.suffix.lower()
    return suffix if suffix in _PIECES else ""


def unpacked_name(path: Path) -> str:
    """The name that a packed file has once it is plain.

    >>> unpacked_name(Path("a/quick.csv.gz")), unpacked_name(Path("quick.parquet"))
    ('quick.csv', 'quick.jsonl')
    """
    return plain_name(path) if packing_of(path) == ".parquet" else path.stem


def unpacked(path: Path) -> Generator[bytes]:
    """Unpack in pieces; check the memory budget where a file becomes implausibly large."""
    size = 0
    try:
        plausible = MOST_TIMES * path.stat().st_size
        for piece in _PIECES[packing_of(path)](path):
            size += len(piece)
            if size > plausible:
                what = f"unpacks to more than {MOST_TIMES} times its size"
                budget.check(budget.HELD_TIMES * size, what, path, "unpack it yourself")
            yield piece
    except OSError as error:
        raise DataError.of(f"can't be unpacked: {error.strerror or error}", path) from None


def plain_name(path: Path) -> str:
    """Return the name of a file once it is plain lines.

    >>> plain_name(Path("a/quick.jsonl.gz")), plain_name(Path("quick.parquet"))
    ('quick.jsonl', 'quick.jsonl')
    """
    stem = path.name
    for ending in (".gz", ".zst", ".parquet", ".jsonl", ".ndjson"):
        if stem.lower().endswith(ending):
            stem = stem[: -len(ending)]
    return f"{stem}.jsonl"


def pointer_message(head: bytes) -> str:
    """Return what to do about a pointer of Git LFS; empty if the file does not begin like one.

    >>> pointer_message(b"version https://git-lfs.github.com/spec/v1\\noid sha256:9b\\nsize 44")
    'this is a Git LFS pointer: the file itself (44 bytes) was not fetched; run: git lfs pull'
    """
    pointer = _POINTER.match(head)
    if pointer is None:
        return ""
    return (
        f"this is a Git LFS pointer: the file itself ({int(pointer[1])} bytes) was not fetched; "
        "run: git lfs pull"
    )


def _unreadable(packing: str, path: Path) -> DataError:
    """Return the error about a packed file, or about the pointer that is in its place."""
    message = f"is no readable {packing} file: it is damaged, or its name has the wrong ending"
    with suppress(OSError), path.open("rb") as file:
        message = pointer_message(file.read(_FIRST_LOOK)) or message
    return DataError.of(message, path)


def _gz(path: Path) -> Iterator[bytes]:
    import gzip  # noqa: PLC0415 - slow to import

    try:
        with gzip.open(path, "rb") as file:
            while piece := file.read(_PIECE):
                yield piece
    except EOFError:
        raise DataError.of(
            "the file is cut: it ends before the end of its gzip data", path
        ) from None
    except (gzip.BadGzipFile, zlib.error):
        raise _unreadable("gzip", path) from None


def _zst(path: Path) -> Iterator[bytes]:
    try:
        import zstandard  # noqa: PLC0415  # an extra
    except ImportError:
        raise UsageError("reading .zst needs: pip install 'chronoscore[scale]'") from None
    try:
        with path.open("rb") as raw:
            reader = zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True)
            while piece := reader.read(_PIECE):
                yield piece
            if not _whole(path, zstandard):
                raise DataError.of("the file is cut: it ends before the end of its data", path)
    except zstandard.ZstdError:
        raise _unreadable("zst", path) from None


def _whole(path: Path, zstandard: Any) -> bool:
    """Whether the last frame of a file is complete; a stream reader does not report that."""
    decompressor = zstandard.ZstdDecompressor().decompressobj()
    with path.open("rb") as raw:
        while piece := raw.read(_PIECE):
            while piece:
                if decompressor.eof:
                    decompressor = zstandard.ZstdDecompressor().decompressobj()
                decompressor.decompress(piece)
                piece = decompressor.unused_data if decompressor.eof else b""
    return bool(decompressor.eof)


def _without_nulls(value: Any) -> Any:
    """Remove the fields of a row that have no value, as a JSON line leaves them out.

    >>> _without_nulls({"id": "a", "span": None, "marks": [{"type": "x", "score": None}]})
    {'id': 'a', 'marks': [{'type': 'x'}]}
    """
    if isinstance(value, dict):
        return {name: _without_nulls(item) for name, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def column_names(path: Path) -> list[str]:
    """The names of the columns of a Parquet file."""
    with _parquet_problems(path) as parquet:
        return list(parquet.read_schema(path).names)


def _rows_at_once(path: Path, metadata: Any) -> int:
    """Return how many rows to hold at once: few where one stored text may repeat in all rows."""
    size = path.stat().st_size
    groups = (metadata.row_group(at) for at in range(metadata.num_row_groups))
    if sum(group.total_byte_size for group in groups) > MOST_TIMES * size:
        return 1
    return 64 if size < _SMALL_TABLE else 1000


def _parquet(path: Path) -> Iterator[bytes]:
    encode = msgspec.json.encode
    with _parquet_problems(path) as parquet:
        file = parquet.ParquetFile(path)
        for batch in file.iter_batches(batch_size=_rows_at_once(path, file.metadata)):
            rows = batch.to_pylist()
            yield b"".join(encode(_without_nulls(row)) + b"\n" for row in rows)


@contextmanager
def _parquet_problems(path: Path) -> Iterator[Any]:
    """Yield the Parquet library; its errors on a damaged file become problems of the file."""
    try:
        import pyarrow as pa  # noqa: PLC0415  # an extra
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise UsageError("reading Parquet needs: pip install 'chronoscore[scale]'") from None
    try:
        yield parquet
    except UnicodeDecodeError as error:
        raise DataError.of(
            f"a text of the table is not UTF-8: byte 0x{error.object[error.start]:02x}; write "
            "text columns as UTF-8, or as another type",
            path,
        ) from None
    except (TypeError, OverflowError) as error:
        raise DataError.of(f"a value of the table has no form in JSON: {error}", path) from None
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the disk failed, not the file
        raise _unreadable("Parquet", path) from None


_PIECES: Mapping[str, Callable[[Path], Iterator[bytes]]] = {
    ".gz": _gz,
    ".zst": _zst,
    ".parquet": _parquet,
}
