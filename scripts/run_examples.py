"""Run the examples of the documentation and write what they print into the pages.

`python -m scripts.run_examples [PAGE...]` writes, `--check` compares. A page runs from top to
bottom in one new folder that contains `demo/`. `console` blocks hold commands (`$ `) and their
output; what a `python` block prints stands in a block with the title "Output" below it. Comments
on the lines before a block change how it runs:

    <!-- shows: first 12 lines -->   cut the output of each command; `shows: nothing` hides it
    <!-- exits: 3 -->                the exit code of the last command, if it is not 0
    <!-- set up: COMMAND -->         a command that runs before the block and is not shown
    <!-- not run: REASON -->         for what can't run on every machine

`shows` and `exits` can be joined by a semicolon.
"""

import argparse
import contextlib
import difflib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

import click
from click.testing import CliRunner

import chronoscore
from chronoscore.cli.main import main as chronoscore_main

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
OUTPUT = '```text title="Output"'
WIDTH = 100
"""Columns of the terminal."""
SECONDS = 120
"""The longest that one command of bash may take."""
ENVIRONMENT = {
    **{
        "COLUMNS": str(WIDTH),
        "LINES": "40",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "TZ": "UTC",
        "CI": "1",
    },
    **{"LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "utf-8", "OPENBLAS_NUM_THREADS": "1"},
    "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
    "PYTHONPATH": str(Path(chronoscore.__file__).parents[1]),
    "SOURCE_DATE_EPOCH": "1700000000",
}
"""Outputs depend neither on the day, nor on the terminal, nor on what is installed elsewhere."""
_FENCE = re.compile(r"( *)(`{3,}) ?(\w*)(.*)")
_COMMENT = re.compile(r"<!-- (shows|exits|not run|set up): (.+) -->")
_OPTION = re.compile(r"shows: (?:first (\d+) lines?|(nothing))|exits: (\d+)")
_SHELL = re.compile(r"[|<>&;$`*?~{}()\[\]\\!#]")
"""What bash may read as more than a letter, outside quotes."""
_QUOTED = re.compile(r"'[^']*'|\"[^\"$`\\]*\"")
_ELSEWHERE = re.compile(r"(?:python3? -m )?(?:pip|uv|make|git|curl|wget|docker|sudo|apt) ")
_HEREDOC = re.compile(r"<<-? *(['\"]?)(\w+)\1")


class ExampleError(Exception):
    """An example that does not run, with its page and line."""


@dataclass
class Block:
    """A console or python block of a page."""

    language: str
    line: int
    """The number of the line that opens it, from 1."""
    end: int
    """The number of the last line that belongs to it, with the output of a python block."""
    indent: str
    opening: str
    body: list[str]
    comments: list[str] = field(default_factory=list)
    set_up: list[str] = field(default_factory=list)
    not_run: str = ""
    shown_lines: int | None = None
    exit_code: int = 0

    @property
    def commands(self) -> list[str]:
        """The commands of a console block, each as it is typed."""
        found, lines = [], iter(self.body)
        for line in lines:
            if not line.startswith("$ "):
                continue
            command = [line[2:]]
            while command[-1].endswith("\\"):
                command.append(next(lines, ""))
            if document := _HEREDOC.search("\n".join(command)):
                for more in lines:
                    command.append(more)
                    if more.strip() == document[2]:
                        break
            found.append("\n".join(command))
        return found

    def shorten(self, output: str) -> list[str]:
        """Return the lines of an output that the page shows."""
        lines = [line.rstrip() for line in output.rstrip().splitlines()]
        if self.shown_lines is None or len(lines) <= self.shown_lines:
            return lines
        return [*lines[: self.shown_lines], "..."] if self.shown_lines else []


def all_pages() -> list[Path]:
    """Return every page, and the README."""
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def name_of(page: Path) -> str:
    """Return the path of a page as messages name it."""
    return page.relative_to(ROOT).as_posix() if page.is_relative_to(ROOT) else str(page)


def fences(lines: list[str]) -> Iterator[tuple[int, int, re.Match[str]]]:
    """Yield every fenced block: the indexes of its first and last line, and its opening."""
    start, opening = 0, None
    for index, line in enumerate(lines):
        found = _FENCE.fullmatch(line)
        if opening is None:
            if found and "`" not in found[4]:
                start, opening = index, found
        elif found and len(found[2]) >= len(opening[2]) and not found[3] + found[4].strip():
            yield start, index, opening
            opening = None


def read_blocks(page: Path, text: str) -> list[Block]:
    """Find the console and python blocks of a page."""
    lines = text.splitlines()
    every = list(fences(lines))
    blocks = []
    for number, (start, end, opening) in enumerate(every):
        if opening[3] not in ("console", "python"):
            continue
        indent = opening[1]
        body = [line.removeprefix(indent) for line in lines[start + 1 : end]]
        block = Block(opening[3], start + 1, end + 1, indent, lines[start], body)
        if opening[3] == "python" and number + 1 < len(every):
            below, last, output = every[number + 1]
            blank = not any(line.strip() for line in lines[end + 1 : below])
            if blank and output[0].strip() == OUTPUT:
                block.end = last + 1
        above = start
        while above and (not lines[above - 1].strip() or lines[above - 1].strip()[:4] == "<!--"):
            above -= 1
        block.comments = [line.strip() for line in lines[above:start] if line.strip()]
        try:
            _read_comments(block)
        except ExampleError as error:
            raise ExampleError(f"{name_of(page)}:{block.line}: {error}") from None
        blocks.append(block)
    return blocks


def _read_comments(block: Block) -> None:
    for comment in block.comments:
        found = _COMMENT.fullmatch(comment)
        if found is None:
            if re.match(r"<!-- ?(shows?|exits?|not.run|set.?up)\b", comment):
                raise ExampleError(f"this comment is not understood: {comment}")
        elif found[1] == "set up":
            block.set_up.append(found[2])
        elif found[1] == "not run":
            block.not_run = found[2]
        else:
            for part in f"{found[1]}: {found[2]}".split("; "):
                option = _OPTION.fullmatch(part)
                if option is None:
                    raise ExampleError(f"this comment is not understood: {comment}")
                if option[3]:
                    block.exit_code = int(option[3])
                else:
                    block.shown_lines = int(option[1] or 0)


def _run_in_process(command: str) -> tuple[int, str]:
    """Run `chronoscore` as the command line does, but without a new process."""
    runner = CliRunner(env=ENVIRONMENT)
    code: object = 0
    with (
        runner.isolation() as (_, _, output),
        patch("click.formatting.FORCED_WIDTH", WIDTH - 2),  # as in a terminal; it forces 80
        patch.object(sys, "argv", shlex.split(command)),
        patch.object(sys.modules["__main__"], "__package__", None),  # else usage says python -m
    ):
        try:
            chronoscore_main()
        except SystemExit as end:
            code = end.code
        for stream in (sys.stdout, sys.stderr):
            if not stream.closed:
                stream.flush()
        printed = output.getvalue().decode("utf-8").replace("\r\n", "\n")
    return code if isinstance(code, int) else int(code is not None), printed


def _run_in_bash(command: str, folder: Path) -> tuple[int, str]:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=os.environ | ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
    )
    return done.returncode, done.stdout


