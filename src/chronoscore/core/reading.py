"""Reading files as they come: encodings, byte order marks, line ends, and every problem noted."""

import codecs
from collections.abc import Iterator
from pathlib import Path

from chronoscore.core.errors import DataError, Problem, UsageError

DEFAULT_MAX_LINE = 16 * 1024 * 1024
_BYTE_ORDER_MARKS = (  # the longer ones first: UTF-32's begins with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


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
    ) -> None:
        try:
            self.encoding = codecs.lookup(encoding).name
        except LookupError:
            raise UsageError(
                f"unknown encoding '{encoding}'; try utf-8, latin-1 or cp1252"
            ) from None
        if max_line < 1:
            raise UsageError(f"the longest line allowed must be at least 1, got {max_line}")
        self.max_line = max_line
        self.lenient = lenient
        self.problems: list[Problem] = []
        self.notices: list[Problem] = []

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
        self.problems.append(Problem(message, str(path), line, code, field))

    def notice(self, message: str, path: object = "", line: int | None = None) -> None:
        """Note something that the reader of the result should know."""
        self.notices.append(Problem(message, str(path), line))

    def doubt(self, message: str, path: object = "", line: int | None = None) -> None:
        """Note something that is refused, unless the reading is lenient: then it is a notice."""
        if self.lenient:
            self.notice(message, path, line)
        else:
            self.problem(f"{message} (--lenient accepts it)", path, line)

    def check(self) -> None:
        """Stop here if anything was wrong, with the whole list."""
        if self.problems:
            raise DataError(self.problems)

    def text(self, path: Path) -> str | None:
        """All of a file with plain line ends, or None if it can't be read (and was noted)."""
        before = len(self.problems)
        lines = [line for _, line in self.lines(path)]
        return None if len(self.problems) > before else "\n".join(lines)

    def lines(self, path: Path) -> Iterator[tuple[int, str]]:
        """Yield the lines of a file, numbered from 1, without their ends.

        A line that can't be decoded or is too long is noted and left out; binary data end the
        file. An empty file is noted: it is never what was meant.
        """
        try:
            with path.open("rb") as file:
                head = file.read(4)
                file.seek(0)
                mark, encoding = self._encoding(head)
                if not head[len(mark) :]:
                    self.problem("the file is empty", path)
                    return
                if encoding in ("utf-16", "utf-32"):
                    yield from self._wide_lines(path, file.read(), encoding)
                    return
                file.seek(len(mark))
                number = 0
                while raw := file.readline(self.max_line + 2):
                    number += 1
                    if b"\0" in raw:
                        self.problem("binary data, expected text", path, number)
                        return
                    if len(raw.rstrip(b"\r\n")) > self.max_line:
                        self._too_long(path, number)
                        while raw and not raw.endswith(b"\n"):
                            raw = file.readline(1 << 20)
                        continue
                    line = self._decoded(raw, encoding, path, number)
                    if line is not None:
                        # A lone carriage return is a line end of old Mac files.
                        parts = line.removesuffix("\n").removesuffix("\r").split("\r")
                        for part in parts:
                            yield number, part
                            number += part is not parts[-1]
        except OSError as error:
            self.problem(f"can't be read: {error.strerror or error}", path)

    def _encoding(self, head: bytes) -> tuple[bytes, str]:
        for mark, encoding in _BYTE_ORDER_MARKS:
            if head.startswith(mark):
                return mark, encoding
        return b"", self.encoding

    def _decoded(self, raw: bytes, encoding: str, path: Path, number: int) -> str | None:
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError as error:
            self.problem(
                f"byte {error.start + 1} (0x{raw[error.start]:02x}) is not valid {encoding}; "
                "if the file has another encoding, name it with --encoding",
                path,
                number,
            )
            return None

    def _wide_lines(self, path: Path, data: bytes, encoding: str) -> Iterator[tuple[int, str]]:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError as error:
            self.problem(f"byte {error.start + 1} is not valid {encoding}", path)
            return
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        if not lines[-1]:
            lines.pop()
        for number, line in enumerate(lines, 1):
            if len(line) > self.max_line:
                self._too_long(path, number)
            else:
                yield number, line

    def _too_long(self, path: Path, number: int) -> None:
        self.problem(
            f"the line is longer than {self.max_line} bytes; "
            "if it is meant to be, allow more with --max-line",
            path,
            number,
        )
