"""Try one input: make its call, and say what a user would not forgive."""

import json
import resource
import shutil
import signal
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

from fuzz.mutations import at, dump, places
from fuzz.targets import Input, inside, lay, targets
from readers.command_line import Ran, call, call_drop_in

from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.sources import source_of
from chronoscore.engines.settings import Settings
from chronoscore.errors import ChronoscoreError
from chronoscore.families import family

SECONDS = 20
"""An input that takes longer hangs."""
MEMORY = 2 << 30
"""Bytes of data that one process may have."""
_SOURCE = str(Path(__file__).parents[2])


@dataclass(frozen=True)
class Finding:
    """What went wrong, in a word, where, and all that is known of it."""

    kind: str
    place: str
    details: str

    @property
    def name(self) -> str:
        """What findings with one cause share."""
        return f"{self.kind} {self.place}"


class Hang(BaseException):
    """Raised in the input that takes too long; nothing in the product may catch it."""


def limit_memory() -> None:
    """Let this process fail to allocate before the machine suffers."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


@contextmanager
def _limited() -> Iterator[None]:
    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def try_input(given: Input, folder: Path) -> Finding | None:
    """Make the call in an empty folder; None if all that happened may happen."""
    shutil.rmtree(folder, ignore_errors=True)
    work, scratch = folder / "work", folder / "scratch"
    for path in (work, scratch):
        path.mkdir(parents=True)
    lay(work, given.files)
    before = tempfile.tempdir
    tempfile.tempdir = str(scratch)
    try:
        with warnings.catch_warnings(), inside(work), _limited():
            warnings.simplefilter("error")
            finding = _look(given, folder.with_name(f"{folder.name}-workbench"))
    except Hang:
        return Finding("hang", f"{given.target} {given.call[0]}", f"more than {SECONDS} s")
    except MemoryError:
        return Finding("memory", f"{given.target} {given.call[0]}", f"more than {MEMORY} bytes")
    except Exception as error:
        return Finding("traceback", _place(error), "".join(traceback.format_exception(error)))
    finally:
        tempfile.tempdir = before
    left = [path.name for path in scratch.iterdir()]
    if finding is None and left:
        return Finding("left behind", f"{given.target} {given.call[0]}", ", ".join(left))
    return finding


def _look(given: Input, workbench: Path) -> Finding | None:
    if given.call[0] == "workbench":
        from fuzz.requests import request

        return request(int(given.call[1]), workbench)
    if given.call[0] == "python":
        return _score_values(*given.call[1:])
    if given.call[0] == "read":
        return _judged(given, _read(*given.call[1:]))
    if given.call[0].startswith("chronoscore."):
        return _judged(given, call_drop_in(*given.call))
    return _judged(given, call(*given.call))


def _judged(given: Input, ran: Ran) -> Finding | None:
    where = f"{given.target} {given.call[0]}"
    details = f"exit {ran.code}\n{ran.out}\n{ran.err}"
    own_words = [word for word in ran.jargon if not _in_files(word, given)]
    if own_words:
        return Finding("jargon", own_words[0], details)
    if ran.code not in range(5):
        return Finding("exit code", where, details)
    if ran.code == 3 and not ran.problems:
        return Finding("no message", where, details)
    if ran.code == 0 and _says_nothing(ran) and _must_speak(given):
        return Finding("silent", where, details)
    if targets()[given.target].kind == "kept" and ran.code == 0 and ran.out != _answer(given):
        return Finding("wrong", where, details)
    return None


def _in_files(word: str, given: Input) -> bool:
    """Whether a message may have quoted a word from the input."""
    return any(word.encode() in data for data in given.files.values())


def _says_nothing(ran: Ran) -> bool:
    return not ran.err.strip()


def _must_speak(given: Input) -> bool:
    if given.must_report:
        return True
    target = targets()[given.target]
    if target.kind != "document" or given.call[0] == "merge":
        return False
    content, good = _content(given.files["r.json"]), _content(target.files["r.json"])
    if isinstance(content, dict) and "checksum" not in content:  # as an earlier version wrote it
        good.pop("checksum", None)
        if given.call[0] != "validate":  # other verbs hold only scores against rows
            return False
    return bool(content != good)


def _content(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return data


@cache
def _good_answer(target: str, arguments: tuple[str, ...]) -> str:
    with tempfile.TemporaryDirectory() as name, inside(Path(name)):
        lay(Path(name), targets()[target].files)
        return call(*arguments).out


def _answer(given: Input) -> str:
    return _good_answer(given.target, given.call)


@cache
def _default_settings(name: str) -> Settings:
    return Settings.make(family(name))


def _read(name: str, *words: str) -> Ran:
    """Read cases as a verb does, and report as it would."""
    home, paths = family(name), [Path(word) for word in words if word != "--lenient"]
    problems = Problems(ReadingOptions(lenient="--lenient" in words))
    try:
        gold, *predicted = map(source_of, paths)
        options = _default_settings(name).reader_options
        if predicted:
            home.read_cases(gold, {"s": predicted[0]}, problems, options)
        else:
            home.read_cases(None, {"": [gold]}, problems, options)
        problems.check()
    except ChronoscoreError as error:
        return Ran(error.exit_code, "", f"error: {error}")
    return Ran(0, "", "".join(f"notice: {notice}\n" for notice in problems.notices))


def _score_values(gold: str, predicted: str) -> Finding | None:
    from chronoscore import timelines

    try:
        sides = [json.loads(Path(name).read_bytes()) for name in (gold, predicted)]
    except (ValueError, RecursionError):
        return None  # no value in memory
    with suppress(ChronoscoreError):
        timelines.evaluate(*sides)
    return None


def _place(error: BaseException) -> str:
    """Name the error and the innermost function of ours that it passed."""
    frames = _frames(error.__traceback__)
    ours = [(f, line) for f, line in frames if "/src/chronoscore/" in f]
    file, line = (ours or frames)[-1]
    return f"{type(error).__name__} {file.removeprefix(_SOURCE)}:{line}"


def _frames(at: TracebackType | None) -> list[tuple[str, int]]:
    found = []
    while at is not None:
        found.append((at.tb_frame.f_code.co_filename, at.tb_lineno))
        at = at.tb_next
    return found


def shrink(given: Input, finding: Finding, folder: Path, tries: int = 400) -> Input:
    """Take away pieces of the changed files as long as the same thing goes wrong."""
    if given.must_report:  # without the line that has to be reported nothing would be wrong
        return given
    good = targets()[given.target].files
    for name in given.files:
        if given.files[name] == good.get(name) or len(given.files[name]) > 1 << 20:
            continue
        size = max(1, len(given.files[name]) // 2)
        while size and tries > 0:
            place = 0
            while tries > 0:
                shorter = _without(given.files[name], place, size)
                if shorter is None:
                    break
                tries -= 1
                files = {**given.files, name: shorter}
                smaller = Input(given.target, given.call, files)
                found = try_input(smaller, folder)
                if found and found.name == finding.name:
                    given = smaller
                else:
                    place += 1
            size //= 2
    return given


def _without(data: bytes, place: int, size: int) -> bytes | None:
    """Leave out a piece of about this size: a value of a JSON document, or bytes of anything."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        begin = place * size
        return data[:begin] + data[begin + size :] if begin < len(data) else None
    sized = (way for way in places(document) if size <= len(dump(at(document, way))) < 4 * size)
    way = next(islice(sized, place, None), None)
    if way is None:
        return None
    del at(document, way[:-1])[way[-1]]
    return dump(document)
