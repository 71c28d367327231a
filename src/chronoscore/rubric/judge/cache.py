"""Answers that were paid for are kept: a file each, named by the digest of what was asked."""

import hashlib
from pathlib import Path
from typing import Any

import msgspec

from chronoscore.core.sealing import FIELD, check_document, sealed_document
from chronoscore.core.writing import write_file


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One answer as it came, and what it took; no key, no header and no article."""

    key: str
    endpoint: str
    model: str
    sample: int
    turn: int
    mode: str
    content: str
    """The raw reply."""
    finish: str = ""
    refusal: str = ""
    served_by: str = ""
    """The model that the server says it was."""
    tokens_in: int | None = None
    tokens_out: int | None = None
    latency: float = 0.0


def key_of(*asked: Any) -> str:
    """Give the name of an answer: the digest of all that it depends on."""
    return hashlib.sha256(msgspec.json.encode(asked, order="deterministic")).hexdigest()


def place(folder: Path, key: str) -> Path:
    """Where an answer is kept; folders of a thousand files each stay easy to list."""
    return folder / key[:2] / f"{key}.json"


def look_up(folder: Path, key: str) -> Entry | None:
    """Give the kept answer; None if there is none, or it is damaged.

    Answers of older versions have no checksum. They are paid for, and taken as they are.
    """
    try:
        document = msgspec.json.decode(place(folder, key).read_bytes())
        if isinstance(document, dict) and FIELD in document:
            document = check_document(document)
        entry = msgspec.convert(document, Entry)
    except (FileNotFoundError, ValueError, RecursionError):
        return None
    return entry if entry.key == key else None


def keep(folder: Path, entry: Entry) -> None:
    """Keep an answer: the file is there whole or not at all, also if the run is killed."""
    document = sealed_document(msgspec.to_builtins(entry))
    write_file(place(folder, entry.key), msgspec.json.encode(document) + b"\n")
