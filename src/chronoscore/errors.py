"""Errors for users: what is wrong, what is expected, how to fix it."""

from collections.abc import Iterable
from typing import ClassVar

import msgspec

MOST_PROBLEMS_SHOWN = 50
MOST_CHARACTERS_SHOWN = 400
# Characters that would break the line or control the terminal are shown as their codes.
_UNPRINTABLE = {
    code: ascii(chr(code))[1:-1] for code in (*range(32), *range(127, 160), 0x2028, 0x2029)
}


def one_line(text: str) -> str:
    """Write a text so that it neither breaks the line nor controls the terminal.

    >>> one_line("a\\nb\\x1b[2J")
    'a\\\\nb\\\\x1b[2J'
    >>> one_line("next\\x85line, \\x7f")
    'next\\\\x85line, \\\\x7f'
    """
    return text.translate(_UNPRINTABLE)


def similar_name(name: str, known: Iterable[str]) -> str:
    """Return the known name that was probably meant, or nothing.

    >>> similar_name("rogue", ["rouge", "text"]), similar_name("x", ["rouge", "text"])
    ('rouge', '')
    """
    from difflib import get_close_matches  # noqa: PLC0415 - most runs misspell nothing

    return next(iter(get_close_matches(name, list(known), n=1)), "")


class Problem(msgspec.Struct, frozen=True):
    """One thing wrong in the data, with its place and, for programs, a code and a field."""

    message: str
    path: str = ""
    line: int | None = None
    code: str = ""
    field: str = ""
    details: tuple[str, ...] = ()
    """Further lines, each shown in one line; only tabs are kept, so that columns can be copied."""

    def __str__(self) -> str:
        """Write as ``file:line: message``, in one line whatever data it quotes."""
        message = one_line(self.message)
        if len(message) > MOST_CHARACTERS_SHOWN:
            message = f"{message[:MOST_CHARACTERS_SHOWN]}..."
        for line in self.details:
            message += "\n  " + "\t".join(map(one_line, line.split("\t")))
        if not self.path:
            return message
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {message}"


class ChronoscoreError(Exception):
    """An error in the input or the call; carries the exit code of the command.

    >>> from chronoscore import score
    >>> try:
    ...     score("timelines", "no-such-file.jsonl", "ours.jsonl")
    ... except ChronoscoreError as error:
    ...     print(error.exit_code, error)
    3 no-such-file.jsonl: there is no such file or folder
    ours.jsonl: there is no such file or folder
    """

    exit_code: ClassVar[int] = 1


class UsageError(ChronoscoreError):
    """The call asks for something that does not exist or does not go together.

    >>> from chronoscore import metric
    >>> metric("AR-1(rouge=x)")
    Traceback (most recent call last):
    chronoscore.errors.UsageError: parameter 'rouge' is 'x', expected 1 to 99, or L
    """

    exit_code = 2


class UnknownMetricError(UsageError):
    """A family has no metric of this name; another may have one."""

    def __init__(self, message: str, metric: str) -> None:
        super().__init__(message)
        self.metric = metric

    def __reduce__(self) -> tuple[type["UnknownMetricError"], tuple[str, str]]:
        """Pickle the name, so that the error reaches another process as it is."""
        return type(self), (str(self), self.metric)


class DataError(ChronoscoreError):
    """The data can't be scored as they are; lists every problem found.

    >>> from chronoscore import score
    >>> gold = {"2011-01-25": ["Protests begin."]}
    >>> try:
    ...     score("timelines", gold, {"2011-02-30": ["Protests end."]})
    ... except DataError as error:
    ...     print([problem.message for problem in error.problems])
    ["'2011-02-30' is not in the calendar"]
    """

    exit_code = 3

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        lines = [str(problem) for problem in self.problems[:MOST_PROBLEMS_SHOWN]]
        hidden = len(self.problems) - len(lines)
        super().__init__("\n".join(lines + ([f"... and {hidden} more"] if hidden else [])))

    def __reduce__(self) -> tuple[type["DataError"], tuple[tuple[Problem, ...]]]:
        """Pickle the problems, so that the error reaches another process as it is."""
        return type(self), (self.problems,)

    @classmethod
    def of(cls, message: str, path: object = "", line: int | None = None) -> "DataError":
        """Make the error for a single problem."""
        return cls([Problem(message, str(path), line)])
