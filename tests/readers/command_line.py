"""The real command in this process: its exit code and all that it printed."""

import re
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO, StringIO, TextIOWrapper
from unittest.mock import patch

from chronoscore.cli.main import main

FINE, USAGE, BAD_DATA = 0, 2, 3
_COUNT = re.compile(r"\d+ problems")
_JARGON = re.compile(
    r"Expected `|got `|\$\.|Traceback|msgspec|Errno|Error:|None\b|\bstr\b|\bint\b|\bdict\b|"
    r"codec can't"
)


@dataclass(frozen=True)
class Ran:
    """What a call left behind for the person who made it."""

    code: int
    out: str
    err: str

    @property
    def problems(self) -> list[str]:
        """The problems that were listed, one a line, without the word `error` and the count."""
        text = self.err.partition("error: ")[2]
        return [line for line in text.splitlines() if not _COUNT.fullmatch(line)]

    @property
    def notices(self) -> list[str]:
        """The notices, without the word."""
        lines = self.err.splitlines()
        return [line.removeprefix("notice: ") for line in lines if line.startswith("notice: ")]

    @property
    def notices_but_copies(self) -> list[str]:
        """The notices of a test that scores the gold against itself on purpose."""
        return [notice for notice in self.notices if "is it a copy of the gold?" not in notice]

    @property
    def jargon(self) -> list[str]:
        """The words in problems and notices that only a programmer knows."""
        return _JARGON.findall("\n".join(self.problems + self.notices))


def run(*arguments: object) -> Ran:
    """Call `chronoscore` with these arguments; an error that it does not catch fails the test.

    So do words in its messages that only a programmer knows.
    """
    ran = call(*arguments)
    assert not ran.jargon, ran.err
    return ran


def call(*arguments: object) -> Ran:
    """Call `chronoscore`, whatever words it uses."""
    out, err = StringIO(), StringIO()
    code = FINE
    with (
        patch.object(sys, "argv", ["chronoscore", *map(str, arguments)]),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
    return Ran(code, out.getvalue(), err.getvalue())


def call_drop_in(module: str, *arguments: object) -> Ran:
    """Call the `main` of a drop-in replacement, which may write bytes."""
    out, err = (TextIOWrapper(BytesIO(), "utf-8", "surrogateescape", "\n") for _ in range(2))
    code = FINE
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = import_module(module).main([*map(str, arguments)])
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.detach().getvalue().decode("utf-8", "backslashreplace"))
    return Ran(code, *texts)
