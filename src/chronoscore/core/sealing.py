"""Checksums of what is kept and believed later: a flipped bit must not change a number in silence.

Files of our own are sealed bytes: a line with the kind and the checksum, then the content. JSON
documents that people read carry the checksum as a field, so that they stay plain JSON; it does not
depend on white space or on the order of keys.
"""

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

import msgspec

FIELD = "checksum"
_SIZE = 16
"""Bytes of a checksum: 2 ** -128 is the chance that other content has the same."""


class DamagedError(ValueError):
    """The content is not what was kept."""


def checksum(pieces: Iterable[bytes]) -> str:
    """Give the checksum of content that comes piece by piece, as hexadecimal digits."""
    found = blake2b(digest_size=_SIZE)
    for piece in pieces:
        found.update(piece)
    return found.hexdigest()


def seal(kind: str, content: bytes) -> bytes:
    """Put the kind and the checksum of some bytes before them.

    >>> unseal("note", seal("note", b"words"))
    b'words'
    """
    return _head(kind, content) + content


def unseal(kind: str, data: bytes) -> bytes:
    """Give back what was sealed as this kind; DamagedError if it is anything else."""
    head, _, content = data.partition(b"\n")
    if head + b"\n" != _head(kind, content):
        raise DamagedError(f"not a sealed {kind}, or damaged")
    return content


def _head(kind: str, content: bytes) -> bytes:
    name = f"chronoscore-{kind}".encode()
    return name + b" " + checksum([name, b"\n", content]).encode() + b"\n"


def canonical(value: object) -> bytes:
    """Write a value as JSON in one way only: no white space, keys in ascending order."""
    return msgspec.json.encode(value, order="sorted")


def sealed_document(document: Mapping[str, Any]) -> dict[str, Any]:
    """Give a JSON document with its checksum as the last field.

    >>> check_document(sealed_document({"b": 1, "a": [2.5]}))
    {'b': 1, 'a': [2.5]}
    """
    content = {name: value for name, value in document.items() if name != FIELD}
    return {**content, FIELD: checksum([canonical(content)])}


def check_document(document: object) -> dict[str, Any]:
    """Give a document without its checksum; DamagedError if that is absent or wrong."""
    if not isinstance(document, dict) or sealed_document(document) != document:
        raise DamagedError("the checksum is absent or wrong")
    return {name: value for name, value in document.items() if name != FIELD}
