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
    event_id: Any = UNSET
    annotations: Raw | UnsetType = UNSET
    clusters: Raw | UnsetType = UNSET
    summary: Raw | UnsetType = UNSET
    source: Raw | UnsetType = UNSET
    span: Raw | UnsetType = UNSET


Sharding = Callable[[Fields], str]
"""Gives the key of the case that a line belongs to; empty if it names none."""

_DECODER = msgspec.json.Decoder(Fields)


def fields_of(line: bytes) -> Fields | None:
    """What a line says of its case; None if it is no readable object."""
    try:
        return _DECODER.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def by_topic(fields: Fields) -> str:
    """Events and summaries belong to their topic."""
    return _given(fields.topic)


def by_document(fields: Fields) -> str:
    """A document is its own; events with a span belong to the article they are in."""
    if fields.annotations is not UNSET:
        return _given(fields.id)
    return _given(fields.article) if _is_there(fields.span) else ""


COLLECTION = "collection"
"""The case of clusters that run through all documents, as those of links do."""


def by_clusters(fields: Fields) -> str:
    """A document of clusters is its own; events belong to their topic; links are all together."""
    if fields.annotations is not UNSET and fields.clusters is UNSET:
        return COLLECTION
    return _given(fields.id if fields.clusters is not UNSET else fields.topic)


def by_relation(fields: Fields) -> str:
    """A relation belongs to its document; events to their topic."""
    return _given(fields.document if fields.document is not UNSET else fields.topic)


def by_event(fields: Fields) -> str:
    """A judgement belongs to its event, whose name is read without the blanks around it."""
    return _given(fields.event_id).strip()


NAMED_BY_FILE: tuple[Sharding, ...] = (by_topic, by_clusters, by_relation)
"""Those whose lines, where they name no case, are of the case that their file is named after."""


def event_of(fields: Fields) -> str | None:
    """The id of an event; None where the line is no event."""
    others = (fields.annotations, fields.clusters, fields.source)
    if any(other is not UNSET for other in others) or fields.event_id is not UNSET:
        return None
    return fields.id if isinstance(fields.id, str) else None


def _is_there(value: Raw | UnsetType) -> bool:
    return value is not UNSET and bytes(value) != b"null"


def _given(value: Any) -> str:
    return value if isinstance(value, str) else ""