def run_command(command: str, folder: Path) -> tuple[int, str]:
    """Run a command in a folder; return its exit code, and what a terminal would show."""
    if _ELSEWHERE.match(command):
        raise ExampleError(f"this would change the machine or load from others: {command}")
    joined = re.sub(r"\\\n\s*", "", command)
    plain = not _SHELL.search(_QUOTED.sub("", joined)) and "\n" not in joined
    if joined.startswith("chronoscore ") and plain:
        return _run_in_process(joined)
    return _run_in_bash(command, folder)


def _run_console(block: Block, folder: Path) -> list[str]:
    lines = []
    commands = block.commands
    for number, command in enumerate(commands, 1):
        code, output = run_command(command, folder)
        expected = block.exit_code if number == len(commands) else 0
        if code != expected:
            raise ExampleError(f"exit code {code}, not {expected}: {command}\n{output}")
        printed = block.shorten(output)
        if any(line.startswith("$ ") for line in printed):
            raise ExampleError(f"the output has a line that looks like a command: {command}")
        lines += [*f"$ {command}".splitlines(), *printed]
    return lines


def _run_python(block: Block, names: dict[str, object]) -> list[str]:
    output = io.StringIO()
    source = "\n" * block.line + "\n".join(block.body)  # so that lines have the page's numbers
    try:
        with contextlib.redirect_stdout(output):
            exec(compile(source, "<example>", "exec"), names)
    except Exception as error:
        lines = [
            frame.lineno
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename == "<example>"
        ]
        at = f"line {lines[0]}: " if lines else ""
        raise ExampleError(f"{at}{type(error).__name__}: {error}") from error
    return block.shorten(output.getvalue())


