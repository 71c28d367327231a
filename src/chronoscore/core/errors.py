"""Errors for people: what was found, what was expected, how to mend it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

MOST_PROBLEMS_SHOWN = 50
MOST_CHARACTERS_SHOWN = 400
# What would break the line or speak to the terminal is shown as its code.
_UNPRINTABLE = {
    code: ascii(chr(code))[1:-1] for code in (*range(32), *range(127, 160), 0x2028, 0x2029)
}


def one_line(text: str) -> str:
    """Write a text so that it neither breaks the line nor speaks to the terminal.

    >>> one_line("a\\nb\\x1b[2J")
    'a\\\\nb\\\\x1b[2J'
    """
    return text.translate(_UNPRINTABLE)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in the data, with its place and, for programs, a code and a field."""

    message: str
    path: str = ""
    line: int | None = None
    code: str = ""
    field: str = ""

    def __str__(self) -> str:
        """Write as ``file:line: message``, in one line however the data that it quotes look."""
        message = one_line(self.message)
        if len(message) > MOST_CHARACTERS_SHOWN:
            message = f"{message[:MOST_CHARACTERS_SHOWN]}..."
        if not self.path:
            return message
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {message}"


class ChronoscoreError(Exception):
    """Anything that is the input's or the call's fault; carries the command's exit code."""

    exit_code: ClassVar[int] = 1


class UsageError(ChronoscoreError):
    """The call asks for something that does not exist or does not go together."""

    exit_code = 2


class DataError(ChronoscoreError):
    """The data can't be scored as they are; lists every problem found."""

    exit_code = 3

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self._text())

    @classmethod
    def of(cls, message: str, path: object = "", line: int | None = None) -> "DataError":
        """Make the error for a single problem."""
        return cls([Problem(message, str(path), line)])

    def _text(self) -> str:
        shown = [str(problem) for problem in self.problems[:MOST_PROBLEMS_SHOWN]]
        hidden = len(self.problems) - len(shown)
        return "\n".join(shown + ([f"... and {hidden} more"] if hidden else []))
