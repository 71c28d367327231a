"""Rows as they stand in a result document, and back, a few thousand at a time.

A million rows are half a gigabyte of text, and as objects four times that. So they are never all
text nor all objects: what is written is made from columns piece by piece, and what is read becomes
columns piece by piece.
"""

from collections.abc import Callable, Iterator, Sequence
from mmap import mmap
from typing import Any

import msgspec

from chronoscore.core.collector import no_collector
from chronoscore.core.errors import DataError
from chronoscore.core.evidence import Row
from chronoscore.core.ledger import AT_ONCE, Ledger, unite

Watch = Callable[[bytes], None]
EMPTY = b'\n   "rows": []'
"""Where the rows of a system stand; nothing else of a document has this key that far in."""
_HEAD, _END = EMPTY[:-1], b"\n   ]"
_BETWEEN = b"\n    },\n    {"
_CANONICAL = msgspec.json.Encoder(order="sorted")
_PIECE = 1 << 22
"""Bytes that are read at once, and on to the end of a row."""


def canonical_rows(rows: Sequence[Row]) -> bytes:
    """Rows as a checksum is taken of them: a line each, keys in ascending order."""
    return _CANONICAL.encode_lines(rows if isinstance(rows, list) else list(rows))


def text_of(rows: Sequence[Row], watch: Watch) -> Iterator[bytes]:
    """The rows of a system as text, piece by piece; `watch` gets them as canonical lines."""
    if not len(rows):
        watch(EMPTY)
        yield EMPTY
        return
    yield _HEAD
    for first in range(0, len(rows), AT_ONCE):
        with no_collector():
            some = rows[first : first + AT_ONCE]
            piece = _piece(some)
            watch(canonical_rows(some))
        yield (b"," if first else b"") + piece
    watch(EMPTY)
    yield _END


def _piece(rows: Sequence[Row]) -> bytes:
    text = msgspec.json.format(msgspec.json.encode(rows), indent=1)
    return text[1:-2].replace(b"\n", b"\n   ")  # without brackets, and as far in as it stands


def without_rows(data: bytes | mmap, watch: Watch) -> tuple[bytes, list[Sequence[Row]]] | None:
    """A document without its rows, and the rows of each system; None if they are not our writing.

    `watch` gets the rows as canonical lines. All that is read is written again and must be the
    same, so that nothing is lost unseen.
    """
    rest, found, position = [], [], 0
    while (start := data.find(_HEAD, position)) >= 0:
        rest += [data[position:start], EMPTY]
        position = start + len(_HEAD)
        rows: Sequence[Row] | None = []
        if data[position : position + 1] == b"]":
            position += 1
        else:
            end = data.find(_END, position)
            with no_collector():
                rows = _read(data, position, end, watch)
            position = end + len(_END)
        if rows is None:
            return None
        found.append(rows)
        watch(EMPTY)
    return b"".join([*rest, data[position:]]), found


def _read(data: bytes | mmap, first: int, end: int, watch: Watch) -> Sequence[Row] | None:
    ledgers: list[Ledger] = []
    while first < end:
        cut = data.find(_BETWEEN, first + _PIECE, end)
        last = end if cut < 0 else cut + _BETWEEN.index(b",")
        text = data[first:last]
        try:
            rows = msgspec.json.decode(b"[" + text + b"]", type=list[Row])
            watch(canonical_rows(rows))
            if not ledgers and last == end and len(rows) <= AT_ONCE:
                return rows if _piece(rows) == text else None
            ledger = Ledger.of(rows)
        except (msgspec.MsgspecError, ValueError, RecursionError, DataError):
            return None
        if _piece(ledger.rows[:]) != text or (ledgers and not _follows(ledgers[-1], ledger)):
            return None
        ledgers.append(ledger)
        first = last + 1  # behind the comma
    return unite(*ledgers).rows if ledgers else None


def _follows(one: Ledger, two: Ledger) -> bool:
    """Can they be put together without a change to any row?"""

    def kinds(ledger: Ledger) -> tuple[Any, ...]:
        named = (ledger.tags, ledger.statistics, ledger.steps, ledger.parts)
        return *(tuple(columns) for columns in named), ledger.whole

    return one.cases[-1] < two.cases[0] and kinds(one) == kinds(two)
