"""Reading files as they come: encodings, byte order marks, line ends, and every problem noted."""

import codecs
import re
import weakref
from collections import Counter
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from pathlib import Path
from stat import S_ISFIFO, S_ISSOCK
from typing import Any, BinaryIO

from chronoscore.core import budget
from chronoscore.core.errors import DataError, Problem, UsageError
from chronoscore.core.tally import Tally, earliest

DEFAULT_MAX_LINE = 16 * 1024 * 1024
_BYTE_ORDER_MARKS = (  # the longer ones first: UTF-32's begins with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_FIRST_LOOK = 8192
_STREAMS = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
_PACKED = (".gz", ".zst", ".parquet")
NUL = "contains the character NUL (U+0000), which ends a text for many programs: remove it"
PIPE = (
    "can't be read here: a pipe is read once only, and has no ending that tells its format; "
    "save it as a file, such as x.jsonl"
)
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def plain_ends(text: str) -> str:
    """A text with one kind of line end; not for texts that offsets point into.

    >>> plain_ends("one\\r\\ntwo\\rthree")
    'one\\ntwo\\nthree'
    """
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def odd_character(text: str) -> str:
    """Say which character a text can't keep, if there is one: NUL, or half of a pair.

    >>> odd_character("a café"), odd_character("half \\ud83d")
    ('', 'contains half a character (U+D83D), which no file can hold: remove it')
    """
    if "\0" in text:
        return NUL
    if text.isascii():
        return ""
    half = _HALF_CHARACTER.search(text)
    if half is None:
        return ""
    return f"contains half a character (U+{ord(half[0]):04X}), which no file can hold: remove it"


def too_long(most: int) -> str:
    """What is wrong with a line of more than so many bytes."""
    return f"the line is longer than {most} bytes; if it is meant to be, allow more with --max-line"


def is_pipe(path: Path) -> bool:
    """Whether a path is a pipe, a socket or another stream of this process, not a file."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return S_ISFIFO(mode) or S_ISSOCK(mode) or str(path).startswith(_STREAMS)


def _remove(found: list[tuple[Path, Any]]) -> None:
    from chronoscore.core.folders import removed  # noqa: PLC0415  # seldom needed

    while found:
        removed(*found.pop())


class Reading:
    """How files are read in one run, and all that was found wrong or worth saying on the way.

    A *problem* stops the run once everything was looked at (`check`); a *notice* is shown beside
    the result. A *doubt* is a problem, or only a notice when reading leniently.
    """

    def __init__(
        self,
        *,
        encoding: str = "utf-8",
        max_line: int = DEFAULT_MAX_LINE,
        lenient: bool = False,
        partial: bool = False,
    ) -> None:
        try:
            self.encoding = codecs.lookup(encoding).name
            "\n".encode(self.encoding)  # some codecs, such as hex, are not for text
        except (LookupError, ValueError):
            raise UsageError(
                f"unknown encoding '{encoding}'; try utf-8, latin-1 or cp1252"
            ) from None
        if max_line < 1:
            raise UsageError(f"the longest line allowed must be at least 1, got {max_line}")
        self.max_line = max_line
        self.lenient = lenient
        self.partial = partial
        """Whether only a part of a file is read: those who see all of it tell what is missing."""
        self.problems: list[Problem] = []
        self.notices: list[Problem] = []
        self.names: dict[str, str] = {}
        """What people call files that were unpacked to be read, by the unpacked file's path."""
        self._copies: dict[Path, Path] = {}
        self._folders: list[tuple[Path, Any]] = []
        self.counts: Counter[str] = Counter()
        """What adds up over the parts of a file, for those who see all of them to tell."""
        self.alike = not partial
        """Whether a file of one topic may be taken as the prediction of the gold's only one."""
        self.tallies: list[Tally] = []
        """Notices that count, where only a part of a file is read."""

    def problem(
        self,
        message: str,
        path: object = "",
        line: int | None = None,
        *,
        code: str = "",
        field: str = "",
    ) -> None:
        """Note something that makes the data unfit for scoring."""
        self.problems.append(Problem(*self._called(message, path), line, code, field))

    def notice(self, message: str, path: object = "", line: int | None = None) -> None:
        """Note something that the reader of the result should know."""
        self.notices.append(Problem(*self._called(message, path), line))

    def tally(
        self,
        message: str,
        found: Sequence[tuple[int, str]],
        path: object = "",
        *,
        count: int | None = None,
        here: bool = False,
    ) -> None:
        """Note how many there are of something, each with its line (or 0) and name; see `Tally`.

        Nothing is noted where there is none. `count` is how many, where not all are named; `here`
        puts the notice at the first one's line.
        """
        number = len(found) if count is None else count
        if not number:
            return
        first = earliest((0, line, name) for line, name in found)
        made = Tally(message, str(path), number, first, here)
        if self.partial:
            self.tallies.append(made)
        else:
            self.notice(made.text(), path, first[0][1] or None if here and first else None)

    def _called(self, message: str, path: object) -> tuple[str, str]:
        """A message and its file, with the names that people know."""
        for unpacked, name in self.names.items():
            message = message.replace(unpacked, name)
        return message, self.names.get(str(path), str(path))

    def doubt(self, message: str, path: object = "", line: int | None = None) -> None:
        """Note something that is refused, unless the reading is lenient: then it is a notice."""
        if self.lenient:
            self.notice(message, path, line)
        else:
            self.problem(f"{message} (--lenient accepts it)", path, line)

    def plain(self, path: Path) -> Path:
        """The file itself, or a plain copy of one that is packed, under the name it would have.

        `.gz` and `.zst` of any file, and Parquet, which becomes JSON lines. Copies go with this
        reading; messages name the file that was given.
        """
        if path.suffix.lower() not in _PACKED or not path.is_file():
            return path
        if path not in self._copies:
            from chronoscore.core import folders, unpacking  # noqa: PLC0415  # seldom needed

            if not self._folders:
                weakref.finalize(self, _remove, self._folders)
            self._folders.append(folders.made())
            copy = unpacking.unpacked_file(path, self._folders[-1][0])
            self._copies[path] = copy
            self.names[str(copy)] = str(path)
        return self._copies[path]

    def is_table(self, path: Path) -> bool:
        """Whether lines are the rows of a table, so that all of them have the same columns."""
        return self.names.get(str(path), "").lower().endswith(".parquet")

    def close(self) -> None:
        """Remove the copies of packed files; without it they go when nobody has this reading."""
        _remove(self._folders)
        self._copies.clear()

    def check(self) -> None:
        """Stop here if anything was wrong, with the whole list."""
        if self.problems:
            raise DataError(self.problems)

    def text(self, path: Path) -> str | None:
        """All of a file with plain line ends, or None if it can't be read (and was noted)."""
        before = len(self.problems)
        lines = [line for _, line in self.lines(path)]
        return None if len(self.problems) > before else "\n".join(lines)

    def exact_text(self, path: Path) -> str | None:
        """All of a file with its own line ends, for what points into it by offset."""
        if self.text(path) is None:
            return None
        data = path.read_bytes()
        _, encoding = self._encoding(data[:4])
        return data.decode(encoding).removeprefix("\ufeff")

    def lines(self, path: Path) -> Iterator[tuple[int, str]]:
        """Yield the lines of a file, numbered from 1, without their ends.

        Lines end as on any system, the old Mac included. A line that can't be decoded or is too
        long is noted and left out; binary data end the file. A file that is empty or blank is
        noted: it is never what was meant.
        """
        path = self.plain(path)
        before = len(self.problems) + len(self.notices)
        blank = True
        if is_pipe(path):
            self.problem(PIPE, path)
            return
        try:
            with path.open("rb") as file:
                for number, line in self._numbered(path, file):
                    blank = blank and not line.strip()
                    yield number, line
        except FileNotFoundError:
            self.problem("there is no such file", path)
        except IsADirectoryError:
            self.problem("is a folder, expected a file", path)
        except OSError as error:
            self.problem(f"can't be read: {error.strerror or error}", path)
        if blank and not self.partial and len(self.problems) + len(self.notices) == before:
            self.doubt("there are only blank lines in the file", path)

    def _numbered(self, path: Path, file: BinaryIO) -> Iterator[tuple[int, str]]:
        head = file.read(_FIRST_LOOK)
        mark, encoding = self._encoding(head)
        file.seek(len(mark))
        if not head[len(mark) :]:
            if not self.partial:
                self.doubt("the file is empty", path)
        elif "\n".encode(encoding) != b"\n":  # lines can't be told before they are decoded
            file.seek(0)
            size = budget.HELD_TIMES * path.stat().st_size
            budget.check(size, f"{encoding} is read as a whole", path, "write it as UTF-8")
            yield from self._wide_lines(path, file.read(), encoding)
        elif b"\0" in head:
            self._binary(path, head.count(b"\n", 0, head.index(b"\0")) + 1)
        else:
            yield from self._narrow_lines(path, file, encoding)

    def _encoding(self, head: bytes) -> tuple[bytes, str]:
        for mark, encoding in _BYTE_ORDER_MARKS:
            if head.startswith(mark):
                return mark, encoding
        return b"", self.encoding

    def _narrow_lines(self, path: Path, file: BinaryIO, encoding: str) -> Iterator[tuple[int, str]]:
        # Latin-1 gives each byte a character and back, so this finds the ends of lines in bytes.
        with TextIOWrapper(file, "latin-1", newline=None) as file_lines:
            number = 0
            while line := file_lines.readline(self.max_line + 1):
                number += 1
                if "\0" in line:
                    self._binary(path, number)
                    return
                if len(line) > self.max_line and not line.endswith("\n"):
                    self._too_long(path, number)
                    while line and not line.endswith("\n"):
                        line = file_lines.readline(1 << 20)
                    continue
                raw = line.removesuffix("\n").encode("latin-1")
                decoded = self._decoded(raw, encoding, path, number)
                if decoded is not None:
                    yield number, decoded

    def _wide_lines(self, path: Path, data: bytes, encoding: str) -> Iterator[tuple[int, str]]:
        text = self._decoded(data, encoding, path, None)
        if text is None:
            return
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        if not lines[-1]:
            lines.pop()
        for number, line in enumerate(lines, 1):
            if "\0" in line:
                self._binary(path, number)
                return
            if len(line) > self.max_line:
                self._too_long(path, number)
            else:
                yield number, line

    def _decoded(self, raw: bytes, encoding: str, path: Path, number: int | None) -> str | None:
        try:
            text = raw.decode(encoding)
            if "\0" in text and b"\0" not in raw:  # as in UTF-7
                self.problem(f"the line {NUL}", path, number)
                return None
            if text.isascii() or not _HALF_CHARACTER.search(text):
                return text
            what = "half a character"
        except UnicodeDecodeError as error:
            what = f"byte {error.start + 1} (0x{raw[error.start]:02x})"
        except UnicodeError:
            what = "some byte"
        self.problem(
            f"{what} is not valid {encoding}; "
            "if the file has another encoding, name it with --encoding",
            path,
            number,
        )
        return None

    def _binary(self, path: Path, number: int) -> None:
        self.problem(
            "binary data, expected text; if it is UTF-16 or the like, name it with --encoding",
            path,
            number,
        )

    def _too_long(self, path: Path, number: int) -> None:
        self.problem(too_long(self.max_line), path, number)
