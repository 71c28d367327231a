"""A ledger as bytes: what workers send back and work folders keep. Columns stay columns."""

from typing import Any

import msgspec
import numpy as np

from chronoscore.core.evidence import Parts, Steps
from chronoscore.core.labels import Labels
from chronoscore.core.ledger import Ledger


class _Column(msgspec.Struct, array_like=True):
    names: list[str]
    at: bytes


class _Packed(msgspec.Struct, array_like=True):
    cases: list[str]
    tags: dict[str, _Column]
    digests: tuple[int, bytes, int, bytes]
    """The width and the bytes of both columns of digests."""
    statistics: dict[str, bytes]
    whole: dict[str, list[bool]]
    steps: dict[str, list[Steps]]
    parts: dict[str, list[Parts]]


def pack(ledger: Ledger) -> bytes:
    """Write a ledger; equal ledgers give equal bytes."""
    gold, predicted = (np.asarray(c, np.bytes_) for c in (ledger.gold, ledger.predicted))
    return msgspec.msgpack.encode(
        _Packed(
            list(ledger.cases),
            {
                tag: _Column(list(c.names), c.at.astype("<i4").tobytes())
                for tag, c in ledger.tags.items()
            },
            (gold.itemsize, gold.tobytes(), predicted.itemsize, predicted.tobytes()),
            {name: lines.astype("<f8").tobytes() for name, lines in ledger.statistics.items()},
            {name: list(flags) for name, flags in ledger.whole.items()},
            {name: list(items) for name, items in ledger.steps.items()},
            {name: list(items) for name, items in ledger.parts.items()},
        )
    )


def unpack(data: bytes) -> Ledger:
    """Read what `pack` wrote; anything else is a ValueError."""
    try:
        packed = msgspec.msgpack.decode(data, type=_Packed)
    except msgspec.MsgspecError as error:
        raise ValueError(f"not a packed ledger: {error}") from None
    cases = len(packed.cases)
    gold_width, gold, predicted_width, predicted = packed.digests
    return Ledger(
        packed.cases,
        {
            tag: Labels(tuple(c.names), _array(c.at, "<i4", (cases,)).astype(np.int32))
            for tag, c in packed.tags.items()
        },
        _array(gold, f"S{gold_width}", (cases,)),
        _array(predicted, f"S{predicted_width}", (cases,)),
        {
            name: _array(raw, "<f8", (cases, len(packed.whole[name]))).astype(np.float64)
            for name, raw in packed.statistics.items()
        },
        {name: tuple(flags) for name, flags in packed.whole.items()},
        packed.steps,
        packed.parts,
    )


def _array(data: bytes, kind: str, shape: tuple[int, ...]) -> Any:
    return np.frombuffer(data, dtype=kind).reshape(shape)
