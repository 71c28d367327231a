"""Errors for people: what was found, what was expected, how to mend it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

MOST_PROBLEMS_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in the data, with its place and, for programs, a code and a field."""

    message: str
    path: str = ""
    line: int | None = None
    code: str = ""
    field: str = ""

    def __str__(self) -> str:
        """Write as ``file:line: message``."""
        if not self.path:
            return self.message
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.message}"


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
        return "\n".join(shown + ([f"... and {hidden} more problems"] if hidden else []))
