"""Writing files: each is written beside its place and then renamed, so none is ever half there.

A full disk, a kill or an error leaves the old file as it was, or no file. Everything that the
product writes for its users goes through `write_file` or `replaced`.
"""

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from threading import get_ident

from chronoscore.core.errors import ChronoscoreError, DataError, UsageError

DRAFT = ".part"
"""The ending of a draft; what begins with a dot and ends so is left over from a killed run."""
_MOST_NAME = 40
"""Characters of a name that its draft repeats, since names have a greatest length."""
_WRONG_PLACE = {
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.EISDIR,
    errno.ENOTDIR,
    errno.EEXIST,
    errno.ENOENT,
    errno.ENAMETOOLONG,
    errno.EINVAL,
    errno.ELOOP,
}


def write_file(path: Path, content: bytes | str | Iterable[bytes]) -> Path:
    """Write a file as a whole or not at all; text is written as UTF-8, line ends as they are."""
    if isinstance(content, str):
        content = content.encode()
    with replaced(path) as draft, draft.open("wb") as file:
        file.writelines([content] if isinstance(content, bytes) else content)
    return path


@contextmanager
def replaced(path: Path, mode: int = 0o666) -> Iterator[Path]:
    """Give the path of a draft to write; when the block ends well, it takes the place of `path`.

    Links are followed, and a file that is replaced keeps its permissions; a new one gets `mode`
    less the user's umask. What is no file, such as /dev/stdout or a pipe, is written itself.
    Folders are made as needed, and removed again if the block fails and left them empty.
    """
    try:
        if _is_device(path):
            yield path
            return
        target = Path(os.path.realpath(path))
        with _new_folders(target.parent):
            draft = _new_draft(target, mode)
            try:
                yield draft
                with draft.open("rb") as file:
                    os.fsync(file.fileno())
                draft.replace(target)
            finally:
                draft.unlink(missing_ok=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _failure(path, error) from None


@contextmanager
def _new_folders(folder: Path) -> Iterator[None]:
    """Make a folder and those above it; if the block fails, remove those that are still empty."""
    absent = [one for one in (folder, *folder.parents) if not one.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        with suppress(OSError):  # not empty: others write there as well
            for one in absent:
                one.rmdir()
        raise


def _is_device(path: Path) -> bool:
    """Whether a path leads to a device, a pipe or an open stream; a folder is an error."""
    try:
        kind = path.stat().st_mode
    except FileNotFoundError:
        return False
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    # /dev/stdout may be a file that the shell writes into as well: it must stay the same file.
    streams = (Path("/dev"), Path("/proc"))
    return not stat.S_ISREG(kind) or any(home in path.absolute().parents for home in streams)


def _new_draft(target: Path, mode: int) -> Path:
    name = f".{target.name[:_MOST_NAME]}.{os.getpid()}-{get_ident()}{DRAFT}"
    draft = target.with_name(name)
    before = None
    with suppress(FileNotFoundError):
        before = target.stat()
    if before is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
    draft.unlink(missing_ok=True)  # of a process that was killed and had the same number
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
    if before is not None:
        if hasattr(os, "chown"):
            with suppress(OSError):  # only an administrator can give files to others
                os.chown(draft, before.st_uid, before.st_gid)
        draft.chmod(stat.S_IMODE(before.st_mode))
    return draft


def _failure(path: Path, error: OSError) -> ChronoscoreError:
    """One line for people: a wrong place is wrong usage, a full disk is not."""
    why = error.strerror or str(error)
    if error.errno in _WRONG_PLACE:
        return UsageError(f"{path}: can't be written: {why}; name another place")
    return DataError.of(f"can't be written: {why}; an older file of this name is unchanged", path)


def path_inside(name: str) -> PurePosixPath:
    """A relative path for any name that was read from data; it never leads out of its folder.

    >>> str(path_inside("../../etc/passwd")), str(path_inside("C:/x")), str(path_inside("/"))
    ('etc/passwd', 'C_/x', '_')
    """
    parts = [part for part in name.replace("\\", "/").split("/") if part.strip(". ")]
    clean = (
        "".join(c if c.isprintable() and c not in ':*?"<>|' else "_" for c in part)
        for part in parts
    )
    return PurePosixPath(*clean) if parts else PurePosixPath("_")
