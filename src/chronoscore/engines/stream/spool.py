"""Matches and texts that stay on disk: read again, chunk by chunk, whenever someone looks."""

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Generic, TypeVar, overload

from chronoscore.core.result import CaseMatches, CaseTexts
from chronoscore.engines.stream.chunks import Done
from chronoscore.engines.stream.work_folder import WorkFolder

Item = TypeVar("Item", CaseMatches, CaseTexts)


class Spooled(Sequence[Item], Generic[Item]):
    """What finished chunks hold, by system and then in the order of cases."""

    def __init__(
        self,
        folder: WorkFolder,
        digests: Sequence[str],
        systems: Sequence[str],
        of: Callable[[Done], Sequence[Item]],
        holder: object = None,
    ) -> None:
        self._folder, self._digests, self._systems = folder, digests, systems
        self._of: Callable[[Done], Sequence[Item]] = of
        self._holder = holder
        """Keeps a temporary folder there for as long as someone may look."""
        self._count: int | None = None

    def __iter__(self) -> Iterator[Item]:
        for system in self._systems:
            for digest in self._digests:
                done = self._folder.kept(digest)
                if done is not None:
                    own = [item for item in self._of(done) if item.system == system]
                    yield from sorted(own, key=lambda item: item.case)

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

    def __init__(self, home: Path) -> None:
        weakref.finalize(self, shutil.rmtree, home, ignore_errors=True)


def temporary() -> tuple[WorkFolder, Holder]:
    """A work folder for the time of a run, and what keeps it there."""
    home = Path(tempfile.mkdtemp(prefix="chronoscore-"))
    return WorkFolder.at(home), Holder(home)