def run_block(block: Block, names: dict[str, object], folder: Path) -> list[str]:
    """Run a block, and return the lines that stand for it in the page."""
    for command in block.set_up:
        code, output = run_command(command, folder)
        if code:
            raise ExampleError(f"set up ends with exit code {code}: {command}\n{output}")
    if block.language == "console":
        rendered = [block.opening.strip(), *_run_console(block, folder), "```"]
        printed = rendered[1:-1]
    else:
        printed = _run_python(block, names)
        rendered = [block.opening.strip(), *block.body, "```"]
        rendered += ["", OUTPUT, *printed, "```"] if printed else []
    if any(str(folder) in line for line in printed):
        raise ExampleError(f"the output names the temporary folder {folder}")
    if any(line.startswith("```") for line in printed):
        raise ExampleError("the output would end the block: it has a line of ```")
    return [(block.indent + line).rstrip() for line in rendered]


def run_page(page: Path) -> str:
    """Run the examples of a page, and return the page with what they print."""
    text = page.read_text(encoding="utf-8")
    lines = text.splitlines()
    rendered: list[str] = []
    done = 0
    names: dict[str, object] = {"__name__": "__main__"}
    with (
        tempfile.TemporaryDirectory(prefix="examples-", ignore_cleanup_errors=True) as made,
        contextlib.chdir(made),
        patch.dict(os.environ, ENVIRONMENT),
    ):
        folder = Path(made).resolve()
        _run_in_process("chronoscore demo --data demo")
        for block in read_blocks(page, text):
            rendered += lines[done : block.line - 1]
            done = block.end
            if block.not_run:
                rendered += lines[block.line - 1 : block.end]
                continue
            try:
                rendered += run_block(block, names, folder)
            except (ExampleError, subprocess.TimeoutExpired) as error:
                raise ExampleError(f"{name_of(page)}:{block.line}: {error}") from error
    return "\n".join([*rendered, *lines[done:]]) + "\n"


def difference(page: Path, expected: str) -> str:
    """Return the lines in which a page differs from what its examples print."""
    written = page.read_text(encoding="utf-8")
    name = name_of(page)
    lines = difflib.unified_diff(
        written.splitlines(), expected.splitlines(), name, f"{name}, run", lineterm="", n=1
    )
    return "\n".join(lines)


def main() -> int:
    """Run the examples of the pages; return 1 if one fails, or differs under `--check`."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("pages", nargs="*", type=Path, help="all pages, if you name none")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    asked = parser.parse_args()
    failed = False
    for page in [path.resolve() for path in asked.pages] or all_pages():
        try:
            text = run_page(page)
        except ExampleError as error:
            failed = True
            click.echo(error, err=True)
            continue
        changes = difference(page, text)
        if changes and asked.check:
            failed = True
            click.echo(changes)
        elif changes:
            page.write_text(text, encoding="utf-8", newline="\n")
            click.echo(f"wrote {name_of(page)}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
