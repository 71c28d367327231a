"""Objects in memory as records: dicts, dataclasses, frames of pandas and polars, Arrow streams.

Records are read as lines of JSON by the reader that reads them from a file, so that every check,
every message and every number is the same. A message names the record by its number.

>>> [record["id"] for record in records_of([{"id": "e1"}, {"id": "e2"}], "gold")]
['e1', 'e2']
"""

import csv
import io
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, time
from typing import Any

import msgspec

from chronoscore.core.sources import Source
from chronoscore.errors import DataError, UsageError

EXPECTED = (
    "a path, a dict, a list of dicts or dataclasses, an object with entries, a frame of pandas or "
    "polars, or an Arrow table"
)


_DECLARED = ("__dataclass_fields__", "__struct_fields__", "__attrs_attrs__", "model_fields")
"""Where classes of dataclasses, msgspec, attrs and pydantic declare their fields."""


class RecordsSource(Source):
    """Records in memory, read as lines of JSON or, where their family says so, as a sheet."""

    def __init__(
        self,
        records: Sequence[Mapping[str, Any]],
        name: str,
        sheet_of: Callable[[Collection[str]], str] = lambda _: "",
    ) -> None:
        names = dict.fromkeys(name for record in records for name in record)
        nested = any(isinstance(v, list | dict) for record in records for v in record.values())
        suffix = "" if nested else sheet_of(names)
        super().__init__(name, f"data{suffix or '.jsonl'}")
        self._heading = bool(suffix)
        if suffix:
            cells = ([str(record.get(name, "")) for name in names] for record in records)
            self._data = _sheet([[*names], *cells], suffix)
        else:
            self._data = b"\n".join(map(msgspec.json.encode, records))

    def place(self, number: int) -> tuple[str, int | None]:
        """Return the name of the records, and the number of one of them."""
        return self.name, number - self._heading

    def open(self) -> io.BufferedReader:
        """Open to read the lines."""
        return io.BufferedReader(io.BytesIO(self._data))


def _sheet(rows: Iterable[Sequence[str]], suffix: str) -> bytes:
    """Write rows as a sheet; a line of a TSV can hold neither tabs nor line ends."""
    out = io.StringIO()
    if suffix == ".tsv":
        out.writelines("\t".join(" ".join(cell.split()) for cell in row) + "\n" for row in rows)
    else:
        csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode()


def is_frame(value: Any) -> bool:
    """Whether a value is a table of rows: a frame, or anything that gives an Arrow stream."""
    return (
        hasattr(value, "__arrow_c_stream__")
        or (hasattr(value, "to_dict") and hasattr(value, "columns"))
        or _is_lazy(value)
    )


def _is_lazy(value: Any) -> bool:
    """Whether a value is a frame of polars that is not computed yet."""
    return hasattr(value, "collect_schema") and hasattr(value, "collect")


def records_of(value: Any, name: str) -> list[dict[str, Any]]:
    """Return the records of an object as plain dicts; `name` is what messages call it."""
    records = enumerate(_items(value, name), 1)
    return [_plain(record, f"{name}, record {number}") for number, record in records]


def _items(value: Any, name: str) -> Iterator[Any]:
    if is_frame(value):
        yield from rows_of(value)
    elif isinstance(value, str | bytes) or value is None:
        raise UsageError(f"{name} is {_kind(value)}, expected {EXPECTED}")
    elif isinstance(value, Mapping) or _has_fields(value):
        entries = _entries(value)
        yield from [value] if entries is None else _items(entries, name)
    elif isinstance(value, Iterable):
        yield from value
    else:
        raise UsageError(f"{name} is {_kind(value)}, expected {EXPECTED}")


