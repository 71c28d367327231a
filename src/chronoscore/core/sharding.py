"""Which case a line of a file belongs to, told without reading the rest of it."""

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType


class Fields(msgspec.Struct, gc=False):
    """The fields of a line that may name its case, and those that tell what kind of line it is."""

    id: str | int | float | bool | UnsetType | None = UNSET
    topic: str | UnsetType = UNSET
    article: str | UnsetType = UNSET
    document: str | UnsetType = UNSET
    annotations: Raw | UnsetType = UNSET
    clusters: Raw | UnsetType = UNSET
    summary: Raw | UnsetType = UNSET
    source: Raw | UnsetType = UNSET


Sharding = Callable[[Fields], str]
"""Gives the key of the case that a line belongs to; empty if it names none."""

_DECODER = msgspec.json.Decoder(Fields)


def key_of(line: bytes, sharding: Sharding) -> str | None:
    """The key of a line, empty if it names no case; None if it is no readable object."""
    try:
        return sharding(_DECODER.decode(line))
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def by_topic(fields: Fields) -> str:
    """Events and summaries belong to their topic."""
    return _given(fields.topic)


def by_document(fields: Fields) -> str:
    """A document is its own; events belong to the article they are in."""
    return _given(fields.id if fields.annotations is not UNSET else fields.article)


def by_clusters(fields: Fields) -> str:
    """A document of clusters is its own; events belong to their topic."""
    return _given(fields.id if fields.clusters is not UNSET else fields.topic)


def by_relation(fields: Fields) -> str:
    """A relation belongs to its document; events to their topic."""
    return _given(fields.document if fields.document is not UNSET else fields.topic)


def _given(value: Any) -> str:
    return value if isinstance(value, str) else ""
