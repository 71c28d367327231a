"""Packed files, and tables of Parquet as JSON lines, unpacked piece by piece."""

import gzip
import zlib
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from chronoscore.core import budget
from chronoscore.errors import DataError, UsageError

_PIECE = 1 << 20
_SMALL_TABLE = 16 << 20
MOST_TIMES = 100
"""How much smaller packing makes text; beyond it, what is unpacked must fit into the budget."""


def packing_of(path: Path) -> str:
    """The ending of a packed file, or of a table; nothing for a plain one.

    >>> packing_of(Path("a/quick.jsonl.GZ")), packing_of(Path("quick.jsonl"))
    ('.gz', '')
    """
    suffix = path.suffix.lower()
    return suffix if suffix in _PIECES else ""


def unpacked_name(path: Path) -> str:
    """The name that a packed file has once it is plain.

    >>> unpacked_name(Path("a/quick.csv.gz")), unpacked_name(Path("quick.parquet"))
    ('quick.csv', 'quick.jsonl')
    """
    return plain_name(path) if packing_of(path) == ".parquet" else path.stem


def unpacked(path: Path) -> Generator[bytes]:
    """Unpack in pieces; check the memory budget where a file becomes implausibly large."""
    size = 0
    try:
        plausible = MOST_TIMES * path.stat().st_size
        for piece in _PIECES[packing_of(path)](path):
            size += len(piece)
            if size > plausible:
                what = f"unpacks to more than {MOST_TIMES} times its size"
                budget.check(budget.HELD_TIMES * size, what, path, "unpack it yourself")
            yield piece
    except OSError as error:
        raise DataError.of(f"can't be unpacked: {error.strerror or error}", path) from None


def plain_name(path: Path) -> str:
    """Return the name of a file once it is plain lines.

    >>> plain_name(Path("a/quick.jsonl.gz")), plain_name(Path("quick.parquet"))
    ('quick.jsonl', 'quick.jsonl')
    """
    stem = path.name
    for ending in (".gz", ".zst", ".parquet", ".jsonl", ".ndjson"):
        if stem.lower().endswith(ending):
            stem = stem[: -len(ending)]
    return f"{stem}.jsonl"


def _gz(path: Path) -> Iterator[bytes]:
    try:
        with gzip.open(path, "rb") as file:
            while piece := file.read(_PIECE):
                yield piece
    except EOFError:
        raise DataError.of(
            "the file is cut: it ends before the end of its gzip data", path
        ) from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise DataError.of(f"is no readable gzip file: {error}", path) from None


def _zst(path: Path) -> Iterator[bytes]:
    try:
        import zstandard  # noqa: PLC0415  # an extra
    except ImportError:
        raise UsageError("reading .zst needs: pip install 'chronoscore[scale]'") from None
    try:
        with path.open("rb") as raw:
            reader = zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True)
            while piece := reader.read(_PIECE):
                yield piece
            if not _whole(path, zstandard):
                raise DataError.of("the file is cut: it ends before the end of its data", path)
    except zstandard.ZstdError as error:
        raise DataError.of(f"is no readable zst file: {error}", path) from None


def _whole(path: Path, zstandard: Any) -> bool:
    """Whether the last frame of a file is complete; a stream reader does not report that."""
    decompressor = zstandard.ZstdDecompressor().decompressobj()
    with path.open("rb") as raw:
        while piece := raw.read(_PIECE):
            while piece:
                if decompressor.eof:
                    decompressor = zstandard.ZstdDecompressor().decompressobj()
                decompressor.decompress(piece)
                piece = decompressor.unused_data if decompressor.eof else b""
    return bool(decompressor.eof)


def _without_nulls(value: Any) -> Any:
    """Remove the fields of a row that have no value, as a JSON line leaves them out.

    >>> _without_nulls({"id": "a", "span": None, "marks": [{"type": "x", "score": None}]})
    {'id': 'a', 'marks': [{'type': 'x'}]}
    """
    if isinstance(value, dict):
        return {name: _without_nulls(item) for name, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def column_names(path: Path) -> list[str]:
    """The names of the columns of a Parquet file."""
    with _parquet_problems(path) as parquet:
        return list(parquet.read_schema(path).names)


def _rows_at_once(path: Path, metadata: Any) -> int:
    """Return how many rows to hold at once: few where one stored text may repeat in all rows."""
    size = path.stat().st_size
    groups = (metadata.row_group(at) for at in range(metadata.num_row_groups))
    if sum(group.total_byte_size for group in groups) > MOST_TIMES * size:
        return 1
    return 64 if size < _SMALL_TABLE else 1000


def _parquet(path: Path) -> Iterator[bytes]:
    encode = msgspec.json.encode
    with _parquet_problems(path) as parquet:
        file = parquet.ParquetFile(path)
        for batch in file.iter_batches(batch_size=_rows_at_once(path, file.metadata)):
            rows = batch.to_pylist()
            yield b"".join(encode(_without_nulls(row)) + b"\n" for row in rows)


@contextmanager
def _parquet_problems(path: Path) -> Iterator[Any]:
    """Yield the Parquet library; its errors on a damaged file become problems of the file."""
    try:
        import pyarrow as pa  # noqa: PLC0415  # an extra
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise UsageError("reading Parquet needs: pip install 'chronoscore[scale]'") from None
    try:
        yield parquet
    except UnicodeDecodeError as error:
        raise DataError.of(
            f"a text of the table is not UTF-8: byte 0x{error.object[error.start]:02x}; write "
            "text columns as UTF-8, or as another type",
            path,
        ) from None
    except (TypeError, OverflowError) as error:
        raise DataError.of(f"a value of the table has no form in JSON: {error}", path) from None
    except (pa.ArrowException, OSError) as error:
        raise DataError.of(f"is no readable Parquet file: {error}", path) from None


_PIECES: Mapping[str, Callable[[Path], Iterator[bytes]]] = {
    ".gz": _gz,
    ".zst": _zst,
    ".parquet": _parquet,
}