def rows_of(frame: Any) -> Iterator[dict[str, Any]]:
    """Return the rows of a frame; cells without a value are left out."""
    frame = frame.collect() if _is_lazy(frame) else frame
    if hasattr(frame, "iter_rows"):  # polars
        rows = frame.iter_rows(named=True)
    elif hasattr(frame, "to_dict") and hasattr(frame, "columns"):  # pandas
        rows = _pandas_rows(frame)
    else:
        rows = _arrow_rows(frame)
    return ({name: cell for name, cell in row.items() if not _is_missing(cell)} for row in rows)


def _pandas_rows(frame: Any) -> Iterator[dict[str, Any]]:
    """Yield the rows; whole numbers that pandas made real for lack of a value are whole again."""
    if not frame.columns.is_unique:
        raise UsageError("a frame has two columns of the same name: rename one")
    real = [name for name in frame.columns if getattr(frame[name].dtype, "kind", "") == "f"]
    columns = {name: frame[name].dropna() for name in real if frame[name].hasnans}
    whole = {name for name, cells in columns.items() if (cells % 1 == 0).all()}
    for row in frame.to_dict("records"):
        yield {
            name: int(cell) if name in whole and not _is_missing(cell) else cell
            for name, cell in row.items()
        }


def _arrow_rows(stream: Any) -> list[dict[str, Any]]:
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra
    except ImportError:
        raise UsageError(
            "an Arrow stream needs a package: pip install 'chronoscore[scale]'"
        ) from None
    try:
        reader = pa.RecordBatchReader.from_stream(stream)
    except pa.ArrowException:
        raise UsageError(f"a {type(stream).__name__} is one column: give a frame") from None
    rows: list[dict[str, Any]] = reader.read_all().to_pylist()
    return rows


def _has_fields(value: Any) -> bool:
    """Whether an object is one record or holds entries, as dataclasses and models do."""
    if hasattr(value, "_asdict"):  # a named tuple
        return True
    return not isinstance(value, list | tuple | set | frozenset) and (
        any(hasattr(type(value), name) for name in _DECLARED)
        or hasattr(value, "entries")
        or (hasattr(value, "__dict__") and not isinstance(value, Iterable))
    )


def _entries(value: Any) -> Any:
    entries = (
        value.get("entries") if isinstance(value, Mapping) else getattr(value, "entries", None)
    )
    return None if callable(entries) else entries


def _plain(record: Any, place: str) -> dict[str, Any]:
    """Return a record as a dict of plain values; what is missing is left out."""
    if not isinstance(record, Mapping) and not _has_fields(record):
        raise DataError.of(f"is {_kind(record)}, expected a dict or an object with fields", place)
    if hasattr(record, "_asdict"):
        record = record._asdict()
    try:
        fields = msgspec.to_builtins(
            record, str_keys=True, enc_hook=_known, builtin_types=(datetime,)
        )
    except RecursionError:
        raise DataError.of("contains itself, or is nested too deeply", place) from None
    except (TypeError, ValueError) as error:
        raise DataError.of(f"can't be read as data: {error}", place) from None
    return {name: _day(cell) for name, cell in fields.items() if not _is_missing(cell)}


def _known(value: Any) -> Any:
    """Return what msgspec does not know as something that it does: numpy's values, objects."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, datetime):  # of pandas
        return value.isoformat()
    return dict(value) if isinstance(value, Mapping) else vars(value)


def _day(cell: Any) -> Any:
    """Return the day of a moment at midnight, since frames have days as moments."""
    if not isinstance(cell, datetime):
        return cell
    midnight = cell.time() == time() and cell.tzinfo is None
    return cell.date().isoformat() if midnight else cell.isoformat()


def _is_missing(cell: Any) -> bool:
    """Whether a cell of a frame has no value: None, NaN, NaT or NA."""
    if cell is None or type(cell).__name__ == "NAType":
        return True
    return isinstance(cell, float | datetime) and cell != cell  # noqa: PLR0124 - only NaN and NaT


def _kind(value: Any) -> str:
    return "None" if value is None else f"of type {type(value).__name__}"
