"""Temporary folders that do not outlive their owner for long, even one that was killed.

The owner holds a lock on a file in its folder. The system lets go of it when the process ends,
however it ends, so a folder whose lock is free is nobody's: the next run removes it. Process
numbers would not do, since they are given again, and other containers have their own.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

fcntl: Any
try:
    import fcntl
except ImportError:  # on Windows nothing is swept
    fcntl = None

PREFIX = "chronoscore-"
LOCK = "owner.lock"


def made() -> tuple[Path, Any]:
    """Make a folder, and its lock, which holds until it is closed."""
    _swept(tempfile.gettempdir())
    home = Path(tempfile.mkdtemp(prefix=PREFIX))
    draft = home / "draft.lock"
    lock = draft.open("wb")
    if fcntl is not None:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            draft.rename(home / LOCK)  # only now, held, it is what a sweep looks for
    return home, lock


def removed(home: Path, lock: Any) -> None:
    """Remove a folder and let go of its lock."""
    shutil.rmtree(home, ignore_errors=True)
    lock.close()


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder for as long as it lasts."""
    home, lock = made()
    try:
        yield home
    finally:
        removed(home, lock)


@cache
def _swept(place: str) -> None:
    """Once a process: remove what killed owners left."""
    sweep(Path(place))


def sweep(place: Path) -> list[Path]:
    """Remove folders whose owner is gone; those without a lock may be anyone's and stay."""
    if fcntl is None:
        return []
    gone = []
    for lock in place.glob(f"{PREFIX}*/{LOCK}"):
        with suppress(OSError):  # another user's, or another sweep was faster
            if lock.parent.stat().st_uid != os.getuid():
                continue
            with lock.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(lock.parent, ignore_errors=True)
                gone.append(lock.parent)
    return gone
