"""Run the product in a folder of its own and keep all that it leaves: text, exit code, files.

A run leaves outputs of three classes, kept apart because they may change for different reasons:

exact    JSON, CSV, plain print-outs, saved files, exit codes: no byte may change, but for the
         last digits of long numbers, which depend on the processor
words    text tables, messages, help: the wording may change by decision
numbers  LaTeX and HTML: only the numbers count, in whatever order they stand
"""

import contextlib
import difflib
import gzip
import hashlib
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from importlib import import_module
from io import BytesIO, TextIOWrapper
from pathlib import Path
from unittest.mock import patch

from judge.stub import serving
from readers.command_line import Ran

from chronoscore.cli.main import main
from chronoscore.demo import data_files, home

EXPECTED = Path(__file__).parent / "expected"
CLASSES = ("exact", "words", "numbers")
WRITE = "GOLDEN_WRITE"
"""The environment variable that writes the expected files again."""
LONGEST = 2_400
"""Characters that are kept of an output; of a longer one, also the digest of the whole."""
SHOWN = 60
"""Lines of a difference that are shown."""
_EXACT = ("json", "csv", "plain")
_DIGEST = re.compile("[0-9a-f]{16}")
_BINARY = (".db", ".db-wal", ".db-shm", ".parquet", ".gz", ".zst")
_STEADY = {
    **{"COLUMNS": "80", "LINES": "24", "TERM": "dumb", "NO_PROXY": "127.0.0.1", "TZ": "UTC"},
    "SOURCE_DATE_EPOCH": "1700000000",
}
_VARYING = (
    # progress and manifest of a run in parts: JSON without spaces, unlike documents
    (re.compile(r'("(?:seconds|rate|left)":)[-\d.e+]+'), r"\1<time>"),
    (re.compile(r'("(?:rates|seconds)":)\{[^}]*\}'), r"\1<time>"),
    (re.compile(r'("(?:python|platform|numpy|msgspec)":)"[^"]*"'), r'\1"<version>"'),
    (re.compile(r'("memory":)\d+'), r"\1<memory>"),
    (re.compile(r"[\d.]+ s, [\d,]+ cases a second"), "<time> s, <rate> cases a second"),
    (re.compile(r'("latency_\w+": )[\d.e-]+'), r"\1<time>"),
    (re.compile(r"(latency[^\n]*\(s\)[^\d\n]*)[\d.]+"), r"\1<time>"),
    (re.compile(r"(http://127\.0\.0\.1:)\d{2,5}"), r"\1<port>"),
    (re.compile(r" at 0x[0-9a-f]+"), " at <address>"),
    (re.compile(r'("checksum": ?)"[0-9a-f]+"'), r'\1"<checksum>"'),  # of all digits of numbers
    (re.compile(r"\b[0-9a-f]{2}/[0-9a-f]{64}\b"), "<key>"),
)
"""What differs between two runs of the same program, and what stands for it."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*(?:e-?\d+)?")
_LONG_NUMBER = re.compile(r"(?<![\w.])\d+\.\d{13,}(?:e[-+]?\d+)?(?!\w)")
"""A number with the digits in which matrix products of two processors differ."""


@dataclass(frozen=True, eq=False)
class Run:
    """Commands that are called one after the other, in a new folder with the demo data.

    A command is what comes after `chronoscore`, or `python ...` with its arguments. `<server>`
    stands for the address of a judge model on this machine.
    """

    name: str
    commands: tuple[str, ...]
    files: dict[str, str] = field(default_factory=dict)
    """Written before the commands: path and text."""
    stdout: str = ""
    """The class of what is printed; derived from `--format` where it is empty."""
    packed: tuple[str, ...] = ()
    """Files that get a twin packed by gzip."""
    longest: int = LONGEST
    unkept: str = ""
    """Files that differ between two runs and are only named: a regular expression."""

    def class_of(self, command: str) -> str:
        """The class of what a command prints."""
        if self.stdout:
            return self.stdout
        found = re.search(r"(?:-f|--format) (\w+)", command)
        if found:
            name = found[1]
            return "exact" if name in _EXACT else "numbers" if name == "latex" else "words"
        return "exact" if command.startswith("python ") else "words"


def run(name: str, *commands: str, **more: object) -> Run:
    """A row of the table."""
    return Run(name, commands, **more)  # type: ignore[arg-type]


@cache
def outputs(one: Run) -> dict[str, str]:
    """All that a run leaves, by class."""
    kept: dict[str, list[str]] = {name: [] for name in CLASSES}
    asked = any("<server>" in command for command in one.commands)
    with (
        tempfile.TemporaryDirectory() as name,
        steady(Path(name)) as folder,
        serving() if asked else contextlib.nullcontext() as judge,
    ):
        server = judge.url if judge else "<server>"
        before = _prepare(folder, one)
        for command in one.commands:
            ran = called([word.replace("<server>", server) for word in shlex.split(command)])
            kept["exact"].append(f"$ {command}\nexit code {ran.code}\n")
            for title, text, kind in (
                ("stdout", ran.out, one.class_of(command)),
                ("stderr", ran.err, "words"),
            ):
                if text:
                    plain = text.replace(str(folder), "<folder>").replace(server, "<server>")
                    kept[kind].append(_section(f"{title} of $ {command}", plain, kind, one.longest))
        for path in sorted(folder.rglob("*")):
            compiled = path.parent.name == "__pycache__"  # written or not, as the shell says
            if path.is_file() and not compiled and before.get(path) != path.read_bytes():
                kind = "numbers" if path.suffix == ".html" else "exact"
                kept[kind].append(_file(folder, path, kind, one.unkept))
    return {name: "\n".join(sections) for name, sections in kept.items() if sections}


@contextlib.contextmanager
def steady(folder: Path) -> Iterator[Path]:
    """Stand in a folder, with the same terminal everywhere."""
    folder = folder.resolve()
    gone = [name for name in os.environ if name.startswith(("OPENAI_", "_CHRONOSCORE"))]
    with contextlib.chdir(folder), patch.dict(os.environ, _STEADY):
        for name in gone:
            del os.environ[name]
        yield folder


def _prepare(folder: Path, one: Run) -> dict[Path, bytes]:
    (folder / "demo").mkdir()
    for source in data_files():
        (folder / "demo" / source.name).write_bytes(source.read_bytes())
    for name, text in one.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    for name in one.packed:
        data = (folder / name).read_bytes()
        (folder / f"{name}.gz").write_bytes(gzip.compress(data, mtime=0))
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def called(words: list[str]) -> Ran:
    if words[:1] != ["python"]:
        return _in_this_process(words, main)
    if words[1] == "-m" and words[2] != "chronoscore":
        module = import_module(words[2])
        if not hasattr(module, "main"):
            module = import_module(f"{words[2]}.__main__")
        return _in_this_process(words[3:], module.main)
    done = subprocess.run([sys.executable, *words[1:]], capture_output=True, check=False)
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def _in_this_process(words: list[str], program: Callable[[], int | None]) -> Ran:
    # Some formats are written as bytes, so the streams need a buffer below them.
    out, err = (TextIOWrapper(BytesIO(), "utf-8", newline="\n") for _ in range(2))
    code = 0
    with (
        patch.object(sys, "argv", ["chronoscore", *words]),
        patch.object(sys.modules["__main__"], "__package__", None),  # else usage lines name it
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            code = program() or 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.detach().getvalue().decode("utf-8", "backslashreplace"))
    return Ran(code, *texts)


def _file(folder: Path, path: Path, kind: str, unkept: str) -> str:
    name = path.relative_to(folder).as_posix()
    title = f"file {_DIGEST.sub('<digest>', name) if path.suffix == '.chunk' else name}"
    if path.suffix in _BINARY or (unkept and re.search(unkept, title)):
        return _section(title, "(not kept)", "exact")
    if path.suffix == ".xlsx":
        return _section(title, _cells(path), "exact")
    return _section(title, path.read_bytes().decode("utf-8", "backslashreplace"), kind)


def _cells(path: Path) -> str:
    from openpyxl import load_workbook

    book = load_workbook(path)
    lines = [
        f"{sheet.title}!{cell.coordinate}: {cell.value!r}"
        for sheet in book.worksheets
        for row in sheet.iter_rows()
        for cell in row
        if cell.value is not None
    ]
    return "\n".join(lines) + "\n"


def _section(title: str, text: str, kind: str, longest: int = LONGEST) -> str:
    text = text.replace(str(home()), "<demo>")  # wherever the repository is
    for pattern, instead in _VARYING:
        title, text = pattern.sub(instead, title), pattern.sub(instead, text)
    text = _LONG_NUMBER.sub(lambda number: f"{float(number[0]):.12g}", text)
    for marker in set(re.findall(r"marker of this request is (\w+)", text)):
        text = text.replace(marker, "<marker>")
    if kind == "numbers":
        numbers = sorted(_NUMBER.findall(_visible(text) if "<html" in text else text))
        return f"--- {title}: {len(numbers)} numbers\n{shortened(' '.join(numbers))}\n"
    return f"--- {title}\n{shortened(text, longest)}" + (
        "" if text.endswith("\n") else "\n(no newline)\n"
    )


def shortened(text: str, longest: int = LONGEST) -> str:
    """A text, or its beginning and the digest of the whole, which no difference escapes."""
    text = text.replace("\r", "\\r")
    if len(text) <= longest:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
    return f"{text[:longest]}\n[... {len(text)} characters, sha256 {digest}]\n"


class _Visible(HTMLParser):
    """The text of a page that a reader sees, without scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.hidden += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.texts.append(data)


def _visible(page: str) -> str:
    reader = _Visible()
    reader.feed(page)
    return "\n".join(reader.texts)


def check(name: str, found: str) -> None:
    """Compare with the expected file of this name, or write it where that is asked for."""
    path = EXPECTED / f"{name}.txt"
    if os.environ.get(WRITE):
        path.unlink(missing_ok=True)
        if not found:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(found, encoding="utf-8", errors="surrogateescape", newline="")
        return
    expected = path.read_bytes().decode("utf-8", "surrogateescape") if path.exists() else ""
    if found != expected:
        lines = list(
            difflib.unified_diff(
                expected.split("\n"), found.split("\n"), "expected", "found", "", "", 2, ""
            )
        )
        more = [f"... and {len(lines) - SHOWN} more lines"] if len(lines) > SHOWN else []
        raise AssertionError("\n".join([f"{name} differs", *lines[:SHOWN], *more]))
