"""Files that the name of a metric refers to, such as stop words: each with a digest of its content.

A name that was written down means the file as it was: one that has changed since is refused.
"""

import re
from hashlib import sha256
from pathlib import Path

from chronoscore.errors import UsageError

_MOST_BYTES = 10_000_000
_DIGITS = 16
_NAMED = re.compile(rf"@[0-9a-f]{{{_DIGITS}}}$")


def with_digest(path: str, what: str, most: int = _MOST_BYTES) -> str:
    """Name a file together with a digest of its content, for names and signatures."""
    if _NAMED.search(path) and not Path(path).exists():
        return path
    return f"{path}@{sha256(_bytes(path, what, most)).hexdigest()[:_DIGITS]}"


def read_named(name: str, what: str, most: int = _MOST_BYTES) -> str:
    """Return the text of a file, if it is still the one that the digest is of."""
    path, _, digest = name.rpartition("@")
    content = _bytes(path or name, what, most)
    if path and sha256(content).hexdigest()[:_DIGITS] != digest:
        raise UsageError(f"{what} {path} is not the one of this name: its content changed")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{what} {path or name} is not UTF-8 text") from None


def _bytes(path: str, what: str, most: int) -> bytes:
    file = Path(path)
    try:
        if not file.exists():
            raise UsageError(f"{what} {path} does not exist")
        if not file.is_file() or file.stat().st_size > most:
            raise UsageError(f"{what} {path} is no text file, or larger than {most:,} bytes")
        return file.read_bytes()
    except OSError as error:
        raise UsageError(f"{what} {path} can't be read: {error.strerror}") from None
