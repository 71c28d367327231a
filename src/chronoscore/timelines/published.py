"""Published results, to stand beside yours: with the protocol that each states, if it does."""

from functools import cache
from importlib.resources import files

import msgspec

NOT_STATED = "not stated"


class PublishedRow(msgspec.Struct, frozen=True):
    """A line of a published table."""

    system: str
    model: str
    ar_1: float = msgspec.field(name="AR-1")
    ar_2: float = msgspec.field(name="AR-2")
    date_f1: float = msgspec.field(name="Date-F1")
    protocol: str = NOT_STATED


class Published(msgspec.Struct, frozen=True):
    """Tables by collection, and where they are from."""

    source: str
    collections: dict[str, tuple[PublishedRow, ...]]


@cache
def published() -> Published:
    """The results that ship with the package."""
    data = files("chronoscore.timelines").joinpath("data", "published.json").read_bytes()
    return msgspec.json.decode(data, type=Published)
