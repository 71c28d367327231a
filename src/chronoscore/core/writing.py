"""Writing files: each is written as a draft and then renamed, so that none is ever incomplete.

A full disk, a kill or an error leaves the old file as it was, or no file. Everything that the
product writes for its users goes through `write_file` or `replaced`.
"""

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from threading import get_ident
from typing import Any

import msgspec

from chronoscore.errors import ChronoscoreError, DataError, UsageError

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


def json_text(document: object) -> str:
    """Write a document as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(document), indent=1).decode() + "\n"


def write_file(path: Path, content: bytes | str | Iterable[bytes]) -> Path:
    """Write a file as a whole or not at all; text is written as UTF-8, line ends as they are."""
    if isinstance(content, str):
        content = content.encode()
    with replaced(path) as draft, draft.open("wb") as file:
        file.writelines([content] if isinstance(content, bytes) else content)
    return path


@contextmanager
def replaced(path: Path, mode: int = 0o666) -> Iterator[Path]:
    """Yield the path of a draft, which replaces `path` if the block raises no error.

    Links are followed, and a file that is replaced keeps its permissions; a new one gets `mode`
    less the user's umask. A device such as /dev/stdout, or a pipe, is written directly.
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
    absent = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        with suppress(OSError):  # not empty: another process writes there too
            for path in absent:
                path.rmdir()
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
    existing = None
    with suppress(FileNotFoundError):
        existing = target.stat()
    if existing is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
    draft.unlink(missing_ok=True)  # left by a killed process with the same number
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
    if existing is not None:
        if hasattr(os, "chown"):
            with suppress(OSError):  # only an administrator can give files to others
                os.chown(draft, existing.st_uid, existing.st_gid)
        draft.chmod(stat.S_IMODE(existing.st_mode))
    return draft


def _failure(path: Path, error: OSError) -> ChronoscoreError:
    """Return the error to show: a usage error for a wrong path, but not for a full disk."""
    why = error.strerror or str(error)
    if error.errno in _WRONG_PLACE:
        return UsageError(f"{path}: can't be written: {why}; name another place")
    return DataError.of(f"can't be written: {why}; an older file of this name is unchanged", path)


def path_inside(name: str) -> PurePosixPath:
    """Return a relative path for any name from data; it never leads out of its folder.

    >>> str(path_inside("../../etc/passwd")), str(path_inside("C:/x")), str(path_inside("/"))
    ('etc/passwd', 'C_/x', '_')
    """
    parts = [part for part in name.replace("\\", "/").split("/") if part.strip(". ")]
    clean = (
        "".join(c if c.isprintable() and c not in ':*?"<>|' else "_" for c in part)
        for part in parts
    )
    return PurePosixPath(*clean) if parts else PurePosixPath("_")


# Checksums of saved content: a flipped bit must not change a number silently.


FIELD = "checksum"
_SIZE = 16
"""Bytes of a checksum: 2 ** -128 is the chance that other content has the same."""


class DamagedError(ValueError):
    """The content is not what was saved."""


def checksum(pieces: Iterable[bytes]) -> str:
    """Return the checksum of content in pieces, as hexadecimal digits."""
    digest = blake2b(digest_size=_SIZE)
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


def seal(kind: str, content: bytes) -> bytes:
    """Prefix some bytes with their kind and checksum.

    >>> unseal("note", seal("note", b"words"))
    b'words'
    """
    return _head(kind, content) + content


def unseal(kind: str, data: bytes) -> bytes:
    """Return the content that was sealed as this kind; DamagedError if it is anything else."""
    head, _, content = data.partition(b"\n")
    if head + b"\n" != _head(kind, content):
        raise DamagedError(f"not a sealed {kind}, or damaged")
    return content


def _head(kind: str, content: bytes) -> bytes:
    name = f"chronoscore-{kind}".encode()
    return name + b" " + checksum([name, b"\n", content]).encode() + b"\n"


def canonical(value: object) -> bytes:
    """Write a value as canonical JSON: no white space, keys in ascending order."""
    return msgspec.json.encode(value, order="sorted")


def sealed_document(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a JSON document with its checksum as the last field.

    >>> check_document(sealed_document({"b": 1, "a": [2.5]}))
    {'b': 1, 'a': [2.5]}
    """
    content = {name: value for name, value in document.items() if name != FIELD}
    return {**content, FIELD: checksum([canonical(content)])}


def check_document(document: object) -> dict[str, Any]:
    """Return a document without its checksum; DamagedError if that is absent or wrong."""
    if not isinstance(document, dict) or sealed_document(document) != document:
        raise DamagedError("the checksum is absent or wrong")
    return {name: value for name, value in document.items() if name != FIELD}
