"""Matches and texts that stay on disk: read again, chunk by chunk, whenever someone looks."""

import weakref
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Generic, TypeVar, overload

from chronoscore.core.errors import DataError
from chronoscore.core.folders import made, removed
from chronoscore.core.result import CaseMatches, CaseTexts
from chronoscore.engines.stream.chunks import Done
from chronoscore.engines.stream.work_folder import WorkFolder

Item = TypeVar("Item", CaseMatches, CaseTexts)


class Spooled(Sequence[Item], Generic[Item]):
    """What finished chunks hold, by system and then in the order of cases."""

    def __init__(
        self,
        folder: WorkFolder,
        chunks: Sequence[tuple[str, str]],
        systems: Sequence[str],
        of: Callable[[Done], Sequence[Item]],
        holder: object = None,
    ) -> None:
        self._folder, self._systems = folder, systems
        self._chunks = chunks
        """The first key and the digest of each, in their order."""
        self._of: Callable[[Done], Sequence[Item]] = of
        self._holder = holder
        """Keeps a temporary folder there for as long as someone may look."""
        self._count: int | None = None

    def __iter__(self) -> Iterator[Item]:
        """By case, wherever the work was cut.

        Chunks are in the order of their keys, and a case is named after its key, with more behind
        it: those of the key `a` may come after those of `a-b`. What may, waits.
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

    def _read(self, digest: str) -> Done:
        done = self._folder.kept(digest)
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

    @overload
    def __getitem__(self, at: int) -> Item: ...
    @overload
    def __getitem__(self, at: slice) -> list[Item]: ...
    def __getitem__(self, at: int | slice) -> Item | list[Item]:
        if isinstance(at, slice):
            return list(self)[at]
        try:
            return next(islice(self, at if at >= 0 else len(self) + at, None))
        except StopIteration:
            raise IndexError(at) from None


class Holder:
    """Removes a temporary folder when nobody can look into it any more."""

    def __init__(self, home: Path, lock: object) -> None:
        weakref.finalize(self, removed, home, lock)


def temporary() -> tuple[WorkFolder, Holder]:
    """A work folder for the time of a run, and what keeps it there."""
    home, lock = made()
    return WorkFolder.at(home), Holder(home, lock)
