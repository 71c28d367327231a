"""Temporary folders that are removed even if their owner was killed, and work folders.

The owner holds a lock on a file in its folder. The system releases the lock when the process ends,
however it ends, so a folder whose lock is free has no owner: the next run removes it. Process
numbers would not do, since the system reuses them, and containers number their own.
"""

import os
import weakref
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from chronoscore.core.evidence_table import LazySequence, unpack
from chronoscore.core.result import CaseMatches, CaseTexts
from chronoscore.core.writing import (
    check_document,
    json_text,
    seal,
    sealed_document,
    unseal,
    write_file,
)
from chronoscore.engines.chunks import ChunkOutcome
from chronoscore.errors import DataError, UsageError

fcntl: Any
try:
    import fcntl
except ImportError:  # on Windows no folders are swept
    fcntl = None

PREFIX = "chronoscore-"
LOCK = "owner.lock"


def make_folder() -> tuple[Path, Any]:
    """Make a folder, and its lock, which is held until it is closed."""
    import tempfile  # noqa: PLC0415 - slow to import

    _swept(tempfile.gettempdir())
    home = Path(tempfile.mkdtemp(prefix=PREFIX))
    draft = home / "draft.lock"
    lock = draft.open("wb")
    if fcntl is not None:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            draft.rename(home / LOCK)  # a sweep looks for this name, so the lock is held first
    return home, lock


def _remove(folder: Path) -> None:
    from shutil import rmtree  # noqa: PLC0415 - slow to import

    rmtree(folder, ignore_errors=True)


def remove_folder(home: Path, lock: Any) -> None:
    """Remove a folder and release its lock."""
    _remove(home)
    lock.close()


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a folder that is removed when the block ends."""
    home, lock = make_folder()
    try:
        yield home
    finally:
        remove_folder(home, lock)


@cache
def _swept(place: str) -> None:
    """Remove the folders of killed owners, once per process."""
    sweep(Path(place))


def sweep(place: Path) -> list[Path]:
    """Remove folders whose owner is gone; those without a lock file are not ours and stay."""
    if fcntl is None:
        return []
    gone = []
    for lock in place.glob(f"{PREFIX}*/{LOCK}"):
        with suppress(OSError):  # another user's, or another sweep was faster
            if lock.parent.stat().st_uid != os.getuid():
                continue
            with lock.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _remove(lock.parent)
                gone.append(lock.parent)
    return gone


# Finished chunks on disk: a stopped run can resume, and matches are read when needed.


_CHUNK = "chunk-4"
"""The version of kept chunks; those of another version are measured again."""
Item = TypeVar("Item", CaseMatches, CaseTexts)


@dataclass(frozen=True)
class WorkFolder:
    """A folder of finished chunks, each named by the digest of its inputs and settings."""

    home: Path
    damaged: list[Path] = field(default_factory=list)
    """Files that could not be used."""
    _inputs: dict[str, str] = field(default_factory=dict)
    """The digests of the inputs of this run, until they are written."""

    @classmethod
    def at(cls, home: Path) -> "WorkFolder":
        """Return the work folder of this name; it is created when the first chunk is saved."""
        nearest = next((path for path in (home, *home.absolute().parents) if path.exists()), home)
        if nearest.exists() and not nearest.is_dir():
            raise UsageError(
                f"the work folder {home} can't be made: there is a file where it should be"
            )
        return cls(home)

    @classmethod
    def temporary(cls) -> "WorkFolder":
        """Make a folder that is removed once nothing refers to it."""
        home, lock = make_folder()
        folder = cls(home)
        weakref.finalize(folder, remove_folder, home, lock)
        return folder

    def finished_chunk(self, digest: str) -> ChunkOutcome | None:
        """Read a finished chunk; None if it is missing or damaged and must be measured again."""
        path = self._path(digest)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError:
            self.damaged.append(path)
            return None
        try:
            outcome = unpack(unseal(_CHUNK, data), ChunkOutcome)
            if outcome.digest == digest:
                return outcome
        except ValueError:  # of the seal, or of the content
            pass
        self.damaged.append(path)
        return None

    def keep(self, digest: str, packed: bytes) -> None:
        """Save the outcome of a chunk, as a whole or not at all."""
        self.remember_inputs()
        write_file(self._path(digest), seal(_CHUNK, packed))

    def _path(self, digest: str) -> Path:
        return self.home / "chunks" / f"{digest}.chunk"

    def remember_inputs(self) -> None:
        """Write the digests of the inputs, once."""
        if self._inputs:
            document = sealed_document({"inputs": dict(self._inputs)})
            write_file(self._inputs_path, json_text(document))
            self._inputs.clear()

    @property
    def _inputs_path(self) -> Path:
        return self.home / "inputs.json"

    def note_inputs(self, inputs: Mapping[str, str]) -> list[str]:
        """Remember the digests of the inputs; return notices of those that have changed."""
        path = self._inputs_path
        earlier: dict[str, str] = {}
        notices: list[str] = []
        if path.exists():
            try:
                document = msgspec.json.decode(path.read_bytes())
                earlier = msgspec.convert(check_document(document)["inputs"], dict[str, str])
            except (OSError, ValueError, KeyError, RecursionError):
                notices.append(
                    f"{path} is damaged, or of an older version: whether the files have changed "
                    "since the last run is not known"
                )
        self._inputs.update(inputs)
        changed = [name for name, digest in inputs.items() if earlier.get(name, digest) != digest]
        return notices + [
            f"{name} has changed since the last run with {self.home}" for name in changed
        ]


class ItemsOnDisk(LazySequence[Item]):
    """Matches or texts of finished chunks, by system and then by case; read whenever needed."""

    def __init__(
        self,
        folder: WorkFolder,
        chunks: Sequence[tuple[str, str]],
        systems: Sequence[str],
        of: Callable[[ChunkOutcome], Sequence[Item]],
    ) -> None:
        self._folder, self._systems = folder, systems
        self._chunks = chunks
        """The first key and the digest of each chunk, in their order."""
        self._of: Callable[[ChunkOutcome], Sequence[Item]] = of
        self._count: int | None = None

    def __iter__(self) -> Iterator[Item]:
        """Yield the items by case; the order does not depend on how the work was cut.

        Chunks are in the order of their keys. The name of a case begins with its key, so that a
        case of the key `a` may come after one of `a-b`: such items wait for the next chunk.
        """
        nexts = [key for key, _ in self._chunks[1:]]
        for system in self._systems:
            waiting: list[Item] = []
            for at, (_, digest) in enumerate(self._chunks):
                waiting += [item for item in self._of(self._read(digest)) if item.system == system]
                waiting.sort(key=lambda item: item.case)
                if at == len(nexts):
                    yield from waiting
                    break
                ready = bisect_left(waiting, nexts[at], key=lambda item: item.case)
                yield from waiting[:ready]
                del waiting[:ready]

    def _read(self, digest: str) -> ChunkOutcome:
        done = self._folder.finished_chunk(digest)
        if done is None:
            raise DataError.of(
                "the matches of a finished part can't be read any more: run the command again",
                self._folder.home,
            )
        return done

    def __len__(self) -> int:
        if self._count is None:
            self._count = sum(1 for _ in self)
        return self._count

    def between(self, first: int, last: int) -> list[Item]:
        """The items from one place to before another."""
        return list(islice(self, first, last))
