"""Change a good file at random, in the way its format suggests.

A mutation works on what a file means (a value of a JSON document, a cell of a table, a column of
a Parquet file) as often as on its bytes: random bytes rarely get past the first check of a reader.
"""

import csv
import gzip
import io
import json
import random
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePath
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from chronoscore.core.records import ARCHIVE_HEAD
from chronoscore.core.writing import sealed_document

PIECES = (
    *(b"\0", b"\r", b"\n", b"\t", b'"', b"\\", b",", b";", b"[", b"]", b"{", b"}", b" ", b"-"),
    *(b"\xff\xfe", b"\xe9", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\x1b[2J", b"\x1c", b"\x85"),
    *(b"NaN", b"null", b"true", b"1e999", b"9" * 30, b"<", b"/>", b"&a;", b"<!DOCTYPE x>"),
    *(b"T1\t", b"O", b"I-X", b"-DOCSTART-\n", b"XXXX-XX-XX", b"2021-02-30"),
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2, 0.5, -0.0, 1e308, 10**20, -(2**63), 2**53 + 1),
    *("", " ", "x", "3", "3\x1c", "NaN", "\0", "a\rb", "\ud800", "é" * 3, "9" * 400, "2021-02-30"),
    *("2021", "2021-03", "../x", "/dev/zero", "os:system", "%6fs:system", "__proto__", "=1+1"),
    *([], {}, [[]], [None], {"": None}, [1, "a"], {"id": "e1"}),
)
JUNK_LINES = (
    b"this is no record",
    b'{"id": ',
    b"\x00\x01\x02",
    b"[1, 2",
)
DEEP = 400


@dataclass(frozen=True)
class Mutation:
    """A changed file; `must_report` where a reader can't accept all of it without a word."""

    data: bytes
    must_report: bool = False


def mutate(name: str, data: bytes, rng: random.Random) -> Mutation:
    """Change a file one to three times."""
    result = Mutation(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        try:
            change = rng.choice(_CHANGES.get(PurePath(name).suffix, _TEXT))
            result = change(result.data, rng)
        except Exception:  # an earlier change broke the format, and libraries raise anything
            result = Mutation(_change_bytes(result.data, rng))
    return result


def _change_bytes(data: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(data) + 1)
    end = min(len(data), place + rng.choice((1, 1, 2, 8, 64)))
    how = rng.randrange(6)
    if how == 0:
        return data[:place]
    if how == 1 and place < len(data):
        return data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :]
    if how == 2:
        return data[:place] + rng.choice(PIECES) + data[place:]
    if how == 3:
        return data[:place] + data[end:]
    if how == 4:
        return data[:place] + data[place:end] * rng.choice((2, 3, 50)) + data[end:]
    return data[:place] + rng.randbytes(rng.randrange(1, 5)) + data[end:]


def _bytes(data: bytes, rng: random.Random) -> Mutation:
    return Mutation(_change_bytes(data, rng))


def _lines(data: bytes, rng: random.Random) -> Mutation:
    lines = data.splitlines(keepends=True) or [b""]
    place = rng.randrange(len(lines))
    how = rng.randrange(5)
    if how == 0:
        lines.insert(place, lines[rng.randrange(len(lines))])
    elif how == 1:
        del lines[place]
    elif how == 2:
        rng.shuffle(lines)
    elif how == 3:
        lines[place] = _change_bytes(lines[place], rng)
    else:
        lines = [*lines[place:], *lines[:place]]
    return Mutation(b"".join(lines))


def _junk_line(data: bytes, rng: random.Random) -> Mutation:
    """Insert a line that is no record: a reader has to refuse or report it."""
    lines = data.splitlines() or [b""]
    lines.insert(rng.randrange(1, len(lines) + 1), rng.choice(JUNK_LINES))
    return Mutation(b"".join(line + b"\n" for line in lines), must_report=True)


def places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to every value inside a JSON value."""
    if way:
        yield way
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*way, key))
    elif isinstance(value, list):
        for place in range(len(value)):
            yield from places(value[place], (*way, place))


def at(value: Any, way: tuple[Any, ...]) -> Any:
    """Return what a way leads to inside a JSON value."""
    for step in way:
        value = value[step]
    return value


def _near(value: Any, rng: random.Random) -> Any:
    """Return another value that looks much like this one."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int):
        return value + rng.choice((-1, 1, 7, 10**6))
    if isinstance(value, float):
        return value * rng.choice((0.5, 1.0000001, 2, -1, 1e6))
    if isinstance(value, str):
        place = rng.randrange(len(value) + 1)
        return value[:place] + rng.choice(("", "x", "-", "1", ":", "(")) + value[place + 1 :]
    if isinstance(value, list):
        half = value[: len(value) // 2]
        return rng.choice((value[:-1], value + value, value[::-1], half))
    return {f"{key}x": item for key, item in value.items()}


def change_value(document: Any, rng: random.Random) -> Any:
    """Change one place of a JSON value, in place; return the document."""
    ways = list(places(document))
    if not ways:
        return rng.choice(VALUES)
    way = rng.choice(ways)
    holder, key = at(document, way[:-1]), way[-1]
    how = rng.randrange(6)
    if how == 0:
        del holder[key]
    elif how == 1:
        holder[key] = rng.choice(VALUES)
    elif how in {2, 3}:
        holder[key] = _near(holder[key], rng)
    elif how == 4:
        holder[key] = json.loads(json.dumps(at(document, rng.choice(ways))))
    elif isinstance(holder, dict):
        holder[rng.choice((key + key[-1:], key[:-1], "x", ""))] = holder.pop(key)
    else:
        holder.insert(key, json.loads(json.dumps(holder[key])))
    return document


def dump(value: Any) -> bytes:
    """Write a JSON value as bytes, half characters included."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _json(data: bytes, rng: random.Random) -> Mutation:
    if rng.random() < 0.01:
        return Mutation(b"[" * DEEP + data + b"]" * DEEP)
    return Mutation(dump(change_value(json.loads(data), rng)))


def _json_line(data: bytes, rng: random.Random) -> Mutation:
    lines = data.splitlines()
    place = rng.randrange(len(lines))
    lines[place] = dump(change_value(json.loads(lines[place]), rng))
    return Mutation(b"".join(line + b"\n" for line in lines))


def _cell(rng: random.Random) -> int | float | str | None:
    """Draw a value for a cell: what no cell can hold is written as JSON."""
    value = rng.choice(VALUES)
    return value if isinstance(value, int | float | str | None) else json.dumps(value)


def _change_row(rows: list[list[Any]], rng: random.Random) -> None:
    row = rng.choice(rows)
    place = rng.randrange(len(row))
    how = rng.randrange(6)
    if how == 0:
        del row[place]
    elif how == 1:
        row.insert(place, _cell(rng))
    elif how == 2:
        row[place] = _near(row[place], rng)
    elif how == 3:
        rows.insert(rng.randrange(len(rows) + 1), list(row))
    elif how == 4:
        rows[0][rng.randrange(len(rows[0]))] = rng.choice(("", "x", rows[0][0]))
    else:
        row[place] = _cell(rng)


def _cells(data: bytes, rng: random.Random) -> Mutation:
    text = data.decode()
    separator = "\t" if "\t" in text.partition("\n")[0] else ","
    rows: list[list[Any]] = list(csv.reader(io.StringIO(text), delimiter=separator))
    _change_row(rows, rng)
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator="\n").writerows(rows)
    return Mutation(out.getvalue().encode("utf-8", "surrogatepass"))


def _workbook(data: bytes, rng: random.Random) -> Mutation:
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(data))
    sheet = rng.choice(book.worksheets)
    cell = sheet.cell(rng.randrange(1, sheet.max_row + 2), rng.randrange(1, sheet.max_column + 2))
    cell.value = _cell(rng)
    out = io.BytesIO()
    book.save(out)
    return Mutation(out.getvalue())


def _parquet(data: bytes, rng: random.Random) -> Mutation:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(data))
    place = rng.randrange(table.num_columns)
    name, column = table.column_names[place], table.column(place).to_pylist()
    how = rng.randrange(5)
    if how == 0:
        table = table.remove_column(place)
    elif how == 1:
        table = table.rename_columns(
            [f"{one}x" if at == place else one for at, one in enumerate(table.column_names)]
        )
    elif how == 2:
        odd = pa.array([b"\xff\xfe\x00"] * len(column)).cast(pa.string(), safe=False)
        table = table.set_column(place, name, odd)
    elif how == 3:
        value = rng.choice(VALUES)
        try:
            odd = pa.array([value] * len(column))
        except (OverflowError, UnicodeError):  # a whole number or text that Arrow can't hold
            odd = pa.nulls(len(column))
        table = table.set_column(place, name, odd)
    else:
        keep = column[: rng.randrange(len(column))]
        short = pa.array([*keep, *[None] * (len(column) - len(keep))], table.column(place).type)
        table = table.set_column(place, name, short)
    out = io.BytesIO()
    pq.write_table(table, out)
    return Mutation(out.getvalue())


def _gzip(data: bytes, rng: random.Random) -> Mutation:
    inner = _json_line(gzip.decompress(data), rng)
    return Mutation(gzip.compress(inner.data, mtime=0))


def _zstandard(data: bytes, rng: random.Random) -> Mutation:
    import zstandard

    inner = _json_line(zstandard.ZstdDecompressor().decompress(data), rng)
    return Mutation(zstandard.ZstdCompressor().compress(inner.data))


def _archive(data: bytes, rng: random.Random) -> Mutation:
    """Change the entries of a result's archive, and leave the checksums as they are."""
    return Mutation(_zipped(_change_entries(data, rng), rng))


def _sealed_archive(data: bytes, rng: random.Random) -> Mutation:
    """Change the entries of a result's archive, and make all checksums right again."""
    entries = _change_entries(data, rng)
    contents = dict(entries)
    head = json.loads(contents[ARCHIVE_HEAD])
    digests = {name: sha256(each).hexdigest() for name, each in entries if name != ARCHIVE_HEAD}
    head["archive"]["entries"] = digests
    sealed = dump(sealed_document(head))
    return Mutation(
        _zipped([(name, sealed if name == ARCHIVE_HEAD else each) for name, each in entries], rng)
    )


def _change_entries(data: bytes, rng: random.Random) -> list[tuple[str, bytes]]:
    with ZipFile(io.BytesIO(data)) as archive:
        entries = [(name, archive.read(name)) for name in archive.namelist()]
    place = rng.randrange(len(entries))
    name, content = entries[place]
    how = rng.randrange(12)
    if how == 0:
        del entries[place]
    elif how == 1:
        entries.insert(rng.randrange(len(entries) + 1), (name, content))
    elif how == 2:
        rng.shuffle(entries)
    elif how == 3:
        entries[place] = rng.choice((f"../{name}", name[:-1], "0/x.npy", "/dev/zero")), content
    elif how == 4:
        entries[place] = name, rng.choice(entries)[1]
    elif how in {5, 6, 7}:
        (head_name, head), *_ = entries
        entries[0] = head_name, dump(change_value(json.loads(head), rng))
    elif how == 8:
        entries[place] = name, _change_bytes(content, rng)
    else:  # the numbers alone, not their header
        end = content.find(b"\n") + 1
        numbers = bytearray(content[end:])
        for _ in range(rng.choice((1, 2, 9)) if numbers else 0):
            numbers[rng.randrange(len(numbers))] = rng.randrange(256)
        entries[place] = name, content[:end] + bytes(numbers)
    return entries


def _zipped(entries: list[tuple[str, bytes]], rng: random.Random) -> bytes:
    out = io.BytesIO()
    with warnings.catch_warnings(), ZipFile(out, "w") as archive:
        warnings.simplefilter("ignore")  # of names that are there twice
        for name, content in entries:
            kind = ZIP_DEFLATED if rng.random() < 0.01 else ZIP_STORED
            archive.writestr(ZipInfo(name), content, kind)
    return out.getvalue()


Change = Callable[[bytes, random.Random], Mutation]
_TEXT: tuple[Change, ...] = (_bytes, _lines)
_CHANGES: dict[str, tuple[Change, ...]] = {
    ".jsonl": (_bytes, _lines, _json_line, _json_line, _json_line, _junk_line),
    ".json": (_bytes, _json, _json, _json),
    ".bdocjs": (_bytes, _json, _json, _json),
    ".csv": (_bytes, _lines, _cells, _cells, _cells, _junk_line),
    ".tsv": (_bytes, _lines, _cells, _cells, _cells, _junk_line),
    ".xlsx": (_bytes, _workbook, _workbook, _workbook),
    ".parquet": (_bytes, _parquet, _parquet, _parquet),
    ".gz": (_bytes, _gzip, _gzip, _gzip),
    ".zst": (_bytes, _zstandard, _zstandard, _zstandard),
    ".chunk": (_bytes,),
    ".chronoscore": (_bytes, _archive),
    ".sealed": (_sealed_archive,),
}
